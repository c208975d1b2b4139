/* html_cases.c - see html_page.h: the table of cases, their intervals and their ratios; of each
 * case its distribution, its samples, all that is known. */
#include "core/report/html_page.h"

#include "core/base/members.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    SORTED = 1 << 16,
    BUCKETS = 400,
    BINS = 60,
    BINS_LEAST = 12,
    CURVE = 100,
    SERIES_CURVE = 1000,
    WIDTH = 1000,
    HEIGHT = 170
};

/* ---- the table ---- */

enum { MINI_WIDTH = 150, MINI_MIDDLE = 75, MINI_REACH = 70 };
/* Relative to an estimate: wider intervals end with an arrow. */
static const double WIDEST = 0.2;

/* "r0c12". */
static const char *anchor_of(const struct html_run *run, const struct view_row *row,
                             struct arena *arena)
{
    return arena_printf(arena, "r%zuc%lld", run->number, (long long)row->c.id);
}

/* The reach of most intervals: what fills a small picture. */
static double find_scale(const struct html_run *run)
{
    double scale = 0.002;
    for (size_t i = 0; i < run->n_groups; i++) {
        CLEANUP(arena_free) struct arena arena = {0};
        const struct view_row *rows = view_group_rows(run->view, &run->groups[i], &arena);
        struct shown shown = combine_rounds(rows, run->groups[i].n, &arena);
        double reach = fmax(shown.high_ns / shown.central_ns - 1,
                            1 - shown.low_ns / shown.central_ns);
        if (shown.has_interval && isfinite(reach))
            scale = fmin(fmax(scale, reach), WIDEST);
    }
    return scale;
}

static double mini_x(double ratio, double scale)
{
    double place = (ratio - 1) / scale;
    return MINI_MIDDLE + MINI_REACH * fmin(fmax(place, -1.05), 1.05);
}

/* An interval around 1, with a line at 1 and a dot at the estimate. */
static void add_mini(struct text *out, double low, double estimate, double high, double scale,
                     int colour)
{
    text_printf(
        out, "<svg class=\"plot mini\" viewBox=\"0 0 %d 16\"><path class=\"grid\" d=\"M%d 0V16\"/>",
        MINI_WIDTH, MINI_MIDDLE);
    if (isfinite(low) && isfinite(high))
        text_printf(out, "<path class=\"line c%d\" stroke-width=\"2\" d=\"M%.1f 8H%.1f\"/>", colour,
                    mini_x(low, scale), mini_x(high, scale));
    if (isfinite(estimate))
        text_printf(out, "<path class=\"dot c%d\" stroke-width=\"5\" d=\"M%.1f 8h0\"/>", colour,
                    mini_x(estimate, scale));
    text_add(out, "</svg>");
}

/* What the baseline says of a record, by id. */
struct compared_record {
    int64_t id;
    const struct compared *c;
};

ORDER_BY_NUMBER(compare_ids, struct compared_record, id)

/* Those of a baseline (NULL: none), sorted; the caller's to free. */
static struct compared_record *records_of(const struct compare_against *against, size_t *ret_n)
{
    struct compared_record *records = NULL;
    size_t n = 0;
    for (size_t i = 0; against && i < against->n; i++) {
        const struct compared *c = &against->cases[i];
        if (c->new && c->new->first)
            MEMORY_APPEND(records, n, ((struct compared_record){c->new->first->id, c}));
    }
    if (n)
        qsort(records, n, sizeof *records, compare_ids);
    *ret_n = n;
    return records;
}

static const struct compared *compared_of(const struct compared_record *records, size_t n_records,
                                          const struct view_row *rows, size_t n)
{
    const struct compared_record *found = NULL;
    for (size_t i = 0; i < n && n_records && !found; i++) {
        const struct compared_record key = {.id = rows[i].c.id};
        found = bsearch(&key, records, n_records, sizeof key, compare_ids);
    }
    return found ? found->c : NULL;
}

