/*
 * plugin_name.c - a device to start from: the processor, timed by a clock that does not run while
 * another program has it. gbrun asks it for memory and queues and has it measure; what a GPU's
 * would do elsewhere is done here by the C library.
 */
#define _POSIX_C_SOURCE 200809L
#include <gbrun/gbrun.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct params {
    uint64_t cache;
};
static const struct gb_option options[] = {
    GB_BYTES(struct params, cache, "64MiB", "1:", "what is written to make the caches cold")};

struct device {
    uint64_t cache_bytes;
    char *cache;
    struct gb_queue queue;
};

enum { N_CLOCKS = 2 };
static const struct {
    clockid_t id;
    const char *name, *help;
} clocks[N_CLOCKS] = {
    {CLOCK_THREAD_CPUTIME_ID, "processor", "processor time of the thread"},
    {CLOCK_MONOTONIC, "wall", "elapsed time"},
};

static double now_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

/* --- in a process that only describes --- */

static int32_t count(const struct gb_host *host, const void *params, uint32_t *ret_n)
{
    (void)host, (void)params;
    *ret_n = 1;
    return GB_OK;
}

static int32_t describe(const struct gb_host *host, const void *params, uint32_t index,
                        struct gb_device_info *info, gb_fact_fn *fact, void *fact_context)
{
    (void)host;
    info->index = index;
    info->cache_bytes = ((const struct params *)params)->cache;
    info->n_units = 1;
    strcpy(info->backend, "plugin_name");
    strcpy(info->model, "a processor"); /* of the hardware: part of what a case is */
    if (fact)
        fact(fact_context, "clock", "CLOCK_THREAD_CPUTIME_ID");
    return GB_OK;
}

/* --- in a worker --- */

static int32_t open_device(const struct gb_host *host, const void *params, uint32_t index,
                           void **ret_device)
{
    struct device *device = host->allocate(host, sizeof *device); /* gbrun frees it */
    (void)index;
    if (!device)
        return GB_NO_MEMORY;
    device->cache_bytes = ((const struct params *)params)->cache;
    device->cache = host->allocate(host, device->cache_bytes);
    device->queue.size = sizeof device->queue;
    *ret_device = device;
    return device->cache ? GB_OK : GB_NO_MEMORY;
}

static void close_device(void *device)
{
    (void)device;
}

static int32_t allocate(void *device, uint64_t bytes, uint32_t kind, void **ret_memory)
{
    (void)device, (void)kind;
    *ret_memory = calloc(1, bytes > 0 ? (size_t)bytes : 1);
    return *ret_memory ? GB_OK : GB_NO_MEMORY;
}

static void release(void *device, void *memory)
{
    (void)device;
    free(memory);
}

static int32_t copy(void *device, void *to, const void *from, uint64_t bytes)
{
    (void)device;
    memmove(to, from, (size_t)bytes);
    return GB_OK;
}

static int32_t fill(void *device, void *memory, uint32_t byte, uint64_t bytes)
{
    (void)device;
    memset(memory, (int)byte, (size_t)bytes);
    return GB_OK;
}

static int32_t queue_create(void *device, struct gb_queue **ret_queue)
{
    *ret_queue = &((struct device *)device)->queue;
    return GB_OK;
}

static void queue_destroy(void *device, struct gb_queue *queue)
{
    (void)device, (void)queue;
}

static int32_t queue_synchronize(void *device, struct gb_queue *queue)
{
    (void)device, (void)queue; /* run has done its work when it returns */
    return GB_OK;
}

static int32_t clock_of(void *device, uint32_t i, struct gb_clock *clock)
{
    double begin_ns, end_ns;
    (void)device;
    if (i >= N_CLOCKS)
        return GB_NOT_FOUND;
    begin_ns = now_ns(clocks[i].id);
    while ((end_ns = now_ns(clocks[i].id)) <= begin_ns) /* until it has moved */
        continue;
    clock->tick_ns = end_ns - begin_ns;
    clock->overhead_ns = end_ns - begin_ns;
    clock->min_sample_ns = 100 * clock->tick_ns; /* shorter samples get more iterations */
    snprintf(clock->name, sizeof clock->name, "%s", clocks[i].name);
    snprintf(clock->help, sizeof clock->help, "%s", clocks[i].help);
    return GB_OK;
}

