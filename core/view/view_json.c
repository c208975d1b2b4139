/* view_json.c - JSON: one object, or one a line. */
#include "core/base/json_writer.h"
#include "core/view/view_writers.h"

#include <math.h>
#include <stdlib.h>

static const struct json_member module_members[] = {
    JSON_MEMBERS(struct module_record, kind, id, version, path, sha256)};
static const struct json_member run_members[] = {
    JSON_MEMBERS(struct run_record, uuid, started, finished),
    JSON_MEMBER_AS("gbrun_version", struct run_record, version),
    JSON_MEMBERS(struct run_record, command_line, config_path, config_folder, config, config_sha256,
                 seed, n_cases)};
static const struct json_member device_members[] = {
    JSON_MEMBERS(struct device_record, plugin, name),
    JSON_MEMBER_AS("number", struct device_record, index),
    JSON_MEMBERS(struct device_record, model, uuid)};
static const struct json_member clock_members[] = {
    JSON_MEMBERS(struct clock_record, name, tick_ns, overhead_ns)};
static const struct json_member metric_members[] = {
    JSON_MEMBERS(struct metric_record, name, value, unit)};
static const struct json_member check_members[] = {JSON_MEMBERS(struct check_record, name, metric,
                                                                value, tolerance, passed, index,
                                                                reference, output),
                                                   JSON_MEMBERS(struct check_record, text)};
static const struct json_member summary_members[] = {
    JSON_MEMBERS(struct check_summary_record, name, n, n_exact, n_overflowed, n_nan,
                 n_infinite_mismatch, n_zero_mismatch, floor)};
static const struct json_member series_members[] = {
    JSON_MEMBERS(struct series_record, name, unit, n, n_refused, min, max, mean, stdev),
    JSON_MEMBERS(struct series_record, error_ratio)};
static const struct json_member quantile_members[] = {
    JSON_MEMBERS(struct series_quantile, value, low, high)};
static const struct json_member worst_members[] = {
    JSON_MEMBERS(struct worst_record, name, index, reference, output, ulps)};
static const struct json_member phases_members[] = {JSON_MEMBERS(
    struct phases_record, open_ns, prepare_ns, warmup_ns, measure_ns, count_ns, verify_ns)};
static const struct json_member message_members[] = {
    JSON_MEMBERS(struct message_record, severity, text)};
static const struct json_member activity_members[] = {
    JSON_MEMBER_AS("grid_x", struct gb_activity, grid[0]),
    JSON_MEMBER_AS("grid_y", struct gb_activity, grid[1]),
    JSON_MEMBER_AS("grid_z", struct gb_activity, grid[2]),
    JSON_MEMBER_AS("block_x", struct gb_activity, block[0]),
    JSON_MEMBER_AS("block_y", struct gb_activity, block[1]),
    JSON_MEMBER_AS("block_z", struct gb_activity, block[2]),
    JSON_MEMBERS(struct gb_activity, registers, shared_bytes, bytes, occupancy, parallel, time_ns,
                 low_ns, high_ns),
    JSON_MEMBERS(struct gb_activity, gap_ns)};
static const struct json_member telemetry_members[] = {
    JSON_MEMBERS(struct telemetry_record, elapsed_ns, iterations),
    JSON_MEMBER_AS("clock_hz", struct telemetry_record, values.clock_hz),
    JSON_MEMBER_AS("memory_clock_hz", struct telemetry_record, values.memory_clock_hz),
    JSON_MEMBER_AS("temperature_celsius", struct telemetry_record, values.temperature_celsius),
    JSON_MEMBER_AS("power_watts", struct telemetry_record, values.power_watts),
    JSON_MEMBER_AS("energy_joules", struct telemetry_record, values.energy_joules),
    JSON_MEMBER_AS("throttle", struct telemetry_record, values.throttle),
    JSON_MEMBER_AS("throttle_text", struct telemetry_record, values.throttle_text)};

static const struct json_member sentinel_members[] = {
    JSON_MEMBERS(struct sentinel_record, at, version, time_ns)};

