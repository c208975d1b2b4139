/* store_case.c - see store.h: cases and their samples into the file. Floor 4. */
#include "core/store_internal.h"

#include "core/statistics.h"
#include "core/store_read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Chunks hold doubles as they lie in memory. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "samples are stored little-endian");

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

static const double *column_named(const struct sample_column *columns, size_t n_columns,
                                  const char *name)
{
    for (size_t i = 0; i < n_columns; i++)
        if (text_equal(columns[i].name, name))
            return columns[i].values;
    return NULL;
}

static uint64_t count_throttled(const struct sample_column *columns, size_t n_columns, uint64_t n)
{
    const double *throttle = column_named(columns, n_columns, "throttle");
    const double *flags = column_named(columns, n_columns, "flags");
    uint64_t count = 0;
    for (uint64_t i = 0; i < n; i++) {
        bool by_reason = throttle && throttle[i] != 0;
        bool by_flag = flags && ((uint64_t)flags[i] & GB_SAMPLE_THROTTLED);
        count += by_reason || by_flag;
    }
    return count;
}

/* As summary_of, but sorts the values themselves: a long recording is not held twice. */
static struct summary summary_in_place(double *values, size_t n)
{
    sort_values(values, n);
    struct summary summary = {.n = n, .mean = mean_of(values, n), .stdev = stdev_of(values, n)};
    summary.min = quantile_of_sorted(values, n, 0);
    summary.p10 = quantile_of_sorted(values, n, 0.10);
    summary.q1 = quantile_of_sorted(values, n, 0.25);
    summary.median = quantile_of_sorted(values, n, 0.50);
    summary.q3 = quantile_of_sorted(values, n, 0.75);
    summary.p90 = quantile_of_sorted(values, n, 0.90);
    summary.p99 = quantile_of_sorted(values, n, 0.99);
    summary.max = quantile_of_sorted(values, n, 1);
    return summary;
}

static size_t drop_unusable(double *values, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (isfinite(values[i]))
            values[kept++] = values[i];
    return kept;
}

/* Over the column of the clock that counts, what was stored before included. */
static int32_t summarize(struct store *store, const struct earlier *earlier,
                         const struct case_record *record, struct summary *ret,
                         struct gb_error *error)
{
    const double *last = column_named(record->columns, record->n_columns, record->clock);
    size_t n_last = last ? record->n_samples : 0;
    size_t n = earlier->n_samples + n_last;
    double *values = malloc((n ? n : 1) * sizeof *values);
    if (!values)
        return error_set(error, GB_NO_MEMORY, "%s: no memory to sum up %zu samples", store->path,
                         n);
    int32_t status = earlier->n_samples ? store_samples_read(store, earlier->case_id, record->clock,
                                                             0, earlier->n_samples, values, error)
                                        : GB_OK;
    if (n_last)
        memcpy(values + earlier->n_samples, last, n_last * sizeof *values);
    if (status == GB_OK)
        *ret = summary_in_place(values, drop_unusable(values, n));
    free(values);
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
    X(bytes_written) X(items) X(item) X(verdict) X(statistic) X(estimate_ns) X(low_ns) \
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
}

static const char *verdict_word(int32_t verdict)
{
    switch (verdict) {
#define VERDICT_WORD(name, value, words)                                                           \
    case value:                                                                                    \
        return words;
        GB_VERDICT_MAP(VERDICT_WORD)
#undef VERDICT_WORD
    default:
        return "none";
    }
}

