/* history.c - see history.h. */
#include "core/compare/history.h"

#include "core/base/json_writer.h"
#include "core/base/members.h"
#include "core/base/statistics.h"
#include "core/base/table.h"
#include "core/compare/compare_internal.h"
#include "core/compare/compare_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- runs in order ---- */

struct ordered_side {
    const struct compare_side *side;
    const char *key; /* of `by`; "" where it is time */
};

/* Copies of one run lie together, the one with most cases first. */
ORDER_BY(compare_ordered, struct ordered_side, strverscmp(x->key, y->key),
         strcmp(x->side->run->record.started, y->side->run->record.started),
         strcmp(x->side->run->record.uuid, y->side->run->record.uuid),
         ORDER_OF(y->side->n, x->side->n), ORDER_OF(x->side, y->side))

/* The runs in order, each once; those that lack `by` are left out. */
static struct ordered_side *order_sides(struct compare *compare, struct history *history)
{
    const size_t n_all = compare->n_sides;
    struct ordered_side *all = ARENA_ARRAY(&compare->arena, struct ordered_side, n_all);
    size_t n = 0;
    for (size_t i = 0; i < n_all; i++)
        all[i] = (struct ordered_side){
            &compare->sides[i],
            history->by ? FACT(&compare->sides[i].run->record, history->by) : ""};
    qsort(all, n_all, sizeof *all, compare_ordered);
    for (size_t i = 0; i < n_all; i++)
        if (n == 0 || !text_equal(all[n - 1].side->run->record.uuid, all[i].side->run->record.uuid))
            all[n++] = all[i];
    while (history->by && history->n_left_out < n && !*all[history->n_left_out].key)
        history->n_left_out++;
    history->n_runs = n - history->n_left_out;
    return all + history->n_left_out;
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

ORDER_BY_NUMBERS(compare_keyed, struct keyed_case, key, place)

ORDER_BY_NUMBER(compare_places, struct history_case, place)

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
    if (!isfinite(half))
        return;
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
            if (case_is_left_out(keyed.point.c))
                continue;
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
        struct history_run run = case_as_run(compare, c->points[i].c);
        set_estimate(&run, compare->options.confidence, &c->points[i]);
        if (run.n == 0)
            continue;
        measured.runs[measured.n] = run;
        measured.points[measured.n++] = i;
    }
    return measured;
}

/* Those of a case. */
struct found {
    struct change_point *points;
    size_t n;
};

static void mark_changes(struct compare *compare, struct history *history, struct history_case *c,
                         const struct measured *measured, const struct found *found)
{
    bool turns = compare->result.metric.is_better_if_higher;
    for (size_t i = 0; i < found->n; i++) {
        struct change_point *change = ARENA_NEW(&compare->arena, struct change_point);
        *change = found->points[i];
        if (turns)
            change->result.verdict = compared_turned(change->result.verdict);
        c->points[measured->points[change->at]].change = change;
        history->n_changes[change->kind]++;
    }
    for (size_t i = 1; i < c->n; i++) {
        const struct change_point *change = c->points[i].change;
        c->points[i].segment = c->points[i - 1].segment + (change && change->kind == CHANGE_STEP);
    }
}

static size_t last_step(const struct found *found)
{
    size_t at = 0;
    for (size_t i = 0; i < found->n; i++)
        if (found->points[i].kind == CHANGE_STEP)
            at = found->points[i].at;
    return at;
}

/* By the runs before the newest, which may place a step one run off. */
static void find_old(const struct compare *compare, struct history_case *c,
                     const struct measured *measured, const struct found *found)
{
    struct found before;
    if (last_step(found) == 0)
        return;
    before.n = change_points_find(measured->runs, measured->n - 1, c->margin,
                                  compare->options.confidence, &before.points);
    const size_t at = last_step(&before);
    c->n_old = at ? measured->points[at + 1] + 1 : 0;
    free(before.points);
}

static double least_p(const struct found *found)
{
    double least = 1;
    for (size_t i = 0; i < found->n; i++)
        least = fmin(least, found->points[i].result.adjusted_p);
    return least;
}

