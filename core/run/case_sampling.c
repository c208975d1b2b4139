/* case_sampling.c - see case_state.h: warming up, measuring until the policy ends it, sending. */
#include "core/base/host_clock.h"
#include "core/run/case_columns.h"
#include "core/run/case_state.h"
#include "core/run/interference.h"
#include "core/run/messages.h"
#include "core/run/pace.h"
#include "core/run/profile.h"

#include <math.h>

enum {
    CALIBRATION_STEPS = 60, /* more than enough to reach any iteration count */
    CALIBRATION_SAMPLES = 3
};
/* How long a batch may keep the worker from hearing a signal. */
static const double batch_ns = 200e6;
static const double send_every_ns = 250e6;
/* Over which the energy of sustained samples is known at least. */
static const double energy_window_ns = 1e9;

struct sampling {
    struct case_state *state;
    struct worker_link *link;
    const struct open_device *device;
    const struct common_params *common;
    struct policy_run *policy;
    uint32_t clock;
    uint64_t iterations; /* of a sample */
    struct gb_reading reading;
    struct pace pace;
    struct batch batch;
    struct outbox outbox;
    double cost_ns;        /* wall time that one sample takes, the untimed parts included */
    double first_begin_ns; /* of the first sample; 0: none yet */
    double sampling_ns;    /* when the first one was asked for */
    uint64_t n_lost;
    uint64_t n_iterations; /* run, whether their times were kept or not */
    double telemetry_ns;   /* when the device was asked before the first sample */
    double sent_ns;
};

/* Of a device that cannot launch graphs, auto is the stream. */
static uint32_t launch_of(const struct sampling *sampling)
{
    const bool has_graphs = sampling->device->ops->flags & GB_DEVICE_GRAPHS;
    const int32_t asked = sampling->state->launch;
    return asked == GB_LAUNCH_AUTO && !has_graphs ? GB_LAUNCH_STREAM : (uint32_t)asked;
}

static void begin_reading(struct sampling *sampling)
{
    const struct gb_clock *clock = &sampling->device->clocks[sampling->clock];
    sampling->reading = (struct gb_reading){.size = sizeof sampling->reading,
                                            .launch = launch_of(sampling),
                                            .flags = clock->flags,
                                            .tick_ns = clock->tick_ns};
}

/* What is asked of the device, which writes into the batch. */
static struct gb_measurement ask_for(struct sampling *sampling, uint64_t n, double deadline_ns)
{
    const struct case_state *state = sampling->state;
    const struct batch *batch = &sampling->batch;
    struct gb_measurement asked = {.size = sizeof asked,
                                   .clock = sampling->clock,
                                   .cache = (uint32_t)sampling->common->cache,
                                   .launch = launch_of(sampling),
                                   .n_samples = n,
                                   .iterations = sampling->iterations,
                                   .bench_ops = state->ops,
                                   .bench = state->bench,
                                   .queue = sampling->device->queue,
                                   .deadline_ns = deadline_ns,
                                   .gap_ns = sampling->pace.gap_ns,
                                   .begin_ns = batch->begin_ns,
                                   .end_ns = batch->end_ns,
                                   .clock_hz = batch->clock_hz,
                                   .throttle = batch->throttle,
                                   .flags = batch->flags,
                                   .reading = &sampling->reading};
    for (uint32_t i = 0; i < sampling->device->n_clocks; i++)
        asked.time_ns[i] = batch->clocks[i];
    return asked;
}

/* What a device measured is taken as it is, but it has to be times. */
static int32_t check_times(struct sampling *sampling, uint64_t n)
{
    const struct batch *batch = &sampling->batch;
    for (uint64_t i = 0; i < n; i++) {
        const double time_ns = batch->clocks[sampling->clock][i];
        if (!isfinite(time_ns) || !isfinite(batch->begin_ns[i]) || !isfinite(batch->end_ns[i]))
            return case_stop(sampling->state, CASE_FAILED,
                             "device %s: measured a sample of %g ns, from %g to %g ns",
                             sampling->device->name, time_ns, batch->begin_ns[i], batch->end_ns[i]);
    }
    return GB_OK;
}

