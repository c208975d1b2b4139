/*
 * crew.h - threads that do something together, each its part, and wait in between. Plugin side.
 */
#ifndef GBRUN_PLUGINS_BENCH_HISTOGRAM_CREW_H
#define GBRUN_PLUGINS_BENCH_HISTOGRAM_CREW_H

#include <stdint.h>

struct crew;

/* The part of member 0, 1, ... of n. */
typedef void crew_task_fn(void *context, uint64_t member, uint64_t n);

/* A crew of n: the caller is member 0, so that n - 1 threads are started. 0, or an errno. */
int crew_start(uint64_t n, struct crew **ret);

/* All members do the task; returns when all are done. */
void crew_run(struct crew *crew, crew_task_fn *task, void *context);

void crew_stop(struct crew *crew); /* NULL allowed */

#endif
