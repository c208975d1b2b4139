/* case_sampling.c - see case_state.h: warming up, measuring until the policy ends it, sending. */
#include "core/base/host_clock.h"
#include "core/run/case_columns.h"
#include "core/run/case_state.h"
#include "core/run/machine.h"
#include "core/run/messages.h"
#include "core/run/pace.h"
#include "core/run/sentinel.h"
#include "core/run/strict.h"

#include <math.h>
#include <stdio.h>

enum {
    CALIBRATION_STEPS = 60, /* more than enough to reach any iteration count */
    CALIBRATION_SAMPLES = 3,
    FIRST_CHECK = 16, /* before so many samples are taken */
    REASON_MAX = 192  /* of the policy, and advice */
};
/* How long a batch may keep the worker from hearing a signal. */
static const double batch_ns = 200e6;
static const double send_every_ns = 250e6;
/* A call of run beside its iterations is at most a thousandth of a sample. */
static const double ENTRIES_A_SAMPLE = 1000, longest_entry_ns = 1e6;
/* What samples that are verified may cost: a share of the samples' time, or as much as is not
 * noticed, of a shorter visit as much less. */
static const double checks_share = 0.1, checks_unnoticed_ns = 20e6, longest_checks_ns = 2e9;
static const double bound_sample_ns = 2e3;
/* Of calls, and on a queue. Honest code reads up to 12 times less where its inputs repeat: a
 * processor learns how it branches on random numbers. A GPU does not; its caches are as far. */
static const double renewed_ratio[] = {16, 4}, renewed_step_ns[] = {200, 10e3};
/* Nor can it be twice what calls on old inputs take whose caches are cold. */
static const double cold_ratio = 2;
/* Counters of energy move a few times in a second, and can take long to read: visits that are over
 * before are not asked for them. */
static const double energy_from_ns = 250e6;
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
    struct batch *batch;
    /* What a sample is: a time on the clock, or a value of a series, in a batch of their own. */
    const char *measured_name;
    uint32_t measured; /* number of that series; 0: the clock counts */
    double to_ns;      /* of its values */
    struct series_values values;
    struct batch *value_batch;
    uint64_t n_values, n_runs; /* in all so far */
    bool is_uncollected;       /* run was called since the last collect */
    struct outbox *outbox;
    struct thread_times threads;
    double cost_ns;        /* wall time that one sample takes, the untimed parts included */
    double first_begin_ns; /* of the first sample; 0: none yet */
    double sampling_ns;    /* when the first one was asked for */
    uint64_t n_lost;
    uint64_t n_iterations;     /* run, whether their times were kept or not */
    uint64_t until_check;      /* samples before the next one on renewed inputs */
    double renewed_ns;         /* what a call on renewed inputs took at least; 0: not known */
    double cold_ns;            /* the same on old inputs, with cold caches */
    double telemetry_ns;       /* when the device was asked before the first sample */
    struct gb_telemetry first; /* and what it said */
    bool has_energy;           /* its counter was asked for */
    double sent_ns;
};

/* Of a device that cannot launch graphs, auto is the stream. */
static uint32_t launch_of(const struct sampling *sampling)
{
    const bool has_graphs = sampling->device->ops->flags & GB_DEVICE_GRAPHS;
    const int32_t asked = sampling->state->launch;
    return asked == GB_LAUNCH_AUTO && !has_graphs ? GB_LAUNCH_STREAM : (uint32_t)asked;
}

/* What is asked of the device, which writes into the batch. */
static struct gb_measurement ask_for(struct sampling *sampling, uint64_t n, double deadline_ns)
{
    const struct case_state *state = sampling->state;
    struct batch *batch = sampling->batch;
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
                                   .reading = &sampling->reading,
                                   .thread_ns = sampling->threads.batch,
                                   .n_expected = policy_run_wanted(sampling->policy, 0),
                                   .expected_ns = sampling->policy->next.elapsed_ns};
    for (uint32_t i = 0; i < sampling->device->n_clocks; i++)
        asked.time_ns[i] = batch->clocks[i];
    batch->n_used = n > batch->n_used ? n : batch->n_used;
    return asked;
}

