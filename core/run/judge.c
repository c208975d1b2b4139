/* judge.c - see judge.h. */
#include "core/run/judge.h"

#include "core/base/command.h"
#include "core/base/host_clock.h"
#include "core/base/plain_text.h"
#include "core/run/judged.h"
#include "core/run/messages.h"
#include "core/run/module.h"
#include "core/run/sandbox.h"

#include <errno.h>
#include <gbrun/judging.h>
#include <malloc.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    EMPTY_ORDERS = 100,
    FIRST_RUNS = 3, /* which show how many make a sample */
    DRAWN = 3       /* objects of a sample that are compared at least; the last one run is one */
};
/* A sample, and so how little the way to the process and back weighs in it. */
static const double sample_ns = 1e6;
/* Comparing takes so many times as long as the sample, if there is as much to compare: what is done
 * in nearly all runs is nearly never missed. */
static const double comparing_ratio = 2;

struct judge {
    struct case_state *state;
    const struct gb_bench_ops *ops; /* of the benchmark */
    const void *params;
    struct gb_bench_ops own;
    struct gb_judging judging;
    struct shared_memory memory;
    struct judged_page *page;
    pid_t pid; /* 0: none */
    unsigned long long began;
    char folder[SANDBOX_FOLDER_BYTES]; /* of the process */
    bool is_stopped;
    uint32_t order; /* number of the last one */
    uint32_t series;
    double empty_ns, last_ns; /* what an empty order took, and the last sample */
    void **benches;
    uint32_t n;
    uint32_t objects[JUDGED_OBJECTS_MAX]; /* in the order of the last sample's runs */
    bool has_run;
    uint64_t n_samples;
};

static uint64_t secret(void)
{
    uint64_t bits = 0;
    while (getrandom(&bits, sizeof bits, 0) != sizeof bits)
        continue;
    return bits;
}

static int32_t fail(struct judge *judge, const char *text)
{
    const struct gb_host *host = &judge->state->host->interface;
    return host->fail(host, text);
}

/* ---- the process ---- */

/* It has ended or stopped by itself. */
static int32_t report_end(struct judge *judge, int wait_status)
{
    char text[128];
    if (WIFSTOPPED(wait_status))
        return fail(judge, "the judged process has stopped itself");
    judge->pid = 0;
    if (WIFSIGNALED(wait_status))
        snprintf(text, sizeof text, "the judged process was ended by signal %d (%s)",
                 WTERMSIG(wait_status), strsignal(WTERMSIG(wait_status)));
    else
        snprintf(text, sizeof text, "the judged process ended with exit code %d",
                 WEXITSTATUS(wait_status));
    return fail(judge, text);
}

/* All its threads. */
static int32_t stop(struct judge *judge)
{
    int wait_status = 0;
    if (judge->is_stopped)
        return GB_OK;
    kill(judge->pid, SIGSTOP);
    while (waitpid(judge->pid, &wait_status, WUNTRACED) < 0)
        if (errno != EINTR)
            return fail(judge, "the judged process cannot be waited for");
    if (!WIFSTOPPED(wait_status))
        return report_end(judge, wait_status);
    judge->is_stopped = true;
    return GB_OK;
}

static int32_t wait_for(struct judge *judge)
{
    enum { LOOK_MS = 100 };
    _Atomic uint32_t *done = &judge->page->done;
    for (uint32_t seen = atomic_load(done); seen != judge->order; seen = atomic_load(done)) {
        int wait_status = 0;
        futex_wait(done, seen, LOOK_MS);
        if (host_cancelled())
            return GB_CANCELLED;
        if (atomic_load(done) != judge->order &&
            waitpid(judge->pid, &wait_status, WNOHANG | WUNTRACED) == judge->pid)
            return report_end(judge, wait_status);
    }
    return GB_OK;
}

/* Gives an order, waits until it is carried out, and stops the process, which never runs but in the
 * time that is taken. */
static int32_t order(struct judge *judge, uint32_t what, uint32_t n, double *ret_ns)
{
    struct judged_page *page = judge->page;
    char text[HOST_TEXT_MAX];
    page->what = what;
    page->n = n;
    const double begin_ns = host_clock_ns();
    atomic_store(&page->order, ++judge->order);
    if (judge->is_stopped)
        kill(judge->pid, SIGCONT);
    judge->is_stopped = false;
    futex_wake(&page->order);
    int32_t status = wait_for(judge);
    if (status == GB_OK)
        status = stop(judge);
    if (status != GB_OK)
        return status;
    *ret_ns = host_clock_ns() - begin_ns;
    if (page->status == GB_OK)
        return GB_OK;
    memcpy(text, page->text, sizeof text);
    text[sizeof text - 1] = 0;
    return fail(judge, make_plain(text));
}

