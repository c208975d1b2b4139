/*
 * cpu.c - the device `cpu`: the processors of this machine. Plugin side.
 */
#define _GNU_SOURCE
#include "cpu_device.h"

#include "plugins/common/bench_steps.h"
#include "plugins/common/measuring.h"
#include "plugins/common/system/system_file.h"

#include <errno.h>
#include <gbrun/gbrun.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Of a page: what a creation of a case gets at another offset in one, the next one would not see.
 * strlen of 1 KiB takes 11 % longer from an odd multiple of 64 bytes on. */
enum { MEMORY_ALIGNMENT = 4096, MESSAGE_BYTES = 512 };
static const uint64_t CACHE_BYTES_IF_UNKNOWN = UINT64_C(64) << 20;

struct params {
    const char *cpus;
    const char *pin;
    int64_t numa_node;
    uint64_t flush;
};

static const struct gb_option options[] = {
    GB_STRING(struct params, cpus, "",
              "CPUs to run on, such as 0-3,8; empty: all that the process may use"),
    GB_STRING(struct params, pin, "scatter",
              "CPUs of the threads of benchmarks with `threads`: scatter: one for each core first; "
              "compact: neighbours first; none: as the system schedules; or a list such as "
              "0,2,4-7, one CPU for each thread"),
    GB_INT(struct params, numa_node, "-1", "-1:1023", NULL,
           "NUMA node whose CPUs and memory are used; -1: all"),
    GB_BYTES(struct params, flush, "0", "0:1TiB",
             "memory walked before each cold sample; 0: a quarter more than the last-level cache"),
};

/* --- what the processor is, as the system describes it --- */

enum { TEXT_BYTES = 256, CACHES_MAX = 8 };

/* 0: not known. */
static uint64_t machine_last_cache_bytes(uint32_t cpu)
{
    struct cpu_cache last = {0};
    struct cpu_cache cache;
    for (uint32_t i = 0; i < CACHES_MAX && cpu_cache_read(CPU_FOLDER, cpu, i, &cache); i++) {
        if (cache.kind != 'i' && cache.level >= last.level)
            last = cache;
    }
    if (last.bytes > 0)
        return last.bytes;
#ifdef _SC_LEVEL3_CACHE_SIZE /* not in musl */
    const long level3 = sysconf(_SC_LEVEL3_CACHE_SIZE);
    return level3 > 0 ? (uint64_t)level3 : 0;
#else
    return 0;
#endif
}

static uint32_t machine_line_bytes(uint32_t cpu)
{
    char text[TEXT_BYTES];
    unsigned long bytes = 0;
    if (system_file_line(text, sizeof text, CPU_FOLDER "/cpu%u/cache/index0/coherency_line_size",
                         cpu))
        bytes = strtoul(text, NULL, 10);
    return bytes >= 16 && bytes <= 1024 ? (uint32_t)bytes : 64;
}

static uint64_t machine_memory_bytes(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long page_bytes = sysconf(_SC_PAGESIZE);
    return pages > 0 && page_bytes > 0 ? (uint64_t)pages * (uint64_t)page_bytes : 0;
}

static void kernel_fact(gb_fact_fn *fact, void *context)
{
    struct utsname names;
    char text[sizeof names];
    if (uname(&names) != 0)
        return;
    snprintf(text, sizeof text, "%s %s %s", names.sysname, names.release, names.machine);
    fact(context, "kernel", text);
}

static void turbo_fact(gb_fact_fn *fact, void *context)
{
    char text[TEXT_BYTES];
    if (system_file_line(text, sizeof text, CPU_FOLDER "/intel_pstate/no_turbo"))
        fact(context, "turbo", text[0] == '0' ? "on" : "off");
    else if (system_file_line(text, sizeof text, CPU_FOLDER "/cpufreq/boost"))
        fact(context, "turbo", text[0] == '1' ? "on" : "off");
}

static void caches_fact(uint32_t cpu, gb_fact_fn *fact, void *context)
{
    char text[TEXT_BYTES];
    size_t used = 0;
    struct cpu_cache cache;
    for (uint32_t i = 0; i < CACHES_MAX && cpu_cache_read(CPU_FOLDER, cpu, i, &cache); i++) {
        const char kind[2] = {cache.kind, '\0'};
        used += (size_t)snprintf(text + used, sizeof text - used, "%sL%u%s %llu KiB",
                                 used > 0 ? ", " : "", cache.level, kind,
                                 (unsigned long long)(cache.bytes >> 10));
        if (used >= sizeof text)
            return;
    }
    if (used > 0)
        fact(context, "caches", text);
}

