/*
 * reference.c - see elementwise.h. Plugin side.
 *
 * The errors of exponentials: an argument t that is off by some u |t| makes the result off by as
 * much, relatively, so |t| is a part of magnitudes. What is below the smallest normal number may
 * become 0 on the way, which the last term of magnitudes is for.
 */
#include "elementwise.h"

#include "plugins/common/policy/exact_sum.h"

#include <math.h>

/* --- one element each --- */

#define EACH(kernel, result, size)                                                                 \
    static void kernel(const struct reference_request *request, double *output, double *magnitude) \
    {                                                                                              \
        for (uint64_t i = 0; i < request->n; i++) {                                                \
            const double a = request->a[i];                                                        \
            const double b = request->b != NULL ? request->b[i] : 0.0;                             \
            output[i] = (result);                                                                  \
            magnitude[i] = (size);                                                                 \
            (void)b;                                                                               \
        }                                                                                          \
    }

static double gelu_exponent(double x)
{
    return GELU_LINEAR * (x + GELU_CUBIC * x * x * x);
}

EACH(copy, a, 0.0)
EACH(scale, ELEMENTWISE_SCALE *a, 0.0)
EACH(add, a + b, 0.0)
EACH(triad, fma(ELEMENTWISE_SCALE, b, a), fabs(a) + ELEMENTWISE_SCALE * fabs(b))
EACH(gelu, a / (1.0 + exp(gelu_exponent(a))),
     fabs(output[i]) * (1.0 + fabs(gelu_exponent(a))) + request->smallest)
EACH(relu, fmax(a, 0.0), 0.0)

/* --- rows --- */

static double largest_of(const double *x, uint64_t n)
{
    double largest = x[0];
    for (uint64_t i = 1; i < n; i++)
        largest = fmax(largest, x[i]);
    return largest;
}

static void softmax_row(const double *x, uint64_t n, double smallest, double *output,
                        double *magnitude)
{
    const double largest = largest_of(x, n);
    struct exact_sum sum = {0};
    struct exact_sum sum_of_arguments = {0}; /* each with its weight in the sum */
    for (uint64_t i = 0; i < n; i++) {
        output[i] = exp(x[i] - largest);
        exact_sum_add(&sum, output[i]);
        exact_sum_add(&sum_of_arguments, output[i] * (largest - x[i]));
    }
    const double mean_argument = sum_of_arguments.high / sum.high;
    for (uint64_t i = 0; i < n; i++) {
        output[i] /= sum.high;
        magnitude[i] = output[i] * (1.0 + (largest - x[i]) + mean_argument) + smallest;
    }
}

static void softmax(const struct reference_request *request, double *output, double *magnitude)
{
    for (uint64_t i = 0; i < request->n; i += request->columns)
        softmax_row(request->a + i, request->columns, request->smallest, output + i, magnitude + i);
}

/* The error of the mean is relative to the mean of |x|; that of the deviation, which is a sum of
 * squares about that mean, changes by its square only. */
static void layernorm_row(const double *x, uint64_t n, double smallest, double *output,
                          double *magnitude)
{
    struct exact_sum sum = {0};
    struct exact_sum sum_of_sizes = {0};
    struct exact_sum sum_of_squares = {0};
    for (uint64_t i = 0; i < n; i++) {
        exact_sum_add(&sum, x[i]);
        exact_sum_add(&sum_of_sizes, fabs(x[i]));
    }
    const double mean = sum.high / (double)n;
    for (uint64_t i = 0; i < n; i++)
        exact_sum_add(&sum_of_squares, (x[i] - mean) * (x[i] - mean));
    const double deviation = sqrt(sum_of_squares.high / (double)n + LAYERNORM_EPSILON);
    for (uint64_t i = 0; i < n; i++) {
        output[i] = (x[i] - mean) / deviation;
        magnitude[i] = (fabs(x[i]) + sum_of_sizes.high / (double)n) / deviation + fabs(output[i]) +
                       smallest;
    }
}

static void layernorm(const struct reference_request *request, double *output, double *magnitude)
{
    for (uint64_t i = 0; i < request->n; i += request->columns)
        layernorm_row(request->a + i, request->columns, request->smallest, output + i,
                      magnitude + i);
}

