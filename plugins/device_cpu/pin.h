/*
 * pin.h - which CPU each thread of a benchmark runs on, and which memory they use. Plugin side.
 */
#pragma once

#include "cpu_list.h"

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
 * while there are some. PIN_LIST: by number. root: see processor.h.
 */
uint32_t pin_order(const char *root, const struct cpu_list *list, int kind,
                   uint32_t ret_cpus[PIN_MAX]);

/* The CPUs of a NUMA node. False: there is no such node; then error names those that there are. */
bool node_cpus(const char *root, uint32_t node, struct cpu_list *ret, char *error,
               size_t error_bytes);

/* Memory that this thread, and those it starts from now on, touches first comes from that node and
 * no other; node < 0: from where the system likes. Returns 0, or an error of <errno.h>. */
int node_bind_memory(int64_t node);
