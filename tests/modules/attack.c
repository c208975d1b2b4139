/*
 * attack.c - a benchmark, a device and a policy, all called `attack`, that do what the option
 * `attack` names in the function that `where` names, from its second call on with `after = 1`. Else
 * they behave well. gbrun must name the case, keep it within its time limit, and measure all other
 * cases as if nothing had been. tests/hostile/test_attacks.sh has what is expected of each.
 */
#include "tests/modules/hurry.h"

#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <gbrun/gbrun.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* clang-format off */
#define PLACES(X)                                                                                  \
    X(create) X(prepare) X(work) X(reset) X(run) X(verify) X(destroy) X(count) X(describe)         \
    X(open) X(close) X(allocate) X(release) X(copy) X(fill) X(queue_create) X(queue_destroy)       \
    X(synchronize) X(clock) X(measure) X(flush) X(telemetry) X(examine) X(is_spent)                \
    X(policy_create) X(observe) X(next) X(report) X(policy_destroy)
/* clang-format on */
#define NAME(name, ...) #name,
enum {
#define PLACE(name) AT_##name,
    PLACES(PLACE)
#undef PLACE
};
static const char *const places[] = {PLACES(NAME)};

/* ---- whatever the function: X(name, what does it, its argument) ---- */

typedef int32_t act_fn(const struct gb_host *host, int64_t argument);

static int32_t answer(const struct gb_host *host, int64_t status)
{
    (void)host;
    return (int32_t)status;
}

static int32_t die(const struct gb_host *host, int64_t number)
{
    (void)host;
    signal((int)number, SIG_DFL);
    raise((int)number);
    return GB_OK;
}

static int32_t fault(const struct gb_host *host, int64_t address)
{
    (void)host;
    *(volatile int *)(intptr_t)address = 1;
    return GB_OK;
}

enum { BY_EXIT, BY_EXIT_GROUP, BY_QUICK_EXIT, BY_THREAD, BY_ABORT, BY_EXEC, BY_EXEC_SELF };

static void crash_at_exit(void)
{
    raise(SIGSEGV);
}

static void hang_at_exit(void)
{
    for (;;)
        pause();
}

static int32_t at_exit(const struct gb_host *host, int64_t hangs)
{
    (void)host;
    atexit(hangs ? hang_at_exit : crash_at_exit);
    return GB_OK;
}

static int32_t leave(const struct gb_host *host, int64_t way)
{
    char program[] = "/bin/true", self[] = "/proc/self/exe", argument[] = "--worker";
    char *const of_program[] = {program, NULL}, *const of_self[] = {self, argument, NULL};
    (void)host;
    switch (way) {
    case BY_EXIT:
        exit(0);
    case BY_EXIT_GROUP:
        _exit(255);
    case BY_QUICK_EXIT:
        quick_exit(7);
    case BY_THREAD:
        pthread_exit(NULL);
    case BY_EXEC:
        execv(program, of_program);
        break;
    case BY_EXEC_SELF:
        execv(self, of_self);
        break;
    default:
        abort();
    }
    return GB_FAILED;
}

static jmp_buf left_frame;
static void leave_frame_behind(void)
{
    if (setjmp(left_frame) != 0)
        raise(SIGABRT); /* a frame that is no longer there: anything may happen */
}

static int32_t jump(const struct gb_host *host, int64_t argument)
{
    (void)host, (void)argument;
    leave_frame_behind();
    longjmp(left_frame, 1);
}

static int deepen(volatile int *depth)
{
    volatile char page[4096];
    page[0] = (char)*depth;
    *depth += 1;
    return *depth < 0 ? 0 : deepen(depth) + page[0];
}

static int32_t overflow(const struct gb_host *host, int64_t argument)
{
    volatile int depth = 0;
    (void)host, (void)argument;
    return deepen(&depth) > 0;
}

enum { SPINNING, SLEEPING, BLOCKED, STOPPED };

static int32_t wait_for_ever(const struct gb_host *host, int64_t way)
{
    sigset_t all;
    volatile int is_on = 1;
    (void)host;
    sigfillset(&all);
    hurry_hang(0);
    if (way == BLOCKED)
        sigprocmask(SIG_SETMASK, &all, NULL);
    if (way == STOPPED)
        raise(SIGSTOP);
    while (is_on)
        if (way != SPINNING)
            pause();
    return GB_OK;
}

enum { CLOSE_ALL, CLOSE_STANDARD, REPLACE_ALL, SHUT_DOWN, GARBAGE, TRUNCATE_ALL, FILL_UP };