static void add_ratio(const struct compared *c, struct text *out)
{
    CLEANUP(text_free) struct text words = {0};
    const struct comparison *result = c ? &c->result : NULL;
    if (!c) {
        text_add(out, "<td></td><td></td><td></td>");
        return;
    }
    int verdict = result->verdict;
    bool is_bad = compared_is_bad(verdict, false);
    if (isfinite(result->theta)) {
        text_printf(out, "<td class=\"n\" data-v=\"%.6g\">", exp(result->theta));
        text_printf(&words, "%.4g", exp(result->theta));
        if (isfinite(result->low) && isfinite(result->high))
            text_printf(&words, " [%.4g, %.4g]", exp(result->low), exp(result->high));
        xml_print(out, "%s</td><td>", text_get(&words));
        add_mini(out, exp(result->low), exp(result->theta), exp(result->high), 0.1, is_bad ? 1 : 0);
        text_add(out, "</td>");
    } else {
        text_add(out, "<td></td><td></td>");
    }
    html_cell(out,
              is_bad                       ? "bad"
              : verdict == COMPARED_FASTER ? "good"
                                           : "",
              compared_word(verdict));
}

static void add_time(const struct html_run *run, const struct shown *shown, double scale,
                     struct text *out)
{
    CLEANUP(text_free) struct text words = {0};
    double central = shown->central_ns;
    const struct case_record *record = &shown->row.c.record;
    if (!isfinite(central) || record->status != CASE_OK) {
        text_printf(out, "<td class=\"bad\" colspan=\"%d\">", run->against ? 6 : 3);
        case_status_describe(record->status, record->status_text ? record->status_text : "",
                             &words);
        xml_print(out, "%s</td>", text_get(&words));
        return;
    }
    text_printf(out, "<td class=\"n\" data-v=\"%.9g\">", central);
    shown_add_central(&words, shown);
    xml_print(out, "%s</td><td>", text_get(&words));
    add_mini(out, shown->has_interval ? shown->low_ns / central : NAN, 1,
             shown->has_interval ? shown->high_ns / central : NAN, scale, 0);
    text_clear(&words);
    shown_add_interval(&words, shown);
    text_add(out, "</td>");
    html_cell(out, "n", text_get(&words));
}

/* c: the case beside its baseline; NULL: it has none. */
static void add_row(const struct html_run *run, const struct view_row *rows, size_t n,
                    const struct compared *c, double scale, struct arena *arena)
{
    CLEANUP(text_free) struct text words = {0};
    struct text *out = run->out;
    struct shown shown = combine_rounds(rows, n, arena);
    const struct case_record *record = &shown.row.c.record;
    xml_print(out,
              "<tr class=\"filtered\" data-label=\"%s\"><td><a href=\"#%s\"><bdi>%s</bdi></a></td>",
              shown.row.label, anchor_of(run, rows, arena), shown.row.label);
    add_time(run, &shown, scale, out);
    bool is_measured = isfinite(shown.central_ns) && record->status == CASE_OK;
    if (run->against && is_measured)
        add_ratio(c, out);
    text_printf(out, "<td class=\"n\">%llu</td><td class=\"n\">%zu</td>",
                (unsigned long long)record->n_samples, n);
    html_cell(out, record_verified(&shown.row.c.record) == VERIFIED_FAILED ? "bad" : "",
              shown.row.check ? shown.row.check : "");
    roof_cell(&shown.row, &words);
    html_cell(out, "n", text_get(&words));
    text_add(out, "</tr>\n");
}

