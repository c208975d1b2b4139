/* store_write.c - see store.h: runs, modules, devices and cases into the file. */
#include "core/store/store_case.h"
#include "core/store/store_read.h"
#include "core/store/store_schema.h"

#include <math.h>

/* ---- runs, modules, devices ---- */

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
    for (size_t i = 0; i < n && status == GB_OK; i++) {
        struct query old = query_begin(store, error,
                                       "DELETE FROM run_fact WHERE run_id = ?1 AND name = ?2", "it",
                                       run_id, facts[i].name);
        query_next(&old);
        status = query_end(&old);
    }
    if (status == GB_OK)
        status = rows_write(store, TABLE_RUN_FACT, SQL_MERGE, run_id, facts, n, error);
    return store_end(store, status, error);
}

int32_t store_run_find(struct store *store, const char *uuid, int64_t *ret_run_id,
                       struct gb_error *error)
{
    struct query find = query_begin(store, error, "SELECT id FROM run WHERE uuid = ?", "t", uuid);
    const bool is_there = query_next(&find);
    if (is_there)
        *ret_run_id = sqlite3_column_int64(find.row, 0);
    const int32_t status = query_end(&find);
    return status != GB_OK || is_there
               ? status
               : error_set(error, GB_NOT_FOUND, "%s: holds no run %s", store->path, uuid);
}

int32_t store_run_next(struct store *store, int64_t run_id, uint64_t *ret_position,
                       uint64_t *ret_sequence, struct gb_error *error)
{
    struct query find = query_begin(
        store, error,
        "SELECT ifnull(max(position) + 1, 0), ifnull(max(sequence) + 1, 0)"
        " FROM bench_case WHERE run_id = ?",
        "i", run_id);
    if (query_next(&find)) {
        *ret_position = (uint64_t)sqlite3_column_int64(find.row, 0);
        *ret_sequence = (uint64_t)sqlite3_column_int64(find.row, 1);
    }
    return query_end(&find);
}

