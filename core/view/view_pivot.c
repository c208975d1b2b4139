/* view_pivot.c - tables with a column for each value of one parameter. */
#include "core/base/members.h"
#include "core/view/hash_index.h"
#include "core/view/view_writers.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One case as the table needs it. */
struct item {
    struct cell value;  /* of the pivot parameter */
    const char **heads; /* what distinguishes its row */
    uint64_t place;
    const struct view_row *row;
    const struct item *first; /* of those with the same value */
    size_t index;             /* of the value, in the first */
};

/* Where a row and a column meet: a case's rounds. */
struct pivot_cell {
    const struct item **items; /* those with status ok */
    size_t n;
    uint64_t place;
    bool used;
    int status; /* of a round that is not ok, else CASE_OK */
};

struct pivot_row {
    const char **heads;
    struct pivot_cell *cells; /* by value */
};

struct pivot {
    struct view *view;
    struct view_column column;
    struct view_column *head_columns;
    size_t n_heads;
    struct view_column *columns; /* of --columns; NULL: times */
    size_t n_columns;
    struct item *items;
    size_t n_items;
    struct item **values; /* the first item with each value, in order */
    size_t n_values;
    struct pivot_row *rows;
    size_t n_rows;
    struct hash_index rows_by_heads;
    uint64_t n_left_out; /* cases without the parameter */
};

static bool bench_has(const struct survey_bench *bench, const char *name)
{
    return ITEM_NAMED(bench->parameters, bench->n_parameters, name, name) != NULL;
}

static void add_head(struct pivot *pivot, const char *name, bool wanted)
{
    if (!wanted || text_equal(name, pivot->column.name) ||
        ITEM_NAMED(pivot->head_columns, pivot->n_heads, name, name))
        return;
    view_column_named(pivot->view, name, "", &pivot->head_columns[pivot->n_heads++], NULL);
}

/* Axes distinguish rows; what is derived from them does not have to. */
static void choose_heads(struct pivot *pivot)
{
    const struct survey *survey = &pivot->view->survey;
    const char *name = pivot->column.name;
    bool of_parameter = pivot->column.kind == COLUMN_PARAMETER;
    size_t most = 4, n_benches = 0;
    for (size_t i = 0; i < survey->n_benches; i++) {
        most += survey->benches[i].n_parameters;
        n_benches += !of_parameter || bench_has(&survey->benches[i], name);
    }
    pivot->head_columns = ARENA_ARRAY(&pivot->view->arena, struct view_column, most);
    bool of_run = text_starts_with(name, "run") || text_equal(name, "host");
    add_head(pivot, "run", survey->several_runs && !of_run);
    add_head(pivot, "bench", n_benches > 1);
    add_head(pivot, "device", survey->several_devices && !text_starts_with(name, "device"));
    add_head(pivot, "policy", survey->several_policies && !text_starts_with(name, "policy"));
    for (size_t i = 0; i < survey->n_benches; i++) {
        const struct survey_bench *bench = &survey->benches[i];
        if (of_parameter && !bench_has(bench, name))
            continue;
        for (size_t j = 0; j < bench->n_parameters; j++)
            add_head(pivot, bench->parameters[j].name,
                     bench->parameters[j].is_axis && bench->parameters[j].varies);
    }
}

static int32_t read_items(struct pivot *pivot, bool readable, struct gb_error *error)
{
    struct view *view = pivot->view;
    int32_t status = GB_OK;
    pivot->items = ARENA_ARRAY(&view->arena, struct item, view->n_entries + 1);
    for (struct view_cursor at = {.view = view}; view_next(&at, &status, error);) {
        CLEANUP(text_free) struct text words = {0};
        struct cell value = cell_of(at.row, &pivot->column);
        if (value.kind == CELL_NULL) {
            pivot->n_left_out++;
            continue;
        }
        struct item *item = &pivot->items[pivot->n_items++];
        *item = (struct item){.value = value, .place = at.entry->place, .row = at.row};
        item->heads = ARENA_ARRAY(&view->arena, const char *, pivot->n_heads + 1);
        for (size_t j = 0; j < pivot->n_heads; j++) {
            struct cell head = cell_of(at.row, &pivot->head_columns[j]);
            text_clear(&words);
            (readable ? cell_readable : cell_exact)(&head, &words);
            item->heads[j] = arena_text(&view->arena, text_get(&words));
        }
    }
    return status;
}

