/*
 * cuda.c - the device `cuda`: NVIDIA's GPUs. Plugin side.
 */
#define _GNU_SOURCE
#include "cupti.h"
#include "timed_device.h"

#include <dlfcn.h>
#include <gbrun/gbrun.h>
#include <gbrun/profile.h>
#include <math.h>
#include <nvtx3/nvToolsExt.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE_BYTES = 512 };

static const struct gb_option options[] = {
    GB_BYTES(struct params, flush, "0", "0:1TiB",
             "memory written before each cold sample; 0: as much as the L2 cache holds"),
    GB_INT(struct params, batch_depth, "128", "1:1024", "samples",
           "samples enqueued before the host waits for them, if they are not a graph"),
    GB_BOOL(struct params, hold_back, "yes",
            "hold each sample of the stream on the device until the host has launched all of it"),
    GB_DURATION(
        struct params, timer_step, "0", "0:1 ms",
        "round the device's time stamps down to multiples of this, like a coarser timer; 0: no"),
    GB_STRING(struct params, cupti, "auto",
              "libcupti, which the clock record and counters need: a path, auto (searched) or no"),
};

/* --- what there is --- */

static int32_t count(const struct gb_host *host, const void *params, uint32_t *ret_n)
{
    (void)params;
    struct driver driver;
    char reason[MESSAGE_BYTES];
    int n = 0;
    *ret_n = 0;
    if (!driver_open(&driver, reason, sizeof reason))
        return host->skip(host, reason);
    if (driver.device_count(&n) != CUDA_SUCCESS || n <= 0)
        return host->skip(host, "no device: the driver reports none");
    *ret_n = (uint32_t)n;
    return GB_OK;
}

/* Opens the driver and finds the device. */
static int32_t find(const struct gb_host *host, uint32_t index, struct driver *driver,
                    CUdevice *ret_number)
{
    char reason[MESSAGE_BYTES];
    int n = 0;
    if (!driver_open(driver, reason, sizeof reason))
        return host->fail(host, reason);
    if (driver->device_count(&n) != CUDA_SUCCESS || n < 0 || index >= (uint32_t)n)
        return GB_NOT_FOUND;
    return driver->device_get(ret_number, (int)index) == CUDA_SUCCESS ? GB_OK : GB_NOT_FOUND;
}

static int32_t describe(const struct gb_host *host, const void *params, uint32_t index,
                        struct gb_device_info *info, gb_fact_fn *fact, void *fact_context)
{
    (void)params;
    struct driver driver;
    CUdevice number = 0;
    const int32_t status = find(host, index, &driver, &number);
    if (status != GB_OK)
        return status;
    cuda_describe(&driver, number, index, info);
    if (fact != NULL)
        cuda_facts(&driver, number, fact, fact_context);
    return GB_OK;
}

static int32_t examine(const struct gb_host *host, const void *params, uint32_t index,
                       gb_finding_fn *finding, void *context)
{
    const struct params *settings = params;
    struct driver driver;
    CUdevice number = 0;
    const int32_t status = find(host, index, &driver, &number);
    if (status == GB_OK)
        cuda_examine(&driver, number, settings->cupti, finding, context);
    return status;
}

/* --- life --- */

static void close_device(void *object)
{
    struct timed_device *timed = object;
    if (timed == NULL)
        return;
    struct cuda_device *device = &timed->device;
    const struct driver *driver = &device->driver;
    if (device->context != NULL)
        driver->context_set(device->context);
    for (uint32_t i = 0; i < device->n_events; i++) {
        driver->event_destroy(device->starts[i]);
        driver->event_destroy(device->stops[i]);
    }
    way_forget(device, &timed->way);
    graph_free(device, &timed->offsets.nothing);
    graph_free(device, &timed->offsets.empty);
    stamps_close(&device->stamps);
    if (device->joined != NULL)
        driver->event_destroy(device->joined);
    if (device->judging != NULL)
        driver->module_unload(device->judging);
    if (device->stream != NULL)
        driver->stream_destroy(device->stream);
    hold_free(device->hold);
    sensors_close(&device->sensors);
    if (device->flush != 0)
        driver->free(device->flush);
    if (device->is_primary) {
        driver->context_set(NULL); /* one that has ended, but is current, looks like a program's */
        driver->context_release(device->number);
    }
    free(timed);
}

