/* store_case.c - see store.h: cases into the file. */
#include "core/store/store_case.h"

#include "core/store/store_read.h"

/* What is there already of a record: after store_samples. */
struct earlier {
    int64_t case_id; /* 0: nothing */
    uint64_t n_samples, n_throttled;
};

static int32_t delete_case(struct store *store, int64_t case_id, struct gb_error *error)
{
    sqlite3_stmt *statement = store_statement_on(store, "DELETE FROM bench_case WHERE id = ?",
                                                 case_id, error);
    return statement ? store_finish(store, statement, error) : store_failure(error);
}

/* A complete record of an earlier attempt is replaced. */
static int32_t find_earlier(struct store *store, const struct case_record *record,
                            struct earlier *ret, struct gb_error *error)
{
    bool is_replaced = false;
    *ret = (struct earlier){0};
    sqlite3_stmt *find = store_statement(
        store, "SELECT id, n_samples, n_throttled, status, attempt FROM bench_case WHERE uuid = ?",
        error);
    if (!find || !store_bind_text(store, find, 1, record->uuid, error))
        return store_failure(error);
    int code = sqlite3_step(find);
    int32_t status = code == SQLITE_ROW || code == SQLITE_DONE ? GB_OK : store_error(store, error);
    if (code == SQLITE_ROW) {
        *ret = (struct earlier){sqlite3_column_int64(find, 0),
                                (uint64_t)sqlite3_column_int64(find, 1),
                                (uint64_t)sqlite3_column_int64(find, 2)};
        CLEANUP(arena_free) struct arena scratch = {0};
        is_replaced = sqlite3_column_int64(find, 4) < record->attempt;
        if (!is_replaced &&
            !text_equal(row_text(find, 3, &scratch), case_status_word(CASE_RUNNING)))
            status = error_set(error, GB_INVALID, "%s: the record %s is complete already",
                               store->path, record->uuid);
    }
    sqlite3_reset(find);
    if (status == GB_OK && is_replaced) {
        status = delete_case(store, ret->case_id, error);
        *ret = (struct earlier){0};
    }
    return status;
}

static const char *plugin_id(const struct plugin_info *info)
{
    return info ? info->plugin.id : "";
}

static void list_settings(const struct plugin_settings *settings, struct text *out)
{
    for (size_t i = 0; settings && i < settings->n_settings; i++)
        text_printf(out, "%s%s=%s", out->length ? " " : "", settings->settings[i].key,
                    settings->settings[i].text);
}

/* What is stored in the case's own row. n_samples and n_throttled: in all. */
static int32_t write_case_row(struct store *store, int64_t run_id, const struct case_record *record,
                              uint64_t n_samples, uint64_t n_throttled,
                              const struct summary *summary, struct gb_error *error)
{
    const struct bench_case *bench_case = record->bench_case;
    const struct plugin_settings *policy = bench_case->policy;
    const struct plugin_settings *device = bench_case->device.settings;
    CLEANUP(text_free) struct text options = {0}, environment = {0};
    list_settings(policy, &options);
    for (size_t i = 0; i < bench_case->n_environment; i++)
        text_printf(&environment, "%s=%s\n", bench_case->environment[i].name,
                    bench_case->environment[i].value);
    struct stored_case row = {.record = *record,
                              .position = bench_case->position,
                              .bench = bench_case->bench,
                              .plugin = plugin_id(bench_case->info),
                              .plugin_version = bench_case->info ? bench_case->info->plugin.version
                                                                 : "",
                              .policy = policy ? policy->name : "",
                              .policy_plugin = policy ? plugin_id(policy->info) : "",
                              .policy_options = text_get(&options),
                              .device_name = device ? device->name : "",
                              .device_index = bench_case->device.index,
                              .cache = cache_word(bench_case->common.cache),
                              .launch = launch_word(bench_case->common.launch),
                              .pace = pace_word(bench_case->common.pace),
                              .environment = text_get(&environment),
                              .seed = (int64_t)bench_case->seed,
                              .is_done = case_status_is_done(record->status),
                              .n_throttled = n_throttled,
                              .summary = *summary};
    row.record.n_samples = n_samples;
    return row_write(store, TABLE_CASE, SQL_MERGE, run_id, 0, &row, error);
}

