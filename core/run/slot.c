/* slot.c - see run_state.h. */
#include "core/base/host_clock.h"
#include "core/run/run_state.h"
#include "core/run/strays.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    STARTS_MAX = 3,       /* of workers that end before they take it */
    SPILL_SAMPLES = 65536 /* more than this are written before the case has ended */
};
static const double cut_patience_ns = 1e9, tell_every_ns = 100e6;

/* ---- from what was measured to the results file ---- */

/* What a worker loads before does not count. */
static void record_started(struct collector *collector)
{
    char started[UTC_TEXT];
    utc_text(started);
    collector->record.started = arena_text(&collector->arena, started);
}

static void record_begin(struct collector *collector, const struct visit *visit)
{
    collector_begin(collector, &visit->bench_case, visit->uid, visit->round);
    record_started(collector);
    uuid_new(collector->record.uuid);
    if (*visit->uuid)
        memcpy(collector->record.uuid, visit->uuid, sizeof visit->uuid);
    collector->record.attempt = visit->attempt;
}

void record_lock(struct collector *collector, const struct device_state *state)
{
    collector->record.lock_wait_ns += state->waited_ns;
    if (state->note.length > 0)
        collector_warn(collector, text_get(&state->note));
}

/* Of the device that the case has opened; 0: it did not get there. */
static int64_t device_id(struct run *run, struct slot *slot)
{
    const struct known_device *device = slot->device;
    int64_t *id = &run_device(run, device)->id;
    if (slot->collector.n_clocks == 0)
        return 0;
    if (*id != 0)
        return *id;
    CLEANUP(arena_free) struct arena arena = {0};
    struct device_record record = device_record_of(device, &slot->collector, &arena);
    struct gb_error error;
    if (store_device(run->plan->store, run->plan->run_id, &record, id, &error) != GB_OK)
        run_fail(run, &error);
    return *id;
}

/* Deletes what was written of a case that is measured anew. */
static void record_forget(struct run *run, struct slot *slot)
{
    struct collector *collector = &slot->collector;
    struct gb_error error;
    if (collector->is_anew &&
        store_forget(run->plan->store, collector->record.uuid, &error) != GB_OK)
        run_fail(run, &error);
    collector->is_anew = false;
}

/* Writes the samples of a long recording before its case has ended. */
static void record_spill(struct run *run, struct slot *slot)
{
    struct collector *collector = &slot->collector;
    struct gb_error error;
    if (collector->n < SPILL_SAMPLES)
        return;
    collector->record.device_id = device_id(run, slot);
    for (size_t i = 0; i < collector->n_columns; i++)
        collector->views[i].values = collector->columns[i];
    if (store_samples(run->plan->store, run->plan->run_id, &collector->record,
                      collector->n_handed_on, collector->n, collector->views, collector->n_columns,
                      &error) != GB_OK)
        run_fail(run, &error);
    collector_handed_on(collector);
}

/* A row for each build that ran; a message when there is another one. */
static void note_build(struct run *run, const struct plugin_info *info, const char *sha256)
{
    struct gb_error error;
    for (size_t i = 0; i < run->n_builds; i++)
        if (run->builds[i].info == info && text_equal(run->builds[i].sha256, sha256))
            return;
    struct known_build *build = MEMORY_ADD(run->builds, run->n_builds);
    build->info = info;
    snprintf(build->sha256, sizeof build->sha256, "%s", sha256);
    const struct module_record module = module_record_of(info, sha256);
    if (store_module(run->plan->store, run->plan->run_id, &module, &error) != GB_OK)
        run_fail(run, &error);
    if (!text_equal(info->sha256, sha256))
        progress_line(run->plan->progress,
                      "gbrun: %s is a different build than the run began with (%.12s, not %.12s): "
                      "each case says which it ran",
                      info->path, sha256, info->sha256);
}