static void add_facts(struct json_writer *json, const struct fact *facts, size_t n)
{
    json_open(json, "facts", JSON_OBJECT);
    for (size_t i = 0; i < n; i++)
        json_text(json, facts[i].name, facts[i].value);
    json_close(json, JSON_OBJECT);
}

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define ADD_MEMBERS(json, members, record) json_members(json, members, COUNT(members), record)
#define ADD_OBJECT(json, name, members, record)                                                    \
    (json_open(json, name, JSON_OBJECT), ADD_MEMBERS(json, members, record),                       \
     json_close(json, JSON_OBJECT))
#define ADD_RECORDS(json, name, items, n, members)                                                 \
    json_records(json, name, items, n, sizeof *(items), members, COUNT(members))

static int32_t add_runs(struct view *view, struct json_writer *json, struct gb_error *error)
{
    int32_t status = GB_OK;
    json_open(json, "runs", JSON_ARRAY);
    for (size_t i = 0; status == GB_OK && i < view->n_runs; i++) {
        const struct run_record *run = &view->runs[i].record;
        json_row(json);
        json_integer(json, "run", view->runs[i].number);
        ADD_MEMBERS(json, run_members, run);
        add_facts(json, run->facts, run->n_facts);
        struct module_record *modules = NULL;
        size_t n = 0;
        status = store_modules(view->store, view->runs[i].id, &view->arena, &modules, &n, error);
        ADD_RECORDS(json, "modules", modules, status == GB_OK ? n : 0, module_members);
        json_close(json, JSON_OBJECT);
    }
    json_close(json, JSON_ARRAY);
    return status;
}

static void add_device(struct json_writer *json, const struct stored_run *run,
                       const struct device_record *device)
{
    json_row(json);
    json_integer(json, "run", run->number);
    ADD_MEMBERS(json, device_members, device);
    ADD_RECORDS(json, "clocks", device->clocks, device->n_clocks, clock_members);
    add_facts(json, device->facts, device->n_facts);
    json_close(json, JSON_OBJECT);
}

static void add_histogram(struct json_writer *json, const struct check_summary_record *summary)
{
    json_open(json, "histogram", JSON_ARRAY);
    for (int i = 0; i < VERIFY_CLASSES; i++)
        json_object(json, NULL,
                    VALUES(TEXT("label", verify_class_name(i)),
                           INTEGER("count", summary->histogram[i]),
                           INTEGER("above_floor", summary->above_floor[i])));
    json_close(json, JSON_ARRAY);
}

static void add_summaries(struct json_writer *json, const struct case_record *record)
{
    json_open(json, "comparisons", JSON_ARRAY);
    for (size_t i = 0; i < record->n_summaries; i++) {
        const struct check_summary_record *summary = &record->summaries[i];
        json_open(json, NULL, JSON_OBJECT);
        ADD_MEMBERS(json, summary_members, summary);
        add_histogram(json, summary);
        json_close(json, JSON_OBJECT);
    }
    json_close(json, JSON_ARRAY);
}

static const char *const moments[TELEMETRY_MOMENTS] = {"begin", "end", "before"};

static void add_telemetry(struct json_writer *json, const struct case_record *record)
{
    json_open(json, "telemetry", JSON_OBJECT);
    for (size_t i = 0; i < TELEMETRY_MOMENTS; i++)
        if (record->telemetry[i].is_known)
            ADD_OBJECT(json, moments[i], telemetry_members, &record->telemetry[i]);
    json_close(json, JSON_OBJECT);
}

static void add_sentinel(struct json_writer *json, const struct case_record *record)
{
    json_open(json, "sentinel", JSON_OBJECT);
    for (size_t i = 0; i < SENTINEL_MOMENTS; i++)
        if (*record->sentinel[i].at)
            ADD_OBJECT(json, moments[i], sentinel_members, &record->sentinel[i]);
    json_close(json, JSON_OBJECT);
}

