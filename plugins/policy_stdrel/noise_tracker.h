/*
 * noise_tracker.h - the rule of NVBench's `stdrel`, sample by sample. Plugin side.
 *
 * Written from its definition. Of the n times so far: nu_n = s_n / mean_n, with the divisor n - 1,
 * for n >= 5 and mean_n > 0, into a ring of 512 if it is finite. 64 in a row that are not end it.
 * Otherwise it stops at a sample with a finite nu_n once n mean_n, the measured time, exceeds
 * min_time, if nu_n < max_noise, or n mod 16 = 0, the ring holds more than 64 values, and their
 * variance, with the divisor of their number, is below (0.05 times their mean)^2.
 *
 * All is float64. So that it is defined what a limit is compared with: the mean and the sum of
 * squares are kept by Welford's recurrence, so that a sample costs the same however many came
 * before and equal times have a noise of exactly 0 (NVBench carries the biased variance and
 * multiplies at the end: the same but for rounding); the measured time is an exact_sum, rounded
 * once; the ring is summed in the order of its slots. Squares of times must be representable:
 * 1e-140 to 1e140.
 */
#pragma once

#include "../common/policy/exact_sum.h"

#include <stdint.h>

enum { NOISE_RING = 512 };

/* Zero-initialize. */
struct noise_tracker {
    uint64_t n; /* samples */
    double mean, sum_of_squares;
    struct exact_sum time_ns; /* of all iterations */
    uint64_t n_not_finite;    /* noises in a row */
    double ring[NOISE_RING];
    uint64_t n_noises; /* pushed in all; the last is at (n_noises - 1) % NOISE_RING */
};

enum { NOISE_GO_ON, NOISE_BELOW_LIMIT, NOISE_STABLE, NOISE_NOT_FINITE };

void noise_tracker_add(struct noise_tracker *tracker, double time_ns, uint64_t iterations);

/* Whether the last sample is one to stop at, and why: NOISE_... */
int noise_tracker_verdict(const struct noise_tracker *tracker, double max_noise,
                          double min_time_ns);

/* The relative standard deviation last seen; NaN while there is none. */
double noise_tracker_noise(const struct noise_tracker *tracker);