static int32_t measure(struct sampling *sampling, uint64_t n, double deadline_ns,
                       uint64_t *ret_done)
{
    const struct open_device *device = sampling->device;
    struct gb_measurement measured = ask_for(sampling, n, deadline_ns);
    double begin = host_clock_ns();
    int32_t status;
    CALL_BENCH(sampling->state, status, device->ops->measure(device->device, &measured));
    if (case_judge_both(sampling->state, "run", status) != GB_OK)
        return GB_FAILED;
    if (measured.n_done > n)
        return case_stop(sampling->state, CASE_FAILED,
                         "device %s: measured more samples than asked for", device->name);
    if (measured.n_done > 0) {
        /* What a device had taken before, and hands over now, has cost time then. */
        const double asked_ns = host_clock_ns() - begin;
        const double taken_ns = sampling->batch.end_ns[measured.n_done - 1] -
                                sampling->batch.begin_ns[0];
        sampling->cost_ns = fmax(asked_ns, taken_ns) / (double)measured.n_done;
    }
    if (check_times(sampling, measured.n_done) != GB_OK)
        return GB_FAILED;
    for (uint32_t i = 0; i < device->n_clocks; i++)
        if (i != sampling->clock && !(measured.clocks_filled >> i & 1))
            for (uint64_t j = 0; j < measured.n_done; j++)
                sampling->batch.clocks[i][j] = NAN;
    sampling->n_lost += measured.n_lost;
    sampling->n_iterations += (measured.n_done + measured.n_lost) * sampling->iterations;
    *ret_done = measured.n_done;
    return GB_OK;
}

/* The shortest of a few samples, so that the first call's page faults do not hide how short the
 * code is. */
static int32_t shortest(struct sampling *sampling, double *ret_ns)
{
    *ret_ns = INFINITY;
    for (int i = 0; i < CALIBRATION_SAMPLES; i++) {
        uint64_t n_done = 0;
        if (measure(sampling, 1, 0, &n_done) != GB_OK)
            return GB_FAILED;
        double time_ns = sampling->batch.clocks[sampling->clock][0];
        if (n_done == 1 && time_ns < *ret_ns)
            *ret_ns = time_ns;
        if (n_done == 1 && sampling->cost_ns > batch_ns)
            break;
    }
    return GB_OK;
}

/* Finds how many iterations make a sample that the clock can resolve. */
static int32_t calibrate(struct sampling *sampling)
{
    const struct common_params *common = sampling->common;
    double target_ns = sampling->device->clocks[sampling->clock].min_sample_ns;
    bool is_free = common->iterations == 0 && !(sampling->state->ops->flags & GB_BENCH_SINGLE) &&
                   common->cache == GB_CACHE_WARM;
    sampling->iterations = common->iterations > 0 ? (uint64_t)common->iterations : 1;
    if ((sampling->state->ops->flags & GB_BENCH_SINGLE) && sampling->iterations != 1)
        return case_stop(sampling->state, CASE_FAILED,
                         "iterations = %llu: this benchmark can only do one iteration a sample",
                         (unsigned long long)sampling->iterations);
    for (int step = 0; step < CALIBRATION_STEPS; step++) {
        double time_ns = 0;
        if (shortest(sampling, &time_ns) != GB_OK)
            return GB_FAILED;
        if (!is_free || !(time_ns < target_ns))
            break;
        double factor = time_ns > 0 ? 1.2 * target_ns / time_ns : 100;
        factor = factor > 100 ? 100 : factor < 1.2 ? 1.2 : factor;
        sampling->iterations = (uint64_t)ceil((double)sampling->iterations * factor);
        if (sampling->iterations >> 48)
            return case_stop(
                sampling->state, CASE_FAILED,
                "a sample of 2^48 iterations still takes only %g ns: does run do its work "
                "`iterations` times?",
                time_ns);
    }
    return GB_OK;
}

static int32_t warm_up(struct sampling *sampling)
{
    link_phase(sampling->link, PHASE_CALIBRATE);
    if (calibrate(sampling) != GB_OK)
        return GB_FAILED;
    double until_ns = host_clock_ns() + sampling->common->warmup_ns;
    while (host_clock_ns() < until_ns && !host_cancelled()) {
        uint64_t n_done = 0;
        double left = (until_ns - host_clock_ns()) /
                      (sampling->cost_ns > 0 ? sampling->cost_ns : 1);
        uint64_t n = left < 1 ? 1 : left > 256 ? 256 : (uint64_t)left;
        if (measure(sampling, n, until_ns, &n_done) != GB_OK)
            return GB_FAILED;
        if (n_done == 0)
            break;
    }
    return GB_OK;
}

