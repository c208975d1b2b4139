/* cpu_list.h - a set of CPUs, as text and as an affinity. Plugin side. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CPU_LIST_MAX = 8192 };

struct cpu_list {
    uint64_t bits[CPU_LIST_MAX / 64];
};

/* Reads "0-3,8". False, with words in error, if it is malformed or empty. */
bool cpu_list_read(const char *text, struct cpu_list *ret, char *error, size_t error_bytes);

/* Writes it the same way; ends in "..." where the buffer is too short. */
void cpu_list_write(const struct cpu_list *list, char *buffer, size_t bytes);

bool cpu_list_has(const struct cpu_list *list, uint32_t cpu);
uint32_t cpu_list_count(const struct cpu_list *list);
uint32_t cpu_list_first(const struct cpu_list *list); /* 0 if it is empty */

struct cpu_list cpu_list_common(const struct cpu_list *a, const struct cpu_list *b);

/* Where in `list`, counted from 0, those stand that are in `others` too: of CPUs 4 and 6 in 4-7 as
 * 0 and 2. */
struct cpu_list cpu_list_positions(const struct cpu_list *list, const struct cpu_list *others);

/* The calling thread's affinity; threads started later inherit it. False: errno says why. */
bool cpu_list_get_affinity(struct cpu_list *ret);
bool cpu_list_set_affinity(const struct cpu_list *list);
