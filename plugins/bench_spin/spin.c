/*
 * spin.c - the benchmark `spin`: occupies the device for a known time, which clocks are compared
 * with. Plugin side.
 *
 * Spins note their first and last look at the clock in a ring in the device's memory. A kernel ends
 * when what it stored has arrived, so noting lengthens what a clock sees from outside, though not
 * what the kernel sees: unless asked otherwise, only further spins after the samples do it.
 */
#define _GNU_SOURCE
#include "spin.h"

#include "plugins/common/bench_memory.h"

#include <gbrun/gbrun.h>
#include <math.h>
#include <time.h>

#ifdef PLUGIN_WITH_CUDA
#include "plugins/common/cuda/cuda_launch.h"
#endif

/* Spins after the samples: as many as fit into the time, within limits. */
enum { AFTER_LEAST = 10, AFTER_MOST = 200 };
static const double AFTER_NS = 50e6;

static const char *const record_words[] = {"after", "timed"};

static const struct gb_option options[] = {
    GB_DURATION(struct params, duration, "10us", "0:1000s", "minimum time of a spin"),
    GB_INT(struct params, cycles, "0", "0:2^50", "cycles",
           "GPU: cycles of the multiprocessor's clock to spin instead; 0: by duration"),
    GB_INT(struct params, kernels, "1", "1:1000000", "kernels",
           "spins in an iteration, one after the other; on a GPU each is a kernel"),
    GB_CHOICE(
        struct params, record, "after", record_words,
        "which spins record their own times: further ones after the samples, or the timed ones"),
};

/* --- on the CPU: looks at the clock until it is time --- */

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int32_t cpu_create(struct spin *spin)
{
    if (spin->params->cycles > 0)
        return spin->host->skip(spin->host, "cycles is for GPUs: on the CPU give a duration");
    return GB_OK;
}

static void spin_once(uint64_t duration_ns, struct spin_ring *ring)
{
    const uint64_t begin_ns = now_ns();
    uint64_t end_ns;
    do {
        end_ns = now_ns();
    } while (end_ns - begin_ns < duration_ns);
    if (ring != NULL)
        ring->records[ring->n++ % SPIN_RECORDS] = (struct spin_record){begin_ns, end_ns, 0};
}

static int32_t run_spins(const struct spin *spin, const struct gb_queue *queue, uint64_t n,
                         struct spin_ring *ring)
{
    const uint64_t duration_ns = (uint64_t)spin->params->duration;
    (void)queue;
    for (uint64_t i = 0; i < n; i++)
        spin_once(duration_ns, ring);
    return GB_OK;
}

static const struct backend spin_cpu = {
    .create = cpu_create,
    .spin = run_spins,
};

/* --- on CUDA: a kernel of one thread spins --- */

#ifdef PLUGIN_WITH_CUDA

CUDA_IMAGE(spin_image, "plugins/bench_spin/spin");

struct spin_cuda {
    struct cuda_kernels kernels;
    CUfunction function;
};

static int32_t cuda_create(struct spin *spin)
{
    return cuda_kernels_open(spin->own, spin->host);
}

static int32_t cuda_prepare(struct spin *spin, const struct gb_queue *queue)
{
    (void)queue;
    struct spin_cuda *cuda = spin->own;
    return cuda_kernels_load(&cuda->kernels, &spin_image, "spin", &cuda->function);
}

static int32_t cuda_run_spins(const struct spin *spin, const struct gb_queue *queue, uint64_t n,
                              struct spin_ring *ring)
{
    const struct spin_cuda *cuda = spin->own;
    unsigned long long duration_ns = (unsigned long long)spin->params->duration;
    unsigned long long cycles = (unsigned long long)spin->params->cycles;
    const struct cuda_launch launch = {
        .function = cuda->function,
        .columns = 1,
        .threads = 1,
        .arguments = {&duration_ns, &cycles, &ring},
    };
    return cuda_launch(&cuda->kernels, &launch, queue, n, "launching a spin");
}

static const struct backend spin_cuda = {
    .own_bytes = sizeof(struct spin_cuda),
    .create = cuda_create,
    .prepare = cuda_prepare,
    .spin = cuda_run_spins,
    .destroy = cuda_kernels_free,
};

#endif

/* --- the benchmark --- */

BACKEND_OPS(struct spin, spin_cpu, spin_cuda, backend_nothing);

static int32_t prepare(void *object, const struct gb_queue *queue)
{
    struct spin *spin = object;
    const struct gb_host *host = spin->host;
    int32_t status = GB_OK;
    spin->copied = host_memory(host, sizeof *spin->copied, &status);
    spin->ring = device_copy_of(host, spin->copied, sizeof *spin->ring, &status);
    return status == GB_OK ? backend_prepare(object, queue) : status;
}

static int32_t run(void *object, const struct gb_queue *queue, uint64_t iterations)
{
    const struct spin *spin = object;
    const struct params *params = spin->params;
    return spin->backend->spin(spin, queue, iterations * (uint64_t)params->kernels,
                               params->record == RECORD_TIMED ? spin->ring : NULL);
}

