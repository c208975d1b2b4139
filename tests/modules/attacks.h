/*
 * attacks.h - what the plugins of attack.c do that they must not, by the words of its options: in
 * any function (ANYWHERE), or as an answer of one that is not true (lies).
 */
#pragma once

#define _GNU_SOURCE
#include "tests/modules/harm.h"
#include "tests/modules/words.h"

#include <float.h>
#include <gbrun/gbrun.h>
#include <gbrun/simple.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>

/* clang-format off */
#define PLACES(X)                                                                                  \
    X(create) X(prepare) X(work) X(reset) X(run) X(verify) X(destroy) X(count) X(describe)         \
    X(open) X(allocate) X(release) X(copy) X(fill) X(queue_create) X(synchronize) X(clock)         \
    X(measure) X(flush) X(telemetry) X(is_spent)                                                   \
    X(policy_create) X(observe) X(next) X(report) X(policy_destroy)
/* clang-format on */
#define PLACE(name) AT_##name,
enum { PLACES(PLACE) };
static const char *const places[] = {PLACES(WORD)};

/* ---- whatever the function: what does it, and returns a status ---- */

static int32_t die(int number)
{
    signal(number, SIG_DFL);
    return raise(number);
}

static int32_t store_at(int64_t address)
{
    *(volatile int *)(intptr_t)address = 1;
    return GB_OK;
}

static void crash_at_exit(void)
{
    raise(SIGSEGV);
}

static void hang_at_exit(void)
{
    for (;;)
        pause();
}

static jmp_buf left_frame;
static void leave_frame_behind(void)
{
    if (setjmp(left_frame) != 0)
        raise(SIGABRT); /* a frame that is no longer there: anything may happen */
}

static int32_t jump(void)
{
    leave_frame_behind();
    longjmp(left_frame, 1);
}

enum { SPINNING, SLEEPING, BLOCKED, STOPPED };

static int32_t block_all(void)
{
    sigset_t all;
    sigfillset(&all);
    return sigprocmask(SIG_SETMASK, &all, NULL);
}

static int32_t wait_for_ever(int way)
{
    volatile int is_on = 1;
    hurry_hang(0);
    if (way == BLOCKED)
        block_all();
    if (way == STOPPED)
        raise(SIGSTOP);
    while (is_on)
        if (way != SPINNING)
            pause();
    return GB_OK;
}

enum { CLOSE_ALL, CLOSE_STANDARD, REPLACE_ALL, SHUT_DOWN, GARBAGE, TRUNCATE_ALL, FILL_UP };

static int32_t descriptors(int what)
{
    static char garbage[70000];
    const int null = open("/dev/null", O_RDWR);
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

enum { CHILDREN_STAY, CHILD_RETURNS, CHILD_CRASHES, DAEMON };

static int32_t spawn(int what)
{
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

static int32_t limit(int resource)
{
    const struct rlimit least = {.rlim_cur = resource == RLIMIT_CPU, .rlim_max = 1};
    setrlimit((unsigned)resource, &least);
    return GB_OK;
}

/* What malloc returned is stored: clang leaves out a call whose result is only compared. */
static int32_t hog(const struct gb_host *host, uint64_t bytes)
{
    const struct rlimit few = {(rlim_t)1 << 28, (rlim_t)1 << 28};
    void *volatile taken;
    setrlimit(RLIMIT_AS, &few);
    do
        taken = bytes > 0 ? host->allocate(host, bytes) : malloc(1 << 16);
    while (taken != NULL);
    return GB_NO_MEMORY;
}

static void on_signal(int number)
{
}

static int32_t handle_signals(void (*handler)(int))
{
    for (int i = 1; i < 32; i++)
        signal(i, handler);
    return GB_OK;
}

static int32_t add_to_float_control(uint32_t bits)
{
#if defined(__x86_64__)
    uint32_t control;
    __asm__ volatile("stmxcsr %0" : "=m"(control));
    control |= bits;
    __asm__ volatile("ldmxcsr %0" : : "m"(control));
#else
#endif
    return GB_OK;
}

/* The first two write 0.5 as "0,5"; one is enough, and none may be installed. */
static void change_locale(void)
{
    if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "fr_FR.UTF-8"))
        setlocale(LC_ALL, "C.UTF-8");
}

