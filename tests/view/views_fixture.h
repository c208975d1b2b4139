/*
 * views_fixture.h - a file in which every kind of case occurs, and what is printed of it. Long
 * outputs are compared with tests/golden/; UPDATE_GOLDEN=1 in the environment writes them anew, to
 * be read before they are committed.
 */
#pragma once

#include "core/view/views.h"
#include "tests/store/store_fixture.h"

/* Two seconds in which 500 J were used, at 250 W, by 20 iterations. */
static inline void views_add_telemetry(struct case_record *record, bool is_held_down)
{
    struct telemetry_record *begin = &record->telemetry[TELEMETRY_BEGIN];
    struct telemetry_record *end = &record->telemetry[TELEMETRY_END];
    *begin = (struct telemetry_record){.is_known = true,
                                       .values = {.size = sizeof begin->values,
                                                  .clock_hz = 1.98e9,
                                                  .memory_clock_hz = 2.619e9,
                                                  .temperature_celsius = 40,
                                                  .power_watts = 90,
                                                  .energy_joules = 1e6}};
    *end = record->telemetry[TELEMETRY_BEFORE] = *begin;
    record->telemetry[TELEMETRY_BEFORE].values.temperature_celsius = 35;
    record->phases = (struct phases_record){1e6, 2e6, 3e6, 2e9, 4e6, 5e6};
    end->elapsed_ns = 2e9;
    end->iterations = 20;
    end->values.clock_hz = 1.5e9;
    end->values.temperature_celsius = 61.5;
    end->values.power_watts = 300;
    end->values.energy_joules += 500;
    if (is_held_down) {
        end->values.throttle = 4;
        snprintf(end->values.throttle_text, sizeof end->values.throttle_text, "power\nlimit");
    }
}

static inline void views_add_streams(struct store *store, int64_t run_id)
{
    for (unsigned i = 0; i < 8; i++) {
        struct fixture_case c;
        fixture_case(&c, i, i + 1, 1e6 / (i + 1));
        for (int j = 0; j < FIXTURE_SAMPLES; j++)
            c.wall[j] = 1e6 / (i + 1) * (1 + 0.001 * j);
        struct case_record *record = &c.record;
        record->iterations = 1;
        c.metrics[0] = (struct metric_record){"threads", i + 1, ""};
        c.metrics[1] = (struct metric_record){"switches", 10.0 * i, "1/s"};
        record->n_metrics = 2;
        if (i == 2) {
            record->estimate.low_ns = -INFINITY;
            record->estimate.high_ns = INFINITY;
            strcpy(record->estimate.note, "still falling by 0.4 % a second");
            record->estimate.verdict = GB_VERDICT_UNCONVERGED;
            record->stop_reason = "max_time 15 s";
        }
        if (i == 3) {
            record->status = CASE_CRASHED;
            record->status_text = "SIGSEGV";
            record->has_estimate = false;
            record->n_samples = 0;
            record->n_checks = 0;
            record->n_summaries = 0;
            record->n_columns = 0;
            record->n_metrics = 0;
            record->stop_reason = "";
        }
        static const struct worst_record worst[] = {{"C", 17, 1.5, 2, 4194304},
                                                    {"C", 5, -0.1, -0.100000008, 1}};
        if (i == 4) {
            record->worst = worst;
            record->n_worst = 2;
            record->status = CASE_WRONG_RESULT;
            c.checks[0].passed = false;
            c.checks[0].value = 0.5;
            c.checks[0].text = "abs 0.5 > 1e-06 at [17]: expected 1.5, got 2";
        }
        if (i == 5) {
            record->estimate.verdict = GB_VERDICT_MULTIMODAL;
            record->estimate.n_modes = 2;
            record->estimate.modes[0] = (struct gb_mode){1.6e5, 1.59e5, 1.61e5, 0.61};
            record->estimate.modes[1] = (struct gb_mode){1.9e5, 1.89e5, 1.91e5, 0.39};
            record->n_lost = 3;
        }
        if (i >= 5)
            views_add_telemetry(record, i == 6);
        if (i >= 6) {
            for (int j = 0; j < 4; j++)
                c.extra[j] = GB_SAMPLE_THROTTLED;
            c.columns[2] = (struct sample_column){"flags", c.extra};
            record->n_columns = 3;
            c.messages[0] = (struct message_record){GB_LOG_WARNING, "the governor is\npowersave"};
            c.messages[1] = (struct message_record){GB_LOG_INFO, "warmed up"};
            record->n_messages = 2;
        }
        fixture_store(store, run_id, &c);
    }
}