/* Which of the CPUs use the same cache as the first, by their places among them: "0-3". */
static void sharing_fact(const struct cpu_list *cpus, uint32_t index, uint32_t level,
                         gb_fact_fn *fact, void *context)
{
    char text[TEXT_BYTES];
    char name[TEXT_BYTES];
    struct cpu_list shared;
    if (!system_file_line(text, sizeof text, CPU_FOLDER "/cpu%u/cache/index%u/shared_cpu_list",
                          cpu_list_first(cpus), index) ||
        !cpu_list_read(text, &shared, name, sizeof name))
        return;
    const struct cpu_list positions = cpu_list_positions(cpus, &shared);
    cpu_list_write(&positions, text, sizeof text);
    snprintf(name, sizeof name, "l%u_shared_by", level);
    fact(context, name, text);
}

/* Of the first core, for its data: what working sets are compared with. */
static void cache_sizes(const struct cpu_list *cpus, gb_fact_fn *fact, void *context)
{
    static const char *const names[] = {[1] = "l1_bytes", [2] = "l2_bytes"};
    char text[TEXT_BYTES];
    struct cpu_cache cache;
    for (uint32_t i = 0;
         i < CACHES_MAX && cpu_cache_read(CPU_FOLDER, cpu_list_first(cpus), i, &cache); i++) {
        if (cache.kind == 'i' || cache.level < 1 || cache.level > 3)
            continue;
        snprintf(text, sizeof text, "%llu", (unsigned long long)cache.bytes);
        if (cache.level <= 2)
            fact(context, names[cache.level], text); /* the last is a device's cache_bytes */
        sharing_fact(cpus, i, cache.level, fact, context);
    }
}

/* Everything that helps to trust a number later. */
static void machine_facts(const struct cpu_list *cpus, gb_fact_fn *fact, void *context)
{
    static const struct {
        const char *name, *file;
    } of_first_cpu[] = {
        {"governor", "scaling_governor"},
        {"frequency_driver", "scaling_driver"},
        {"max_frequency_khz", "cpuinfo_max_freq"},
    };
    static const struct {
        const char *name, *path;
    } of_machine[] = {
        {"smt", CPU_FOLDER "/smt/active"},
        {"cpus_online", CPU_FOLDER "/online"},
        {"cpus_isolated", CPU_FOLDER "/isolated"},
        {"numa_nodes", "/sys/devices/system/node/online"},
        {"clock_source", "/sys/devices/system/clocksource/clocksource0/current_clocksource"},
        {"huge_pages", "/sys/kernel/mm/transparent_hugepage/enabled"},
        {"load", "/proc/loadavg"},
    };
    char text[TEXT_BYTES];
    const uint32_t first = cpu_list_first(cpus);
    cpu_list_write(cpus, text, sizeof text);
    fact(context, "cpus", text);
    kernel_fact(fact, context);
    if (system_file_value("/proc/cpuinfo", "microcode", text, sizeof text))
        fact(context, "microcode", text);
    fact(context, "hypervisor", processor_hypervisor("", text, sizeof text) ? text : "no");
    caches_fact(first, fact, context);
    cache_sizes(cpus, fact, context);
    turbo_fact(fact, context);
    for (size_t i = 0; i < sizeof of_first_cpu / sizeof of_first_cpu[0]; i++) {
        if (system_file_line(text, sizeof text, CPU_FOLDER "/cpu%u/cpufreq/%s", first,
                             of_first_cpu[i].file))
            fact(context, of_first_cpu[i].name, text);
    }
    for (size_t i = 0; i < sizeof of_machine / sizeof of_machine[0]; i++) {
        if (system_file_line(text, sizeof text, "%s", of_machine[i].path))
            fact(context, of_machine[i].name, text);
    }
    const double quota = processor_quota("", text, sizeof text);
    snprintf(text, sizeof text, "%g", quota);
    if (quota > 0)
        fact(context, "cpu_quota", text);
}

/* --- which CPUs --- */