/* What compiles and tunes keeps its files in the process's folder. */
static int start_process(struct judge *judge, const char *const *arguments)
{
    const char *folder = judge->folder;
    const struct environment_variable variables[] = {{"TMPDIR", folder},
                                                     {"HOME", folder},
                                                     {"XDG_CACHE_HOME", folder},
                                                     {"CUDA_CACHE_PATH", folder},
                                                     {"TRITON_CACHE_DIR", folder},
                                                     {"TORCHINDUCTOR_CACHE_DIR", folder},
                                                     {"TORCHINDUCTOR_COMPILE_THREADS", "1"}};
    const int files[] = {-1, STDOUT_FILENO, STDERR_FILENO, judge->memory.file};
    char **environment = environment_make(variables, sizeof variables / sizeof *variables);
    const int code = command_start(program_image(), arguments, environment, files,
                                   sizeof files / sizeof *files, true, &judge->pid);
    free(environment);
    close(judge->memory.file);
    judge->memory.file = -1;
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    judge->began = code == 0 ? sandbox_began(judge->pid) : 0;
    return code;
}

static int32_t start(struct judge *judge)
{
    struct case_state *state = judge->state;
    char base[32], bytes[32];
    const char *const arguments[] = {"gbrun", JUDGED_ARGUMENT, base, bytes, judge->folder, NULL};
    const struct case_order given = {.record = "", .bench_case = *state->bench_case};
    struct wire_writer writer = {0};
    struct wire_reader payload;
    snprintf(base, sizeof base, "%llx", (unsigned long long)(uintptr_t)judge->memory.base);
    snprintf(bytes, sizeof bytes, "%llx", (unsigned long long)judge->memory.bytes);
    wire_begin(&writer, WIRE_CASE);
    wire_put_fields(&writer, case_order_fields, &given);
    wire_end(&writer);
    wire_written(&writer, &payload);
    const bool fits = payload.length <= sizeof judge->page->bench_case;
    memcpy(judge->page->bench_case, payload.data, fits ? payload.length : 0);
    judge->page->case_bytes = (uint32_t)payload.length;
    text_free(&writer.bytes);
    if (!fits)
        return case_stop(state, CASE_FAILED, "verify = judge: the case is too large");
    const int code = start_process(judge, arguments);
    return code == 0 ? GB_OK
                     : case_stop(state, CASE_FAILED, "a judged process cannot be started: %s",
                                 reason_of(code));
}

/* The least: only gbrun is in the process yet. */
static int32_t time_empty_orders(struct judge *judge)
{
    int32_t status = GB_OK;
    judge->empty_ns = INFINITY;
    for (int i = 0; i < EMPTY_ORDERS && status == GB_OK; i++) {
        double time_ns;
        status = order(judge, JUDGED_NOTHING, 0, &time_ns);
        judge->empty_ns = fmin(judge->empty_ns, time_ns);
    }
    return status;
}

/* ---- objects ---- */

static int32_t make_own(struct judge *judge)
{
    struct case_state *state = judge->state;
    const struct gb_host *host = &state->host->interface;
    void *bench = NULL;
    int32_t status;
    state->host->is_muted = judge->n > 0;
    CALL_BENCH(state, status, judge->ops->create(host, judge->params, &bench));
    if (status == GB_OK && judge->ops->prepare)
        CALL_BENCH(state, status, judge->ops->prepare(bench, state->device->queue));
    state->host->is_muted = false;
    if (status == GB_OK)
        judge->benches[judge->n++] = bench;
    return status;
}

/* n further ones, in both processes, here first: it may leave there what the other needs. */
static int32_t make(struct judge *judge, uint32_t n)
{
    struct case_state *state = judge->state;
    double time_ns;
    int32_t status = GB_OK;
    state->host->shared = &judge->memory;
    for (uint32_t i = 0; i < n && status == GB_OK; i++)
        status = make_own(judge);
    state->host->shared = NULL;
    if (status == GB_OK)
        status = order(judge, JUDGED_MAKE, n, &time_ns);
    if (status == GB_OK && judge->page->used != judge->memory.used)
        return fail(judge, "the judged process took other memory than the judge");
    return status;
}

