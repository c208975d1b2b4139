/* cpu_list.c - see cpu_list.h. Plugin side. */
#define _GNU_SOURCE
#include "cpu_list.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool cpu_list_has(const struct cpu_list *list, uint32_t cpu)
{
    return cpu < CPU_LIST_MAX && (list->bits[cpu / 64] >> (cpu % 64) & 1u) != 0;
}

static void add(struct cpu_list *list, uint32_t cpu)
{
    list->bits[cpu / 64] |= UINT64_C(1) << (cpu % 64);
}

uint32_t cpu_list_count(const struct cpu_list *list)
{
    uint32_t n = 0;
    for (uint32_t cpu = 0; cpu < CPU_LIST_MAX; cpu++)
        n += cpu_list_has(list, cpu);
    return n;
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
    cpu_set_t set[CPU_LIST_MAX / CPU_SETSIZE];
    *ret = (struct cpu_list){0};
    if (sched_getaffinity(0, sizeof set, set) != 0)
        return false;
    for (uint32_t cpu = 0; cpu < CPU_LIST_MAX; cpu++) {
        if (CPU_ISSET_S(cpu, sizeof set, set))
            add(ret, cpu);
    }
    return true;
}

bool cpu_list_set_affinity(const struct cpu_list *list)
{
    cpu_set_t set[CPU_LIST_MAX / CPU_SETSIZE];
    CPU_ZERO_S(sizeof set, set);
    for (uint32_t cpu = 0; cpu < CPU_LIST_MAX; cpu++) {
        if (cpu_list_has(list, cpu))
            CPU_SET_S(cpu, sizeof set, set);
    }
    return sched_setaffinity(0, sizeof set, set) == 0;
}