static int32_t given_cpus(const struct gb_host *host, const struct params *params,
                          struct cpu_list *ret)
{
    char error[MESSAGE_BYTES];
    if (params->cpus[0] == '\0')
        return cpu_list_get_affinity(ret)
                   ? GB_OK
                   : host_fail(host, "the affinity cannot be read: %s", strerror(errno));
    return cpu_list_read(params->cpus, ret, error, sizeof error)
               ? GB_OK
               : host_fail(host, "cpus: %.400s", error);
}

/* The CPUs that the options ask for, or those that the process has; of these those of the node. */
static int32_t wanted_cpus(const struct gb_host *host, const struct params *params,
                           struct cpu_list *ret)
{
    char error[MESSAGE_BYTES];
    struct cpu_list of_node;
    const long long node = (long long)params->numa_node;
    const int32_t status = given_cpus(host, params, ret);
    if (status != GB_OK || node < 0)
        return status;
    if (!node_cpus("", (uint32_t)node, &of_node, error, sizeof error))
        return host_fail(host, "numa_node = %lld: %.400s", node, error);
    *ret = cpu_list_common(ret, &of_node);
    return cpu_list_count(ret) > 0
               ? GB_OK
               : host_fail(host, "numa_node = %lld: this process may use none of its CPUs", node);
}

static int32_t count(const struct gb_host *host, const void *params, uint32_t *ret_n)
{
    (void)host;
    (void)params;
    *ret_n = 1;
    return GB_OK;
}

static int32_t describe(const struct gb_host *host, const void *params, uint32_t index,
                        struct gb_device_info *info, gb_fact_fn *fact, void *fact_context)
{
    struct cpu_list cpus;
    struct utsname names;
    if (index != 0)
        return GB_NOT_FOUND;
    const int32_t status = wanted_cpus(host, params, &cpus);
    if (status != GB_OK)
        return status;
    info->index = 0;
    snprintf(info->backend, sizeof info->backend, "cpu");
    /* The same on every machine with this processor. */
    if (!processor_name("", info->model, sizeof info->model))
        snprintf(info->model, sizeof info->model, "%s processor",
                 uname(&names) == 0 ? names.machine : "unknown");
    info->memory_bytes = machine_memory_bytes();
    info->cache_bytes = machine_last_cache_bytes(cpu_list_first(&cpus));
    info->n_units = cpu_list_count(&cpus);
    if (fact != NULL)
        machine_facts(&cpus, fact, fact_context);
    return GB_OK;
}

/* The system takes a set of which it grants a part: to run on fewer CPUs than asked is refused. */
static int32_t pin(struct cpu_device *device, const struct cpu_list *wanted)
{
    const struct gb_host *host = device->host;
    char available[128];
    struct cpu_list granted;
    if (!cpu_list_get_affinity(&device->previous_affinity))
        return host->fail(host, "cpus: the affinity cannot be read");
    const bool is_set = cpu_list_set_affinity(wanted);
    device->is_pinned = is_set;
    if (is_set && cpu_list_get_affinity(&granted) && memcmp(&granted, wanted, sizeof granted) == 0)
        return GB_OK;
    if (is_set)
        cpu_list_set_affinity(&device->previous_affinity);
    cpu_list_write(&device->previous_affinity, available, sizeof available);
    return host_fail(host, "cpus: this process may not use all of them: expected CPUs among %s",
                     available);
}

static int32_t bind_memory(struct cpu_device *device, int64_t node)
{
    const int error = node_bind_memory(node);
    device->has_node = error == 0;
    return error == 0
               ? GB_OK
               : host_fail(device->host, "numa_node = %lld: memory cannot be bound to it: %s%s",
                           (long long)node, strerror(error),
                           error == EPERM ? "; a container has to permit set_mempolicy "
                                            "(seccomp)"
                                          : "");
}

static void size_flush(struct flush_buffer *flush, const struct params *params, uint32_t cpu)
{
    const uint64_t cache = machine_last_cache_bytes(cpu);
    const uint64_t memory = machine_memory_bytes();
    flush->line_bytes = machine_line_bytes(cpu);
    flush->bytes = cache > 0 ? cache + cache / 4 : CACHE_BYTES_IF_UNKNOWN;
    if (memory > 0 && flush->bytes > memory / 4)
        flush->bytes = memory / 4;
    if (params->flush > 0)
        flush->bytes = params->flush;
}