/* Only cases of which something is certain among all of them have changes at all. */
static void find_changes(struct compare *compare, struct history *history)
{
    CLEANUP(free_pointer) double *p = memory_allocate((history->n + 1) * sizeof *p);
    struct measured *all = ARENA_ARRAY(&compare->arena, struct measured, history->n + 1);
    struct found *found = ARENA_ARRAY(&compare->arena, struct found, history->n + 1);
    for (size_t i = 0; i < history->n; i++) {
        all[i] = measure_case(compare, &history->cases[i]);
        found[i].n = change_points_find(all[i].runs, all[i].n, history->cases[i].margin,
                                        compare->options.confidence, &found[i].points);
        p[i] = least_p(&found[i]);
    }
    adjust_p_values(p, history->n);
    for (size_t i = 0; i < history->n; i++) {
        if (p[i] <= 1 - compare->options.confidence) {
            mark_changes(compare, history, &history->cases[i], &all[i], &found[i]);
            find_old(compare, &history->cases[i], &all[i], &found[i]);
        }
        free(found[i].points);
    }
}

static void make_cases(struct compare *compare, const struct keyed_case *all, size_t n,
                       struct history *history)
{
    for (size_t i = 0, next; i < n; i = next) {
        struct history_case made = {.label = all[i].point.c->label, .place = all[i].place};
        for (next = i; next < n && all[next].key == all[i].key; next++)
            ARENA_APPEND(&compare->arena, made.points, made.n, all[next].point);
        made.margin = case_margin(compare, made.points[made.n - 1].c);
        made.margin = made.margin > 0 ? made.margin : compare->options.margin;
        ARENA_APPEND(&compare->arena, history->cases, history->n, made);
    }
    if (history->n)
        qsort(history->cases, history->n, sizeof *history->cases, compare_places);
}

int32_t compare_history(struct compare *compare, const char *by, struct history *ret,
                        struct gb_error *error)
{
    size_t n;
    *ret = (struct history){.by = by, .metric = compare->result.metric};
    const struct ordered_side *sides = order_sides(compare, ret);
    if (ret->n_runs == 0)
        return error_set(error, GB_NOT_FOUND, "--by %s: no run has such a fact or label",
                         by ? by : "time");
    ret->newest = sides[ret->n_runs - 1].side;
    compare_set_defaults(&compare->options);
    struct keyed_case *all = collect(sides, ret->n_runs, &n);
    make_cases(compare, all, n, ret);
    free(all);
    find_changes(compare, ret);
    return GB_OK;
}

/* ---- as tables and JSON ---- */

/* What tells runs apart beside their times: the label, or the commit if it is known. */
static const char *mark_of(const struct history *history, const struct history_point *point)
{
    const struct run_record *run = &point->side->run->record;
    if (history->by)
        return FACT(run, history->by);
    const char *label = FACT(run, "label.commit");
    return *label ? label : FACT(run, "commit");
}

static const char *mark_name(const struct history *history)
{
    return history->by ? history->by : "commit";
}

static bool is_shown(const struct history_point *point, bool are_changes)
{
    return point->change || !are_changes;
}

/* Why there is no value. */
static const char *status_of(const struct history_point *point)
{
    const struct outcome *first = point->c->first;
    for (size_t i = 0; i < point->c->n_rounds; i++)
        if (case_status_is_bad(point->c->rounds[i]->status))
            return case_status_word(point->c->rounds[i]->status);
    return point->n_rounds ? "" : case_status_word(first->status);
}

/* ---- tables ---- */

/* As a program reads it. */
static const char *kind_word(enum change_kind kind)
{
    static const char *const words[CHANGE_KINDS] = {"step", "unconfirmed", "drift"};
    return words[kind];
}

static void add_change(const struct change_point *change, struct text *out)
{
    if (!change)
        return;
    const struct comparison *result = &change->result;
    text_printf(out, "%s%s ", change->kind == CHANGE_DRIFT ? "drift, " : "",
                compared_word(result->verdict));
    compare_add_ratio(result->theta, result->low, result->high, out);
    if (change->kind == CHANGE_UNCONFIRMED)
        text_add(out, ", to be confirmed by a rerun");
    if (change->kind == CHANGE_DRIFT)
        text_printf(out, " over %zu runs, %+.2g %% a run", result->n_rounds,
                    100 * expm1(result->theta / (double)(result->n_rounds - 1)));
}

/* ---- the newest change ---- */

/* Is a change at this point one that the newest run made or made certain? */
static bool is_of_newest(const struct history *history, const struct history_case *c, size_t i)
{
    const char *mark = mark_of(history, &c->points[c->n - 1]);
    return i >= c->n_old || (*mark && text_equal(mark_of(history, &c->points[i]), mark));
}

