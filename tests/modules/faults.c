/*
 * faults.c - benchmarks that do in the callback named by `where` what the comment above each says,
 * and what gbrun must make of it. Each costs its own case and no other.
 */
#define _GNU_SOURCE
#include "tests/modules/hurry.h"

#include <errno.h>
#include <gbrun/gbrun.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <time.h>
#include <unistd.h>

struct params {
    int32_t where, kind, what, dies, fails, goes_on;
    int64_t after, n, seconds;
    uint64_t bytes;
    double time;
    const char *reason, *text;
};

#include "tests/modules/callbacks.h"

static void hang(void)
{
    volatile int for_ever = 1;
    hurry_hang(0);
    while (for_ever)
        continue;
}

static char *long_text(size_t length, char letter)
{
    char *text = malloc(length + 1);
    if (text) {
        memset(text, letter, length);
        text[length] = 0;
    }
    return text;
}

/* ---- crash: dies in the way named by `kind`, at the call after the first `after` ones. gbrun must
 * report the case as crashed (signal or exit code; loop: timed out), keep the samples that arrived
 * before, and go on with the next case in a fresh worker. interrupt: it lives, and gbrun gets the
 * signal of Ctrl-C in the middle of the case. act: it lives, and the shell does what ACT of the
 * environment says. ---- */

static int deepen(volatile int *depth)
{
    volatile char page[4096];
    page[0] = (char)*depth;
    *depth += 1;
    return *depth < 0 ? 0 : deepen(depth) + page[0];
}

static void overflow_stack(void)
{
    static volatile int depth = 0;
    depth = deepen(&depth);
}

static void store_nowhere(void)
{
    volatile int *volatile nowhere = NULL;
    *nowhere = 1;
}

static void divide_by_zero(void)
{
    volatile int zero = 0;
    zero = 1 / zero; /* NOLINT(clang-analyzer-core.DivideZero): on purpose */
    raise(SIGFPE);   /* where dividing by zero does not trap */
}

static void do_as_environment_says(void)
{
    if (getenv("ACT") && system(getenv("ACT")) != 0)
        abort();
}

/* A trap of the compiler's in place of SIGILL is another signal on Arm. */
#define CRASHES(X)                                                                                 \
    X(segv, store_nowhere())                                                                       \
    X(abort, abort())                                                                              \
    X(exit0, exit(0))                                                                              \
    X(exit3, _exit(3))                                                                             \
    X(stack_overflow, overflow_stack())                                                            \
    X(loop, hang())                                                                                \
    X(illegal_instruction, raise(SIGILL))                                                          \
    X(fpe, divide_by_zero())                                                                       \
    X(interrupt, kill(getppid(), SIGINT))                                                          \
    X(act, do_as_environment_says())                                                               \
    X(none, )
WORDS(crash, CRASHES)

static int32_t crash_act(struct bench *bench)
{
    return bench->n_calls++ < bench->params->after ? GB_OK : crash_do(bench, bench->params->kind);
}

ACTS_IN(crash, "run", "dies", verify,
        GB_CHOICE(struct params, kind, "segv", crash_words, "how it dies"),
        GB_INT(struct params, after, "0", "0:", "calls",
               "calls of that callback that go well before"))

/* ---- failer: with words, without any, with a status that nobody knows, with GB_DEVICE_ERROR and
 * others (wrong_result: although nothing was compared), with words but success (a plugin that
 * forgot to return what fail returned has failed all the same), twice, with text that is no UTF-8.
 * gbrun must show the words or a fallback, and end the worker after GB_DEVICE_ERROR. ---- */

static int32_t fail_at_length(const struct gb_host *host)
{
    char *text = long_text(1 << 20, 'w');
    if (!text)
        return GB_NO_MEMORY;
    host->fail(host, text);
    free(text); /* the host has copied it */
    return GB_FAILED;
}

