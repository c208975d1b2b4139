/*
 * case_state.h - one case from create to destroy, in a worker, or in the process of a program that
 * has gbrun as a library: what there is of it, and how it went so far.
 */
#pragma once

#include "core/run/policy_run.h"
#include "core/run/process_state.h"
#include "core/run/session.h"
#include "core/run/so_far.h"
#include "core/run/worker_link.h"
#include "core/store/record.h"

struct case_outcome {
    int status;                     /* CASE_... */
    char text[HOST_TEXT_MAX + 256]; /* why, in the plugin's words where it gave some */
    struct process_size before;     /* the benchmark was made; zeroed: that was not reached */
    bool is_poisoned;               /* the device or the process cannot be used for another case */
    bool is_spent;                  /* nor should it, as the times would differ */
    bool is_again; /* it was before the first sample: the case is for a fresh process */
};

/* Loads, opens, measures, verifies; all that is found out goes over the link, the outcome is
 * returned. process: as it was before; NULL: it is another program's, whose locale and
 * floating-point mode the benchmark is called in. */
void case_run(struct session *session, struct worker_link *link,
              const struct bench_case *bench_case, struct process_state *process,
              struct case_outcome *ret);

struct case_state {
    struct worker_link *link;
    const struct bench_case *bench_case;
    struct case_outcome *outcome;
    struct process_state *process; /* as it was; NULL: it is another program's, and continues
                                      whatever happens */
    struct arena arena;
    struct plugin_mode mode; /* the benchmark's */
    struct host *host;       /* of the benchmark */
    const void *params;      /* likewise */
    struct host *policy_host;
    const struct gb_bench_ops *ops;
    void *bench;
    struct gb_work work; /* declared; zeroed: nothing is */
    const struct open_device *device;
    uint32_t clock;  /* of the device, the one that counts */
    bool is_counted; /* by a clock that is none of those */
    struct policy_run *policy;
    uint64_t iterations; /* of a sample */
    const char *measure; /* MEASURE_TIME, or the name of a series */
    int32_t launch;      /* GB_LAUNCH_..., as asked for, unless that was tried and is wrong */
    struct phases_record phases;
    double phase_begin_ns, waited_ns; /* waited: in this phase, to be alone */
    const char *why_stream;           /* why launch is not as asked for; NULL: it is */
    double sample_ns;                 /* wall time that one takes, the untimed parts included */
    double sampling_ns;               /* wall time from the first call of run to the last */
    bool has_range;                   /* of a profiler, begun */
    uint64_t n_checked;               /* samples on renewed inputs that were verified */
    bool has_no_checks;               /* there can be none */
    char wrong[HOST_TEXT_MAX + 64];   /* what was wrong with one of them; "" */
    struct strict *strict;            /* ops and bench are its; NULL: the benchmark's own */
};

/* A call of the benchmark, in its own floating-point environment and locale. */
#define CALL_BENCH(state, status, call)                                                            \
    do {                                                                                           \
        plugin_mode_enter(&(state)->mode);                                                         \
        (status) = (call);                                                                         \
        plugin_mode_leave(&(state)->mode);                                                         \
    } while (0)

/* Sets the outcome; the first reason counts. Returns GB_FAILED, which only means: stop here. */
int32_t case_stop(struct case_state *state, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * What a status from a plugin's function means for the case: GB_OK, or its end. The words are the
 * plugin's own where it gave some: of a function of the benchmark; of one of the device; of one of
 * the device that calls the benchmark.
 */
int32_t case_judge_bench(struct case_state *state, const char *function, int32_t status);
int32_t case_judge_device(struct case_state *state, const char *function, int32_t status);
int32_t case_judge_both(struct case_state *state, const char *function, int32_t status);

/* A sample on renewed inputs is wrong, as host->reason says. Returns what that is to verify: of
 * `auto` nothing yet, as it is the case's last sample that says what is wrong, if that is, too, on
 * the same inputs in each run. */
int32_t case_wrong(struct case_state *state, const char *where);

/* Where the benchmark asks for that (host->keep), what the process has and is by now is no trace of
 * the case. */
void case_keep_process(struct case_state *state);

/* Adds how long the phase took that began with the end of the one before, or with the case. */
void case_end_phase(struct case_state *state, double *duration_ns);

/* Waits until the queue is empty; function: after a call of what. */
int32_t case_wait(struct case_state *state, const char *function);

/* The device's telemetry now; NaN and no words for what it does not report. Not GB_OK: asking broke
 * the device, and the case has ended. */
/* Asks the device. ret->without_energy is the caller's. */
int32_t case_telemetry(struct case_state *state, struct gb_telemetry *ret);

/* The range that a profiler is shown a case's samples in (gbrun run --profile): before the first
 * sample and after the last one; nothing unless it is profiled. A device that marks no range costs
 * a message. */
int32_t case_profile_begin(struct case_state *state);
int32_t case_profile_end(struct case_state *state);

/* Measures a case whose benchmark is prepared; sends clock, samples, telemetry and the estimate.
 * Sets state->iterations and sample_ns. In case_sampling.c. */
int32_t case_sample(struct case_state *state);

/* Some samples that are not kept, launched as state->launch says. Likewise. */
int32_t case_run_unseen(struct case_state *state);

/*
 * What one sample puts on the device, as the device's plugin lists it. After the samples: lists the
 * activities, with breakdown = yes times them as well, and sends them. Where a device cannot list
 * them the case stays what it is; a message says so if they were asked for. In activities.c.
 */
int32_t case_list_activities(struct case_state *state);

/* Counts on the device what the key `counters` asks for, and reports it. Before verify, which is
 * the last call but destroy that a benchmark gets, and judges these runs too. A device without
 * counters, or one that may not be counted on, costs a message. In counting.c. */
int32_t case_count(struct case_state *state);

/* In the place of case_sample, where the clock counts: sends counts and whether they agree. Sets
 * state->iterations. In counted.c. */
int32_t case_count_exactly(struct case_state *state);

/*
 * Samples on renewed inputs and poisoned outputs, which are not kept, and are verified, up to the
 * first that is wrong. In case_checks.c.
 *
 * begin: can there be what was asked for? can_renew: is the case one that has such samples between
 * its others? renew: before one of them; where nothing is compared, there are none from then on;
 * set: of inputs, 0 is the first. call: reset and run, waited for. check: after it. end: after the
 * last verification.
 */
int32_t case_checks_begin(struct case_state *state);
bool case_can_renew(const struct case_state *state);
int32_t case_renew(struct case_state *state, uint64_t set);
int32_t case_call(struct case_state *state, uint64_t iterations);
int32_t case_check(struct case_state *state);
void case_checks_end(struct case_state *state);

/* ---- case_threads.c: a case whose benchmark runs in several threads ---- */

/* Before prepare: has the device run as many as the case asks for. In any case, as the one before
 * may have had others. */
int32_t case_threads_begin(struct case_state *state, const struct gb_plugin *bench);
/* The device has one thread again. */
void case_threads_end(struct case_state *state);

/* Of one thread's iteration: that of all. */
void case_threads_add_up(const struct case_state *state, struct gb_work *work);

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
