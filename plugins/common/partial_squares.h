/* partial_squares.h - what gb_check.partial_squares is of a sum, whatever its order. Plugin side.
 */
#pragma once

#include <math.h>

/*
 * sum |partial sum|^2 over the k partial sums of `sum`, in the mean over all orders of its k
 * products. With Q = of_products, the sum of the squares of the products, it is
 *
 *   sum^2 (k + 1) (2 k + 1) / (6 k) + (Q - sum^2 / k) (k + 1) / 6
 *
 * since i of k numbers drawn without replacement have the mean i sum / k and the variance
 * i (k - i) / (k (k - 1)) (Q - sum^2 / k).
 */
static inline double expected_partial_squares(double sum, double of_products, double k)
{
    const double of_sum = sum * sum;
    return of_sum * (k + 1.0) * (2.0 * k + 1.0) / (6.0 * k) +
           fmax(of_products - of_sum / k, 0.0) * (k + 1.0) / 6.0;
}