static inline void views_add_nop(struct store *store, int64_t run_id)
{
    struct fixture_case c;
    fixture_case(&c, 8, 1, 2);
    c.bench_case.bench = "floor";
    c.bench_case.n_parameters = 0;
    fixture_add(&c, fixture_words("note", "a|b, \"c\"", true));
    c.record.work = (struct gb_work){.size = sizeof c.record.work, .items = 100, .item = "call"};
    c.record.n_checks = 0;
    c.record.estimate.verdict = GB_VERDICT_NONE;
    c.record.estimate.low_ns = c.record.estimate.high_ns = NAN;
    c.record.stop_reason = "20 samples";
    fixture_store(store, run_id, &c);
    fixture_case(&c, 9, 2, 2);
    c.bench_case.bench = "floor";
    c.bench_case.n_parameters = 0;
    fixture_add(&c, fixture_words("note", "plain", true));
    c.record.status = CASE_SKIPPED;
    c.record.status_text = "needs 4 cores";
    c.record.n_samples = 0;
    c.record.n_columns = 0;
    c.record.n_checks = 0;
    c.record.has_estimate = false;
    c.record.stop_reason = "";
    fixture_store(store, run_id, &c);
}

/* Run 1: eight cases of one bench, one of each fate, and two of another. */
static inline void views_make_file(const char *name)
{
    struct store *store = fixture_open(name, STORE_WRITE);
    int64_t run_id = fixture_begin_run(store, 1);
    views_add_streams(store, run_id);
    views_add_nop(store, run_id);
    fixture_end_run(store, run_id);
    fixture_close(store);
}

/* Run 1: two axes, three rounds each, interleaved. */
static inline void views_make_rounds(const char *name)
{
    struct store *store = fixture_open(name, STORE_WRITE);
    int64_t run_id = fixture_begin_run(store, 1);
    unsigned number = 0;
    for (unsigned round = 0; round < 3; round++)
        for (unsigned position = 0; position < 4; position++, number++) {
            struct fixture_case c;
            fixture_case(&c, number, position % 2 + 1, 1000 * (position + 1) + 10 * round);
            fixture_add(&c, fixture_words("dtype", position / 2 ? "bf16" : "fp16", true));
            c.record.round = round;
            if (round == 2)
                c.record.phases = (struct phases_record){1e4, 2e4, 3e5, 4e5, 0, 1e5};
            c.bench_case.position = position;
            snprintf(c.record.uid, sizeof c.record.uid, "%032x", position);
            fixture_store(store, run_id, &c);
        }
    fixture_end_run(store, run_id);
    fixture_close(store);
}

/* ---- what is printed ---- */

static inline void views_show(const char *file, const struct view_options *options,
                              struct text *out)
{
    struct store *store = fixture_open(file, STORE_READ);
    struct gb_error error = {0};
    int32_t status = view_show(store, options, out, &error);
    ck_assert_msg(status == GB_OK, "%s", error.text);
    fixture_close(store);
}

static inline int32_t views_try_export(const char *file, const struct view_options *options,
                                       struct text *out, struct gb_error *error)
{
    struct store *store = fixture_open(file, STORE_READ);
    char *data = NULL;
    size_t n = 0;
    FILE *stream = open_memstream(&data, &n);
    int32_t status = view_export(store, options, stream, error);
    fclose(stream);
    text_add_n(out, data, n);
    free(data);
    fixture_close(store);
    return status;
}

static inline void views_export(const char *file, const struct view_options *options,
                                struct text *out)
{
    struct gb_error error = {0};
    int32_t status = views_try_export(file, options, out, &error);
    ck_assert_msg(status == GB_OK, "%s", error.text);
}

/* Long texts: only the first line that differs is shown. */
static inline void views_expect_text(const char *name, const char *expected, const char *got)
{
    int line = 1;
    for (; *expected && *expected == *got; expected++, got++)
        line += *expected == '\n';
    ck_assert_msg(*expected == *got,
                  "%s differs in line %d from here on: expected\n%.300s\ngot\n%.300s", name, line,
                  expected, got);
}

static inline void views_expect_golden(const char *name, const struct text *got)
{
    const char *top = getenv("top_srcdir");
    CLEANUP(text_free) struct text path = {0}, expected = {0};
    text_printf(&path, "%s/tests/golden/%s", top ? top : ".", name);
    if (getenv("UPDATE_GOLDEN")) {
        FILE *file = fopen(text_get(&path), "w");
        ck_assert_ptr_nonnull(file);
        fwrite(text_get(got), 1, got->length, file);
        fclose(file);
    }
    FILE *file = fopen(text_get(&path), "r");
    ck_assert_msg(file != NULL, "%s is missing", text_get(&path));
    char buffer[4096];
    size_t n;
    while ((n = fread(buffer, 1, sizeof buffer, file)) > 0)
        text_add_n(&expected, buffer, n);
    fclose(file);
    views_expect_text(text_get(&path), text_get(&expected), text_get(got));
}