/* What a device measured is taken as it is, but it has to be times. */
static int32_t check_times(struct sampling *sampling, uint64_t n)
{
    const struct batch *batch = sampling->batch;
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
    const bool is_strict = sampling->state->strict != NULL;
    n = is_strict ? 1 : n;
    if (strict_before(sampling->state) != GB_OK)
        return GB_FAILED;
    struct gb_measurement measured = ask_for(sampling, n, deadline_ns);
    double begin = session_clock_ns(device);
    int32_t status;
    sampling->state->host->interface.iterations = sampling->state->strict ? 1
                                                                          : sampling->iterations;
    CALL_BENCH(sampling->state, status, device->ops->measure(device->device, &measured));
    if (is_strict && status == GB_OK && measured.n_done + measured.n_lost == 0) {
        measured.deadline_ns = 0; /* what is renewed is run, though it is late */
        CALL_BENCH(sampling->state, status, device->ops->measure(device->device, &measured));
    }
    if (case_judge_both(sampling->state, "run", status) != GB_OK ||
        strict_after(sampling->state, session_clock_ns(device) - begin) != GB_OK)
        return GB_FAILED;
    if (measured.n_done > n)
        return case_stop(sampling->state, CASE_FAILED,
                         "device %s: measured more samples than asked for", device->name);
    if (measured.n_done > 0) {
        /* What a device had taken before, and hands over now, has cost time then. */
        const double asked_ns = session_clock_ns(device) - begin;
        const double taken_ns = sampling->batch->end_ns[measured.n_done - 1] -
                                sampling->batch->begin_ns[0];
        sampling->cost_ns = fmax(asked_ns, taken_ns) / (double)measured.n_done;
    }
    if (check_times(sampling, measured.n_done) != GB_OK)
        return GB_FAILED;
    for (uint32_t i = 0; i < device->n_clocks; i++)
        if (i != sampling->clock && !(measured.clocks_filled >> i & 1))
            for (uint64_t j = 0; j < measured.n_done; j++)
                sampling->batch->clocks[i][j] = NAN;
    sampling->is_uncollected = true;
    sampling->n_lost += measured.n_lost;
    sampling->n_iterations += (measured.n_done + measured.n_lost) * sampling->iterations;
    *ret_done = measured.n_done;
    return GB_OK;
}

/* The benchmark gives what it has recorded elsewhere. */
static int32_t collect(struct sampling *sampling)
{
    struct case_state *state = sampling->state;
    int32_t status;
    sampling->is_uncollected = false;
    if (!GB_HAS(state->ops, collect) || !state->ops->collect)
        return GB_OK;
    link_phase(sampling->link, PHASE_COLLECT);
    CALL_BENCH(state, status, state->ops->collect(state->bench, state->device->queue));
    return case_judge_bench(state, "collect", status);
}

/* The shortest of a few samples, so that the first call's page faults do not hide how short the
 * code is; one where nothing follows from it: whole programs are not run for nothing. */
static int32_t shortest(struct sampling *sampling, double *ret_ns)
{
    const int n = sampling->state->ops->flags & GB_BENCH_SINGLE ? 1 : CALIBRATION_SAMPLES;
    *ret_ns = INFINITY;
    for (int i = 0; i < n; i++) {
        uint64_t n_done = 0;
        if (measure(sampling, 1, 0, &n_done) != GB_OK)
            return GB_FAILED;
        double time_ns = sampling->batch->clocks[sampling->clock][0];
        if (n_done == 1 && time_ns < *ret_ns)
            *ret_ns = time_ns;
        if (n_done == 1 && sampling->cost_ns > batch_ns)
            break;
    }
    return GB_OK;
}

/* That of the device, or what keeps a call of run beside its iterations small. */
static double shortest_sample_ns(const struct sampling *sampling)
{
    const struct gb_bench_ops *ops = sampling->state->ops;
    const double of_clock_ns = sampling->device->clocks[sampling->clock].min_sample_ns;
    if (!GB_HAS(ops, entry_ns) || sampling->device->ops->flags & GB_DEVICE_GRAPHS)
        return of_clock_ns;
    return fmax(of_clock_ns, ENTRIES_A_SAMPLE * fmin(fmax(ops->entry_ns, 0), longest_entry_ns));
}

