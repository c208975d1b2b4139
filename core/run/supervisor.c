/* supervisor.c - see supervisor.h. */
#include "core/run/supervisor.h"

#include "core/base/host_clock.h"
#include "core/base/plain_text.h"
#include "core/run/repeats.h"
#include "core/run/run_state.h"
#include "plugins/common/system/system_file.h"

#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

enum { POLL_MS = 200, LOCK_POLL_MS = 10, STOP_SECONDS = 1, EXIT_STOPPED = 1 };
static const double cancel_grace_ns = 10e9, sync_interval_ns = 200e6;
static const double leave_ns = 1e9 * (double)WORKER_END_SECONDS, stopped_leave_ns = 300e6;

/* How often the user has asked to stop, by which signal first, and which process sent it: 0: the
 * terminal, or not known. */
static volatile sig_atomic_t stops, stop_signal, stop_sender;

/* The second time ends this process within a second, whatever it waits for; what was stored stays.
 */
static void on_stop_signal(int signal, siginfo_t *info, void *context)
{
    (void)context;
    if (stops == 0) {
        stop_signal = signal;
        stop_sender = info->si_code <= 0 ? info->si_pid : 0;
    }
    stops = stops + 1;
    if (stops == 2)
        alarm(STOP_SECONDS);
}

bool supervise_is_stopped(void)
{
    return stops > 0;
}

/* The one set above, by the kernel; any other is a signal to stop. */
static void on_alarm(int signal, siginfo_t *info, void *context)
{
    if (stops >= 2 && info->si_code > 0)
        _exit(EXIT_STOPPED);
    on_stop_signal(signal, info, context);
}

static void on_child(int signal, siginfo_t *info, void *context)
{
    (void)signal; /* it has ended the poll */
    (void)info;
    (void)context;
}

/* Of those that end a process by default, all that others send: none ends a run without a word. */
static const struct caught_signal {
    int number;
    void (*handler)(int, siginfo_t *, void *);
} caught[] = {{SIGINT, on_stop_signal},  {SIGTERM, on_stop_signal},   {SIGHUP, on_stop_signal},
              {SIGUSR1, on_stop_signal}, {SIGUSR2, on_stop_signal},   {SIGPROF, on_stop_signal},
              {SIGXCPU, on_stop_signal}, {SIGVTALRM, on_stop_signal}, {SIGALRM, on_alarm},
              {SIGCHLD, on_child}};
enum { N_CAUGHT = sizeof caught / sizeof *caught };

static void catch_signals(struct sigaction before[N_CAUGHT])
{
    stops = 0;
    for (int i = 0; i < N_CAUGHT; i++) {
        struct sigaction action = {.sa_sigaction = caught[i].handler,
                                   .sa_flags = SA_RESTART | SA_SIGINFO};
        sigaction(caught[i].number, &action, &before[i]);
        if (caught[i].handler == on_stop_signal && caught[i].number != SIGINT &&
            caught[i].number != SIGTERM && before[i].sa_handler == SIG_IGN) /* as nohup wants it */
            sigaction(caught[i].number, &before[i], NULL);
    }
}

/* What comes afterwards may wait as well, for a reader of the table: an alarm that is set stays.
 */
static void release_signals(const struct sigaction before[N_CAUGHT])
{
    for (int i = 0; i < N_CAUGHT; i++)
        if (caught[i].number != SIGALRM || stops < 2)
            sigaction(caught[i].number, &before[i], NULL);
}

/* A signal of a case, or one that users hardly send, is named with the process that it came from.
 */
static void name_stop(struct run *run)
{
    char name[32], command[64] = "";
    const struct slot *slot = NULL;
    const pid_t sender = stop_sender;
    while ((slot = run_next_at_work(run, (struct slot *)slot)) != NULL)
        if (sender > 0 && (slot->process.pid == sender || getpgid(sender) == slot->process.pid))
            break;
    if (!slot && (stop_signal == SIGINT || stop_signal == SIGTERM || stop_signal == SIGHUP))
        return;
    signal_name(stop_signal, name, sizeof name);
    if (slot)
        progress_line(run->plan->progress, "gbrun: %s came from process %ld of the case %s", name,
                      (long)sender, text_get(&slot->visit->label));
    else if (sender > 0 &&
             system_file_line(command, sizeof command, "/proc/%ld/comm", (long)sender))
        progress_line(run->plan->progress, "gbrun: %s came from process %ld, %s", name,
                      (long)sender, make_plain_line(command));
    else
        progress_line(run->plan->progress, "gbrun: %s came from outside", name);
}

