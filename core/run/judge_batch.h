/*
 * judge_batch.h - how little a call can take at least, from batches of a few of them: a submission
 * sees all sets of a sample, and might compute them at once, but not those of other batches.
 *
 * Batches have 1, 2, 4 ... calls, until one takes JUDGE_BATCH_NS: those that are shorter say more
 * of the order and of cold caches than of the calls. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define JUDGE_BATCH_NS 1e5
#define JUDGE_BATCH_COLD_NS 2e4 /* of which no more than this may be for cold caches */
enum { JUDGE_BATCHES = 8 };     /* of the last number, of which the least counts */

/* {.n = 1} at first. */
struct judge_batch {
    uint32_t n;      /* calls of the next batch */
    uint32_t n_runs; /* batches of as many that were taken */
    double least_ns; /* that one of these took, an empty order subtracted */
};

/* A batch took ns; there are `most` sets for one. */
void judge_batch_add(struct judge_batch *batch, double ns, uint32_t most);

/* Enough batches were taken, unless sets were added since: most of them now. */
bool judge_batch_is_done(const struct judge_batch *batch, uint32_t most);

/* What a call takes at least, where an empty order is known to error_ns. */
double judge_batch_call_ns(const struct judge_batch *batch, double error_ns);