static int32_t descriptors(const struct gb_host *host, int64_t what)
{
    static char garbage[70000];
    const int null = open("/dev/null", O_RDWR);
    (void)host;
    memset(garbage, 0xA5, sizeof garbage);
    for (int i = what == CLOSE_STANDARD ? 0 : 3; i < (what == CLOSE_STANDARD ? 3 : 256); i++) {
        struct stat file;
        if (what == FILL_UP ? dup(null) < 0 : i == null || fstat(i, &file) != 0)
            continue;
        if (what == CLOSE_ALL || what == CLOSE_STANDARD)
            close(i);
        else if (what == REPLACE_ALL)
            dup2(null, i);
        else if (what == SHUT_DOWN)
            shutdown(i, SHUT_RDWR);
        else if (what == TRUNCATE_ALL && ftruncate(i, 0) != 0)
            continue;
        else if (what == GARBAGE && S_ISSOCK(file.st_mode) &&
                 send(i, garbage, sizeof garbage, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
            return GB_FAILED;
    }
    return GB_OK;
}

enum { CHILDREN_STAY, CHILD_RETURNS, CHILD_CRASHES, DAEMON, VFORKED };

static int32_t spawn(const struct gb_host *host, int64_t what)
{
    (void)host;
    for (int i = 0; i < (what == CHILDREN_STAY ? 8 : 1); i++) {
        const pid_t pid = fork();
        if (pid < 0)
            return GB_FAILED;
        if (pid > 0)
            continue;
        if (what == CHILD_RETURNS)
            return GB_OK;
        if (what == CHILD_CRASHES)
            raise(SIGSEGV);
        if (what == DAEMON)
            setsid();
        sleep(30);
        _exit(0);
    }
    return GB_OK;
}

static void *run_thread(void *crashes)
{
    volatile int is_on = 1;
    if (crashes)
        raise(SIGSEGV);
    while (is_on)
        continue;
    return NULL;
}

static int32_t thread(const struct gb_host *host, int64_t crashes)
{
    pthread_t id;
    (void)host;
    return pthread_create(&id, NULL, run_thread, crashes ? &id : NULL) == 0 ? GB_OK : GB_FAILED;
}

static int32_t limit(const struct gb_host *host, int64_t resource)
{
    const struct rlimit least = {.rlim_cur = resource == RLIMIT_CPU, .rlim_max = 1};
    (void)host;
    setrlimit((int)resource, &least);
    return GB_OK;
}

/* What malloc returned is stored: clang leaves out a call whose result is only compared. */
static int32_t hog(const struct gb_host *host, int64_t bytes)
{
    const struct rlimit few = {(rlim_t)1 << 30, (rlim_t)1 << 30};
    void *volatile taken;
    setrlimit(RLIMIT_AS, &few);
    do
        taken = bytes > 0 ? host->allocate(host, (uint64_t)bytes) : malloc(1 << 16);
    while (taken != NULL);
    return GB_NO_MEMORY;
}

static void on_signal(int number)
{
    (void)number;
}

enum { FOLDER, UMASK, MASK, HANDLERS, IGNORE, ALARM, TIMER, ENVIRONMENT, LOCALE, NICE };

static int32_t change(const struct gb_host *host, int64_t what)
{
    const struct itimerval soon = {{0, 20000}, {0, 20000}};
    sigset_t all;
    (void)host;
    sigfillset(&all);
    switch (what) {
    case FOLDER:
        return chdir("/") == 0 ? GB_OK : GB_FAILED;
    case UMASK:
        umask(0777);
        break;
    case MASK:
        sigprocmask(SIG_SETMASK, &all, NULL);
        break;
    case HANDLERS:
    case IGNORE:
        for (int i = 1; i < 32; i++)
            signal(i, what == IGNORE ? SIG_IGN : on_signal);
        break;
    case ALARM:
        alarm(1);
        break;
    case TIMER:
        setitimer(ITIMER_REAL, &soon, NULL);
        break;
    case ENVIRONMENT:
        clearenv();
        break;
    case LOCALE:
        setlocale(LC_ALL, "C.UTF-8");
        break;
    default:
        errno = 0;
        return nice(5) == -1 && errno != 0 ? GB_FAILED : GB_OK;
    }
    return GB_OK;
}

enum { SECCOMP, TRACED, NOT_DUMPED, RENAMED, KILL_GROUP, SCRIBBLE, UNMAP, IDLE };

/* The page that it shares with the supervisor, which is written to or taken away. */
static void spoil_page(int64_t what)
{
    char line[512];
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps)) {
        unsigned long begin = 0, end = 0;
        if (!strstr(line, "gbrun worker") || sscanf(line, "%lx-%lx", &begin, &end) != 2)
            continue;
        if (what == UNMAP)
            munmap((void *)begin, end - begin);
        else
            memset((void *)begin, what == IDLE ? 0 : 0xFF, 4);
    }
    if (maps)
        fclose(maps);
}

static int32_t process(const struct gb_host *host, int64_t what)
{
    (void)host;
    switch (what) {
    case SECCOMP:
        return prctl(PR_SET_SECCOMP, 1, 0, 0, 0) == 0 ? GB_OK : GB_FAILED;
    case TRACED: /* then each signal stops it, and its parent is asked */
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        raise(SIGUSR1);
        break;
    case NOT_DUMPED:
        prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
        break;
    case RENAMED:
        prctl(PR_SET_NAME, "\n\033[31m)", 0, 0, 0);
        break;
    case KILL_GROUP:
        kill(0, SIGKILL);
        break;
    default:
        spoil_page(what);
        if (what == IDLE)
            _exit(9);
    }
    return GB_OK;
}

enum { LINES, LONG_LINE, BINARY, STOLEN_LINE };

static int32_t print(const struct gb_host *host, int64_t what)
{
    static char line[1 << 20];
    (void)host;
    if (what == STOLEN_LINE)
        puts("1/1  stolen  1.00 us n=12\n\033[2J\r1/1  stolen");
    for (int i = 0; what == LINES && i < 20000; i++)
        puts("a line");
    memset(line, 'x', sizeof line - 1);
    for (size_t i = 0; what == BINARY && i < sizeof line - 1; i++)
        line[i] = (char)(i * 31);
    if (what == LONG_LINE || what == BINARY)
        fwrite(line, 1, sizeof line, stdout);
    return GB_OK;
}

