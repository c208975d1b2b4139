/*
 * cuda_device.h - the open device: its context, stamps, events, and memory that flushes its cache;
 * errors of the driver in words. Plugin side.
 */
#pragma once

#include "hold.h"
#include "plugins/common/cuda/cuda_driver.h"
#include "plugins/common/measuring.h"
#include "sensors.h"
#include "stamps.h"

#include <gbrun/device.h>
#include <gbrun/guest.h>

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
    bool is_primary; /* the context is the primary one, retained here; else the host program's */
    /* Of the clocks, then lent to the first queue: further streams make launches slower. */
    CUstream stream;
    bool is_stream_lent;

    double step_ns;   /* of the device's timer, as stamps show it */
    bool is_profiled; /* a profiler must see the benchmark's kernels and no others */
    bool is_observed; /* by a profiler or checker, under which kernels take milliseconds */

    uint64_t flush_bytes;
    CUdeviceptr flush; /* allocated for the first cold sample */

    struct hold *hold; /* NULL: the driver cannot */
    CUevent starts[BATCH_DEPTH_MAX], stops[BATCH_DEPTH_MAX];
    uint32_t n_events;
    struct stamps stamps;
    struct sensors sensors;
    CUmodule judging; /* NULL: nothing is judged */
    CUfunction gather, random;
    CUevent joined; /* NULL: the driver cannot, before CUDA 12.5 */
    CUresult (*record_context)(CUcontext, CUevent), (*await_event)(CUcontext, CUevent);
};

/* Takes the context that a host program has made current on the device, else the primary one, and
 * makes it current. */
CUresult cuda_take_context(struct cuda_device *device);

/* Makes the context current: a benchmark may have changed that. */
int32_t cuda_enter(const struct cuda_device *device, const char *doing);

/* The status for the result of a call; an error is reported to the host with its name and what was
 * being done. */
int32_t cuda_status(const struct cuda_device *device, CUresult result, const char *doing);

/* An error if a benchmark has reset the device: using what belonged to the context would crash the
 * driver. */
int32_t cuda_still_there(const struct cuda_device *device);

/* Fills memory, and waits, on the device's own stream: a fill on the default stream is a kernel of
 * another one, for which this one waits, and after that launches are slower. */
CUresult cuda_fill(const struct cuda_device *device, CUdeviceptr at, unsigned char byte,
                   size_t bytes);

/* Reports how much was asked for and how much is free. Returns GB_NO_MEMORY. */
int32_t cuda_no_memory(const struct cuda_device *device, uint64_t bytes);

/* Allocates the flush buffer unless it exists. */
int32_t cuda_reserve_flush(struct cuda_device *device);

/* The status of a benchmark's function that failed; GB_DEVICE_ERROR, which the worker must know, if
 * the context has ended. */
int32_t cuda_failure_status(const struct cuda_device *device, const struct gb_queue *queue,
                            int32_t status);

/* The extension for programs that have gbrun as a library. */
extern const struct gb_guest cuda_guest;

/* --- what is known of a device without opening it --- */

/* An attribute of a device; 0 if the driver does not know it. */
uint32_t cuda_attribute(const struct driver *driver, CUdevice number, CUdevice_attribute which);

/* Fills in all of info but its size. */
void cuda_describe(const struct driver *driver, CUdevice number, uint32_t index,
                   struct gb_device_info *info);

void cuda_facts(const struct driver *driver, CUdevice number, gb_fact_fn *fact, void *context);

/* For gb_device_ops.examine; cupti: the device's option. */
void cuda_examine(const struct driver *driver, CUdevice number, const char *cupti,
                  gb_finding_fn *finding, void *context);
