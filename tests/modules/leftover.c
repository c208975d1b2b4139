/*
 * leftover.c - leaves behind what outlives a case, by `what`. The case is fine, says what it left,
 * and the next one finds nothing of it.
 */
#define _GNU_SOURCE
#include "tests/modules/harm.h"

#include <errno.h>
#include <gbrun/gbrun.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

struct params {
    int32_t where, what, then;
};

#include "tests/modules/callbacks.h"

static int one_processor(void)
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

static int lower_limit(void)
{
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur--;
    return setrlimit(RLIMIT_NOFILE, &limit);
}

static int sleep_in_child(void)
{
    if (fork() == 0) {
        sleep(20);
        _exit(0);
    }
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

static void *sleep_on(void *unused)
{
    pause();
    return unused;
}

static void *nap(void *unused)
{
    for (;;)
        usleep(50);
    return unused;
}

static int start_threads(long n, void *(*does)(void *))
{
    pthread_t thread;
    int status = 0;
    for (long i = 0; i < n && status == 0; i++)
        status = pthread_create(&thread, NULL, does, NULL);
    return status;
}

/* A signal, though ignored, stops it for whoever traces it. */
static int stop_for_tracer(void)
{
    signal(SIGWINCH, SIG_IGN);
    const int status = ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0 ? raise(SIGWINCH) : -1;
    signal(SIGWINCH, SIG_DFL);
    return status;
}

/* The page that it shares with the supervisor, cut to nothing. */
static int cut_page(void)
{
    char path[64];
    unsigned long begin, end;
    if (!worker_page(&begin, &end))
        return -1;
    snprintf(path, sizeof path, "/proc/self/map_files/%lx-%lx", begin, end);
    const int file = open(path, O_RDWR);
    if (file < 0 || (ftruncate(file, 0) != 0 && errno != EPERM))
        return -1;
    return close(file);
}

static int set_timer(void)
{
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_NONE};
    return access("/proc/self/timers", R_OK) || timer_create(CLOCK_MONOTONIC, &event, &timer);
}

static int map(size_t bytes, int flags, bool touches)
{
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);
    for (size_t i = 0; memory != MAP_FAILED && touches && i < bytes; i += 4096)
        memory[i] = 1;
    return memory == MAP_FAILED ? -1 : 0;
}

/* Neighbours that differ, so that each is one of its own. */
static int map_in_regions(size_t n)
{
    char *memory = mmap(NULL, n * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int status = memory == MAP_FAILED;
    for (size_t i = 0; i < n && status == 0; i += 2)
        status = mprotect(memory + i * 4096, 4096, PROT_READ);
    return status;
}

static int open_many(int n)
{
    int file = 0;
    for (int i = 0; i < n && file >= 0; i++)
        file = dup(STDERR_FILENO);
    return file < 0;
}

static int replace_input(void)
{
    return dup2(STDERR_FILENO, STDIN_FILENO) < 0;
}

static int leave_group(void)
{
    return setpgid(0, getpgid(getppid()));
}

static void on_signal(int signal)
{
    (void)signal;
}

static int block_signal(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    return sigprocmask(SIG_BLOCK, &set, NULL);
}

static int reap_children(void)
{
    const struct sigaction action = {.sa_handler = SIG_DFL, .sa_flags = SA_NOCLDWAIT};
    return sigaction(SIGCHLD, &action, NULL);
}

/* What clamps the frequency: struct sched_attr. */
static int clamp_frequency(void)
{
    enum { CLAMPS = 0x60, KEEPS = 0x18 };
    const uint64_t attributes[7] = {sizeof attributes, KEEPS | CLAMPS, 0, 0, 0, 0, 512ull << 32};
    return (int)syscall(SYS_sched_setattr, 0, attributes, 0);
}

static int bind_to_first_node(void)
{
    enum { BIND = 2 };
    const unsigned long first = 1;
    return (int)syscall(SYS_set_mempolicy, BIND, &first, 8 * sizeof first);
}

/* Sleepers: more than any runtime keeps, which are 64, and two for each CPU. */
#define LEAVINGS(X)                                                                                \
    X(nothing, return 0)                                                                           \
    X(affinity, return one_processor())                                                            \
    X(scheduler, return sched_setscheduler(0, SCHED_BATCH, &(struct sched_param){0}))              \
    X(limit, return lower_limit())                                                                 \
    X(alarm, alarm(600))                                                                           \
    X(personality, return personality(ADDR_NO_RANDOMIZE) < 0)                                      \
    X(memory, return prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0))                                        \
    X(child, return sleep_in_child())                                                              \
    X(daemon, return leave_daemon())                                                               \
    X(threads, return start_threads(2, compute))                                                   \
    X(traced, return stop_for_tracer())                                                            \
    X(page, return cut_page())                                                                     \
    X(timer, return set_timer())                                                                   \
    X(tracer, return (int)ptrace(PTRACE_TRACEME, 0, NULL, NULL))                                   \
    X(sleepers, return start_threads(70 + 2 * sysconf(_SC_NPROCESSORS_ONLN), sleep_on))            \
    X(mapping, return map((size_t)5 << 30, MAP_PRIVATE | MAP_NORESERVE, false))                    \
    X(leak, return map((size_t)1 << 30, MAP_PRIVATE, true))                                        \
    X(shared, return map((size_t)300 << 20, MAP_SHARED, true))                                     \
    X(nodes, return bind_to_first_node())                                                          \
    X(regions, return map_in_regions(20000))                                                       \
    X(few_files, return open_many(100))                                                            \
    X(files, return open_many(300))                                                                \
    X(input, return replace_input())                                                               \
    X(hostname, return unshare(CLONE_NEWUTS))                                                      \
    X(network, return unshare(CLONE_NEWNET))                                                       \
    X(napper, return start_threads(4, nap))                                                        \
    X(group, return leave_group())                                                                 \
    X(death, return prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0))                                           \
    X(privileges, return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))                                   \
    X(folder, return chdir("/"))                                                                   \
    X(mask, (void)umask(0))                                                                        \
    X(handler, return signal(SIGUSR1, on_signal) == SIG_ERR)                                       \
    X(blocked, return block_signal())                                                              \
    X(reaping, return reap_children())                                                             \
    X(clamp, return clamp_frequency())                                                             \
    X(locked, return mlockall(MCL_FUTURE))                                                         \
    X(poison, return prctl(PR_MCE_KILL, PR_MCE_KILL_SET, PR_MCE_KILL_EARLY, 0, 0))
WORDS(leftover, LEAVINGS)

static const char *const ends[] = {"go_on", "crash", "hang"};
enum { GO_ON, CRASH, HANG };

static int32_t leftover_act(struct bench *bench)
{
    const struct params *params = bench->params;
    if (leftover_do(bench, params->what) != 0)
        return bench->host->skip(bench->host, "not possible here");
    if (params->then == CRASH)
        abort();
    if (params->then == HANG)
        hang();
    return GB_OK;
}

ACTS_IN(leftover, "prepare", "leaves things behind",
        GB_CHOICE(struct params, what, "nothing", leftover_words, "what it leaves"),
        GB_CHOICE(struct params, then, "go_on", ends, "and what it does then"))

GB_MODULE(&leftover)
