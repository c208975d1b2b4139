/* report_page.c - see report.h: rooflines and bars as a page of charts. Floor 4. */
#include "core/report_internal.h"

#include "core/text.h"

#include <math.h>

enum { WIDTH = 1120, ROOFLINE_HEIGHT = 560, BARS_HEIGHT = 300, HEAD = 60, CURVE_POINTS = 2 };

/* Marks of declared work are black, so that they are no roof's. */
static const int mark_colours[MARK_LEVELS] = {5, 6, 3, 1};
static const int roof_colours[] = {0, 1, 2, 3, 4, 6, 7};
enum { ROOF_COLOURS = sizeof roof_colours / sizeof *roof_colours };

/* A panel being filled. */
struct panel_maker {
    struct arena *arena;
    struct plot_panel *panel;
    struct plot_series *series;
    size_t n_series;
    struct plot_note *notes;
    size_t n_notes;
};

static void add_note(struct panel_maker *maker, const char *words, int colour)
{
    maker->notes = arena_grow(maker->arena, maker->notes, maker->n_notes, sizeof *maker->notes);
    maker->notes[maker->n_notes++] = (struct plot_note){words, colour};
}

static struct plot_series *add_series(struct panel_maker *maker, int kind, size_t n)
{
    double *values = ARENA_ARRAY(maker->arena, double, 2 * n + 1);
    struct plot_series *series = &maker->series[maker->n_series++];
    *series = (struct plot_series){.kind = kind, .n = n, .x = values, .y = values + n};
    return series;
}

/* The coordinates of a series that add_series has made. */
static double *x_of(const struct plot_series *series)
{
    return (double *)(uintptr_t)series->x;
}

static double *y_of(const struct plot_series *series)
{
    return (double *)(uintptr_t)series->y;
}

/* Are the lines too near to each other for a name between them? As pixels of the panel, but for
 * what is around it. */
static bool is_near(const struct plot_panel *panel, const struct roof *a, const struct roof *b)
{
    enum { NAME = 22 };
    double decade_x = 0.6 * WIDTH / log10(panel->x_high / panel->x_low);
    double decade_y = 0.9 * ROOFLINE_HEIGHT / log10(panel->y_high / panel->y_low);
    double apart = fabs(log10(a->rate / b->rate)) * decade_y;
    if (roof_is_memory(a->name) != roof_is_memory(b->name))
        return false;
    return (roof_is_memory(a->name) ? apart * decade_x / hypot(decade_x, decade_y) : apart) < NAME;
}

static bool is_above(const struct roof *a, const struct roof *b)
{
    return a->rate > b->rate || (a->rate == b->rate && a < b);
}

/* The next line above or below that is too near, or NULL. */
static const struct roof *neighbour(const struct plot_panel *panel, const struct roofs *roofs,
                                    const struct roof *roof, bool above)
{
    const struct roof *nearest = NULL;
    for (size_t i = 0; i < roofs->n; i++) {
        const struct roof *other = &roofs->items[i];
        bool is_beyond = above ? is_above(other, roof) : is_above(roof, other);
        bool is_nearer = !nearest || (above ? is_above(nearest, other) : is_above(other, nearest));
        if (other != roof && is_beyond && is_nearer && is_near(panel, roof, other))
            nearest = other;
    }
    return nearest;
}

/* Above a line stand its name and those of the lines that follow too near below it. */
static const char *line_name(const struct panel_maker *maker, const struct report_chart *chart,
                             size_t index)
{
    const struct roof *roof = &chart->roofs.items[index];
    CLEANUP(text_free) struct text words = {0};
    if (neighbour(maker->panel, &chart->roofs, roof, true))
        return NULL;
    for (; roof; roof = neighbour(maker->panel, &chart->roofs, roof, false))
        text_printf(&words, "%s%s", words.length ? ", " : "", roof->name);
    return arena_text(maker->arena, text_get(&words));
}

