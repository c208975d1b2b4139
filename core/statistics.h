/*
 * statistics.h - summaries of samples. Floor 1.
 *
 * n is the number of values; arrays are not changed unless said. Results of n == 0 are NaN. No
 * input is NaN unless said: callers keep such samples out.
 */
#ifndef GBRUN_CORE_STATISTICS_H
#define GBRUN_CORE_STATISTICS_H

#include <stddef.h>
#include <stdint.h>

double mean_of(const double *values, size_t n);  /* compensated sum */
double stdev_of(const double *values, size_t n); /* n - 1; NaN for n < 2 */
void sort_values(double *values, size_t n);      /* ascending, in place */
/* Quantile p in [0, 1] of ascending values: linear interpolation at (n - 1) p (Hyndman and Fan's
 * type 7). */
double quantile_of_sorted(const double *sorted, size_t n, double p);

struct summary {
    uint64_t n;
    double min, max, mean, stdev, median, q1, q3;
    double p10, p90, p99;
};
/* Sorts a copy. */
struct summary summary_of(const double *values, size_t n);

#endif
