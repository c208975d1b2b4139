/* lane_cpus.c - see lane_cpus.h. */
#include "core/run/lane_cpus.h"

#include "plugins/common/system/system_file.h"

#include <stdlib.h>
#include <string.h>

/* The threads of a core, among them `cpu`: "0,64" or "0-1". */
static void find_siblings(int cpu, cpu_set_t *ret)
{
    char line[256];
    CPU_ZERO(ret);
    CPU_SET((size_t)cpu, ret);
    if (!system_file_line(line, sizeof line,
                          "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu))
        return;
    for (char *at = line; *at >= '0' && *at <= '9';) {
        const long first = strtol(at, &at, 10);
        const long last = *at == '-' ? strtol(at + 1, &at, 10) : first;
        for (long i = first; i <= last && i < CPU_SETSIZE; i++)
            CPU_SET((size_t)i, ret);
        at += *at == ',';
    }
}

/* What a container may use of all processors, in whole ones; 0: no limit is seen. */
static uint32_t find_quota(void)
{
    char line[64], *end;
    if (!system_file_line(line, sizeof line, "/sys/fs/cgroup/cpu.max"))
        return 0;
    const double quota = strtod(line, &end), period = strtod(end, NULL);
    return quota > 0 && period > 0 ? (uint32_t)(quota / period) : 0;
}

static int last_cpu(const cpu_set_t *set)
{
    int cpu = CPU_SETSIZE - 1;
    while (cpu > 0 && !CPU_ISSET((size_t)cpu, set))
        cpu--;
    return cpu;
}

void lane_cpus_find(struct lane_cpus *ret)
{
    cpu_set_t allowed, left, core;
    const uint32_t quota = find_quota();
    *ret = (struct lane_cpus){.n_cores = 1};
    CPU_ZERO(&ret->set);
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) == 0)
        return;
    find_siblings(last_cpu(&allowed), &core);
    CPU_AND(&core, &core, &allowed);
    CPU_XOR(&left, &allowed, &core);
    ret->set = left;
    for (ret->n_cores = 0; CPU_COUNT(&left) > 0; ret->n_cores++) {
        find_siblings(last_cpu(&left), &core);
        CPU_AND(&core, &core, &left);
        CPU_XOR(&left, &left, &core);
    }
    if (quota > 0 && ret->n_cores + 1 > quota)
        ret->n_cores = quota - 1;
    ret->n_cores = ret->n_cores > 0 ? ret->n_cores : 1;
}
