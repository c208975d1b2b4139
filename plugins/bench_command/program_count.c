/*
 * program_count.c - see program_count.h. Plugin side.
 *
 * By perf events that begin with each program's exec, so that nothing of this process is in the
 * count; by a trap after each instruction (ptrace), of programs that are short; by Valgrind's
 * cachegrind, whose processor may have other instructions than this one: libraries choose theirs by
 * that, so that its counts are compared with its own alone.
 */
#define _GNU_SOURCE
#include "program_count.h"

#include "plugins/common/bench_steps.h"
#include "plugins/common/instruction.h"
#include "plugins/common/measuring.h"
#include "plugins/common/perf_events.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum { INSTRUCTIONS, EVENTS = 4, WHY_BYTES = 200 };
#define READ_MISSES(level)                                                                         \
    (PERF_COUNT_HW_CACHE_##level | (uint64_t)PERF_COUNT_HW_CACHE_OP_READ << 8 |                    \
     (uint64_t)PERF_COUNT_HW_CACHE_RESULT_MISS << 16)

static const struct {
    const char *name;
    struct perf_event event;
} events[EVENTS] = {
    {"instructions", {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, true, true}},
    {"branches", {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, true, true}},
    {"L1-dcache-load-misses", {PERF_TYPE_HW_CACHE, READ_MISSES(L1D), true, true}},
    {"LLC-load-misses", {PERF_TYPE_HW_CACHE, READ_MISSES(LL), true, true}},
};

struct count {
    const struct gb_host *host;
    const struct program *program;
    const int *streams;
    struct gb_counting *counting;
    int status; /* as of wait */
};

static bool is_cancelled(void *context)
{
    const struct gb_host *host = context;
    return host->cancelled(host) == 1;
}

static int32_t give(const struct count *count, const char *name, double value)
{
    count->counting->count(count->counting->context, name, value, "");
    return GB_OK;
}

static int32_t cannot_start(const struct count *count, const char *file, int code)
{
    return host_fail(count->host, "%s cannot be started: %s", file, strerror(code));
}

static int32_t run_to_end(struct count *count, const struct program *program)
{
    struct outcome outcome;
    pid_t pid;
    const int code = process_start(program, count->streams, &pid);
    if (code != 0)
        return cannot_start(count, program->file, code);
    if (!process_wait(pid, is_cancelled, (void *)count->host, &outcome)) {
        process_kill(pid);
        return GB_CANCELLED;
    }
    count->status = outcome.status;
    return GB_OK;
}

/* ---- by perf events ---- */

static int32_t count_by_perf(struct count *count)
{
    int files[EVENTS];
    double values[EVENTS];
    for (int i = 0; i < EVENTS; i++)
        files[i] = perf_event_open(&events[i].event, 0);
    const int32_t status = run_to_end(count, count->program);
    for (int i = 0; i < EVENTS; i++) {
        values[i] = files[i] >= 0 ? perf_event_read(files[i], true) : NAN;
        if (files[i] >= 0)
            close(files[i]);
    }
    for (int i = 0; i < EVENTS && status == GB_OK; i++)
        if (!isnan(values[i]))
            give(count, events[i].name, values[i]);
    return status == GB_OK && isnan(values[INSTRUCTIONS])
               ? host_fail(
                     count->host,
                     "count_by = perf: other programs use the processor's counters, or the program "
                     "moved to a processor of another kind: expected count_by = step or valgrind")
               : status;
}

/* ---- by a trap after each instruction ---- */

#if defined(__x86_64__)

enum { TRACED_MAX = 64, LOOK_EVERY = 1 << 12 };

struct traced {
    pid_t pid;
    uintptr_t last; /* where it was going on before */
    bool has_begun, was_signalled;
};

struct tracing {
    struct traced items[TRACED_MAX];
    size_t n;
    uint64_t n_steps, n_traps;
};

/* Not posix_spawn, which has no room for the request to be traced. Returns the process, stopped at
 * its first instruction, or -1 with errno. */
static pid_t start_traced(const struct count *count)
{
    const struct program *program = count->program;
    int status;
    sigset_t none;
    const pid_t pid = fork();
    if (pid == 0) {
        sigemptyset(&none);
        for (int i = 1; i < NSIG; i++)
            signal(i, SIG_DFL);
        sigprocmask(SIG_SETMASK, &none, NULL);
        for (int i = 0; i < 3; i++)
            dup2(count->streams[i], i);
        if (setpgid(0, program->group) == 0 && chdir(program->folder) == 0 &&
            ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0)
            execve(program->file, program->arguments, environ);
        _exit(errno);
    }
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    if (pid > 0 && WIFSTOPPED(status))
        return pid;
    errno = pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : errno;
    return -1;
}