static void add_roof(struct panel_maker *maker, const struct report_chart *chart, size_t index)
{
    const struct roof *roof = &chart->roofs.items[index];
    struct plot_panel *panel = maker->panel;
    double bandwidth = report_top(chart, true) / 1e9, rate = report_top(chart, false) / 1e9;
    double own = roof->rate / 1e9, x[CURVE_POINTS], y[CURVE_POINTS];
    CLEANUP(text_free) struct text words = {0};
    if (roof_is_memory(roof->name)) {
        x[0] = fmax(panel->x_low, panel->y_low / own);
        x[1] = isfinite(rate) ? rate / own : panel->x_high;
        y[0] = x[0] * own;
        y[1] = x[1] * own;
    } else {
        x[0] = isfinite(bandwidth) ? own / bandwidth : panel->x_low;
        x[1] = panel->x_high;
        y[0] = y[1] = own;
    }
    struct plot_series *series = add_series(maker, PLOT_LINE, CURVE_POINTS);
    series->colour = roof_colours[index % ROOF_COLOURS];
    for (size_t i = 0; i < CURVE_POINTS; i++) {
        x_of(series)[i] = x[i];
        y_of(series)[i] = y[i];
    }
    report_add_rate(roof, &words);
    add_note(maker, arena_text(maker->arena, text_get(&words)), series->colour);
    series->name = line_name(maker, chart, index);
}

static void add_marks(struct panel_maker *maker, const struct report_chart *chart, int level)
{
    size_t n = 0;
    struct plot_series *series = add_series(maker, PLOT_POINTS, chart->n);
    const char **names = ARENA_ARRAY(maker->arena, const char *, chart->n + 1);
    for (size_t i = 0; i < chart->n; i++) {
        const struct report_case *one = &chart->cases[i];
        if (!isfinite(one->intensity[level]) || !isfinite(one->flops_per_s))
            continue;
        x_of(series)[n] = one->intensity[level];
        y_of(series)[n] = one->flops_per_s / 1e9;
        names[n++] = arena_printf(maker->arena, "%zu", i + 1);
    }
    series->n = n;
    series->names = names;
    series->colour = mark_colours[level];
    series->size = 1.4;
    if (level != MARK_DECLARED && n > 0)
        series->label = arena_printf(maker->arena, "counted at %s", mark_level_word(level));
}

/* "1  gemm m=512: 87 % bf16_tensor" */
static void note_case(struct panel_maker *maker, const struct report_case *one, size_t index)
{
    CLEANUP(text_free) struct text words = {0};
    text_printf(&words, "%zu  ", index + 1);
    if (isfinite(one->ratio))
        text_printf(&words, "%.*f %% %s  ", one->ratio < 0.0995 ? 1 : 0, 100 * one->ratio,
                    one->roof);
    text_add(&words, one->label);
    add_note(maker, arena_text(maker->arena, text_get(&words)), mark_colours[MARK_DECLARED]);
}

static void make_roofline(const struct report_chart *chart, struct arena *arena,
                          struct plot_panel *panel)
{
    struct report_bounds bounds = {-2, 3, 9, 12};
    bool is_drawn = report_bounds(chart, &bounds);
    *panel = (struct plot_panel){.title = arena_printf(arena, "%s", chart->model),
                                 .x_label = "arithmetic intensity (FLOP/byte)",
                                 .y_label = "GFLOP/s",
                                 .x_log = true,
                                 .y_log = true,
                                 .x_low = pow(10, bounds.x_low),
                                 .x_high = pow(10, bounds.x_high),
                                 .y_low = pow(10, bounds.y_low - 9),
                                 .y_high = pow(10, bounds.y_high - 9),
                                 .height = ROOFLINE_HEIGHT};
    struct panel_maker maker = {.arena = arena, .panel = panel};
    maker.series = ARENA_ARRAY(arena, struct plot_series, chart->roofs.n + MARK_LEVELS + 1);
    for (size_t i = 0; i < chart->roofs.n; i++)
        add_roof(&maker, chart, i);
    for (int i = 0; i < MARK_LEVELS; i++)
        add_marks(&maker, chart, i);
    add_note(&maker, chart->source ? chart->source : "no roofs of this device are known", 5);
    if (!is_drawn)
        add_note(&maker, "no case declares both operations and bytes", 5);
    for (size_t i = 0; i < chart->n; i++)
        note_case(&maker, &chart->cases[i], i);
    panel->series = maker.series;
    panel->n_series = maker.n_series;
    panel->notes = maker.notes;
    panel->n_notes = maker.n_notes;
}

