/*
 * merge.c - store_merge: one results file into another.
 *
 * Runs, devices and cases carry UUIDs; merging is the union over them. Where both files hold a
 * row, the one that is further on wins, by a rule that looks at the rows alone: so the order of
 * merging does not matter. Rows are copied column by column as SQLite holds them, blobs included.
 */
#include "core/base/members.h"
#include "core/store/store_internal.h"
#include "core/store/store_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The ids of a row that has a UUID: in the other file, and in this one. */
struct row_ids {
    int64_t from, into;
    bool is_wanted; /* with what belongs to it */
};

/* Those of a table, in the order of `from`. */
struct id_list {
    struct row_ids *items;
    size_t n, n_wanted;
};

/* A merge on its way: rows are read with `from`, written with `into`, table after table, parents
 * first. */
struct merge {
    struct store *from, *into;
    struct merge_rules *rules;
    struct merge_counts counts;
    struct id_list ids[STORED_TABLES];
    struct gb_error *error;
};

ORDER_BY_NUMBER(compare_ids, struct row_ids, from)

/* NULL: that row is not there. */
static const struct row_ids *find_ids(const struct id_list *list, int64_t from)
{
    const struct row_ids wanted = {.from = from};
    return list->n ? bsearch(&wanted, list->items, list->n, sizeof wanted, compare_ids) : NULL;
}

/* A row as it stands, but with the ids of this file. A value of which there is no copy, as memory
 * was short, would be NULL. */
