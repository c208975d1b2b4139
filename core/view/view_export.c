/* view_export.c - see views.h: exports. CSV, in which lines end with a line feed alone, and tables
 * for readers are written here. */
#include "core/base/members.h"
#include "core/view/view_writers.h"

#include <math.h>
#include <stdlib.h>

/* ---- which columns ---- */

/* Columns being put together; column_list_new has room for all there are. */
struct column_list {
    struct view_column *items;
    size_t n;
};

static void list_add(struct column_list *list, struct view_column column)
{
    list->items[list->n++] = column;
}

static void column_list_result(struct column_list *list, const char *name)
{
    struct view_column column;
    for (size_t i = 0; i < list->n; i++)
        if (list->items[i].kind != COLUMN_METRIC && text_equal(list->items[i].name, name))
            return;
    if (result_column_named(name, &column))
        list_add(list, column);
}

/* A result column carries the value of a parameter of its name where there is one. */
static void column_list_parameters(struct view *view, bool shown_only, struct column_list *list)
{
    const struct survey_parameter **parameters = NULL;
    size_t n = survey_union(&view->survey, shown_only, &view->arena, &parameters);
    for (size_t i = 0; i < n; i++) {
        const char *name = parameters[i]->name;
        struct view_column column;
        if (!result_column_named(name, &column))
            list_add(list, (struct view_column){
                               .kind = COLUMN_PARAMETER, .name = name, .head = name, .unit = ""});
        else if (shown_only)
            column_list_result(list, name);
    }
}

static void column_list_metrics(struct view *view, struct column_list *list)
{
    const struct survey *survey = &view->survey;
    for (size_t i = 0; i < survey->n_metrics; i++)
        list_add(list, (struct view_column){
                           .kind = COLUMN_METRIC,
                           .name = survey->metrics[i].name,
                           .head = arena_printf(&view->arena, "metric.%s", survey->metrics[i].name),
                           .unit = survey->metrics[i].unit});
}

static struct column_list column_list_new(struct view *view)
{
    size_t most = 2 * result_columns() + view->survey.n_metrics;
    for (size_t i = 0; i < view->survey.n_benches; i++)
        most += view->survey.benches[i].n_parameters;
    return (struct column_list){ARENA_ARRAY(&view->arena, struct view_column, most), 0};
}

/* ---- CSV ---- */

static int32_t columns_of_cases(struct view *view, struct column_list *ret, struct gb_error *error)
{
    if (view->options->columns)
        return view_columns_asked(view, &ret->items, &ret->n, error);
    *ret = column_list_new(view);
    for (size_t i = 0; i < result_columns(); i++) {
        if (i == RESULT_COLUMNS_BEFORE_PARAMETERS)
            column_list_parameters(view, false, ret);
        if (view->relatives || !result_column_is_relative(i))
            column_list_result(ret, result_column_name(i));
    }
    column_list_metrics(view, ret);
    return GB_OK;
}

static int32_t columns_of_samples(struct view *view, struct column_list *ret,
                                  struct gb_error *error)
{
    static const char *const before[] = {"run", "run_uuid", "bench", "plugin"};
    static const char *const after[] = {"device", "device_model", "policy", "round",
                                        "status", "clock",        "uuid",   "uid"};
    if (view->options->columns)
        return view_columns_asked(view, &ret->items, &ret->n, error);
    *ret = column_list_new(view);
    for (size_t i = 0; i < sizeof before / sizeof *before; i++)
        column_list_result(ret, before[i]);
    column_list_parameters(view, true, ret);
    for (size_t i = 0; i < sizeof after / sizeof *after; i++)
        column_list_result(ret, after[i]);
    return GB_OK;
}

static void csv_cells(const struct column_list *columns, const struct view_row *row,
                      struct text *out)
{
    for (size_t i = 0; i < columns->n; i++) {
        struct cell cell = cell_of(row, &columns->items[i]);
        cell_add_csv(&cell, i == 0, out);
    }
}

static void csv_heads(const struct column_list *columns, struct text *out)
{
    for (size_t i = 0; i < columns->n; i++)
        text_add_csv(out, columns->items[i].head, i == 0);
}

static int32_t csv_cases(struct view *view, FILE *file, struct gb_error *error)
{
    CLEANUP(text_free) struct text out = {0};
    struct column_list columns = {0};
    int32_t status = columns_of_cases(view, &columns, error);
    if (status != GB_OK)
        return status;
    csv_heads(&columns, &out);
    text_add(&out, "\n");
    for (struct view_cursor at = {.view = view}; view_next(&at, &status, error);) {
        csv_cells(&columns, at.row, &out);
        text_add(&out, "\n");
        status = view_flush_if_long(&out, file, error);
    }
    return status == GB_OK ? view_flush(&out, file, error) : status;
}