void html_cases(const struct html_run *run)
{
    struct text *out = run->out;
    const double scale = find_scale(run);
    size_t n_records = 0;
    CLEANUP(free_pointer)
    struct compared_record *records = records_of(run->against, &n_records);
    html_heading(out, "Cases");
    text_printf(out,
                "<p class=\"hint\">Intervals are drawn relative to their own estimates: the width "
                "is \u00B1%.2g %%.%s A click on a head sorts.</p>\n"
                "<p><input class=\"filter\" hidden placeholder=\"filter cases\"></p>\n"
                "<div class=\"wide\"><table class=\"sort\">\n<tr><th>case</th>"
                "<th class=\"n\">time</th><th>interval</th><th class=\"n\"></th>%s"
                "<th class=\"n\">samples</th><th class=\"n\">rounds</th><th>check</th>"
                "<th class=\"n\">roof</th></tr>\n",
                100 * scale, run->against ? " Ratios to the baseline: \u00B110 %." : "",
                run->against ? "<th class=\"n\">ratio</th><th>to the baseline</th><th></th>" : "");
    for (size_t i = 0; i < run->n_groups; i++) {
        CLEANUP(arena_free) struct arena arena = {0};
        const struct view_row *rows = view_group_rows(run->view, &run->groups[i], &arena);
        const size_t n = run->groups[i].n;
        add_row(run, rows, n, compared_of(records, n_records, rows, n), scale, &arena);
    }
    text_add(out, "</table></div>\n");
}

/* ---- the distribution ---- */

/* What is shown of the samples: outliers beyond four times the quartiles' distance are counted. */
struct clip {
    double low, high;
    uint64_t n_below, n_above; /* of those sorted */
};

static struct clip clip_of(const struct case_samples *samples)
{
    const double *sorted = samples->sorted;
    size_t n = samples->n_sorted;
    double q1 = quantile_of_sorted(sorted, n, 0.25), q3 = quantile_of_sorted(sorted, n, 0.75);
    double reach = 4 * (q3 - q1) + 0.005 * fabs(q3);
    struct clip clip = {fmax(sorted[0], q1 - reach), fmin(sorted[n - 1], q3 + reach), 0, 0};
    if (!(clip.high > clip.low)) {
        clip.low -= 0.005 * fabs(clip.low);
        clip.high += 0.005 * fabs(clip.high) + 1e-3;
    }
    for (size_t i = 0; i < n; i++) {
        clip.n_below += sorted[i] < clip.low;
        clip.n_above += sorted[i] > clip.high;
    }
    return clip;
}

/* The share of the samples in each bin, as a band that goes in steps. A bin is a whole number of
 * the timer's steps, or some would be empty and others full by its arithmetic alone. */
static struct plot_series density_of(const struct case_samples *samples, const struct clip *clip,
                                     double step_ns, double unit_ns, struct arena *arena)
{
    double n_wanted = fmin(fmax(2 * sqrt((double)samples->n_sorted), BINS_LEAST), BINS);
    double width = (clip->high - clip->low) / n_wanted, low = clip->low;
    if (step_ns > 0 && width < 20 * step_ns) {
        width = step_ns * fmax(1, round(width / step_ns));
        low = (floor(low / step_ns) - 0.5) * step_ns;
    }
    size_t n_bins = (size_t)fmin(fmax(ceil((clip->high - low) / width), 1), 2 * BINS);
    double *x = ARENA_ARRAY(arena, double, 2 * n_bins),
           *zero = ARENA_ARRAY(arena, double, 2 * n_bins);
    double *share = ARENA_ARRAY(arena, double, 2 * n_bins);
    for (size_t i = 0; i < samples->n_sorted; i++) {
        double bin = floor((samples->sorted[i] - low) / width);
        if (bin >= 0 && bin < (double)n_bins)
            share[2 * (size_t)bin] += 100 / (double)samples->n_sorted;
    }
    for (size_t i = 0; i < n_bins; i++) {
        x[2 * i] = (low + (double)i * width) / unit_ns;
        x[2 * i + 1] = (low + (double)(i + 1) * width) / unit_ns;
        share[2 * i + 1] = share[2 * i];
    }
    return (struct plot_series){
        .kind = PLOT_BAND, .n = 2 * n_bins, .x = x, .y = zero, .high = share, .colour = 4};
}

