/* report_page.c - see report.h: rooflines and bars as a page of charts. */
#include "core/report/report.h"

#include "core/base/text.h"
#include "core/view/view_cases.h"

#include <math.h>
#include <string.h>

/* ---- a roofline as a panel ---- */

/* Pixels; rows of notes; columns of words. */
enum { HEIGHT = 560, HEIGHT_OF_MANY = 832, ROWS_MAX = 60, LABEL_COLUMNS = 44, LINE_COLUMNS = 52 };

static const struct {
    int colour, shape;
} marks[MARK_LEVELS] = {[MARK_DECLARED] = {5, PLOT_CIRCLE},
                        [MARK_L1] = {2, PLOT_TRIANGLE},
                        [MARK_L2] = {1, PLOT_SQUARE},
                        [MARK_DRAM] = {0, PLOT_DIAMOND}};

/* A panel being filled. */
struct panel_maker {
    struct arena *arena;
    struct plot_panel *panel;
    struct plot_series *series;
    size_t n_series;
    struct plot_note *notes;
    size_t n_notes;
};

static void add_note(struct panel_maker *maker, const struct plot_note *note)
{
    ARENA_APPEND(maker->arena, maker->notes, maker->n_notes, *note);
}

/* Notes of a few rows, as many as the words need; in a cell, or as whole lines (-1). */
static void add_wrapped_note(struct panel_maker *maker, const struct plot_note *first, int cell,
                             const char *words)
{
    enum { ROWS = 4 };
    CLEANUP(text_free) struct text wrapped = {0};
    struct plot_note note = *first;
    text_add_wrapped(&wrapped, words, 0, cell < 0 ? 2 : 1, cell < 0 ? LINE_COLUMNS : LABEL_COLUMNS);
    const char *line = text_get(&wrapped);
    for (int row = 1; *line; row++) {
        size_t n = row < ROWS ? strcspn(line, "\n") : strlen(line);
        const char *one = arena_text_n(maker->arena, line, n);
        *(cell < 0 ? &note.words : &note.cells[cell]) = one;
        add_note(maker, &note);
        note = (struct plot_note){.colour = first->colour};
        line += n + (line[n] == '\n');
    }
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

/* ---- roofs ---- */

/* Roofs of a kind that lie too near to each other for a name between them: highest first. */
struct roof_group {
    const struct roof **items;
    size_t n;
};

/* Letters of the level, "dram" of dram_copy; rates of operations are all of one kind. */
static size_t level_letters(const char *name)
{
    return roof_is_memory(name) ? strcspn(name, "_") : 0;
}

static bool is_of_group(const struct roof *highest, const struct roof *roof)
{
    const double near = 1.5; /* a row of words, at some six decades */
    size_t n = level_letters(highest->name);
    return level_letters(roof->name) == n && strncmp(highest->name, roof->name, n) == 0 &&
           highest->rate <= near * roof->rate;
}

/* The array is the arena's. */
static size_t make_groups(const struct roofs *roofs, struct arena *arena, struct roof_group **ret)
{
    size_t n = roofs->n, n_groups = 0;
    const struct roof **sorted = ARENA_ARRAY(arena, const struct roof *, n + 1);
    for (size_t i = 0; i < n; i++) {
        size_t j = i;
        for (; j > 0 && sorted[j - 1]->rate < roofs->items[i].rate; j--)
            sorted[j] = sorted[j - 1];
        sorted[j] = &roofs->items[i];
    }
    *ret = ARENA_ARRAY(arena, struct roof_group, n + 1);
    for (int is_memory = 1; is_memory >= 0; is_memory--)
        for (size_t i = 0; i < n; i++) {
            struct roof_group *group = &(*ret)[n_groups];
            if (!sorted[i] || roof_is_memory(sorted[i]->name) != is_memory)
                continue;
            group->items = ARENA_ARRAY(arena, const struct roof *, n - i);
            group->items[group->n++] = sorted[i];
            for (size_t j = i + 1; j < n; j++)
                if (sorted[j] && is_of_group(sorted[i], sorted[j])) {
                    group->items[group->n++] = sorted[j];
                    sorted[j] = NULL;
                }
            n_groups++;
        }
    return n_groups;
}

/* " 4.05–4.65 TB/s" */
static void add_rates(const struct roof_group *group, struct text *out)
{
    const char *high = report_format_rate(group->items[0], NUMBER_TEXT);
    const char *low = report_format_rate(group->items[group->n - 1], NUMBER_TEXT);
    const char *unit = strchr(high, ' '), *low_unit = strchr(low, ' ');
    text_add(out, " ");
    if (!text_equal(low, high)) {
        bool is_same_unit = unit && low_unit && text_equal(unit, low_unit);
        text_add_n(out, low, is_same_unit ? (size_t)(low_unit - low) : strlen(low));
        text_add(out, "\u2013");
    }
    text_add(out, high);
}

/* Letters that all names have up to and with their _; or, if not at_begin, from it on. */
static size_t common_letters(const struct roof_group *group, bool at_begin)
{
    const char *first = group->items[0]->name, *bar = strchr(first, '_');
    if (!bar)
        return 0;
    size_t n = at_begin ? (size_t)(bar - first) + 1 : strlen(bar);
    for (size_t i = 1; i < group->n; i++) {
        const char *name = group->items[i]->name, *own = strchr(name, '_');
        if (!own || (at_begin ? strncmp(name, first, n) != 0 : strcmp(own, bar) != 0))
            return 0;
    }
    return n;
}

/* "dram_write/read/copy", "bf16/fp16_tensor"; where that is long, "dram_write and 3 more". */
static void add_group_names(const struct roof_group *group, struct text *out)
{
    enum { COLUMNS = 30 };
    CLEANUP(text_free) struct text names = {0};
    size_t begin = group->n > 1 ? common_letters(group, true) : 0;
    size_t end = group->n > 1 && begin == 0 ? common_letters(group, false) : 0;
    for (size_t i = 0; i < group->n; i++) {
        const char *name = group->items[i]->name + (i > 0 ? begin : 0);
        text_add(&names, i == 0 ? "" : begin + end > 0 ? "/" : ", ");
        text_add_n(&names, name, strlen(name) - (i + 1 < group->n ? end : 0));
    }
    if (text_columns(text_get(&names)) <= COLUMNS || group->n == 1)
        text_add(out, text_get(&names));
    else
        text_printf(out, "%s and %zu more", group->items[0]->name, group->n - 1);
}

/* The level and its rates, or the names alone. */
static const char *group_short_name(const struct roof_group *group, struct arena *arena)
{
    const char *name = group->items[0]->name;
    size_t level = group->n > 1 ? level_letters(name) : 0;
    CLEANUP(text_free) struct text words = {0};
    if (level) {
        text_add_n(&words, name, level);
        add_rates(group, &words);
    } else
        add_group_names(group, &words);
    return arena_text(arena, text_get(&words));
}

/* A level has the colour of its marks. */
static int roof_colour(const char *name)
{
    static const struct {
        const char *prefix;
        int colour;
    } levels[] = {{"dram_", 0}, {"l2_", 1}, {"l1_", 2}, {"shared_", 7}, {"l3_", 3}};
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        if (text_starts_with(name, levels[i].prefix))
            return levels[i].colour;
    return roof_is_memory(name) ? 6 : 5;
}

static bool is_used(const struct report_chart *chart, const struct roof *roof)
{
    for (size_t i = 0; i < chart->n; i++)
        if (chart->cases[i].roof && text_equal(chart->cases[i].roof, roof->name))
            return true;
    return false;
}

/* From edge to edge of the panel, but for where another roof is lower in any case. */
static bool find_ends(const struct plot_panel *panel, const struct report_chart *chart,
                      const struct roof *roof, double x[2], double y[2])
{
    double bandwidth = report_top(chart, true), rate = report_top(chart, false);
    if (roof_is_memory(roof->name)) {
        x[0] = fmax(panel->x_low, panel->y_low / roof->rate);
        x[1] = fmin(panel->x_high, (isfinite(rate) ? rate : panel->y_high) / roof->rate);
        y[0] = x[0] * roof->rate;
        y[1] = x[1] * roof->rate;
    } else {
        x[0] = isfinite(bandwidth) ? fmax(panel->x_low, roof->rate / bandwidth) : panel->x_low;
        x[1] = panel->x_high;
        y[0] = y[1] = roof->rate;
    }
    return x[0] < x[1];
}

static void add_group(struct panel_maker *maker, const struct report_chart *chart,
                      const struct roof_group *group)
{
    const double faint = 0.6;
    struct plot_series *named = NULL;
    bool is_group_used = false;
    for (size_t i = 0; i < group->n; i++) {
        const struct roof *roof = group->items[i];
        CLEANUP(text_free) struct text words = {0};
        bool is_roof_used = is_used(chart, roof);
        double x[2], y[2], opacity = is_roof_used ? 1 : faint;
        int colour = roof_colour(roof->name);
        report_add_rate(roof, &words);
        add_note(maker, &(struct plot_note){.words = arena_text(maker->arena, text_get(&words)),
                                            .colour = colour,
                                            .opacity = opacity});
        is_group_used = is_group_used || is_roof_used;
        if (!find_ends(maker->panel, chart, roof, x, y))
            continue;
        struct plot_series *series = add_series(maker, PLOT_LINE, 2);
        memcpy(x_of(series), x, sizeof x);
        memcpy(y_of(series), y, sizeof y);
        series->colour = colour;
        series->opacity = opacity;
        series->size = is_roof_used ? 1 : 0.7;
        named = named ? named : series;
    }
    if (!named)
        return;
    CLEANUP(text_free) struct text name = {0};
    add_group_names(group, &name);
    add_rates(group, &name);
    named->name = arena_text(maker->arena, text_get(&name));
    named->short_name = group_short_name(group, maker->arena);
    named->y_below = named->y[0] * group->items[group->n - 1]->rate / group->items[0]->rate;
    named->opacity = is_group_used ? 1 : faint;
}

static void add_roofs(struct panel_maker *maker, const struct report_chart *chart)
{
    struct roof_group *groups;
    size_t n = make_groups(&chart->roofs, maker->arena, &groups);
    CLEANUP(text_free) struct text source = {0};
    bool any_unused = false;
    for (size_t i = 0; i < chart->roofs.n; i++)
        any_unused = any_unused || !is_used(chart, &chart->roofs.items[i]);
    text_printf(&source, "%s%s", chart->source ? "roofs: " : report_no_roofs,
                chart->source ? chart->source : "");
    add_wrapped_note(maker, &(struct plot_note){.colour = 5}, -1, text_get(&source));
    for (size_t i = 0; i < n; i++)
        add_group(maker, chart, &groups[i]);
    if (any_unused)
        add_note(maker, &(struct plot_note){.words = "faint: no case is compared with it",
                                            .colour = PLOT_GREY});
}

/* ---- cases ---- */

/* Which of its marks is the rightmost in the picture; -1: all are beyond. */
static int rightmost(const struct report_case *one, double x_high)
{
    int best = -1;
    for (int i = 0; i < MARK_LEVELS; i++)
        if (report_has_mark(one, i) && one->intensity[i] <= x_high &&
            (best < 0 || one->intensity[i] > one->intensity[best]))
            best = i;
    return best;
}

/* A line from the first mark of a case to its last, and an arrow where there are others beyond the
 * panel. */
static bool add_joins(struct panel_maker *maker, const struct report_chart *chart)
{
    double x_high = maker->panel->x_high;
    struct plot_series *joins = add_series(maker, PLOT_LINE, 3 * chart->n);
    struct plot_series *arrows = add_series(maker, PLOT_ARROWS, chart->n);
    joins->colour = arrows->colour = PLOT_GREY;
    joins->size = arrows->size = 0.5;
    joins->n = arrows->n = 0;
    for (size_t i = 0; i < chart->n; i++) {
        const struct report_case *one = &chart->cases[i];
        int last = rightmost(one, x_high);
        double low = INFINITY, high = last < 0 ? x_high / 1.1 : one->intensity[last];
        bool is_beyond = false;
        for (int j = 0; j < MARK_LEVELS; j++)
            if (report_has_mark(one, j)) {
                low = fmin(low, one->intensity[j]);
                is_beyond = is_beyond || one->intensity[j] > x_high;
            }
        for (int j = 0; low < high && j < 3; j++) { /* the third is a gap */
            x_of(joins)[joins->n] = j == 0 ? low : j == 1 ? high : NAN;
            y_of(joins)[joins->n++] = one->flops_per_s;
        }
        if (is_beyond) {
            x_of(arrows)[arrows->n] = high;
            y_of(arrows)[arrows->n++] = one->flops_per_s;
        }
    }
    return arrows->n > 0;
}

/* How far apart two places are, over how far the panel reaches. */
static double apart(double a, double b, double low, double high)
{
    return fabs(log10(a / b)) / log10(high / low);
}

/* Marks of a series with the numbers of their cases; 0: none. */
struct numbered {
    const struct plot_panel *panel;
    const struct plot_series *series;
    size_t *numbers;
};

/* Does mark i cover mark j, or nearly? */
static bool covers(const struct numbered *marks_of, size_t i, size_t j)
{
    static const double WIDTH = 0.015, HEIGHT_OF_MARK = 0.02; /* of the panel: about those of one */
    const struct plot_panel *panel = marks_of->panel;
    const double *x = marks_of->series->x, *y = marks_of->series->y;
    return apart(x[i], x[j], panel->x_low, panel->x_high) <= WIDTH &&
           apart(y[i], y[j], panel->y_low, panel->y_high) <= HEIGHT_OF_MARK;
}

/* "3, 5, 8": the numbers of marks that look the same are listed beside the first, which takes them
 * from the others. */
static const char *name_mark(const struct numbered *marks_of, size_t first, size_t n,
                             struct arena *arena)
{
    enum { LISTED = 6 };
    CLEANUP(text_free) struct text name = {0};
    size_t n_listed = 0, n_more = 0;
    for (size_t i = first; i < n; i++) {
        if (!marks_of->numbers[i] || !covers(marks_of, first, i))
            continue;
        if (n_listed < LISTED)
            text_printf(&name, "%s%zu", n_listed++ ? ", " : "", marks_of->numbers[i]);
        else
            n_more++;
        marks_of->numbers[i] = 0;
    }
    if (n_more)
        text_printf(&name, " and %zu more", n_more);
    return arena_text(arena, text_get(&name));
}

/* The marks of a level; -1: names of cases that have all of theirs beyond the panel. */
static void add_marks(struct panel_maker *maker, const struct report_chart *chart, int level)
{
    size_t n = 0, number = 0;
    double x_high = maker->panel->x_high;
    struct plot_series *series = add_series(maker, PLOT_POINTS, chart->n);
    const char **names = ARENA_ARRAY(maker->arena, const char *, chart->n + 1);
    const struct numbered marks_of = {maker->panel, series,
                                      ARENA_ARRAY(maker->arena, size_t, chart->n + 1)};
    for (size_t i = 0; i < chart->n; i++) {
        const struct report_case *one = &chart->cases[i];
        number += report_is_drawn(one);
        if (!report_has_mark(one, level) || one->intensity[level] > x_high)
            continue;
        x_of(series)[n] = one->intensity[level];
        y_of(series)[n] = one->flops_per_s;
        if (rightmost(one, x_high) == level && number <= REPORT_CASES)
            marks_of.numbers[n] = number;
        n++;
    }
    for (size_t i = 0; i < n; i++)
        names[i] = marks_of.numbers[i] ? name_mark(&marks_of, i, n, maker->arena) : NULL;
    series->n = n;
    series->names = names;
    series->colour = marks[level].colour;
    series->shape = marks[level].shape;
    series->size = 1.6;
    if (level != MARK_DECLARED && n > 0)
        series->label = arena_printf(maker->arena, "counted at %s", mark_level_word(level));
}

/* Number, share of its roof, the roof, what it is. */
static void note_case(struct panel_maker *maker, const struct report_case *one, size_t number)
{
    struct plot_note note = {.colour = marks[MARK_DECLARED].colour};
    if (number)
        note.cells[0] = arena_printf(maker->arena, "%zu", number);
    if (isfinite(one->ratio)) {
        note.cells[1] = arena_printf(maker->arena, "%.*f %%", one->ratio < 0.0995 ? 1 : 0,
                                     100 * one->ratio);
        note.cells[2] = one->roof;
    }
    CLEANUP(text_free) struct text words = {0};
    text_add(&words, one->label);
    if (one->bound == BOUND_LATENCY)
        text_printf(&words, " (%s)", bound_word(one->bound));
    if (one->relative) {
        text_add(&words, one->relative->is_base ? ", " : ", ratio ");
        view_add_ratio(&words, one->relative);
    }
    add_wrapped_note(maker, &note, 3, arena_text(maker->arena, text_get(&words)));
}

/* Those with marks, numbered, or those without; of all, REPORT_CASES. */
static void note_cases(struct panel_maker *maker, const struct report_chart *chart, bool is_drawn,
                       size_t *noted)
{
    size_t number = 0, n = 0;
    bool any_ratio = false;
    for (size_t i = 0; i < chart->n; i++) {
        n += report_is_drawn(&chart->cases[i]) == is_drawn;
        any_ratio = any_ratio || isfinite(chart->cases[i].ratio);
    }
    if (n == 0)
        return;
    add_note(maker, &(struct plot_note){.words = "", .colour = PLOT_GREY});
    if (is_drawn && any_ratio)
        add_note(maker, &(struct plot_note){.cells = {"", "share", "of roof", "case"},
                                            .colour = PLOT_GREY});
    if (!is_drawn)
        add_wrapped_note(maker, &(struct plot_note){.colour = PLOT_GREY}, -1,
                         report_undrawn_words(chart));
    for (size_t i = 0; i < chart->n; i++) {
        if (report_is_drawn(&chart->cases[i]) != is_drawn)
            continue;
        number++;
        if (*noted == REPORT_CASES) {
            add_note(maker, &(struct plot_note){
                                .words = arena_printf(maker->arena, "and %zu more", n - number + 1),
                                .colour = PLOT_GREY});
            return;
        }
        note_case(maker, &chart->cases[i], is_drawn ? number : 0);
        ++*noted;
    }
}

/* As high as the notes, which are in as many columns as keep it from being a tower; many roofs take
 * room in the picture as well. */
static void find_height(struct plot_panel *panel, size_t n_roofs)
{
    enum { MANY_ROOFS = 16 };
    panel->n_note_columns = (panel->n_notes + ROWS_MAX - 1) / ROWS_MAX;
    size_t rows = panel->n_note_columns
                      ? (panel->n_notes + panel->n_note_columns - 1) / panel->n_note_columns
                      : 0;
    panel->height = fmax(n_roofs > MANY_ROOFS ? HEIGHT_OF_MANY : HEIGHT, (double)rows * PLOT_ROW);
}

static void make_roofline(const struct report_chart *chart, struct arena *arena,
                          struct plot_panel *panel)
{
    struct report_bounds bounds;
    bool is_drawn = report_bounds(chart, &bounds);
    size_t noted = 0;
    if (!is_drawn) { /* there is nothing but roofs */
        const double bandwidth = report_top(chart, true);
        const double top = isfinite(bandwidth) ? ceil(log10(bandwidth)) + 1 : 12;
        bounds = (struct report_bounds){-2, 3, top - 4, top};
    }
    *panel = (struct plot_panel){.title = *chart->model ? chart->model
                                                        : "a device that is not known",
                                 .x_label = "arithmetic intensity (FLOP/byte)",
                                 .y_label = "performance",
                                 .y_unit = "FLOP/s",
                                 .x_log = true,
                                 .y_log = true,
                                 .x_low = pow(10, bounds.x_low),
                                 .x_high = pow(10, bounds.x_high),
                                 .y_low = pow(10, bounds.y_low),
                                 .y_high = pow(10, bounds.y_high)};
    struct panel_maker maker = {.arena = arena, .panel = panel};
    maker.series = ARENA_ARRAY(arena, struct plot_series, chart->roofs.n + MARK_LEVELS + 2);
    add_roofs(&maker, chart);
    bool any_beyond = add_joins(&maker, chart);
    for (int i = 0; i < MARK_LEVELS; i++)
        add_marks(&maker, chart, i);
    note_cases(&maker, chart, true, &noted);
    if (any_beyond)
        add_wrapped_note(&maker, &(struct plot_note){.colour = PLOT_GREY}, -1,
                         "arrows: levels hardly used, far to the right");
    note_cases(&maker, chart, false, &noted);
    if (!is_drawn)
        add_note(&maker, &(struct plot_note){.words = "there is nothing to draw", .colour = 5});
    panel->series = maker.series;
    panel->n_series = maker.n_series;
    panel->notes = maker.notes;
    panel->n_notes = maker.n_notes;
    find_height(panel, chart->roofs.n);
}

/* ---- the page ---- */

enum { WIDTH = 1240 };

/* What the page shows, and what there was no room for. */
static const char *title_of(const struct report *report, size_t n_panels, struct arena *arena)
{
    const struct chart *chart = &report->chart;
    const char *y = chart_words(chart);
    const char *what = report->n_charts == 0  ? y
                       : chart->n_panels == 0 ? "roofline: performance over arithmetic intensity"
                                              : arena_printf(arena, "roofline, and %s", y);
    size_t n = report->n_charts + chart->n_panels;
    return n > n_panels ? arena_printf(arena, "%s (the first %zu of %zu charts)", what, n_panels, n)
                        : what;
}

static void add_count(uint64_t n, const char *words, struct text *out)
{
    if (n)
        text_printf(out, "%s%s %s", out->length ? "; " : "left out: ", COUNT_TEXT(n, "case"),
                    words);
}

static const char *subtitle_of(const struct report *report, struct arena *arena)
{
    CLEANUP(text_free) struct text words = {0};
    CLEANUP(text_free) struct text line = {0};
    add_count(report_left_out(report), "not measured, or not ok", &words);
    add_count(report->n_without_work, "without declared work", &words);
    if (report->chart.n_without)
        add_count(report->chart.n_without,
                  arena_printf(arena, "without %s", report->chart.request.x), &words);
    if (report->ratios) {
        text_add(&words, words.length ? "; " : "");
        text_add_n(&words, report->ratios, strlen(report->ratios) - 1); /* but the line break */
    }
    text_add_line(&line, text_get(&words));
    return line.length ? arena_text(arena, text_get(&line)) : NULL;
}

void report_page(const struct report *report, struct arena *arena, struct plot_page *ret)
{
    enum { NOTE_COLUMN = 430 };
    struct plot_panel *panels = NULL;
    size_t n = 0, n_note_columns = 1;
    for (size_t i = 0; i < report->n_charts && n < REPORT_PANELS; i++)
        make_roofline(&report->charts[i], arena, ARENA_ADD(arena, panels, n));
    chart_make_panels(&report->chart, REPORT_PANELS - n, arena, &panels, &n);
    for (size_t i = 0; i < n; i++)
        if (panels[i].n_note_columns > n_note_columns)
            n_note_columns = panels[i].n_note_columns;
    *ret = (struct plot_page){.title = title_of(report, n, arena),
                              .subtitle = subtitle_of(report, arena),
                              .panels = panels,
                              .n_panels = n,
                              .width = (uint32_t)(WIDTH + (n_note_columns - 1) * NOTE_COLUMN)};
}
