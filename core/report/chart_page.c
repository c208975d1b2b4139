/* chart_page.c - see chart.h: charts as panels of a page. */
#include "core/report/chart.h"

#include "core/base/statistics.h"
#include "core/view/view_cases.h"

#include <math.h>

enum { HEIGHT = 232, LINES_HEIGHT = 300, ROW_HEIGHT = 20, FIRST_COLOUR = 4, CURVE_POINTS = 128 };

/* ---- what charts share ---- */

const struct chart_point *chart_point_at(const struct chart_line *line, const char *words)
{
    for (size_t i = 0; i < line->n; i++)
        if (text_equal(line->points[i].words, words))
            return &line->points[i];
    return NULL;
}

static const struct chart_point *known_point(const struct chart_panel *panel, const char *words,
                                             size_t n_lines)
{
    const struct chart_point *found = NULL;
    for (size_t i = 0; i < n_lines && !found; i++)
        found = chart_point_at(&panel->lines[i], words);
    return found;
}

size_t chart_categories(const struct chart_panel *panel, struct arena *arena, const char ***ret)
{
    double *numbers = NULL;
    size_t n = 0, n_numbers = 0;
    *ret = NULL;
    for (size_t i = 0; i < panel->n_lines; i++)
        for (size_t j = 0; j < panel->lines[i].n; j++) {
            const struct chart_point *point = &panel->lines[i].points[j];
            const struct chart_point *first = known_point(panel, point->words, i + 1);
            if (first != point)
                continue;
            ARENA_APPEND(arena, *ret, n, point->words);
            ARENA_APPEND(arena, numbers, n_numbers, point->x);
            for (size_t k = n - 1; k > 0 && numbers[k] < numbers[k - 1]; k--) {
                const char *words = (*ret)[k];
                double number = numbers[k];
                (*ret)[k] = (*ret)[k - 1];
                numbers[k] = numbers[k - 1];
                (*ret)[k - 1] = words;
                numbers[k - 1] = number;
            }
        }
    return n;
}

/* Are the numbers, n of them in any order, geometric rather than arithmetic? */
static bool is_geometric(const double *values, size_t n)
{
    CLEANUP(arena_free) struct arena arena = {0};
    double *sorted = ARENA_ARRAY(&arena, double, n + 1),
           *steps = ARENA_ARRAY(&arena, double, n + 1);
    size_t n_steps = 0;
    for (size_t i = 0; i < n; i++)
        sorted[i] = values[i];
    sort_values(sorted, n);
    if (n < 3 || !(sorted[0] > 0) || sorted[n - 1] < 8 * sorted[0])
        return false;
    for (size_t i = 1; i < n; i++)
        if (sorted[i] > sorted[i - 1])
            steps[n_steps++] = sorted[i] / sorted[i - 1];
    sort_values(steps, n_steps);
    return n_steps >= 2 && steps[(n_steps - 1) / 2] >= 1.4;
}

/* Is it drawn as lines: asked for, or X is five numbers and more, or geometric? */
static bool is_of_lines(const struct chart *chart, const struct chart_panel *panel)
{
    CLEANUP(arena_free) struct arena arena = {0};
    const char **values;
    size_t n = chart_categories(panel, &arena, &values);
    double *numbers = ARENA_ARRAY(&arena, double, n + 1);
    if (chart->request.kind != CHART_AUTO || !panel->has_numbers)
        return chart->request.kind == CHART_LINES && panel->has_numbers;
    for (size_t i = 0; i < n; i++)
        numbers[i] = known_point(panel, values[i], panel->n_lines)->x;
    return n >= 5 || is_geometric(numbers, n);
}

static double largest_of(const struct chart_panel *panel)
{
    double most = 0;
    for (size_t i = 0; i < panel->n_lines; i++)
        for (size_t j = 0; j < panel->lines[i].n; j++)
            most = fmax(most, fabs(panel->lines[i].points[j].y));
    return most;
}

static bool is_of_time(const struct chart *chart)
{
    return text_equal(chart->unit, "ns");
}

/* "median, us": what Y is, in a unit for its largest value; *ret_scale: what a value is divided by.
 */
static const char *y_label_of(const struct chart *chart, const struct chart_panel *panel,
                              struct arena *arena, double *ret_scale)
{
    bool is_box = chart->request.kind == CHART_BOX;
    const char *name = chart->request.series ? chart->request.series
                       : chart->request.y    ? chart->request.y
                       : is_box              ? "time"
                                             : "median";
    const char *papers = panel->has_papers && !is_box ? "; diamonds: the document's" : "";
    *ret_scale = 1;
    if (!is_of_time(chart))
        return *chart->unit ? arena_printf(arena, "%s, %s%s", name, chart->unit, papers)
                            : arena_printf(arena, "%s%s", name, papers);
    const struct time_unit *unit = time_unit_of(largest_of(panel));
    *ret_scale = unit->ns;
    return arena_printf(arena, "%s, %s%s", name, unit->name, papers);
}

