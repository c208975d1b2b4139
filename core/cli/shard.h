/*
 * shard.h - a sweep that several tasks share: each measures its part of the cases, and their
 * results are merged. Each task finds its own part; no process deals them out.
 */
#pragma once

#include "core/cli/verbs.h"

struct shard {
    uint32_t number, n; /* from 1, of n; n is 0: all cases */
};

/*
 * What is meant by --shard: "I/N" of auto and auto/N, by the variables that Slurm, Flux, Open MPI,
 * other launchers of MPI, GNU parallel and Kubernetes set for each task; "" of each. The text is
 * the arena's. GB_INVALID: it is none of them, or the environment does not say.
 */
int32_t shard_option(const char *given, struct arena *arena, const char **ret,
                     struct gb_error *error);

/* The task that the environment says this is; false: there is none beside it, or it does not say
 * how many. *ret_variable: which variable does. */
bool shard_of_environment(struct shard *ret, const char **ret_variable);

/*
 * Leaves in the configuration's sweep the cases of its shard, if it has one: those at each nth
 * position; with costs, dealt longest first to the shard that has the least so far (Graham, "Bounds
 * on multiprocessing timing anomalies", SIAM J. Appl. Math. 17, 1969), by what cases took in that
 * file. Finds the plan, which all shards have in common: its hash is of what is measured, and of
 * how it is dealt.
 */
int32_t shard_deal(struct configuration *configuration, struct gb_error *error);
