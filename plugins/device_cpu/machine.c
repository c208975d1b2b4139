/* machine.c - see cpu_device.h. Plugin side. */
#define _GNU_SOURCE
#include "cpu_device.h"

#include "plugins/common/system/system_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define CPU_FOLDER "/sys/devices/system/cpu"

enum { TEXT_BYTES = 256, CACHES_MAX = 8 };

struct cache {
    uint32_t level;
    char kind; /* 'd': data, 'i': instructions, 0: both */
    uint64_t bytes;
};

static bool read_cache(uint32_t cpu, uint32_t index, struct cache *ret)
{
    char text[TEXT_BYTES];
    if (!system_file_line(text, sizeof text, CPU_FOLDER "/cpu%u/cache/index%u/level", cpu, index))
        return false;
    ret->level = (uint32_t)strtoul(text, NULL, 10);
    ret->kind = 0;
    if (system_file_line(text, sizeof text, CPU_FOLDER "/cpu%u/cache/index%u/type", cpu, index))
        ret->kind = text[0] == 'D' ? 'd' : (text[0] == 'I' ? 'i' : 0);
    ret->bytes = 0;
    if (system_file_line(text, sizeof text, CPU_FOLDER "/cpu%u/cache/index%u/size", cpu, index)) {
        char *unit = NULL;
        ret->bytes = strtoull(text, &unit, 10);
        ret->bytes <<= *unit == 'K' ? 10 : (*unit == 'M' ? 20 : 0);
    }
    return true;
}

uint64_t machine_last_cache_bytes(uint32_t cpu)
{
    struct cache last = {0};
    struct cache cache;
    for (uint32_t i = 0; i < CACHES_MAX && read_cache(cpu, i, &cache); i++) {
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

uint32_t machine_line_bytes(uint32_t cpu)
{
    char text[TEXT_BYTES];
    unsigned long bytes = 0;
    if (system_file_line(text, sizeof text, CPU_FOLDER "/cpu%u/cache/index0/coherency_line_size",
                         cpu))
        bytes = strtoul(text, NULL, 10);
    return bytes >= 16 && bytes <= 1024 ? (uint32_t)bytes : 64;
}

uint64_t machine_memory_bytes(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long page_bytes = sysconf(_SC_PAGESIZE);
    return pages > 0 && page_bytes > 0 ? (uint64_t)pages * (uint64_t)page_bytes : 0;
}

void machine_model(char *buffer, size_t bytes)
{
    struct utsname names;
    if (!processor_name("", buffer, bytes))
        snprintf(buffer, bytes, "%s processor", uname(&names) == 0 ? names.machine : "unknown");
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
    struct cache cache;
    for (uint32_t i = 0; i < CACHES_MAX && read_cache(cpu, i, &cache); i++) {
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
    struct cache cache;
    for (uint32_t i = 0; i < CACHES_MAX && read_cache(cpu_list_first(cpus), i, &cache); i++) {
        if (cache.kind == 'i' || cache.level < 1 || cache.level > 3)
            continue;
        snprintf(text, sizeof text, "%llu", (unsigned long long)cache.bytes);
        if (cache.level <= 2)
            fact(context, names[cache.level], text); /* the last is a device's cache_bytes */
        sharing_fact(cpus, i, cache.level, fact, context);
    }
}

void machine_facts(const struct cpu_list *cpus, gb_fact_fn *fact, void *context)
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
        {"cpu_quota", "/sys/fs/cgroup/cpu.max"},
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
}
