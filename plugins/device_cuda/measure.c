/*
 * measure.c - batches of samples timed on the device's clocks. Plugin side.
 *
 * Samples that are a graph are taken a launch at a time. Others are enqueued one after the other;
 * the host waits once, at the end of a part of the batch, unless the clock is its own, or records
 * are taken, or the benchmark waits itself. A batch is split so that little is queued when the
 * deadline comes.
 *
 * Host times of the samples of one part or launch are those of the whole, divided evenly: the host
 * is ahead of the device, and only their sum is true.
 */
#define _GNU_SOURCE
#include "cuda_device.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const double PART_MAX_NS = 100e6; /* of device time that is queued ahead */
enum { HICCUPS_MAX = 3 };

/* Some samples of a batch, enqueued together. */
struct part {
    struct cuda_device *device;
    struct way *way;
    struct gb_measurement *measurement;
    CUstream stream;
    uint32_t n; /* samples that were begun */
    bool holds;
    double begin_ns, end_ns; /* host times */
    double times_ns[BATCH_DEPTH_MAX];
    bool is_interrupted[BATCH_DEPTH_MAX];
    bool is_lost[BATCH_DEPTH_MAX];
};

static double host_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

double cuda_host_ns(void)
{
    return host_ns(CLOCK_MONOTONIC);
}

/* --- one sample --- */

static int32_t make_ready(const struct part *part)
{
    const struct gb_measurement *measurement = part->measurement;
    const struct cuda_device *device = part->device;
    const struct driver *driver = &device->driver;
    CUresult result = CUDA_SUCCESS;
    if (measurement->gap_ns > 0.0 && device->stamps.idle != NULL)
        result = stamps_put_idle(&device->stamps, part->stream, measurement->gap_ns);
    if (result == CUDA_SUCCESS && measurement->bench_ops->reset != NULL) {
        const int32_t status = measurement->bench_ops->reset(measurement->bench,
                                                             measurement->queue);
        if (status != GB_OK)
            return status;
    }
    if (result == CUDA_SUCCESS && measurement->cache == GB_CACHE_COLD)
        result = driver->fill_async(device->flush, 0, device->flush_bytes, part->stream);
    if (result == CUDA_SUCCESS && part->way->waits_for_each)
        result = driver->stream_synchronize(part->stream);
    return cuda_status(device, result, "preparing a sample");
}

static int32_t run(const struct part *part)
{
    const struct gb_measurement *measurement = part->measurement;
    const struct driver *driver = &part->device->driver;
    if (part->way->graph.exec == NULL)
        return measurement->bench_ops->run(measurement->bench, measurement->queue,
                                           measurement->iterations);
    return cuda_status(part->device, driver->graph_launch(part->way->graph.exec, part->stream),
                       "launching a graph");
}

/* Calls run with everything around it that the clock needs, and nothing else. */
static int32_t timed_run(struct part *part, uint32_t i)
{
    struct cuda_device *device = part->device;
    const struct driver *driver = &device->driver;
    const bool has_events = part->way->kind == WAY_EVENTS;
    CUresult result = CUDA_SUCCESS;
    if (has_events)
        result = driver->event_record(device->starts[i], part->stream);
    const double begin_ns = host_ns(CLOCK_MONOTONIC_RAW);
    const int32_t status = run(part);
    if (has_events && status == GB_OK && result == CUDA_SUCCESS)
        result = driver->event_record(device->stops[i], part->stream);
    if (part->way->waits_for_each && status == GB_OK && result == CUDA_SUCCESS)
        result = driver->stream_synchronize(part->stream);
    part->times_ns[i] = host_ns(CLOCK_MONOTONIC_RAW) - begin_ns;
    return status != GB_OK ? status : cuda_status(device, result, "measuring");
}

