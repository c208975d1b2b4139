/* cpu_list.c - see cpu_list.h. Plugin side. */
#define _GNU_SOURCE
#include "cpu_list.h"

#include "plugins/common/system/system_file.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool cpu_list_has(const struct cpu_list *list, uint32_t cpu)
{
    return cpu < CPU_LIST_MAX && (list->bits[cpu / 64] >> (cpu % 64) & 1u) != 0;
}

static void add(struct cpu_list *list, uint32_t cpu)
{
    list->bits[cpu / 64] |= UINT64_C(1) << (cpu % 64);
}

uint32_t cpu_list_count(const struct cpu_list *list)
{
    return (uint32_t)CPU_COUNT_S(sizeof list->bits, (const cpu_set_t *)(const void *)list->bits);
}

uint32_t cpu_list_first(const struct cpu_list *list)
{
    for (uint32_t cpu = 0; cpu < CPU_LIST_MAX; cpu++) {
        if (cpu_list_has(list, cpu))
            return cpu;
    }
    return 0;
}

struct cpu_list cpu_list_common(const struct cpu_list *a, const struct cpu_list *b)
{
    struct cpu_list common;
    for (size_t i = 0; i < sizeof common.bits / sizeof common.bits[0]; i++)
        common.bits[i] = a->bits[i] & b->bits[i];
    return common;
}

struct cpu_list cpu_list_positions(const struct cpu_list *list, const struct cpu_list *others)
{
    struct cpu_list positions = {0};
    uint32_t position = 0;
    for (uint32_t cpu = 0; cpu < CPU_LIST_MAX; cpu++) {
        if (cpu_list_has(list, cpu) && cpu_list_has(others, cpu))
            add(&positions, position);
        position += cpu_list_has(list, cpu);
    }
    return positions;
}

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t");
}

/* One number below CPU_LIST_MAX. Returns what follows it, or NULL. */
static const char *read_cpu(const char *text, uint32_t *ret)
{
    text = skip_blanks(text);
    if (*text < '0' || *text > '9')
        return NULL;
    char *end = NULL;
    const unsigned long cpu = strtoul(text, &end, 10);
    if (cpu >= CPU_LIST_MAX)
        return NULL;
    *ret = (uint32_t)cpu;
    return skip_blanks(end);
}

bool cpu_list_read(const char *text, struct cpu_list *ret, char *error, size_t error_bytes)
{
    *ret = (struct cpu_list){0};
    const char *at = text;
    do {
        uint32_t first = 0;
        at = read_cpu(at, &first);
        uint32_t last = first;
        if (at != NULL && *at == '-')
            at = read_cpu(at + 1, &last);
        if (at == NULL || last < first || (*at != ',' && *at != '\0')) {
            snprintf(error, error_bytes,
                     "'%s' is not a set of CPUs: expected numbers below %d and ranges with commas "
                     "between them, such as 0-3,8",
                     text, CPU_LIST_MAX);
            return false;
        }
        for (uint32_t cpu = first; cpu <= last; cpu++)
            add(ret, cpu);
    } while (*at++ == ',');
    return true;
}

void cpu_list_write(const struct cpu_list *list, char *buffer, size_t bytes)
{
    size_t used = 0;
    buffer[0] = '\0';
    for (uint32_t cpu = 0; cpu < CPU_LIST_MAX; cpu++) {
        if (!cpu_list_has(list, cpu))
            continue;
        uint32_t last = cpu;
        while (cpu_list_has(list, last + 1))
            last++;
        char item[32];
        const char *comma = used > 0 ? "," : "";
        const int length = last > cpu ? snprintf(item, sizeof item, "%s%u-%u", comma, cpu, last)
                                      : snprintf(item, sizeof item, "%s%u", comma, cpu);
        if (used + (size_t)length + sizeof "..." > bytes) {
            snprintf(buffer + used, bytes - used, "...");
            return;
        }
        memcpy(buffer + used, item, (size_t)length + 1);
        used += (size_t)length;
        cpu = last;
    }
}

bool cpu_list_get_affinity(struct cpu_list *ret)
{
    *ret = (struct cpu_list){0};
    return sched_getaffinity(0, sizeof ret->bits, (cpu_set_t *)(void *)ret->bits) == 0;
}

bool cpu_list_set_affinity(const struct cpu_list *list)
{
    return sched_setaffinity(0, sizeof list->bits, (const cpu_set_t *)(const void *)list->bits) ==
           0;
}

/* --- where threads run --- */

#define NODE_FOLDER "/sys/devices/system/node"

enum { LINE_BYTES = 4096 };

