/* judge.c - see judge.h. */
#include "core/run/judge.h"

#include "core/base/host_clock.h"
#include "core/base/plain_text.h"
#include "core/base/statistics.h"
#include "core/run/judge_batch.h"
#include "core/run/judge_device.h"
#include "core/run/judge_process.h"
#include "core/run/sets.h"

#include <gbrun/judging.h>
#include <gbrun/warm.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

enum {
    EMPTY_ORDERS = 100,
    IDLE_ORDERS = 24,      /* the same of a device, which takes longer */
    FIRST_RUNS = 3,        /* which show how many make a sample */
    DEVICE_FIRST_RUNS = 2, /* of a device, whose sets take longer to renew */
    BATCHES_MOST = 50,
    FIRST_SETS = 32, /* of a device, which show it better */
    DEVICE_SETS_MAX = 2048,
    ORDERS_A_RUN = 3, /* of a device, the shorter half of which are samples */
    LOOKS_OF = 16,    /* one of so many samples is one after which processes are looked for */
    DRAWN_SHARE = 8,  /* one of so many of a device's sample is compared, if that is more, */
    DRAWN_MOST = 16   /* but no more than these */
};
/* A sample, and so how little the way to the process and back weighs in it. That to a device's is
 * longer, as it has to leave one process for the other; what is called there may be launched faster
 * as a graph, so that so much time of first calls is wanted, and so much of work at least. */
static const double sample_ns = 1e6, device_calls_ns = 32e6, device_least_ns = 2e6;
/* What a device is kept busy for where that way is measured; and renewing inputs may take. */
static const double idle_ns = 1e6, renewal_ns = 100e6;
/* How long batches are timed; and how much of the error of an empty order is looked at. */
static const double batches_ns = 2e7, error_most_ns = 2e4;

struct judge {
    struct case_state *state;
    struct sets sets;
    struct gb_bench_ops own;
    struct gb_judging judging;
    struct judge_process *process;
    struct judge_device device;
    struct shared_memory *objects_in; /* the device's, or that of the host */
    bool is_warm;                     /* the process may be forked from what has loaded the same */
    uint32_t series;
    double empty_ns, error_ns;       /* what an empty order took */
    struct judge_batch batch;        /* what a call takes at least */
    uint32_t most;                   /* sets that a sample may grow to */
    uint32_t drawn[GB_GATHERED_MAX]; /* places of those sets that a device has kept */
};

static int32_t fail(struct judge *judge, const char *text)
{
    const struct gb_host *host = &judge->state->host->interface;
    return host->fail(host, text);
}

/* Draws objects whose memory on a device is copied, now that all that was ordered should be done;
 * the last one run is one. */
static int32_t keep_drawn(struct judge *judge)
{
    const uint32_t n = judge->sets.n;
    uint32_t which[GB_GATHERED_MAX], places[SETS_MAX];
    if (!judge->device.ops)
        return GB_OK;
    for (uint32_t i = 0; i < n; i++)
        places[i] = i;
    for (uint32_t i = 0; i < judge->device.n_kept; i++) {
        judge->drawn[i] = i == 0 ? n - 1 : sets_draw(places + i - 1, n - i);
        which[i] = judge->sets.order[judge->drawn[i]];
    }
    const int32_t status = judge_device_keep(&judge->device, which);
    return case_judge_device(judge->state, "judging", status);
}

/* Gives an order, and waits until it is carried out and the process is stopped, which never runs
 * but in the time that is taken; on a device, where it has no inputs before they are published,
 * until what is drawn is copied. */
static int32_t order(struct judge *judge, uint32_t what, uint32_t n, double *ret_ns)
{
    struct judge_process *process = judge->process;
    struct judged_page *page = process->page;
    char text[HOST_TEXT_MAX];
    page->what = what;
    page->n = n;
    double begin_ns = host_clock_ns();
    int32_t status = judge_process_give(process);
    if (judge->device.ops)
        begin_ns = host_clock_ns();
    if (status == GB_OK && (what == JUDGED_RUN || what == JUDGED_LAUNCH))
        status = case_judge_device(judge->state, "judging", judge_device_publish(&judge->device));
    if (status == GB_OK)
        status = judge_process_obey(process);
    if (status == GB_OK)
        status = keep_drawn(judge);
    *ret_ns = host_clock_ns() - begin_ns;
    if (status == GB_OK)
        status = judge_process_wait(process);
    if (status != GB_OK || page->status == GB_OK)
        return status;
    memcpy(text, page->text, sizeof text);
    text[sizeof text - 1] = 0;
    return fail(judge, make_plain(text));
}

