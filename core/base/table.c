/* table.c - see table.h. */
#include "core/base/table.h"

#include "core/base/memory.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct table_row {
    struct text *cells;
    unsigned char *colours;
    size_t n;
};

void table_column(struct table *table, const char *head, bool right)
{
    size_t n = table->n_columns + 1;
    table->heads = memory_resize(table->heads, n * sizeof *table->heads);
    table->right = memory_resize(table->right, n * sizeof *table->right);
    table->heads[n - 1] = (struct text){0};
    text_add(&table->heads[n - 1], head);
    table->right[n - 1] = right;
    table->n_columns = n;
}

void table_columns(struct table *table, const char *heads)
{
    CLEANUP(text_free) struct text head = {0};
    for (size_t n; *heads; heads += n + (heads[n] == '|')) {
        const bool is_right = *heads == '>';
        heads += is_right;
        n = strcspn(heads, "|");
        text_clear(&head);
        text_add_n(&head, heads, n);
        table_column(table, text_get(&head), is_right);
    }
}

void table_row(struct table *table)
{
    struct table_row *row = MEMORY_ADD(table->rows, table->n_rows);
    row->cells = memory_allocate(table->n_columns * sizeof *row->cells);
    row->colours = memory_allocate(table->n_columns);
    row->n = 0;
}

struct text *table_words(struct table *table)
{
    struct table_row *row = &table->rows[table->n_rows - 1];
    return row->n < table->n_columns ? &row->cells[row->n++] : &table->beyond;
}

void table_cell(struct table *table, const char *cell)
{
    text_add(table_words(table), cell);
}

void table_cell_printf(struct table *table, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(table_words(table), format, arguments);
    va_end(arguments);
}

void table_colour(struct table *table, int colour)
{
    struct table_row *row = &table->rows[table->n_rows - 1];
    row->colours[row->n - 1] = (unsigned char)colour;
}

const char *table_cell_at(const struct table *table, size_t row, size_t column)
{
    return column < table->rows[row].n ? text_get(&table->rows[row].cells[column]) : "";
}

/* A bar inside a Markdown cell would end it. */
size_t table_cell_width(const char *cell, int style)
{
    size_t columns = text_columns(cell);
    for (; style == TABLE_MARKDOWN && *cell; cell++)
        columns += *cell == '|';
    return columns;
}

static void write_cell(const struct table *table, size_t column, const char *cell, int colour,
                       size_t width, int style, struct text *out)
{
    if (style == TABLE_CSV) {
        text_add_csv(out, cell, column == 0);
        return;
    }
    bool last = column + 1 == table->n_columns && style == TABLE_PLAIN;
    size_t used = table_cell_width(cell, style), missing = width > used ? width - used : 0;
    text_add(out, style == TABLE_MARKDOWN ? "| " : column ? "  " : "");
    if (table->right[column])
        text_pad(out, ' ', missing);
    colour_begin(out, colour);
    text_add_valid(out, cell, style == TABLE_MARKDOWN ? '|' : 0, "\\|");
    colour_end(out, colour);
    if (!table->right[column] && !last)
        text_pad(out, ' ', missing);
    if (style == TABLE_MARKDOWN)
        text_add(out, column + 1 == table->n_columns ? " |" : " ");
}

void table_write_cell(const struct table *table, size_t column, const char *cell, size_t width,
                      int style, struct text *out)
{
    write_cell(table, column, cell, COLOUR_NONE, width, style, out);
}

/* Blank cells and those of other styles have none. */
static int colour_of(const struct table *table, size_t row, size_t column, int style)
{
    const struct table_row *cells = &table->rows[row];
    return table->has_colours && style == TABLE_PLAIN && column < cells->n &&
                   cells->cells[column].length
               ? cells->colours[column]
               : COLOUR_NONE;
}

size_t table_column_width(const struct table *table, size_t column, int style)
{
    size_t width = table_cell_width(text_get(&table->heads[column]), style);
    for (size_t i = 0; i < table->n_rows; i++) {
        size_t columns = table_cell_width(table_cell_at(table, i, column), style);
        if (columns > width)
            width = columns;
    }
    return style == TABLE_MARKDOWN && width < 3 ? 3 : width;
}

static void remove_text(struct text *texts, size_t i, size_t n)
{
    text_free(&texts[i]);
    memmove(&texts[i], &texts[i + 1], (n - i - 1) * sizeof *texts);
}

void table_remove_column(struct table *table, size_t column)
{
    remove_text(table->heads, column, table->n_columns);
    memmove(&table->right[column], &table->right[column + 1],
            (table->n_columns - column - 1) * sizeof *table->right);
    table->n_columns--;
    for (size_t i = 0; i < table->n_rows; i++)
        if (column < table->rows[i].n) {
            struct table_row *row = &table->rows[i];
            memmove(&row->colours[column], &row->colours[column + 1], row->n - column - 1);
            remove_text(row->cells, column, row->n--);
        }
}

static void cut_text(struct text *text, size_t most)
{
    struct text cut = {0};
    if (text_columns(text_get(text)) <= most)
        return;
    text_add_cut(&cut, text_get(text), most);
    text_free(text);
    *text = cut;
}

void table_cut_column(struct table *table, size_t column, size_t most)
{
    cut_text(&table->heads[column], most);
    for (size_t i = 0; i < table->n_rows; i++)
        if (column < table->rows[i].n)
            cut_text(&table->rows[i].cells[column], most);
}

void table_keep_first_word(struct table *table, size_t column)
{
    for (size_t i = 0; i < table->n_rows; i++)
        if (column < table->rows[i].n)
            text_cut(&table->rows[i].cells[column],
                     strcspn(text_get(&table->rows[i].cells[column]), " "));
}

void table_write_heads(const struct table *table, const size_t *widths, int style, struct text *out)
{
    for (size_t column = 0; column < table->n_columns; column++)
        table_write_cell(table, column, text_get(&table->heads[column]), widths[column], style,
                         out);
    text_add(out, "\n");
    for (size_t column = 0; column < table->n_columns && style == TABLE_MARKDOWN; column++) {
        text_add(out, column ? " | " : "| ");
        text_pad(out, '-', widths[column] - 1);
        text_add(out, table->right[column] ? ":" : "-");
    }
    if (style == TABLE_MARKDOWN)
        text_add(out, " |\n");
}

void table_write(const struct table *table, int style, struct text *out)
{
    CLEANUP(free_pointer)
    size_t *widths = memory_allocate(table->n_columns * sizeof *widths);
    for (size_t column = 0; column < table->n_columns; column++)
        widths[column] = table_column_width(table, column, style);
    table_write_heads(table, widths, style, out);
    for (size_t i = 0; i < table->n_rows; i++) {
        for (size_t column = 0; column < table->n_columns; column++)
            write_cell(table, column, table_cell_at(table, i, column),
                       colour_of(table, i, column, style), widths[column], style, out);
        text_add(out, "\n");
    }
}

void table_free(struct table *table)
{
    for (size_t i = 0; i < table->n_rows; i++) {
        for (size_t j = 0; j < table->rows[i].n; j++)
            text_free(&table->rows[i].cells[j]);
        free(table->rows[i].cells);
        free(table->rows[i].colours);
    }
    for (size_t column = 0; column < table->n_columns; column++)
        text_free(&table->heads[column]);
    free(table->rows);
    free(table->heads);
    free(table->right);
    text_free(&table->beyond);
    *table = (struct table){0};
}