static int32_t start(struct timed_device *timed)
{
    struct cuda_device *device = &timed->device;
    const struct driver *driver = &device->driver;
    char pci[64] = "";
    CUresult result = cuda_take_context(device);
    if (result == CUDA_SUCCESS)
        result = driver->stream_create(&device->stream, CU_STREAM_DEFAULT);
    if (result != CUDA_SUCCESS)
        return cuda_status(device, result, "creating the context");
    device->flush_bytes = device->params->flush > 0
                              ? device->params->flush
                              : cuda_attribute(driver, device->number,
                                               CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
    if (driver->device_pci(pci, sizeof pci, device->number) == CUDA_SUCCESS)
        nvml_open(&device->nvml, pci);
    sensors_open(&device->sensors, &device->nvml);
    if (device->params->hold_back != 0)
        device->hold = hold_new(driver);
    return clocks_probe(timed);
}

static int32_t open_device(const struct gb_host *host, const void *params, uint32_t index,
                           void **ret_device)
{
    struct timed_device *timed = calloc(1, sizeof *timed);
    if (timed == NULL)
        return GB_NO_MEMORY;
    struct cuda_device *device = &timed->device;
    device->host = host;
    device->params = params;
    int32_t status = find(host, index, &device->driver, &device->number);
    if (status == GB_OK)
        status = start(timed);
    if (status != GB_OK) {
        close_device(timed);
        return status;
    }
    *ret_device = timed;
    return GB_OK;
}

static int32_t enter(const struct cuda_device *device)
{
    return cuda_enter(device, "entering the context");
}

/* --- memory --- */

static int32_t allocate(void *object, uint64_t bytes, uint32_t kind, void **ret_memory)
{
    struct cuda_device *device = object;
    const struct driver *driver = &device->driver;
    const size_t size = bytes > 0 ? (size_t)bytes : 1;
    CUdeviceptr memory = 0;
    CUresult result;
    const int32_t status = enter(device);
    if (status != GB_OK)
        return status;
    if (kind == GB_MEMORY_DEVICE) {
        result = driver->allocate(&memory, size);
        if (result == CUDA_SUCCESS)
            memcpy(ret_memory, &memory, sizeof memory);
    } else if (kind == GB_MEMORY_PINNED) {
        result = driver->host_allocate(ret_memory, size,
                                       CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP);
    } else {
        return GB_INVALID;
    }
    if (result == CUDA_ERROR_OUT_OF_MEMORY && kind == GB_MEMORY_DEVICE)
        return cuda_no_memory(device, bytes);
    return cuda_status(device, result, "allocating memory");
}

static void release(void *object, void *memory)
{
    const struct cuda_device *device = object;
    const struct driver *driver = &device->driver;
    const CUdeviceptr address = (CUdeviceptr)(uintptr_t)memory;
    unsigned type = 0;
    if (memory == NULL || driver->context_set(device->context) != CUDA_SUCCESS)
        return;
    driver->pointer_attribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address);
    if (type == CU_MEMORYTYPE_HOST)
        driver->host_free(memory);
    else
        driver->free(address);
}

/* Waits first: the queues do not wait for the default stream, on which this is done. */
static int32_t copy(void *object, void *to, const void *from, uint64_t bytes)
{
    const struct cuda_device *device = object;
    const struct driver *driver = &device->driver;
    const int32_t status = enter(device);
    if (status != GB_OK || bytes == 0)
        return status;
    CUresult result = driver->context_synchronize();
    if (result == CUDA_SUCCESS)
        result = driver->copy((CUdeviceptr)(uintptr_t)to, (CUdeviceptr)(uintptr_t)from,
                              (size_t)bytes);
    if (result == CUDA_SUCCESS)
        result = driver->context_synchronize();
    return cuda_status(device, result, "copying");
}

