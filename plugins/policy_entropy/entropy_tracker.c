/*
 * entropy_tracker.c - see entropy_tracker.h. Plugin side.
 *
 * The line is fitted anew each time. Running sums would have to be of squares near 100 and tell a
 * variance of 2^-52, which they cannot; and the two passes over 299 values take half a microsecond
 * for every second sample, no more than counting two new values does.
 */
#include "entropy_tracker.h"

#include <float.h>
#include <gbrun/gbrun.h>
#include <math.h>

static const double DEGREES_PER_RADIAN = 57.295779513082320876798154814105;

static double count_log2(uint64_t count)
{
    return (double)count * log2((double)count);
}

int32_t entropy_tracker_add(struct entropy_tracker *tracker, double time_ns)
{
    if (!isfinite(time_ns)) {
        tracker->n_not_finite++;
        return GB_OK;
    }
    uint64_t count = 0;
    const int32_t status = value_counts_add(&tracker->counts, time_ns, &count);
    if (status != GB_OK)
        return status;
    if (count > 1) {
        exact_sum_add(&tracker->sum, count_log2(count));
        exact_sum_add(&tracker->sum, -count_log2(count - 1));
    }
    const uint64_t i = tracker->n++ % ENTROPY_RING;
    tracker->ring[i] = (count_log2(tracker->n) - tracker->sum.high) / (double)tracker->n;
    tracker->ring[i + ENTROPY_RING] = tracker->ring[i];
    tracker->n_not_finite = 0;
    return GB_OK;
}

struct entropy_line entropy_tracker_line(const struct entropy_tracker *tracker)
{
    const uint64_t n = tracker->n < ENTROPY_RING ? tracker->n : ENTROPY_RING;
    const uint64_t last = (tracker->n - 1) % ENTROPY_RING;
    const double *y = tracker->ring + last + ENTROPY_RING - (n - 1);
    const double m = (double)n;
    double mean = 0.0;
    for (uint64_t i = 0; i < n; i++)
        mean += y[i];
    mean /= m;
    double sxy = 0.0;
    double syy = 0.0;
    for (uint64_t i = 0; i < n; i++) {
        const double difference = y[i] - mean;
        sxy += ((double)i - 0.5 * (m - 1.0)) * difference;
        syy += difference * difference;
    }
    const double slope = sxy / (m * (m * m - 1.0) / 12.0);
    const double r2 = syy / m < DBL_EPSILON ? 1.0 : slope * (sxy / syy);
    return (struct entropy_line){atan(slope) * DEGREES_PER_RADIAN, r2};
}

double entropy_tracker_entropy(const struct entropy_tracker *tracker)
{
    return tracker->n > 0 ? tracker->ring[(tracker->n - 1) % ENTROPY_RING] : (double)NAN;
}

void entropy_tracker_free(struct entropy_tracker *tracker)
{
    value_counts_free(&tracker->counts);
}
