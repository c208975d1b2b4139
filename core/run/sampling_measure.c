/* sampling_measure.c - see sampling.h: a device takes samples; calibration and warm-up. */
#include "core/run/sampling.h"

#include "core/run/strict.h"

#include <math.h>

enum {
    CALIBRATION_STEPS = 60, /* more than enough to reach any iteration count */
    CALIBRATION_SAMPLES = 3
};
/* A call of run beside its iterations is at most a thousandth of a sample. */
static const double ENTRIES_A_SAMPLE = 1000, longest_entry_ns = 1e6;

uint32_t sampling_launch(const struct sampling *sampling)
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
                                   .launch = sampling_launch(sampling),
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

int32_t sampling_measure(struct sampling *sampling, uint64_t n, double deadline_ns,
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

int32_t sampling_collect(struct sampling *sampling)
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
        if (sampling_measure(sampling, 1, 0, &n_done) != GB_OK)
            return GB_FAILED;
        double time_ns = sampling->batch->clocks[sampling->clock][0];
        if (n_done == 1 && time_ns < *ret_ns)
            *ret_ns = time_ns;
        if (n_done == 1 && sampling->cost_ns > SAMPLING_BATCH_NS)
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

int32_t sampling_warm_up(struct sampling *sampling)
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
        if (sampling_measure(sampling, n, until_ns, &n_done) != GB_OK)
            return GB_FAILED;
        if (n_done == 0)
            break;
    }
    return GB_OK;
}

int32_t sampling_warm_again(struct sampling *sampling)
{
    const uint64_t n_lost = sampling->n_lost;
    uint64_t n_done = 0;
    if (!(sampling->cost_ns < sampling->common->warmup_ns) || sampling->device->queue->native ||
        sampling->common->pace != PACE_FREE || sampling->common->cache != GB_CACHE_WARM)
        return GB_OK;
    const int32_t status = sampling_measure(sampling, 1, 0, &n_done);
    sampling->n_lost = n_lost;
    return status;
}
