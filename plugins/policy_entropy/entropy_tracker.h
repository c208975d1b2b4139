/*
 * entropy_tracker.h - the rule of NVBench's `entropy`, sample by sample. Plugin side.
 *
 * Written from its definition. Of the n times so far, where the distinct value v came up c_v times:
 *   H_n = log2 n - 1/n sum over v of c_v log2 c_v       the entropy, in bits
 * The last (at most) 299 entropies y_0 ... y_(m-1) are fitted by a line over x = 0 ... m - 1, least
 * squares; the rule holds at an even n if
 *   atan(slope) in degrees <= max_angle (signed: a falling entropy is as good as a level one), and
 *   R2 >= min_r2; R2 = 1 if the variance of y, with the divisor m, is below 2^-52.
 * Two values to fit are there at every even n.
 *
 * All is float64. So that it is defined to the last bit what a limit is compared with:
 * - f(c) = c log2(c), rounded; f(1) = 0; the sum of f(c_v) is rounded once: its terms are multiples
 * of 2^-51, of which an exact_sum holds every sum below 2^54;
 * - H_n = (f(n) - sum) / n: exactly 0 while all times are equal, however many there are;
 * - mean = (sum of y_i, from the oldest on) / m; d_i = y_i - mean; x_i = i - (m - 1) / 2;
 *   Sxy = sum of x_i d_i, Syy = sum of d_i d_i, from the oldest on; Sxx = m (m m - 1) / 12;
 *   slope = Sxy / Sxx; R2 = Sxy / Sxx * (Sxy / Syy); angle = atan(slope) * (180 / pi).
 */
#pragma once

#include "../common/policy/exact_sum.h"
#include "value_counts.h"

enum { ENTROPY_RING = 299 };

/* Zero-initialize; free with entropy_tracker_free. */
struct entropy_tracker {
    uint64_t n;            /* finite times */
    uint64_t n_not_finite; /* times in a row that were not, which are otherwise left out */
    struct value_counts counts;
    struct exact_sum sum; /* of f(c) */
    /* The last entropies, twice, so that they are contiguous: H_n is at (n - 1) % 299 and 299
     * behind it. */
    double ring[2 * ENTROPY_RING];
};

/* The line through the last entropies. */
struct entropy_line {
    double angle_degrees, r2;
};

/* GB_NO_MEMORY leaves the tracker as it was. */
int32_t entropy_tracker_add(struct entropy_tracker *tracker, double time_ns);

/* Needs n >= 2. */
struct entropy_line entropy_tracker_line(const struct entropy_tracker *tracker);

/* H_n; NaN for n = 0. */
double entropy_tracker_entropy(const struct entropy_tracker *tracker);

void entropy_tracker_free(struct entropy_tracker *tracker);
