/*
 * repeats.h - the rounds of cases that have as many as their verdict needs (rounds = auto).
 *
 * The first visit is as long as one that is alone. Where its policy certified there are further,
 * shorter ones (PART_SHARE): ROUNDS_LEAST in all, and ROUNDS_MOST where the certificate does not
 * hold over these, while max_time has room: that is of all visits together. It is asked twice, not
 * after each visit, as the first that it holds after would be one by chance more often.
 */
#pragma once

#include "core/base/rounds.h"
#include "core/run/visit.h"
#include "core/store/store_outcomes.h"

/* All that was scheduled is stored. Gives the schedule the next round of the cases that need one;
 * *ret_n: the visits in it, 0: none does. `open`, by position, is the caller's. */
int32_t repeats_next(struct schedule *schedule, struct store *store, int64_t run_id, bool *open,
                     uint64_t *ret_n, struct gb_error *error);

/* Of the visits of a case, 1 to ROUNDS_MOST: what they say together, of which only `centre` is
 * set, to NaN, where one is not certified; and whether another follows. */
int32_t repeats_verdict(const struct outcome *visits, size_t n, struct rounds_interval *ret);
bool repeats_is_open(const struct outcome *visits, size_t n, double max_time_ns);

/* Before a round that may be the last of its cases, whose first one ended `since` ago: how long it
 * waits, so that visits lie as far apart as a certificate wants on average. 0 where that would take
 * more than REPEATS_WAIT_SHARE of the time that the run has taken. */
#define REPEATS_WAIT_SHARE 0.1
double repeats_wait_ns(uint32_t round, double since_ns, double run_ns);