static void conclude(struct run *run, struct visit *visit, struct collector *collector, int status,
                     const char *text)
{
    struct gb_error error;
    collector_finish(collector, status, text);
    collector->record.sequence = run->sequence++;
    for (uint32_t kind = GB_PLUGIN_BENCH; kind <= GB_PLUGIN_DEVICE; kind++)
        if (collector->record.builds[kind - 1])
            note_build(run, case_plugin(&visit->bench_case, kind),
                       collector->record.builds[kind - 1]);
    if (store_case(run->plan->store, run->plan->run_id, &collector->record, &error) != GB_OK) {
        run_fail(run, &error);
    } else {
        if (status == CASE_CANCELLED)
            run->counts.n_left++;
        else
            run->counts.n_bad += case_status_is_bad(status);
        progress_finished(run->plan->progress, text_get(&visit->label), &collector->record);
        events_case_end(run->plan->events, &collector->record,
                        collector->n_handed_on + collector->n);
    }
    collector_free(collector);
    visit_free(visit);
    run->has_news = true;
}

/* What the visit took beside what each visit takes. */
static void note_start(struct run *run, const struct slot *slot)
{
    const struct case_record *record = &slot->collector.record;
    const struct phases_record *phases = &record->phases;
    const double recurs_ns = fmax(0, phases->measure_ns) + fmax(0, phases->count_ns) +
                             fmax(0, phases->verify_ns);
    renewal_visit(&run_device(run, slot->device)->renewal,
                  &run->renewals[slot->visit->bench_case.position], slot->visit->round,
                  fmax(0, phases->open_ns), record->wall_ns - recurs_ns - slot->collector.load_ns);
}

/* Ends the slot's visit: commits it, then announces it. */
static void record_end(struct run *run, struct slot *slot, int status, const char *text)
{
    struct visit *visit = slot->visit;
    struct collector *collector = &slot->collector;
    record_warn_of_others(collector);
    collector->record.wall_ns = host_clock_ns() - slot->begin_ns;
    note_start(run, slot);
    collector->record.device_id = device_id(run, slot);
    if (!slot->has_begun)
        events_case_begin(run->plan->events, visit, &collector->record);
    so_far_free(&slot->so_far);
    slot->visit = NULL;
    run_unlock(run, slot->device);
    slot->has_opened = slot->has_opened || collector->n_clocks > 0;
    run->plan->progress->n_running = run_count_busy(run);
    conclude(run, visit, collector, status, text);
}

void record_refusal(struct run *run, struct visit *visit)
{
    struct collector collector;
    record_begin(&collector, visit);
    events_case_begin(run->plan->events, visit, &collector.record);
    const bool is_skipped = visit->devices.n == 0 &&
                            devices_lack(run->plan->schedule.devices, &visit->bench_case);
    conclude(run, visit, &collector, is_skipped ? CASE_SKIPPED : CASE_FAILED, visit->refusal);
}

void record_ended(struct run *run, struct visit *visit)
{
    struct collector *collector = visit->ended;
    visit->ended = NULL;
    collector->record.build_ns = visit->build_ns;
    events_case_begin(run->plan->events, visit, &collector->record);
    conclude(run, visit, collector, collector->record.status, collector->record.status_text);
    free(collector);
}

/* ---- a worker is started, and ended ---- */

/* With the environment of the visit, and the devices of the device's group. */
static int32_t start_worker(struct worker_process *process, struct visit *visit,
                            const struct known_device *device, struct gb_error *error)
{
    const size_t n = visit->bench_case.n_environment;
    const struct case_devices *group = &device->group;
    struct environment_variable *variables = ARENA_ARRAY(&visit->arena, struct environment_variable,
                                                         n + 3);
    size_t n_all = n;
    for (size_t i = 0; i < n; i++)
        variables[i] = visit->bench_case.environment[i];
    if (group->n > 0)
        variables[n_all++] = group->variable;
    if (bench_case_is_counted(&visit->bench_case)) { /* the case's own come first, and count */
        variables[n_all++] = (struct environment_variable){WORKER_FIXED, "1"};
        variables[n_all++] = (struct environment_variable){"PYTHONHASHSEED", "0"};
    }
    return worker_start(process, variables, n_all, error);
}

