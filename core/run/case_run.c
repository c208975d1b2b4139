/* case_run.c - see case_run.h. */
#include "core/run/case_run.h"

#include "core/base/host_clock.h"
#include "core/config/option_table.h"
#include "core/run/case_columns.h"
#include "core/run/counting.h"
#include "core/run/messages.h"
#include "core/run/policy_run.h"
#include "core/run/process_state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CALIBRATION_STEPS = 60, /* more than enough to reach any iteration count */
    CALIBRATION_SAMPLES = 3
};
static const double batch_ns =
    200e6; /* how long a batch may keep the worker from hearing a signal */
static const double send_every_ns = 250e6;

struct run {
    struct worker_link *link;
    const struct bench_case *bench_case;
    struct arena arena;
    struct host *host; /* of the benchmark */
    struct host *policy_host;
    const struct gb_bench_ops *ops;
    void *bench;
    const struct open_device *device;
    struct policy_run *policy;
    struct plugin_mode *mode; /* the benchmark's */
    uint32_t clock;
    uint64_t iterations;
    double cost_ns;        /* wall time that one sample takes, the untimed parts included */
    double first_begin_ns; /* of the first sample; 0: none yet */
    uint64_t n_lost;
    uint64_t n_iterations; /* run, whether their times were kept or not */
    struct gb_work work;   /* declared; zeroed: nothing is */
    double telemetry_ns;   /* when the device was asked before the first sample */
    struct columns batch;
    struct columns outbox;
    uint64_t n_outbox;
    double sent_ns;
    struct case_outcome *outcome;
};