#define FAILURES(X)                                                                                \
    X(words, return host->fail(host, params->text))                                                \
    X(silent, return GB_FAILED)                                                                    \
    X(unknown, return -77)                                                                         \
    X(unknown_positive, return 77)                                                                 \
    X(device_error, return (host->fail(host, params->text), GB_DEVICE_ERROR))                      \
    X(no_memory, return GB_NO_MEMORY)                                                              \
    X(cancelled, return GB_CANCELLED)                                                              \
    X(wrong_result, return GB_WRONG_RESULT)                                                        \
    X(success, host->fail(host, params->text))                                                     \
    X(twice, return (host->fail(host, params->text), host->fail(host, "a second failure")))        \
    X(null_text, return host->fail(host, NULL))                                                    \
    X(invalid_utf8, return host->fail(host, "caf\xe9 \xff\xc0\x80\xed\xa0\x80 \xc3\xa9"))          \
    X(long, return fail_at_length(host))
WORDS(failer, FAILURES)

static int32_t failer_act(struct bench *bench)
{
    return failer_do(bench, bench->params->kind);
}

ACTS_IN(failer, "run", "fails", verify,
        GB_CHOICE(struct params, kind, "words", failer_words, "how it fails"),
        GB_STRING(struct params, text, "the planned failure", "what it says"))

/* ---- skipper: calls host->skip and returns what that returned. gbrun must show the case as
 * skipped with the reason, and end with exit code 0. ---- */

static int32_t skipper_act(struct bench *bench)
{
    return bench->host->skip(bench->host, bench->params->reason);
}

ACTS_IN(skipper, "create", "skips itself", verify,
        GB_STRING(struct params, reason, "needs a device that is not here", "what it says"))

/* ---- fd_closer: the worker's socket with all other descriptors. gbrun must report the case as
 * crashed (closed its connection) and go on in a fresh worker. ---- */

static int32_t fd_closer_act(struct bench *bench)
{
    (void)bench;
    for (int descriptor = 0; descriptor < 1024; descriptor++)
        close(descriptor);
    return GB_OK;
}

ACTS_IN(fd_closer, "prepare", "closes all file descriptors", verify)

/* ---- leak: touches memory at each call and never frees it. gbrun must not grow with it: the
 * memory goes when the worker does; where there is too little, the case alone is lost. ---- */

static int32_t leak_act(struct bench *bench)
{
    char *volatile lost = malloc(bench->params->bytes);
    if (!lost)
        return GB_NO_MEMORY;
    memset(lost, 1, bench->params->bytes);
    GB_KEEP(lost); /* or the compiler leaves out what nobody reads */
    return GB_OK;  /* NOLINT(clang-analyzer-unix.Malloc): on purpose */
}

ACTS_IN(leak, "prepare", "never frees its memory", verify,
        GB_BYTES(struct params, bytes, "1GiB", "1:", "memory lost at each call"))

/* ---- slow: gbrun must show the right times for it, hold its limits (max_time, time_limit) and
 * answer Ctrl-C while it sleeps. ---- */

static int32_t slow_act(struct bench *bench)
{
    const double seconds = bench->params->time / 1e9;
    struct timespec left = {.tv_sec = (time_t)seconds};
    left.tv_nsec = (long)((seconds - (double)left.tv_sec) * 1e9);
    if (hurry_pass(bench->params->time))
        return GB_OK;
    while (nanosleep(&left, &left) != 0 && errno == EINTR)
        continue;
    return GB_OK;
}

ACTS_IN(slow, "run", "sleeps", verify,
        GB_DURATION(struct params, time, "1ms", "0:", "how long it sleeps"))

/* ---- holder: a worker that was killed and does not end: it makes a child that traces it, so that
 * its end is kept from its parent until the child goes. Stands for a process in uninterruptible
 * sleep. ---- */

static void trace(pid_t parent, int pipe_end, unsigned seconds)
{
    setsid();
    const char traced = ptrace(PTRACE_SEIZE, parent, 0, 0) == 0 ? 'y' : 'n';
    if (write(pipe_end, &traced, 1) == 1)
        for (int fd = 0; fd < 20; fd++)
            close(fd);
    sleep(seconds);
    _exit(0);
}

static int32_t holder_act(struct bench *bench)
{
    const struct params *params = bench->params;
    int ready[2];
    char traced = 0;
    if (pipe(ready) != 0)
        return bench->host->fail(bench->host, "no pipe");
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child == 0)
        trace(parent, ready[1], (unsigned)params->seconds);
    if (child < 0 || read(ready[0], &traced, 1) != 1 || traced != 'y')
        return bench->host->skip(bench->host, "nothing can be traced here");
    if (!params->goes_on)
        hurry_hang(12e9); /* gbrun leaves it after ten */
    while (!params->goes_on)
        pause();
    return GB_OK;
}

