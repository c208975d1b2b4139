/*
 * leftovers.c - benchmarks that change the process around them in the callback named by `where`, as
 * `what` says. The case is fine and says what it left, and the next one finds nothing of it.
 */
#define _GNU_SOURCE
#include "tests/modules/hurry.h"

#include <errno.h>
#include <fcntl.h>
#include <gbrun/gbrun.h>
#include <locale.h>
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
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct params {
    int32_t where, what, then;
};

#include "tests/modules/callbacks.h"

/* ---- leftover: an affinity to one processor, an idle scheduling class, a lower limit of open
 * files, an alarm, a personality, no huge pages, a child process, one that has left its session and
 * its parent, threads that compute or wait, a tracer, memory ---- */

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
    X(shared, return map((size_t)300 << 20, MAP_SHARED, true))                                     \
    X(nodes, return bind_to_first_node())
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
        hurry_hang(0);
    while (params->then == HANG)
        pause();
    return GB_OK;
}

ACTS_IN(leftover, "prepare", "leaves things behind", verify,
        GB_CHOICE(struct params, what, "nothing", leftover_words, "what it leaves"),
        GB_CHOICE(struct params, then, "go_on", ends, "and what it does then"))

/* ---- environment: locale, working folder, signal handlers and mask (SIGINT and SIGTERM ignored
 * and blocked), rounding mode, flush-to-zero, umask, environment variables, nice value, or all.
 * gbrun must give right numbers and texts for this case too, and Ctrl-C must still end the run.
 * ---- */

/* The first two write 0.5 as "0,5"; one is enough, and none may be installed. */
static void change_locale(void)
{
    if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "fr_FR.UTF-8"))
        setlocale(LC_ALL, "C.UTF-8");
}

static int change_signals(void)
{
    static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGCHLD, SIGSEGV, SIGABRT};
    sigset_t all;
    for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; i++)
        signal(ignored[i], SIG_IGN);
    sigfillset(&all);
    return sigprocmask(SIG_BLOCK, &all, NULL);
}

static void add_to_float_control(uint32_t bits)
{
#if defined(__x86_64__)
    uint32_t control;
    __asm__ volatile("stmxcsr %0" : "=m"(control));
    control |= bits;
    __asm__ volatile("ldmxcsr %0" : : "m"(control));
#else
    (void)bits;
#endif
}

static int change_variables(void)
{
    setenv("PATH", "/nowhere", 1);
    setenv("TMPDIR", "/nowhere", 1);
    setenv("LC_ALL", "de_DE.UTF-8", 1);
    setenv("GBRUN_PLUGIN_PATH", "/nowhere", 1);
    return unsetenv("HOME");
}

enum { ALL = 8, UPWARD = 0x4000, RESULTS_AND_OPERANDS = 0x8040 };
#define CHANGES(X)                                                                                 \
    X(locale, change_locale())                                                                     \
    X(cwd, return chdir("/"))                                                                      \
    X(signals, return change_signals())                                                            \
    X(rounding, add_to_float_control(UPWARD))                                                      \
    X(flush_to_zero, add_to_float_control(RESULTS_AND_OPERANDS))                                   \
    X(umask, umask(0777))                                                                          \
    X(variables, return change_variables())                                                        \
    X(nice, return nice(5) < -20)                                                                  \
    X(all, )
WORDS(environment, CHANGES)

static int32_t environment_act(struct bench *bench)
{
    const int32_t what = bench->params->what;
    int32_t status = GB_OK;
    for (int32_t i = 0; i < ALL && status == GB_OK; i++)
        if (what == ALL || what == i)
            status = environment_do(bench, i) == 0 ? GB_OK : GB_IO;
    return status;
}

/* Right in any rounding mode: what the case is judged by must not be its own environment. */
static int32_t verify_thirds(void *object, const struct gb_queue *queue)
{
    static const float output[] = {0.5f, 1.0f / 3, 0x1p-140f};
    static const double reference[] = {0.5, 1.0 / 3, 0x1p-140};
    const struct gb_host *host = ((struct bench *)object)->host;
    const struct gb_check check = {.size = sizeof check,
                                   .format = GB_F32,
                                   .name = "thirds",
                                   .n = 3,
                                   .output = output,
                                   .reference = reference,
                                   .flags = GB_CHECK_EXACT,
                                   .default_metric = "abs"};
    const int32_t status = verify(object, queue);
    if (status != GB_OK)
        return status;
    host->metric(host, "half", 0.5, "");
    return host->check(host, &check);
}

ACTS_IN(environment, "prepare", "changes the process around it", verify_thirds,
        GB_CHOICE(struct params, what, "all", environment_words, "what it changes"))

GB_MODULE(&leftover, &environment)
