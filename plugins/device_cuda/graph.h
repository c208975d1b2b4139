/*
 * graph.h - the work of one sample as a CUDA graph: what a benchmark's run puts on its queue is
 * captured once and launched for each sample. Plugin side.
 */
#ifndef GBRUN_PLUGINS_DEVICE_CUDA_GRAPH_H
#define GBRUN_PLUGINS_DEVICE_CUDA_GRAPH_H

#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>

struct cuda_device;
struct gb_measurement;

/* Zero-initialize. */
struct graph {
    CUgraphExec exec;  /* NULL: none is captured */
    const void *bench; /* what it was captured for */
    uint64_t iterations;
    uint32_t clock;
    bool is_traced_whole; /* by one record instead of one for each of its nodes */
};

/* Captures the measurement's run, unless that has been done since the last call of graph_forget,
 * and turns tracing on or off for it. What cannot be captured is an error with words that say
 * why. */
int32_t graph_capture(struct cuda_device *device, const struct gb_measurement *measurement);

void graph_forget(struct cuda_device *device);

#endif
