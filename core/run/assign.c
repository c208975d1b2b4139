/* assign.c - see run_state.h. */
#include "core/run/run_state.h"

#include "core/base/host_clock.h"
#include "core/run/machine.h"
#include "core/run/messages.h"
#include "plugins/common/system/system_file.h"

#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* ---- lanes, beside what is measured ---- */

enum { LANE_NICE = 10 };

static struct slot *next_at_work(struct run *run, struct slot *slot)
{
    return run_next_at_work(run, slot ? slot : run->slots + SLOTS_MAX - 1);
}

/* What is measured now knows how many were at work meanwhile. */
static void count_beside(struct run *run)
{
    uint32_t n = 0;
    for (struct slot *lane = NULL; (lane = next_at_work(run, lane)) != NULL;)
        n++;
    for (struct slot *slot = NULL; (slot = run_next_busy(run, slot)) != NULL;)
        if (slot->collector.record.n_lanes < n)
            slot->collector.record.n_lanes = n;
}

static bool is_disturbed(const struct slot *slot)
{
    return text_equal(slot->device->info.backend, "cpu") || slot->alone == ALONE_GRANTED ||
           visit_is_exclusive(slot->visit) ||
           text_equal(slot->visit->bench_case.common.clock, "wall");
}

/* A case is measured from now on: if lanes would disturb it they are stopped, else counted. */
static void lanes_yield(struct run *run, const struct slot *slot)
{
    const double now_ns = awake_clock_ns();
    if (!run->lanes_wait && is_disturbed(slot)) {
        run->lanes_wait = true;
        for (struct slot *lane = NULL; (lane = next_at_work(run, lane)) != NULL;) {
            lane->left_ns = lane->deadline_ns - now_ns; /* its time limit does not run meanwhile */
            lane->deadline_ns = INFINITY;
            kill(-lane->process.pid, SIGSTOP);
        }
    }
    if (!run->lanes_wait)
        count_beside(run);
}

/* ---- visits that are measured ---- */

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
                 "device %s is no longer used: a killed process on it does not terminate",
                 visit->devices.items[0]->label);
}

/* Which of the visit's devices is idle: if there is one, one whose worker can take it. NULL:
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

/* Does the visit get a fresh worker, as it is of another round than those that this one had? */
static bool renews(struct run *run, const struct slot *slot, const struct visit *visit)
{
    const struct common_params *common = &visit->bench_case.common;
    const struct schedule *schedule = &run->schedule;
    if (common->isolate != ISOLATE_AUTO || common->verify == VERIFY_JUDGE ||
        slot->process.pid == 0 ||
        (schedule->is_searched && schedule->is_searched[visit->bench_case.position]))
        return false;
    return renewal_is_due(&run_device(run, slot->device)->renewal, run->renewals, schedule->open,
                          sweep_positions(schedule->sweep), visit->round, host_clock_ns(),
                          run->slack_ns);
}

