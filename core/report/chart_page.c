/* chart_page.c - see chart.h: charts as panels of a page. */
#include "core/report/chart.h"

#include "core/base/statistics.h"
#include "core/view/view_cases.h"

#include <math.h>

enum {
    HEIGHT = 232,
    LINES_HEIGHT = 300,
    ROW_HEIGHT = 20,
    FIRST_COLOUR = 4,
    CURVE_POINTS = 128,
    TITLES_MAX = 256
};

/* ---- what charts share ---- */

const struct chart_point **chart_points_of(const struct chart_panel *panel,
                                           const struct chart_line *line, struct arena *arena)
{
    const struct chart_point **ret = ARENA_ARRAY(arena, const struct chart_point *,
                                                 panel->n_categories + 1);
    for (size_t i = line->n; i-- > 0;)
        ret[line->points[i].category] = &line->points[i];
    return ret;
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
    double *numbers = ARENA_ARRAY(&arena, double, panel->n_categories + 1);
    if (chart->request.kind != CHART_AUTO || !panel->has_numbers)
        return chart->request.kind == CHART_LINES && panel->has_numbers;
    for (size_t i = panel->n_points; i-- > 0;)
        numbers[panel->points[i]->category] = panel->points[i]->x;
    return panel->n_categories >= 5 || is_geometric(numbers, panel->n_categories);
}

static double largest_of(const struct chart_panel *panel)
{
    double most = 0;
    for (size_t i = 0; i < panel->n_points; i++)
        most = fmax(most, fabs(panel->points[i]->y));
    return most;
}

static bool is_of_time(const struct chart *chart)
{
    return text_equal(chart->unit, "ns");
}

void chart_add_value(const struct chart *chart, double value, struct text *out)
{
    if (is_of_time(chart))
        text_add(out, TIME_TEXT(value, 4));
    else if (*chart->unit)
        text_add(out, SI_TEXT(value, chart->unit, 4));
    else
        text_printf(out, "%.5g", value);
}