enum { MEGABYTES, NOT_UTF8, CONTROLS, NO_TEXT };

static const char *odd_text(int64_t what)
{
    static char longer[4 << 20];
    memset(longer, 'w', sizeof longer - 1);
    return what == MEGABYTES  ? longer
           : what == NOT_UTF8 ? "caf\xe9 \xff\xc0\x80\xed\xa0\x80 \xf4\x90\x80\x80"
           : what == CONTROLS ? "\033[2J\033]0;title\a\r\n1/1  stolen\x9b\x7f\xc2\x9b"
                              : NULL;
}

static int32_t fail_with(const struct gb_host *host, int64_t what)
{
    return host->fail(host, odd_text(what));
}

static int32_t skip_with(const struct gb_host *host, int64_t what)
{
    return host->skip(host, odd_text(what));
}

static int32_t log_with(const struct gb_host *host, int64_t what)
{
    host->log(host, INT32_MAX, odd_text(what));
    host->log(host, INT32_MIN, odd_text(what));
    return GB_OK;
}

static int32_t metric_with(const struct gb_host *host, int64_t what)
{
    host->metric(host, odd_text(what), (double)NAN, odd_text(what));
    host->metric(host, "m", (double)INFINITY, odd_text(what));
    return GB_OK;
}

static int32_t metrics(const struct gb_host *host, int64_t n)
{
    char name[32];
    hurry_hang(0);
    for (int64_t i = 0; i < n; i = (i + 1) % n) {
        snprintf(name, sizeof name, "m%lld", (long long)i);
        host->metric(host, name, (double)i, "");
    }
    return GB_OK;
}

static int32_t logs(const struct gb_host *host, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        host->log(host, GB_LOG_WARNING, "once more");
    return GB_OK;
}

enum { ALLOCATE, FILL, CHECK, SHORT_CHECK, EXTENSION, EXCLUSIVE, CANCELLED };

/* GB_FAILED: the host did as it was asked, which it should not. */
static int32_t ask(const struct gb_host *host, int64_t what)
{
    const struct gb_fill fill = {.size = sizeof fill, .format = 77, .low = 2, .high = 1};
    const struct gb_check check = {.size = what == CHECK ? sizeof check : 4, .n = UINT64_MAX};
    switch (what) {
    case ALLOCATE:
        return host->allocate(host, UINT64_MAX) || host->allocate(host, UINT64_MAX / 2)
                   ? GB_FAILED
                   : GB_NO_MEMORY;
    case FILL:
        return host->fill(host, NULL, UINT64_MAX, &fill);
    case CHECK:
    case SHORT_CHECK:
        return host->check(host, &check) == GB_OK ? GB_FAILED : GB_WRONG_RESULT;
    case EXTENSION:
        return host->extension(host, "gbrun.\n/1") || host->extension(host, NULL) ? GB_FAILED
                                                                                  : GB_OK;
    case EXCLUSIVE:
        host->exclusive(host);
        break;
    default:
        host->cancelled(host);
    }
    return GB_OK;
}

enum { TWICE, UNDERFLOW, OF_HOST, HOST_ITSELF };

static int32_t heap(const struct gb_host *host, int64_t what)
{
    char *volatile block = what == OF_HOST ? host->allocate(host, 64) : malloc(64);
    switch (what) {
    case UNDERFLOW:
        memset(block - 16, 0x41, 80);
        free(block);
        free(malloc(100000));
        break;
    case HOST_ITSELF:
        memset((void *)(uintptr_t)host, 0x41, host->size);
        break;
    default:
        free(block);
        free(block); /* NOLINT(clang-analyzer-unix.Malloc): on purpose */
    }
    return GB_OK;
}