static struct plot_series shares_of(const struct case_samples *samples, double unit_ns,
                                    struct arena *arena)
{
    double *x = ARENA_ARRAY(arena, double, CURVE + 1),
           *share = ARENA_ARRAY(arena, double, CURVE + 1);
    for (size_t i = 0; i <= CURVE; i++) {
        share[i] = (double)i * 100 / CURVE;
        x[i] = quantile_of_sorted(samples->sorted, samples->n_sorted, (double)i / CURVE) / unit_ns;
    }
    return (struct plot_series){.n = CURVE + 1, .x = x, .y = share, .colour = 0};
}

/* The estimate with its interval, or the modes. */
static size_t make_verticals(const struct shown *shown, double unit_ns, struct arena *arena,
                             struct plot_vertical **ret)
{
    const struct gb_estimate *estimate = &shown->row.c.record.estimate;
    struct plot_vertical *verticals = NULL;
    size_t n = 0;
    if (isfinite(shown->central_ns))
        ARENA_APPEND(arena, verticals, n,
                     (struct plot_vertical){shown->central_ns / unit_ns, "estimate", 0});
    if (shown->has_interval && isfinite(shown->low_ns))
        ARENA_APPEND(arena, verticals, n, (struct plot_vertical){shown->low_ns / unit_ns, NULL, 2});
    if (shown->has_interval && isfinite(shown->high_ns))
        ARENA_APPEND(arena, verticals, n,
                     (struct plot_vertical){shown->high_ns / unit_ns, NULL, 2});
    for (uint32_t i = 0; estimate->n_modes > 1 && i < estimate->n_modes && i < GB_MODES_MAX; i++)
        ARENA_APPEND(arena, verticals, n,
                     (struct plot_vertical){
                         estimate->modes[i].median_ns / unit_ns,
                         arena_printf(arena, "%.0f %%", 100 * estimate->modes[i].weight), 1});
    *ret = verticals;
    return n;
}

static void add_distribution(const struct shown *shown, const struct case_samples *samples,
                             double unit_ns, struct text *out)
{
    CLEANUP(arena_free) struct arena arena = {0};
    struct clip clip = clip_of(samples);
    const struct case_record *record = &shown->row.c.record;
    double step_ns = record->is_dithered || record->iterations == 0
                         ? 0
                         : record->tick_ns / (double)record->iterations;
    double margin = 0.03 * (clip.high - clip.low);
    struct plot_vertical *verticals;
    size_t n_verticals = make_verticals(shown, unit_ns, &arena, &verticals);
    struct plot_series series[2] = {density_of(samples, &clip, step_ns, unit_ns, &arena),
                                    shares_of(samples, unit_ns, &arena)};
    const char *unit = time_unit_of(unit_ns)->name;
    struct plot_panel panels[2];
    const char *outside = "";
    if (clip.n_below + clip.n_above > 0)
        outside = arena_printf(&arena, "; outside: %.3g %% below, %.3g %% above",
                               100 * (double)clip.n_below / (double)samples->n_sorted,
                               100 * (double)clip.n_above / (double)samples->n_sorted);
    for (size_t i = 0; i < 2; i++)
        panels[i] = (struct plot_panel){
            .title = i ? "share that took at most so long, %"
                       : arena_printf(&arena, "share of the samples, %%%s", outside),
            .x_label = unit,
            .x_low = (clip.low - margin) / unit_ns,
            .x_high = (clip.high + margin) / unit_ns,
            .series = &series[i],
            .n_series = 1,
            .verticals = verticals,
            .n_verticals = n_verticals,
            .height = HEIGHT};
    const struct plot_page page = {.panels = panels, .n_panels = 2, .n_columns = 2, .width = WIDTH};
    html_figure(out, &page);
}

/* ---- samples in order ---- */

static void add_numbers(struct text *out, const char *name, const double *values, size_t n,
                        double unit)
{
    text_printf(out, " data-%s=\"", name);
    for (size_t i = 0; i < n; i++) {
        if (isfinite(values[i]))
            text_printf(out, "%s%.5g", i ? " " : "", values[i] / unit);
        else
            text_add(out, i ? " 0" : "0");
    }
    text_add(out, "\"");
}

