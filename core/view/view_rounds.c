/* view_rounds.c - the rounds of a case as one. */
#include "core/base/rounds.h"
#include "core/store/sentinel.h"
#include "core/view/hash_index.h"
#include "core/view/view_cases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ordered_entry {
    struct view_entry entry;
    size_t group; /* index of the first entry of the case */
};

static int compare_ordered(const void *a, const void *b)
{
    const struct ordered_entry *x = a, *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    const uint32_t a_round = x->entry.row->c.record.round;
    const uint32_t b_round = y->entry.row->c.record.round;
    return (a_round > b_round) - (a_round < b_round);
}

/* The index of the first entry with the same place. */
static size_t first_of_place(const struct view_entry *entries, size_t i, struct hash_index *index,
                             struct arena *arena)
{
    size_t at = 0, first = hash_index_next(index, entries[i].place, &at);
    if (first != HASH_NONE)
        return first;
    hash_index_add(index, entries[i].place, i, arena);
    return i;
}

struct group *group_rounds(struct view *view, bool combine, size_t *ret_n)
{
    CLEANUP(arena_free) struct arena scratch = {0};
    size_t n = view->n_entries, n_groups = 0;
    struct hash_index index = {0};
    struct ordered_entry *ordered = ARENA_ARRAY(&scratch, struct ordered_entry, n);
    struct group *groups = ARENA_ARRAY(&view->arena, struct group, n);
    for (size_t i = 0; i < n; i++) {
        size_t first = combine ? first_of_place(view->entries, i, &index, &scratch) : i;
        ordered[i] = (struct ordered_entry){view->entries[i], first};
    }
    qsort(ordered, n, sizeof *ordered, compare_ordered);
    for (size_t i = 0; i < n; i++) {
        view->entries[i] = ordered[i].entry;
        if (i && ordered[i].group == ordered[i - 1].group)
            groups[n_groups - 1].n++;
        else
            groups[n_groups++] = (struct group){i, 1};
    }
    *ret_n = n_groups;
    return groups;
}

double median_of_known(double *values, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (!isnan(values[i]))
            values[kept++] = values[i];
    sort_values(values, kept);
    return quantile_of_sorted(values, kept, 0.5);
}

/* The rounds that count. */
static const struct view_row **rounds_that_count(const struct view_row *rows, size_t n,
                                                 struct arena *arena, size_t *ret_n)
{
    const struct view_row **kept = ARENA_ARRAY(arena, const struct view_row *, n);
    *ret_n = 0;
    for (size_t i = 0; i < n; i++)
        if (rows[i].c.record.status == CASE_OK)
            kept[(*ret_n)++] = &rows[i];
    for (size_t i = 0; *ret_n == 0 && i < n; i++)
        kept[i] = &rows[i];
    *ret_n = *ret_n ? *ret_n : n;
    return kept;
}

static struct rounds_interval interval_of(const struct view_row *const *rounds, size_t n,
                                          double *ret_confidence, struct arena *arena)
{
    static const double usual_confidence = 0.95;
    double *medians = ARENA_ARRAY(arena, double, n), *lows = ARENA_ARRAY(arena, double, n);
    double *highs = ARENA_ARRAY(arena, double, n), *fixed = ARENA_ARRAY(arena, double, n);
    double confidence = 0;
    for (size_t i = 0; i < n; i++) {
        const struct case_record *record = &rounds[i]->c.record;
        const double value_ns = record->has_estimate ? record->estimate.value_ns : NAN;
        medians[i] = isfinite(value_ns) ? value_ns : rounds[i]->c.summary.median;
        lows[i] = record->has_estimate ? record->estimate.low_ns : NAN;
        highs[i] = record->has_estimate ? record->estimate.high_ns : NAN;
        fixed[i] = ((record->is_dithered ? 0 : record->tick_ns) + record->offset_error_ns) /
                   (double)(record->iterations ? record->iterations : 1);
        if (record->has_estimate && record->estimate.confidence < 1)
            confidence = fmax(confidence, record->estimate.confidence);
    }
    *ret_confidence = confidence > 0 ? confidence : usual_confidence;
    return rounds_combine(medians, lows, highs, fixed, n, *ret_confidence);
}

