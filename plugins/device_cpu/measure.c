/*
 * measure.c - samples timed on the CPU's clocks. Plugin side.
 *
 * Between the reading of the clock and the first instruction of run lies one indirect call. All
 * else (cache flush, other clocks, counters of preemption) is outside of the two readings.
 */
#define _GNU_SOURCE
#include "cpu_device.h"
#include "plugins/common/bench_steps.h"
#include "plugins/common/measuring.h"
#include "plugins/common/team.h"

#include <math.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

static const clockid_t clock_ids[CLOCKS] = {
    [CLOCK_WALL] = CLOCK_MONOTONIC_RAW,
    [CLOCK_CPU] = CLOCK_PROCESS_CPUTIME_ID,
    [CLOCK_THREAD] = CLOCK_THREAD_CPUTIME_ID,
};

/* Further columns are filled by clocks with no more overhead than this. */
static const double CHEAP_CLOCK_NS = 1000.0;
static const double GAP_SLICE_NS = 100e6;

static double between_ns(const struct timespec *from, const struct timespec *to)
{
    return (double)(to->tv_sec - from->tv_sec) * 1e9 + (double)(to->tv_nsec - from->tv_nsec);
}

/* --- cold cache --- */

/* All pages are written here, so that walking the buffer never waits for the kernel. */
static int32_t reserve_flush_buffer(struct cpu_device *device)
{
    struct flush_buffer *flush = &device->flush;
    if (flush->words != NULL)
        return GB_OK;
    void *memory = mmap(NULL, flush->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                        0);
    if (memory == MAP_FAILED) {
        return host_fail(
            device->host,
            "out of memory for the %llu bytes that flush the cache: expected a smaller flush",
            (unsigned long long)flush->bytes);
    }
    madvise(memory, flush->bytes, MADV_HUGEPAGE);
    memset(memory, 1, flush->bytes);
    flush->words = memory;
    return GB_OK;
}

static void walk(struct flush_buffer *flush)
{
    const uint64_t n = flush->bytes / sizeof *flush->words;
    const uint64_t stride = flush->line_bytes / sizeof *flush->words;
    for (uint64_t i = 0; i < n; i += stride)
        flush->words[i]++;
    GB_CLOBBER();
}

int32_t cpu_flush(struct cpu_device *device)
{
    const int32_t status = reserve_flush_buffer(device);
    if (status == GB_OK)
        walk(&device->flush);
    return status;
}

/* --- several threads --- */

/*
 * Between the release of the others and the first instruction of run in thread 0 lies one store.
 * The others see it when its cache line reaches them: tens to hundreds of nanoseconds later, which
 * is part of the sample as it is of any program that starts together.
 */

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

/* How often the scheduler has taken this thread off its CPU: one system call. */
static int64_t preemptions(void)
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
    const int64_t preempted = preemptions();
    const double cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    start_together(threads, thread);
    slot->status = run(bench, &slot->queue, iterations);
    clock_gettime(CLOCK_MONOTONIC_RAW, &slot->stop);
    slot->cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_ns;
    slot->is_preempted = preemptions() > preempted;
}

/*
 * All threads wait for each other; the clock is read; each calls run with a queue of its own and
 * notes when it returned. Returns the status of the first thread that failed. taken_ns: from the
 * start to the end of the last; processor time, with waiting for the start, of all and of thread 0.
 * *ret_preempted: threads that were taken off their CPU meanwhile. thread_ns: n times from the
 * start to the end of each; NULL: not wanted.
 */
static int32_t threads_run(struct cpu_threads *threads, const struct gb_bench_ops *ops, void *bench,
                           uint64_t iterations, double taken_ns[CLOCKS], uint32_t *ret_preempted,
                           double *thread_ns)
{
    int32_t status = GB_OK;
    threads->ops = ops;
    threads->bench = bench;
    threads->iterations = iterations;
    threads->round++;
    atomic_store_explicit(&threads->n_ready, 0, memory_order_relaxed);
    team_run(threads->team, run_one, threads);
    taken_ns[CLOCK_WALL] = taken_ns[CLOCK_CPU] = 0.0;
    taken_ns[CLOCK_THREAD] = threads->slots[0].cpu_ns;
    *ret_preempted = 0;
    for (uint32_t i = 0; i < threads->n; i++) {
        const struct slot *slot = &threads->slots[i];
        const double ns = between_ns(&threads->start, &slot->stop);
        status = status == GB_OK ? slot->status : status;
        taken_ns[CLOCK_WALL] = fmax(taken_ns[CLOCK_WALL], ns);
        taken_ns[CLOCK_CPU] += slot->cpu_ns;
        *ret_preempted += slot->is_preempted;
        if (thread_ns != NULL)
            thread_ns[i] = ns;
    }
    return status;
}

