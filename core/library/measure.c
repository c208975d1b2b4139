/* measure.c - see gbrun/measure.h: a call, from settings to result. */
#include "core/base/host_clock.h"
#include "core/library/library.h"
#include "core/run/case_state.h"
#include "core/run/repeats.h"
#include "core/store/visits.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

/* One call at a time: two would disturb each other, and plugins are for one thread. */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static pid_t turn_owner; /* the process that measures; 0: none. Not a child of it */

const char *error_lines(const struct error_list *errors, struct arena *arena)
{
    CLEANUP(text_free) struct text text = {0};
    for (size_t i = 0; i < errors->n; i++) {
        const struct origin *origin = &errors->items[i].origin;
        text_add(&text, i ? "\n" : "");
        if (origin->line > 0)
            text_printf(&text, "%s:%u:%u: ", origin->file, origin->line, origin->column);
        text_add(&text, errors->items[i].text);
    }
    return arena_text(arena, text_get(&text));
}

/* ---- a call ---- */

/* A call, from settings to result. */
struct call {
    struct callback *callback;
    struct result *result;
    struct request request;
    const struct known_device *device;
    const struct gb_guest *guest; /* of the device's plugin, or NULL */
    struct gb_guest_state state;  /* what the program has current */
    char uid[CASE_UID_TEXT];
};

/* What one iteration does, of what the caller's struct has. */
static bool is_work(const struct gbrun_subject *subject)
{
    const double amounts[] = {
        GB_HAS(subject, flops) ? subject->flops : 0,
        GB_HAS(subject, bytes_read) ? subject->bytes_read : 0,
        GB_HAS(subject, bytes_written) ? subject->bytes_written : 0,
        GB_HAS(subject, items) ? subject->items : 0,
    };
    for (size_t i = 0; i < sizeof amounts / sizeof *amounts; i++)
        if (!(amounts[i] >= 0 && isfinite(amounts[i])))
            return false;
    return true;
}

bool subject_is_sound(const struct gbrun_subject *subject, const char *function,
                      struct result *result)
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
    else if (!is_work(subject))
        why = "the subject's flops, bytes_read, bytes_written and items: expected finite numbers "
              "that are not negative";
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
        result_fail(result, GB_INVALID, error_lines(&errors, &result->arena));
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
    case CASE_CONTRADICTED:
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
    result_fill(result, call->device);
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
    session_lend(session->session, &call->callback->plugin);
    link_repeat_warnings(&session->link);
    plugin_mode_enter(outside);
    case_run(session->session, &session->link, &given, NULL, &outcome);
    plugin_mode_leave(outside);
    call->result->collector.record.wall_ns = host_clock_ns() - begin_ns;
    end_record(call, &outcome);
    if (outcome.is_poisoned || outcome.is_spent)
        device_close(session);
    guest_leave(call->guest, &call->state);
}

/* What is known of a call's visits: of the first all, of others what they are combined by. */
struct visits {
    struct case_record *records;
    struct outcome *outcomes; /* as results files have them, see store_outcomes.h */
    double *values;           /* of these */
    size_t n;
};

static void visits_add(struct visits *visits, struct arena *arena, const struct result *result)
{
    const struct gbrun_result *seen = &result->seen;
    const struct case_record *record = &result->collector.record;
    size_t n_outcomes = visits->n, n_values = visits->n;
    const struct outcome outcome = {.status = CASE_OK,
                                    .value = result_value(seen),
                                    .low_ns = seen->low_ns,
                                    .high_ns = seen->high_ns,
                                    .verdict = record->estimate.verdict,
                                    .precision = record->estimate.precision,
                                    .confidence = seen->confidence,
                                    .fixed_ns = record_fixed_ns(record),
                                    .n_samples = (double)record->estimate.n,
                                    .begun_ns = utc_ns(record->started),
                                    .sampled_ns = record->interference.sampled_ns};
    ARENA_APPEND(arena, visits->outcomes, n_outcomes, outcome);
    ARENA_APPEND(arena, visits->values, n_values, outcome.value);
    ARENA_APPEND(arena, visits->records, visits->n, *record);
}

