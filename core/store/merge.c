/*
 * merge.c - store_merge: one results file into another.
 *
 * Runs, devices and cases carry UUIDs; merging is the union over them. Where both files hold a
 * row, the one that is further on wins, by a rule that looks at the rows alone: so the order of
 * merging does not matter. Rows are copied column by column as SQLite holds them, blobs included.
 */
#include "core/store/store_internal.h"
#include "core/store/store_read.h"

#include <string.h>
#include <sys/stat.h>

/* A merge on its way: rows are read with `from`, written with `into`. */
struct merge {
    struct store *from, *into;
    struct merge_counts counts;
    struct gb_error *error;
};

/* Tables whose rows belong to one row of a parent: first column its id. */
#define RUN_FACT_COLUMNS "run_id, name, value"
#define MODULE_COLUMNS "run_id, kind, id, version, path, sha256"
#define DEVICE_FACT_COLUMNS "device_id, ordinal, name, value"
#define CLOCK_COLUMNS "device_id, ordinal, name, tick_ns, overhead_ns"
#define PARAMETER_COLUMNS                                                                          \
    "case_id, ordinal, name, value, number, type, is_axis, is_default, is_variable, is_identity"
#define SAMPLES_COLUMNS "case_id, name, first, n, data"
#define METRIC_COLUMNS "case_id, ordinal, name, value, unit"
#define CHECK_COLUMNS                                                                              \
    "case_id, ordinal, name, metric, value, tolerance, passed, element, reference, output, text"
#define SUMMARY_COLUMNS                                                                            \
    "case_id, ordinal, name, n, n_exact, n_overflowed, n_nan, n_infinite_mismatch,"                \
    " n_zero_mismatch"
#define HISTOGRAM_COLUMNS "case_id, ordinal, class, label, count"
#define MODE_COLUMNS "case_id, ordinal, median_ns, low_ns, high_ns, weight"
#define MESSAGE_COLUMNS "case_id, ordinal, severity, text"
#define TELEMETRY_COLUMNS                                                                          \
    "case_id, moment, elapsed_ns, iterations, clock_hz, memory_clock_hz, temperature_celsius,"     \
    " power_watts, energy_joules, throttle, throttle_text"

struct child_table {
    const char *select, *insert;
};
#define CHILD(table, key, columns, places)                                                         \
    {                                                                                              \
        "SELECT " columns " FROM " table " WHERE " key " = ?",                                     \
            "INSERT OR IGNORE INTO " table " (" columns ") VALUES (" places ")"                    \
    }
static const struct child_table run_children[] = {
    CHILD("run_fact", "run_id", RUN_FACT_COLUMNS, "?,?,?"),
    CHILD("module", "run_id", MODULE_COLUMNS, "?,?,?,?,?,?"),
};
static const struct child_table device_children[] = {
    CHILD("device_fact", "device_id", DEVICE_FACT_COLUMNS, "?,?,?,?"),
    CHILD("clock", "device_id", CLOCK_COLUMNS, "?,?,?,?,?"),
};
static const struct child_table case_children[] = {
    CHILD("parameter", "case_id", PARAMETER_COLUMNS, "?,?,?,?,?,?,?,?,?,?"),
    CHILD("samples", "case_id", SAMPLES_COLUMNS, "?,?,?,?,?"),
    CHILD("metric", "case_id", METRIC_COLUMNS, "?,?,?,?,?"),
    CHILD("check_result", "case_id", CHECK_COLUMNS, "?,?,?,?,?,?,?,?,?,?,?"),
    CHILD("check_summary", "case_id", SUMMARY_COLUMNS, "?,?,?,?,?,?,?,?,?"),
    CHILD("check_histogram", "case_id", HISTOGRAM_COLUMNS, "?,?,?,?,?"),
    CHILD("mode", "case_id", MODE_COLUMNS, "?,?,?,?,?,?"),
    CHILD("message", "case_id", MESSAGE_COLUMNS, "?,?,?,?"),
    CHILD("telemetry", "case_id", TELEMETRY_COLUMNS, "?,?,?,?,?,?,?,?,?,?,?"),
};
#define N_OF(array) (sizeof(array) / sizeof *(array))

/* Tables with a UUID. Rows are compared by `rank`, larger wins; the last columns make it total. */
#define RUN_COLUMNS                                                                                \
    "uuid, started, finished, exit_code, version, command_line, config_path, config_folder,"       \
    " config, config_sha256, seed, n_cases"
