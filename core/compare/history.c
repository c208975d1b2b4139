/* history.c - see history.h. */
#include "core/compare/history.h"

#include "core/base/statistics.h"
#include "core/compare/change_points.h"
#include "core/compare/compare_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- runs in order ---- */

struct ordered_side {
    const struct compare_side *side;
    const char *key; /* of `by`; "" where it is time */
};

static int compare_ordered(const void *a, const void *b)
{
    const struct ordered_side *x = a, *y = b;
    int order = strverscmp(x->key, y->key);
    if (order == 0)
        order = strcmp(x->side->run->record.started, y->side->run->record.started);
    return order ? order : (x->side > y->side) - (x->side < y->side);
}

static struct ordered_side *order_sides(struct compare *compare, const char *by, size_t *ret_n)
{
    struct ordered_side *all = ARENA_ARRAY(&compare->arena, struct ordered_side, compare->n_sides);
    size_t n = 0;
    for (size_t i = 0; i < compare->n_sides; i++) {
        const struct run_record *run = &compare->sides[i].run->record;
        const char *key = by ? fact_of(run->facts, run->n_facts, by) : "";
        if (!by || *key)
            all[n++] = (struct ordered_side){&compare->sides[i], key};
    }
    qsort(all, n, sizeof *all, compare_ordered);
    *ret_n = n;
    return all;
}

/* ---- cases of all runs ---- */

struct keyed_case {
    uint64_t key;
    size_t place; /* in the order of runs, and of cases in them */
    struct history_point point;
};

static uint64_t key_of(const struct compare_case *c)
{
    const struct outcome *first = c->first;
    uint64_t hash = hash_text(hash_text(HASH_START, first->uid), c->label);
    hash = hash_text(hash_text(hash, first->policy), first->device_name);
    return hash_number(hash, (uint64_t)first->device_index);
}