/* Row and parameters; the id is that of the earlier row, if there is one. */
static int32_t write_case(struct store *store, int64_t run_id, const struct case_record *record,
                          const struct earlier *earlier, uint64_t n_samples, uint64_t n_throttled,
                          const struct summary *summary, int64_t *ret_id, struct gb_error *error)
{
    int32_t status = write_case_row(store, run_id, record, n_samples, n_throttled, summary, error);
    *ret_id = earlier->case_id ? earlier->case_id : sqlite3_last_insert_rowid(store->db);
    return status == GB_OK ? case_write_parameters(store, *ret_id, record->bench_case, error)
                           : status;
}

static int32_t add_samples(struct store *store, int64_t run_id, const struct case_record *record,
                           uint64_t first, uint64_t n, const struct sample_column *columns,
                           size_t n_columns, struct gb_error *error)
{
    struct earlier earlier;
    int32_t status = find_earlier(store, record, &earlier, error);
    if (status != GB_OK)
        return status;
    if (first != earlier.n_samples)
        return error_set(error, GB_INVALID,
                         "%s: samples from %llu on do not follow the %llu stored", store->path,
                         (unsigned long long)first, (unsigned long long)earlier.n_samples);
    struct case_record running = *record;
    running.status = CASE_RUNNING;
    running.status_text = "";
    running.has_estimate = false;
    struct summary unknown = summary_of(NULL, 0);
    int64_t case_id = 0;
    status = write_case(store, run_id, &running, &earlier, first + n,
                        earlier.n_throttled + samples_throttled(columns, n_columns, n), &unknown,
                        &case_id, error);
    return status == GB_OK
               ? samples_write(store, case_id, record->clock, first, n, columns, n_columns, error)
               : status;
}

int32_t store_samples(struct store *store, int64_t run_id, const struct case_record *record,
                      uint64_t first, uint64_t n, const struct sample_column *columns,
                      size_t n_columns, struct gb_error *error)
{
    int32_t status = store_begin(store, error);
    if (status != GB_OK)
        return status;
    return store_end(store, add_samples(store, run_id, record, first, n, columns, n_columns, error),
                     error);
}

int32_t store_forget(struct store *store, const char *case_uuid, struct gb_error *error)
{
    sqlite3_stmt *statement = store_statement(
        store, "DELETE FROM bench_case WHERE uuid = ? AND NOT done", error);
    if (!statement || !store_bind_text(store, statement, 1, case_uuid, error))
        return store_failure(error);
    int32_t status = sqlite3_step(statement) == SQLITE_DONE ? GB_OK : store_error(store, error);
    sqlite3_reset(statement);
    return status;
}

static int32_t add_case(struct store *store, int64_t run_id, const struct case_record *record,
                        struct gb_error *error)
{
    struct earlier earlier;
    struct summary summary;
    int32_t status = find_earlier(store, record, &earlier, error);
    if (status == GB_OK)
        status = samples_summarize(store, earlier.case_id, earlier.n_samples, record, &summary,
                                   error);
    if (status != GB_OK)
        return status;
    uint64_t n_throttled = samples_throttled(record->columns, record->n_columns, record->n_samples);
    int64_t case_id = 0;
    status = write_case(store, run_id, record, &earlier, earlier.n_samples + record->n_samples,
                        earlier.n_throttled + n_throttled, &summary, &case_id, error);
    if (status == GB_OK)
        status = case_write_findings(store, case_id, record, error);
    return status == GB_OK
               ? samples_write(store, case_id, record->clock, earlier.n_samples, record->n_samples,
                               record->columns, record->n_columns, error)
               : status;
}

int32_t store_case(struct store *store, int64_t run_id, const struct case_record *record,
                   struct gb_error *error)
{
    int32_t status = store_begin(store, error);
    return status == GB_OK ? store_end(store, add_case(store, run_id, record, error), error)
                           : status;
}
