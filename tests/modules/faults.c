/*
 * faults.c - benchmarks that do in the callback named by `where` what the comment above each says,
 * and what gbrun must make of it. Each fails only its own case and no other.
 */
#define _GNU_SOURCE
#include "tests/modules/harm.h"

#include <gbrun/simple.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>

struct params {
    int32_t where, kind, what, fails, goes_on;
    int64_t after, n, seconds;
    double time;
    const char *reason;
};

#include "tests/modules/callbacks.h"

/* ---- crash: dies in the way named by `kind`, at the call after the first `after` ones. gbrun must
 * report the case as crashed (signal or exit code; loop: timed out), keep the samples that arrived
 * before, and go on with the next case in a fresh worker. interrupt: it lives, and gbrun gets the
 * signal of Ctrl-C in the middle of the case. act: it lives, and the shell does what ACT of the
 * environment says. ---- */

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
    X(loop, compute_for_ever())                                                                    \
    X(illegal_instruction, raise(SIGILL))                                                          \
    X(interrupt, kill(getppid(), SIGINT))                                                          \
    X(sigalrm, kill(getppid(), SIGALRM))                                                           \
    X(sigusr1, kill(getppid(), SIGUSR1))                                                           \
    X(sigterm, kill(getppid(), SIGTERM))                                                           \
    X(alarm, raise(SIGALRM))                                                                       \
    X(act, do_as_environment_says())                                                               \
    X(none, )
WORDS(crash, CRASHES)

static int32_t crash_act(struct bench *bench)
{
    return bench->n_calls++ < bench->params->after ? GB_OK : crash_do(bench, bench->params->kind);
}

ACTS_IN(crash, "run", "dies", GB_CHOICE(struct params, kind, "segv", crash_words, "how it dies"),
        GB_INT(struct params, after, "0", "0:", "calls",
               "calls of that callback that go well before"))

/* ---- failer: with words, without any, with a status that nobody knows, with GB_DEVICE_ERROR and
 * others (wrong_result: although nothing was compared), twice, with text that is no UTF-8. gbrun
 * must show the words or a fallback, and end the worker after GB_DEVICE_ERROR. ---- */

#define PLANNED "the planned failure"
#define FAILURES(X)                                                                                \
    X(words, return host->fail(host, PLANNED))                                                     \
    X(silent, return GB_FAILED)                                                                    \
    X(unknown, return -77)                                                                         \
    X(device_error, return (host->fail(host, PLANNED), GB_DEVICE_ERROR))                           \
    X(no_memory, return GB_NO_MEMORY)                                                              \
    X(cancelled, return GB_CANCELLED)                                                              \
    X(wrong_result, return GB_WRONG_RESULT)                                                        \
    X(twice, return (host->fail(host, PLANNED), host->fail(host, "a second failure")))             \
    X(null_text, return host->fail(host, NULL))                                                    \
    X(invalid_utf8, return host->fail(host, "caf\xe9 \xff\xc0\x80\xed\xa0\x80 \xc3\xa9"))
WORDS(failer, FAILURES)

static int32_t failer_act(struct bench *bench)
{
    return failer_do(bench, bench->params->kind);
}

ACTS_IN(failer, "run", "fails",
        GB_CHOICE(struct params, kind, "words", failer_words, "how it fails"))

/* ---- skipper: calls host->skip and returns what that returned. gbrun must show the case as
 * skipped with the reason, and end with exit code 0. ---- */

static int32_t skipper_act(struct bench *bench)
{
    return bench->host->skip(bench->host, bench->params->reason);
}

ACTS_IN(skipper, "create", "skips itself",
        GB_STRING(struct params, reason, "needs a device that is not here", "what it says"))

/* ---- slow: gbrun must show the right times for it, hold its limits (max_time, time_limit) and
 * answer Ctrl-C while it sleeps. ---- */

static int32_t slow_act(struct bench *bench)
{
    if (!hurry_pass(bench->params->time))
        wait_ns(bench->params->time);
    return GB_OK;
}

ACTS_IN(slow, "run", "sleeps", GB_DURATION(struct params, time, "1ms", "0:", "how long it sleeps"))

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

ACTS_IN(holder, "prepare", "does not let its worker end",
        GB_INT(struct params, seconds, "20", "0:60", "s", "how long the child lives"),
        GB_BOOL(struct params, goes_on, "no", "the case is fine: only its worker does not end"))

/* ---- printer: whole lines, parts of lines that no newline ends, bytes that are no text, a line of
 * 1 MiB. gbrun's own stdout must hold none of it; on stderr each line must bear the case's name. */

static void print(FILE *stream, const char *name)
{
    fprintf(stream, "first line on %s\nsecond line on %s\n", name, name);
    fwrite("\0\x01\xff\xfe\x1b[31m\r\n", 1, 12, stream);
    fprintf(stream, "%0*d\n", 1 << 20, 0);
    fprintf(stream, "no newline on %s", name);
    fflush(stream);
}

static int32_t printer_act(struct bench *bench)
{
    print(stdout, "stdout");
    print(stderr, "stderr");
    return GB_OK;
}

ACTS_IN(printer, "prepare", "writes to stdout and stderr")

/* ---- flood: more than gbrun keeps of a case. What is dropped must be counted and reported, and
 * the case stay ok. for_ever: it prints without end, and its time limit must hold. ---- */

#define LONG "a text that is as long as it can be, so that few of them are many bytes together"

static const char *const floods[] = {"metrics", "updates", "messages",
                                     "checks",  "lines",   "for_ever"};
enum { METRICS, UPDATES, MESSAGES, CHECKS, LINES, FOR_EVER };

static int32_t send_one(const struct gb_host *host, int32_t what, long i)
{
    char text[32];
    snprintf(text, sizeof text, "number %ld", i);
    if (what == METRICS)
        host->metric(host, text, (double)i, "");
    else if (what == UPDATES)
        host->metric(host, LONG, (double)i, LONG);
    else if (what == MESSAGES)
        host->log(host, GB_LOG_WARNING, text);
    else if (what == CHECKS)
        return gb_check_number(host, text, 1, 1, 0);
    else
        puts(text);
    return GB_OK;
}

static int32_t flood_act(struct bench *bench)
{
    enum { MORE_THAN_IS_SHOWN = 20000 };
    const struct params *params = bench->params;
    int32_t status = GB_OK;
    for (long i = 1; status == GB_OK && (params->what == FOR_EVER || i <= params->n); i++) {
        if (params->what == FOR_EVER && i == MORE_THAN_IS_SHOWN)
            hurry_hang(0);
        status = send_one(bench->host, params->what, i);
    }
    fflush(stdout);
    return params->fails ? bench->host->fail(bench->host, PLANNED) : status;
}

ACTS_IN(flood, "prepare", "sends more than is kept",
        GB_CHOICE(struct params, what, "metrics", floods, "what it sends"),
        GB_INT(struct params, n, "2500", "0:", NULL, "how many"),
        GB_BOOL(struct params, fails, "no", "fail afterwards"))

GB_MODULE(&crash, &failer, &skipper, &slow, &holder, &printer, &flood)
