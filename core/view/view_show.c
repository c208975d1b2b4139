/* view_show.c - a results file as tables for people. */
#include "core/view/view_writers.h"

#include <inttypes.h>
#include <string.h>

/* "2026-01-01T10:00:00.000Z" as people write it. */
static void add_time(struct text *out, const char *iso)
{
    if (strlen(iso) >= 20 && iso[10] == 'T' && text_ends_with(iso, "Z"))
        text_printf(out, "%.10s %.8s UTC", iso, iso + 11);
    else
        text_add(out, iso);
}

/* "wall clock: resolution 20.0 ns, overhead 24.0 ns", of those that cases used. */
static void add_clocks(const struct device_record *device, const struct view *view,
                       struct text *out)
{
    const struct survey *survey = &view->survey;
    const bool is_one = survey->clock && !survey->several_clocks && !view->options->verbose;
    char tick[NUMBER_TEXT_MAX], overhead[NUMBER_TEXT_MAX];
    for (size_t i = 0; i < device->n_clocks; i++)
        if (!is_one || text_equal(device->clocks[i].name, survey->clock))
            text_printf(out, "%s%s clock: resolution %s, overhead %s", out->length ? "; " : "",
                        device->clocks[i].name, format_time(device->clocks[i].tick_ns, 3, tick),
                        format_time(device->clocks[i].overhead_ns, 3, overhead));
}

/* "load 2.86", which is there only if that is much. */
static void add_load(const struct view *view, struct text *out)
{
    const struct run_record *run = &view->runs[0].record;
    const char *busy = fact_of(run->facts, run->n_facts, BUSY_FACT);
    const int colour = view->options->has_colours ? COLOUR_DOUBT : COLOUR_NONE;
    if (!*busy)
        return;
    text_add(out, out->length ? "; " : "");
    colour_begin(out, colour);
    text_add_n(out, busy, strcspn(busy, ","));
    colour_end(out, colour);
}

/* On one line, if the device's name may be cut for that. */
static void add_device_line(const struct device_record *device, bool is_first,
                            const struct view *view, struct text *out)
{
    enum { MODEL_LEAST = 12, AROUND = 6 };
    CLEANUP(text_free) struct text line = {0}, about = {0};
    add_clocks(device, view, &about);
    if (is_first)
        add_load(view, &about);
    text_add(&line, device->name);
    if (device_is_numbered(device))
        text_printf(&line, ":%u", device->index);
    const size_t used = text_columns(text_get(&line)) + text_columns(text_get(&about)) + AROUND;
    const size_t width = view_width(view), left = width > used ? width - used : 0;
    text_add(&line, "  ");
    if (view->options->verbose)
        text_add(&line, device->model);
    else
        text_add_cut(&line, device->model, left > MODEL_LEAST ? left : MODEL_LEAST);
    if (about.length)
        text_printf(&line, "  (%s)", text_get(&about));
    text_add(&line, "\n");
    text_add_wrapped(out, text_get(&line), 0, 2, width);
    for (size_t i = 0; view->options->verbose && i < device->n_facts; i++)
        text_printf(out, "  %s: %s\n", device->facts[i].name, device->facts[i].value);
}

static void add_head(const struct view *view, struct text *out)
{
    const struct stored_run *stored = &view->runs[0];
    const struct run_record *run = &stored->record;
    const char *host = fact_of(run->facts, run->n_facts, "host");
    bool verbose = view->options->verbose;
    if (!view->options->is_fresh || verbose) {
        if (view->is_united)
            text_printf(out, "plan %s  ", fact_of(run->facts, run->n_facts, SHARD_FACT_PLAN));
        else
            text_printf(out, "run %lld  ", (long long)stored->number);
        add_time(out, run->started);
        text_printf(out, "%s%s  gbrun %s\n", *host ? "  " : "", host, run->version);
    }
    if (verbose) {
        text_printf(out, "  command: %s\n  configuration: %s (SHA-256 %.12s)\n  seed: %lld\n",
                    run->command_line, run->config_path, run->config_sha256, (long long)run->seed);
        for (size_t i = 0; i < run->n_facts; i++)
            text_printf(out, "  %s: %s\n", run->facts[i].name, run->facts[i].value);
    }
    for (size_t i = 0; i < view->devices[0].n; i++)
        add_device_line(&view->devices[0].items[i].record, i == 0, view, out);
}

/* Which roofs were used, a line for each device model and run. */
static void roofs_write(const struct view *view, struct text *out)
{
    bool is_first = true;
    for (size_t i = 0; i < view->roofs.n; i++) {
        const struct roof_set *set = view->roofs.sets[i];
        CLEANUP(text_free) struct text line = {0};
        if (!set->is_used)
            continue;
        text_printf(&line, "roofs of %s: ", set->model);
        text_add_line(&line, set->source);
        text_add(&line, "\n");
        text_add(out, is_first ? "\n" : "");
        text_add_wrapped(out, text_get(&line), 0, 2, view_width(view));
        is_first = false;
    }
    if (view->roofs_problem)
        text_printf(out, "\nroofs that cannot be used: %s\n", view->roofs_problem);
}

