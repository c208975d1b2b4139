/*
 * entropy.c - the policy `entropy`: NVBench's second rule, for comparison with it. Plugin side.
 *
 * Written from its definition. Of the n times so far, where the distinct value v came up c_v times:
 *   H_n = log2 n - 1/n sum over v of c_v log2 c_v       the entropy, in bits
 * The last (at most) 299 entropies y_0 ... y_(m-1) are fitted by a line over x = 0 ... m - 1, least
 * squares; the rule holds at an even n if
 *   atan(slope) in degrees <= max_angle (signed: a falling entropy is as good as a level one), and
 *   R2 >= min_r2; R2 = 1 if the variance of y, with the divisor m, is below 2^-52.
 * Two values to fit are there at every even n.
 *
 * All is float64. So that it is defined to the last bit what a limit is compared with:
 * - f(c) = c log2(c), rounded; f(1) = 0; the sum of f(c_v) is rounded once: its terms are multiples
 * of 2^-51, of which an exact_sum holds every sum below 2^54;
 * - H_n = (f(n) - sum) / n: exactly 0 while all times are equal, however many there are;
 * - mean = (sum of y_i, from the oldest on) / m; d_i = y_i - mean; x_i = i - (m - 1) / 2;
 *   Sxy = sum of x_i d_i, Syy = sum of d_i d_i, from the oldest on; Sxx = m (m m - 1) / 12;
 *   slope = Sxy / Sxx; R2 = Sxy / Sxx * (Sxy / Syy); angle = atan(slope) * (180 / pi).
 *
 * The line is fitted anew each time. Running sums would have to be of squares near 100 and tell a
 * variance of 2^-52, which they cannot; and the two passes over 299 values take half a microsecond
 * for every second sample, no more than counting two new values does.
 */
#include "../common/policy/exact_sum.h"
#include "../common/policy/median_estimate.h"

#include <float.h>
#include <gbrun/gbrun.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * --- how often each value came up, exactly ---
 *
 * A hash table of the values themselves: adding one takes constant time on average and, when the
 * table is three quarters full, a move into one of twice the size. It takes 16 bytes for each slot.
 */

struct value_slot {
    uint64_t bits;  /* the value's representation */
    uint64_t count; /* 0: the slot is free */
};

/* Zero-initialize; the slots are its user's to free. */
struct value_counts {
    struct value_slot *slots;
    uint64_t n_slots; /* 0 or a power of two */
    uint64_t n_values;
    unsigned shift; /* a hash of 64 bits to a slot */
};

enum { SLOTS_FIRST_LOG2 = 10 };

/* The free slot or the value's own. Times of a timer with a step differ in a few bits in the
 * middle, which the fold moves down and the product (by 2^64 over the golden ratio) spreads up. */
static struct value_slot *slot_of(const struct value_counts *counts, uint64_t bits)
{
    const uint64_t hash = (bits ^ bits >> 32) * UINT64_C(0x9e3779b97f4a7c15);
    uint64_t i = hash >> counts->shift;
    while (counts->slots[i].count > 0 && counts->slots[i].bits != bits)
        i = (i + 1) & (counts->n_slots - 1);
    return &counts->slots[i];
}

static int32_t grow(struct value_counts *counts)
{
    const uint64_t n_slots = counts->n_slots > 0 ? 2 * counts->n_slots
                                                 : UINT64_C(1) << SLOTS_FIRST_LOG2;
    struct value_counts grown = {.n_slots = n_slots,
                                 .n_values = counts->n_values,
                                 .shift = counts->n_slots > 0 ? counts->shift - 1
                                                              : 64 - SLOTS_FIRST_LOG2};
    grown.slots = calloc(n_slots, sizeof *grown.slots);
    if (grown.slots == NULL)
        return GB_NO_MEMORY;
    for (uint64_t i = 0; i < counts->n_slots; i++)
        if (counts->slots[i].count > 0)
            *slot_of(&grown, counts->slots[i].bits) = counts->slots[i];
    free(counts->slots);
    *counts = grown;
    return GB_OK;
}

/* Counts a value that is not a NaN; -0 is 0. *ret_count: how often it came up by now. GB_NO_MEMORY
 * leaves the counts as they were. */
static int32_t value_counts_add(struct value_counts *counts, double value, uint64_t *ret_count)
{
    if (counts->n_values >= counts->n_slots / 4 * 3) {
        const int32_t status = grow(counts);
        if (status != GB_OK)
            return status;
    }
    uint64_t bits = 0;
    value += 0.0; /* -0 is 0 */
    memcpy(&bits, &value, sizeof bits);
    struct value_slot *slot = slot_of(counts, bits);
    slot->bits = bits;
    counts->n_values += slot->count == 0;
    *ret_count = ++slot->count;
    return GB_OK;
}

/* --- the rule, sample by sample --- */

enum { ENTROPY_RING = 299 };