static int32_t fill(void *object, void *memory, uint32_t byte, uint64_t bytes)
{
    const struct cuda_device *device = object;
    const int32_t status = enter(device);
    if (status != GB_OK || bytes == 0)
        return status;
    CUresult result = device->driver.context_synchronize();
    if (result == CUDA_SUCCESS)
        result = cuda_fill(device, (CUdeviceptr)(uintptr_t)memory, (unsigned char)(byte & 0xff),
                           (size_t)bytes);
    return cuda_status(device, result, "filling");
}

/* --- queues --- */

/* A stream that the legacy default stream waits for and that waits for it: what a benchmark puts
 * there by mistake is timed as well, and cannot be captured. */
static int32_t queue_create(void *object, struct gb_queue **ret_queue)
{
    struct cuda_device *device = object;
    struct gb_queue *queue = calloc(1, sizeof *queue);
    if (queue == NULL)
        return GB_NO_MEMORY;
    CUstream stream = device->is_stream_lent ? NULL : device->stream;
    int32_t status = enter(device);
    if (status == GB_OK && stream == NULL)
        status = cuda_status(device, device->driver.stream_create(&stream, CU_STREAM_DEFAULT),
                             "creating a stream");
    if (status != GB_OK) {
        free(queue);
        return status;
    }
    queue->size = sizeof *queue;
    queue->native = stream;
    device->is_stream_lent |= stream == device->stream;
    *ret_queue = queue;
    return GB_OK;
}

static void queue_destroy(void *object, struct gb_queue *queue)
{
    struct cuda_device *device = object;
    if (queue == NULL)
        return;
    device->driver.context_set(device->context);
    if (queue->native == device->stream)
        device->is_stream_lent = false;
    else
        device->driver.stream_destroy(queue->native);
    free(queue);
}

/* All streams are waited for, so that errors of a benchmark's own are found here, too. What earlier
 * samples were like is forgotten, as the host waits between benchmarks; what resets a sample may
 * wait as well, and forgets nothing. */
static int32_t queue_synchronize(void *object, struct gb_queue *queue)
{
    struct timed_device *timed = object;
    struct cuda_device *device = &timed->device;
    (void)queue;
    int32_t status = enter(device);
    if (status == GB_OK && !timed->is_measuring)
        way_forget(device, &timed->way);
    if (status == GB_OK)
        status = cuda_status(device, device->driver.context_synchronize(),
                             "waiting for the device");
    if (!timed->is_measuring)
        sensors_forget(&device->sensors);
    return status;
}

/* --- measuring --- */

static int32_t clock_number(void *object, uint32_t i, struct gb_clock *clock)
{
    const struct timed_device *timed = object;
    if (i >= timed->n_clocks)
        return GB_NOT_FOUND;
    copy_known(clock, &timed->clocks[i], sizeof *clock);
    return GB_OK;
}

static int32_t take(struct timed_device *timed, struct gb_measurement *measurement)
{
    struct cuda_device *device = &timed->device;
    measurement->n_done = 0;
    measurement->n_lost = 0;
    if (measurement->clock >= timed->n_clocks || measurement->time_ns[measurement->clock] == NULL)
        return GB_INVALID;
    measurement->clocks_filled = 1u << measurement->clock;
    int32_t status = cuda_status(device, device->driver.context_set(device->context), "measuring");
    if (status == GB_OK && measurement->cache == GB_CACHE_COLD)
        status = cuda_reserve_flush(device);
    if (status == GB_OK)
        status = way_choose(timed, measurement);
    if (status != GB_OK)
        return status;
    if (GB_HAS(measurement, reading) && measurement->reading != NULL)
        copy_known(measurement->reading, &timed->way.reading, sizeof timed->way.reading);
    return way_take(device, &timed->way, measurement);
}

