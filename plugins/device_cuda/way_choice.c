/*
 * way_choice.c - which way a benchmark's samples are taken; see timed_device.h. Plugin side.
 *
 * Run is called a few times before anything is decided. What it leaves on the device after its
 * queue has ended would be missing in every sample, so that it is refused. The graph is checked
 * against the stream: what takes another time there is measured in the stream.
 */
#define _GNU_SOURCE
#include "cupti.h"
#include "plugins/common/bench_steps.h"
#include "timed_device.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* About so long is one launch of a graph, */
static const double LAUNCH_NS = 2e6;
/* a graph takes so much longer to make for each of its samples, beside two launches of them, */
static const double MAKING_NS = 15e3;
/* and so much longer to launch than its samples do, */
static const double LAUNCHING_NS = 20e3;
/* launches shorter than this tell little of the clock, */
static const double CLOCK_NS = 150e3;
/* so long are the trials of a benchmark, */
static const double TRIAL_NS = 20e6;
/* so much longer than with nothing left on the device a wait takes if something is, */
static const double LEFT_NS = 12000.0;
/* and no wait takes so long by itself. */
static const double CERTAIN_NS = 1e6;
enum { NODES_MAX = 4096, CALLS = 8, TRIES = 3, TURNS = 4, COMPARED = 16 };