/* ---- bars ---- */

static const struct {
    double ns;
    const char *words;
} units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};

static void make_bars(const struct report_bars *bars, const char *pivot, struct arena *arena,
                      struct plot_panel *panel)
{
    struct plot_series *series = ARENA_ARRAY(arena, struct plot_series, 2);
    const char **values = ARENA_ARRAY(arena, const char *, bars->n + 1);
    double *medians = ARENA_ARRAY(arena, double, bars->n + 1);
    double *lows = ARENA_ARRAY(arena, double, bars->n + 1);
    double *highs = ARENA_ARRAY(arena, double, bars->n + 1);
    double most = 0;
    for (size_t i = 0; i < bars->n; i++)
        most = fmax(most, bars->bars[i].median_ns);
    size_t unit = 0;
    while (unit + 1 < sizeof units / sizeof *units && most < units[unit].ns)
        unit++;
    for (size_t i = 0; i < bars->n; i++) {
        const struct report_bar *bar = &bars->bars[i];
        values[i] = bar->value;
        medians[i] = bar->median_ns / units[unit].ns;
        lows[i] = bar->low_ns / units[unit].ns;
        highs[i] = bar->high_ns / units[unit].ns;
    }
    series[0] = (struct plot_series){.kind = PLOT_BARS, .n = bars->n, .y = medians, .colour = 4};
    series[1] = (struct plot_series){
        .kind = PLOT_INTERVALS, .n = bars->n, .y = lows, .high = highs, .colour = 5};
    *panel = (struct plot_panel){.title = bars->title,
                                 .x_label = pivot,
                                 .y_label = arena_printf(arena, "median, %s", units[unit].words),
                                 .categories = values,
                                 .n_categories = bars->n,
                                 .series = series,
                                 .n_series = 2,
                                 .height = BARS_HEIGHT};
}

/* What the page shows, and what there was no room for. */
static const char *title_of(const struct report *report, size_t n_panels, struct arena *arena)
{
    const char *what = report->n_charts == 0 ? "medians and their intervals"
                       : report->n_bars == 0 ? "roofline: performance over arithmetic intensity"
                                             : "roofline, and medians with their intervals";
    size_t n = report->n_charts + report->n_bars;
    return n > n_panels ? arena_printf(arena, "%s (the first %zu of %zu charts)", what, n_panels, n)
                        : what;
}

static size_t at_most(size_t n, size_t most)
{
    return n < most ? n : most;
}

void report_page(const struct report *report, struct arena *arena, struct plot_page *ret)
{
    size_t n_charts = at_most(report->n_charts, REPORT_PANELS);
    size_t n_bars = at_most(report->n_bars, REPORT_PANELS - n_charts);
    struct plot_panel *panels = ARENA_ARRAY(arena, struct plot_panel, n_charts + n_bars + 1);
    for (size_t i = 0; i < n_charts; i++)
        make_roofline(&report->charts[i], arena, &panels[i]);
    for (size_t i = 0; i < n_bars; i++)
        make_bars(&report->bars[i], report->pivot, arena, &panels[n_charts + i]);
    *ret = (struct plot_page){
        .title = title_of(report, n_charts + n_bars, arena),
        .panels = panels,
        .n_panels = n_charts + n_bars,
        .width = WIDTH,
        .height = (uint32_t)(HEAD + n_charts * ROOFLINE_HEIGHT + n_bars * BARS_HEIGHT)};
}