#define ANYWHERE(X)                                                                                \
    X(nothing, answer, GB_OK)                                                                      \
    X(skipped, answer, GB_SKIPPED)                                                                 \
    X(failed, answer, GB_FAILED)                                                                   \
    X(no_memory, answer, GB_NO_MEMORY)                                                             \
    X(invalid, answer, GB_INVALID)                                                                 \
    X(unsupported, answer, GB_UNSUPPORTED)                                                         \
    X(device_error, answer, GB_DEVICE_ERROR)                                                       \
    X(cancelled, answer, GB_CANCELLED)                                                             \
    X(wrong_result, answer, GB_WRONG_RESULT)                                                       \
    X(io, answer, GB_IO)                                                                           \
    X(corrupt, answer, GB_CORRUPT)                                                                 \
    X(not_found, answer, GB_NOT_FOUND)                                                             \
    X(status_77, answer, 77)                                                                       \
    X(status_minus_77, answer, -77)                                                                \
    X(status_lowest, answer, INT32_MIN)                                                            \
    X(status_highest, answer, INT32_MAX)                                                           \
    X(sighup, die, SIGHUP)                                                                         \
    X(sigint, die, SIGINT)                                                                         \
    X(sigquit, die, SIGQUIT)                                                                       \
    X(sigill, die, SIGILL)                                                                         \
    X(sigtrap, die, SIGTRAP)                                                                       \
    X(sigabrt, die, SIGABRT)                                                                       \
    X(sigbus, die, SIGBUS)                                                                         \
    X(sigfpe, die, SIGFPE)                                                                         \
    X(sigkill, die, SIGKILL)                                                                       \
    X(sigusr1, die, SIGUSR1)                                                                       \
    X(sigsegv, die, SIGSEGV)                                                                       \
    X(sigpipe, die, SIGPIPE)                                                                       \
    X(sigalrm, die, SIGALRM)                                                                       \
    X(sigterm, die, SIGTERM)                                                                       \
    X(sigxcpu, die, SIGXCPU)                                                                       \
    X(sigsys, die, SIGSYS)                                                                         \
    X(real_time_signal, die, 40)                                                                   \
    X(null_pointer, fault, 0)                                                                      \
    X(wild_pointer, fault, 0x7EADBEEF0)                                                            \
    X(exit, leave, BY_EXIT)                                                                        \
    X(exit_group, leave, BY_EXIT_GROUP)                                                            \
    X(quick_exit, leave, BY_QUICK_EXIT)                                                            \
    X(thread_exit, leave, BY_THREAD)                                                               \
    X(abort, leave, BY_ABORT)                                                                      \
    X(exec, leave, BY_EXEC)                                                                        \
    X(exec_self, leave, BY_EXEC_SELF)                                                              \
    X(crash_at_exit, at_exit, 0)                                                                   \
    X(hang_at_exit, at_exit, 1)                                                                    \
    X(longjmp, jump, 0)                                                                            \
    X(stack_overflow, overflow, 0)                                                                 \
    X(spin, wait_for_ever, SPINNING)                                                               \
    X(sleep, wait_for_ever, SLEEPING)                                                              \
    X(deaf, wait_for_ever, BLOCKED)                                                                \
    X(stop, wait_for_ever, STOPPED)                                                                \
    X(close_all, descriptors, CLOSE_ALL)                                                           \
    X(close_standard, descriptors, CLOSE_STANDARD)                                                 \
    X(replace_all, descriptors, REPLACE_ALL)                                                       \
    X(shut_down, descriptors, SHUT_DOWN)                                                           \
    X(garbage, descriptors, GARBAGE)                                                               \
    X(truncate_all, descriptors, TRUNCATE_ALL)                                                     \
    X(use_up, descriptors, FILL_UP)                                                                \
    X(children, spawn, CHILDREN_STAY)                                                              \
    X(child_returns, spawn, CHILD_RETURNS)                                                         \
    X(child_crashes, spawn, CHILD_CRASHES)                                                         \
    X(daemon, spawn, DAEMON)                                                                       \
    X(busy_thread, thread, 0)                                                                      \
    X(crashing_thread, thread, 1)                                                                  \
    X(no_files, limit, RLIMIT_NOFILE)                                                              \
    X(no_memory_left, limit, RLIMIT_AS)                                                            \
    X(no_time, limit, RLIMIT_CPU)                                                                  \
    X(no_file_size, limit, RLIMIT_FSIZE)                                                           \
    X(no_stack, limit, RLIMIT_STACK)                                                               \
    X(no_processes, limit, RLIMIT_NPROC)                                                           \
    X(hog, hog, 0)                                                                                 \
    X(hog_of_host, hog, 1 << 20)                                                                   \
    X(folder, change, FOLDER)                                                                      \
    X(umask, change, UMASK)                                                                        \
    X(signal_mask, change, MASK)                                                                   \
    X(handlers, change, HANDLERS)                                                                  \
    X(ignored_signals, change, IGNORE)                                                             \
    X(alarm, change, ALARM)                                                                        \
    X(timer, change, TIMER)                                                                        \
    X(environment, change, ENVIRONMENT)                                                            \
    X(locale, change, LOCALE)                                                                      \
    X(nice, change, NICE)                                                                          \
    X(seccomp, process, SECCOMP)                                                                   \
    X(traced, process, TRACED)                                                                     \
    X(not_dumped, process, NOT_DUMPED)                                                             \
    X(renamed, process, RENAMED)                                                                   \
    X(kill_group, process, KILL_GROUP)                                                             \
    X(scribbled_page, process, SCRIBBLE)                                                           \
    X(unmapped_page, process, UNMAP)                                                               \
    X(idle_page, process, IDLE)                                                                    \
    X(lines, print, LINES)                                                                         \
    X(long_line, print, LONG_LINE)                                                                 \
    X(binary, print, BINARY)                                                                       \
    X(stolen_line, print, STOLEN_LINE)                                                             \
    X(fail_megabytes, fail_with, MEGABYTES)                                                        \
    X(fail_not_utf8, fail_with, NOT_UTF8)                                                          \
    X(fail_controls, fail_with, CONTROLS)                                                          \
    X(fail_no_text, fail_with, NO_TEXT)                                                            \
    X(skip_megabytes, skip_with, MEGABYTES)                                                        \
    X(skip_not_utf8, skip_with, NOT_UTF8)                                                          \
    X(skip_controls, skip_with, CONTROLS)                                                          \
    X(skip_no_text, skip_with, NO_TEXT)                                                            \
    X(log_megabytes, log_with, MEGABYTES)                                                          \
    X(log_not_utf8, log_with, NOT_UTF8)                                                            \
    X(log_controls, log_with, CONTROLS)                                                            \
    X(log_no_text, log_with, NO_TEXT)                                                              \
    X(metric_megabytes, metric_with, MEGABYTES)                                                    \
    X(metric_not_utf8, metric_with, NOT_UTF8)                                                      \
    X(metric_controls, metric_with, CONTROLS)                                                      \
    X(metric_no_text, metric_with, NO_TEXT)                                                        \
    X(endless_metrics, metrics, 5000)                                                              \
    X(many_logs, logs, 100000)                                                                     \
    X(allocate_all, ask, ALLOCATE)                                                                 \
    X(fill_nothing, ask, FILL)                                                                     \
    X(check_nothing, ask, CHECK)                                                                   \
    X(check_short, ask, SHORT_CHECK)                                                               \
    X(odd_extension, ask, EXTENSION)                                                               \
    X(late_exclusive, ask, EXCLUSIVE)                                                              \
    X(free_twice, heap, TWICE)                                                                     \
    X(underflow, heap, UNDERFLOW)                                                                  \
    X(free_of_host, heap, OF_HOST)                                                                 \
    X(host_itself, heap, HOST_ITSELF)

