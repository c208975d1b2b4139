/* view_aligned.c - exports for readers: Markdown and plain tables. */
#include "core/view/view_writers.h"

#include <string.h>

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

const char *view_head_with_unit(struct view *view, const struct view_column *column)
{
    const char *unit = column->kind == COLUMN_RESULT ? result_column_unit((size_t)column->result)
                                                     : column->unit;
    const char *name = view_column_title(column);
    size_t length = strlen(name);
    if (column->title)
        return column->title;
    if (text_equal(unit, "ns") && text_ends_with(name, "_ns"))
        length -= 3;
    return *unit ? arena_printf(&view->arena, "%.*s (%s)", (int)length, name, unit)
                 : arena_text(&view->arena, name);
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

int32_t aligned_export(struct view *view, FILE *file, struct gb_error *error)
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