static void on_user_stop(struct run *run)
{
    if (!run->is_cancelled)
        name_stop(run);
    run->is_killed = run->is_cancelled;
    run->is_cancelled = run->counts.is_cancelled = true;
    progress_line(run->plan->progress,
                  run->is_killed
                      ? "gbrun: stopping at once"
                      : "gbrun: finishing the current sample; interrupt again to stop at once");
    lanes_drop(run);
    for (struct slot *slot = NULL; (slot = run_next_busy(run, slot)) != NULL;) {
        if (run->is_killed) {
            slot_kill(slot, KILLED_BY_USER);
        } else {
            if (slot->process.pid > 0 && !slot->process.has_exited)
                kill(slot->process.pid, SIGTERM);
            slot->deadline_ns = fmin(slot->deadline_ns, awake_clock_ns() + cancel_grace_ns);
        }
    }
}

static bool prolong(struct slot *slot, double now_ns)
{
    const struct bench_case *bench_case = &slot->visit->bench_case;
    const double used_ns = worker_processor_ns(&slot->process);
    const double left_ns = slot_time_left(bench_case->common.time_limit_ns, slot->processor_ns,
                                          used_ns);
    if (slot->run->is_cancelled || !bench_case_is_counted(bench_case) || left_ns == 0)
        return false;
    slot->processor_ns = used_ns;
    slot->deadline_ns = now_ns + left_ns;
    return true;
}

/* Judged after what workers had sent was read: this process may have been kept from reading. */
static void check_deadlines(struct run *run)
{
    double now = awake_clock_ns();
    /* A killed process that the kernel keeps is left behind; of a user who stops, sooner. */
    const double patience_ns = run->is_killed ? stopped_leave_ns : leave_ns;
    for (struct slot *slot = NULL; (slot = run_next_at_work(run, slot)) != NULL;) {
        if (slot->killed != KILLED_NOT) {
            if (awake_clock_ns() > slot->killed_ns + patience_ns)
                slot_leave(slot);
        } else if (now >= slot->deadline_ns) {
            if (slot->is_cut)
                slot_kill_for_protocol(slot, "closed its connection");
            else if (!prolong(slot, now))
                slot_kill(slot, run->is_cancelled ? KILLED_BY_USER : KILLED_FOR_TIME);
        }
    }
}

/* Cases are announced once they have the durability that was asked for; one sync serves all that
 * ended meanwhile. */
static void announce(struct run *run, bool is_last)
{
    struct progress *progress = run->plan->progress;
    struct gb_error error;
    bool is_full = run->plan->params->durability == DURABILITY_FULL;
    if (progress->n_held == 0 ||
        (is_full && !is_last && awake_clock_ns() < run->synced_ns + sync_interval_ns))
        return;
    if (is_full && store_sync(run->plan->store, &error) != GB_OK) {
        run_fail(run, &error);
        return;
    }
    run->synced_ns = awake_clock_ns();
    progress_announce(progress);
}

static void take_stops(struct run *run)
{
    for (; run->n_stops < stops && run->n_stops < 2; run->n_stops++)
        on_user_stop(run);
}

/* Another program may hold a lock for as long as it likes: the user decides. */
static bool wait_for_lock(void *context, const char *path, int n)
{
    enum { TENTHS = 10 };
    struct run *run = context;
    if (n == TENTHS)
        progress_line(run->plan->progress,
                      "gbrun: %s: another program holds a lock on it: waiting for that program",
                      path);
    line_output_flush(&run->plan->progress->output);
    poll(NULL, 0, 1000 / TENTHS);
    take_stops(run);
    return !run->is_killed;
}

static int poll_timeout(struct run *run)
{
    double now = awake_clock_ns();
    const int longest_ms = run_is_closing(run) ? 1 : run->is_waiting ? LOCK_POLL_MS : POLL_MS;
    double soonest = now + (double)longest_ms * 1e6;
    if (run->plan->progress->n_held > 0)
        soonest = fmin(soonest, run->synced_ns + sync_interval_ns);
    for (struct slot *slot = NULL; (slot = run_next_at_work(run, slot)) != NULL;)
        if (slot->killed == KILLED_NOT)
            soonest = fmin(soonest, slot->deadline_ns);
    double left_ms = (soonest - now) / 1e6;
    return left_ms < 1 ? 1 : (int)ceil(left_ms);
}

