/* exchange_nvbench.c - see exchange.h: NVBench's JSON, with samples as files of float32. */
#include "core/base/output_file.h"
#include "core/view/exchange_writers.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

static const double S = 1e9; /* ns */

static struct exchange_device device_at(const struct stored_devices *devices, size_t i)
{
    struct exchange_device device = {devices->items[i].record.model, 0};
    for (size_t j = 0; j < i; j++)
        device.ordinal += text_equal(devices->items[j].record.model, device.model);
    return device;
}

/* n_devices: it is not among them. */
static size_t find_device(const struct exchange *exchange, const struct exchange_device *device)
{
    size_t i = 0;
    while (i < exchange->n_devices && !(exchange->devices[i].ordinal == device->ordinal &&
                                        text_equal(exchange->devices[i].model, device->model)))
        i++;
    return i;
}

/* Shards of one sweep ran on devices of different nodes; those of the same model are one. */
static void find_devices(struct exchange *exchange)
{
    struct view *view = exchange->view;
    for (size_t run = 0; run < view->n_runs; run++)
        for (size_t i = 0; i < view->devices[run].n; i++) {
            const struct exchange_device device = device_at(&view->devices[run], i);
            if (find_device(exchange, &device) == exchange->n_devices)
                ARENA_APPEND(&view->arena, exchange->devices, exchange->n_devices, device);
        }
}

static void begin(struct exchange *exchange)
{
    find_devices(exchange);
    struct json_writer *json = &exchange->json;
    json_open(json, "meta", JSON_OBJECT);
    json_open(json, "argv", JSON_ARRAY);
    json_text(json, NULL, exchange->run->command_line);
    json_close(json, JSON_ARRAY);
    json_open(json, "version", JSON_OBJECT);
    json_open(json, "json", JSON_OBJECT);
    json_values(json, VALUES(INTEGER("major", 1), INTEGER("minor", 0), INTEGER("patch", 0),
                             TEXT("string", "1.0.0")));
    for (int i = 0; i < 3; i++)
        json_close(json, JSON_OBJECT);
    json_open(json, "devices", JSON_ARRAY);
    for (size_t i = 0; i < exchange->n_devices; i++) {
        json_object(json, NULL, VALUES(INTEGER("id", i), TEXT("name", exchange->devices[i].model)));
    }
    json_close(json, JSON_ARRAY);
    json_open(json, "benchmarks", JSON_ARRAY);
}

/* ---- a benchmark and its axes ---- */

static const char *type_of(const struct parameter *parameter)
{
    struct cell cell = cell_of_parameter(parameter);
    return cell.kind == CELL_INTEGER ? "int64" : cell.kind == CELL_REAL ? "float64" : "string";
}

static void add_number(struct json_writer *json, const char *type, const char *text)
{
    json_open(json, NULL, JSON_OBJECT);
    json_values(json, VALUES(TEXT("name", "value"), TEXT("type", type)));
    json_text(json, "value", text); /* numbers are text there */
    json_close(json, JSON_OBJECT);
}

static void add_axis_value(struct json_writer *json, struct words *seen,
                           const struct parameter *parameter, struct arena *arena)
{
    const char *words = parameter->value.text;
    struct cell cell = cell_of_parameter(parameter);
    if (!words_add_new(seen, arena, words))
        return;
    json_open(json, NULL, JSON_OBJECT);
    json_values(json, VALUES(TEXT("input_string", words), TEXT("description", "")));
    json_cell(json, "value", &cell);
    json_close(json, JSON_OBJECT);
}

static int32_t add_axis(struct exchange *exchange, const char *bench,
                        const struct parameter *parameter, struct gb_error *error)
{
    CLEANUP(arena_free) struct arena arena = {0};
    struct json_writer *json = &exchange->json;
    struct words seen = {0};
    int32_t status = GB_OK;
    json_open(json, NULL, JSON_OBJECT);
    json_values(json, VALUES(TEXT("name", parameter->name), TEXT("type", type_of(parameter)),
                             TEXT("flags", "")));
    json_open(json, "values", JSON_ARRAY);
    for (struct view_cursor at = {.view = exchange->view}; view_next(&at, &status, error);) {
        const struct parameter *one = find_parameter(&at.row->c, parameter->name);
        if (one && text_equal(at.row->c.bench, bench))
            add_axis_value(json, &seen, one, &arena);
    }
    json_close(json, JSON_ARRAY);
    json_close(json, JSON_OBJECT);
    return status;
}

static void end_bench(struct exchange *exchange)
{
    if (!*exchange->bench)
        return;
    json_close(&exchange->json, JSON_ARRAY);
    json_close(&exchange->json, JSON_OBJECT);
}

