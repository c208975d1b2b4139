/*
 * stopping_statistics.h - bounds of shares, quantiles of arrays, rounds as one, and threads.
 */
#pragma once

#include "core/base/rounds.h"
#include "tests/stopping/stopping_trial.h"

/* The upper bound, at the confidence given, of the probability of something seen k times in n
 * (Clopper, Pearson: The use of confidence or fiducial limits, 1934). n == 0: 1. */
double share_upper_bound(uint64_t k, uint64_t n, double confidence);

/* NaN of none. */
double percent(uint64_t k, uint64_t n);
/* Of n values in any order, which it sorts; NaN without one. */
double quantile_of(double *values, size_t n, double p);

/* Calls it in this thread and in as many others as make n_threads, or can be started. */
void in_threads(uint32_t n_threads, void *(*work)(void *context), void *context);

/* Stops in several rounds of a case as one interval, as results are shown. At most ROUNDS_MAX. */
enum { ROUNDS_MAX = 16 };
struct rounds_interval stops_combined(const struct stop *rounds, size_t n);
