/*
 * merge.c - store_merge: one results file into another.
 *
 * Runs, devices and cases carry UUIDs; merging is the union over them. Where both files hold a
 * row, the one that is further on wins, by a rule that looks at the rows alone: so the order of
 * merging does not matter. Rows are copied column by column as SQLite holds them, blobs included.
 */
#include "core/store/store_internal.h"
#include "core/store/store_read.h"

#include <stdlib.h>
#include <sys/stat.h>

/* The ids of a row: in the other file, and in this one. */
struct row_ids {
    int64_t from, into;
};

/* A merge on its way: rows are read with `from`, written with `into`. */
struct merge {
    struct store *from, *into;
    struct merge_counts counts;
    struct row_ids *devices; /* of the run at hand */
    size_t n_devices;
    struct gb_error *error;
};

static int bind_device(const struct merge *merge, sqlite3_stmt *write, int at, int64_t from_id)
{
    for (size_t i = 0; i < merge->n_devices; i++)
        if (merge->devices[i].from == from_id)
            return sqlite3_bind_int64(write, at, merge->devices[i].into);
    return sqlite3_bind_null(write, at);
}

/* A row as it stands, but with the ids of this file. A value of which there is no copy, as memory
 * was short, would be NULL. */
static int bind_copy(const struct merge *merge, const struct stored_table *table, sqlite3_stmt *row,
                     sqlite3_stmt *write, int64_t into_parent)
{
    int at = 0, code = SQLITE_OK;
    for (int i = 0; code == SQLITE_OK && i < (int)table->n_columns; i++) {
        int role = table->columns[i].role;
        if (role == ROLE_ID)
            continue;
        at++;
        if (role == ROLE_PARENT)
            code = sqlite3_bind_int64(write, at, into_parent);
        else if (role == ROLE_DEVICE)
            code = bind_device(merge, write, at, sqlite3_column_int64(row, i));
        else
            code = sqlite3_bind_value(write, at, sqlite3_column_value(row, i));
    }
    return code;
}

static int column_of(const struct stored_table *table, const char *name)
{
    int i = 0;
    while (!text_equal(table->columns[i].name, name))
        i++;
    return i;
}

/* The ids of a row that has a UUID; into is 0 where it is not known in this file. */
static int32_t find_row(struct merge *merge, int table, sqlite3_stmt *row, struct row_ids *ret)
{
    const struct stored_table *columns = &merge->into->schema->tables[table];
    sqlite3_stmt *find = table_statement(merge->into, table, SQL_FIND, merge->error);
    if (!find)
        return store_failure(merge->error);
    int code = sqlite3_bind_value(find, 1,
                                  sqlite3_column_value(row, column_of(columns, columns->uuid)));
    if (code == SQLITE_OK)
        code = sqlite3_step(find);
    ret->from = sqlite3_column_int64(row, column_of(columns, "id"));
    ret->into = code == SQLITE_ROW ? sqlite3_column_int64(find, 0) : 0;
    return store_end_rows(merge->into, find, code == SQLITE_ROW ? SQLITE_DONE : code, merge->error);
}

/* *ret_changed: it was written, or took the place of one that was less far on. */
static int32_t write_row(struct merge *merge, int table, sqlite3_stmt *row, int64_t into_parent,
                         bool *ret_changed)
{
    sqlite3_stmt *write = table_statement(merge->into, table, SQL_MERGE, merge->error);
    if (write && bind_copy(merge, &merge->into->schema->tables[table], row, write, into_parent))
        return store_error(merge->into, merge->error);
    int32_t status = store_finish(merge->into, write, merge->error);
    *ret_changed = sqlite3_changes(merge->into->db) > 0;
    return status;
}

static int32_t merge_rows(struct merge *merge, int table, int64_t from_parent, int64_t into_parent);

/* What belongs to a row. That of a run is the union of both files'; that of a device or a case
 * comes with the row that has won. */
