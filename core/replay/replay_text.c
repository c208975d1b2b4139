/* replay_text.c - see replay.h: what became of replays, as tables, CSV and JSON. */
#include "core/base/json_writer.h"
#include "core/base/table.h"
#include "core/replay/replay.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { POLICY_COLUMNS = 44, WHY_COLUMNS = 64 };

/* ---- for programs ---- */

static double share_of(const struct trace *trace, const struct replay_result *result)
{
    return result->has_failed ? NAN : (double)result->n / (double)trace->n;
}

/* X(name, kind, value, unit, help) for trace t, policy p, result r and its estimate e. */
#define COLUMN_MAP(X)                                                                              \
    X(file, TEXT, t->file, "", "The results file or file of samples")                              \
    X(run, INTEGER, t->view ? t->run : -1, "",                                                     \
      "Number of the run, from 1; empty for files of samples")                                     \
    X(label, TEXT, t->label, "", "The case as a run shows it, or the file")                        \
    X(round, INTEGER, t->view ? (int64_t)t->round : -1, "",                                        \
      "Round of the case, from 0; empty for files of samples")                                     \
    X(device, TEXT, t->device, "", "Device that the samples were measured on")                     \
    X(clock, TEXT, t->clock, "", "Clock that the samples were measured with")                      \
    X(n_samples, INTEGER, (int64_t)t->n, "", "Number of recorded samples")                         \
    X(all_elapsed_ns, REAL, t->elapsed_ns, "ns", "Recorded time of all samples")                   \
    X(all_median_ns, REAL, t->median_ns, "ns", "Median of all samples")                            \
    X(all_centre_ns, REAL, t->centre_ns, "ns",                                                     \
      "What estimates are compared with: the median of all samples, between the ticks if the "     \
      "timer was dithered")                                                                        \
    X(policy, TEXT, p->label, "", "The policy with its options")                                   \
    X(policy_plugin, TEXT, p->settings->info->plugin.id, "", "Id of its plugin")                   \
    X(outcome, TEXT,                                                                               \
      r->has_failed  ? "failed"                                                                    \
      : r->has_ended ? "stopped"                                                                   \
                     : "not yet",                                                                  \
      "", "stopped, not yet (the samples ended first) or failed")                                  \
    X(stopped_at, INTEGER, r->has_failed ? -1 : (int64_t)r->n, "",                                 \
      "Samples after which the policy stopped")                                                    \
    X(elapsed_ns, REAL, r->has_failed ? NAN : r->elapsed_ns, "ns",                                 \
      "Recorded time of these samples")                                                            \
    X(stop_reason, TEXT, r->has_failed ? r->text : r->reason, "", "Why it stopped")                \
    X(verdict, TEXT, r->has_estimate ? verdict_words(verdict_of_visit(e->verdict)) : NULL, "",     \
      "What it guarantees: see `gbrun help verdicts`")                                             \
    X(statistic, TEXT, r->has_estimate ? e->statistic : NULL, "",                                  \
      "What is estimated: median, mean")                                                           \
    X(estimate_ns, REAL, r->has_estimate ? e->value_ns : NAN, "ns", "Its estimate")                \
    X(low_ns, REAL, r->has_estimate ? e->low_ns : NAN, "ns",                                       \
      "Lower end of its confidence interval")                                                      \
    X(high_ns, REAL, r->has_estimate ? e->high_ns : NAN, "ns",                                     \
      "Upper end of its confidence interval")                                                      \
    X(confidence, REAL, r->has_estimate ? e->confidence : NAN, "ratio",                            \
      "Confidence level of the interval")                                                          \
    X(error, REAL, replay_error_ratio(t, r), "ratio",                                              \
      "Relative error: how far the estimate is from all_centre_ns")                                \
    X(holds, BOOL, replay_holds(t, r), "", "Whether the interval holds all_centre_ns")             \
    X(share, REAL, share_of(t, r), "ratio", "Share of all samples that were used")                 \
    X(n_discarded, INTEGER, r->has_estimate ? (int64_t)e->n_discarded : -1, "",                    \
      "Samples that the policy discarded as warm-up")                                              \
    X(n_effective, REAL, r->has_estimate ? e->n_effective : NAN, "", "Effective sample size")      \
    X(n_modes, INTEGER, r->has_estimate ? (int64_t)(e->n_modes > 1 ? e->n_modes : 1) : -1, "",     \
      "Number of modes that it found")                                                             \
    X(note, TEXT, r->has_estimate ? e->note : NULL, "",                                            \
      "What prevents a better verdict, in the policy's words")

enum {
#define COLUMN_CONSTANT(name, kind, value, unit, help) COLUMN_##name,
    COLUMN_MAP(COLUMN_CONSTANT)
#undef COLUMN_CONSTANT
        COLUMNS
};

