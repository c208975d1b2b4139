/* measure.c - see gbrun/measure.h: one call, from settings to result. */
#include "core/base/host_clock.h"
#include "core/library/append.h"
#include "core/library/call.h"
#include "core/library/callback.h"
#include "core/library/devices.h"
#include "core/run/case_run.h"
#include "core/run/record_parts.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

/* One call at a time: two would disturb each other, and plugins are for one thread. */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static pid_t turn_owner; /* the process that measures; 0: none. Not a child of it */

/* A call, from settings to result. */
struct call {
    struct callback *callback;
    struct result *result;
    struct request request;
    const struct known_device *device;
    const char *device_text;      /* "cuda:0" */
    const struct gb_guest *guest; /* of the device's plugin, or NULL */
    struct gb_guest_state state;  /* what the program has current */
    char uid[CASE_UID_TEXT];
};

bool call_is_sound(const struct gbrun_subject *subject, const char *function, struct result *result)
{
    const char *why = NULL;
    if (!subject)
        why = "the subject is NULL";
    else if (!GB_HAS(subject, run))
        why = "the subject's size is not set: expected .size = sizeof (struct gbrun_subject)";
    else if (!subject->run)
        why = "the subject has no run";
    else if (subject->flags & ~(uint32_t)(GBRUN_SYNCHRONIZES | GBRUN_SINGLE | GBRUN_EVERY_CALL |
                                          GBRUN_PREFERS_GRAPH))
        why = "the subject has a flag that is not known";
    else if (GB_HAS(subject, entry_ns) && !(subject->entry_ns >= 0 && subject->entry_ns <= 1e6))
        why = "the subject's entry_ns is not from 0 to 1e6";
    else if (callback_is_inside())
        why = "called from within a callback of another call";
    if (why)
        result_fail(result, GB_INVALID, arena_printf(&result->arena, "%s: %s", function, why));
    return result->seen.status == GB_OK;
}

/* Without an index it is the device of what the program has current. */
static void follow_guest(struct call *call, const struct device_list *known)
{
    const struct device_choice *choice = &call->request.bench_case.device;
    const int32_t index = call->state.index;
    for (size_t i = 0; i < known->n && choice->index == DEVICE_INDEX_ANY && !choice->uuid; i++)
        if ((int32_t)known->items[i].info.index == index)
            call->device = &known->items[i];
}

static int32_t choose_device(struct call *call, struct gb_error *error)
{
    struct arena *arena = &call->result->arena;
    struct request *request = &call->request;
    struct device_list known;
    struct device_set set = {0};
    int32_t status = devices_known(request->devices, request->n_devices, request->n_auto,
                                   &request->bench_case, arena, &known, error);
    if (status == GB_OK)
        status = devices_choose(&known, &request->bench_case, DISTRIBUTE_EACH, arena, &set, error);
    if (status == GB_OK && set.n > 1)
        status = error_set(
            error, GB_INVALID,
            "device = %s:all: a call measures on one device: expected %s:0 to %s:%zu",
            set.items[0]->settings->name, set.items[0]->settings->name,
            set.items[0]->settings->name, set.n - 1);
    if (status != GB_OK)
        return status;
    call->device = set.items[0];
    call->guest = guest_of(call->device->settings->info);
    call->state = guest_enter(call->guest);
    follow_guest(call, &known);
    call->device_text = arena_printf(arena, "%s:%u", call->device->settings->name,
                                     call->device->info.index);
    return GB_OK;
}

static void prepare(struct call *call, const struct gbrun_subject *subject, const char *settings,
                    int side)
{
    const bool is_verified = GB_HAS(subject, verify) && subject->verify;
    struct result *result = call->result;
    struct error_list errors = {0};
    struct gb_error error;
    const struct catalogue *catalogue;
    if (library_catalogue(&catalogue, &error) != GB_OK) {
        result_fail(result, error.status, error.text);
        return;
    }
    if (request_read(settings ? settings : "", side, catalogue, &result->arena, &call->request,
                     &errors) != GB_OK)
        result_fail_with(result, &errors);
    else if (call->request.bench_case.n_tolerances > 0 && !is_verified)
        result_fail(result, GB_INVALID,
                    arena_printf(&result->arena,
                                 "'check.%s': nothing is compared: expected a subject with verify",
                                 call->request.bench_case.tolerances[0].metric));
    else if (choose_device(call, &error) != GB_OK)
        result_fail(result, error.status, error.text);
    error_list_free(&errors);
}

static int32_t status_of(int status)
{
    switch (status) {
    case CASE_OK:
        return GB_OK;
    case CASE_SKIPPED:
        return GB_SKIPPED;
    case CASE_CANCELLED:
        return GB_CANCELLED;
    case CASE_DEVICE_ERROR:
        return GB_DEVICE_ERROR;
    case CASE_WRONG_RESULT:
        return GB_WRONG_RESULT;
    default:
        return GB_FAILED;
    }
}

