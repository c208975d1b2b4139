/*
 * work_metrics.h - which metrics of a chip show what work was done: floating-point operations, and
 * bytes at each level of memory. Plugin side.
 */
#pragma once

#include "profiler.h"

#include <gbrun/counters.h>

enum { WORK_METRICS_MAX = 32 };

/* Names of metrics that the chip has, and what one count of each stands for. */
struct work_metrics {
    const char *names[WORK_METRICS_MAX];
    double weights[WORK_METRICS_MAX];
    uint32_t kinds[WORK_METRICS_MAX]; /* GB_COUNTED_... */
    bool is_half[WORK_METRICS_MAX];   /* instructions of half precision, but for tensor cores */
    size_t n;
};

/* The arithmetic that the benchmark declares: GB_F64 ..., GB_MATH_...; 0: not said. */
struct declared_math {
    uint32_t format, unit;
};

/* Nothing is said by a host that does not know of it, whose struct is shorter. */
struct declared_math declared_math_of(const struct gb_counting *counting);

void work_metrics_choose(const struct metrics *metrics, struct work_metrics *ret);

/* The sum of each kind; NaN where the chip has no metric of it or a value is missing. `values` are
 * in the order of the names. Half precision is summed only where it can be the declared arithmetic.
 * The text says which metrics counted something, and what became of half precision. */
void work_metrics_sum(const struct work_metrics *work, struct declared_math math,
                      const double *values, double sums[GB_COUNTED_KINDS], char *made_from,
                      size_t bytes);