/* The same, locked for the visit, and without a worker that is not for it. */
static const struct known_device *lock_device(struct run *run, const struct visit *visit)
{
    const struct known_device *device;
    while ((device = idle_device(run, visit)) != NULL) {
        struct slot *slot = slot_of(run, device);
        if (slot && !slot->is_closing && (slot_is_unfit(slot, visit) || renews(run, slot, visit)))
            slot_renew(slot, visit->environment);
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

/* As the device described itself when the run began. */
static void warn_of_users(struct run *run, const struct known_device *device)
{
    struct device_state *state = run_device(run, device);
    const char *n = FACT(device, "other_processes");
    if (strtol(n, NULL, 10) > 0 && !state->has_said_users && !run->plan->progress->is_quiet &&
        !machine_load_is_ignored())
        progress_line(run->plan->progress, "gbrun: device %s: other processes use it: %s",
                      device->label, n);
    state->has_said_users = true;
}

static void send_case(struct run *run, struct visit *visit, const struct known_device *device)
{
    visit_give(visit, device);
    struct slot *slot = slot_of(run, device); /* with an idle worker that can take the visit */
    if (!slot && !slot_open(slot = free_slot(run), run, visit, device)) {
        visit_free(visit);
        return;
    }
    warn_of_users(run, device);
    slot_begin(slot, visit);
    record_lock(&slot->collector, run_device(run, device));
    if (run->plan->elsewhere)
        collector_warn(&slot->collector, run->plan->elsewhere);
    run->plan->progress->n_running = run_count_busy(run);
    progress_sampled(run->plan->progress, text_get(&visit->label), 0, &slot->so_far);
    const struct case_order order = {.record = slot->collector.record.uuid,
                                     .bench_case = visit_given_case(visit)};
    slot->collector.record.build_ns = visit->build_ns;
    lanes_yield(run, slot);
    slot_send(slot, WIRE_CASE, case_order_fields, &order);
}

/* Workers that were ended within the last second count as busy, so that cases keep their order. One
 * that ends late keeps only its own device. */
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

/* ---- visits that are built before their turn ---- */

/* ---- the processors of lanes ---- */

/* The threads of a core, among them `cpu`: "0,64" or "0-1". */
static void find_siblings(int cpu, cpu_set_t *ret)
{
    char line[256];
    CPU_ZERO(ret);
    CPU_SET((size_t)cpu, ret);
    if (!system_file_line(line, sizeof line,
                          "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu))
        return;
    for (char *at = line; *at >= '0' && *at <= '9';) {
        const long first = strtol(at, &at, 10);
        const long last = *at == '-' ? strtol(at + 1, &at, 10) : first;
        for (long i = first; i <= last && i < CPU_SETSIZE; i++)
            CPU_SET((size_t)i, ret);
        at += *at == ',';
    }
}

static int last_cpu(const cpu_set_t *set)
{
    int cpu = CPU_SETSIZE - 1;
    while (cpu > 0 && !CPU_ISSET((size_t)cpu, set))
        cpu--;
    return cpu;
}

void lane_cpus_find(struct lane_cpus *ret)
{
    cpu_set_t allowed, left, core;
    char file[PATH_MAX];
    const double quota = processor_quota("", file, sizeof file);
    *ret = (struct lane_cpus){.n_cores = 1};
    CPU_ZERO(&ret->set);
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) == 0)
        return;
    find_siblings(last_cpu(&allowed), &core);
    CPU_AND(&core, &core, &allowed);
    CPU_XOR(&left, &allowed, &core);
    ret->set = left;
    for (ret->n_cores = 0; CPU_COUNT(&left) > 0; ret->n_cores++) {
        find_siblings(last_cpu(&left), &core);
        CPU_AND(&core, &core, &left);
        CPU_XOR(&left, &left, &core);
    }
    if (quota > 0 && ret->n_cores + 1 > quota)
        ret->n_cores = quota < 1 ? 0 : (uint32_t)quota - 1;
    ret->n_cores = ret->n_cores > 0 ? ret->n_cores : 1;
}

/* Off the core that is left to what is measured, and behind it. */
static void keep_off(pid_t process)
{
    struct lane_cpus cpus;
    lane_cpus_find(&cpus);
    if (CPU_COUNT(&cpus.set) > 0)
        sched_setaffinity(process, sizeof cpus.set, &cpus.set);
    setpriority(PRIO_PROCESS, (id_t)process, getpriority(PRIO_PROCESS, 0) + LANE_NICE);
}

/* With a worker that can take the visit; NULL: all have something to do, or have not ended yet. */
static struct slot *idle_lane(struct run *run, struct visit *visit)
{
    struct slot *lane = run->slots + SLOTS_MAX;
    const struct slot *end = lane + run->schedule.n_lanes;
    for (; lane < end; lane++) {
        if (lane->is_alive && !lane->visit && slot_is_unfit(lane, visit))
            slot_close(lane);
        if (!lane->visit && !lane->is_closing)
            break;
    }
    if (lane == end)
        return NULL;
    if (lane->is_alive)
        return lane;
    if (!slot_open(lane, run, visit, visit->devices.items[0]))
        return NULL;
    keep_off(lane->process.pid);
    return lane;
}

static void give(struct slot *lane, struct visit *visit)
{
    struct visit given = *visit;
    given.device = lane->device = visit->devices.items[0];
    slot_begin(lane, visit);
    visit->ahead = AHEAD_BEGUN;
    const struct case_order order = {
        lane->collector.record.uuid,
        visit_given_case(&given),
        {lane->device->info, lane->device->facts, lane->device->n_facts}};
    slot_send(lane, WIRE_BUILD_AHEAD, lane_order_fields, &order);
}

void lanes_assign(struct run *run)
{
    if (run->lanes_wait && run_count_busy(run) == 0) {
        const double now_ns = awake_clock_ns();
        run->lanes_wait = false;
        for (struct slot *lane = NULL; (lane = next_at_work(run, lane)) != NULL;) {
            lane->deadline_ns = now_ns + lane->left_ns;
            kill(-lane->process.pid, SIGCONT);
        }
    }
    if (run->lanes_wait || run->is_cancelled)
        return;
    run_fill_window(run);
    for (size_t i = 0; i < run->n_window && run->status == GB_OK; i++) {
        struct visit *visit = run->window[i];
        struct slot *lane = NULL;
        if (visit->ahead == AHEAD_WANTED && (lane = idle_lane(run, visit)) == NULL)
            return;
        if (lane)
            give(lane, visit);
    }
    count_beside(run);
}

void lanes_drop(struct run *run)
{
    for (struct slot *lane = NULL; (lane = next_at_work(run, lane)) != NULL;) {
        lane->visit->ahead = AHEAD_WANTED;
        lane->visit = NULL;
        collector_free(&lane->collector);
        slot_close(lane);
    }
}