static void begin_record(struct call *call, struct bench_case *given)
{
    struct collector *collector = &call->result->collector;
    struct bench_case *bench_case = &call->request.bench_case;
    char started[UTC_TEXT];
    bench_case->device.settings = call->device->settings; /* where it was auto */
    *given = *bench_case;
    given->device = (struct device_choice){.settings = call->device->settings,
                                           .index = (int32_t)call->device->info.index};
    given->uid = call->uid;
    given->profile = "";
    bench_case_uid(bench_case, call->device->info.model, call->uid);
    collector_begin(collector, bench_case, call->uid, 0);
    utc_text(started);
    collector->record.started = arena_text(&collector->arena, started);
    uuid_new(collector->record.uuid);
    call->result->has_collector = true;
}

static void end_record(struct call *call, struct case_outcome *outcome)
{
    struct result *result = call->result;
    struct gb_error error;
    if (result->is_corrupt && outcome->status == CASE_OK) {
        outcome->status = CASE_FAILED;
        snprintf(outcome->text, sizeof outcome->text, "more messages than a case may have");
    }
    record_warn_of_others(&result->collector);
    collector_finish(&result->collector, outcome->status, outcome->text);
    if (outcome->status != CASE_OK)
        result_fail(result, status_of(outcome->status),
                    *outcome->text ? outcome->text : case_status_word(outcome->status));
    result_fill(result, call->device_text, &call->device->info);
    if (results_append(&call->request, call->device, &result->collector, &error) != GB_OK)
        result_fail(result, error.status, error.text);
}

/* Between the program's own locale and floating-point mode, in which its callbacks are called. */
static void measure(struct call *call, struct plugin_mode *outside)
{
    const bool is_its_device = (int32_t)call->device->info.index == call->state.index;
    struct open_session *session = device_session(call->device, is_its_device ? call->state.key : 0,
                                                  result_take);
    struct bench_case given;
    struct case_outcome outcome;
    begin_record(call, &given);
    const double begin_ns = host_clock_ns();
    session->link.receiver_context = call->result;
    session_lend(session->session, callback_plugin(call->callback));
    host_cancel_reset(callback_polls, call->callback);
    link_sink_repeat_warnings(&session->sink);
    plugin_mode_enter(outside);
    case_run(session->session, &session->link, &session->sink.sink, &given, NULL, &outcome);
    plugin_mode_leave(outside);
    host_cancel_reset(NULL, NULL);
    call->result->collector.record.wall_ns = host_clock_ns() - begin_ns;
    end_record(call, &outcome);
    if (outcome.is_poisoned || outcome.is_spent)
        device_close(session);
    guest_leave(call->guest, &call->state);
}

void call_measure(const struct gbrun_subject *subject, const char *settings, int side,
                  struct result *result, struct ab_params *ret_ab)
{
    struct call call = {.result = result};
    struct plugin_mode outside;
    plugin_mode_adopt(&outside);
    prepare(&call, subject, settings, side);
    if (result->seen.status == GB_OK) {
        call.callback = callback_begin(subject);
        measure(&call, &outside);
        callback_end(call.callback);
    }
    if (ret_ab)
        *ret_ab = call.request.ab;
    plugin_mode_enter(&outside);
}

/* The thread that has the turn is not in a child, which would wait for ever. */
const char *call_turn_begin(void)
{
    const pid_t owner = __atomic_load_n(&turn_owner, __ATOMIC_RELAXED), self = getpid();
    if (owner && owner != self)
        return "this process was forked while another thread measured: expected one that is "
               "started anew, or forked before";
    pthread_mutex_lock(&turn);
    __atomic_store_n(&turn_owner, self, __ATOMIC_RELAXED);
    return NULL;
}

void call_turn_end(void)
{
    __atomic_store_n(&turn_owner, 0, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&turn);
}

const struct gbrun_result *gbrun_measure(const struct gbrun_subject *subject, const char *settings)
{
    struct result *result = result_new();
    if (!call_is_sound(subject, "gbrun_measure", result))
        return &result->seen;
    const char *why = call_turn_begin();
    if (why) {
        result_fail(result, GB_FAILED, why);
        return &result->seen;
    }
    call_measure(subject, settings, SIDE_NONE, result, NULL);
    call_turn_end();
    return &result->seen;
}

void gbrun_cancel(void)
{
    host_cancel();
}

void gbrun_release(void)
{
    if (callback_is_inside() || call_turn_begin())
        return;
    devices_release();
    results_release();
    call_turn_end();
}

const char *gbrun_version(void)
{
    return GBRUN_VERSION;
}
