/* all_cpus.h - work of all CPUs that the process may use, also those that the calling thread is
 * kept away from. Plugin side. */
#pragma once

#include <stdint.h>

uint32_t all_cpus_count(void);

typedef void all_cpus_fn(void *context);

/* Calls `work` in n_threads threads, 0: one for each CPU, and returns when all have. What each does
 * is theirs to share out. The calling thread stays where it is and waits; with one thread, or where
 * none can be started, it works. */
void all_cpus_run(all_cpus_fn *work, void *context, uint32_t n_threads);
