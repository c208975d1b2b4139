/* store_read_case.c - see store_read.h: one case out of the file. */
#include "core/store/store_case.h"
#include "core/store/store_read.h"
#include "core/store/store_schema.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The members of a parameter's value that follow from those stored. */
static void complete_value(struct value *value)
{
    if (value->type == GB_TYPE_INT)
        value->integer = strtoll(value->text, NULL, 10);
    else if (value->type == GB_TYPE_BOOL)
        value->integer = value->number != 0;
    else if (value->type == GB_TYPE_BYTES)
        value->bytes = strtoull(value->text, NULL, 10);
}

/* Likewise of a case. */
static void complete_case(struct stored_case *c)
{
    c->record.estimate.size = sizeof c->record.estimate;
    c->record.work.size = sizeof c->record.work;
    c->summary.n = isnan(c->summary.median) ? 0 : c->record.n_samples;
}

static void read_checks(struct row_reader *reader, struct stored_case *c)
{
    struct case_record *record = &c->record;
    size_t n_classes = 0;
    record->checks = rows_read(reader, TABLE_CHECK, c->id, &record->n_checks);
    struct check_summary_record *summaries = rows_read(reader, TABLE_CHECK_SUMMARY, c->id,
                                                       &record->n_summaries);
    const struct histogram_row *rows = rows_read(reader, TABLE_CHECK_HISTOGRAM, c->id, &n_classes);
    for (size_t i = 0; i < n_classes; i++)
        if (rows[i].ordinal < record->n_summaries && rows[i].class < VERIFY_CLASSES) {
            summaries[rows[i].ordinal].histogram[rows[i].class] = rows[i].count;
            summaries[rows[i].ordinal].above_floor[rows[i].class] = rows[i].above_floor;
        }
    record->summaries = summaries;
    record->worst = rows_read(reader, TABLE_CHECK_WORST, c->id, &record->n_worst);
}

static void read_modes(struct row_reader *reader, int64_t case_id, struct gb_estimate *ret)
{
    size_t n = 0;
    const struct gb_mode *modes = rows_read(reader, TABLE_MODE, case_id, &n);
    for (size_t i = 0; i < n && i < GB_MODES_MAX; i++)
        ret->modes[ret->n_modes++] = modes[i];
}

static void read_series(struct row_reader *reader, int64_t case_id, struct case_record *ret)
{
    const struct series_row *rows = rows_read(reader, TABLE_SERIES, case_id, &ret->n_series);
    struct series_record *series = ARENA_ARRAY(reader->arena, struct series_record,
                                               ret->n_series + 1);
    for (size_t i = 0; i < ret->n_series; i++)
        series[i] = rows[i].record;
    ret->series = series;
}

static void read_telemetry(struct row_reader *reader, int64_t case_id,
                           struct telemetry_record ret[TELEMETRY_MOMENTS])
{
    size_t n = 0;
    const struct telemetry_row *rows = rows_read(reader, TABLE_TELEMETRY, case_id, &n);
    for (size_t i = 0; i < n; i++) {
        int at = 0;
        while (at < TELEMETRY_MOMENTS && !text_equal(rows[i].moment, telemetry_moments[at]))
            at++;
        if (at == TELEMETRY_MOMENTS)
            continue; /* of a later version */
        struct telemetry_record *moment = &ret[at];
        *moment = rows[i].record;
        moment->is_known = true;
        moment->values.size = sizeof moment->values;
    }
}

static int32_t read_row(struct store *store, int64_t case_id, struct arena *arena,
                        struct stored_case *ret, struct gb_error *error)
{
    sqlite3_stmt *select = table_statement(store, TABLE_CASE, SQL_SELECT, error);
    if (!select || !store_bind_integer(store, select, 1, case_id, error))
        return store_failure(error);
    int code = sqlite3_step(select);
    if (code != SQLITE_ROW) {
        int32_t status = store_end_rows(store, select, code, error);
        return status == GB_OK ? error_set(error, GB_NOT_FOUND, "%s: has no case %lld", store->path,
                                           (long long)case_id)
                               : status;
    }
    row_take(&store->schema->tables[TABLE_CASE], select, arena, ret);
    sqlite3_reset(select);
    return GB_OK;
}

int32_t store_case_read(struct store *store, int64_t case_id, struct arena *arena,
                        struct stored_case *ret, struct gb_error *error)
{
    int32_t status = read_row(store, case_id, arena, ret, error);
    if (status == GB_OK)
        status = samples_check(store, ret, error);
    if (status != GB_OK)
        return status;
    struct row_reader reader = {store, arena, error, GB_OK};
    struct case_record *record = &ret->record;
    complete_case(ret);
    ret->parameters = rows_read(&reader, TABLE_PARAMETER, case_id, &ret->n_parameters);
    for (size_t i = 0; i < ret->n_parameters; i++)
        complete_value(&ret->parameters[i].value);
    record->metrics = rows_read(&reader, TABLE_METRIC, case_id, &record->n_metrics);
    record->messages = rows_read(&reader, TABLE_MESSAGE, case_id, &record->n_messages);
    record->activities = rows_read(&reader, TABLE_ACTIVITY, case_id, &record->n_activities);
    read_series(&reader, case_id, record);
    read_checks(&reader, ret);
    read_modes(&reader, case_id, &record->estimate);
    read_telemetry(&reader, case_id, record->telemetry);
    return reader.status;
}

const char *launched_word(const struct stored_case *c)
{
    bool is_known = *c->record.launched || text_equal(c->launch, launch_word(GB_LAUNCH_AUTO));
    return is_known ? c->record.launched : c->launch; /* of a file that did not say more */
}

bool estimate_is_central(const struct case_record *record)
{
    const char *statistic = record->estimate.statistic;
    return record->has_estimate && (text_equal(statistic, "median") ||
                                    (record->is_dithered && text_equal(statistic, "mean")));
}

double central_ns(const struct stored_case *c)
{
    const double value_ns = c->record.estimate.value_ns;
    bool is_known = estimate_is_central(&c->record) && isfinite(value_ns) && value_ns > 0;
    return is_known ? value_ns : c->summary.median;
}
