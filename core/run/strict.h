/*
 * strict.h - samples of which each could be a verified one: those of verify = strict, and those
 * that bound what verify = auto may read.
 *
 * The benchmark is run as sets (sets.h) in this process: a sample of n iterations is one run of
 * each of n objects, whose inputs are new.
 */
#pragma once

#include "core/run/sets.h"

/* Puts the sets in the place of the state's ops and bench: one at first, the benchmark itself. */
void strict_begin(struct case_state *state);
/* Takes them out again; does nothing where there are none. */
void strict_end(struct case_state *state);

/* Makes further objects until there are *n, or as many as there can be; sets *n to that. */
int32_t strict_grow(struct case_state *state, uint64_t *n);

/* From now on nothing is renewed before a sample, but caches are cold; not of a device with queues.
 */
void strict_repeat(struct case_state *state);

/* Before a sample: renews all. After it, and how long it took: compares some. Neither does anything
 * where there are no sets. GB_FAILED: the case has ended. */
int32_t strict_before(struct case_state *state);
int32_t strict_after(struct case_state *state, double time_ns);
