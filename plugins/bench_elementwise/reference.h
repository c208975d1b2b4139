/*
 * reference.h - the kernels of `elementwise`: what each computes, in float64, how much work that
 * is, and how far off a right result may be. Plugin side.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* In the order of the words in elementwise.c. */
enum {
    KERNEL_COPY,
    KERNEL_SCALE,
    KERNEL_ADD,
    KERNEL_TRIAD,
    KERNEL_GELU,
    KERNEL_RELU,
    KERNEL_SOFTMAX,
    KERNEL_LAYERNORM,
    KERNEL_BATCHNORM,
    KERNEL_MAXPOOL,
    KERNEL_SUM,
    KERNELS
};

#define ELEMENTWISE_SCALE 3.0 /* of scale and triad */

/* gelu in its form with tanh (Hendrycks, Gimpel: Gaussian error linear units, 2016), which is
 * x / (1 + exp(-2 z)) with z = sqrt(2 / pi) (x + 0.044715 x^3). */
#define GELU_LINEAR (-1.5957691216057308) /* -2 sqrt(2 / pi) */
#define GELU_CUBIC 0.044715

#define LAYERNORM_EPSILON 1e-5 /* added to the variance */

/* Whole rows or images; `columns` is of use to kernels that have rows only. */
struct reference_request {
    const double *a, *b; /* n values each, as stored by the device */
    uint64_t n, columns;
    double smallest; /* normal number of the type that is computed in, over its unit roundoff */
};

struct kernel {
    const char *name;
    uint32_t n_inputs;
    bool has_rows;
    bool has_images; /* columns x columns elements belong together, not `columns` */
    bool has_sums;
    uint32_t n_parameters; /* elements that are read of each row of the second input; 0: all */
    double flops;          /* for each element; an exponential is one, and so is a division */

    /* Outputs, and what a rounding of each step is relative to: with `roundings` of them, and one
     * more for each addition that a term of a sum goes through, and the unit roundoff u of the type
     * that is computed in, an output is off by no more than gamma(roundings) magnitude before it is
     * rounded to its own type. Zero roundings: nothing but that last one. */
    uint32_t roundings;
    void (*reference)(const struct reference_request *request, double *output, double *magnitude);
};

extern const struct kernel kernels[KERNELS];
