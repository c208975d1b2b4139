/*
 * noise_tracker.h - the rule of NVBench's `stdrel`, sample by sample. Plugin side.
 *
 * Written from its definition. As there, the mean and the variance are kept by recurrence, so that
 * a sample costs the same however many came before. NVBench carries the biased variance along and
 * multiplies by n / (n - 1) at the end, this carries Welford's sum of squares: the two agree to
 * within rounding, and could differ in the sample they stop at only where the noise meets a limit
 * to the last bits.
 */
#ifndef GBRUN_PLUGINS_POLICY_STDREL_NOISE_TRACKER_H
#define GBRUN_PLUGINS_POLICY_STDREL_NOISE_TRACKER_H

#include <stdint.h>

enum { NOISE_RING = 512 };

/* Zero-initialize. */
struct noise_tracker {
    uint64_t n; /* samples */
    double mean, sum_of_squares;
    uint64_t iterations;   /* in all samples */
    uint64_t n_not_finite; /* noises in a row */
    double ring[NOISE_RING];
    uint64_t n_noises; /* pushed in all; the last is at (n_noises - 1) % NOISE_RING */
};

enum { NOISE_GO_ON, NOISE_BELOW_LIMIT, NOISE_STABLE, NOISE_NOT_FINITE };

void noise_tracker_add(struct noise_tracker *tracker, double time_ns, uint64_t iterations);

/* Whether the last sample is the one to stop at, and why: NOISE_... */
int noise_tracker_verdict(const struct noise_tracker *tracker, double max_noise,
                          double min_time_ns);

/* The relative standard deviation last seen; NaN while there is none. */
double noise_tracker_noise(const struct noise_tracker *tracker);

#endif