static void send_timing(struct sampling *sampling)
{
    const struct gb_clock *clock = &sampling->device->clocks[sampling->clock];
    struct gb_reading *reading = &sampling->reading;
    const bool is_graph = reading->launch == GB_LAUNCH_GRAPH;
    reading->note[sizeof reading->note - 1] = 0;
    const char *why_stream = sampling->state->why_stream;
    const struct case_record timing = {
        .clock = clock->name,
        .iterations = sampling->iterations,
        .tick_ns = reading->tick_ns,
        .overhead_ns = clock->overhead_ns,
        .launched = launch_word(is_graph ? GB_LAUNCH_GRAPH : GB_LAUNCH_STREAM),
        .offset_ns = reading->offset_ns,
        .offset_error_ns = reading->offset_error_ns,
        .graph_ns = why_stream ? 0 : reading->graph_ns, /* of a wrong result */
        .is_dithered = reading->flags & GB_CLOCK_DITHERED,
        .reading_note = why_stream ? why_stream : reading->note};
    policy_run_set_error(sampling->policy, reading->offset_error_ns / (double)sampling->iterations);
    link_send_fields(sampling->link, WIRE_TIMING, timing_fields, &timing);
}

static void send_samples(struct sampling *sampling)
{
    if (sampling->outbox.n == 0)
        return;
    outbox_put(&sampling->outbox, link_begin(sampling->link, WIRE_SAMPLES), sampling->device,
               sampling->clock);
    link_send(sampling->link);
    sampling->sent_ns = host_clock_ns();
}

static void keep_samples(struct sampling *sampling, uint64_t n)
{
    if (sampling->outbox.n + n > BATCH_MAX)
        send_samples(sampling);
    outbox_add(&sampling->outbox, &sampling->batch, n, sampling->iterations);
    if (host_clock_ns() - sampling->sent_ns > send_every_ns)
        send_samples(sampling);
}

/* The batch as the policy sees it. */
static struct gb_samples view_batch(struct sampling *sampling, uint64_t n)
{
    struct batch *batch = &sampling->batch;
    if (sampling->first_begin_ns == 0)
        sampling->first_begin_ns = batch->begin_ns[0];
    for (uint64_t i = 0; i < n; i++) {
        batch->time_ns[i] = batch->clocks[sampling->clock][i] / (double)sampling->iterations;
        batch->elapsed_ns[i] = batch->end_ns[i] - sampling->first_begin_ns;
        batch->iterations[i] = sampling->iterations;
    }
    const struct gb_reading *reading = &sampling->reading;
    const bool is_dithered = reading->flags & GB_CLOCK_DITHERED;
    return (struct gb_samples){.size = sizeof(struct gb_samples),
                               .traits = is_dithered ? GB_SAMPLES_DITHERED : 0,
                               .n = n,
                               .time_ns = batch->time_ns,
                               .elapsed_ns = batch->elapsed_ns,
                               .iterations = batch->iterations,
                               .clock_hz = batch->clock_hz,
                               .throttle = batch->throttle,
                               .flags = batch->flags,
                               .tick_ns = reading->tick_ns / (double)sampling->iterations};
}

static uint64_t batch_size(const struct sampling *sampling)
{
    uint64_t n = policy_run_wanted(sampling->policy, sampling->cost_ns);
    double most = sampling->cost_ns > 0 ? batch_ns / sampling->cost_ns : (double)BATCH_MAX;
    if ((double)n > most)
        n = most < 1 ? 1 : (uint64_t)most;
    return n > BATCH_MAX ? BATCH_MAX : n;
}

/* max_time is over, and no sample came any more. */
static int32_t expire(struct sampling *sampling)
{
    char time[NUMBER_TEXT_MAX];
    if (policy_run_count(sampling->policy) == 0)
        return case_stop(sampling->state, CASE_FAILED,
                         "device %s: lost the times of all %llu samples of max_time %s",
                         sampling->device->name, (unsigned long long)sampling->n_lost,
                         format_time(policy_run_time_limit(sampling->policy), 3, time));
    policy_run_expire(sampling->policy);
    return GB_OK;
}

