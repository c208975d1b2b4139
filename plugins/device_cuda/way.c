/*
 * way.c - see way.h. Plugin side.
 *
 * way_take is the way of every sample: prepared, launched, read, corrected, handed over. What the
 * four ways differ in is the table `ways`.
 *
 * Samples that are a graph are one launch. Others are enqueued one after the other, and the host
 * waits once, at the end of a launch, unless the clock is its own, or records are taken, or the
 * benchmark waits itself. So many are launched that little is queued when the deadline comes.
 *
 * Host times of the samples of a launch are those of the whole, divided evenly: the host is ahead
 * of the device, and only their sum is true.
 */
#define _GNU_SOURCE
#include "way.h"

#include "cupti.h"

#include <math.h>

static const double LAUNCH_MAX_NS = 100e6; /* of device time that is queued ahead */
enum { HICCUPS_MAX = 3 };

/* What is on its way. */
struct batch {
    struct cuda_device *device;
    struct way *way;
    struct gb_measurement *measurement;
    CUstream stream;
    int32_t (*time_one)(struct batch *batch, uint32_t i);
    uint32_t n; /* samples of the next launch */
    bool holds; /* they are held back until they are enqueued */
};

/* --- how many --- */

static uint64_t n_left(const struct gb_measurement *measurement)
{
    return measurement->n_samples - measurement->n_done - measurement->n_lost;
}

static bool is_late(const struct gb_measurement *measurement)
{
    return measurement->deadline_ns > 0.0 && clock_ns(CLOCK_MONOTONIC) >= measurement->deadline_ns;
}

/* One of a benchmark that is not known yet, and few enough that what is queued ends soon after the
 * deadline. */
static uint32_t n_next(const struct batch *batch)
{
    const struct gb_measurement *measurement = batch->measurement;
    const double sample_ns = batch->way->sample_ns;
    const uint64_t left = n_left(measurement);
    double queued_ns = LAUNCH_MAX_NS;
    uint64_t n = (uint64_t)batch->device->params->batch_depth;
    if (sample_ns <= 0.0)
        return 1;
    if (measurement->deadline_ns > 0.0)
        queued_ns = fmax(0.0,
                         fmin(queued_ns, measurement->deadline_ns - clock_ns(CLOCK_MONOTONIC)));
    if (sample_ns * (double)n > queued_ns)
        n = (uint64_t)(queued_ns / sample_ns) + 1;
    return (uint32_t)(n < left ? n : left);
}

/* --- samples one after the other --- */

static int32_t prepare_each(struct batch *batch)
{
    batch->n = n_next(batch);
    return GB_OK;
}

/* What comes before a sample and is not timed. */
static int32_t make_ready(const struct batch *batch)
{
    const struct gb_measurement *measurement = batch->measurement;
    const struct cuda_device *device = batch->device;
    const struct driver *driver = &device->driver;
    CUresult result = CUDA_SUCCESS;
    if (measurement->gap_ns > 0.0 && device->stamps.idle != NULL)
        result = stamps_put_idle(&device->stamps, batch->stream, measurement->gap_ns);
    const int32_t status = result == CUDA_SUCCESS
                               ? bench_reset(measurement->bench_ops, measurement->bench,
                                             measurement->queue)
                               : GB_OK;
    if (status != GB_OK)
        return status;
    if (result == CUDA_SUCCESS && measurement->cache == GB_CACHE_COLD)
        result = driver->fill_async(device->flush, 0, device->flush_bytes, batch->stream);
    if (result == CUDA_SUCCESS && batch->way->waits_for_each)
        result = driver->stream_synchronize(batch->stream);
    return cuda_status(device, result, "preparing a sample");
}

static int32_t run(const struct batch *batch)
{
    const struct gb_measurement *measurement = batch->measurement;
    CUgraphExec graph = batch->way->graph.exec;
    if (graph == NULL)
        return measurement->bench_ops->run(measurement->bench, measurement->queue,
                                           measurement->iterations);
    return cuda_status(batch->device, batch->device->driver.graph_launch(graph, batch->stream),
                       "launching a graph");
}