static int32_t begin_bench(struct exchange *exchange, const struct stored_case *c,
                           struct gb_error *error)
{
    struct json_writer *json = &exchange->json;
    int32_t status = GB_OK;
    end_bench(exchange);
    json_row(json);
    json_text(json, "name", c->bench);
    json_open(json, "devices", JSON_ARRAY);
    for (size_t i = 0; i < exchange->n_devices; i++)
        json_integer(json, NULL, (int64_t)i);
    json_close(json, JSON_ARRAY);
    json_open(json, "axes", JSON_ARRAY);
    for (size_t i = 0; i < c->n_parameters && status == GB_OK; i++)
        if (c->parameters[i].is_axis)
            status = add_axis(exchange, c->bench, &c->parameters[i], error);
    json_close(json, JSON_ARRAY);
    json_open(json, "states", JSON_ARRAY);
    return status;
}

/* ---- a state ---- */

static void add_summary(struct json_writer *json, const char *tag, const char *name,
                        const char *hint, double value)
{
    if (!isfinite(value))
        return;
    json_open(json, NULL, JSON_OBJECT);
    json_values(json, VALUES(TEXT("tag", tag), TEXT("name", name), TEXT("hint", hint),
                             TEXT("description", "")));
    json_open(json, "data", JSON_ARRAY);
    add_number(json, text_equal(hint, "sample_size") ? "int64" : "float64", DOUBLE_TEXT(value));
    json_close(json, JSON_ARRAY);
    json_close(json, JSON_OBJECT);
}

static double mean_of_known(const double *values, size_t n)
{
    double sum = 0;
    size_t n_known = 0;
    for (size_t i = 0; i < n; i++)
        if (values[i] > 0) {
            sum += values[i];
            n_known++;
        }
    return n_known ? sum / (double)n_known : NAN;
}

/* PATH-bin/NUMBER.bin, little-endian; *ret_name: relative to the folder of PATH. */
static int32_t write_floats(const struct exchange *exchange, const char *suffix,
                            const double *values, size_t n, double unit, struct arena *arena,
                            const char **ret_name, struct gb_error *error)
{
    const char *slash = strrchr(exchange->path, '/');
    const char *folder = arena_printf(arena, "%s-%s", exchange->path, suffix);
    const char *path = arena_printf(arena, "%s/%" PRIu64 ".bin", folder, exchange->n_files);
    *ret_name = arena_printf(arena, "%s-%s/%" PRIu64 ".bin", slash ? slash + 1 : exchange->path,
                             suffix, exchange->n_files);
    struct output_file file;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return error_set(error, GB_IO, "%s: cannot be made: %s", folder, reason_of(errno));
    const int32_t status = output_begin(&file, path, error);
    if (status != GB_OK)
        return status;
    for (size_t i = 0; i < n; i++) {
        float value = (float)(values[i] / unit);
        fwrite(&value, sizeof value, 1, file.stream); /* a failure stays with the stream */
    }
    return output_end(&file, GB_OK, error);
}

/* Measurements of a GPU, and those of a CPU alone. */
static bool is_of_cpu(const struct exchange_case *c)
{
    const struct stored_device *device = c->rounds->device;
    return device && text_equal(device->record.plugin, "cpu");
}

static void add_file(struct json_writer *json, const char *tag, const char *filename, size_t n)
{
    char size[NUMBER_TEXT_MAX];
    snprintf(size, sizeof size, "%zu", n);
    const char *const members[][3] = {{"filename", "string", filename}, {"size", "int64", size}};
    json_open(json, NULL, JSON_OBJECT);
    json_values(json,
                VALUES(TEXT("tag", tag), TEXT("name", "Samples"), TEXT("hint", "file/sample_times"),
                       TEXT("description", ""), TEXT("hide", "Not needed in a table.")));
    json_open(json, "data", JSON_ARRAY);
    for (size_t i = 0; i < 2; i++) {
        json_object(json, NULL,
                    VALUES(TEXT("name", members[i][0]), TEXT("type", members[i][1]),
                           TEXT("value", members[i][2])));
    }
    json_close(json, JSON_ARRAY);
    json_close(json, JSON_OBJECT);
}

static int32_t add_files(struct exchange *exchange, const struct exchange_case *c,
                         const double *times, const double *clocks, size_t n, struct arena *arena,
                         struct gb_error *error)
{
    struct json_writer *json = &exchange->json;
    const char *name = "";
    if (!exchange->path || n == 0)
        return GB_OK;
    int32_t status = write_floats(exchange, "bin", times, n, S, arena, &name, error);
    if (status == GB_OK)
        add_file(json,
                 is_of_cpu(c) ? "nv/json/bin:nv/cpu_only/sample_times"
                              : "nv/json/bin:nv/cold/sample_times",
                 name, n);
    if (status == GB_OK && isfinite(mean_of_known(clocks, n))) {
        status = write_floats(exchange, "freqs-bin", clocks, n, 1, arena, &name, error);
        add_file(json, "nv/json/freqs-bin:nv/cold/sample_freqs", name, n);
    }
    exchange->n_files++;
    return status;
}

