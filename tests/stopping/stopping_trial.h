/*
 * stopping_trial.h - one policy on one trace, through the code that measures with it
 * (core/run/policy_run) and under the guards that a run has by default.
 */
#pragma once

#include "core/run/module.h"
#include "core/run/policy_run.h"
#include "tests/stopping/trace_generators.h"

/* A policy described by a text, as it ships: "steady precision=0.5%". */
struct stopping_policy {
    const char *text;
    const struct gb_plugin *plugin;
    const void *params; /* not changed by anybody */
    double precision;   /* half of the interval that it certifies, relative; 1 % if it has no such
                           option */
    double share;       /* of its floors, in a further visit of a case; 0: all */
};

/* Finds the policy's module in the build tree or the bundle that the program is part of, loads it
 * and fills its options. All memory is the arena's. */
int32_t stopping_policy_load(const char *text, struct arena *arena, struct stopping_policy *ret,
                             struct gb_error *error);

extern const struct guards stopping_guards;

/* What is kept of a policy's end. */
struct stop {
    uint64_t n;
    int32_t verdict;
    uint32_t n_modes;
    double elapsed_ns;
    double value_ns, low_ns, high_ns;
    double modes_ns[TRACE_MODES_MAX]; /* medians of the first ones */
    bool is_blind;  /* the trace had shown one level only, or one and warm-up: nothing could tell */
    bool has_ended; /* by itself or by a guard, not as the samples did */
    bool has_failed;       /* the policy returned an error or a report without sense */
    double error_in_visit; /* of a replay: relative; of several modes the largest */
};

/* Runs it on the samples, where they end at the latest; or, without them, on the trace, which is
 * made longer as needed, in batches of a number of samples (0: as suits). A policy that fails is
 * said on standard error. */
struct stop stopping_trial(const struct stopping_policy *policy, const struct guards *guards,
                           const struct gb_samples *samples, struct trace *trace, uint64_t batch);

/* Relative error of a stop: of its value, or, where modes are reported and known, of the mode that
 * is known least. NaN without a value. */
double stop_error(const struct stop *stop, double median_ns, const double *modes_ns);
/* Certified, and wrong by more than the precision. A verdict of several modes counts as well. */
bool stop_is_false(const struct stop *stop, double precision, double error);
/* Does the interval, wider by so much at either end, hold it? Intervals that are not given do not.
 */
bool stop_covers(const struct stop *stop, double median_ns, double wider_ns);

/* Adds a stop to a digest that begins with HASH_START: where and why it ended, and, if asked for,
 * every bit of its estimate. */
uint64_t stop_digest(uint64_t digest, const struct stop *stop, bool with_estimate);

/* What a policy's looks cost: its taking in of the last sample before each and its call `next`; its
 * report; all of its calls, over the samples. */
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
