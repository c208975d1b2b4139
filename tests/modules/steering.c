/*
 * steering.c - a benchmark, a policy and a device, `steering` each, with escape sequences in every
 * text that they can give: what would set a terminal's title, clear it, put lines of its own into a
 * table, turn what follows around, and bytes that are not UTF-8. Nothing of it may reach a terminal
 * or a file. The option `how` ends the case in different ways; with `where = none` the device has
 * nothing and says so.
 */
#include "tests/modules/host_time.h"
#include "tests/modules/quiet_device.h"

#include <math.h>
#include <stdio.h>

#define ATTACK                                                                                     \
    "\033]0;title\a\033[2J\b\r\177\x9b"                                                            \
    "31m\xc2\x9b"                                                                                  \
    "31m\xc2\x85\xe2\x80\xae\xe2\x81\xa6\xe2\x80\xa8\xff\xc0\xaf\xed\xa0\x80\xe2\x82"
#define STEERING(words) words ATTACK " end"
#define PUT(array, words) snprintf(array, sizeof(array), "%s", STEERING(words))
#define PUT_SHORT(array, words) snprintf(array, sizeof(array), "%.31s", STEERING(words))

static const char *const endings[] = {"ok", "fail", "skip", "wrong", "crash"};
enum { ENDS_OK, ENDS_FAIL, ENDS_SKIP, ENDS_WRONG, ENDS_CRASH };

struct params {
    int32_t how;
};

static const struct gb_option options[] = {
    GB_CHOICE(struct params, how, "ok", endings, "how it ends"),
};

#define STEERING_PLUGIN(kind_)                                                                     \
    GB_PLUGIN(kind_, "steering", STEERING("1.0"), STEERING("summary")),                            \
        .help = STEERING("help"), GB_OPTIONS(options, struct params)

struct bench {
    const struct gb_host *host;
    int32_t how;
    double output, reference;
};

static int32_t create(const struct gb_host *host, const void *params, void **ret_bench)
{
    struct bench *bench = host->allocate(host, sizeof *bench);
    if (!bench)
        return GB_NO_MEMORY;
    *bench = (struct bench){host, ((const struct params *)params)->how, 1, 1};
    *ret_bench = bench;
    for (int32_t severity = GB_LOG_DEBUG; severity <= GB_LOG_PLUGIN_BUG; severity++)
        host->log(host, severity, STEERING("log"));
    host->metric(host, STEERING("metric"), 1, STEERING("unit"));
    fprintf(stdout, "%s\n", STEERING("stdout"));
    fprintf(stderr, "%s\n", STEERING("stderr"));
    fflush(stdout);
    return bench->how == ENDS_FAIL   ? host->fail(host, STEERING("fail"))
           : bench->how == ENDS_SKIP ? host->skip(host, STEERING("skip"))
                                     : GB_OK;
}

static int32_t run(void *object, const struct gb_queue *queue, uint64_t iterations)
{
    const struct bench *bench = object;
    (void)queue, (void)iterations;
    if (bench->how == ENDS_CRASH)
        abort();
    return GB_OK;
}

static int32_t verify(void *object, const struct gb_queue *queue)
{
    struct bench *bench = object;
    const struct gb_check check = {.size = sizeof check,
                                   .format = GB_F64,
                                   .name = STEERING("check"),
                                   .n = 1,
                                   .output = &bench->output,
                                   .reference = &bench->reference,
                                   .default_metric = "abs"};
    (void)queue;
    bench->output += bench->how == ENDS_WRONG;
    return bench->host->check(bench->host, &check);
}

static int32_t work(void *bench, struct gb_work *work)
{
    (void)bench;
    work->items = work->flops = work->bytes_read = 1;
    work->item = STEERING("item");
    return GB_OK;
}

static int32_t validate(const struct gb_host *host, const void *params, gb_problem_fn *problem,
                        void *context)
{
    (void)host;
    if (getenv("STEERING_PROBLEM") && ((const struct params *)params)->how == ENDS_OK)
        problem(context, "how", 0, STEERING("problem"));
    return GB_OK;
}

