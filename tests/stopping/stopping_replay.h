/*
 * stopping_replay.h - policies on recordings: each visit from its beginning, and from nine more
 * places in it, as if it had begun there.
 */
#pragma once

#include "tests/stopping/stopping_gates.h"
#include "tests/stopping/stopping_recordings.h"

enum { REPLAY_STARTS = 10 };

struct replayed {
    struct stop stop;
    double error_in_visit; /* relative, against its visit; of several modes the largest */
};

struct replays {
    const struct kernel *kernels;
    size_t n_kernels;
    const struct stopping_policy *policies;
    size_t n_policies;
    size_t baseline; /* of the policies: whose samples the others' are counted against */
    uint32_t n_jobs;
    struct replayed **replayed; /* by kernel: by policy, visit, start */
    struct demand **demands; /* by kernel: by visit, start; of the samples that the baseline took,
                                at the precision of the first policy */
};

/* Replays all. replays_free frees what it made. */
int32_t replays_run(struct replays *replays, struct gb_error *error);
void replays_free(struct replays *replays);

/* What a policy did on a kernel. Errors are against the reference. Replays whose samples ended
 * before the policy did are left out of all but n_short. */
struct replay_outcome {
    uint64_t n, n_short, n_false, n_false_in_visit, n_covered, n_covered_in_visit, n_failed;
    uint64_t n_rounds, n_false_rounds, n_covered_rounds; /* of all visits as one, by start */
    uint64_t verdicts[6];
    double median_samples; /* from the visits' beginnings, what was there if it did not end */
    struct demand demand;  /* the medians of all */
    double error_95;
};
struct replay_outcome replay_outcome_of(const struct replays *replays, size_t kernel,
                                        size_t policy);

/* A row a kernel and policy. */
void table_of_replays(const struct replays *replays, struct text *out);

/*
 * Of a kernel's replays at most 5 % are false in their visit and of all of them 1 %; of several
 * modes each is judged by what of the visit lies nearest to it. Intervals, a tick wider at either
 * end, hold the visit's median in 95 %. Visits differ by more than their samples say, which no
 * policy sees from one of them: so at most 5 % of a kernel's replays of all visits as one are false
 * on the recording, and 95 % of the intervals of those hold its median. Replays of one visit are
 * not independent, so these are plain shares.
 *
 * Of samples as many are allowed, and asked where they are, as in families of the same class
 * (samples_allowed), but never fewer than the first look takes: of a kernel of 5 ms that is half of
 * what stdrel takes. Judged are geometric means of kernels of a class, since each has a few visits
 * only. A kernel is correlated if the samples that the baseline takes are, more than two of them
 * for an effective one, as `steady` has it at 1 %: what moves over minutes makes none correlated.
 */
void gates_of_replays(const struct replays *replays, size_t policy, struct gates *gates);