/* New inputs for all, poisoned outputs, another order. */
static int32_t renew(struct judge *judge)
{
    struct case_state *state = judge->state;
    int32_t status = GB_OK;
    for (uint32_t i = 0; i < judge->n && status == GB_OK; i++)
        CALL_BENCH(state, status,
                   judge->ops->refresh(judge->benches[i], state->device->queue, secret()));
    for (uint32_t i = 0; i < judge->n; i++)
        judge->objects[i] = i;
    for (uint32_t i = judge->n; i > 1; i--) {
        const uint32_t other = (uint32_t)(secret() % i), last = judge->objects[i - 1];
        judge->objects[i - 1] = judge->objects[other];
        judge->objects[other] = last;
    }
    memcpy(judge->page->objects, judge->objects, judge->n * sizeof *judge->objects);
    return status == GB_SKIPPED ? fail(judge, "verify = judge: nothing of this case is compared")
                                : status;
}

static int32_t compare(struct judge *judge, uint32_t place)
{
    struct case_state *state = judge->state;
    const struct gb_host *host = &state->host->interface;
    char text[HOST_TEXT_MAX + 64];
    int32_t status;
    state->n_checked++;
    state->host->interface.iterations = 1;
    CALL_BENCH(state, status,
               judge->ops->verify(judge->benches[judge->objects[place]], state->device->queue));
    if (status != GB_WRONG_RESULT)
        return status;
    snprintf(text, sizeof text, "%s (sample %llu, run %u of %u)", state->host->reason,
             (unsigned long long)judge->n_samples, place + 1, judge->n);
    state->host->reason[0] = 0;
    state->host->is_muted = false;
    return host->checked(host, "judged", 0, text);
}

/* Some of the last sample, drawn now, and the last one to be run. */
static int32_t compare_drawn(struct judge *judge)
{
    struct case_state *state = judge->state;
    const double end_ns = host_clock_ns() + comparing_ratio * judge->last_ns;
    int32_t status = GB_OK;
    if (!judge->has_run)
        return GB_OK;
    judge->has_run = false;
    state->host->is_muted = true;
    for (uint32_t i = 0; i < judge->n && status == GB_OK && (i < DRAWN || host_clock_ns() < end_ns);
         i++)
        status = compare(judge, i == 0 ? judge->n - 1 : (uint32_t)(secret() % judge->n));
    state->host->is_muted = false;
    return status;
}

/* ---- the benchmark that the rest of the worker sees ---- */

static int32_t judge_reset(void *object, const struct gb_queue *queue)
{
    struct judge *judge = object;
    (void)queue;
    const int32_t status = compare_drawn(judge);
    return status == GB_OK ? renew(judge) : status;
}

static int32_t judge_run(void *object, const struct gb_queue *queue, uint64_t iterations)
{
    struct judge *judge = object;
    const struct gb_host *host = &judge->state->host->interface;
    double time_ns;
    (void)queue, (void)iterations;
    const int32_t status = order(judge, JUDGED_RUN, judge->n, &time_ns);
    if (status != GB_OK)
        return status;
    judge->has_run = true;
    judge->last_ns = time_ns;
    judge->n_samples++;
    host->sample(host, judge->series, fmax(time_ns - judge->empty_ns, 0) / judge->n);
    return GB_OK;
}

static int32_t judge_verify(void *object, const struct gb_queue *queue)
{
    struct judge *judge = object;
    struct case_state *state = judge->state;
    int32_t status = compare_drawn(judge);
    if (status == GB_OK) /* once more, to be seen */
        CALL_BENCH(state, status, judge->ops->verify(judge->benches[judge->objects[0]], queue));
    link_metric(state->link, "checked_calls", (double)state->n_checked, "1");
    return status;
}

static int32_t judge_work(void *object, struct gb_work *work)
{
    const struct judge *judge = object;
    return judge->ops->work ? judge->ops->work(judge->benches[0], work) : GB_OK;
}

static void judge_destroy(void *object)
{
    struct judge *judge = object;
    if (judge->pid > 0) {
        kill(judge->pid, SIGKILL);
        while (waitpid(judge->pid, NULL, 0) < 0 && errno == EINTR)
            continue;
    }
    if (judge->began > 0)
        sandbox_kill_others(0, judge->began);
    sandbox_folder_free(judge->folder);
    for (uint32_t i = 0; i < judge->n && judge->ops->destroy; i++)
        judge->ops->destroy(judge->benches[i]);
    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
    shared_memory_free(&judge->memory);
    free(judge->benches);
    free(judge);
    malloc_trim(0); /* of so many objects, or it looks like a leak */
}

/* Makes as many objects as iterations were asked for, or as make a sample, up to the limits of
 * memory and of their number. */
