/*
 * counters.c - what a benchmark made the processors do, by the counters that the kernel gives
 * access to (perf_event_open). Plugin side.
 *
 * Each event is counted in a pass of its own, so that no two share a counter of the processor in
 * turns and every count is exact. It is opened for each thread that the process has, and inherited
 * by those that run starts, as a benchmark's threads may live since prepare.
 */
#define _GNU_SOURCE
#include "cpu_device.h"
#include "stepping.h"

#include "plugins/common/bench_steps.h"
#include "plugins/common/measuring.h"
#include "plugins/common/perf_events.h"

#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#define INSTRUCTIONS "instructions"

/* --- the events, by the names that the tool perf has for them --- */

struct event {
    const char *name, *unit, *help;
    uint32_t type; /* PERF_TYPE_... */
    uint64_t config;
    double flops;   /* that one count stands for; 0: it is no count of them */
    bool is_common; /* counted also where no names are given */
};

#define HARDWARE(name, unit, what, is_common, help)                                                \
    {                                                                                              \
        name, unit, help, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##what, 0, is_common                   \
    }
#define CACHE(name, level, result, help)                                                           \
    {                                                                                              \
        name, "", help, PERF_TYPE_HW_CACHE,                                                        \
            PERF_COUNT_HW_CACHE_##level | (uint64_t)PERF_COUNT_HW_CACHE_OP_READ << 8 |             \
                (uint64_t)PERF_COUNT_HW_CACHE_RESULT_##result << 16,                               \
            0, false                                                                               \
    }
#define SOFTWARE(name, unit, what, help)                                                           \
    {                                                                                              \
        name, unit, help, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##what, 0, false                       \
    }

static const struct event everywhere[] = {
    HARDWARE(INSTRUCTIONS, "", INSTRUCTIONS, true, "instructions retired"),
    HARDWARE("cycles", "", CPU_CYCLES, true, "cycles of the processors while they ran"),
    HARDWARE("cache-references", "", CACHE_REFERENCES, true, "accesses to the last-level cache"),
    HARDWARE("cache-misses", "", CACHE_MISSES, true,
             "accesses to the last-level cache that missed"),
    HARDWARE("branch-misses", "", BRANCH_MISSES, true, "mispredicted branches"),
    HARDWARE("branches", "", BRANCH_INSTRUCTIONS, false, "branches retired"),
    HARDWARE("ref-cycles", "", REF_CPU_CYCLES, false, "cycles at a constant reference frequency"),
    CACHE("L1-dcache-loads", L1D, ACCESS, "loads from the first-level data cache"),
    CACHE("L1-dcache-load-misses", L1D, MISS, "loads that missed in it"),
    CACHE("LLC-loads", LL, ACCESS, "loads from the last-level cache"),
    CACHE("LLC-load-misses", LL, MISS, "loads that missed in it"),
    CACHE("dTLB-load-misses", DTLB, MISS, "loads that missed the data TLB"),
    SOFTWARE("page-faults", "", PAGE_FAULTS, "page faults"),
    SOFTWARE("task-clock", "ns", TASK_CLOCK, "processor time of all threads"),
};
enum { N_EVERYWHERE = sizeof everywhere / sizeof everywhere[0] };

/* FP_ARITH_INST_RETIRED, event C7h: Intel 64 and IA-32 Architectures Software Developer's Manual,
 * volume 3, performance-monitoring events. A fused multiply-add is counted twice. */
#define FP_ARITH(name, mask, flops, what)                                                          \
    {                                                                                              \
        "fp_arith_inst_retired." name, "", what " retired; a fused multiply-add counts twice",     \
            PERF_TYPE_RAW, 0xC7 | (uint64_t)(mask) << 8, flops, true                               \
    }

static const struct event intel[] = {
    FP_ARITH("scalar_double", 0x01, 1, "scalar instructions of double precision"),
    FP_ARITH("scalar_single", 0x02, 1, "scalar instructions of single precision"),
    FP_ARITH("128b_packed_double", 0x04, 2, "instructions on 2 values of double precision"),
    FP_ARITH("128b_packed_single", 0x08, 4, "instructions on 4 values of single precision"),
    FP_ARITH("256b_packed_double", 0x10, 4, "instructions on 4 values of double precision"),
    FP_ARITH("256b_packed_single", 0x20, 8, "instructions on 8 values of single precision"),
    FP_ARITH("512b_packed_double", 0x40, 8, "instructions on 8 values of double precision"),
    FP_ARITH("512b_packed_single", 0x80, 16, "instructions on 16 values of single precision"),
};
enum { N_INTEL = sizeof intel / sizeof intel[0], N_INTEL_256 = N_INTEL - 2 };