static void add_places(struct text *out, const char *name, const size_t *values, size_t n)
{
    text_printf(out, " data-%s=\"", name);
    for (size_t i = 0; i < n; i++)
        text_printf(out, "%s%zu", i ? " " : "", values[i]);
    text_add(out, "\"");
}

static void add_samples(const struct case_samples *samples, double unit_ns, struct text *out)
{
    const struct sample_buckets *buckets = &samples->buckets;
    bool has_clock = false;
    for (size_t i = 0; i < buckets->n && !has_clock; i++)
        has_clock = isfinite(buckets->clock_hz[i]);
    text_add(out, "<p class=\"nojs hint\">Samples in order are drawn by a script.</p><canvas");
    add_numbers(out, "low", buckets->low, buckets->n, unit_ns);
    add_numbers(out, "high", buckets->high, buckets->n, unit_ns);
    if (has_clock)
        add_numbers(out, "clock", buckets->clock_hz, buckets->n, 1e6);
    add_places(out, "rounds", buckets->first, samples->n_rounds);
    add_places(out, "discarded", buckets->discarded, samples->n_rounds);
    text_printf(out, " data-per=\"%llu\" data-unit=\"%s\"></canvas>\n",
                (unsigned long long)(samples->n / BUCKETS + 1), time_unit_of(unit_ns)->name);
}

/* ---- samples that the benchmark gave itself ---- */

static void add_quantile(const struct series_quantile *quantile, struct text *out)
{
    char words[96];
    if (isfinite(quantile->low) && isfinite(quantile->high))
        snprintf(words, sizeof words, "%.5g [%.5g, %.5g]", quantile->value, quantile->low,
                 quantile->high);
    else if (isfinite(quantile->low))
        snprintf(words, sizeof words, "%.5g [%.5g, ...", quantile->value, quantile->low);
    else
        snprintf(words, sizeof words, "%.5g", quantile->value);
    html_cell(out, "n", words);
}

static void add_series_row(const struct series_record *series, uint32_t round, struct text *out)
{
    char number[64];
    text_add(out, "<tr>");
    html_cell(out, "", series->name);
    html_cell(out, "", series->unit);
    html_number(out, "n", "%.0f", round);
    html_number(out, "n", "%.0f", (double)series->n);
    snprintf(number, sizeof number, "%.5g", series->mean);
    html_cell(out, "n", number);
    for (size_t i = 0; i < SERIES_LEVELS; i++)
        add_quantile(&series->quantiles[i], out);
    snprintf(number, sizeof number, "%.5g", series->max);
    html_cell(out, "n", number);
    text_add(out, "</tr>\n");
}

/* The share of the values up to each, without the last thousandth. */
static void add_series_curve(const struct case_series *series, struct text *out)
{
    CLEANUP(arena_free) struct arena arena = {0};
    double *x = ARENA_ARRAY(&arena, double, SERIES_CURVE),
           *share = ARENA_ARRAY(&arena, double, SERIES_CURVE);
    const double middle = quantile_of_sorted(series->sorted, series->n_sorted, 0.5);
    const struct time_unit *unit = time_unit_of(fabs(middle));
    const double scale = series->is_time ? unit->ns : 1;
    for (size_t i = 0; i < SERIES_CURVE; i++) {
        share[i] = 100.0 * (double)i / SERIES_CURVE;
        x[i] = quantile_of_sorted(series->sorted, series->n_sorted, (double)i / SERIES_CURVE) /
               scale;
    }
    struct plot_series curve = {
        .kind = PLOT_LINE, .n = SERIES_CURVE, .x = x, .y = share, .colour = 0};
    struct plot_panel panel = {
        .title = arena_printf(&arena, "%s: share up to each value, %%", series->record.name),
        .x_label = series->is_time ? unit->name : series->unit,
        .series = &curve,
        .n_series = 1,
        .height = HEIGHT};
    const struct plot_page page = {.panels = &panel, .n_panels = 1, .n_columns = 1, .width = WIDTH};
    html_figure(out, &page);
}