static int bind_copy(const struct merge *merge, const struct stored_table *table, sqlite3_stmt *row,
                     sqlite3_stmt *write, int64_t into_parent)
{
    int at = 0, code = SQLITE_OK;
    for (int i = 0; code == SQLITE_OK && i < (int)table->n_columns; i++) {
        const int role = table->columns[i].role;
        const struct row_ids *device;
        if (role == ROLE_ID)
            continue;
        at++;
        if (role == ROLE_PARENT)
            code = sqlite3_bind_int64(write, at, into_parent);
        else if (role != ROLE_DEVICE)
            code = sqlite3_bind_value(write, at, sqlite3_column_value(row, i));
        else if ((device = find_ids(&merge->ids[TABLE_DEVICE], sqlite3_column_int64(row, i))))
            code = sqlite3_bind_int64(write, at, device->into);
        else
            code = sqlite3_bind_null(write, at);
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
    ret->from = sqlite3_column_int64(row, table_column_of_role(columns, ROLE_ID));
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

static int32_t delete_children(struct merge *merge, int table, int64_t into_id)
{
    int32_t status = GB_OK;
    for (int t = 0; status == GB_OK && t < STORED_TABLES; t++)
        if (merge->into->schema->tables[t].parent == table)
            status = rows_delete(merge->into, t, into_id, merge->error);
    return status;
}

static int32_t input_failed(struct merge *merge, int32_t status)
{
    merge->counts.is_input_bad = status != GB_OK;
    return status;
}

static bool is_same_value(sqlite3_stmt *a, sqlite3_stmt *b, int i)
{
    const int type = sqlite3_column_type(a, i);
    if (type == SQLITE_FLOAT || sqlite3_column_type(b, i) == SQLITE_FLOAT)
        return sqlite3_column_double(a, i) == sqlite3_column_double(b, i);
    const int n = sqlite3_column_bytes(a, i);
    return type == sqlite3_column_type(b, i) && n == sqlite3_column_bytes(b, i) &&
           (n == 0 || memcmp(sqlite3_column_blob(a, i), sqlite3_column_blob(b, i), (size_t)n) == 0);
}

/* What says how far on a run or a case is: rows that differ there are copies of different times. */
static bool is_of_progress(const struct stored_column *column)
{
    return IS_AMONG(column->name, "finished", "exit_code", "done", "status", "attempt",
                    "n_samples");
}

/* Names in which two rows differ; none, if they are copies of different times. */
static void add_differences(const struct stored_table *table, sqlite3_stmt *a, sqlite3_stmt *b,
                            struct text *out)
{
    for (int i = 0; i < (int)table->n_columns; i++) {
        const struct stored_column *column = &table->columns[i];
        if (column->role == ROLE_ID || column->role == ROLE_PARENT || column->role == ROLE_DEVICE ||
            is_same_value(a, b, i))
            continue;
        if (is_of_progress(column)) {
            text_clear(out);
            return;
        }
        text_printf(out, "%s%s", out->length ? ", " : "", column->name);
    }
}

/* A row that is in both files and was not written: which of two that differ is the right one, only
 * their user knows. */
static int32_t check_copy(struct merge *merge, int table, sqlite3_stmt *row, int64_t into_id)
{
    const struct stored_table *columns = &merge->into->schema->tables[table];
    CLEANUP(text_free) struct text names = {0};
    sqlite3_stmt *known = table_statement(merge->into, table, SQL_SELECT, merge->error);
    if (!known)
        return store_failure(merge->error);
    sqlite3_bind_int64(known, 1, into_id);
    sqlite3_bind_int64(known, 2, into_id);
    const int code = sqlite3_step(known);
    if (code == SQLITE_ROW)
        add_differences(columns, row, known, &names);
    const int32_t status = store_end_rows(merge->into, known,
                                          code == SQLITE_ROW ? SQLITE_DONE : code, merge->error);
    if (status != GB_OK || names.length == 0)
        return status;
    CLEANUP(arena_free) struct arena arena = {0};
    const char *uuid = row_text(row, column_of(columns, columns->uuid), &arena);
    return input_failed(merge,
                        error_set(merge->error, GB_INVALID,
                                  "%s: its %s %s is in %s, too, and differs there: in %.200s",
                                  merge->from->path, table == TABLE_RUN ? "run" : "case", uuid,
                                  merge->into->path, text_get(&names)));
}

/* A row that has a UUID. What belongs to a run is the union of both files'; that of a device or a
 * case comes with the row that has won. */
static int32_t merge_record(struct merge *merge, int table, sqlite3_stmt *row, int64_t into_parent)
{
    struct id_list *list = &merge->ids[table];
    struct row_ids ids = {0};
    bool changed = false;
    int32_t status = find_row(merge, table, row, &ids);
    const bool is_known = ids.into != 0;
    if (status == GB_OK)
        status = write_row(merge, table, row, into_parent, &changed);
    if (status == GB_OK && table != TABLE_RUN && changed && is_known)
        status = delete_children(merge, table, ids.into);
    if (status == GB_OK && table != TABLE_DEVICE && is_known && !changed)
        status = check_copy(merge, table, row, ids.into);
    if (status != GB_OK)
        return status;
    if (!is_known)
        ids.into = sqlite3_last_insert_rowid(merge->into->db);
    ids.is_wanted = changed || table == TABLE_RUN;
    MEMORY_APPEND(list->items, list->n, ids);
    list->n_wanted += ids.is_wanted;
    merge->counts.runs_added += table == TABLE_RUN && !is_known;
    merge->counts.cases_added += table == TABLE_CASE && changed;
    merge->counts.cases_known += table == TABLE_CASE && !changed;
    return GB_OK;
}

/* A row with the parent that it has in this file, if that takes it. */
static int32_t merge_row(struct merge *merge, int table, sqlite3_stmt *row, int parent_column)
{
    static const struct row_ids none = {.is_wanted = true};
    const struct stored_table *columns = &merge->from->schema->tables[table];
    const struct row_ids *parent = columns->parent == TABLE_NONE
                                       ? &none
                                       : find_ids(&merge->ids[columns->parent],
                                                  sqlite3_column_int64(row, parent_column));
    bool ignored;
    if (!parent || !parent->is_wanted)
        return GB_OK;
    return columns->uuid ? merge_record(merge, table, row, parent->into)
                         : write_row(merge, table, row, parent->into, &ignored);
}

static int32_t merge_table(struct merge *merge, int table)
{
    const struct stored_table *columns = &merge->from->schema->tables[table];
    const int parent_column = table_column_of_role(columns, ROLE_PARENT);
    int code = SQLITE_DONE;
    int32_t status = GB_OK;
    if (columns->parent != TABLE_NONE && merge->ids[columns->parent].n_wanted == 0)
        return GB_OK;
    sqlite3_stmt *select = table_statement(merge->from, table, SQL_SELECT_ALL, merge->error);
    if (!select)
        return input_failed(merge, store_failure(merge->error));
    while (status == GB_OK && (code = sqlite3_step(select)) == SQLITE_ROW)
        status = merge_row(merge, table, select, parent_column);
    if (status == GB_OK)
        return input_failed(merge, store_end_rows(merge->from, select, code, merge->error));
    sqlite3_reset(select);
    return status;
}

static int32_t merge_tables(struct merge *merge)
{
    int32_t status = GB_OK;
    for (int t = 0; status == GB_OK && t < STORED_TABLES; t++)
        status = merge_table(merge, t);
    return status;
}

static bool is_same_file(const char *a, const char *b)
{
    struct stat of_a, of_b;
    return stat(a, &of_a) == 0 && stat(b, &of_b) == 0 && of_a.st_dev == of_b.st_dev &&
           of_a.st_ino == of_b.st_ino;
}

/* The one plan of which the runs of a file are shards; "" if it has no run. */
static int32_t find_plan(struct store *store, char ret_plan[PLAN_TEXT], struct gb_error *error)
{
    CLEANUP(arena_free) struct arena arena = {0};
    const char **plans = NULL;
    size_t n = 0;
    const int32_t status = store_plans(store, &arena, &plans, &n, error);
    if (status != GB_OK)
        return status;
    for (size_t i = 0; i < n; i++)
        if (!*plans[i])
            return error_set(error, GB_INVALID,
                             "%s: holds a run that is not a shard: expected shards of one plan",
                             store->path);
    if (n > 1)
        return error_set(error, GB_INVALID,
                         "%s: holds shards of plans %s and %s: expected those of one plan",
                         store->path, plans[0], plans[1]);
    snprintf(ret_plan, PLAN_TEXT, "%s", n ? plans[0] : "");
    return GB_OK;
}

static int32_t check_plan(struct merge *merge)
{
    struct merge_rules *rules = merge->rules;
    char plan[PLAN_TEXT];
    if (!rules || !rules->one_plan)
        return GB_OK;
    if (!*rules->plan) {
        const int32_t status = find_plan(merge->into, rules->plan, merge->error);
        if (status != GB_OK)
            return status;
    }
    if (find_plan(merge->from, plan, merge->error) != GB_OK)
        return input_failed(merge, store_failure(merge->error));
    if (!*rules->plan)
        memcpy(rules->plan, plan, sizeof plan);
    if (*plan && !text_equal(plan, rules->plan))
        return input_failed(merge,
                            error_set(merge->error, GB_INVALID,
                                      "%s: holds shards of plan %s: expected those of "
                                      "plan %s, as in %s",
                                      merge->from->path, plan, rules->plan, merge->into->path));
    return GB_OK;
}

/* All of the other file or nothing. */
static int32_t merge_file(struct merge *merge)
{
    struct store *into = merge->into;
    int32_t status = store_finish(into, store_statement(into, "SAVEPOINT file", merge->error),
                                  merge->error);
    if (status != GB_OK)
        return status;
    status = merge_tables(merge);
    if (status == GB_OK)
        return store_finish(into, store_statement(into, "RELEASE file", merge->error),
                            merge->error);
    sqlite3_exec(into->db, "ROLLBACK TO file; RELEASE file", NULL, NULL, NULL);
    return status;
}

static int32_t open_input(struct merge *merge, const char *path)
{
    int32_t status = store_open_as(merge->into->schema, path, STORE_READ, NULL, &merge->from,
                                   merge->error);
    if (status == GB_OK)
        status = store_snapshot_begin(merge->from, merge->error);
    return input_failed(merge, status);
}

static int32_t merge_other(struct merge *merge, const char *path)
{
    const bool is_alone = sqlite3_get_autocommit(merge->into->db);
    int32_t status = open_input(merge, path);
    if (status == GB_OK)
        status = check_plan(merge);
    if (status == GB_OK && is_alone)
        status = store_begin(merge->into, merge->error);
    if (status == GB_OK)
        status = merge_file(merge);
    if (is_alone && !sqlite3_get_autocommit(merge->into->db))
        status = store_end(merge->into, status, merge->error);
    store_close(merge->from, NULL);
    for (int t = 0; t < STORED_TABLES; t++)
        free(merge->ids[t].items);
    return status;
}

int32_t store_merge(struct store *into, const char *from_path, struct merge_rules *rules,
                    struct merge_counts *counts, struct gb_error *error)
{
    struct gb_error ignored = {0};
    struct merge merge = {.into = into, .rules = rules, .error = error ? error : &ignored};
    int32_t status;
    if (is_same_file(into->path, from_path)) { /* nothing to do but to count */
        int64_t n = 0;
        status = store_integer(into, "SELECT count(*) FROM bench_case", 0, &n, merge.error);
        merge.counts.cases_known = (uint64_t)n;
    } else {
        status = merge_other(&merge, from_path);
    }
    if (status == GB_OK && counts)
        *counts = merge.counts;
    else if (counts)
        counts->is_input_bad = merge.counts.is_input_bad;
    return status;
}

/* Keys hold as it is: rows are copied below parents that were copied before them. The cache has
 * room for the index of the UUIDs of a million cases, of which any page may change with any file.
 */
int32_t store_batch_begin(struct store *store, struct gb_error *error)
{
    const int32_t status = store_execute(
        store, "PRAGMA foreign_keys = OFF; PRAGMA cache_size = -163840", error);
    return status == GB_OK ? store_begin(store, error) : status;
}

int32_t store_batch_end(struct store *store, struct gb_error *error)
{
    const int32_t status = store_end(store, GB_OK, error);
    return status == GB_OK ? store_execute(store, "PRAGMA foreign_keys = ON", error) : status;
}
