/*
 * case_threads.h - a case whose benchmark runs in several threads: starting them on the device, and
 * what is said of them beside the samples.
 */
#pragma once

#include "core/run/case_state.h"
#include "core/run/so_far.h"

/* Before prepare: has the device run as many as the case asks for. In any case, as the one before
 * may have had others. */
int32_t case_threads_begin(struct case_state *state, const struct gb_plugin *bench);
/* The device has one thread again. */
void case_threads_end(struct case_state *state);

/* Of one thread's iteration: that of all. */
void case_threads_add_up(const struct case_state *state, struct gb_work *work);

/* One call of run that is no sample. */
int32_t case_threads_run(struct case_state *state, uint64_t iterations, int32_t *ret_status);

/* Times of single threads. Zero-initialize; thread_times_begin is for those of several. */
struct thread_times {
    uint32_t n;             /* threads; 0: nothing is kept */
    double *batch;          /* of a batch of samples: n values a sample */
    struct so_far *medians; /* by thread, of an iteration */
};
void thread_times_begin(struct thread_times *times, const struct case_state *state);
void thread_times_keep(struct thread_times *times, uint64_t n_samples, uint64_t iterations);
/* Metrics thread_imbalance, thread_fastest, thread_slowest, of few threads thread.N; and a warning
 * where one takes much longer than another. */
void thread_times_report(const struct thread_times *times, const struct case_state *state);
void thread_times_free(struct thread_times *times);
