/*
 * median_estimate.h - the median of a policy's samples with its interval, or their mean where the
 * timer's ticks are too coarse for a median but dithered (dithered_mean.h). Plugin side.
 */
#pragma once

#include "sample_array.h"

#include <math.h>
#include <stdbool.h>

/* Of the interval that a policy reports which was not asked for one. */
#define MEDIAN_CONFIDENCE 0.95

struct median_estimate {
    uint64_t n; /* samples it rests on */
    bool is_mean;
    double value, low, high;
    double n_effective;
};

/*
 * The median, the order-statistic interval that holds it with a confidence (for this one look), and
 * the effective sample size. The interval is never narrower than the timer's tick: half of it to
 * either side of the median, but not of a mean. Where the clock is dithered the median lies between
 * ticks, as that of grouped data. Without samples value, low and high are NaN.
 */
int32_t median_estimate_of(struct sample_array *samples, double confidence,
                           struct median_estimate *ret);

/* The same with an interval that holds for all looks together; it is tightest at an effective
 * sample size of n_optimal. 0: for one look. */
int32_t median_sequence_of(struct sample_array *samples, double confidence, double n_optimal,
                           struct median_estimate *ret);

/* The same as a policy's report. Of 6 samples or more it has both ends: where correlation leaves
 * one open, the least or the greatest sample. */
void median_estimate_report(const struct sample_array *samples,
                            const struct median_estimate *median, double confidence,
                            int32_t verdict, struct gb_estimate *estimate);

/* About how many times the samples an interval needs that is too wide by this factor: its square,
 * as "1.4" or "50". Returns ret. */
const char *samples_needed(double too_wide, char *ret, size_t size);

/*
 * How long a policy measures before it first certifies anything.
 * What changes slowly cannot be seen in samples that all lie within a moment, however many they
 * are. A wall time that is enough for a precision of 1 % is not for a finer one, as smaller changes
 * count then: it grows as the precision shrinks.
 */
static inline double wall_floor(double of_one_percent, double precision)
{
    return of_one_percent * fmax(1.0, 0.01 / precision);
}
