/*
 * simulated.c - a device that computes its samples, to try stopping policies on: times with noise,
 * a drift, a step, outliers and a timer that ticks, all from a seed. Its clock is its own: what
 * gbrun waits for on it (warm-up, max_time, a policy's min_time) takes no time, and each run of it
 * gives the same samples on every machine.
 */
#include <gbrun/gbrun.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct params {
    double time, noise, drift, step, step_at, outliers, tick, gap;
    int64_t seed;
};
static const struct gb_option options[] = {
    GB_DURATION(struct params, time, "1us", "0:", "time of an iteration"),
    GB_FLOAT(struct params, noise, "0.01", "0:", NULL, "standard deviation, relative"),
    GB_FLOAT(struct params, drift, "0", "-1:1", NULL, "relative change in each second"),
    GB_FLOAT(struct params, step, "0", "-1:", NULL, "relative change at step_at"),
    GB_DURATION(struct params, step_at, "0", "0:", "when it steps, since the first sample"),
    GB_FLOAT(struct params, outliers, "0", "0:1", NULL, "share of samples that take five times"),
    GB_DURATION(struct params, tick, "1ns", "0:", "timer resolution; times are multiples of it"),
    GB_DURATION(struct params, gap, "1us", "0:", "between two samples"),
    GB_INT(struct params, seed, "1", "0:", NULL, "of the noise")};

struct device {
    const struct params *params;
    uint64_t random;
    double now_ns;
    struct gb_queue queue;
};

/* xorshift64*: Vigna, "An experimental exploration of Marsaglia's xorshift generators", 2016. */
static double uniform(struct device *device)
{
    device->random ^= device->random >> 12;
    device->random ^= device->random << 25;
    device->random ^= device->random >> 27;
    return (double)(device->random * 0x2545F4914F6CDD1Du >> 11) / 9007199254740992.0;
}

/* The sum of twelve uniform numbers has variance 1, and is near enough to normal. */
static double normal(struct device *device)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += uniform(device);
    return sum;
}

/* What the machine does to all that runs on it, and noise. */
static double ratio_of(const struct params *params, double since_ns, double noise)
{
    const double ratio = 1 + params->drift * since_ns / 1e9 + noise;
    return params->step != 0 && since_ns >= params->step_at ? ratio * (1 + params->step) : ratio;
}

static double sample_ns(struct device *device, double since_ns)
{
    const struct params *params = device->params;
    double ratio = ratio_of(params, since_ns, params->noise * normal(device));
    if (uniform(device) < params->outliers)
        ratio *= 5;
    return params->time * ratio;
}

static int32_t count(const struct gb_host *host, const void *params, uint32_t *ret_n)
{
    (void)host, (void)params;
    *ret_n = 1;
    return GB_OK;
}

static int32_t describe(const struct gb_host *host, const void *params, uint32_t index,
                        struct gb_device_info *info, gb_fact_fn *fact, void *fact_context)
{
    (void)host, (void)params, (void)fact, (void)fact_context;
    info->index = index;
    info->n_units = 1;
    strcpy(info->backend, "simulated");
    strcpy(info->model, "a simulation");
    return GB_OK;
}

enum { BEGIN_NS = 1000000000 };

static int32_t open_device(const struct gb_host *host, const void *object, uint32_t index,
                           void **ret_device)
{
    struct device *device = *ret_device = host->allocate(host, sizeof *device);
    (void)index;
    if (!device)
        return GB_NO_MEMORY;
    device->params = object;
    device->random = (uint64_t)device->params->seed * 2 + 1;
    for (int i = 0; i < 16; i++) /* small seeds are mixed */
        uniform(device);
    device->now_ns = BEGIN_NS;
    device->queue.size = sizeof device->queue;
    return GB_OK;
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

static int32_t no_work(void *device, const struct gb_queue *queue)
{
    (void)device, (void)queue;
    return GB_OK;
}

static int32_t queue_synchronize(void *device, struct gb_queue *queue)
{
    return no_work(device, queue);
}

static int32_t clock_of(void *object, uint32_t i, struct gb_clock *clock)
{
    const struct device *device = object;
    if (i > 0)
        return GB_NOT_FOUND;
    clock->tick_ns = device->params->tick;
    strcpy(clock->name, "simulated");
    strcpy(clock->help, "computed");
    return GB_OK;
}

static int32_t measure(void *object, struct gb_measurement *m)
{
    struct device *device = object;
    const double tick_ns = device->params->tick;
    m->clocks_filled = 1;
    for (uint64_t i = 0; i < m->n_samples; i++) {
        double time_ns = 0;
        int32_t status = GB_OK;
        if (m->deadline_ns > 0 && device->now_ns >= m->deadline_ns)
            break;
        if (m->bench_ops->reset)
            status = m->bench_ops->reset(m->bench, m->queue);
        if (status == GB_OK)
            status = m->bench_ops->run(m->bench, m->queue, m->iterations);
        if (status != GB_OK)
            return status;
        for (uint64_t k = 0; k < m->iterations; k++)
            time_ns += sample_ns(device, device->now_ns - BEGIN_NS);
        m->begin_ns[i] = device->now_ns;
        m->end_ns[i] = m->begin_ns[i] + time_ns;
        device->now_ns = m->end_ns[i] + m->gap_ns + device->params->gap;
        if (m->time_ns[0])
            m->time_ns[0][i] = tick_ns > 0 ? rint(time_ns / tick_ns) * tick_ns : time_ns;
        m->clock_hz[i] = 0;
        m->throttle[i] = 0;
        m->flags[i] = 0;
        m->n_done = i + 1;
    }
    return GB_OK;
}

static int32_t telemetry(void *device, struct gb_telemetry *values)
{
    (void)device;
    values->clock_hz = values->memory_clock_hz = (double)NAN;
    values->temperature_celsius = values->power_watts = values->energy_joules = (double)NAN;
    return GB_OK;
}

static double now_ns(void *device)
{
    return ((const struct device *)device)->now_ns;
}

/* Of the machine alone: what drifts and steps in samples does so here. */
static int32_t reference(void *object, struct gb_reference *reference)
{
    struct device *device = object;
    reference->version = 1;
    reference->time_ns = 1e5 * ratio_of(device->params, device->now_ns - BEGIN_NS, 0);
    device->now_ns += 3 * reference->time_ns; /* as if of three */
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
    .flush_cache = no_work,
    .telemetry = telemetry,
    .now_ns = now_ns,
    .reference = reference,
};
static const struct gb_plugin device_plugin = {
    GB_PLUGIN(DEVICE, "simulated", "1.0", "samples that are computed from a seed"),
    GB_OPTIONS(options, struct params), .ops = &ops};

/* What is measured on it does nothing. */
struct nothing {
    const struct gb_host *host;
    int64_t part;
};
static const struct gb_option nothing_options[] = {
    GB_INT(struct nothing, part, "1", "1:", NULL, "tells cases apart")};
GB_TIMED(run, struct nothing, nothing)
{
    (void)nothing;
}
GB_BENCH_ON("simulated", simulated_work, struct nothing, nothing_options,
            "work that a simulated device computes the time of", .run = run)
GB_MODULE(&device_plugin, &simulated_work)