/* The worker that was asked for the device, if it has the visit's environment. */
static bool take_spare(struct spare_worker *spare, const struct visit *visit,
                       const struct known_device *device, struct worker_process *ret)
{
    if (!spare->process.pid || !text_equal(spare->device, device->settings->name) ||
        (spare->opened && !text_equal(spare->opened, device->label)) || *visit->environment ||
        device->group.n > 0)
        return false;
    *ret = spare->process;
    spare->process = (struct worker_process){0};
    spare_worker_end(spare);
    return true;
}

bool slot_open(struct slot *slot, struct run *run, struct visit *visit,
               const struct known_device *device)
{
    struct gb_error error;
    *slot = (struct slot){.run = run, .device = device};
    const bool is_lane = slot_is_lane(slot);
    if (run->plan->worker && !is_lane) {
        slot->process = *run->plan->worker;
    } else if ((is_lane || !take_spare(run->plan->spare, visit, device, &slot->process)) &&
               start_worker(&slot->process, visit, device, &error) != GB_OK) {
        run_fail(run, &error);
        return false;
    }
    slot->environment = memory_copy_text(visit->environment);
    slot->is_alive = slot->is_fresh = true;
    return true;
}

static bool is_judged(const struct visit *visit)
{
    return visit->bench_case.common.verify == VERIFY_JUDGE;
}

void slot_begin(struct slot *slot, struct visit *visit)
{
    record_begin(&slot->collector, visit);
    if (slot->is_fresh && !slot_is_lane(slot))
        renewal_start(&run_device(slot->run, slot->device)->renewal, visit->round, host_clock_ns());
    slot->is_fresh = false;
    slot->collector.record.pid = slot->process.pid;
    slot->visit = visit;
    slot->has_begun = false;
    slot->has_judged |= is_judged(visit);
    slot->has_measured |= !is_judged(visit);
    slot->process.page->phase = PHASE_IDLE; /* of the case before it may still be there */
    slot->killed = KILLED_NOT;
    slot->alone = ALONE_NOT;
    slot->processor_ns = 0;
    slot->begin_ns = slot->reported_ns = host_clock_ns();
    slot->deadline_ns = awake_clock_ns() + visit->bench_case.common.time_limit_ns;
}

double slot_time_left(double limit_ns, double before_ns, double used_ns)
{
    const bool goes_on = used_ns - before_ns >= (limit_ns - before_ns) / 100;
    return goes_on && used_ns < limit_ns - 1e6 ? limit_ns - used_ns : 0;
}

static bool is_unfit_for(struct slot *slot, const char *environment)
{
    return !text_equal(slot->environment, environment) || slot->killed != KILLED_NOT ||
           worker_reap(&slot->process);
}

bool slot_is_unfit(struct slot *slot, const struct visit *visit)
{
    return (visit->bench_case.common.isolate == ISOLATE_YES && !slot->is_fresh) ||
           is_unfit_for(slot, visit->environment) ||
           (is_judged(visit) ? slot->has_measured : slot->has_judged);
}

static void on_line(void *context, const char *line)
{
    struct slot *slot = context;
    struct progress *progress = slot->run->plan->progress;
    if (slot->visit)
        collector_printed(&slot->collector, line);
    if (!progress->is_quiet)
        progress_child_line(progress, &slot->lines,
                            slot->visit ? text_get(&slot->visit->label) : "worker", line);
}

void slot_end(struct slot *slot)
{
    if (!slot->is_alive)
        return;
    const long pid = slot->process.pid;
    if (!worker_end(&slot->process, slot->is_left) && !slot_is_lane(slot)) {
        run_device(slot->run, slot->device)->is_stuck = true;
        progress_line(
            slot->run->plan->progress,
            "gbrun: process %ld was killed but does not terminate: device %s is no longer used",
            pid, slot->device->label);
    }
    if (!slot_is_lane(slot))
        renewal_end(&run_device(slot->run, slot->device)->renewal, host_clock_ns());
    free(slot->environment);
    slot->environment = NULL;
    slot->is_alive = slot->is_closing = false;
}

void slot_give_back(struct slot *slot, struct spare_worker *spare)
{
    if (spare->process.pid || !slot->is_alive || slot->is_closing || is_unfit_for(slot, "") ||
        slot->visit || slot->process.pid == 0 || slot->device->group.n > 0)
        return;
    worker_read_output(&slot->process, on_line, slot);
    *spare = (struct spare_worker){slot->process, memory_copy_text(slot->device->settings->name),
                                   memory_copy_text(slot->device->label)};
    slot->process = (struct worker_process){.socket = -1, .output = -1};
}