enum { UPWARD = 0x4000, FLUSH_TO_ZERO = 0x8040 };

static int32_t change_everything(void)
{
    umask(0777);
    change_locale();
    add_to_float_control(UPWARD | FLUSH_TO_ZERO);
    return chdir("/") || block_all() || handle_signals(SIG_IGN) || clearenv() || nice(5) < -20;
}

/* Where the process is as nice as can be already, by the class of its scheduling. */
static int32_t be_nicer(void)
{
    if (getpriority(PRIO_PROCESS, 0) == 19)
        return sched_setscheduler(0, SCHED_BATCH, &(struct sched_param){0});
    return nice(5) >= -20 ? GB_OK : GB_FAILED;
}

static const struct itimerval hourly = {{3600, 0}, {3600, 0}};

enum { SCRIBBLE, UNMAP, IDLE };

/* The page that it shares with the supervisor, which is written to or taken away. */
static int32_t spoil_page(int what)
{
    unsigned long begin = 0, end = 0;
    if (!worker_page(&begin, &end))
        return GB_FAILED;
    if (what == UNMAP)
        munmap((void *)begin, end - begin);
    else
        memset((void *)begin, what == IDLE ? 0 : 0xFF, 4);
    return GB_OK;
}

enum { LINES, LONG_LINE, BINARY, STOLEN_LINE };