#if defined(__x86_64__) || defined(__i386__)

/* Models of family 6 from Broadwell on, without those that have cores of two sorts: only one sort
 * counts these. */
static bool is_known_model(uint32_t model)
{
    static const uint8_t models[] = {
        0x3D, 0x47, 0x4F, 0x56,                   /* Broadwell */
        0x4E, 0x5E, 0x55, 0x8E, 0x9E, 0xA5, 0xA6, /* Skylake to Comet Lake */
        0x6A, 0x6C, 0x7D, 0x7E, 0x8C, 0x8D, 0xA7, /* Ice, Tiger and Rocket Lake */
        0x8F, 0xCF, 0xAD, 0xAE,                   /* Sapphire, Emerald, Granite Rapids */
    };
    for (size_t i = 0; i < sizeof models; i++) {
        if (models[i] == model)
            return true;
    }
    return false;
}

static bool is_known_intel(void)
{
    unsigned a, b, c, d;
    if (__get_cpuid(0, &a, &b, &c, &d) == 0 || b != signature_INTEL_ebx ||
        c != signature_INTEL_ecx || d != signature_INTEL_edx || __get_cpuid(1, &a, &b, &c, &d) == 0)
        return false;
    const unsigned family = a >> 8 & 0xF;
    const unsigned model = (a >> 4 & 0xF) | (a >> 12 & 0xF0);
    return family == 6 && is_known_model(model);
}

static size_t n_flop_events(void)
{
    return !is_known_intel() ? 0 : __builtin_cpu_supports("avx512f") ? N_INTEL : N_INTEL_256;
}

#else

static size_t n_flop_events(void)
{
    return 0;
}

#endif

/* Event number i of this machine, by what its processor is; NULL past the last. That it is here
 * does not mean that it can be counted. */
static const struct event *event_at(size_t i)
{
    if (i < N_EVERYWHERE)
        return &everywhere[i];
    return i - N_EVERYWHERE < n_flop_events() ? &intel[i - N_EVERYWHERE] : NULL;
}

static const struct event *event_named(const char *name)
{
    const struct event *event = NULL;
    for (size_t i = 0; (event = event_at(i)) != NULL; i++) {
        if (strcmp(event->name, name) == 0)
            return event;
    }
    return NULL;
}

enum { THREADS_MAX = 4096, EVENTS_MAX = 256, NAMES_SHOWN_BYTES = 200 };

/* --- one event on all threads --- */

struct files {
    int items[THREADS_MAX];
    size_t n;
    int of_this_thread; /* also among the items; -1: none */
};

static int open_event(const struct event *event, pid_t thread, bool is_exact)
{
    const struct perf_event opened = {event->type, event->config, is_exact, false};
    return perf_event_open(&opened, thread);
}

static void close_all(struct files *files)
{
    for (size_t i = 0; i < files->n; i++)
        close(files->items[i]);
    files->n = 0;
    files->of_this_thread = -1;
}

/* 0, or the errno that says why the event cannot be counted. A thread that has ended meanwhile is
 * left out. */
static int open_all(const struct event *event, bool is_exact, struct files *files)
{
    const pid_t this_thread = (pid_t)syscall(SYS_gettid);
    DIR *folder = opendir("/proc/self/task");
    int error = folder != NULL ? 0 : errno;
    const struct dirent *entry = NULL;
    files->n = 0;
    files->of_this_thread = -1;
    while (error == 0 && (entry = readdir(folder)) != NULL) {
        const pid_t thread = (pid_t)strtol(entry->d_name, NULL, 10);
        if (thread <= 0)
            continue;
        const int file = files->n < THREADS_MAX ? open_event(event, thread, is_exact) : -1;
        if (file < 0 && errno == ESRCH)
            continue;
        if (file < 0) {
            error = files->n < THREADS_MAX ? errno : EMFILE;
        } else {
            files->items[files->n++] = file;
            files->of_this_thread = thread == this_thread ? file : files->of_this_thread;
        }
    }
    if (folder != NULL)
        closedir(folder);
    if (error != 0)
        close_all(files);
    return error;
}