static int32_t end_with(struct run *run, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The first reason counts. Returns GB_FAILED, which only means: stop here. */
static int32_t end_with(struct run *run, int status, const char *format, ...)
{
    if (run->outcome->status != CASE_OK)
        return GB_FAILED;
    run->outcome->status = status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(run->outcome->text, sizeof run->outcome->text, format, arguments);
    va_end(arguments);
    return GB_FAILED;
}

/* What a status from a plugin's function means for the case. words: the plugin's own, may be empty.
 */
static int32_t judge(struct run *run, const char *function, int32_t status, const char *words)
{
    if (status == GB_OK)
        return GB_OK;
    char without_words[128];
    snprintf(without_words, sizeof without_words, "%s: %s", function, status_words(status));
    const char *text = *words ? words : without_words;
    switch (status) {
    case GB_SKIPPED:
        return end_with(run, CASE_SKIPPED, "%s", *words ? words : function);
    case GB_WRONG_RESULT:
        return end_with(run, CASE_WRONG_RESULT, "%s", text);
    case GB_CANCELLED:
        return end_with(run, host_cancelled() ? CASE_CANCELLED : CASE_FAILED, "%s", text);
    case GB_DEVICE_ERROR:
        run->outcome->is_poisoned = true;
        return end_with(run, CASE_DEVICE_ERROR, "%s", text);
    default:
        return end_with(run, CASE_FAILED, "%s", text);
    }
}

/* A call of the benchmark, in its own floating-point environment and locale. */
#define CALL_BENCH(run, status, call)                                                              \
    do {                                                                                           \
        plugin_mode_enter((run)->mode);                                                            \
        (status) = (call);                                                                         \
        plugin_mode_leave((run)->mode);                                                            \
    } while (0)

/* A function of the benchmark: its own words, else the device's. */
static int32_t judge_bench(struct run *run, const char *function, int32_t status)
{
    const char *words = host_reason(run->host);
    if (!*words && status == GB_DEVICE_ERROR)
        words = host_reason(run->device->host);
    return judge(run, function, status, words);
}

static int32_t wait_for_device(struct run *run, const char *function)
{
    int32_t status = run->device->ops->queue_synchronize(run->device->device, run->device->queue);
    return judge(run, function, status, host_reason(run->device->host));
}

/* Loads a plugin and fills its params from settings. */
static int32_t load(struct run *run, struct session *session, const struct plugin_info *info,
                    const struct setting *settings, size_t n_settings,
                    const struct gb_plugin **ret_plugin, void **ret_params)
{
    struct gb_error error;
    const struct gb_plugin *plugin = NULL;
    if (session_plugin(session, info, &plugin, &error) != GB_OK)
        return end_with(run, CASE_FAILED, "%s", error.text);
    void *params = arena_allocate(&run->arena, plugin->params_size);
    if (option_fill(option_table_of(plugin), settings, n_settings, params, plugin->params_size,
                    &run->arena, &error) != GB_OK)
        return end_with(run, CASE_FAILED, "%s: %s", info->plugin.id, error.text);
    *ret_plugin = plugin;
    *ret_params = params;
    return GB_OK;
}

static void tell_clocks(struct run *run)
{
    struct wire_writer *writer = link_begin(run->link, WIRE_OPENED);
    wire_put_u32(writer, run->device->n_clocks);
    for (uint32_t i = 0; i < run->device->n_clocks; i++) {
        const struct gb_clock *clock = &run->device->clocks[i];
        wire_put_fields(writer, clock_fields,
                        &(struct clock_record){clock->name, clock->tick_ns, clock->overhead_ns});
    }
    link_send(run->link);
}

static int32_t choose_clock(struct run *run)
{
    const char *wanted = run->bench_case->common.clock;
    struct text offered = {0};
    for (uint32_t i = 0; i < run->device->n_clocks; i++) {
        const char *name = run->device->clocks[i].name;
        if (text_equal(wanted, "auto") || text_equal(wanted, name)) {
            run->clock = i;
            text_free(&offered);
            return GB_OK;
        }
        text_printf(&offered, "%s%s", i ? ", " : "", name);
    }
    end_with(run, CASE_FAILED, "clock '%s' is not offered by device %s: expected one of %s", wanted,
             run->device->name, text_get(&offered));
    text_free(&offered);
    return GB_FAILED;
}

static int32_t open_device(struct run *run, struct session *session)
{
    struct gb_error error;
    bool fresh = false;
    link_phase(run->link, PHASE_OPEN);
    int32_t status = session_open(session, &run->bench_case->device, &run->device, &fresh, &error);
    if (status != GB_OK) {
        run->outcome->is_poisoned = true;
        return end_with(run, status == GB_DEVICE_ERROR ? CASE_DEVICE_ERROR : CASE_FAILED, "%s",
                        error.text);
    }
    host_clear_reason(run->device->host);
    if (fresh)
        tell_clocks(run);
    if (choose_clock(run) != GB_OK)
        return GB_FAILED;
    /* What the device keeps for flushing is its own, and no trace of the benchmark. */
    if (run->bench_case->common.cache == GB_CACHE_COLD) {
        link_phase(run->link, PHASE_FLUSH);
        status = run->device->ops->flush_cache(run->device->device, run->device->queue);
        if (judge(run, "flushing the cache", status, host_reason(run->device->host)) != GB_OK)
            return GB_FAILED;
    }
    run->outcome->resident_bytes = process_resident_bytes();
    return GB_OK;
}

/* Said before anything is made, as it cannot come true later. */
static int32_t check_launch(struct run *run, const struct gb_plugin *bench)
{
    const struct gb_bench_ops *ops = bench->ops;
    if (run->bench_case->common.launch != GB_LAUNCH_GRAPH)
        return GB_OK;
    if (!(run->device->ops->flags & GB_DEVICE_GRAPHS))
        return end_with(run, CASE_FAILED, "launch = graph: device %s cannot launch graphs",
                        run->device->name);
    if (ops->flags & GB_BENCH_SYNCHRONIZES)
        return end_with(run, CASE_FAILED,
                        "launch = graph: benchmark %s waits for the device inside run, which "
                        "cannot be captured: expected launch = stream",
                        bench->id);
    return GB_OK;
}

static int32_t wait_alone(struct run *run)
{
    link_phase(run->link, PHASE_WAIT);
    link_wait_alone(run->link);
    return host_cancelled() ? end_with(run, CASE_CANCELLED, "%s", "") : GB_OK;
}

static int32_t make_bench(struct run *run, const struct gb_plugin *plugin, const void *params,
                          const struct host_sink *sink)
{
    const struct bench_case *bench_case = run->bench_case;
    struct host_device device = {run->device->ops, run->device->device, &run->device->info,
                                 run->device->host};
    struct host_checks checks = {bench_case->tolerances, bench_case->n_tolerances,
                                 &bench_case->common, bench_case->uid};
    run->host = host_new(bench_case->seed, sink, &device, &checks);
    host_set_folder(run->host, bench_case->folder);
    run->ops = plugin->ops;
    link_phase(run->link, PHASE_CREATE);
    void *bench = NULL;
    int32_t status;
    CALL_BENCH(run, status, run->ops->create(host_interface(run->host), params, &bench));
    if (judge_bench(run, "create", status) != GB_OK)
        return GB_FAILED;
    run->bench = bench;
    if (host_wants_exclusive(run->host) && wait_alone(run) != GB_OK)
        return GB_FAILED;
    if (!run->ops->prepare)
        return GB_OK;
    link_phase(run->link, PHASE_PREPARE);
    CALL_BENCH(run, status, run->ops->prepare(run->bench, run->device->queue));
    if (judge_bench(run, "prepare", status) != GB_OK)
        return GB_FAILED;
    return wait_for_device(run, "prepare");
}

static int32_t make_policy(struct run *run, const struct gb_plugin *plugin, const void *params,
                           const struct host_sink *sink)
{
    const struct common_params *common = &run->bench_case->common;
    struct guards guards = {(uint64_t)common->min_samples, (uint64_t)common->max_samples,
                            common->max_time_ns};
    struct gb_error error;
    run->policy_host = host_new(run->bench_case->seed, sink, NULL, NULL);
    link_phase(run->link, PHASE_POLICY);
    if (policy_run_new(plugin, params, run->policy_host, &guards, &run->policy, &error) != GB_OK)
        return end_with(run, CASE_FAILED, "%s", error.text);
    return GB_OK;
}

static int32_t tell_work(struct run *run)
{
    if (!run->ops->work)
        return GB_OK;
    struct gb_work work = {.size = sizeof work};
    link_phase(run->link, PHASE_WORK);
    int32_t status;
    CALL_BENCH(run, status, run->ops->work(run->bench, &work));
    if (judge_bench(run, "work", status) != GB_OK)
        return GB_FAILED;
    link_send_fields(run->link, WIRE_WORK, work_fields, &work);
    run->work = work;
    return GB_OK;
}

static int32_t measure(struct run *run, uint64_t n, double deadline_ns, uint64_t *ret_done)
{
    struct columns *batch = &run->batch;
    struct gb_measurement measurement = {.size = sizeof measurement,
                                         .clock = run->clock,
                                         .cache = (uint32_t)run->bench_case->common.cache,
                                         .launch = (uint32_t)run->bench_case->common.launch,
                                         .n_samples = n,
                                         .iterations = run->iterations,
                                         .bench_ops = run->ops,
                                         .bench = run->bench,
                                         .queue = run->device->queue,
                                         .deadline_ns = deadline_ns,
                                         .begin_ns = batch->begin_ns,
                                         .end_ns = batch->end_ns,
                                         .clock_hz = batch->clock_hz,
                                         .throttle = batch->throttle,
                                         .flags = batch->flags};
    for (uint32_t i = 0; i < run->device->n_clocks; i++)
        measurement.time_ns[i] = batch->clocks[i];
    double begin = host_clock_ns();
    int32_t status;
    CALL_BENCH(run, status, run->device->ops->measure(run->device->device, &measurement));
    const char *words = host_reason(run->host);
    if (judge(run, "run", status, *words ? words : host_reason(run->device->host)) != GB_OK)
        return GB_FAILED;
    if (measurement.n_done > n)
        return end_with(run, CASE_FAILED, "device %s: measured more samples than asked for",
                        run->device->name);
    if (measurement.n_done > 0)
        run->cost_ns = (host_clock_ns() - begin) / (double)measurement.n_done;
    for (uint32_t i = 0; i < run->device->n_clocks; i++)
        if (i != run->clock && !(measurement.clocks_filled >> i & 1))
            for (uint64_t j = 0; j < measurement.n_done; j++)
                batch->clocks[i][j] = NAN;
    run->n_lost += measurement.n_lost;
    run->n_iterations += (measurement.n_done + measurement.n_lost) * run->iterations;
    *ret_done = measurement.n_done;
    return GB_OK;
}

/* The shortest of a few samples, so that the first call's page faults do not hide how short the
 * code is. */
static int32_t shortest(struct run *run, double *ret_ns)
{
    *ret_ns = INFINITY;
    for (int i = 0; i < CALIBRATION_SAMPLES; i++) {
        uint64_t n_done = 0;
        if (measure(run, 1, 0, &n_done) != GB_OK)
            return GB_FAILED;
        double time_ns = run->batch.clocks[run->clock][0];
        if (n_done == 1 && time_ns < *ret_ns)
            *ret_ns = time_ns;
        if (n_done == 1 && run->cost_ns > batch_ns)
            break;
    }
    return GB_OK;
}

/* Finds how many iterations make a sample that the clock can resolve. */
static int32_t calibrate(struct run *run)
{
    const struct common_params *common = &run->bench_case->common;
    double target_ns = run->device->clocks[run->clock].min_sample_ns;
    bool is_free = common->iterations == 0 && !(run->ops->flags & GB_BENCH_SINGLE) &&
                   common->cache == GB_CACHE_WARM;
    run->iterations = common->iterations > 0 ? (uint64_t)common->iterations : 1;
    if ((run->ops->flags & GB_BENCH_SINGLE) && run->iterations != 1)
        return end_with(run, CASE_FAILED,
                        "iterations = %llu: this benchmark can only do one iteration a sample",
                        (unsigned long long)run->iterations);
    for (int step = 0; step < CALIBRATION_STEPS; step++) {
        double time_ns = 0;
        if (shortest(run, &time_ns) != GB_OK)
            return GB_FAILED;
        if (!is_free || !(time_ns < target_ns))
            break;
        double factor = time_ns > 0 ? 1.2 * target_ns / time_ns : 100;
        factor = factor > 100 ? 100 : factor < 1.2 ? 1.2 : factor;
        run->iterations = (uint64_t)ceil((double)run->iterations * factor);
        if (run->iterations >> 48)
            return end_with(
                run, CASE_FAILED,
                "a sample of 2^48 iterations still takes only %g ns: does run do its work "
                "`iterations` times?",
                time_ns);
    }
    return GB_OK;
}

static int32_t warm_up(struct run *run)
{
    link_phase(run->link, PHASE_CALIBRATE);
    if (calibrate(run) != GB_OK)
        return GB_FAILED;
    double until_ns = host_clock_ns() + run->bench_case->common.warmup_ns;
    while (host_clock_ns() < until_ns && !host_cancelled()) {
        uint64_t n_done = 0;
        double left = (until_ns - host_clock_ns()) / (run->cost_ns > 0 ? run->cost_ns : 1);
        uint64_t n = left < 1 ? 1 : left > 256 ? 256 : (uint64_t)left;
        if (measure(run, n, until_ns, &n_done) != GB_OK)
            return GB_FAILED;
        if (n_done == 0)
            break;
    }
    return GB_OK;
}

static void tell_timing(struct run *run)
{
    const struct gb_clock *clock = &run->device->clocks[run->clock];
    const struct case_record timing = {.clock = clock->name,
                                       .iterations = run->iterations,
                                       .tick_ns = clock->tick_ns,
                                       .overhead_ns = clock->overhead_ns};
    link_send_fields(run->link, WIRE_TIMING, timing_fields, &timing);
}

static void send_samples(struct run *run)
{
    if (run->n_outbox == 0)
        return;
    columns_put(link_begin(run->link, WIRE_SAMPLES), &run->outbox, run->n_outbox, run->device,
                run->clock);
    link_send(run->link);
    run->n_outbox = 0;
    run->sent_ns = host_clock_ns();
}

static void keep_samples(struct run *run, uint64_t n)
{
    if (run->n_outbox + n > BATCH_MAX)
        send_samples(run);
    columns_keep(&run->outbox, run->n_outbox, &run->batch, n, run->device->n_clocks,
                 run->iterations);
    run->n_outbox += n;
    if (host_clock_ns() - run->sent_ns > send_every_ns)
        send_samples(run);
}

/* The batch as the policy sees it. */
static struct gb_samples view_batch(struct run *run, uint64_t n)
{
    struct columns *batch = &run->batch;
    if (run->first_begin_ns == 0)
        run->first_begin_ns = batch->begin_ns[0];
    for (uint64_t i = 0; i < n; i++) {
        batch->time_ns[i] = batch->clocks[run->clock][i] / (double)run->iterations;
        batch->elapsed_ns[i] = batch->end_ns[i] - run->first_begin_ns;
        batch->iterations[i] = run->iterations;
    }
    double tick_ns = run->device->clocks[run->clock].tick_ns / (double)run->iterations;
    return (struct gb_samples){.size = sizeof(struct gb_samples),
                               .n = n,
                               .time_ns = batch->time_ns,
                               .elapsed_ns = batch->elapsed_ns,
                               .iterations = batch->iterations,
                               .clock_hz = batch->clock_hz,
                               .throttle = batch->throttle,
                               .flags = batch->flags,
                               .tick_ns = tick_ns};
}

static uint64_t batch_size(const struct run *run)
{
    uint64_t n = policy_run_wanted(run->policy, run->cost_ns);
    double most = run->cost_ns > 0 ? batch_ns / run->cost_ns : BATCH_MAX;
    if ((double)n > most)
        n = most < 1 ? 1 : (uint64_t)most;
    return n > BATCH_MAX ? BATCH_MAX : n;
}

static int32_t run_batch(struct run *run)
{
    double max_time_ns = run->bench_case->common.max_time_ns;
    double deadline_ns = run->first_begin_ns > 0 && isfinite(max_time_ns)
                             ? run->first_begin_ns + max_time_ns
                             : 0;
    uint64_t n_done = 0, n_taken = 0, n_lost = run->n_lost;
    link_phase(run->link, PHASE_RUN);
    if (measure(run, batch_size(run), deadline_ns, &n_done) != GB_OK)
        return GB_FAILED;
    if (n_done == 0) {
        if (deadline_ns > 0 && host_clock_ns() >= deadline_ns)
            policy_run_expire(run->policy);
        else if (run->n_lost == n_lost)
            return end_with(run, CASE_FAILED, "device %s: measured no sample", run->device->name);
        return GB_OK;
    }
    struct gb_samples samples = view_batch(run, n_done);
    struct gb_error error;
    link_phase(run->link, PHASE_POLICY);
    int32_t status = policy_run_feed(run->policy, &samples, &n_taken, &error);
    keep_samples(run, n_taken);
    return status == GB_OK ? GB_OK : end_with(run, CASE_FAILED, "%s", error.text);
}

static void tell_estimate(struct run *run)
{
    struct gb_estimate estimate;
    struct gb_error error;
    link_phase(run->link, PHASE_POLICY);
    if (policy_run_report(run->policy, &estimate, &error) != GB_OK) {
        end_with(run, CASE_FAILED, "%s", error.text);
        return;
    }
    struct wire_writer *writer = link_begin(run->link, WIRE_ESTIMATE);
    put_estimate(writer, &estimate);
    wire_put_text(writer, policy_run_reason(run->policy));
    wire_put_u64(writer, run->n_lost);
    link_send(run->link);
}

static bool tells_something(const struct gb_telemetry *values)
{
    return !isnan(values->clock_hz) || !isnan(values->memory_clock_hz) ||
           !isnan(values->temperature_celsius) || !isnan(values->power_watts) ||
           !isnan(values->energy_joules) || values->throttle != 0 || *values->throttle_text;
}

/* A device that cannot tell costs nothing; one that this has broken costs the case. */
static int32_t tell_telemetry(struct run *run, uint32_t moment)
{
    struct telemetry_record telemetry = {.values = {.size = sizeof telemetry.values,
                                                    .clock_hz = NAN,
                                                    .memory_clock_hz = NAN,
                                                    .temperature_celsius = NAN,
                                                    .power_watts = NAN,
                                                    .energy_joules = NAN}};
    struct gb_telemetry *values = &telemetry.values;
    double now_ns = host_clock_ns();
    link_phase(run->link, PHASE_TELEMETRY);
    int32_t status = run->device->ops->telemetry(run->device->device, values);
    if (status == GB_DEVICE_ERROR)
        return judge(run, "telemetry", status, host_reason(run->device->host));
    host_clear_reason(run->device->host);
    if (status != GB_OK || !tells_something(values))
        return GB_OK;
    if (moment == TELEMETRY_BEGIN) {
        run->telemetry_ns = now_ns;
        run->n_iterations = 0;
    }
    if (run->telemetry_ns > 0) {
        telemetry.elapsed_ns = now_ns - run->telemetry_ns;
        telemetry.iterations = run->n_iterations;
    }
    values->throttle_text[sizeof values->throttle_text - 1] = 0;
    put_telemetry(link_begin(run->link, WIRE_TELEMETRY), moment, &telemetry);
    link_send(run->link);
    return GB_OK;
}

static int32_t take_samples(struct run *run)
{
    columns_new(&run->batch, run->device->n_clocks);
    columns_new(&run->outbox, run->device->n_clocks);
    if (warm_up(run) != GB_OK)
        return GB_FAILED;
    tell_timing(run);
    run->n_lost = 0;
    int32_t status = tell_telemetry(run, TELEMETRY_BEGIN);
    run->sent_ns = host_clock_ns();
    while (status == GB_OK && !policy_run_ended(run->policy)) {
        if (host_cancelled())
            status = end_with(run, CASE_CANCELLED, "%s", "");
        else
            status = run_batch(run);
    }
    if (!run->outcome->is_poisoned)
        tell_telemetry(run, TELEMETRY_END);
    send_samples(run);
    if (policy_run_count(run->policy) > 0)
        tell_estimate(run);
    return run->outcome->status == CASE_OK ? GB_OK : GB_FAILED;
}

/* Before verify, which is the last call but destroy that a benchmark gets, and judges these runs
 * too. A device without counters, or one that may not be counted on, costs a message. */
static int32_t count(struct run *run, const struct host_sink *sink)
{
    const struct open_device *device = run->device;
    const struct common_params *common = &run->bench_case->common;
    struct counting counting;
    int32_t status = GB_OK;
    if (!counting_is_wanted(common->counters) || host_cancelled())
        return GB_OK;
    link_phase(run->link, PHASE_COUNT);
    counting_new(&counting, common->counters, (uint32_t)common->cache);
    counting.asked.iterations = run->iterations;
    counting.asked.bench_ops = run->ops;
    counting.asked.bench = run->bench;
    counting.asked.queue = device->queue;
    counting.asked.math_format = run->work.math_format;
    counting.asked.math_unit = run->work.math_unit;
    if (device->counters)
        CALL_BENCH(run, status, device->counters->count(device->device, &counting.asked));
    else
        snprintf(counting.asked.missing, sizeof counting.asked.missing, "the device %s has none",
                 device->name);
    if (status == GB_OK)
        counting_tell(&counting, &device->info, &run->work, sink);
    counting_free(&counting);
    if (status == GB_OK)
        host_clear_reason(device->host); /* what it could not count is told */
    const char *words = host_reason(run->host);
    return judge(run, "counting", status, *words ? words : host_reason(device->host));
}

static void verify(struct run *run)
{
    if (!run->ops->verify)
        return;
    link_phase(run->link, PHASE_VERIFY);
    if (wait_for_device(run, "verify") != GB_OK)
        return;
    int32_t status;
    CALL_BENCH(run, status, run->ops->verify(run->bench, run->device->queue));
    judge_bench(run, "verify", status);
}

/* On a poisoned device or after a failed plugin nothing may be called any more that could hang. */
static void clean_up(struct run *run)
{
    if (!run->outcome->is_poisoned) {
        link_phase(run->link, PHASE_DESTROY);
        if (run->bench && run->ops->destroy) {
            plugin_mode_enter(run->mode);
            run->ops->destroy(run->bench);
            plugin_mode_leave(run->mode);
        }
        policy_run_free(run->policy);
        if (run->host)
            wait_for_device(run, "destroy");
    }
    if (!run->outcome->is_poisoned) {
        host_free(run->host);
        host_free(run->policy_host);
    }
    plugin_mode_free(run->mode);
    columns_free(&run->batch);
    columns_free(&run->outbox);
    arena_free(&run->arena);
}

void case_run(struct session *session, struct worker_link *link, const struct host_sink *sink,
              const struct bench_case *bench_case, struct case_outcome *ret)
{
    struct run run = {
        .link = link, .bench_case = bench_case, .outcome = ret, .mode = plugin_mode_new()};
    const struct gb_plugin *bench = NULL, *policy = NULL;
    void *bench_params = NULL, *policy_params = NULL;
    *ret = (struct case_outcome){.status = CASE_OK};
    link_phase(link, PHASE_LOAD);
    bool is_ready = load(&run, session, bench_case->info, bench_case->settings,
                         bench_case->n_settings, &bench, &bench_params) == GB_OK &&
                    load(&run, session, bench_case->policy->info, bench_case->policy->settings,
                         bench_case->policy->n_settings, &policy, &policy_params) == GB_OK &&
                    open_device(&run, session) == GB_OK && check_launch(&run, bench) == GB_OK &&
                    make_bench(&run, bench, bench_params, sink) == GB_OK &&
                    make_policy(&run, policy, policy_params, sink) == GB_OK &&
                    tell_work(&run) == GB_OK;
    if (is_ready && take_samples(&run) == GB_OK && count(&run, sink) == GB_OK)
        verify(&run);
    clean_up(&run);
}
