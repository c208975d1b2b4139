/* supervisor.c - see supervisor.h. */
#include "core/run/supervisor.h"

#include "core/base/host_clock.h"
#include "core/run/collector.h"
#include "core/run/messages.h"
#include "core/run/worker_process.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum {
    SLOTS_MAX = 64,
    WINDOW = 64,           /* visits looked at ahead, for one whose device is free */
    SPILL_SAMPLES = 65536, /* more than this are written before the case has ended */
    POLL_MS = 200
};
static const double cancel_grace_ns = 10e9;
static const double cut_patience_ns = 1e9;

enum { KILLED_NOT, KILLED_FOR_TIME, KILLED_BY_USER, KILLED_FOR_LIES };
enum { ALONE_NOT, ALONE_ASKED /* its worker waits */, ALONE_GRANTED };

/* A worker, and what it is doing. */
struct slot {
    struct run *run;
    bool is_alive;
    struct worker_process process;
    const struct known_device *device;
    bool has_opened;     /* the device */
    char *environment;   /* of the worker, as visits have it */
    struct visit *visit; /* NULL: idle */
    struct collector collector;
    double begin_ns, deadline_ns;
    int alone;                /* ALONE_...: has the case asked to be the only one? */
    double asked_ns, left_ns; /* when, and how much of its time limit was left */
    bool is_cut;              /* its connection is closed */
    int killed;
    char lie[sizeof((struct gb_error){0}.text)];
};

struct run {
    const struct run_plan *plan;
    struct schedule schedule;
    struct run_counts counts;
    struct slot slots[SLOTS_MAX];
    struct visit *window[WINDOW];
    size_t n_window;
    uint64_t sequence;
    int64_t *device_ids; /* as the store knows them, by known_device; 0: not stored yet */
    bool *is_lost;       /* by known_device: could not be opened */
    bool is_cancelled, is_killed;
    int signals; /* signalfd */
    struct gb_error error;
    int32_t status;
};

static void fail_run(struct run *run, const struct gb_error *error)
{
    if (run->status == GB_OK) {
        run->status = error->status;
        run->error = *error;
    }
}

static size_t count_busy(const struct run *run)
{
    size_t n = 0;
    for (size_t i = 0; i < SLOTS_MAX; i++)
        n += run->slots[i].is_alive && run->slots[i].visit != NULL;
    return n;
}

/* ---- the window ---- */

static void fill_window(struct run *run)
{
    struct gb_error error;
    while (run->n_window < WINDOW && run->status == GB_OK) {
        struct visit *visit;
        if (schedule_next(&run->schedule, &visit, &error) != GB_OK)
            fail_run(run, &error);
        else if (visit)
            run->window[run->n_window++] = visit;
        else
            break;
    }
}

static struct visit *take_from_window(struct run *run, size_t i)
{
    struct visit *visit = run->window[i];
    run->n_window--;
    memmove(&run->window[i], &run->window[i + 1], (run->n_window - i) * sizeof *run->window);
    return visit;
}

/* ---- storing ---- */

/* What the device told of itself, and the size of its last cache, which roofs depend on. */
static struct fact *facts_of(const struct known_device *device, struct arena *arena, size_t *ret_n)
{
    struct fact *facts = ARENA_ARRAY(arena, struct fact, device->n_facts + 1);
    for (size_t i = 0; i < device->n_facts; i++)
        facts[i] = device->facts[i];
    *ret_n = device->n_facts;
    if (device->info.cache_bytes > 0)
        facts[(*ret_n)++] = (struct fact){
            "cache_bytes",
            arena_printf(arena, "%llu", (unsigned long long)device->info.cache_bytes)};
    return facts;
}

