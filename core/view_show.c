/* view_show.c - a results file as tables for people. Floor 4. */
#include "core/view_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RATE_DECIMALS = 6, METRICS_SHOWN = 3, BLANK_COLUMNS_MAX = 4 };

/* "2026-01-01T10:00:00.000Z" as people write it. */
static void add_time(struct text *out, const char *iso)
{
    if (strlen(iso) >= 20 && iso[10] == 'T' && text_ends_with(iso, "Z"))
        text_printf(out, "%.10s %.8s UTC", iso, iso + 11);
    else
        text_add(out, iso);
}

static void add_device_line(const struct device_record *device, bool verbose, struct text *out)
{
    char tick[NUMBER_TEXT_MAX], overhead[NUMBER_TEXT_MAX];
    text_printf(out, "%s", device->name);
    if (device->index)
        text_printf(out, ":%u", device->index);
    text_printf(out, "  %s", device->model);
    for (size_t i = 0; i < device->n_clocks; i++)
        text_printf(out, "%s%s clock: step %s, empty sample %s", i ? "; " : "  (",
                    device->clocks[i].name, format_time(device->clocks[i].tick_ns, 3, tick),
                    format_time(device->clocks[i].overhead_ns, 3, overhead));
    text_add(out, device->n_clocks ? ")\n" : "\n");
    for (size_t i = 0; verbose && i < device->n_facts; i++)
        text_printf(out, "  %s: %s\n", device->facts[i].name, device->facts[i].value);
}

static void add_head(const struct view *view, struct text *out)
{
    const struct stored_run *stored = &view->runs[0];
    const struct run_record *run = &stored->record;
    const char *host = fact_of(run->facts, run->n_facts, "host");
    bool verbose = view->options->verbose;
    text_printf(out, "run %lld  ", (long long)stored->number);
    add_time(out, run->started);
    text_printf(out, "%s%s  gbrun %s\n", *host ? "  " : "", host, run->version);
    if (verbose) {
        text_printf(out, "  command: %s\n  configuration: %s (SHA-256 %.12s)\n  seed: %lld\n",
                    run->command_line, run->config_path, run->config_sha256, (long long)run->seed);
        for (size_t i = 0; i < run->n_facts; i++)
            text_printf(out, "  %s: %s\n", run->facts[i].name, run->facts[i].value);
    }
    for (size_t i = 0; i < view->devices[0].n; i++)
        add_device_line(&view->devices[0].items[i].record, verbose, out);
}

static void add_percent(struct text *out, double ratio)
{
    double percent = 100 * ratio;
    if (isfinite(percent))
        text_printf(out, percent >= 10 ? "%.1f %%" : "%.2f %%", percent);
    else
        text_add(out, "-");
}

/* "±0.52 %"; "[1.2 us, inf]" where the ends are not alike; "none" where none is claimed. */
static void add_interval(struct text *out, const struct shown *shown)
{
    char low[NUMBER_TEXT_MAX], high[NUMBER_TEXT_MAX];
    double below = shown->central_ns - shown->low_ns, above = shown->high_ns - shown->central_ns;
    if (!shown->has_interval) {
        text_add(out, shown->row->c.record.has_estimate ? "none" : "");
        return;
    }
    if (*shown->statistic && !text_equal(shown->statistic, "median"))
        text_printf(out, "%s ", shown->statistic);
    bool alike = isfinite(below) && isfinite(above) && below >= 0 && above >= 0 &&
                 fabs(above - below) <= 0.5 * fmax(above, below);
    if (alike && shown->central_ns > 0) {
        text_add(out, "\u00B1");
        add_percent(out, (above + below) / 2 / shown->central_ns);
    } else {
        text_printf(out, "[%s, %s]", format_time(shown->low_ns, 4, low),
                    format_time(shown->high_ns, 4, high));
    }
}

static void add_verdict(struct text *out, const struct shown *shown)
{
    const struct check_record *check = main_check(&shown->checked->c);
    if (!check) {
        text_add(out, "unchecked");
        return;
    }
    text_printf(out, "%s %s %.3g", check->passed ? "ok" : "FAIL", check->metric, check->value);
    if (!check->passed && !isnan(check->tolerance))
        text_printf(out, " > %.3g", check->tolerance);
}

