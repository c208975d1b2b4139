/* store_read.c - see store_read.h and store.h: runs, devices and samples out of the file. */
#include "core/store/store_read.h"

#include "core/store/store_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int32_t store_snapshot_begin(struct store *store, struct gb_error *error)
{
    return store_finish(store, store_statement(store, "BEGIN", error), error);
}

void store_snapshot_end(struct store *store)
{
    store_finish(store, store_statement(store, "END", NULL), NULL);
}

/* What every reader of rows does at its end. */
static int32_t end_rows(struct store *store, sqlite3_stmt *statement, int code,
                        struct gb_error *error)
{
    int32_t status = code == SQLITE_DONE ? GB_OK : store_error(store, error);
    sqlite3_reset(statement);
    return status;
}

static int32_t read_facts(struct store *store, const char *sql, int64_t id, struct arena *arena,
                          struct fact **ret, size_t *ret_n, struct gb_error *error)
{
    sqlite3_stmt *select = store_statement(store, sql, error);
    if (!select)
        return error ? error->status : GB_FAILED;
    int at = 0, code;
    bind_integer(select, &at, id);
    struct fact *facts = NULL;
    size_t n = 0;
    while ((code = sqlite3_step(select)) == SQLITE_ROW) {
        facts = arena_grow(arena, facts, n, sizeof *facts);
        facts[n++] = (struct fact){column_text(select, 0, arena), column_text(select, 1, arena)};
    }
    *ret = facts;
    *ret_n = n;
    return end_rows(store, select, code, error);
}

static void take_run(sqlite3_stmt *row, struct arena *arena, struct stored_run *ret)
{
    struct run_record *run = &ret->record;
    ret->id = sqlite3_column_int64(row, 0);
    snprintf(run->uuid, sizeof run->uuid, "%s", column_text(row, 1, arena));
    run->started = column_text(row, 2, arena);
    run->finished = sqlite3_column_type(row, 3) == SQLITE_NULL ? NULL : column_text(row, 3, arena);
    ret->exit_code = sqlite3_column_int64(row, 4);
    run->version = column_text(row, 5, arena);
    run->command_line = column_text(row, 6, arena);
    run->config_path = column_text(row, 7, arena);
    run->config_folder = column_text(row, 8, arena);
    run->config = column_text(row, 9, arena);
    snprintf(run->config_sha256, sizeof run->config_sha256, "%s", column_text(row, 10, arena));
    run->seed = sqlite3_column_int64(row, 11);
    run->n_cases = (uint64_t)sqlite3_column_int64(row, 12);
}

static int32_t read_runs(struct store *store, struct arena *arena, struct stored_run **ret,
                         size_t *ret_n, struct gb_error *error)
{
    sqlite3_stmt *select = store_statement(
        store,
        "SELECT id, uuid, started, finished, exit_code, version, command_line, config_path,"
        " config_folder, config, config_sha256, seed, n_cases FROM run ORDER BY " STORE_RUN_ORDER,
        error);
    if (!select)
        return error ? error->status : GB_FAILED;
    struct stored_run *runs = NULL;
    size_t n = 0;
    int code;
    while ((code = sqlite3_step(select)) == SQLITE_ROW) {
        runs = arena_grow(arena, runs, n, sizeof *runs);
        take_run(select, arena, &runs[n]);
        runs[n].number = (int64_t)n + 1;
        n++;
    }
    *ret = runs;
    *ret_n = n;
    return end_rows(store, select, code, error);
}

int32_t store_runs(struct store *store, int64_t run_number, struct arena *arena,
                   struct stored_run **ret_runs, size_t *ret_n, struct gb_error *error)
{
    struct stored_run *runs = NULL;
    size_t n = 0;
    int32_t status = read_runs(store, arena, &runs, &n, error);
    if (status != GB_OK)
        return status;
    if (n == 0)
        return error_set(error, GB_NOT_FOUND, "%s: holds no run", store->path);
    if (run_number != RUN_ALL) {
        if (run_number < RUN_ALL || run_number > (int64_t)n)
            return n == 1 ? error_set(error, GB_NOT_FOUND, "%s: has no run %lld, only run 1",
                                      store->path, (long long)run_number)
                          : error_set(error, GB_NOT_FOUND, "%s: has no run %lld, only 1 to %zu",
                                      store->path, (long long)run_number, n);
        runs += run_number == RUN_NEWEST ? (int64_t)n - 1 : run_number - 1;
        n = 1;
    }
    static const char facts_of_run[] =
        "SELECT name, value FROM run_fact WHERE run_id = ? ORDER BY name, value";
    for (size_t i = 0; status == GB_OK && i < n; i++)
        status = read_facts(store, facts_of_run, runs[i].id, arena, &runs[i].record.facts,
                            &runs[i].record.n_facts, error);
    *ret_runs = runs;
    *ret_n = n;
    return status;
}