void chart_add_value(const struct chart *chart, double value, struct text *out)
{
    char number[NUMBER_TEXT_MAX];
    if (is_of_time(chart))
        text_add(out, format_time(value, 4, number));
    else if (*chart->unit)
        text_add(out, format_si(value, chart->unit, 4, number));
    else
        text_printf(out, "%.5g", value);
}

const char *chart_words(const struct chart *chart)
{
    static const char *const words[CHART_KINDS] = {
        [CHART_BOX] = "quartiles of the samples, and those beyond within 1.5 times their distance",
        [CHART_ECDF] = "which share of the samples took at most so long",
        [CHART_FOREST] = "intervals relative to their estimates"};
    const char *of_kind = words[chart->request.kind];
    if (chart->request.kind == CHART_ECDF && chart->request.series)
        return "which share of a series is at most so large";
    return of_kind ? of_kind : chart->request.y ? chart->request.y : "medians and their intervals";
}

/* "gemm m=64: 1.2 us +-0.3 %". */
static const char *point_title(const struct chart *chart, const struct chart_point *point,
                               struct arena *arena)
{
    CLEANUP(text_free) struct text title = {0};
    text_printf(&title, "%s: ", point->label);
    chart_add_value(chart, point->y, &title);
    text_add(&title, point->mark);
    if (isfinite(point->low) && isfinite(point->high)) {
        text_add(&title, " ");
        view_add_interval(&title, point->y, point->low, point->high);
    }
    return arena_text(arena, text_get(&title));
}

static const char *value_words(const struct chart *chart, const struct chart_point *point,
                               struct arena *arena)
{
    CLEANUP(text_free) struct text words = {0};
    chart_add_value(chart, point->y, &words);
    text_add(&words, point->mark);
    if (point->relative && !point->relative->is_base && !chart->request.y)
        text_printf(&words, " (%.3g)", exp(point->relative->theta));
    return arena_text(arena, text_get(&words));
}

static const char *line_label(const struct chart *chart, const struct chart_line *line,
                              struct arena *arena)
{
    return *line->name ? arena_printf(arena, "%s=%s", chart->request.by, line->name) : NULL;
}

/* Numbers of a series, each of n. */
struct columns {
    double *x, *y, *low, *high, *paper, *ideal, *q1, *median, *q3;
    const char **titles, **names;
};

static struct columns new_columns(size_t n, struct arena *arena)
{
    struct columns columns = {.titles = ARENA_ARRAY(arena, const char *, n + 1),
                              .names = ARENA_ARRAY(arena, const char *, n + 1)};
    double **const numbers[] = {&columns.x,    &columns.y,      &columns.low,
                                &columns.high, &columns.paper,  &columns.ideal,
                                &columns.q1,   &columns.median, &columns.q3};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        *numbers[i] = ARENA_ARRAY(arena, double, n + 1);
        for (size_t j = 0; j < n; j++)
            (*numbers[i])[j] = NAN;
    }
    return columns;
}

static void set_point(const struct chart *chart, const struct chart_point *point, size_t i,
                      double x, double scale, struct arena *arena, struct columns *columns)
{
    columns->x[i] = x;
    columns->y[i] = point->y / scale;
    columns->low[i] = point->low / scale;
    columns->high[i] = point->high / scale;
    columns->paper[i] = point->paper / scale;
    columns->ideal[i] = point->ideal / scale;
    columns->q1[i] = point->q1 / scale;
    columns->median[i] = point->median / scale;
    columns->q3[i] = point->q3 / scale;
    columns->titles[i] = point_title(chart, point, arena);
    columns->names[i] = value_words(chart, point, arena);
}

struct series_list {
    struct plot_series *items;
    size_t n;
};

static void add_series(struct series_list *list, struct arena *arena, struct plot_series series)
{
    ARENA_APPEND(arena, list->items, list->n, series);
}

static void add_papers(struct series_list *list, struct arena *arena, size_t n,
                       const struct columns *columns)
{
    add_series(list, arena,
               (struct plot_series){.kind = PLOT_POINTS,
                                    .n = n,
                                    .x = columns->x,
                                    .y = columns->paper,
                                    .shape = PLOT_DIAMOND,
                                    .colour = 1});
}

