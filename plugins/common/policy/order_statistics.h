/*
 * order_statistics.h - values by rank, without sorting, and how far ranks can be trusted. Plugin
 * side.
 *
 * Ranks count from 0. Values are finite.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The values around some ranks: one pass over all values, and then work on the few near the ranks
 * only (Floyd and Rivest, Expected time bounds for selection, CACM 18, 1975).
 */
struct rank_window {
    double *inside; /* n_inside values in any order: those of the ranks from `below` on */
    uint64_t below, n_inside;
};

/* Of n values, which are left alone, around ranks first <= last < n. scratch holds n values and
 * belongs to the window from then on. */
struct rank_window rank_window_of(const double *values, uint64_t n, uint64_t first, uint64_t last,
                                  double *scratch);

/* The values at n_ranks ascending ranks. False, with ret left alone, if one is not inside; those
 * that the window was made for always are. */
bool rank_window_select(struct rank_window *window, const uint64_t *ranks, size_t n_ranks,
                        double *ret);

/* Ascending, in place. */
void sort_ascending(double *values, uint64_t n);

/* z such that a standard normal variable is below z with probability p in (0, 1). */
double normal_quantile(double p);

enum { RANK_NONE_BELOW = -1 };

/*
 * The ranks between which the median of n values lies where the share of values below it is known
 * to be within `radius` of 1/2, rounded outwards. *ret_low is RANK_NONE_BELOW and *ret_high n where
 * there is no such rank.
 */
void median_radius_ranks(uint64_t n, double radius, int64_t *ret_low, uint64_t *ret_high);

/* That radius at a single look, of n_effective independent values: normal approximation to the
 * binomial (Le Boudec, Performance Evaluation of Computer and Communication Systems, theorem 2.1).
 */
double median_radius(double n_effective, double confidence);

/*
 * h such that the share of samples below a fixed value is within h of its expectation at all
 * times together, with probability 1 - alpha. n_effective: the effective sample size; n_optimal: of
 * these, where h is as small as it can be. The normal mixture bound for sums that are sub-Gaussian
 * with variance n / 4 (Howard and Ramdas, Sequential estimation of quantiles, Bernoulli 28, 2022;
 * Howard et al., Time-uniform Chernoff bounds, 2021, section 3.2). h may be 1/2 or more: then the
 * samples say nothing yet.
 */
double confidence_sequence_radius(double n_effective, double alpha, double n_optimal);

/* t such that a variable of Student's distribution is below t with probability p in (0, 1), to 1 %
 * for 3 degrees of freedom or more and p of 0.9 to 0.99 (Abramowitz and Stegun, 26.7.5); fewer are
 * taken for 3. */
double student_quantile(double p, double degrees);