ACTS_IN(holder, "prepare", "does not let its worker end", verify,
        GB_INT(struct params, seconds, "20", "0:60", "s", "how long the child lives"),
        GB_BOOL(struct params, goes_on, "no", "the case is fine: only its worker does not end"))

/* ---- forker: leaves something running: a child process that inherits every descriptor, the
 * worker's socket with them; threads that never end; or both. gbrun must not wait for them: a
 * worker that is done or dead is noticed although a child still holds its socket. Or the child
 * returns as if it were the worker, and must not speak for it. ---- */

static const char *const forks[] = {"child", "threads", "both", "returns"};
enum { CHILD, THREADS, BOTH, RETURNS };

static void *sleep_for_ever(void *unused)
{
    for (;;)
        pause();
    return unused;
}

static int32_t start_child(const struct params *params)
{
    const pid_t child = fork();
    if (child == 0 && params->kind != RETURNS) {
        sleep((unsigned)params->seconds);
        _exit(0);
    }
    return child >= 0 ? GB_OK : GB_NO_MEMORY;
}

static int32_t forker_act(struct bench *bench)
{
    const struct params *params = bench->params;
    const int n_threads = params->kind == THREADS || params->kind == BOTH ? 4 : 0;
    int32_t status = params->kind != THREADS ? start_child(params) : GB_OK;
    pthread_t thread;
    if (params->dies)
        abort();
    for (int i = 0; i < n_threads && status == GB_OK; i++)
        status = pthread_create(&thread, NULL, sleep_for_ever, NULL) ? GB_NO_MEMORY : GB_OK;
    return status;
}

ACTS_IN(forker, "prepare", "leaves a child and threads running", verify,
        GB_CHOICE(struct params, kind, "both", forks, "what it leaves running"),
        GB_INT(struct params, seconds, "60", "0:600", "s", "life of the child"),
        GB_BOOL(struct params, dies, "no", "abort when the child has been forked"))

/* ---- printer: whole lines, parts of lines that no newline ends, bytes that are no text, a line of
 * 1 MiB. gbrun's own stdout must hold none of it; on stderr each line must bear the case's name. */

static const char *const prints[] = {"all", "lines", "partial", "binary", "huge_line", "unflushed"};
enum { ALL, LINES, PARTIAL, BINARY, HUGE_LINE, UNFLUSHED };

static void print(int32_t what, FILE *stream, const char *name)
{
    if (what == ALL || what == LINES)
        fprintf(stream, "first line on %s\nsecond line on %s\n", name, name);
    if (what == ALL || what == BINARY)
        fwrite("\0\x01\xff\xfe\x1b[31m\r\n", 1, 12, stream);
    for (int i = 0; (what == ALL || what == HUGE_LINE) && i <= 1 << 20; i++)
        putc(i < 1 << 20 ? 'x' : '\n', stream);
    if (what == ALL || what == PARTIAL)
        fprintf(stream, "no newline on %s", name);
    if (what != UNFLUSHED)
        fflush(stream);
    else
        fprintf(stream, "unflushed on %s", name);
}

static int32_t printer_act(struct bench *bench)
{
    print(bench->params->what, stdout, "stdout");
    print(bench->params->what, stderr, "stderr");
    return GB_OK;
}

ACTS_IN(printer, "prepare", "writes to stdout and stderr", verify,
        GB_CHOICE(struct params, what, "all", prints, "what it writes"))

/* ---- flood: more than gbrun keeps of a case. What is dropped must be counted and reported, and
 * the case stay ok. for_ever: it prints without end, and its time limit must hold. ---- */

#define LONG "a text that is as long as it can be, so that few of them are many bytes together"

static int32_t check_one(const struct gb_host *host, const char *name)
{
    static const double output = 1, reference = 1;
    const struct gb_check check = {.size = sizeof check,
                                   .format = GB_F64,
                                   .name = name,
                                   .n = 1,
                                   .output = &output,
                                   .reference = &reference,
                                   .default_metric = "abs"};
    return host->check(host, &check);
}