bool pin_read(const char *text, int *ret_kind, struct cpu_list *ret_list, char *error,
              size_t error_bytes)
{
    static const char *const words[] = {
        [PIN_NONE] = "none", [PIN_COMPACT] = "compact", [PIN_SCATTER] = "scatter"};
    for (int kind = 0; kind < PIN_LIST; kind++) {
        if (strcmp(text, words[kind]) == 0) {
            *ret_kind = kind;
            return true;
        }
    }
    *ret_kind = PIN_LIST;
    if (*text >= '0' && *text <= '9')
        return cpu_list_read(text, ret_list, error, error_bytes);
    snprintf(error, error_bytes, "'%s': expected none, compact, scatter or CPUs such as 0-3,8",
             text);
    return false;
}

/* --- where a CPU is --- */

struct place {
    uint32_t cpu;
    long package, core;
    long sibling;   /* number among the CPUs of its core, */
    long core_rank; /* and of this among the cores of its package */
    long keys[4];   /* that it is sorted by, the first before all */
};

/* Of a machine that does not say, each CPU is a core of one package. */
static long topology(const char *root, uint32_t cpu, const char *what, long unknown)
{
    char line[64];
    if (!system_file_line(line, sizeof line, "%s/sys/devices/system/cpu/cpu%u/topology/%s", root,
                          cpu, what))
        return unknown;
    return strtol(line, NULL, 10);
}

static int compare_keys(const void *a, const void *b)
{
    const struct place *x = a;
    const struct place *y = b;
    size_t i = 0;
    while (i < 3 && x->keys[i] == y->keys[i])
        i++;
    return (x->keys[i] > y->keys[i]) - (x->keys[i] < y->keys[i]);
}

/* places are in the order of PIN_COMPACT. */
static void sort_scattered(struct place *places, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        struct place *place = &places[i];
        const struct place *before = &places[i > 0 ? i - 1 : 0];
        const bool same_package = i > 0 && place->package == before->package;
        const bool same_core = same_package && place->core == before->core;
        place->sibling = same_core ? before->sibling + 1 : 0;
        place->core_rank = same_core ? before->core_rank : same_package ? before->core_rank + 1 : 0;
        const long keys[] = {place->sibling, place->core_rank, place->package, (long)place->cpu};
        memcpy(place->keys, keys, sizeof keys);
    }
    qsort(places, n, sizeof *places, compare_keys);
}

uint32_t pin_order(const char *root, const struct cpu_list *list, int kind,
                   uint32_t ret_cpus[PIN_MAX])
{
    struct place places[PIN_MAX];
    uint32_t n = 0;
    for (uint32_t cpu = 0; cpu < CPU_LIST_MAX && n < PIN_MAX; cpu++) {
        if (cpu_list_has(list, cpu)) {
            struct place *place = &places[n++];
            *place = (struct place){.cpu = cpu, .keys[2] = (long)cpu};
            if (kind == PIN_LIST)
                continue;
            place->keys[0] = place->package = topology(root, cpu, "physical_package_id", 0);
            place->keys[1] = place->core = topology(root, cpu, "core_id", (long)cpu);
        }
    }
    if (kind != PIN_LIST)
        qsort(places, n, sizeof *places, compare_keys);
    if (kind == PIN_SCATTER)
        sort_scattered(places, n);
    for (uint32_t i = 0; i < n; i++)
        ret_cpus[i] = places[i].cpu;
    return n;
}

/* --- NUMA nodes, without a library --- */

bool node_cpus(const char *root, uint32_t node, struct cpu_list *ret, char *error,
               size_t error_bytes)
{
    char line[LINE_BYTES];
    char problem[LINE_BYTES + 256];
    if (system_file_line(line, sizeof line, "%s" NODE_FOLDER "/node%u/cpulist", root, node)) {
        if (cpu_list_read(line, ret, problem, sizeof problem))
            return true;
        snprintf(error, error_bytes, "the node has no CPUs");
        return false;
    }
    if (system_file_line(line, sizeof line, "%s" NODE_FOLDER "/online", root))
        snprintf(error, error_bytes, "unknown node: expected one of %.200s", line);
    else
        snprintf(error, error_bytes, "this system shows no nodes in " NODE_FOLDER);
    return false;
}

int node_bind_memory(int64_t node)
{
    enum { POLICY_DEFAULT = 0, POLICY_BIND = 2, NODES_MAX = 1024 }; /* <linux/mempolicy.h> */
    unsigned long mask[NODES_MAX / (8 * sizeof(unsigned long))] = {0};
    const size_t bits = 8 * sizeof *mask;
    if (node >= NODES_MAX)
        return EINVAL;
    if (node >= 0)
        mask[(size_t)node / bits] = 1ul << (size_t)node % bits;
    const long done = syscall(SYS_set_mempolicy, node < 0 ? POLICY_DEFAULT : POLICY_BIND,
                              node < 0 ? NULL : mask, node < 0 ? 0 : NODES_MAX + 1);
    return done == 0 ? 0 : errno;
}