static const struct help_entry replay_columns[COLUMNS] = {
#define COLUMN_HELP(name, kind, value, unit, help) {#name, unit, help},
    COLUMN_MAP(COLUMN_HELP)
#undef COLUMN_HELP
};

bool replay_column_help(size_t i, struct help_entry *ret)
{
    if (i < COLUMNS)
        *ret = replay_columns[i];
    return i < COLUMNS;
}

/* What there is not: negative integers and truths. */
static struct cell cell_INTEGER(int64_t value)
{
    return (struct cell){.kind = value < 0 ? CELL_NULL : CELL_INTEGER, .integer = value};
}

static struct cell cell_BOOL(int value)
{
    return (struct cell){.kind = value < 0 ? CELL_NULL : CELL_BOOL, .integer = value};
}

static void make_cells(const struct trace *t, const struct replay_policy *p,
                       const struct replay_result *r, struct cell cells[COLUMNS])
{
    const struct gb_estimate *e = &r->estimate;
#define MAKE_CELL(name, kind, value, unit, help) cells[COLUMN_##name] = cell_##kind(value);
    COLUMN_MAP(MAKE_CELL)
#undef MAKE_CELL
}

static void add_object(struct json_writer *json, const struct replay_result *result,
                       const struct cell *cells)
{
    static const struct gb_estimate none = {0};
    json_open(json, NULL, JSON_OBJECT);
    for (size_t i = 0; i < COLUMNS; i++)
        json_cell(json, replay_columns[i].name, &cells[i]);
    json_modes(json, result->has_estimate ? &result->estimate : &none);
    json_close(json, JSON_OBJECT);
}

/* ---- for people ---- */

static void add_head(struct text *out, const struct trace *trace)
{
    text_add_line(out, trace->label);
    if (trace->has_rounds)
        text_printf(out, ", round %u", trace->round + 1);
    if (*trace->device)
        text_printf(out, ", %s", trace->device);
    if (*trace->clock)
        text_printf(out, ", %s %s", trace->clock, trace->view ? "clock" : "column");
    text_printf(out, ": %s in %s, median %s", COUNT_TEXT(trace->n, "sample"),
                TIME_TEXT(trace->elapsed_ns, 3),
                isnan(trace->median_ns) ? "-" : TIME_TEXT(trace->median_ns, 5));
    if (trace->centre_ns < trace->median_ns || trace->centre_ns > trace->median_ns)
        text_printf(out, ", between the ticks %s", TIME_TEXT(trace->centre_ns, 5));
    text_add(out, "\n");
}

static void add_percent(struct table *table, double ratio)
{
    if (isfinite(ratio))
        table_cell_printf(table, fabs(ratio) >= 0.1 ? "%+.1f %%" : "%+.2f %%", 100 * ratio);
    else
        table_cell(table, "-");
}

static void add_interval(struct table *table, const struct replay_result *result)
{
    const struct gb_estimate *estimate = &result->estimate;
    if (!result->has_estimate)
        table_cell(table, "-");
    else if (!view_is_interval(estimate->low_ns, estimate->high_ns))
        table_cell(table, "none");
    else if (!isfinite(estimate->low_ns))
        table_cell_printf(table, "\u2264 %s", TIME_TEXT(estimate->high_ns, 5));
    else if (!isfinite(estimate->high_ns))
        table_cell_printf(table, "\u2265 %s", TIME_TEXT(estimate->low_ns, 5));
    else
        table_cell_printf(table, "[%s, %s]", TIME_TEXT(estimate->low_ns, 5),
                          TIME_TEXT(estimate->high_ns, 5));
}

static void add_estimate(struct table *table, const struct replay_result *result)
{
    const struct gb_estimate *estimate = &result->estimate;
    if (!result->has_estimate || isnan(estimate->value_ns)) {
        table_cell(table, "-");
        return;
    }
    bool is_median = text_equal(estimate->statistic, "median") || !*estimate->statistic;
    table_cell_printf(table, "%s%s%s%s", is_median ? "" : estimate->statistic, is_median ? "" : " ",
                      TIME_TEXT(estimate->value_ns, 5), estimate->n_modes > 1 ? "*" : "");
}

static void add_why(struct table *table, const struct replay_result *result)
{
    CLEANUP(text_free) struct text words = {0};
    const char *why = result->has_failed  ? result->text
                      : result->has_ended ? result->reason
                                          : "the samples ended first";
    text_add_line(&words, why);
    if (result->has_estimate && *result->estimate.note) {
        text_add(&words, ": ");
        text_add_line(&words, result->estimate.note);
    }
    text_add_shortened(table_words(table), text_get(&words), WHY_COLUMNS);
}

/* Of a path, only what is behind its folders. */
static void add_policy(struct table *table, const struct replay_policy *policy)
{
    CLEANUP(text_free) struct text words = {0};
    size_t n = strcspn(policy->label, " ");
    const char *slash = memrchr(policy->label, '/', n);
    text_add_line(&words, slash ? slash + 1 : policy->label);
    text_add_shortened(table_words(table), text_get(&words), POLICY_COLUMNS);
}

