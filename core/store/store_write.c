/* store_write.c - see store.h: runs, modules and devices into the file. */
#include "core/store/store_internal.h"

#include "core/store/store_read.h"

int32_t store_run_begin(struct store *store, const struct run_record *run, int64_t *ret_run_id,
                        struct gb_error *error)
{
    int32_t status = store_begin(store, error);
    if (status != GB_OK)
        return status;
    sqlite3_stmt *insert = store_statement(
        store,
        "INSERT INTO run (uuid, started, finished, version, command_line, config_path,"
        " config_folder, config, config_sha256, seed, n_cases) VALUES (?,?,?,?,?,?,?,?,?,?,?)",
        error);
    int at = 0;
    bind_text(insert, &at, run->uuid);
    bind_text(insert, &at, run->started);
    if (run->finished)
        bind_text(insert, &at, run->finished);
    else
        bind_null(insert, &at);
    bind_text(insert, &at, run->version);
    bind_text(insert, &at, run->command_line);
    bind_text(insert, &at, run->config_path);
    bind_text(insert, &at, run->config_folder);
    bind_text(insert, &at, run->config);
    bind_text(insert, &at, run->config_sha256);
    bind_integer(insert, &at, run->seed);
    bind_integer(insert, &at, (int64_t)run->n_cases);
    status = store_finish(store, insert, error);
    int64_t run_id = sqlite3_last_insert_rowid(store->db);
    for (size_t i = 0; status == GB_OK && i < run->n_facts; i++) {
        sqlite3_stmt *fact = store_statement(
            store, "INSERT OR IGNORE INTO run_fact (run_id, name, value) VALUES (?,?,?)", error);
        at = 0;
        bind_integer(fact, &at, run_id);
        bind_text(fact, &at, run->facts[i].name);
        bind_text(fact, &at, run->facts[i].value);
        status = store_finish(store, fact, error);
    }
    status = store_end(store, status, error);
    if (status == GB_OK)
        *ret_run_id = run_id;
    return status;
}

int32_t store_run_end(struct store *store, int64_t run_id, const char *finished, int exit_code,
                      struct gb_error *error)
{
    sqlite3_stmt *update = store_statement(
        store, "UPDATE run SET finished = ?, exit_code = ? WHERE id = ?", error);
    int at = 0;
    bind_text(update, &at, finished);
    bind_integer(update, &at, exit_code);
    bind_integer(update, &at, run_id);
    return store_finish(store, update, error);
}

int32_t store_module(struct store *store, int64_t run_id, const struct module_record *module,
                     struct gb_error *error)
{
    sqlite3_stmt *insert = store_statement(
        store,
        "INSERT OR IGNORE INTO module (run_id, kind, id, version, path, sha256)"
        " VALUES (?,?,?,?,?,?)",
        error);
    int at = 0;
    bind_integer(insert, &at, run_id);
    bind_text(insert, &at, module->kind);
    bind_text(insert, &at, module->id);
    bind_text(insert, &at, module->version);
    bind_text(insert, &at, module->path);
    bind_text(insert, &at, module->sha256);
    return store_finish(store, insert, error);
}

static int32_t insert_device(struct store *store, int64_t run_id,
                             const struct device_record *device, int64_t *ret_id,
                             struct gb_error *error)
{
    char uuid[UUID_TEXT];
    uuid_new(uuid);
    sqlite3_stmt *insert = store_statement(
        store,
        "INSERT INTO device (record_uuid, run_id, plugin, name, number, model,"
        " uuid) VALUES (?,?,?,?,?,?,?)",
        error);
    int at = 0;
    bind_text(insert, &at, uuid);
    bind_integer(insert, &at, run_id);
    bind_text(insert, &at, device->plugin);
    bind_text(insert, &at, device->name);
    bind_integer(insert, &at, device->index);
    bind_text(insert, &at, device->model);
    bind_text(insert, &at, device->uuid);
    int32_t status = store_finish(store, insert, error);
    int64_t id = *ret_id = sqlite3_last_insert_rowid(store->db);
    for (size_t i = 0; status == GB_OK && i < device->n_facts; i++) {
        sqlite3_stmt *fact = store_statement(
            store, "INSERT INTO device_fact (device_id, ordinal, name, value) VALUES (?,?,?,?)",
            error);
        at = 0;
        bind_integer(fact, &at, id);
        bind_integer(fact, &at, (int64_t)i);
        bind_text(fact, &at, device->facts[i].name);
        bind_text(fact, &at, device->facts[i].value);
        status = store_finish(store, fact, error);
    }
    for (size_t i = 0; status == GB_OK && i < device->n_clocks; i++) {
        sqlite3_stmt *clock = store_statement(
            store,
            "INSERT INTO clock (device_id, ordinal, name, tick_ns, overhead_ns)"
            " VALUES (?,?,?,?,?)",
            error);
        at = 0;
        bind_integer(clock, &at, id);
        bind_integer(clock, &at, (int64_t)i);
        bind_text(clock, &at, device->clocks[i].name);
        bind_real(clock, &at, device->clocks[i].tick_ns);
        bind_real(clock, &at, device->clocks[i].overhead_ns);
        status = store_finish(store, clock, error);
    }
    return status;
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
