/* view_telemetry.c - what is derived from a device's telemetry around the samples. */
#include "core/view/view_cases.h"

#include <math.h>

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

/* The clock of a device whose power is known goes by that; others' go by settings of the system,
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

static const struct telemetry_column columns[TELEMETRY_COLUMNS] = {
    {"clock rate", "clock_end_hz"},    {"temperature", "temperature_celsius"},
    {"power", "power_watts"},          {"energy", "energy_joules"},
    {"mean clock", "clock_mean_hz"},   {"power before", "power_before_watts"},
    {"efficiency", "flops_per_joule"},
};

const struct telemetry_column *telemetry_column(size_t i)
{
    return &columns[i];
}

void telemetry_cell(const struct view_row *rows, size_t n, size_t i, struct arena *arena,
                    struct text *out)
{
    struct view_column column;
    struct cell cell = {0};
    double *values = ARENA_ARRAY(arena, double, n);
    if (!result_column_named(columns[i].name, &column))
        return;
    for (size_t j = 0; j < n; j++) {
        cell = cell_of(&rows[j], &column);
        values[j] = cell.kind == CELL_REAL ? cell.real : NAN;
    }
    cell.real = median_of_known(values, n);
    cell.kind = isnan(cell.real) ? CELL_NULL : CELL_REAL;
    cell_readable(&cell, out);
}