/* From the best on. */
static int32_t verdict_rank(int32_t verdict)
{
    return verdict == GB_VERDICT_CERTIFIED_IN_VISIT ? GB_VERDICT_CERTIFIED : verdict;
}

static void combine_estimates(const struct view_row *const *rounds, size_t n,
                              const struct rounds_interval *interval, double confidence,
                              struct case_record *ret, struct arena *arena)
{
    double *weights = ARENA_ARRAY(arena, double, n);
    struct gb_estimate *estimate = &ret->estimate;
    *estimate = (struct gb_estimate){.size = sizeof *estimate,
                                     .value_ns = interval->centre,
                                     .low_ns = interval->low,
                                     .high_ns = interval->high,
                                     .confidence = confidence,
                                     .statistic = "median"};
    ret->has_estimate = !isnan(interval->centre);
    for (size_t i = 0; i < n; i++) {
        const struct case_record *record = &rounds[i]->c.record;
        const struct gb_estimate *more = &record->estimate;
        weights[i] = record->has_estimate ? more->detectable_mode_weight : NAN;
        if (!record->has_estimate)
            continue;
        memcpy(estimate->statistic, more->statistic, sizeof estimate->statistic);
        const int32_t rank = verdict_rank(more->verdict);
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
    estimate->detectable_mode_weight = median_of_known(weights, n);
    CLEANUP(text_free) struct text note = {0};
    estimate->verdict = verdict_of_case(estimate->verdict, interval, estimate->precision, &note);
    if (note.length > 0)
        snprintf(estimate->note, sizeof estimate->note, "%s", text_get(&note));
}

static void combine_summaries(const struct view_row *const *rounds, size_t n, struct summary *ret,
                              struct arena *arena)
{
    double *values = ARENA_ARRAY(arena, double, n);
    *ret = (struct summary){.min = NAN, .max = NAN};
    for (size_t i = 0; i < n; i++) {
        const struct summary *summary = &rounds[i]->c.summary;
        ret->n += summary->n;
        ret->min = fmin(ret->min, summary->min);
        ret->max = fmax(ret->max, summary->max);
    }
#define TAKE_MEDIAN(name)                                                                          \
    do {                                                                                           \
        for (size_t i = 0; i < n; i++)                                                             \
            values[i] = rounds[i]->c.summary.name;                                                 \
        ret->name = median_of_known(values, n);                                                    \
    } while (0)
    TAKE_MEDIAN(mean);
    TAKE_MEDIAN(stdev);
    TAKE_MEDIAN(median);
    TAKE_MEDIAN(q1);
    TAKE_MEDIAN(q3);
    TAKE_MEDIAN(p10);
    TAKE_MEDIAN(p90);
    TAKE_MEDIAN(p99);
#undef TAKE_MEDIAN
}

static void combine_metrics(const struct view_row *const *rounds, size_t n, struct case_record *ret,
                            struct arena *arena)
{
    struct metric_record *metrics = ARENA_ARRAY(arena, struct metric_record, ret->n_metrics + 1);
    double *values = ARENA_ARRAY(arena, double, n);
    for (size_t i = 0; i < ret->n_metrics; i++) {
        struct view_column column = {.kind = COLUMN_METRIC, .name = ret->metrics[i].name};
        for (size_t j = 0; j < n; j++) {
            struct cell cell = cell_of_known(rounds[j], &column);
            values[j] = cell.kind == CELL_REAL ? cell.real : NAN;
        }
        metrics[i] = ret->metrics[i];
        metrics[i].value = median_of_known(values, n);
    }
    ret->metrics = metrics;
}

static void combine_counts(const struct view_row *const *rounds, size_t n, struct stored_case *ret)
{
    struct case_record *record = &ret->record;
    record->n_samples = record->n_lost = ret->n_throttled = 0;
    record->wall_ns = 0;
    for (size_t i = 0; i < n; i++) {
        record->n_samples += rounds[i]->c.record.n_samples;
        record->n_lost += rounds[i]->c.record.n_lost;
        record->wall_ns += rounds[i]->c.record.wall_ns;
        ret->n_throttled += rounds[i]->c.n_throttled;
    }
}

static const struct view_row *find_checked(const struct view_row *rows, size_t n)
{
    const struct view_row *checked = rows;
    for (size_t i = 1; i < n; i++)
        if (record_verified(&rows[i].c.record) > record_verified(&checked->c.record))
            checked = &rows[i];
    return checked;
}

/* By how much the machine changed while the case was measured, ln: the range of its device's
 * reference work over all visits. */
static double machine_change(const struct view_row *rows, size_t n)
{
    const struct sentinel_record *first = NULL;
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < n * SENTINEL_MOMENTS; i++) {
        const struct stored_case *c = &rows[i / SENTINEL_MOMENTS].c;
        const struct sentinel_record *reading = &c->record.sentinel[i % SENTINEL_MOMENTS];
        if (!*reading->at || !(reading->time_ns > 0) ||
            c->record.device_id != rows->c.record.device_id)
            continue;
        first = first ? first : reading;
        if (reading->version != first->version)
            continue;
        least = fmin(least, log(reading->time_ns));
        most = fmax(most, log(reading->time_ns));
    }
    return first ? most - least : 0;
}