void slot_check_closing(struct slot *slot)
{
    slot->is_left = slot->is_left ||
                    (awake_clock_ns() > slot->killed_ns + 1e9 * (double)WORKER_END_SECONDS &&
                     !worker_waits_for_processor(&slot->process));
    if (slot->is_left || worker_reap(&slot->process))
        slot_end(slot);
}

void slot_close(struct slot *slot)
{
    if (!slot->is_alive || slot->is_closing)
        return;
    if (slot->process.pid == 0) {
        slot_end(slot);
        return;
    }
    if (slot->killed == KILLED_NOT)
        slot->killed_ns = awake_clock_ns();
    slot->is_closing = true;
    worker_kill(&slot->process);
    slot_check_closing(slot);
}

static bool is_open(const struct slot *slot)
{
    return slot->is_alive && !slot->is_closing;
}

void slot_renew(struct slot *slot, const char *environment)
{
    if (slot->process.forked == 0 || slot->is_cut || is_unfit_for(slot, environment)) {
        slot_close(slot);
        return;
    }
    slot_send(slot, WIRE_RENEW, &(struct wire_field){0}, NULL);
    renewal_end(&run_device(slot->run, slot->device)->renewal, host_clock_ns());
    slot->has_judged = slot->has_measured = false;
    slot->is_fresh = true;
}

void slot_kill(struct slot *slot, int reason)
{
    if (slot->killed == KILLED_NOT) {
        slot->killed = reason;
        slot->killed_ns = awake_clock_ns();
    }
    worker_kill(&slot->process);
}

void slot_kill_for_protocol(struct slot *slot, const char *violation)
{
    if (slot->killed == KILLED_NOT)
        snprintf(slot->violation, sizeof slot->violation, "%s", violation);
    slot_kill(slot, KILLED_FOR_PROTOCOL);
}

/* It is about to end, unless a plugin closed the socket and continues without it. */
static void cut(struct slot *slot)
{
    if (!slot->is_cut)
        slot->deadline_ns = fmin(slot->deadline_ns, awake_clock_ns() + cut_patience_ns);
    slot->is_cut = true;
}

void slot_send(struct slot *slot, uint32_t type, const struct wire_field *fields,
               const void *object)
{
    struct gb_error error;
    if (worker_send_fields(&slot->process, type, fields, object, &error) != GB_OK)
        cut(slot);
}

/* ---- what becomes of a visit ---- */

/* The lane's visit is built, or its case has ended: CASE_... */
static void lane_end(struct slot *lane, int status, const char *text)
{
    struct visit *visit = lane->visit;
    lane->visit = NULL;
    visit->n_starts = 0;
    visit->build_ns = host_clock_ns() - lane->begin_ns;
    visit->ahead = status == CASE_OK ? AHEAD_BUILT : AHEAD_ENDED;
    if (status == CASE_OK) {
        collector_free(&lane->collector);
        return;
    }
    visit->ended = memory_allocate(sizeof *visit->ended);
    *visit->ended = lane->collector;
    lane->collector = (struct collector){0};
    visit->ended->record.status = status;
    visit->ended->record.status_text = arena_text(&visit->ended->arena, text);
}

static void end_visit(struct slot *slot, int status, const char *text)
{
    worker_read_output(&slot->process, on_line, slot);
    worker_flush_output(&slot->process, on_line, slot);
    progress_child_end(slot->run->plan->progress, &slot->lines, text_get(&slot->visit->label),
                       "a case");
    if (slot_is_lane(slot))
        lane_end(slot, status, text);
    else
        record_end(slot->run, slot, status, text);
}

/*
 * A device that cannot be opened is idle again at once, and would take one case after the other
 * from those it is equal to.
 */