static void add_ideal(struct series_list *list, struct arena *arena, size_t n,
                      const struct columns *columns)
{
    add_series(list, arena,
               (struct plot_series){.kind = PLOT_LINE,
                                    .n = n,
                                    .x = columns->x,
                                    .y = columns->ideal,
                                    .colour = PLOT_GREY,
                                    .is_dashed = true});
}

static void finish_panel(const struct chart_panel *panel, const struct series_list *list,
                         struct plot_panel *ret)
{
    ret->title = panel->title;
    ret->series = list->items;
    ret->n_series = list->n;
}

/* ---- bars and boxes ---- */

static int colour_of(const struct chart_panel *panel, size_t line)
{
    return panel->n_lines > 1 ? (int)line : FIRST_COLOUR;
}

static void make_bars(const struct chart *chart, const struct chart_panel *panel,
                      struct arena *arena, struct plot_panel *ret)
{
    struct series_list list = {0};
    double scale;
    *ret = (struct plot_panel){.x_label = chart->request.x,
                               .y_label = y_label_of(chart, panel, arena, &scale),
                               .height = HEIGHT};
    ret->n_categories = chart_categories(panel, arena, (const char ***)&ret->categories);
    for (size_t i = 0; i < panel->n_lines; i++) {
        const struct chart_line *line = &panel->lines[i];
        struct columns columns = new_columns(ret->n_categories, arena);
        double aside = ((double)i - (double)(panel->n_lines - 1) / 2) * 0.8 /
                       (double)panel->n_lines;
        for (size_t j = 0; j < ret->n_categories; j++) {
            const struct chart_point *point = chart_point_at(line, ret->categories[j]);
            if (point)
                set_point(chart, point, j, (double)j + aside, scale, arena, &columns);
        }
        add_series(&list, arena,
                   (struct plot_series){.kind = PLOT_BARS,
                                        .label = line_label(chart, line, arena),
                                        .n = ret->n_categories,
                                        .y = columns.y,
                                        .names = panel->n_lines == 1 ? columns.names : NULL,
                                        .titles = columns.titles,
                                        .colour = colour_of(panel, i)});
        add_series(&list, arena,
                   (struct plot_series){.kind = PLOT_INTERVALS,
                                        .n = ret->n_categories,
                                        .x = columns.x,
                                        .y = columns.low,
                                        .high = columns.high,
                                        .colour = 5});
        if (panel->has_papers)
            add_papers(&list, arena, ret->n_categories, &columns);
        if (chart->request.ideal)
            add_ideal(&list, arena, ret->n_categories, &columns);
    }
    finish_panel(panel, &list, ret);
}

/* Of each line and category; lines stand side by side. */
static void make_boxes(const struct chart *chart, const struct chart_panel *panel,
                       struct arena *arena, struct plot_panel *ret)
{
    struct series_list list = {0};
    double scale;
    *ret = (struct plot_panel){.x_label = chart->request.x,
                               .y_label = y_label_of(chart, panel, arena, &scale),
                               .height = LINES_HEIGHT};
    ret->n_categories = chart_categories(panel, arena, (const char ***)&ret->categories);
    for (size_t i = 0; i < panel->n_lines; i++) {
        struct columns columns = new_columns(ret->n_categories, arena);
        double width = 0.8 / (double)panel->n_lines;
        for (size_t j = 0; j < ret->n_categories; j++) {
            const struct chart_point *point = chart_point_at(&panel->lines[i], ret->categories[j]);
            if (!point)
                continue;
            set_point(chart, point, j,
                      (double)j + ((double)i - (double)(panel->n_lines - 1) / 2) * width, scale,
                      arena, &columns);
            columns.low[j] = point->whisker_low / scale;
            columns.high[j] = point->whisker_high / scale;
        }
        int colour = colour_of(panel, i);
        add_series(&list, arena,
                   (struct plot_series){.kind = PLOT_INTERVALS,
                                        .n = ret->n_categories,
                                        .x = columns.x,
                                        .y = columns.low,
                                        .high = columns.high,
                                        .colour = colour});
        add_series(&list, arena,
                   (struct plot_series){.kind = PLOT_BOXES,
                                        .label = line_label(chart, &panel->lines[i], arena),
                                        .n = ret->n_categories,
                                        .x = columns.x,
                                        .y = columns.q1,
                                        .high = columns.q3,
                                        .titles = columns.titles,
                                        .width = 0.8 * width,
                                        .colour = colour});
        add_series(&list, arena,
                   (struct plot_series){.kind = PLOT_BOXES,
                                        .n = ret->n_categories,
                                        .x = columns.x,
                                        .y = columns.median,
                                        .high = columns.median,
                                        .width = 0.8 * width,
                                        .colour = 5});
    }
    finish_panel(panel, &list, ret);
}

