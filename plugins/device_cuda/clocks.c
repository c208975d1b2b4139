/*
 * clocks.c - which clocks there are, their resolution and overhead, and their reading without any
 * work; see timed_device.h. Plugin side.
 */
#define _GNU_SOURCE
#include "cupti.h"
#include "plugins/common/bench_steps.h"
#include "timed_device.h"

#include <link.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROBE_SAMPLES = 257, PAIRS = 64, LOG_BYTES = 512 };

/* Times are rounded to the clock's unit, 1 ns, after they were counted in ticks: neighbours one
 * unit apart are one tick's count, whose mean is taken, unless there is nothing else. */
static double smallest_step(const double *sorted, size_t n)
{
    const double rounding_ns = 1.5;
    double step = 0.0;
    double previous = 0.0;
    double sum = 0.0;
    size_t begin = 0;
    for (size_t i = 0; i < n; i++) {
        sum += sorted[i];
        if (i + 1 < n && sorted[i + 1] - sorted[i] <= rounding_ns)
            continue;
        const double mean = sum / (double)(i + 1 - begin);
        if (begin > 0 && (step == 0.0 || mean - previous < step))
            step = mean - previous;
        previous = mean;
        sum = 0.0;
        begin = i + 1;
    }
    if (step == 0.0)
        return n > 0 && sorted[n - 1] > sorted[0] ? 1.0 : 0.0;
    return round(step);
}

static void add_clock(struct timed_device *timed, uint32_t kind)
{
    static const struct {
        const char *name, *help;
    } words[CLOCK_KINDS] = {
        [CLOCK_KERNEL] =
            {"kernel",
             "between two time stamps on the device, minus their reading without any work"},
        [CLOCK_EVENT] = {"event", "between two CUDA events around the work"},
        [CLOCK_WALL] = {"wall", "host time from the launch to the end of waiting for the work"},
        [CLOCK_RECORD] =
            {"record", "first start to last end in the records of CUPTI, as profilers show them"},
    };
    struct gb_clock *clock = &timed->clocks[timed->n_clocks];
    *clock = (struct gb_clock){.size = sizeof *clock};
    snprintf(clock->name, sizeof clock->name, "%s", words[kind].name);
    snprintf(clock->help, sizeof clock->help, "%s", words[kind].help);
    timed->kinds[timed->n_clocks++] = kind;
}

/* On the device's own stream; the way of taking samples is not tried but given. */
static int32_t probe_clock(struct timed_device *timed, uint32_t clock)
{
    static const struct gb_bench_ops nothing = {.size = sizeof nothing, .run = run_nothing};
    static double times[PROBE_SAMPLES], begin[PROBE_SAMPLES], end[PROBE_SAMPLES], hz[PROBE_SAMPLES];
    static uint64_t throttle[PROBE_SAMPLES];
    static uint32_t flags[PROBE_SAMPLES];
    const struct gb_queue queue = {.size = sizeof queue, .native = timed->device.stream};
    const bool is_wall = timed->kinds[clock] == CLOCK_WALL;
    struct way *way = &timed->way;
    struct gb_measurement measurement = {
        .size = sizeof measurement,
        .clock = clock,
        .cache = GB_CACHE_WARM,
        .n_samples = PROBE_SAMPLES,
        .iterations = 1,
        .bench_ops = &nothing,
        .queue = &queue,
        .begin_ns = begin,
        .end_ns = end,
        .clock_hz = hz,
        .throttle = throttle,
        .flags = flags,
    };
    measurement.time_ns[clock] = times;
    way->kind = is_wall ? WAY_WALL : WAY_EVENTS;
    way->clock = timed->kinds[clock];
    way->waits_for_each = is_wall;
    const int32_t status = way_take(&timed->device, way, &measurement);
    way_forget(&timed->device, way);
    if (status != GB_OK || measurement.n_done == 0)
        return status;
    qsort(times, measurement.n_done, sizeof times[0], compare_doubles);
    struct gb_clock *filled = &timed->clocks[clock];
    filled->overhead_ns = times[measurement.n_done / 2];
    filled->tick_ns = smallest_step(times, measurement.n_done);
    if (!is_wall)
        timed->event_tick_ns = filled->tick_ns;
    return GB_OK;
}

/* --- stamps --- */