static void put_estimate(sqlite3_stmt *statement, int *at, const struct gb_estimate *estimate)
{
    char statistic[sizeof estimate->statistic + 1] = {0};
    memcpy(statistic, estimate->statistic, sizeof estimate->statistic);
    bind_text(statement, at, verdict_word(estimate->verdict));
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

static const char *type_word(uint32_t type)
{
    static const char *const words[] = {"",       "int",    "float", "bool",
                                        "string", "choice", "bytes", "duration"};
    return type < sizeof words / sizeof *words ? words[type] : "string";
}

static int32_t write_parameters(struct store *store, int64_t case_id,
                                const struct bench_case *bench_case, struct gb_error *error)
{
    int32_t status = GB_OK;
    for (size_t i = 0; status == GB_OK && i < bench_case->n_parameters; i++) {
        const struct parameter *parameter = &bench_case->parameters[i];
        const struct value *value = &parameter->value;
        sqlite3_stmt *insert = store_statement(
            store,
            "INSERT INTO parameter (case_id, ordinal, name, value, number, type, is_axis,"
            " is_default, is_variable, is_identity) VALUES (?,?,?,?,?,?,?,?,?,?)",
            error);
        bool is_words = value->type == GB_TYPE_STRING || value->type == GB_TYPE_CHOICE;
        int at = 0;
        bind_integer(insert, &at, case_id);
        bind_integer(insert, &at, (int64_t)i);
        bind_text(insert, &at, parameter->name);
        bind_text(insert, &at, value->text);
        bind_real(insert, &at, is_words ? NAN : value->number);
        bind_text(insert, &at, type_word(value->type));
        bind_integer(insert, &at, parameter->is_axis);
        bind_integer(insert, &at, parameter->is_default);
        bind_integer(insert, &at, parameter->is_variable);
        bind_integer(insert, &at, parameter->is_identity);
        status = store_finish(store, insert, error);
    }
    return status;
}

static int32_t write_metrics(struct store *store, int64_t case_id, const struct case_record *record,
                             struct gb_error *error)
{
    int32_t status = GB_OK;
    for (size_t i = 0; status == GB_OK && i < record->n_metrics; i++) {
        sqlite3_stmt *insert = store_statement(
            store, "INSERT INTO metric (case_id, ordinal, name, value, unit) VALUES (?,?,?,?,?)",
            error);
        int at = 0;
        bind_integer(insert, &at, case_id);
        bind_integer(insert, &at, (int64_t)i);
        bind_text(insert, &at, record->metrics[i].name);
        bind_real(insert, &at, record->metrics[i].value);
        bind_text(insert, &at, record->metrics[i].unit);
        status = store_finish(store, insert, error);
    }
    return status;
}

static int32_t write_checks(struct store *store, int64_t case_id, const struct case_record *record,
                            struct gb_error *error)
{
    int32_t status = GB_OK;
    for (size_t i = 0; status == GB_OK && i < record->n_checks; i++) {
        const struct check_record *check = &record->checks[i];
        sqlite3_stmt *insert = store_statement(
            store,
            "INSERT INTO check_result (case_id, ordinal, name, metric, value, tolerance, passed,"
            " element, reference, output, text) VALUES (?,?,?,?,?,?,?,?,?,?,?)",
            error);
        int at = 0;
        bind_integer(insert, &at, case_id);
        bind_integer(insert, &at, (int64_t)i);
        bind_text(insert, &at, check->name);
        bind_text(insert, &at, check->metric);
        bind_real(insert, &at, check->value);
        bind_real(insert, &at, check->tolerance);
        bind_integer(insert, &at, check->passed);
        bind_integer(insert, &at, (int64_t)check->index);
        bind_real(insert, &at, check->reference);
        bind_real(insert, &at, check->output);
        bind_text(insert, &at, check->text);
        status = store_finish(store, insert, error);
    }
    return status;
}

static int32_t write_histogram(struct store *store, int64_t case_id, size_t ordinal,
                               const uint64_t histogram[VERIFY_CLASSES], struct gb_error *error)
{
    int32_t status = GB_OK;
    for (int i = 0; status == GB_OK && i < VERIFY_CLASSES; i++) {
        if (!histogram[i])
            continue;
        sqlite3_stmt *insert = store_statement(
            store,
            "INSERT INTO check_histogram (case_id, ordinal, class, label, count)"
            " VALUES (?,?,?,?,?)",
            error);
        int at = 0;
        bind_integer(insert, &at, case_id);
        bind_integer(insert, &at, (int64_t)ordinal);
        bind_integer(insert, &at, i);
        bind_text(insert, &at, verify_class_name(i));
        bind_integer(insert, &at, (int64_t)histogram[i]);
        status = store_finish(store, insert, error);
    }
    return status;
}

static int32_t write_summaries(struct store *store, int64_t case_id,
                               const struct case_record *record, struct gb_error *error)
{
    int32_t status = GB_OK;
    for (size_t i = 0; status == GB_OK && i < record->n_summaries; i++) {
        const struct check_summary_record *summary = &record->summaries[i];
        sqlite3_stmt *insert = store_statement(
            store,
            "INSERT INTO check_summary (case_id, ordinal, name, n, n_exact, n_overflowed, n_nan,"
            " n_infinite_mismatch, n_zero_mismatch) VALUES (?,?,?,?,?,?,?,?,?)",
            error);
        int at = 0;
        bind_integer(insert, &at, case_id);
        bind_integer(insert, &at, (int64_t)i);
        bind_text(insert, &at, summary->name);
        bind_integer(insert, &at, (int64_t)summary->n);
        bind_integer(insert, &at, (int64_t)summary->n_exact);
        bind_integer(insert, &at, (int64_t)summary->n_overflowed);
        bind_integer(insert, &at, (int64_t)summary->n_nan);
        bind_integer(insert, &at, (int64_t)summary->n_infinite_mismatch);
        bind_integer(insert, &at, (int64_t)summary->n_zero_mismatch);
        status = store_finish(store, insert, error);
        if (status == GB_OK)
            status = write_histogram(store, case_id, i, summary->histogram, error);
    }
    return status;
}

static int32_t write_modes(struct store *store, int64_t case_id, const struct case_record *record,
                           struct gb_error *error)
{
    int32_t status = GB_OK;
    const struct gb_estimate *estimate = &record->estimate;
    uint32_t n = record->has_estimate && estimate->n_modes > 1 ? estimate->n_modes : 0;
    for (uint32_t i = 0; status == GB_OK && i < n && i < GB_MODES_MAX; i++) {
        sqlite3_stmt *insert = store_statement(
            store,
            "INSERT INTO mode (case_id, ordinal, median_ns, low_ns, high_ns, weight)"
            " VALUES (?,?,?,?,?,?)",
            error);
        int at = 0;
        bind_integer(insert, &at, case_id);
        bind_integer(insert, &at, i);
        bind_real(insert, &at, estimate->modes[i].median_ns);
        bind_real(insert, &at, estimate->modes[i].low_ns);
        bind_real(insert, &at, estimate->modes[i].high_ns);
        bind_real(insert, &at, estimate->modes[i].weight);
        status = store_finish(store, insert, error);
    }
    return status;
}

static int32_t write_messages(struct store *store, int64_t case_id,
                              const struct case_record *record, struct gb_error *error)
{
    int32_t status = GB_OK;
    for (size_t i = 0; status == GB_OK && i < record->n_messages; i++) {
        sqlite3_stmt *insert = store_statement(
            store, "INSERT INTO message (case_id, ordinal, severity, text) VALUES (?,?,?,?)",
            error);
        int at = 0;
        bind_integer(insert, &at, case_id);
        bind_integer(insert, &at, (int64_t)i);
        bind_integer(insert, &at, record->messages[i].severity);
        bind_text(insert, &at, record->messages[i].text);
        status = store_finish(store, insert, error);
    }
    return status;
}

static int32_t write_telemetry(struct store *store, int64_t case_id,
                               const struct case_record *record, struct gb_error *error)
{
    static const char *const moments[TELEMETRY_MOMENTS] = {STORE_MOMENT_BEGIN, STORE_MOMENT_END};
    int32_t status = GB_OK;
    for (size_t i = 0; status == GB_OK && i < TELEMETRY_MOMENTS; i++) {
        const struct telemetry_record *telemetry = &record->telemetry[i];
        const struct gb_telemetry *values = &telemetry->values;
        if (!telemetry->is_known)
            continue;
        sqlite3_stmt *insert = store_statement(
            store,
            "INSERT INTO telemetry (case_id, moment, elapsed_ns, iterations, clock_hz,"
            " memory_clock_hz, temperature_celsius, power_watts, energy_joules, throttle,"
            " throttle_text) VALUES (?,?,?,?,?,?,?,?,?,?,?)",
            error);
        int at = 0;
        bind_integer(insert, &at, case_id);
        bind_text(insert, &at, moments[i]);
        bind_real(insert, &at, telemetry->elapsed_ns);
        bind_integer(insert, &at, (int64_t)telemetry->iterations);
        bind_real(insert, &at, values->clock_hz);
        bind_real(insert, &at, values->memory_clock_hz);
        bind_real(insert, &at, values->temperature_celsius);
        bind_real(insert, &at, values->power_watts);
        bind_real(insert, &at, values->energy_joules);
        bind_integer(insert, &at, (int64_t)values->throttle);
        bind_text(insert, &at, values->throttle_text);
        status = store_finish(store, insert, error);
    }
    return status;
}

static int32_t write_chunk(struct store *store, int64_t case_id, const char *name, uint64_t first,
                           uint64_t n, const double *values, struct gb_error *error)
{
    sqlite3_stmt *insert = store_statement(
        store, "INSERT INTO samples (case_id, name, first, n, data) VALUES (?,?,?,?,?)", error);
    int at = 0;
    bind_integer(insert, &at, case_id);
    bind_text(insert, &at, name);
    bind_integer(insert, &at, (int64_t)first);
    bind_integer(insert, &at, (int64_t)n);
    sqlite3_bind_blob64(insert, ++at, values, n * sizeof *values, SQLITE_STATIC);
    return store_finish(store, insert, error);
}

static int32_t write_columns(struct store *store, int64_t case_id, uint64_t first, uint64_t n,
                             const struct sample_column *columns, size_t n_columns,
                             struct gb_error *error)
{
    int32_t status = GB_OK;
    for (size_t i = 0; i < n_columns; i++)
        for (uint64_t done = 0; status == GB_OK && done < n; done += STORE_CHUNK) {
            uint64_t part = n - done < STORE_CHUNK ? n - done : STORE_CHUNK;
            status = write_chunk(store, case_id, columns[i].name, first + done, part,
                                 columns[i].values + done, error);
        }
    return status;
}

static int32_t delete_parameters(struct store *store, int64_t case_id, struct gb_error *error)
{
    sqlite3_stmt *statement = store_statement(store, "DELETE FROM parameter WHERE case_id = ?",
                                              error);
    int at = 0;
    bind_integer(statement, &at, case_id);
    return store_finish(store, statement, error);
}

/* Row and parameters; the id is that of the earlier row, if there is one. */
static int32_t write_case(struct store *store, int64_t run_id, const struct case_record *record,
                          const struct earlier *earlier, uint64_t n_samples, uint64_t n_throttled,
                          const struct summary *summary, int64_t *ret_id, struct gb_error *error)
{
    int32_t status = write_case_row(store, run_id, record, n_samples, n_throttled, summary, error);
    *ret_id = earlier->case_id ? earlier->case_id : sqlite3_last_insert_rowid(store->db);
    if (status == GB_OK && earlier->case_id)
        status = delete_parameters(store, *ret_id, error);
    if (status == GB_OK)
        status = write_parameters(store, *ret_id, record->bench_case, error);
    return status;
}

static const struct summary no_summary = {.min = NAN,
                                          .max = NAN,
                                          .mean = NAN,
                                          .stdev = NAN,
                                          .median = NAN,
                                          .q1 = NAN,
                                          .q3 = NAN,
                                          .p10 = NAN,
                                          .p90 = NAN,
                                          .p99 = NAN};

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
                        earlier.n_throttled + count_throttled(columns, n_columns, n), &no_summary,
                        &case_id, error);
    return status == GB_OK ? write_columns(store, case_id, first, n, columns, n_columns, error)
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
    static int32_t (*const parts[])(struct store *, int64_t, const struct case_record *,
                                    struct gb_error *) = {
        write_metrics, write_checks, write_summaries, write_modes, write_messages, write_telemetry};
    struct earlier earlier;
    struct summary summary = no_summary;
    int32_t status = find_earlier(store, record->uuid, &earlier, error);
    if (status == GB_OK)
        status = summarize(store, &earlier, record, &summary, error);
    if (status != GB_OK)
        return status;
    int64_t case_id = 0;
    status = write_case(store, run_id, record, &earlier, earlier.n_samples + record->n_samples,
                        earlier.n_throttled +
                            count_throttled(record->columns, record->n_columns, record->n_samples),
                        &summary, &case_id, error);
    for (size_t i = 0; status == GB_OK && i < sizeof parts / sizeof *parts; i++)
        status = parts[i](store, case_id, record, error);
    return status == GB_OK ? write_columns(store, case_id, earlier.n_samples, record->n_samples,
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