/* ---- lies, each of which belongs to one function ---- */

#define TIMES(X)                                                                                   \
    X(nan_times, NAN)                                                                              \
    X(infinite_times, INFINITY)                                                                    \
    X(minus_infinite_times, -INFINITY)                                                             \
    X(negative_times, -1e3)                                                                        \
    X(zero_times, 0)                                                                               \
    X(denormal_times, 5e-324)                                                                      \
    X(largest_times, DBL_MAX)                                                                      \
    X(minus_largest_times, -DBL_MAX)
/* clang-format off */
#define LIES(X)                                                                                    \
    X(work_nan) X(work_negative) X(work_infinite) X(work_size) X(work_dangling)                    \
    X(work_megabytes) X(work_not_utf8) X(work_odd_math) X(null_bench) X(no_devices)                \
    X(all_devices) X(info_unended) X(info_controls) X(info_empty) X(many_facts) X(null_facts)      \
    X(null_device) X(null_queue) X(no_clock) X(clock_unended) X(clock_empty) X(clocks_alike)       \
    X(clock_nan) X(clock_negative) X(clock_endless_sample) X(clock_controls) X(clock_size)         \
    X(too_many_done) X(all_done) X(none_done) X(too_many_lost) X(all_lost) X(nothing_filled)       \
    X(all_filled) X(backwards) X(standing_still) X(jumping) X(begin_nan) X(hz_nan) X(flags_all)    \
    X(reading_unended) X(reading_nan) X(reading_odd) X(columns_null) X(slow_measure)               \
    X(telemetry_odd) X(telemetry_unended) X(telemetry_size) X(spent_always) X(spent_odd)           \
    X(never_enough) X(enough_at_once) X(decision_odd) X(wants_all) X(wants_nan)                    \
    X(wants_infinite) X(wants_negative) X(reason_unended) X(reason_controls) X(next_size)          \
    X(estimate_nan) X(estimate_infinite) X(estimate_reversed) X(verdict_odd)                       \
    X(statistic_unended) X(statistic_controls) X(modes_many) X(modes_nan) X(counts_odd)            \
    X(confidence_odd) X(samples_overwritten)
/* clang-format on */

enum {
#define ACT(name, act, argument) DO_##name,
    ANYWHERE(ACT)
#undef ACT
#define TIME(name, value) DO_##name,
        TIMES(TIME)
#undef TIME
#define LIE(name) DO_##name,
            LIES(LIE)
#undef LIE
};
static const char *const attacks[] = {ANYWHERE(NAME) TIMES(NAME) LIES(NAME)};
static const struct {
    act_fn *act;
    int64_t argument;
} acts[] = {
#define ACT(name, act, argument) {act, argument},
    ANYWHERE(ACT)
#undef ACT
};
enum { N_ACTS = sizeof acts / sizeof *acts };

struct params {
    int32_t where, attack;
    int64_t after;
};

static const struct gb_option options[] = {
    GB_CHOICE(struct params, where, "run", places, "the function that attacks"),
    GB_CHOICE(struct params, attack, "nothing", attacks, "what it does"),
    GB_INT(struct params, after, "0", "0:", "calls", "calls of it that go well before"),
};

/* A benchmark, a device or a policy. */
struct object {
    const struct gb_host *host;
    const struct params *params;
    int64_t n_calls;
    struct gb_queue queue;
    double now_ns;
    uint64_t n;
    double sum_ns;
    void *memory;
};

static int32_t act_with(const struct gb_host *host, const struct params *params, int32_t where)
{
    if (params->where != where || params->attack >= N_ACTS)
        return GB_OK;
    return acts[params->attack].act(host, acts[params->attack].argument);
}

static int32_t act(struct object *object, int32_t where)
{
    if (object->params->where != where || object->n_calls++ < object->params->after)
        return GB_OK;
    return act_with(object->host, object->params, where);
}

static int lies(const struct object *object, int32_t attack)
{
    return object->params->attack == attack;
}

static int32_t make(const struct gb_host *host, const void *params, int32_t where, void **ret)
{
    int32_t status = act_with(host, params, where);
    struct object *object = calloc(1, sizeof *object);
    if (status != GB_OK || !object)
        return object ? status : GB_NO_MEMORY;
    object->host = host;
    object->params = params;
    object->queue.size = sizeof object->queue;
    object->now_ns = 1e9;
    *ret = lies(object, DO_null_bench) || lies(object, DO_null_device) ? NULL : object;
    return GB_OK;
}

/* ---- the benchmark ---- */

static int32_t create(const struct gb_host *host, const void *params, void **ret_bench)
{
    return make(host, params, AT_create, ret_bench);
}

