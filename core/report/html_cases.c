/* html_cases.c - see html_page.h: the table of cases, their intervals and their ratios. */
#include "core/report/html_page.h"

#include <math.h>
#include <stdlib.h>

enum { MINI_WIDTH = 150, MINI_MIDDLE = 75, MINI_REACH = 70 };
/* Relative to an estimate: wider intervals end with an arrow. */
static const double WIDEST = 0.2;

void html_anchor(const struct html_run *run, const struct view_row *row, struct text *out)
{
    text_printf(out, "r%zuc%lld", run->number, (long long)row->c.id);
}

/* How far an interval goes from its estimate; NaN: there is none. */
static double reach_of(double central, double low, double high)
{
    return fmax(high / central - 1, 1 - low / central);
}

/* The reach of most intervals: what fills a small picture. */
static double find_scale(const struct html_run *run)
{
    double scale = 0.002;
    for (size_t i = 0; i < run->n_groups; i++) {
        CLEANUP(arena_free) struct arena arena = {0};
        const struct view_row *rows = view_group_rows(run->view, &run->groups[i], &arena);
        struct shown shown = combine_rounds(rows, run->groups[i].n, &arena);
        double reach = reach_of(shown.central_ns, shown.low_ns, shown.high_ns);
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

static int compare_ids(const void *a, const void *b)
{
    const struct compared_record *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

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
        xml_add_text(out, text_get(&words));
        text_add(out, "</td><td>");
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
        xml_add_text(out, text_get(&words));
        text_add(out, "</td>");
        return;
    }
    text_printf(out, "<td class=\"n\" data-v=\"%.9g\">", central);
    shown_add_central(&words, shown);
    xml_add_text(out, text_get(&words));
    text_add(out, "</td><td>");
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
    text_add(out, "<tr class=\"filtered\" data-label=\"");
    xml_add_text(out, shown.row.label);
    text_add(out, "\"><td><a href=\"#");
    html_anchor(run, rows, out);
    text_add(out, "\"><bdi>");
    xml_add_text(out, shown.row.label);
    text_add(out, "</bdi></a></td>");
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
