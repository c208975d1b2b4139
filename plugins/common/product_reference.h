/*
 * product_reference.h - a matrix product in float64, and sum |a||b| beside it: what outputs of
 * benchmarks are compared with. Plugin side.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* C = A B: A is m x k, B is k x n, C is m x n. */
struct product_shape {
    uint64_t m, n, k;
};

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