/* A hiccup of the host lets go a sample or two; one after the other is the benchmark's doing. */
static void count_hiccups(struct part *part, bool was_held)
{
    static const char words[] =
        "samples cannot be held back until they are launched, as run waits for the device or "
        "launches more than it queues: gaps between launches are timed";
    struct way *way = part->way;
    const struct gb_host *host = part->device->host;
    way->n_hiccups = was_held ? 0 : way->n_hiccups + 1;
    if (way->n_hiccups < HICCUPS_MAX)
        return;
    way->refuses_hold = true;
    part->holds = false;
    if (part->device->kinds[way->clock] == CLOCK_EVENT)
        host->log(host, GB_LOG_WARNING, words);
}

static int32_t held_run(struct part *part, uint32_t i)
{
    struct cuda_device *device = part->device;
    int32_t status = cuda_status(device, hold_begin(device->hold, part->stream),
                                 "holding a sample back");
    if (status != GB_OK)
        return status;
    status = timed_run(part, i);
    part->is_interrupted[i] = !hold_release(device->hold);
    count_hiccups(part, !part->is_interrupted[i]);
    return status;
}

/* Alone on the device, so that all that is recorded is the sample's. */
static int32_t recorded_run(struct part *part, uint32_t i)
{
    struct cuda_device *device = part->device;
    struct cupti_span span;
    int32_t status = cuda_status(device, device->driver.context_synchronize(), "measuring");
    if (status != GB_OK)
        return status;
    cupti_discard();
    status = run(part);
    if (status != GB_OK)
        return status;
    status = cuda_status(device, device->driver.context_synchronize(), "measuring");
    cupti_collect(&span);
    if (status == GB_OK && span.n == 0 && !span.is_lost)
        return device->host->fail(device->host, "run put no work on the device, so that the clock "
                                                "record has nothing to time: use clock = wall");
    part->is_lost[i] = span.is_lost;
    part->times_ns[i] = (double)(span.end_ns - span.start_ns);
    return status;
}

static int32_t take_sample(struct part *part, uint32_t i)
{
    const int32_t status = make_ready(part);
    part->is_interrupted[i] = part->is_lost[i] = false;
    if (status != GB_OK)
        return status;
    return part->way->kind == WAY_RECORD ? recorded_run(part, i)
           : part->holds                 ? held_run(part, i)
                                         : timed_run(part, i);
}

int32_t cuda_failure_status(const struct cuda_device *device, const struct gb_queue *queue,
                            int32_t status)
{
    if (status == GB_SKIPPED || status == GB_DEVICE_ERROR)
        return status;
    const int32_t is_there = cuda_still_there(device);
    if (is_there != GB_OK)
        return is_there;
    const CUresult result = device->driver.stream_synchronize(queue->native);
    return driver_error_is_sticky(result) ? cuda_status(device, result, "measuring") : status;
}

/* --- a part --- */

static int32_t enqueue(struct part *part, uint32_t n)
{
    const struct cuda_device *device = part->device;
    const double deadline_ns = part->measurement->deadline_ns;
    int32_t status = GB_OK;
    part->begin_ns = cuda_host_ns();
    for (part->n = 0; part->n < n && status == GB_OK; part->n++) {
        if (deadline_ns > 0.0 && cuda_host_ns() >= deadline_ns)
            break;
        status = take_sample(part, part->n);
    }
    if (status == GB_OK)
        status = cuda_still_there(device);
    if (status != GB_OK)
        return cuda_failure_status(device, part->measurement->queue, status);
    status = cuda_status(device, device->driver.stream_synchronize(part->stream), "measuring");
    part->end_ns = cuda_host_ns();
    return status;
}

static void put_sample(struct gb_measurement *measurement, double time_ns, uint32_t flags,
                       double begin_ns, double end_ns)
{
    const uint64_t to = measurement->n_done++;
    measurement->time_ns[measurement->clock][to] = time_ns;
    measurement->flags[to] = flags;
    measurement->begin_ns[to] = begin_ns;
    measurement->end_ns[to] = end_ns;
}

static int32_t read_events(struct part *part)
{
    const struct cuda_device *device = part->device;
    for (uint32_t i = 0; i < part->n; i++) {
        float ms = 0.0f;
        const CUresult result = device->driver.event_elapsed(&ms, device->starts[i],
                                                             device->stops[i]);
        if (result != CUDA_SUCCESS)
            return cuda_status(device, result, "reading events");
        part->times_ns[i] = (double)ms * 1e6 - part->way->reading.offset_ns;
    }
    return GB_OK;
}