static int32_t run_batch(struct sampling *sampling)
{
    double max_time_ns = policy_run_time_limit(sampling->policy);
    bool has_begun = sampling->first_begin_ns > 0;
    double begin_ns = has_begun ? sampling->first_begin_ns : sampling->sampling_ns;
    double deadline_ns = isfinite(max_time_ns) ? begin_ns + max_time_ns : 0;
    uint64_t n_done = 0, n_taken = 0, n_lost = sampling->n_lost;
    link_phase(sampling->link, PHASE_RUN);
    if (measure(sampling, batch_size(sampling), has_begun ? deadline_ns : 0, &n_done) != GB_OK)
        return GB_FAILED;
    if (n_done == 0) {
        if (deadline_ns > 0 && host_clock_ns() >= deadline_ns)
            return expire(sampling);
        if (sampling->n_lost == n_lost)
            return case_stop(sampling->state, CASE_FAILED, "device %s: measured no sample",
                             sampling->device->name);
        return GB_OK;
    }
    struct gb_samples samples = view_batch(sampling, n_done);
    struct gb_error error;
    link_phase(sampling->link, PHASE_POLICY);
    int32_t status = policy_run_feed(sampling->policy, &samples, &n_taken, &error);
    keep_samples(sampling, n_taken);
    pace_keep(&sampling->pace, n_taken);
    return status == GB_OK ? GB_OK : case_stop(sampling->state, CASE_FAILED, "%s", error.text);
}

static void send_estimate(struct sampling *sampling)
{
    struct gb_estimate estimate;
    struct gb_error error;
    link_phase(sampling->link, PHASE_POLICY);
    if (policy_run_report(sampling->policy, &estimate, &error) != GB_OK) {
        case_stop(sampling->state, CASE_FAILED, "%s", error.text);
        return;
    }
    struct wire_writer *writer = link_begin(sampling->link, WIRE_ESTIMATE);
    put_estimate(writer, &estimate);
    wire_put_text(writer, policy_run_reason(sampling->policy));
    wire_put_u64(writer, sampling->n_lost);
    link_send(sampling->link);
}

static bool has_reading(const struct gb_telemetry *values)
{
    return !isnan(values->clock_hz) || !isnan(values->memory_clock_hz) ||
           !isnan(values->temperature_celsius) || !isnan(values->power_watts) ||
           !isnan(values->energy_joules) || values->throttle != 0 || *values->throttle_text;
}

static void put_reading(struct sampling *sampling, uint32_t moment,
                        const struct gb_telemetry *values)
{
    struct telemetry_record telemetry = {.values = *values};
    double now_ns = host_clock_ns();
    if (!has_reading(values))
        return;
    if (moment == TELEMETRY_BEGIN) {
        sampling->telemetry_ns = now_ns;
        sampling->n_iterations = 0;
    }
    if (sampling->telemetry_ns > 0) {
        telemetry.elapsed_ns = now_ns - sampling->telemetry_ns;
        telemetry.iterations = sampling->n_iterations;
    }
    put_telemetry(link_begin(sampling->link, WIRE_TELEMETRY), moment, &telemetry);
    link_send(sampling->link);
}

/* A device without telemetry costs nothing; one that this has broken costs the case. */
static int32_t send_telemetry(struct sampling *sampling, uint32_t moment)
{
    struct gb_telemetry values;
    if (case_telemetry(sampling->state, &values) != GB_OK)
        return GB_FAILED;
    put_reading(sampling, moment, &values);
    return GB_OK;
}

/* For the pace: samples that are not kept, nor counted if they are lost. */
static int32_t load(void *object, uint64_t n, double deadline_ns, uint64_t *ret_done)
{
    struct sampling *sampling = object;
    uint64_t n_lost = sampling->n_lost;
    int32_t status = measure(sampling, n, deadline_ns, ret_done);
    sampling->n_lost = n_lost;
    return status;
}

