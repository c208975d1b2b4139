/*
 * stdrel.c - the policy `stdrel`: NVBench's default rule, for comparison with it. Plugin side.
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
#include "../common/policy/exact_sum.h"
#include "../common/policy/median_estimate.h"

#include <gbrun/gbrun.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* --- the rule, sample by sample --- */

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

enum {
    NOISE_FROM = 5,        /* samples that make a noise */
    NOT_FINITE_LIMIT = 64, /* noises in a row without a value that end it */
    STABLE_MORE_THAN = 64, /* noises that the ring must hold to be judged, */
    STABLE_EVERY = 16      /*   and how often it is */
};
static const double STABLE_SPREAD = 0.05; /* of the noises, over their mean */

static void noise_tracker_add(struct noise_tracker *tracker, double time_ns, uint64_t iterations)
{
    tracker->n++;
    exact_sum_add(&tracker->time_ns, time_ns * (double)iterations);
    const double difference = time_ns - tracker->mean;
    tracker->mean += difference / (double)tracker->n;
    tracker->sum_of_squares += difference * (time_ns - tracker->mean);
    if (tracker->n < NOISE_FROM)
        return;
    const double deviation = sqrt(tracker->sum_of_squares / (double)(tracker->n - 1));
    const double noise = tracker->mean > 0.0 ? deviation / tracker->mean : (double)NAN;
    if (isfinite(noise)) {
        tracker->n_not_finite = 0;
        tracker->ring[tracker->n_noises++ % NOISE_RING] = noise;
    } else {
        tracker->n_not_finite++;
    }
}

/* The relative standard deviation last seen; NaN while there is none. */
static double noise_tracker_noise(const struct noise_tracker *tracker)
{
    return tracker->n_noises > 0 ? tracker->ring[(tracker->n_noises - 1) % NOISE_RING]
                                 : (double)NAN;
}

static bool is_stable(const struct noise_tracker *tracker)
{
    const uint64_t n = tracker->n_noises < NOISE_RING ? tracker->n_noises : NOISE_RING;
    if (n <= STABLE_MORE_THAN || tracker->n % STABLE_EVERY != 0)
        return false;
    double mean = 0.0;
    for (uint64_t i = 0; i < n; i++)
        mean += tracker->ring[i];
    mean /= (double)n;
    double variance = 0.0;
    for (uint64_t i = 0; i < n; i++)
        variance += (tracker->ring[i] - mean) * (tracker->ring[i] - mean);
    variance /= (double)n;
    return variance < STABLE_SPREAD * mean * (STABLE_SPREAD * mean);
}

/* Whether the last sample is one to stop at, and why: NOISE_... */
static int noise_tracker_verdict(const struct noise_tracker *tracker, double max_noise,
                                 double min_time_ns)
{
    if (tracker->n_not_finite >= NOT_FINITE_LIMIT)
        return NOISE_NOT_FINITE;
    if (!(tracker->time_ns.high > min_time_ns) || tracker->n_noises == 0 ||
        tracker->n_not_finite > 0)
        return NOISE_GO_ON;
    if (noise_tracker_noise(tracker) < max_noise)
        return NOISE_BELOW_LIMIT;
    return is_stable(tracker) ? NOISE_STABLE : NOISE_GO_ON;
}

/* --- the policy --- */

struct params {
    double max_noise;
    double min_time;
};

struct stdrel {
    const struct gb_host *host;
    const struct params *params;
    struct noise_tracker noise;
    int verdict; /* of the last sample */
    struct sample_array samples;
};

static const struct gb_option options[] = {
    GB_FLOAT(struct params, max_noise, "0.5%", "0:1", NULL,
             "relative standard deviation below which to stop"),
    GB_DURATION(struct params, min_time, "0.5s", "0:inf", "measured time before it may stop"),
};

POLICY_CREATE(struct stdrel);

/* Judges the last sample alone: where the host has to go on to min_samples the rule must hold
 * there, as in NVBench, not at some sample before. Until it holds the host hands over one at a
 * time. */
static int32_t observe(void *object, const struct gb_samples *samples)
{
    struct stdrel *policy = object;
    const int32_t status = sample_array_add(&policy->samples, samples);
    if (status != GB_OK)
        return status;
    for (uint64_t i = 0; i < samples->n; i++)
        noise_tracker_add(&policy->noise, samples->time_ns[i],
                          samples->iterations != NULL ? samples->iterations[i] : 1);
    policy->verdict = noise_tracker_verdict(&policy->noise, policy->params->max_noise,
                                            policy->params->min_time);
    return GB_OK;
}

static int32_t next(void *object, struct gb_next *next)
{
    const struct stdrel *policy = object;
    const double percent = 100.0 * noise_tracker_noise(&policy->noise);
    switch (policy->verdict) {
    case NOISE_GO_ON:
        next->decision = GB_MORE;
        next->n_samples = policy->noise.n + 1;
        break;
    case NOISE_BELOW_LIMIT:
        next->decision = GB_DONE;
        snprintf(next->reason, sizeof next->reason, "noise below %g %%",
                 100.0 * policy->params->max_noise);
        break;
    case NOISE_STABLE:
        next->decision = GB_DONE;
        snprintf(next->reason, sizeof next->reason, "noise stable at %.3g %%", percent);
        break;
    default:
        next->decision = GB_GAVE_UP;
        snprintf(next->reason, sizeof next->reason, "no finite noise in 64 samples in a row");
        break;
    }
    return GB_OK;
}

static int32_t report(void *object, struct gb_estimate *estimate)
{
    struct stdrel *policy = object;
    const int32_t status = median_report(
        &policy->samples,
        policy->verdict == NOISE_NOT_FINITE ? GB_VERDICT_GAVE_UP : GB_VERDICT_NONE, estimate);
    if (status == GB_OK && policy->noise.n_noises > 0)
        policy->host->metric(policy->host, "noise", noise_tracker_noise(&policy->noise), "");
    return status;
}

static void destroy(void *object)
{
    struct stdrel *policy = object;
    if (policy != NULL)
        sample_array_free(&policy->samples);
}

static const struct gb_policy_ops ops = POLICY_OPS(0, next);

static const struct gb_plugin plugin = {
    GB_PLUGIN(POLICY, "stdrel", "1.0",
              "NVBench's default rule: until the relative standard deviation is small or settled"),
    .help = "Stops at the sample where NVBench's `stdrel` would: once `min_time` has been measured "
            "and the relative standard deviation (the noise) is below `max_noise`, or has settled: "
            "its last 512 values vary by less than 5 %.\n\n"
            "It guarantees nothing about the precision of the result, since the noise of a sample "
            "does not shrink when more samples are taken. The median is reported with the 95 % "
            "interval that its order statistics give, autocorrelation taken into account.",
    GB_OPTIONS(options, struct params),
    .ops = &ops,
};

GB_MODULE(&plugin)