static void add_row(struct table *table, const struct trace *trace,
                    const struct replay_policy *policy, const struct replay_result *result)
{
    static const char *const held_words[] = {"-", "no", "yes"};
    table_row(table);
    add_policy(table, policy);
    if (result->has_failed || !result->has_ended)
        table_cell(table, result->has_failed ? "failed" : "not yet");
    else
        table_cell_printf(table, "%llu", (unsigned long long)result->n);
    table_cell(table, result->has_failed ? "-" : TIME_TEXT(result->elapsed_ns, 3));
    if (result->has_failed)
        table_cell(table, "-");
    else
        table_cell_printf(table, "%.3g %%", 100 * share_of(trace, result));
    table_cell(table, result->has_estimate
                          ? verdict_words(verdict_of_visit(result->estimate.verdict))
                          : "-");
    add_estimate(table, result);
    add_interval(table, result);
    add_percent(table, replay_error_ratio(trace, result));
    table_cell(table, held_words[replay_holds(trace, result) + 1]);
    add_why(table, result);
}

static void add_modes(struct text *out, const struct replay_policy *policy,
                      const struct replay_result *result)
{
    if (!result->has_estimate || result->estimate.n_modes < 2)
        return;
    text_printf(out, "* modes that %s sees, with their shares of the samples: ", policy->label);
    for (uint32_t i = 0; i < result->estimate.n_modes; i++)
        text_printf(out, "%s%s (%.3g %%)", i ? ", " : "",
                    TIME_TEXT(result->estimate.modes[i].median_ns, 4),
                    100 * result->estimate.modes[i].weight);
    text_add(out, "\n");
}

static void add_table(struct text *out, int style, const struct trace *trace,
                      const struct replay_policies *policies, const struct replay_result *results)
{
    CLEANUP(table_free) struct table table = {0};
    add_head(out, trace);
    text_add(out, "\n");
    table_columns(&table, "policy|>stopped at|>after|>used|verdict|>estimate|>interval|>error|"
                          "holds|why");
    for (size_t i = 0; i < policies->n; i++)
        add_row(&table, trace, &policies->items[i], &results[i]);
    table_write(&table, style, out);
    for (size_t i = 0; i < policies->n; i++)
        add_modes(out, &policies->items[i], &results[i]);
}

/* ---- one trace after the other ---- */

static void begin(struct replay_printer *printer)
{
    struct json_writer json = {.out = &printer->out};
    if (printer->format == FORMAT_CSV) {
        for (size_t i = 0; i < COLUMNS; i++)
            text_add_csv(&printer->out, replay_columns[i].name, i == 0);
        text_add(&printer->out, "\n");
    }
    if (printer->format == FORMAT_JSON) {
        json_open(&json, NULL, JSON_OBJECT);
        json_text(&json, "format", "gbrun replays 1");
        json_open(&json, "replays", JSON_ARRAY);
    }
    printer->has_begun = true;
}

static void print_cells(struct replay_printer *printer, const struct trace *trace,
                        const struct replay_policy *policy, const struct replay_result *result,
                        bool is_first)
{
    struct cell cells[COLUMNS];
    struct json_writer json = {.out = &printer->out,
                               .needs_comma = printer->format == FORMAT_JSON && !is_first};
    make_cells(trace, policy, result, cells);
    if (printer->format == FORMAT_JSON)
        json_line(&json);
    if (printer->format != FORMAT_CSV)
        add_object(&json, result, cells);
    for (size_t i = 0; i < COLUMNS && printer->format == FORMAT_CSV; i++)
        cell_add_csv(&cells[i], i == 0, &printer->out);
    if (printer->format != FORMAT_JSON)
        text_add(&printer->out, "\n");
}

void replay_print(struct replay_printer *printer, const struct trace *trace,
                  const struct replay_policies *policies, const struct replay_result *results)
{
    bool is_table = printer->format == FORMAT_TABLE || printer->format == FORMAT_MARKDOWN;
    if (!printer->has_begun)
        begin(printer);
    if (is_table) {
        text_add(&printer->out, printer->n_printed ? "\n" : "");
        add_table(&printer->out, printer->format == FORMAT_TABLE ? TABLE_PLAIN : TABLE_MARKDOWN,
                  trace, policies, results);
    }
    for (size_t i = 0; !is_table && i < policies->n; i++)
        print_cells(printer, trace, &policies->items[i], &results[i],
                    printer->n_printed == 0 && i == 0);
    printer->n_printed++;
}

void replay_print_end(struct replay_printer *printer)
{
    if (!printer->has_begun)
        begin(printer);
    if (printer->format == FORMAT_JSON) {
        struct json_writer json = {.out = &printer->out};
        json_close(&json, JSON_ARRAY);
        json_close(&json, JSON_OBJECT);
        text_add(&printer->out, "\n");
    }
}