/* This thread's is switched last on and first off, so that it counts little of this. */
static void switch_all(const struct files *files, bool is_on)
{
    const unsigned long what = is_on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;
    if (!is_on && files->of_this_thread >= 0)
        ioctl(files->of_this_thread, what, 0);
    for (size_t i = 0; i < files->n; i++) {
        if (files->items[i] != files->of_this_thread)
            ioctl(files->items[i], what, 0);
    }
    if (is_on && files->of_this_thread >= 0)
        ioctl(files->of_this_thread, what, 0);
}

/* The sum over the threads; NaN if a thread ran and nothing of it was counted. */
static double read_all(const struct files *files, bool is_exact)
{
    double sum = 0.0;
    for (size_t i = 0; i < files->n; i++)
        sum += perf_event_read(files->items[i], is_exact);
    return sum;
}

/* --- passes --- */

struct pass {
    struct cpu_device *device;
    struct gb_counting *counting;
    const struct event *events[EVENTS_MAX];
    size_t n_events;
    struct files files;
    bool is_warm;
    uint64_t n_steps; /* of the last run, where instructions are counted one by one */
};

static bool counting_is_exact(const struct gb_counting *counting)
{
    return GB_HAS(counting, limit) && counting->is_exact != 0;
}

/* From the same place within a page each time: the way of a processor through code that copies
 * depends on where the stack is. */
static int32_t run(void *context)
{
    enum { PAGE_BYTES = 4096 };
    struct pass *pass = context;
    const struct gb_counting *counting = pass->counting;
    volatile char *gap = __builtin_alloca(PAGE_BYTES +
                                          (uintptr_t)__builtin_frame_address(0) % PAGE_BYTES);
    gap[0] = 0;
    if (counting_is_exact(counting) && counting->means == GB_COUNT_BY_STEP)
        return stepping_run(counting->bench_ops, counting->bench, counting->queue,
                            counting->iterations, counting->limit, &pass->n_steps);
    return cpu_run(pass->device, counting->bench_ops, counting->bench, counting->queue,
                   counting->iterations);
}

/* *ret_error: why the event cannot be counted, an errno; 0: it was. */
static int32_t count_event(struct pass *pass, const struct event *event, double *ret_value,
                           int *ret_error)
{
    struct gb_counting *counting = pass->counting;
    const bool is_exact = counting_is_exact(counting);
    *ret_value = NAN;
    *ret_error = 0;
    /* Asked first, so that nothing is run for an event that cannot be counted. */
    const int file = open_event(event, 0, is_exact);
    if (file < 0) {
        *ret_error = errno;
        return GB_OK;
    }
    close(file);
    int32_t status = counting_prepare(counting, &pass->is_warm, run, pass);
    if (status == GB_OK && counting->cache == GB_CACHE_COLD)
        status = cpu_flush(pass->device);
    if (status != GB_OK)
        return status;
    *ret_error = open_all(event, is_exact, &pass->files);
    if (*ret_error != 0)
        return GB_OK;
    switch_all(&pass->files, true);
    status = run(pass);
    switch_all(&pass->files, false);
    counting->n_passes++;
    if (status == GB_OK)
        *ret_value = read_all(&pass->files, is_exact);
    close_all(&pass->files);
    return status;
}

/* --- what is missing --- */

/* Names that are not known, and events that cannot be counted, with the first reason. */
struct missing {
    char unknown[NAMES_SHOWN_BYTES];
    size_t length;
    const char *first;
    size_t n_others;
    int error;
};

static void miss_name(struct missing *missing, const char *name)
{
    if (missing->length < sizeof missing->unknown)
        missing->length += (size_t)snprintf(missing->unknown + missing->length,
                                            sizeof missing->unknown - missing->length, "%s%.60s",
                                            missing->length > 0 ? ", " : "", name);
}

