/*
 * sums.h - products on the CPU with sums in the order, and rounded in the way, that a case asks
 * for. Plugin side.
 */
#pragma once

#include "plugins/common/product_reference.h"
#include "plugins/common/simd.h"

#include <gbrun/formats.h>
#include <stdint.h>

/* What a sum is kept in, and when it is rounded. */
enum {
    ACCUMULATE_AUTO, /* as the type has it */
    ACCUMULATE_FP32,
    ACCUMULATE_FP64,
    ACCUMULATE_FP16,
    ACCUMULATE_EVERY4,         /* four products added in float64, the sum then truncated to fp32 */
    ACCUMULATE_EVERY4_NEAREST, /* ... then rounded to fp32, as C's (float) does */
    ACCUMULATE_INT32
};

static inline bool sums_is_every4(int32_t accumulate)
{
    return accumulate == ACCUMULATE_EVERY4 || accumulate == ACCUMULATE_EVERY4_NEAREST;
}

/* Orders of summation. */
enum { ORDER_SCALAR, ORDER_SIMD, ORDER_BLOCKED };

struct sums_request {
    struct product_shape shape;
    int32_t accumulate; /* not ACCUMULATE_AUTO */
    int32_t order;
    uint64_t n_slices; /* of k, each summed separately; 1 to k */
    const void *a;     /* m x k by rows, in elements as sums_elements makes them */
    const void *b;     /* n x k: B by columns */
};

/* What A and B are given as: floats, doubles or int32, whose numbers are those of the doubles. */
uint64_t sums_element_bytes(int32_t accumulate);
void sums_elements(int32_t accumulate, const double *values, uint64_t n, void *ret);

/*
 * Every sum as a double, which holds it exactly. A product is added without being rounded first,
 * with all compilers and options alike, where the processor has an instruction for that: everywhere
 * but on x86-64 processors without AVX2 and FMA.
 */
#if defined(__x86_64__) && !defined(__FMA__)
#define SUMS_PORTABLE_FUSES false
#else
#define SUMS_PORTABLE_FUSES true
#endif
void sums_product(const struct sums_request *request, double *ret);

/* Products in each of so many slices of k; the last may have fewer, or all lie in those before it.
 */
static inline uint64_t sums_slice(uint64_t k, uint64_t n_slices)
{
    return (k + n_slices - 1) / n_slices;
}

/* The most roundings that a product goes through on its way into the sum. */
uint64_t sums_steps(const struct sums_request *request);

/* What lies below the format's smallest normal number becomes 0, with its sign. */
void sums_flush(const struct gb_format *format, double *values, uint64_t n);

/* Rounded to fp16, to nearest, ties to even. */
float sums_round_half(float value);

/*
 * The product as some hardware sums it, for references that are to differ by as little as possible
 * from what is tested: one product is added after the other, in the order of k and not rounded
 * before, and sums are rounded as `accumulate` says: ACCUMULATE_FP32, ACCUMULATE_FP16, or every
 * four products ACCUMULATE_EVERY4 or ACCUMULATE_EVERY4_NEAREST. A is m x k by rows, B n x k: by
 * columns; ret m x n. On all CPUs. Only the rounding to fp16 is that of sums_product, which is
 * compared with this one.
 */
void imitation_product(const struct product_shape *shape, const double *a, const double *b,
                       int32_t accumulate, double *ret);
