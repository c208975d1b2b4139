/* exchange_trace.c - see exchange.h: trace events of Chrome, which Perfetto shows: cases on a line
 * for each device, their phases and samples below, clock rates as counters. */
#include "core/view/exchange_writers.h"

#include <math.h>
#include <time.h>

enum { SAMPLES_MOST = 2000 }; /* of a round; of more, each n-th */

static void begin(struct exchange *exchange)
{
    json_text(&exchange->json, "displayTimeUnit", "ns");
    json_open(&exchange->json, "traceEvents", JSON_ARRAY);
    exchange->first_s = NAN;
    for (size_t i = 0; i < exchange->view->n_runs; i++)
        exchange->first_s = fmin(exchange->first_s,
                                 1e-9 * utc_ns(exchange->view->runs[i].record.started));
}

/* A run is a process, a device a thread of it. */
struct track {
    struct json_writer *json;
    int64_t process, thread;
};

static void open_event(const struct track *track, const char *name, const char *category,
                       const char *phase, double at_us)
{
    struct json_writer *json = track->json;
    json_row(json);
    json_values(json, VALUES(TEXT("name", name), TEXT("cat", category), TEXT("ph", phase),
                             REAL("ts", at_us), INTEGER("pid", track->process),
                             INTEGER("tid", track->thread)));
}

static void add_complete(const struct track *track, const char *name, const char *category,
                         double at_us, double for_us)
{
    open_event(track, name, category, "X", at_us);
    json_real(track->json, "dur", for_us);
    json_close(track->json, JSON_OBJECT);
}

/* Of the process. */
static void add_counter(const struct track *track, const char *name, double at_us, double value)
{
    struct json_writer *json = track->json;
    const struct track of_process = {json, track->process, 0};
    if (!(value > 0))
        return;
    open_event(&of_process, name, "telemetry", "C", at_us);
    json_open(json, "args", JSON_OBJECT);
    json_real(json, "value", value);
    json_close(json, JSON_OBJECT);
    json_close(json, JSON_OBJECT);
}

/* One after the other. Returns when the first sample began; NaN: not known. */
static double add_phases(const struct track *track, const struct phases_record *phases,
                         double case_us)
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
        add_complete(track, all[i].words, "phase", at_us, all[i].ns / 1e3);
        at_us += all[i].ns / 1e3;
    }
    return samples_us;
}

/* Times of samples are known from the first one's start. Where that is not known, the last is taken
 * to end with the case. */
static int32_t add_samples(struct exchange *exchange, const struct track *track,
                           const struct view_row *row, double case_us, double samples_us,
                           struct gb_error *error)
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
        add_complete(track, "samples", "phase", begin_us, elapsed[n - 1] / 1e3);
    }
    for (uint64_t i = 0; i < n; i += n / SAMPLES_MOST + 1) {
        double iterations = record->iterations ? (double)record->iterations : 1;
        double for_us = values[i] * iterations / 1e3, end_us = begin_us + elapsed[i] / 1e3;
        if (!isfinite(for_us) || !isfinite(end_us))
            continue;
        add_complete(track, "sample", "sample", end_us - for_us, for_us);
        add_counter(track, "clock, MHz", end_us, clock[i] / 1e6);
    }
    return GB_OK;
}

static void add_telemetry(const struct track *track, const struct stored_case *c, double begin_us,
                          double end_us)
{
    static const int moments[] = {TELEMETRY_BEGIN, TELEMETRY_END};
    for (size_t i = 0; i < 2; i++) {
        const struct gb_telemetry *values = telemetry_at(c, moments[i]);
        double at_us = i ? end_us : begin_us;
        add_counter(track, "power, W", at_us, values->power_watts);
        add_counter(track, "temperature, degrees C", at_us, values->temperature_celsius);
    }
}

static void add(struct exchange *exchange, const struct exchange_case *c)
{
    struct json_writer *json = &exchange->json;
    for (size_t i = 0; i < c->n_rounds && exchange->status == GB_OK; i++) {
        const struct view_row *row = &c->rounds[i];
        double begin_us = (1e-9 * utc_ns(row->c.record.started) - exchange->first_s) * 1e6;
        const struct track track = {json, row->run - exchange->view->runs + 1,
                                    row->device ? row->device->id : 0};
        if (!isfinite(begin_us) || !isfinite(row->c.record.wall_ns))
            continue;
        open_event(&track, c->name, "case", "X", begin_us);
        json_real(json, "dur", row->c.record.wall_ns / 1e3);
        json_object(json, "args",
                    VALUES(TEXT("status", case_status_word(row->c.record.status)),
                           INTEGER("round", row->c.record.round),
                           REAL("median_ns", central_ns(&row->c))));
        json_close(json, JSON_OBJECT);
        const struct case_record *record = &row->c.record;
        double samples_us = add_phases(&track, &record->phases, begin_us);
        if (isnan(samples_us))
            add_telemetry(&track, &row->c, begin_us, begin_us + record->wall_ns / 1e3);
        else
            add_telemetry(&track, &row->c, samples_us,
                          samples_us + record->phases.measure_ns / 1e3);
        exchange->status = add_samples(exchange, &track, row, begin_us, samples_us,
                                       exchange->error);
    }
}

static void add_name(const struct track *track, const char *what, const char *name)
{
    open_event(track, what, "__metadata", "M", 0);
    json_open(track->json, "args", JSON_OBJECT);
    json_text(track->json, "name", name);
    json_close(track->json, JSON_OBJECT);
    json_close(track->json, JSON_OBJECT);
}

static void end(struct exchange *exchange)
{
    struct json_writer *json = &exchange->json;
    const struct view *view = exchange->view;
    for (size_t run = 0; run < view->n_runs; run++) {
        struct track track = {json, (int64_t)run + 1, 0};
        const struct run_record *record = &view->runs[run].record;
        CLEANUP(text_free) struct text name = {0};
        text_printf(&name, "shard %s on %s",
                    fact_of(record->facts, record->n_facts, SHARD_FACT_SHARD),
                    fact_of(record->facts, record->n_facts, "host"));
        if (view->is_united)
            add_name(&track, "process_name", text_get(&name));
        for (size_t i = 0; i < view->devices[run].n; i++) {
            track.thread = view->devices[run].items[i].id;
            add_name(&track, "thread_name", view->devices[run].items[i].record.model);
        }
    }
}

const struct exchange_writer exchange_trace = {
    .name = "trace",
    .help = "Chrome's trace events: cases, their phases, samples and telemetry on a time line, for "
            "Perfetto",
    .takes_failures = true,
    .json = "{[",
    .begin = begin,
    .add = add,
    .end = end,
};
