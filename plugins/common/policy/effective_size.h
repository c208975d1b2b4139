/*
 * effective_size.h - the effective sample size of a series of correlated samples, and whether it
 * goes one way. Plugin side.
 *
 * The estimate is n over the autocorrelation time of a series of small numbers, such as "is below
 * the median", and needs only sums of the series over stretches of it. The time is the larger of
 * two estimates, and at least 1:
 *  - Geyer's initial monotone sequence over the means of up to 1024 blocks (Practical Markov chain
 *    Monte Carlo, Statistical Science 7, 1992, section 3.3);
 *  - from 128 values on, 32 batch means, enlarged where even these are correlated.
 *
 * It is too short where it is not much shorter than the series: a lag window over a share s of the
 * series to either side leaves 2 s of the variance to the mean that was subtracted, and has 1 / s
 * degrees of freedom (Priestley, Spectral Analysis and Time Series, 1981, section 6.2.4, of the
 * truncated window).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum {
    SERIES_BLOCKS_MAX = 1024,
    SERIES_BATCHES = 32,
    SERIES_PLACES_MAX = SERIES_BLOCKS_MAX + SERIES_BATCHES + 2
};

/* The places in a series of n values up to which it must be summed: ends of blocks and batches,
 * and its end. */
struct series_places {
    uint64_t n;
    uint64_t block_length, batch_length;
    size_t n_blocks, n_batches; /* no batches: 0 */
    size_t n_places;
    uint64_t at[SERIES_PLACES_MAX]; /* ascending, the last is n */
    uint16_t of_block[SERIES_BLOCKS_MAX];
    uint16_t of_batch[SERIES_BATCHES]; /* the place where each ends */
};

/* n is at least 1. */
void series_places_of(uint64_t n, struct series_places *ret);

/* The autocorrelation time of a series with that variance, from twice its sums up to the places.
 * 1 where the variance is not above 0. */
double series_time(const struct series_places *places, const int64_t *twice_sums, double variance);

/* What there is to know of how well the time is known. */
struct series_window {
    double kept;    /* share of the variance that was not left to the mean, 0.1 to 1 */
    double degrees; /* of freedom */
};

/* Of the same series: all kept and infinitely many degrees where its time is 1 nevertheless. */
struct series_window series_window(const struct series_places *places, const int64_t *twice_sums,
                                   double variance);

/* Twice the sums of "is below a value, or half if equal" of places->n values in the order measured.
 * Returns its variance. */
double indicator_sums_of(const double *values, const struct series_places *places, double value,
                         int64_t *ret_twice_sums);

/* For the median of n values in the order measured: never more than n. O(n) time, fixed memory. */
double effective_sample_size(const double *values, uint64_t n, double median);

/* The variance of "is below a value, or half if equal", from the counts of those. */
double indicator_variance(uint64_t below, uint64_t not_above, uint64_t n);

/* A straight line through values at equal distances: what it changes by from one to the next, and
 * the standard error of that, of n - 2 degrees of freedom. */
struct series_slope {
    double slope, error;
};

/*
 * By least squares; of less than 3 values 0 and infinity. Residuals whose correlation r with the
 * next is above 0.2 count as (1 - r) / (1 + r) of their number, but no less than a third: a trend
 * that is not straight leaves residuals that look correlated too, and would be excused by them.
 */
struct series_slope series_slope(const double *values, size_t n);