static void explain(const struct missing *missing, char *text, size_t bytes)
{
    char why[NAMES_SHOWN_BYTES] = "";
    size_t length = 0;
    if (missing->length > 0)
        length = (size_t)snprintf(
            text, bytes, "%s%s: no counter of this machine; `gbrun list counters` prints them%s",
            missing->unknown, missing->length >= sizeof missing->unknown ? " ..." : "",
            missing->first != NULL ? "; " : "");
    if (missing->first == NULL || length >= bytes)
        return;
    perf_event_explain(missing->error, why, sizeof why);
    if (missing->n_others > 0)
        snprintf(text + length, bytes - length, "%s and %zu others: %s", missing->first,
                 missing->n_others, why);
    else
        snprintf(text + length, bytes - length, "%s: %s", missing->first, why);
}

/* --- instructions, exactly --- */

static int32_t count_by_steps(struct pass *pass, double *ret_value)
{
    const struct gb_counting *counting = pass->counting;
    int32_t status = bench_reset(counting->bench_ops, counting->bench, counting->queue);
    if (status == GB_OK)
        status = run(pass);
    *ret_value = (double)pass->n_steps;
    return status == GB_OK && pass->n_steps == UINT64_MAX
               ? host_fail(pass->device->host,
                           "more than %llu instructions are too many for single steps of some 10 "
                           "us each: expected less work, a larger count_limit, or a machine where "
                           "perf events count",
                           (unsigned long long)counting->limit)
               : status;
}

/* What the benchmark's run takes, and what an empty one takes. event NULL: steps. */
static int32_t count_both(struct pass *pass, const struct event *event, double ret_values[2],
                          int *ret_error)
{
    struct gb_counting *counting = pass->counting;
    const struct gb_bench_ops *ops = counting->bench_ops;
    const bool has_empty = GB_HAS(ops, run_empty) && ops->run_empty != NULL;
    const struct gb_bench_ops empty = {.size = sizeof empty,
                                       .run = has_empty ? ops->run_empty : run_nothing};
    int32_t status = GB_OK;
    *ret_error = 0;
    for (int i = 0; i < 2 && status == GB_OK && *ret_error == 0; i++) {
        counting->bench_ops = i == 0 ? ops : &empty;
        status = event != NULL ? count_event(pass, event, &ret_values[i], ret_error)
                               : count_by_steps(pass, &ret_values[i]);
    }
    counting->bench_ops = ops;
    return status;
}

static int32_t count_name(struct pass *pass, const char *name)
{
    const struct gb_counting *counting = pass->counting;
    const bool is_stepped = counting->means == GB_COUNT_BY_STEP;
    const bool is_main = strcmp(name, INSTRUCTIONS) == 0;
    const struct event *event = event_named(name);
    const double n = (double)counting->iterations;
    char empty_name[64];
    double values[2];
    int error;
    snprintf(empty_name, sizeof empty_name, GB_EMPTY "%s", name);
    if (event == NULL || (is_stepped && !is_main))
        return GB_OK;
    const int32_t status = count_both(pass, is_stepped ? NULL : event, values, &error);
    const bool is_known = status == GB_OK && error == 0 && !isnan(values[0] - values[1]);
    for (int i = 0; i < 2 && is_known; i++)
        counting->count(counting->context, i == 0 ? name : empty_name, values[i] / n, event->unit);
    return status == GB_OK && is_main && !is_known
               ? host_fail(pass->device->host,
                           "count_by = perf: other programs use the processor's counters, or the "
                           "thread moved to a processor of another kind: expected cpus of one "
                           "kind, or count_by = step")
               : status;
}

/* Fails where there are none, or not those that are asked for. */
static int32_t choose_means(struct pass *pass)
{
    struct gb_counting *counting = pass->counting;
    const struct gb_host *host = pass->device->host;
    char why[NAMES_SHOWN_BYTES] = "";
    const struct event *event = event_named(INSTRUCTIONS);
    const struct perf_event exact = {event->type, event->config, true, false};
    const bool has_perf = perf_event_counts(&exact, why, sizeof why);
    if (counting->means == GB_COUNT_BY_VALGRIND)
        return host_fail(host, "count_by = valgrind: it counts whole programs, for the benchmark "
                               "command: expected auto, perf or step");
    if (counting->means == GB_COUNT_BY_AUTO)
        counting->means = has_perf ? GB_COUNT_BY_PERF : GB_COUNT_BY_STEP;
    if (counting->means == GB_COUNT_BY_PERF)
        return has_perf ? GB_OK : host_fail(host, "count_by = perf: instructions: %s", why);
    if (!stepping_is_known())
        return host_fail(host,
                         "instructions cannot be counted: perf events: %s; single steps are "
                         "supported on x86-64 only",
                         why);
    return pass->device->threads != NULL
               ? host_fail(host, "single steps count one thread: expected threads = 1, or a "
                                 "machine where perf events count")
               : GB_OK;
}

