/*
 * cuda_device.h - the open device: its context, clocks, flush buffer and tracer. Plugin side.
 */
#ifndef GBRUN_PLUGINS_DEVICE_CUDA_CUDA_DEVICE_H
#define GBRUN_PLUGINS_DEVICE_CUDA_CUDA_DEVICE_H

#include "graph.h"
#include "hold.h"
#include "nvml.h"
#include "plugins/common/cuda/cuda_driver.h"
#include "records.h"
#include "sensors.h"

#include <gbrun/device.h>

enum { CLOCK_KERNEL, CLOCK_EVENT, CLOCK_WALL, CLOCK_BUSY, CLOCK_KINDS };

enum { BATCH_DEPTH_MAX = 1024 };

enum { HOLD_AUTO, HOLD_ALWAYS, HOLD_NEVER };

struct params {
    uint64_t flush;
    int64_t batch_depth;
    int32_t hold_back; /* HOLD_... */
    const char *cupti;
};

/* What earlier samples showed of the benchmark that is being measured. */
struct habits {
    const void *bench;
    uint64_t iterations;
    uint32_t clock;
    uint32_t n_activities; /* in a sample, if the kernel clock counted; 0: not known yet */
    double sample_ns;      /* of host time; 0: not known yet */
    bool refuses_hold;     /* had to be released early: it waits inside run, or queues too much */
};

struct cuda_device {
    const struct gb_host *host;
    const struct params *params;
    struct driver driver;
    struct nvml nvml;
    CUdevice number;
    CUcontext context;

    struct gb_clock clocks[CLOCK_KINDS];
    uint32_t kinds[CLOCK_KINDS]; /* CLOCK_... of each */
    uint32_t n_clocks;
    char no_tracing[256]; /* why CUPTI cannot be used; empty: not known to be so */
    bool can_trace;

    uint64_t cache_bytes, flush_bytes;
    CUdeviceptr flush; /* taken when the first cold sample is asked for */

    struct hold *hold; /* NULL: the driver cannot */
    CUevent starts[BATCH_DEPTH_MAX], stops[BATCH_DEPTH_MAX];
    uint32_t n_events;
    struct records records;
    uint64_t n_begun; /* samples so far: the number of the next one */
    struct habits habits;
    struct graph graph;
    struct sensors sensors;
};

/* The status for what a call returned; for an error its name and what was being done are reported
 * to the host. */
int32_t cuda_status(const struct cuda_device *device, CUresult result, const char *doing);

/* An error if a benchmark has reset the device: the driver crashes where what belonged to the
 * context is used then. */
int32_t cuda_still_there(const struct cuda_device *device);

/* Takes the flush buffer, if that has not been done. */
int32_t cuda_reserve_flush(struct cuda_device *device);

/* Turns tracing on if the clock of this kind needs it, else off. */
int32_t cuda_trace(struct cuda_device *device, uint32_t kind, bool graphs_are_whole);

int32_t cuda_measure(struct cuda_device *device, struct gb_measurement *measurement);

/* Before there is a context: opens what the clocks need. */
void cuda_clocks_prepare(struct cuda_device *device);

/* Finds out which clocks there are and what they are like. */
int32_t cuda_clocks_probe(struct cuda_device *device);

#endif