/* Zero-initialize. */
struct entropy_tracker {
    uint64_t n;            /* finite times */
    uint64_t n_not_finite; /* times in a row that were not, which are otherwise left out */
    struct value_counts counts;
    struct exact_sum sum; /* of f(c) */
    /* The last entropies, twice, so that they are contiguous: H_n is at (n - 1) % 299 and 299
     * behind it. */
    double ring[2 * ENTROPY_RING];
};

/* The line through the last entropies. */
struct entropy_line {
    double angle_degrees, r2;
};

static const double DEGREES_PER_RADIAN = 57.295779513082320876798154814105;

static double count_log2(uint64_t count)
{
    return (double)count * log2((double)count);
}

/* GB_NO_MEMORY leaves the tracker as it was. */
static int32_t entropy_tracker_add(struct entropy_tracker *tracker, double time_ns)
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

/* Needs n >= 2. */
static struct entropy_line entropy_tracker_line(const struct entropy_tracker *tracker)
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

/* --- the policy --- */

struct params {
    double max_angle;
    double min_r2;
};

struct entropy {
    const struct gb_host *host;
    const struct params *params;
    struct entropy_tracker tracker;
    struct sample_array samples;
};

enum { NOT_FINITE_LIMIT = 64 }; /* times in a row that end it */

static const struct gb_option options[] = {
    GB_FLOAT(struct params, max_angle, "0.048", "-90:90", "degrees",
             "slope of the last 299 entropies, in bits per sample, at which to stop"),
    GB_FLOAT(struct params, min_r2, "0.36", "0:1", NULL,
             "share of their variance that the line through them must explain"),
};

POLICY_CREATE(struct entropy);

static int32_t observe(void *object, const struct gb_samples *samples)
{
    struct entropy *policy = object;
    int32_t status = sample_array_add(&policy->samples, samples);
    for (uint64_t i = 0; status == GB_OK && i < samples->n; i++)
        status = entropy_tracker_add(&policy->tracker, samples->time_ns[i]);
    return status;
}

static int has_given_up(const struct entropy *policy)
{
    return policy->tracker.n_not_finite >= NOT_FINITE_LIMIT;
}

/* Judges the last sample alone: where the host has to go on to min_samples the rule must hold
 * there, as in NVBench, not at some sample before. */
static int32_t next(void *object, struct gb_next *next)
{
    const struct entropy *policy = object;
    const uint64_t n = policy->tracker.n;
    if (has_given_up(policy)) {
        next->decision = GB_GAVE_UP;
        snprintf(next->reason, sizeof next->reason, "no finite time in %d samples in a row",
                 NOT_FINITE_LIMIT);
        return GB_OK;
    }
    next->decision = GB_MORE;
    next->n_samples = sample_array_seen(&policy->samples) + (n % 2 == 0 ? 2 : 1);
    if (policy->tracker.n_not_finite > 0)
        next->n_samples = sample_array_seen(&policy->samples) + 1;
    else if (n >= 2 && n % 2 == 0) {
        const struct entropy_line line = entropy_tracker_line(&policy->tracker);
        if (line.angle_degrees <= policy->params->max_angle && line.r2 >= policy->params->min_r2) {
            next->decision = GB_DONE;
            snprintf(next->reason, sizeof next->reason, "entropy level: %.3g degrees, R2 %.2f",
                     line.angle_degrees, line.r2);
        }
    }
    return GB_OK;
}

static int32_t report(void *object, struct gb_estimate *estimate)
{
    struct entropy *policy = object;
    const int32_t status = median_report(
        &policy->samples, has_given_up(policy) ? GB_VERDICT_GAVE_UP : GB_VERDICT_NONE, estimate);
    if (status == GB_OK && policy->tracker.n > 0)
        policy->host->metric(policy->host, "entropy",
                             policy->tracker.ring[(policy->tracker.n - 1) % ENTROPY_RING], "bits");
    return status;
}

static void destroy(void *object)
{
    struct entropy *policy = object;
    if (policy == NULL)
        return;
    free(policy->tracker.counts.slots);
    sample_array_free(&policy->samples);
}

static const struct gb_policy_ops ops = POLICY_OPS(0, next);

static const struct gb_plugin plugin = {
    GB_PLUGIN(POLICY, "entropy", "1.0",
              "NVBench's second rule: until new samples bring hardly any new values"),
    .help =
        "Stops at the sample where NVBench's `entropy` would: where the entropy of the times has "
        "levelled off, by the slope of its last 299 values, checked after every second sample. It "
        "guarantees nothing about the precision of the result: where all times differ it takes "
        "1874 samples whatever the noise, and where they are equal the fewest possible.\n\n"
        "The median is reported with the 95 % interval that its order statistics give, "
        "autocorrelation taken into account.",
    GB_OPTIONS(options, struct params),
    .ops = &ops,
};

GB_MODULE(&plugin)