static int32_t merge_children(struct merge *merge, int table, const struct row_ids *ids,
                              bool replaces)
{
    int32_t status = GB_OK;
    for (int t = 0; status == GB_OK && t < STORED_TABLES; t++) {
        if (merge->into->schema->tables[t].parent != table)
            continue;
        if (replaces)
            status = rows_delete(merge->into, t, ids->into, merge->error);
        if (status == GB_OK)
            status = merge_rows(merge, t, ids->from, ids->into);
    }
    return status;
}

/* A row that has a UUID, with all that belongs to it. */
static int32_t merge_record(struct merge *merge, int table, sqlite3_stmt *row, int64_t into_parent)
{
    struct row_ids ids = {0};
    bool changed = false;
    int32_t status = find_row(merge, table, row, &ids);
    bool is_known = ids.into != 0;
    if (status == GB_OK)
        status = write_row(merge, table, row, into_parent, &changed);
    if (status != GB_OK)
        return status;
    if (!is_known)
        ids.into = sqlite3_last_insert_rowid(merge->into->db);
    if (table == TABLE_RUN) {
        merge->counts.runs_added += !is_known;
        merge->n_devices = 0;
    } else if (table == TABLE_DEVICE) {
        MEMORY_APPEND(merge->devices, merge->n_devices, ids);
    } else if (table == TABLE_CASE) {
        merge->counts.cases_added += changed;
        merge->counts.cases_known += !changed;
    }
    return table == TABLE_RUN || changed
               ? merge_children(merge, table, &ids, table != TABLE_RUN && is_known)
               : GB_OK;
}

static int32_t merge_rows(struct merge *merge, int table, int64_t from_parent, int64_t into_parent)
{
    const struct stored_table *columns = &merge->from->schema->tables[table];
    sqlite3_stmt *select = table_statement(merge->from, table, SQL_SELECT_OF_PARENT, merge->error);
    if (!select || (columns->parent != TABLE_NONE &&
                    !store_bind_integer(merge->from, select, 1, from_parent, merge->error)))
        return store_failure(merge->error);
    int code = SQLITE_DONE;
    int32_t status = GB_OK;
    bool ignored;
    while (status == GB_OK && (code = sqlite3_step(select)) == SQLITE_ROW)
        status = columns->uuid ? merge_record(merge, table, select, into_parent)
                               : write_row(merge, table, select, into_parent, &ignored);
    if (status == GB_OK)
        return store_end_rows(merge->from, select, code, merge->error);
    sqlite3_reset(select);
    return status;
}

static bool is_same_file(const char *a, const char *b)
{
    struct stat of_a, of_b;
    return stat(a, &of_a) == 0 && stat(b, &of_b) == 0 && of_a.st_dev == of_b.st_dev &&
           of_a.st_ino == of_b.st_ino;
}

int32_t store_merge(struct store *into, const char *from_path, struct merge_counts *counts,
                    struct gb_error *error)
{
    struct gb_error ignored = {0};
    struct merge merge = {.into = into, .error = error ? error : &ignored};
    int32_t status;
    if (is_same_file(into->path, from_path)) { /* nothing to do but to count */
        int64_t n = 0;
        status = store_integer(into, "SELECT count(*) FROM bench_case", 0, &n, merge.error);
        merge.counts.cases_known = (uint64_t)n;
    } else {
        status = store_open_as(into->schema, from_path, STORE_READ, NULL, &merge.from, merge.error);
        if (status == GB_OK)
            status = store_snapshot_begin(merge.from, merge.error);
        if (status == GB_OK)
            status = store_begin(into, merge.error);
        if (status == GB_OK)
            status = store_end(into, merge_rows(&merge, TABLE_RUN, 0, 0), merge.error);
        store_close(merge.from, NULL);
        free(merge.devices);
    }
    if (status == GB_OK && counts)
        *counts = merge.counts;
    return status;
}
