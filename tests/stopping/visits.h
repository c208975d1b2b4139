/*
 * visits.h - whether a certificate holds for the next visit of a case: families whose level is that
 * of a process, or of the minute, and visits of one case some seconds apart.
 *
 * A world is the machine in which the visits of one replication take place; its time goes on
 * between them. What is true is the median of the visit that follows the last one.
 */
#pragma once

#include "tests/stopping/stopping_trial.h"

extern const struct trace_family visit_families[];
extern const size_t n_visit_families;

/* Sums over the replications. */
struct visits_count {
    uint64_t n_certified, n_false, n_held; /* by their intervals */
    double samples, ns;
};

struct visits_outcome {
    uint64_t n;                          /* replications */
    struct visits_count alone, together; /* the first visit; all that `rounds = auto` asks for */
    uint64_t n_visits;
};

/* As a run does (core/run/repeats.h), each visit apart_ns after the end of the one before; that by
 * which certificates are judged as well, but a second later at least. */
struct visits_outcome visits_outcome_of(const struct trace_setting *setting,
                                        const struct stopping_policy *policy, uint64_t seed,
                                        uint64_t n_replications, double apart_ns);
