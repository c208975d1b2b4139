/*
 * clocks.c - which clocks there are, their resolution and their overhead. Plugin side.
 */
#define _GNU_SOURCE
#include "cuda_device.h"
#include "cupti.h"

#include "plugins/common/doubles.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROBE_SAMPLES = 257, LOG_BYTES = 512 };

/* Any device can run it: the driver compiles it for the one at hand. */
static const char empty_kernel[] = ".version 6.0\n"
                                   ".target sm_50\n"
                                   ".address_size 64\n"
                                   ".visible .entry gbrun_empty()\n"
                                   "{\n"
                                   "    ret;\n"
                                   "}\n";

/* A benchmark that launches the empty kernel, or does nothing. */
struct probe {
    struct cuda_device *device;
    CUmodule module;
    CUfunction function;
    struct gb_queue queue;
};

static int32_t launch_empty(void *object, const struct gb_queue *queue, uint64_t iterations)
{
    struct probe *probe = object;
    (void)iterations;
    return cuda_status(probe->device,
                       probe->device->driver.launch(probe->function, 1, 1, 1, 1, 1, 1, 0,
                                                    queue->native, NULL, NULL),
                       "launching an empty kernel");
}

static int32_t launch_nothing(void *object, const struct gb_queue *queue, uint64_t iterations)
{
    (void)object;
    (void)queue;
    (void)iterations;
    return GB_OK;
}

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

static int32_t probe_clock(struct probe *probe, uint32_t clock, bool launches)
{
    static const struct gb_bench_ops empty = {.size = sizeof empty, .run = launch_empty};
    static const struct gb_bench_ops nothing = {.size = sizeof nothing, .run = launch_nothing};
    static double times[PROBE_SAMPLES], begin[PROBE_SAMPLES], end[PROBE_SAMPLES], hz[PROBE_SAMPLES];
    static uint64_t throttle[PROBE_SAMPLES];
    static uint32_t flags[PROBE_SAMPLES];
    struct gb_measurement measurement = {
        .size = sizeof measurement,
        .clock = clock,
        .cache = GB_CACHE_WARM,
        .n_samples = PROBE_SAMPLES,
        .iterations = 1,
        .bench_ops = launches ? &empty : &nothing,
        .bench = probe,
        .queue = &probe->queue,
        .begin_ns = begin,
        .end_ns = end,
        .clock_hz = hz,
        .throttle = throttle,
        .flags = flags,
    };
    measurement.time_ns[clock] = times;
    const int32_t status = cuda_measure(probe->device, &measurement);
    probe->device->habits = (struct habits){0};
    if (status != GB_OK || measurement.n_done == 0)
        return status;
    qsort(times, measurement.n_done, sizeof times[0], compare_doubles);
    struct gb_clock *filled = &probe->device->clocks[clock];
    filled->overhead_ns = times[measurement.n_done / 2];
    filled->tick_ns = smallest_step(times, measurement.n_done);
    return GB_OK;
}

static void add_clock(struct cuda_device *device, uint32_t kind)
{
    static const struct {
        const char *name, *help;
    } words[CLOCK_KINDS] = {
        [CLOCK_KERNEL] = {"kernel", "first start to last end, as the device recorded them (CUPTI)"},
        [CLOCK_EVENT] = {"event", "between two CUDA events around the work"},
        [CLOCK_WALL] = {"wall", "host time from the launch to the end of waiting for the work"},
        [CLOCK_BUSY] = {"busy", "sum of the times of the sample's kernels, copies and fills"},
    };
    struct gb_clock *clock = &device->clocks[device->n_clocks];
    *clock = (struct gb_clock){.size = sizeof *clock};
    snprintf(clock->name, sizeof clock->name, "%s", words[kind].name);
    snprintf(clock->help, sizeof clock->help, "%s", words[kind].help);
    device->kinds[device->n_clocks++] = kind;
}

/* One traced launch, whose record must be linked to its sample. */
static bool links_work(struct probe *probe, char *reason, size_t bytes)
{
    enum { TRIES = 20 };
    struct cuda_device *device = probe->device;
    struct record_sum sum;
    size_t n_found = 0;
    if (!cupti_trace(true, false, reason, bytes))
        return false;
    records_clear(&device->records);
    cupti_sample_begin(device->n_begun);
    const int32_t status = launch_empty(probe, &probe->queue, 1);
    cupti_sample_end();
    if (status != GB_OK || device->driver.stream_synchronize(probe->queue.native) != CUDA_SUCCESS)
        return false;
    for (int i = 0; i < TRIES && n_found == 0; i++) {
        cupti_collect(&device->records, device->n_begun);
        n_found = records_sum(&device->records, &sum, 1);
    }
    device->n_begun++;
    if (n_found == 0 || sum.is_lost) {
        snprintf(reason, bytes, "CUPTI records no kernels here");
        return false;
    }
    return true;
}

void cuda_clocks_prepare(struct cuda_device *device)
{
    const char *path = device->params->cupti;
    if (strcmp(path, "no") != 0)
        cupti_open(strcmp(path, "auto") == 0 ? "" : path, device->no_tracing,
                   sizeof device->no_tracing);
}

static void try_tracing(struct probe *probe)
{
    struct cuda_device *device = probe->device;
    char *reason = device->no_tracing;
    char text[LOG_BYTES];
    if (strcmp(device->params->cupti, "no") == 0)
        return;
    if (reason[0] == '\0' && records_reserve(&device->records, 65536))
        device->can_trace = links_work(probe, reason, sizeof device->no_tracing);
    if (device->can_trace)
        return;
    snprintf(text, sizeof text, "no clock kernel, the clock event is used in its place: %s",
             reason);
    device->host->log(device->host, GB_LOG_WARNING, text);
}

static int32_t probe_all(struct probe *probe)
{
    struct cuda_device *device = probe->device;
    try_tracing(probe);
    if (device->can_trace)
        add_clock(device, CLOCK_KERNEL);
    add_clock(device, CLOCK_EVENT);
    add_clock(device, CLOCK_WALL);
    if (device->can_trace)
        add_clock(device, CLOCK_BUSY);
    int32_t status = GB_OK;
    for (uint32_t i = 0; i < device->n_clocks && status == GB_OK; i++) {
        const uint32_t kind = device->kinds[i];
        status = probe_clock(probe, i, kind == CLOCK_KERNEL || kind == CLOCK_BUSY);
    }
    return status;
}

int32_t cuda_clocks_probe(struct cuda_device *device)
{
    const struct driver *driver = &device->driver;
    struct probe probe = {.device = device, .queue = {.size = sizeof probe.queue}};
    CUstream stream = NULL;
    CUresult result = driver->stream_create(&stream, CU_STREAM_NON_BLOCKING);
    if (result == CUDA_SUCCESS)
        result = driver->module_load(&probe.module, empty_kernel);
    if (result == CUDA_SUCCESS)
        result = driver->module_function(&probe.function, probe.module, "gbrun_empty");
    probe.queue.native = stream;
    int32_t status = cuda_status(device, result, "preparing to measure the clocks");
    if (status == GB_OK)
        status = probe_all(&probe);
    if (probe.module != NULL)
        driver->module_unload(probe.module);
    if (stream != NULL)
        driver->stream_destroy(stream);
    return status;
}