static int32_t find_number(struct judge *judge)
{
    double shortest_ns = INFINITY;
    int32_t status = GB_OK;
    const uint64_t page_bytes = sizeof *judge->page, first = judge->memory.used - page_bytes;
    const double room = (double)(judge->memory.bytes - page_bytes) / (double)(first + 1);
    for (int i = 0; i < FIRST_RUNS && status == GB_OK; i++) {
        double time_ns;
        status = renew(judge);
        if (status == GB_OK)
            status = order(judge, JUDGED_RUN, 1, &time_ns);
        if (status == GB_OK)
            shortest_ns = fmin(shortest_ns, time_ns);
    }
    const double run_ns = fmax(shortest_ns - judge->empty_ns, 1);
    const double asked = (double)judge->state->bench_case->common.iterations;
    const double wanted = asked > 0 ? asked : ceil(sample_ns / run_ns);
    const double n = fmin(fmin(wanted, room), JUDGED_OBJECTS_MAX);
    if (status == GB_OK && n < asked)
        return fail(judge, "verify = judge: iterations: too many inputs and outputs");
    return status == GB_OK && n > 1 ? make(judge, (uint32_t)n - 1) : status;
}

/* From now on only what is timed runs: the process compiles and tunes in the first run of each
 * object, starts no more others, and those that it has left are ended. */
static int32_t close_sandbox(struct judge *judge)
{
    double time_ns;
    int32_t status = renew(judge);
    if (status == GB_OK)
        status = order(judge, JUDGED_RUN, judge->n, &time_ns);
    if (status == GB_OK)
        status = order(judge, JUDGED_CLOSE, 0, &time_ns);
    return status != GB_OK || sandbox_kill_others(judge->pid, judge->began)
               ? status
               : fail(judge, "the judged process starts others faster than they can be ended");
}

static int32_t refuse(struct case_state *state, const struct gb_plugin *plugin)
{
    const struct gb_bench_ops *ops = plugin->ops;
    const char *why = NULL;
    if (!plugin->extension || !plugin->extension(GB_JUDGING) || !GB_HAS(ops, refresh) ||
        !ops->refresh || !ops->verify)
        why = "cannot be judged: expected call or python";
    else if (state->device->queue->native)
        why = "is judged on a CPU only: expected device = cpu";
    else if (!text_equal(state->measure, MEASURE_TIME))
        why = "is judged by its time: expected measure = time";
    else if (state->is_guest)
        why = "is judged by the program gbrun only";
    return why ? case_stop(state, CASE_FAILED, "verify = judge: benchmark %s %s", plugin->id, why)
               : GB_OK;
}

static struct judge *judge_new(struct case_state *state, const struct gb_plugin *plugin,
                               const void *params)
{
    const struct common_params *common = &state->bench_case->common;
    struct judge *judge = memory_allocate(sizeof *judge);
    judge->state = state;
    judge->ops = plugin->ops;
    judge->params = params;
    judge->judging = (struct gb_judging){
        .size = sizeof judge->judging, .is_judge = 1, .share = host_share};
    judge->own = (struct gb_bench_ops){.size = sizeof judge->own,
                                       .flags = common->iterations > 0 ? 0 : GB_BENCH_SINGLE,
                                       .reset = judge_reset,
                                       .run = judge_run,
                                       .verify = judge_verify,
                                       .work = judge_work,
                                       .destroy = judge_destroy};
    judge->benches = memory_allocate(JUDGED_OBJECTS_MAX * sizeof *judge->benches);
    state->ops = &judge->own;
    state->bench = judge;
    return judge;
}

int32_t judge_begin(struct case_state *state, const struct gb_plugin *plugin, const void *params)
{
    const uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) / 4 * (uint64_t)sysconf(_SC_PAGESIZE);
    struct gb_error error;
    if (refuse(state, plugin) != GB_OK)
        return GB_FAILED;
    struct judge *judge = judge_new(state, plugin, params);
    if (sandbox_folder_new(judge->folder, &error) != GB_OK ||
        shared_memory_new(memory, &judge->memory, &error) != GB_OK)
        return case_stop(state, CASE_FAILED, "%s", error.text);
    judge->page = shared_memory_take(&judge->memory, sizeof *judge->page);
    judge->series = series_declare(&state->host->series, JUDGED_SERIES, "ns", &error);
    state->measure = JUDGED_SERIES;
    state->host->judging = &judge->judging;
    state->host->interface.iterations = 1;
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); /* or the process could look into this one */
    if (start(judge) != GB_OK)
        return GB_FAILED;
    int32_t status = time_empty_orders(judge);
    if (status == GB_OK)
        status = make(judge, 1);
    if (status == GB_OK)
        status = find_number(judge);
    if (status == GB_OK)
        status = close_sandbox(judge);
    return case_judge_bench(state, "judging", status);
}
