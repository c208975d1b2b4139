/* store_outcomes.c - see store_outcomes.h. One pass over bench_case; parameters once for a case. */
#include "core/store/store_outcomes.h"

#include "core/base/members.h"
#include "core/store/store_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What central_ns of store_read.h gives. */
#define CENTRAL_NS                                                                                 \
    "CASE WHEN estimate_ns > 0 AND estimate_ns < 9e999 AND (statistic = 'median' OR (dithered AND" \
    " statistic = 'mean')) THEN estimate_ns ELSE median_ns END"

#define STEP_NS "CASE WHEN dithered THEN 0 ELSE tick_ns / max(iterations, 1) END"
#define BEGUN_NS "(julianday(c.started) - 2440587.5) * 86400e9"
#define FIXED_NS STEP_NS " + coalesce(offset_error_ns, 0) / max(iterations, 1)"

/* X(member of struct outcome, SQL of a bench_case, words or NULL) */
#define OUTCOME_MAP(X)                                                                             \
    X(id, "c.id", NULL)                                                                            \
    X(run_id, "run_id", NULL)                                                                      \
    X(device_id, "coalesce(device_id, 0)", NULL)                                                   \
    X(uid, "uid", NULL)                                                                            \
    X(bench, "bench", NULL)                                                                        \
    X(plugin, "plugin", NULL)                                                                      \
    X(plugin_sha256, "plugin_sha256", NULL)                                                        \
    X(policy, "policy", NULL)                                                                      \
    X(device_name, "device_name", NULL)                                                            \
    X(cache, "cache", NULL)                                                                        \
    X(launch, "launch", NULL)                                                                      \
    X(pace, "pace", NULL)                                                                          \
    X(environment, "environment", NULL)                                                            \
    X(clock, "clock", NULL)                                                                        \
    X(device_index, "device_index", NULL)                                                          \
    X(round, "round", NULL)                                                                        \
    X(pid, "pid", NULL)                                                                            \
    X(position, "position", NULL)                                                                  \
    X(status, "status", &statuses)                                                                 \
    X(status_text, "status_text", NULL)                                                            \
    X(value, CENTRAL_NS, NULL)                                                                     \
    X(low_ns, "low_ns", NULL)                                                                      \
    X(high_ns, "high_ns", NULL)                                                                    \
    X(step_ns, STEP_NS, NULL)                                                                      \
    X(verdict, "verdict", &verdicts)                                                               \
    X(precision, "precision", NULL)                                                                \
    X(confidence, "confidence", NULL)                                                              \
    X(fixed_ns, FIXED_NS, NULL)                                                                    \
    X(n_samples, "n_samples", NULL)                                                                \
    X(n_throttled, "n_throttled", NULL)                                                            \
    X(begun_ns, BEGUN_NS, NULL)                                                                    \
    X(sampled_ns, "sampled_ns", NULL)                                                              \
    X(others_cpu_ns, "others_cpu_ns", NULL)

static const struct stored_words statuses = {case_status_word, case_status_named};
static const struct stored_words verdicts = {verdict_words, verdict_named};
#define ROW struct outcome
#define OUTCOME_COLUMN(member, sql, its_words)                                                     \
    COLUMN(member, sql, 1, member, NULL, .words = its_words),
static const struct stored_column outcome_columns[] = {OUTCOME_MAP(OUTCOME_COLUMN)};
static const struct stored_table outcome_table = {.columns = outcome_columns,
                                                  .n_columns = sizeof outcome_columns /
                                                               sizeof *outcome_columns,
                                                  .row_bytes = sizeof(ROW)};
#undef OUTCOME_COLUMN
#undef ROW

#define OUTCOME_SQL(member, sql, its_words) sql ", "
static const char select_outcomes[] = "SELECT " OUTCOME_MAP(
    OUTCOME_SQL) "NULL FROM bench_case AS c WHERE run_id = ? AND " STORE_IS_LATEST
                 " ORDER BY sequence, started, uuid";
#undef OUTCOME_SQL

static int32_t read_parameters(struct store *store, struct arena *arena, struct outcome *ret,
                               struct gb_error *error)
{
    struct query select = query_begin(store, error,
                                      "SELECT name, value, is_axis, is_identity FROM parameter "
                                      "WHERE case_id = ? ORDER BY ordinal",
                                      "i", ret->id);
    struct outcome_parameter *parameters = NULL;
    while (query_next(&select))
        ARENA_APPEND(arena, parameters, ret->n_parameters,
                     (struct outcome_parameter){.name = row_text(select.row, 0, arena),
                                                .value = row_text(select.row, 1, arena),
                                                .is_axis = sqlite3_column_int(select.row, 2),
                                                .is_identity = sqlite3_column_int(select.row, 3)});
    ret->parameters = parameters;
    return query_end(&select);
}

/* Records of one benchmark at one place of its sweep have the same parameters. */
ORDER_BY(compare_places, struct outcome *const, ORDER_OF((*x)->position, (*y)->position),
         strcmp((*x)->bench, (*y)->bench), strcmp((*x)->uid, (*y)->uid))

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
    const size_t n = sizeof known_metrics / sizeof *known_metrics;
    const size_t i = text_index(TEXTS_OF(known_metrics, n, name), name);
    return i < n
               ? known_metrics[i].sql
               : "SELECT value, unit FROM metric WHERE case_id = ?1 AND name = ?2 ORDER BY ordinal";
}

static int32_t read_metric(struct store *store, const char *sql, struct outcome_metric *metric,
                           struct arena *arena, struct outcome *ret, struct gb_error *error)
{
    struct query select = query_begin(store, error, sql, strstr(sql, "?2") ? "it" : "i", ret->id,
                                      metric->name);
    ret->value = NAN;
    if (query_next(&select)) {
        ret->value = row_real(select.row, 0);
        if (!*metric->unit)
            metric->unit = row_text(select.row, 1, arena);
    }
    return query_end(&select);
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
    struct query select = query_begin(store, error, select_outcomes, "i", run_id);
    struct outcome *outcomes = NULL;
    struct known_texts known = {0};
    size_t n = 0;
    while (query_next(&select)) {
        struct outcome *outcome = ARENA_ADD(arena, outcomes, n);
        row_take(&outcome_table, select.row, &known, arena, outcome);
        outcome->status = outcome->status < 0 ? CASE_FAILED : outcome->status;
        outcome->step_ns = outcome->step_ns > 0 ? outcome->step_ns : 0;
    }
    int32_t status = query_end(&select);
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
