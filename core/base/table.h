/*
 * table.h - columns of text, aligned when written: rows of cells, numbers to the right, words to
 * the left.
 */
#pragma once

#include "core/base/colour.h"

/* Zero-initialize. */
struct table {
    struct table_row *rows;
    size_t n_rows;
    size_t n_columns;
    bool *right; /* by column */
    struct text *heads;
    struct text beyond; /* cells that there is no column for */
    bool has_colours;   /* set by the caller: cells are written in the colours they were given */
};

enum { TABLE_PLAIN, TABLE_MARKDOWN, TABLE_CSV }; /* of CSV, lines end with a line feed alone */

void table_column(struct table *table, const char *head, bool right); /* before the first row */
/* Several: "case|>base|>new|verdict", those behind a > to the right. */
void table_columns(struct table *table, const char *heads);
void table_row(struct table *table);
void table_cell(struct table *table, const char *cell); /* fills the last row from the left */
/* The same with an empty cell, whose words the caller adds before it begins another row. */
struct text *table_words(struct table *table);
void table_cell_printf(struct table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void table_colour(struct table *table, int colour); /* COLOUR_...: of the cell added last */
const char *table_cell_at(const struct table *table, size_t row, size_t column); /* "" */
size_t table_column_width(const struct table *table, size_t column, int style);
void table_remove_column(struct table *table, size_t column);
/* Cuts what is wider than that, head and cells, in the middle (text_add_cut). */
void table_cut_column(struct table *table, size_t column, size_t most);
/* Cuts each cell of a column after its first word. */
void table_keep_first_word(struct table *table, size_t column);
void table_write(const struct table *table, int style, struct text *out);
void table_free(struct table *table);

/* For rows that are too many to be kept: heads and cells, with the widths of the columns. */
size_t table_cell_width(const char *cell, int style);
void table_write_heads(const struct table *table, const size_t *widths, int style,
                       struct text *out);
void table_write_cell(const struct table *table, size_t column, const char *cell, size_t width,
                      int style, struct text *out);