static struct traced *traced_of(struct tracing *tracing, pid_t pid)
{
    size_t i = 0;
    while (i < tracing->n && tracing->items[i].pid != pid)
        i++;
    if (i == TRACED_MAX)
        return NULL;
    if (i == tracing->n)
        tracing->items[tracing->n++] = (struct traced){.pid = pid};
    return &tracing->items[i];
}

static void take_step(struct tracing *tracing, struct traced *traced)
{
    const uintptr_t at = (uintptr_t)ptrace(PTRACE_PEEKUSER, traced->pid,
                                           offsetof(struct user_regs_struct, rip), NULL);
    bool is_turn = false;
    if (at == traced->last) {
        const long word = ptrace(PTRACE_PEEKTEXT, traced->pid, at, NULL);
        uint8_t code[8];
        memcpy(code, &word, sizeof code);
        is_turn = instruction_repeats(code);
    }
    traced->last = at;
    tracing->n_traps++;
    tracing->n_steps += !is_turn;
}

/* Where a handler begins the kernel stops it before it has done anything, as no trap does. */
static bool is_in_handler(const struct traced *traced)
{
    siginfo_t info;
    return traced->was_signalled && ptrace(PTRACE_GETSIGINFO, traced->pid, NULL, &info) == 0 &&
           info.si_code == SIGTRAP;
}

/* One has stopped, and continues. A process that it made begins with SIGSTOP, which is not its own.
 */
static bool go_on(struct tracing *tracing, pid_t pid, int status)
{
    const int signal = WSTOPSIG(status);
    const bool is_event = status >> 16 != 0;
    struct traced *traced = traced_of(tracing, pid);
    int passed_on = 0;
    if (traced == NULL)
        return false;
    if (!is_event && signal == SIGTRAP && !is_in_handler(traced))
        take_step(tracing, traced);
    else if (!is_event && signal != SIGTRAP && (signal != SIGSTOP || traced->has_begun))
        passed_on = signal;
    traced->has_begun = true;
    traced->was_signalled = passed_on != 0;
    ptrace(PTRACE_SINGLESTEP, pid, NULL, (void *)(intptr_t)passed_on);
    return true;
}

/* False: it was none of them, but another child of this process. */
static bool forget(struct tracing *tracing, pid_t pid)
{
    size_t i = 0;
    while (i < tracing->n && tracing->items[i].pid != pid)
        i++;
    if (i == tracing->n)
        return false;
    tracing->items[i] = tracing->items[--tracing->n];
    return true;
}

static void end_all(struct tracing *tracing)
{
    for (size_t i = 0; i < tracing->n; i++)
        kill(tracing->items[i].pid, SIGKILL);
    for (size_t i = 0; i < tracing->n; i++)
        while (waitpid(tracing->items[i].pid, NULL, __WALL) < 0 && errno == EINTR)
            continue;
    tracing->n = 0;
}

/* Until the program has ended; what it leaves behind is ended. False: it takes more than is
 * allowed, or was cancelled. */
static bool step_to_end(struct count *count, struct tracing *tracing, pid_t program)
{
    bool goes_on = true;
    int status = 0;
    pid_t pid = program;
    while (goes_on) {
        pid = waitpid(-1, &status, __WALL);
        if (pid < 0 && errno == EINTR)
            continue;
        if (pid > 0 && WIFSTOPPED(status))
            goes_on = go_on(tracing, pid, status);
        else if (pid > 0 && forget(tracing, pid))
            tracing->n_steps += WIFEXITED(status); /* the system call that has not returned */
        goes_on = goes_on && pid > 0 && (pid != program || WIFSTOPPED(status)) &&
                  tracing->n_traps <= count->counting->limit &&
                  (tracing->n_traps % LOOK_EVERY != 0 || !is_cancelled((void *)count->host));
    }
    end_all(tracing);
    count->status = status;
    return pid == program && !WIFSTOPPED(status);
}

/* GB_UNSUPPORTED: there are more instructions than are allowed. */
static int32_t count_by_steps(struct count *count)
{
    static const long options = PTRACE_O_EXITKILL | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                                PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC;
    struct tracing tracing = {.n = 0};
    const pid_t pid = start_traced(count);
    if (pid < 0)
        return host_fail(count->host, "count_by = step: %s cannot be traced (ptrace): %s",
                         count->program->file, strerror(errno));
    traced_of(&tracing, pid)->has_begun = true;
    ptrace(PTRACE_SETOPTIONS, pid, NULL, (void *)options);
    ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL);
    const bool is_complete = step_to_end(count, &tracing, pid);
    if (is_cancelled((void *)count->host))
        return GB_CANCELLED;
    return is_complete ? give(count, events[INSTRUCTIONS].name, (double)tracing.n_steps)
                       : GB_UNSUPPORTED;
}