int32_t store_run_count(struct store *store, int64_t run_id, uint64_t n_cases,
                        struct gb_error *error)
{
    struct query update = query_begin(store, error, "UPDATE run SET n_cases = ?2 WHERE id = ?1",
                                      "ii", run_id, (int64_t)n_cases);
    query_next(&update);
    return query_end(&update);
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
    struct stored_devices devices = {0};
    int32_t status = store_devices(store, run_id, &arena, &devices, error);
    if (status != GB_OK)
        return status;
    for (size_t i = 0; i < devices.n; i++)
        if (is_same_device(&devices.items[i].record, device)) {
            *ret_device_id = devices.items[i].id;
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

/* ---- what belongs to a case beside its row and its samples ---- */

static int32_t write_sentinel(struct store *store, int64_t case_id,
                              const struct case_record *record, struct gb_error *error)
{
    int32_t status = GB_OK;
    for (size_t i = 0; status == GB_OK && i < SENTINEL_MOMENTS; i++) {
        struct sentinel_row row = {telemetry_moments[i], record->sentinel[i]};
        if (*row.record.at)
            status = row_write(store, TABLE_SENTINEL, SQL_INSERT, case_id, 0, &row, error);
    }
    return status;
}

/* Take the place of those that are there already. */
static int32_t write_parameters(struct store *store, int64_t case_id,
                                const struct bench_case *bench_case, struct gb_error *error)
{
    int32_t status = rows_delete(store, TABLE_PARAMETER, case_id, error);
    for (size_t i = 0; status == GB_OK && i < bench_case->n_parameters; i++) {
        struct parameter row = bench_case->parameters[i];
        if (row.value.type == GB_TYPE_STRING || row.value.type == GB_TYPE_CHOICE)
            row.value.number = NAN;
        status = row_write(store, TABLE_PARAMETER, SQL_INSERT, case_id, (int64_t)i, &row, error);
    }
    return status;
}

static int32_t write_histograms(struct store *store, int64_t case_id,
                                const struct case_record *record, struct gb_error *error)
{
    int32_t status = GB_OK;
    for (size_t i = 0; i < record->n_summaries; i++)
        for (uint32_t class = 0; status == GB_OK && class < VERIFY_CLASSES; class ++) {
            struct histogram_row row = {i, class, verify_class_name((int)class),
                                        record->summaries[i].histogram[class],
                                        record->summaries[i].above_floor[class]};
            if (row.count)
                status = row_write(store, TABLE_CHECK_HISTOGRAM, SQL_INSERT, case_id, 0, &row,
                                   error);
        }
    return status;
}

static int32_t write_telemetry(struct store *store, int64_t case_id,
                               const struct case_record *record, struct gb_error *error)
{
    int32_t status = GB_OK;
    for (size_t i = 0; status == GB_OK && i < TELEMETRY_MOMENTS; i++) {
        struct telemetry_row row = {telemetry_moments[i], record->telemetry[i]};
        if (row.record.is_known)
            status = row_write(store, TABLE_TELEMETRY, SQL_INSERT, case_id, 0, &row, error);
    }
    return status;
}

static int32_t write_series(struct store *store, int64_t case_id, const struct case_record *record,
                            struct gb_error *error)
{
    int32_t status = GB_OK;
    for (size_t i = 0; status == GB_OK && i < record->n_series; i++) {
        const struct series_record *series = &record->series[i];
        const struct series_row row = {
            *series, {series->bins, (size_t)series->n_bins * sizeof *series->bins}};
        status = row_write(store, TABLE_SERIES, SQL_INSERT, case_id, (int64_t)i, &row, error);
    }
    return status;
}

/* All that is known once the case has ended, but the samples: metrics, checks, modes ... */
static int32_t write_findings(struct store *store, int64_t case_id,
                              const struct case_record *record, struct gb_error *error)
{
    const struct gb_estimate *estimate = &record->estimate;
    size_t n_modes = estimate->n_modes < GB_MODES_MAX ? estimate->n_modes : GB_MODES_MAX;
    const struct {
        int table;
        const void *rows;
        size_t n;
    } parts[] = {
        {TABLE_METRIC, record->metrics, record->n_metrics},
        {TABLE_CHECK, record->checks, record->n_checks},
        {TABLE_CHECK_SUMMARY, record->summaries, record->n_summaries},
        {TABLE_CHECK_WORST, record->worst, record->n_worst},
        {TABLE_MODE, estimate->modes, record->has_estimate && n_modes > 1 ? n_modes : 0},
        {TABLE_ACTIVITY, record->activities, record->n_activities},
        {TABLE_MESSAGE, record->messages, record->n_messages},
    };
    int32_t status = GB_OK;
    for (size_t i = 0; status == GB_OK && i < sizeof parts / sizeof *parts; i++)
        status = rows_write(store, parts[i].table, SQL_INSERT, case_id, parts[i].rows, parts[i].n,
                            error);
    if (status == GB_OK)
        status = write_series(store, case_id, record, error);
    if (status == GB_OK)
        status = write_histograms(store, case_id, record, error);
    if (status == GB_OK)
        status = write_sentinel(store, case_id, record, error);
    return status == GB_OK ? write_telemetry(store, case_id, record, error) : status;
}

/* ---- cases ---- */

/* What is there already of a record: after store_samples. */
struct earlier {
    int64_t case_id; /* 0: nothing */
    uint64_t n_samples, n_throttled;
};

/* A complete record of an earlier attempt is replaced. */
static int32_t find_earlier(struct store *store, const struct case_record *record,
                            struct earlier *ret, struct gb_error *error)
{
    bool is_replaced = false;
    *ret = (struct earlier){0};
    bool is_complete = false;
    struct query find = query_begin(
        store, error,
        "SELECT id, n_samples, n_throttled, status, attempt FROM bench_case WHERE uuid = ?", "t",
        record->uuid);
    if (query_next(&find)) {
        *ret = (struct earlier){sqlite3_column_int64(find.row, 0),
                                (uint64_t)sqlite3_column_int64(find.row, 1),
                                (uint64_t)sqlite3_column_int64(find.row, 2)};
        is_replaced = sqlite3_column_int64(find.row, 4) < record->attempt;
        is_complete = !is_replaced && !row_text_is(find.row, 3, case_status_word(CASE_RUNNING));
    }
    int32_t status = query_end(&find);
    if (status == GB_OK && is_complete)
        status = error_set(error, GB_INVALID, "%s: the record %s is complete already", store->path,
                           record->uuid);
    if (status == GB_OK && is_replaced) {
        status = store_finish(
            store,
            store_statement_on(store, "DELETE FROM bench_case WHERE id = ?", ret->case_id, error),
            error);
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
    return status == GB_OK ? write_parameters(store, *ret_id, record->bench_case, error) : status;
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
        status = write_findings(store, case_id, record, error);
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