static int32_t print(int what)
{
    static char line[1 << 20];
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

static const char *odd_text(int what)
{
    static char longer[4 << 20];
    if (what == MEGABYTES)
        memset(longer, 'w', sizeof longer - 1);
    return what == MEGABYTES  ? longer
           : what == NOT_UTF8 ? "caf\xe9 \xff\xc0\x80\xed\xa0\x80 \xf4\x90\x80\x80"
           : what == CONTROLS ? "\033[2J\033]0;title\a\r\n1/1  stolen\x9b\x7f\xc2\x9b"
                              : NULL;
}

static int32_t log_with(const struct gb_host *host, const char *text)
{
    host->log(host, INT32_MAX, text);
    host->log(host, INT32_MIN, text);
    return GB_OK;
}

static int32_t metric_with(const struct gb_host *host, const char *text)
{
    host->metric(host, text, (double)NAN, text);
    host->metric(host, "m", (double)INFINITY, text);
    return GB_OK;
}

static int32_t metrics(const struct gb_host *host, int n)
{
    char name[32];
    hurry_hang(0);
    for (int i = 0; i < n; i = (i + 1) % n) {
        snprintf(name, sizeof name, "m%d", i);
        host->metric(host, name, i, "");
    }
    return GB_OK;
}

/* GB_FAILED here and below: the host did as it was asked, which it should not. */
static int32_t check_with(const struct gb_host *host, uint32_t size)
{
    const struct gb_check check = {.size = size, .n = UINT64_MAX};
    return host->check(host, &check) == GB_OK ? GB_FAILED : GB_WRONG_RESULT;
}

static const struct gb_fill odd_fill = {.size = sizeof odd_fill, .format = 77, .low = 2, .high = 1};

static int32_t free_twice(char *volatile block)
{
    free(block);
    free(block); /* NOLINT(clang-analyzer-unix.Malloc): on purpose */
    return GB_OK;
}

static int32_t underflow(char *volatile block)
{
    memset(block - 16, 0x41, 80);
    free(block);
    free(malloc(100000));
    return GB_OK;
}

/* clang-format off */
#define WITH_ODD_TEXTS(X, name, does)                                                              \
    X(name##_megabytes, does(host, odd_text(MEGABYTES)))                                           \
    X(name##_not_utf8, does(host, odd_text(NOT_UTF8)))                                             \
    X(name##_controls, does(host, odd_text(CONTROLS)))                                             \
    X(name##_no_text, does(host, odd_text(NO_TEXT)))
#define ANYWHERE(X)                                                                                \
    X(nothing, GB_OK) X(skipped, GB_SKIPPED) X(failed, GB_FAILED) X(no_memory, GB_NO_MEMORY)       \
    X(invalid, GB_INVALID) X(unsupported, GB_UNSUPPORTED) X(device_error, GB_DEVICE_ERROR)         \
    X(cancelled, GB_CANCELLED) X(wrong_result, GB_WRONG_RESULT) X(io, GB_IO)                       \
    X(corrupt, GB_CORRUPT) X(status_77, 77) X(status_minus_77, -77) X(status_lowest, INT32_MIN)    \
    X(status_highest, INT32_MAX)                                                                   \
    X(sighup, die(SIGHUP)) X(sigint, die(SIGINT)) X(sigquit, die(SIGQUIT)) X(sigill, die(SIGILL))  \
    X(sigtrap, die(SIGTRAP)) X(sigabrt, die(SIGABRT)) X(sigbus, die(SIGBUS))                       \
    X(sigfpe, die(SIGFPE)) X(sigkill, die(SIGKILL)) X(sigusr1, die(SIGUSR1))                       \
    X(sigsegv, die(SIGSEGV)) X(sigpipe, die(SIGPIPE)) X(sigalrm, die(SIGALRM))                     \
    X(sigterm, die(SIGTERM)) X(sigxcpu, die(SIGXCPU)) X(sigsys, die(SIGSYS))                       \
    X(real_time_signal, die(40))                                                                   \
    X(null_pointer, store_at(0)) X(wild_pointer, store_at(0x7EADBEEF0))                            \
    X(exit, (exit(0), GB_FAILED)) X(exit_group, (_exit(255), GB_FAILED))                           \
    X(quick_exit, (quick_exit(7), GB_FAILED)) X(thread_exit, (pthread_exit(NULL), GB_FAILED))      \
    X(abort, (abort(), GB_FAILED)) X(exec, execl("/bin/true", "/bin/true", NULL))                  \
    X(exec_self, execl("/proc/self/exe", "/proc/self/exe", "--worker", NULL))                      \
    X(crash_at_exit, atexit(crash_at_exit)) X(hang_at_exit, atexit(hang_at_exit))                  \
    X(longjmp, jump()) X(stack_overflow, overflow_stack())                                         \
    X(spin, wait_for_ever(SPINNING)) X(sleep, wait_for_ever(SLEEPING))                             \
    X(deaf, wait_for_ever(BLOCKED)) X(stop, wait_for_ever(STOPPED))                                \
    X(close_all, descriptors(CLOSE_ALL)) X(close_standard, descriptors(CLOSE_STANDARD))            \
    X(replace_all, descriptors(REPLACE_ALL)) X(shut_down, descriptors(SHUT_DOWN))                  \
    X(garbage, descriptors(GARBAGE)) X(truncate_all, descriptors(TRUNCATE_ALL))                    \
    X(use_up, descriptors(FILL_UP))                                                                \
    X(children, spawn(CHILDREN_STAY)) X(child_returns, spawn(CHILD_RETURNS))                       \
    X(child_crashes, spawn(CHILD_CRASHES)) X(daemon, spawn(DAEMON))                                \
    X(children_then_abort, (spawn(CHILDREN_STAY), abort(), GB_FAILED))                             \
    X(no_files, limit(RLIMIT_NOFILE)) X(no_memory_left, limit(RLIMIT_AS))                          \
    X(no_time, limit(RLIMIT_CPU)) X(no_file_size, limit(RLIMIT_FSIZE))                             \
    X(no_stack, limit(RLIMIT_STACK)) X(no_processes, limit(RLIMIT_NPROC))                          \
    X(hog, hog(host, 0)) X(hog_of_host, hog(host, 1 << 20))                                        \
    X(folder, chdir("/")) X(umask, (umask(0777), GB_OK)) X(signal_mask, block_all())               \
    X(handlers, handle_signals(on_signal)) X(ignored_signals, handle_signals(SIG_IGN))             \
    X(signals, block_all() || handle_signals(SIG_IGN)) X(everything, change_everything())          \
    X(rounding, add_to_float_control(UPWARD))                                                      \
    X(flush_to_zero, add_to_float_control(FLUSH_TO_ZERO))                                          \
    X(alarm, (alarm(3600), GB_OK)) X(timer, setitimer(ITIMER_REAL, &hourly, NULL))                 \
    X(environment, clearenv()) X(locale, (change_locale(), GB_OK))                                 \
    X(nice, be_nicer())                                                                            \
    X(seccomp, prctl(PR_SET_SECCOMP, 1, 0, 0, 0))                                                  \
    X(not_dumped, prctl(PR_SET_DUMPABLE, 0, 0, 0, 0))                                              \
    X(renamed, prctl(PR_SET_NAME, "\n\033[31m)", 0, 0, 0)) X(kill_group, kill(0, SIGKILL))         \
    X(scribbled_page, spoil_page(SCRIBBLE)) X(unmapped_page, spoil_page(UNMAP))                    \
    X(idle_page, (spoil_page(IDLE), _exit(9), GB_FAILED))                                          \
    X(lines, print(LINES)) X(long_line, print(LONG_LINE)) X(binary, print(BINARY))                 \
    X(stolen_line, print(STOLEN_LINE))                                                             \
    WITH_ODD_TEXTS(X, fail, host->fail) WITH_ODD_TEXTS(X, skip, host->skip)                        \
    WITH_ODD_TEXTS(X, log, log_with) WITH_ODD_TEXTS(X, metric, metric_with)                        \
    X(log_empty, log_with(host, "")) X(metric_empty, metric_with(host, ""))                        \
    X(metric_quotes, metric_with(host, "quotes \" ' , ; | \n \t \\"))                              \
    X(endless_metrics, metrics(host, 5000))                                                        \
    X(allocate_all, host->allocate(host, UINT64_MAX) || host->allocate(host, UINT64_MAX / 2)       \
                        ? GB_FAILED : GB_NO_MEMORY)                                                \
    X(fill_nothing, host->fill(host, NULL, UINT64_MAX, &odd_fill))                                 \
    X(check_nothing, check_with(host, sizeof(struct gb_check))) X(check_short, check_with(host, 4))\
    X(odd_extension, host->extension(host, "gbrun.\n/1") || host->extension(host, NULL)            \
                         ? GB_FAILED : GB_OK)                                                      \
    X(late_exclusive, (host->exclusive(host), GB_OK))                                              \
    X(free_twice, free_twice(malloc(64))) X(underflow, underflow(malloc(64)))                      \
    X(free_of_host, free_twice(host->allocate(host, 64)))                                          \
    X(host_itself, (memset((void *)(uintptr_t)host, 0x41, host->size), GB_OK))

/* ---- lies, each of which belongs to one function ---- */

#define TIMES(X)                                                                                   \
    X(nan_times, NAN) X(infinite_times, INFINITY) X(minus_infinite_times, -INFINITY)               \
    X(negative_times, -1e3) X(zero_times, 0) X(denormal_times, 5e-324)                             \
    X(largest_times, DBL_MAX) X(minus_largest_times, -DBL_MAX)
/* In more than one place, or in the middle of one. */
#define LIES(X)                                                                                    \
    X(null_bench) X(no_devices) X(all_devices) X(many_facts) X(null_device) X(null_queue)          \
    X(no_clock) X(clocks_alike) X(all_lost) X(backwards) X(standing_still) X(jumping)              \
    X(begin_nan) X(hz_nan) X(flags_all) X(slow_measure) X(spent_always) X(spent_odd)               \
    X(never_enough) X(wants_all) X(wants_nan) X(wants_infinite) X(samples_overwritten)
/* clang-format on */
/* What is put into an answer that was right. */
#define WORK_LIES(X)                                                                               \
    X(work_nan, odd = (double)NAN)                                                                 \
    X(work_negative, odd = -1)                                                                     \
    X(work_infinite, odd = (double)INFINITY)                                                       \
    X(work_size, ret->size = UINT32_MAX)                                                           \
    X(work_dangling, ret->item = (const char *)0x7EADBEEF0)                                        \
    X(work_megabytes, ret->item = odd_text(MEGABYTES))                                             \
    X(work_not_utf8, ret->item = odd_text(NOT_UTF8))                                               \
    X(work_odd_math, GB_WORK_MATH(ret, UINT32_MAX, UINT32_MAX))
#define INFO_LIES(X)                                                                               \
    X(info_unended, unend_info(info))                                                              \
    X(info_controls, snprintf(info->model, sizeof info->model, "%s", odd_text(CONTROLS)))          \
    X(info_empty, memset(info->backend, 0, sizeof info->backend + sizeof info->model))             \
    X(null_facts, (fact ? fact(context, NULL, NULL) : (void)0))
#define CLOCK_LIES(X)                                                                              \
    X(clock_nan, clock->tick_ns = clock->overhead_ns = (double)NAN)                                \
    X(clock_negative, clock->tick_ns = clock->overhead_ns = -1)                                    \
    X(clock_unended, memset(clock->name, 'c', sizeof clock->name + sizeof clock->help))            \
    X(clock_empty, clock->name[0] = 0)                                                             \
    X(clock_controls, strcpy(clock->name, "a\n\033[2Jb\xff"))                                      \
    X(clock_endless_sample, clock->min_sample_ns = (double)INFINITY)                               \
    X(clock_size, clock->size = UINT32_MAX)
#define READING_LIES(X)                                                                            \
    X(reading_unended, memset(reading->note, 'n', sizeof reading->note))                           \
    X(reading_nan, reading->tick_ns = reading->offset_ns = reading->offset_error_ns =              \
                       reading->graph_ns = (double)NAN)                                            \
    X(reading_odd, (reading->size = reading->launch = reading->flags = UINT32_MAX,                 \
                    reading->tick_ns = reading->offset_error_ns = -1))
#define COUNT_LIES(X)                                                                              \
    X(too_many_done, to->n_done = to->n_samples + 1)                                               \
    X(all_done, to->n_done = UINT64_MAX)                                                           \
    X(none_done, to->n_done = 0)                                                                   \
    X(too_many_lost, to->n_lost = UINT64_MAX)                                                      \
    X(nothing_filled, to->clocks_filled = 0)                                                       \
    X(all_filled, to->clocks_filled = UINT32_MAX)                                                  \
    X(columns_null, memset(to, 0, sizeof *to))
#define TELEMETRY_LIES(X)                                                                          \
    X(telemetry_odd, make_odd(telemetry))                                                          \
    X(telemetry_unended,                                                                           \
      memset(telemetry->throttle_text, '\033', sizeof telemetry->throttle_text))                   \
    X(telemetry_size, telemetry->size = UINT32_MAX)
#define NEXT_LIES(X)                                                                               \
    X(enough_at_once, next->decision = GB_DONE)                                                    \
    X(decision_odd, next->decision = INT32_MIN)                                                    \
    X(wants_negative, next->elapsed_ns = -DBL_MAX)                                                 \
    X(reason_unended, memset(next->reason, 'r', sizeof next->reason))                              \
    X(reason_controls, snprintf(next->reason, sizeof next->reason, "%s", odd_text(CONTROLS)))      \
    X(next_size, next->size = UINT32_MAX)
#define ESTIMATE_LIES(X)                                                                           \
    X(estimate_nan, estimate->value_ns = estimate->n_effective = (double)NAN)                      \
    X(estimate_infinite,                                                                           \
      estimate->value_ns = estimate->low_ns = estimate->high_ns = (double)INFINITY)                \
    X(estimate_reversed, estimate->low_ns = 2 * estimate->value_ns)                                \
    X(verdict_odd, estimate->verdict = INT32_MIN)                                                  \
    X(statistic_unended, memset(estimate->statistic, 's', sizeof estimate->statistic))             \
    X(statistic_controls, strcpy(estimate->statistic, "a\n\033[2Jb\xff"))                          \
    X(modes_many, estimate->n_modes = UINT32_MAX)                                                  \
    X(modes_nan,                                                                                   \
      (estimate->n_modes = GB_MODES_MAX, memset(estimate->modes, 0xFF, sizeof estimate->modes)))   \
    X(counts_odd, estimate->n = estimate->n_discarded = UINT64_MAX)                                \
    X(confidence_odd, estimate->confidence = -1e300)
/* clang-format off */
#define ATTACKS(X)                                                                                 \
    ANYWHERE(X) TIMES(X) LIES(X) WORK_LIES(X) INFO_LIES(X) CLOCK_LIES(X) READING_LIES(X)           \
    COUNT_LIES(X) TELEMETRY_LIES(X) NEXT_LIES(X) ESTIMATE_LIES(X)
/* clang-format on */
enum { ATTACKS(WORD_NUMBER) };
static const char *const attacks[] = {ATTACKS(WORD)};
