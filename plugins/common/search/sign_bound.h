/*
 * sign_bound.h - what samples say of the median they are drawn from, whatever their distribution.
 * Plugin side.
 *
 * The number of n independent samples at most the median m is at least Binomial(n, 1/2): so by the
 * sign test P(k or fewer samples <= m) <= P(B <= k) (Conover, Practical Nonparametric Statistics,
 * 3.4).
 */
#ifndef SIGN_BOUND_H
#define SIGN_BOUND_H

#include <gbrun/gbrun.h>

/* The most samples k of n such that P(Binomial(n, 1/2) <= k) <= error; -1: not even none. */
int64_t sign_most(uint64_t n, double error);

/* An upper bound of the median: the lowest sample that is above it but for the error. INFINITY: too
 * few samples. scratch holds n. sign_lower: likewise a lower bound, or -INFINITY. */
double sign_upper(const double *samples, uint64_t n, double error, double *scratch);
double sign_lower(const double *samples, uint64_t n, double error, double *scratch);

/* Is the median above the limit, but for the error? */
int sign_is_above(const double *samples, uint64_t n, double limit, double error);

/*
 * Of a series of looks at 1, 2, 4, ... times `first` samples, the errors that are allowed: half of
 * what is left is spent at each, so that all of them together stay below `error`. The first is
 * given what six samples need (2^-6 of 2.5 %), and more.
 * Returns 0 where n is not a look: no decision at that number.
 */
double sign_look_error(uint64_t n, uint64_t first, double error);

#endif