/* As it is computed when a network is used: with the mean and the deviation of a channel, which are
 * known, in a factor and a shift. */
static void batchnorm(const struct reference_request *request, double *output, double *magnitude)
{
    for (uint64_t i = 0; i < request->n; i++) {
        const double *row = request->b + i / request->columns * request->columns;
        output[i] = fma(request->a[i], row[0], row[request->columns - 1]);
        magnitude[i] = fabs(request->a[i] * row[0]) + fabs(row[request->columns - 1]);
    }
}

/* --- images --- */

static double largest_around(const double *image, uint64_t columns, uint64_t row, uint64_t column)
{
    double largest = image[row * columns + column];
    for (uint64_t y = row > 0 ? row - 1 : 0; y < columns && y <= row + 1; y++)
        for (uint64_t x = column > 0 ? column - 1 : 0; x < columns && x <= column + 1; x++)
            largest = fmax(largest, image[y * columns + x]);
    return largest;
}

static void maxpool(const struct reference_request *request, double *output, double *magnitude)
{
    const uint64_t columns = request->columns;
    for (uint64_t i = 0; i < request->n; i++) {
        const double *image = request->a + i / (columns * columns) * (columns * columns);
        output[i] = largest_around(image, columns, i / columns % columns, i % columns);
        magnitude[i] = 0.0;
    }
}

/* --- one output --- */

static void sum(const struct reference_request *request, double *output, double *magnitude)
{
    struct exact_sum all = {0};
    struct exact_sum sizes = {0};
    for (uint64_t i = 0; i < request->n; i++) {
        exact_sum_add(&all, request->a[i]);
        exact_sum_add(&sizes, fabs(request->a[i]));
    }
    output[0] = all.high;
    magnitude[0] = sizes.high;
}

/*
 * Flops: gelu squares, multiplies and adds, multiplies, exp, adds 1, divides: 7. softmax: subtract,
 * exp, add, divide; comparisons are none. layernorm: add; subtract, square, add; subtract, divide.
 * relu and maxpool do nothing but compare: there it counts.
 *
 * Roundings: triad and batchnorm a product and a sum, if they are not one. gelu: 5 for the exponent
 * and its constants, 2 for reducing the argument of exp, 4 for exp (2 units in the last place), 1 +
 * e, and 4 for the quotient: 16. softmax: the difference 1, exp 2 and 4, both in the numerator and
 * in the sum, and the quotient in two steps 3: 17. layernorm: mean 2, difference 1, square 2, mean
 * of squares 2, epsilon 1, root and quotient 4: 12. scale and add are rounded once: that a sum of
 * halves is a float before it is a half makes no difference, for a float has twice the digits and
 * two more (Figueroa: When is double rounding innocuous?, 1995).
 */
const struct kernel kernels[KERNELS] = {
    /* inputs; rows, images, sums; parameters, flops, roundings */
    [KERNEL_COPY] = {"copy", 1, false, false, false, 0, 0, 0, copy},
    [KERNEL_SCALE] = {"scale", 1, false, false, false, 0, 1, 0, scale},
    [KERNEL_ADD] = {"add", 2, false, false, false, 0, 1, 0, add},
    [KERNEL_TRIAD] = {"triad", 2, false, false, false, 0, 2, 2, triad},
    [KERNEL_GELU] = {"gelu", 1, false, false, false, 0, 7, 16, gelu},
    [KERNEL_RELU] = {"relu", 1, false, false, false, 0, 1, 0, relu},
    [KERNEL_SOFTMAX] = {"softmax", 1, true, false, true, 0, 4, 17, softmax},
    [KERNEL_LAYERNORM] = {"layernorm", 1, true, false, true, 0, 6, 12, layernorm},
    [KERNEL_BATCHNORM] = {"batchnorm", 2, true, false, false, 2, 2, 2, batchnorm},
    [KERNEL_MAXPOOL] = {"maxpool", 1, true, true, false, 0, 8, 0, maxpool},
    [KERNEL_SUM] = {"sum", 1, false, false, true, 0, 1, 1, sum},
};