/* Finds how many iterations make a sample that the clock can resolve. */
static int32_t calibrate(struct sampling *sampling)
{
    const struct common_params *common = sampling->common;
    const double target_ns = shortest_sample_ns(sampling);
    bool is_free = common->iterations == 0 && !(sampling->state->ops->flags & GB_BENCH_SINGLE) &&
                   common->cache == GB_CACHE_WARM;
    sampling->iterations = common->iterations > 0 ? (uint64_t)common->iterations : 1;
    if ((sampling->state->ops->flags & GB_BENCH_SINGLE) && sampling->iterations != 1)
        return case_stop(sampling->state, CASE_FAILED,
                         "iterations = %llu: this benchmark can only do one iteration a sample "
                         "(GB_BENCH_SINGLE): expected iterations = auto",
                         (unsigned long long)sampling->iterations);
    if (strict_grow(sampling->state, &sampling->iterations) != GB_OK)
        return GB_FAILED;
    if (common->iterations > (int64_t)sampling->iterations)
        return case_stop(sampling->state, CASE_FAILED,
                         "verify = strict: iterations = %lld: there can be %llu sets of inputs",
                         (long long)common->iterations, (unsigned long long)sampling->iterations);
    for (int step = 0; step < CALIBRATION_STEPS; step++) {
        double time_ns = 0;
        if (shortest(sampling, &time_ns) != GB_OK)
            return GB_FAILED;
        if (!is_free || !(time_ns < target_ns))
            break;
        double factor = time_ns > 0 ? 1.2 * target_ns / time_ns : 100;
        factor = factor > 100 ? 100 : factor < 1.2 ? 1.2 : factor;
        sampling->iterations = (uint64_t)ceil((double)sampling->iterations * factor);
        const uint64_t wanted = sampling->iterations;
        if (strict_grow(sampling->state, &sampling->iterations) != GB_OK)
            return GB_FAILED;
        if (sampling->iterations < wanted)
            break;
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
    double until_ns = session_clock_ns(sampling->device) + sampling->common->warmup_ns;
    while (session_clock_ns(sampling->device) < until_ns && !host_cancelled()) {
        uint64_t n_done = 0;
        double left = (until_ns - session_clock_ns(sampling->device)) /
                      (sampling->cost_ns > 0 ? sampling->cost_ns : 1);
        uint64_t n = left < 1 ? 1 : left > 256 ? 256 : (uint64_t)left;
        if (measure(sampling, n, until_ns, &n_done) != GB_OK)
            return GB_FAILED;
        if (n_done == 0)
            break;
    }
    return GB_OK;
}

/* What was sent and read since the warm-up left its caches to others: the first sample of all would
 * show it. Not where time on the device is measured, or its energy. */
static int32_t warm_again(struct sampling *sampling)
{
    const uint64_t n_lost = sampling->n_lost;
    uint64_t n_done = 0;
    if (!(sampling->cost_ns < sampling->common->warmup_ns) || sampling->device->queue->native ||
        sampling->common->pace != PACE_FREE || sampling->common->cache != GB_CACHE_WARM)
        return GB_OK;
    const int32_t status = measure(sampling, 1, 0, &n_done);
    sampling->n_lost = n_lost;
    return status;
}

static void send_timing(struct sampling *sampling)
{
    const struct gb_clock *clock = &sampling->device->clocks[sampling->clock];
    struct gb_reading *reading = &sampling->reading;
    const bool is_graph = reading->launch == GB_LAUNCH_GRAPH;
    reading->note[sizeof reading->note - 1] = 0;
    const char *why_stream = sampling->state->why_stream;
    struct case_record timing = {
        .clock = sampling->measured_name,
        .iterations = 1,
        .launched = launch_word(is_graph ? GB_LAUNCH_GRAPH : GB_LAUNCH_STREAM),
        .reading_note = why_stream ? why_stream : reading->note};
    if (!sampling->measured) {
        timing.clock = clock->name;
        timing.iterations = sampling->iterations;
        timing.tick_ns = reading->tick_ns;
        timing.overhead_ns = clock->overhead_ns;
        timing.offset_ns = reading->offset_ns;
        timing.offset_error_ns = reading->offset_error_ns;
        timing.graph_ns = why_stream ? 0 : reading->graph_ns; /* of a wrong result */
        timing.is_dithered = reading->flags & GB_CLOCK_DITHERED;
    }
    sampling->policy->error_ns = timing.offset_error_ns / (double)timing.iterations;
    link_send_record(sampling->link, WIRE_TIMING, &timing);
}

static void send_samples(struct sampling *sampling)
{
    if (sampling->outbox->n == 0)
        return;
    outbox_put(sampling->outbox, link_begin(sampling->link, WIRE_SAMPLES),
               sampling->measured ? 0 : sampling->clock);
    link_send(sampling->link);
    sampling->sent_ns = host_clock_ns();
}

/* A batch as the policy sees it: its columns are filled but for time and elapsed time. */
static struct gb_samples view_batch(struct sampling *sampling, struct batch *batch, uint64_t n)
{
    const uint32_t clock = sampling->measured ? 0 : sampling->clock;
    const uint64_t iterations = sampling->measured ? 1 : sampling->iterations;
    const struct gb_reading *reading = &sampling->reading;
    const bool is_dithered = !sampling->measured && reading->flags & GB_CLOCK_DITHERED;
    for (uint64_t i = 0; i < n; i++) {
        batch->time_ns[i] = batch->clocks[clock][i] / (double)iterations;
        batch->elapsed_ns[i] = batch->end_ns[i] - sampling->first_begin_ns;
        batch->iterations[i] = iterations;
    }
    return (struct gb_samples){
        .size = sizeof(struct gb_samples),
        .traits = is_dithered ? GB_SAMPLES_DITHERED : 0,
        .n = n,
        .time_ns = batch->time_ns,
        .elapsed_ns = batch->elapsed_ns,
        .iterations = batch->iterations,
        .clock_hz = batch->clock_hz,
        .throttle = batch->throttle,
        .flags = batch->flags,
        .tick_ns = sampling->measured ? 0 : reading->tick_ns / (double)iterations};
}

/* n of the values from `first` on, given during n_runs samples: what is known of those holds for
 * them, as if they had been given evenly over the time. */
static struct gb_samples view_values(struct sampling *sampling, size_t first, uint64_t n,
                                     uint64_t n_runs)
{
    const struct batch *runs = sampling->batch;
    struct batch *batch = sampling->value_batch;
    const double total = (double)sampling->values.n, begin_ns = runs->begin_ns[0];
    const double span_ns = runs->end_ns[n_runs - 1] - begin_ns;
    batch->n_used = n > batch->n_used ? n : batch->n_used;
    for (uint64_t i = 0; i < n; i++) {
        const double place = (double)(first + i) / total;
        const size_t run = (size_t)(place * (double)n_runs);
        batch->clocks[0][i] = sampling->values.values[first + i] * sampling->to_ns;
        batch->end_ns[i] = begin_ns + (place + 1 / total) * span_ns;
        batch->clock_hz[i] = runs->clock_hz[run];
        batch->throttle[i] = runs->throttle[run];
        batch->flags[i] = runs->flags[run];
    }
    return view_batch(sampling, batch, n);
}

/* Where that disturbs no samples: what a queue does meanwhile is to cool down. */
static bool renews_between(const struct sampling *sampling)
{
    return case_can_renew(sampling->state) && !sampling->device->queue->native &&
           sampling->common->pace == PACE_FREE;
}

static uint64_t batch_size(const struct sampling *sampling)
{
    /* Of a series so many values as a sample has had so far. */
    const bool is_known = sampling->measured && sampling->n_runs > 0 && sampling->n_values > 0;
    const double per_run = is_known ? (double)sampling->n_values / (double)sampling->n_runs : 1;
    const uint64_t wanted = policy_run_wanted(sampling->policy, sampling->cost_ns / per_run);
    uint64_t n = (uint64_t)ceil((double)wanted / per_run);
    double most = sampling->cost_ns > 0 ? batch_ns / sampling->cost_ns : (double)BATCH_MAX;
    if ((double)n > most)
        n = most < 1 ? 1 : (uint64_t)most;
    if (renews_between(sampling) && n > sampling->until_check)
        n = sampling->until_check;
    return n > BATCH_MAX ? BATCH_MAX : n;
}

/* max_time is over, and no sample came any more. */
static int32_t expire(struct sampling *sampling)
{
    char time[NUMBER_TEXT_MAX];
    if (sampling->policy->count == 0 && sampling->measured)
        return case_stop(sampling->state, CASE_FAILED,
                         "measure = %s: the benchmark recorded no value of it within max_time (%s)",
                         sampling->measured_name,
                         format_time(policy_run_time_limit(sampling->policy), 3, time));
    if (sampling->policy->count == 0)
        return case_stop(sampling->state, CASE_FAILED,
                         "device %s: lost the times of all %llu samples within max_time (%s)",
                         sampling->device->name, (unsigned long long)sampling->n_lost,
                         format_time(policy_run_time_limit(sampling->policy), 3, time));
    policy_run_expire(sampling->policy);
    return GB_OK;
}

/* The policy takes samples until it has enough. */
static int32_t feed(struct sampling *sampling, const struct batch *batch,
                    const struct gb_samples *samples, uint64_t *ret_taken)
{
    struct gb_error error;
    *ret_taken = 0;
    link_phase(sampling->link, PHASE_POLICY);
    int32_t status = policy_run_feed(sampling->policy, samples, ret_taken, &error);
    if (sampling->outbox->n + *ret_taken > BATCH_MAX)
        send_samples(sampling);
    outbox_add(sampling->outbox, batch, *ret_taken, sampling->measured ? 1 : sampling->iterations);
    if (host_clock_ns() - sampling->sent_ns > send_every_ns)
        send_samples(sampling);
    return status == GB_OK ? GB_OK : case_stop(sampling->state, CASE_FAILED, "%s", error.text);
}

/* A series may hold whatever is finite; what is measured is a time. */
static int32_t check_values(const struct sampling *sampling)
{
    for (size_t i = 0; i < sampling->values.n; i++)
        if (sampling->values.values[i] < 0)
            return case_stop(sampling->state, CASE_FAILED,
                             "measure = %s: the value %g is not a time: expected 0 or more",
                             sampling->measured_name, sampling->values.values[i]);
    return GB_OK;
}

static int32_t feed_values(struct sampling *sampling, uint64_t n_runs)
{
    const size_t n_values = sampling->values.n;
    uint64_t n_taken = 0;
    int32_t status = check_values(sampling);
    sampling->n_runs += n_runs;
    sampling->n_values += n_values;
    for (size_t first = 0, n = 0; status == GB_OK && first < n_values && !sampling->policy->ended;
         first += n) {
        n = n_values - first < BATCH_MAX ? n_values - first : BATCH_MAX;
        const struct gb_samples samples = view_values(sampling, first, n, n_runs);
        status = feed(sampling, sampling->value_batch, &samples, &n_taken);
    }
    thread_times_keep(&sampling->threads, n_runs, sampling->iterations);
    pace_keep(&sampling->pace, n_runs);
    return status;
}

static int32_t feed_batch(struct sampling *sampling, uint64_t n)
{
    if (sampling->first_begin_ns == 0)
        sampling->first_begin_ns = sampling->batch->begin_ns[0];
    if (sampling->measured)
        return feed_values(sampling, n);
    uint64_t n_taken = 0;
    const struct gb_samples samples = view_batch(sampling, sampling->batch, n);
    const int32_t status = feed(sampling, sampling->batch, &samples, &n_taken);
    thread_times_keep(&sampling->threads, n_taken, sampling->iterations);
    pace_keep(&sampling->pace, n_taken);
    return status;
}

static int32_t run_batch(struct sampling *sampling)
{
    double max_time_ns = policy_run_time_limit(sampling->policy);
    bool has_begun = sampling->first_begin_ns > 0;
    double begin_ns = has_begun ? sampling->first_begin_ns : sampling->sampling_ns;
    double deadline_ns = isfinite(max_time_ns) ? begin_ns + max_time_ns : 0;
    uint64_t n_done = 0, n_lost = sampling->n_lost;
    /* What was given in a warm-up or a check is left out. */
    if (sampling->is_uncollected && collect(sampling) != GB_OK)
        return GB_FAILED;
    series_discard();
    link_phase(sampling->link, PHASE_RUN);
    if (measure(sampling, batch_size(sampling), has_begun ? deadline_ns : 0, &n_done) != GB_OK ||
        collect(sampling) != GB_OK)
        return GB_FAILED;
    sampling->values.n = 0;
    series_take(&sampling->state->host->series, sampling->measured, &sampling->values);
    if (n_done == 0 || (sampling->measured && sampling->values.n == 0)) {
        if (deadline_ns > 0 && session_clock_ns(sampling->device) >= deadline_ns)
            return expire(sampling);
        if (n_done == 0 && sampling->n_lost == n_lost)
            return case_stop(sampling->state, CASE_FAILED, "device %s: measured no sample",
                             sampling->device->name);
        return GB_OK;
    }
    sampling->until_check -= n_done < sampling->until_check ? n_done : sampling->until_check;
    return feed_batch(sampling, n_done);
}

/* What the user can do about a clock that is too coarse: the host knows what may be asked for. More
 * iterations of a cold sample would find the caches warm. */
static const char *advice(const struct sampling *sampling, const struct gb_estimate *estimate)
{
    if (estimate->verdict != GB_VERDICT_RESOLUTION_LIMITED)
        return "";
    if (sampling->state->ops->flags & GB_BENCH_SINGLE)
        return ": this benchmark can only do one iteration a sample";
    return sampling->common->cache == GB_CACHE_WARM ? ": raise iterations" : "";
}

/* What calls take that are on renewed inputs is more than the samples', in honest code, by caches
 * and branches that are predicted where inputs repeat. */
static bool is_contradicted(const struct sampling *sampling, double reading_ns, double renewed_ns)
{
    const int kind = sampling->device->queue->native ? 1 : 0;
    return isfinite(renewed_ns) &&
           renewed_ns > renewed_step_ns[kind] +
                            fmax(renewed_ratio[kind] * reading_ns, cold_ratio * sampling->cold_ns);
}

/* A reading far below what calls on renewed inputs take is not that of such calls, which is
 * reported then. */
static void contradict(const struct sampling *sampling, struct gb_estimate *estimate)
{
    char renewed[NUMBER_TEXT_MAX], reading[NUMBER_TEXT_MAX];
    const double bound_ns = sampling->renewed_ns;
    if (sampling->measured || !(bound_ns > 0))
        return;
    link_metric(sampling->link, "renewed_ns", bound_ns, "ns");
    if (!is_contradicted(sampling, estimate->value_ns, bound_ns))
        return;
    case_stop(sampling->state, CASE_CONTRADICTED,
              "a call on renewed inputs takes at least %s, but by the samples %s",
              format_time(bound_ns, 3, renewed), format_time(estimate->value_ns, 3, reading));
    estimate->value_ns = estimate->low_ns = estimate->high_ns = bound_ns;
    estimate->n_modes = 0;
}

static void send_estimate(struct sampling *sampling)
{
    char reason[REASON_MAX];
    struct gb_estimate estimate;
    struct gb_error error;
    if (policy_run_report(sampling->policy, &estimate, &error) != GB_OK) {
        case_stop(sampling->state, CASE_FAILED, "%s", error.text);
        return;
    }
    contradict(sampling, &estimate);
    snprintf(reason, sizeof reason, "%s%s", sampling->policy->reason, advice(sampling, &estimate));
    put_estimate(link_begin(sampling->link, WIRE_ESTIMATE), &estimate, reason, sampling->n_lost);
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
    double now_ns = session_clock_ns(sampling->device);
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
    struct wire_writer *writer = link_begin(sampling->link, WIRE_TELEMETRY);
    wire_put_u32(writer, moment);
    put_record(writer, WIRE_TELEMETRY, &telemetry);
    link_send(sampling->link);
}

/* A device without telemetry costs nothing; one that this has broken costs the case. */
static int32_t send_telemetry(struct sampling *sampling, uint32_t moment)
{
    struct gb_telemetry values = {.without_energy = !sampling->has_energy};
    if (case_telemetry(sampling->state, &values) != GB_OK)
        return GB_FAILED;
    put_reading(sampling, moment, &values);
    if (moment == TELEMETRY_BEGIN)
        sampling->first = values;
    return GB_OK;
}

/* From here on energy is counted, of a visit that lasts. */
static int32_t count_energy(struct sampling *sampling)
{
    struct gb_telemetry now = {0};
    if (sampling->has_energy || sampling->policy->elapsed_ns < energy_from_ns)
        return GB_OK;
    sampling->has_energy = true;
    if (sampling->telemetry_ns == 0 || !isnan(sampling->first.energy_joules))
        return GB_OK;
    if (case_telemetry(sampling->state, &now) != GB_OK)
        return GB_FAILED;
    sampling->first.energy_joules = now.energy_joules;
    if (!isnan(now.energy_joules))
        put_reading(sampling, TELEMETRY_BEGIN, &sampling->first);
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

/* Finds the series that is measured: the benchmark has named its own by now. */
static int32_t find_measured(struct sampling *sampling)
{
    const struct series_set *set = &sampling->state->host->series;
    const char *name = sampling->measured_name;
    CLEANUP(text_free) struct text known = {0};
    if (text_equal(name, MEASURE_TIME))
        return GB_OK;
    sampling->measured = series_named(set, name);
    for (uint32_t i = 0; i < set->n; i++)
        text_printf(&known, " or %s", set->items[i].name);
    if (!sampling->measured)
        return case_stop(sampling->state, CASE_FAILED,
                         "measure = %s: the benchmark has no such series: expected time%s", name,
                         text_get(&known));
    const struct series *series = &set->items[sampling->measured - 1];
    sampling->to_ns = series_to_ns(series);
    if (!(sampling->to_ns > 0))
        return case_stop(sampling->state, CASE_FAILED,
                         "measure = %s: its unit is \"%s\": expected ns, us, ms or s", name,
                         series->unit);
    outbox_free(sampling->outbox);
    sampling->outbox = outbox_new(&(const char *){series->name}, 1);
    sampling->value_batch = batch_new();
    return GB_OK;
}

static bool has_counted_clock(const struct sampling *sampling)
{
    return sampling->reading.flags & GB_CLOCK_CYCLES && !sampling->measured;
}

/* Asks the policy what it wants first, after such a load; not if it has been asked. */
static int32_t ask_after(struct sampling *sampling, double load_ns)
{
    struct gb_error error;
    if (load_ns == sampling->state->policy_host->interface.load_ns)
        return GB_OK;
    sampling->state->policy_host->interface.load_ns = load_ns;
    return policy_run_ask(sampling->policy, &error) == GB_OK
               ? GB_OK
               : case_stop(sampling->state, CASE_FAILED, "%s", error.text);
}

/* All that comes before the first sample. */
static int32_t get_ready(struct sampling *sampling)
{
    struct gb_telemetry values = {.without_energy = 1};
    if (case_telemetry(sampling->state, &values) != GB_OK ||
        pace_wait(&sampling->pace, &values) != GB_OK)
        return GB_FAILED;
    put_reading(sampling, TELEMETRY_BEFORE, &values);
    /* The device plans by what the policy will want; whether load counts is known later. */
    if (ask_after(sampling, pace_recent_load(&sampling->pace)) != GB_OK ||
        warm_up(sampling) != GB_OK || pace_reach(&sampling->pace) != GB_OK ||
        find_measured(sampling) != GB_OK)
        return GB_FAILED;
    /* An interpreter's libraries load others where they are first used, and set handlers. */
    case_keep_process(sampling->state);
    const bool is_counted = has_counted_clock(sampling);
    if (is_counted)
        pace_find_load(&sampling->pace);
    if (ask_after(sampling, is_counted ? sampling->pace.record.load_ns : 0) != GB_OK)
        return GB_FAILED;
    send_timing(sampling);
    sampling->n_lost = 0;
    if (case_sentinel(sampling->state, SENTINEL_BEGIN) != GB_OK)
        return GB_FAILED;
    return pace_to_energy_step(&sampling->pace, 0) == GB_OK
               ? send_telemetry(sampling, TELEMETRY_BEGIN)
               : GB_FAILED;
}

/* One sample on renewed inputs, as any other, that is not kept. What a queue measures may have been
 * launched before: there it is called. */
static int32_t renew_one(struct sampling *sampling, uint64_t set)
{
    struct case_state *state = sampling->state;
    const double cost_ns = sampling->cost_ns;
    uint64_t n_done = 0;
    int32_t status = case_renew(state, set);
    if (status == GB_OK && sampling->device->queue->native)
        status = case_call(state, sampling->iterations);
    else if (status == GB_OK)
        status = measure(sampling, 1, 0, &n_done);
    sampling->cost_ns = cost_ns;
    return status;
}

static int32_t check_one(struct sampling *sampling)
{
    struct case_state *state = sampling->state;
    int32_t status = renew_one(sampling, case_input_set(state));
    if (status == GB_OK && !state->has_no_checks)
        status = case_check(state);
    return status == GB_OK && *state->wrong ? renew_one(sampling, 0) : status;
}

/* At random moments, the first soon, the others so that they take a tenth of the time, which is
 * none of the samples'. */
static int32_t check_between(struct sampling *sampling)
{
    const double begin_ns = session_clock_ns(sampling->device);
    if (!renews_between(sampling) || sampling->until_check > 0)
        return GB_OK;
    const int32_t status = check_one(sampling);
    const double took_ns = session_clock_ns(sampling->device) - begin_ns;
    const double apart = fmin(took_ns / (checks_share * sampling->cost_ns), 1e9);
    sampling->until_check = 1 + secret() % (uint64_t)(2 * apart + 1);
    if (sampling->first_begin_ns > 0)
        sampling->first_begin_ns += took_ns;
    return status;
}

/* What the one sample of a batch took: no more than processors worked on it, where the device knows
 * that, as on a busy machine it is mostly waiting; but for another process that may work on it. */
static double worked_ns(const struct sampling *sampling)
{
    const struct open_device *device = sampling->device;
    double time_ns = sampling->batch->clocks[sampling->clock][0];
    if (process_has_children())
        return time_ns;
    for (uint32_t i = 0; i < device->n_clocks; i++)
        if (text_equal(device->clocks[i].name, "cpu")) /* fmin leaves out NaN: it was not read */
            time_ns = fmin(time_ns, sampling->batch->clocks[i][0]);
    return time_ns;
}

/* Where calls on renewed inputs seem to contradict the samples: they may be slow for cold caches
 * alone. Then so is a call on old inputs after as much other memory. */
static int32_t find_cold(struct sampling *sampling)
{
    enum { TRIES = 20 };
    double least_ns = INFINITY;
    int32_t status = GB_OK;
    if (sampling->device->queue->native)
        return GB_OK;
    strict_repeat(sampling->state);
    sampling->iterations = 1; /* who remembers one result has it */
    for (int i = 0; i < TRIES && status == GB_OK; i++) {
        uint64_t n_done = 0;
        status = measure(sampling, 1, 0, &n_done);
        if (status == GB_OK && n_done == 1)
            least_ns = fmin(least_ns, worked_ns(sampling));
    }
    sampling->cold_ns = isfinite(least_ns) ? least_ns : 0;
    return status;
}

/* Keeps n + 1 values in order. Returns their lower quartile: the least may be of a call whose work
 * another thread did before, while this one waited for a processor. */
static double add_to_quartile(double *values, int n, double value)
{
    int at = n;
    for (; at > 0 && values[at - 1] > value; at--)
        values[at] = values[at - 1];
    values[at] = value;
    return values[n / 4];
}

/* Samples that all are on renewed inputs, and are verified: the lower quartile bounds what the
 * others may have read. Where it seems to contradict them, more are taken, as something may have
 * delayed it. */
static int32_t find_bound(struct sampling *sampling, double reading_ns)
{
    enum { LEAST = 2, MOST = 60, SETS = 16, DOUBTED = 400 };
    struct case_state *state = sampling->state;
    const uint64_t iterations = sampling->iterations;
    const double begin_ns = session_clock_ns(sampling->device);
    const double most_ns = fmax(checks_share * (begin_ns - sampling->sampling_ns),
                                checks_unnoticed_ns * state->policy_host->interface.share);
    double bound_ns = INFINITY, times_ns[DOUBTED];
    int n_taken = 0;
    uint64_t n = (uint64_t)fmin(ceil(bound_sample_ns / reading_ns), fmin((double)iterations, SETS));
    strict_begin(state);
    int32_t status = strict_grow(state, &n);
    sampling->iterations = n;
    for (int i = 0; status == GB_OK && !*state->wrong; i++) {
        const bool is_doubted = is_contradicted(sampling, reading_ns, bound_ns);
        const double limit_ns = begin_ns + (is_doubted ? longest_checks_ns : most_ns);
        uint64_t n_done = 0;
        if (i >= LEAST &&
            (i >= (is_doubted ? DOUBTED : MOST) || session_clock_ns(sampling->device) > limit_ns))
            break;
        status = measure(sampling, 1, 0, &n_done);
        if (status == GB_OK && n_done == 1)
            bound_ns = add_to_quartile(times_ns, n_taken++, worked_ns(sampling) / (double)n);
    }
    if (status == GB_OK && !*state->wrong && is_contradicted(sampling, reading_ns, bound_ns))
        status = find_cold(sampling);
    strict_end(state);
    sampling->iterations = iterations;
    sampling->renewed_ns = *state->wrong ? 0 : bound_ns;
    return status;
}

/* The last sample of all is on the first inputs again: `verify` sees the same in each run. Where
 * samples are long, and few, there is one more alone. */
static int32_t check_after(struct sampling *sampling)
{
    enum { LEAST = 4 };
    struct case_state *state = sampling->state;
    struct gb_estimate estimate;
    struct gb_error error;
    if (!case_can_renew(state) || host_cancelled() || sampling->policy->count == 0)
        return GB_OK;
    const double taken_ns = session_clock_ns(sampling->device) - sampling->sampling_ns;
    const bool is_long = LEAST * sampling->cost_ns >
                         fmax(checks_share * taken_ns, longest_checks_ns);
    int32_t status = check_one(sampling);
    if (status != GB_OK || is_long || !case_can_renew(state))
        return status;
    if (policy_run_report(sampling->policy, &estimate, &error) == GB_OK)
        status = find_bound(sampling, estimate.value_ns);
    return status == GB_OK ? renew_one(sampling, 0) : status;
}

static int32_t sample(struct sampling *sampling)
{
    int32_t status = get_ready(sampling);
    if (status != GB_OK)
        return status;
    case_end_phase(sampling->state, &sampling->state->phases.warmup_ns);
    struct interference begin;
    interference_begin(&begin);
    status = warm_again(sampling);
    if (status == GB_OK)
        status = case_profile_begin(sampling->state);
    sampling->sent_ns = host_clock_ns();
    sampling->sampling_ns = session_clock_ns(sampling->device);
    while (status == GB_OK && !sampling->policy->ended) {
        if (host_cancelled())
            status = case_stop(sampling->state, CASE_CANCELLED, "%s", "");
        else
            status = count_energy(sampling);
        if (status == GB_OK)
            status = check_between(sampling);
        if (status == GB_OK)
            status = run_batch(sampling);
    }
    const struct case_outcome *outcome = sampling->state->outcome;
    struct interference_record interference;
    interference_end(&begin, &interference);
    case_end_phase(sampling->state, &sampling->state->phases.measure_ns);
    case_profile_end(sampling->state);
    if (has_counted_clock(sampling))
        pace_leave_load(&sampling->pace, sampling->policy->elapsed_ns);
    if (status == GB_OK)
        status = case_sentinel(sampling->state, SENTINEL_END);
    if (status == GB_OK)
        check_after(sampling);
    case_end_phase(sampling->state, &sampling->state->phases.verify_ns);
    if (status == GB_OK)
        pace_to_energy_step(&sampling->pace, sampling->telemetry_ns + energy_window_ns -
                                                 session_clock_ns(sampling->device));
    if (!outcome->is_poisoned)
        send_telemetry(sampling, TELEMETRY_END);
    link_hold(sampling->link);
    send_samples(sampling);
    series_send(&sampling->state->host->series, sampling->link);
    link_send_record(sampling->link, WIRE_PACE, &sampling->pace.record);
    link_send_record(sampling->link, WIRE_INTERFERENCE, &interference);
    thread_times_report(&sampling->threads, sampling->state);
    link_phase(sampling->link, PHASE_POLICY);
    if (sampling->policy->count > 0)
        send_estimate(sampling);
    return outcome->status == CASE_OK ? GB_OK : GB_FAILED;
}

static void sampling_new(struct sampling *sampling, struct case_state *state)
{
    const struct gb_clock *clock = &state->device->clocks[state->clock];
    *sampling = (struct sampling){.state = state,
                                  .link = state->link,
                                  .device = state->device,
                                  .common = &state->bench_case->common,
                                  .policy = state->policy,
                                  .clock = state->clock,
                                  .measured_name = state->measure,
                                  .has_energy = state->bench_case->common.pace == PACE_SUSTAINED,
                                  .pace = {.state = state, .load = load}};
    sampling->reading = (struct gb_reading){.size = sizeof sampling->reading,
                                            .launch = launch_of(sampling),
                                            .flags = clock->flags,
                                            .tick_ns = clock->tick_ns};
    sampling->until_check = secret() % FIRST_CHECK;
    sampling->batch = batch_new();
    sampling->pace.context = sampling;
    sampling->pace.batch = sampling->batch;
    const char *names[GB_CLOCKS_MAX];
    for (uint32_t i = 0; i < state->device->n_clocks; i++)
        names[i] = state->device->clocks[i].name;
    sampling->outbox = outbox_new(names, state->device->n_clocks);
    thread_times_begin(&sampling->threads, state);
}

static void sampling_free(struct sampling *sampling)
{
    batch_free(sampling->value_batch);
    batch_free(sampling->batch);
    series_values_free(&sampling->values);
    outbox_free(sampling->outbox);
    thread_times_free(&sampling->threads);
}

int32_t case_sample(struct case_state *state)
{
    struct sampling sampling;
    const double begin_ns = host_clock_ns();
    sampling_new(&sampling, state);
    *state->wrong = 0;
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
