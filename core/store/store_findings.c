/* store_findings.c - see store_case.h: what belongs to a case beside its row and its samples. */
#include "core/store/store_case.h"
#include "core/store/store_schema.h"

#include <math.h>

int32_t case_write_parameters(struct store *store, int64_t case_id,
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

int32_t case_write_findings(struct store *store, int64_t case_id, const struct case_record *record,
                            struct gb_error *error)
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
    return status == GB_OK ? write_telemetry(store, case_id, record, error) : status;
}