/* --- one sample --- */

struct batch {
    struct gb_measurement *measurement;
    struct flush_buffer *flush;
    struct cpu_threads *threads; /* NULL: there is one */
    uint32_t others;             /* bit i: clock i fills a column beside the one that counts */
    int64_t preemptions;
};

static void read_others(uint32_t others, struct timespec ret[CLOCKS])
{
    for (uint32_t i = 0; i < CLOCKS; i++) {
        if ((others >> i & 1u) != 0)
            clock_gettime(clock_ids[i], &ret[i]);
    }
}

/* Calls run between two readings of the clock, and nothing else. Which function that is the
 * compiler may not know, or it puts its instructions here: timer overhead is that of a call. */
static int32_t timed_run(const struct gb_measurement *measurement, clockid_t clock,
                         struct timespec *start, struct timespec *stop)
{
    int32_t (*run)(void *, const struct gb_queue *, uint64_t) = measurement->bench_ops->run;
    void *const bench = measurement->bench;
    const struct gb_queue *const queue = measurement->queue;
    const uint64_t iterations = measurement->iterations;
    __asm__("" : "+r"(run));
    clock_gettime(clock, start);
    const int32_t status = run(bench, queue, iterations);
    clock_gettime(clock, stop);
    return status;
}

int32_t cpu_run(const struct cpu_device *device, const struct gb_bench_ops *ops, void *bench,
                const struct gb_queue *queue, uint64_t iterations)
{
    double taken_ns[CLOCKS];
    uint32_t n_preempted;
    return device->threads != NULL
               ? threads_run(device->threads, ops, bench, iterations, taken_ns, &n_preempted, NULL)
               : ops->run(bench, queue, iterations);
}

/* What may be preempted before the sample begins must not be blamed on it: after a reset or a walk
 * the counter is read anew. Otherwise one reading a sample does, that of the sample before. */
static int32_t make_ready(struct batch *batch)
{
    const struct gb_measurement *measurement = batch->measurement;
    const bool is_cold = measurement->cache == GB_CACHE_COLD;
    const int32_t status = bench_reset(measurement->bench_ops, measurement->bench,
                                       measurement->queue);
    if (status != GB_OK)
        return status;
    if (is_cold)
        walk(batch->flush);
    if (is_cold || measurement->bench_ops->reset != NULL)
        batch->preemptions = preemptions();
    return GB_OK;
}

static int32_t measure_one(struct batch *batch, uint64_t i)
{
    struct gb_measurement *measurement = batch->measurement;
    struct timespec start[CLOCKS];
    struct timespec stop[CLOCKS];
    double taken_ns[CLOCKS]; /* by threads */
    double *thread_ns = GB_HAS(measurement, thread_ns) ? measurement->thread_ns : NULL;
    const uint32_t clock = measurement->clock;
    int32_t status = make_ready(batch);
    if (status != GB_OK)
        return status;

    uint32_t n_preempted = 0;
    const double begin_ns = clock_ns(CLOCK_MONOTONIC);
    if (batch->threads != NULL) {
        if (thread_ns != NULL)
            thread_ns += i * GB_THREADS(measurement->queue);
        status = threads_run(batch->threads, measurement->bench_ops, measurement->bench,
                             measurement->iterations, taken_ns, &n_preempted, thread_ns);
    } else {
        read_others(batch->others, start);
        status = timed_run(measurement, clock_ids[clock], &start[clock], &stop[clock]);
        read_others(batch->others, stop);
    }
    const double end_ns = clock_ns(CLOCK_MONOTONIC);
    if (status != GB_OK)
        return status;

    const int64_t preempted = preemptions();
    const uint32_t filled = batch->others | 1u << clock;
    for (uint32_t j = 0; j < CLOCKS; j++) {
        if ((filled >> j & 1u) != 0)
            measurement->time_ns[j][i] = batch->threads != NULL ? taken_ns[j]
                                                                : between_ns(&start[j], &stop[j]);
    }
    measurement->begin_ns[i] = begin_ns;
    measurement->end_ns[i] = end_ns;
    measurement->flags[i] = preempted > batch->preemptions || n_preempted > 0
                                ? GB_SAMPLE_INTERRUPTED
                                : 0u;
    batch->preemptions = preempted;
    return GB_OK;
}