/* On a device what is left of orders to keep it busy for a known time: the lower quartile, as some
 * ways there and back take longer. */
static int32_t time_idle_orders(struct judge *judge)
{
    double times_ns[IDLE_ORDERS];
    int32_t status = judge_device_calibrate(&judge->device);
    for (int i = 0; i < IDLE_ORDERS && status == GB_OK; i++)
        status = order(judge, JUDGED_IDLE, (uint32_t)idle_ns, &times_ns[i]);
    if (status != GB_OK)
        return status;
    sort_to_median(times_ns, IDLE_ORDERS);
    judge->empty_ns = fmax(times_ns[IDLE_ORDERS / 4] - idle_ns, 0);
    return GB_OK;
}

/* The least, and how far the others are from it: only gbrun is in the process yet. */
static int32_t time_empty_orders(struct judge *judge)
{
    double times_ns[EMPTY_ORDERS];
    int32_t status = GB_OK;
    if (judge->device.ops)
        return time_idle_orders(judge);
    for (int i = 0; i < EMPTY_ORDERS && status == GB_OK; i++)
        status = order(judge, JUDGED_NOTHING, 0, &times_ns[i]);
    if (status != GB_OK)
        return status;
    judge->error_ns = fmin(sort_to_median(times_ns, EMPTY_ORDERS) - times_ns[0], error_most_ns);
    judge->empty_ns = times_ns[0];
    return GB_OK;
}

/* ---- objects ---- */

/* n further ones, in both processes, here first: it may leave there what the other needs. */
static int32_t make(struct judge *judge, uint32_t n)
{
    struct case_state *state = judge->state;
    double time_ns;
    int32_t status = GB_OK;
    state->host->shared = judge->objects_in;
    state->host->common = &judge->process->memory;
    for (uint32_t i = 0; i < n && status == GB_OK; i++)
        status = sets_add(&judge->sets);
    state->host->shared = state->host->common = NULL;
    if (status == GB_OK)
        status = judge_device_wait(&judge->device);
    if (status == GB_OK)
        status = order(judge, JUDGED_MAKE, n, &time_ns);
    if (status == GB_OK && (judge->process->page->used != judge->process->memory.used ||
                            judge->process->page->device_used != judge->device.memory.used))
        return fail(judge, "the judged process took other memory than the judge");
    return status;
}

static void say_order(struct judge *judge, uint32_t n)
{
    memcpy(judge->process->page->objects, judge->sets.order, n * sizeof *judge->sets.order);
}

/* New inputs for n that are drawn, poisoned outputs, another order. */
static int32_t renew(struct judge *judge, uint32_t n)
{
    const int32_t status = sets_renew(&judge->sets, n);
    say_order(judge, n);
    return status == GB_OK ? judge_device_wait(&judge->device) : status;
}

/* On a device: that nothing was left there, and the sets that were copied in time. */
static int32_t compare_kept(struct judge *judge, double end_ns, bool is_last)
{
    bool is_busy = false;
    int32_t status = judge_device_is_busy(&judge->device, &is_busy);
    if (status == GB_OK && is_busy)
        return fail(judge, "verify = judge: work was left on the device when the function had "
                           "returned and all streams of its process were waited for, or another "
                           "process uses the device");
    if (is_last) /* nothing is timed any more */
        judge_process_park(judge->process);
    for (uint32_t i = 0; i < judge->device.n_kept && status == GB_OK &&
                         (i < SETS_DRAWN || host_clock_ns() < end_ns);
         i++) {
        const uint32_t place = judge->drawn[i];
        status = judge_device_fetch_kept(&judge->device, i, judge->sets.order[place]);
        if (status == GB_OK)
            status = sets_compare(&judge->sets, place);
    }
    return status;
}