/* Launches samples by the function that times one, and waits for them. */
static int32_t launch_each(struct batch *batch)
{
    const struct cuda_device *device = batch->device;
    struct launch *launch = &batch->way->launch;
    int32_t status = GB_OK;
    launch->begin_ns = clock_ns(CLOCK_MONOTONIC);
    for (; launch->n < batch->n && status == GB_OK && !is_late(batch->measurement); launch->n++) {
        launch->is_interrupted[launch->n] = launch->is_lost[launch->n] = false;
        status = make_ready(batch);
        if (status == GB_OK)
            status = batch->time_one(batch, launch->n);
    }
    if (status == GB_OK)
        status = cuda_still_there(device);
    if (status != GB_OK)
        return cuda_failure_status(device, batch->measurement->queue, status);
    status = cuda_status(device, device->driver.stream_synchronize(batch->stream), "measuring");
    launch->end_ns = clock_ns(CLOCK_MONOTONIC);
    if (status == GB_OK && launch->n > 0)
        batch->way->sample_ns = (launch->end_ns - launch->begin_ns) / launch->n;
    return status;
}

/* --- between events --- */

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

/* Events are recorded before the host has launched what they time. A profiler may wait for each
 * kernel before the next launch. */
static int32_t prepare_events(struct batch *batch)
{
    const struct way *way = batch->way;
    batch->n = n_next(batch);
    batch->holds = batch->device->hold != NULL && !way->waits_for_each && !way->refuses_hold &&
                   !batch->device->is_profiled;
    return reserve_events(batch->device, batch->n);
}

static int32_t between_events(struct batch *batch, uint32_t i)
{
    const struct cuda_device *device = batch->device;
    const struct driver *driver = &device->driver;
    CUresult result = driver->event_record(device->starts[i], batch->stream);
    const int32_t status = run(batch);
    if (status != GB_OK)
        return status;
    if (result == CUDA_SUCCESS)
        result = driver->event_record(device->stops[i], batch->stream);
    if (result == CUDA_SUCCESS && batch->way->waits_for_each)
        result = driver->stream_synchronize(batch->stream);
    return cuda_status(device, result, "measuring");
}

/* A hiccup of the host releases a sample or two early; one after the other is the benchmark's
 * doing. */
static void count_hiccups(struct batch *batch, bool was_held)
{
    static const char words[] =
        "samples cannot be held back until they are launched, as run waits for the device or "
        "launches more than it queues: gaps between launches are timed";
    struct way *way = batch->way;
    const struct gb_host *host = batch->device->host;
    way->n_hiccups = was_held ? 0 : way->n_hiccups + 1;
    if (way->n_hiccups < HICCUPS_MAX)
        return;
    way->refuses_hold = true;
    batch->holds = false;
    if (way->clock == CLOCK_EVENT)
        host->log(host, GB_LOG_WARNING, words);
}

static int32_t held_between_events(struct batch *batch, uint32_t i)
{
    struct hold *hold = batch->device->hold;
    bool *is_interrupted = &batch->way->launch.is_interrupted[i];
    if (!batch->holds)
        return between_events(batch, i);
    int32_t status = cuda_status(batch->device, hold_begin(hold, batch->stream),
                                 "holding a sample back");
    if (status != GB_OK)
        return status;
    status = between_events(batch, i);
    *is_interrupted = !hold_release(hold);
    count_hiccups(batch, !*is_interrupted);
    return status;
}

static int32_t launch_between_events(struct batch *batch)
{
    struct hold *hold = batch->holds ? batch->device->hold : NULL;
    hold_switch(hold, true);
    const int32_t status = launch_each(batch);
    hold_switch(hold, false);
    return status;
}