#define DEVICE_COLUMNS "record_uuid, run_id, plugin, name, number, model, uuid"
#define CASE_COLUMNS                                                                               \
    "uuid, run_id, device_id, uid, bench, plugin, plugin_version, position, sequence, round,"      \
    " policy, policy_plugin, policy_options, device_name, device_index, cache, environment, seed," \
    " status, done, status_text, stop_reason, clock, iterations, tick_ns, overhead_ns, started,"   \
    " wall_ns, n_samples, n_lost, n_throttled, min_ns, max_ns, mean_ns, stdev_ns, median_ns,"      \
    " q1_ns, q3_ns, p10_ns, p90_ns, p99_ns, verdict, statistic, estimate_ns, low_ns, high_ns,"     \
    " confidence, n_observed, n_discarded, n_effective, excluded_mode_weight, flops, bytes_read,"  \
    " bytes_written, items, item, launch, math_format, math_unit"
enum { RUN_N_COLUMNS = 12, DEVICE_N_COLUMNS = 7, CASE_N_COLUMNS = 59 };

static int32_t reset_with(struct merge *merge, struct store *store, sqlite3_stmt *statement,
                          int code)
{
    int32_t status = code == SQLITE_ROW || code == SQLITE_DONE ? GB_OK
                                                               : store_error(store, merge->error);
    sqlite3_reset(statement);
    return status;
}

/* After the last row, or the one whose taking gave a status that is not GB_OK. */
static int32_t end_rows(struct merge *merge, sqlite3_stmt *select, int code, int32_t status)
{
    if (status == GB_OK)
        return reset_with(merge, merge->from, select, code);
    sqlite3_reset(select);
    return status;
}

static int32_t failed(const struct merge *merge)
{
    return merge->error->status;
}

/* Rows of a table that belong to from_id, written for into_id. */
static int32_t copy_children(struct merge *merge, const struct child_table *table, int64_t from_id,
                             int64_t into_id)
{
    sqlite3_stmt *select = store_statement(merge->from, table->select, merge->error);
    sqlite3_stmt *insert = store_statement(merge->into, table->insert, merge->error);
    if (!select || !insert)
        return failed(merge);
    sqlite3_bind_int64(select, 1, from_id);
    int code;
    int32_t status = GB_OK;
    while (status == GB_OK && (code = sqlite3_step(select)) == SQLITE_ROW) {
        sqlite3_bind_int64(insert, 1, into_id);
        for (int i = 1; i < sqlite3_column_count(select); i++)
            sqlite3_bind_value(insert, i + 1, sqlite3_column_value(select, i));
        status = store_finish(merge->into, insert, merge->error);
    }
    return end_rows(merge, select, code, status);
}

static int32_t copy_all_children(struct merge *merge, const struct child_table *tables, size_t n,
                                 int64_t from_id, int64_t into_id)
{
    int32_t status = GB_OK;
    for (size_t i = 0; status == GB_OK && i < n; i++)
        status = copy_children(merge, &tables[i], from_id, into_id);
    return status;
}

/* The id of the row with the UUID in a row's first column; 0: not there. */
static int32_t find_by_uuid(struct merge *merge, const char *sql, sqlite3_value *uuid,
                            int64_t *ret_id)
{
    sqlite3_stmt *find = store_statement(merge->into, sql, merge->error);
    if (!find)
        return failed(merge);
    sqlite3_bind_value(find, 1, uuid);
    int code = sqlite3_step(find);
    *ret_id = code == SQLITE_ROW ? sqlite3_column_int64(find, 0) : 0;
    return reset_with(merge, merge->into, find, code);
}

/*
 * Writes a row as it stands; ids among its columns are given in place of those of the other file.
 * *ret_changed: it was written, or took the place of one that was less far on.
 */
static int32_t write_row(struct merge *merge, const char *upsert, sqlite3_stmt *row, int n_columns,
                         const int64_t *ids, int n_ids, bool *ret_changed)
{
    sqlite3_stmt *write = store_statement(merge->into, upsert, merge->error);
    if (!write)
        return failed(merge);
    sqlite3_bind_value(write, 1, sqlite3_column_value(row, 0));
    for (int i = 1; i < n_columns; i++)
        if (i > n_ids)
            sqlite3_bind_value(write, i + 1, sqlite3_column_value(row, i));
        else if (ids[i - 1])
            sqlite3_bind_int64(write, i + 1, ids[i - 1]);
        else
            sqlite3_bind_null(write, i + 1);
    int32_t status = store_finish(merge->into, write, merge->error);
    *ret_changed = sqlite3_changes(merge->into->db) > 0;
    return status;
}

