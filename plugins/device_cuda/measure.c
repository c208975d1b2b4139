/*
 * measure.c - batches of samples timed on the device's clocks. Plugin side.
 *
 * The samples of a batch are enqueued one after the other; the host waits once, at the end, unless
 * the clock is its own or the benchmark waits itself. A batch is split so that little is queued
 * when the deadline comes, and so that the records of one part fit into memory.
 *
 * Host times of the samples of one part are those of the part, divided evenly: the host is ahead
 * of the device, and only their sum is true.
 */
#define _GNU_SOURCE
#include "cuda_device.h"
#include "cupti.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const double PART_MAX_NS = 100e6; /* of device time that is queued ahead */
enum { PART_ACTIVITIES_MAX = 65536 };

/* Some samples of a batch, enqueued together. */
struct part {
    struct cuda_device *device;
    struct gb_measurement *measurement;
    CUstream stream;
    uint32_t kind;       /* CLOCK_... that counts */
    uint32_t n;          /* samples that were begun */
    uint64_t first;      /* number of the first */
    bool traces;         /* by the kernel clock */
    bool traces_graphs;  /* as one record each */
    bool is_graph;       /* samples are launches of device->graph */
    bool waits_for_each; /* the host waits at the end of each sample */
    bool holds;
    double begin_ns, end_ns; /* host times */
    double wall_ns[BATCH_DEPTH_MAX];
    bool is_released_early[BATCH_DEPTH_MAX];
    struct record_sum sums[BATCH_DEPTH_MAX];
};

static double host_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* --- enqueuing --- */

static int32_t make_ready(const struct part *part)
{
    const struct gb_measurement *measurement = part->measurement;
    const struct cuda_device *device = part->device;
    const struct driver *driver = &device->driver;
    if (measurement->bench_ops->reset != NULL) {
        const int32_t status = measurement->bench_ops->reset(measurement->bench,
                                                             measurement->queue);
        if (status != GB_OK)
            return status;
    }
    if (measurement->cache == GB_CACHE_COLD) {
        const int32_t status = cuda_status(
            device, driver->fill_async(device->flush, 0, device->flush_bytes, part->stream),
            "flushing the cache");
        if (status != GB_OK)
            return status;
    }
    if (!part->waits_for_each)
        return GB_OK;
    return cuda_status(device, driver->stream_synchronize(part->stream), "waiting before a sample");
}

/* Calls run with everything around it that the clock needs, and nothing else. */
static int32_t timed_run(struct part *part, uint32_t i)
{
    const struct gb_measurement *measurement = part->measurement;
    struct cuda_device *device = part->device;
    const struct driver *driver = &device->driver;
    CUresult result = CUDA_SUCCESS;
    double begin_ns = 0.0;
    if (part->traces)
        cupti_sample_begin(part->first + i);
    else if (part->kind == CLOCK_EVENT)
        result = driver->event_record(device->starts[i], part->stream);
    else
        begin_ns = host_ns(CLOCK_MONOTONIC_RAW);

    int32_t status = GB_OK;
    if (part->is_graph)
        result = result == CUDA_SUCCESS ? driver->graph_launch(device->graph.exec, part->stream)
                                        : result;
    else
        status = measurement->bench_ops->run(measurement->bench, measurement->queue,
                                             measurement->iterations);
    if (status == GB_OK && device->habits.sample_ns <= 0.0)
        status = cuda_still_there(device); /* asked once: it costs as much as a launch */
    if (part->traces)
        cupti_sample_end();
    else if (part->kind == CLOCK_EVENT && status == GB_OK && result == CUDA_SUCCESS)
        result = driver->event_record(device->stops[i], part->stream);
    if (part->waits_for_each && status == GB_OK && result == CUDA_SUCCESS)
        result = driver->stream_synchronize(part->stream);
    part->wall_ns[i] = host_ns(CLOCK_MONOTONIC_RAW) - begin_ns;
    return status != GB_OK ? status : cuda_status(device, result, "measuring");
}

