/* visits.c - see visits.h. */
#include "core/store/visits.h"

#include "core/base/host_clock.h"
#include "core/base/memory.h"
#include "core/base/statistics.h"
#include "core/store/sentinel.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double usual_confidence = 0.95;

double record_fixed_ns(const struct case_record *record)
{
    return ((record->is_dithered ? 0 : record->tick_ns) + record->offset_error_ns) /
           (double)(record->iterations ? record->iterations : 1);
}

static struct rounds_interval interval_of(const struct case_record *const *records,
                                          const double *medians, size_t n, double *ret_confidence)
{
    CLEANUP(free_pointer) struct round *rounds = memory_allocate((n + 1) * sizeof *rounds);
    double confidence = 0;
    for (size_t i = 0; i < n; i++) {
        const struct case_record *record = records[i];
        const double value_ns = record->has_estimate ? record->estimate.value_ns : NAN;
        rounds[i] = (struct round){.median = isfinite(value_ns) ? value_ns : medians[i],
                                   .low = record->has_estimate ? record->estimate.low_ns : NAN,
                                   .high = record->has_estimate ? record->estimate.high_ns : NAN,
                                   .fixed = record_fixed_ns(record),
                                   .samples = (double)record->estimate.n,
                                   .begun_ns = utc_ns(record->started),
                                   .process = record->pid};
        if (record->has_estimate && record->estimate.confidence < 1)
            confidence = fmax(confidence, record->estimate.confidence);
    }
    *ret_confidence = confidence > 0 ? confidence : usual_confidence;
    return rounds_combine(rounds, n, *ret_confidence);
}

/* From the best on. */
static int32_t verdict_rank(int32_t verdict)
{
    return verdict == GB_VERDICT_CERTIFIED_IN_VISIT ? GB_VERDICT_CERTIFIED : verdict;
}

static void add_estimate(struct gb_estimate *estimate, const struct gb_estimate *more)
{
    const int32_t rank = verdict_rank(more->verdict);
    memcpy(estimate->statistic, more->statistic, sizeof estimate->statistic);
    if (rank >= estimate->verdict && !*estimate->note)
        memcpy(estimate->note, more->note, sizeof estimate->note);
    estimate->verdict = rank > estimate->verdict ? rank : estimate->verdict;
    estimate->precision = fmax(estimate->precision, more->precision);
    estimate->n += more->n;
    estimate->n_discarded += more->n_discarded;
    estimate->n_effective += more->n_effective;
    if (more->n_modes > 1 && estimate->n_modes < 2) {
        estimate->n_modes = more->n_modes;
        memcpy(estimate->modes, more->modes, sizeof estimate->modes);
    }
}

struct rounds_interval visits_combine(const struct case_record *const *records,
                                      const double *medians, size_t n,
                                      struct gb_estimate *ret_estimate)
{
    CLEANUP(free_pointer) double *weights = memory_allocate((n + 1) * sizeof *weights);
    CLEANUP(text_free) struct text note = {0};
    double confidence;
    struct rounds_interval interval = interval_of(records, medians, n, &confidence);
    struct gb_estimate estimate = {.size = sizeof estimate,
                                   .value_ns = interval.centre,
                                   .confidence = confidence,
                                   .statistic = "median"};
    for (size_t i = 0; i < n; i++) {
        const struct case_record *record = records[i];
        weights[i] = record->has_estimate ? record->estimate.detectable_mode_weight : NAN;
        if (record->has_estimate)
            add_estimate(&estimate, &record->estimate);
    }
    estimate.detectable_mode_weight = median_of_known(weights, n);
    estimate.verdict = verdict_of_case(estimate.verdict, &interval, estimate.precision, &note);
    rounds_hold_next(&interval);
    estimate.low_ns = interval.low;
    estimate.high_ns = interval.high;
    if (note.length > 0)
        snprintf(estimate.note, sizeof estimate.note, "%s", text_get(&note));
    *ret_estimate = estimate;
    return interval;
}

/* ln. Of few readings their range: each may be all that is known of a state of the machine. Of more
 * a step or a drift: a single one is off while a neighbour computes. */
static double machine_change(const struct case_record *const *records, size_t n)
{
    enum { FEW = 6 };
    CLEANUP(free_pointer)
    struct sentinel_reading *readings = memory_allocate((n * SENTINEL_MOMENTS + 1) *
                                                        sizeof *readings);
    struct sentinel_change change = {0};
    double least = INFINITY, most = -INFINITY;
    size_t n_readings = 0;
    for (size_t i = 0; i < n * SENTINEL_MOMENTS; i++) {
        const struct case_record *record = records[i / SENTINEL_MOMENTS];
        const struct sentinel_record *reading = &record->sentinel[i % SENTINEL_MOMENTS];
        if (!*reading->at || !(reading->time_ns > 0) ||
            record->device_id != records[0]->device_id ||
            (n_readings > 0 && reading->version != readings->version))
            continue;
        readings[n_readings++] = (struct sentinel_reading){record->device_id, reading->version,
                                                           reading->time_ns, reading->at};
        least = fmin(least, log(reading->time_ns));
        most = fmax(most, log(reading->time_ns));
    }
    if (n_readings < FEW)
        return n_readings > 0 ? most - least : 0;
    return sentinel_find_change(readings, n_readings, &change) ? fabs(change.size) : 0;
}

void visits_widen(const struct case_record *const *records, size_t n, struct gb_estimate *estimate)
{
    const double change = machine_change(records, n);
    if (!(change >= SENTINEL_LEAST))
        return;
    estimate->low_ns = fmin(estimate->low_ns, estimate->value_ns * exp(-change));
    estimate->high_ns = fmax(estimate->high_ns, estimate->value_ns * exp(change));
    const double half_ns = 0.5 * (estimate->high_ns - estimate->low_ns);
    if (verdict_of_visit(estimate->verdict) != GB_VERDICT_CERTIFIED_IN_VISIT ||
        !(half_ns > estimate->precision * estimate->value_ns))
        return;
    estimate->verdict = GB_VERDICT_UNCONVERGED;
    snprintf(estimate->note, sizeof estimate->note,
             "the machine changed by %.2g %% meanwhile, according to its reference work",
             100 * change);
}
