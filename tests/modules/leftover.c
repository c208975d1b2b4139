/*
 * leftover.c - leaves behind what outlives a case, by `what`: an affinity to one processor, an idle
 * scheduling class, a lower limit of open files, an alarm, a personality, no huge pages, a child
 * process, one that has left its session and its parent, threads that compute. The case is fine,
 * says what it left, and the next one finds nothing of it.
 */
#define _GNU_SOURCE
#include "tests/modules/places.h"

#include <gbrun/gbrun.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const kinds[] = {"nothing",     "affinity", "scheduler", "limit",  "alarm",
                                    "personality", "memory",   "child",     "daemon", "threads"};

struct params {
    int32_t where;
    int32_t what;
};

static const struct gb_option options[] = {
    GB_CHOICE(struct params, where, "prepare", places, "the callback that misbehaves"),
    GB_CHOICE(struct params, what, "nothing", kinds, "what it leaves"),
};

struct bench {
    const struct gb_host *host;
    struct params params;
};

static int leave_nothing(void)
{
    return 0;
}

static int leave_affinity(void)
{
    cpu_set_t all, one;
    size_t cpu = 0;
    if (sched_getaffinity(0, sizeof all, &all) != 0)
        return -1;
    while (!CPU_ISSET(cpu, &all))
        cpu++;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    return sched_setaffinity(0, sizeof one, &one);
}

static int leave_scheduler(void)
{
    const struct sched_param param = {0};
    return sched_setscheduler(0, SCHED_BATCH, &param);
}

static int leave_limit(void)
{
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur--;
    return setrlimit(RLIMIT_NOFILE, &limit);
}

static int leave_alarm(void)
{
    alarm(600);
    return 0;
}

static int leave_personality(void)
{
    return personality(ADDR_NO_RANDOMIZE) >= 0 ? 0 : -1;
}

static int leave_memory(void)
{
    return prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
}

static void sleep_in_child(void)
{
    if (fork() == 0) {
        sleep(20);
        _exit(0);
    }
}

static int leave_child(void)
{
    sleep_in_child();
    return 0;
}

static int leave_daemon(void)
{
    const pid_t between = fork();
    if (between == 0) {
        setsid();
        sleep_in_child();
        _exit(0);
    }
    return waitpid(between, NULL, 0) == between ? 0 : -1;
}

static void *compute(void *unused)
{
    for (volatile unsigned n = 0;; n++)
        continue;
    return unused;
}

static int leave_threads(void)
{
    pthread_t thread;
    return pthread_create(&thread, NULL, compute, NULL) ||
           pthread_create(&thread, NULL, compute, NULL);
}

static int32_t act(struct bench *bench, int32_t where)
{
    static int (*const leave[])(void) = {
        leave_nothing,     leave_affinity, leave_scheduler, leave_limit,  leave_alarm,
        leave_personality, leave_memory,   leave_child,     leave_daemon, leave_threads};
    if (where == bench->params.where && leave[bench->params.what]() != 0)
        return bench->host->skip(bench->host, "not possible here");
    return GB_OK;
}

#define MODULE_ID "leftover"
#define MODULE_SUMMARY "leaves things behind"
#include "tests/modules/callbacks.h"