static int64_t device_id(struct run *run, const struct slot *slot)
{
    size_t i = (size_t)(slot->device - run->schedule.devices->items);
    if (run->device_ids[i] == 0) {
        const struct known_device *device = slot->device;
        CLEANUP(arena_free) struct arena arena = {0};
        size_t n_facts = 0;
        struct fact *facts = facts_of(device, &arena, &n_facts);
        struct device_record record = {
            .plugin = device->settings->info->plugin.id,
            .name = device->settings->name,
            .index = device->info.index,
            .model = device->info.model,
            .uuid = device->info.uuid,
            .facts = facts,
            .n_facts = n_facts,
            .clocks = (struct clock_record *)(uintptr_t)slot->collector.clocks,
            .n_clocks = slot->collector.n_clocks};
        struct gb_error error;
        if (store_device(run->plan->store, run->plan->run_id, &record, &run->device_ids[i],
                         &error) != GB_OK)
            fail_run(run, &error);
    }
    return run->device_ids[i];
}

static void spill(struct run *run, struct slot *slot)
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
        fail_run(run, &error);
    collector_handed_on(collector);
}

/* Commits a visit, then announces it. */
static void conclude(struct run *run, struct visit *visit, struct collector *collector, int status,
                     const char *text)
{
    struct gb_error error;
    collector_finish(collector, status, text);
    collector->record.sequence = run->sequence++;
    if (store_case(run->plan->store, run->plan->run_id, &collector->record, &error) != GB_OK) {
        fail_run(run, &error);
        return;
    }
    if (status == CASE_CANCELLED)
        run->counts.n_left++;
    else if (case_status_is_bad(status))
        run->counts.n_bad++;
    else
        run->counts.n_ok++;
    progress_finished(run->plan->progress, text_get(&visit->label), &collector->record);
}

/* A visit that no worker can be given. */
static void refuse(struct run *run, struct visit *visit)
{
    struct collector collector;
    char started[UTC_TEXT];
    collector_begin(&collector, &visit->bench_case, visit->uid, visit->round);
    utc_text(started);
    collector.record.started = started;
    uuid_new(collector.record.uuid);
    /* Whoever names a device expects it to be there; `auto` means: where it can. */
    int status = visit->bench_case.device.settings ? CASE_FAILED : CASE_SKIPPED;
    conclude(run, visit, &collector, status, visit->refusal);
    collector_free(&collector);
    visit_free(visit);
}

/* ---- workers ---- */

static void on_line(void *context, const char *line)
{
    struct slot *slot = context;
    struct progress *progress = slot->run->plan->progress;
    if (slot->visit) {
        collector_printed(&slot->collector, line);
        if (!progress->is_quiet)
            progress_line(progress, "[%s] %.*s", text_get(&slot->visit->label), 4000, line);
    } else if (!progress->is_quiet) {
        progress_line(progress, "[worker] %.*s", 4000, line);
    }
}

static void slot_close(struct slot *slot)
{
    if (!slot->is_alive)
        return;
    worker_end(&slot->process);
    free(slot->environment);
    slot->environment = NULL;
    slot->is_alive = false;
}

static void end_visit(struct run *run, struct slot *slot, int status, const char *text)
{
    struct visit *visit = slot->visit;
    struct collector *collector = &slot->collector;
    worker_read_output(&slot->process, on_line, slot);
    worker_flush_output(&slot->process, on_line, slot);
    collector->record.wall_ns = host_clock_ns() - slot->begin_ns;
    collector->record.device_id = device_id(run, slot);
    slot->visit = NULL;
    slot->has_opened = slot->has_opened || collector->n_clocks > 0;
    run->plan->progress->n_running = count_busy(run);
    conclude(run, visit, collector, status, text);
    collector_free(collector);
    visit_free(visit);
}

/*
 * A device that cannot be opened is idle again at once, and would take one case after the other
 * from those it is equal to.
 */
static void note_lost(struct run *run, const struct slot *slot)
{
    const struct known_device *device = slot->device;
    if (slot->has_opened || slot->collector.n_clocks > 0 || slot->killed == KILLED_BY_USER)
        return;
    run->is_lost[device - run->schedule.devices->items] = true;
    if (slot->visit->devices.n > 1)
        progress_line(run->plan->progress,
                      "gbrun: device %s:%u cannot be opened: the others go on without it",
                      device->settings->name, device->info.index);
}

