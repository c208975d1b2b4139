/* verify.c - see gbrun/measure.h: a comparison as a worker makes it of a benchmark's output. */
#include "core/library/call.h"
#include "core/library/callback.h"
#include "core/library/devices.h"
#include "core/run/host.h"
#include "core/run/process_state.h"

#include <stdlib.h>
#include <string.h>

#define FOLDER_ID "verify" /* begins the names of files that check.dump writes */

struct verification {
    struct gbrun_verification seen; /* first, as gbrun_verification_free is given it */
    struct arena arena;
    struct gbrun_compared metrics[VERIFY_METRICS];
    struct text text;
};

static void fail(struct verification *verification, int32_t status, const char *text)
{
    verification->seen.status = status;
    verification->seen.error = arena_text(&verification->arena, text);
}

static void add_line(struct verification *verification, const char *line)
{
    text_add(&verification->text, text_get(&verification->text)[0] ? "\n" : "");
    text_add(&verification->text, line);
}

/* ---- the sink of the host ---- */

static void take_log(void *context, int32_t severity, const char *text)
{
    if (severity >= GB_LOG_WARNING)
        add_line(context, text);
}

static void take_metric(void *context, const char *name, double value, const char *unit)
{
    (void)context, (void)name, (void)value, (void)unit;
}

static void take_check(void *context, const char *name, const char *metric,
                       const struct verify_metric *measured, double tolerance, bool passed,
                       const char *text)
{
    struct verification *verification = context;
    (void)name;
    if (*text)
        add_line(verification, text);
    verification->metrics[verification->seen.n_metrics++] = (struct gbrun_compared){
        .name = arena_text(&verification->arena, metric),
        .value = measured->value,
        .tolerance = tolerance,
        .index = measured->index,
        .reference = measured->reference,
        .output = measured->output,
        .passed = passed};
}

/* ---- what is asked ---- */

static void compare(struct verification *verification, const struct gb_check *given,
                    const struct bench_case *bench_case)
{
    const struct host_sink sink = {
        .context = verification, .log = take_log, .metric = take_metric, .check = take_check};
    const struct host_checks checks = {bench_case->tolerances, bench_case->n_tolerances,
                                       &bench_case->common, FOLDER_ID};
    struct gb_check check = {0};
    memcpy(&check, given, given->size < sizeof check ? given->size : sizeof check);
    check.size = sizeof check;
    struct host *host = host_new(bench_case->seed, &sink, NULL, &checks);
    const int32_t status = host_interface(host)->check(host_interface(host), &check);
    if (status != GB_OK)
        fail(verification, status == GB_WRONG_RESULT ? status : GB_INVALID, host_reason(host));
    host_free(host);
}

static void verify(struct verification *verification, const struct gb_check *check,
                   const char *settings)
{
    struct error_list errors = {0};
    struct gb_error error;
    struct request request;
    const struct catalogue *catalogue;
    CLEANUP(text_free) struct text said = {0};
    if (library_catalogue(&catalogue, &error) != GB_OK) {
        fail(verification, error.status, error.text);
        return;
    }
    if (request_read_checks(settings ? settings : "", catalogue, &verification->arena, &request,
                            &errors) == GB_OK) {
        compare(verification, check, &request.bench_case);
    } else {
        request_errors_text(&errors, &said);
        fail(verification, GB_INVALID, text_get(&said));
    }
    error_list_free(&errors);
}

const struct gbrun_verification *gbrun_verify(const struct gb_check *check, const char *settings)
{
    struct verification *verification = memory_allocate(sizeof *verification);
    struct plugin_mode outside;
    verification->seen = (struct gbrun_verification){
        .size = sizeof verification->seen, .error = "", .metrics = verification->metrics};
    if (!check || !GB_HAS(check, default_tolerance)) {
        fail(verification, GB_INVALID,
             "gbrun_verify: the check is NULL or its size is not set: expected "
             ".size = sizeof (struct gb_check)");
    } else if (callback_is_inside()) {
        fail(verification, GB_INVALID,
             "gbrun_verify: called from within a callback of another call");
    } else {
        call_turn_begin();
        plugin_mode_adopt(&outside);
        verify(verification, check, settings);
        plugin_mode_enter(&outside);
        call_turn_end();
    }
    verification->seen.text = text_get(&verification->text);
    return &verification->seen;
}

void gbrun_verification_free(const struct gbrun_verification *seen)
{
    struct verification *verification = (struct verification *)(uintptr_t)seen;
    if (!verification)
        return;
    text_free(&verification->text);
    arena_free(&verification->arena);
    free(verification);
}