/* All that comes before the first sample. */
static int32_t get_ready(struct sampling *sampling)
{
    struct gb_telemetry values;
    if (case_telemetry(sampling->state, &values) != GB_OK ||
        pace_wait(&sampling->pace, &values) != GB_OK)
        return GB_FAILED;
    put_reading(sampling, TELEMETRY_BEFORE, &values);
    if (warm_up(sampling) != GB_OK || pace_reach(&sampling->pace) != GB_OK)
        return GB_FAILED;
    send_timing(sampling);
    sampling->n_lost = 0;
    return pace_to_energy_step(&sampling->pace, 0) == GB_OK
               ? send_telemetry(sampling, TELEMETRY_BEGIN)
               : GB_FAILED;
}

/* The time that it takes is none of the samples'. */
static int32_t check_between(struct sampling *sampling, uint64_t n_batches)
{
    const double begin_ns = host_clock_ns();
    int32_t status = case_check_between(sampling->state, sampling->iterations, n_batches);
    if (sampling->first_begin_ns > 0)
        sampling->first_begin_ns += host_clock_ns() - begin_ns;
    return status;
}

static int32_t sample(struct sampling *sampling)
{
    int32_t status = get_ready(sampling);
    if (status != GB_OK)
        return status;
    case_end_phase(sampling->state, &sampling->state->phases.warmup_ns);
    status = case_profile_begin(sampling->state);
    struct interference begin;
    interference_begin(&begin);
    sampling->sent_ns = sampling->sampling_ns = host_clock_ns();
    for (uint64_t i = 0; status == GB_OK && !policy_run_ended(sampling->policy); i++) {
        if (host_cancelled())
            status = case_stop(sampling->state, CASE_CANCELLED, "%s", "");
        else
            status = check_between(sampling, i);
        if (status == GB_OK)
            status = run_batch(sampling);
    }
    const struct case_outcome *outcome = sampling->state->outcome;
    struct interference_record interference;
    interference_end(&begin, &interference);
    case_end_phase(sampling->state, &sampling->state->phases.measure_ns);
    case_profile_end(sampling->state);
    if (status == GB_OK)
        pace_to_energy_step(&sampling->pace,
                            sampling->telemetry_ns + energy_window_ns - host_clock_ns());
    if (!outcome->is_poisoned)
        send_telemetry(sampling, TELEMETRY_END);
    send_samples(sampling);
    link_send_fields(sampling->link, WIRE_PACE, pace_fields, &sampling->pace.record);
    link_send_fields(sampling->link, WIRE_INTERFERENCE, interference_fields, &interference);
    if (policy_run_count(sampling->policy) > 0)
        send_estimate(sampling);
    return outcome->status == CASE_OK ? GB_OK : GB_FAILED;
}

static void sampling_new(struct sampling *sampling, struct case_state *state)
{
    *sampling = (struct sampling){.state = state,
                                  .link = state->link,
                                  .device = state->device,
                                  .common = &state->bench_case->common,
                                  .policy = state->policy,
                                  .clock = state->clock,
                                  .pace = {.state = state, .load = load}};
    begin_reading(sampling);
    batch_new(&sampling->batch, state->device->n_clocks);
    sampling->pace.context = sampling;
    sampling->pace.batch = &sampling->batch;
    outbox_new(&sampling->outbox, state->device->n_clocks);
}

static void sampling_free(struct sampling *sampling)
{
    batch_free(&sampling->batch);
    outbox_free(&sampling->outbox);
}

int32_t case_sample(struct case_state *state)
{
    struct sampling sampling;
    const double begin_ns = host_clock_ns();
    sampling_new(&sampling, state);
    int32_t status = sample(&sampling);
    state->sampling_ns = host_clock_ns() - begin_ns;
    state->iterations = sampling.iterations;
    state->sample_ns = sampling.cost_ns;
    sampling_free(&sampling);
    return status;
}

int32_t case_run_unseen(struct case_state *state)
{
    enum { UNSEEN = 3 };
    struct sampling sampling;
    uint64_t n_done = 0;
    sampling_new(&sampling, state);
    sampling.iterations = state->iterations;
    link_phase(state->link, PHASE_CALIBRATE);
    int32_t status = measure(&sampling, UNSEEN, 0, &n_done);
    sampling_free(&sampling);
    return status;
}