/* What it was measured at may have been any of these machines. */
static void unite_with_machine(struct gb_estimate *estimate, double change)
{
    if (!(change >= SENTINEL_LEAST))
        return;
    estimate->low_ns = fmin(estimate->low_ns, estimate->value_ns * exp(-change));
    estimate->high_ns = fmax(estimate->high_ns, estimate->value_ns * exp(change));
}

struct shown combine_rounds(const struct view_row *rows, size_t n, struct arena *arena)
{
    struct shown shown = {.n_rounds = n};
    for (size_t i = n; i-- > 0;)
        shown.worst = rows[i].c.record.status != CASE_OK ? &rows[i] : shown.worst;
    shown.row = shown.worst ? *shown.worst : *rows;
    shown.row.check = find_checked(rows, n)->check;
    struct stored_case *c = &shown.row.c;
    if (n > 1) {
        size_t n_kept = 0;
        double confidence = NAN;
        const struct view_row **kept = rounds_that_count(rows, n, arena, &n_kept);
        struct rounds_interval interval = interval_of(kept, n_kept, &confidence, arena);
        combine_estimates(kept, n_kept, &interval, confidence, &c->record, arena);
        combine_summaries(kept, n_kept, &c->summary, arena);
        combine_metrics(kept, n_kept, &c->record, arena);
        combine_counts(kept, n_kept, c);
        c->record.n_series = 0; /* each round has its own */
        shown.row.n_rounds = n_kept;
        shown.row.apart_ratio = interval.variation_ratio;
        shown.differs = interval.differs;
    }
    unite_with_machine(&c->record.estimate, machine_change(rows, n));
    const struct gb_estimate *estimate = &c->record.estimate;
    shown.low_ns = estimate->low_ns;
    shown.high_ns = estimate->high_ns;
    shown.has_interval = c->record.has_estimate && !isnan(shown.low_ns) && !isnan(shown.high_ns);
    shown.central_ns = central_ns(c);
    shown.relative_iqr = relative_iqr(c);
    return shown;
}

void telemetry_cell(const struct view_row *rows, size_t n, size_t i, struct arena *arena,
                    struct text *out)
{
    const struct telemetry_column telemetry = telemetry_column(i);
    struct cell cell = {0};
    double *values = ARENA_ARRAY(arena, double, n);
    for (size_t j = 0; j < n; j++) {
        cell = cell_of_known(&rows[j], &telemetry.column);
        values[j] = cell.kind == CELL_REAL ? cell.real : NAN;
    }
    cell.real = median_of_known(values, n);
    cell.kind = isnan(cell.real) ? CELL_NULL : CELL_REAL;
    cell_readable(&cell, out);
}