/* --- what the spins noted --- */

static double time_of(const struct spin_record *record)
{
    return (double)(record->end_ns - record->begin_ns);
}

static void tell_clock(const struct spin *spin, uint64_t n)
{
    const struct gb_host *host = spin->host;
    double cycles = 0.0;
    double time_ns = 0.0;
    for (uint64_t i = 0; i < n; i++) {
        cycles += (double)spin->copied->records[i].cycles;
        time_ns += time_of(&spin->copied->records[i]);
    }
    if (cycles > 0.0 && time_ns > 0.0)
        host->metric(host, "in_kernel_clock", cycles / time_ns * 1e9, "Hz");
}

static void tell_times(const struct spin *spin, uint64_t n)
{
    const struct gb_host *host = spin->host;
    double sum = 0.0;
    double squares = 0.0;
    double least = INFINITY;
    double most = 0.0;
    for (uint64_t i = 0; i < n; i++) {
        const double time_ns = time_of(&spin->copied->records[i]);
        sum += time_ns;
        least = fmin(least, time_ns);
        most = fmax(most, time_ns);
    }
    const double mean = sum / (double)n;
    for (uint64_t i = 0; i < n; i++) {
        const double off = time_of(&spin->copied->records[i]) - mean;
        squares += off * off;
    }
    host->metric(host, "in_kernel", mean, "ns");
    host->metric(host, "in_kernel_min", least, "ns");
    host->metric(host, "in_kernel_max", most, "ns");
    if (n > 1)
        host->metric(host, "in_kernel_stdev", sqrt(squares / (double)(n - 1)), "ns");
}

/* By how much each spin was too short; none may be. */
static int32_t check_lengths(const struct spin *spin, uint64_t n)
{
    const struct gb_host *host = spin->host;
    const struct params *params = spin->params;
    int32_t status = GB_OK;
    double *missing = host_memory(host, n * sizeof *missing, &status);
    double *none = host_memory(host, n * sizeof *none, &status);
    if (status != GB_OK)
        return status;
    for (uint64_t i = 0; i < n; i++) {
        const struct spin_record *record = &spin->copied->records[i];
        missing[i] = params->cycles > 0 ? fmax(0.0, (double)params->cycles - (double)record->cycles)
                                        : fmax(0.0, floor(params->duration) - time_of(record));
    }
    return check_exactly(host,
                         params->cycles > 0 ? "cycles that a spin was too short"
                                            : "ns that a spin was too short",
                         GB_F64, n, missing, none);
}

static uint64_t spins_after(const struct params *params)
{
    /* A cycle is about as long on all GPUs: half a nanosecond. */
    const double time_ns = params->cycles > 0 ? (double)params->cycles / 2.0 : params->duration;
    const double n = AFTER_NS / fmax(time_ns, 1.0);
    return n > (double)AFTER_MOST    ? AFTER_MOST
           : n < (double)AFTER_LEAST ? AFTER_LEAST
                                     : (uint64_t)n;
}

static int32_t verify(void *object, const struct gb_queue *queue)
{
    const struct spin *spin = object;
    const struct gb_host *host = spin->host;
    int32_t status = GB_OK;
    if (spin->params->record == RECORD_AFTER)
        status = spin->backend->spin(spin, queue, spins_after(spin->params), spin->ring);
    copy_memory(host, spin->copied, spin->ring, sizeof *spin->copied, &status);
    if (status != GB_OK)
        return status;
    const uint64_t n = spin->copied->n < SPIN_RECORDS ? spin->copied->n : SPIN_RECORDS;
    if (n == 0)
        return host->fail(host, "no spin has recorded its start and end");
    tell_times(spin, n);
    tell_clock(spin, n);
    return check_lengths(spin, n);
}

static const struct gb_bench_ops ops = {
    .size = sizeof ops,
    .create = backend_create,
    .prepare = prepare,
    .run = run,
    .verify = verify,
    .destroy = backend_destroy,
};

static const struct gb_plugin plugin = {
    GB_PLUGIN(BENCH, "spin", "1.0",
              "occupies the device for a known time, to check clocks against"),
    .help =
        "On the CPU a loop looks at CLOCK_MONOTONIC_RAW until the duration is over. On CUDA a "
        "kernel of one thread looks at %globaltimer, or counts cycles by clock64; how long that "
        "takes depends on the clock's frequency.\n\n"
        "A spin's own time is the difference of its last and first look at the clock: "
        "`in_kernel` is the mean, with `in_kernel_min`, `_max` and `_stdev`; `in_kernel_clock` is "
        "the frequency that the kernel saw, cycles by time. The rest of the case's time is launch "
        "and completion.\n\n"
        "A kernel that records its times ends when they have arrived in memory, which makes it "
        "some tenths of a microsecond longer from outside. So the timed spins record nothing; 10 "
        "to 1000 further ones after the samples do, or, with record = timed, the last 4096 that "
        "were timed. None of them may be shorter than requested.",
    .devices = PLUGIN_DEVICES,
    GB_OPTIONS(options, struct params),
    .ops = &ops,
};

GB_MODULE(&plugin)