const char *chart_words(const struct chart *chart)
{
    static const char *const words[CHART_KINDS] = {
        [CHART_BOX] = "quartiles of the samples, and those beyond within 1.5 times their distance",
        [CHART_ECDF] = "cumulative share of the samples",
        [CHART_FOREST] = "intervals relative to their estimates"};
    const char *of_kind = words[chart->request.kind];
    if (chart->request.kind == CHART_ECDF && chart->request.series)
        return "cumulative share of a series";
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
        text_add_interval(&title, point->y, point->low, point->high);
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

/* A panel being made. */
struct maker {
    const struct chart *chart;
    const struct chart_panel *panel;
    struct arena *arena;
    double scale; /* what values are divided by */
    struct plot_series *series;
    size_t n_series;
};

/* "median, us": what Y is, in a unit for its largest value; *ret_scale: what a value is divided by.
 */
static const char *y_label_of(const struct maker *maker, double *ret_scale)
{
    const struct chart_request *request = &maker->chart->request;
    const bool is_box = request->kind == CHART_BOX;
    const char *name = request->series ? request->series
                       : request->y    ? request->y
                       : is_box        ? "time"
                                       : "median";
    const bool has_marks = !is_box && request->kind != CHART_HEAT;
    const char *papers = maker->panel->has_papers && has_marks
                             ? "; diamonds: values of the document"
                             : "";
    const char *bases = maker->panel->has_bases && has_marks ? "; grey: the baseline" : "";
    const char *unit = maker->chart->unit;
    *ret_scale = 1;
    if (is_of_time(maker->chart)) {
        const struct time_unit *of_time = time_unit_of(largest_of(maker->panel));
        *ret_scale = of_time->ns;
        unit = of_time->name;
    }
    return arena_printf(maker->arena, "%s%s%s%s%s", name, *unit ? ", " : "", unit, papers, bases);
}

/* What a chart shows of points, by the place of each: NaN and NULL where there is none. */
enum { Y, LOW, HIGH, PAPER, BASE, IDEAL, Q1, MEDIAN, Q3, NUMBERS };
struct columns {
    size_t n;
    double *x, *of[NUMBERS + 1]; /* the last is NULL */
    const char **titles, **names;
};

static struct columns new_columns(size_t n, struct arena *arena)
{
    struct columns columns = {.n = n,
                              .titles = ARENA_ARRAY(arena, const char *, n + 1),
                              .names = ARENA_ARRAY(arena, const char *, n + 1)};
    double *numbers = ARENA_ARRAY(arena, double, (NUMBERS + 1) * (n + 1));
    for (size_t i = 0; i < (NUMBERS + 1) * (n + 1); i++)
        numbers[i] = NAN;
    for (size_t i = 0; i < NUMBERS; i++)
        columns.of[i] = numbers + i * (n + 1);
    columns.x = numbers + NUMBERS * (n + 1);
    return columns;
}

static void set_point(const struct maker *maker, const struct chart_point *point, size_t i,
                      double x, struct columns *columns)
{
    const struct chart *chart = maker->chart;
    const bool is_box = chart->request.kind == CHART_BOX;
    const double numbers[NUMBERS] = {
        [Y] = point->y,
        [LOW] = is_box ? point->whisker_low : point->low,
        [HIGH] = is_box ? point->whisker_high : point->high,
        [PAPER] = point->paper,
        [BASE] = point->base,
        [IDEAL] = point->ideal,
        [Q1] = point->q1,
        [MEDIAN] = point->median,
        [Q3] = point->q3,
    };
    for (size_t j = 0; j < NUMBERS; j++)
        columns->of[j][i] = numbers[j] / maker->scale;
    columns->x[i] = x;
    columns->titles[i] = point_title(chart, point, maker->arena);
    columns->names[i] = chart->request.kind == CHART_HEAT
                            ? arena_printf(maker->arena, "%.4g%s", columns->of[Y][i], point->mark)
                            : value_words(chart, point, maker->arena);
}

/* The points of a line by category; lines beside each other share so much of one, or stand in the
 * same place: 0. */
static const double SIDE_BY_SIDE = 0.8;
static struct columns columns_of_line(const struct maker *maker, size_t line, double share)
{
    const struct chart_panel *panel = maker->panel;
    const double aside = ((double)line - (double)(panel->n_lines - 1) / 2) * share /
                         (double)panel->n_lines;
    struct columns columns = new_columns(panel->n_categories, maker->arena);
    const struct chart_point **points = chart_points_of(panel, &panel->lines[line], maker->arena);
    for (size_t i = 0; i < columns.n; i++)
        if (points[i])
            set_point(maker, points[i], i, (double)i + aside, &columns);
    return columns;
}

/* y, high: which of the columns; high NUMBERS: none. */
static struct plot_series *add_series(struct maker *maker, int kind, const struct columns *columns,
                                      int y, int high, int colour)
{
    struct plot_series *series = ARENA_ADD(maker->arena, maker->series, maker->n_series);
    *series = (struct plot_series){.kind = kind,
                                   .n = columns->n,
                                   .x = columns->x,
                                   .y = columns->of[y],
                                   .high = columns->of[high],
                                   .colour = colour};
    return series;
}

/* A document's figures, the baseline's and an ideal shape, where there are such. */
static void add_others(struct maker *maker, const struct columns *columns)
{
    if (maker->panel->has_papers)
        add_series(maker, PLOT_POINTS, columns, PAPER, NUMBERS, 1)->shape = PLOT_DIAMOND;
    if (maker->panel->has_bases) {
        struct plot_series *bases = add_series(maker, PLOT_POINTS, columns, BASE, NUMBERS,
                                               PLOT_GREY);
        bases->shape = PLOT_SQUARE;
        bases->size = 0.8;
    }
    if (maker->chart->request.ideal)
        add_series(maker, PLOT_LINE, columns, IDEAL, NUMBERS, PLOT_GREY)->is_dashed = true;
}

/* Powers of two, or three times one, up to 1,024 and more. */
static bool is_binary(const struct chart_panel *panel)
{
    double most = 0;
    for (size_t i = 0; panel->has_numbers && i < panel->n_points; i++) {
        int power;
        const double x = panel->points[i]->x, share = frexp(x, &power);
        if ((share != 0.5 && share != 0.75) || x < 1)
            return false;
        most = fmax(most, x);
    }
    return most >= 1024;
}

/* As words, or 64Ki where they are binary. */
static const char **categories_of(const struct maker *maker)
{
    const struct chart_panel *panel = maker->panel;
    if (!is_binary(panel))
        return panel->categories;
    const char **ret = ARENA_ARRAY(maker->arena, const char *, panel->n_categories + 1);
    for (size_t i = 0; i < panel->n_points; i++) {
        CLEANUP(text_free) struct text words = {0};
        plot_add_binary(&words, panel->points[i]->x);
        ret[panel->points[i]->category] = arena_text(maker->arena, text_get(&words));
    }
    return ret;
}

/* A panel of Y over X. */
static struct plot_panel begin_panel(struct maker *maker, double height)
{
    const struct chart_panel *panel = maker->panel;
    return (struct plot_panel){.title = panel->title,
                               .x_label = maker->chart->request.x,
                               .y_label = y_label_of(maker, &maker->scale),
                               .categories = categories_of(maker),
                               .n_categories = panel->n_categories,
                               .height = height};
}

/* ---- bars and boxes ---- */

static int colour_of(const struct chart_panel *panel, size_t line)
{
    return panel->n_lines > 1 ? (int)line : FIRST_COLOUR;
}

static void make_bars(struct maker *maker, struct plot_panel *ret)
{
    const struct chart_panel *panel = maker->panel;
    *ret = begin_panel(maker, HEIGHT);
    for (size_t i = 0; i < panel->n_lines; i++) {
        const struct columns columns = columns_of_line(maker, i, SIDE_BY_SIDE);
        struct plot_series *bars = add_series(maker, PLOT_BARS, &columns, Y, NUMBERS,
                                              colour_of(panel, i));
        bars->x = NULL;
        bars->label = line_label(maker->chart, &panel->lines[i], maker->arena);
        bars->names = panel->n_lines == 1 ? columns.names : NULL;
        bars->titles = columns.titles;
        add_series(maker, PLOT_INTERVALS, &columns, LOW, HIGH, 5);
        add_others(maker, &columns);
    }
}

static void make_boxes(struct maker *maker, struct plot_panel *ret)
{
    const struct chart_panel *panel = maker->panel;
    const double width = 0.8 * SIDE_BY_SIDE / (double)panel->n_lines;
    *ret = begin_panel(maker, LINES_HEIGHT);
    for (size_t i = 0; i < panel->n_lines; i++) {
        const struct columns columns = columns_of_line(maker, i, SIDE_BY_SIDE);
        const int colour = colour_of(panel, i);
        add_series(maker, PLOT_INTERVALS, &columns, LOW, HIGH, colour);
        struct plot_series *box = add_series(maker, PLOT_BOXES, &columns, Q1, Q3, colour);
        box->label = line_label(maker->chart, &panel->lines[i], maker->arena);
        box->titles = columns.titles;
        box->width = width;
        add_series(maker, PLOT_BOXES, &columns, MEDIAN, MEDIAN, 5)->width = width;
    }
}

/* ---- lines ---- */

static void choose_axes(const struct chart_panel *panel, struct arena *arena,
                        struct plot_panel *ret)
{
    double *x = ARENA_ARRAY(arena, double, panel->n_points + 1), least = INFINITY, most = 0;
    for (size_t i = 0; i < panel->n_points; i++) {
        x[i] = panel->points[i]->x;
        least = fmin(least, panel->points[i]->y);
        most = fmax(most, panel->points[i]->y);
    }
    ret->x_log = is_geometric(x, panel->n_points);
    ret->y_log = ret->x_log && least > 0 && most > 8 * least;
    ret->x_is_count = ret->x_log;
    ret->x_is_binary = ret->x_log && is_binary(panel);
}

static void make_lines(struct maker *maker, struct plot_panel *ret)
{
    const struct chart_panel *panel = maker->panel;
    *ret = begin_panel(maker, LINES_HEIGHT);
    ret->categories = NULL;
    ret->n_categories = 0;
    choose_axes(panel, maker->arena, ret);
    for (size_t i = 0; i < panel->n_lines; i++) {
        const struct chart_line *line = &panel->lines[i];
        struct columns columns = new_columns(line->n, maker->arena);
        for (size_t j = 0; j < line->n; j++)
            set_point(maker, &line->points[j], j, line->points[j].x, &columns);
        if (panel->has_bases)
            add_series(maker, PLOT_LINE, &columns, BASE, NUMBERS, PLOT_GREY)->is_dashed = true;
        add_series(maker, PLOT_LINE, &columns, Y, NUMBERS, (int)i)->label = line_label(
            maker->chart, line, maker->arena);
        add_series(maker, PLOT_INTERVALS, &columns, LOW, HIGH, (int)i);
        struct plot_series *points = add_series(maker, PLOT_POINTS, &columns, Y, NUMBERS, (int)i);
        points->titles = columns.n <= TITLES_MAX ? columns.titles : NULL;
        points->size = columns.n <= TITLES_MAX ? 1 : 0.4;
        points->shape = (int)(i / 8);
        add_others(maker, &columns);
    }
}

/* ---- heat ---- */

static void make_heat(struct maker *maker, struct plot_panel *ret)
{
    const struct chart_panel *panel = maker->panel;
    const char **rows = ARENA_ARRAY(maker->arena, const char *, panel->n_lines + 1);
    *ret = begin_panel(maker, ROW_HEIGHT * (double)(panel->n_lines + 1));
    ret->title = arena_printf(maker->arena, "%s: %s", panel->title, ret->y_label);
    ret->y_label = maker->chart->request.by;
    ret->y_categories = rows;
    ret->n_y_categories = panel->n_lines;
    for (size_t i = 0; i < panel->n_lines; i++) {
        const struct columns columns = columns_of_line(maker, i, 0);
        double *place = ARENA_ARRAY(maker->arena, double, columns.n + 1);
        rows[i] = panel->lines[i].name;
        for (size_t j = 0; j < columns.n; j++)
            place[j] = (double)i;
        struct plot_series *cells = add_series(maker, PLOT_CELLS, &columns, Y, Y, 0);
        cells->y = place;
        cells->names = columns.names;
        cells->titles = columns.titles;
    }
}

/* ---- intervals below each other ---- */

static void make_forest(struct maker *maker, struct plot_panel *ret)
{
    static const struct plot_vertical middle = {.x = 0, .colour = PLOT_GREY};
    const struct chart_panel *panel = maker->panel;
    const size_t n = panel->n_points;
    struct columns columns = new_columns(n, maker->arena);
    const char **rows = ARENA_ARRAY(maker->arena, const char *, n + 1);
    for (size_t i = 0; i < n; i++) {
        const struct chart_point *point = panel->points[i];
        set_point(maker, point, i, 0, &columns);
        rows[i] = point->label;
        columns.of[Y][i] = (double)i;
        columns.of[LOW][i] = 100 * (point->low / point->y - 1);
        columns.of[HIGH][i] = 100 * (point->high / point->y - 1);
    }
    *ret = (struct plot_panel){.title = panel->title,
                               .x_label = "interval, % of the estimate",
                               .y_categories = rows,
                               .n_y_categories = n,
                               .verticals = &middle,
                               .n_verticals = 1,
                               .height = ROW_HEIGHT * (double)(n + 1)};
    add_series(maker, PLOT_SPANS, &columns, Y, HIGH, 0)->x = columns.of[LOW];
    add_series(maker, PLOT_POINTS, &columns, Y, NUMBERS, 0)->titles = columns.titles;
}

/* ---- shares of the samples ---- */

static void make_curves(struct maker *maker, struct plot_panel *ret)
{
    const struct chart_panel *panel = maker->panel;
    const bool is_series = maker->chart->request.series != NULL;
    double least = INFINITY, most = 0;
    const char *label = y_label_of(maker, &maker->scale);
    for (size_t i = 0; i < panel->n_points; i++) {
        const struct chart_point *point = panel->points[i];
        struct columns columns = new_columns(CURVE_POINTS, maker->arena);
        double *x = columns.x, scale = maker->scale;
        columns.n = point->n_sorted > 0 ? CURVE_POINTS : 0;
        x[0] = x[CURVE_POINTS - 1] = 0;
        for (size_t k = 0; k < columns.n; k++) {
            columns.of[Y][k] = (double)k / (CURVE_POINTS - 1);
            x[k] = quantile_of_sorted(point->sorted, point->n_sorted, columns.of[Y][k]) / scale;
        }
        double reach = 3 * (point->q3 - point->q1) + 0.02 * fabs(point->median);
        least = fmin(least, fmax(x[0], (point->q1 - reach) / scale));
        most = fmax(most, fmin(x[CURVE_POINTS - 1], (point->q3 + reach) / scale));
        if (is_series) /* of which the tail is what matters */
            most = fmax(most, quantile_of_sorted(point->sorted, point->n_sorted, 0.999) / scale);
        add_series(maker, PLOT_LINE, &columns, Y, NUMBERS, (int)i)->label = point->label;
    }
    *ret = (struct plot_panel){
        .title = panel->title,
        .x_label = is_series
                       ? label
                       : arena_printf(maker->arena, "time, %s", time_unit_of(maker->scale)->name),
        .y_label = "share of the samples",
        .height = LINES_HEIGHT};
    if (least < most) {
        ret->x_low = least - 0.04 * (most - least);
        ret->x_high = most + 0.04 * (most - least);
    }
}

void chart_make_panels(const struct chart *chart, size_t most, struct arena *arena,
                       struct plot_panel **panels, size_t *n)
{
    static void (*const makers[CHART_KINDS])(struct maker *, struct plot_panel *) = {
        [CHART_HEAT] = make_heat,
        [CHART_FOREST] = make_forest,
        [CHART_ECDF] = make_curves,
        [CHART_BOX] = make_boxes,
    };
    for (size_t i = 0; i < chart->n_panels && i < most; i++) {
        struct maker maker = {
            .chart = chart, .panel = &chart->panels[i], .arena = arena, .scale = 1};
        struct plot_panel *added = ARENA_ADD(arena, *panels, *n);
        if (makers[chart->request.kind])
            makers[chart->request.kind](&maker, added);
        else if (is_of_lines(chart, maker.panel))
            make_lines(&maker, added);
        else
            make_bars(&maker, added);
        added->series = maker.series;
        added->n_series = maker.n_series;
    }
}