static int compare_keyed(const void *a, const void *b)
{
    const struct keyed_case *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

static int compare_places(const void *a, const void *b)
{
    const struct history_case *x = a, *y = b;
    return (x->place > y->place) - (x->place < y->place);
}

/* The values of its rounds, as far as they have one. */
static struct history_run values_of(struct compare *compare, const struct compare_case *c)
{
    double *values = ARENA_ARRAY(&compare->arena, double, c->n_rounds + 1);
    struct history_run run = {.values = values, .interval_ratio = NAN};
    for (size_t i = 0; i < c->n_rounds; i++) {
        const struct outcome *round = c->rounds[i];
        if (round->status != CASE_OK || !isfinite(round->value) || !(round->value > 0))
            continue;
        values[run.n++] = round->value;
        run.step_ratio = round->step_ns / round->value;
        run.interval_ratio = 0.5 * (round->high_ns - round->low_ns) / round->value;
    }
    return run;
}

/* The geometric mean of its rounds, Student's t over them; of one round its own interval. */
static void set_estimate(const struct history_run *run, double confidence,
                         struct history_point *point)
{
    double sum = 0, squares = 0, n = (double)run->n;
    point->n_rounds = run->n;
    point->value = point->low = point->high = NAN;
    if (run->n == 0)
        return;
    for (size_t i = 0; i < run->n; i++)
        sum += log(run->values[i]);
    for (size_t i = 0; i < run->n; i++)
        squares += (log(run->values[i]) - sum / n) * (log(run->values[i]) - sum / n);
    double half = run->n > 1 ? student_t_quantile(confidence, n - 1) * sqrt(squares / (n - 1) / n)
                             : run->interval_ratio;
    point->value = exp(sum / n);
    point->low = point->value * exp(-half);
    point->high = point->value * exp(half);
}

/* Cases that are the same in all runs, each a group of neighbours. */
static struct keyed_case *collect(const struct ordered_side *sides, size_t n_sides, size_t *ret_n)
{
    struct keyed_case *all = NULL;
    size_t n = 0;
    for (size_t i = 0; i < n_sides; i++)
        for (size_t j = 0; j < sides[i].side->n; j++) {
            struct keyed_case keyed = {
                .place = n, .point = {.side = sides[i].side, .c = &sides[i].side->cases[j]}};
            keyed.key = key_of(keyed.point.c);
            MEMORY_APPEND(all, n, keyed);
        }
    if (n)
        qsort(all, n, sizeof *all, compare_keyed);
    *ret_n = n;
    return all;
}

/* ---- change points ---- */

/* The runs of a case that have values, and which of its points they are. */
struct measured {
    struct history_run *runs;
    size_t *points;
    size_t n;
};

static struct measured measure_case(struct compare *compare, struct history_case *c)
{
    struct measured measured = {ARENA_ARRAY(&compare->arena, struct history_run, c->n + 1),
                                ARENA_ARRAY(&compare->arena, size_t, c->n + 1), 0};
    for (size_t i = 0; i < c->n; i++) {
        struct history_run run = values_of(compare, c->points[i].c);
        set_estimate(&run, compare->options.confidence, &c->points[i]);
        if (run.n == 0)
            continue;
        measured.runs[measured.n] = run;
        measured.points[measured.n++] = i;
    }
    return measured;
}

static void mark_changes(struct compare *compare, struct history_case *c,
                         const struct measured *measured)
{
    struct change_point *found = NULL;
    size_t n = change_points_find(measured->runs, measured->n, compare->options.margin,
                                  compare->options.confidence, &found);
    bool turns = compare->result.metric.is_better_if_higher;
    for (size_t i = 0; i < n; i++) {
        struct comparison *result = ARENA_NEW(&compare->arena, struct comparison);
        *result = found[i].result;
        if (turns)
            result->verdict = result->verdict == COMPARED_SLOWER ? COMPARED_FASTER
                                                                 : COMPARED_SLOWER;
        c->points[measured->points[found[i].at]].change = result;
    }
    c->n_changes = n;
    for (size_t i = 1; i < c->n; i++)
        c->points[i].segment = c->points[i - 1].segment + (c->points[i].change != NULL);
    free(found);
}

/* Only cases of which something is certain among all of them are split at all. */
static void find_changes(struct compare *compare, struct history *history)
{
    CLEANUP(free_pointer) double *p = memory_allocate((history->n + 1) * sizeof *p);
    CLEANUP(free_pointer) size_t *of = memory_allocate((history->n + 1) * sizeof *of);
    struct measured *all = ARENA_ARRAY(&compare->arena, struct measured, history->n + 1);
    size_t n = 0;
    for (size_t i = 0; i < history->n; i++) {
        all[i] = measure_case(compare, &history->cases[i]);
        double least = change_points_p(all[i].runs, all[i].n, compare->options.confidence);
        if (isnan(least))
            continue;
        of[n] = i;
        p[n++] = least;
    }
    adjust_p_values(p, n);
    for (size_t i = 0; i < n; i++)
        if (p[i] <= 1 - compare->options.confidence) {
            mark_changes(compare, &history->cases[of[i]], &all[of[i]]);
            history->n_changes += history->cases[of[i]].n_changes;
        }
}

static void make_cases(struct compare *compare, const struct keyed_case *all, size_t n,
                       struct history *history)
{
    for (size_t i = 0, next; i < n; i = next) {
        struct history_case made = {.label = all[i].point.c->label, .place = all[i].place};
        for (next = i; next < n && all[next].key == all[i].key; next++)
            ARENA_APPEND(&compare->arena, made.points, made.n, all[next].point);
        ARENA_APPEND(&compare->arena, history->cases, history->n, made);
    }
    if (history->n)
        qsort(history->cases, history->n, sizeof *history->cases, compare_places);
}

int32_t compare_history(struct compare *compare, const char *by, struct history *ret,
                        struct gb_error *error)
{
    size_t n_sides, n;
    const struct ordered_side *sides = order_sides(compare, by, &n_sides);
    *ret = (struct history){.by = by,
                            .metric = compare->result.metric,
                            .n_runs = n_sides,
                            .n_left_out = compare->n_sides - n_sides};
    if (n_sides == 0)
        return error_set(error, GB_NOT_FOUND, "--by %s: no run has such a fact or label",
                         by ? by : "time");
    compare_set_defaults(&compare->options);
    struct keyed_case *all = collect(sides, n_sides, &n);
    make_cases(compare, all, n, ret);
    free(all);
    find_changes(compare, ret);
    return GB_OK;
}