static int32_t enqueue_sample(struct part *part, uint32_t i)
{
    struct cuda_device *device = part->device;
    int32_t status = make_ready(part);
    if (status != GB_OK || !part->holds)
        return status != GB_OK ? status : timed_run(part, i);
    status = cuda_status(device, hold_begin(device->hold, part->stream), "holding a sample back");
    if (status != GB_OK)
        return status;
    status = timed_run(part, i);
    part->is_released_early[i] = !hold_release(device->hold);
    if (part->is_released_early[i])
        part->holds = false;
    return status;
}

/* A benchmark that failed may have met an error that ends the context: the worker must know. */
static int32_t status_of_failure(const struct part *part, int32_t status)
{
    const struct driver *driver = &part->device->driver;
    if (status == GB_SKIPPED || status == GB_DEVICE_ERROR)
        return status;
    const int32_t is_there = cuda_still_there(part->device);
    if (is_there != GB_OK)
        return is_there;
    const CUresult result = driver->stream_synchronize(part->stream);
    return driver_error_is_sticky(result) ? cuda_status(part->device, result, "measuring") : status;
}

static int32_t enqueue(struct part *part, uint32_t n)
{
    const struct cuda_device *device = part->device;
    const double deadline_ns = part->measurement->deadline_ns;
    int32_t status = GB_OK;
    part->begin_ns = host_ns(CLOCK_MONOTONIC);
    for (part->n = 0; part->n < n && status == GB_OK; part->n++) {
        if (deadline_ns > 0.0 && host_ns(CLOCK_MONOTONIC) >= deadline_ns)
            break;
        status = enqueue_sample(part, part->n);
    }
    if (status == GB_OK)
        status = cuda_still_there(device);
    if (status != GB_OK)
        return status_of_failure(part, status);
    status = cuda_status(device, device->driver.stream_synchronize(part->stream), "measuring");
    part->end_ns = host_ns(CLOCK_MONOTONIC);
    return status;
}

/* --- collecting --- */

static void put_sample(struct part *part, uint32_t i)
{
    struct gb_measurement *measurement = part->measurement;
    const uint64_t to = measurement->n_done++;
    const double share_ns = (part->end_ns - part->begin_ns) / part->n;
    measurement->begin_ns[to] = part->begin_ns + share_ns * i;
    measurement->end_ns[to] = part->begin_ns + share_ns * (i + 1);
    measurement->flags[to] = part->is_released_early[i] ? GB_SAMPLE_INTERRUPTED : 0u;
    for (uint32_t j = 0; j < part->device->n_clocks; j++) {
        const struct record_sum *sum = &part->sums[i];
        double *column = measurement->time_ns[j];
        if (column == NULL)
            continue;
        if (part->traces && part->device->kinds[j] == CLOCK_KERNEL)
            column[to] = (double)(sum->end_ns - sum->start_ns);
        else if (part->traces && part->device->kinds[j] == CLOCK_BUSY)
            column[to] = (double)sum->busy_ns;
        else if (part->device->kinds[j] == part->kind)
            column[to] = part->wall_ns[i];
    }
}

/* Records may reach CUPTI a little after the work is done. */
static int32_t collect_traced(struct part *part)
{
    enum { TRIES = 20 };
    struct cuda_device *device = part->device;
    uint64_t n_dropped = 0;
    size_t n_found = 0;
    records_clear(&device->records);
    for (int i = 0; i < TRIES && n_found < part->n && n_dropped == 0; i++) {
        n_dropped += cupti_collect(&device->records, part->first);
        n_found = records_sum(&device->records, part->sums, part->n);
    }
    if (n_dropped > 0 || device->records.is_incomplete) {
        part->measurement->n_lost += part->n; /* which ones are whole cannot be known */
        return GB_OK;
    }
    if (n_found == 0)
        return device->host->fail(
            device->host, "run put no work on the device from its own thread, so that the clock "
                          "kernel has nothing to time: use clock = event or clock = wall");
    for (uint32_t i = 0; i < part->n; i++) {
        if (part->sums[i].n_activities == 0 || part->sums[i].is_lost) {
            part->measurement->n_lost++;
            continue;
        }
        device->habits.n_activities = part->sums[i].n_activities;
        put_sample(part, i);
    }
    return GB_OK;
}