ORDER_BY(compare_by_value, struct item *const, cell_compare(&(*x)->value, &(*y)->value),
         ORDER_OF((*x)->row->c.position, (*y)->row->c.position))

ORDER_BY(compare_by_position, struct item *const,
         ORDER_OF((*x)->row->c.position, (*y)->row->c.position),
         cell_compare(&(*x)->value, &(*y)->value))

/* In the order of the sweep. */
static void find_values(struct pivot *pivot)
{
    pivot->values = ARENA_ARRAY(&pivot->view->arena, struct item *, pivot->n_items + 1);
    for (size_t i = 0; i < pivot->n_items; i++)
        pivot->values[i] = &pivot->items[i];
    if (!pivot->n_items)
        return;
    qsort(pivot->values, pivot->n_items, sizeof *pivot->values, compare_by_value);
    for (size_t i = 0; i < pivot->n_items; i++) { /* the first of equal ones: lowest position */
        struct item *item = pivot->values[i];
        if (!pivot->n_values ||
            cell_compare(&pivot->values[pivot->n_values - 1]->value, &item->value))
            pivot->values[pivot->n_values++] = item;
        item->first = pivot->values[pivot->n_values - 1];
    }
    qsort(pivot->values, pivot->n_values, sizeof *pivot->values, compare_by_position);
    for (size_t i = 0; i < pivot->n_values; i++)
        pivot->values[i]->index = i;
}

static bool same_heads(const struct pivot *pivot, const char **a, const char **b)
{
    for (size_t i = 0; i < pivot->n_heads; i++)
        if (!text_equal(a[i], b[i]))
            return false;
    return true;
}

/* The row that an item goes to: one with its heads, where its column is free or holds another
 * round of the same case. */
static struct pivot_row *row_for(struct pivot *pivot, const struct item *item, size_t value)
{
    struct arena *arena = &pivot->view->arena;
    uint64_t hash = HASH_START;
    for (size_t i = 0; i < pivot->n_heads; i++)
        hash = hash_text(hash, item->heads[i]);
    for (size_t at = 0, i; (i = hash_index_next(&pivot->rows_by_heads, hash, &at)) != HASH_NONE;) {
        struct pivot_row *row = &pivot->rows[i];
        const struct pivot_cell *cell = &row->cells[value];
        if (same_heads(pivot, row->heads, item->heads) &&
            (!cell->used || cell->place == item->place))
            return row;
    }
    hash_index_add(&pivot->rows_by_heads, hash, pivot->n_rows, arena);
    struct pivot_row *row = &pivot->rows[pivot->n_rows++];
    row->heads = item->heads;
    row->cells = ARENA_ARRAY(arena, struct pivot_cell, pivot->n_values);
    return row;
}

static void add_item(struct arena *arena, struct pivot_cell *cell, const struct item *item)
{
    cell->used = true;
    cell->place = item->place;
    if (item->row->c.record.status != CASE_OK) {
        cell->status = item->row->c.record.status;
        return;
    }
    ARENA_APPEND(arena, cell->items, cell->n, item);
}

static void fill_rows(struct pivot *pivot)
{
    pivot->rows = ARENA_ARRAY(&pivot->view->arena, struct pivot_row, pivot->n_items + 1);
    for (size_t i = 0; i < pivot->n_items; i++) {
        const struct item *item = &pivot->items[i];
        size_t value = item->first->index;
        struct pivot_row *row = row_for(pivot, item, value);
        add_item(&pivot->view->arena, &row->cells[value], item);
    }
}

