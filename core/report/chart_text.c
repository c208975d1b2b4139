/* chart_text.c - see chart.h: charts drawn with letters. */
#include "core/report/chart.h"

#include "core/base/table.h"
#include "core/view/view_cases.h"

#include <math.h>
#include <string.h>

enum { BAR = 40, FIELD = 56, LABEL_COLUMNS = 44 };

static void add_interval(const struct chart_point *point, struct text *out)
{
    if (!isfinite(point->low) || !isfinite(point->high))
        return;
    text_add(out, " ");
    text_add_interval(out, point->y, point->low, point->high);
}

static void add_paper(const struct chart *chart, const struct chart_point *point, struct text *out)
{
    if (!isfinite(point->paper))
        return;
    text_add(out, "; ");
    chart_add_value(chart, point->paper, out);
    text_printf(out, ", %.4g", point->y / point->paper);
}

static void add_right(struct text *out, const char *words, size_t width)
{
    size_t n = text_columns(words);
    text_pad(out, ' ', n < width ? width - n : 0);
    text_add(out, words);
}

/* ---- bars, and lines as bars ---- */

static size_t width_of(const struct chart *chart, const struct chart_panel *panel)
{
    size_t width = text_columns(chart->request.x);
    for (size_t i = 0; i < panel->n_points; i++) {
        size_t n = text_columns(panel->points[i]->words);
        width = n > width ? n : width;
    }
    return width;
}

static void add_bar(const struct chart *chart, const struct chart_point *point, double most,
                    size_t width, struct text *out)
{
    double share = most > 0 ? fmax(point->y, 0) / most : 0;
    size_t n = (size_t)lrint(BAR * fmin(share, 1));
    add_right(out, point->words, width);
    text_add(out, " |");
    text_pad(out, '#', n);
    text_add(out, n ? " " : "");
    chart_add_value(chart, point->y, out);
    text_add(out, point->mark);
    add_interval(point, out);
    add_paper(chart, point, out);
    if (point->relative && !chart->request.y) {
        text_add(out, point->relative->is_base ? "; " : "; ratio ");
        view_add_ratio(out, point->relative);
    }
    if (isfinite(point->ideal)) {
        text_add(out, "; ideal ");
        chart_add_value(chart, point->ideal, out);
    }
    text_add(out, "\n");
}

static void add_bars(const struct chart *chart, const struct chart_panel *panel, struct text *out)
{
    size_t width = width_of(chart, panel);
    double most = 0;
    for (size_t i = 0; i < panel->n_points; i++)
        most = fmax(most, panel->points[i]->y);
    add_right(out, chart->request.x, width);
    text_printf(out, "  %s%s\n", chart->request.y ? chart->request.y : "median, interval",
                panel->has_papers ? "; the document's, ratio to it" : "");
    for (size_t i = 0; i < panel->n_lines; i++) {
        if (chart->request.by)
            text_printf(out, "%s = %s\n", chart->request.by, panel->lines[i].name);
        for (size_t j = 0; j < panel->lines[i].n; j++)
            add_bar(chart, &panel->lines[i].points[j], most, width, out);
    }
}

/* ---- tables ---- */

static void add_heat(const struct chart *chart, const struct chart_panel *panel, struct text *out)
{
    CLEANUP(arena_free) struct arena arena = {0};
    CLEANUP(table_free) struct table table = {0};
    CLEANUP(text_free) struct text cell = {0};
    text_printf(&cell, "%s \\ %s", chart->request.by ? chart->request.by : "", chart->request.x);
    table_column(&table, text_get(&cell), false);
    for (size_t i = 0; i < panel->n_categories; i++)
        table_column(&table, panel->categories[i], true);
    for (size_t i = 0; i < panel->n_lines; i++) {
        table_row(&table);
        table_cell(&table, panel->lines[i].name);
        const struct chart_point **points = chart_points_of(panel, &panel->lines[i], &arena);
        for (size_t j = 0; j < panel->n_categories; j++) {
            struct text *value = table_words(&table);
            if (points[j])
                chart_add_value(chart, points[j]->y, value);
            text_add(value, points[j] ? points[j]->mark : "-");
        }
    }
    table_write(&table, TABLE_PLAIN, out);
}

/* ---- places on one line ---- */

struct scale {
    double low, high;
};

static size_t column_of(const struct scale *scale, double value)
{
    double place = (value - scale->low) / (scale->high - scale->low);
    return (size_t)lrint((FIELD - 1) * fmin(fmax(isfinite(place) ? place : 0, 0), 1));
}

static void extend(struct scale *scale, double value)
{
    if (!isfinite(value))
        return;
    scale->low = fmin(scale->low, value);
    scale->high = fmax(scale->high, value);
}

static void put(char field[FIELD + 1], const struct scale *scale, double from, double to, char with)
{
    for (size_t i = column_of(scale, from); i <= column_of(scale, to); i++)
        field[i] = with;
}

