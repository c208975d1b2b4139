/* case_threads.c - see case_state.h. */
#include "core/run/case_state.h"

#include "core/base/memory.h"
#include "core/run/case_columns.h"

#include <stdio.h>
#include <stdlib.h>

enum { THREADS_NAMED = 16 };
static const double unfair_ratio = 1.2;

/* At least 1. */
static uint32_t case_threads(const struct case_state *state)
{
    return (uint32_t)state->bench_case->common.threads;
}

int32_t case_threads_begin(struct case_state *state, const struct gb_plugin *bench)
{
    const struct gb_bench_ops *ops = bench->ops;
    const struct open_device *device = state->device;
    const uint32_t n = case_threads(state);
    const uint32_t n_units = device->info.n_units;
    const bool has_threads = GB_HAS(device->ops, set_threads) && device->ops->set_threads;
    int32_t status;
    if (n > 1 && !(ops->flags & GB_BENCH_THREADS))
        return case_stop(
            state, CASE_FAILED,
            "threads = %u: benchmark %s runs in one thread: expected 1, or a benchmark "
            "that has the flag GB_BENCH_THREADS",
            n, bench->id);
    if (n > 1 && !has_threads)
        return case_stop(state, CASE_FAILED,
                         "threads = %u: device %s runs a benchmark in one thread: expected 1", n,
                         device->name);
    if (!has_threads)
        return GB_OK;
    if (n > n_units && n_units > 0)
        link_say(state->link, GB_LOG_WARNING,
                 "threads = %u: only %u processors are available: threads take turns on them, and "
                 "the times include that",
                 n, n_units);
    CALL_BENCH(state, status, device->ops->set_threads(device->device, device->queue, n));
    return case_judge_device(state, "starting threads", status);
}

void case_threads_end(struct case_state *state)
{
    if (state->device && case_threads(state) > 1 && GB_HAS(state->device->ops, set_threads) &&
        state->device->ops->set_threads)
        state->device->ops->set_threads(state->device->device, state->device->queue, 1);
}

void case_threads_add_up(const struct case_state *state, struct gb_work *work)
{
    const double n = case_threads(state);
    work->flops *= n;
    work->bytes_read *= n;
    work->bytes_written *= n;
    work->items *= n;
}

void thread_times_begin(struct thread_times *times, const struct case_state *state)
{
    const uint32_t n = case_threads(state);
    if (n <= 1)
        return;
    times->n = n;
    times->batch = memory_allocate((size_t)BATCH_MAX * n * sizeof *times->batch);
    times->medians = memory_allocate(n * sizeof *times->medians);
}

void thread_times_keep(struct thread_times *times, uint64_t n_samples, uint64_t iterations)
{
    for (uint64_t i = 0; i < n_samples; i++)
        for (uint32_t thread = 0; thread < times->n; thread++) {
            const double time_ns = times->batch[i * times->n + thread] / (double)iterations;
            so_far_add(&times->medians[thread], &time_ns, 1);
        }
}

void thread_times_report(const struct thread_times *times, const struct case_state *state)
{
    struct worker_link *link = state->link;
    uint32_t slowest = 0, fastest = 0;
    if (times->n == 0 || times->medians[0].n == 0)
        return;
    double *medians = memory_allocate(times->n * sizeof *medians);
    for (uint32_t i = 0; i < times->n; i++) {
        medians[i] = so_far_median(&times->medians[i]).median_ns;
        slowest = medians[i] > medians[slowest] ? i : slowest;
        fastest = medians[i] < medians[fastest] ? i : fastest;
    }
    const double ratio = medians[slowest] / medians[fastest];
    link_metric(link, "thread_imbalance", ratio, "");
    link_metric(link, "thread_fastest", medians[fastest], "ns");
    link_metric(link, "thread_slowest", medians[slowest], "ns");
    for (uint32_t i = 0; i < times->n && times->n <= THREADS_NAMED; i++) {
        char name[32];
        snprintf(name, sizeof name, "thread.%u", i);
        link_metric(link, name, medians[i], "ns");
    }
    if (ratio > unfair_ratio)
        link_say(link, GB_LOG_WARNING,
                 "threads differ: thread %u takes %.2f times as long as thread %u", slowest, ratio,
                 fastest);
    free(medians);
}

void thread_times_free(struct thread_times *times)
{
    for (uint32_t i = 0; i < times->n; i++)
        so_far_free(&times->medians[i]);
    free(times->batch);
    free(times->medians);
}