/* --- a batch --- */

static uint32_t other_clocks(const struct cpu_device *device,
                             const struct gb_measurement *measurement)
{
    uint32_t others = 0;
    for (uint32_t i = 0; i < CLOCKS; i++) {
        if (i != measurement->clock && measurement->time_ns[i] != NULL &&
            device->clocks[i].overhead_ns <= CHEAP_CLOCK_NS)
            others |= 1u << i;
    }
    return others;
}

/* The counters are those of the whole batch, so each of its samples is marked. */
static void fill_sensor_columns(struct gb_measurement *measurement, double frequency_hz,
                                uint64_t throttle)
{
    for (uint64_t i = 0; i < measurement->n_done; i++) {
        measurement->clock_hz[i] = frequency_hz;
        measurement->throttle[i] = throttle;
        measurement->flags[i] |= throttle != 0 ? GB_SAMPLE_THROTTLED : 0u;
    }
}

/* In slices, so that a run that is cancelled is not waited for. False: it is. */
static bool leave_idle(const struct cpu_device *device, double gap_ns)
{
    const double until_ns = clock_ns(CLOCK_MONOTONIC) + gap_ns;
    const struct gb_host *host = device->host;
    double left_ns = gap_ns;
    while (left_ns > 0.0 && host->cancelled(host) == 0) {
        const double slice_ns = left_ns < GAP_SLICE_NS ? left_ns : GAP_SLICE_NS;
        const struct timespec slice = {.tv_nsec = (long)slice_ns};
        nanosleep(&slice, NULL);
        left_ns = until_ns - clock_ns(CLOCK_MONOTONIC);
    }
    return left_ns <= 0.0;
}

int32_t cpu_measure(void *object, struct gb_measurement *measurement)
{
    struct cpu_device *device = object;
    const double gap_ns = GB_HAS(measurement, gap_ns) ? measurement->gap_ns : 0.0;
    measurement->n_done = 0;
    measurement->n_lost = 0;
    if (measurement->clock >= CLOCKS || measurement->time_ns[measurement->clock] == NULL)
        return GB_INVALID;
    if (measurement->cache == GB_CACHE_COLD) {
        const int32_t status = reserve_flush_buffer(device);
        if (status != GB_OK)
            return status;
    }
    struct batch batch = {.measurement = measurement,
                          .flush = &device->flush,
                          .threads = device->threads,
                          .others = other_clocks(device, measurement),
                          .preemptions = preemptions()};
    measurement->clocks_filled = batch.others | 1u << measurement->clock;
    double counts[2][2];
    sensors_throttle_counts(&device->sensors, counts[0]);
    const double frequency_hz = sensors_frequency_hz(&device->sensors, clock_ns(CLOCK_MONOTONIC));

    int32_t status = GB_OK;
    for (uint64_t i = 0; i < measurement->n_samples && status == GB_OK; i++) {
        if (measurement->deadline_ns > 0.0 && clock_ns(CLOCK_MONOTONIC) >= measurement->deadline_ns)
            break;
        status = measure_one(&batch, i);
        measurement->n_done += status == GB_OK;
        if (gap_ns > 0.0 && status == GB_OK && !leave_idle(device, gap_ns))
            break;
        if (gap_ns > 0.0)
            batch.preemptions = preemptions(); /* sleeping is one */
    }
    sensors_throttle_counts(&device->sensors, counts[1]);
    fill_sensor_columns(measurement, frequency_hz, sensors_throttled(counts[0], counts[1]));
    return status;
}

/* --- what the clocks are like --- */

/*
 * The step of n readings of work of all lengths, in ns; it may be less than what a reading takes.
 * Sorts them. Neighbours are a step apart. Where a counter's ticks are converted to nanoseconds
 * they are rounded up or down as well, to promised_ns; only where most neighbours are that near is
 * there no longer step.
 */
static double resolution_of(double *times, size_t n, double promised_ns)
{
    enum { MOST = 2 };
    size_t n_near = 0;
    size_t n_far = 0;
    double least_far_ns = INFINITY;
    qsort(times, n, sizeof *times, compare_doubles);
    for (size_t i = 1; i < n; i++) {
        const double step_ns = times[i] - times[i - 1];
        if (step_ns >= 1.5 * promised_ns) {
            n_far++;
            least_far_ns = fmin(least_far_ns, step_ns);
        } else if (step_ns > 0.0) {
            n_near++;
        }
    }
    return n_near >= MOST * n_far ? promised_ns : least_far_ns;
}