static void combine(struct result *first, const struct visits *visits)
{
    struct gbrun_result *seen = &first->seen;
    struct arena *arena = &first->arena;
    struct gb_estimate *estimate = ARENA_NEW(arena, struct gb_estimate);
    const struct case_record **records = ARENA_ARRAY(arena, const struct case_record *, visits->n);
    for (size_t i = 0; i < visits->n; i++)
        records[i] = &visits->records[i];
    visits_combine(records, visits->values, visits->n, estimate);
    visits_widen(records, visits->n, estimate);
    estimate->n_discarded = seen->n_discarded; /* of the samples that are there */
    estimate->n_effective = seen->n_effective;
    result_fill_estimate(seen, arena, estimate, estimate->verdict);
}

/* Are these visits all that its rounds ask for? A side of a comparison has one. */
static bool are_enough(const struct call *call, const struct visits *visits)
{
    const struct bench_case *bench_case = &call->request.bench_case;
    return call->request.side != SIDE_NONE ||
           (bench_case_repeats(bench_case)
                ? !repeats_is_open(visits->outcomes, visits->n, bench_case->common.max_time_ns)
                : visits->n >= (size_t)bench_case_rounds(bench_case));
}

/* Visits until one fails, whose result is returned, or they are enough: then that of the first,
 * with the estimate of all. */
static struct result *visit_all(struct call *call, struct plugin_mode *outside)
{
    struct result *first = call->result, *last;
    struct bench_case given = call->request.bench_case;
    struct visits visits = {0};
    for (;;) {
        measure(call, outside);
        last = call->result;
        if (last->seen.status != GB_OK)
            break;
        visits_add(&visits, &first->arena, last);
        first->seen.flags |= last->seen.flags & GBRUN_THROTTLED;
        if (last != first)
            gbrun_free(&last->seen);
        last = first;
        if (are_enough(call, &visits))
            break;
        call->result = result_new();
        call->state = guest_enter(call->guest);
        call->request.bench_case = given;
        bench_case_set_round(&call->request.bench_case, visits.n);
    }
    last->first = last != first ? first : NULL;
    last->seen.n_rounds = visits.n;
    last->seen.rounds_ns = visits.values;
    if (last == first && visits.n > 1)
        combine(first, &visits);
    return last;
}

struct result *measure_side(const struct gbrun_subject *subject, const char *settings, int side,
                            struct result *result, struct ab_params *ret_ab)
{
    struct call call = {.result = result};
    struct plugin_mode outside;
    plugin_mode_adopt(&outside);
    prepare(&call, subject, settings, side);
    if (result->seen.status == GB_OK) {
        call.callback = callback_begin(subject);
        host_cancel_reset(callback_polls, call.callback);
        result = visit_all(&call, &outside);
        host_cancel_reset(NULL, NULL);
        callback_end(call.callback);
    }
    if (ret_ab)
        *ret_ab = call.request.ab;
    plugin_mode_enter(&outside);
    return result;
}

const char *turn_begin(void)
{
    const pid_t owner = __atomic_load_n(&turn_owner, __ATOMIC_RELAXED), self = getpid();
    if (owner && owner != self)
        return "this process was forked while another thread measured: expected a new process, or "
               "one that was forked before";
    pthread_mutex_lock(&turn);
    __atomic_store_n(&turn_owner, self, __ATOMIC_RELAXED);
    return NULL;
}

void turn_end(void)
{
    __atomic_store_n(&turn_owner, 0, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&turn);
}

const struct gbrun_result *gbrun_measure(const struct gbrun_subject *subject, const char *settings)
{
    struct result *result = result_new();
    if (!subject_is_sound(subject, "gbrun_measure", result))
        return &result->seen;
    const char *why = turn_begin();
    if (why) {
        result_fail(result, GB_FAILED, why);
    } else {
        result = measure_side(subject, settings, SIDE_NONE, result, NULL);
        turn_end();
    }
    return &result->seen;
}

/* ---- all of them ---- */

void gbrun_cancel(void)
{
    host_cancel();
}

void gbrun_release(void)
{
    if (callback_is_inside() || turn_begin())
        return;
    devices_release();
    results_release();
    turn_end();
}

const char *gbrun_version(void)
{
    return GBRUN_VERSION;
}
