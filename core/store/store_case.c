/* store_case.c - see store.h: cases into the file. */
#include "core/store/store_case.h"

#include "core/store/roofline.h"

#include <string.h>

/* What is there already of a record: after store_samples. */
struct earlier {
    int64_t case_id; /* 0: nothing */
    uint64_t n_samples, n_throttled;
};

static int32_t find_earlier(struct store *store, const char *uuid, struct earlier *ret,
                            struct gb_error *error)
{
    *ret = (struct earlier){0};
    sqlite3_stmt *find = store_statement(
        store, "SELECT id, n_samples, n_throttled, status FROM bench_case WHERE uuid = ?", error);
    if (!find)
        return error ? error->status : GB_FAILED;
    int at = 0;
    bind_text(find, &at, uuid);
    int code = sqlite3_step(find);
    int32_t status = code == SQLITE_ROW || code == SQLITE_DONE ? GB_OK : store_error(store, error);
    if (code == SQLITE_ROW) {
        *ret = (struct earlier){sqlite3_column_int64(find, 0),
                                (uint64_t)sqlite3_column_int64(find, 1),
                                (uint64_t)sqlite3_column_int64(find, 2)};
        const char *word = (const char *)sqlite3_column_text(find, 3);
        if (!word || !text_equal(word, case_status_word(CASE_RUNNING)))
            status = error_set(error, GB_INVALID, "%s: the record %s is complete already",
                               store->path, uuid);
    }
    sqlite3_reset(find);
    return status;
}

/* In the order that put_place, put_outcome and put_estimate bind them. */
/* clang-format off */
#define CASE_COLUMN_MAP(X) \
    X(uuid) X(run_id) X(uid) X(bench) X(plugin) X(plugin_version) X(position) X(sequence) \
    X(round) X(policy) X(policy_plugin) X(policy_options) X(device_id) X(device_name) \
    X(device_index) X(cache) X(launch) X(environment) X(seed) X(status) X(done) X(status_text) \
    X(stop_reason) X(clock) X(iterations) X(tick_ns) X(overhead_ns) X(started) X(wall_ns) \
    X(n_samples) X(n_lost) X(n_throttled) X(min_ns) X(max_ns) X(mean_ns) X(stdev_ns) \
    X(median_ns) X(q1_ns) X(q3_ns) X(p10_ns) X(p90_ns) X(p99_ns) X(flops) X(bytes_read) \
    X(bytes_written) X(items) X(item) X(math_format) X(math_unit) X(verdict) X(statistic) X(estimate_ns) X(low_ns) \
    X(high_ns) X(confidence) X(n_observed) X(n_discarded) X(n_effective) X(excluded_mode_weight)
/* clang-format on */

#define COLUMN_NAME(name) #name ", "
#define COLUMN_PLACE(name) "?,"
#define COLUMN_UPDATE(name) #name " = excluded." #name ", "
/* id: NULL for a new record. The lists end with the id itself, which needs no comma. */
#define CASE_NAMES CASE_COLUMN_MAP(COLUMN_NAME)
#define CASE_PLACES CASE_COLUMN_MAP(COLUMN_PLACE)
#define CASE_UPDATES CASE_COLUMN_MAP(COLUMN_UPDATE)
static const char upsert_case[] = "INSERT INTO bench_case (" CASE_NAMES "id)"
                                  " VALUES (" CASE_PLACES "?)"
                                  " ON CONFLICT (uuid) DO UPDATE SET " CASE_UPDATES "id = id";

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

static void put_place(sqlite3_stmt *statement, int *at, int64_t run_id,
                      const struct case_record *record, const char *options,
                      const char *environment)
{
    const struct bench_case *bench_case = record->bench_case;
    const struct plugin_settings *policy = bench_case->policy;
    const struct plugin_settings *device = bench_case->device.settings;
    bind_text(statement, at, record->uuid);
    bind_integer(statement, at, run_id);
    bind_text(statement, at, record->uid);
    bind_text(statement, at, bench_case->bench);
    bind_text(statement, at, plugin_id(bench_case->info));
    bind_text(statement, at, bench_case->info ? bench_case->info->plugin.version : "");
    bind_integer(statement, at, (int64_t)bench_case->position);
    bind_integer(statement, at, (int64_t)record->sequence);
    bind_integer(statement, at, record->round);
    bind_text(statement, at, policy ? policy->name : "");
    bind_text(statement, at, policy ? plugin_id(policy->info) : "");
    bind_text(statement, at, options);
    if (record->device_id)
        bind_integer(statement, at, record->device_id);
    else
        bind_null(statement, at);
    bind_text(statement, at, device ? device->name : "");
    bind_integer(statement, at, bench_case->device.index);
    bind_text(statement, at, cache_word(bench_case->common.cache));
    bind_text(statement, at, launch_word(bench_case->common.launch));
    bind_text(statement, at, environment);
    bind_integer(statement, at, (int64_t)bench_case->seed);
}