static int32_t read_events(struct batch *batch)
{
    const struct cuda_device *device = batch->device;
    struct launch *launch = &batch->way->launch;
    for (uint32_t i = 0; i < launch->n; i++) {
        float ms = 0.0f;
        const CUresult result = device->driver.event_elapsed(&ms, device->starts[i],
                                                             device->stops[i]);
        if (result != CUDA_SUCCESS)
            return cuda_status(device, result, "reading events");
        launch->times_ns[i] = (double)ms * 1e6;
    }
    return GB_OK;
}

/* --- by the host's clock --- */

static int32_t until_waited(struct batch *batch, uint32_t i)
{
    const double begin_ns = clock_ns(CLOCK_MONOTONIC_RAW);
    int32_t status = run(batch);
    CUresult result = CUDA_SUCCESS;
    if (status == GB_OK)
        result = batch->device->driver.stream_synchronize(batch->stream);
    batch->way->launch.times_ns[i] = clock_ns(CLOCK_MONOTONIC_RAW) - begin_ns;
    return status != GB_OK ? status : cuda_status(batch->device, result, "measuring");
}

/* --- by records --- */

/* Alone on the device, so that all that is recorded is the sample's. */
static int32_t recorded(struct batch *batch, uint32_t i)
{
    const struct cuda_device *device = batch->device;
    struct launch *launch = &batch->way->launch;
    struct cupti_span span;
    int32_t status = cuda_status(device, device->driver.context_synchronize(), "measuring");
    if (status != GB_OK)
        return status;
    cupti_discard();
    status = run(batch);
    if (status != GB_OK)
        return status;
    status = cuda_status(device, device->driver.context_synchronize(), "measuring");
    cupti_collect(&span);
    if (status == GB_OK && span.n == 0 && !span.is_lost)
        return device->host->fail(device->host, "run put no work on the device, so the clock "
                                                "record has nothing to time: use clock = wall");
    launch->is_lost[i] = span.is_lost;
    launch->times_ns[i] = (double)(span.end_ns - span.start_ns);
    return status;
}

/* --- a graph of stamped samples --- */

static int32_t prepare_graph(struct batch *batch)
{
    const struct gb_measurement *measurement = batch->measurement;
    int32_t status = GB_OK;
    batch->n = is_late(measurement) ? 0 : batch->way->graph.n;
    batch->way->launch.begin_ns = clock_ns(CLOCK_MONOTONIC);
    if (batch->n > 0 && batch->way->reset_is_called)
        status = measurement->bench_ops->reset(measurement->bench, measurement->queue);
    return status == GB_OK ? GB_OK : cuda_failure_status(batch->device, measurement->queue, status);
}

static int32_t launch_graph(struct batch *batch)
{
    const struct cuda_device *device = batch->device;
    struct launch *launch = &batch->way->launch;
    const CUresult result = graph_read(device, batch->way->graph.exec, batch->stream, 2 * batch->n);
    if (result != CUDA_SUCCESS)
        return cuda_status(device, result, "measuring");
    launch->end_ns = clock_ns(CLOCK_MONOTONIC);
    launch->n = batch->n;
    return GB_OK;
}

static void read_graph(const struct stamps *stamps, struct way *way)
{
    struct launch *launch = &way->launch;
    for (uint32_t i = 0; i < launch->n; i++) {
        launch->times_ns[i] = stamps_between(stamps, 2 * i, 2 * i + 1);
        launch->is_interrupted[i] = launch->is_lost[i] = false;
    }
    launch->clock_hz = stamps_clock_hz(stamps, 0, 2 * launch->n - 1);
    if (!way->is_launched)
        way->reads_clock = launch->clock_hz > 0.0;
    way->is_launched = true;
}

static int32_t read_stamps(struct batch *batch)
{
    read_graph(&batch->device->stamps, batch->way);
    return GB_OK;
}

/* --- every way --- */

