/* store_outcomes.c - see store_outcomes.h. One pass over bench_case; parameters once for a case. */
#include "core/store/store_outcomes.h"

#include "core/store/store_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of SELECT_OUTCOMES, in order. */
enum {
    AT_ID,
    AT_DEVICE_ID,
    AT_UID,
    AT_BENCH,
    AT_PLUGIN,
    AT_PLUGIN_SHA256,
    AT_POLICY,
    AT_DEVICE_NAME,
    AT_CACHE,
    AT_LAUNCH,
    AT_PACE,
    AT_ENVIRONMENT,
    AT_CLOCK,
    AT_DEVICE_INDEX,
    AT_ROUND,
    AT_POSITION,
    AT_STATUS,
    AT_STATUS_TEXT,
    AT_TIME,
    AT_LOW,
    AT_HIGH,
    AT_STEP,
    AT_VERDICT,
    AT_N_SAMPLES,
    AT_N_THROTTLED,
    AT_SAMPLED,
    AT_OTHERS,
};

/* The time is what central_ns of store_read.h gives. */
#define SELECT_OUTCOMES                                                                            \
    "SELECT c.id, coalesce(device_id, 0), uid, bench, plugin, plugin_sha256, policy, device_name," \
    " cache, launch, pace, environment, clock, device_index, round, position, status,"             \
    " status_text, CASE WHEN estimate_ns > 0 AND estimate_ns < 9e999 AND (statistic = 'median' OR" \
    " (dithered AND statistic = 'mean')) THEN estimate_ns ELSE median_ns END, low_ns, high_ns,"    \
    " CASE WHEN dithered THEN 0 ELSE tick_ns / max(iterations, 1) END, verdict, n_samples,"        \
    " n_throttled, sampled_ns, others_cpu_ns"                                                      \
    " FROM bench_case AS c WHERE run_id = ? AND " STORE_IS_LATEST                                  \
    " ORDER BY sequence, started, uuid"

static double real_at(sqlite3_stmt *statement, int at)
{
    return sqlite3_column_type(statement, at) == SQLITE_NULL ? NAN
                                                             : sqlite3_column_double(statement, at);
}

static void take_outcome(sqlite3_stmt *select, int64_t run_id, struct arena *arena,
                         struct outcome *ret)
{
    *ret = (struct outcome){
        .id = sqlite3_column_int64(select, AT_ID),
        .run_id = run_id,
        .device_id = sqlite3_column_int64(select, AT_DEVICE_ID),
        .uid = row_text(select, AT_UID, arena),
        .bench = row_text(select, AT_BENCH, arena),
        .plugin = row_text(select, AT_PLUGIN, arena),
        .plugin_sha256 = row_text(select, AT_PLUGIN_SHA256, arena),
        .policy = row_text(select, AT_POLICY, arena),
        .device_name = row_text(select, AT_DEVICE_NAME, arena),
        .cache = row_text(select, AT_CACHE, arena),
        .launch = row_text(select, AT_LAUNCH, arena),
        .pace = row_text(select, AT_PACE, arena),
        .environment = row_text(select, AT_ENVIRONMENT, arena),
        .clock = row_text(select, AT_CLOCK, arena),
        .device_index = sqlite3_column_int(select, AT_DEVICE_INDEX),
        .round = (uint32_t)sqlite3_column_int64(select, AT_ROUND),
        .position = (uint64_t)sqlite3_column_int64(select, AT_POSITION),
        .status = case_status_named(row_text(select, AT_STATUS, arena)),
        .status_text = row_text(select, AT_STATUS_TEXT, arena),
        .value = real_at(select, AT_TIME),
        .low_ns = real_at(select, AT_LOW),
        .high_ns = real_at(select, AT_HIGH),
        .step_ns = real_at(select, AT_STEP),
        .verdict = verdict_named(row_text(select, AT_VERDICT, arena)),
        .n_samples = real_at(select, AT_N_SAMPLES),
        .n_throttled = real_at(select, AT_N_THROTTLED),
        .sampled_ns = real_at(select, AT_SAMPLED),
        .others_cpu_ns = real_at(select, AT_OTHERS),
    };
    ret->status = ret->status < 0 ? CASE_FAILED : ret->status;
    ret->step_ns = ret->step_ns > 0 ? ret->step_ns : 0;
}

static int32_t read_parameters(struct store *store, struct arena *arena, struct outcome *ret,
                               struct gb_error *error)
{
    sqlite3_stmt *select = store_statement_on(store,
                                              "SELECT name, value, is_axis, is_identity FROM "
                                              "parameter WHERE case_id = ? ORDER BY ordinal",
                                              ret->id, error);
    if (!select)
        return store_failure(error);
    struct outcome_parameter *parameters = NULL;
    int code;
    while ((code = sqlite3_step(select)) == SQLITE_ROW) {
        struct outcome_parameter *parameter = ARENA_ADD(arena, parameters, ret->n_parameters);
        *parameter = (struct outcome_parameter){.name = row_text(select, 0, arena),
                                                .value = row_text(select, 1, arena),
                                                .is_axis = sqlite3_column_int(select, 2),
                                                .is_identity = sqlite3_column_int(select, 3)};
    }
    ret->parameters = parameters;
    return store_end_rows(store, select, code, error);
}

/* Records of one benchmark at one place of its sweep have the same parameters. */
static int compare_places(const void *a, const void *b)
{
    const struct outcome *x = *(struct outcome *const *)a, *y = *(struct outcome *const *)b;
    if (x->position != y->position)
        return x->position < y->position ? -1 : 1;
    int order = strcmp(x->bench, y->bench);
    return order ? order : strcmp(x->uid, y->uid);
}

