/*
 * sampling.h - the samples of a visit: what case_sampling.c, which takes them in turns with the
 * policy, shares with those that measure (sampling_measure.c) and that look at samples on renewed
 * inputs (sampling_renewed.c).
 */
#pragma once

#include "core/run/case_columns.h"
#include "core/run/case_state.h"
#include "core/run/pace.h"

struct sampling {
    struct case_state *state;
    struct worker_link *link;
    const struct open_device *device;
    const struct common_params *common;
    struct policy_run *policy;
    uint32_t clock;
    uint64_t iterations; /* of a sample */
    struct gb_reading reading;
    struct pace pace;
    struct batch *batch;
    /* What a sample is: a time on the clock, or a value of a series, in a batch of their own. */
    const char *measured_name;
    uint32_t measured; /* number of that series; 0: the clock counts */
    double to_ns;      /* of its values */
    struct series_values values;
    struct batch *value_batch;
    uint64_t n_values, n_runs; /* in all so far */
    bool is_uncollected;       /* run was called since the last collect */
    struct outbox *outbox;
    struct thread_times threads;
    double cost_ns;        /* wall time that one sample takes, the untimed parts included */
    double first_begin_ns; /* of the first sample; 0: none yet */
    double sampling_ns;    /* when the first one was asked for */
    uint64_t n_lost;
    uint64_t n_iterations;     /* run, whether their times were kept or not */
    uint64_t until_check;      /* samples before the next one on renewed inputs */
    double renewed_ns;         /* what a call on renewed inputs took at least; 0: not known */
    double cold_ns;            /* the same on old inputs, with cold caches */
    double telemetry_ns;       /* when the device was asked before the first sample */
    struct gb_telemetry first; /* and what it said */
    bool has_energy;           /* its counter was asked for */
    double sent_ns;
};

enum { SAMPLING_BATCH_NS = 200000000 }; /* that a batch may keep the worker from hearing a signal */

/* ---- sampling_measure.c: those that fail end the case ---- */

/* Of a device that cannot launch graphs, auto is the stream. */
uint32_t sampling_launch(const struct sampling *sampling);
/* n samples at most, none from the deadline on (0: none); *ret_done: how many there are. */
int32_t sampling_measure(struct sampling *sampling, uint64_t n, double deadline_ns,
                         uint64_t *ret_done);
/* The benchmark gives what it has recorded elsewhere. */
int32_t sampling_collect(struct sampling *sampling);
/* Finds how many iterations make a sample that the clock can resolve; then, `warmup`. */
int32_t sampling_warm_up(struct sampling *sampling);
/* What was sent and read since the warm-up left its caches to others: the first sample of all would
 * show it. Not where time on the device is measured, or its energy. */
int32_t sampling_warm_again(struct sampling *sampling);

/* ---- sampling_renewed.c: samples on renewed inputs, which are verified ---- */

/* Where that disturbs no samples: what a queue does meanwhile is to cool down. */
bool sampling_renews_between(const struct sampling *sampling);
/* At random moments, the first soon, the others so that they take a tenth of the time, which is
 * none of the samples'. */
int32_t sampling_check_between(struct sampling *sampling);
/* The last sample of all is on the first inputs again: `verify` sees the same in each run. Where
 * samples are long, and few, there is one more alone. */
int32_t sampling_check_after(struct sampling *sampling);
/* A reading far below what calls on renewed inputs take is not that of such calls, which is
 * reported then. */
void sampling_contradict(const struct sampling *sampling, struct gb_estimate *estimate);