static void put_outcome(sqlite3_stmt *statement, int *at, const struct case_record *record,
                        uint64_t n_samples, uint64_t n_throttled, const struct summary *summary)
{
    bind_text(statement, at, case_status_word(record->status));
    bind_integer(statement, at, case_status_is_done(record->status));
    bind_text(statement, at, record->status_text);
    bind_text(statement, at, record->stop_reason);
    bind_text(statement, at, record->clock);
    bind_integer(statement, at, (int64_t)record->iterations);
    bind_real(statement, at, record->tick_ns);
    bind_real(statement, at, record->overhead_ns);
    bind_text(statement, at, record->started);
    bind_real(statement, at, record->wall_ns);
    bind_integer(statement, at, (int64_t)n_samples);
    bind_integer(statement, at, (int64_t)record->n_lost);
    bind_integer(statement, at, (int64_t)n_throttled);
    const double values[] = {summary->min,    summary->max, summary->mean, summary->stdev,
                             summary->median, summary->q1,  summary->q3,   summary->p10,
                             summary->p90,    summary->p99};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        bind_real(statement, at, values[i]);
    bind_real(statement, at, record->work.flops);
    bind_real(statement, at, record->work.bytes_read);
    bind_real(statement, at, record->work.bytes_written);
    bind_real(statement, at, record->work.items);
    bind_text(statement, at, record->work.item);
    bind_text(statement, at, math_format_word(record->work.math_format));
    bind_text(statement, at, math_unit_word(record->work.math_unit));
}

static void put_estimate(sqlite3_stmt *statement, int *at, const struct gb_estimate *estimate)
{
    char statistic[sizeof estimate->statistic + 1] = {0};
    memcpy(statistic, estimate->statistic, sizeof estimate->statistic);
    bind_text(statement, at, verdict_words(estimate->verdict));
    sqlite3_bind_text(statement, ++*at, statistic, -1, SQLITE_TRANSIENT);
    bind_real(statement, at, estimate->value_ns);
    bind_real(statement, at, estimate->low_ns);
    bind_real(statement, at, estimate->high_ns);
    bind_real(statement, at, estimate->confidence);
    bind_integer(statement, at, (int64_t)estimate->n);
    bind_integer(statement, at, (int64_t)estimate->n_discarded);
    bind_real(statement, at, estimate->n_effective);
    bind_real(statement, at, estimate->excluded_mode_weight);
}

enum { ESTIMATE_COLUMNS = 10 };

/* The row of bench_case itself. n_samples and n_throttled: in all. */
static int32_t write_case_row(struct store *store, int64_t run_id, const struct case_record *record,
                              uint64_t n_samples, uint64_t n_throttled,
                              const struct summary *summary, struct gb_error *error)
{
    sqlite3_stmt *upsert = store_statement(store, upsert_case, error);
    if (!upsert)
        return error ? error->status : GB_FAILED;
    CLEANUP(text_free) struct text options = {0}, environment = {0};
    list_settings(record->bench_case->policy, &options);
    for (size_t i = 0; i < record->bench_case->n_environment; i++)
        text_printf(&environment, "%s=%s\n", record->bench_case->environment[i].name,
                    record->bench_case->environment[i].value);
    int at = 0;
    put_place(upsert, &at, run_id, record, text_get(&options), text_get(&environment));
    put_outcome(upsert, &at, record, n_samples, n_throttled, summary);
    if (record->has_estimate)
        put_estimate(upsert, &at, &record->estimate);
    else
        for (int i = 0; i < ESTIMATE_COLUMNS; i++)
            bind_null(upsert, &at);
    return store_finish(store, upsert, error);
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
    int32_t status = find_earlier(store, record->uuid, &earlier, error);
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
    int64_t case_id = 0;
    status = write_case(store, run_id, &running, &earlier, first + n,
                        earlier.n_throttled + samples_throttled(columns, n_columns, n),
                        &samples_no_summary, &case_id, error);
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

static int32_t add_case(struct store *store, int64_t run_id, const struct case_record *record,
                        struct gb_error *error)
{
    struct earlier earlier;
    struct summary summary = samples_no_summary;
    int32_t status = find_earlier(store, record->uuid, &earlier, error);
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
