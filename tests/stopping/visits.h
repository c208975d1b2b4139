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

/* Of certificates of several visits, by what is asked of them beside VISITS_MIN; up to VISITS_MAX.
 */
enum {
    VISITS_NARROW,    /* the interval that rounds.h combines is within the precision */
    VISITS_PREDICTED, /* and so is that of the next one: mean +- t s sqrt(1 + 1 / R) of R medians */
    VISITS_RULES
};
enum { VISITS_MIN = 3, VISITS_MAX = 12 };

struct visits_outcome {
    uint64_t n;                    /* replications */
    uint64_t n_certified, n_false; /* of the first visit alone */
    struct {
        uint64_t n, n_false;
        double visits; /* of those certified, mean */
    } rules[VISITS_RULES];
    double samples, combined_samples; /* means; of the visits until VISITS_NARROW */
};

/* Visits begin `apart_ns` after each other. `each` is the policy of one of several visits. */
struct visits_outcome visits_outcome_of(const struct trace_setting *setting,
                                        const struct stopping_policy *alone,
                                        const struct stopping_policy *each, uint64_t seed,
                                        uint64_t n_replications, double apart_ns);