/* Some of the last sample, drawn now, and the last one to be run. */
static int32_t compare_drawn(struct judge *judge, bool is_last)
{
    struct sets *sets = &judge->sets;
    struct host *host = judge->state->host;
    const double end_ns = host_clock_ns() + sets_comparing_ns(sets, is_last);
    if (!judge->device.ops)
        return sets_compare_drawn(sets, is_last);
    if (!sets->has_run)
        return GB_OK;
    sets->has_run = false;
    host->is_muted = true;
    int32_t status = compare_kept(judge, end_ns, is_last);
    for (uint32_t i = judge->device.n_kept;
         i < sets->n && status == GB_OK && (i < SETS_DRAWN || host_clock_ns() < end_ns); i++) {
        const uint32_t place = i == 0 ? sets->n - 1 : (uint32_t)(secret() % sets->n);
        status = judge_device_fetch(&judge->device, sets->order[place]);
        if (status == GB_OK)
            status = sets_compare(sets, place);
    }
    host->is_muted = false;
    return status;
}

/* A batch of some sets that are drawn, a few of which are compared. */
static int32_t run_batch(struct judge *judge)
{
    const uint32_t n = judge->batch.n;
    double time_ns;
    int32_t status = renew(judge, n);
    if (status == GB_OK)
        status = order(judge, JUDGED_RUN, n, &time_ns);
    if (status == GB_OK)
        judge_batch_add(&judge->batch, fmax(time_ns - judge->empty_ns, 0), judge->sets.n);
    for (uint32_t i = 0; i < SETS_DRAWN && i < n && status == GB_OK; i++)
        status = sets_compare(&judge->sets, i == 0 ? n - 1 : (uint32_t)(secret() % n));
    return status;
}

static int32_t time_batches(struct judge *judge)
{
    struct case_state *state = judge->state;
    const double end_ns = host_clock_ns() + batches_ns;
    int32_t status = GB_OK;
    state->host->is_muted = true;
    while (status == GB_OK && (!judge_batch_is_done(&judge->batch, judge->sets.n) ||
                               (judge->batch.n_runs < BATCHES_MOST && host_clock_ns() < end_ns)))
        status = run_batch(judge);
    state->host->is_muted = false;
    return status;
}

/* All objects, for a sample. */
static int32_t ready(struct judge *judge)
{
    const bool is_due = judge->sets.n > 1 && !judge->device.ops &&
                        !judge_batch_is_done(&judge->batch, judge->sets.n);
    const int32_t status = is_due ? time_batches(judge) : GB_OK;
    return status == GB_OK ? renew(judge, judge->sets.n) : status;
}

/* One graph of all runs, if that is possible and its result right. Else they are called in turn. */
static int32_t try_graph(struct judge *judge)
{
    const uint32_t flags = judge->sets.ops->flags;
    double time_ns;
    if (!judge->device.ops || (flags & (GB_BENCH_EVERY_CALL | GB_BENCH_SYNCHRONIZES)))
        return GB_OK;
    judge->sets.is_ordered = true;
    sets_reorder(&judge->sets, judge->sets.n);
    say_order(judge, judge->sets.n);
    int32_t status = order(judge, JUDGED_CAPTURE, judge->sets.n, &time_ns);
    judge->sets.is_ordered = status == GB_OK && judge->process->page->is_captured;
    if (!judge->sets.is_ordered)
        return status;
    status = renew(judge, judge->sets.n); /* what is no part of the graph has been done already */
    if (status == GB_OK)
        status = order(judge, JUDGED_LAUNCH, judge->sets.n, &time_ns);
    if (status != GB_OK)
        return status;
    judge->sets.has_run = judge->sets.is_trial = true;
    judge->sets.last_ns = 0;
    judge->sets.is_ordered = compare_drawn(judge, false) == GB_OK;
    judge->sets.is_trial = false;
    judge->state->host->reason[0] = 0;
    return GB_OK;
}