/* --columns: what was asked for, a row for each record. */
static int32_t write_asked(struct view *view, struct text *out, struct gb_error *error)
{
    struct view_column *columns = NULL;
    size_t n = 0;
    int32_t status = view_columns_asked(view, &columns, &n, error);
    if (status != GB_OK)
        return status;
    CLEANUP(table_free) struct table table = {0};
    CLEANUP(text_free) struct text words = {0};
    for (size_t i = 0; i < n; i++)
        table_column(&table,
                     columns[i].kind == COLUMN_METRIC ? view_head_with_unit(view, &columns[i])
                                                      : view_column_title(&columns[i]),
                     !column_is_words(view, &columns[i]));
    for (struct view_cursor at = {.view = view}; view_next(&at, &status, error);) {
        table_row(&table);
        for (size_t j = 0; j < n; j++) {
            struct cell cell = cell_of(at.row, &columns[j]);
            cell_readable(&cell, &words);
            finish_cell(&table, &words);
        }
    }
    table_write(&table, table_style(view->options->format), out);
    return status;
}

/* Which of how many are shown. */
static void write_page(const struct view *view, struct text *out)
{
    const struct view_page *page = &view->page;
    const uint64_t next = page->first + page->n;
    if (!page->n_all)
        return;
    if (page->n)
        text_printf(out, "\ncases %" PRIu64 " to %" PRIu64 " of %" PRIu64, page->first + 1, next,
                    page->n_all);
    else
        text_printf(out, "\nthere are %" PRIu64 " cases", page->n_all);
    if (page->counts.bad)
        text_printf(out, ", %lld of all failed (--where \"status not in ('ok', 'skipped')\")",
                    (long long)page->counts.bad);
    if (page->n && next < page->n_all)
        text_printf(out, "; --offset %" PRIu64 " shows the next, --limit 0 all", next);
    text_add(out, "\n");
}

/* What a table of what is there cannot show. */
static void write_rest(const struct view *view, struct text *out)
{
    const struct stored_run *run = &view->runs[0];
    write_page(view, out);
    if (view->is_united)
        shards_write(view, out);
    if (view->n_runs > 1 || run->record.finished)
        return;
    text_add(out, "\nthis run has not ended");
    if (!view->options->where)
        text_printf(out, ": %llu of %llu cases are done", (unsigned long long)view->survey.n_done,
                    (unsigned long long)run->record.n_cases);
    text_add(out, "; gbrun run --resume FILE measures the rest\n");
}

/* What follows the tables, where it is known how wide lines may be; else as it is. */
static void add_to_width(const struct view *view, const struct text *words, struct text *out)
{
    const char *at = text_get(words);
    if (!view->options->width || view->options->format != FORMAT_TABLE) {
        text_add(out, at);
        return;
    }
    while (*at) {
        CLEANUP(text_free) struct text line = {0};
        const size_t n = strcspn(at, "\n");
        text_add_n(&line, at, n);
        text_add_wrapped(out, text_get(&line), 0, strspn(at, " ") + 2, view->options->width);
        text_add(out, at[n] ? "\n" : "");
        at += n + (at[n] != 0);
    }
}

static int32_t show_run(struct view *view, struct text *out, struct gb_error *error)
{
    CLEANUP(text_free) struct text rest = {0};
    int32_t status = GB_OK;
    if (view->n_runs == 1 || view->is_united) {
        add_head(view, out);
        text_add(out, "\n");
    }
    if (!view->n_entries && view->options->where)
        text_printf(out, "no case matches --where %s\n", view->options->where);
    else if (!view->n_entries)
        text_add(out, "no cases\n");
    else if (view->options->group_by)
        status = groups_show(view, out, error);
    else if (view->options->pivot)
        status = pivot_show(view, out, error);
    else if (view->options->columns)
        status = write_asked(view, out, error);
    else
        tables_show(view, out);
    roofs_write(view, out);
    if (view->relatives) {
        text_add(out, "\n");
        relatives_explain(view->relatives, out);
    }
    if (status == GB_OK && view->options->breakdown)
        breakdown_show(view, out);
    if (status == GB_OK)
        notes_show(view, &rest);
    write_rest(view, &rest);
    if (status == GB_OK)
        summary_write(view, &rest);
    add_to_width(view, &rest, out);
    return status;
}

int32_t view_show(struct store *store, const struct view_options *options, struct text *out,
                  struct gb_error *error)
{
    CLEANUP(arena_free) struct arena arena = {0};
    CLEANUP(text_free) struct text shown = {0};
    struct stored_run *runs = NULL;
    size_t n = 0;
    if (options->format != FORMAT_TABLE && options->format != FORMAT_MARKDOWN)
        return error_set(error, GB_INVALID, "%s is a format of exports: use gbrun export",
                         format_name(options->format));
    int32_t status = store_runs(store, options->run, &arena, &runs, &n, error);
    bool as_one = options->group_by && n > 1; /* groups are of all runs */
    n = as_one ? 1 : n;
    for (size_t i = 0; status == GB_OK && i < n; i++) {
        struct view view;
        status = view_open(store, options, as_one || n == 1 ? options->run : runs[i].number, &view,
                           error);
        if (status != GB_OK)
            break;
        text_add(&shown, i ? "\n" : "");
        status = show_run(&view, &shown, error);
        view_close(&view);
    }
    if (status == GB_OK)
        text_add_n(out, text_get(&shown), shown.length);
    return status;
}
