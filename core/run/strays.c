/* strays.c - see strays.h. */
#include "core/run/strays.h"

#include "core/base/memory.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

enum { FORKED_END_SECONDS = 10 };

/*
 * Processes that plugins started and that left the session of their worker. When that ends they
 * become children of this process instead of init's, and are killed. Not where this process had
 * children already when the first worker was started: those are not to be mixed up with them.
 */
static struct {
    bool is_prepared, is_on;
    pid_t *workers;
    size_t n;
} known;

static FILE *open_children(void)
{
    return fopen("/proc/thread-self/children", "re");
}

void strays_prepare(void)
{
    long child;
    if (known.is_prepared)
        return;
    FILE *children = open_children();
    known.is_prepared = true;
    known.is_on = children && fscanf(children, "%ld", &child) != 1 &&
                  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0;
    if (children)
        fclose(children);
}

/* known.n: it is none of the workers. */
static size_t place_of(pid_t pid)
{
    size_t i = 0;
    while (i < known.n && known.workers[i] != pid)
        i++;
    return i;
}

void strays_except(pid_t worker)
{
    MEMORY_APPEND(known.workers, known.n, worker);
}

/* How many strays there are still; those that have ended are waited for, and counted if that was
 * not of their own. */
static uint32_t kill_some(pid_t forked, uint32_t *n_killed)
{
    uint32_t n = 0;
    long child;
    FILE *children = open_children();
    while (children && fscanf(children, "%ld", &child) == 1) {
        int status = 0;
        if (place_of((pid_t)child) < known.n)
            continue;
        n++;
        kill((pid_t)child, SIGKILL);
        if (waitpid((pid_t)child, &status, WNOHANG) == (pid_t)child)
            *n_killed += WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && child != forked;
    }
    if (children)
        fclose(children);
    return n;
}

uint32_t strays_kill(pid_t worker, pid_t forked)
{
    const int patience_ms = forked > 0 ? 1000 * FORKED_END_SECONDS
                                       : 200; /* their own children come after them */
    uint32_t n_killed = 0;
    const size_t place = place_of(worker);
    if (place < known.n)
        known.workers[place] = known.workers[--known.n];
    for (int ms = 0; known.is_on && kill_some(forked, &n_killed) > 0 && ms < patience_ms; ms++)
        poll(NULL, 0, 1);
    return n_killed;
}

/* One that asked to be traced (PTRACE_TRACEME) stops for its tracer at each signal: it is detached,
 * and gets the signal as if it were not traced. */
bool strays_child_has_ended(pid_t pid, int wait_status)
{
    const bool is_end = WIFEXITED(wait_status) || WIFSIGNALED(wait_status);
    if (!is_end)
        ptrace(PTRACE_DETACH, pid, NULL,
               (void *)(intptr_t)(WSTOPSIG(wait_status) == SIGTRAP ? 0 : WSTOPSIG(wait_status)));
    return is_end;
}