/* What a device needs before samples, now that all has run. */
static int32_t prepare_samples(struct judge *judge)
{
    const struct shared_memory *memory = &judge->device.memory;
    const uint32_t share = judge->sets.n / DRAWN_SHARE;
    const uint32_t n_drawn = share < SETS_DRAWN   ? SETS_DRAWN
                             : share < DRAWN_MOST ? share
                                                  : DRAWN_MOST;
    if (!judge->device.ops)
        return GB_OK;
    int32_t status = judge_device_keep_parts(&judge->device, memory->used / judge->sets.n,
                                             judge->sets.n, n_drawn);
    if (status == GB_OK)
        status = judge_device_time_publish(&judge->device);
    if (case_judge_device(judge->state, "judging", status) != GB_OK)
        return GB_FAILED;
    return try_graph(judge);
}

/* What has kept the process from the second stage of the sandbox may have started others. This
 * looks at all processes of the machine, which takes too long for each sample. */
static int32_t look_for_others(struct judge *judge)
{
    const struct judge_process *process = judge->process;
    return sandbox_has_others(process->pid, process->began)
               ? fail(judge, "verify = judge: the judged process has started others")
               : GB_OK;
}

/* ---- the benchmark that the rest of the worker sees ---- */

static int32_t judge_reset(void *object, const struct gb_queue *queue)
{
    struct judge *judge = object;
    (void)queue;
    int32_t status = secret() % LOOKS_OF == 0 ? look_for_others(judge) : GB_OK;
    if (status == GB_OK)
        status = compare_drawn(judge, false);
    return status == GB_OK ? ready(judge) : status;
}

static int32_t run_all(struct judge *judge, double *ret_ns)
{
    const uint32_t what = judge->sets.is_ordered ? JUDGED_LAUNCH : JUDGED_RUN;
    return order(judge, what, judge->sets.n, ret_ns);
}

static double work_ns(const struct judge *judge, double time_ns)
{
    return time_ns - judge->empty_ns - judge->device.publish_ns - judge->device.keep_ns;
}

/* What was slow at first only is no sample: so few do not outweigh the way there and back. */
static bool is_short(const struct judge *judge, double time_ns)
{
    return judge->sets.n < judge->most &&
           (judge->device.ops ? work_ns(judge, time_ns) < device_least_ns
                              : time_ns < sample_ns / 2);
}

/* Twice as many, all of which are run. */
static int32_t grow(struct judge *judge, double *ret_ns)
{
    const uint32_t n = judge->sets.n, left = judge->most - n;
    int32_t status = make(judge, n < left ? n : left);
    if (status == GB_OK)
        status = ready(judge);
    if (status == GB_OK)
        status = order(judge, JUDGED_RUN, judge->sets.n, ret_ns);
    if (status != GB_OK || !judge->device.ops)
        return status;
    status = prepare_samples(judge);
    if (status == GB_OK)
        status = ready(judge);
    return status == GB_OK ? run_all(judge, ret_ns) : status;
}

/* *ret_ns: what a call took. */
static int32_t take_sample(struct judge *judge, double *ret_ns)
{
    struct sets *sets = &judge->sets;
    double time_ns;
    int32_t status = run_all(judge, &time_ns);
    while (status == GB_OK && is_short(judge, time_ns))
        status = grow(judge, &time_ns);
    if (status != GB_OK)
        return status;
    sets_have_run(sets, time_ns);
    *ret_ns = fmax(work_ns(judge, time_ns) / sets->n,
                   judge_batch_call_ns(&judge->batch, judge->error_ns));
    return GB_OK;
}

/* On a device of some the shorter half, unless it is the warm-up: all are compared, and what is
 * longer waited on its way. */
static int32_t judge_run(void *object, const struct gb_queue *queue, uint64_t iterations)
{
    struct judge *judge = object;
    const struct gb_host *host = &judge->state->host->interface;
    const bool is_some = judge->device.ops && judge->state->phases.warmup_ns > 0;
    const size_t n = is_some ? ORDERS_A_RUN : 1;
    double times_ns[ORDERS_A_RUN];
    int32_t status = take_sample(judge, &times_ns[0]);
    (void)iterations;
    for (size_t i = 1; i < n && status == GB_OK; i++) {
        status = judge_reset(judge, queue);
        if (status == GB_OK)
            status = take_sample(judge, &times_ns[i]);
    }
    if (status != GB_OK)
        return status;
    sort_to_median(times_ns, n);
    for (size_t i = 0; i < (n + 1) / 2; i++)
        host->sample(host, judge->series, times_ns[i]);
    return GB_OK;
}