static void note_lost(const struct slot *slot)
{
    const struct known_device *device = slot->device;
    if (slot_is_lane(slot) || slot->has_opened || slot->collector.n_clocks > 0 ||
        slot->killed == KILLED_BY_USER)
        return;
    run_device(slot->run, device)->is_lost = true;
    if (slot->visit->devices.n > 1)
        progress_line(slot->run->plan->progress,
                      "gbrun: device %s cannot be opened: continuing with the others",
                      device->label);
}

/* Of a lane it is put back. False: too often. */
static bool lane_again(struct slot *lane)
{
    struct visit *visit = lane->visit;
    if (lane->has_begun || ++visit->n_starts == STARTS_MAX)
        return false;
    collector_free(&lane->collector);
    lane->visit = NULL;
    visit->ahead = AHEAD_WANTED;
    return true;
}

/* The visit is the next one, on the same device. */
static void put_back(struct slot *slot)
{
    struct run *run = slot->run;
    struct visit *visit = slot->visit;
    slot->visit = NULL;
    run_unlock(run, slot->device);
    collector_free(&slot->collector);
    visit->devices = (struct device_set){&visit->device, 1};
    memmove(&run->window[1], &run->window[0], run->n_window * sizeof *run->window);
    run->window[0] = visit;
    run->n_window++;
}

/*
 * A worker that ended before it took its case says nothing about the case: the next one gets it.
 * Where that is repeated it is the case's fault if its environment is its own; else no worker can
 * be started any more, and the run ends. False: the case is to end.
 */
static bool give_again(struct slot *slot)
{
    struct run *run = slot->run;
    struct visit *visit = slot->visit;
    struct gb_error error;
    char death[32];
    if (slot_is_lane(slot))
        return slot->process.page->phase == PHASE_IDLE && lane_again(slot);
    /* The page can be written to by the plugin: one message from the case says that it was taken.
     */
    bool is_taken = slot->process.page->phase != PHASE_IDLE || slot->has_begun;
    if (is_taken || run->plan->worker)
        return false;
    if (++visit->n_starts == STARTS_MAX && *visit->environment)
        return false;
    if (visit->n_starts == STARTS_MAX) {
        worker_death(&slot->process, death, sizeof death);
        error_set(&error, GB_FAILED, "workers exit before they take a case (%s)", death);
        run_fail(run, &error);
    }
    put_back(slot);
    return true;
}

/* Its process is gone, or cannot be trusted any more: what became of its case? */
static void finish_dead_worker(struct slot *slot)
{
    CLEANUP(text_free) struct text text = {0}, strays = {0};
    char value[NUMBER_TEXT_MAX], death[32];
    const char *where = phase_words(slot->process.page->phase);
    /* What its case had started, and does not end with it. */
    const uint32_t n_strays = slot->process.has_exited
                                  ? strays_kill(slot->process.pid, slot->process.forked)
                                  : 0;
    text_printf(&strays, "left child processes behind, which were killed: %u", n_strays);
    if (slot->visit && n_strays > 0)
        collector_warn(&slot->collector, text_get(&strays));
    if (slot->visit && slot->process.page->phase == PHASE_OPEN)
        note_lost(slot);
    if (slot->visit && slot->killed == KILLED_FOR_TIME) {
        double limit_ns = slot->visit->bench_case.common.time_limit_ns;
        text_printf(&text, "after %s, %s", format_time(limit_ns, 3, value), where);
        end_visit(slot, CASE_TIMED_OUT, text_get(&text));
    } else if (slot->visit && slot->killed == KILLED_BY_USER) {
        end_visit(slot, CASE_CANCELLED, "");
    } else if (slot->visit && !give_again(slot)) {
        worker_death(&slot->process, death, sizeof death);
        text_printf(&text, "%s, %s", slot->killed == KILLED_FOR_PROTOCOL ? slot->violation : death,
                    where);
        end_visit(slot, CASE_CRASHED, text_get(&text));
    }
    slot_close(slot);
}

void slot_leave(struct slot *slot)
{
    slot->is_left = true;
    finish_dead_worker(slot);
}