/* Rows of one case, a chunk of samples at a time. time_ns, the clock that counts, comes first. */
struct sample_writer {
    struct view *view;
    const char **names; /* of columns, after time_ns */
    size_t n_names;
    double *values; /* as of view_read_samples */
    struct text out;
    FILE *file;
};

static int32_t csv_samples_of(struct sample_writer *writer, const struct view_row *row,
                              const char *cells, struct gb_error *error)
{
    int32_t status = GB_OK;
    uint64_t n_samples = row->c.record.n_samples;
    for (uint64_t first = 0; status == GB_OK && first < n_samples; first += STORE_CHUNK) {
        uint64_t n = n_samples - first < STORE_CHUNK ? n_samples - first : STORE_CHUNK;
        status = view_read_samples(writer->view, row, writer->names, writer->n_names, first, n,
                                   writer->values, error);
        for (uint64_t i = 0; status == GB_OK && i < n; i++) {
            text_add(&writer->out, cells);
            text_printf(&writer->out, "%s%llu", *cells ? "," : "", (unsigned long long)(first + i));
            for (size_t j = 0; j <= writer->n_names; j++) {
                double value = writer->values[j * STORE_CHUNK + i];
                text_add(&writer->out, ",");
                if (!isnan(value))
                    text_add(&writer->out, DOUBLE_TEXT(value));
            }
            text_add(&writer->out, "\n");
            status = view_flush_if_long(&writer->out, writer->file, error);
        }
    }
    return status;
}

static int32_t csv_samples(struct view *view, FILE *file, struct gb_error *error)
{
    struct sample_writer writer = {.view = view, .file = file};
    struct column_list columns = {0};
    int32_t status = columns_of_samples(view, &columns, error);
    if (status == GB_OK)
        status = sample_columns_of(view, &writer.names, &writer.n_names, error);
    if (status != GB_OK)
        return status;
    writer.values = memory_allocate((writer.n_names + 1) * STORE_CHUNK * sizeof *writer.values);
    csv_heads(&columns, &writer.out);
    text_printf(&writer.out, "%ssample,time_ns", columns.n ? "," : "");
    for (size_t i = 0; i < writer.n_names; i++) {
        text_add(&writer.out, ",");
        sample_column_head(writer.names[i], &writer.out);
    }
    text_add(&writer.out, "\n");
    for (struct view_cursor at = {.view = view}; view_next(&at, &status, error);) {
        CLEANUP(text_free) struct text cells = {0};
        csv_cells(&columns, at.row, &cells);
        status = csv_samples_of(&writer, at.row, text_get(&cells), error);
    }
    if (status == GB_OK)
        status = view_flush(&writer.out, file, error);
    text_free(&writer.out);
    free(writer.values);
    return status;
}

/* ---- Markdown and plain tables ---- */

/* What a reader wants to see: the parameters that differ, the numbers, the verdicts. */
static int32_t columns_for_readers(struct view *view, struct column_list *ret,
                                   struct gb_error *error)
{
    const struct survey *survey = &view->survey;
    bool combined = view->options->rows == ROWS_COMBINED;
    const struct {
        const char *name;
        bool wanted;
    } before[] = {{"run", survey->several_runs}, {"bench", true}},
      after[] = {{"device", survey->several_devices},
                 {"policy", survey->several_policies},
                 {"clock", survey->several_clocks},
                 {"launched", survey->several_launches},
                 {"pace", survey->any_pace},
                 {"round", survey->last_round > 0 && !combined},
                 {"n_rounds", combined},
                 {"round_variation", combined},
                 {"median_ns", true},
                 {"low_ns", true},
                 {"high_ns", true},
                 {"ratio", view->relatives != NULL},
                 {"ratio_low", view->relatives != NULL},
                 {"ratio_high", view->relatives != NULL},
                 {"relative_iqr", true},
                 {"n_samples", true},
                 {"stop_reason", true},
                 {"gflops", survey->any_flops},
                 {"bytes_per_s", survey->any_bytes},
                 {"items_per_s", survey->any_items}},
      last[] = {{"verified", survey->any_check}, {"status", true}};
    if (view->options->columns)
        return view_columns_asked(view, &ret->items, &ret->n, error);
    *ret = column_list_new(view);
    for (size_t i = 0; i < sizeof before / sizeof *before; i++)
        if (before[i].wanted)
            column_list_result(ret, before[i].name);
    column_list_parameters(view, true, ret);
    for (size_t i = 0; i < sizeof after / sizeof *after; i++)
        if (after[i].wanted)
            column_list_result(ret, after[i].name);
    column_list_metrics(view, ret);
    for (size_t i = 0; i < sizeof last / sizeof *last; i++)
        if (last[i].wanted)
            column_list_result(ret, last[i].name);
    return GB_OK;
}