static int32_t collect(struct part *part)
{
    struct gb_measurement *measurement = part->measurement;
    if (part->n == 0)
        return GB_OK;
    if (part->way->kind == WAY_EVENTS) {
        const int32_t status = read_events(part);
        if (status != GB_OK)
            return status;
    }
    const double share_ns = (part->end_ns - part->begin_ns) / part->n;
    part->way->sample_ns = share_ns;
    for (uint32_t i = 0; i < part->n; i++) {
        const double begin_ns = part->begin_ns + share_ns * i;
        if (part->is_lost[i])
            measurement->n_lost++;
        else
            put_sample(measurement, part->times_ns[i],
                       part->is_interrupted[i] ? GB_SAMPLE_INTERRUPTED : 0u, begin_ns,
                       begin_ns + share_ns);
    }
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
    const double sample_ns = part->way->sample_ns;
    const double deadline_ns = part->measurement->deadline_ns;
    double queued_ns = PART_MAX_NS;
    uint64_t n = (uint64_t)device->params->batch_depth;
    if (sample_ns <= 0.0)
        return 1;
    if (deadline_ns > 0.0)
        queued_ns = fmax(0.0, fmin(queued_ns, deadline_ns - cuda_host_ns()));
    if (sample_ns * (double)n > queued_ns)
        n = (uint64_t)(queued_ns / sample_ns) + 1;
    return (uint32_t)(n < left ? n : left);
}

/* Events are recorded before the host has launched what they time. A graph is one launch, whatever
 * is in it. A profiler may wait for each kernel before the next launch. */
static bool should_hold(const struct part *part)
{
    const struct cuda_device *device = part->device;
    return device->hold != NULL && part->way->kind == WAY_EVENTS && !part->way->waits_for_each &&
           !part->way->refuses_hold && !device->is_profiled;
}

static int32_t measure_part(struct part *part, uint64_t left)
{
    struct cuda_device *device = part->device;
    const uint32_t n = part_size(part, left);
    if (part->way->kind == WAY_EVENTS) {
        const int32_t status = reserve_events(device, n);
        if (status != GB_OK)
            return status;
    }
    const bool holds = should_hold(part);
    part->holds = holds;
    if (holds)
        hold_start(device->hold);
    int32_t status = enqueue(part, n);
    if (holds)
        hold_stop(device->hold);
    return status == GB_OK ? collect(part) : status;
}

static int32_t measure_in_parts(struct cuda_device *device, struct gb_measurement *measurement)
{
    static struct part part; /* one batch at a time; too large for a stack */
    part.device = device;
    part.way = &device->way;
    part.measurement = measurement;
    part.stream = measurement->queue->native;
    uint64_t n_tried = 0;
    int32_t status;
    do {
        status = measure_part(&part, measurement->n_samples - n_tried);
        n_tried += part.n;
    } while (status == GB_OK && part.n > 0 && n_tried < measurement->n_samples);
    return status;
}

/* --- launches of stamped samples --- */

static int32_t launch(struct cuda_device *device, const struct gb_measurement *measurement)
{
    struct way *way = &device->way;
    const struct stamps *stamps = &device->stamps;
    CUstream stream = measurement->queue->native;
    const bool is_first = way->launched_ns == 0.0;
    way->launched_ns = cuda_host_ns();
    if (way->reset_is_called) {
        const int32_t status = measurement->bench_ops->reset(measurement->bench,
                                                             measurement->queue);
        if (status != GB_OK)
            return cuda_failure_status(device, measurement->queue, status);
    }
    const CUresult result = graph_read(device, way->graph.exec, stream, 2 * way->graph.n);
    if (result != CUDA_SUCCESS)
        return cuda_status(device, result, "measuring");
    way->ended_ns = cuda_host_ns();
    way->n_ready = way->graph.n;
    way->n_taken = 0;
    for (uint32_t i = 0; i < way->graph.n; i++)
        way->ready_ns[i] = stamps_between(stamps, 2 * i, 2 * i + 1) - way->reading.offset_ns;
    way->clock_hz = stamps_clock_hz(stamps, 0, 2 * way->graph.n - 1);
    if (is_first)
        way->reads_clock = way->clock_hz > 0.0;
    return GB_OK;
}