/* NULL: there is none that makes it worse. */
static const struct history_point *worse_point(const struct history *history,
                                               const struct history_case *c, bool is_strict)
{
    const struct history_point *worse = NULL;
    for (size_t i = 0; i < c->n; i++) {
        const struct change_point *change = c->points[i].change;
        if (!change || !is_of_newest(history, c, i))
            continue;
        const bool is_worse = change->result.verdict == COMPARED_SLOWER &&
                              (is_strict || change->kind != CHANGE_UNCONFIRMED);
        worse = is_worse ? &c->points[i] : NULL;
    }
    return worse;
}

size_t history_gate(const struct history *history, bool is_strict, struct text *out)
{
    size_t n = 0;
    for (size_t i = 0; i < history->n; i++) {
        const struct history_case *c = &history->cases[i];
        const struct history_point *last = &c->points[c->n - 1];
        const bool fails = case_bad_round(last->c) != NULL;
        const struct history_point *at = fails ? last : worse_point(history, c, is_strict);
        if (last->side != history->newest || !at)
            continue;
        n++;
        text_printf(out, "%s: ", c->label);
        if (fails)
            text_add(out, status_of(at));
        else
            add_change(at->change, out);
        text_printf(out, ", run %lld of %s", (long long)at->side->run->number, at->side->path);
        text_printf(out, *mark_of(history, at) ? ", %s %s\n" : "\n", mark_name(history),
                    mark_of(history, at));
    }
    return n;
}

static void add_row(const struct history *history, const struct history_case *c,
                    const struct history_point *point, bool is_first, struct table *table)
{
    enum { MARK_MOST = 12, MINUTES = 16, TIME_AT = 10 };
    const char *started = point->side->run->record.started;
    table_row(table);
    table_cell(table, is_first ? c->label : "");
    table_cell_printf(table, "%lld", (long long)point->side->run->number);
    table_cell_printf(table, "%.*s %.*s", TIME_AT, started, MINUTES - TIME_AT - 1,
                      text_columns(started) > TIME_AT ? started + TIME_AT + 1 : "");
    text_add_cut(table_words(table), mark_of(history, point), MARK_MOST);
    if (point->n_rounds)
        compare_add_value(&history->metric, point->value, table_words(table));
    else
        table_cell(table, status_of(point));
    double half = 50 * (point->high - point->low) / point->value;
    if (isfinite(half))
        table_cell_printf(table, "\u00b1%.2g %%", half);
    else
        table_cell(table, "");
    add_change(point->change, table_words(table));
}

static void write_table(const struct history *history, int style, bool are_changes,
                        struct text *out)
{
    CLEANUP(table_free) struct table table = {0};
    table_columns(&table, "case|>run|started");
    table_column(&table, mark_name(history), false);
    table_column(&table, *history->metric.name ? history->metric.name : "time", true);
    table_columns(&table, ">interval|change");
    bool any_mark = false;
    for (size_t i = 0; i < history->n; i++) {
        const struct history_case *c = &history->cases[i];
        bool is_first = true;
        for (size_t j = 0; j < c->n; j++) {
            if (!is_shown(&c->points[j], are_changes))
                continue;
            add_row(history, c, &c->points[j], is_first || style != TABLE_PLAIN, &table);
            any_mark |= *mark_of(history, &c->points[j]) != 0;
            is_first = false;
        }
    }
    if (!any_mark)
        table_remove_column(&table, 3);
    if (table.n_rows)
        table_write(&table, style, out);
    const size_t *n = history->n_changes;
    text_printf(out, "%s%s, %s, %s", table.n_rows ? "\n" : "", COUNT_TEXT(history->n, "case"),
                COUNT_TEXT(history->n_runs, "run"), COUNT_TEXT(n[CHANGE_STEP], "change"));
    if (n[CHANGE_UNCONFIRMED])
        text_printf(out, ", %zu to be confirmed by a rerun", n[CHANGE_UNCONFIRMED]);
    if (n[CHANGE_DRIFT])
        text_printf(out, ", %s", COUNT_TEXT(n[CHANGE_DRIFT], "drift"));
    if (history->n_left_out)
        text_printf(out, "; %s without %s", COUNT_TEXT(history->n_left_out, "run"), history->by);
    text_add(out, "\n");
}

/* ---- csv ---- */