static int32_t judge_verify(void *object, const struct gb_queue *queue)
{
    struct judge *judge = object;
    int32_t status = look_for_others(judge);
    (void)queue;
    if (status == GB_OK)
        status = compare_drawn(judge, true);
    if (status == GB_OK)
        status = judge_device_fetch(&judge->device, judge->sets.order[0]);
    if (judge->device.ops)
        link_metric(judge->state->link, "launched_as_graph", judge->sets.is_ordered, "1");
    return status == GB_OK ? sets_verify(&judge->sets) : status;
}

static int32_t judge_work(void *object, struct gb_work *work)
{
    const struct judge *judge = object;
    return sets_work(&judge->sets, work);
}

static void judge_destroy(void *object)
{
    struct judge *judge = object;
    const bool is_kept = judge->is_warm;
    if (judge->process)
        judge_process_kill(judge->process); /* it ends while this is freed */
    sets_free(&judge->sets);
    judge_process_end(judge->process);
    judge_device_end(&judge->device, is_kept);
    free(judge);
}

/* The least time of a few renewals and runs of all objects that there are. */
static int32_t time_runs(struct judge *judge, double *ret_renewal_ns, double *ret_run_ns)
{
    int32_t status = judge_device_time_publish(&judge->device);
    *ret_renewal_ns = *ret_run_ns = INFINITY;
    const int n_runs = judge->device.ops ? DEVICE_FIRST_RUNS : FIRST_RUNS;
    for (int i = 0; i < n_runs && status == GB_OK; i++) {
        const double begin_ns = host_clock_ns();
        double time_ns = INFINITY;
        status = renew(judge, judge->sets.n);
        *ret_renewal_ns = fmin(*ret_renewal_ns, host_clock_ns() - begin_ns);
        if (status == GB_OK)
            status = order(judge, JUDGED_RUN, judge->sets.n, &time_ns);
        *ret_run_ns = fmin(*ret_run_ns, time_ns - judge->empty_ns - judge->device.publish_ns);
    }
    return status;
}

/* How many objects make a sample, up to the limits of memory, of their number, and on a device of
 * the time that renewing them takes. */
static int32_t number_wanted(struct judge *judge, double *ret)
{
    const bool is_device = judge->device.ops != NULL;
    const struct shared_memory *memory = judge->objects_in;
    const uint64_t before = is_device ? 0 : sizeof(struct judged_page);
    const double room = (double)(memory->bytes - before) /
                        ((double)(memory->used - before) / judge->sets.n + 1);
    const double asked = (double)judge->state->bench_case->common.iterations;
    double each_ns, all_ns;
    const int32_t status = time_runs(judge, &each_ns, &all_ns);
    const double run_ns = fmax(all_ns, 1) / judge->sets.n;
    const double renewed = fmax(renewal_ns / each_ns * judge->sets.n, SETS_DRAWN);
    double wanted = ceil((is_device ? device_calls_ns : sample_ns) / run_ns);
    if (is_device)
        wanted = fmin(wanted, renewed);
    const double most = fmin(asked > 0 ? asked : is_device ? DEVICE_SETS_MAX : SETS_MAX, room);
    judge->most = (uint32_t)fmax(is_device ? fmin(most, renewed) : most, 1);
    *ret = fmin(asked > 0 ? asked : wanted, most);
    return status == GB_OK && *ret < asked
               ? fail(judge, "verify = judge: iterations: too many inputs and outputs")
               : status;
}

/* Makes as many objects as iterations were asked for, or as make a sample. On a device a first run
 * is mostly the way there, so that it is looked at twice. */
static int32_t find_number(struct judge *judge)
{
    const int n_looks = judge->device.ops ? 2 : 1;
    int32_t status = GB_OK;
    for (int i = 0; i < n_looks && status == GB_OK; i++) {
        const double most = i + 1 < n_looks ? FIRST_SETS : INFINITY;
        double n = 0;
        status = number_wanted(judge, &n);
        n = fmin(n, most);
        if (status == GB_OK && n >= judge->sets.n + 1)
            status = make(judge, (uint32_t)n - judge->sets.n);
    }
    return status;
}