static const struct gb_bench_ops bench_ops = {
    .size = sizeof bench_ops, .create = create, .run = run, .verify = verify, .work = work};

static const void *bench_extension(const char *id)
{
    static const struct gb_validation validation = {.size = sizeof validation,
                                                    .validate = validate};
    return strcmp(id, GB_VALIDATION) == 0 ? &validation : NULL;
}

static const struct gb_plugin bench_plugin = {STEERING_PLUGIN(BENCH), .ops = &bench_ops,
                                              .extension = bench_extension};

/* ---- the policy ---- */

static int32_t observe(void *policy, const struct gb_samples *samples)
{
    (void)policy, (void)samples;
    return GB_OK;
}

static int32_t next(void *policy, struct gb_next *next)
{
    struct bench *state = policy;
    next->decision = state->output++ < 10 ? GB_MORE : GB_DONE;
    next->n_samples = (uint64_t)state->output;
    PUT(next->reason, "reason");
    return GB_OK;
}

static int32_t report(void *policy, struct gb_estimate *estimate)
{
    struct bench *state = policy;
    estimate->value_ns = estimate->low_ns = estimate->high_ns = 1000;
    estimate->n = 10;
    PUT_SHORT(estimate->statistic, "s");
    state->host->metric(state->host, STEERING("of the policy"), 2, STEERING("unit"));
    return GB_OK;
}

static const struct gb_policy_ops policy_ops = {.size = sizeof policy_ops,
                                                .create = create,
                                                .observe = observe,
                                                .next = next,
                                                .report = report};
static const struct gb_plugin policy_plugin = {STEERING_PLUGIN(POLICY), .ops = &policy_ops};

/* ---- the device ---- */

static int32_t count(const struct gb_host *host, const void *params, uint32_t *ret_n)
{
    *ret_n = ((const struct params *)params)->how != ENDS_SKIP;
    return *ret_n ? GB_OK : host->skip(host, STEERING("no device"));
}

static int32_t describe(const struct gb_host *host, const void *params, uint32_t index,
                        struct gb_device_info *info, gb_fact_fn *fact, void *context)
{
    (void)host, (void)params;
    info->index = index;
    PUT_SHORT(info->backend, "b");
    PUT(info->model, "model");
    PUT(info->uuid, "uuid");
    info->n_units = 1;
    if (fact)
        fact(context, STEERING("fact"), STEERING("value"));
    return GB_OK;
}

static int32_t open_device(const struct gb_host *host, const void *params, uint32_t index,
                           void **ret_device)
{
    (void)index;
    host->log(host, GB_LOG_WARNING, STEERING("opened"));
    *ret_device = host->allocate(host, 8);
    return ((const struct params *)params)->how == ENDS_FAIL
               ? host->fail(host, STEERING("cannot be opened"))
               : GB_OK;
}

static void close_device(void *device)
{
    (void)device; /* the host's memory */
}

static int32_t clock_of(void *device, uint32_t i, struct gb_clock *clock)
{
    (void)device;
    if (i > 1)
        return GB_NOT_FOUND;
    snprintf(clock->name, sizeof clock->name, "%.31s", i ? "second" : STEERING("c"));
    PUT(clock->help, "help");
    clock->tick_ns = clock->overhead_ns = 1;
    return GB_OK;
}

static int32_t measure(void *device, struct gb_measurement *measurement)
{
    int32_t status = GB_OK;
    (void)device;
    if (measurement->reading)
        PUT(measurement->reading->note, "note");
    for (uint64_t i = 0; i < measurement->n_samples && status == GB_OK; i++) {
        const double time_ns = 1000.0 * (double)measurement->iterations;
        status = measurement->bench_ops->run(measurement->bench, measurement->queue,
                                             measurement->iterations);
        for (int j = 0; j < 2; j++)
            if (measurement->time_ns[j])
                measurement->time_ns[j][i] = time_ns;
        measurement->begin_ns[i] = now_ns() - time_ns;
        measurement->end_ns[i] = now_ns();
        measurement->clock_hz[i] = 1e9;
        measurement->throttle[i] = 1;
        measurement->flags[i] = GB_SAMPLE_THROTTLED;
        measurement->n_done += status == GB_OK;
    }
    measurement->clocks_filled = 3;
    return status;
}

