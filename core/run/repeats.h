/*
 * repeats.h - the rounds of cases that have as many as their verdict needs (rounds = auto).
 *
 * After ROUNDS_LEAST of them, and after each further one, what is stored of a case says whether its
 * certificate holds over its visits. If not, there is another round of it, up to ROUNDS_MOST, while
 * its max_time has room: that is of all visits together, each of which has a third.
 */
#pragma once

#include "core/run/visit.h"
#include "core/store/store.h"

/* All that was scheduled is stored. Gives the schedule the next round of the cases that need one;
 * *ret_n: the visits in it, 0: none does. `open`, by position, is the caller's. */
int32_t repeats_next(struct schedule *schedule, struct store *store, int64_t run_id, bool *open,
                     uint64_t *ret_n, struct gb_error *error);
