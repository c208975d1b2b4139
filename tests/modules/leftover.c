/*
 * leftover.c - leaves behind what outlives a case, by `what`: an affinity to one processor, an idle
 * scheduling class, a lower limit of open files, an alarm, a personality, no huge pages, a child
 * process, one that has left its session and its parent, threads that compute or wait, a tracer,
 * memory. The case is fine, says what it left, and the next one finds nothing of it.
 */
#define _GNU_SOURCE
#include "tests/modules/hurry.h"
#include "tests/modules/places.h"

#include <errno.h>
#include <fcntl.h>
#include <gbrun/gbrun.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *const kinds[] = {"nothing",     "affinity", "scheduler", "limit",  "alarm",
                                    "personality", "memory",   "child",     "daemon", "threads",
                                    "traced",      "page",     "timer",     "tracer", "sleepers",
                                    "mapping",     "shared",   "nodes"};

static const char *const ends[] = {"go_on", "crash", "hang"};
enum { GO_ON, CRASH, HANG };

struct params {
    int32_t where;
    int32_t what;
    int32_t then;
};

static const struct gb_option options[] = {
    GB_CHOICE(struct params, where, "prepare", places, "the callback that misbehaves"),
    GB_CHOICE(struct params, what, "nothing", kinds, "what it leaves"),
    GB_CHOICE(struct params, then, "go_on", ends, "and what it does then"),
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

/* A signal, though ignored, stops it for whoever traces it. */
static int leave_traced(void)
{
    signal(SIGWINCH, SIG_IGN);
    const int status = ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0 ? raise(SIGWINCH) : -1;
    signal(SIGWINCH, SIG_DFL);
    return status;
}

/* The page that it shares with the supervisor, cut to nothing. */
static int leave_page(void)
{
    char line[512], path[64];
    unsigned long begin, end;
    FILE *maps = fopen("/proc/self/maps", "r");
    int file = -1;
    while (maps && file < 0 && fgets(line, sizeof line, maps))
        if (strstr(line, "memfd:gbrun worker") && sscanf(line, "%lx-%lx", &begin, &end) == 2) {
            snprintf(path, sizeof path, "/proc/self/map_files/%lx-%lx", begin, end);
            file = open(path, O_RDWR);
            if (file < 0)
                break;
        }
    if (maps)
        fclose(maps);
    if (file < 0 || (ftruncate(file, 0) != 0 && errno != EPERM))
        return -1;
    return close(file);
}

static int leave_timer(void)
{
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_NONE};
    return access("/proc/self/timers", R_OK) || timer_create(CLOCK_MONOTONIC, &event, &timer);
}

static int leave_tracer(void)
{
    return (int)ptrace(PTRACE_TRACEME, 0, NULL, NULL);
}

static void *sleep_on(void *unused)
{
    pause();
    return unused;
}

/* More than any runtime keeps: 64, and two for each CPU. */
static int leave_sleepers(void)
{
    const long n = 70 + 2 * sysconf(_SC_NPROCESSORS_ONLN);
    pthread_t thread;
    int status = 0;
    for (long i = 0; i < n && status == 0; i++)
        status = pthread_create(&thread, NULL, sleep_on, NULL);
    return status;
}

static int map(size_t bytes, int flags, bool touches)
{
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);
    for (size_t i = 0; memory != MAP_FAILED && touches && i < bytes; i += 4096)
        memory[i] = 1;
    return memory == MAP_FAILED ? -1 : 0;
}

static int leave_mapping(void)
{
    return map((size_t)5 << 30, MAP_PRIVATE | MAP_NORESERVE, false);
}

static int leave_shared(void)
{
    return map((size_t)300 << 20, MAP_SHARED, true);
}

static int leave_nodes(void)
{
    enum { BIND = 2 };
    const unsigned long first = 1;
    return (int)syscall(SYS_set_mempolicy, BIND, &first, 8 * sizeof first);
}

static int32_t act(struct bench *bench, int32_t where)
{
    static int (*const leave[])(void) = {
        leave_nothing,     leave_affinity, leave_scheduler, leave_limit,  leave_alarm,
        leave_personality, leave_memory,   leave_child,     leave_daemon, leave_threads,
        leave_traced,      leave_page,     leave_timer,     leave_tracer, leave_sleepers,
        leave_mapping,     leave_shared,   leave_nodes};
    if (where == bench->params.where && leave[bench->params.what]() != 0)
        return bench->host->skip(bench->host, "not possible here");
    if (where == bench->params.where && bench->params.then == CRASH)
        abort();
    if (where == bench->params.where && bench->params.then == HANG)
        hurry_hang(0);
    while (where == bench->params.where && bench->params.then == HANG)
        pause();
    return GB_OK;
}

#define MODULE_ID "leftover"
#define MODULE_SUMMARY "leaves things behind"
#include "tests/modules/callbacks.h"