static int32_t measure(void *object, struct gb_measurement *measurement)
{
    struct timed_device *timed = object;
    timed->is_measuring = true;
    const int32_t status = take(timed, measurement);
    timed->is_measuring = false;
    return status;
}

static int32_t flush_cache(void *object, const struct gb_queue *queue)
{
    struct cuda_device *device = object;
    int32_t status = enter(device);
    if (status == GB_OK)
        status = cuda_reserve_flush(device);
    if (status != GB_OK)
        return status;
    return cuda_status(
        device, device->driver.fill_async(device->flush, 0, device->flush_bytes, queue->native),
        "flushing the cache");
}

static int32_t telemetry(void *object, struct gb_telemetry *telemetry)
{
    struct timed_device *timed = object;
    way_drop_ready(&timed->way);
    sensors_telemetry(&timed->device.sensors, telemetry);
    return GB_OK;
}

/* Not where kernels are recorded: these are none of the benchmark's. */
static int32_t reference(void *object, struct gb_reference *reference)
{
    enum { TIMES = 3 };
    struct timed_device *timed = object;
    struct cuda_device *device = &timed->device;
    CUresult result = CUDA_SUCCESS;
    if (device->stamps.module == NULL || timed->way.kind == WAY_RECORD || device->is_profiled)
        return GB_SKIPPED;
    way_drop_ready(&timed->way);
    int32_t status = enter(device);
    if (status != GB_OK)
        return status;
    for (uint32_t i = 0; i < TIMES && result == CUDA_SUCCESS; i++)
        result = stamps_put_reference(&device->stamps, device->stream, 2 * i);
    if (result == CUDA_SUCCESS)
        result = stamps_read(&device->stamps, device->stream, 2 * TIMES);
    status = cuda_status(device, result, "timing its reference work");
    if (status != GB_OK)
        return status;
    reference->version = STAMPS_REFERENCE;
    reference->time_ns = INFINITY;
    for (uint32_t i = 0; i < TIMES; i++)
        reference->time_ns = fmin(reference->time_ns,
                                  stamps_between(&device->stamps, 2 * i, 2 * i + 1));
    return GB_OK;
}

/* Where launches have become slower, because kernels have run side by side, the next benchmark
 * would be, too. */
static int32_t is_spent(void *object)
{
    struct timed_device *timed = object;
    const struct cuda_device *device = &timed->device;
    cupti_close(); /* recording makes launches slower, too, as long as it lasts */
    return enter(device) == GB_OK && offsets_have_moved(&timed->offsets, device, device->stream);
}

/* --- profilers: cudaProfilerStart and a range of NVTX, as ncu and nsys wait for --- */

typedef CUresult switch_fn(void);

/* Does nothing where no profiler is attached. */
static int32_t call_profiler(const struct cuda_device *device, const char *name)
{
    switch_fn *function = NULL;
    *(void **)&function = dlsym(device->driver.library, name);
    if (function == NULL)
        return device->host->skip(device->host, "the driver has no function to start a profiler");
    return cuda_status(device, function(), "starting or stopping the profiler");
}

static int32_t profile_begin(void *object, const char *name)
{
    struct timed_device *timed = object;
    struct cuda_device *device = &timed->device;
    device->is_profiled = true;
    way_drop_ready(&timed->way);
    way_leave_stamps(device, &timed->way);
    int32_t status = cuda_status(device, device->driver.context_set(device->context), "profiling");
    if (status == GB_OK)
        status = call_profiler(device, "cuProfilerStart");
    if (status == GB_OK)
        nvtxRangePushA(name);
    return status;
}

static int32_t profile_end(void *object)
{
    struct cuda_device *device = object;
    device->is_profiled = false;
    const int32_t status = cuda_status(device, device->driver.context_synchronize(), "profiling");
    nvtxRangePop();
    return status != GB_OK ? status : call_profiler(device, "cuProfilerStop");
}