static int32_t collect_events(struct part *part)
{
    const struct cuda_device *device = part->device;
    for (uint32_t i = 0; i < part->n; i++) {
        float ms = 0.0f;
        const CUresult result = device->driver.event_elapsed(&ms, device->starts[i],
                                                             device->stops[i]);
        if (result != CUDA_SUCCESS)
            return cuda_status(device, result, "reading events");
        part->wall_ns[i] = (double)ms * 1e6;
        put_sample(part, i);
    }
    return GB_OK;
}

static int32_t collect(struct part *part)
{
    if (part->n == 0)
        return GB_OK;
    part->device->habits.sample_ns = (part->end_ns - part->begin_ns) / part->n;
    if (part->traces)
        return collect_traced(part);
    if (part->kind == CLOCK_EVENT)
        return collect_events(part);
    for (uint32_t i = 0; i < part->n; i++)
        put_sample(part, i);
    return GB_OK;
}

/* --- parts --- */

static int32_t reserve_events(struct cuda_device *device, uint32_t n)
{
    const struct driver *driver = &device->driver;
    for (; device->n_events < n; device->n_events++) {
        CUevent *start = &device->starts[device->n_events];
        CUevent *stop = &device->stops[device->n_events];
        CUresult result = driver->event_create(start, CU_EVENT_DEFAULT);
        if (result == CUDA_SUCCESS) {
            result = driver->event_create(stop, CU_EVENT_DEFAULT);
            if (result != CUDA_SUCCESS)
                driver->event_destroy(*start);
        }
        if (result != CUDA_SUCCESS)
            return cuda_status(device, result, "creating events");
    }
    return GB_OK;
}

/* How many samples come next: one of a benchmark that is not known yet, and few enough that what is
 * queued ends soon after the deadline. */
static uint32_t part_size(const struct part *part, uint64_t left)
{
    const struct cuda_device *device = part->device;
    const struct habits *habits = &device->habits;
    const double deadline_ns = part->measurement->deadline_ns;
    double queued_ns = PART_MAX_NS;
    uint64_t n = (uint64_t)device->params->batch_depth;
    if (habits->sample_ns <= 0.0)
        return 1;
    if (deadline_ns > 0.0)
        queued_ns = fmax(0.0, fmin(queued_ns, deadline_ns - host_ns(CLOCK_MONOTONIC)));
    if (habits->sample_ns * (double)n > queued_ns)
        n = (uint64_t)(queued_ns / habits->sample_ns) + 1;
    if (habits->n_activities > 0 && n > PART_ACTIVITIES_MAX / habits->n_activities)
        n = PART_ACTIVITIES_MAX / habits->n_activities + 1;
    return (uint32_t)(n < left ? n : left);
}

/* The kernel clock starts with the first kernel, so that a single one needs no holding back;
 * events are recorded before it. A graph is one launch, whatever is in it. */
static bool should_hold(const struct part *part)
{
    const struct cuda_device *device = part->device;
    const struct habits *habits = &device->habits;
    if (device->hold == NULL || part->waits_for_each || habits->refuses_hold)
        return false;
    if (device->params->hold_back != HOLD_AUTO)
        return device->params->hold_back == HOLD_ALWAYS;
    return habits->sample_ns > 0.0 &&
           (part->kind == CLOCK_EVENT || (habits->n_activities > 1 && !part->is_graph));
}

static void give_up_holding(struct cuda_device *device)
{
    device->habits.refuses_hold = true;
    device->host->log(device->host, GB_LOG_WARNING,
                      "samples cannot be held back until they are launched, as run waits for the "
                      "device or launches more than it queues: gaps between launches are timed");
}

static int32_t measure_part(struct part *part, uint64_t left)
{
    struct cuda_device *device = part->device;
    const uint32_t n = part_size(part, left);
    if (part->kind == CLOCK_EVENT) {
        const int32_t status = reserve_events(device, n);
        if (status != GB_OK)
            return status;
    }
    const bool holds = should_hold(part);
    part->first = device->n_begun;
    part->holds = holds;
    memset(part->is_released_early, 0, sizeof part->is_released_early);
    if (holds)
        hold_start(device->hold);
    int32_t status = enqueue(part, n);
    if (holds)
        hold_stop(device->hold);
    if (holds && !part->holds)
        give_up_holding(device);
    device->n_begun += n;
    return status == GB_OK ? collect(part) : status;
}

