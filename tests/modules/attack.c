/*
 * attack.c - a benchmark, a device and a policy, all called `attack`, that do what the option
 * `attack` names in the function that `where` names. Else they behave well. gbrun must name the
 * case, keep it within its time limit, and measure all other cases as if nothing had been.
 * tests/hostile/test_attacks.sh has what is expected of each.
 *
 * `steering`, of each kind as well, has escape sequences in every text that it can give: what would
 * set a terminal's title, clear it, put lines of its own into a table, turn what follows around,
 * and bytes that are not UTF-8. Nothing of it may reach a terminal or a file. The option `how` ends
 * the case in different ways; as a device it has nothing with `skip`, and says so.
 */
#include "attacks.h"

/* In a function whose object is named `object`. */
#define LIE(name, statement)                                                                       \
    if (lies(object, IS_##name))                                                                   \
        statement;

#define SEQUENCES                                                                                  \
    "\033]0;title\a\033[2J\b\r\177\x9b"                                                            \
    "31m\xc2\x9b"                                                                                  \
    "31m\xc2\x85\xe2\x80\xae\xe2\x81\xa6\xe2\x80\xa8\xff\xc0\xaf\xed\xa0\x80\xe2\x82"
#define STEERING(words) words SEQUENCES " end"
#define PUT(array, words) snprintf(array, sizeof(array), "%s", STEERING(words))
#define PUT_SHORT(array, words) snprintf(array, sizeof(array), "%.31s", STEERING(words))

static const char *const endings[] = {"ok", "fail", "skip", "wrong", "crash"};
enum { ENDS_OK, ENDS_FAIL, ENDS_SKIP, ENDS_WRONG, ENDS_CRASH };

struct params {
    int32_t where, attack, how, steers;
};

static const struct gb_option options[] = {
    GB_CHOICE(struct params, where, "run", places, "the function that attacks"),
    GB_CHOICE(struct params, attack, "nothing", attacks, "what it does"),
};
static const struct gb_option steering_options[] = {
    GB_CHOICE(struct params, how, "ok", endings, "how it ends"),
    GB_BOOL(struct params, steers, "yes", "does what it is for"),
};

/* A benchmark, a device or a policy. */
struct object {
    const struct params *params;
    const struct gb_host *host;
    struct gb_queue queue;
    double now_ns;
    uint64_t n;
    double sum_ns;
    void *memory;
};

static int32_t act_with(const struct gb_host *host, const struct params *params, int32_t where)
{
    if (params->where != where)
        return GB_OK;
    switch (params->attack) {
#define DO(name, status)                                                                           \
    case IS_##name:                                                                                \
        return status;
        ANYWHERE(DO)
    default:
        return GB_OK;
    }
}

static int32_t act(const void *object, int32_t where)
{
    const struct object *self = object;
    return act_with(self->host, self->params, where);
}

static int lies(const void *object, int32_t attack)
{
    return ((const struct object *)object)->params->attack == attack;
}

static int steers(const void *object)
{
    return ((const struct object *)object)->params->steers;
}

static int32_t make(const struct gb_host *host, const void *params, int32_t where, void **ret)
{
    int32_t status = act_with(host, params, where);
    struct object *object = calloc(1, sizeof *object);
    if (status != GB_OK || !object)
        return object ? status : GB_NO_MEMORY;
    object->host = host;
    object->params = params;
    object->queue.size = sizeof object->queue;
    object->now_ns = 1e9;
    *ret = lies(object, IS_null_bench) || lies(object, IS_null_device) ? NULL : object;
    return GB_OK;
}

/* A function that does something and acts. */
#define ACTS(name, where, parameters, ...)                                                         \
    static int32_t name parameters                                                                 \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
        return act(object, where);                                                                 \
    }

/* ---- the benchmark ---- */

static int32_t speak(const struct gb_host *host, int32_t how)
{
    for (int32_t severity = GB_LOG_DEBUG; severity <= GB_LOG_PLUGIN_BUG; severity++)
        host->log(host, severity, STEERING("log"));
    host->metric(host, STEERING("metric"), 1, STEERING("unit"));
    fprintf(stdout, "%s\n", STEERING("stdout"));
    fprintf(stderr, "%s\n", STEERING("stderr"));
    fflush(stdout);
    return how == ENDS_FAIL   ? host->fail(host, STEERING("fail"))
           : how == ENDS_SKIP ? host->skip(host, STEERING("skip"))
                              : GB_OK;
}

static int32_t speak_and_make(const struct gb_host *host, const void *object, int32_t where,
                              void **ret)
{
    const struct params *params = object;
    const int32_t status = params->steers ? speak(host, params->how) : GB_OK;
    return status == GB_OK ? make(host, params, where, ret) : status;
}

static int32_t create(const struct gb_host *host, const void *params, void **ret_bench)
{
    return speak_and_make(host, params, AT_create, ret_bench);
}

static int32_t prepare(void *object, const struct gb_queue *queue)
{
    struct object *bench = object;
    const struct gb_host *host = bench->host;
    char byte = 0;
    int32_t status = host->device_allocate(host, 64, GB_MEMORY_DEVICE, &bench->memory);
    if (status == GB_OK)
        status = host->device_fill(host, bench->memory, 1, 64);
    if (status == GB_OK)
        status = host->device_copy(host, &byte, bench->memory, 1);
    return status == GB_OK ? act(bench, AT_prepare) : status;
}

static int32_t work(void *object, struct gb_work *ret)
{
    double odd = 0;
    WORK_LIES(LIE)
    ret->flops = ret->bytes_read = ret->bytes_written = ret->items = odd;
    if (steers(object)) {
        ret->items = ret->flops = ret->bytes_read = 1;
        ret->item = STEERING("item");
    }
    return act(object, AT_work);
}

static int32_t run(void *bench, const struct gb_queue *queue, uint64_t iterations)
{
    if (((struct object *)bench)->params->how == ENDS_CRASH)
        abort();
    return act(bench, AT_run);
}

ACTS(reset, AT_reset, (void *object, const struct gb_queue *queue))

static int32_t verify(void *bench, const struct gb_queue *queue)
{
    const struct object *self = bench;
    const double output = self->params->how == ENDS_WRONG ? 2 : 1;
    if (steers(bench))
        return gb_check_number(self->host, STEERING("check"), output, 1, 0);
    return act(bench, AT_verify);
}

static void destroy(void *bench)
{
    act(bench, AT_destroy);
    free(bench);
}

static const SIZED(gb_bench_ops, bench_ops, .create = create, .prepare = prepare, .work = work,
                   .run = run, .reset = reset, .verify = verify, .destroy = destroy);

static int32_t validate(const struct gb_host *host, const void *params, gb_problem_fn *problem,
                        void *context)
{
    if (getenv("STEERING_PROBLEM") && ((const struct params *)params)->how == ENDS_OK)
        problem(context, "how", 0, STEERING("problem"));
    return GB_OK;
}

static const void *bench_extension(const char *id)
{
    static const struct gb_validation validation = {.size = sizeof validation,
                                                    .validate = validate};
    return strcmp(id, GB_VALIDATION) == 0 ? &validation : NULL;
}

/* ---- the device ---- */

static int32_t count(const struct gb_host *host, const void *object, uint32_t *ret_n)
{
    const struct params *params = object;
    *ret_n = params->attack == IS_no_devices    ? 0
             : params->attack == IS_all_devices ? UINT32_MAX
                                                : 1;
    if (params->how == ENDS_SKIP) {
        *ret_n = 0;
        return host->skip(host, STEERING("no device"));
    }
    return act_with(host, params, AT_count);
}

static void unend_info(struct gb_device_info *info)
{
    memset(info->backend, 'x', sizeof *info - offsetof(struct gb_device_info, backend));
    info->size = info->index = UINT32_MAX;
}

static int32_t describe(const struct gb_host *host, const void *params, uint32_t index,
                        struct gb_device_info *info, gb_fact_fn *fact, void *context)
{
    const struct object described = {.params = params}, *object = &described;
    strcpy(info->backend, "attack");
    strcpy(info->model, "Attack 1");
    info->index = index;
    INFO_LIES(LIE)
    if (steers(object)) {
        PUT_SHORT(info->backend, "b");
        PUT(info->model, "model");
        PUT(info->uuid, "uuid");
        info->n_units = 1;
    }
    if (steers(object) && fact)
        fact(context, STEERING("fact"), STEERING("value"));
    for (int i = 0; fact && lies(object, IS_many_facts) && i < 100000; i++)
        fact(context, "fact", odd_text(NOT_UTF8));
    return act_with(host, params, AT_describe);
}

static int32_t open_device(const struct gb_host *host, const void *object, uint32_t index,
                           void **ret_device)
{
    const struct params *params = object;
    if (params->steers)
        host->log(host, GB_LOG_WARNING, STEERING("opened"));
    if (params->how == ENDS_FAIL)
        return host->fail(host, STEERING("cannot be opened"));
    return make(host, params, AT_open, ret_device);
}

static void close_device(void *device)
{
    free(device);
}

static int32_t allocate(void *device, uint64_t bytes, uint32_t kind, void **ret_memory)
{
    *ret_memory = calloc(1, bytes + 1);
    return *ret_memory ? act(device, AT_allocate) : GB_NO_MEMORY;
}

static void release(void *device, void *memory)
{
    act(device, AT_release);
    free(memory);
}

ACTS(copy, AT_copy, (void *object, void *to, const void *from, uint64_t bytes),
     memmove(to, from, bytes))
ACTS(fill, AT_fill, (void *object, void *memory, uint32_t byte, uint64_t bytes),
     memset(memory, (int)byte, bytes))
ACTS(synchronize, AT_synchronize, (void *object, struct gb_queue *queue))
ACTS(flush, AT_flush, (void *object, const struct gb_queue *queue))

static int32_t queue_create(void *device, struct gb_queue **ret_queue)
{
    *ret_queue = lies(device, IS_null_queue) ? NULL : &((struct object *)device)->queue;
    return act(device, AT_queue_create);
}

static void queue_destroy(void *device, struct gb_queue *queue)
{
}

static int32_t clock_of(void *object, uint32_t i, struct gb_clock *clock)
{
    const uint32_t n = lies(object, IS_no_clock) ? 0 : steers(object) ? 2 : 1;
    if (i >= n && !lies(object, IS_clocks_alike))
        return GB_NOT_FOUND;
    strcpy(clock->name, i == 0 || lies(object, IS_clocks_alike) ? "ticks" : "second");
    if (steers(object) && i == 0)
        PUT_SHORT(clock->name, "c");
    if (steers(object))
        PUT(clock->help, "help");
    clock->tick_ns = clock->overhead_ns = 1;
    CLOCK_LIES(LIE)
    return act(object, AT_clock);
}

static double time_of(const struct object *device)
{
    const size_t i = (size_t)(device->params->attack - IS_nan_times);
#define TIME(name, value) (double)(value),
    static const double times[] = {TIMES(TIME)};
    return i < sizeof times / sizeof times[0] ? times[i] : 1e6 + (double)device->n;
}

static void write_sample(struct object *device, struct gb_measurement *to, uint64_t i)
{
    const double time_ns = time_of(device);
    for (int c = 0; c < GB_CLOCKS_MAX; c++)
        if (to->time_ns[c])
            to->time_ns[c][i] = time_ns;
    if (!lies(device, IS_standing_still))
        device->now_ns += lies(device, IS_backwards) ? -2e6
                          : lies(device, IS_jumping) ? 1e300 * (device->n % 2 ? -1 : 1)
                                                     : 2e6;
    to->begin_ns[i] = lies(device, IS_begin_nan) ? (double)NAN : device->now_ns;
    to->end_ns[i] = lies(device, IS_begin_nan)        ? (double)NAN
                    : lies(device, IS_backwards)      ? device->now_ns - 1e6
                    : lies(device, IS_standing_still) ? device->now_ns
                                                      : device->now_ns + 1e6;
    to->clock_hz[i] = lies(device, IS_hz_nan) ? (double)NAN : 1e9;
    to->throttle[i] = lies(device, IS_flags_all) ? UINT64_MAX : (uint64_t)steers(device);
    to->flags[i] = lies(device, IS_flags_all) ? UINT32_MAX
                   : steers(device)           ? GB_SAMPLE_THROTTLED
                                              : 0;
    device->n++;
}

static void lie_about_reading(const void *object, struct gb_reading *reading)
{
    READING_LIES(LIE)
}

static int32_t measure(void *object, struct gb_measurement *to)
{
    const struct timespec long_time = {1000, 0};
    int32_t status = act(object, AT_measure);
    for (uint64_t i = 0; i < to->n_samples && status == GB_OK; i++) {
        if (lies(object, IS_slow_measure) || lies(object, IS_backwards))
            hurry_hang(0);
        if (lies(object, IS_slow_measure))
            nanosleep(&long_time, NULL);
        status = to->bench_ops->reset(to->bench, to->queue);
        if (status == GB_OK)
            status = to->bench_ops->run(to->bench, to->queue, to->iterations);
        if (lies(object, IS_all_lost) || lies(object, IS_jumping))
            hurry_pass(1e9); /* until max_time */
        if (lies(object, IS_all_lost))
            to->n_lost++;
        else
            write_sample(object, to, to->n_done++);
    }
    to->clocks_filled = steers(object) ? 3 : 1;
    if (steers(object) && to->reading)
        PUT(to->reading->note, "note");
    if (to->reading)
        lie_about_reading(object, to->reading);
    COUNT_LIES(LIE)
    return status;
}

static void make_odd(struct gb_telemetry *telemetry)
{
    telemetry->clock_hz = (double)INFINITY;
    telemetry->memory_clock_hz = -1;
    telemetry->temperature_celsius = DBL_MAX;
    telemetry->power_watts = (double)-INFINITY;
    telemetry->energy_joules = -5e-324;
    telemetry->throttle = UINT64_MAX;
}

static int32_t telemetry(void *object, struct gb_telemetry *telemetry)
{
    telemetry->clock_hz = 1e9;
    TELEMETRY_LIES(LIE)
    telemetry->throttle |= (uint64_t)steers(object);
    if (steers(object))
        PUT(telemetry->throttle_text, "throttled");
    return act(object, AT_telemetry);
}

static int32_t examine(const struct gb_host *host, const void *params, uint32_t index,
                       gb_finding_fn *finding, void *context)
{
    const SIZED(gb_finding, found, .is_noisy = 1, .subject = STEERING("subject"),
                .state = STEERING("state"), .why = STEERING("why"), .cure = STEERING("fix"));
    finding(context, &found);
    return ((const struct params *)params)->how == ENDS_FAIL
               ? host->fail(host, STEERING("cannot be examined"))
               : GB_OK;
}

static int32_t is_spent(void *device)
{
    const int32_t status = act(device, AT_is_spent);
    return lies(device, IS_spent_always) ? 1 : lies(device, IS_spent_odd) ? -77 : status;
}

static int32_t list_counters(const struct gb_host *host, const void *params, uint32_t index,
                             const char *model, const char *whole, gb_counter_fn *counter,
                             void *context)
{
    const SIZED(gb_counter, one, .name = STEERING("counter"), .unit = STEERING("unit"),
                .help = STEERING("help"));
    counter(context, &one);
    return GB_OK;
}

static int32_t count_values(void *device, struct gb_counting *counting)
{
    counting->n_passes = 1;
    counting->count(counting->context, STEERING("counter"), 1, STEERING("unit"));
    PUT(counting->made_from, "made from");
    PUT(counting->missing, "missing");
    return GB_OK;
}

static int32_t list_activities(void *device, const struct gb_measurement *measurement,
                               uint64_t n_samples, gb_activity_fn *activity, void *context)
{
    SIZED(gb_activity, one, .kind = GB_ACTIVITY_KERNEL, .grid = {1, 1, 1}, .block = {1, 1, 1},
          .occupancy = 1, .time_ns = 900, .low_ns = 900, .high_ns = 900, .gap_ns = NAN);
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

static const SIZED(gb_device_ops, device_ops, .count = count, .describe = describe,
                   .open = open_device, .close = close_device, .allocate = allocate,
                   .release = release, .copy = copy, .fill = fill, .queue_create = queue_create,
                   .queue_destroy = queue_destroy, .queue_synchronize = synchronize,
                   .clock = clock_of, .measure = measure, .flush_cache = flush,
                   .telemetry = telemetry, .examine = examine, .is_spent = is_spent);

/* ---- the policy ---- */

static int32_t policy_create(const struct gb_host *host, const void *params, void **ret_policy)
{
    return speak_and_make(host, params, AT_policy_create, ret_policy);
}

static int32_t observe(void *object, const struct gb_samples *samples)
{
    struct object *policy = object;
    if (lies(object, IS_never_enough) || lies(object, IS_wants_all) || lies(object, IS_wants_nan) ||
        lies(object, IS_wants_infinite))
        hurry_pass(1e9); /* until max_time */
    for (uint64_t i = 0; i < samples->n; i++)
        policy->sum_ns += samples->time_ns[i];
    policy->n += samples->n;
    for (uint64_t i = 0; i < samples->n && lies(object, IS_samples_overwritten); i++)
        ((double *)(uintptr_t)samples->elapsed_ns)[i] = (double)NAN;
    return act(policy, AT_observe);
}

static int32_t next(void *object, struct gb_next *next)
{
    const int is_greedy = lies(object, IS_never_enough) || lies(object, IS_wants_all);
    next->decision = is_greedy || ((struct object *)object)->n < 12 ? GB_MORE : GB_DONE;
    next->n_samples = lies(object, IS_never_enough) ? 0
                      : lies(object, IS_wants_all)  ? UINT64_MAX
                                                    : 12;
    next->elapsed_ns = lies(object, IS_wants_nan)        ? (double)NAN
                       : lies(object, IS_wants_infinite) ? (double)INFINITY
                                                         : 0;
    NEXT_LIES(LIE)
    if (steers(object))
        PUT(next->reason, "reason");
    return act(object, AT_next);
}

static int32_t report(void *object, struct gb_estimate *estimate)
{
    const struct object *policy = object;
    strcpy(estimate->statistic, "mean");
    estimate->n = policy->n;
    estimate->value_ns = policy->n ? policy->sum_ns / (double)policy->n : 0;
    estimate->low_ns = estimate->high_ns = estimate->value_ns;
    ESTIMATE_LIES(LIE)
    if (steers(object)) {
        PUT_SHORT(estimate->statistic, "s");
        policy->host->metric(policy->host, STEERING("of the policy"), 2, STEERING("unit"));
    }
    return act(object, AT_report);
}

static void policy_destroy(void *policy)
{
    act(policy, AT_policy_destroy);
    free(policy);
}

static const SIZED(gb_policy_ops, policy_ops, .create = policy_create, .observe = observe,
                   .next = next, .report = report, .destroy = policy_destroy);

#define ATTACKER(kind)                                                                             \
    GB_PLUGIN(kind, "attack", "1.0", "attacks"), GB_OPTIONS(options, struct params)
static const struct gb_plugin bench = {ATTACKER(BENCH), .ops = &bench_ops};
static const struct gb_plugin device = {ATTACKER(DEVICE), .ops = &device_ops};
static const struct gb_plugin policy = {ATTACKER(POLICY), .ops = &policy_ops};
#define STEERER(kind)                                                                              \
    GB_PLUGIN(kind, "steering", STEERING("1.0"), STEERING("summary")),                             \
        .help = STEERING("help"), GB_OPTIONS(steering_options, struct params)
static const struct gb_plugin steering_bench = {STEERER(BENCH), .ops = &bench_ops,
                                                .extension = bench_extension};
static const struct gb_plugin steering_device = {STEERER(DEVICE), .ops = &device_ops,
                                                 .extension = device_extension};
static const struct gb_plugin steering_policy = {STEERER(POLICY), .ops = &policy_ops};

GB_MODULE(&bench, &device, &policy, &steering_bench, &steering_device, &steering_policy)
