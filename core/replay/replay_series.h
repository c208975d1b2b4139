/*
 * replay_series.h - what grows with the number of samples, for plots of recorded samples.
 */
#pragma once

#include "core/base/error.h"
#include "core/base/memory.h"

/*
 * Some of the samples, and running figures of the first k of them for growing k. Sample numbers
 * begin at 1. Memory is the arena's.
 */
struct replay_series {
    uint64_t n_shown; /* all samples within the bounds if they are few, else those that stand for
                         them */
    double *shown_number, *shown_ns;
    double low_ns, high_ns; /* bounds that nearly all samples are within */
    uint64_t n_above, n_below;
    uint64_t n_outside; /* where such are, at the bound that is next to them */
    double *outside_number, *outside_ns;
    uint64_t n_points;
    double *number;      /* k */
    double *stdev_ratio; /* standard deviation (k - 1) over the mean */
    /* Of the noise window: standard deviation (n) over the mean of the newest NOISE_WINDOW values
     * of stdev_ratio, one a sample from the fifth on; NaN before there are more than
     * NOISE_WINDOW_FROM. What stdrel, NVBench's rule, compares with NOISE_WINDOW_LIMIT. */
    double *noise_ratio;
    double *entropy_bits; /* log2 k - sum(c log2 c) / k over the counts c of equal times */
    double *median_ns;
    double *median_low_ns, *median_high_ns; /* the 95 % interval from order statistics, as if
                                               samples were independent; NaN: too few */
};

enum { SERIES_ALL_SHOWN = 10000, NOISE_WINDOW = 512, NOISE_WINDOW_FROM = 64 };
static const double NOISE_WINDOW_LIMIT = 0.05;

/* Times that are NaN are left out and not counted. Takes 16 bytes for each sample while it works.
 * GB_NO_MEMORY; GB_NOT_FOUND: no time is known. */
int32_t replay_series_of(const double *time_ns, uint64_t n, struct arena *arena,
                         struct replay_series *ret, struct gb_error *error);
