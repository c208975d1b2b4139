/* cpu_list.h - a set of CPUs, as text and as an affinity; which of them each thread of a benchmark
 * runs on, and which memory they use. Plugin side. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CPU_LIST_MAX = 8192 };

struct cpu_list {
    uint64_t bits[CPU_LIST_MAX / 64]; /* as in a cpu_set_t of that size */
};

/* Reads "0-3,8". False, with words in error, if it is malformed or empty. */
bool cpu_list_read(const char *text, struct cpu_list *ret, char *error, size_t error_bytes);

/* Writes it the same way; ends in "..." where the buffer is too short. */
void cpu_list_write(const struct cpu_list *list, char *buffer, size_t bytes);

uint32_t cpu_list_count(const struct cpu_list *list);
uint32_t cpu_list_first(const struct cpu_list *list); /* 0 if it is empty */

struct cpu_list cpu_list_common(const struct cpu_list *a, const struct cpu_list *b);

/* Where in `list`, counted from 0, those stand that are in `others` too: of CPUs 4 and 6 in 4-7 as
 * 0 and 2. */
struct cpu_list cpu_list_positions(const struct cpu_list *list, const struct cpu_list *others);

/* The calling thread's affinity; threads started later inherit it. False: errno says why. */
bool cpu_list_get_affinity(struct cpu_list *ret);
bool cpu_list_set_affinity(const struct cpu_list *list);

/* --- where threads run --- */

enum { PIN_MAX = 1024 }; /* threads */

/* How threads are placed. */
enum { PIN_NONE, PIN_COMPACT, PIN_SCATTER, PIN_LIST };

/* "none", "compact", "scatter" or a list of CPUs. False, with words in error: it is none of these.
 * ret_list: of PIN_LIST. */
bool pin_read(const char *text, int *ret_kind, struct cpu_list *ret_list, char *error,
              size_t error_bytes);

/*
 * The CPUs of the list in the order in which threads take them, at most PIN_MAX of them; returns
 * how many. PIN_COMPACT: neighbours share as much as can be: first the threads of a core, then the
 * cores of a package. PIN_SCATTER: as little: packages in turn, a core of its own for each thread
 * while there are some. PIN_LIST: by number. root: see system_file.h.
 */
uint32_t pin_order(const char *root, const struct cpu_list *list, int kind,
                   uint32_t ret_cpus[PIN_MAX]);

/* The CPUs of a NUMA node. False: there is no such node; then error names those that there are. */
bool node_cpus(const char *root, uint32_t node, struct cpu_list *ret, char *error,
               size_t error_bytes);

/* Memory that this thread, and those it starts from now on, touches first comes from that node and
 * no other; node < 0: from where the system likes. Returns 0, or an error of <errno.h>. */
int node_bind_memory(int64_t node);