static void add_activities(struct json_writer *json, const struct case_record *record)
{
    json_open(json, "activities", JSON_ARRAY);
    for (size_t i = 0; i < record->n_activities; i++) {
        json_open(json, NULL, JSON_OBJECT);
        json_values(json, VALUES(TEXT("kind", activity_word((int32_t)record->activities[i].kind)),
                                 TEXT("name", record->activities[i].name)));
        ADD_MEMBERS(json, activity_members, &record->activities[i]);
        json_close(json, JSON_OBJECT);
    }
    json_close(json, JSON_ARRAY);
}

static const struct json_member mode_members[] = {
    JSON_MEMBERS(struct gb_mode, median_ns, low_ns, high_ns, weight)};

void json_modes(struct json_writer *json, const struct gb_estimate *estimate)
{
    ADD_RECORDS(json, "modes", estimate->modes, estimate->n_modes, mode_members);
}

static bool is_shown(const struct survey *survey, const char *name)
{
    const struct survey_parameter known = survey_of(survey, NULL, name);
    return survey_shows(&known);
}

/* shown: only those that differ among the cases that this survey is of; NULL: all. */
static void add_parameters(struct json_writer *json, const struct stored_case *c,
                           const struct survey *shown)
{
    json_open(json, "parameters", JSON_OBJECT);
    for (size_t i = 0; i < c->n_parameters; i++) {
        if (shown && !is_shown(shown, c->parameters[i].name))
            continue;
        struct cell value = cell_of_parameter(&c->parameters[i]);
        json_cell(json, c->parameters[i].name, &value);
    }
    json_close(json, JSON_OBJECT);
}

/* Percentiles are objects, as each has an interval. */
static void add_series(struct json_writer *json, const struct case_record *record)
{
    json_open(json, "series", JSON_ARRAY);
    for (size_t i = 0; i < record->n_series; i++) {
        json_open(json, NULL, JSON_OBJECT);
        ADD_MEMBERS(json, series_members, &record->series[i]);
        for (size_t j = 0; j < SERIES_LEVELS; j++)
            ADD_OBJECT(json, series_levels[j].name, quantile_members,
                       &record->series[i].quantiles[j]);
        json_close(json, JSON_OBJECT);
    }
    json_close(json, JSON_ARRAY);
}

/* The members of a case. Result columns are members beside "parameters": here a parameter
 * cannot hide one. */
static void add_case(struct json_writer *json, const struct view_row *row, bool is_relative)
{
    const struct case_record *record = &row->c.record;
    struct view_row bare = *row; /* without parameters, which would win over result columns */
    bare.c.n_parameters = 0;
    for (size_t i = 0; i < result_columns(); i++) {
        if (i == RESULT_COLUMNS_BEFORE_PARAMETERS) {
            add_parameters(json, &row->c, NULL);
            json_open(json, "axes", JSON_ARRAY); /* names: the parameters object has all values */
            for (size_t j = 0; j < row->c.n_parameters; j++)
                if (row->c.parameters[j].is_axis)
                    json_text(json, NULL, row->c.parameters[j].name);
            json_close(json, JSON_ARRAY);
        }
        struct view_column column = result_column(i);
        struct cell cell = cell_of(&bare, &column);
        if (is_relative || !result_column_is_relative(i))
            json_cell(json, column.name, &cell);
    }
    ADD_RECORDS(json, "metrics", record->metrics, record->n_metrics, metric_members);
    add_series(json, record);
    ADD_RECORDS(json, "checks", record->checks, record->n_checks, check_members);
    add_summaries(json, record);
    ADD_RECORDS(json, "worst", record->worst, record->n_worst, worst_members);
    json_modes(json, &record->estimate);
    ADD_RECORDS(json, "messages", record->messages, record->n_messages, message_members);
    ADD_OBJECT(json, "phases", phases_members, &record->phases);
    add_telemetry(json, record);
    add_sentinel(json, record);
    add_activities(json, record);
}

