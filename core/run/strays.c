/* strays.c - see strays.h. */
#include "core/run/strays.h"

#include "core/base/memory.h"

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>

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

void strays_know(pid_t worker)
{
    MEMORY_APPEND(known.workers, known.n, worker);
}

static void forget(pid_t worker)
{
    size_t i = 0;
    while (i < known.n && known.workers[i] != worker)
        i++;
    if (i < known.n)
        known.workers[i] = known.workers[--known.n];
}

static bool is_worker(pid_t pid)
{
    for (size_t i = 0; i < known.n; i++)
        if (known.workers[i] == pid)
            return true;
    return false;
}

/* How many strays there are still; those that have ended are waited for, and counted if that was
 * not of their own. */
static uint32_t kill_some(uint32_t *n_killed)
{
    uint32_t n = 0;
    long child;
    FILE *children = open_children();
    while (children && fscanf(children, "%ld", &child) == 1) {
        int status = 0;
        if (is_worker((pid_t)child))
            continue;
        n++;
        kill((pid_t)child, SIGKILL);
        if (waitpid((pid_t)child, &status, WNOHANG) == (pid_t)child)
            *n_killed += WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    }
    if (children)
        fclose(children);
    return n;
}

uint32_t strays_kill(pid_t worker)
{
    enum { PATIENCE_MS = 200 }; /* their own children come after them */
    uint32_t n_killed = 0;
    forget(worker);
    for (int ms = 0; known.is_on && kill_some(&n_killed) > 0 && ms < PATIENCE_MS; ms++)
        poll(NULL, 0, 1);
    return n_killed;
}