int32_t store_run_read(struct store *store, int64_t run_number, struct arena *arena,
                       int64_t *ret_run_id, struct run_record *ret, struct gb_error *error)
{
    struct stored_run *runs = NULL;
    size_t n = 0;
    if (run_number == RUN_ALL)
        return error_set(error, GB_INVALID, "%s: one run is wanted here, not all", store->path);
    int32_t status = store_runs(store, run_number, arena, &runs, &n, error);
    if (status != GB_OK)
        return status;
    *ret_run_id = runs[0].id;
    *ret = runs[0].record;
    return GB_OK;
}

static int32_t read_clocks(struct store *store, int64_t device_id, struct arena *arena,
                           struct device_record *ret, struct gb_error *error)
{
    sqlite3_stmt *select = store_statement(
        store, "SELECT name, tick_ns, overhead_ns FROM clock WHERE device_id = ? ORDER BY ordinal",
        error);
    if (!select)
        return error ? error->status : GB_FAILED;
    int at = 0, code;
    bind_integer(select, &at, device_id);
    while ((code = sqlite3_step(select)) == SQLITE_ROW) {
        ret->clocks = arena_grow(arena, ret->clocks, ret->n_clocks, sizeof *ret->clocks);
        ret->clocks[ret->n_clocks++] = (struct clock_record){
            column_text(select, 0, arena), column_real(select, 1), column_real(select, 2)};
    }
    return end_rows(store, select, code, error);
}

int32_t store_devices(struct store *store, int64_t run_id, struct arena *arena,
                      struct stored_device **ret_devices, size_t *ret_n, struct gb_error *error)
{
    sqlite3_stmt *select = store_statement(
        store,
        "SELECT id, plugin, name, number, model, uuid FROM device"
        " WHERE run_id = ? ORDER BY name, number, record_uuid",
        error);
    if (!select)
        return error ? error->status : GB_FAILED;
    struct stored_device *devices = NULL;
    size_t n = 0;
    int at = 0, code;
    bind_integer(select, &at, run_id);
    while ((code = sqlite3_step(select)) == SQLITE_ROW) {
        devices = arena_grow(arena, devices, n, sizeof *devices);
        struct device_record *record = &devices[n].record;
        devices[n++].id = sqlite3_column_int64(select, 0);
        record->plugin = column_text(select, 1, arena);
        record->name = column_text(select, 2, arena);
        record->index = (uint32_t)sqlite3_column_int64(select, 3);
        record->model = column_text(select, 4, arena);
        record->uuid = column_text(select, 5, arena);
    }
    int32_t status = end_rows(store, select, code, error);
    static const char facts_of_device[] =
        "SELECT name, value FROM device_fact WHERE device_id = ? ORDER BY ordinal";
    for (size_t i = 0; status == GB_OK && i < n; i++) {
        status = read_facts(store, facts_of_device, devices[i].id, arena, &devices[i].record.facts,
                            &devices[i].record.n_facts, error);
        if (status == GB_OK)
            status = read_clocks(store, devices[i].id, arena, &devices[i].record, error);
    }
    *ret_devices = devices;
    *ret_n = n;
    return status;
}

int32_t store_modules(struct store *store, int64_t run_id, struct arena *arena,
                      struct module_record **ret_modules, size_t *ret_n, struct gb_error *error)
{
    sqlite3_stmt *select = store_statement(
        store,
        "SELECT path, sha256, kind, id, version FROM module WHERE run_id = ?"
        " ORDER BY kind, id, path, sha256, version",
        error);
    if (!select)
        return error ? error->status : GB_FAILED;
    struct module_record *modules = NULL;
    size_t n = 0;
    int at = 0, code;
    bind_integer(select, &at, run_id);
    while ((code = sqlite3_step(select)) == SQLITE_ROW) {
        modules = arena_grow(arena, modules, n, sizeof *modules);
        modules[n++] = (struct module_record){
            column_text(select, 0, arena), column_text(select, 1, arena),
            column_text(select, 2, arena), column_text(select, 3, arena),
            column_text(select, 4, arena)};
    }
    *ret_modules = modules;
    *ret_n = n;
    return end_rows(store, select, code, error);
}

/* The ids that a statement gives whose places are bound. */
static int32_t read_ids(struct store *store, sqlite3_stmt *select, int64_t **ret_ids, size_t *ret_n,
                        struct gb_error *error)
{
    int64_t *ids = NULL;
    size_t n = 0;
    int code;
    while ((code = sqlite3_step(select)) == SQLITE_ROW) {
        ids = memory_grow(ids, n, sizeof *ids);
        ids[n++] = sqlite3_column_int64(select, 0);
    }
    int32_t status = end_rows(store, select, code, error);
    if (status != GB_OK) {
        free(ids);
        return status;
    }
    *ret_ids = ids;
    *ret_n = n;
    return GB_OK;
}

int32_t store_case_ids(struct store *store, int64_t run_id, int64_t **ret_ids, size_t *ret_n,
                       struct gb_error *error)
{
    sqlite3_stmt *select = store_statement(
        store,
        "SELECT id FROM bench_case AS c WHERE run_id = ? AND " STORE_IS_LATEST
        " ORDER BY sequence, started, uuid",
        error);
    int at = 0;
    if (!select)
        return error ? error->status : GB_FAILED;
    bind_integer(select, &at, run_id);
    return read_ids(store, select, ret_ids, ret_n, error);
}

