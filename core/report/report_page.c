/* report_page.c - see report.h: rooflines and bars as a page of charts. */
#include "core/report/report_internal.h"

#include "core/base/text.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 1240 };

uint64_t report_left_out(const struct report *report)
{
    return report->n_left_out > report->chart.n_left_out ? report->n_left_out
                                                         : report->chart.n_left_out;
}

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
        text_printf(out, "%s%llu case%s %s",
                    out->length ? "; " : "left out: ", (unsigned long long)n, n == 1 ? "" : "s",
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
        report_make_roofline(&report->charts[i], arena, ARENA_ADD(arena, panels, n));
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
