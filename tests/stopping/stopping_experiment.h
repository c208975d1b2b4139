/*
 * stopping_experiment.h - many traces of many families, or recordings of many kernels, under
 * several policies, and what came of it. Recordings are replayed from the beginning of each visit,
 * and from nine more places in it, as if it had begun there.
 */
#pragma once

#include "tests/stopping/stopping_trial.h"
#include "tests/stopping/stopping_truth.h"

enum { REPLAY_STARTS = 10 };

/* One round of one case in a results file: status ok, and recorded whatever the samples said
 * (policy fixed or budget). */
struct visit {
    const char *path; /* of the results file */
    int64_t case_id;
    const char *uid, *words; /* the case's identity; bench and axes */
    const char *clock;
    uint64_t n, iterations;
    double tick_ns;   /* of one iteration */
    double median_ns; /* halfway between steps where values are tied */
};

/* A family of traces, or a kernel that was visited at least twice. */
struct scenario {
    struct trace_setting setting; /* no family: a kernel */
    struct truth truth;           /* of a kernel: the median of the visits' medians */
    const char *words;            /* "normal T=100 us +10.0 us"; "streams rows=32" */
    const struct visit *visits;   /* of a kernel, as the next two */
    size_t n_visits;
    double spread;  /* of the visits' medians, largest less least over the median */
    uint64_t n;     /* replications: traces; or replays, by where they begin and by visit */
    uint64_t first; /* of all replications of all scenarios */
};

enum { SCENARIOS_QUICK = 1, SCENARIOS_HELD_OUT = 2 };

/* T = 100 us with overheads of 10, 60 and 200 us, T = 5 us, 1 ms and 20 ms with 60 us; a family
 * with a T of its own with the three overheads. Quick: the first two only. `names`: only these
 * families, all if n_names is 0. */
struct scenario *scenarios_of(int flags, const char *const *names, size_t n_names,
                              struct arena *arena, size_t *ret_n);

/* Finds the kernels with at least two visits in files, and reads their medians. Memory: the
 * arena's. */
int32_t recordings_find(const char *const *paths, size_t n_paths, struct arena *arena,
                        struct scenario **ret_kernels, size_t *ret_n, struct gb_error *error);

/* A visit's samples as a policy is given them. */
int32_t recorded_read(const struct visit *visit, struct trace *ret, struct gb_error *error);

struct experiment {
    struct scenario *scenarios;
    size_t n_scenarios;
    const struct stopping_policy *policies;
    size_t n_policies;
    size_t baseline; /* of the policies: whose samples the others' are counted against */
    uint64_t n_replications, seed; /* of traces */
    uint32_t n_jobs;
    bool is_quick;                    /* medians from fewer samples */
    bool is_loaded;                   /* traces follow other cases, see trace_load */
    struct stop *stops;               /* by scenario, policy, replication */
    uint64_t n_repeated, n_differing; /* trials done again in batches of another size */
};

/* Finds the truths of families and runs all trials; every policy sees the same traces. Errors are
 * of recordings that cannot be read. */
int32_t experiment_run(struct experiment *experiment, struct gb_error *error);
void experiment_free(struct experiment *experiment); /* what it made */

/* What a policy did in a scenario. Shares are counts over n. Errors are against the median. */
struct outcome {
    uint64_t n, n_false, n_covered, n_intervals, n_resolved, n_failed;
    uint64_t n_blind, n_blind_false; /* of stops that no policy could have known better */
    uint64_t verdicts[6];            /* GB_VERDICT_... */
    double median_samples;           /* of replays from the visits' beginnings; what was there if it
                                        did not end */
    double error_95;                 /* the 95th percentile */
    /* Replays whose samples ended before the policy did are left out of all but n_short. */
    uint64_t n_short, n_false_in_visit, n_covered_in_visit;
};
struct outcome outcome_of(const struct experiment *experiment, size_t scenario, size_t policy);

/* Some visits as one, 16 at most, replications taken by so many. Blind are those whose visits have
 * all seen the same one level, and no other. */
struct rounds_outcome {
    uint64_t n, n_false, n_blind_false, n_covered;
};
struct rounds_outcome rounds_outcome_of(const struct experiment *experiment, size_t scenario,
                                        size_t policy, size_t n_rounds);

/* Of all stops of a policy, in order. */
uint64_t experiment_digest(const struct experiment *experiment, size_t policy, bool with_estimate);

/* The upper bound, at the confidence given, of the probability of something seen k times in n
 * (Clopper, Pearson: The use of confidence or fiducial limits, 1934). n == 0: 1. */
double share_upper_bound(uint64_t k, uint64_t n, double confidence);

/* NaN of none. */
double percent(uint64_t k, uint64_t n);
/* Of n values in any order, which it sorts; NaN without one. */
double quantile_of(double *values, size_t n, double p);