static void note(struct way *way, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void note(struct way *way, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(way->reading.note, sizeof way->reading.note, format, arguments);
    va_end(arguments);
}

/* --- the first runs --- */

static int32_t run_once(const struct cuda_device *device, const struct gb_measurement *measurement)
{
    const struct gb_bench_ops *ops = measurement->bench_ops;
    int32_t status = bench_reset(ops, measurement->bench, measurement->queue);
    if (status == GB_OK)
        status = ops->run(measurement->bench, measurement->queue, measurement->iterations);
    return status == GB_OK ? status : cuda_failure_status(device, measurement->queue, status);
}

/* Some runs and the wait for the queue; then, after a pause, what the wait for all else takes. */
static int32_t wait_for_rest(const struct cuda_device *device,
                             const struct gb_measurement *measurement, int n_calls, double pause_ns,
                             double *ret_ns)
{
    const struct driver *driver = &device->driver;
    int32_t status = GB_OK;
    for (int i = 0; i < n_calls && status == GB_OK; i++)
        status = run_once(device, measurement);
    if (status == GB_OK)
        status = cuda_still_there(device);
    if (status == GB_OK)
        status = cuda_status(device, driver->stream_synchronize(measurement->queue->native),
                             "measuring");
    if (status != GB_OK)
        return status;
    double begin_ns = clock_ns(CLOCK_MONOTONIC);
    for (const double end_ns = begin_ns + pause_ns; begin_ns < end_ns;)
        begin_ns = clock_ns(CLOCK_MONOTONIC);
    status = cuda_status(device, driver->context_synchronize(), "measuring");
    *ret_ns = clock_ns(CLOCK_MONOTONIC) - begin_ns;
    return status;
}

/* How long one takes, all in all; the first run is for loading. */
static int32_t time_runs(const struct cuda_device *device, const struct gb_measurement *measurement,
                         double *ret_ns)
{
    double rest_ns = 0.0;
    int32_t status = wait_for_rest(device, measurement, 1, 0.0, &rest_ns);
    const double begin_ns = clock_ns(CLOCK_MONOTONIC);
    if (status == GB_OK)
        status = wait_for_rest(device, measurement, 1, 0.0, &rest_ns);
    *ret_ns = clock_ns(CLOCK_MONOTONIC) - begin_ns;
    return status;
}

static int32_t refuse_rest(const struct cuda_device *device, double ns)
{
    return host_fail(device->host,
                     "run leaves work on the device that its queue does not wait for (%.0f us of "
                     "it were left when the queue had ended), which the clock does not see: join "
                     "its streams to the queue by events, or choose clock = record",
                     ns / 1e3);
}

/* Whether a wait takes as long when it begins after what seems to be left has had its time: then it
 * is the wait itself, as after runs on many streams. Something else may lengthen any wait, and
 * nothing shortens one: so the two take turns, and the shortest of each count. */
static int32_t judge_rest(const struct timed_device *timed,
                          const struct gb_measurement *measurement, int n_calls, double rest_ns)
{
    const struct cuda_device *device = &timed->device;
    int32_t status = GB_OK;
    double early_ns = rest_ns;
    double late_ns = INFINITY;
    if (rest_ns >= CERTAIN_NS)
        return refuse_rest(device, rest_ns - timed->rest_ns);
    for (int i = 0; i < TURNS && status == GB_OK; i++) {
        double ns = 0.0;
        status = wait_for_rest(device, measurement, n_calls, 2.0 * rest_ns, &ns);
        late_ns = fmin(late_ns, ns);
        if (i > 0 && early_ns - late_ns < LEFT_NS)
            break;
        if (status == GB_OK)
            status = wait_for_rest(device, measurement, n_calls, 0.0, &ns);
        early_ns = fmin(early_ns, ns);
    }
    const double left_ns = early_ns - late_ns;
    return status == GB_OK && left_ns >= LEFT_NS ? refuse_rest(device, left_ns) : status;
}

/* Once, so that all is loaded, and then as often as there is time for; again where something seems
 * to be left, as waits differ. Those under a checker are the checker's. */
static int32_t try_runs(struct timed_device *timed, const struct gb_measurement *measurement)
{
    const struct cuda_device *device = &timed->device;
    const double most_ns = timed->rest_ns + LEFT_NS;
    double begin_ns = clock_ns(CLOCK_MONOTONIC);
    double rest_ns = 0.0;
    int32_t status = wait_for_rest(device, measurement, 1, 0.0, &rest_ns);
    double one_ns = clock_ns(CLOCK_MONOTONIC) - begin_ns;
    int n = 1;
    for (int i = 0; i < TRIES && status == GB_OK && (one_ns < TRIAL_NS || rest_ns >= most_ns);
         i++) {
        n = one_ns < TRIAL_NS / (double)CALLS ? CALLS : 1;
        begin_ns = clock_ns(CLOCK_MONOTONIC);
        status = wait_for_rest(device, measurement, n, 0.0, &rest_ns);
        one_ns = (clock_ns(CLOCK_MONOTONIC) - begin_ns) / n;
        if (n > 1 && rest_ns < most_ns)
            break;
    }
    timed->way.sample_ns = one_ns;
    if (status == GB_OK && rest_ns >= most_ns && !device->is_observed)
        status = judge_rest(timed, measurement, n, rest_ns);
    return status;
}

/* --- means --- */

/* Not the median, as calls may take turns at what they do; without the longest, which the host may
 * have disturbed. */
static double mean_of(double *values, size_t n)
{
    const size_t n_kept = n - n / 16;
    double sum = 0.0;
    qsort(values, n, sizeof values[0], compare_doubles);
    for (size_t i = 0; i < n_kept; i++)
        sum += values[i];
    return n == 0 ? NAN : sum / (double)n_kept;
}

/* Of some samples, taken the way that timed->way is now. */
static int32_t mean_now(struct timed_device *timed, const struct gb_measurement *measurement,
                        double *ret_ns)
{
    double times[COMPARED], begin[COMPARED], end[COMPARED], hz[COMPARED];
    uint64_t throttle[COMPARED];
    uint32_t flags[COMPARED];
    const double n = fmax(1.0, TRIAL_NS / fmax(timed->way.sample_ns, 1.0));
    struct gb_measurement trial = *measurement;
    trial.n_samples = n < (double)COMPARED ? (uint64_t)n : COMPARED;
    trial.n_done = trial.n_lost = 0;
    trial.deadline_ns = 0.0;
    memset(trial.time_ns, 0, sizeof trial.time_ns);
    trial.time_ns[measurement->clock] = times;
    trial.begin_ns = begin;
    trial.end_ns = end;
    trial.clock_hz = hz;
    trial.throttle = throttle;
    trial.flags = flags;
    const int32_t status = way_take(&timed->device, &timed->way, &trial);
    *ret_ns = mean_of(times, trial.n_done);
    return status;
}

/* --- the ways of the clock kernel --- */

typedef int32_t offset_fn(struct offsets *offsets, const struct cuda_device *device,
                          CUstream stream);

static int32_t update_offset(struct timed_device *timed, const struct gb_measurement *measurement,
                             offset_fn *update)
{
    const double begin_ns = clock_ns(CLOCK_MONOTONIC);
    const int32_t status = update(&timed->offsets, &timed->device, measurement->queue->native);
    timed->way.calibrated_ns += clock_ns(CLOCK_MONOTONIC) - begin_ns;
    return status;
}

static int32_t by_events(struct timed_device *timed, const struct gb_measurement *measurement)
{
    struct way *way = &timed->way;
    const int32_t status = update_offset(timed, measurement, offsets_update_event);
    way->kind = WAY_EVENTS;
    way->reading.launch = GB_LAUNCH_STREAM;
    way->reading.flags = 0;
    way->reading.tick_ns = timed->event_tick_ns;
    way->reading.offset_ns = timed->offsets.event.ns;
    way->reading.offset_error_ns = timed->offsets.event.error_ns;
    return status;
}

/* What waits inside run cannot be held back, and events around it would count the host's waking up
 * and launching as well. */
static int32_t by_records(const struct cuda_device *device, struct way *way)
{
    char reason[256];
    way->reading.flags = 0;
    way->reading.launch = GB_LAUNCH_STREAM;
    if (!cupti_open(device->params->cupti, reason, sizeof reason)) {
        note(way,
             "run waits for the device, and the host's part in that is timed as well: the records "
             "of CUPTI, which exclude it, cannot be used: %.120s",
             reason);
        way->waits_for_each = true;
        return GB_OK;
    }
    note(way, "read from the records of CUPTI, as run waits for the device");
    way->kind = WAY_RECORD;
    way->reading.offset_ns = way->reading.offset_error_ns = 0.0;
    return GB_OK;
}

/* In the stream: first without knowing whether samples can be held back, which a few show. */
static int32_t in_stream(struct timed_device *timed, const struct gb_measurement *measurement,
                         double *ret_ns)
{
    struct way *way = &timed->way;
    int32_t status = by_events(timed, measurement);
    if (status == GB_OK && (measurement->bench_ops->flags & GB_BENCH_SYNCHRONIZES) != 0)
        return by_records(&timed->device, way);
    if (status == GB_OK)
        status = mean_now(timed, measurement, ret_ns);
    if (status == GB_OK && way->refuses_hold)
        status = by_records(&timed->device, way);
    return status;
}

static int32_t cannot_be_graph(const struct cuda_device *device, const char *reason)
{
    char text[512];
    snprintf(text, sizeof text,
             "launch = graph: %s: it may only enqueue work on its queue and on streams that it "
             "joins back; it must not wait, copy to pageable memory or allocate",
             reason);
    device->host->log(device->host, GB_LOG_ERROR, text);
    return device->host->fail(device->host, text);
}

/* After a capture that failed, the benchmark may still have its error to report: its next run shows
 * it and does not count. */
static int32_t settle(const struct cuda_device *device, const struct gb_measurement *measurement)
{
    const int32_t status = run_once(device, measurement);
    return status == GB_DEVICE_ERROR ? status : GB_OK;
}

/* For how many it takes least to make the graph and to launch it until there are as many samples as
 * are expected. */
static double cheapest_number(const struct gb_measurement *measurement, double each_ns)
{
    if (!GB_HAS(measurement, expected_ns) || measurement->n_expected == 0)
        return WAY_SAMPLES_MAX;
    const double n_all = fmax((double)measurement->n_expected, measurement->expected_ns / each_ns);
    return fmax(sqrt(n_all * LAUNCHING_NS / (MAKING_NS + 2.0 * each_ns)), CLOCK_NS / each_ns);
}

static uint32_t samples_of_graph(const struct timed_device *timed,
                                 const struct gb_measurement *measurement,
                                 const struct graph_content *content, double sample_ns)
{
    const double flush_ns = measurement->cache == GB_CACHE_COLD
                                ? (double)timed->device.flush_bytes / 4e3
                                : 0.0;
    const double each_ns = fmax(sample_ns, 0.0) + 1500.0 + flush_ns + measurement->gap_ns;
    const double most = fmin(WAY_SAMPLES_MAX, (double)NODES_MAX / (double)content->n_operations);
    const double n = fmin(LAUNCH_NS / each_ns, cheapest_number(measurement, each_ns));
    return timed->way.reset_is_called ? 1 : (uint32_t)fmax(1.0, fmin(n, most));
}

/* Captures samples and finds out how long one takes. ret->exec NULL: they cannot be launched so;
 * else *ret_begin_ns is when the last launch began. */
static int32_t try_graph(const struct timed_device *timed, const struct gb_measurement *measurement,
                         uint32_t n, struct graph *ret, double *ret_ns, double *ret_begin_ns,
                         char *reason)
{
    const struct cuda_device *device = &timed->device;
    const bool calls_reset = timed->way.reset_is_called;
    double times[2 * WAY_SAMPLES_MAX];
    const bool has_reset = measurement->bench_ops->reset != NULL && !calls_reset;
    int32_t status = graph_make(device, measurement, n, true, has_reset, ret, reason);
    uint32_t n_times = 0;
    for (int i = 0; i < 2 && status == GB_OK && ret->exec != NULL; i++) {
        *ret_begin_ns = clock_ns(CLOCK_MONOTONIC);
        if (calls_reset)
            status = measurement->bench_ops->reset(measurement->bench, measurement->queue);
        const CUresult result = graph_read(device, ret->exec, measurement->queue->native, 2 * n);
        if (driver_error_is_sticky(result))
            return cuda_status(device, result, "measuring");
        if (result != CUDA_SUCCESS) {
            graph_free(device, ret);
            snprintf(reason, GRAPH_REASON_BYTES, "run cannot be launched as a graph twice");
            return GB_OK;
        }
        for (uint32_t j = 0; j < n; j++)
            times[n_times++] = stamps_between(&device->stamps, 2 * j, 2 * j + 1);
    }
    *ret_ns = mean_of(times, n_times) - timed->offsets.graph.ns;
    return status;
}

static bool agree(double graph_ns, double stream_ns, const struct graph_content *content)
{
    const double gaps_ns = 1000.0 * (content->n_operations - 1);
    return fabs(graph_ns - stream_ns) <= 2000.0 + gaps_ns + 0.25 * fmax(graph_ns, stream_ns);
}

/* Without a benchmark's wish, several kernels are launched as run launches them. */
static bool wants_graph(const struct gb_measurement *measurement,
                        const struct graph_content *content)
{
    const bool prefers = (measurement->bench_ops->flags & GB_BENCH_PREFERS_GRAPH) != 0;
    return (content->n_operations == 1 || prefers) && !content->crosses_host;
}

static int32_t by_graph(struct timed_device *timed, const struct gb_measurement *measurement,
                        const struct graph_content *content, double stream_ns)
{
    const struct cuda_device *device = &timed->device;
    struct way *way = &timed->way;
    const bool is_asked = measurement->launch == GB_LAUNCH_GRAPH;
    const bool is_wanted = is_asked || wants_graph(measurement, content);
    const uint32_t n = samples_of_graph(timed, measurement, content, stream_ns);
    char reason[GRAPH_REASON_BYTES];
    struct graph graph = {0};
    double graph_ns = 0.0, begin_ns = 0.0;
    int32_t status = try_graph(timed, measurement, n, &graph, &graph_ns, &begin_ns, reason);
    const double end_ns = clock_ns(CLOCK_MONOTONIC);
    if (status != GB_OK || graph.exec == NULL) {
        graph_free(device, &graph);
        if (status != GB_OK)
            return status;
        if (is_asked)
            return cannot_be_graph(device, reason);
        note(way, "launched in the stream: %s", reason);
        return settle(device, measurement);
    }
    const bool is_same = agree(graph_ns, stream_ns, content);
    if (!is_same)
        note(way, "%s a graph of it takes %.4g us, in the stream it takes %.4g us",
             is_asked ? "not the same as in the stream:" : "launched in the stream:",
             graph_ns / 1e3, stream_ns / 1e3);
    if (!is_asked && (!is_wanted || !is_same)) {
        way->reading.graph_ns = is_same ? graph_ns / (double)measurement->iterations : 0.0;
        graph_free(device, &graph);
        return GB_OK;
    }
    way->kind = WAY_STAMPS;
    way->graph = graph;
    way->reading.launch = GB_LAUNCH_GRAPH;
    way->reading.flags = GB_CLOCK_DITHERED;
    if (stamps_clock_hz(&device->stamps, 0, 2 * n - 1) > 0.0)
        way->reading.flags |= GB_CLOCK_CYCLES;
    way->reading.tick_ns = device->step_ns;
    way->reading.offset_ns = timed->offsets.graph.ns;
    way->reading.offset_error_ns = timed->offsets.graph.error_ns;
    way_keep_launch(device, way, begin_ns, end_ns);
    if (!is_asked && content->n_operations > 1)
        note(way, "launched as a graph of %u operations; in the stream an iteration takes %.4g us",
             content->n_operations, stream_ns / 1e3 / (double)measurement->iterations);
    if (is_same && offsets_slower_ns(&timed->offsets) > 0.0)
        note(way,
             "kernels have run side by side in this process, so each launch takes %.2f us longer: "
             "a short kernel may read that much more than alone",
             offsets_slower_ns(&timed->offsets) / 1e3);
    return GB_OK;
}

static int32_t nothing_to_time(const struct cuda_device *device)
{
    return device->host->fail(device->host,
                              "run put no work on its queue from its own thread, so the clock "
                              "kernel has nothing to time: use clock = wall");
}

static int32_t choose_for_kernel(struct timed_device *timed,
                                 const struct gb_measurement *measurement)
{
    const struct cuda_device *device = &timed->device;
    struct way *way = &timed->way;
    const uint32_t flags = measurement->bench_ops->flags;
    struct graph_content content;
    char reason[GRAPH_REASON_BYTES];
    double stream_ns = 0.0;
    int32_t status = update_offset(timed, measurement, offsets_update_graph);
    if (status != GB_OK || (flags & (GB_BENCH_SYNCHRONIZES | GB_BENCH_EVERY_CALL)) != 0 ||
        measurement->launch == GB_LAUNCH_STREAM)
        return status != GB_OK ? status : in_stream(timed, measurement, &stream_ns);
    status = graph_look_at_run(device, measurement, &content, reason);
    if (status != GB_OK)
        return status;
    const bool is_captured = content.n_operations > 0;
    timed->offsets.will_move |= content.is_parallel;
    if (!is_captured && reason[0] == '\0')
        return nothing_to_time(device);
    if (!is_captured && measurement->launch == GB_LAUNCH_GRAPH)
        return cannot_be_graph(device, reason);
    if (!is_captured)
        status = settle(device, measurement);
    if (status == GB_OK)
        status = in_stream(timed, measurement, &stream_ns);
    if (!is_captured && way->reading.note[0] == '\0')
        note(way, "launched in the stream: %s", reason);
    if (status != GB_OK || !is_captured || way->kind != WAY_EVENTS || way->refuses_hold)
        return status;
    way->reset_is_called = graph_reset_kind(device, measurement) == RESET_CALLED;
    return by_graph(timed, measurement, &content, stream_ns);
}

/* --- any clock --- */

/* One run as a graph, for clocks that stand around its launch. */
static int32_t make_plain_graph(const struct cuda_device *device, struct way *way,
                                const struct gb_measurement *measurement)
{
    char reason[GRAPH_REASON_BYTES];
    if (measurement->launch != GB_LAUNCH_GRAPH)
        return GB_OK;
    const int32_t status = graph_make(device, measurement, 1, false, false, &way->graph, reason);
    if (status != GB_OK)
        return status;
    way->reading.launch = GB_LAUNCH_GRAPH;
    return way->graph.exec != NULL ? GB_OK : cannot_be_graph(device, reason);
}

/* What recording does to the benchmark: its time by the clock kernel, where a graph can be made of
 * it, taken before anything is recorded, beside a few that are. */
static int32_t by_records_beside_kernel(struct timed_device *timed,
                                        const struct gb_measurement *measurement)
{
    const struct cuda_device *device = &timed->device;
    struct way *way = &timed->way;
    char reason[GRAPH_REASON_BYTES];
    struct graph graph = {0};
    double kernel_ns = NAN;
    double record_ns = 0.0, begin_ns;
    int32_t status = time_runs(device, measurement, &way->sample_ns);
    const double most = fmax(1.0, TRIAL_NS / fmax(way->sample_ns, 1.0));
    if (status == GB_OK && device->stamps.module != NULL &&
        (measurement->bench_ops->flags & (GB_BENCH_SYNCHRONIZES | GB_BENCH_EVERY_CALL)) == 0) {
        way->reset_is_called = graph_reset_kind(device, measurement) == RESET_CALLED;
        status = update_offset(timed, measurement, offsets_update_graph);
        if (status == GB_OK)
            status = try_graph(timed, measurement,
                               way->reset_is_called ? 1 : (uint32_t)fmin(COMPARED, most), &graph,
                               &kernel_ns, &begin_ns, reason);
        const bool is_known = graph.exec != NULL;
        graph_free(device, &graph);
        if (status == GB_OK && !is_known)
            status = settle(device, measurement);
        kernel_ns = is_known ? kernel_ns : NAN;
    }
    if (status != GB_OK)
        return status;
    if (!cupti_open(device->params->cupti, reason, sizeof reason))
        return device->host->fail(device->host, reason);
    way->kind = WAY_RECORD;
    status = make_plain_graph(device, way, measurement);
    if (status != GB_OK || isnan(kernel_ns))
        return status;
    status = mean_now(timed, measurement, &record_ns);
    note(way, "it takes %.4g us while recorded, %.4g us by the clock kernel without recording",
         record_ns / 1e3, kernel_ns / 1e3);
    return status;
}

static int32_t choose(struct timed_device *timed, const struct gb_measurement *measurement)
{
    struct way *way = &timed->way;
    if (way->clock == CLOCK_RECORD)
        return by_records_beside_kernel(timed, measurement);
    const int32_t status = try_runs(timed, measurement);
    if (status != GB_OK)
        return status;
    if (way->clock == CLOCK_KERNEL && !timed->device.is_profiled)
        return choose_for_kernel(timed, measurement);
    way->kind = way->clock == CLOCK_WALL ? WAY_WALL : WAY_EVENTS;
    return make_plain_graph(&timed->device, way, measurement);
}

static void tell_spent(const struct timed_device *timed, double spent_ns)
{
    const struct gb_host *host = timed->device.host;
    const double calibrated_ns = timed->way.calibrated_ns;
    char text[96];
    snprintf(text, sizeof text, "offset %.3f ms, trials and capture %.3f ms", calibrated_ns / 1e6,
             (spent_ns - calibrated_ns) / 1e6);
    host->log(host, GB_LOG_DEBUG, text);
}

int32_t way_choose(struct timed_device *timed, const struct gb_measurement *measurement)
{
    struct way *way = &timed->way;
    const struct gb_clock *clock = &timed->clocks[measurement->clock];
    const uint32_t kind = timed->kinds[measurement->clock];
    if (way->bench == measurement->bench && way->iterations == measurement->iterations &&
        way->clock == kind && way->cache == measurement->cache &&
        way->launch_kind == measurement->launch && way->gap_ns == measurement->gap_ns)
        return GB_OK;
    const double begin_ns = clock_ns(CLOCK_MONOTONIC);
    way_forget(&timed->device, way);
    cupti_close();
    way->iterations = measurement->iterations;
    way->clock = kind;
    way->cache = measurement->cache;
    way->launch_kind = measurement->launch;
    way->gap_ns = measurement->gap_ns;
    way->waits_for_each = kind == CLOCK_WALL ||
                          (measurement->bench_ops->flags & GB_BENCH_SYNCHRONIZES) != 0;
    way->reading = (struct gb_reading){.size = sizeof way->reading,
                                       .launch = GB_LAUNCH_STREAM,
                                       .flags = clock->flags,
                                       .tick_ns = clock->tick_ns};
    const int32_t status = choose(timed, measurement);
    way->sample_ns = 0.0;
    tell_spent(timed, clock_ns(CLOCK_MONOTONIC) - begin_ns);
    if (status == GB_OK)
        way->bench = measurement->bench;
    else
        way_forget(&timed->device, way);
    return status;
}