/* From now on only what is timed runs: the process compiles and tunes in the first run of each
 * object, starts no more others, and those that it has left are ended. */
static int32_t close_sandbox(struct judge *judge)
{
    double time_ns;
    int32_t status = renew(judge, judge->sets.n);
    if (status == GB_OK)
        status = order(judge, JUDGED_RUN, judge->sets.n, &time_ns);
    if (status == GB_OK)
        status = prepare_samples(judge);
    if (status == GB_OK)
        status = order(judge, JUDGED_CLOSE, 0, &time_ns);
    if (status == GB_OK && !sandbox_is_entered(judge->process->pid))
        return fail(judge, "the judged process has not entered its sandbox");
    return status != GB_OK || sandbox_kill_others(judge->process->pid, judge->process->began)
               ? status
               : fail(judge, "the judged process starts others faster than they can be ended");
}

static int32_t refuse(struct case_state *state, const struct gb_plugin *plugin)
{
    const struct gb_bench_ops *ops = plugin->ops;
    const char *why = NULL;
    if (!plugin->extension || !plugin->extension(GB_JUDGING) || !GB_HAS(ops, refresh) ||
        !ops->refresh || !ops->verify)
        why = "cannot be judged: expected call, kernel or python";
    else if (state->device->queue->native && !state->device->judging)
        why = "is not judged on this device: expected device = cpu or cuda";
    else if (!text_equal(state->measure, MEASURE_TIME))
        why = "is judged by its time: expected measure = time";
    else if (!state->process)
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
    judge->batch.n = 1;
    judge->is_warm = plugin->extension(GB_WARM) != NULL;
    sets_begin(&judge->sets, state, plugin->ops, params);
    judge->judging = host_judging(true);
    judge->own = (struct gb_bench_ops){.size = sizeof judge->own,
                                       .flags = common->iterations > 0 ? 0 : GB_BENCH_SINGLE,
                                       .reset = judge_reset,
                                       .run = judge_run,
                                       .verify = judge_verify,
                                       .work = judge_work,
                                       .destroy = judge_destroy};
    state->ops = &judge->own;
    state->bench = judge;
    return judge;
}

/* Where the objects' memory comes from, and the process. What samples do on a device with queues is
 * nothing that this process has enqueued, and the clock that disturbs least is the host's. */
static int32_t choose_memory(struct judge *judge)
{
    struct case_state *state = judge->state;
    const struct open_device *device = state->device;
    int32_t status = judge_device_begin(&judge->device, device);
    status = case_judge_device(state, "sharing memory", status);
    if (status == GB_OK)
        judge->process = judge_process_new(state, &judge->device.block, judge->is_warm);
    if (!judge->process)
        return GB_FAILED;
    judge->objects_in = judge->device.ops ? &judge->device.memory : &judge->process->memory;
    if (!judge->device.ops)
        return GB_OK;
    judge->own.flags |= GB_BENCH_SYNCHRONIZES;
    state->launch = GB_LAUNCH_STREAM;
    for (uint32_t i = 0; i < device->n_clocks; i++)
        if (text_equal(device->clocks[i].name, "wall"))
            state->clock = i;
    return GB_OK;
}

int32_t judge_begin(struct case_state *state, const struct gb_plugin *plugin, const void *params)
{
    struct gb_error error;
    if (refuse(state, plugin) != GB_OK)
        return GB_FAILED;
    struct judge *judge = judge_new(state, plugin, params);
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); /* or the process could look into this one */
    if (choose_memory(judge) != GB_OK)
        return GB_FAILED;
    judge->series = series_declare(&state->host->series, JUDGED_SERIES, "ns", &error);
    state->measure = JUDGED_SERIES;
    state->host->judging = &judge->judging;
    state->host->interface.iterations = 1;
    if (judge_process_start(judge->process) != GB_OK)
        return GB_FAILED;
    double time_ns;
    int32_t status = order(judge, JUDGED_OPEN, 0, &time_ns);
    if (status == GB_OK)
        status = time_empty_orders(judge);
    if (status == GB_OK)
        status = make(judge, 1);
    if (status == GB_OK)
        status = find_number(judge);
    if (status == GB_OK)
        status = close_sandbox(judge);
    return case_judge_bench(state, "judging", status);
}