static const struct gb_profile profile = {
    .size = sizeof profile, .begin = profile_begin, .end = profile_end};

static const struct gb_device_ops ops = {
    .size = sizeof ops,
    .flags = GB_DEVICE_GRAPHS,
    .count = count,
    .describe = describe,
    .open = open_device,
    .close = close_device,
    .allocate = allocate,
    .release = release,
    .copy = copy,
    .fill = fill,
    .queue_create = queue_create,
    .queue_destroy = queue_destroy,
    .queue_synchronize = queue_synchronize,
    .clock = clock_number,
    .measure = measure,
    .flush_cache = flush_cache,
    .telemetry = telemetry,
    .examine = examine,
    .is_spent = is_spent,
    .reference = reference,
};

static const void *extension(const char *id)
{
    return strcmp(id, GB_COUNTERS) == 0         ? (const void *)&cuda_counters
           : strcmp(id, GB_ACTIVITIES) == 0     ? (const void *)&cuda_activities
           : strcmp(id, GB_PROFILE) == 0        ? (const void *)&profile
           : strcmp(id, GB_GUEST) == 0          ? (const void *)&cuda_guest
           : strcmp(id, GB_JUDGING_DEVICE) == 0 ? (const void *)&cuda_judging
                                                : NULL;
}

static const struct gb_plugin plugin = {
    GB_PLUGIN(DEVICE, "cuda", "1.0", "NVIDIA GPUs, by the CUDA driver"),
    .help =
        "A benchmark's queue is a stream in the device's primary context, which is also that of "
        "the "
        "CUDA runtime; in a program that uses libgbrun it is one in the current context. The "
        "driver, CUPTI and NVML are opened when they are needed.\n\n"
        "The clock `kernel` reads time stamps on the device, kernels of one thread that store its "
        "timer, before and after each of up to 64 samples that are captured into a CUDA graph and "
        "launched again and again. The reading of stamps without any work is measured, subtracted "
        "from every sample and stored as `offset_ns`. `event` reads CUDA events around the work, "
        "`wall` the host's time with a wait for the device in each sample, `record` the first "
        "start and the last end in CUPTI's activity records, as profilers show them: recording "
        "slows kernels of short blocks, and a message states both times. Nothing is subtracted "
        "from these clocks.\n\n"
        "By the clock `kernel` and with `launch = auto` a single kernel, copy or fill is launched "
        "as a graph. Several of them (unless the benchmark prefers a graph, as functions of Python "
        "do), what copies from or to the host, and what cannot be captured, takes a different time "
        "or has a wrong result as a graph, are enqueued in the stream and read by events less an "
        "offset; `reading_note` says why, `graph_ns` what a graph would take. Work that the queue "
        "does not wait for is found before the first sample and fails the case.\n\n"
        "In the stream up to `batch_depth` samples are enqueued before the host waits for them. "
        "Each is held back on the device until all of it is launched, so that the host's gaps are "
        "not timed; one that is held for 20 ms, because its benchmark waits or launches more than "
        "the device can queue, is released and marked interrupted. After three in a row no further "
        "sample is held back, and `kernel` reads records, where CUPTI can be used.\n\n"
        "With `cache = cold` a buffer is written on the device before every sample, outside of its "
        "time. Samples are marked throttled where NVML gives a reason for a lower clock while they "
        "were taken; it is asked, and the clock is read, four times a second.\n\n"
        "`counters` are those of CUPTI's range profiler, which a libcupti of CUDA 12.6 or later "
        "has, and which drivers often permit to root only. A sample is run once for each pass that "
        "they need, on the stream also with `launch = graph`, while no activity is recorded. FLOP "
        "are the instructions of the threads (a fused multiply-add is two, those of half precision "
        "work on pairs) and the operations of the tensor cores; bytes are l1tex__t_bytes, "
        "lts__t_bytes and those that dram read and wrote.",
    GB_OPTIONS(options, struct params),
    .ops = &ops,
    .extension = extension,
};

GB_MODULE(&plugin)
