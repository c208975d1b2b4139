/* store_findings.c - see store_case.h: what belongs to a case beside its row and its samples. */
#include "core/store/store_case.h"

#include <math.h>

static const char *type_word(uint32_t type)
{
    static const char *const words[] = {"",       "int",    "float", "bool",
                                        "string", "choice", "bytes", "duration"};
    return type < sizeof words / sizeof *words ? words[type] : "string";
}

static int32_t delete_parameters(struct store *store, int64_t case_id, struct gb_error *error)
{
    sqlite3_stmt *statement = store_statement(store, "DELETE FROM parameter WHERE case_id = ?",
                                              error);
    int at = 0;
    bind_integer(statement, &at, case_id);
    return store_finish(store, statement, error);
}

int32_t case_write_parameters(struct store *store, int64_t case_id,
                              const struct bench_case *bench_case, struct gb_error *error)
{
    int32_t status = delete_parameters(store, case_id, error);
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

int32_t case_write_findings(struct store *store, int64_t case_id, const struct case_record *record,
                            struct gb_error *error)
{
    static int32_t (*const parts[])(struct store *, int64_t, const struct case_record *,
                                    struct gb_error *) = {
        write_metrics, write_checks, write_summaries, write_modes, write_messages, write_telemetry};
    int32_t status = GB_OK;
    for (size_t i = 0; status == GB_OK && i < sizeof parts / sizeof *parts; i++)
        status = parts[i](store, case_id, record, error);
    return status;
}