static void begin_series(struct text *out)
{
    text_add(out, "<h3>Samples of its own</h3>\n<div class=\"wide\"><table>\n<tr><th>series</th>"
                  "<th>unit</th><th class=\"n\">round</th><th class=\"n\">values</th>"
                  "<th class=\"n\">mean</th>");
    for (size_t i = 0; i < SERIES_LEVELS; i++)
        text_printf(out, "<th class=\"n\">%s</th>", series_levels[i].name);
    text_add(out, "<th class=\"n\">max</th></tr>\n");
}

static int32_t add_series(struct view *view, const struct view_row *rows, size_t n,
                          struct arena *arena, struct text *out, struct gb_error *error)
{
    bool any = false;
    int32_t status = GB_OK;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < rows[i].c.record.n_series; j++) {
            if (!any)
                begin_series(out);
            any = true;
            add_series_row(&rows[i].c.record.series[j], rows[i].c.record.round, out);
        }
    text_add(out, any ? "</table></div>\n" : "");
    for (size_t j = 0; n > 0 && status == GB_OK && j < rows[0].c.record.n_series; j++) {
        struct case_series series;
        status = case_series_read(view, rows, n, rows[0].c.record.series[j].name, arena, &series,
                                  error);
        if (status == GB_OK && series.n_sorted > 0)
            add_series_curve(&series, out);
    }
    return status;
}

/* ---- words ---- */

static void add_time_fact(struct text *out, const char *name, double ns)
{
    char number[NUMBER_TEXT_MAX];
    if (isfinite(ns))
        html_fact(out, name, format_time(ns, 5, number));
}

static void add_estimate_facts(const struct shown *shown, struct text *out)
{
    CLEANUP(text_free) struct text words = {0};
    const struct stored_case *c = &shown->row.c;
    const struct case_record *record = &c->record;
    text_printf(&words, "%s%s%s",
                record->has_estimate ? verdict_words(record->estimate.verdict) : "no estimate",
                *record->estimate.note ? ": " : "", record->estimate.note);
    html_fact(out, "verdict", text_get(&words));
    html_fact(out, "stopped because", record->stop_reason);
    add_time_fact(out, "minimum", c->summary.min);
    add_time_fact(out, "first quartile", c->summary.q1);
    add_time_fact(out, "median", c->summary.median);
    add_time_fact(out, "third quartile", c->summary.q3);
    add_time_fact(out, "99th percentile", c->summary.p99);
    add_time_fact(out, "maximum", c->summary.max);
    add_time_fact(out, "mean", c->summary.mean);
    text_clear(&words);
    text_add_percent(&words, shown->relative_iqr);
    html_fact(out, "relative IQR", text_get(&words));
    if (shown->row.n_rounds > 1) {
        text_clear(&words);
        text_add_percent(&words, shown->row.apart_ratio);
        html_fact(out, "round variation", text_get(&words));
    }
}

static void add_telemetry_facts(const struct view_row *rows, size_t n, struct arena *arena,
                                struct text *out)
{
    CLEANUP(text_free) struct text words = {0};
    for (size_t i = 0; i < TELEMETRY_COLUMNS; i++) {
        text_clear(&words);
        telemetry_cell(rows, n, i, arena, &words);
        if (!text_equal(text_get(&words), "-"))
            html_fact(out, telemetry_column(i).head, text_get(&words));
    }
    const char *throttle = throttle_words(&rows[0].c);
    html_fact(out, "throttled", throttle ? throttle : "");
}

static void add_setting_facts(const struct stored_case *c, struct text *out)
{
    char number[NUMBER_TEXT_MAX];
    const struct case_record *record = &c->record;
    html_fact(out, "policy", c->policy);
    html_fact(out, "clock", record->clock);
    html_fact(out, "reading", record->reading_note ? record->reading_note : "");
    html_fact(out, "timer resolution", format_time(record->tick_ns, 3, number));
    html_fact(out, "timer overhead", format_time(record->overhead_ns, 3, number));
    html_fact(out, "cache", c->cache);
    html_fact(out, "launched", launched_word(c));
    html_fact(out, "pace", c->pace);
    snprintf(number, sizeof number, "%llu", (unsigned long long)record->iterations);
    html_fact(out, "iterations a sample", number);
    html_fact(out, "environment", c->environment);
}