/* All rows, once to find the widths and once to write: memory does not grow with their number. */
static int32_t aligned_rows(struct view *view, const struct column_list *columns,
                            const struct table *table, size_t *widths, int style, struct text *out,
                            FILE *file, struct gb_error *error)
{
    int32_t status = GB_OK;
    CLEANUP(text_free) struct text words = {0};
    for (struct view_cursor at = {.view = view}; view_next(&at, &status, error);) {
        for (size_t j = 0; j < columns->n; j++) {
            struct cell cell = cell_of(at.row, &columns->items[j]);
            text_clear(&words);
            cell_short(&cell, &words);
            size_t width = table_cell_width(text_get(&words), style);
            if (out)
                table_write_cell(table, j, text_get(&words), widths[j], style, out);
            else if (width > widths[j])
                widths[j] = width;
        }
        if (out) {
            text_add(out, "\n");
            status = view_flush_if_long(out, file, error);
        }
    }
    return status;
}

static int32_t aligned_export(struct view *view, FILE *file, struct gb_error *error)
{
    if (view->options->rows == ROWS_SAMPLE)
        return error_set(error, GB_INVALID, "samples are exported as csv, json or jsonl, not as %s",
                         format_name(view->options->format));
    int style = table_style(view->options->format);
    CLEANUP(text_free) struct text out = {0};
    CLEANUP(table_free) struct table table = {0};
    struct column_list columns = {0};
    int32_t status = columns_for_readers(view, &columns, error);
    if (status != GB_OK)
        return status;
    size_t *widths = ARENA_ARRAY(&view->arena, size_t, columns.n);
    for (size_t i = 0; i < columns.n; i++) {
        table_column(&table, view_head_with_unit(view, &columns.items[i]),
                     !column_is_words(view, &columns.items[i]));
        widths[i] = table_column_width(&table, i, TABLE_MARKDOWN);
    }
    status = aligned_rows(view, &columns, &table, widths, style, NULL, file, error);
    table_write_heads(&table, widths, style, &out);
    if (status == GB_OK)
        status = aligned_rows(view, &columns, &table, widths, style, &out, file, error);
    return status == GB_OK ? view_flush(&out, file, error) : status;
}

/* ---- any ---- */

int32_t view_count(struct store *store, const struct view_options *options, struct view_counts *ret,
                   struct gb_error *error)
{
    struct view view;
    int32_t status = view_open(store, options, options->run, &view, error);
    if (status != GB_OK)
        return status;
    *ret = view.survey.counts;
    view_close(&view);
    return GB_OK;
}

int32_t view_export(struct store *store, const struct view_options *options, FILE *out,
                    struct gb_error *error)
{
    CLEANUP(text_free) struct text text = {0};
    struct view view;
    if (options->rows == ROWS_COMBINED && options->pivot)
        return error_set(error, GB_INVALID,
                         "--rows combined: expected no --pivot, which combines rounds already");
    int32_t status = view_open(store, options, options->run, &view, error);
    if (status != GB_OK)
        return status;
    if (options->group_by) {
        status = groups_write(&view, options->format == FORMAT_CSV ? cell_exact : cell_short, &text,
                              error);
        status = status == GB_OK ? view_flush(&text, out, error) : status;
    } else if (options->pivot)
        status = pivot_export(&view, out, error);
    else if (options->format == FORMAT_JSON)
        status = json_export(&view, out, error);
    else if (options->format == FORMAT_JSONL)
        status = json_lines_export(&view, out, error);
    else if (options->format == FORMAT_CSV)
        status = options->rows == ROWS_SAMPLE ? csv_samples(&view, out, error)
                                              : csv_cases(&view, out, error);
    else
        status = aligned_export(&view, out, error);
    view_close(&view);
    return status;
}

bool view_is_empty(struct store *store, const struct view_options *options)
{
    struct gb_error ignored;
    struct view view;
    if (view_open(store, options, options->run, &view, &ignored) != GB_OK)
        return false;
    const bool is_empty = view.n_entries == 0;
    view_close(&view);
    return is_empty;
}

ORDER_BY(compare_ids, int64_t, ORDER_OF(*x, *y))

int32_t view_choose(struct store *store, int64_t run, const char *where, struct arena *arena,
                    int64_t **ret, size_t *ret_n, struct gb_error *error)
{
    const struct view_options options = {.where = where};
    struct view view;
    const int32_t status = view_open(store, &options, run, &view, error);
    if (status != GB_OK)
        return status;
    *ret = ARENA_ARRAY(arena, int64_t, view.n_entries + 1);
    for (size_t i = 0; i < view.n_entries; i++)
        (*ret)[i] = view.entries[i].row->c.id;
    qsort(*ret, view.n_entries, sizeof **ret, compare_ids);
    *ret_n = view.n_entries;
    view_close(&view);
    return GB_OK;
}