/* Its process is gone, or cannot be trusted any more: what became of its case? */
static void bury(struct run *run, struct slot *slot)
{
    struct text text = {0};
    char value[NUMBER_TEXT_MAX], death[32];
    const char *where = phase_words(slot->process.page->phase);
    if (slot->visit && slot->process.page->phase == PHASE_OPEN)
        note_lost(run, slot);
    if (slot->visit && slot->killed == KILLED_FOR_TIME) {
        double limit_ns = slot->visit->bench_case.common.time_limit_ns;
        text_printf(&text, "after %s, %s", format_time(limit_ns, 3, value), where);
        end_visit(run, slot, CASE_TIMED_OUT, text_get(&text));
    } else if (slot->visit && slot->killed == KILLED_BY_USER) {
        end_visit(run, slot, CASE_CANCELLED, "");
    } else if (slot->visit) {
        worker_death(&slot->process, death, sizeof death);
        text_printf(&text, "%s, %s", slot->killed == KILLED_FOR_LIES ? slot->lie : death, where);
        end_visit(run, slot, CASE_CRASHED, text_get(&text));
    }
    text_free(&text);
    slot_close(slot);
}

static void kill_for_lie(struct slot *slot, const char *lie)
{
    if (slot->killed == KILLED_NOT) {
        slot->killed = KILLED_FOR_LIES;
        snprintf(slot->lie, sizeof slot->lie, "%s", lie);
    }
    worker_kill(&slot->process);
}

static void end_complete_visit(struct run *run, struct slot *slot)
{
    struct case_record *record = &slot->collector.record;
    bool is_spent = slot->collector.is_spent || slot->visit->bench_case.common.isolate;
    int status = record->status;
    struct arena arena = {0};
    const char *text = arena_text(&arena, record->status_text);
    if (slot->collector.is_spent && case_status_is_bad(status))
        note_lost(run, slot);
    end_visit(run, slot, status, text);
    arena_free(&arena);
    if (is_spent)
        slot_close(slot);
}

/* Time spent waiting is not the case's. */
static void note_asked(const struct run *run, struct slot *slot)
{
    slot->alone = ALONE_ASKED;
    slot->asked_ns = host_clock_ns();
    slot->left_ns = slot->deadline_ns - slot->asked_ns;
    if (!run->is_cancelled)
        slot->deadline_ns = INFINITY;
}

static void take_messages(struct run *run, struct slot *slot)
{
    uint32_t type;
    struct wire_reader message;
    struct gb_error error;
    int32_t status = 0;
    while (slot->is_alive && slot->killed != KILLED_FOR_LIES &&
           (status = wire_input_next(&slot->process.input, &type, &message, &error)) > 0) {
        struct collector *collector = &slot->collector;
        if (type == WIRE_EXCLUSIVE && slot->visit && slot->alone == ALONE_NOT) {
            note_asked(run, slot);
            continue;
        }
        if (!slot->visit || collector_take(collector, type, &message) != GB_OK) {
            kill_for_lie(slot, "sent a message that makes no sense");
            return;
        }
        if (collector->is_complete) {
            end_complete_visit(run, slot);
        } else if (type == WIRE_SAMPLES) {
            progress_sampled(run->plan->progress, text_get(&slot->visit->label),
                             collector->n + collector->n_handed_on, collector->recent_ns);
            spill(run, slot);
        }
    }
    if (status < 0)
        kill_for_lie(slot, error.text);
}

static void listen_to(struct run *run, struct slot *slot)
{
    worker_read_output(&slot->process, on_line, slot);
    bool is_open = worker_read(&slot->process);
    take_messages(run, slot);
    if (!slot->is_alive)
        return;
    if (worker_reap(&slot->process)) {
        worker_read(&slot->process); /* what it had sent before it died */
        take_messages(run, slot);
        if (slot->is_alive)
            bury(run, slot);
    } else if (!is_open && !slot->visit) {
        slot_close(slot);
    } else if (!is_open && !slot->is_cut) {
        /* It is about to end, unless a plugin closed the socket and goes on without it. */
        double patience = host_clock_ns() + cut_patience_ns;
        slot->is_cut = true;
        slot->deadline_ns = slot->deadline_ns < patience ? slot->deadline_ns : patience;
    }
}

