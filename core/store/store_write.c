/* store_write.c - see store.h: runs, modules and devices into the file. */
#include "core/store/store_internal.h"

#include "core/store/store_read.h"

int32_t store_run_begin(struct store *store, const struct run_record *run, int64_t *ret_run_id,
                        struct gb_error *error)
{
    int32_t status = store_begin(store, error);
    if (status != GB_OK)
        return status;
    struct stored_run row = {.record = *run};
    status = row_write(store, TABLE_RUN, SQL_INSERT, 0, 0, &row, error);
    int64_t run_id = sqlite3_last_insert_rowid(store->db);
    if (status == GB_OK)
        status = rows_write(store, TABLE_RUN_FACT, SQL_MERGE, run_id, run->facts, run->n_facts,
                            error);
    status = store_end(store, status, error);
    if (status == GB_OK)
        *ret_run_id = run_id;
    return status;
}

int32_t store_run_facts(struct store *store, int64_t run_id, const struct fact *facts, size_t n,
                        struct gb_error *error)
{
    int32_t status = store_begin(store, error);
    if (status != GB_OK)
        return status;
    status = rows_write(store, TABLE_RUN_FACT, SQL_MERGE, run_id, facts, n, error);
    return store_end(store, status, error);
}

int32_t store_run_find(struct store *store, const char *uuid, int64_t *ret_run_id,
                       struct gb_error *error)
{
    sqlite3_stmt *find = store_statement(store, "SELECT id FROM run WHERE uuid = ?", error);
    if (!find || !store_bind_text(store, find, 1, uuid, error))
        return store_failure(error);
    const int code = sqlite3_step(find);
    const bool is_there = code == SQLITE_ROW;
    if (is_there)
        *ret_run_id = sqlite3_column_int64(find, 0);
    const int32_t status = store_end_rows(store, find, is_there ? SQLITE_DONE : code, error);
    return status != GB_OK || is_there
               ? status
               : error_set(error, GB_NOT_FOUND, "%s: holds no run %s", store->path, uuid);
}

int32_t store_run_count(struct store *store, int64_t run_id, uint64_t n_cases,
                        struct gb_error *error)
{
    sqlite3_stmt *update = store_statement_on(store, "UPDATE run SET n_cases = ?2 WHERE id = ?1",
                                              run_id, error);
    if (!update || !store_bind_integer(store, update, 2, (int64_t)n_cases, error))
        return store_failure(error);
    return store_finish(store, update, error);
}

int32_t store_run_end(struct store *store, int64_t run_id, const char *finished, int exit_code,
                      struct gb_error *error)
{
    sqlite3_stmt *update = store_statement_on(
        store, "UPDATE run SET finished = ?2, exit_code = ?3 WHERE id = ?1", run_id, error);
    if (!update || !store_bind_text(store, update, 2, finished, error) ||
        !store_bind_integer(store, update, 3, exit_code, error))
        return store_failure(error);
    return store_finish(store, update, error);
}

int32_t store_module(struct store *store, int64_t run_id, const struct module_record *module,
                     struct gb_error *error)
{
    return row_write(store, TABLE_MODULE, SQL_MERGE, run_id, 0, module, error);
}

static int32_t insert_device(struct store *store, int64_t run_id,
                             const struct device_record *device, int64_t *ret_id,
                             struct gb_error *error)
{
    struct stored_device row = {.record = *device};
    uuid_new(row.record_uuid);
    int32_t status = row_write(store, TABLE_DEVICE, SQL_INSERT, run_id, 0, &row, error);
    *ret_id = sqlite3_last_insert_rowid(store->db);
    if (status == GB_OK)
        status = rows_write(store, TABLE_DEVICE_FACT, SQL_INSERT, *ret_id, device->facts,
                            device->n_facts, error);
    return status == GB_OK ? rows_write(store, TABLE_CLOCK, SQL_INSERT, *ret_id, device->clocks,
                                        device->n_clocks, error)
                           : status;
}

/* Its facts may have changed since (a load, a temperature), and its clocks are measured anew at
 * each opening. */
static bool is_same_device(const struct device_record *a, const struct device_record *b)
{
    return text_equal(a->plugin, b->plugin) && text_equal(a->name, b->name) &&
           a->index == b->index && text_equal(a->model, b->model) && text_equal(a->uuid, b->uuid);
}

int32_t store_device(struct store *store, int64_t run_id, const struct device_record *device,
                     int64_t *ret_device_id, struct gb_error *error)
{
    CLEANUP(arena_free) struct arena arena = {0};
    struct stored_device *devices = NULL;
    size_t n = 0;
    int32_t status = store_devices(store, run_id, &arena, &devices, &n, error);
    if (status != GB_OK)
        return status;
    for (size_t i = 0; i < n; i++)
        if (is_same_device(&devices[i].record, device)) {
            *ret_device_id = devices[i].id;
            return GB_OK;
        }
    status = store_begin(store, error);
    if (status != GB_OK)
        return status;
    int64_t id = 0;
    status = store_end(store, insert_device(store, run_id, device, &id, error), error);
    if (status == GB_OK)
        *ret_device_id = id;
    return status;
}