/* In the unit of the column's head. */
static void add_rate(struct text *out, const struct shown *shown, double amount, double unit)
{
    double rate = amount / shown->central_ns * 1e9 / unit;
    if (!(amount > 0))
        return;
    if (!isfinite(rate)) {
        text_add(out, "-");
        return;
    }
    int decimals = 3 - (int)floor(log10(rate * 1.00005)); /* 0.99999 is 1.000 */
    text_printf(out, "%.*f",
                decimals < 0               ? 0
                : decimals > RATE_DECIMALS ? RATE_DECIMALS
                                           : decimals,
                rate);
}

static void add_central(struct text *out, const struct shown *shown)
{
    char number[NUMBER_TEXT_MAX];
    text_add(out, isnan(shown->central_ns) ? "-" : format_time(shown->central_ns, 4, number));
    text_add(out, shown->has_modes ? "*" : "");
}

/* One table: which columns it has. */
struct layout {
    const struct survey *survey;
    bool bench, device, policy, clock, rounds, flops, bytes, items, check, status;
    const struct survey_parameter **parameters;
    size_t n_parameters, n_metrics;
};

static void add_columns(const struct layout *layout, struct table *table)
{
    CLEANUP(text_free) struct text head = {0};
    if (layout->bench)
        table_column(table, "bench", false);
    for (size_t i = 0; i < layout->n_parameters; i++)
        table_column(table, layout->parameters[i]->name, layout->parameters[i]->is_number);
    const struct {
        bool wanted;
        const char *head;
        bool right;
    } fixed[] = {{layout->device, "device", false}, {layout->policy, "policy", false},
                 {layout->clock, "clock", false},   {true, "median", true},
                 {true, "interval", true},          {true, "spread", true},
                 {layout->rounds, "rounds", true},  {true, "samples", true},
                 {true, "stopped because", false},  {layout->flops, "GFLOP/s", true},
                 {layout->bytes, "GB/s", true},     {layout->items, "M items/s", true}};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        if (fixed[i].wanted)
            table_column(table, fixed[i].head, fixed[i].right);
    for (size_t i = 0; i < layout->n_metrics; i++) {
        const struct survey_metric *metric = &layout->survey->metrics[i];
        text_clear(&head);
        text_printf(&head, *metric->unit ? "%s (%s)" : "%s", metric->name, metric->unit);
        table_column(table, text_get(&head), true);
    }
    if (layout->check)
        table_column(table, "check", false);
    if (layout->status)
        table_column(table, "status", false);
}

static void metric_text(const struct shown *shown, const struct survey_metric *metric,
                        const struct view_row *rows, struct arena *arena, struct text *out)
{
    const struct view_column column = {.kind = COLUMN_METRIC, .name = metric->name};
    double *values = ARENA_ARRAY(arena, double, shown->n_rounds);
    bool any = false;
    for (size_t i = 0; i < shown->n_rounds; i++) {
        struct cell cell = cell_of(&rows[i], &column);
        values[i] = cell.kind == CELL_REAL ? cell.real : NAN;
        any |= cell.kind == CELL_REAL;
    }
    if (any)
        text_printf(out, "%.4g", median_of_known(values, shown->n_rounds));
}

/* The next cell of the row, whose text is then empty again. */
static void finish_cell(struct table *table, struct text *cell)
{
    table_cell(table, text_get(cell));
    text_clear(cell);
}

static void add_place(const struct layout *layout, const struct shown *shown, struct table *table,
                      struct arena *arena)
{
    CLEANUP(text_free) struct text cell = {0};
    const struct stored_case *c = &shown->row->c;
    if (layout->bench)
        table_cell(table, c->bench);
    for (size_t i = 0; i < layout->n_parameters; i++) {
        const struct view_column column = {.kind = COLUMN_PARAMETER,
                                           .name = layout->parameters[i]->name};
        struct cell value = cell_of(shown->row, &column);
        cell_readable(&value, &cell);
        finish_cell(table, &cell);
    }
    if (layout->device)
        table_cell(table, device_label(shown->row, arena));
    if (layout->policy)
        table_cell(table, c->policy);
    if (layout->clock)
        table_cell(table, c->record.clock);
}

