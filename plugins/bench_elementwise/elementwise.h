/*
 * elementwise.h - what the benchmark `elementwise` does in the same way on all devices, and what
 * each does in its own way. Plugin side.
 */
#pragma once

#include "plugins/common/cuda/with_cuda.h"

#include <stdbool.h>
#include <stdint.h>

/* --- the kernels: what each computes, in float64, how much work that is, and how far off a right
 * result may be (reference.c) --- */

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

/* --- a case, and what a kind of device does for it --- */

/* In the order of the words in elementwise.c. */
enum { DTYPE_FP32, DTYPE_FP16, DTYPE_BF16, DTYPE_FP64, DTYPES };
enum { BLOCK_DEFAULT = 256, THREADS_DEFAULT = 0 };

struct params {
    int32_t kernel; /* KERNEL_... */
    int32_t dtype;  /* DTYPE_... */
    int64_t n, columns;
    double low, high;
    int64_t block;   /* of CUDA */
    int64_t threads; /* of the CPU; 0: all that it has */
};

struct elementwise {
    const struct gb_host *host;
    const struct params *params;
    const struct backend *backend;
    const struct kernel *kernel;
    const struct gb_formats *formats;
    void *own; /* of the backend, taken from the host */
    uint64_t n, columns, element_bytes;
    uint64_t row;           /* elements that belong together: a row's, an image's */
    uint32_t format;        /* of the inputs and, but for a sum, the output: GB_... */
    uint32_t output_format; /* GB_... */
    uint64_t n_outputs, output_bytes;
    uint64_t sum_depth; /* additions that a term of a sum goes through at most, by the backend */
    void *inputs[2];    /* memory of the device, aligned to 64 bytes; kernel->n_inputs of them */
    void *output;       /* the same */
};

/* prepare sets sum_depth. */
struct backend {
    BACKEND_FUNCTIONS(struct elementwise);
};

extern const struct backend elementwise_cpu;

/* --- the kernels on the CPU, compiled for several processors (elementwise_cpu.c) --- */

/* All compute in float, in double for fp64. An exponential is off by less than 2 units in the last
 * place; below the smallest normal number it is 0. Inputs are finite. */

/* Terms of a sum are added up in this many at a time, each in 4 vectors; these sums in double. */
enum { WAY_SUM_BLOCK = 1024 };

/* What one thread has to do: whole rows or images, if the kernel has such. */
struct way_part {
    void *to; /* NULL for a sum */
    const void *a, *b;
    uint64_t n, columns;
    double sum; /* out */
};

typedef void way_fn(struct way_part *part);

struct ways {
    const char *name;
    bool (*is_here)(void);
    way_fn *fn[DTYPES][KERNELS];
};

/* All that this build has, the best first; the last is always here. */
extern const struct ways ways[];
extern const uint32_t n_ways;

/* Additions that a term of a sum of n goes through at most, in the type that is computed in. */
uint64_t ways_sum_depth(int32_t dtype, uint64_t n);