static const struct {
    int32_t (*prepare)(struct batch *batch); /* says how many samples; 0: it is too late */
    int32_t (*launch)(struct batch *batch);  /* and waits for them */
    int32_t (*time_one)(struct batch *batch, uint32_t i); /* NULL: they are one launch */
    int32_t (*read)(struct batch *batch);                 /* NULL: time_one has read it */
} ways[] = {
    [WAY_STAMPS] = {prepare_graph, launch_graph, NULL, read_stamps},
    [WAY_EVENTS] = {prepare_events, launch_between_events, held_between_events, read_events},
    [WAY_WALL] = {prepare_each, launch_each, until_waited, NULL},
    [WAY_RECORD] = {prepare_each, launch_each, recorded, NULL},
};

/* Less the clock's reading without any work, where that is known. */
static void correct(struct launch *launch, double offset_ns)
{
    for (uint32_t i = 0; i < launch->n; i++)
        launch->times_ns[i] -= offset_ns;
}

static void hand_over(struct launch *launch, struct gb_measurement *measurement)
{
    const double share_ns = (launch->end_ns - launch->begin_ns) / launch->n;
    for (; launch->n_taken < launch->n && n_left(measurement) > 0; launch->n_taken++) {
        const uint32_t i = launch->n_taken;
        const uint64_t to = measurement->n_done;
        if (launch->is_lost[i]) {
            measurement->n_lost++;
            continue;
        }
        measurement->time_ns[measurement->clock][to] = launch->times_ns[i];
        measurement->flags[to] = launch->is_interrupted[i] ? GB_SAMPLE_INTERRUPTED : 0u;
        measurement->begin_ns[to] = launch->begin_ns + share_ns * i;
        measurement->end_ns[to] = measurement->begin_ns[to] + share_ns;
        measurement->clock_hz[to] = launch->clock_hz;
        measurement->n_done++;
    }
}

/* The clock is not from two sources in one case: the driver reports the one it asks for, and
 * multiprocessors can run several percent below it. */
static void fill_sensor_columns(struct cuda_device *device, const struct way *way,
                                struct gb_measurement *measurement)
{
    const bool has_clock = way->kind == WAY_STAMPS && way->reads_clock;
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

int32_t way_take(struct cuda_device *device, struct way *way, struct gb_measurement *measurement)
{
    struct batch batch = {
        device, way, measurement, measurement->queue->native, ways[way->kind].time_one, 0, false};
    struct launch *launch = &way->launch;
    int32_t status = GB_OK;
    while (status == GB_OK && n_left(measurement) > 0) {
        if (launch->n_taken == launch->n) {
            launch->n = launch->n_taken = 0;
            status = ways[way->kind].prepare(&batch);
            if (status == GB_OK && batch.n > 0)
                status = ways[way->kind].launch(&batch);
            if (status == GB_OK && launch->n > 0 && ways[way->kind].read != NULL)
                status = ways[way->kind].read(&batch);
            if (status != GB_OK || launch->n == 0)
                break;
            correct(launch, way->reading.offset_ns);
        }
        hand_over(launch, measurement);
    }
    if (status != GB_OK)
        way_drop_ready(way);
    fill_sensor_columns(device, way, measurement);
    return status;
}

void way_keep_launch(const struct cuda_device *device, struct way *way, double begin_ns,
                     double end_ns)
{
    way->launch = (struct launch){.n = way->graph.n, .begin_ns = begin_ns, .end_ns = end_ns};
    read_graph(&device->stamps, way);
    correct(&way->launch, way->reading.offset_ns);
}

/* --- the end of a way --- */

void way_forget(const struct cuda_device *device, struct way *way)
{
    graph_free(device, &way->graph);
    memset(way, 0, sizeof *way);
}

void way_leave_stamps(const struct cuda_device *device, struct way *way)
{
    if (way->kind != WAY_STAMPS)
        return;
    graph_free(device, &way->graph);
    way_drop_ready(way);
    way->kind = WAY_EVENTS;
    way->reading.launch = GB_LAUNCH_STREAM;
}

void way_drop_ready(struct way *way)
{
    way->launch.n_taken = way->launch.n;
}
