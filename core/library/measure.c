/* measure.c - see gbrun/measure.h: a call, from settings to result; a comparison, made of them. */
#include "core/base/host_clock.h"
#include "core/base/members.h"
#include "core/base/random.h"
#include "core/base/statistics.h"
#include "core/compare/comparison.h"
#include "core/library/library.h"
#include "core/run/case_state.h"
#include "core/run/repeats.h"
#include "core/store/visits.h"

#include <gbrun/measure.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One call at a time: two would disturb each other, and plugins are for one thread. */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static pid_t turn_owner; /* the process that measures; 0: none. Not a child of it */

/* What a call gives back, while it is gathered and as the program sees it. */
struct result {
    struct gbrun_result seen; /* the program's; first, as gbrun_free is given it */
    struct arena arena;       /* of the request, too, which the record points to */
    struct collector collector;
    bool has_collector;
    bool is_corrupt;      /* a message could not be taken */
    struct result *first; /* of a further visit: that of the first, whose request it is; NULL */
};

static struct result *result_new(void)
{
    struct result *result = memory_allocate(sizeof *result);
    result->seen = (struct gbrun_result){.size = sizeof result->seen,
                                         .error = "",
                                         .time_ns = NAN,
                                         .low_ns = NAN,
                                         .high_ns = NAN,
                                         .confidence = NAN,
                                         .median_ns = NAN,
                                         .statistic = "",
                                         .verdict_text = "",
                                         .reason = "",
                                         .note = "",
                                         .clock = "",
                                         .way = "",
                                         .device = "",
                                         .device_model = "",
                                         .device_uuid = ""};
    return result;
}

/* What went wrong; the first error counts. */
static void result_fail(struct result *result, int32_t status, const char *text)
{
    if (result->seen.status != GB_OK)
        return;
    result->seen.status = status;
    result->seen.error = arena_text(&result->arena, text);
}

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

/* Takes a message of the case. */
static void result_take(void *context, uint32_t type, struct wire_reader *payload)
{
    struct result *result = context;
    if (!result->is_corrupt && collector_take(&result->collector, type, payload) != GB_OK)
        result->is_corrupt = true;
}

/* ---- the record, as the program sees it ---- */

/* Members of one name, up to eight. */
#define COPY(to, from, ...) (void)(FOR_MEMBERS(COPY_ONE, to, from, __VA_ARGS__))
#define COPY_ONE(to, from, member) ((to)->member = (from)->member)

static void fill_estimate(struct gbrun_result *seen, struct arena *arena,
                          const struct gb_estimate *estimate, int32_t verdict)
{
    COPY(seen, estimate, low_ns, high_ns, confidence, statistic, verdict, note, n_discarded,
         n_effective);
    seen->time_ns = estimate->value_ns;
    seen->verdict = verdict;
    seen->verdict_text = verdict_words(verdict);
    seen->n_modes = estimate->n_modes > 1 ? estimate->n_modes : 0;
    struct gbrun_mode *modes = ARENA_ARRAY(arena, struct gbrun_mode, seen->n_modes);
    for (uint32_t i = 0; i < seen->n_modes; i++)
        modes[i] = (struct gbrun_mode){estimate->modes[i].median_ns, estimate->modes[i].low_ns,
                                       estimate->modes[i].high_ns, estimate->modes[i].weight};
    seen->modes = modes;
}

static const double *column(const struct case_record *record, const char *name)
{
    const struct sample_column *found = ITEM_NAMED(record->columns, record->n_columns, name, name);
    return found ? found->values : NULL;
}

static void fill_samples(struct gbrun_result *seen, const struct case_record *record)
{
    const double *throttle = column(record, "throttle");
    seen->n_samples = record->n_samples;
    seen->samples_ns = column(record, record->clock);
    seen->elapsed_ns = column(record, "elapsed");
    seen->iterations = record->iterations;
    seen->n_lost = record->n_lost;
    if (seen->samples_ns)
        seen->median_ns = summary_of(seen->samples_ns, seen->n_samples).median;
    for (uint64_t i = 0; throttle && i < record->n_samples; i++)
        seen->n_throttled += throttle[i] != 0;
}

static void fill_way(struct gbrun_result *seen, const struct case_record *record)
{
    const char *launched = record->launched ? record->launched : "";
    COPY(seen, record, clock, tick_ns, overhead_ns, offset_ns, offset_error_ns, graph_ns);
    COPY(seen, &record->pace, load_ns, clock_mean_hz, clock_low_hz, clock_high_hz);
    seen->way = record->reading_note ? record->reading_note : "";
    seen->flags |= seen->n_throttled > 0 ? GBRUN_THROTTLED : 0;
    seen->flags |= record->is_dithered ? GBRUN_DITHERED : 0;
    seen->flags |= text_equal(launched, launch_word(GB_LAUNCH_GRAPH)) ? GBRUN_GRAPH : 0;
    seen->flags |= record->bench_case->common.cache == GB_CACHE_COLD ? GBRUN_COLD : 0;
}

