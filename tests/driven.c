/*
 * driven.c - the device `cpu` on a driven clock: all of plugins/device_cpu, whose clock_gettime is
 * driven_gettime (tests/modules/local.mk), so that what it measures is the same on every machine,
 * however busy. GBRUN_PLUGIN_PATH names its folder, and commands need not know of it.
 *
 * A reading of a clock, whichever, takes 20 ns. An iteration that is timed is done, and takes 1 us
 * and 1/16 ns for each byte that the benchmark declares, 10 ms where it is a program, within
 * 0.2 %; each time gbrun asks how late it is, 0.1 ms pass. Nothing else takes time, and nothing
 * interrupts or throttles a sample.
 */
#define _GNU_SOURCE
#include <gbrun/gbrun.h>
#undef GB_MODULE
#define GB_MODULE(...) /* of cpu.c: this file has its own */
#define cpu_measure driven_measure
#include "plugins/device_cpu/cpu.c"
#undef cpu_measure

#include <stdatomic.h>

enum {
    READING_NS = 20,
    LOOK_NS = 100000,
    ITERATION_NS = 1000,
    BYTES_A_NS = 16,
    PROGRAM_NS = 10000000
};

static _Atomic int64_t driven_ns = 1000000000;
static const struct gb_bench_ops *measured; /* by driven_measure now */
static double iteration_ns;

int driven_gettime(clockid_t clock, struct timespec *now)
{
    const int64_t ns = atomic_fetch_add(&driven_ns, READING_NS);
    (void)clock;
    now->tv_sec = (time_t)(ns / 1000000000);
    now->tv_nsec = (long)(ns % 1000000000);
    return 0;
}

static double driven_now(void *device)
{
    (void)device;
    return (double)atomic_fetch_add(&driven_ns, LOOK_NS);
}

/* From -1 to 1. (Knuth's MMIX generator) */
static double noise(void)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)state / 0x1p63;
}

static int32_t run_and_drive(void *bench, const struct gb_queue *queue, uint64_t iterations)
{
    const int32_t status = measured->run(bench, queue, iterations);
    if (GB_THREADS(queue) == 1 || queue->thread == 0)
        driven_ns += (int64_t)((double)iterations * iteration_ns * (1 + 0.002 * noise()));
    return status;
}

static double time_of(const struct gb_bench_ops *bench_ops, void *bench)
{
    struct gb_work work = {.size = sizeof work};
    if (GB_HAS(bench_ops, count) && bench_ops->count != NULL)
        return PROGRAM_NS;
    if (GB_HAS(bench_ops, work) && bench_ops->work != NULL &&
        bench_ops->work(bench, &work) != GB_OK)
        work = (struct gb_work){0};
    return ITERATION_NS + (work.bytes_read + work.bytes_written) / BYTES_A_NS;
}

int32_t cpu_measure(void *device, struct gb_measurement *measurement);

int32_t driven_measure(void *device, struct gb_measurement *measurement)
{
    struct gb_bench_ops driven = {.size = sizeof driven};
    measured = measurement->bench_ops;
    copy_known(&driven, measured, measured->size);
    driven.run = run_and_drive;
    iteration_ns = time_of(measured, measurement->bench);
    measurement->bench_ops = &driven;
    const int32_t status = cpu_measure(device, measurement);
    measurement->bench_ops = measured;
    memset(measurement->flags, 0, measurement->n_done * sizeof *measurement->flags);
    memset(measurement->throttle, 0, measurement->n_done * sizeof *measurement->throttle);
    return status;
}

GB_EXPORT const struct gb_module *gb_module_v1(void)
{
    static struct gb_device_ops driven_ops;
    static struct gb_plugin driven_plugin;
    static const struct gb_plugin *const plugins[] = {&driven_plugin};
    static const struct gb_module module = {sizeof module, GB_ABI_MAJOR, GB_ABI_MINOR, 1, plugins};
    driven_ops = ops;
    driven_ops.measure = driven_measure;
    driven_ops.now_ns = driven_now;
    driven_plugin = plugin;
    driven_plugin.ops = &driven_ops;
    return &module;
}
