/* assign.c - see run_state.h. */
#include "core/run/run_state.h"

#include "core/base/host_clock.h"
#include "core/run/machine.h"
#include "core/run/messages.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static struct slot *slot_of(struct run *run, const struct known_device *device)
{
    for (size_t i = 0; i < SLOTS_MAX; i++)
        if (run->slots[i].is_alive && run->slots[i].device == device)
            return &run->slots[i];
    return NULL;
}

/* If all devices of the visit are lost, one of them is asked again, and says why. */
static bool is_any_left(const struct run *run, const struct visit *visit)
{
    for (size_t i = 0; i < visit->devices.n; i++)
        if (!run_device(run, visit->devices.items[i])->is_lost)
            return true;
    return false;
}

/* A device whose worker does not end stops its own cases only. */
static void refuse_if_stuck(const struct run *run, struct visit *visit)
{
    for (size_t i = 0; i < visit->devices.n; i++)
        if (!run_device(run, visit->devices.items[i])->is_stuck)
            return;
    if (visit->devices.n > 0)
        snprintf(visit->refusal, sizeof visit->refusal,
                 "device %s:%u is not used any more: a process that was killed on it does not end",
                 visit->devices.items[0]->settings->name, visit->devices.items[0]->info.index);
}

/* Which of the visit's devices is idle: if there is one, one whose worker can go on with it. NULL:
 * none. */
static const struct known_device *idle_device(struct run *run, const struct visit *visit)
{
    const struct known_device *idle = NULL;
    bool skips_lost = is_any_left(run, visit);
    for (size_t i = 0; i < visit->devices.n; i++) {
        const struct known_device *device = visit->devices.items[i];
        const struct device_state *state = run_device(run, device);
        if (state->is_stuck || state->is_tried || (skips_lost && state->is_lost))
            continue;
        const struct slot *slot = slot_of(run, device);
        if (slot && slot->is_closing)
            continue;
        if (slot && !slot->visit && text_equal(slot->environment, visit->environment))
            return device;
        if (!idle && (!slot || !slot->visit))
            idle = device;
    }
    return idle;
}

/* The same, locked for the visit, and without a worker that is not for it. */
static const struct known_device *lock_device(struct run *run, const struct visit *visit)
{
    const struct known_device *device;
    while ((device = idle_device(run, visit)) != NULL) {
        struct slot *slot = slot_of(run, device);
        if (slot && slot_is_unfit(slot, visit))
            slot_close(slot);
        if (slot_of(run, device) && slot->is_closing)
            continue;
        if (run_lock(run, device, visit_is_exclusive(visit)))
            return device;
    }
    return NULL;
}

/* A slot without a worker, that of an idle one if need be; there are fewer visits than slots. */
static struct slot *free_slot(struct run *run)
{
    struct slot *idle = NULL;
    for (size_t i = 0; i < SLOTS_MAX; i++) {
        if (!run->slots[i].is_alive)
            return &run->slots[i];
        if (!run->slots[i].visit)
            idle = &run->slots[i];
    }
    slot_end(idle);
    return idle;
}

/* The worker that was asked for this device, if it has the visit's environment. */
static bool take_spare(struct spare_worker *spare, const struct visit *visit,
                       struct worker_process *ret)
{
    if (!spare->process.pid || spare->settings != visit->device->settings ||
        visit->bench_case.n_environment > 0 || visit->device->group.n > 0)
        return false;
    *ret = spare->process;
    *spare = (struct spare_worker){0};
    return true;
}

/* The idle worker that can take the visit, or a fresh one; NULL: none can be started. */
static struct slot *get_worker(struct run *run, struct visit *visit)
{
    struct slot *slot = slot_of(run, visit->device);
    if (slot)
        return slot;
    struct gb_error error;
    slot = free_slot(run);
    *slot = (struct slot){.run = run, .device = visit->device};
    if (run->plan->worker) {
        slot->process = *run->plan->worker;
    } else if (!take_spare(run->plan->spare, visit, &slot->process) &&
               slot_start_worker(&slot->process, visit, slot->device, &error) != GB_OK) {
        run_fail(run, &error);
        return NULL;
    }
    slot->environment = memory_copy_text(visit->environment);
    slot->is_alive = true;
    return slot;
}

/* As the device described itself when the run began. */
static void warn_of_users(struct run *run, const struct known_device *device)
{
    struct device_state *state = run_device(run, device);
    const char *n = fact_of(device->facts, device->n_facts, "other_processes");
    if (strtol(n, NULL, 10) > 0 && !state->has_said_users && !run->plan->progress->is_quiet &&
        !machine_load_is_ignored())
        progress_line(run->plan->progress, "gbrun: device %s:%u: other processes use it: %s",
                      device->settings->name, device->info.index, n);
    state->has_said_users = true;
}

