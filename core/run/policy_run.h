/*
 * policy_run.h - a stopping policy at work: hands samples over, keeps the guards.
 *
 * The same for samples that are being measured and for samples from a file. The policy is given
 * samples exactly up to the point it asked for, whatever the size of the batches they come in.
 */
#pragma once

#include "core/run/host.h"

#include <gbrun/module.h>
#include <gbrun/policy.h>

enum { USUAL_MIN_SAMPLES = 10, USUAL_MAX_SAMPLES = 1000000 };

/* What holds whatever the policy says. max_time wins over min_samples, but where max_undecided is
 * longer: up to then it continues while min_samples are missing, or the policy says in the reason
 * of GB_MORE what more samples would decide. */
struct guards {
    uint64_t min_samples, max_samples; /* 0: the usual, unless the other or the policy says
                                        * otherwise (GB_POLICY_COUNTS) */
    double max_time_ns;                /* of elapsed_ns */
    double max_undecided_ns;
};

struct policy_run {
    uint64_t count;    /* samples taken */
    bool ended;        /* by the policy or a guard */
    char reason[128];  /* why, in the policy's words or the guard's: "max_time 15 s"; "" */
    double elapsed_ns; /* of the last sample taken */
    /* For the caller to set: every sample may be wrong by this much, all of them the same way, with
     * the confidence of the interval, which gets wider by it. In ns of one iteration. */
    double error_ns;
    /* Private. */
    const struct gb_policy_ops *ops;
    void *policy;
    struct host *host;
    struct guards guards;
    struct gb_next next;
};

/* host and params must outlive the run. Errors carry the policy's own words. */
int32_t policy_run_new(const struct gb_plugin *plugin, const void *params, struct host *host,
                       const struct guards *guards, struct policy_run **ret,
                       struct gb_error *error);

/* Asks it anew how to go on, as what its host knows has changed. */
int32_t policy_run_ask(struct policy_run *run, struct gb_error *error);

/* Hands over samples that follow those before. *ret_taken: how many it took, all unless it ended on
 * the way. */
int32_t policy_run_feed(struct policy_run *run, const struct gb_samples *samples,
                        uint64_t *ret_taken, struct gb_error *error);

/* Time is up although the samples do not show it: no further one could be begun before then. */
void policy_run_expire(struct policy_run *run);

/* When time is up, by what is known now: of elapsed_ns. */
double policy_run_time_limit(const struct policy_run *run);

/* How many samples to measure next, at least 1, if one costs cost_ns of wall time. */
uint64_t policy_run_wanted(const struct policy_run *run, double cost_ns);

/* The policy's report, made sound: texts end, the verdict is known, low <= high. */
int32_t policy_run_report(struct policy_run *run, struct gb_estimate *ret, struct gb_error *error);

void policy_run_free(struct policy_run *run); /* NULL allowed */