/* If all devices of the visit are lost, one of them is asked again, and says why. */
static bool is_any_left(const struct run *run, const struct visit *visit)
{
    for (size_t i = 0; i < visit->devices.n; i++)
        if (!run->is_lost[visit->devices.items[i] - run->schedule.devices->items])
            return true;
    return false;
}

/* Which of the visit's devices is idle: if there is one, one whose worker can go on with it. NULL:
 * none. */
static const struct known_device *idle_device(const struct run *run, const struct visit *visit)
{
    const struct known_device *idle = NULL;
    bool skips_lost = is_any_left(run, visit);
    for (size_t i = 0; i < visit->devices.n; i++) {
        const struct known_device *device = visit->devices.items[i];
        if (skips_lost && run->is_lost[device - run->schedule.devices->items])
            continue;
        const struct slot *slot = NULL;
        for (size_t j = 0; j < SLOTS_MAX && !slot; j++)
            if (run->slots[j].is_alive && run->slots[j].device == device)
                slot = &run->slots[j];
        if (slot && !slot->visit && text_equal(slot->environment, visit->environment))
            return device;
        if (!idle && (!slot || !slot->visit))
            idle = device;
    }
    return idle;
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
    slot_close(idle);
    return idle;
}

/* The idle worker that can take the visit, or a fresh one; NULL: none can be started. */
static struct slot *get_worker(struct run *run, const struct visit *visit)
{
    struct slot *slot = NULL;
    for (size_t i = 0; i < SLOTS_MAX && !slot; i++)
        if (run->slots[i].is_alive && run->slots[i].device == visit->device)
            slot = &run->slots[i];
    if (slot && (!text_equal(slot->environment, visit->environment) ||
                 visit->bench_case.common.isolate || worker_reap(&slot->process)))
        slot_close(slot);
    if (slot && slot->is_alive)
        return slot;
    struct gb_error error;
    slot = free_slot(run);
    *slot = (struct slot){.run = run, .device = visit->device};
    if (worker_start(&slot->process, visit->bench_case.environment, visit->bench_case.n_environment,
                     &error) != GB_OK) {
        fail_run(run, &error);
        return NULL;
    }
    slot->environment = memory_copy_text(visit->environment);
    slot->is_alive = true;
    return slot;
}

static void give(struct run *run, struct visit *visit, const struct known_device *device)
{
    visit_give(visit, device);
    struct slot *slot = get_worker(run, visit);
    struct gb_error error;
    if (!slot) {
        visit_free(visit);
        return;
    }
    struct collector *collector = &slot->collector;
    collector_begin(collector, &visit->bench_case, visit->uid, visit->round);
    char started[UTC_TEXT];
    utc_text(started);
    collector->record.started = arena_text(&collector->arena, started);
    uuid_new(collector->record.uuid);
    slot->visit = visit;
    slot->killed = KILLED_NOT;
    slot->alone = ALONE_NOT;
    slot->begin_ns = host_clock_ns();
    slot->deadline_ns = slot->begin_ns + visit->bench_case.common.time_limit_ns;
    run->plan->progress->n_running = count_busy(run);
    progress_started(run->plan->progress, text_get(&visit->label));
    struct bench_case given = visit_given_case(visit);
    put_case(worker_begin(&slot->process, WIRE_CASE), &given, text_get(&visit->label));
    if (worker_send(&slot->process, &error) != GB_OK)
        kill_for_lie(slot, "closed its connection");
}

/* Must it wait until others have ended: because of the number of jobs, or because it or another
 * wants the machine to itself? */
