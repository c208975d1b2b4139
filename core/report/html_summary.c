/* html_summary.c - see html_page.h: the first screen of a run, and the charts of its sweeps. */
#include "core/report/html_page.h"

#include "core/base/members.h"
#include "core/compare/compare_text.h"

#include <stdlib.h>

enum { SWEEP_PANELS = 12, HEAT_LEAST = 4, HEAT_MOST = 48, LISTED = 8 };

/* ---- figures ---- */

static void add_tile(struct text *out, const char *class, uint64_t n, const char *words)
{
    if (n)
        text_printf(out, "<li%s%s><b>%llu</b>%s</li>\n", *class ? " class=" : "", class,
                    (unsigned long long)n, words);
}

static void add_tiles(const struct html_run *run)
{
    const struct compare_against *against = run->against;
    struct text *out = run->out;
    uint64_t n_failed = 0, n_skipped = 0, n_certified = 0, n_doubtful = 0;
    for (size_t i = 0; i < run->n; i++) {
        const struct case_record *record = &run->cases[i].shown.row.c.record;
        const bool is_judged = record->status == CASE_OK && record->has_estimate &&
                               record->estimate.verdict != GB_VERDICT_NONE;
        n_skipped += record->status == CASE_SKIPPED;
        n_failed += record->status != CASE_OK && record->status != CASE_SKIPPED;
        n_doubtful += is_judged && *view_verdict_mark(record->estimate.verdict);
        n_certified += is_judged && !*view_verdict_mark(record->estimate.verdict);
    }
    text_add(out, "<ul class=\"tiles\">\n");
    add_tile(out, "", run->n, run->n == 1 ? "case" : "cases");
    for (int i = 0; against && i < COMPARED_VERDICTS; i++)
        add_tile(out,
                 compared_is_bad(i, false) ? "bad"
                 : i == COMPARED_FASTER    ? "good"
                                           : "",
                 against->counts[i], compared_word(i));
    if (against && against->mean.n > 1) {
        CLEANUP(text_free) struct text ratio = {0};
        compare_add_ratio(against->mean.theta, against->mean.low, against->mean.high, &ratio);
        xml_print(out, "<li><b>%s</b>geometric mean of the ratios</li>\n", text_get(&ratio));
    }
    add_tile(out, "bad", n_failed, "failed");
    add_tile(out, "", n_skipped, "skipped");
    add_tile(out, "", n_certified, "certified");
    add_tile(out, "", n_doubtful, "not certified");
    text_add(out, "</ul>\n");
}

/* ---- what is slower and faster; of no baseline: fastest and slowest ---- */

/* A case with a line: the less, the further up. */
struct listed {
    double weight;
    const struct html_case *one;
};

ORDER_BY_NUMBER(compare_listed, struct listed, weight)

static void add_listed(const char *head, const struct listed *items, size_t n, struct text *out)
{
    if (n == 0)
        return;
    text_printf(out, "<div><h3>%s</h3>\n<ul>\n", head);
    for (size_t i = 0; i < n && i < LISTED; i++) {
        CLEANUP(text_free) struct text ratio = {0};
        const struct html_case *one = items[i].one;
        if (one->compared)
            compare_add_ratio(one->compared->result.theta, one->compared->result.low,
                              one->compared->result.high, &ratio);
        xml_print(out, "<li><a href=\"#%s\"><bdi>%s</bdi></a> <b>%s</b> %s</li>\n", one->anchor,
                  one->shown.row.label, one->words, text_get(&ratio));
    }
    if (n > LISTED)
        text_printf(out, "<li>and %zu more</li>\n", n - LISTED);
    text_add(out, "</ul></div>\n");
}

/* With a baseline those of a verdict, the worst first; else the fastest or the slowest of each
 * bench that has several. */
static void list_cases(const struct html_run *run, const char *head, int verdict, double sign)
{
    CLEANUP(arena_free) struct arena arena = {0};
    const struct survey *survey = &run->combined->survey;
    struct listed *items = ARENA_ARRAY(&arena, struct listed, run->n + survey->n_benches);
    size_t n = 0;
    for (size_t i = 0; run->against && i < run->n; i++) {
        const struct compared *c = run->cases[i].compared;
        if (c && c->result.verdict == verdict)
            items[n++] = (struct listed){sign * c->result.theta, &run->cases[i]};
    }
    for (size_t i = 0; !run->against && i < survey->n_benches; i++) {
        struct listed *best = &items[n];
        for (size_t j = 0; survey->benches[i].n_cases > 1 && j < run->n; j++) {
            const struct html_case *one = &run->cases[j];
            const double weight = sign * one->shown.central_ns;
            if (one->is_measured && text_equal(one->shown.row.c.bench, survey->benches[i].name) &&
                (!best->one || weight < best->weight))
                *best = (struct listed){weight, one};
        }
        n += best->one != NULL;
    }
    if (run->against)
        qsort(items, n, sizeof *items, compare_listed);
    add_listed(head, items, n, run->out);
}

/* ---- before you trust this ---- */

