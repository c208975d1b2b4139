/*
 * stopping_experiment.h - many traces of many families under several policies, and what came of it.
 */
#pragma once

#include "tests/stopping/stopping_trial.h"
#include "tests/stopping/stopping_truth.h"

struct scenario {
    struct trace_setting setting;
    struct truth truth;
};

enum { SCENARIOS_QUICK = 1, SCENARIOS_HELD_OUT = 2 };

/* T = 100 us with overheads of 10, 60 and 200 us, T = 5 us, 1 ms and 20 ms with 60 us; a family
 * with a T of its own with the three overheads. Quick: the first two only. `names`: only these
 * families, all if n_names is 0. */
struct scenario *scenarios_of(int flags, const char *const *names, size_t n_names,
                              struct arena *arena, size_t *ret_n);

struct experiment {
    struct scenario *scenarios;
    size_t n_scenarios;
    const struct stopping_policy *policies;
    size_t n_policies;
    uint64_t n_replications, seed;
    uint32_t n_jobs;
    bool is_quick;                    /* medians from fewer samples */
    struct stop *stops;               /* by scenario, policy, replication */
    uint64_t n_repeated, n_differing; /* trials done again in batches of another size */
};

/* Finds the truths and runs all trials; every policy sees the same traces. stops is the caller's to
 * free. */
void experiment_run(struct experiment *experiment);

const struct stop *experiment_stops(const struct experiment *experiment, size_t scenario,
                                    size_t policy);

/* What a policy did in a scenario. Shares are counts over n. */
struct outcome {
    uint64_t n, n_false, n_covered, n_intervals, n_resolved, n_failed;
    uint64_t n_blind, n_blind_false; /* of stops that no policy could have known better */
    uint64_t verdicts[6];            /* GB_VERDICT_... */
    double median_samples, error_95; /* the 95th percentile */
};
struct outcome outcome_of(const struct experiment *experiment, size_t scenario, size_t policy);

/* Some visits as one, replications taken by so many. Blind are those whose visits have all seen the
 * same one level, and no other. */
struct rounds_outcome {
    uint64_t n, n_certified, n_false, n_blind_false, n_covered;
};
struct rounds_outcome rounds_outcome_of(const struct experiment *experiment, size_t scenario,
                                        size_t policy, size_t n_rounds);

/* Of all stops of a policy, in order. */
uint64_t experiment_digest(const struct experiment *experiment, size_t policy, bool with_estimate);
