/*
 * histogram.h - what the benchmark `histogram` does in the same way on all devices, and what each
 * does in its own way. Plugin side.
 */
#pragma once

#include "plugins/common/cuda/with_cuda.h"

/* In the order of the words in histogram.c. */
enum { METHOD_PRIVATE, METHOD_GLOBAL };
enum { BLOCK_DEFAULT = 256, THREADS_DEFAULT = 0 };

struct params {
    int64_t n, bins;
    int32_t distribution;
    int32_t method;  /* METHOD_... */
    int64_t block;   /* of CUDA */
    int64_t threads; /* of the CPU; 0: as many as it has processors */
};

struct histogram {
    const struct gb_host *host;
    const struct params *params;
    const struct backend *backend;
    void *own;           /* of the backend, taken from the host */
    uint32_t *values;    /* params->n, memory of the device */
    uint32_t *counts;    /* params->bins, memory of the device: modulo 2^32 */
    uint64_t *expected;  /* params->bins: of one iteration */
    uint64_t iterations; /* of the last run */
};

/* reset sets all counts to 0; run adds to them, `iterations` times. */
struct backend {
    BACKEND_FUNCTIONS(struct histogram);
};

extern const struct backend histogram_cuda;

/* Bins divide the range of values evenly. */
static inline uint32_t histogram_bin(uint32_t value, uint32_t bins)
{
    return (uint32_t)((uint64_t)value * bins >> 32);
}
