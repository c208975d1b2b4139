/*
 * profiler.h - CUPTI's range profiler: values of metrics for a piece of work that is repeated in
 * several passes. Opened when it is needed. Plugin side.
 *
 * It must not count while activities are traced (cupti.h): what is traced is slower, and not every
 * driver permits both.
 */
#pragma once

#include "metrics.h"

#include <stdint.h>

/* Opens the library that the device's option `cupti` names (cupti.h). False: it cannot count, and
 * reason says why. */
bool profiler_open(const char *option, char *reason, size_t bytes);

/* The chip of a device, such as "GH100"; needs the driver, makes no context. */
bool profiler_chip(size_t device, char chip[PROFILER_CHIP_BYTES], char *reason, size_t bytes);

/* One pass: prepare is not counted, run is; all work of the device has ended when they return. What
 * is not 0 ends the passes and is handed back. */
struct profiler_work {
    int32_t (*prepare)(void *context);
    int32_t (*run)(void *context);
    void *context;
};

/*
 * Counts metrics that there are, in as many passes as they need; only once for an object. values
 * that could not be counted are NaN. False: reason says why there are none, or *ret_status is what
 * the work returned.
 */
bool profiler_count(struct metrics *metrics, CUcontext context, const char *const *names, size_t n,
                    const struct profiler_work *work, double *values, uint32_t *ret_passes,
                    int32_t *ret_status, char *reason, size_t bytes);