static void wait_and_listen(struct run *run)
{
    struct progress *progress = run->plan->progress;
    struct events *events = run->plan->events;
    struct pollfd files[2 * SLOTS_ALL + 2];
    nfds_t n = 0;
    files[n++] = (struct pollfd){.fd = line_output_poll_fd(&progress->output), .events = POLLOUT};
    files[n++] = (struct pollfd){.fd = events ? line_output_poll_fd(&events->output) : -1,
                                 .events = POLLOUT};
    for (size_t i = 0; i < SLOTS_ALL; i++)
        if (run->slots[i].is_alive && !run->slots[i].is_closing) {
            files[n++] = (struct pollfd){.fd = run->slots[i].process.socket, .events = POLLIN};
            files[n++] = (struct pollfd){.fd = run->slots[i].process.output, .events = POLLIN};
        }
    poll(files, n, poll_timeout(run));
    line_output_flush(&progress->output);
    if (events)
        line_output_flush(&events->output);
    for (size_t i = 0; i < SLOTS_ALL; i++)
        if (run->slots[i].is_alive && run->slots[i].is_closing)
            slot_check_closing(&run->slots[i]);
        else if (run->slots[i].is_alive)
            slot_listen(&run->slots[i]);
    take_stops(run);
    check_deadlines(run);
}

/* ---- other tasks that measure cases of the same list ---- */

/* A batch takes about a second: short enough to be measured again, long enough that taking it and
 * the sync of its end cost nothing. With rounds other cases are to come between those of one. */
static const double short_ns = 500e6, long_ns = 2e9;
enum { LEAST_WITH_ROUNDS = 8, WAIT_MS = 100 };

static size_t least_batch(const struct run *run)
{
    const size_t n = run->schedule.devices->n, least = n ? n : 1;
    return run->schedule.n_rounds > 1 && least < LEAST_WITH_ROUNDS ? LEAST_WITH_ROUNDS : least;
}

static void choose_batch(struct run *run)
{
    const double took_ns = awake_clock_ns() - run->batch_begin_ns;
    if (run->batch_size > 0 && took_ns < short_ns)
        run->batch_size *= 2;
    else if (took_ns > long_ns)
        run->batch_size /= 2;
    if (run->batch_size < least_batch(run))
        run->batch_size = least_batch(run);
    if (run->batch_size > CLAIM_BATCH_MAX)
        run->batch_size = CLAIM_BATCH_MAX;
}

/* The cases of the last batch are stored: calls them done and gives the schedule the next ones.
 * False: all are done. Waits for a moment where there is nothing to take. */
static bool run_claim(struct run *run)
{
    struct claims *claims = run->plan->claims;
    struct gb_error error;
    bool is_over = false;
    if (claims_batch(claims)->n > 0)
        choose_batch(run);
    if (claims_finish(claims, &error) != GB_OK ||
        claims_take(claims, run->batch_size > 0 ? run->batch_size : least_batch(run), &is_over,
                    &error) != GB_OK) {
        run_fail(run, &error);
        return false;
    }
    run->batch_begin_ns = awake_clock_ns();
    run->schedule.open = NULL;
    run->schedule.n_rounds = run->plan->schedule.n_rounds;
    run->schedule.next_position = run->schedule.next_round = 0;
    run->schedule.next_device = 0;
    if (claims_batch(claims)->n == 0 && !is_over) {
        if (!run->has_said_held)
            progress_line(run->plan->progress,
                          "gbrun: other tasks are measuring the remaining cases: waiting for them");
        run->has_said_held = true;
        poll(NULL, 0, WAIT_MS);
    }
    return !is_over || claims_batch(claims)->n > 0;
}

/* In every turn of the loop. */
static void run_beat(struct run *run)
{
    struct gb_error error;
    if (!run->plan->claims || claims_beat(run->plan->claims, &error) == GB_OK)
        return;
    if (!run->has_said_beat)
        progress_line(run->plan->progress,
                      "gbrun: %s: other tasks have taken over the cases of this one", error.text);
    run->has_said_beat = true;
}

/* ---- the run ---- */

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
    lanes_drop(run);
    for (size_t i = 0; i < SLOTS_ALL; i++) {
        struct slot *slot = &run->slots[i];
        if (i < SLOTS_MAX)
            slot_give_back(slot, run->plan->spare);
        slot_end(slot);
        so_far_free(&slot->so_far);
        if (slot->visit) {
            collector_free(&slot->collector);
            visit_free(slot->visit);
        }
    }
}

