/*
 * matmul.h - what the parts of multistream_matmul share: one case, and what a kind of device does
 * for it. Plugin side.
 */
#pragma once

#include "plugins/common/cuda/with_cuda.h"

#include <gbrun/gbrun.h>
#include <stdbool.h>

enum { INPUT_ONES, INPUT_RANDOM };
enum { ORDER_BREADTH, ORDER_DEPTH };
enum { PRIORITY_UNIFORM, PRIORITY_GRADED };
enum { ALLOCATION_MALLOC, ALLOCATION_POOL };
enum { STAMPS_NO, STAMPS_YES, STAMPS_EACH };
enum { SUM_REGISTER, SUM_MEMORY };
enum { BLOCK_DEFAULT = 16 };

struct params {
    int64_t streams, problems, rows, cols, aligned, block, units;
    int32_t input, order, priority, allocation, stamps, sum;
};

struct launch {
    uint64_t problem, stream;
};

struct matmul {
    const struct gb_host *host;
    const struct params *params;
    const struct backend *backend;
    void *own;                       /* the backend's; NULL before its create */
    uint64_t a_size, b_size, c_size; /* elements of one problem's matrices */
    uint64_t n_streams;              /* in use: a stream beyond the problems would never get one */
    struct launch *launches;         /* of all problems, in order */
    float *a, *b, *c;                /* where the device has them: those of all problems in a row */

    /* Where these are not host memory: inputs of one problem, as the host filled them. */
    float *staged_a, *staged_b;
    float *staged_rows; /* B once more, by rows */
};

struct backend {
    BACKEND_FUNCTIONS(struct matmul);
    bool has_host_memory; /* matrices are filled and read in place; */
    bool has_b_by_rows;   /* B is stored by rows, else by columns */

    /* [untimed] Memory for matrices; the backend or the host frees it. */
    int32_t (*allocate)(struct matmul *matmul, const struct gb_queue *queue, uint64_t bytes,
                        float **ret);
    /* [untimed] Gives n elements one value; may only be enqueued when it returns. */
    int32_t (*set)(struct matmul *matmul, const struct gb_queue *queue, float *to, uint64_t n,
                   float value);
};

extern const struct backend matmul_cpu;
extern const struct backend matmul_cuda; /* where PLUGIN_WITH_CUDA is defined */
