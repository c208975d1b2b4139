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

static void write_event(struct events *events, const char *event, const struct named_value *members,
                        size_t n)
{
    struct line line;
    if (!events)
        return;
    line_begin(&line, event);
    json_values(&line.json, members, n);
    line_end(&line, events);
}

void events_run_begin(struct events *events, const struct events_run *run)
{
    write_event(events, "run_begin",
                VALUES(TEXT("format", "gbrun events 1"), TEXT("verb", run->is_of_ab ? "ab" : "run"),
                       TEXT("run_uuid", run->uuid), TEXT("results", run->results),
                       INTEGER("n_visits", run->n_visits), INTEGER("n_done", run->n_done)));
}

void events_case_begin(struct events *events, const struct visit *visit,
                       const struct case_record *record)
{
    write_event(
        events, "case_begin",
        VALUES(TEXT("uuid", record->uuid), TEXT("uid", record->uid),
               TEXT("bench", visit->bench_case.bench), TEXT("label", text_get(&visit->label)),
               INTEGER("position", visit->bench_case.position), INTEGER("round", record->round),
               TEXT("device", visit->device ? visit->device->label : NULL)));
}

void events_estimate(struct events *events, const struct case_record *record,
                     const struct so_far *so_far)
{
    const struct so_far_median now = so_far_median(so_far);
    write_event(events, "estimate",
                VALUES(TEXT("uuid", record->uuid), INTEGER("n_samples", so_far->n),
                       REAL("median_ns", now.median_ns), REAL("low_ns", now.low_ns),
                       REAL("high_ns", now.high_ns), REAL("confidence", now.confidence)));
}

void events_case_end(struct events *events, const struct case_record *record, uint64_t n_samples)
{
    enum { OF_ESTIMATE = 6 };
    const struct gb_estimate *estimate = &record->estimate;
    const struct named_value members[] = {
        TEXT("uuid", record->uuid),
        TEXT("status", case_status_word(record->status)),
        TEXT("status_text", record->status_text),
        TEXT("verified", verified_word(record_verified(record))),
        INTEGER("n_samples", n_samples),
        TEXT("stop_reason", record->stop_reason),
        REAL("wall_ns", record->wall_ns),
        /* of an estimate */
        TEXT("verdict", record->has_estimate ? verdict_words(estimate->verdict) : NULL),
        TEXT("statistic", estimate->statistic),
        REAL("estimate_ns", estimate->value_ns),
        REAL("low_ns", estimate->low_ns),
        REAL("high_ns", estimate->high_ns),
        REAL("confidence", estimate->confidence),
    };
    write_event(events, "case_end", members,
                sizeof members / sizeof *members - (record->has_estimate ? 0 : OF_ESTIMATE));
}

void events_round_end(struct events *events, uint32_t n_rounds, size_t n_decided, size_t n_pairs)
{
    write_event(events, "round_end",
                VALUES(INTEGER("n_rounds", n_rounds), INTEGER("n_decided", n_decided),
                       INTEGER("n_pairs", n_pairs)));
}

void events_run_end(struct events *events, int exit_code, uint64_t n_bad, uint64_t n_left)
{
    write_event(events, "run_end",
                VALUES(INTEGER("exit_code", exit_code), INTEGER("n_bad", n_bad),
                       INTEGER("n_left", n_left)));
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