static void close_device(void *object)
{
    struct cpu_device *device = object;
    if (device == NULL)
        return;
    sensors_close(&device->sensors);
    threads_close(device->threads);
    if (device->has_node)
        node_bind_memory(-1);
    if (device->flush.words != NULL)
        munmap(device->flush.words, device->flush.bytes);
    if (device->is_pinned)
        cpu_list_set_affinity(&device->previous_affinity);
    free(device);
}

static int32_t open_device(const struct gb_host *host, const void *params, uint32_t index,
                           void **ret_device)
{
    struct cpu_list cpus;
    if (index != 0)
        return GB_NOT_FOUND;
    int32_t status = wanted_cpus(host, params, &cpus);
    if (status != GB_OK)
        return status;
    struct cpu_device *device = calloc(1, sizeof *device);
    if (device == NULL)
        return GB_NO_MEMORY;
    const struct params *settings = params;
    const uint32_t first = cpu_list_first(&cpus);
    char error[MESSAGE_BYTES];
    device->host = host;
    sensors_open(&device->sensors, "", first);
    size_flush(&device->flush, settings, first);
    if (!pin_read(settings->pin, &device->pin, &device->pin_list, error, sizeof error))
        status = host_fail(host, "pin: %.400s", error);
    if (status == GB_OK && (settings->cpus[0] != '\0' || settings->numa_node >= 0))
        status = pin(device, &cpus);
    if (status == GB_OK && settings->numa_node >= 0)
        status = bind_memory(device, settings->numa_node);
    if (status == GB_OK)
        status = cpu_clocks_probe(device);
    if (status != GB_OK) {
        close_device(device);
        return status;
    }
    *ret_device = device;
    return GB_OK;
}

/* Where addresses are the same in each process, for counts that have to be, a buffer begins with a
 * page, whatever was allocated before. Written once, so that no page is first touched while a
 * benchmark is timed. */
static int32_t allocate(void *object, uint64_t bytes, uint32_t kind, void **ret_memory)
{
    (void)object;
    if (kind != GB_MEMORY_DEVICE && kind != GB_MEMORY_PINNED)
        return GB_INVALID;
    void *memory = NULL;
    if (bytes > SIZE_MAX ||
        posix_memalign(&memory, MEMORY_ALIGNMENT, bytes > 0 ? (size_t)bytes : 1) != 0)
        return GB_NO_MEMORY;
    memset(memory, 0, (size_t)bytes);
    *ret_memory = memory;
    return GB_OK;
}

static void release(void *object, void *memory)
{
    (void)object;
    free(memory);
}

static int32_t copy(void *object, void *to, const void *from, uint64_t bytes)
{
    (void)object;
    memmove(to, from, (size_t)bytes);
    return GB_OK;
}

static int32_t fill(void *object, void *memory, uint32_t byte, uint64_t bytes)
{
    (void)object;
    memset(memory, (int)(byte & 0xff), (size_t)bytes);
    return GB_OK;
}

static int32_t queue_create(void *object, struct gb_queue **ret_queue)
{
    (void)object;
    struct gb_queue *queue = calloc(1, sizeof *queue);
    if (queue == NULL)
        return GB_NO_MEMORY;
    queue->size = sizeof *queue;
    *ret_queue = queue;
    return GB_OK;
}

static void queue_destroy(void *object, struct gb_queue *queue)
{
    (void)object;
    free(queue);
}

/* Work is done when run returns. */
static int32_t queue_synchronize(void *object, struct gb_queue *queue)
{
    (void)object;
    (void)queue;
    return GB_OK;
}

static int32_t clock_number(void *object, uint32_t i, struct gb_clock *clock)
{
    const struct cpu_device *device = object;
    static const struct gb_clock counting = {.size = sizeof counting,
                                             .flags = GB_CLOCK_COUNTS,
                                             .name = "instructions",
                                             .help = "executed instructions, not time"};
    if (i == CLOCKS)
        copy_known(clock, &counting, sizeof *clock);
    if (i >= CLOCKS)
        return i == CLOCKS ? GB_OK : GB_NOT_FOUND;
    copy_known(clock, &device->clocks[i], sizeof *clock);
    return GB_OK;
}

/* CPUs for n threads, if threads are bound; with more threads than CPUs none is. *ret: NULL:
 * none. */
