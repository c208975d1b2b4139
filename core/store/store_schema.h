/*
 * store_schema.h - what a results file holds: the one place that lists its tables and columns.
 *
 * To add a column, add its line to the table in store_schema.c, with the next version of the
 * schema; messages of workers, statements, columns of results, help and documents follow from it.
 * To change a view, change it there and its `since`.
 */
#pragma once

#include "core/store/store_read.h"
#include "core/store/store_table.h"

enum { STORE_APPLICATION_ID = 0x67627231 }; /* PRAGMA application_id: "gbr1" */

extern const struct stored_schema store_schema;

/* Rows of runs, devices and cases are the structs of store_read.h, those of most other tables the
 * records of record.h. The rest: */
struct sample_chunk {
    const char *name;
    uint64_t first, n;
    struct stored_blob data;
};

struct histogram_row {
    uint64_t ordinal;
    uint32_t class;
    const char *label;
    uint64_t count, above_floor;
};

struct series_row {
    struct series_record record;
    struct stored_blob bins; /* the record's */
};
struct telemetry_row {
    const char *moment; /* a word of telemetry_moments */
    struct telemetry_record record;
};
struct sentinel_row {
    const char *moment; /* a word of telemetry_moments, of SENTINEL_... */
    struct sentinel_record record;
};
extern const char *const telemetry_moments[TELEMETRY_MOMENTS];
