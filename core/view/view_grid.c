/* view_grid.c - rows of cells that are there before the first is written, in any format. */
#include "core/base/json_writer.h"
#include "core/view/view_writers.h"

#include <string.h>

void grid_column(struct grid *grid, const char *head, bool right)
{
    ARENA_APPEND(grid->arena, grid->columns, grid->n_columns,
                 (struct grid_column){arena_text(grid->arena, head), right});
}

void grid_cell(struct grid *grid, struct cell cell)
{
    ARENA_APPEND(grid->arena, grid->cells, grid->n_cells, cell);
}

static const char *head_in_a_line(const struct grid *grid, size_t column)
{
    char *head = arena_text(grid->arena, grid->columns[column].head);
    for (char *at = head; (at = strchr(at, '\n'));)
        *at = ' ';
    return head;
}

/* "fp16\n32"; "-" for a cell that is empty. */
static const char *levels_of(const struct grid *grid, const struct cell *row, size_t n_heads)
{
    CLEANUP(text_free) struct text head = {0};
    for (size_t i = 0; i < n_heads; i++) {
        size_t before = head.length;
        text_add(&head, i ? "\n" : "");
        cell_short(&row[i], &head);
        if (head.length == before + (i > 0))
            text_add(&head, "-");
    }
    return arena_text(grid->arena, text_get(&head));
}

struct grid grid_transposed(const struct grid *grid, size_t n_heads)
{
    CLEANUP(text_free) struct text corner = {0};
    struct grid turned = {.arena = grid->arena};
    for (size_t i = 0; i < n_heads; i++)
        text_printf(&corner, "%s%s", i ? "\n" : "", grid->columns[i].head);
    grid_column(&turned, text_get(&corner), false);
    for (size_t at = 0; at < grid->n_cells; at += grid->n_columns)
        grid_column(&turned, levels_of(grid, &grid->cells[at], n_heads), true);
    for (size_t i = n_heads; i < grid->n_columns; i++) {
        grid_cell(&turned, cell_TEXT(head_in_a_line(grid, i)));
        for (size_t at = i; at < grid->n_cells; at += grid->n_columns)
            grid_cell(&turned, grid->cells[at]);
    }
    return turned;
}

static size_t count_levels(const char *head)
{
    size_t n = 1;
    for (; *head; head++)
        n += *head == '\n';
    return n;
}

/* Of a head with fewer levels the upper ones are empty. In an arena. */
static const char *level_of(const struct grid *grid, size_t column, size_t level, size_t n_levels)
{
    const char *head = grid->columns[column].head;
    const size_t missing = n_levels - count_levels(head);
    if (level < missing)
        return "";
    for (size_t i = missing; i < level; i++)
        head = strchr(head, '\n') + 1;
    return arena_printf(grid->arena, "%.*s", (int)strcspn(head, "\n"), head);
}

/* Of the upper levels a name is above the first of the columns that share it. */
static bool is_repeated(const struct grid *grid, size_t column, size_t level, size_t n_levels)
{
    if (column == 0 || level + 1 == n_levels)
        return false;
    for (size_t i = 0; i <= level; i++)
        if (!text_equal(level_of(grid, column, i, n_levels),
                        level_of(grid, column - 1, i, n_levels)))
            return false;
    return true;
}

static const char *shown_level(const struct grid *grid, size_t column, size_t level,
                               size_t n_levels)
{
    return is_repeated(grid, column, level, n_levels) ? ""
                                                      : level_of(grid, column, level, n_levels);
}

/* The levels of all heads, of a table as its first rows. */
static void write_levels(const struct grid *grid, struct table *table)
{
    size_t n_levels = 1;
    for (size_t i = 0; i < grid->n_columns; i++) {
        const size_t n = count_levels(grid->columns[i].head);
        n_levels = n > n_levels ? n : n_levels;
    }
    for (size_t i = 0; i < grid->n_columns; i++)
        table_column(table, shown_level(grid, i, 0, n_levels), grid->columns[i].right);
    for (size_t level = 1; level < n_levels; level++) {
        table_row(table);
        for (size_t i = 0; i < grid->n_columns; i++)
            table_cell(table, shown_level(grid, i, level, n_levels));
    }
}

/* json: an array of objects; jsonl: an object a line. */
static void write_json(const struct grid *grid, bool by_lines, struct text *out)
{
    struct json_writer json = {.out = out};
    text_add(out, by_lines ? "" : "[");
    for (size_t i = 0; i < grid->n_cells; i += grid->n_columns) {
        if (!by_lines)
            json_line(&json);
        json.needs_comma = false;
        json_open(&json, NULL, JSON_OBJECT);
        for (size_t j = 0; j < grid->n_columns; j++)
            json_cell(&json, head_in_a_line(grid, j), &grid->cells[i + j]);
        json_close(&json, JSON_OBJECT);
        text_add(out, by_lines ? "\n" : "");
    }
    text_add(out, by_lines ? "" : "]\n");
}

void grid_write(const struct grid *grid, int format,
                void (*cell)(const struct cell *cell, struct text *out), struct text *out)
{
    CLEANUP(table_free) struct table table = {0};
    if (format == FORMAT_JSON || format == FORMAT_JSONL) {
        write_json(grid, format == FORMAT_JSONL, out);
        return;
    }
    if (format == FORMAT_TABLE)
        write_levels(grid, &table);
    for (size_t i = 0; i < grid->n_columns && format != FORMAT_TABLE; i++)
        table_column(&table, head_in_a_line(grid, i), grid->columns[i].right);
    for (size_t i = 0; i < grid->n_cells; i += grid->n_columns) {
        table_row(&table);
        for (size_t j = 0; j < grid->n_columns; j++)
            cell(&grid->cells[i + j], table_words(&table));
    }
    table_write(&table, table_style(format), out);
}
