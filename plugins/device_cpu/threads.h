/*
 * threads.h - threads that call run at the same time, and the time that all of them together take.
 * Plugin side.
 */
#pragma once

#include <gbrun/device.h>
#include <time.h>

struct cpu_threads;

/* cpus: one for each thread, thread 0 is the calling one; NULL: none is bound. Errors are reported
 * to the host. */
int32_t threads_open(const struct gb_host *host, const uint32_t *cpus, uint32_t n,
                     struct cpu_threads **ret);
void threads_close(struct cpu_threads *threads); /* NULL is nothing */

/* What one call of run in each thread took. */
struct threads_sample {
    struct timespec start, stop; /* CLOCK_MONOTONIC_RAW: the start of all, the end of the last */
    double cpu_ns;               /* processor time of all, with waiting for the start */
    double first_cpu_ns;         /* of thread 0 */
    uint32_t n_preempted;        /* threads that were taken off their CPU meanwhile */
};

/*
 * All threads wait for each other; the clock is read; each calls run with a queue of its own and
 * notes when it returned. Returns the status of the first thread that failed. thread_ns: n times
 * from the start to the end of each; NULL: not wanted.
 */
int32_t threads_run(struct cpu_threads *threads, const struct gb_bench_ops *ops, void *bench,
                    uint64_t iterations, struct threads_sample *ret, double *thread_ns);
