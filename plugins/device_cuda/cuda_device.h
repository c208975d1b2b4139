/*
 * cuda_device.h - the open device: its context, clocks, flush buffer and stamps. Plugin side.
 */
#pragma once

#include "cupti.h"
#include "hold.h"
#include "nvml.h"
#include "offsets.h"
#include "plugins/common/cuda/cuda_driver.h"
#include "sensors.h"
#include "stamps.h"
#include "way.h"

#include <gbrun/device.h>

enum { CLOCK_KERNEL, CLOCK_EVENT, CLOCK_WALL, CLOCK_RECORD, CLOCK_KINDS };

enum { BATCH_DEPTH_MAX = 1024 };

struct params {
    uint64_t flush;
    int64_t batch_depth;
    int32_t hold_back;
    double timer_step; /* ns */
    const char *cupti;
};

struct cuda_device {
    const struct gb_host *host;
    const struct params *params;
    struct driver driver;
    struct nvml nvml;
    CUdevice number;
    CUcontext context;
    bool is_primary; /* the context: retained here; else it is of the program that this is a guest
                        of */
    /* The first queue, and of the clocks before there is one: launches of the context get slower by
     * the use of further streams. */
    CUstream stream;
    bool is_stream_lent;

    struct gb_clock clocks[CLOCK_KINDS];
    uint32_t kinds[CLOCK_KINDS]; /* CLOCK_... of each */
    uint32_t n_clocks;
    double step_ns;       /* of the device's timer, as stamps show it */
    double event_tick_ns; /* likewise of events */
    bool is_profiled;     /* the benchmark's kernels are wanted, and no others */
    bool is_observed;     /* by a profiler or checker, under which kernels take milliseconds */
    double rest_ns;       /* what a wait for the context takes that has nothing to do */

    uint64_t cache_bytes, flush_bytes;
    CUdeviceptr flush; /* taken when the first cold sample is asked for */

    struct hold *hold; /* NULL: the driver cannot */
    CUevent starts[BATCH_DEPTH_MAX], stops[BATCH_DEPTH_MAX];
    uint32_t n_events;
    struct stamps stamps;
    struct offsets offsets;
    struct way way;
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

/* The status of a benchmark's function that failed: it may have met an error that ends the context,
 * which the worker must know. */
int32_t cuda_failure_status(const struct cuda_device *device, const struct gb_queue *queue,
                            int32_t status);

/* Starts to record activities, or goes on; false: reason says why that cannot be. */
bool cuda_open_tracer(const struct cuda_device *device, char *reason, size_t bytes);

double cuda_host_ns(void); /* CLOCK_MONOTONIC */

int32_t cuda_measure(struct cuda_device *device, struct gb_measurement *measurement);

/* Likewise, in the way that device->way is now. */
int32_t cuda_measure_now(struct cuda_device *device, struct gb_measurement *measurement);

/* Finds out which clocks there are and what they are like. */
int32_t cuda_clocks_probe(struct cuda_device *device);
