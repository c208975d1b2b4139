/*
 * profiler.h - CUPTI's range profiler: which metrics a chip has, and their values for a piece of
 * work that is repeated in several passes. profiler_open comes before all else. Plugin side.
 *
 * It must not count while activities are traced (cupti.h): tracing slows the work, and not every
 * driver permits both.
 */
#pragma once

#include <cuda.h>
#include <gbrun/counters.h>
#include <stdbool.h>

enum { PROFILER_CHIP_BYTES = 32 };

/* Opens the library that the device's option `cupti` names (cupti.h). False: it cannot count, and
 * reason says why. */
bool profiler_open(const char *option, char *reason, size_t bytes);

/* The chip of a device, such as "GH100"; needs the driver, makes no context. */
bool profiler_chip(size_t device, char chip[PROFILER_CHIP_BYTES], char *reason, size_t bytes);

/* --- the metrics of a chip, as libcupti lists them --- */

/* The metrics of a chip, which need not be there; in its name case does not matter. With a context
 * only those that may be counted there. NULL: reason says why. */
struct metrics *metrics_new(const char *chip, CUcontext context, char *reason, size_t bytes);
void metrics_free(struct metrics *metrics);

/*
 * Calls back for every metric, in the form that is asked for most: NAME.sum of a counter, NAME.pct
 * (or else the first form there is) of a ratio or a throughput; for the metric whose name or form
 * is `whole` (NULL: none), for all of its forms. Only once for an object: CUPTI lists more each
 * time.
 */
bool metrics_list(const struct metrics *metrics, const char *whole, gb_counter_fn *counter,
                  void *context, char *reason, size_t bytes);

/* True if it is a metric of the chip with one of its forms: "dram__bytes_read.sum". */
bool metrics_has(const struct metrics *metrics, const char *name);
/* Of a metric that there is: "byte", "percent"; "" if it has none. */
const char *metrics_unit(const struct metrics *metrics, const char *name);

/* --- counting --- */

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
bool profiler_count(struct metrics *metrics, CUcontext context, const char **names, size_t n,
                    const struct profiler_work *work, double *values, uint32_t *ret_passes,
                    int32_t *ret_status, char *reason, size_t bytes);