static void add_row(const struct layout *layout, const struct view_row *rows, size_t n,
                    struct table *table)
{
    CLEANUP(arena_free) struct arena arena = {0};
    CLEANUP(text_free) struct text cell = {0};
    struct shown shown = combine_rounds(rows, n, &arena);
    const struct case_record *record = &rows->c.record;
    table_row(table);
    add_place(layout, &shown, table, &arena);
    add_central(&cell, &shown);
    finish_cell(table, &cell);
    add_interval(&cell, &shown);
    finish_cell(table, &cell);
    add_percent(&cell, shown.spread);
    finish_cell(table, &cell);
    if (layout->rounds)
        table_cell_printf(table, "%zu", shown.n_rounds);
    table_cell_printf(table, "%llu", (unsigned long long)shown.n_samples);
    add_single_line(&cell, record->stop_reason);
    finish_cell(table, &cell);
    const struct {
        bool wanted;
        double amount, unit;
    } rates[] = {{layout->flops, record->work.flops, 1e9},
                 {layout->bytes, record->work.bytes_read + record->work.bytes_written, 1e9},
                 {layout->items, record->work.items, 1e6}};
    for (size_t i = 0; i < 3; i++)
        if (rates[i].wanted) {
            add_rate(&cell, &shown, rates[i].amount, rates[i].unit);
            finish_cell(table, &cell);
        }
    for (size_t i = 0; i < layout->n_metrics; i++) {
        metric_text(&shown, &layout->survey->metrics[i], rows, &arena, &cell);
        finish_cell(table, &cell);
    }
    if (layout->check) {
        add_verdict(&cell, &shown);
        finish_cell(table, &cell);
    }
    if (layout->status)
        table_cell(table, case_status_word(shown.worst ? shown.worst->c.record.status : CASE_OK));
}

/* Reads the rounds of a case, which live in the arena. */
static int32_t read_group(struct view *view, const struct group *group, struct arena *arena,
                          struct view_row **ret, struct gb_error *error)
{
    struct view_row *rows = ARENA_ARRAY(arena, struct view_row, group->n);
    int32_t status = GB_OK;
    for (size_t i = 0; status == GB_OK && i < group->n; i++)
        status = view_read(view, &view->entries[group->first + i], arena, &rows[i], error);
    *ret = rows;
    return status;
}

/* One bench's shown parameters, or those of all benches if that leaves few cells blank. */
static bool one_table_does(const struct survey *survey, const struct survey_parameter ***ret,
                           size_t *ret_n)
{
    *ret_n = survey_union(survey, true, survey->arena, ret);
    if (*ret_n <= BLANK_COLUMNS_MAX)
        return true;
    for (size_t i = 0; i < survey->n_benches; i++) {
        size_t shown = 0;
        for (size_t j = 0; j < survey->benches[i].n_parameters; j++)
            shown += survey_shows(&survey->benches[i].parameters[j]);
        if (shown != *ret_n)
            return false;
    }
    return true;
}

static struct layout layout_of(const struct view *view, bool bench_column)
{
    const struct survey *survey = &view->survey;
    size_t most = view->options->verbose ? survey->n_metrics : METRICS_SHOWN;
    return (struct layout){
        .survey = survey,
        .bench = bench_column,
        .device = survey->several_devices,
        .policy = survey->several_policies,
        .clock = survey->several_clocks,
        .rounds = survey->last_round > 0,
        .flops = survey->any_flops,
        .bytes = survey->any_bytes,
        .items = survey->any_items,
        .check = survey->any_check,
        .status = survey->any_bad || survey->any_skipped,
        .n_metrics = survey->n_metrics < most ? survey->n_metrics : most,
    };
}

/* The groups of one bench, or of all (bench NULL), as a table. */
static int32_t write_table(struct view *view, const struct layout *layout, const char *bench,
                           const struct group *groups, size_t n_groups, struct text *out,
                           struct gb_error *error)
{
    struct table table = {0};
    int32_t status = GB_OK;
    add_columns(layout, &table);
    for (size_t i = 0; status == GB_OK && i < n_groups; i++) {
        CLEANUP(arena_free) struct arena arena = {0};
        struct view_row *rows = NULL;
        status = read_group(view, &groups[i], &arena, &rows, error);
        if (status == GB_OK && (!bench || text_equal(rows->c.bench, bench)))
            add_row(layout, rows, groups[i].n, &table);
    }
    table_write(&table, view->options->format == FORMAT_MARKDOWN ? TABLE_MARKDOWN : TABLE_PLAIN,
                out);
    table_free(&table);
    return status;
}

