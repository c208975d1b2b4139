/* view_rounds.c - the rounds of a case as one. */
#include "core/base/members.h"
#include "core/store/visits.h"
#include "core/view/hash_index.h"
#include "core/view/view_cases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct ordered_entry {
    struct view_entry entry;
    size_t group; /* index of the first entry of the case */
};

ORDER_BY_NUMBERS(compare_ordered, struct ordered_entry, group, entry.row->c.record.round)

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

static struct rounds_interval combine_estimates(const struct view_row *const *rounds, size_t n,
                                                struct case_record *ret, struct arena *arena)
{
    const struct case_record **records = ARENA_ARRAY(arena, const struct case_record *, n);
    double *medians = ARENA_ARRAY(arena, double, n);
    for (size_t i = 0; i < n; i++) {
        records[i] = &rounds[i]->c.record;
        medians[i] = rounds[i]->c.summary.median;
    }
    const struct rounds_interval interval = visits_combine(records, medians, n, &ret->estimate);
    ret->has_estimate = !isnan(interval.centre);
    return interval;
}

/* Of the first round with the verdict of all; where none has it, what the rounds lack together. */
static const char *combine_reasons(const struct view_row *rows, size_t n,
                                   const struct gb_estimate *all, struct arena *arena)
{
    for (size_t i = 0; i < n; i++)
        if (verdict_of_visit(rows[i].c.record.estimate.verdict) == verdict_of_visit(all->verdict))
            return rows[i].c.record.stop_reason;
    return arena_text(arena, all->note);
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
        const struct view_row **kept = rounds_that_count(rows, n, arena, &n_kept);
        const struct rounds_interval interval = combine_estimates(kept, n_kept, &c->record, arena);
        combine_summaries(kept, n_kept, &c->summary, arena);
        combine_metrics(kept, n_kept, &c->record, arena);
        combine_counts(kept, n_kept, c);
        c->record.n_series = 0; /* each round has its own */
        shown.row.n_rounds = n_kept;
        shown.row.apart_ratio = interval.variation_ratio;
        shown.differs = interval.differs;
    }
    const struct case_record **records = ARENA_ARRAY(arena, const struct case_record *, n);
    for (size_t i = 0; i < n; i++)
        records[i] = &rows[i].c.record;
    visits_widen(records, n, &c->record.estimate);
    const struct gb_estimate *estimate = &c->record.estimate;
    if (c->record.has_estimate && !shown.worst)
        c->record.stop_reason = combine_reasons(rows, n, estimate, arena);
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
