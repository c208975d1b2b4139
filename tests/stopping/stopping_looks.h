/*
 * stopping_looks.h - what a policy's looks cost: its taking in of the last sample before each and
 * its call `next`; its report; all of its calls, over the samples.
 */
#pragma once

#include "tests/stopping/stopping_trial.h"

struct worst_look {
    double ns;
    uint64_t n;         /* samples there were */
    const char *family; /* whose trace it was */
    uint64_t n_looks;   /* that were timed, of all traces */
    double report_ns;   /* the dearest report's */
    double a_sample_ns; /* all calls of the dearest trace, over its samples */
};

/*
 * The dearest look of the policy on traces that keep it from stopping, up to max_samples samples.
 * Times are of the processor; of every look the least of several counts, as other work on the
 * machine only ever adds.
 */
struct worst_look stopping_looks(const struct stopping_policy *policy, uint64_t max_samples,
                                 uint64_t seed);