static void add_notes(struct text *out, const struct note_lines *notes)
{
    static const char *const begins[] = {"<h3>", "<li><bdi>", "<li class=\"inner\"><bdi>"};
    for (size_t i = 0; i < notes->n; i++) {
        const struct note_line *line = &notes->items[i];
        const int next = i + 1 < notes->n ? notes->items[i + 1].level : 0;
        text_add(out, begins[line->level]);
        text_printf(out, "%s%s", line->mark, *line->mark ? " " : "");
        xml_add_text(out, line->words);
        text_add(out, line->level ? "</bdi></li>\n" : next ? "</h3>\n<ul>\n" : "</h3>\n");
        text_add(out, line->level && !next ? "</ul>\n" : "");
    }
}

/* "Before you trust this: 1 failure, 5 notes". */
static void add_counts(struct text *out, const struct note_lines *notes, size_t n_differences)
{
    const char *before = ": ";
    for (size_t i = 0; i < notes->n; i++) {
        size_t n = 0;
        for (size_t j = i + 1; j < notes->n && notes->items[j].level > 0; j++)
            n += notes->items[j].level == 1;
        if (notes->items[i].level > 0)
            continue;
        const char *words = notes->items[i].words; /* in the plural */
        text_printf(out, "%s%zu %.*s", before, n, (int)(strlen(words) - (n == 1)), words);
        before = ", ";
    }
    if (n_differences)
        text_printf(out, "%s%s from the baseline", before, COUNT_TEXT(n_differences, "difference"));
}

static void add_trust(const struct html_run *run)
{
    const struct stored_run *stored = &run->view->runs[0];
    const struct note_lines notes = notes_of(run->view);
    const size_t n_differences = run->against ? run->against->n_differences : 0;
    if (!stored->record.finished) {
        text_add(run->out, "<p class=\"bad\">Beware: ");
        view_add_open(run->view, run->out);
        text_add(run->out, ".</p>\n");
    }
    if (!notes.n && !n_differences && stored->record.finished)
        text_add(run->out, "<p>All cases passed without a warning.</p>\n");
    if (!notes.n && !n_differences)
        return;
    text_add(run->out, "<details class=\"trust\"><summary>Before you trust this");
    add_counts(run->out, &notes, n_differences);
    text_add(run->out, "</summary>\n");
    add_notes(run->out, &notes);
    for (size_t i = 0; i < n_differences; i++) {
        text_add(run->out, i ? "<li>" : "<h3>Other differences from the baseline</h3>\n<ul><li>");
        xml_add_text(run->out, run->against->differences[i]);
        text_add(run->out, i + 1 < n_differences ? "</li>\n" : "</li></ul>\n");
    }
    text_add(run->out, "</details>\n");
}

/* ---- sweeps ---- */

static int32_t make_sweep(const struct html_run *run, const struct chart_request *request,
                          struct html_sweeps *ret, struct gb_error *error)
{
    struct chart *chart = ARENA_ADD(&ret->arena, ret->charts, ret->n_charts);
    const size_t n = ret->n;
    *chart = (struct chart){.request = *request, .baseline = &run->records};
    const int32_t status = chart_add(chart, run->combined, NULL, error);
    if (status == GB_OK)
        chart_make_panels(chart, SWEEP_PANELS, &ret->arena, &ret->panels, &ret->n);
    ret->n_left_out += chart->n_panels - (ret->n - n);
    return status;
}

static int32_t make_sweeps(const struct html_run *run, struct html_sweeps *ret,
                           struct gb_error *error)
{
    int32_t status = GB_OK;
    const struct survey *survey = &run->combined->survey;
    for (size_t i = 0; i < survey->n_benches && status == GB_OK; i++) {
        struct chart_request request;
        if (!chart_choose(run->combined, survey->benches[i].name, &request))
            continue;
        status = make_sweep(run, &request, ret, error);
        request.kind = CHART_HEAT;
        /* Of so many values of both axes cells show more than lines. */
        const struct chart *lines = &ret->charts[ret->n_charts - 1];
        if (status == GB_OK && request.by && lines->n_panels > 0 &&
            lines->panels->n_categories <= HEAT_MOST &&
            survey->benches[i].n_cases >= HEAT_LEAST * HEAT_LEAST)
            status = make_sweep(run, &request, ret, error);
    }
    return status;
}

int32_t html_summary(const struct html_run *run, struct html_sweeps *ret, struct gb_error *error)
{
    const int32_t status = make_sweeps(run, ret, error);
    if (status != GB_OK)
        return status;
    add_tiles(run);
    add_trust(run);
    html_panels(run->out, ret->panels, ret->n ? 1 : 0);
    text_add(run->out, "<div class=\"pair\">\n");
    list_cases(run, run->against ? "Slower than the baseline" : "Fastest", COMPARED_SLOWER,
               run->against ? -1 : 1);
    list_cases(run, run->against ? "Faster than the baseline" : "Slowest", COMPARED_FASTER,
               run->against ? 1 : -1);
    text_add(run->out, "</div>\n");
    return GB_OK;
}

void html_sweeps(const struct html_run *run, const struct html_sweeps *sweeps)
{
    if (sweeps->n < 2)
        return;
    html_heading(run->out, "Sweeps");
    html_panels(run->out, sweeps->panels + 1, sweeps->n - 1);
    if (sweeps->n_left_out)
        text_printf(run->out, "<p class=\"hint\">And %zu more charts: gbrun report --chart.</p>\n",
                    sweeps->n_left_out);
}

void html_sweeps_free(struct html_sweeps *sweeps)
{
    for (size_t i = 0; i < sweeps->n_charts; i++)
        chart_free(&sweeps->charts[i]);
    arena_free(&sweeps->arena);
}
