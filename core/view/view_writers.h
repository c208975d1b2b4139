/*
 * view_writers.h - how the selected cases are written: tables and what follows them, exports.
 */
#pragma once

#include "core/base/table.h"
#include "core/view/view_cases.h"

bool column_is_words(const struct view *view, const struct view_column *column);
/* "median (ns)", "gflops (GFLOP/s)", "registers (count)". */
const char *view_head_with_unit(struct view *view, const struct view_column *column);

/* Adds one table of all selected cases, or one for each bench, and what there was no room for. */
void tables_show(struct view *view, struct text *out);
/* TABLE_... of a FORMAT_... that is no JSON. */
int table_style(int format);

/* Adds what each case puts on the device, one case after the other. */
void breakdown_show(struct view *view, struct text *out);

/* Rows of cells that are there before the first is written. Zero-initialize, with an arena, in
 * which texts of cells live as well. */
struct grid {
    struct arena *arena;
    struct grid_column {
        const char *head; /* of several levels, with a line feed between: the upper ones first */
        bool right;       /* numbers */
    } * columns;
    size_t n_columns;
    struct cell *cells; /* row after row */
    size_t n_cells;
};
void grid_column(struct grid *grid, const char *head, bool right); /* before the first cell */
void grid_cell(struct grid *grid, struct cell cell);
/* Rows as columns: the first n_heads cells of a row are the levels of the column's head. */
struct grid grid_transposed(const struct grid *grid, size_t n_heads);
/* cell: cell_exact, cell_short or cell_readable; not of JSON. A table has a line for each level of
 * the heads, and a name once for neighbours that share it; other formats have blanks between
 * levels. */
void grid_write(const struct grid *grid, int format,
                void (*cell)(const struct cell *cell, struct text *out), struct text *out);

/* --group-by, perhaps with --pivot: adds a row for each group of cases. cell: as of grid_write. */
int32_t groups_write(struct view *view, void (*cell)(const struct cell *cell, struct text *out),
                     struct text *out, struct gb_error *error);

/* --pivot: one column for each value of a parameter, rows for all else that differs. */
int32_t pivot_export(struct view *view, FILE *out, struct gb_error *error);
/* Adds the table, with a line on what was left out. */
int32_t pivot_show(struct view *view, struct text *out, struct gb_error *error);

/* Adds how much of its run, which has no end, is done. */
void view_add_open(const struct view *view, struct text *out);

/* The writers of exports. */
int32_t json_export(struct view *view, FILE *out, struct gb_error *error);
int32_t json_lines_export(struct view *view, FILE *out, struct gb_error *error);

/* What the samples of a case say, its rounds combined: adds words on the noise there is (ret: or
 * NULL), and its likely cause. */
enum { NOISE_NONE, NOISE_SCATTER, NOISE_OUTLIERS };
int noise_words(const struct view_row *rows, size_t n, const struct shown *shown, struct text *ret,
                struct text *ret_cause);
/* Of relative differences between outputs and references, one for each comparison. */
struct histograms {
    struct histogram *items;
    size_t n;
};

/* What follows a table, of a view of single rounds: failures, messages, doubts. The view's. */
struct note_lines {
    struct note_line {
        int level;         /* 0: a heading, 1: a note below it, 2: one that belongs to the note */
        int colour;        /* of a heading */
        bool is_rest;      /* how many more there are, which NOTES_ALL has */
        const char *mark;  /* of the times that a note is about; "" */
        const char *words; /* on one line */
    } * items;
    size_t n, n_before_histograms;
    struct histograms histograms; /* of a verbose view */
};
struct note_lines notes_of(struct view *view);
void notes_show(struct view *view, struct text *out); /* as text */

/* Writes and empties the text; GB_IO names what went wrong. */
int32_t view_flush(struct text *text, FILE *out, struct gb_error *error);
int32_t view_flush_if_long(struct text *text, FILE *out, struct gb_error *error);
