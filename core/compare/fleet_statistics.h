/*
 * fleet_statistics.h - which nodes of many are unlike the others: the statistics of fleet.h.
 *
 * The unit is the round, as in comparison.h: y = ln of a round's value, Y = the mean of a node's
 * rounds. In each case theta = Y - median of all nodes' Y, which fewer than half of the nodes can
 * move, and the interval is theta -+ t s / sqrt(R). That the median is known no better than its
 * nodes is left out: the variance of theta is (1 + pi / 2N - 2 / N) s^2 / R, less than s^2 / R,
 * since a node is in the median, too.
 *
 *   s^2  is one for all nodes, as they do the same: the median of the nodes' own s^2, each over the
 *        median of a chi-square of R - 1 degrees (Wilson and Hilferty: The distribution of
 *        chi-square, 1931). Its degrees are 0.37 of all, the least that a median leaves of them.
 *   noisy node  one whose own s^2 is larger, at 5 % (Paulson: An approximate normalization of the
 *        analysis of variance distribution, 1942), has its own s and R - 1 degrees.
 *   one round   where half of the nodes and more have one only, what a node varies by is not known;
 *        s is then how far apart the nodes are: 1.4826 times the median of |theta|, with the
 * factors for small N of Croux and Rousseeuw (Time-efficient algorithms for two highly robust
 *        estimators of scale, 1992), and 0.37 (N - 1) degrees. Nodes that differ by nature have
 *        wider intervals by that.
 *
 * Half an interval is at least half a step of the timer, and with one round the round's own.
 *
 * A node is judged by its one-sided p of all its cases, those of |theta| <= margin: the p of "in
 * fewer than two cases" is min over i of (n - 1) / i p_(i + 1), with p_(1) <= p_(2) ... (partial
 * conjunction by Simes; Benjamini and Heller: Screening for partial conjunction hypotheses, 2008),
 * for either direction, doubled. Nodes with one case only go by the p of that.
 */
#pragma once

#include "core/compare/comparison.h"

enum { FLEET_LEAST = 3, FLEET_SEVERAL = 2 }; /* nodes to judge a case; cases that flag a node */

/* What one node measured of a case. */
struct fleet_values {
    struct compared_side side; /* n == 0: it has no value */
    struct comparison result;  /* with the nodes' median; theta NaN: no value, too few nodes */
    double p_slower, p_faster; /* one-sided, of lying beyond the margin; NaN likewise */
};

struct fleet_median {
    double median;  /* of the nodes' Y: a logarithm; NaN: no node has a value */
    double scatter; /* s of nodes about it, by the median of |theta|; NaN: fewer than FLEET_LEAST */
    size_t n;       /* nodes with a value */
};

/* Compares the nodes of one case; results have no verdict yet (compare_judge). */
struct fleet_median fleet_compare(struct fleet_values *nodes, size_t n, double margin,
                                  double confidence);

/* The p of a node's lying beyond the margin in several cases, of those of n cases, which are
 * sorted. NaN: n == 0. */
double fleet_several_p(double *p, size_t n);