static bool is_crowded(const struct run *run, const struct visit *visit)
{
    size_t n_busy = count_busy(run), jobs = (size_t)run->plan->params->jobs;
    size_t most = jobs ? jobs : visit->n_case_devices;
    if (n_busy == 0)
        return false;
    for (size_t i = 0; i < SLOTS_MAX; i++) {
        const struct slot *slot = &run->slots[i];
        if (!slot->is_alive || !slot->visit)
            continue;
        if (slot->alone != ALONE_NOT || visit_is_exclusive(slot->visit))
            return true;
        if (!jobs && slot->visit->n_case_devices < most)
            most = slot->visit->n_case_devices;
    }
    return visit_is_exclusive(visit) || n_busy >= most || n_busy >= SLOTS_MAX;
}

/* Gives out visits while there are workers to take them. */
static void assign(struct run *run)
{
    fill_window(run);
    for (size_t i = 0; i < run->n_window && run->status == GB_OK && !run->is_cancelled;) {
        struct visit *visit = run->window[i];
        const struct known_device *device = idle_device(run, visit);
        if (*visit->refusal)
            refuse(run, take_from_window(run, i));
        else if (is_crowded(run, visit))
            break; /* or those behind it would keep it waiting for ever */
        else if (device)
            give(run, take_from_window(run, i), device);
        else
            i++;
        fill_window(run);
    }
}

/* ---- cases that asked to be alone ---- */

/* Its limits count on from where they stood when it asked. */
static void let_go_on(struct slot *slot)
{
    struct gb_error error;
    double now = host_clock_ns();
    slot->alone = ALONE_GRANTED;
    slot->begin_ns += now - slot->asked_ns;
    slot->deadline_ns = fmin(slot->deadline_ns, now + slot->left_ns);
    worker_begin(&slot->process, WIRE_GRANTED);
    if (worker_send(&slot->process, &error) != GB_OK)
        kill_for_lie(slot, "closed its connection");
}

/* One at a time goes on, once nobody measures. */
static void grant(struct run *run)
{
    struct slot *asking = NULL;
    for (size_t i = 0; i < SLOTS_MAX; i++) {
        struct slot *slot = &run->slots[i];
        if (!slot->is_alive || !slot->visit)
            continue;
        if (slot->alone != ALONE_ASKED)
            return;
        if (!asking && slot->killed == KILLED_NOT && !slot->is_cut)
            asking = slot;
    }
    if (asking)
        let_go_on(asking);
}

/* ---- the loop ---- */

static void on_user_stop(struct run *run)
{
    struct progress *progress = run->plan->progress;
    run->is_killed = run->is_cancelled;
    run->is_cancelled = run->counts.is_cancelled = true;
    progress_line(progress, run->is_killed
                                ? "gbrun: stopping at once"
                                : "gbrun: finishing the current sample; once more to stop "
                                  "at once");
    for (size_t i = 0; i < SLOTS_MAX; i++) {
        struct slot *slot = &run->slots[i];
        if (!slot->is_alive || !slot->visit)
            continue;
        if (run->is_killed) {
            slot->killed = KILLED_BY_USER;
            worker_kill(&slot->process);
        } else {
            worker_cancel(&slot->process);
            double grace = host_clock_ns() + cancel_grace_ns;
            slot->deadline_ns = slot->deadline_ns < grace ? slot->deadline_ns : grace;
        }
    }
}

static void take_signals(struct run *run)
{
    struct signalfd_siginfo info;
    while (read(run->signals, &info, sizeof info) == (ssize_t)sizeof info)
        if (info.ssi_signo != SIGCHLD)
            on_user_stop(run);
}

static void check_deadlines(struct run *run)
{
    double now = host_clock_ns();
    for (size_t i = 0; i < SLOTS_MAX; i++) {
        struct slot *slot = &run->slots[i];
        if (slot->is_alive && slot->visit && slot->killed == KILLED_NOT &&
            now >= slot->deadline_ns) {
            if (slot->is_cut)
                kill_for_lie(slot, "closed its connection");
            else
                slot->killed = run->is_cancelled ? KILLED_BY_USER : KILLED_FOR_TIME;
            worker_kill(&slot->process);
        }
    }
}