static void send_case(struct run *run, struct visit *visit, const struct known_device *device)
{
    visit_give(visit, device);
    struct slot *slot = get_worker(run, visit);
    if (!slot) {
        visit_free(visit);
        return;
    }
    warn_of_users(run, device);
    record_begin(&slot->collector, visit);
    record_lock(&slot->collector, run_device(run, device));
    if (run->plan->elsewhere)
        collector_warn(&slot->collector, run->plan->elsewhere);
    slot->visit = visit;
    slot->has_begun = false;
    slot->process.page->phase = PHASE_IDLE; /* of the case before it may still be there */
    slot->killed = KILLED_NOT;
    slot->alone = ALONE_NOT;
    slot->begin_ns = slot->told_ns = host_clock_ns();
    slot->deadline_ns = awake_clock_ns() + visit->bench_case.common.time_limit_ns;
    run->plan->progress->n_running = run_count_busy(run);
    progress_sampled(run->plan->progress, text_get(&visit->label), 0, &slot->so_far);
    const struct case_order order = {.record = slot->collector.record.uuid,
                                     .bench_case = visit_given_case(visit)};
    slot->collector.record.build_ns = visit->build_ns;
    lanes_yield(run, slot);
    slot_send(slot, WIRE_CASE, case_order_fields, &order);
}

/* Workers that were told to end within the last second: as good as busy, so that cases keep their
 * order. One that ends late keeps only its own device. */
static size_t count_ending(const struct run *run)
{
    const double since_ns = awake_clock_ns() - 1e9;
    size_t n = 0;
    for (size_t i = 0; i < SLOTS_MAX; i++) {
        const struct slot *slot = &run->slots[i];
        n += slot->is_alive && slot->is_closing && slot->killed_ns > since_ns;
    }
    return n;
}

/* Must it wait until others have ended: because of the number of jobs, or because it or another
 * wants the machine to itself? */
static bool is_crowded(struct run *run, const struct visit *visit)
{
    size_t n_busy = run_count_busy(run) + count_ending(run);
    size_t jobs = (size_t)run->plan->params->jobs, most = jobs ? jobs : visit->n_case_devices;
    if (visit_is_exclusive(visit) && run_is_closing(run))
        return true;
    if (n_busy == 0)
        return false;
    for (struct slot *slot = NULL; (slot = run_next_busy(run, slot)) != NULL;) {
        if (slot->alone != ALONE_NOT || visit_is_exclusive(slot->visit))
            return true;
        if (!jobs && slot->visit->n_case_devices < most)
            most = slot->visit->n_case_devices;
    }
    return visit_is_exclusive(visit) || n_busy >= most || n_busy >= SLOTS_MAX;
}

/* With lanes cases are measured one at a time, in the order of the window. */
static bool must_wait(struct run *run, size_t i)
{
    const int ahead = run->window[i]->ahead;
    return ahead == AHEAD_WANTED || ahead == AHEAD_BEGUN ||
           (run->schedule.n_lanes > 1 && (i > 0 || run_count_busy(run) > 0 || run->has_news));
}

void assign_visits(struct run *run)
{
    run_fill_window(run);
    for (size_t i = 0; i < run->n_window && run->status == GB_OK && !run->is_cancelled;) {
        struct visit *visit = run->window[i];
        const struct known_device *device = NULL;
        if (must_wait(run, i))
            break;
        refuse_if_stuck(run, visit);
        if (*visit->refusal)
            record_refusal(run, run_pick(run, i));
        else if (visit->ahead == AHEAD_ENDED)
            record_ended(run, run_pick(run, i));
        else if (is_crowded(run, visit))
            break; /* or those after it would keep it waiting for ever */
        else if ((device = lock_device(run, visit)) != NULL)
            send_case(run, run_pick(run, i), device);
        else if (visit_is_exclusive(visit))
            break;
        else
            i++;
        run_fill_window(run);
    }
}

/* Its limits count on from where they stood when it asked. */
static void send_granted(struct slot *slot)
{
    double now = awake_clock_ns();
    slot->alone = ALONE_GRANTED;
    slot->begin_ns += now - slot->asked_ns;
    record_lock(&slot->collector, run_device(slot->run, slot->device));
    slot->deadline_ns = fmin(slot->deadline_ns, now + slot->left_ns);
    lanes_yield(slot->run, slot);
    slot_send(slot, WIRE_GRANTED, &(struct wire_field){0}, NULL);
}

void assign_turn(struct run *run)
{
    struct slot *asking = NULL;
    for (struct slot *slot = NULL; (slot = run_next_busy(run, slot)) != NULL;) {
        if (slot->alone != ALONE_ASKED)
            return;
        if (!asking && slot->killed == KILLED_NOT && !slot->is_cut)
            asking = slot;
    }
    /* One that was stopped meanwhile only hears of it. */
    if (asking &&
        (run->is_cancelled || (!run_is_closing(run) && run_lock(run, asking->device, true))))
        send_granted(asking);
}
