/*
 * statistics.h - summaries of samples.
 *
 * n is the number of values; arrays are not changed where nothing else is documented. Results of
 * n == 0 are NaN. No input may be NaN: callers leave such samples out.
 */
#pragma once

#include <gbrun/bench.h>
#include <stddef.h>
#include <stdint.h>

/* Rounded, whatever it is added to afterwards (see GB_ROUND). What is computed with it is the same
 * on all machines: what is stored, compared or shown as a number. Times, places in pictures and
 * filters may differ in their last digits. */
static inline double rounded_product(double a, double b)
{
    double product = a * b;
    GB_ROUND(product);
    return product;
}

/* A sum that carries its rounding error along (Neumaier: Rundungsfehleranalyse einiger Verfahren
 * zur Summation endlicher Summen, 1974). Zero-initialize. */
struct compensated_sum {
    double sum, error;
};
void compensated_add(struct compensated_sum *total, double value);
double compensated_total(const struct compensated_sum *total);

double mean_of(const double *values, size_t n);  /* compensated sum */
double stdev_of(const double *values, size_t n); /* n - 1; NaN for n < 2 */
void sort_values(double *values, size_t n);      /* ascending, in place */
/* Quantile p in [0, 1] of ascending values: linear interpolation at (n - 1) p (Hyndman and Fan's
 * type 7). */
double quantile_of_sorted(const double *sorted, size_t n, double p);
double sort_to_median(double *values, size_t n);  /* in place; their median */
double median_of_known(double *values, size_t n); /* of those that are not NaN; reorders */

/*
 * Student's t distribution with that many degrees of freedom, which need not be whole.
 * outside: the probability that |T| >= |t|: the two-sided p of a t. By the incomplete beta function
 * (Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.1 and 26.5.27), to 1e-10 of its
 * value.
 * quantile: t such that T lies in [-t, t] with the confidence: 12.706 for 0.95 and 1.
 * NaN for a confidence outside (0, 1), or degrees that are not above 0.
 */
double student_t_outside(double t, double degrees);
double student_t_quantile(double confidence, double degrees);
#define NORMAL_DEGREES 1e9 /* so many that T is a normal variable */

/* k such that the k-th lowest to the k-th highest of n values hold the median of what they are
 * drawn from with the confidence (the sign test turned round); 0: not even the lowest to the
 * highest. */
size_t sign_interval_rank(size_t n, double confidence);

/* P(B <= k) of a binomial B, of n trials with probability p each, 0 < p < 1: by the incomplete beta
 * function (Abramowitz and Stegun, 26.5.24), to about 1e-8 for n up to 1e8. */
double binomial_at_most(uint64_t k, uint64_t n, double p);

struct summary {
    uint64_t n;
    double min, max, mean, stdev, median, q1, q3;
    double p10, p90, p99;
};
/* Sorts a copy. */
struct summary summary_of(const double *values, size_t n);
