/* html_series.c - see html_page.h: samples that a benchmark gave itself. */
#include "core/report/html_page.h"

#include <math.h>
#include <stdio.h>

enum { CURVE = 1000, WIDTH = 1000, HEIGHT = 170 };

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

static void add_row(const struct series_record *series, uint32_t round, struct text *out)
{
    char number[64];
    text_add(out, "<tr>");
    html_cell(out, "", series->name);
    html_cell(out, "", series->unit);
    snprintf(number, sizeof number, "%u", round);
    html_cell(out, "n", number);
    snprintf(number, sizeof number, "%llu", (unsigned long long)series->n);
    html_cell(out, "n", number);
    snprintf(number, sizeof number, "%.5g", series->mean);
    html_cell(out, "n", number);
    for (size_t i = 0; i < SERIES_LEVELS; i++)
        add_quantile(&series->quantiles[i], out);
    snprintf(number, sizeof number, "%.5g", series->max);
    html_cell(out, "n", number);
    text_add(out, "</tr>\n");
}

/* The share of the values up to each, without the last thousandth. */
static void add_curve(const struct case_series *series, struct text *out)
{
    CLEANUP(arena_free) struct arena arena = {0};
    double *x = ARENA_ARRAY(&arena, double, CURVE), *share = ARENA_ARRAY(&arena, double, CURVE);
    const double middle = quantile_of_sorted(series->sorted, series->n_sorted, 0.5);
    const struct time_unit *unit = time_unit_of(fabs(middle));
    const double scale = series->is_time ? unit->ns : 1;
    for (size_t i = 0; i < CURVE; i++) {
        share[i] = 100.0 * (double)i / CURVE;
        x[i] = quantile_of_sorted(series->sorted, series->n_sorted, (double)i / CURVE) / scale;
    }
    struct plot_series curve = {.kind = PLOT_LINE, .n = CURVE, .x = x, .y = share, .colour = 0};
    struct plot_panel panel = {
        .title = arena_printf(&arena, "%s: share up to each value, %%", series->record.name),
        .x_label = series->is_time ? unit->name : series->unit,
        .series = &curve,
        .n_series = 1,
        .height = HEIGHT};
    const struct plot_page page = {.panels = &panel, .n_panels = 1, .n_columns = 1, .width = WIDTH};
    html_figure(out, &page);
}

static void begin_table(struct text *out)
{
    text_add(out, "<h3>Samples of its own</h3>\n<div class=\"wide\"><table>\n<tr><th>series</th>"
                  "<th>unit</th><th class=\"n\">round</th><th class=\"n\">values</th>"
                  "<th class=\"n\">mean</th>");
    for (size_t i = 0; i < SERIES_LEVELS; i++)
        text_printf(out, "<th class=\"n\">%s</th>", series_levels[i].name);
    text_add(out, "<th class=\"n\">max</th></tr>\n");
}

int32_t html_series(struct view *view, const struct view_row *rows, size_t n, struct arena *arena,
                    struct text *out, struct gb_error *error)
{
    bool any = false;
    int32_t status = GB_OK;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < rows[i].c.record.n_series; j++) {
            if (!any)
                begin_table(out);
            any = true;
            add_row(&rows[i].c.record.series[j], rows[i].c.record.round, out);
        }
    text_add(out, any ? "</table></div>\n" : "");
    for (size_t j = 0; n > 0 && status == GB_OK && j < rows[0].c.record.n_series; j++) {
        struct case_series series;
        status = case_series_read(view, rows, n, rows[0].c.record.series[j].name, arena, &series,
                                  error);
        if (status == GB_OK && series.n_sorted > 0)
            add_curve(&series, out);
    }
    return status;
}
