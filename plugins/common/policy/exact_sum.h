/*
 * exact_sum.h - a sum of doubles with the rounding errors of its additions kept. Plugin side.
 *
 * Two doubles that do not overlap hold about 106 bits: the sum is exact as long as those suffice
 * for it, and then does not depend on the order of its terms (Knuth, The Art of Computer
 * Programming 2, 4.2.2, theorem B). Not finite once a term or the sum is not.
 */
#pragma once

#include <gbrun/bench.h>

/* Zero-initialize. The sum is high + low; high is the double next to it. */
struct exact_sum {
    double high, low;
};

/* *ret_sum + the result = a + b, without error. */
static inline double rounding_error_of_sum(double a, double b, double *ret_sum)
{
    const double sum = a + b;
    const double b_part = sum - a;
    *ret_sum = sum;
    return (a - (sum - b_part)) + (b - b_part);
}

static inline void exact_sum_add(struct exact_sum *sum, double term)
{
    double high = 0.0;
    /* A product, fused with one of the additions below, were two different terms. */
    GB_ROUND(term);
    const double error = rounding_error_of_sum(sum->high, term, &high);
    sum->low = rounding_error_of_sum(high, sum->low + error, &sum->high);
}
