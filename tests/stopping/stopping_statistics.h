/*
 * stopping_statistics.h - bounds of shares, quantiles of arrays, and rounds as one.
 */
#pragma once

#include "core/base/rounds.h"
#include "tests/stopping/stopping_trial.h"

/* One-sided bounds, at the confidence given, of the probability of something seen k times in n
 * (Clopper, Pearson: The use of confidence or fiducial limits, 1934). n == 0: 1 and 0. */
double share_upper_bound(uint64_t k, uint64_t n, double confidence);
double share_lower_bound(uint64_t k, uint64_t n, double confidence);

/* The regularized incomplete beta function I_x(a, b), a and b positive, x in [0, 1]. */
double incomplete_beta(double a, double b, double x);

/* Stops in several rounds of a case as one interval, as results are shown. At most ROUNDS_MAX. */
enum { ROUNDS_MAX = 16 };
struct rounds_interval stops_combined(const struct stop *rounds, size_t n);
