/*
 * graph.h - samples as a CUDA graph: what a benchmark's run puts on its queue is captured and
 * launched as often as it is needed. Plugin side.
 */
#pragma once

#include "cuda_device.h"

/* Of what one run enqueues. */
struct graph_content {
    uint32_t
        n_operations;  /* kernels, copies, fills and host functions, those of inner graphs too */
    bool crosses_host; /* copies from or to the host's memory, or calls a host function */
    bool is_parallel;  /* some may run side by side */
};

/* Zero-initialize. */
struct graph {
    CUgraphExec exec;
    uint32_t n; /* samples in it */
};

enum { GRAPH_REASON_BYTES = 256 };

/* Of an end of a copy, as its node says; memory that the driver does not know is the host's. */
bool is_on_host(const struct driver *driver, CUmemorytype type, CUdeviceptr address);

/*
 * Captures one call of run to see what is in it. Without operations run cannot be captured, for the
 * reason given, or has put nothing on its queue (""). Returns only errors of run that capturing did
 * not cause.
 */
int32_t graph_look_at_run(const struct cuda_device *device,
                          const struct gb_measurement *measurement, struct graph_content *ret,
                          char reason[GRAPH_REASON_BYTES]);

/* How reset works: there is none; it enqueues work that can be captured; any other way. */
enum { RESET_NONE, RESET_CAPTURED, RESET_CALLED };
int32_t graph_reset_kind(const struct cuda_device *device,
                         const struct gb_measurement *measurement);

/* A graph of n samples {gap, reset if captured, flush if cold, stamp 2 i, run, stamp 2 i + 1}; not
 * stamped: of one run alone. What cannot be captured leaves ret->exec NULL and a reason. */
int32_t graph_make(const struct cuda_device *device, const struct gb_measurement *measurement,
                   uint32_t n, bool is_stamped, bool has_reset, struct graph *ret,
                   char reason[GRAPH_REASON_BYTES]);

/* One sample, stamped, as it was captured; the caller's. NULL: it cannot be, for that reason. */
int32_t graph_capture_sample(const struct cuda_device *device,
                             const struct gb_measurement *measurement, CUgraph *ret_graph,
                             char reason[GRAPH_REASON_BYTES]);

/* Instantiates and uploads what was captured on the stream, which then is idle. */
CUresult graph_instantiate(const struct cuda_device *device, CUgraph captured, CUstream stream,
                           CUgraphExec *ret);

/* Launches it on the stream, waits, and reads its first n stamps. */
CUresult graph_read(const struct cuda_device *device, CUgraphExec exec, CUstream stream,
                    uint32_t n_stamps);

void graph_free(const struct cuda_device *device, struct graph *graph);
