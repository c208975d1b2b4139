/*
 * work_metrics.h - which metrics of a chip tell what work was done: floating-point operations, and
 * bytes at each level of memory. Plugin side.
 */
#ifndef GBRUN_PLUGINS_DEVICE_CUDA_WORK_METRICS_H
#define GBRUN_PLUGINS_DEVICE_CUDA_WORK_METRICS_H

#include "profiler.h"

#include <gbrun/counters.h>

enum { WORK_METRICS_MAX = 32 };

/* Names of metrics that the chip has, and what one count of each is worth. */
struct work_metrics {
    const char *names[WORK_METRICS_MAX];
    double weights[WORK_METRICS_MAX];
    uint32_t kinds[WORK_METRICS_MAX]; /* GB_COUNTED_... */
    size_t n;
};

void work_metrics_choose(const struct metrics *metrics, struct work_metrics *ret);

/* The sum of each kind; NaN where the chip has no metric of it or a value is missing. `values` are
 * in the order of the names. The text says which metrics counted something. */
void work_metrics_sum(const struct work_metrics *work, const double *values,
                      double sums[GB_COUNTED_KINDS], char *made_from, size_t bytes);

#endif