static int32_t prepare(void *object, const struct gb_queue *queue)
{
    struct object *bench = object;
    const struct gb_host *host = bench->host;
    char byte = 0;
    int32_t status = host->device_allocate(host, 64, GB_MEMORY_DEVICE, &bench->memory);
    (void)queue;
    if (status == GB_OK)
        status = host->device_fill(host, bench->memory, 1, 64);
    if (status == GB_OK)
        status = host->device_copy(host, &byte, bench->memory, 1);
    return status == GB_OK ? act(bench, AT_prepare) : status;
}

static int32_t work(void *object, struct gb_work *ret)
{
    struct object *bench = object;
    const double odd = lies(bench, DO_work_nan)        ? (double)NAN
                       : lies(bench, DO_work_negative) ? -1
                       : lies(bench, DO_work_infinite) ? (double)INFINITY
                                                       : 0;
    ret->flops = ret->bytes_read = ret->bytes_written = ret->items = odd;
    if (lies(bench, DO_work_size))
        ret->size = UINT32_MAX;
    if (lies(bench, DO_work_dangling))
        ret->item = (const char *)0x7EADBEEF0;
    if (lies(bench, DO_work_megabytes))
        ret->item = odd_text(MEGABYTES);
    if (lies(bench, DO_work_not_utf8))
        ret->item = odd_text(NOT_UTF8);
    if (lies(bench, DO_work_odd_math))
        GB_WORK_MATH(ret, UINT32_MAX, UINT32_MAX);
    return act(bench, AT_work);
}

static int32_t run(void *bench, const struct gb_queue *queue, uint64_t iterations)
{
    (void)queue, (void)iterations;
    return act(bench, AT_run);
}

static int32_t reset(void *bench, const struct gb_queue *queue)
{
    (void)queue;
    return act(bench, AT_reset);
}

static int32_t verify(void *bench, const struct gb_queue *queue)
{
    (void)queue;
    return act(bench, AT_verify);
}

static void destroy(void *bench)
{
    act(bench, AT_destroy);
    free(bench);
}

static const struct gb_bench_ops bench_ops = {.size = sizeof bench_ops,
                                              .create = create,
                                              .prepare = prepare,
                                              .work = work,
                                              .run = run,
                                              .reset = reset,
                                              .verify = verify,
                                              .destroy = destroy};

/* ---- the device ---- */

static int32_t count(const struct gb_host *host, const void *object, uint32_t *ret_n)
{
    const struct params *params = object;
    *ret_n = params->attack == DO_no_devices    ? 0
             : params->attack == DO_all_devices ? UINT32_MAX
                                                : 1;
    return act_with(host, params, AT_count);
}

static int32_t describe(const struct gb_host *host, const void *object, uint32_t index,
                        struct gb_device_info *info, gb_fact_fn *fact, void *context)
{
    const struct params *params = object;
    strcpy(info->backend, "attack");
    strcpy(info->model, "Attack 1");
    if (params->attack == DO_info_unended)
        memset(info->backend, 'x', sizeof *info - offsetof(struct gb_device_info, backend));
    if (params->attack == DO_info_controls)
        snprintf(info->model, sizeof info->model, "%s", odd_text(CONTROLS));
    if (params->attack == DO_info_empty)
        memset(info->backend, 0, sizeof info->backend + sizeof info->model);
    info->size = params->attack == DO_info_unended ? UINT32_MAX : info->size;
    info->index = params->attack == DO_info_unended ? UINT32_MAX : index;
    for (int i = 0; fact && params->attack == DO_many_facts && i < 100000; i++)
        fact(context, "fact", odd_text(NOT_UTF8));
    if (fact && params->attack == DO_null_facts)
        fact(context, NULL, NULL);
    return act_with(host, params, AT_describe);
}

static int32_t open_device(const struct gb_host *host, const void *params, uint32_t index,
                           void **ret_device)
{
    (void)index;
    return make(host, params, AT_open, ret_device);
}

static void close_device(void *device)
{
    act(device, AT_close);
    free(device);
}

static int32_t allocate(void *device, uint64_t bytes, uint32_t kind, void **ret_memory)
{
    (void)kind;
    *ret_memory = calloc(1, bytes + 1);
    return *ret_memory ? act(device, AT_allocate) : GB_NO_MEMORY;
}

static void release(void *device, void *memory)
{
    act(device, AT_release);
    free(memory);
}

static int32_t copy(void *device, void *to, const void *from, uint64_t bytes)
{
    memmove(to, from, bytes);
    return act(device, AT_copy);
}

static int32_t fill(void *device, void *memory, uint32_t byte, uint64_t bytes)
{
    memset(memory, (int)byte, bytes);
    return act(device, AT_fill);
}

static int32_t queue_create(void *object, struct gb_queue **ret_queue)
{
    struct object *device = object;
    *ret_queue = lies(device, DO_null_queue) ? NULL : &device->queue;
    return act(device, AT_queue_create);
}

static void queue_destroy(void *device, struct gb_queue *queue)
{
    (void)queue;
    act(device, AT_queue_destroy);
}

static int32_t synchronize(void *device, struct gb_queue *queue)
{
    (void)queue;
    return act(device, AT_synchronize);
}