static int32_t pivot_make(struct view *view, bool readable, struct pivot *ret,
                          struct gb_error *error)
{
    *ret = (struct pivot){.view = view};
    int32_t status = view_column_named(view, view->options->pivot, "--pivot", &ret->column, error);
    if (status != GB_OK)
        return status;
    if (text_is_among(view->parameters, view->n_parameters, ret->column.name) &&
        !is_setting_column(ret->column.name))
        ret->column.kind = COLUMN_PARAMETER; /* it wins over a result column */
    choose_heads(ret);
    status = read_items(ret, readable, error);
    if (status != GB_OK)
        return status;
    find_values(ret);
    fill_rows(ret);
    return view->options->columns ? view_columns_asked(view, &ret->columns, &ret->n_columns, error)
                                  : GB_OK;
}

/* n samples of a cell from number `first` on, its rounds one after the other. */
static int32_t read_trials(struct view *view, const struct pivot_cell *cell, uint64_t first,
                           uint64_t n, double *values, struct gb_error *error)
{
    int32_t status = GB_OK;
    uint64_t start = 0, done = 0;
    for (size_t i = 0; status == GB_OK && i < cell->n && done < n; i++) {
        const struct stored_case *c = &cell->items[i]->row->c;
        uint64_t end = start + c->record.n_samples;
        if (first + done < end) {
            uint64_t part = end - first - done < n - done ? end - first - done : n - done;
            status = store_samples_read(view->store, c->id, c->record.clock, first + done - start,
                                        part, values + done, error);
            done += part;
        }
        start = end;
    }
    return status;
}

/* "16 Streams", "1 Stream"; words stand for themselves. */
static void value_head(const struct pivot *pivot, const struct item *value, struct text *out)
{
    cell_exact(&value->value, out);
    if (pivot->column.kind != COLUMN_PARAMETER || value->value.kind != CELL_INTEGER)
        return;
    const char *name = pivot->column.name;
    size_t length = strlen(name);
    if (value->value.integer == 1 && length > 1 && name[length - 1] == 's')
        length--;
    text_printf(out, " %c%.*s", toupper((unsigned char)*name), (int)(length - 1), name + 1);
}

enum { TRIALS_AT_ONCE = 1024 };

/* A row of a CSV for each trial, ms. */
static int32_t csv_trials(struct pivot *pivot, const struct pivot_row *row, double *values,
                          struct text *out, FILE *file, struct gb_error *error)
{
    int32_t status = GB_OK;
    uint64_t n = UINT64_MAX;
    for (size_t j = 0; j < pivot->n_values; j++) {
        uint64_t have = 0;
        for (size_t i = 0; i < row->cells[j].n; i++)
            have += row->cells[j].items[i]->row->c.record.n_samples;
        n = have && have < n ? have : n;
    }
    for (uint64_t first = 0; status == GB_OK && n != UINT64_MAX && first < n;
         first += TRIALS_AT_ONCE) {
        uint64_t part = n - first < TRIALS_AT_ONCE ? n - first : TRIALS_AT_ONCE;
        for (size_t j = 0; status == GB_OK && j < pivot->n_values; j++)
            status = read_trials(pivot->view, &row->cells[j], first, part,
                                 values + j * TRIALS_AT_ONCE, error);
        for (uint64_t i = 0; status == GB_OK && i < part; i++) {
            for (size_t j = 0; j < pivot->n_heads; j++)
                text_add_csv(out, row->heads[j], j == 0);
            for (size_t j = 0; j < pivot->n_values; j++) {
                double value = values[j * TRIALS_AT_ONCE + i];
                text_add(out, pivot->n_heads + j ? "," : "");
                if (row->cells[j].n && isfinite(value))
                    text_add(out, DOUBLE_TEXT(value / 1e6));
            }
            text_add(out, "\n");
            status = view_flush_if_long(out, file, error);
        }
    }
    return status;
}

static int32_t csv_pivot(struct pivot *pivot, struct text *out, FILE *file, struct gb_error *error)
{
    CLEANUP(text_free) struct text head = {0};
    for (size_t i = 0; i < pivot->n_heads; i++)
        text_add_csv(out, pivot->head_columns[i].head, i == 0);
    for (size_t i = 0; i < pivot->n_values; i++) {
        text_clear(&head);
        value_head(pivot, pivot->values[i], &head);
        text_add_csv(out, text_get(&head), pivot->n_heads + i == 0);
    }
    text_add(out, "\n");
    double *values = memory_allocate((pivot->n_values + 1) * TRIALS_AT_ONCE * sizeof *values);
    int32_t status = GB_OK;
    for (size_t i = 0; status == GB_OK && i < pivot->n_rows; i++)
        status = csv_trials(pivot, &pivot->rows[i], values, out, file, error);
    free(values);
    return status;
}

