/*
 * metrics.h - which metrics a chip has, as libcupti lists them. profiler_open (profiler.h) comes
 * before all here. Plugin side.
 */
#pragma once

#include <cuda.h>
#include <stdbool.h>
#include <stddef.h>

enum { PROFILER_CHIP_BYTES = 32 };

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
typedef void metrics_fn(void *context, const char *name, const char *unit, const char *help);
bool metrics_list(const struct metrics *metrics, const char *whole, metrics_fn *metric,
                  void *context, char *reason, size_t bytes);

/* True if it is a metric of the chip with one of its forms: "dram__bytes_read.sum". */
bool metrics_has(const struct metrics *metrics, const char *name);
/* Of a metric that there is: "byte", "percent"; "" if it has none. */
const char *metrics_unit(const struct metrics *metrics, const char *name);

/* CUPTI's own object, for profiler.c. */
struct CUpti_Profiler_Host_Object *metrics_host(const struct metrics *metrics);