static void add_columns(struct json_writer *json, const struct view_row *row,
                        const struct view_column *columns, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct cell cell = cell_of(row, &columns[i]);
        json_cell(json, columns[i].head, &cell);
    }
}

/* What all cases of an export share. */
struct case_writer {
    struct view *view;
    struct json_writer json;
    struct text text;
    FILE *file;
    struct view_column *columns; /* of --columns */
    size_t n_columns;
    double *values; /* as of view_read_samples */
    const char **names;
    size_t n_names;
};

static int32_t writer_open(struct case_writer *writer, struct view *view, FILE *file,
                           struct gb_error *error)
{
    *writer = (struct case_writer){.view = view, .file = file};
    int32_t status = GB_OK;
    if (view->options->columns)
        status = view_columns_asked(view, &writer->columns, &writer->n_columns, error);
    if (status == GB_OK && view->options->rows == ROWS_SAMPLE)
        status = sample_columns_of(view, &writer->names, &writer->n_names, error);
    writer->values = memory_allocate((writer->n_names + 1) * STORE_CHUNK * sizeof(double));
    return status;
}

static void writer_close(struct case_writer *writer)
{
    text_free(&writer->text);
    free(writer->values);
}

static void add_members(struct case_writer *writer, const struct view_row *row)
{
    if (writer->columns)
        add_columns(&writer->json, row, writer->columns, writer->n_columns);
    else
        add_case(&writer->json, row, writer->view->relatives != NULL);
}

/* One array for each column of the case. */
static int32_t add_sample_arrays(struct case_writer *writer, const struct view_row *row,
                                 struct gb_error *error)
{
    struct json_writer *json = &writer->json;
    CLEANUP(arena_free) struct arena arena = {0};
    CLEANUP(text_free) struct text head = {0};
    const char **names = NULL;
    size_t n_names = 0;
    int32_t status = store_column_names(writer->view->store, row->c.id, &arena, &names, &n_names,
                                        error);
    json_open(json, "samples", JSON_OBJECT);
    for (size_t i = 0; status == GB_OK && i < n_names; i++) {
        double missing = sample_missing(row, names[i]);
        uint64_t n_samples = row->c.record.n_samples;
        text_clear(&head);
        sample_column_head(names[i], &head);
        json_open(json, text_get(&head), JSON_ARRAY);
        for (uint64_t first = 0; status == GB_OK && first < n_samples; first += STORE_CHUNK) {
            uint64_t n = n_samples - first < STORE_CHUNK ? n_samples - first : STORE_CHUNK;
            status = store_samples_read(writer->view->store, row->c.id, names[i], first, n,
                                        writer->values, error);
            for (uint64_t j = 0; status == GB_OK && j < n; j++)
                json_real(json, NULL, isnan(writer->values[j]) ? missing : writer->values[j]);
            if (status == GB_OK)
                status = view_flush_if_long(&writer->text, writer->file, error);
        }
        json_close(json, JSON_ARRAY);
    }
    json_close(json, JSON_OBJECT);
    return status;
}

static int32_t add_cases(struct case_writer *writer, struct gb_error *error)
{
    struct view *view = writer->view;
    struct json_writer *json = &writer->json;
    int32_t status = GB_OK;
    json_open(json, "cases", JSON_ARRAY);
    for (struct view_cursor at = {.view = view}; view_next(&at, &status, error);) {
        json_row(json);
        add_members(writer, at.row);
        if (view->options->rows == ROWS_SAMPLE)
            status = add_sample_arrays(writer, at.row, error);
        json_close(json, JSON_OBJECT);
        if (status == GB_OK)
            status = view_flush_if_long(&writer->text, writer->file, error);
    }
    json_close(json, JSON_ARRAY);
    return status;
}