/* ---- a row for each combination of the other axes ---- */

/* What each value of the pivot has a column of. */
enum {
    SHOWN_COLUMN, /* of --columns */
    SHOWN_TIME,   /* for people with marks and interval */
    SHOWN_RATIO   /* for people, with its interval */
};
struct shown_column {
    int kind;
    struct view_column column; /* whose cell it is, unless it is made for people */
};

static struct shown_column result_shown(int kind, const char *name)
{
    struct shown_column shown = {.kind = kind};
    result_column_named(name, &shown.column);
    return shown;
}

/* Into an array of n_columns + 4. */
static size_t shown_columns(const struct pivot *pivot, bool readable, struct shown_column *ret)
{
    static const char *const ratios[] = {"ratio", "ratio_low", "ratio_high"};
    size_t n = 0;
    for (size_t i = 0; i < pivot->n_columns; i++)
        ret[n++] = (struct shown_column){SHOWN_COLUMN, pivot->columns[i]};
    if (pivot->columns)
        return n;
    ret[n++] = result_shown(SHOWN_TIME, "median_ns");
    for (size_t i = 0; pivot->view->relatives && i < (readable ? 1 : 3); i++)
        ret[n++] = result_shown(readable ? SHOWN_RATIO : SHOWN_COLUMN, ratios[i]);
    return n;
}

static const char *column_head(const struct pivot *pivot, const struct shown_column *shown,
                               size_t value, bool readable)
{
    CLEANUP(text_free) struct text words = {0};
    struct arena *arena = &pivot->view->arena;
    bool is_plain = pivot->columns == NULL && shown->kind == SHOWN_TIME;
    bool has_unit = pivot->view->options->format == FORMAT_MARKDOWN && !readable;
    if (!is_plain)
        text_printf(&words, "%s\n",
                    has_unit || shown->column.kind == COLUMN_METRIC
                        ? view_head_with_unit(pivot->view, &shown->column)
                        : view_column_title(&shown->column));
    else if (readable && value == 0)
        text_printf(&words, "%s=", pivot->column.name);
    (readable ? cell_readable : cell_exact)(&pivot->values[value]->value, &words);
    text_add(&words, is_plain && has_unit ? " (ns)" : "");
    return arena_text(arena, text_get(&words));
}

/* For people, as a table of cases has it. */
static struct cell cell_for_people(const struct shown *shown, int kind, struct arena *arena)
{
    CLEANUP(text_free) struct text words = {0};
    if (kind == SHOWN_RATIO) {
        view_add_ratio(&words, shown->row.relative);
        return cell_TEXT(arena_text(arena, text_get(&words)));
    }
    shown_add_central(&words, shown);
    if (shown->has_interval) {
        text_add(&words, " ");
        text_add_interval(&words, shown->central_ns, shown->low_ns, shown->high_ns);
    }
    return cell_TEXT(arena_text(arena, text_get(&words)));
}

static struct cell cell_of_shown(const struct shown *shown, const struct shown_column *column,
                                 bool readable, struct arena *arena)
{
    struct cell cell;
    if (readable && column->kind != SHOWN_COLUMN)
        return cell_for_people(shown, column->kind, arena);
    if (column->kind == SHOWN_TIME) {
        cell = cell_REAL(shown->central_ns);
        cell.unit = UNIT_NS;
        return cell;
    }
    cell = cell_of(&shown->row, &column->column);
    if (cell.kind == CELL_TEXT)
        cell.text = arena_text(arena, cell.text);
    return cell;
}

