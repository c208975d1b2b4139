/*
 * store_outcomes.h - the little of each record that comparisons need, read for many records at
 * once.
 *
 * Of the records of one case only the last one that came to its end is seen, as in store_read.h.
 */
#pragma once

#include "core/store/store_read.h"

struct outcome_parameter {
    const char *name, *value;
    bool is_axis, is_identity;
};

/* One record: a case in one round. Text is an arena's, never NULL. */
struct outcome {
    int64_t id, run_id, device_id; /* device_id: 0: none was opened */
    const char *uid;
    const char *bench, *plugin, *plugin_sha256;
    const char *policy, *device_name;
    const char *cache, *launch, *pace, *environment, *clock;
    int32_t device_index;
    uint32_t round;
    int64_t pid; /* 0: not known */
    uint64_t position;
    int status; /* CASE_... */
    const char *status_text;
    double value;           /* what is compared: ns, or the metric; NaN: there is none */
    double low_ns, high_ns; /* of the policy's estimate; NaN: none */
    double step_ns;         /* of the timer, of one iteration; 0: the mean resolves more */
    int32_t verdict;        /* of the policy */
    double precision;       /* that it asked for, as a share; NaN: none, or not known */
    double confidence;      /* of its interval */
    double fixed_ns;        /* what of its interval is not chance, to a side: step, offset */
    double n_samples, n_throttled;
    double begun_ns;                  /* since 1970, UTC; NaN: not known */
    double sampled_ns, others_cpu_ns; /* what other processes computed meanwhile; NaN: not known */
    const struct outcome_parameter *parameters; /* the same array for all rounds of a case */
    size_t n_parameters;
    bool is_left_out; /* of a comparison of some cases only (compare.h); as read: no */
};

/* What of each record is compared. */
struct outcome_metric {
    const char *name; /* "": the time: the policy's estimate of the centre, else the median */
    const char *unit; /* set when the outcomes are read */
    bool is_better_if_higher; /* likewise: it is a rate */
};

/*
 * Reads the records of a run, in the order measured. metric->name: a column of bench_case (min_ns,
 * flops), of the longest kernel (registers, shared_bytes, occupancy, n_kernels), or a metric that a
 * plugin or a policy reported. GB_NOT_FOUND: no record of the run has it.
 */
int32_t store_outcomes(struct store *store, int64_t run_id, struct outcome_metric *metric,
                       struct arena *arena, struct outcome **ret, size_t *ret_n,
                       struct gb_error *error);