#define FLOODS(X)                                                                                  \
    X(metrics, host->metric(host, params->text, (double)params->n, ""))                            \
    X(updates, host->metric(host, LONG, (double)params->n, LONG))                                  \
    X(messages, host->log(host, GB_LOG_WARNING, params->text))                                     \
    X(checks, return check_one(host, params->text))                                                \
    X(lines, puts(params->text))                                                                   \
    X(for_ever, puts(params->text))
WORDS(flood, FLOODS)

static int32_t flood_act(struct bench *bench)
{
    enum { MORE_THAN_IS_SHOWN = 20000 };
    const struct params *params = bench->params;
    const int for_ever = strcmp(flood_words[params->what], "for_ever") == 0;
    int32_t status = GB_OK;
    char text[32];
    struct params of_one = {.text = text};
    const struct bench one = {.host = bench->host, .params = &of_one};
    while (status == GB_OK && (for_ever || of_one.n < params->n)) {
        snprintf(text, sizeof text, "number %lld", (long long)++of_one.n);
        if (for_ever && of_one.n == MORE_THAN_IS_SHOWN)
            hurry_hang(0);
        status = flood_do(&one, params->what);
    }
    fflush(stdout);
    return params->fails ? bench->host->fail(bench->host, "the planned failure") : status;
}

ACTS_IN(flood, "prepare", "sends more than is kept", verify,
        GB_CHOICE(struct params, what, "metrics", flood_words, "what it sends"),
        GB_INT(struct params, n, "2500", "0:", NULL, "how many"),
        GB_BOOL(struct params, fails, "no", "fail afterwards"))

/* ---- bad_metric: metrics and log lines that make no sense: NaN, infinities, names that are empty,
 * missing, very long or repeated, text that is no UTF-8, severities that do not exist, a line of
 * 1 MiB. gbrun must store what can be stored, write valid CSV and JSON, and never crash. ---- */

static void hand_over_values(const struct gb_host *host)
{
    host->metric(host, "not_a_number", (double)NAN, "s");
    host->metric(host, "infinite", (double)INFINITY, "s");
    host->metric(host, "minus_infinite", -(double)INFINITY, "s");
    host->metric(host, "huge", 1.7976931348623157e308, "s");
    host->metric(host, "repeated", 1, "s");
    host->metric(host, "repeated", 2, "s"); /* the one that counts */
}

static void hand_over_names(const struct gb_host *host)
{
    char *name = long_text(10000, 'm');
    host->metric(host, "", 1, "");
    host->metric(host, NULL, 2, "s");
    host->metric(host, "no_unit", 3, NULL);
    host->metric(host, "quotes \" ' , ; | \n \t \\", 4, "a|b,\"c\"");
    if (name)
        host->metric(host, name, 5, name);
    free(name);
}

static void hand_over_utf8(const struct gb_host *host)
{
    host->metric(host, "caf\xe9", 1, "\xff");
    host->metric(host, "overlong \xc0\x80", 2, "\xed\xa0\x80");
    host->log(host, GB_LOG_INFO, "cut short: \xe2\x82");
}

static void hand_over_log(const struct gb_host *host)
{
    char *line = long_text(1 << 20, 'm');
    host->log(host, GB_LOG_INFO, NULL);
    host->log(host, GB_LOG_INFO, "");
    host->log(host, GB_LOG_WARNING, "two\nlines");
    host->log(host, -5, "severity below all");
    host->log(host, 1000, "severity above all");
    if (line)
        host->log(host, GB_LOG_ERROR, line);
    free(line);
}

enum { ALL_METRICS = 4 };
#define METRICS(X)                                                                                 \
    X(values, hand_over_values(host))                                                              \
    X(names, hand_over_names(host))                                                                \
    X(utf8, hand_over_utf8(host))                                                                  \
    X(log, hand_over_log(host))                                                                    \
    X(all, )
WORDS(bad_metric, METRICS)

static int32_t bad_metric_act(struct bench *bench)
{
    const int32_t what = bench->params->what;
    for (int32_t i = 0; i < ALL_METRICS; i++)
        if (what == ALL_METRICS || what == i)
            bad_metric_do(bench, i);
    return GB_OK;
}

ACTS_IN(bad_metric, "verify", "reports nonsense", verify,
        GB_CHOICE(struct params, what, "all", bad_metric_words, "what it hands over"))

GB_MODULE(&crash, &failer, &skipper, &fd_closer, &leak, &slow, &holder, &forker, &printer, &flood,
          &bad_metric)