static void add_metrics(const struct case_record *record, struct text *out)
{
    for (size_t i = 0; i < record->n_metrics; i++) {
        const struct metric_record *metric = &record->metrics[i];
        char number[2 * NUMBER_TEXT_MAX];
        snprintf(number, sizeof number, "%.6g %.24s", metric->value,
                 metric->unit ? metric->unit : "");
        html_fact(out, metric->name, number);
    }
}

static void add_messages(const struct view_row *rows, size_t n, struct text *out)
{
    bool any = false;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < rows[i].c.record.n_messages; j++) {
            text_add(out, any ? "" : "<ul>\n");
            any = true;
            xml_print(out, "<li><bdi>%s</bdi></li>\n", rows[i].c.record.messages[j].text);
        }
    text_add(out, any ? "</ul>\n" : "");
}

static void add_facts(const struct shown *shown, const struct view_row *rows, size_t n,
                      struct arena *arena, struct text *out)
{
    text_add(out, "<dl>\n");
    add_estimate_facts(shown, out);
    add_telemetry_facts(rows, n, arena, out);
    add_setting_facts(&shown->row.c, out);
    text_add(out, "</dl>\n<h3>Options</h3>\n<dl>\n");
    for (size_t i = 0; i < shown->row.c.n_parameters; i++)
        html_fact(out, shown->row.c.parameters[i].name, shown->row.c.parameters[i].value.text);
    text_add(out, "</dl>\n");
    if (shown->row.c.record.n_metrics > 0) {
        text_add(out, "<h3>Metrics</h3>\n<dl>\n");
        add_metrics(&shown->row.c.record, out);
        text_add(out, "</dl>\n");
    }
    add_messages(rows, n, out);
}

static int32_t add_case(const struct html_run *run, const struct view_row *rows, size_t n,
                        struct arena *arena, struct gb_error *error)
{
    CLEANUP(text_free) struct text words = {0};
    struct text *out = run->out;
    struct shown shown = combine_rounds(rows, n, arena);
    struct case_samples samples;
    int32_t status = case_samples_read(run->view, rows, n, SORTED, BUCKETS, arena, &samples, error);
    if (status != GB_OK)
        return status;
    shown_add_central(&words, &shown);
    if (shown.row.c.record.status != CASE_OK) {
        text_clear(&words);
        case_status_describe(shown.row.c.record.status, shown.row.c.record.status_text, &words);
    }
    xml_print(out,
              "<details class=\"filtered\" id=\"%s\" data-label=\"%s\"><summary><bdi>%s</bdi> "
              "\u00A0<b>%s</b></summary>\n",
              anchor_of(run, rows, arena), shown.row.label, shown.row.label, text_get(&words));
    if (samples.n_sorted > 0) {
        double unit_ns = time_unit_of(samples.sorted[samples.n_sorted / 2])->ns;
        add_distribution(&shown, &samples, unit_ns, out);
        add_samples(&samples, unit_ns, out);
    }
    status = add_series(run->view, rows, n, arena, out, error);
    add_facts(&shown, rows, n, arena, out);
    text_add(out, "</details>\n");
    return status;
}

int32_t html_case_details(const struct html_run *run, struct gb_error *error)
{
    int32_t status = GB_OK;
    html_heading(run->out, "Each case");
    for (size_t i = 0; i < run->n_groups && status == GB_OK; i++) {
        CLEANUP(arena_free) struct arena arena = {0};
        const struct view_row *rows = view_group_rows(run->view, &run->groups[i], &arena);
        status = add_case(run, rows, run->groups[i].n, &arena, error);
    }
    return status;
}
