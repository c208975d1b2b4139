/*
 * imitation.h - the product as some hardware sums it, for references that are to differ by as
 * little as possible from what is tested. Plugin side.
 */
#pragma once

#include "product.h"

/*
 * One product is added after the other, in the order of k and not rounded before, and sums are
 * rounded as `accumulate` says: ACCUMULATE_FP32, ACCUMULATE_FP16, or every four products
 * ACCUMULATE_EVERY4 or ACCUMULATE_EVERY4_NEAREST. A is m x k by rows, B n x k: by columns; ret m x
 * n. On all CPUs. Only the rounding to fp16 is that of sums.h, whose products are compared with
 * this one.
 */
void imitation_product(const struct product_shape *shape, const double *a, const double *b,
                       int32_t accumulate, double *ret);
