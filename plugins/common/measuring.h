/* measuring.h - steps of whatever measures: the clock, and what a benchmark is asked for around its
 * run. Plugin side. */
#pragma once

#include <gbrun/counters.h>
#include <gbrun/device.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

/* The time on a clock of <time.h>. */
static inline double clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Copies as much of a struct of so many bytes as its receiver knows: it begins with its size. */
static inline void copy_known(void *to, const void *from, uint32_t bytes)
{
    uint32_t known;
    memcpy(&known, to, sizeof known);
    memcpy(to, from, known < bytes ? known : bytes);
    memcpy(to, &known, sizeof known);
}

/* The run of a benchmark that does nothing: what remains is the clock's overhead. */
static inline int32_t run_nothing(void *bench, const struct gb_queue *queue, uint64_t iterations)
{
    (void)bench;
    (void)queue;
    (void)iterations;
    return GB_OK;
}

static inline int32_t bench_reset(const struct gb_bench_ops *ops, void *bench,
                                  const struct gb_queue *queue)
{
    return ops->reset != NULL ? ops->reset(bench, queue) : GB_OK;
}

/* What comes before each pass of counters: a reset; with a warm cache a run that is not counted
 * before the first pass, and another reset. *is_warm is false then. */
static inline int32_t counting_prepare(const struct gb_counting *counting, bool *is_warm,
                                       int32_t (*run)(void *context), void *context)
{
    int32_t status = bench_reset(counting->bench_ops, counting->bench, counting->queue);
    if (status != GB_OK || *is_warm || counting->cache == GB_CACHE_COLD)
        return status;
    *is_warm = true;
    status = run(context);
    return status == GB_OK ? bench_reset(counting->bench_ops, counting->bench, counting->queue)
                           : status;
}