/* --- a batch --- */

static void learn_habits(struct cuda_device *device, const struct gb_measurement *measurement)
{
    struct habits *habits = &device->habits;
    if (habits->bench == measurement->bench && habits->iterations == measurement->iterations &&
        habits->clock == measurement->clock)
        return;
    *habits = (struct habits){.bench = measurement->bench,
                              .iterations = measurement->iterations,
                              .clock = measurement->clock};
}

static void fill_sensor_columns(struct cuda_device *device, struct gb_measurement *measurement)
{
    double clock_hz = 0.0;
    uint64_t throttle = 0;
    sensors_take(&device->sensors, &clock_hz, &throttle);
    for (uint64_t i = 0; i < measurement->n_done; i++) {
        measurement->clock_hz[i] = clock_hz;
        measurement->throttle[i] = throttle;
        measurement->flags[i] |= throttle != 0 ? GB_SAMPLE_THROTTLED : 0u;
    }
}

/* Beside the clock that counts, the trace gives a second column for nothing, unless there is one
 * record for several kernels. */
static uint32_t columns_filled(const struct part *part)
{
    uint32_t filled = 1u << part->measurement->clock;
    const bool has_both = part->traces && !part->traces_graphs;
    for (uint32_t j = 0; has_both && j < part->device->n_clocks; j++) {
        const uint32_t kind = part->device->kinds[j];
        if ((kind == CLOCK_KERNEL || kind == CLOCK_BUSY) && part->measurement->time_ns[j] != NULL)
            filled |= 1u << j;
    }
    return filled;
}

int32_t cuda_trace(struct cuda_device *device, uint32_t kind, bool graphs_are_whole)
{
    char reason[256];
    const bool is_on = kind == CLOCK_KERNEL || kind == CLOCK_BUSY;
    if (device->can_trace && !cupti_trace(is_on, graphs_are_whole, reason, sizeof reason))
        return device->host->fail(device->host, reason);
    return GB_OK;
}

static int32_t make_part(struct cuda_device *device, struct gb_measurement *measurement,
                         struct part *part)
{
    const uint32_t kind = device->kinds[measurement->clock];
    part->device = device;
    part->measurement = measurement;
    part->stream = measurement->queue->native;
    part->kind = kind;
    part->traces = kind == CLOCK_KERNEL || kind == CLOCK_BUSY;
    part->is_graph = measurement->launch == GB_LAUNCH_GRAPH;
    part->traces_graphs = part->is_graph && device->graph.is_traced_whole;
    part->waits_for_each = kind == CLOCK_WALL ||
                           (measurement->bench_ops->flags & GB_BENCH_SYNCHRONIZES) != 0;
    return part->is_graph ? GB_OK : cuda_trace(device, kind, false);
}

int32_t cuda_measure(struct cuda_device *device, struct gb_measurement *measurement)
{
    static struct part part; /* one batch at a time; too large for a stack */
    measurement->n_done = 0;
    measurement->n_lost = 0;
    if (measurement->clock >= device->n_clocks || measurement->time_ns[measurement->clock] == NULL)
        return GB_INVALID;
    int32_t status = cuda_status(device, device->driver.context_set(device->context), "measuring");
    if (status == GB_OK && measurement->launch == GB_LAUNCH_GRAPH)
        status = graph_capture(device, measurement);
    if (status == GB_OK)
        status = make_part(device, measurement, &part);
    if (status == GB_OK && measurement->cache == GB_CACHE_COLD)
        status = cuda_reserve_flush(device);
    if (status != GB_OK)
        return status;
    learn_habits(device, measurement);
    measurement->clocks_filled = columns_filled(&part);
    uint64_t n_tried = 0;
    do {
        status = measure_part(&part, measurement->n_samples - n_tried);
        n_tried += part.n;
    } while (status == GB_OK && part.n > 0 && n_tried < measurement->n_samples);
    fill_sensor_columns(device, measurement);
    return status;
}
