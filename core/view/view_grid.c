/* view_grid.c - rows of cells that are there before the first is written, in any format. */
#include "core/base/json_writer.h"
#include "core/view/view_writers.h"

void grid_column(struct grid *grid, const char *head, bool right)
{
    ARENA_APPEND(grid->arena, grid->columns, grid->n_columns,
                 (struct grid_column){arena_text(grid->arena, head), right});
}

void grid_cell(struct grid *grid, struct cell cell)
{
    ARENA_APPEND(grid->arena, grid->cells, grid->n_cells, cell);
}

/* "fp16 32"; "-" for a cell that is empty. */
static const char *joined_heads(const struct grid *grid, const struct cell *row, size_t n_heads)
{
    CLEANUP(text_free) struct text head = {0};
    for (size_t i = 0; i < n_heads; i++) {
        size_t before = head.length;
        text_add(&head, i ? " " : "");
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
        text_printf(&corner, "%s%s", i ? " " : "", grid->columns[i].head);
    grid_column(&turned, text_get(&corner), false);
    for (size_t at = 0; at < grid->n_cells; at += grid->n_columns)
        grid_column(&turned, joined_heads(grid, &grid->cells[at], n_heads), true);
    for (size_t i = n_heads; i < grid->n_columns; i++) {
        grid_cell(&turned, cell_TEXT(grid->columns[i].head));
        for (size_t at = i; at < grid->n_cells; at += grid->n_columns)
            grid_cell(&turned, grid->cells[at]);
    }
    return turned;
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
            json_cell(&json, grid->columns[j].head, &grid->cells[i + j]);
        json_close(&json, JSON_OBJECT);
        text_add(out, by_lines ? "\n" : "");
    }
    text_add(out, by_lines ? "" : "]\n");
}

void grid_write(const struct grid *grid, int format,
                void (*cell)(const struct cell *cell, struct text *out), struct text *out)
{
    CLEANUP(table_free) struct table table = {0};
    CLEANUP(text_free) struct text words = {0};
    if (format == FORMAT_JSON || format == FORMAT_JSONL) {
        write_json(grid, format == FORMAT_JSONL, out);
        return;
    }
    for (size_t i = 0; i < grid->n_columns; i++)
        table_column(&table, grid->columns[i].head, grid->columns[i].right);
    for (size_t i = 0; i < grid->n_cells; i += grid->n_columns) {
        table_row(&table);
        for (size_t j = 0; j < grid->n_columns; j++) {
            cell(&grid->cells[i + j], &words);
            finish_cell(&table, &words);
        }
    }
    table_write(&table, table_style(format), out);
}