/* why: what perf events are. */
static int32_t cannot_step(const struct count *count, const char *why)
{
    return host_fail(
        count->host,
        "more than %llu instructions are too many for single steps of some 10 us each: expected "
        "valgrind in PATH, a larger count_limit, a shorter program, or perf events, which are %s",
        (unsigned long long)count->counting->limit, why);
}

#else

static int32_t count_by_steps(struct count *count)
{
    (void)count;
    return GB_UNSUPPORTED;
}

static int32_t cannot_step(const struct count *count, const char *why)
{
    return host_fail(count->host,
                     "a trap after each instruction is known of x86-64 only: expected valgrind in "
                     "PATH, or perf events, which are %s",
                     why);
}

#endif

/* ---- by Valgrind ---- */

/* The sum of the lines "==PID== I   refs:      1,234,567" of all processes. 0: there is none. */
static double read_references(const char *text)
{
    double sum = 0;
    for (const char *at = text; (at = strstr(at, " I ")) != NULL;) {
        uint64_t n = 0;
        at += strspn(at, " I");
        if (strncmp(at, "refs:", 5) != 0)
            continue;
        for (at += 5; *at != '\0' && *at != '\n'; at++)
            if (*at >= '0' && *at <= '9')
                n = 10 * n + (uint64_t)(*at - '0');
        sum += (double)n;
    }
    return sum;
}

static int32_t count_by_valgrind(struct count *count, const char *valgrind)
{
    enum { FIRST = 7, LOG_BYTES = 1 << 16 };
    const struct program *program = count->program;
    char log_option[32];
    size_t n = 0;
    int32_t status = GB_OK;
    while (program->arguments[n] != NULL)
        n++;
    const char **arguments = count->host->allocate(count->host,
                                                   (FIRST + n + 2) * sizeof *arguments);
    char *log = count->host->allocate(count->host, LOG_BYTES);
    const int file = memfd_create("valgrind", 0); /* which it inherits */
    if (arguments == NULL || log == NULL || file < 0)
        return GB_NO_MEMORY;
    snprintf(log_option, sizeof log_option, "--log-fd=%d", file);
    const char *const options[FIRST] = {"valgrind",
                                        "--tool=cachegrind",
                                        "--cache-sim=no",
                                        "--branch-sim=no",
                                        "--cachegrind-out-file=/dev/null",
                                        "--trace-children=yes",
                                        log_option};
    memcpy(arguments, options, sizeof options);
    arguments[FIRST] = program->file;
    memcpy(arguments + FIRST + 1, program->arguments + 1, n * sizeof *arguments);
    const struct program whole = {(char *const *)arguments, valgrind, program->folder,
                                  program->group};
    status = run_to_end(count, &whole);
    const ssize_t got = pread(file, log, LOG_BYTES - 1, 0);
    close(file);
    log[got < 0 ? 0 : got] = '\0';
    const double references = read_references(log);
    if (status != GB_OK)
        return status;
    return references > 0 ? give(count, events[INSTRUCTIONS].name, references)
                          : host_fail(count->host,
                                      "count_by = valgrind: %s printed no count: "
                                      "\"%.200s\"",
                                      valgrind, log);
}

/* ---- which ---- */

int32_t program_count(const struct gb_host *host, const struct program *program,
                      const int streams[3], struct gb_counting *counting, int *ret_status)
{
    struct count count = {host, program, streams, counting, 0};
    const uint32_t asked = counting->means;
    char why[WHY_BYTES];
    const char *valgrind = process_find(host, "valgrind");
    int32_t status = GB_UNSUPPORTED;
    const bool has_perf = perf_event_counts(&events[INSTRUCTIONS].event, why, sizeof why);
    if (asked == GB_COUNT_BY_AUTO)
        counting->means = has_perf ? GB_COUNT_BY_PERF : GB_COUNT_BY_STEP;
    if (counting->means == GB_COUNT_BY_PERF)
        status = has_perf ? count_by_perf(&count)
                          : host_fail(host, "count_by = perf: instructions: %s", why);
    if (counting->means == GB_COUNT_BY_STEP)
        status = count_by_steps(&count);
    if (status == GB_UNSUPPORTED && asked == GB_COUNT_BY_AUTO && valgrind != NULL) {
        counting->means = GB_COUNT_BY_VALGRIND;
        status = bench_reset(counting->bench_ops, counting->bench, counting->queue);
    }
    if (counting->means == GB_COUNT_BY_VALGRIND)
        status = valgrind == NULL ? host_fail(host, "count_by = valgrind: it is not in PATH")
                 : status == GB_OK || asked == GB_COUNT_BY_VALGRIND
                     ? count_by_valgrind(&count, valgrind)
                     : status;
    *ret_status = count.status;
    return status == GB_UNSUPPORTED ? cannot_step(&count, has_perf ? "counted here" : why) : status;
}
