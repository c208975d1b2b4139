/* lanes.c - see run_state.h. */
#include "core/base/host_clock.h"
#include "core/run/messages.h"
#include "core/run/run_state.h"
#include "plugins/common/system/system_file.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { LANE_NICE = 10 };

static struct slot *next_at_work(struct run *run, struct slot *slot)
{
    return run_next_at_work(run, slot ? slot : run->slots + SLOTS_MAX - 1);
}

/* ---- beside what is measured ---- */

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

/* Its time limit does not run meanwhile. */
static void pause_lane(struct slot *lane, double now_ns)
{
    lane->left_ns = lane->deadline_ns - now_ns;
    lane->deadline_ns = INFINITY;
    kill(-lane->process.pid, SIGSTOP);
}

static void resume_lane(struct slot *lane, double now_ns)
{
    lane->deadline_ns = now_ns + lane->left_ns;
    kill(-lane->process.pid, SIGCONT);
}

void lanes_yield(struct run *run, const struct slot *slot)
{
    const double now_ns = awake_clock_ns();
    if (!run->lanes_wait && is_disturbed(slot)) {
        run->lanes_wait = true;
        for (struct slot *lane = NULL; (lane = next_at_work(run, lane)) != NULL;)
            pause_lane(lane, now_ns);
    }
    if (!run->lanes_wait)
        count_beside(run);
}

static void resume_all(struct run *run)
{
    const double now_ns = awake_clock_ns();
    run->lanes_wait = false;
    for (struct slot *lane = NULL; (lane = next_at_work(run, lane)) != NULL;)
        resume_lane(lane, now_ns);
}

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

/* What a container may use of all processors, in whole ones; 0: no limit is seen. */
static uint32_t find_quota(void)
{
    char line[64], *end;
    if (!system_file_line(line, sizeof line, "/sys/fs/cgroup/cpu.max"))
        return 0;
    const double quota = strtod(line, &end), period = strtod(end, NULL);
    return quota > 0 && period > 0 ? (uint32_t)(quota / period) : 0;
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
    const uint32_t quota = find_quota();
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
        ret->n_cores = quota - 1;
    ret->n_cores = ret->n_cores > 0 ? ret->n_cores : 1;
}

/* ---- what is built ---- */

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
    struct gb_error error;
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
    *lane = (struct slot){.run = run, .device = visit->devices.items[0]};
    if (slot_start_worker(&lane->process, visit, lane->device, &error) != GB_OK) {
        run_fail(run, &error);
        return NULL;
    }
    keep_off(lane->process.pid);
    lane->environment = memory_copy_text(visit->environment);
    lane->is_alive = true;
    return lane;
}

static void give(struct slot *lane, struct visit *visit)
{
    struct visit given = *visit;
    given.device = lane->device = visit->devices.items[0];
    record_begin(&lane->collector, visit);
    lane->visit = visit;
    visit->ahead = AHEAD_BEGUN;
    lane->has_begun = false;
    lane->process.page->phase = PHASE_IDLE;
    lane->killed = KILLED_NOT;
    lane->begin_ns = host_clock_ns();
    lane->deadline_ns = awake_clock_ns() + visit->bench_case.common.time_limit_ns;
    const struct case_order order = {
        lane->collector.record.uuid,
        visit_given_case(&given),
        {lane->device->info, lane->device->facts, lane->device->n_facts}};
    slot_send(lane, WIRE_BUILD_AHEAD, lane_order_fields, &order);
}

void lanes_assign(struct run *run)
{
    if (run->lanes_wait && run_count_busy(run) == 0)
        resume_all(run);
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
