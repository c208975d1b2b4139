/* history_text.c - see history.h: a history as a table, CSV and JSON. */
#include "core/base/json_writer.h"
#include "core/base/table.h"
#include "core/compare/compare_text.h"
#include "core/compare/history.h"

#include <math.h>

/* What tells runs apart beside their times: the label, or the commit as far as it is known. */
static const char *mark_of(const struct history *history, const struct history_point *point)
{
    const struct run_record *run = &point->side->run->record;
    if (history->by)
        return fact_of(run->facts, run->n_facts, history->by);
    const char *label = fact_of(run->facts, run->n_facts, "label.commit");
    return *label ? label : fact_of(run->facts, run->n_facts, "commit");
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

static void add_change(const struct comparison *change, struct text *out)
{
    if (!change)
        return;
    text_printf(out, "%s ", compared_word(change->verdict));
    compare_add_ratio(change->theta, change->low, change->high, out);
}

static void add_row(const struct history *history, const struct history_case *c,
                    const struct history_point *point, bool is_first, struct table *table)
{
    enum { MARK_MOST = 12, MINUTES = 16, TIME_AT = 10 };
    CLEANUP(text_free) struct text words = {0}, mark = {0};
    const char *started = point->side->run->record.started;
    text_add_cut(&mark, mark_of(history, point), MARK_MOST);
    table_row(table);
    table_cell(table, is_first ? c->label : "");
    table_cell_printf(table, "%lld", (long long)point->side->run->number);
    table_cell_printf(table, "%.*s %.*s", TIME_AT, started, MINUTES - TIME_AT - 1,
                      text_columns(started) > TIME_AT ? started + TIME_AT + 1 : "");
    table_cell(table, text_get(&mark));
    if (point->n_rounds)
        compare_add_value(&history->metric, point->value, &words);
    else
        text_add(&words, status_of(point));
    table_cell(table, text_get(&words));
    text_clear(&words);
    double half = 50 * (point->high - point->low) / point->value;
    if (isfinite(half))
        text_printf(&words, "\u00b1%.2g %%", half);
    table_cell(table, text_get(&words));
    text_clear(&words);
    add_change(point->change, &words);
    table_cell(table, text_get(&words));
}

static void write_table(const struct history *history, int style, bool are_changes,
                        struct text *out)
{
    CLEANUP(table_free) struct table table = {0};
    table_column(&table, "case", false);
    table_column(&table, "run", true);
    table_column(&table, "started", false);
    table_column(&table, mark_name(history), false);
    table_column(&table, *history->metric.name ? history->metric.name : "time", true);
    table_column(&table, "interval", true);
    table_column(&table, "change", false);
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
    text_printf(out, "%s%zu case%s, %zu run%s, %zu change%s", table.n_rows ? "\n" : "", history->n,
                history->n == 1 ? "" : "s", history->n_runs, history->n_runs == 1 ? "" : "s",
                history->n_changes, history->n_changes == 1 ? "" : "s");
    if (history->n_left_out)
        text_printf(out, "; %zu run%s without %s", history->n_left_out,
                    history->n_left_out == 1 ? "" : "s", history->by);
    text_add(out, "\n");
}

/* ---- csv ---- */

static void csv_real(double value, struct text *out)
{
    char number[NUMBER_TEXT_MAX];
    text_add_csv(out, isfinite(value) ? format_double(value, number) : "", false);
}

static void write_csv(const struct history *history, bool are_changes, struct text *out)
{
    text_printf(out,
                "case,uid,file,run,run_uuid,started,%s,value,low,high,unit,rounds,status,segment,"
                "change,ratio,ratio_low,ratio_high,p\n",
                mark_name(history));
    for (size_t i = 0; i < history->n; i++)
        for (size_t j = 0; j < history->cases[i].n; j++) {
            const struct history_point *point = &history->cases[i].points[j];
            const struct stored_run *run = point->side->run;
            const struct comparison *change = point->change;
            if (!is_shown(point, are_changes))
                continue;
            text_add_csv(out, history->cases[i].label, true);
            text_add_csv(out, point->c->first->uid, false);
            text_add_csv(out, point->side->path, false);
            text_printf(out, ",%lld", (long long)run->number);
            text_add_csv(out, run->record.uuid, false);
            text_add_csv(out, run->record.started, false);
            text_add_csv(out, mark_of(history, point), false);
            csv_real(point->value, out);
            csv_real(point->low, out);
            csv_real(point->high, out);
            text_add_csv(out, history->metric.unit, false);
            text_printf(out, ",%zu", point->n_rounds);
            text_add_csv(out, status_of(point), false);
            text_printf(out, ",%zu", point->segment);
            text_add_csv(out, change ? compared_word(change->verdict) : "", false);
            csv_real(change ? exp(change->theta) : NAN, out);
            csv_real(change ? exp(change->low) : NAN, out);
            csv_real(change ? exp(change->high) : NAN, out);
            csv_real(change ? change->p : NAN, out);
            text_add(out, "\n");
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
    const struct comparison *change = point->change;
    json_line(json);
    json_open(json, NULL, JSON_OBJECT);
    json_text(json, "file", point->side->path);
    json_integer(json, "run", point->side->run->number);
    json_text(json, "run_uuid", point->side->run->record.uuid);
    json_text(json, "started", point->side->run->record.started);
    json_text(json, mark_name(history), mark_of(history, point));
    json_real(json, "value", point->value);
    json_real(json, "low", point->low);
    json_real(json, "high", point->high);
    json_integer(json, "rounds", (int64_t)point->n_rounds);
    json_text(json, "status", status_of(point));
    json_integer(json, "segment", (int64_t)point->segment);
    if (change) {
        json_open(json, "change", JSON_OBJECT);
        json_text(json, "verdict", compared_word(change->verdict));
        json_real(json, "ratio", exp(change->theta));
        json_real(json, "low", exp(change->low));
        json_real(json, "high", exp(change->high));
        json_real(json, "p", change->p);
        json_close(json, JSON_OBJECT);
    }
    json_close(json, JSON_OBJECT);
}

void history_write_json(const struct history *history, bool are_changes, struct text *out)
{
    struct json_writer json = {.out = out};
    json_open(&json, NULL, JSON_OBJECT);
    json_text(&json, "format", "gbrun history 1");
    json_text(&json, "metric", *history->metric.name ? history->metric.name : "time");
    json_text(&json, "unit", history->metric.unit);
    json_integer(&json, "runs", (int64_t)history->n_runs);
    json_integer(&json, "changes", (int64_t)history->n_changes);
    json_open(&json, "cases", JSON_ARRAY);
    for (size_t i = 0; i < history->n; i++) {
        const struct history_case *c = &history->cases[i];
        json_line(&json);
        json_open(&json, NULL, JSON_OBJECT);
        json_text(&json, "case", c->label);
        json_text(&json, "uid", c->points[0].c->first->uid);
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