static int poll_timeout(const struct run *run)
{
    double soonest = host_clock_ns() + POLL_MS * 1e6;
    for (size_t i = 0; i < SLOTS_MAX; i++)
        if (run->slots[i].is_alive && run->slots[i].visit && run->slots[i].deadline_ns < soonest)
            soonest = run->slots[i].deadline_ns;
    double left_ms = (soonest - host_clock_ns()) / 1e6;
    return left_ms < 1 ? 1 : (int)ceil(left_ms);
}

static void wait_and_listen(struct run *run)
{
    struct pollfd files[2 * SLOTS_MAX + 1];
    nfds_t n = 0;
    files[n++] = (struct pollfd){.fd = run->signals, .events = POLLIN};
    for (size_t i = 0; i < SLOTS_MAX; i++)
        if (run->slots[i].is_alive) {
            files[n++] = (struct pollfd){.fd = run->slots[i].process.socket, .events = POLLIN};
            files[n++] = (struct pollfd){.fd = run->slots[i].process.output, .events = POLLIN};
        }
    poll(files, n, poll_timeout(run));
    take_signals(run);
    check_deadlines(run);
    for (size_t i = 0; i < SLOTS_MAX; i++)
        if (run->slots[i].is_alive)
            listen_to(run, &run->slots[i]);
}

/* Signals arrive as data; SIGCHLD wakes the loop when a worker ends without closing its socket. */
static int32_t catch_signals(struct run *run, sigset_t *ret_before, struct gb_error *error)
{
    sigset_t caught;
    sigemptyset(&caught);
    sigaddset(&caught, SIGINT);
    sigaddset(&caught, SIGTERM);
    sigaddset(&caught, SIGHUP);
    sigaddset(&caught, SIGCHLD);
    sigprocmask(SIG_BLOCK, &caught, ret_before);
    run->signals = signalfd(-1, &caught, SFD_NONBLOCK | SFD_CLOEXEC);
    if (run->signals < 0)
        return error_set(error, GB_IO, "signals cannot be caught: %s", strerror(errno));
    return GB_OK;
}

static void count_left(struct run *run)
{
    while (run->is_cancelled && run->status == GB_OK) {
        fill_window(run);
        if (run->n_window == 0)
            break;
        run->counts.n_left += run->n_window;
        while (run->n_window > 0)
            visit_free(take_from_window(run, run->n_window - 1));
    }
}

int32_t supervise(const struct run_plan *plan, struct run_counts *ret, struct gb_error *error)
{
    struct run *run = memory_allocate(sizeof *run);
    sigset_t before;
    run->plan = plan;
    run->schedule = plan->schedule;
    run->sequence = plan->first_sequence;
    run->device_ids = memory_allocate((plan->schedule.devices->n + 1) * sizeof *run->device_ids);
    run->is_lost = memory_allocate((plan->schedule.devices->n + 1) * sizeof *run->is_lost);
    run->status = catch_signals(run, &before, &run->error);
    while (run->status == GB_OK) {
        assign(run);
        grant(run);
        if (count_busy(run) == 0 && (run->n_window == 0 || run->is_cancelled))
            break;
        wait_and_listen(run);
    }
    count_left(run);
    for (size_t i = 0; i < SLOTS_MAX; i++) {
        struct slot *slot = &run->slots[i];
        slot_close(slot);
        if (slot->visit) {
            collector_free(&slot->collector);
            visit_free(slot->visit);
        }
    }
    while (run->n_window > 0)
        visit_free(take_from_window(run, run->n_window - 1));
    if (run->signals > 0)
        close(run->signals);
    sigprocmask(SIG_SETMASK, &before, NULL);
    *ret = run->counts;
    int32_t status = run->status;
    if (status != GB_OK)
        *error = run->error;
    free(run->device_ids);
    free(run->is_lost);
    free(run);
    return status;
}