/* With lanes there is another one after each visit that is stored. */
static bool is_round_over(const struct run *run)
{
    return run->n_window == 0 || run->is_cancelled || (run->schedule.n_lanes > 1 && run->has_news);
}

/* A round begins no sooner after the one before than the visits of a case are to. */
static void wait_for_round(struct run *run)
{
    const double now_ns = host_clock_ns();
    if (!(run->repeats_begin_ns > 0))
        run->repeats_begin_ns = now_ns;
    run->slack_ns = fmax(0, run->round_begin_ns + run->plan->params->apart_ns - now_ns);
    const double wait_ns = fmax(run->slack_ns, repeats_wait_ns(run->schedule.next_round,
                                                               now_ns - run->repeats_begin_ns,
                                                               now_ns - run->begin_ns));
    double left_ns;
    while (!run->is_cancelled && (left_ns = now_ns + wait_ns - host_clock_ns()) > 0) {
        poll(NULL, 0, (int)ceil(fmin(left_ns / 1e6, WAIT_MS)));
        take_stops(run);
        run_beat(run);
    }
    run->round_begin_ns = host_clock_ns();
}

/* Has any case another round that it needs? */
static bool begin_repeats(struct run *run)
{
    struct gb_error error;
    uint64_t n = 0;
    if (!run->schedule.repeats || run->status != GB_OK)
        return false;
    if (!run->open)
        run->open = memory_allocate((size_t)sweep_positions(run->schedule.sweep) + 1);
    if (repeats_next(&run->schedule, run->plan->store, run->plan->run_id, run->open, &n, &error) !=
        GB_OK)
        run_fail(run, &error);
    run->plan->progress->n_total += n;
    run->schedule.repeats = n > 0 || run->plan->claims; /* else all are settled */
    if (n > 0)
        wait_for_round(run);
    return n > 0;
}

/* Is there another round, now that all of this one is stored? */
static bool begin_round(struct run *run)
{
    struct gb_error error;
    bool goes_on = false;
    if (run->is_cancelled)
        return false;
    announce(run, true);
    if (begin_repeats(run))
        return true;
    if (!run->plan->on_round && !run->plan->claims)
        return false;
    if (run->plan->claims)
        return run->status == GB_OK && run_claim(run);
    run->has_news = false;
    run->schedule.is_under_way = run->n_window > 0;
    if (run->status == GB_OK &&
        run->plan->on_round(run->plan->context, &run->schedule, &goes_on, &error) != GB_OK)
        run_fail(run, &error);
    if (run->schedule.is_given_up) {
        lanes_drop(run);
        empty_window(run);
        run->schedule.is_given_up = false;
    }
    take_stops(run); /* it may have waited for something, and does not wait for what is stopped */
    return goes_on && run->status == GB_OK;
}

int32_t supervise(const struct run_plan *plan, struct run_counts *ret, struct gb_error *error)
{
    struct run *run = memory_allocate(sizeof *run);
    struct sigaction before[N_CAUGHT];
    run->plan = plan;
    run->schedule = plan->schedule;
    run->sequence = plan->first_sequence;
    run->devices = memory_allocate(plan->schedule.devices->n * sizeof *run->devices);
    run->renewals = memory_allocate(((size_t)sweep_positions(plan->schedule.sweep) + 1) *
                                    sizeof *run->renewals);
    run_locks_new(run);
    run->begin_ns = run->round_begin_ns = host_clock_ns();
    catch_signals(before);
    store_on_lock(plan->store, wait_for_lock, run);
    while (run->status == GB_OK) {
        announce(run, false);
        take_stops(run);
        run_beat(run);
        run_locks_begin(run);
        lanes_assign(run);
        assign_visits(run);
        assign_turn(run);
        run_locks_settle(run);
        if (run_count_busy(run) == 0 && is_round_over(run)) {
            if (!begin_round(run))
                break;
            continue;
        }
        wait_and_listen(run);
    }
    announce(run, true);
    store_on_lock(plan->store, NULL, NULL);
    count_left(run);
    end_workers(run);
    run_locks_free(run);
    empty_window(run);
    release_signals(before);
    *ret = run->counts;
    int32_t status = run->status;
    if (status != GB_OK)
        *error = run->error;
    for (size_t i = 0; i < plan->schedule.devices->n; i++)
        text_free(&run->devices[i].note);
    free(run->devices);
    free(run->builds);
    free(run->open);
    free(run->renewals);
    free(run);
    return status;
}