static int32_t add_summaries(struct exchange *exchange, const struct exchange_case *c,
                             struct gb_error *error)
{
    CLEANUP(arena_free) struct arena arena = {0};
    double *times = NULL, *clocks = NULL;
    size_t n = 0;
    int32_t status = view_round_samples(exchange->view, c->rounds, c->n_rounds, NULL, &arena,
                                        &times, &n, error);
    if (status == GB_OK)
        status = view_round_samples(exchange->view, c->rounds, c->n_rounds, "clock_hz", &arena,
                                    &clocks, &n, error);
    if (status != GB_OK)
        return status;
    const struct summary summary = summary_of(times, n);
    const double iqr = summary.q3 - summary.q1;
    const bool is_cpu = is_of_cpu(c);
    const char *kind = is_cpu ? "cpu_only" : "cold", *time = is_cpu ? "time/cpu/" : "time/gpu/";
    const struct {
        bool is_time;
        const char *tag, *name, *hint;
        double value;
    } summaries[] = {
        {false, "sample_size", "Samples", "sample_size", (double)n},
        {true, "mean", is_cpu ? "CPU Time" : "GPU Time", "duration", summary.mean / S},
        {true, "stdev/absolute", "Stdev", "duration", summary.stdev / S},
        {true, "stdev/relative", "Noise", "percentage", summary.stdev / summary.mean},
        {true, "min", "Min", "duration", summary.min / S},
        {true, "max", "Max", "duration", summary.max / S},
        {true, "q1", "Q1", "duration", summary.q1 / S},
        {true, "median", "Median", "duration", summary.median / S},
        {true, "q3", "Q3", "duration", summary.q3 / S},
        {true, "iqr/absolute", "IQR", "duration", iqr / S},
        {true, "iqr/relative", "Relative IQR", "percentage", iqr / summary.median},
        {false, "sm_clock_rate/mean", "Clock Rate", "frequency", mean_of_known(clocks, n)},
    };
    for (size_t i = 0; i < sizeof summaries / sizeof *summaries; i++) {
        const char *tag = arena_printf(&arena, "nv/%s/%s%s", kind, summaries[i].is_time ? time : "",
                                       summaries[i].tag);
        add_summary(&exchange->json, tag, summaries[i].name, summaries[i].hint, summaries[i].value);
    }
    return add_files(exchange, c, times, clocks, n, &arena, error);
}

/* Its number in the export; -1: none was opened. */
static int64_t device_of(const struct exchange *exchange, const struct view_row *row)
{
    const struct stored_devices *devices =
        &exchange->view->devices[row->run - exchange->view->runs];
    if (!row->device)
        return -1;
    const struct exchange_device device = device_at(devices,
                                                    (size_t)(row->device - devices->items));
    return (int64_t)find_device(exchange, &device);
}

static void add_axis_values(struct json_writer *json, const struct stored_case *c)
{
    json_open(json, "axis_values", JSON_ARRAY);
    for (size_t i = 0; i < c->n_parameters; i++) {
        if (!c->parameters[i].is_axis)
            continue;
        json_object(json, NULL,
                    VALUES(TEXT("name", c->parameters[i].name),
                           TEXT("type", type_of(&c->parameters[i])),
                           TEXT("value", c->parameters[i].value.text)));
    }
    json_close(json, JSON_ARRAY);
}

static void add(struct exchange *exchange, const struct exchange_case *c)
{
    CLEANUP(text_free) struct text name = {0}, reason = {0};
    struct json_writer *json = &exchange->json;
    const struct stored_case *stored = &c->shown.row.c;
    int64_t device = device_of(exchange, c->rounds);
    if (!text_equal(exchange->bench, stored->bench))
        exchange->status = begin_bench(exchange, stored, exchange->error);
    if (exchange->status != GB_OK)
        return;
    if (device >= 0)
        text_printf(&name, "Device=%" PRId64, device);
    for (size_t i = 0; i < stored->n_parameters; i++)
        if (stored->parameters[i].is_axis)
            text_printf(&name, "%s%s=%s", name.length ? " " : "", stored->parameters[i].name,
                        stored->parameters[i].value.text);
    json_row(json);
    json_text(json, "name", text_get(&name));
    exchange_label(json, c);
    if (device >= 0)
        json_integer(json, "device", device);
    else
        json_real(json, "device", NAN);
    add_axis_values(json, stored);
    json_bool(json, "is_skipped", !c->is_ok);
    if (!c->is_ok) {
        case_status_describe(stored->record.status, stored->record.status_text, &reason);
        json_text(json, "skip_reason", text_get(&reason));
    }
    json_open(json, "summaries", JSON_ARRAY);
    if (c->is_ok)
        exchange->status = add_summaries(exchange, c, exchange->error);
    json_close(json, JSON_ARRAY);
    json_close(json, JSON_OBJECT);
}

const struct exchange_writer exchange_nvbench = {
    .name = "nvbench",
    .help = "NVBench's JSON, with -o also files of samples and clock rates: its compare scripts",
    .takes_failures = true,
    .json = "{[",
    .begin = begin,
    .add = add,
    .end = end_bench,
};
