/* store_read_case.c - see store_read.h: one case out of the file. */
#include "core/store/roofline.h"
#include "core/store/store_internal.h"
#include "core/store/store_read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t type_of_word(const char *word)
{
    static const struct {
        const char *word;
        uint32_t type;
    } types[] = {{"int", GB_TYPE_INT},          {"float", GB_TYPE_FLOAT},
                 {"bool", GB_TYPE_BOOL},        {"choice", GB_TYPE_CHOICE},
                 {"bytes", GB_TYPE_BYTES},      {"string", GB_TYPE_STRING},
                 {"duration", GB_TYPE_DURATION}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (text_equal(types[i].word, word))
            return types[i].type;
    return GB_TYPE_STRING;
}

static int32_t verdict_of_word(const char *word)
{
#define VERDICT_OF(name, value, words)                                                             \
    if (text_equal(word, words))                                                                   \
        return value;
    GB_VERDICT_MAP(VERDICT_OF)
#undef VERDICT_OF
    return GB_VERDICT_NONE;
}

/* Each of these takes row i of its table; the case's arrays have room. */
static void take_parameter(sqlite3_stmt *row, struct arena *arena, void *item)
{
    struct parameter *parameter = item;
    struct value *value = &parameter->value;
    const char *type = (const char *)sqlite3_column_text(row, 3);
    parameter->name = column_text(row, 0, arena);
    value->text = column_text(row, 1, arena);
    value->number = column_real(row, 2);
    value->type = type_of_word(type ? type : "");
    if (value->type == GB_TYPE_INT)
        value->integer = strtoll(value->text, NULL, 10);
    else if (value->type == GB_TYPE_BOOL)
        value->integer = value->number != 0;
    else if (value->type == GB_TYPE_BYTES)
        value->bytes = strtoull(value->text, NULL, 10);
    parameter->is_axis = sqlite3_column_int(row, 4);
    parameter->is_default = sqlite3_column_int(row, 5);
    parameter->is_variable = sqlite3_column_int(row, 6);
    parameter->is_identity = sqlite3_column_int(row, 7);
}

static void take_metric(sqlite3_stmt *row, struct arena *arena, void *item)
{
    *(struct metric_record *)item = (struct metric_record){
        column_text(row, 0, arena), column_real(row, 1), column_text(row, 2, arena)};
}

static void take_check(sqlite3_stmt *row, struct arena *arena, void *item)
{
    *(struct check_record *)item = (struct check_record){
        .name = column_text(row, 0, arena),
        .metric = column_text(row, 1, arena),
        .value = column_real(row, 2),
        .tolerance = column_real(row, 3),
        .passed = sqlite3_column_int(row, 4),
        .index = (uint64_t)sqlite3_column_int64(row, 5),
        .reference = column_real(row, 6),
        .output = column_real(row, 7),
        .text = column_text(row, 8, arena)};
}

static void take_summary(sqlite3_stmt *row, struct arena *arena, void *item)
{
    *(struct check_summary_record *)item = (struct check_summary_record){
        .name = column_text(row, 0, arena),
        .n = (uint64_t)sqlite3_column_int64(row, 1),
        .n_exact = (uint64_t)sqlite3_column_int64(row, 2),
        .n_overflowed = (uint64_t)sqlite3_column_int64(row, 3),
        .n_nan = (uint64_t)sqlite3_column_int64(row, 4),
        .n_infinite_mismatch = (uint64_t)sqlite3_column_int64(row, 5),
        .n_zero_mismatch = (uint64_t)sqlite3_column_int64(row, 6)};
}

/* A class of one histogram. */
struct histogram_row {
    int64_t ordinal, class, count;
};

static void take_class(sqlite3_stmt *row, struct arena *arena, void *item)
{
    (void)arena;
    *(struct histogram_row *)item = (struct histogram_row){
        sqlite3_column_int64(row, 0), sqlite3_column_int64(row, 1), sqlite3_column_int64(row, 2)};
}

/* Into the summaries that they belong to. */
static void place_histograms(const struct histogram_row *rows, size_t n,
                             struct check_summary_record *summaries, size_t n_summaries)
{
    for (size_t i = 0; i < n; i++)
        if (rows[i].ordinal >= 0 && (uint64_t)rows[i].ordinal < n_summaries && rows[i].class >= 0 &&
            rows[i].class < VERIFY_CLASSES)
            summaries[rows[i].ordinal].histogram[rows[i].class] = (uint64_t)rows[i].count;
}

static void take_message(sqlite3_stmt *row, struct arena *arena, void *item)
{
    *(struct message_record *)item = (struct message_record){sqlite3_column_int(row, 0),
                                                             column_text(row, 1, arena)};
}

/* A case has the two moments at most; take_parts puts them in their places. */
struct telemetry_row {
    bool is_end;
    struct telemetry_record record;
};

static void take_telemetry(sqlite3_stmt *row, struct arena *arena, void *item)
{
    struct telemetry_row *telemetry = item;
    const char *text = column_text(row, 9, arena);
    telemetry->is_end = text_equal(column_text(row, 0, arena), STORE_MOMENT_END);
    telemetry->record = (struct telemetry_record){
        .is_known = true,
        .elapsed_ns = column_real(row, 1),
        .iterations = (uint64_t)sqlite3_column_int64(row, 2),
        .values = {.size = sizeof telemetry->record.values,
                   .clock_hz = column_real(row, 3),
                   .memory_clock_hz = column_real(row, 4),
                   .temperature_celsius = column_real(row, 5),
                   .power_watts = column_real(row, 6),
                   .energy_joules = column_real(row, 7),
                   .throttle = (uint64_t)sqlite3_column_int64(row, 8)}};
    snprintf(telemetry->record.values.throttle_text, sizeof telemetry->record.values.throttle_text,
             "%s", text);
}

static void take_mode(sqlite3_stmt *row, struct arena *arena, void *item)
{
    (void)arena;
    *(struct gb_mode *)item = (struct gb_mode){column_real(row, 0), column_real(row, 1),
                                               column_real(row, 2), column_real(row, 3)};
}

/* All rows of a table that belong to a case, as an array in the arena. */
static int32_t take_rows(struct store *store, const char *sql, int64_t case_id, struct arena *arena,
                         void (*take)(sqlite3_stmt *, struct arena *, void *), size_t bytes,
                         void **ret, size_t *ret_n, struct gb_error *error)
{
    sqlite3_stmt *select = store_statement(store, sql, error);
    if (!select)
        return error ? error->status : GB_FAILED;
    int at = 0, code;
    bind_integer(select, &at, case_id);
    char *items = NULL;
    size_t n = 0;
    while ((code = sqlite3_step(select)) == SQLITE_ROW) {
        items = arena_grow(arena, items, n, bytes);
        take(select, arena, items + n++ * bytes);
    }
    int32_t status = code == SQLITE_DONE ? GB_OK : store_error(store, error);
    sqlite3_reset(select);
    *ret = items;
    *ret_n = n;
    return status;
}

static int32_t take_parts(struct store *store, struct arena *arena, struct stored_case *ret,
                          struct gb_error *error)
{
    void *parameters = NULL, *metrics = NULL, *checks = NULL, *messages = NULL, *modes = NULL;
    void *telemetry = NULL, *summaries = NULL, *classes = NULL;
    size_t n_modes = 0, n_telemetry = 0, n_classes = 0;
    struct case_record *record = &ret->record;
    const struct {
        const char *sql;
        void (*take)(sqlite3_stmt *, struct arena *, void *);
        size_t bytes;
        void **items;
        size_t *n;
    } parts[] = {
        {"SELECT name, value, number, type, is_axis, is_default, is_variable, is_identity"
         " FROM parameter WHERE case_id = ? ORDER BY ordinal",
         take_parameter, sizeof(struct parameter), &parameters, &ret->n_parameters},
        {"SELECT name, value, unit FROM metric WHERE case_id = ? ORDER BY ordinal", take_metric,
         sizeof(struct metric_record), &metrics, &record->n_metrics},
        {"SELECT name, metric, value, tolerance, passed, element, reference, output, text"
         " FROM check_result WHERE case_id = ? ORDER BY ordinal",
         take_check, sizeof(struct check_record), &checks, &record->n_checks},
        {"SELECT name, n, n_exact, n_overflowed, n_nan, n_infinite_mismatch, n_zero_mismatch"
         " FROM check_summary WHERE case_id = ? ORDER BY ordinal",
         take_summary, sizeof(struct check_summary_record), &summaries, &record->n_summaries},
        {"SELECT ordinal, class, count FROM check_histogram WHERE case_id = ?", take_class,
         sizeof(struct histogram_row), &classes, &n_classes},
        {"SELECT severity, text FROM message WHERE case_id = ? ORDER BY ordinal", take_message,
         sizeof(struct message_record), &messages, &record->n_messages},
        {"SELECT median_ns, low_ns, high_ns, weight FROM mode WHERE case_id = ? ORDER BY ordinal",
         take_mode, sizeof(struct gb_mode), &modes, &n_modes},
        {"SELECT moment, elapsed_ns, iterations, clock_hz, memory_clock_hz, temperature_celsius,"
         " power_watts, energy_joules, throttle, throttle_text FROM telemetry WHERE case_id = ?",
         take_telemetry, sizeof(struct telemetry_row), &telemetry, &n_telemetry},
    };
    int32_t status = GB_OK;
    for (size_t i = 0; status == GB_OK && i < sizeof parts / sizeof *parts; i++)
        status = take_rows(store, parts[i].sql, ret->id, arena, parts[i].take, parts[i].bytes,
                           parts[i].items, parts[i].n, error);
    ret->parameters = parameters;
    record->metrics = metrics;
    record->checks = checks;
    record->summaries = summaries;
    place_histograms(classes, n_classes, summaries, record->n_summaries);
    record->messages = messages;
    for (size_t i = 0; modes && i < n_modes && i < GB_MODES_MAX; i++)
        record->estimate.modes[record->estimate.n_modes++] = ((struct gb_mode *)modes)[i];
    for (size_t i = 0; telemetry && i < n_telemetry; i++) {
        const struct telemetry_row *row = &((struct telemetry_row *)telemetry)[i];
        record->telemetry[row->is_end ? TELEMETRY_END : TELEMETRY_BEGIN] = row->record;
    }
    return status;
}

/* The columns of the row are taken one after the other, as listed in the statement. */
struct taker {
    sqlite3_stmt *row;
    struct arena *arena;
    int column;
};

static const char *next_text(struct taker *taker)
{
    return column_text(taker->row, taker->column++, taker->arena);
}

static int64_t next_integer(struct taker *taker)
{
    return sqlite3_column_int64(taker->row, taker->column++);
}

static double next_real(struct taker *taker)
{
    return column_real(taker->row, taker->column++);
}

static void take_place(struct taker *taker, struct stored_case *ret)
{
    struct case_record *record = &ret->record;
    ret->id = next_integer(taker);
    ret->run_id = next_integer(taker);
    snprintf(record->uuid, sizeof record->uuid, "%s", next_text(taker));
    snprintf(record->uid, sizeof record->uid, "%s", next_text(taker));
    ret->bench = next_text(taker);
    ret->plugin = next_text(taker);
    ret->plugin_version = next_text(taker);
    ret->position = (uint64_t)next_integer(taker);
    record->sequence = (uint64_t)next_integer(taker);
    record->round = (uint32_t)next_integer(taker);
    ret->policy = next_text(taker);
    ret->policy_plugin = next_text(taker);
    ret->policy_options = next_text(taker);
    record->device_id = next_integer(taker);
    ret->device_name = next_text(taker);
    ret->device_index = (int32_t)next_integer(taker);
    ret->cache = next_text(taker);
    ret->launch = next_text(taker);
    ret->environment = next_text(taker);
    ret->seed = next_integer(taker);
}

static void take_outcome(struct taker *taker, struct stored_case *ret)
{
    struct case_record *record = &ret->record;
    record->status = case_status_named(next_text(taker));
    record->status_text = next_text(taker);
    record->stop_reason = next_text(taker);
    record->clock = next_text(taker);
    record->iterations = (uint64_t)next_integer(taker);
    record->tick_ns = next_real(taker);
    record->overhead_ns = next_real(taker);
    record->started = next_text(taker);
    record->wall_ns = next_real(taker);
    record->n_samples = (uint64_t)next_integer(taker);
    record->n_lost = (uint64_t)next_integer(taker);
    ret->n_throttled = (uint64_t)next_integer(taker);
    struct summary *summary = &ret->summary;
    double *const values[] = {&summary->min,    &summary->max, &summary->mean, &summary->stdev,
                              &summary->median, &summary->q1,  &summary->q3,   &summary->p10,
                              &summary->p90,    &summary->p99};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        *values[i] = next_real(taker);
    summary->n = isnan(summary->median) ? 0 : record->n_samples;
    record->work.size = sizeof record->work;
    record->work.flops = next_real(taker);
    record->work.bytes_read = next_real(taker);
    record->work.bytes_written = next_real(taker);
    record->work.items = next_real(taker);
    record->work.item = next_text(taker);
    record->work.math_format = math_format_named(next_text(taker));
    record->work.math_unit = math_unit_named(next_text(taker));
}

static void take_estimate(struct taker *taker, struct case_record *record)
{
    struct gb_estimate *estimate = &record->estimate;
    record->has_estimate = sqlite3_column_type(taker->row, taker->column) != SQLITE_NULL;
    estimate->size = sizeof *estimate;
    estimate->verdict = verdict_of_word(next_text(taker));
    snprintf(estimate->statistic, sizeof estimate->statistic, "%s", next_text(taker));
    estimate->value_ns = next_real(taker);
    estimate->low_ns = next_real(taker);
    estimate->high_ns = next_real(taker);
    estimate->confidence = next_real(taker);
    estimate->n = (uint64_t)next_integer(taker);
    estimate->n_discarded = (uint64_t)next_integer(taker);
    estimate->n_effective = next_real(taker);
    estimate->excluded_mode_weight = next_real(taker);
}

int32_t store_case_read(struct store *store, int64_t case_id, struct arena *arena,
                        struct stored_case *ret, struct gb_error *error)
{
    sqlite3_stmt *select = store_statement(
        store,
        "SELECT id, run_id, uuid, uid, bench, plugin, plugin_version, position, sequence, round,"
        " policy, policy_plugin, policy_options, device_id, device_name, device_index, cache,"
        " launch, environment, seed,"
        " status, status_text, stop_reason, clock, iterations, tick_ns, overhead_ns, started,"
        " wall_ns, n_samples, n_lost, n_throttled, min_ns, max_ns, mean_ns, stdev_ns, median_ns,"
        " q1_ns, q3_ns, p10_ns, p90_ns, p99_ns, flops, bytes_read, bytes_written, items, item,"
        " math_format, math_unit, verdict, statistic, estimate_ns, low_ns, high_ns, confidence, "
        "n_observed, n_discarded,"
        " n_effective, excluded_mode_weight FROM bench_case WHERE id = ?",
        error);
    if (!select)
        return error ? error->status : GB_FAILED;
    int at = 0;
    bind_integer(select, &at, case_id);
    int code = sqlite3_step(select);
    if (code != SQLITE_ROW) {
        int32_t status = code == SQLITE_DONE
                             ? error_set(error, GB_NOT_FOUND, "%s: has no case %lld", store->path,
                                         (long long)case_id)
                             : store_error(store, error);
        sqlite3_reset(select);
        return status;
    }
    *ret = (struct stored_case){0};
    struct taker taker = {select, arena, 0};
    take_place(&taker, ret);
    take_outcome(&taker, ret);
    take_estimate(&taker, &ret->record);
    sqlite3_reset(select);
    return take_parts(store, arena, ret, error);
}

double central_ns(const struct stored_case *c)
{
    const struct gb_estimate *estimate = &c->record.estimate;
    bool estimated = c->record.has_estimate && text_equal(estimate->statistic, "median") &&
                     isfinite(estimate->value_ns) && estimate->value_ns > 0;
    return estimated ? estimate->value_ns : c->summary.median;
}
