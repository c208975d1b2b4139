/* view_derived.c - what follows from the record of a case: the comparison and the kernel that
 * represent it, ratios, and what its device's telemetry around the samples says. */
#include "core/view/view_cases.h"

#include <math.h>

const char *case_label(const struct stored_case *c, struct arena *arena)
{
    CLEANUP(text_free) struct text label = {0};
    const struct bench_case named = {
        .bench = c->bench, .parameters = c->parameters, .n_parameters = c->n_parameters};
    bench_case_label(&named, &label);
    return arena_text(arena, text_get(&label));
}

double relative_iqr(const struct stored_case *c)
{
    return (c->summary.q3 - c->summary.q1) / c->summary.median;
}

double roof_ratio(const struct view_row *row)
{
    return row->roofline.model_ns / central_ns(&row->c);
}

void extent_text(const uint32_t extent[3], struct text *out)
{
    text_printf(out, "%u", extent[0]);
    for (int i = 1; i < 3 && (extent[1] > 1 || extent[2] > 1); i++)
        if (i == 1 || extent[2] > 1)
            text_printf(out, "x%u", extent[i]);
}

/* ---- telemetry ---- */

/* Counters of energy move a few times in a second: over less time their difference says little. */
static const double least_ns = 1e9;

const struct gb_telemetry *telemetry_at(const struct stored_case *c, int moment)
{
    static const struct gb_telemetry unknown = {.clock_hz = NAN,
                                                .memory_clock_hz = NAN,
                                                .temperature_celsius = NAN,
                                                .power_watts = NAN,
                                                .energy_joules = NAN};
    return c->record.telemetry[moment].is_known ? &c->record.telemetry[moment].values : &unknown;
}

/* NaN: not known, or not over enough time. */
static double energy_between(const struct stored_case *c)
{
    double energy = telemetry_at(c, TELEMETRY_END)->energy_joules -
                    telemetry_at(c, TELEMETRY_BEGIN)->energy_joules;
    /* Samples of a settled device begin and end as the counter moves. */
    bool is_whole = text_equal(c->pace, pace_word(PACE_SUSTAINED)) && c->record.status == CASE_OK;
    bool is_long = c->record.telemetry[TELEMETRY_END].elapsed_ns >= least_ns;
    return (is_whole || is_long) && energy > 0 ? energy : NAN;
}

double mean_power_watts(const struct stored_case *c)
{
    double energy = energy_between(c);
    return isnan(energy) ? telemetry_at(c, TELEMETRY_END)->power_watts
                         : energy / (c->record.telemetry[TELEMETRY_END].elapsed_ns * 1e-9);
}

double iteration_energy_joules(const struct stored_case *c)
{
    uint64_t iterations = c->record.telemetry[TELEMETRY_END].iterations;
    /* Between cold samples the device flushes its caches, which is no part of an iteration. */
    if (!text_equal(c->cache, cache_word(GB_CACHE_WARM)) || c->record.pace.gap_ns > 0 ||
        iterations == 0)
        return NAN;
    return energy_between(c) / (double)iterations;
}

const char *throttle_words(const struct stored_case *c)
{
    const struct telemetry_record *telemetry = c->record.telemetry;
    if (!telemetry[TELEMETRY_BEGIN].is_known && !telemetry[TELEMETRY_END].is_known)
        return NULL;
    const char *end = telemetry_at(c, TELEMETRY_END)->throttle_text;
    return *end ? end : telemetry_at(c, TELEMETRY_BEGIN)->throttle_text;
}