static void take_ready(struct way *way, struct gb_measurement *measurement)
{
    const double share_ns = (way->ended_ns - way->launched_ns) / way->n_ready;
    for (; way->n_taken < way->n_ready && measurement->n_done < measurement->n_samples;
         way->n_taken++) {
        const double begin_ns = way->launched_ns + share_ns * way->n_taken;
        measurement->clock_hz[measurement->n_done] = way->clock_hz;
        put_sample(measurement, way->ready_ns[way->n_taken], 0, begin_ns, begin_ns + share_ns);
    }
}

/* What a launch gives beyond the samples asked for is the first of the next batch. */
static int32_t measure_in_launches(struct cuda_device *device, struct gb_measurement *measurement)
{
    struct way *way = &device->way;
    int32_t status = GB_OK;
    while (status == GB_OK && measurement->n_done < measurement->n_samples) {
        if (way->n_taken == way->n_ready) {
            if (measurement->deadline_ns > 0.0 && cuda_host_ns() >= measurement->deadline_ns)
                break;
            status = launch(device, measurement);
        }
        if (status == GB_OK)
            take_ready(way, measurement);
    }
    return status;
}

/* --- a batch --- */

/* Not from two sources in one case: the driver reports the clock it asks for, and multiprocessors
 * can run several percent below it. */
static void fill_sensor_columns(struct cuda_device *device, struct gb_measurement *measurement)
{
    const bool has_clock = device->way.kind == WAY_STAMPS && device->way.reads_clock;
    double clock_hz = 0.0;
    uint64_t throttle = 0;
    sensors_take(&device->sensors, &clock_hz, &throttle);
    for (uint64_t i = 0; i < measurement->n_done; i++) {
        if (!has_clock)
            measurement->clock_hz[i] = clock_hz;
        measurement->throttle[i] = throttle;
        measurement->flags[i] |= throttle != 0 ? GB_SAMPLE_THROTTLED : 0u;
    }
}

bool cuda_open_tracer(const struct cuda_device *device, char *reason, size_t bytes)
{
    const char *path = device->params->cupti;
    if (strcmp(path, "no") == 0) {
        snprintf(reason, bytes, "the device's option cupti is no");
        return false;
    }
    return cupti_open(strcmp(path, "auto") == 0 ? "" : path, reason, bytes);
}

int32_t cuda_measure_now(struct cuda_device *device, struct gb_measurement *measurement)
{
    const bool is_launched = device->way.kind == WAY_STAMPS;
    const int32_t status = is_launched ? measure_in_launches(device, measurement)
                                       : measure_in_parts(device, measurement);
    fill_sensor_columns(device, measurement);
    return status;
}

/* As much of it as the host knows. */
static void copy_reading(struct gb_reading *to, const struct gb_reading *from)
{
    const uint32_t size = to->size;
    memcpy(to, from, size < sizeof *from ? size : sizeof *from);
    to->size = size;
}

int32_t cuda_measure(struct cuda_device *device, struct gb_measurement *measurement)
{
    measurement->n_done = 0;
    measurement->n_lost = 0;
    if (measurement->clock >= device->n_clocks || measurement->time_ns[measurement->clock] == NULL)
        return GB_INVALID;
    measurement->clocks_filled = 1u << measurement->clock;
    int32_t status = cuda_status(device, device->driver.context_set(device->context), "measuring");
    if (status == GB_OK && measurement->cache == GB_CACHE_COLD)
        status = cuda_reserve_flush(device);
    if (status == GB_OK)
        status = way_choose(device, measurement);
    if (status != GB_OK)
        return status;
    if (GB_HAS(measurement, reading) && measurement->reading != NULL)
        copy_reading(measurement->reading, &device->way.reading);
    return cuda_measure_now(device, measurement);
}