static void add_field(const char *label, const char field[FIELD + 1], struct text *out)
{
    const size_t columns = text_columns(label);
    text_add_cut(out, label, LABEL_COLUMNS);
    text_pad(out, ' ', columns < LABEL_COLUMNS ? LABEL_COLUMNS - columns : 0);
    text_printf(out, " |%s| ", field);
}

/* "|----[==M==]-----|": whiskers, quartiles, the median. */
static void add_box(const struct chart *chart, const struct chart_point *point,
                    const struct scale *scale, struct text *out)
{
    char field[FIELD + 1] = "";
    memset(field, ' ', FIELD);
    put(field, scale, point->whisker_low, point->whisker_high, '-');
    put(field, scale, point->q1, point->q3, '=');
    put(field, scale, point->median, point->median, 'M');
    add_field(point->label, field, out);
    chart_add_value(chart, point->median, out);
    text_add(out, "\n");
}

/* An interval relative to its own estimate, in the middle. */
static void add_relative(const struct chart *chart, const struct chart_point *point,
                         const struct scale *scale, struct text *out)
{
    char field[FIELD + 1] = "";
    memset(field, ' ', FIELD);
    if (isfinite(point->low) && isfinite(point->high))
        put(field, scale, point->low / point->y, point->high / point->y, '-');
    put(field, scale, 1, 1, '+');
    add_field(point->label, field, out);
    chart_add_value(chart, point->y, out);
    text_add(out, point->mark);
    add_interval(point, out);
    text_add(out, "\n");
}

static struct scale scale_of(const struct chart *chart, const struct chart_panel *panel)
{
    bool is_box = chart->request.kind == CHART_BOX;
    struct scale scale = {INFINITY, -INFINITY};
    for (size_t i = 0; i < panel->n_points; i++) {
        const struct chart_point *point = panel->points[i];
        double half = fmax(point->high / point->y - 1, 1 - point->low / point->y);
        extend(&scale, is_box ? point->whisker_low : 1 - (isfinite(half) ? half : 0));
        extend(&scale, is_box ? point->whisker_high : 1 + (isfinite(half) ? half : 0));
    }
    if (!(scale.high > scale.low))
        scale = (struct scale){scale.low - fabs(scale.low) / 2, scale.low + fabs(scale.low) / 2};
    return scale;
}

static void add_fields(const struct chart *chart, const struct chart_panel *panel, struct text *out)
{
    struct scale scale = scale_of(chart, panel);
    for (size_t i = 0; i < panel->n_points; i++)
        if (chart->request.kind == CHART_BOX)
            add_box(chart, panel->points[i], &scale, out);
        else
            add_relative(chart, panel->points[i], &scale, out);
    if (chart->request.kind == CHART_BOX) {
        text_add(out, "from ");
        chart_add_value(chart, scale.low, out);
        text_add(out, " to ");
        chart_add_value(chart, scale.high, out);
        text_add(out, "\n");
    } else {
        text_printf(out, "from %.3g %% to +%.3g %% of each estimate\n", 100 * (scale.low - 1),
                    100 * (scale.high - 1));
    }
}

/* ---- shares of the samples ---- */

static void add_quantiles(const struct chart *chart, const struct chart_panel *panel,
                          struct text *out)
{
    static const double shares[] = {0, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 1};
    enum { SHARES = sizeof shares / sizeof *shares };
    CLEANUP(table_free) struct table table = {0};
    table_column(&table, "case", false);
    for (size_t i = 0; i < SHARES; i++) {
        char head[16];
        snprintf(head, sizeof head, "%g %%", 100 * shares[i]);
        table_column(&table, head, true);
    }
    for (size_t i = 0; i < panel->n_points; i++) {
        const struct chart_point *point = panel->points[i];
        table_row(&table);
        table_cell(&table, point->label);
        for (size_t k = 0; k < SHARES; k++) {
            double value = quantile_of_sorted(point->sorted, point->n_sorted, shares[k]);
            if (isfinite(value))
                chart_add_value(chart, value, table_words(&table));
            else
                table_cell(&table, "-");
        }
    }
    text_add(out, chart->request.series ? "percentiles of the series\n"
                                        : "percentiles of the samples\n");
    table_write(&table, TABLE_PLAIN, out);
}

void chart_text(const struct chart *chart, struct text *out)
{
    for (size_t i = 0; i < chart->n_panels; i++) {
        const struct chart_panel *panel = &chart->panels[i];
        text_printf(out, "%s%s\n", i ? "\n" : "", panel->title);
        switch (chart->request.kind) {
        case CHART_HEAT:
            add_heat(chart, panel, out);
            break;
        case CHART_ECDF:
            add_quantiles(chart, panel, out);
            break;
        case CHART_BOX:
        case CHART_FOREST:
            add_fields(chart, panel, out);
            break;
        default:
            add_bars(chart, panel, out);
        }
    }
}