static void end_complete_visit(struct slot *slot)
{
    const struct case_record *record = &slot->collector.record;
    slot->process.forked = slot->collector.is_forked ? slot->process.forked : 0;
    bool is_spent = slot->collector.is_spent || slot->killed != KILLED_NOT ||
                    slot->visit->bench_case.common.isolate == ISOLATE_YES;
    if (slot->collector.is_spent && case_status_is_bad(record->status))
        note_lost(slot);
    if (slot->collector.is_again && ++slot->visit->n_starts < STARTS_MAX)
        put_back(slot);
    else
        end_visit(slot, record->status, record->status_text);
    if (is_spent)
        slot_renew(slot, slot->environment);
}

/* Time spent waiting is not the case's. */
static void take_exclusive(struct slot *slot)
{
    /* Who waits with a lock may be waited for. */
    if (slot->run->machine.state != LOCK_ALONE)
        run_unlock(slot->run, slot->device);
    slot->alone = ALONE_ASKED;
    slot->asked_ns = awake_clock_ns();
    slot->left_ns = slot->deadline_ns - slot->asked_ns;
    if (!slot->run->is_cancelled)
        slot->deadline_ns = INFINITY;
}

/* Events at most ten times a second, and of a case that takes longer than that. */
static void tell_so_far(struct slot *slot, uint64_t n_before)
{
    const struct collector *collector = &slot->collector;
    const struct run_plan *plan = slot->run->plan;
    so_far_add(&slot->so_far, collector->columns[collector->main_column] + n_before,
               collector->n - n_before);
    progress_sampled(plan->progress, text_get(&slot->visit->label),
                     collector->n + collector->n_handed_on, &slot->so_far);
    if (!plan->events || host_clock_ns() < slot->reported_ns + tell_every_ns)
        return;
    slot->reported_ns = host_clock_ns();
    events_estimate(plan->events, &collector->record, &slot->so_far);
}

/* False: it is not to be listened to any more. */
static bool take_message(struct slot *slot, uint32_t type, struct wire_reader *message)
{
    struct collector *collector = &slot->collector;
    const uint64_t n_before = collector->n;
    const bool is_lane = slot_is_lane(slot);
    if (slot->visit && !slot->has_begun && !is_lane)
        events_case_begin(slot->run->plan->events, slot->visit, &collector->record);
    slot->has_begun = true;
    if (type == WIRE_EXCLUSIVE && slot->visit && slot->alone == ALONE_NOT && !is_lane) {
        take_exclusive(slot);
    } else if (type == WIRE_BUILT && slot->visit && is_lane) {
        end_visit(slot, CASE_OK, "");
    } else if (!slot->visit || collector_take(collector, type, message) != GB_OK) {
        slot_kill_for_protocol(slot, "sent an invalid message");
        return false;
    } else if (type == WIRE_FORKED) {
        slot->process.forked = (pid_t)collector->record.pid;
        record_started(collector);
    } else if (collector->is_complete) {
        end_complete_visit(slot);
    } else if (is_lane) {
        return true;
    } else if (type == WIRE_AGAIN) {
        so_far_free(&slot->so_far);
        record_forget(slot->run, slot);
    } else if (type == WIRE_SAMPLES) {
        tell_so_far(slot, n_before);
        record_spill(slot->run, slot);
    }
    return is_open(slot);
}

static void take_messages(struct slot *slot)
{
    uint32_t type;
    struct wire_reader message;
    struct gb_error error;
    int32_t status = 0;
    bool goes_on = slot->killed != KILLED_FOR_PROTOCOL;
    while (goes_on && (status = wire_input_next(&slot->process.input, &type, &message, &error)) > 0)
        goes_on = take_message(slot, type, &message);
    if (status < 0)
        slot_kill_for_protocol(slot, error.text);
}

void slot_listen(struct slot *slot)
{
    worker_read_output(&slot->process, on_line, slot);
    bool is_connected = worker_read(&slot->process);
    take_messages(slot);
    if (!is_open(slot))
        return;
    if (worker_reap(&slot->process)) {
        worker_read(&slot->process); /* what it had sent before it died */
        take_messages(slot);
        if (is_open(slot))
            finish_dead_worker(slot);
    } else if (!is_connected && !slot->visit) {
        slot_close(slot);
    } else if (!is_connected) {
        cut(slot);
    }
}