static int32_t merge_case(struct merge *merge, sqlite3_stmt *row, int64_t run_id, int64_t device_id)
{
    /* The record that came to its end wins over one that was still being measured, then the one
     * with more samples. */
    static const char replace_case[] =
        "DELETE FROM bench_case WHERE uuid = ?1 AND (status <> 'running', n_samples) <"
        " (?2 <> 'running', ?3)";
    static const char insert_case[] =
        "INSERT OR IGNORE INTO bench_case (" CASE_COLUMNS
        ") VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,"
        "?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)";
    static const char find_case[] = "SELECT id FROM bench_case WHERE uuid = ?";
    enum { STATUS_COLUMN = 18, N_SAMPLES_COLUMN = 28 };
    sqlite3_stmt *replace = store_statement(merge->into, replace_case, merge->error);
    if (!replace)
        return failed(merge);
    sqlite3_bind_value(replace, 1, sqlite3_column_value(row, 0));
    sqlite3_bind_value(replace, 2, sqlite3_column_value(row, STATUS_COLUMN));
    sqlite3_bind_value(replace, 3, sqlite3_column_value(row, N_SAMPLES_COLUMN));
    int32_t status = store_finish(merge->into, replace, merge->error);
    int64_t from_id = sqlite3_column_int64(row, CASE_N_COLUMNS), into_id = 0;
    bool changed = false;
    if (status == GB_OK)
        status = write_row(merge, insert_case, row, CASE_N_COLUMNS, (int64_t[]){run_id, device_id},
                           2, &changed);
    if (status == GB_OK && !changed) {
        merge->counts.cases_known++;
        return GB_OK;
    }
    if (status == GB_OK)
        status = find_by_uuid(merge, find_case, sqlite3_column_value(row, 0), &into_id);
    merge->counts.cases_added++;
    return status == GB_OK
               ? copy_all_children(merge, case_children, N_OF(case_children), from_id, into_id)
               : status;
}

/* The device of a case in the other file, in this one; 0 stays 0. */
static int32_t map_device(struct merge *merge, int64_t from_id, int64_t *ret_id)
{
    *ret_id = 0;
    if (!from_id)
        return GB_OK;
    sqlite3_stmt *select = store_statement(
        merge->from, "SELECT record_uuid FROM device WHERE id = ?", merge->error);
    if (!select)
        return failed(merge);
    sqlite3_bind_int64(select, 1, from_id);
    int code = sqlite3_step(select);
    int32_t status = GB_OK;
    static const char find_device[] = "SELECT id FROM device WHERE record_uuid = ?";
    if (code == SQLITE_ROW)
        status = find_by_uuid(merge, find_device, sqlite3_column_value(select, 0), ret_id);
    return end_rows(merge, select, code, status);
}

static int32_t merge_cases(struct merge *merge, int64_t from_run, int64_t into_run)
{
    enum { DEVICE_COLUMN = 2 };
    sqlite3_stmt *select = store_statement(
        merge->from, "SELECT " CASE_COLUMNS ", id FROM bench_case WHERE run_id = ? ORDER BY id",
        merge->error);
    if (!select)
        return failed(merge);
    sqlite3_bind_int64(select, 1, from_run);
    int code = SQLITE_DONE;
    int32_t status = GB_OK;
    while (status == GB_OK && (code = sqlite3_step(select)) == SQLITE_ROW) {
        int64_t device_id = 0;
        status = map_device(merge, sqlite3_column_int64(select, DEVICE_COLUMN), &device_id);
        if (status == GB_OK)
            status = merge_case(merge, select, into_run, device_id);
    }
    return end_rows(merge, select, code, status);
}

static int32_t merge_devices(struct merge *merge, int64_t from_run, int64_t into_run)
{
    static const char insert_device[] = "INSERT OR IGNORE INTO device (" DEVICE_COLUMNS
                                        ") VALUES (?,?,?,?,?,?,?)";
    sqlite3_stmt *select = store_statement(
        merge->from, "SELECT " DEVICE_COLUMNS ", id FROM device WHERE run_id = ? ORDER BY id",
        merge->error);
    if (!select)
        return failed(merge);
    sqlite3_bind_int64(select, 1, from_run);
    int code = SQLITE_DONE;
    int32_t status = GB_OK;
    while (status == GB_OK && (code = sqlite3_step(select)) == SQLITE_ROW) {
        bool changed = false;
        status = write_row(merge, insert_device, select, DEVICE_N_COLUMNS, &into_run, 1, &changed);
        if (status == GB_OK && changed)
            status = copy_all_children(merge, device_children, N_OF(device_children),
                                       sqlite3_column_int64(select, DEVICE_N_COLUMNS),
                                       sqlite3_last_insert_rowid(merge->into->db));
    }
    return end_rows(merge, select, code, status);
}

