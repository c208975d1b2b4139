/* supervisor.c - see supervisor.h. */
#include "core/run/supervisor.h"

#include "core/base/host_clock.h"
#include "core/run/run_state.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum { POLL_MS = 200 };
static const double cancel_grace_ns = 10e9;

static void on_user_stop(struct run *run)
{
    run->is_killed = run->is_cancelled;
    run->is_cancelled = run->counts.is_cancelled = true;
    progress_line(run->plan->progress,
                  run->is_killed ? "gbrun: stopping at once"
                                 : "gbrun: finishing the current sample; once more to stop "
                                   "at once");
    for (struct slot *slot = NULL; (slot = run_next_busy(run, slot)) != NULL;) {
        if (run->is_killed) {
            slot->killed = KILLED_BY_USER;
            worker_kill(&slot->process);
        } else {
            worker_cancel(&slot->process);
            slot->deadline_ns = fmin(slot->deadline_ns, host_clock_ns() + cancel_grace_ns);
        }
    }
}

static void read_signals(struct run *run)
{
    struct signalfd_siginfo info;
    while (read(run->signals, &info, sizeof info) == (ssize_t)sizeof info)
        if (info.ssi_signo != SIGCHLD)
            on_user_stop(run);
}

static void check_deadlines(struct run *run)
{
    double now = host_clock_ns();
    for (struct slot *slot = NULL; (slot = run_next_busy(run, slot)) != NULL;) {
        if (slot->killed != KILLED_NOT || now < slot->deadline_ns)
            continue;
        if (slot->is_cut)
            slot_kill_for_protocol(slot, "closed its connection");
        else
            slot->killed = run->is_cancelled ? KILLED_BY_USER : KILLED_FOR_TIME;
        worker_kill(&slot->process);
    }
}

static int poll_timeout(struct run *run)
{
    double now = host_clock_ns(), soonest = now + (double)POLL_MS * 1e6;
    for (struct slot *slot = NULL; (slot = run_next_busy(run, slot)) != NULL;)
        soonest = fmin(soonest, slot->deadline_ns);
    double left_ms = (soonest - now) / 1e6;
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
    read_signals(run);
    check_deadlines(run);
    for (size_t i = 0; i < SLOTS_MAX; i++)
        if (run->slots[i].is_alive)
            slot_listen(&run->slots[i]);
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

static void empty_window(struct run *run)
{
    while (run->n_window > 0)
        visit_free(run_pick(run, run->n_window - 1));
}

static void count_left(struct run *run)
{
    while (run->is_cancelled && run->status == GB_OK) {
        run_fill_window(run);
        if (run->n_window == 0)
            break;
        run->counts.n_left += run->n_window;
        empty_window(run);
    }
}

/* Of a run that has failed workers may still be measuring. */
static void end_workers(struct run *run)
{
    for (size_t i = 0; i < SLOTS_MAX; i++) {
        struct slot *slot = &run->slots[i];
        slot_close(slot);
        if (slot->visit) {
            collector_free(&slot->collector);
            visit_free(slot->visit);
        }
    }
}

int32_t supervise(const struct run_plan *plan, struct run_counts *ret, struct gb_error *error)
{
    struct run *run = memory_allocate(sizeof *run);
    sigset_t before;
    run->plan = plan;
    run->schedule = plan->schedule;
    run->sequence = plan->first_sequence;
    run->devices = memory_allocate(plan->schedule.devices->n * sizeof *run->devices);
    run->status = catch_signals(run, &before, &run->error);
    while (run->status == GB_OK) {
        assign_visits(run);
        assign_turn(run);
        if (run_count_busy(run) == 0 && (run->n_window == 0 || run->is_cancelled))
            break;
        wait_and_listen(run);
    }
    count_left(run);
    end_workers(run);
    empty_window(run);
    if (run->signals > 0)
        close(run->signals);
    sigprocmask(SIG_SETMASK, &before, NULL);
    *ret = run->counts;
    int32_t status = run->status;
    if (status != GB_OK)
        *error = run->error;
    free(run->devices);
    free(run);
    return status;
}
