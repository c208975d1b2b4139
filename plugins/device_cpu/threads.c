/*
 * threads.c - see threads.h. Plugin side.
 *
 * Between the release of the others and the first instruction of run in thread 0 lies one store.
 * The others see it when its cache line reaches them: tens to hundreds of nanoseconds later, which
 * is part of the sample as it is of any program that starts together.
 */
#define _GNU_SOURCE
#include "threads.h"

#include "plugins/common/team.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { LINE_BYTES = 64 };

/* What one thread writes, on lines of its own. */
struct slot {
    _Alignas(LINE_BYTES) struct gb_queue queue;
    struct timespec stop;
    double cpu_ns;
    int32_t status;
    bool is_preempted;
};

struct cpu_threads {
    struct team *team;
    uint32_t n;
    bool is_bound;
    /* of the sample */
    const struct gb_bench_ops *ops;
    void *bench;
    uint64_t iterations;
    struct timespec start;
    uint_fast64_t round;
    _Alignas(LINE_BYTES) atomic_uint_fast32_t n_ready;
    _Alignas(LINE_BYTES) atomic_uint_fast64_t released; /* the round that may begin */
    struct slot slots[];
};

int32_t threads_open(const struct gb_host *host, const uint32_t *cpus, uint32_t n,
                     struct cpu_threads **ret)
{
    struct cpu_threads *threads = NULL;
    void *memory = NULL;
    const size_t bytes = sizeof *threads + n * sizeof(struct slot);
    if (posix_memalign(&memory, LINE_BYTES, bytes) != 0)
        return GB_NO_MEMORY;
    threads = memory;
    memset(threads, 0, bytes);
    threads->n = n;
    threads->is_bound = cpus != NULL;
    for (uint32_t i = 0; i < n; i++)
        threads->slots[i].queue = (struct gb_queue){
            .size = sizeof(struct gb_queue), .thread = i, .n_threads = n};
    const int32_t status = team_open(host, cpus, n, &threads->team);
    if (status != GB_OK)
        free(threads);
    else
        *ret = threads;
    return status;
}

void threads_close(struct cpu_threads *threads)
{
    if (threads == NULL)
        return;
    team_stop(threads->team);
    free(threads);
}

static double clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static long preemptions(void)
{
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nivcsw;
}

/* Threads that share a CPU must let each other run. */
static void wait_a_moment(const struct cpu_threads *threads)
{
    if (threads->is_bound)
        pause_a_moment();
    else
        sched_yield();
}

static void start_together(struct cpu_threads *threads, uint32_t thread)
{
    const uint_fast64_t round = threads->round;
    if (thread == 0) {
        while (atomic_load_explicit(&threads->n_ready, memory_order_acquire) < threads->n - 1)
            wait_a_moment(threads);
        clock_gettime(CLOCK_MONOTONIC_RAW, &threads->start);
        atomic_store_explicit(&threads->released, round, memory_order_release);
        return;
    }
    atomic_fetch_add_explicit(&threads->n_ready, 1, memory_order_release);
    while (atomic_load_explicit(&threads->released, memory_order_acquire) != round)
        wait_a_moment(threads);
}

static void run_one(void *context, uint32_t thread)
{
    struct cpu_threads *threads = context;
    struct slot *slot = &threads->slots[thread];
    int32_t (*run)(void *, const struct gb_queue *, uint64_t) = threads->ops->run;
    void *const bench = threads->bench;
    const uint64_t iterations = threads->iterations;
    const long preempted = preemptions();
    const double cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    start_together(threads, thread);
    slot->status = run(bench, &slot->queue, iterations);
    clock_gettime(CLOCK_MONOTONIC_RAW, &slot->stop);
    slot->cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_ns;
    slot->is_preempted = preemptions() > preempted;
}

static double between_ns(const struct timespec *from, const struct timespec *to)
{
    return (double)(to->tv_sec - from->tv_sec) * 1e9 + (double)(to->tv_nsec - from->tv_nsec);
}

int32_t threads_run(struct cpu_threads *threads, const struct gb_bench_ops *ops, void *bench,
                    uint64_t iterations, struct threads_sample *ret, double *thread_ns)
{
    int32_t status = GB_OK;
    double longest_ns = -1.0;
    threads->ops = ops;
    threads->bench = bench;
    threads->iterations = iterations;
    threads->round++;
    atomic_store_explicit(&threads->n_ready, 0, memory_order_relaxed);
    team_run(threads->team, run_one, threads);
    *ret = (struct threads_sample){.start = threads->start,
                                   .first_cpu_ns = threads->slots[0].cpu_ns};
    for (uint32_t i = 0; i < threads->n; i++) {
        const struct slot *slot = &threads->slots[i];
        const double taken_ns = between_ns(&threads->start, &slot->stop);
        status = status == GB_OK ? slot->status : status;
        ret->cpu_ns += slot->cpu_ns;
        ret->n_preempted += slot->is_preempted;
        ret->stop = taken_ns > longest_ns ? slot->stop : ret->stop;
        longest_ns = taken_ns > longest_ns ? taken_ns : longest_ns;
        if (thread_ns != NULL)
            thread_ns[i] = taken_ns;
    }
    return status;
}