/* ---- lines ---- */

static void choose_axes(const struct chart_panel *panel, struct arena *arena,
                        struct plot_panel *ret)
{
    double *x = NULL, *y = NULL, least = INFINITY, most = 0;
    size_t n_x = 0, n_y = 0;
    for (size_t i = 0; i < panel->n_lines; i++)
        for (size_t j = 0; j < panel->lines[i].n; j++) {
            const struct chart_point *point = &panel->lines[i].points[j];
            ARENA_APPEND(arena, x, n_x, point->x);
            ARENA_APPEND(arena, y, n_y, point->y);
            least = fmin(least, point->y);
            most = fmax(most, point->y);
        }
    ret->x_log = is_geometric(x, n_x);
    ret->y_log = ret->x_log && least > 0 && most > 8 * least;
    ret->x_is_count = ret->x_log;
}

static void make_lines(const struct chart *chart, const struct chart_panel *panel,
                       struct arena *arena, struct plot_panel *ret)
{
    struct series_list list = {0};
    double scale;
    *ret = (struct plot_panel){.x_label = chart->request.x,
                               .y_label = y_label_of(chart, panel, arena, &scale),
                               .height = LINES_HEIGHT};
    choose_axes(panel, arena, ret);
    for (size_t i = 0; i < panel->n_lines; i++) {
        const struct chart_line *line = &panel->lines[i];
        struct columns columns = new_columns(line->n, arena);
        for (size_t j = 0; j < line->n; j++)
            set_point(chart, &line->points[j], j, line->points[j].x, scale, arena, &columns);
        struct plot_series common = {
            .n = line->n, .x = columns.x, .y = columns.y, .colour = (int)i};
        struct plot_series curve = common, points = common, intervals = common;
        curve.kind = PLOT_LINE;
        curve.label = line_label(chart, line, arena);
        intervals.kind = PLOT_INTERVALS;
        intervals.y = columns.low;
        intervals.high = columns.high;
        points.kind = PLOT_POINTS;
        points.titles = columns.titles;
        points.shape = (int)(i / 8);
        add_series(&list, arena, curve);
        add_series(&list, arena, intervals);
        add_series(&list, arena, points);
        if (panel->has_papers)
            add_papers(&list, arena, line->n, &columns);
        if (chart->request.ideal)
            add_ideal(&list, arena, line->n, &columns);
    }
    finish_panel(panel, &list, ret);
}

/* ---- heat ---- */

static void make_heat(const struct chart *chart, const struct chart_panel *panel,
                      struct arena *arena, struct plot_panel *ret)
{
    const char **rows = ARENA_ARRAY(arena, const char *, panel->n_lines + 1);
    struct series_list list = {0};
    double scale;
    *ret = (struct plot_panel){.x_label = chart->request.x, .y_categories = rows};
    const char *what = y_label_of(chart, panel, arena, &scale);
    ret->n_categories = chart_categories(panel, arena, (const char ***)&ret->categories);
    ret->n_y_categories = panel->n_lines;
    ret->height = ROW_HEIGHT * (double)(panel->n_lines + 1);
    for (size_t i = 0; i < panel->n_lines; i++) {
        struct columns columns = new_columns(ret->n_categories, arena);
        rows[i] = panel->lines[i].name;
        for (size_t j = 0; j < ret->n_categories; j++) {
            const struct chart_point *point = chart_point_at(&panel->lines[i], ret->categories[j]);
            if (!point)
                continue;
            set_point(chart, point, j, (double)j, scale, arena, &columns);
            columns.high[j] = point->y / scale;
            columns.y[j] = (double)i;
            columns.names[j] = arena_printf(arena, "%.4g%s", point->y / scale, point->mark);
        }
        add_series(&list, arena,
                   (struct plot_series){.kind = PLOT_CELLS,
                                        .n = ret->n_categories,
                                        .x = columns.x,
                                        .y = columns.y,
                                        .high = columns.high,
                                        .names = columns.names,
                                        .titles = columns.titles,
                                        .colour = 0});
    }
    finish_panel(panel, &list, ret);
    ret->title = arena_printf(arena, "%s: %s", panel->title, what);
    ret->y_label = chart->request.by;
}

/* ---- intervals below each other ---- */