static int32_t write_tables(struct view *view, struct text *out, struct gb_error *error)
{
    const struct survey *survey = &view->survey;
    const struct survey_parameter **shared = NULL;
    size_t n_shared = 0, n_groups = 0;
    struct group *groups = group_rounds(view, survey->last_round > 0, &n_groups);
    int32_t status = GB_OK;
    if (one_table_does(survey, &shared, &n_shared)) {
        struct layout layout = layout_of(view, true);
        layout.parameters = shared;
        layout.n_parameters = n_shared;
        status = write_table(view, &layout, NULL, groups, n_groups, out, error);
    } else {
        for (size_t i = 0; status == GB_OK && i < survey->n_benches; i++) {
            struct survey one = *survey;
            one.benches = &survey->benches[i];
            one.n_benches = 1;
            struct layout layout = layout_of(view, false);
            layout.n_parameters = survey_union(&one, true, &view->arena, &layout.parameters);
            text_printf(out, "%s%s\n", i ? "\n" : "", survey->benches[i].name);
            status = write_table(view, &layout, survey->benches[i].name, groups, n_groups, out,
                                 error);
        }
    }
    free(groups);
    return status;
}

/* --columns: what was asked for, a row for each record. */
static int32_t write_asked(struct view *view, struct text *out, struct gb_error *error)
{
    struct view_column *columns = NULL;
    size_t n = 0;
    int32_t status = view_columns_asked(view, &columns, &n, error);
    if (status != GB_OK)
        return status;
    struct table table = {0};
    CLEANUP(text_free) struct text words = {0};
    for (size_t i = 0; i < n; i++) {
        bool is_words = columns[i].kind == COLUMN_RESULT &&
                        result_column_is_text((size_t)columns[i].result);
        table_column(&table, columns[i].kind == COLUMN_METRIC ? columns[i].name : columns[i].head,
                     !is_words);
    }
    for (size_t i = 0; status == GB_OK && i < view->n_entries; i++) {
        CLEANUP(arena_free) struct arena arena = {0};
        struct view_row row;
        status = view_read(view, &view->entries[i], &arena, &row, error);
        if (status != GB_OK)
            break;
        table_row(&table);
        for (size_t j = 0; j < n; j++) {
            struct cell cell = cell_of(&row, &columns[j]);
            cell_readable(&cell, &words);
            finish_cell(&table, &words);
        }
    }
    table_write(&table, view->options->format == FORMAT_MARKDOWN ? TABLE_MARKDOWN : TABLE_PLAIN,
                out);
    table_free(&table);
    return status;
}

static int32_t write_notes(struct view *view, struct text *out, struct gb_error *error)
{
    struct notes notes = {.arena = &view->arena};
    bool verbose = view->options->verbose;
    int32_t status = GB_OK;
    for (size_t i = 0; status == GB_OK && i < view->n_entries; i++) {
        CLEANUP(arena_free) struct arena arena = {0};
        struct view_row row;
        status = view_read(view, &view->entries[i], &arena, &row, error);
        if (status == GB_OK)
            notes_add(&notes, &row, verbose);
    }
    notes_write(&notes, verbose, out);
    return status;
}

/* What a table of part of a run does not tell. */
static void write_rest(const struct view *view, struct text *out)
{
    const struct stored_run *run = &view->runs[0];
    const struct survey *survey = &view->survey;
    bool plain = !view->options->columns && !view->options->pivot;
    if (plain && !view->options->verbose && survey->n_metrics > METRICS_SHOWN)
        text_printf(out, "\n%zu more metrics; --verbose shows them\n",
                    survey->n_metrics - METRICS_SHOWN);
    if (!run->record.finished) {
        text_add(out, "\nthis run has not ended");
        if (!view->options->where)
            text_printf(out, ": %llu of %llu cases are stored", (unsigned long long)survey->n_cases,
                        (unsigned long long)run->record.n_cases);
        text_add(out, "; gbrun run --resume FILE measures the rest\n");
    }
}

static int32_t show_run(struct view *view, struct text *out, struct gb_error *error)
{
    int32_t status = GB_OK;
    int style = view->options->format == FORMAT_MARKDOWN ? TABLE_MARKDOWN : TABLE_PLAIN;
    add_head(view, out);
    text_add(out, "\n");
    if (!view->n_entries)
        text_add(out, view->options->where ? "no case matches --where\n" : "no cases\n");
    else if (view->options->pivot)
        status = pivot_show(view, style, out, error);
    else if (view->options->columns)
        status = write_asked(view, out, error);
    else
        status = write_tables(view, out, error);
    if (status == GB_OK)
        status = write_notes(view, out, error);
    write_rest(view, out);
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
    for (size_t i = 0; status == GB_OK && i < n; i++) {
        struct view view;
        status = view_open(store, options, runs[i].number, &view, error);
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
