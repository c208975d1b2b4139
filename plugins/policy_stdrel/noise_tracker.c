/* noise_tracker.c - see noise_tracker.h. Plugin side. */
#include "noise_tracker.h"

#include <math.h>
#include <stdbool.h>

enum {
    NOISE_FROM = 5,        /* samples that make a noise */
    NOT_FINITE_LIMIT = 64, /* noises in a row without a value that end it */
    STABLE_MORE_THAN = 64, /* noises that the ring must hold to be judged, */
    STABLE_EVERY = 16      /*   and how often it is */
};
static const double STABLE_SPREAD = 0.05; /* of the noises, over their mean */

void noise_tracker_add(struct noise_tracker *tracker, double time_ns, uint64_t iterations)
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

double noise_tracker_noise(const struct noise_tracker *tracker)
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

int noise_tracker_verdict(const struct noise_tracker *tracker, double max_noise, double min_time_ns)
{
    if (tracker->n_not_finite >= NOT_FINITE_LIMIT)
        return NOISE_NOT_FINITE;
    if (!(tracker->time_ns.high > min_time_ns))
        return NOISE_GO_ON;
    if (tracker->n_noises == 0 || tracker->n_not_finite > 0)
        return NOISE_GO_ON;
    if (noise_tracker_noise(tracker) < max_noise)
        return NOISE_BELOW_LIMIT;
    return is_stable(tracker) ? NOISE_STABLE : NOISE_GO_ON;
}