int32_t json_export(struct view *view, FILE *out, struct gb_error *error)
{
    struct case_writer writer;
    int32_t status = writer_open(&writer, view, out, error);
    writer.json.out = &writer.text;
    if (status == GB_OK) {
        json_open(&writer.json, NULL, JSON_OBJECT);
        json_text(&writer.json, "format", "gbrun results 1");
        status = add_runs(view, &writer.json, error);
        json_open(&writer.json, "devices", JSON_ARRAY);
        for (size_t i = 0; i < view->n_runs; i++)
            for (size_t j = 0; j < view->devices[i].n; j++)
                add_device(&writer.json, &view->runs[i], &view->devices[i].items[j].record);
        json_close(&writer.json, JSON_ARRAY);
    }
    if (status == GB_OK)
        status = add_cases(&writer, error);
    json_close(&writer.json, JSON_OBJECT);
    text_add(&writer.text, "\n");
    if (status == GB_OK)
        status = view_flush(&writer.text, out, error);
    writer_close(&writer);
    return status;
}

/* The members that tell a sample's case from the others. */
static void add_sample_place(const struct case_writer *writer, struct json_writer *json,
                             const struct view_row *row)
{
    if (writer->columns) {
        add_columns(json, row, writer->columns, writer->n_columns);
        return;
    }
    json_values(json,
                VALUES(INTEGER("run", row->run->number), TEXT("run_uuid", row->run->record.uuid),
                       TEXT("uuid", row->c.record.uuid), TEXT("uid", row->c.record.uid),
                       TEXT("bench", row->c.bench)));
    add_parameters(json, &row->c, &writer->view->survey);
    json_values(json, VALUES(TEXT("device", row->c.device_name), TEXT("policy", row->c.policy),
                             INTEGER("round", row->c.record.round),
                             TEXT("status", case_status_word(row->c.record.status))));
}

static int32_t add_sample_lines(struct case_writer *writer, const struct view_row *row,
                                struct gb_error *error)
{
    CLEANUP(text_free) struct text place = {0}, head = {0};
    struct json_writer *json = &writer->json;
    struct json_writer place_json = {.out = &place};
    add_sample_place(writer, &place_json, row);
    uint64_t n_samples = row->c.record.n_samples;
    int32_t status = GB_OK;
    for (uint64_t first = 0; status == GB_OK && first < n_samples; first += STORE_CHUNK) {
        uint64_t n = n_samples - first < STORE_CHUNK ? n_samples - first : STORE_CHUNK;
        status = view_read_samples(writer->view, row, writer->names, writer->n_names, first, n,
                                   writer->values, error);
        for (uint64_t i = 0; status == GB_OK && i < n; i++) {
            *json = (struct json_writer){.out = &writer->text};
            json_open(json, NULL, JSON_OBJECT);
            text_add(json->out, text_get(&place));
            json->needs_comma = place.length > 0;
            json_values(json,
                        VALUES(INTEGER("sample", first + i), REAL("time_ns", writer->values[i])));
            for (size_t j = 0; j < writer->n_names; j++) {
                text_clear(&head);
                sample_column_head(writer->names[j], &head);
                json_real(json, text_get(&head), writer->values[(j + 1) * STORE_CHUNK + i]);
            }
            json_close(json, JSON_OBJECT);
            text_add(&writer->text, "\n");
            status = view_flush_if_long(&writer->text, writer->file, error);
        }
    }
    return status;
}

int32_t json_lines_export(struct view *view, FILE *out, struct gb_error *error)
{
    struct case_writer writer;
    int32_t status = writer_open(&writer, view, out, error);
    for (struct view_cursor at = {.view = view}; view_next(&at, &status, error);) {
        if (view->options->rows == ROWS_SAMPLE) {
            status = add_sample_lines(&writer, at.row, error);
        } else {
            writer.json = (struct json_writer){.out = &writer.text};
            json_open(&writer.json, NULL, JSON_OBJECT);
            add_members(&writer, at.row);
            json_close(&writer.json, JSON_OBJECT);
            text_add(&writer.text, "\n");
            status = view_flush_if_long(&writer.text, out, error);
        }
    }
    if (status == GB_OK)
        status = view_flush(&writer.text, out, error);
    writer_close(&writer);
    return status;
}