static int32_t clock_of(void *object, uint32_t i, struct gb_clock *clock)
{
    struct object *device = object;
    if (lies(device, DO_no_clock) || (i > 0 && !lies(device, DO_clocks_alike)))
        return GB_NOT_FOUND;
    strcpy(clock->name, "ticks");
    clock->tick_ns = lies(device, DO_clock_nan)        ? (double)NAN
                     : lies(device, DO_clock_negative) ? -1
                                                       : 1;
    clock->overhead_ns = clock->tick_ns;
    if (lies(device, DO_clock_unended))
        memset(clock->name, 'c', sizeof clock->name + sizeof clock->help);
    if (lies(device, DO_clock_empty))
        clock->name[0] = 0;
    if (lies(device, DO_clock_controls))
        strcpy(clock->name, "a\n\033[2Jb\xff");
    if (lies(device, DO_clock_endless_sample))
        clock->min_sample_ns = (double)INFINITY;
    if (lies(device, DO_clock_size))
        clock->size = UINT32_MAX;
    return act(device, AT_clock);
}

static double time_of(const struct object *device)
{
    switch (device->params->attack) {
#define TIME(name, value)                                                                          \
    case DO_##name:                                                                                \
        return (double)(value);
        TIMES(TIME)
#undef TIME
    default:
        return 1e6 + (double)device->n;
    }
}

static void write_sample(struct object *device, struct gb_measurement *to, uint64_t i)
{
    const double time_ns = time_of(device);
    for (int c = 0; c < GB_CLOCKS_MAX; c++)
        if (to->time_ns[c])
            to->time_ns[c][i] = time_ns;
    if (!lies(device, DO_standing_still))
        device->now_ns += lies(device, DO_backwards) ? -2e6
                          : lies(device, DO_jumping) ? 1e300 * (device->n % 2 ? -1 : 1)
                                                     : 2e6;
    to->begin_ns[i] = lies(device, DO_begin_nan) ? (double)NAN : device->now_ns;
    to->end_ns[i] = lies(device, DO_begin_nan)        ? (double)NAN
                    : lies(device, DO_backwards)      ? device->now_ns - 1e6
                    : lies(device, DO_standing_still) ? device->now_ns
                                                      : device->now_ns + 1e6;
    to->clock_hz[i] = lies(device, DO_hz_nan) ? (double)NAN : 1e9;
    to->throttle[i] = lies(device, DO_flags_all) ? UINT64_MAX : 0;
    to->flags[i] = lies(device, DO_flags_all) ? UINT32_MAX : 0;
    device->n++;
}

static void lie_about_reading(const struct object *device, struct gb_reading *reading)
{
    if (lies(device, DO_reading_unended))
        memset(reading->note, 'n', sizeof reading->note);
    if (lies(device, DO_reading_nan))
        reading->tick_ns = reading->offset_ns = reading->offset_error_ns = reading->graph_ns =
            (double)NAN;
    if (lies(device, DO_reading_odd)) {
        reading->size = reading->launch = reading->flags = UINT32_MAX;
        reading->tick_ns = reading->offset_error_ns = -1;
    }
}

static void lie_about_counts(const struct object *device, struct gb_measurement *to)
{
    if (lies(device, DO_too_many_done))
        to->n_done = to->n_samples + 1;
    if (lies(device, DO_all_done))
        to->n_done = UINT64_MAX;
    if (lies(device, DO_none_done))
        to->n_done = 0;
    if (lies(device, DO_too_many_lost))
        to->n_lost = UINT64_MAX;
    if (lies(device, DO_nothing_filled))
        to->clocks_filled = 0;
    if (lies(device, DO_all_filled))
        to->clocks_filled = UINT32_MAX;
    if (lies(device, DO_columns_null))
        memset(to, 0, sizeof *to);
}

static int32_t measure(void *object, struct gb_measurement *to)
{
    const struct timespec long_time = {1000, 0};
    struct object *device = object;
    int32_t status = act(device, AT_measure);
    for (uint64_t i = 0; i < to->n_samples && status == GB_OK; i++) {
        if (lies(device, DO_slow_measure) || lies(device, DO_backwards))
            hurry_hang(0);
        if (lies(device, DO_slow_measure))
            nanosleep(&long_time, NULL);
        status = to->bench_ops->reset(to->bench, to->queue);
        if (status == GB_OK)
            status = to->bench_ops->run(to->bench, to->queue, to->iterations);
        if (lies(device, DO_all_lost))
            to->n_lost++;
        else
            write_sample(device, to, to->n_done++);
    }
    to->clocks_filled = 1;
    if (to->reading)
        lie_about_reading(device, to->reading);
    lie_about_counts(device, to);
    return status;
}

static int32_t flush(void *device, const struct gb_queue *queue)
{
    (void)queue;
    return act(device, AT_flush);
}

static int32_t telemetry(void *object, struct gb_telemetry *telemetry)
{
    struct object *device = object;
    telemetry->clock_hz = 1e9;
    if (lies(device, DO_telemetry_odd)) {
        telemetry->clock_hz = (double)INFINITY;
        telemetry->memory_clock_hz = -1;
        telemetry->temperature_celsius = DBL_MAX;
        telemetry->power_watts = (double)-INFINITY;
        telemetry->energy_joules = -5e-324;
        telemetry->throttle = UINT64_MAX;
    }
    if (lies(device, DO_telemetry_unended))
        memset(telemetry->throttle_text, '\033', sizeof telemetry->throttle_text);
    if (lies(device, DO_telemetry_size))
        telemetry->size = UINT32_MAX;
    return act(device, AT_telemetry);
}

static int32_t examine(const struct gb_host *host, const void *params, uint32_t index,
                       gb_finding_fn *finding, void *context)
{
    const struct gb_finding none = {.size = UINT32_MAX};
    (void)index;
    finding(context, NULL);
    finding(context, &none);
    return act_with(host, params, AT_examine);
}

