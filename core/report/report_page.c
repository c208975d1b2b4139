/* report_page.c - see report.h: rooflines and bars as a page of charts. */
#include "core/report/report_internal.h"

#include "core/base/text.h"

#include <math.h>

enum { WIDTH = 1240, BARS_HEIGHT = 232 };

/* ---- bars ---- */

static void make_bars(const struct report_bars *bars, const char *pivot, struct arena *arena,
                      struct plot_panel *panel)
{
    struct plot_series *series = ARENA_ARRAY(arena, struct plot_series, 3);
    const char **values = ARENA_ARRAY(arena, const char *, bars->n + 1);
    const char **names = ARENA_ARRAY(arena, const char *, bars->n + 1);
    double *medians = ARENA_ARRAY(arena, double, bars->n + 1);
    double *lows = ARENA_ARRAY(arena, double, bars->n + 1);
    double *highs = ARENA_ARRAY(arena, double, bars->n + 1);
    double *papers = ARENA_ARRAY(arena, double, bars->n + 1);
    double *places = ARENA_ARRAY(arena, double, bars->n + 1);
    double most = 0;
    for (size_t i = 0; i < bars->n; i++)
        most = fmax(most, bars->bars[i].median_ns);
    const struct time_unit *unit = time_unit_of(most);
    for (size_t i = 0; i < bars->n; i++) {
        const struct report_bar *bar = &bars->bars[i];
        char number[NUMBER_TEXT_MAX];
        values[i] = bar->value;
        names[i] = arena_text(arena, format_time(bar->median_ns, 4, number));
        medians[i] = bar->median_ns / unit->ns;
        lows[i] = bar->low_ns / unit->ns;
        highs[i] = bar->high_ns / unit->ns;
        papers[i] = bar->paper_ns / unit->ns;
        places[i] = (double)i;
    }
    series[0] = (struct plot_series){
        .kind = PLOT_BARS, .n = bars->n, .y = medians, .names = names, .colour = 4};
    series[1] = (struct plot_series){
        .kind = PLOT_INTERVALS, .n = bars->n, .y = lows, .high = highs, .colour = 5};
    series[2] = (struct plot_series){.kind = PLOT_POINTS,
                                     .n = bars->n,
                                     .x = places,
                                     .y = papers,
                                     .shape = PLOT_DIAMOND,
                                     .colour = 1};
    *panel = (struct plot_panel){
        .title = bars->title,
        .x_label = pivot,
        .y_label = arena_printf(arena, "median, %s%s", unit->name,
                                bars->has_papers ? "; diamonds: the document's" : ""),
        .categories = values,
        .n_categories = bars->n,
        .series = series,
        .n_series = bars->has_papers ? 3 : 2,
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

static void add_count(uint64_t n, const char *words, struct text *out)
{
    if (n)
        text_printf(out, "%s%llu case%s %s",
                    out->length ? "; " : "left out: ", (unsigned long long)n, n == 1 ? "" : "s",
                    words);
}

static const char *left_out(const struct report *report, struct arena *arena)
{
    CLEANUP(text_free) struct text words = {0};
    const uint64_t *n = report->n_left_out;
    add_count(n[n[1] > n[0]], "not measured, or not ok", &words);
    add_count(report->n_without_work, "without declared work", &words);
    if (report->pivot) {
        const char *without = arena_printf(arena, "without %s", report->pivot);
        add_count(report->n_without_pivot, without, &words);
    }
    return words.length ? arena_text(arena, text_get(&words)) : NULL;
}

static size_t at_most(size_t n, size_t most)
{
    return n < most ? n : most;
}

void report_page(const struct report *report, struct arena *arena, struct plot_page *ret)
{
    enum { NOTE_COLUMN = 430 };
    size_t n_charts = at_most(report->n_charts, REPORT_PANELS), n_note_columns = 1;
    size_t n_bars = at_most(report->n_bars, REPORT_PANELS - n_charts), n = n_charts + n_bars;
    struct plot_panel *panels = ARENA_ARRAY(arena, struct plot_panel, n + 1);
    for (size_t i = 0; i < n_charts; i++)
        report_make_roofline(&report->charts[i], arena, &panels[i]);
    for (size_t i = 0; i < n_bars; i++)
        make_bars(&report->bars[i], report->pivot, arena, &panels[n_charts + i]);
    for (size_t i = 0; i < n; i++)
        if (panels[i].n_note_columns > n_note_columns)
            n_note_columns = panels[i].n_note_columns;
    *ret = (struct plot_page){.title = title_of(report, n, arena),
                              .subtitle = left_out(report, arena),
                              .panels = panels,
                              .n_panels = n,
                              .width = (uint32_t)(WIDTH + (n_note_columns - 1) * NOTE_COLUMN)};
}