enum { STEPS = 2000, OVERHEAD_SAMPLES = 201 };
static const double PROBE_MAX_NS = 20e6; /* of a clock whose step is longer, one step is seen */
static const double ERRORS_A_SAMPLE = 1000.0; /* of resolution or overhead, whichever is more */

static double promised_step(clockid_t clock)
{
    const struct timespec zero = {0, 0};
    struct timespec promised = {0, 1};
    clock_getres(clock, &promised);
    return between_ns(&zero, &promised);
}

/* The smallest non-zero difference between two readings in a row, not below the promised one. */
static double smallest_step(clockid_t clock)
{
    const double begin_ns = clock_ns(CLOCK_MONOTONIC);
    double smallest = 0.0;
    for (int i = 0; i < STEPS || smallest == 0.0; i++) {
        struct timespec first;
        struct timespec second;
        clock_gettime(clock, &first);
        clock_gettime(clock, &second);
        const double step = between_ns(&first, &second);
        if (step > 0.0 && (smallest == 0.0 || step < smallest))
            smallest = step;
        if (i >= STEPS && clock_ns(CLOCK_MONOTONIC) - begin_ns > PROBE_MAX_NS)
            break;
    }
    return fmax(smallest, promised_step(clock));
}

static double resolution(clockid_t clock)
{
    enum { LENGTHS = 400 };
    static double times[STEPS];
    size_t n = 0;
    for (unsigned i = 0; i < STEPS; i++) {
        struct timespec first;
        struct timespec second;
        clock_gettime(clock, &first);
        for (volatile unsigned work = i * 7 % LENGTHS; work > 0;)
            work = work - 1;
        clock_gettime(clock, &second);
        times[n] = between_ns(&first, &second);
        n += times[n] > 0.0;
    }
    return n < STEPS / 2 ? smallest_step(clock) : resolution_of(times, n, promised_step(clock));
}

/* The median of samples of an empty run, measured as any others are. */
static int32_t measure_overhead(struct cpu_device *device, uint32_t clock, double *ret_ns)
{
    static const struct gb_bench_ops nothing = {.size = sizeof nothing, .run = run_nothing};
    double columns[4][OVERHEAD_SAMPLES] = {{0}};
    uint64_t throttle[OVERHEAD_SAMPLES] = {0};
    uint32_t flags[OVERHEAD_SAMPLES] = {0};
    struct gb_measurement measurement = {
        .size = sizeof measurement,
        .clock = clock,
        .cache = GB_CACHE_WARM,
        .n_samples = OVERHEAD_SAMPLES,
        .iterations = 1,
        .bench_ops = &nothing,
        .begin_ns = columns[1],
        .end_ns = columns[2],
        .clock_hz = columns[3],
        .throttle = throttle,
        .flags = flags,
    };
    measurement.time_ns[clock] = columns[0];
    const int32_t status = cpu_measure(device, &measurement);
    if (status != GB_OK)
        return status;
    qsort(columns[0], OVERHEAD_SAMPLES, sizeof columns[0][0], compare_doubles);
    *ret_ns = columns[0][OVERHEAD_SAMPLES / 2];
    return GB_OK;
}

int32_t cpu_clocks_probe(struct cpu_device *device)
{
    static const struct {
        const char *name, *help;
    } words[CLOCKS] = {
        [CLOCK_WALL] = {"wall", "monotonic time, never adjusted"},
        [CLOCK_CPU] = {"cpu", "processor time of all threads of the process"},
        [CLOCK_THREAD] = {"thread", "processor time of the thread that calls run"},
    };
    for (uint32_t i = 0; i < CLOCKS; i++) {
        struct gb_clock *clock = &device->clocks[i];
        clock->size = sizeof *clock;
        snprintf(clock->name, sizeof clock->name, "%s", words[i].name);
        snprintf(clock->help, sizeof clock->help, "%s", words[i].help);
        clock->tick_ns = resolution(clock_ids[i]);
        const int32_t status = measure_overhead(device, i, &clock->overhead_ns);
        if (status != GB_OK)
            return status;
        clock->min_sample_ns = ERRORS_A_SAMPLE * fmax(clock->tick_ns, clock->overhead_ns);
    }
    return GB_OK;
}