int32_t store_case_ids_of(struct store *store, int64_t run_id, const char *plugin,
                          int64_t **ret_ids, size_t *ret_n, struct gb_error *error)
{
    sqlite3_stmt *select = store_statement(
        store,
        "SELECT id FROM bench_case AS c WHERE run_id = ? AND plugin = ? AND " STORE_IS_LATEST
        " ORDER BY sequence, started, uuid",
        error);
    int at = 0;
    if (!select)
        return error ? error->status : GB_FAILED;
    bind_integer(select, &at, run_id);
    bind_text(select, &at, plugin);
    return read_ids(store, select, ret_ids, ret_n, error);
}

static int32_t read_names(struct store *store, const char *sql, int64_t id, struct arena *arena,
                          const char ***ret_names, size_t *ret_n, struct gb_error *error)
{
    sqlite3_stmt *select = store_statement(store, sql, error);
    if (!select)
        return error ? error->status : GB_FAILED;
    const char **names = NULL;
    size_t n = 0;
    int at = 0, code;
    bind_integer(select, &at, id);
    while ((code = sqlite3_step(select)) == SQLITE_ROW) {
        names = arena_grow(arena, names, n, sizeof *names);
        names[n++] = column_text(select, 0, arena);
    }
    *ret_names = names;
    *ret_n = n;
    return end_rows(store, select, code, error);
}

int32_t store_parameter_names(struct store *store, int64_t run_id, struct arena *arena,
                              const char ***ret_names, size_t *ret_n, struct gb_error *error)
{
    return read_names(store,
                      "SELECT name FROM (SELECT DISTINCT p.name FROM bench_case AS c"
                      " JOIN parameter AS p ON p.case_id = c.id WHERE c.run_id = ?) ORDER BY name",
                      run_id, arena, ret_names, ret_n, error);
}

int32_t store_metric_names(struct store *store, int64_t run_id, struct arena *arena,
                           const char ***ret_names, size_t *ret_n, struct gb_error *error)
{
    return read_names(store,
                      "SELECT name FROM (SELECT DISTINCT m.name FROM bench_case AS c"
                      " JOIN metric AS m ON m.case_id = c.id WHERE c.run_id = ?) ORDER BY name",
                      run_id, arena, ret_names, ret_n, error);
}

int32_t store_column_names(struct store *store, int64_t case_id, struct arena *arena,
                           const char ***ret_names, size_t *ret_n, struct gb_error *error)
{
    return read_names(store, "SELECT DISTINCT name FROM samples WHERE case_id = ? ORDER BY name",
                      case_id, arena, ret_names, ret_n, error);
}

static int32_t run_sql_on(struct store *store, const char *sql, int64_t id, struct gb_error *error)
{
    sqlite3_stmt *statement = store_statement(store, sql, error);
    int at = 0;
    bind_integer(statement, &at, id);
    return store_finish(store, statement, error);
}

static int32_t report_done(struct store *store, int64_t run_id, store_done_fn *done, void *context,
                           struct gb_error *error)
{
    sqlite3_stmt *select = store_statement(
        store,
        "SELECT DISTINCT position, round, device_name, device_index FROM bench_case"
        " WHERE run_id = ? ORDER BY position, round, device_name, device_index",
        error);
    if (!select)
        return error ? error->status : GB_FAILED;
    int at = 0, code;
    bind_integer(select, &at, run_id);
    while ((code = sqlite3_step(select)) == SQLITE_ROW)
        done(context, (uint64_t)sqlite3_column_int64(select, 0),
             (uint32_t)sqlite3_column_int64(select, 1),
             (const char *)sqlite3_column_text(select, 2),
             (int32_t)sqlite3_column_int64(select, 3));
    return end_rows(store, select, code, error);
}

static int32_t read_next_sequence(struct store *store, int64_t run_id, uint64_t *ret,
                                  struct gb_error *error)
{
    sqlite3_stmt *select = store_statement(
        store, "SELECT coalesce(max(sequence) + 1, 0) FROM bench_case WHERE run_id = ?", error);
    if (!select)
        return error ? error->status : GB_FAILED;
    int at = 0, code;
    bind_integer(select, &at, run_id);
    while ((code = sqlite3_step(select)) == SQLITE_ROW)
        *ret = (uint64_t)sqlite3_column_int64(select, 0);
    return end_rows(store, select, code, error);
}

int32_t store_resume(struct store *store, int64_t run_id, store_done_fn *done, void *context,
                     uint64_t *ret_next_sequence, struct gb_error *error)
{
    int32_t status = store_begin(store, error);
    if (status != GB_OK)
        return status;
    status = run_sql_on(store, "DELETE FROM bench_case WHERE run_id = ? AND NOT done", run_id,
                        error);
    if (status == GB_OK)
        status = run_sql_on(store, "UPDATE run SET finished = NULL, exit_code = NULL WHERE id = ?",
                            run_id, error);
    status = store_end(store, status, error);
    if (status == GB_OK)
        status = read_next_sequence(store, run_id, ret_next_sequence, error);
    return status == GB_OK ? report_done(store, run_id, done, context, error) : status;
}
