/*
 * copy.h - what the benchmark `copy` does in the same way on all devices, and what each does in its
 * own way. Plugin side.
 */
#pragma once

#include "plugins/common/cuda/with_cuda.h"

/* In the order of the words in copy.c. */
enum { METHOD_AUTO, METHOD_MEMCPY, METHOD_LOOP, METHOD_STREAM, METHOD_KERNEL };
enum { PLACE_DEVICE, PLACE_PINNED, PLACE_PAGEABLE, PLACE_PEER };
enum { DIRECTIONS_ONE, DIRECTIONS_BOTH, DIRECTIONS_ALL };

struct params {
    uint64_t bytes;
    int32_t method;   /* METHOD_... */
    int64_t width;    /* bytes that a thread of the kernel moves at once */
    int32_t from, to; /* PLACE_... */
    int32_t directions;
};

struct transfer {
    unsigned char *from, *to; /* params->bytes each */
};

struct copy {
    const struct gb_host *host;
    const struct params *params;
    const struct backend *backend;
    void *own;                  /* of the backend, taken from the host */
    struct transfer *transfers; /* what an iteration copies, */
    uint32_t n_transfers;       /*   at once */
    unsigned char *chunk;       /* host memory through which all are reached, part by part */
};

/* create sets n_transfers; prepare sets transfers, to memory that host->device_copy reaches. */
struct backend {
    BACKEND_FUNCTIONS(struct copy);
};

extern const struct backend copy_cuda;

/* Skips what the device has not, an option's word: "method = loop is ..." and the words. */
int32_t copy_skip_method(const struct copy *copy, const char *words);
int32_t copy_skip_place(const struct copy *copy, const char *words);