/* Of what stands between pairs of stamps that follow each other in the stream. */
static CUresult read_steps(struct cuda_device *device)
{
    double steps[2 * PAIRS - 1];
    CUresult result = CUDA_SUCCESS;
    for (uint32_t i = 0; i < 2 * PAIRS && result == CUDA_SUCCESS; i++)
        result = stamps_put(&device->stamps, device->stream, i);
    if (result == CUDA_SUCCESS)
        result = stamps_read(&device->stamps, device->stream, 2 * PAIRS);
    for (uint32_t i = 0; i + 1 < 2 * PAIRS; i++)
        steps[i] = stamps_between(&device->stamps, i, i + 1);
    qsort(steps, 2 * PAIRS - 1, sizeof steps[0], compare_doubles);
    device->step_ns = fmax(smallest_step(steps, 2 * PAIRS - 1), 1.0);
    return result;
}

/* Without it there is no clock kernel, and events count in its place. */
static bool open_stamps(struct cuda_device *device)
{
    const struct driver *driver = &device->driver;
    char text[LOG_BYTES];
    char words[128];
    CUresult result = stamps_open(&device->stamps, driver, (uint64_t)device->params->timer_step);
    for (int i = 0; i < 2 && result == CUDA_SUCCESS; i++) /* the first time it is loaded */
        result = read_steps(device);
    if (result == CUDA_SUCCESS) {
        const uint32_t khz = cuda_attribute(driver, device->number, CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
        stamps_dither(&device->stamps, device->step_ns, khz > 0 ? khz * 1e3 : 2e9);
        return true;
    }
    driver_error_words(driver, result, words, sizeof words);
    snprintf(text, sizeof text,
             "no clock kernel, the clock event is used in its place: time stamps on the device: %s",
             words);
    device->host->log(device->host, GB_LOG_WARNING, text);
    stamps_close(&device->stamps);
    return false;
}

/* The shortest of some waits for a context that has nothing to do. */
static CUresult find_rest(const struct cuda_device *device, double *ret_ns)
{
    const struct driver *driver = &device->driver;
    CUresult result = driver->context_synchronize();
    *ret_ns = INFINITY;
    for (int i = 0; i < 16 && result == CUDA_SUCCESS; i++) {
        result = driver->stream_synchronize(device->stream);
        const double begin_ns = clock_ns(CLOCK_MONOTONIC);
        if (result == CUDA_SUCCESS)
            result = driver->context_synchronize();
        *ret_ns = fmin(*ret_ns, clock_ns(CLOCK_MONOTONIC) - begin_ns);
    }
    return result;
}

/* --- offsets of clocks --- */

enum { LAUNCHES = 64, LAUNCHES_OF_A_LOOK = 2, EVENT_SAMPLES = 129, OBSERVED = 5 };
/* Further apart, a look at the offset says that it has moved, */
static const double MOVED_NS = 8.0;
/* and this far, that launches have become slower: it is less than half of what they do. */
static const double SLOWER_NS = 80.0;

/* The mean of those of n readings that are within some steps of their median, so that what was
 * disturbed does not count. Sorts them. */
static struct offset offset_of(double *readings, size_t n, double step_ns)
{
    struct offset offset = {NAN, NAN};
    const double reach_ns = 4.0 * fmax(step_ns, 16.0);
    double sum = 0.0;
    double squares = 0.0;
    size_t kept = 0;
    if (n == 0)
        return offset;
    qsort(readings, n, sizeof readings[0], compare_doubles);
    const double median = readings[n / 2];
    for (size_t i = 0; i < n; i++) {
        const double off = readings[i] - median;
        if (fabs(off) > reach_ns)
            continue;
        sum += off;
        squares += off * off;
        kept++;
    }
    const double mean = sum / (double)kept;
    const double variance = fmax(squares / (double)kept - mean * mean, 0.0);
    offset.ns = median + mean;
    offset.error_ns = 1.96 * sqrt(variance / (double)kept);
    return offset;
}

/* Stamped graphs: */

static CUresult capture_pairs(const struct cuda_device *device, CUstream stream, bool is_empty)
{
    const struct stamps *stamps = &device->stamps;
    CUresult result = CUDA_SUCCESS;
    for (uint32_t i = 0; i < PAIRS && result == CUDA_SUCCESS; i++) {
        result = stamps_put_first(stamps, stream, 2 * i);
        if (result == CUDA_SUCCESS && is_empty)
            result = stamps_put_empty(stamps, stream);
        if (result == CUDA_SUCCESS)
            result = stamps_put(stamps, stream, 2 * i + 1);
    }
    return result;
}

static CUresult make_pairs(const struct cuda_device *device, CUstream stream, bool is_empty,
                           struct graph *ret)
{
    const struct driver *driver = &device->driver;
    CUgraph captured = NULL;
    if (ret->exec != NULL)
        return CUDA_SUCCESS;
    CUresult result = driver->capture_begin(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
    if (result != CUDA_SUCCESS)
        return result;
    result = capture_pairs(device, stream, is_empty);
    const CUresult ended = driver->capture_end(stream, &captured);
    if (result == CUDA_SUCCESS)
        result = ended;
    if (result == CUDA_SUCCESS)
        result = graph_instantiate(device, captured, stream, &ret->exec);
    if (captured != NULL)
        driver->graph_destroy(captured);
    ret->n = PAIRS;
    return result;
}

/* One launch goes before, as the first after a pause takes longer. */
static CUresult read_pairs(const struct cuda_device *device, CUstream stream,
                           const struct graph *graph, size_t n_launches, double *readings)
{
    const struct stamps *stamps = &device->stamps;
    CUresult result = CUDA_SUCCESS;
    for (size_t i = 0; i <= n_launches && result == CUDA_SUCCESS; i++) {
        result = graph_read(device, graph->exec, stream, 2 * PAIRS);
        for (uint32_t j = 0; j < PAIRS && i > 0; j++)
            readings[(i - 1) * PAIRS + j] = stamps_between(stamps, 2 * j, 2 * j + 1);
    }
    return result;
}

static CUresult measure_pairs(const struct cuda_device *device, CUstream stream, bool is_empty,
                              size_t n_launches, struct graph *graph, struct offset *ret)
{
    static double readings[LAUNCHES * PAIRS];
    if (device->is_observed)
        n_launches = 1;
    CUresult result = make_pairs(device, stream, is_empty, graph);
    if (result == CUDA_SUCCESS)
        result = read_pairs(device, stream, graph, n_launches, readings);
    if (result == CUDA_SUCCESS)
        *ret = offset_of(readings, n_launches * PAIRS, device->step_ns);
    return result;
}

int32_t offsets_update_graph(struct offsets *offsets, const struct cuda_device *device,
                             CUstream stream)
{
    struct offset now = {0};
    CUresult result = CUDA_SUCCESS;
    if (offsets->first_ns > 0.0 && device->is_observed)
        return GB_OK;
    if (offsets->first_ns > 0.0) {
        result = measure_pairs(device, stream, false, LAUNCHES_OF_A_LOOK, &offsets->nothing, &now);
        if (result == CUDA_SUCCESS && fabs(now.ns - offsets->graph.ns) < MOVED_NS + now.error_ns)
            return GB_OK;
    }
    if (result == CUDA_SUCCESS)
        result = measure_pairs(device, stream, false, LAUNCHES, &offsets->nothing, &now);
    if (result != CUDA_SUCCESS)
        return cuda_status(device, result, "measuring the offset of the clock kernel");
    offsets->graph = now;
    offsets->has_event = false;
    if (offsets->first_ns == 0.0)
        offsets->first_ns = now.ns;
    return GB_OK;
}

double offsets_slower_ns(const struct offsets *offsets)
{
    const double ns = offsets->graph.ns - offsets->first_ns;
    return ns > SLOWER_NS + 2.0 * offsets->graph.error_ns ? ns : 0.0;
}

bool offsets_have_moved(struct offsets *offsets, const struct cuda_device *device, CUstream stream)
{
    struct offset now = {0};
    if (offsets->first_ns == 0.0 || device->is_observed)
        return false;
    return offsets->will_move ||
           (measure_pairs(device, stream, false, LAUNCHES_OF_A_LOOK, &offsets->nothing, &now) ==
                CUDA_SUCCESS &&
            fabs(now.ns - offsets->first_ns) > SLOWER_NS + 2.0 * now.error_ns);
}

/* Events: */

static CUresult event_sample(const struct cuda_device *device, CUstream stream, CUevent start,
                             CUevent stop, double *ret_ns)
{
    const struct driver *driver = &device->driver;
    float ms = 0.0f;
    CUresult result = CUDA_SUCCESS;
    if (device->hold != NULL)
        result = hold_begin(device->hold, stream);
    if (result == CUDA_SUCCESS)
        result = driver->event_record(start, stream);
    if (result == CUDA_SUCCESS)
        result = stamps_put_empty(&device->stamps, stream);
    if (result == CUDA_SUCCESS)
        result = driver->event_record(stop, stream);
    if (device->hold != NULL)
        hold_release(device->hold);
    if (result == CUDA_SUCCESS)
        result = driver->stream_synchronize(stream);
    if (result == CUDA_SUCCESS)
        result = driver->event_elapsed(&ms, start, stop);
    *ret_ns = (double)ms * 1e6;
    return result;
}

int32_t offsets_update_event(struct offsets *offsets, const struct cuda_device *device,
                             CUstream stream)
{
    const struct driver *driver = &device->driver;
    double readings[EVENT_SAMPLES];
    const size_t n_samples = device->is_observed ? OBSERVED : EVENT_SAMPLES;
    struct offset empty = {0};
    CUevent start = NULL;
    CUevent stop = NULL;
    if (offsets->has_event)
        return GB_OK;
    CUresult result = measure_pairs(device, stream, true, LAUNCHES / 2, &offsets->empty, &empty);
    if (result == CUDA_SUCCESS)
        result = driver->event_create(&start, CU_EVENT_DEFAULT);
    if (result == CUDA_SUCCESS)
        result = driver->event_create(&stop, CU_EVENT_DEFAULT);
    hold_switch(device->hold, true);
    for (size_t i = 0; i < n_samples && result == CUDA_SUCCESS; i++)
        result = event_sample(device, stream, start, stop, &readings[i]);
    hold_switch(device->hold, false);
    if (stop != NULL)
        driver->event_destroy(stop);
    if (start != NULL)
        driver->event_destroy(start);
    if (result != CUDA_SUCCESS)
        return cuda_status(device, result, "measuring what events read for an empty kernel");
    const struct offset around = offset_of(readings, n_samples, 4.0 * device->step_ns);
    const double kernel_ns = empty.ns - offsets->graph.ns;
    offsets->event = (struct offset){
        around.ns - kernel_ns,
        hypot(around.error_ns, hypot(empty.error_ns, offsets->graph.error_ns))};
    offsets->has_event = true;
    return GB_OK;
}

/* --- tools --- */

/* Libraries that profilers and checkers put into the process. */
static int find_tool(struct dl_phdr_info *info, size_t bytes, void *ret_name)
{
    static const char *const marks[] = {"njection", "libsanitizer-collection", "libTreeLauncher",
                                        "libInterceptor"};
    const char *slash = strrchr(info->dlpi_name, '/');
    const char *name = slash != NULL ? slash + 1 : info->dlpi_name;
    (void)bytes;
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        if (strstr(name, marks[i]) != NULL) {
            *(const char **)ret_name = name;
            return 1;
        }
    }
    return 0;
}

static void warn_of_tool(struct cuda_device *device)
{
    const char *name = NULL;
    char text[LOG_BYTES];
    device->is_observed = dl_iterate_phdr(find_tool, &name) != 0;
    if (!device->is_observed)
        return;
    snprintf(
        text, sizeof text,
        "a profiler or checker is attached (%.100s): times include its overhead and are unreliable",
        name);
    device->host->log(device->host, GB_LOG_WARNING, text);
}

/* --- all of them --- */

int32_t clocks_probe(struct timed_device *timed)
{
    struct cuda_device *device = &timed->device;
    char reason[256];
    warn_of_tool(device);
    int32_t status = cuda_status(device, find_rest(device, &timed->rest_ns),
                                 "preparing to measure the clocks");
    if (status != GB_OK)
        return status;
    if (open_stamps(device)) {
        add_clock(timed, CLOCK_KERNEL);
        timed->clocks[0].flags = GB_CLOCK_DITHERED;
        timed->clocks[0].tick_ns = device->step_ns;
        status = offsets_update_graph(&timed->offsets, device, device->stream);
    }
    add_clock(timed, CLOCK_EVENT);
    add_clock(timed, CLOCK_WALL);
    for (uint32_t i = 0; i < timed->n_clocks && status == GB_OK; i++) {
        if (timed->kinds[i] != CLOCK_KERNEL)
            status = probe_clock(timed, i);
    }
    if (status == GB_OK && cupti_find(device->params->cupti, reason, sizeof reason)) {
        add_clock(timed, CLOCK_RECORD);
        timed->clocks[timed->n_clocks - 1].tick_ns = device->step_ns;
    }
    return status;
}
