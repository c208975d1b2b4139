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
