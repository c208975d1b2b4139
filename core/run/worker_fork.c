/* worker_fork.c - see worker_fork.h. */
#include "core/run/worker_fork.h"

#include "core/base/host_clock.h"
#include "core/run/strays.h"
#include "core/run/warm.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t served; /* the process that was forked last */

static void pass_on(int signal)
{
    kill(served, signal);
}

/* As the process has ended that was forked. */
static void end_like(int wait_status)
{
    if (!WIFSIGNALED(wait_status))
        _exit(WEXITSTATUS(wait_status));
    const int number = WTERMSIG(wait_status);
    sigset_t mask;
    sigemptyset(&mask);
    sigaddset(&mask, number);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    signal(number, SIG_DFL);
    sigprocmask(SIG_UNBLOCK, &mask, NULL);
    raise(number);
    _exit(EXIT_FAILURE);
}

/* Returns once the process has made room for another. */
static void wait_for(pid_t pid, struct worker_link *link)
{
    const struct sigaction action = {.sa_handler = pass_on};
    struct sigaction before;
    int status = 0;
    served = pid;
    sigaction(SIGTERM, &action, &before);
    if (host_cancelled())
        pass_on(SIGTERM);
    while (waitpid(pid, &status, 0) == pid ? !strays_child_has_ended(pid, status) : errno == EINTR)
        continue;
    strays_kill(0, 0);
    if (!link->page->is_left)
        end_like(status);
    link->page->is_left = 0;
    sigaction(SIGTERM, &before, NULL);
}

/* The worker has the same signals, socket and page. */
static void become_forked(struct worker_fork *fork, struct worker_link *link, pid_t worker)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (getppid() != worker)
        _exit(EXIT_FAILURE);
    link->process = getpid();
    fork->is_forked = true;
}

/* Where that cannot be, this process serves cases as any worker does. */
static int serve_forked(struct worker_fork *fork, struct worker_link *link)
{
    const pid_t worker = getpid();
    struct gb_error error;
    pid_t pid = -1;
    fflush(NULL);
    strays_prepare();
    if (warm_check(fork->by, NULL, 0, &error) != GB_OK)
        link_say(link, GB_LOG_INFO, "a fresh process imports anew: %s", error.text);
    else
        pid = fork->by->fork();
    if (pid < 0)
        fork->by = NULL;
    else if (pid == 0)
        become_forked(fork, link, worker);
    else
        wait_for(pid, link);
    return pid > 0 ? PLACE_DONE : PLACE_HERE;
}

/* Processes on a CPU are to differ by what their start fixes (addresses, seeds of hashes). A judge
 * loads nothing of what is measured. */
static bool may_be_forked(const struct bench_case *bench_case)
{
    return !text_equal(bench_case->device.settings->info->plugin.id, "cpu") &&
           bench_case->common.verify != VERIFY_JUDGE;
}

int worker_fork_place(struct worker_fork *fork, struct session *session, struct worker_link *link,
                      const struct bench_case *bench_case)
{
    CLEANUP(warm_free) struct warm warm = {0};
    CLEANUP(arena_free) struct arena arena = {0};
    struct gb_error error; /* ignored: the case reports it when it loads the same */
    const double begin_ns = host_clock_ns();
    const bool is_first = !fork->is_used;
    fork->is_used = true;
    if (may_be_forked(bench_case)) {
        link_phase(link, PHASE_LOAD);
        warm_find(session, &link->sink, bench_case, &arena, &warm, &error);
    }
    if (warm_is_cold(&warm) && !is_first && (fork->is_forked || !fork->by))
        return PLACE_FRESH;
    if (warm_is_cold(&warm)) {
        fork->by = warm_load(&warm, &error) == GB_OK ? warm.by : fork->by;
        fork->load_ns += host_clock_ns() - begin_ns;
    }
    return fork->by && !fork->is_forked ? serve_forked(fork, link) : PLACE_HERE;
}

void worker_fork_leave(const struct worker_fork *fork, struct worker_link *link)
{
    link->page->is_left = fork->is_forked;
}