static void make_forest(const struct chart *chart, const struct chart_panel *panel,
                        struct arena *arena, struct plot_panel *ret)
{
    size_t n = 0, at = 0;
    for (size_t i = 0; i < panel->n_lines; i++)
        n += panel->lines[i].n;
    struct columns columns = new_columns(n, arena);
    const char **rows = ARENA_ARRAY(arena, const char *, n + 1);
    double *places = ARENA_ARRAY(arena, double, n + 1);
    struct plot_vertical *middle = ARENA_NEW(arena, struct plot_vertical);
    struct series_list list = {0};
    for (size_t i = 0; i < panel->n_lines; i++)
        for (size_t j = 0; j < panel->lines[i].n; j++, at++) {
            const struct chart_point *point = &panel->lines[i].points[j];
            set_point(chart, point, at, 0, 1, arena, &columns);
            rows[at] = point->label;
            places[at] = (double)at;
            columns.low[at] = 100 * (point->low / point->y - 1);
            columns.high[at] = 100 * (point->high / point->y - 1);
        }
    *middle = (struct plot_vertical){.x = 0, .colour = PLOT_GREY};
    *ret = (struct plot_panel){.x_label = "interval, % of the estimate",
                               .y_categories = rows,
                               .n_y_categories = n,
                               .verticals = middle,
                               .n_verticals = 1,
                               .height = ROW_HEIGHT * (double)(n + 1)};
    add_series(
        &list, arena,
        (struct plot_series){
            .kind = PLOT_SPANS, .n = n, .x = columns.low, .y = places, .high = columns.high});
    add_series(
        &list, arena,
        (struct plot_series){
            .kind = PLOT_POINTS, .n = n, .x = columns.x, .y = places, .titles = columns.titles});
    finish_panel(panel, &list, ret);
}

/* ---- shares of the samples ---- */

static void make_curves(const struct chart *chart, const struct chart_panel *panel,
                        struct arena *arena, struct plot_panel *ret)
{
    struct series_list list = {0};
    double scale, least = INFINITY, most = 0;
    const char *label = y_label_of(chart, panel, arena, &scale);
    for (size_t i = 0; i < panel->n_lines; i++)
        for (size_t j = 0; j < panel->lines[i].n; j++) {
            const struct chart_point *point = &panel->lines[i].points[j];
            double *x = ARENA_ARRAY(arena, double, CURVE_POINTS);
            double *share = ARENA_ARRAY(arena, double, CURVE_POINTS);
            for (size_t k = 0; k < CURVE_POINTS && point->n_sorted > 0; k++) {
                share[k] = (double)k / (CURVE_POINTS - 1);
                x[k] = quantile_of_sorted(point->sorted, point->n_sorted, share[k]) / scale;
            }
            double reach = 3 * (point->q3 - point->q1) + 0.02 * fabs(point->median);
            least = fmin(least, fmax(x[0], (point->q1 - reach) / scale));
            most = fmax(most, fmin(x[CURVE_POINTS - 1], (point->q3 + reach) / scale));
            if (chart->request.series) /* of which the tail is what matters */
                most = fmax(most,
                            quantile_of_sorted(point->sorted, point->n_sorted, 0.999) / scale);
            add_series(&list, arena,
                       (struct plot_series){.kind = PLOT_LINE,
                                            .label = point->label,
                                            .n = point->n_sorted > 0 ? CURVE_POINTS : 0,
                                            .x = x,
                                            .y = share,
                                            .colour = (int)list.n});
        }
    *ret = (struct plot_panel){
        .x_label = chart->request.series
                       ? label
                       : arena_printf(arena, "time, %s", time_unit_of(scale)->name),
        .y_label = "share of the samples",
        .height = LINES_HEIGHT};
    if (least < most) {
        ret->x_low = least - 0.04 * (most - least);
        ret->x_high = most + 0.04 * (most - least);
    }
    finish_panel(panel, &list, ret);
}

void chart_make_panels(const struct chart *chart, size_t most, struct arena *arena,
                       struct plot_panel **panels, size_t *n)
{
    for (size_t i = 0; i < chart->n_panels && i < most; i++) {
        const struct chart_panel *panel = &chart->panels[i];
        struct plot_panel *added = ARENA_ADD(arena, *panels, *n);
        if (chart->request.kind == CHART_HEAT)
            make_heat(chart, panel, arena, added);
        else if (chart->request.kind == CHART_FOREST)
            make_forest(chart, panel, arena, added);
        else if (chart->request.kind == CHART_ECDF)
            make_curves(chart, panel, arena, added);
        else if (chart->request.kind == CHART_BOX)
            make_boxes(chart, panel, arena, added);
        else if (is_of_lines(chart, panel))
            make_lines(chart, panel, arena, added);
        else
            make_bars(chart, panel, arena, added);
    }
}