static int32_t is_spent(void *object)
{
    struct object *device = object;
    const int32_t status = act(device, AT_is_spent);
    return lies(device, DO_spent_always) ? 1 : lies(device, DO_spent_odd) ? -77 : status;
}

static const struct gb_device_ops device_ops = {.size = sizeof device_ops,
                                                .count = count,
                                                .describe = describe,
                                                .open = open_device,
                                                .close = close_device,
                                                .allocate = allocate,
                                                .release = release,
                                                .copy = copy,
                                                .fill = fill,
                                                .queue_create = queue_create,
                                                .queue_destroy = queue_destroy,
                                                .queue_synchronize = synchronize,
                                                .clock = clock_of,
                                                .measure = measure,
                                                .flush_cache = flush,
                                                .telemetry = telemetry,
                                                .examine = examine,
                                                .is_spent = is_spent};

/* ---- the policy ---- */

static int32_t policy_create(const struct gb_host *host, const void *params, void **ret_policy)
{
    return make(host, params, AT_policy_create, ret_policy);
}

static int32_t observe(void *object, const struct gb_samples *samples)
{
    struct object *policy = object;
    for (uint64_t i = 0; i < samples->n; i++)
        policy->sum_ns += samples->time_ns[i];
    policy->n += samples->n;
    if (lies(policy, DO_samples_overwritten))
        for (uint64_t i = 0; i < samples->n; i++)
            ((double *)(uintptr_t)samples->elapsed_ns)[i] = (double)NAN;
    return act(policy, AT_observe);
}

static int32_t next(void *object, struct gb_next *next)
{
    struct object *policy = object;
    next->decision = policy->n < 12 ? GB_MORE : GB_DONE;
    next->n_samples = 12;
    if (lies(policy, DO_never_enough)) {
        next->decision = GB_MORE;
        next->n_samples = 0;
    }
    if (lies(policy, DO_enough_at_once))
        next->decision = GB_DONE;
    if (lies(policy, DO_decision_odd))
        next->decision = INT32_MIN;
    if (lies(policy, DO_wants_all)) {
        next->decision = GB_MORE;
        next->n_samples = UINT64_MAX;
    }
    next->elapsed_ns = lies(policy, DO_wants_nan)        ? (double)NAN
                       : lies(policy, DO_wants_infinite) ? (double)INFINITY
                       : lies(policy, DO_wants_negative) ? -DBL_MAX
                                                         : 0;
    if (lies(policy, DO_reason_unended))
        memset(next->reason, 'r', sizeof next->reason);
    if (lies(policy, DO_reason_controls))
        snprintf(next->reason, sizeof next->reason, "%s", odd_text(CONTROLS));
    if (lies(policy, DO_next_size))
        next->size = UINT32_MAX;
    return act(policy, AT_next);
}

static void lie_about_estimate(const struct object *policy, struct gb_estimate *estimate)
{
    if (lies(policy, DO_estimate_nan))
        estimate->value_ns = estimate->n_effective = (double)NAN;
    if (lies(policy, DO_estimate_infinite))
        estimate->value_ns = estimate->low_ns = estimate->high_ns = (double)INFINITY;
    if (lies(policy, DO_estimate_reversed))
        estimate->low_ns = 2 * estimate->value_ns;
    if (lies(policy, DO_verdict_odd))
        estimate->verdict = INT32_MIN;
    if (lies(policy, DO_statistic_unended))
        memset(estimate->statistic, 's', sizeof estimate->statistic);
    if (lies(policy, DO_statistic_controls))
        strcpy(estimate->statistic, "a\n\033[2Jb\xff");
    if (lies(policy, DO_modes_many))
        estimate->n_modes = UINT32_MAX;
    if (lies(policy, DO_modes_nan)) {
        estimate->n_modes = GB_MODES_MAX;
        memset(estimate->modes, 0xFF, sizeof estimate->modes);
    }
    if (lies(policy, DO_counts_odd))
        estimate->n = estimate->n_discarded = UINT64_MAX;
    if (lies(policy, DO_confidence_odd))
        estimate->confidence = -1e300;
}

static int32_t report(void *object, struct gb_estimate *estimate)
{
    struct object *policy = object;
    strcpy(estimate->statistic, "mean");
    estimate->n = policy->n;
    estimate->value_ns = policy->n ? policy->sum_ns / (double)policy->n : 0;
    estimate->low_ns = estimate->high_ns = estimate->value_ns;
    lie_about_estimate(policy, estimate);
    return act(policy, AT_report);
}

static void policy_destroy(void *policy)
{
    act(policy, AT_policy_destroy);
    free(policy);
}

static const struct gb_policy_ops policy_ops = {.size = sizeof policy_ops,
                                                .create = policy_create,
                                                .observe = observe,
                                                .next = next,
                                                .report = report,
                                                .destroy = policy_destroy};

#define ATTACKER(kind)                                                                             \
    GB_PLUGIN(kind, "attack", "1.0", "attacks"), GB_OPTIONS(options, struct params)
static const struct gb_plugin bench = {ATTACKER(BENCH), .ops = &bench_ops};
static const struct gb_plugin device = {ATTACKER(DEVICE), .ops = &device_ops};
static const struct gb_plugin policy = {ATTACKER(POLICY), .ops = &policy_ops};

GB_MODULE(&bench, &device, &policy)