static void fill_activities(struct gbrun_result *seen, struct arena *arena,
                            const struct case_record *record)
{
    struct gbrun_activity *all = ARENA_ARRAY(arena, struct gbrun_activity, record->n_activities);
    for (size_t i = 0; i < record->n_activities; i++) {
        const struct gb_activity *from = &record->activities[i];
        struct gbrun_activity *to = &all[i];
        COPY(to, from, kind, name, registers, parallel, shared_bytes, bytes, occupancy);
        COPY(to, from, time_ns, low_ns, high_ns, gap_ns);
        to->size = sizeof *to;
        memcpy(to->grid, from->grid, sizeof to->grid);
        memcpy(to->block, from->block, sizeof to->block);
    }
    seen->activities_known = record->has_activities;
    seen->n_activities = record->n_activities;
    seen->activities = all;
    seen->n_kernels = record->n_kernels;
}

static void fill_notes(struct gbrun_result *seen, struct arena *arena,
                       const struct case_record *record)
{
    struct gbrun_message *messages = ARENA_ARRAY(arena, struct gbrun_message, record->n_messages);
    struct gbrun_metric *metrics = ARENA_ARRAY(arena, struct gbrun_metric, record->n_metrics);
    for (size_t i = 0; i < record->n_messages; i++)
        messages[i] = (struct gbrun_message){.severity = record->messages[i].severity,
                                             .text = record->messages[i].text};
    for (size_t i = 0; i < record->n_metrics; i++)
        metrics[i] = (struct gbrun_metric){record->metrics[i].name, record->metrics[i].value,
                                           record->metrics[i].unit};
    seen->n_messages = record->n_messages;
    seen->messages = messages;
    seen->n_metrics = record->n_metrics;
    seen->metrics = metrics;
}

static void fill_checks(struct gbrun_result *seen, struct arena *arena,
                        const struct case_record *record)
{
    struct gbrun_compared *checks = ARENA_ARRAY(arena, struct gbrun_compared, record->n_checks);
    for (size_t i = 0; i < record->n_checks; i++) {
        const struct check_record *from = &record->checks[i];
        COPY(&checks[i], from, name, metric, value, tolerance, index, reference, output, text);
        checks[i].passed = from->passed;
    }
    seen->n_checks = record->n_checks;
    seen->checks = checks;
}

/* Once the collector has finished. */
static void result_fill(struct result *result, const struct known_device *device)
{
    struct gbrun_result *seen = &result->seen;
    const struct case_record *record = &result->collector.record;
    seen->device = device->label;
    seen->device_model = arena_text(&result->arena, device->info.model);
    seen->device_uuid = arena_text(&result->arena, device->info.uuid);
    if (record->has_estimate && (seen->status == GB_OK || seen->status == GB_WRONG_RESULT))
        fill_estimate(seen, &result->arena, &record->estimate,
                      verdict_of_visit(record->estimate.verdict));
    seen->reason = record->stop_reason;
    fill_samples(seen, record);
    fill_way(seen, record);
    fill_activities(seen, &result->arena, record);
    fill_notes(seen, &result->arena, record);
    fill_checks(seen, &result->arena, record);
}