static int32_t read_all_parameters(struct store *store, struct arena *arena,
                                   struct outcome *outcomes, size_t n, struct gb_error *error)
{
    CLEANUP(free_pointer) struct outcome **sorted = memory_allocate((n + 1) * sizeof *sorted);
    int32_t status = GB_OK;
    for (size_t i = 0; i < n; i++)
        sorted[i] = &outcomes[i];
    qsort(sorted, n, sizeof *sorted, compare_places);
    for (size_t i = 0; status == GB_OK && i < n; i++) {
        if (i && compare_places(&sorted[i], &sorted[i - 1]) == 0) {
            sorted[i]->parameters = sorted[i - 1]->parameters;
            sorted[i]->n_parameters = sorted[i - 1]->n_parameters;
        } else {
            status = read_parameters(store, arena, sorted[i], error);
        }
    }
    return status;
}

/* ---- other metrics than the time ---- */

#define MAIN_KERNEL(column)                                                                        \
    "SELECT " column ", '' FROM activity WHERE case_id = ? AND kind = 'kernel'"                    \
    " ORDER BY coalesce(time_ns, 0) DESC, grid_x * grid_y * grid_z * block_x * block_y * block_z"  \
    " DESC LIMIT 1"
#define CASE_COLUMN(column, unit) "SELECT " column ", '" unit "' FROM bench_case WHERE id = ?"

static const struct {
    const char *name, *sql;
} known_metrics[] = {
    {"registers", MAIN_KERNEL("registers")},
    {"shared_bytes", MAIN_KERNEL("shared_bytes")},
    {"min_ns", CASE_COLUMN("min_ns", "ns")},
    {"max_ns", CASE_COLUMN("max_ns", "ns")},
    {"mean_ns", CASE_COLUMN("mean_ns", "ns")},
    {"median_ns", CASE_COLUMN("median_ns", "ns")},
    {"p10_ns", CASE_COLUMN("p10_ns", "ns")},
    {"p90_ns", CASE_COLUMN("p90_ns", "ns")},
    {"p99_ns", CASE_COLUMN("p99_ns", "ns")},
    {"stdev_ns", CASE_COLUMN("stdev_ns", "ns")},
    {"wall_ns", CASE_COLUMN("wall_ns", "ns")},
    {"n_kernels", CASE_COLUMN("n_kernels", "")},
    {"flops", CASE_COLUMN("flops", "")},
    {"bytes_read", CASE_COLUMN("bytes_read", "B")},
    {"bytes_written", CASE_COLUMN("bytes_written", "B")},
};

static const char *metric_sql(const char *name)
{
    for (size_t i = 0; i < sizeof known_metrics / sizeof *known_metrics; i++)
        if (text_equal(known_metrics[i].name, name))
            return known_metrics[i].sql;
    return "SELECT value, unit FROM metric WHERE case_id = ?1 AND name = ?2 ORDER BY ordinal";
}

static int32_t read_metric(struct store *store, const char *sql, struct outcome_metric *metric,
                           struct arena *arena, struct outcome *ret, struct gb_error *error)
{
    sqlite3_stmt *select = store_statement_on(store, sql, ret->id, error);
    if (!select || (sqlite3_bind_parameter_count(select) > 1 &&
                    !store_bind_text(store, select, 2, metric->name, error)))
        return store_failure(error);
    ret->value = NAN;
    int code = sqlite3_step(select);
    if (code == SQLITE_ROW) {
        ret->value = real_at(select, 0);
        if (!*metric->unit)
            metric->unit = row_text(select, 1, arena);
        code = SQLITE_DONE;
    }
    return store_end_rows(store, select, code, error);
}

static int32_t read_metrics(struct store *store, struct outcome_metric *metric, struct arena *arena,
                            struct outcome *outcomes, size_t n, struct gb_error *error)
{
    const char *sql = metric_sql(metric->name);
    bool any = false;
    int32_t status = GB_OK;
    metric->unit = "";
    for (size_t i = 0; status == GB_OK && i < n; i++) {
        status = read_metric(store, sql, metric, arena, &outcomes[i], error);
        outcomes[i].low_ns = outcomes[i].high_ns = NAN;
        outcomes[i].step_ns = 0;
        any |= !isnan(outcomes[i].value);
    }
    metric->is_better_if_higher = text_ends_with(metric->unit, "/s");
    if (status == GB_OK && !any)
        return error_set(error, GB_NOT_FOUND,
                         "%s: no case has a metric '%s': expected one that a plugin reported, or a "
                         "column such as min_ns, p99_ns, flops, registers",
                         store->path, metric->name);
    return status;
}

int32_t store_outcomes(struct store *store, int64_t run_id, struct outcome_metric *metric,
                       struct arena *arena, struct outcome **ret, size_t *ret_n,
                       struct gb_error *error)
{
    sqlite3_stmt *select = store_statement_on(store, SELECT_OUTCOMES, run_id, error);
    if (!select)
        return store_failure(error);
    struct outcome *outcomes = NULL;
    size_t n = 0;
    int code;
    while ((code = sqlite3_step(select)) == SQLITE_ROW) {
        struct outcome *outcome = ARENA_ADD(arena, outcomes, n);
        take_outcome(select, run_id, arena, outcome);
    }
    int32_t status = store_end_rows(store, select, code, error);
    if (status == GB_OK)
        status = read_all_parameters(store, arena, outcomes, n, error);
    if (!*metric->name)
        metric->unit = "ns";
    else if (status == GB_OK)
        status = read_metrics(store, metric, arena, outcomes, n, error);
    *ret = outcomes;
    *ret_n = n;
    return status;
}