/* The cells of one value in a row: n of them. */
static int32_t make_cells(const struct pivot *pivot, const struct pivot_cell *cell,
                          const struct shown_column *columns, size_t n, bool readable,
                          struct cell *ret, struct gb_error *error)
{
    CLEANUP(arena_free) struct arena arena = {0};
    struct view *view = pivot->view;
    struct view_row *rows = ARENA_ARRAY(&arena, struct view_row, cell->n + 1);
    for (size_t i = 0; i < n; i++)
        ret[i] = (struct cell){0};
    if (readable && cell->status != CASE_OK) {
        ret[0] = cell_TEXT(case_status_word(cell->status));
        return GB_OK;
    }
    if (!cell->n)
        return GB_OK;
    for (size_t i = 0; i < cell->n; i++)
        rows[i] = *cell->items[i]->row;
    struct shown shown = combine_rounds(rows, cell->n, &arena);
    for (size_t i = 0; i < n; i++)
        ret[i] = cell_of_shown(&shown, &columns[i], readable, &view->arena);
    return view_expressions_status(view, error);
}

/* Column after column, each for all values. readable: for people, with words where a case has no
 * time. */
static int32_t make_grid(const struct pivot *pivot, bool readable, struct grid *ret,
                         struct gb_error *error)
{
    struct arena *arena = &pivot->view->arena;
    struct shown_column *columns = ARENA_ARRAY(arena, struct shown_column, pivot->n_columns + 4);
    size_t n = shown_columns(pivot, readable, columns);
    struct cell *cells = ARENA_ARRAY(arena, struct cell, n * pivot->n_values + 1);
    int32_t status = GB_OK;
    *ret = (struct grid){.arena = arena};
    for (size_t i = 0; i < pivot->n_heads; i++)
        grid_column(ret, pivot->head_columns[i].head, false);
    for (size_t k = 0; k < n; k++)
        for (size_t j = 0; j < pivot->n_values; j++)
            grid_column(ret, column_head(pivot, &columns[k], j, readable), true);
    for (size_t i = 0; i < pivot->n_rows; i++) {
        for (size_t j = 0; j < pivot->n_heads; j++)
            grid_cell(ret, cell_TEXT(pivot->rows[i].heads[j]));
        for (size_t j = 0; status == GB_OK && j < pivot->n_values; j++)
            status = make_cells(pivot, &pivot->rows[i].cells[j], columns, n, readable,
                                &cells[j * n], error);
        for (size_t k = 0; k < n; k++)
            for (size_t j = 0; j < pivot->n_values; j++)
                grid_cell(ret, cells[j * n + k]);
    }
    return status;
}

static int32_t write_grid(const struct pivot *pivot, bool readable,
                          void (*cell)(const struct cell *cell, struct text *out), struct text *out,
                          struct gb_error *error)
{
    const struct view_options *options = pivot->view->options;
    struct grid grid;
    int32_t status = make_grid(pivot, readable, &grid, error);
    if (status != GB_OK)
        return status;
    if (options->transpose)
        grid = grid_transposed(&grid, pivot->n_heads);
    grid_write(&grid, options->format, cell, out);
    return GB_OK;
}

int32_t pivot_export(struct view *view, FILE *file, struct gb_error *error)
{
    struct pivot pivot;
    CLEANUP(text_free) struct text out = {0};
    bool of_trials = view->options->format == FORMAT_CSV && !view->options->columns;
    if (of_trials && (view->relatives || view->options->transpose))
        return error_set(error, GB_INVALID,
                         "--pivot as csv is a row for each sample, which has no %s: name --columns,"
                         " such as median_ns",
                         view->relatives ? "ratio" : "--transpose");
    int32_t status = pivot_make(view, false, &pivot, error);
    if (status == GB_OK)
        status = of_trials ? csv_pivot(&pivot, &out, file, error)
                           : write_grid(&pivot, false, cell_exact, &out, error);
    return status == GB_OK ? view_flush(&out, file, error) : status;
}

int32_t pivot_show(struct view *view, struct text *out, struct gb_error *error)
{
    struct pivot pivot;
    int32_t status = pivot_make(view, true, &pivot, error);
    if (status == GB_OK)
        status = write_grid(&pivot, true, cell_readable, out, error);
    if (status == GB_OK && pivot.n_left_out)
        text_printf(out, "\nleft out: %s without %s\n", COUNT_TEXT(pivot.n_left_out, "case"),
                    pivot.column.name);
    return status;
}
