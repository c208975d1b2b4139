/*
 * reference.h - the product in float64 on all of the machine's CPUs, and sum |a||b| beside it: what
 * outputs are compared with. Plugin side.
 */
#pragma once

#include "sums.h"

#include <stdbool.h>

struct reference_request {
    struct product_shape shape;
    const double *a; /* m x k, by rows */
    const double *b; /* n x k: B by columns */
    /* The inputs and sums of their products are numbers that a float can hold, though rounded: then
     * magnitudes are summed in single precision, which takes half the time. */
    bool is_single;
    bool has_one_sign;  /* of each matrix: no element is below 0, or none above */
    uint32_t n_threads; /* 0: as many as there are CPUs */
};

/* Every element is one sum in an order that depends on k alone. `magnitude` may be NULL; it is not
 * below the sum of magnitudes by more than a float64 sum is. GB_OK or GB_NO_MEMORY. */
int32_t reference_product(const struct reference_request *request, double *sum, double *magnitude);

/* Of each sum the sum of the squares of its products, to single precision. GB_OK or GB_NO_MEMORY.
 */
int32_t reference_squares(const struct reference_request *request, double *ret);

/*
 * The product as some hardware sums it, for references that are to differ by as little as possible
 * from what is tested: one product is added after the other, in the order of k and not rounded
 * before, and sums are rounded as `accumulate` says: ACCUMULATE_FP32, ACCUMULATE_FP16, or every
 * four products ACCUMULATE_EVERY4 or ACCUMULATE_EVERY4_NEAREST. A is m x k by rows, B n x k: by
 * columns; ret m x n. On all CPUs. Only the rounding to fp16 is that of sums.h, whose products are
 * compared with this one.
 */
void imitation_product(const struct product_shape *shape, const double *a, const double *b,
                       int32_t accumulate, double *ret);
