/* stepping.h - how many instructions a function executes, one trap after each (x86-64). Plugin
 * side. */
#pragma once

#include <gbrun/bench.h>
#include <stdbool.h>

/* Is there such a trap here? */
bool stepping_is_known(void);

/*
 * Calls run once. *ret_n: the instructions that the calling thread executed on the way to it, in
 * it and back, which is the same of every function but for what it does itself; UINT64_MAX: more
 * than `limit`. The signal SIGTRAP is taken meanwhile. What a signal handler does is not counted,
 * nor what other threads do.
 */
int32_t stepping_run(const struct gb_bench_ops *ops, void *bench, const struct gb_queue *queue,
                     uint64_t iterations, uint64_t limit, uint64_t *ret_n);
