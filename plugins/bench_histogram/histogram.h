/*
 * histogram.h - what the benchmark `histogram` does in the same way on all devices, and what each
 * does in its own way. Plugin side.
 */
#ifndef GBRUN_PLUGINS_BENCH_HISTOGRAM_HISTOGRAM_H
#define GBRUN_PLUGINS_BENCH_HISTOGRAM_HISTOGRAM_H

#include <gbrun/bench.h>

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

/* A device's way. All of it is called as the functions of the same name of a benchmark are. */
struct backend {
    /* Skips what the device cannot do, fills in `own`; holds nothing that destroy would free. */
    int32_t (*create)(struct histogram *histogram);

    /* values and counts are there. */
    int32_t (*prepare)(struct histogram *histogram);

    /* Sets all counts to 0. */
    int32_t (*reset)(const struct histogram *histogram, const struct gb_queue *queue);

    /* Adds to the counts, `iterations` times. */
    int32_t (*run)(const struct histogram *histogram, const struct gb_queue *queue,
                   uint64_t iterations);

    /* Frees what prepare took elsewhere than from the host; it may have failed half way. */
    void (*destroy)(struct histogram *histogram);
};

extern const struct backend histogram_cpu;
extern const struct backend histogram_cuda;

/* Bins divide the range of values evenly. */
static inline uint32_t histogram_bin(uint32_t value, uint32_t bins)
{
    return (uint32_t)((uint64_t)value * bins >> 32);
}

#endif