static int32_t choose_cpus(const struct cpu_device *device, uint32_t n, uint32_t cpus[PIN_MAX],
                           const uint32_t **ret)
{
    const struct gb_host *host = device->host;
    struct cpu_list allowed;
    *ret = NULL;
    if (!cpu_list_get_affinity(&allowed))
        return host_fail(host, "the affinity cannot be read: %s", strerror(errno));
    if (device->pin == PIN_LIST) {
        const struct cpu_list common = cpu_list_common(&allowed, &device->pin_list);
        if (memcmp(&common, &device->pin_list, sizeof common) != 0)
            return host_fail(host, "pin: this process may not use all of these CPUs");
        allowed = common;
    }
    const uint32_t n_cpus = pin_order("", &allowed, device->pin, cpus);
    if (n > n_cpus && device->pin == PIN_LIST)
        return host_fail(host, "pin: %u CPU%s for %u threads: expected one for each", n_cpus,
                         n_cpus == 1 ? "" : "s", n);
    if (n <= n_cpus && device->pin != PIN_NONE)
        *ret = cpus;
    return GB_OK;
}

static int32_t set_threads(void *object, struct gb_queue *queue, uint32_t n)
{
    struct cpu_device *device = object;
    uint32_t cpus[PIN_MAX];
    const uint32_t *bound = NULL;
    threads_close(device->threads);
    device->threads = NULL;
    queue->thread = 0;
    queue->n_threads = n;
    if (n <= 1)
        return GB_OK;
    if (n > PIN_MAX)
        return host_fail(device->host, "threads = %u: expected at most %d", n, PIN_MAX);
    const int32_t status = choose_cpus(device, n, cpus, &bound);
    return status == GB_OK ? threads_open(device->host, bound, n, &device->threads) : status;
}

static int32_t flush_cache(void *object, const struct gb_queue *queue)
{
    (void)queue;
    return cpu_flush(object);
}

static int32_t telemetry(void *object, struct gb_telemetry *telemetry)
{
    struct cpu_device *device = object;
    sensors_telemetry(&device->sensors, clock_ns(CLOCK_MONOTONIC), telemetry);
    return GB_OK;
}

static const struct gb_device_ops ops = {
    .size = sizeof ops,
    .count = count,
    .describe = describe,
    .open = open_device,
    .close = close_device,
    .allocate = allocate,
    .release = release,
    .copy = copy,
    .fill = fill,
    .queue_create = queue_create,
    .queue_destroy = queue_destroy,
    .queue_synchronize = queue_synchronize,
    .clock = clock_number,
    .measure = cpu_measure,
    .flush_cache = flush_cache,
    .telemetry = telemetry,
    .set_threads = set_threads,
    .reference = cpu_reference,
};

static const void *extension(const char *id)
{
    return strcmp(id, GB_COUNTERS) == 0 ? &cpu_counters : NULL;
}

static const struct gb_plugin plugin = {
    GB_PLUGIN(DEVICE, "cpu", "1.0", "the processors of this machine"),
    .help =
        "Benchmarks run on the measuring thread, pinned to `cpus` if given; threads that they "
        "start inherit the set. Multithreaded ones run in as many threads as their `threads` says, "
        "each bound to a CPU as `pin` says: all wait for each other, the clock is read, and a "
        "sample ends with the last of them.\n\n"
        "The clock `wall` counts by default: CLOCK_MONOTONIC_RAW, read right before and right "
        "after run. `cpu` is the processor time of all threads, `thread` that of the measuring "
        "thread. The overhead of each is shown with the results and never subtracted.\n\n"
        "With `cache = cold` a buffer larger than the last-level cache (but at most a quarter of "
        "the memory) is walked before every sample, one word of each line read and written. The "
        "measuring thread does that, so caches that it does not share with other cores keep their "
        "contents.\n\n"
        "Samples are marked interrupted where the scheduler took the measuring thread off its CPU, "
        "and throttled where the system counted a thermal event; the clock frequency is recorded "
        "where the system shows it.\n\n"
        "`counters` are those that the kernel provides (perf_event_open), each counted in a pass "
        "of its own over all threads, in user mode. FLOP can be counted on some Intel processors "
        "only, bytes on none: cache misses do not include prefetching and writing back.",
    GB_OPTIONS(options, struct params),
    .ops = &ops,
    .extension = extension,
};

GB_MODULE(&plugin)
