/*
 * views.h - what is printed of a results file: tables and exports. Floor 4.
 */
#ifndef GBRUN_CORE_VIEWS_H
#define GBRUN_CORE_VIEWS_H

#include "core/store.h"
#include "core/text.h"

#include <stdio.h>

enum { FORMAT_TABLE, FORMAT_CSV, FORMAT_JSON, FORMAT_JSONL, FORMAT_MARKDOWN, FORMATS };
int format_named(const char *name); /* -1: unknown */
const char *format_name(int format);

enum { ROWS_CASE, ROWS_SAMPLE };

struct view_options {
    int format;
    int64_t run;         /* number, RUN_NEWEST or RUN_ALL */
    const char *where;   /* SQL expression over parameters and result columns, or NULL */
    const char *pivot;   /* a parameter: one column for each of its values; NULL */
    int rows;            /* ROWS_...; samples only for exports */
    const char *columns; /* comma list of columns to show; NULL: those that say something */
    const char *sort;    /* comma list of columns, `-` before one: downwards; NULL: as measured */
    bool verbose;        /* more columns, all facts and messages */
};

/*
 * Appends to out. show: for people (run, machine and device in the head; a table; then failures,
 * messages and notes on overhead). export: for programs, full precision, every parameter a column.
 */
int32_t view_show(struct store *store, const struct view_options *options, struct text *out,
                  struct gb_error *error);
/* Streams to a FILE, so that memory does not grow with the file. */
int32_t view_export(struct store *store, const struct view_options *options, FILE *out,
                    struct gb_error *error);

#endif
