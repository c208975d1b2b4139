/* view_derived.c - what follows from the record of a case: the comparison and the kernel that
 * represent it, ratios, and what its device's telemetry around the samples says. */
#include "core/view/view_cases.h"

#include <math.h>
#include <string.h>

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

/* ---- the comparison ---- */

/* What was wrong beside the metric: "FAIL not finite", "FAIL vacuous"; the rest is a note. */
static const char *fault_words(const char *text, struct arena *arena)
{
    static const char before_place[] = " at [";
    const char *place = strstr(text, before_place);
    size_t n = strcspn(text, ":");
    if (place && (size_t)(place - text) < n)
        n = (size_t)(place - text);
    return arena_printf(arena, "FAIL %.*s", (int)n, text);
}

const char *check_words(const struct stored_case *c, struct arena *arena)
{
    const struct check_record *check = record_main_check(&c->record);
    if (!check)
        return "unchecked";
    if (check->passed && !*check->metric) /* the benchmark's own */
        return arena_printf(arena, "ok %s", check->name);
    if (check->passed)
        return arena_printf(arena, "ok %s %.3g", check->metric, check->value);
    if (check->value > check->tolerance)
        return arena_printf(arena, "FAIL %s %.3g > %.3g", check->metric, check->value,
                            check->tolerance);
    return fault_words(check->text, arena);
}

/* ---- the kernel ---- */

static double product(const uint32_t extent[3])
{
    return (double)extent[0] * extent[1] * extent[2];
}

/* Does a represent the case better? A time that is not known is no reason. */
static bool is_before(const struct gb_activity *a, const struct gb_activity *b)
{
    if (!isnan(a->time_ns) || !isnan(b->time_ns))
        return isnan(b->time_ns) || a->time_ns > b->time_ns;
    return activity_blocks(a) * product(a->block) > activity_blocks(b) * product(b->block);
}

const struct gb_activity *main_kernel(const struct stored_case *c)
{
    const struct gb_activity *found = NULL;
    for (size_t i = 0; i < c->record.n_activities; i++) {
        const struct gb_activity *activity = &c->record.activities[i];
        if (activity->kind == GB_ACTIVITY_KERNEL && (!found || is_before(activity, found)))
            found = activity;
    }
    return found;
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

/* The clock of a device whose power is known depends on that; others' on settings of the system,
 * which doctor shows. */
bool is_of_no_pace(const struct stored_case *c)
{
    const double moved_ratio = 0.98;
    const struct pace_record *pace = &c->record.pace;
    bool has_moved = pace->clock_low_hz < moved_ratio * pace->clock_high_hz &&
                     !isnan(telemetry_at(c, TELEMETRY_END)->power_watts);
    return text_equal(c->pace, pace_word(PACE_FREE)) && (c->n_throttled > 0 || has_moved);
}

const char *throttle_words(const struct stored_case *c)
{
    const struct telemetry_record *telemetry = c->record.telemetry;
    if (!telemetry[TELEMETRY_BEGIN].is_known && !telemetry[TELEMETRY_END].is_known)
        return NULL;
    const char *end = telemetry_at(c, TELEMETRY_END)->throttle_text;
    return *end ? end : telemetry_at(c, TELEMETRY_BEGIN)->throttle_text;
}