/* A run that has ended wins over a copy of it that had not; of two ends the later one. */
static int32_t merge_run(struct merge *merge, sqlite3_stmt *row)
{
    static const char find_run[] = "SELECT id FROM run WHERE uuid = ?";
    static const char upsert_run[] =
        "INSERT INTO run (" RUN_COLUMNS ") VALUES (?,?,?,?,?,?,?,?,?,?,?,?)"
        " ON CONFLICT (uuid) DO UPDATE SET started = excluded.started,"
        " finished = excluded.finished, exit_code = excluded.exit_code,"
        " version = excluded.version, command_line = excluded.command_line,"
        " config_path = excluded.config_path, config_folder = excluded.config_folder,"
        " config = excluded.config, config_sha256 = excluded.config_sha256,"
        " seed = excluded.seed, n_cases = excluded.n_cases"
        " WHERE (ifnull(excluded.finished, ''), ifnull(excluded.exit_code, -1),"
        " excluded.n_cases, excluded.version, excluded.command_line, excluded.config_path,"
        " excluded.config_folder, excluded.config) >"
        " (ifnull(run.finished, ''), ifnull(run.exit_code, -1), run.n_cases, run.version,"
        " run.command_line, run.config_path, run.config_folder, run.config)";
    int64_t into_id = 0, from_id = sqlite3_column_int64(row, RUN_N_COLUMNS);
    bool known = false, changed = false;
    int32_t status = find_by_uuid(merge, find_run, sqlite3_column_value(row, 0), &into_id);
    known = into_id != 0;
    if (status == GB_OK)
        status = write_row(merge, upsert_run, row, RUN_N_COLUMNS, NULL, 0, &changed);
    if (status == GB_OK)
        status = find_by_uuid(merge, find_run, sqlite3_column_value(row, 0), &into_id);
    if (status == GB_OK)
        status = copy_all_children(merge, run_children, N_OF(run_children), from_id, into_id);
    if (status == GB_OK)
        status = merge_devices(merge, from_id, into_id);
    if (status == GB_OK)
        status = merge_cases(merge, from_id, into_id);
    merge->counts.runs_added += !known;
    return status;
}

static int32_t merge_runs(struct merge *merge)
{
    sqlite3_stmt *select = store_statement(
        merge->from, "SELECT " RUN_COLUMNS ", id FROM run ORDER BY id", merge->error);
    if (!select)
        return failed(merge);
    int code = SQLITE_DONE;
    int32_t status = GB_OK;
    while (status == GB_OK && (code = sqlite3_step(select)) == SQLITE_ROW)
        status = merge_run(merge, select);
    return end_rows(merge, select, code, status);
}

static bool is_same_file(const char *a, const char *b)
{
    struct stat of_a, of_b;
    return stat(a, &of_a) == 0 && stat(b, &of_b) == 0 && of_a.st_dev == of_b.st_dev &&
           of_a.st_ino == of_b.st_ino;
}

/* A file merged into itself: nothing to do but to count. */
static int32_t count_cases(struct store *store, uint64_t *ret, struct gb_error *error)
{
    sqlite3_stmt *count = store_statement(store, "SELECT count(*) FROM bench_case", error);
    if (!count)
        return error->status;
    int code = sqlite3_step(count);
    int32_t status = code == SQLITE_ROW ? GB_OK : store_error(store, error);
    *ret = status == GB_OK ? (uint64_t)sqlite3_column_int64(count, 0) : 0;
    sqlite3_reset(count);
    return status;
}

int32_t store_merge(struct store *into, const char *from_path, struct merge_counts *counts,
                    struct gb_error *error)
{
    struct gb_error ignored = {0};
    struct merge merge = {.into = into, .error = error ? error : &ignored};
    int32_t status;
    if (is_same_file(into->path, from_path)) {
        status = count_cases(into, &merge.counts.cases_known, merge.error);
    } else {
        status = store_open(from_path, STORE_READ, &merge.from, merge.error);
        if (status == GB_OK)
            status = store_snapshot_begin(merge.from, merge.error);
        if (status == GB_OK)
            status = store_begin(into, merge.error);
        if (status == GB_OK)
            status = store_end(into, merge_runs(&merge), merge.error);
        store_close(merge.from, NULL);
    }
    if (status == GB_OK && counts)
        *counts = merge.counts;
    return status;
}