static int32_t count_exactly(struct pass *pass)
{
    const struct gb_counting *counting = pass->counting;
    int32_t status = choose_means(pass);
    pass->is_warm = true; /* the host has called it */
    for (uint32_t i = 0; status == GB_OK && i < counting->n_names; i++)
        status = count_name(pass, counting->names[i]);
    return status;
}

/* --- all events --- */

static void add(struct pass *pass, const struct event *event)
{
    for (size_t i = 0; i < pass->n_events; i++) {
        if (pass->events[i] == event)
            return;
    }
    if (pass->n_events < EVENTS_MAX)
        pass->events[pass->n_events++] = event;
}

static void choose(struct pass *pass, struct missing *missing)
{
    const struct gb_counting *counting = pass->counting;
    const struct event *event = NULL;
    for (size_t i = 0; counting->wants_work != 0 && (event = event_at(i)) != NULL; i++) {
        if (event->is_common)
            add(pass, event);
    }
    for (uint32_t i = 0; i < counting->n_names; i++) {
        event = event_named(counting->names[i]);
        if (event != NULL)
            add(pass, event);
        else
            miss_name(missing, counting->names[i]);
    }
}

/* Operations are known if each of their events is. */
static void add_flops(struct gb_counting *counting, const struct event *event, double value)
{
    double *flops = &counting->work[GB_COUNTED_FLOPS];
    if (counting->made_from[0] == '\0') {
        *flops = 0.0;
        snprintf(counting->made_from, sizeof counting->made_from, "%.*s by their widths",
                 (int)strcspn(event->name, "."), event->name);
    }
    *flops += event->flops * value;
}

static int32_t count(void *object, struct gb_counting *counting)
{
    struct pass *pass = calloc(1, sizeof *pass);
    struct missing missing = {.first = NULL};
    const double n = (double)counting->iterations;
    int32_t status = GB_OK;
    if (pass == NULL)
        return GB_NO_MEMORY;
    pass->device = object;
    pass->counting = counting;
    if (counting_is_exact(counting)) {
        status = count_exactly(pass);
        free(pass);
        return status;
    }
    choose(pass, &missing);
    for (size_t i = 0; status == GB_OK && i < pass->n_events; i++) {
        const struct event *event = pass->events[i];
        double value = NAN;
        int error = 0;
        status = count_event(pass, event, &value, &error);
        if (status == GB_OK && counting->wants_work != 0 && event->flops > 0.0)
            add_flops(counting, event, value / n);
        if (status == GB_OK && error == 0)
            counting->count(counting->context, event->name, value / n, event->unit);
        if (error != 0 && missing.first != NULL) {
            missing.n_others++;
        } else if (error != 0) {
            missing.first = event->name;
            missing.error = error;
        }
    }
    if (isnan(counting->work[GB_COUNTED_FLOPS]))
        counting->made_from[0] = '\0';
    if (status == GB_OK)
        explain(&missing, counting->missing, sizeof counting->missing);
    free(pass);
    return status;
}

static int32_t list(const struct gb_host *host, const void *params, uint32_t index,
                    const char *model, const char *whole, gb_counter_fn *counter, void *context)
{
    const struct event *event = NULL;
    (void)params;
    (void)whole;
    if (model != NULL)
        return host->skip(host, "unknown chip: only this machine's processors are known");
    if (index != 0)
        return GB_NOT_FOUND;
    for (size_t i = 0; (event = event_at(i)) != NULL; i++) {
        const struct gb_counter listed = {
            .size = sizeof listed, .name = event->name, .unit = event->unit, .help = event->help};
        counter(context, &listed);
    }
    return GB_OK;
}

const struct gb_counters cpu_counters = {.size = sizeof cpu_counters, .list = list, .count = count};