static int32_t telemetry(void *device, struct gb_telemetry *telemetry)
{
    (void)device;
    telemetry->throttle = 1;
    PUT(telemetry->throttle_text, "throttled");
    return GB_OK;
}

static int32_t examine(const struct gb_host *host, const void *params, uint32_t index,
                       gb_finding_fn *finding, void *context)
{
    const struct gb_finding found = {.size = sizeof found,
                                     .is_noisy = 1,
                                     .subject = STEERING("subject"),
                                     .state = STEERING("state"),
                                     .why = STEERING("why"),
                                     .cure = STEERING("fix")};
    (void)index;
    finding(context, &found);
    return ((const struct params *)params)->how == ENDS_FAIL
               ? host->fail(host, STEERING("cannot be examined"))
               : GB_OK;
}

static int32_t list_counters(const struct gb_host *host, const void *params, uint32_t index,
                             const char *model, const char *whole, gb_counter_fn *counter,
                             void *context)
{
    const struct gb_counter one = {.size = sizeof one,
                                   .name = STEERING("counter"),
                                   .unit = STEERING("unit"),
                                   .help = STEERING("help")};
    (void)host, (void)params, (void)index, (void)model, (void)whole;
    counter(context, &one);
    return GB_OK;
}

static int32_t count_values(void *device, struct gb_counting *counting)
{
    (void)device;
    counting->n_passes = 1;
    counting->count(counting->context, STEERING("counter"), 1, STEERING("unit"));
    PUT(counting->made_from, "made from");
    PUT(counting->missing, "missing");
    return GB_OK;
}

static int32_t list_activities(void *device, const struct gb_measurement *measurement,
                               uint64_t n_samples, gb_activity_fn *activity, void *context)
{
    struct gb_activity one = {.size = sizeof one,
                              .kind = GB_ACTIVITY_KERNEL,
                              .grid = {1, 1, 1},
                              .block = {1, 1, 1},
                              .occupancy = 1,
                              .time_ns = 900,
                              .low_ns = 900,
                              .high_ns = 900,
                              .gap_ns = NAN};
    (void)device, (void)measurement, (void)n_samples;
    PUT(one.name, "kernel");
    activity(context, &one);
    return GB_OK;
}

static const void *device_extension(const char *id)
{
    static const struct gb_counters counters = {
        .size = sizeof counters, .list = list_counters, .count = count_values};
    static const struct gb_activities activities = {.size = sizeof activities,
                                                    .list = list_activities};
    return strcmp(id, GB_COUNTERS) == 0     ? (const void *)&counters
           : strcmp(id, GB_ACTIVITIES) == 0 ? (const void *)&activities
                                            : NULL;
}

static const struct gb_device_ops device_ops = {
    .size = sizeof device_ops,
    .count = count,
    .describe = describe,
    .open = open_device,
    .close = close_device,
    .allocate = quiet_allocate,
    .release = quiet_release,
    .copy = quiet_copy,
    .fill = quiet_fill,
    .queue_create = quiet_queue_create,
    .queue_destroy = quiet_queue_destroy,
    .queue_synchronize = quiet_synchronize,
    .clock = clock_of,
    .measure = measure,
    .flush_cache = quiet_flush,
    .telemetry = telemetry,
    .examine = examine,
};
static const struct gb_plugin device_plugin = {STEERING_PLUGIN(DEVICE), .ops = &device_ops,
                                               .extension = device_extension};

GB_MODULE(&bench_plugin, &policy_plugin, &device_plugin)
