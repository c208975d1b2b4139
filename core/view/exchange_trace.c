/* exchange_trace.c - see exchange.h: trace events of Chrome, which Perfetto shows: cases on a line
 * for each device, their phases and samples below, clock rates as counters. */
#include "core/view/exchange_writers.h"

#include <math.h>

enum { SAMPLES_MOST = 2000 }; /* of a round; of more each so and so manieth */

static void begin(struct exchange *exchange)
{
    json_open(&exchange->json, NULL, JSON_OBJECT);
    json_text(&exchange->json, "displayTimeUnit", "ns");
    json_open(&exchange->json, "traceEvents", JSON_ARRAY);
}

static void open_event(struct json_writer *json, const char *name, const char *category,
                       const char *phase, double at_us, int64_t thread)
{
    json_line(json);
    json_open(json, NULL, JSON_OBJECT);
    json_text(json, "name", name);
    json_text(json, "cat", category);
    json_text(json, "ph", phase);
    json_real(json, "ts", at_us);
    json_integer(json, "pid", 1);
    json_integer(json, "tid", thread);
}

static void add_complete(struct json_writer *json, const char *name, const char *category,
                         double at_us, double for_us, int64_t thread)
{
    open_event(json, name, category, "X", at_us, thread);
    json_real(json, "dur", for_us);
    json_close(json, JSON_OBJECT);
}

static void add_counter(struct json_writer *json, const char *name, double at_us, double value)
{
    if (!(value > 0))
        return;
    open_event(json, name, "telemetry", "C", at_us, 0);
    json_open(json, "args", JSON_OBJECT);
    json_real(json, "value", value);
    json_close(json, JSON_OBJECT);
    json_close(json, JSON_OBJECT);
}

/* One after the other. Returns when the first sample began; NaN: not known. */
static double add_phases(struct json_writer *json, const struct phases_record *phases,
                         double case_us, int64_t thread)
{
#define PHASE_DURATION(member, words, help) {words, phases->member},
    const struct {
        const char *words;
        double ns;
    } all[CASE_PHASES] = {PHASES_MAP(PHASE_DURATION)};
#undef PHASE_DURATION
    double at_us = case_us, samples_us = NAN;
    for (int i = 0; i < CASE_PHASES; i++) {
        if (!(all[i].ns > 0))
            continue;
        if (i == CASE_PHASE_measure_ns)
            samples_us = at_us;
        add_complete(json, all[i].words, "phase", at_us, all[i].ns / 1e3, thread);
        at_us += all[i].ns / 1e3;
    }
    return samples_us;
}

/* Times of samples are known from the first one's start. Where that is not known, the last is taken
 * to end with the case. */
static int32_t add_samples(struct exchange *exchange, const struct view_row *row, double case_us,
                           double samples_us, int64_t thread, struct gb_error *error)
{
    static const char *const names[] = {"elapsed", "clock_hz"};
    CLEANUP(arena_free) struct arena arena = {0};
    const struct case_record *record = &row->c.record;
    uint64_t n = record->n_samples < STORE_CHUNK ? record->n_samples : STORE_CHUNK;
    double *values = ARENA_ARRAY(&arena, double, 3 * STORE_CHUNK);
    const double *elapsed = values + STORE_CHUNK, *clock = values + 2 * STORE_CHUNK;
    if (n == 0)
        return GB_OK;
    int32_t status = view_read_samples(exchange->view, row, names, 2, 0, n, values, error);
    if (status != GB_OK || !isfinite(elapsed[n - 1]))
        return status;
    double begin_us = samples_us;
    if (isnan(samples_us)) {
        begin_us = case_us + fmax(0, record->wall_ns - elapsed[n - 1]) / 1e3;
        add_complete(&exchange->json, "samples", "phase", begin_us, elapsed[n - 1] / 1e3, thread);
    }
    for (uint64_t i = 0; i < n; i += n / SAMPLES_MOST + 1) {
        double iterations = record->iterations ? (double)record->iterations : 1;
        double for_us = values[i] * iterations / 1e3, end_us = begin_us + elapsed[i] / 1e3;
        if (!isfinite(for_us) || !isfinite(end_us))
            continue;
        add_complete(&exchange->json, "sample", "sample", end_us - for_us, for_us, thread);
        add_counter(&exchange->json, "clock, MHz", end_us, clock[i] / 1e6);
    }
    return GB_OK;
}

static void add_telemetry(struct json_writer *json, const struct stored_case *c, double begin_us,
                          double end_us)
{
    static const int moments[] = {TELEMETRY_BEGIN, TELEMETRY_END};
    for (size_t i = 0; i < 2; i++) {
        const struct gb_telemetry *values = telemetry_at(c, moments[i]);
        double at_us = i ? end_us : begin_us;
        add_counter(json, "power, W", at_us, values->power_watts);
        add_counter(json, "temperature, degrees C", at_us, values->temperature_celsius);
    }
}

static int32_t add(struct exchange *exchange, const struct exchange_case *c, struct gb_error *error)
{
    struct json_writer *json = &exchange->json;
    double run_s = exchange_seconds(exchange_run(exchange)->started);
    int32_t status = GB_OK;
    for (size_t i = 0; i < c->n_rounds && status == GB_OK; i++) {
        const struct view_row *row = &c->rounds[i];
        double begin_us = (exchange_seconds(row->c.record.started) - run_s) * 1e6;
        int64_t thread = row->device ? row->device->id : 0;
        if (!isfinite(begin_us) || !isfinite(row->c.record.wall_ns))
            continue;
        open_event(json, c->name, "case", "X", begin_us, thread);
        json_real(json, "dur", row->c.record.wall_ns / 1e3);
        json_open(json, "args", JSON_OBJECT);
        json_text(json, "status", case_status_word(row->c.record.status));
        json_integer(json, "round", row->c.record.round);
        json_real(json, "median_ns", central_ns(&row->c));
        json_close(json, JSON_OBJECT);
        json_close(json, JSON_OBJECT);
        const struct case_record *record = &row->c.record;
        double samples_us = add_phases(json, &record->phases, begin_us, thread);
        if (isnan(samples_us))
            add_telemetry(json, &row->c, begin_us, begin_us + record->wall_ns / 1e3);
        else
            add_telemetry(json, &row->c, samples_us, samples_us + record->phases.measure_ns / 1e3);
        status = add_samples(exchange, row, begin_us, samples_us, thread, error);
    }
    return status;
}

static void end(struct exchange *exchange)
{
    struct json_writer *json = &exchange->json;
    for (size_t i = 0; i < exchange->view->devices[0].n; i++) {
        const struct stored_device *device = &exchange->view->devices[0].items[i];
        open_event(json, "thread_name", "__metadata", "M", 0, device->id);
        json_open(json, "args", JSON_OBJECT);
        json_text(json, "name", device->record.model);
        json_close(json, JSON_OBJECT);
        json_close(json, JSON_OBJECT);
    }
    json_close(json, JSON_ARRAY);
    json_close(json, JSON_OBJECT);
    text_add(&exchange->text, "\n");
}

const struct exchange_writer exchange_trace = {
    .name = "trace",
    .help = "Chrome's trace events: cases, their phases, samples and telemetry on a time line, for "
            "Perfetto",
    .takes_failures = true,
    .begin = begin,
    .add = add,
    .end = end,
};
