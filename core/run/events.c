/* events.c - see events.h. */
#include "core/run/events.h"

#include "core/base/error.h"
#include "core/base/json_writer.h"

#include <errno.h>

enum { CLOSE_MS = 1000 };

/* ---- lines ---- */

struct line {
    struct text text;
    struct json_writer json;
};

static void line_begin(struct line *line, const char *event)
{
    char now[UTC_TEXT];
    utc_text(now);
    *line = (struct line){.json = {.needs_comma = false}};
    line->json.out = &line->text;
    json_open(&line->json, NULL, JSON_OBJECT);
    json_text(&line->json, "event", event);
    json_text(&line->json, "time", now);
}

/* Before the first line that has room again: how many had none. */
static void say_lost(struct events *events)
{
    if (events->n_lost == 0)
        return;
    struct line line;
    line_begin(&line, "lost");
    json_integer(&line.json, "n_lines", (int64_t)events->n_lost);
    json_close(&line.json, JSON_OBJECT);
    text_printf(&events->output.pending, "%s\n", text_get(&line.text));
    events->n_lost = 0;
    text_free(&line.text);
}

static void line_end(struct line *line, struct events *events)
{
    struct line_output *output = &events->output;
    json_close(&line->json, JSON_OBJECT);
    if (output->problem || output->pending.length + line->text.length > EVENTS_BYTES_MAX) {
        events->n_lost++;
        events->n_lost_in_all++;
    } else {
        say_lost(events);
        text_printf(&output->pending, "%s\n", text_get(&line->text));
    }
    text_free(&line->text);
    line_output_flush(output);
}

/* ---- events ---- */

void events_run_begin(struct events *events, const struct events_run *run)
{
    struct line line;
    if (!events)
        return;
    line_begin(&line, "run_begin");
    json_text(&line.json, "format", "gbrun events 1");
    json_text(&line.json, "verb", run->is_of_ab ? "ab" : "run");
    json_text(&line.json, "run_uuid", run->uuid);
    json_text(&line.json, "results", run->results);
    json_integer(&line.json, "n_visits", (int64_t)run->n_visits);
    json_integer(&line.json, "n_done", (int64_t)run->n_done);
    line_end(&line, events);
}

void events_case_begin(struct events *events, const struct visit *visit,
                       const struct case_record *record)
{
    struct line line;
    CLEANUP(text_free) struct text device = {0};
    if (!events)
        return;
    if (visit->device)
        text_printf(&device, "%s:%u", visit->device->settings->name, visit->device->info.index);
    line_begin(&line, "case_begin");
    json_text(&line.json, "uuid", record->uuid);
    json_text(&line.json, "uid", record->uid);
    json_text(&line.json, "bench", visit->bench_case.bench);
    json_text(&line.json, "label", text_get(&visit->label));
    json_integer(&line.json, "position", (int64_t)visit->bench_case.position);
    json_integer(&line.json, "round", record->round);
    json_text(&line.json, "device", visit->device ? text_get(&device) : NULL);
    line_end(&line, events);
}

void events_estimate(struct events *events, const struct case_record *record,
                     const struct so_far *so_far)
{
    struct line line;
    if (!events)
        return;
    const struct so_far_median so_far_now = so_far_median(so_far);
    line_begin(&line, "estimate");
    json_text(&line.json, "uuid", record->uuid);
    json_integer(&line.json, "n_samples", (int64_t)so_far->n);
    json_real(&line.json, "median_ns", so_far_now.median_ns);
    json_real(&line.json, "low_ns", so_far_now.low_ns);
    json_real(&line.json, "high_ns", so_far_now.high_ns);
    json_real(&line.json, "confidence", so_far_now.confidence);
    line_end(&line, events);
}

static void add_estimate(struct json_writer *json, const struct gb_estimate *estimate)
{
    json_text(json, "verdict", verdict_words(estimate->verdict));
    json_text(json, "statistic", estimate->statistic);
    json_real(json, "estimate_ns", estimate->value_ns);
    json_real(json, "low_ns", estimate->low_ns);
    json_real(json, "high_ns", estimate->high_ns);
    json_real(json, "confidence", estimate->confidence);
}

void events_case_end(struct events *events, const struct case_record *record, uint64_t n_samples)
{
    struct line line;
    if (!events)
        return;
    line_begin(&line, "case_end");
    json_text(&line.json, "uuid", record->uuid);
    json_text(&line.json, "status", case_status_word(record->status));
    json_text(&line.json, "status_text", record->status_text);
    json_text(&line.json, "verified", verified_word(record_verified(record)));
    json_integer(&line.json, "n_samples", (int64_t)n_samples);
    json_text(&line.json, "stop_reason", record->stop_reason);
    json_real(&line.json, "wall_ns", record->wall_ns);
    if (record->has_estimate)
        add_estimate(&line.json, &record->estimate);
    line_end(&line, events);
}

void events_round_end(struct events *events, uint32_t n_rounds, size_t n_decided, size_t n_pairs)
{
    struct line line;
    if (!events)
        return;
    line_begin(&line, "round_end");
    json_integer(&line.json, "n_rounds", n_rounds);
    json_integer(&line.json, "n_decided", (int64_t)n_decided);
    json_integer(&line.json, "n_pairs", (int64_t)n_pairs);
    line_end(&line, events);
}

void events_run_end(struct events *events, int exit_code, uint64_t n_bad, uint64_t n_left)
{
    struct line line;
    if (!events)
        return;
    line_begin(&line, "run_end");
    json_integer(&line.json, "exit_code", exit_code);
    json_integer(&line.json, "n_bad", (int64_t)n_bad);
    json_integer(&line.json, "n_left", (int64_t)n_left);
    line_end(&line, events);
}

void events_flush(struct events *events)
{
    if (events)
        line_output_flush(&events->output);
}

uint64_t events_close(struct events *events, const char **ret_reason)
{
    line_output_wait(&events->output, CLOSE_MS);
    const int problem = events->output.problem;
    *ret_reason = !problem           ? "the reader is slow"
                  : problem == EPIPE ? "the reader is gone"
                                     : reason_of(problem);
    return events->n_lost_in_all + line_output_close(&events->output);
}