void gbrun_free(const struct gbrun_result *seen)
{
    struct result *result = (struct result *)(uintptr_t)seen;
    if (!result)
        return;
    if (result->has_collector)
        collector_free(&result->collector);
    if (result->first)
        gbrun_free(&result->first->seen);
    arena_free(&result->arena);
    free(result);
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

/* False: the subject cannot be measured, and the result says why. function: for its words. */
static bool is_sound(const struct gbrun_subject *subject, const char *function,
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

/* What comparisons of results files compare, too: see store_outcomes.h. */
static double value_of(const struct gbrun_result *result)
{
    const bool is_centre = text_equal(result->statistic, "median") ||
                           (text_equal(result->statistic, "mean") &&
                            (result->flags & GBRUN_DITHERED));
    return is_centre && result->time_ns > 0 && isfinite(result->time_ns) ? result->time_ns
                                                                         : result->median_ns;
}

static void visits_add(struct visits *visits, struct arena *arena, const struct result *result)
{
    const struct gbrun_result *seen = &result->seen;
    const struct case_record *record = &result->collector.record;
    size_t n_outcomes = visits->n, n_values = visits->n;
    const struct outcome outcome = {.status = CASE_OK,
                                    .value = value_of(seen),
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
    fill_estimate(seen, arena, estimate, estimate->verdict);
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

/* Fills the result in, and returns it, or that of a later visit, which failed. side: SIDE_NONE, or
 * one of a comparison, whose settings ret_ab gets. */
static struct result *measure_subject(const struct gbrun_subject *subject, const char *settings,
                                      int side, struct result *result, struct ab_params *ret_ab)
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
    if (!is_sound(subject, "gbrun_measure", result))
        return &result->seen;
    const char *why = turn_begin();
    if (why) {
        result_fail(result, GB_FAILED, why);
    } else {
        result = measure_subject(subject, settings, SIDE_NONE, result, NULL);
        turn_end();
    }
    return &result->seen;
}

/* ---- two subjects in turn, until it is certain which takes longer ---- */

struct versus {
    struct gbrun_comparison seen; /* the program's; first, as it is given back for free */
    struct arena arena;
    const struct gbrun_subject *subjects[SIDES];
    const char *settings;
    struct ab_params ab;
    struct result *last[SIDES]; /* of the last visit */
    double *values[SIDES];      /* of the rounds */
    size_t n_values[SIDES];
    double steps[SIDES]; /* of the clock, over the value of the first round */
};

static void fail(struct versus *versus, int32_t status, const char *side, const char *words)
{
    versus->seen.status = status;
    versus->seen.error = arena_printf(&versus->arena, "%s: %s", side, words);
}

static bool visit(struct versus *versus, int side)
{
    struct result *result = result_new();
    gbrun_free(versus->last[side] ? &versus->last[side]->seen : NULL);
    versus->last[side] = result;
    measure_subject(versus->subjects[side], versus->settings, side, result, &versus->ab);
    const struct gbrun_result *seen = &result->seen;
    const double value = value_of(seen);
    if (seen->status == GB_INVALID) {
        versus->seen.status = seen->status; /* of settings, which are those of both */
        versus->seen.error = seen->error;
    } else if (seen->status != GB_OK) {
        fail(versus, seen->status, side_words[side], seen->error);
    } else if (!(value > 0)) {
        fail(versus, GB_FAILED, side_words[side], "reads no time: there is no ratio");
    } else {
        if (versus->n_values[side] == 0 && !(seen->flags & GBRUN_DITHERED))
            versus->steps[side] = seen->tick_ns / (double)seen->iterations / value;
        MEMORY_APPEND(versus->values[side], versus->n_values[side], value);
    }
    return versus->seen.status == GB_OK;
}

static struct comparison judge(const struct versus *versus, bool goes_on)
{
    const size_t n_base = versus->n_values[SIDE_BASE], n_new = versus->n_values[SIDE_NEW];
    struct comparison judged = {0};
    struct compared_rounds rounds = {.a = versus->values[SIDE_BASE],
                                     .b = versus->values[SIDE_NEW],
                                     .n = n_base < n_new ? n_base : n_new,
                                     .step_a = versus->steps[SIDE_BASE],
                                     .step_b = versus->steps[SIDE_NEW],
                                     .ret = &judged};
    compare_judge_rounds(&rounds, 1, versus->ab.margin, 1 - versus->ab.alpha, goes_on);
    return judged;
}

enum { BLOCK_STREAM = 0x626c6f63 }; /* of the order of sides in blocks of rounds */

/* Before the first visit nothing is known of max_rounds. */
static void measure_rounds(struct versus *versus)
{
    for (int64_t round = 0; round == 0 || round < versus->ab.max_rounds; round++) {
        const uint64_t block = (uint64_t)round / SIDES;
        const int first = (int)((uint64_t)round + random_below(0, BLOCK_STREAM, block, SIDES)) %
                          SIDES;
        if (!visit(versus, first) || !visit(versus, SIDE_BASE + SIDE_NEW - first) ||
            judge(versus, true).verdict != COMPARED_UNCLEAR)
            return;
    }
}

static int32_t verdict_number(int verdict)
{
    return verdict == COMPARED_SAME      ? GBRUN_SAME
           : verdict == COMPARED_CHANGED ? GBRUN_CHANGED
           : verdict == COMPARED_FASTER  ? GBRUN_FASTER
           : verdict == COMPARED_SLOWER  ? GBRUN_SLOWER
                                         : GBRUN_UNCLEAR;
}

static double geometric_mean(const double *values, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += log(values[i]);
    return n > 0 ? exp(sum / (double)n) : NAN;
}

static const struct gbrun_result *last_of(const struct versus *versus, int side)
{
    return versus->last[side] ? &versus->last[side]->seen : NULL;
}

static void conclude(struct versus *versus, bool goes_on)
{
    struct gbrun_comparison *seen = &versus->seen;
    const struct comparison judged = judge(versus, goes_on);
    if (judged.n_rounds >= SEQUENCE_FIRST) {
        seen->ratio = exp(judged.theta);
        seen->ratio_low = exp(judged.low);
        seen->ratio_high = exp(judged.high);
    }
    if (seen->status == GB_OK) {
        seen->verdict = verdict_number(judged.verdict);
        seen->verdict_text = compared_word(judged.verdict);
        seen->n_needed = judged.n_needed;
    }
    seen->margin = versus->ab.margin;
    seen->alpha = versus->ab.alpha;
    seen->n_rounds = judged.n_rounds;
    seen->base_ns = geometric_mean(versus->values[SIDE_BASE], judged.n_rounds);
    seen->new_ns = geometric_mean(versus->values[SIDE_NEW], judged.n_rounds);
    seen->base_rounds_ns = versus->values[SIDE_BASE];
    seen->new_rounds_ns = versus->values[SIDE_NEW];
    seen->base_result = last_of(versus, SIDE_BASE);
    seen->new_result = last_of(versus, SIDE_NEW);
}

/* Both, before anything is measured. */
static bool are_sound(struct versus *versus)
{
    bool are_both = true;
    for (int side = 0; side < SIDES && are_both; side++) {
        struct result *result = result_new();
        are_both = is_sound(versus->subjects[side], "gbrun_compare", result);
        if (!are_both)
            fail(versus, result->seen.status, side_words[side], result->seen.error);
        gbrun_free(&result->seen);
    }
    return are_both;
}

static struct versus *versus_new(const char *settings)
{
    struct versus *versus = memory_allocate(sizeof *versus);
    versus->seen = (struct gbrun_comparison){.size = sizeof versus->seen,
                                             .error = "",
                                             .ratio = NAN,
                                             .ratio_low = NAN,
                                             .ratio_high = NAN,
                                             .verdict_text = compared_word(COMPARED_UNCLEAR)};
    versus->settings = settings;
    return versus;
}

/* Takes the turn; false: it cannot, and the comparison says why. */
static bool versus_turn(struct versus *versus)
{
    const char *why = turn_begin();
    if (why) {
        versus->seen.status = GB_FAILED;
        versus->seen.error = why;
    }
    return !why;
}

const struct gbrun_comparison *gbrun_compare(const struct gbrun_subject *base,
                                             const struct gbrun_subject *other,
                                             const char *settings)
{
    struct versus *versus = versus_new(settings);
    versus->seen.flags = GBRUN_IN_THIS_PROCESS;
    versus->subjects[SIDE_BASE] = base;
    versus->subjects[SIDE_NEW] = other;
    if (are_sound(versus) && versus_turn(versus)) {
        measure_rounds(versus);
        turn_end();
    }
    conclude(versus, false);
    return &versus->seen;
}

/* Reads settings for their [ab NAME]. */
static void read_rule(struct versus *versus)
{
    struct result *result = result_new();
    struct call call = {.result = result};
    struct error_list errors = {0};
    struct gb_error error;
    const struct catalogue *catalogue;
    if (library_catalogue(&catalogue, &error) != GB_OK)
        result_fail(result, error.status, error.text);
    else if (request_read(versus->settings ? versus->settings : "", SIDE_BASE, catalogue,
                          &result->arena, &call.request, &errors) != GB_OK)
        result_fail(result, GB_INVALID, error_lines(&errors, &result->arena));
    error_list_free(&errors);
    versus->ab = call.request.ab;
    versus->seen.status = result->seen.status;
    versus->seen.error = arena_text(&versus->arena, result->seen.error);
    gbrun_free(&result->seen);
}

const struct gbrun_comparison *gbrun_compare_rounds(const double *base_ns, const double *new_ns,
                                                    uint64_t n, double step, const char *settings)
{
    const double *const sides[SIDES] = {base_ns, new_ns};
    struct versus *versus = versus_new(settings);
    if (versus_turn(versus)) {
        read_rule(versus);
        turn_end();
    }
    for (int side = 0; side < SIDES && versus->seen.status == GB_OK; side++) {
        versus->steps[side] = step;
        for (uint64_t i = 0; i < n && versus->seen.status == GB_OK; i++)
            if (sides[side][i] > 0 && isfinite(sides[side][i]))
                MEMORY_APPEND(versus->values[side], versus->n_values[side], sides[side][i]);
            else
                fail(versus, GB_INVALID, side_words[side], "a round takes no time above 0");
    }
    const bool goes_on = n < (uint64_t)versus->ab.max_rounds;
    conclude(versus, goes_on);
    if (goes_on && versus->seen.status == GB_OK && versus->seen.verdict == GBRUN_UNCLEAR)
        versus->seen.flags |= GBRUN_GOES_ON;
    return &versus->seen;
}

void gbrun_comparison_free(const struct gbrun_comparison *seen)
{
    struct versus *versus = (struct versus *)(uintptr_t)seen;
    if (!versus)
        return;
    for (int side = 0; side < SIDES; side++) {
        gbrun_free(last_of(versus, side));
        free(versus->values[side]);
    }
    arena_free(&versus->arena);
    free(versus);
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