/* Of a run in which a case was measured: of csv and of json. */
#define RUN_VALUES(history, point)                                                                 \
    TEXT("file", (point)->side->path), INTEGER("run", (point)->side->run->number),                 \
        TEXT("run_uuid", (point)->side->run->record.uuid),                                         \
        TEXT("started", (point)->side->run->record.started),                                       \
        TEXT(mark_name(history), mark_of(history, point)), REAL("value", (point)->value),          \
        REAL("low", (point)->low), REAL("high", (point)->high)

static void write_csv(const struct history *history, bool are_changes, struct text *out)
{
    static const struct comparison none = {.theta = NAN, .low = NAN, .high = NAN, .p = NAN};
    text_printf(out,
                "case,uid,file,run,run_uuid,started,%s,value,low,high,unit,rounds,status,segment,"
                "change,ratio,ratio_low,ratio_high,p,kind,margin\n",
                mark_name(history));
    for (size_t i = 0; i < history->n; i++)
        for (size_t j = 0; j < history->cases[i].n; j++) {
            const struct history_point *point = &history->cases[i].points[j];
            const struct comparison *change = point->change ? &point->change->result : &none;
            if (!is_shown(point, are_changes))
                continue;
            csv_values(
                out, VALUES(TEXT("case", history->cases[i].label),
                            TEXT("uid", point->c->first->uid), RUN_VALUES(history, point),
                            TEXT("unit", history->metric.unit), INTEGER("rounds", point->n_rounds),
                            TEXT("status", status_of(point)), INTEGER("segment", point->segment),
                            TEXT("change", point->change ? compared_word(change->verdict) : ""),
                            REAL("ratio", exp(change->theta)), REAL("ratio_low", exp(change->low)),
                            REAL("ratio_high", exp(change->high)), REAL("p", change->p),
                            TEXT("kind", point->change ? kind_word(point->change->kind) : ""),
                            REAL("margin", history->cases[i].margin)));
        }
}

void history_write(const struct history *history, int format, bool are_changes, struct text *out)
{
    if (format == TABLE_CSV)
        write_csv(history, are_changes, out);
    else
        write_table(history, format, are_changes, out);
}

/* ---- json ---- */

static void json_point(const struct history *history, const struct history_point *point,
                       struct json_writer *json)
{
    const struct change_point *change = point->change;
    json_row(json);
    json_values(json, VALUES(RUN_VALUES(history, point), INTEGER("rounds", point->n_rounds),
                             TEXT("status", status_of(point)), INTEGER("segment", point->segment)));
    if (change) {
        const struct comparison *result = &change->result;
        json_open(json, "change", JSON_OBJECT);
        json_values(json, VALUES(TEXT("kind", kind_word(change->kind)),
                                 TEXT("verdict", compared_word(result->verdict)),
                                 REAL("ratio", exp(result->theta)), REAL("low", exp(result->low)),
                                 REAL("high", exp(result->high)), REAL("p", result->p)));
        if (change->kind == CHANGE_DRIFT)
            json_integer(json, "runs", (int64_t)result->n_rounds);
        json_close(json, JSON_OBJECT);
    }
    json_close(json, JSON_OBJECT);
}

void history_write_json(const struct history *history, bool are_changes, struct text *out)
{
    struct json_writer json = {.out = out};
    json_open(&json, NULL, JSON_OBJECT);
    json_values(&json, VALUES(TEXT("format", "gbrun history 1"),
                              TEXT("metric", *history->metric.name ? history->metric.name : "time"),
                              TEXT("unit", history->metric.unit), INTEGER("runs", history->n_runs),
                              INTEGER("changes", history->n_changes[CHANGE_STEP]),
                              INTEGER("unconfirmed", history->n_changes[CHANGE_UNCONFIRMED]),
                              INTEGER("drifts", history->n_changes[CHANGE_DRIFT])));
    json_open(&json, "cases", JSON_ARRAY);
    for (size_t i = 0; i < history->n; i++) {
        const struct history_case *c = &history->cases[i];
        json_row(&json);
        json_values(&json, VALUES(TEXT("case", c->label), TEXT("uid", c->points[0].c->first->uid),
                                  REAL("margin", c->margin)));
        json_open(&json, "points", JSON_ARRAY);
        for (size_t j = 0; j < c->n; j++)
            if (is_shown(&c->points[j], are_changes))
                json_point(history, &c->points[j], &json);
        json_close(&json, JSON_ARRAY);
        json_close(&json, JSON_OBJECT);
    }
    json_close(&json, JSON_ARRAY);
    json_close(&json, JSON_OBJECT);
    text_add(out, "\n");
}
