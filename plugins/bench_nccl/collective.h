/*
 * collective.h - what collectives do: which elements are where, and how many bytes that takes.
 * Plugin side; knows nothing of NCCL.
 *
 * Inputs are small whole numbers, so that every sum is exact in every format, whatever its order.
 */
#pragma once

#include <gbrun/host.h>

/* In the order of the words in nccl.c. */
enum { ALL_REDUCE, ALL_GATHER, REDUCE_SCATTER, ALL_TO_ALL, BROADCAST };
enum { OP_SUM, OP_MAX, OP_MIN };

enum { COLLECTIVE_ROOT = 0 }; /* of a broadcast */

struct collective {
    const struct gb_host *host; /* for random numbers */
    int32_t kind, op;
    uint32_t n_ranks;
    int64_t largest;      /* of the inputs, which go from its negative to it */
    uint64_t n_part;      /* elements that one rank has for, or gets from, one rank */
    uint64_t n_in, n_out; /* elements of a rank's input and output */
};

/* bytes: of the larger one of a rank's two buffers, at most; 0 parts, if they are too few for one
 * element for each rank. digits: of the format's significand. */
void collective_make(struct collective *collective, const struct gb_host *host, uint64_t bytes,
                     const struct gb_format *format);

/* n elements of a rank's input, from element `first` on; and of its output, as it has to be. */
void collective_input(const struct collective *collective, uint32_t rank, uint64_t first,
                      uint64_t n, double *ret);
void collective_output(const struct collective *collective, uint32_t rank, uint64_t first,
                       uint64_t n, double *ret);

/* Where they are in one buffer of max(n_in, n_out) elements, for a collective in place. */
uint64_t collective_input_at(const struct collective *collective, uint32_t rank);
uint64_t collective_output_at(const struct collective *collective, uint32_t rank);

/*
 * Bytes that count for the two bandwidths of nccl-tests (its doc/PERFORMANCE.md): the size of the
 * operation, and what each rank's link has to carry of it if the algorithm is the best one.
 */
double collective_bytes(const struct collective *collective, uint32_t element_bytes);
double collective_bus_factor(const struct collective *collective);