static int32_t flush_cache(void *object, const struct gb_queue *queue)
{
    struct device *device = object;
    (void)queue;
    memset(device->cache, device->cache[0] + 1, (size_t)device->cache_bytes);
    GB_CLOBBER();
    return GB_OK;
}

/* One sample: what is untimed, then the clocks around run. */
static int32_t measure_one(struct device *device, struct gb_measurement *m, uint64_t i)
{
    const struct gb_bench_ops *ops = m->bench_ops;
    double begin_ns[N_CLOCKS], end_ns[N_CLOCKS];
    int32_t status = ops->reset ? ops->reset(m->bench, m->queue) : GB_OK;
    if (status == GB_OK && m->cache == GB_CACHE_COLD)
        status = flush_cache(device, m->queue);
    if (status != GB_OK)
        return status;
    for (int k = N_CLOCKS - 1; k >= 0; k--)
        begin_ns[k] = now_ns(clocks[k].id);
    status = ops->run(m->bench, m->queue, m->iterations);
    for (int k = 0; k < N_CLOCKS; k++)
        end_ns[k] = now_ns(clocks[k].id);
    for (int k = 0; k < N_CLOCKS; k++)
        if (m->time_ns[k])
            m->time_ns[k][i] = end_ns[k] - begin_ns[k];
    m->begin_ns[i] = begin_ns[N_CLOCKS - 1];
    m->end_ns[i] = end_ns[N_CLOCKS - 1];
    m->clock_hz[i] = 0; /* not known */
    m->throttle[i] = 0;
    m->flags[i] = 0;
    return status;
}

static int32_t measure(void *object, struct gb_measurement *m)
{
    int32_t status = GB_OK;
    m->clocks_filled = (1u << N_CLOCKS) - 1;
    for (uint64_t i = 0; i < m->n_samples && status == GB_OK; i++) {
        if (m->deadline_ns > 0 && now_ns(CLOCK_MONOTONIC) >= m->deadline_ns)
            break;
        status = measure_one(object, m, i);
        if (status == GB_OK)
            m->n_done = i + 1;
        const double end_ns = now_ns(CLOCK_MONOTONIC) + m->gap_ns;
        while (m->gap_ns > 0 && now_ns(CLOCK_MONOTONIC) < end_ns) /* idle, if that is asked for */
            continue;
    }
    return status;
}

static int32_t telemetry(void *device, struct gb_telemetry *values)
{
    (void)device;
    values->clock_hz = values->memory_clock_hz = (double)NAN; /* not known */
    values->temperature_celsius = values->power_watts = values->energy_joules = (double)NAN;
    return GB_OK;
}

static const struct gb_device_ops ops = {
    .size = sizeof ops,
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
    .clock = clock_of,
    .measure = measure,
    .flush_cache = flush_cache,
    .telemetry = telemetry,
};
static const struct gb_plugin device_plugin = {
    GB_PLUGIN(DEVICE, "plugin_name", "1.0", "the processor, by processor time"),
    GB_OPTIONS(options, struct params), .ops = &ops};

/* A benchmark for it, as those of gbrun name the devices that they run on. */
struct product {
    const struct gb_host *host;
    int64_t n;
    uint64_t value;
};
static const struct gb_option product_options[] = {
    GB_INT(struct product, n, "1000", "1:1e9", "factors", "length of the chain")};
GB_TIMED(run, struct product, chain)
{
    chain->value = 1;
    for (int64_t i = 0; i < chain->n; i++) {
        chain->value *= 3;
        GB_KEEP(chain);
    }
}
GB_UNTIMED(verify, struct product, chain)
{
    uint64_t power = 1, square = 3;
    for (int64_t n = chain->n; n > 0; n /= 2, square *= square)
        power *= n % 2 ? square : 1;
    return chain->host->checked(chain->host, "power", chain->value == power, "is not 3^n");
}
GB_BENCH_ON("plugin_name", plugin_name_powers, struct product, product_options,
            "powers of three, one factor at a time", .run = run, .verify = verify)
GB_MODULE(&device_plugin, &plugin_name_powers)
