/* sums.c - see sums.h. Plugin side. */
#include "sums.h"

#include "plugins/common/bench_steps.h"
#include "plugins/common/verified_sums.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum { LANES = 16, BLOCK = 64, EVERY = 4 };

/* --- rounding --- */

EVERYWHERE float round_half(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint32_t sign = bits & 0x80000000u;
    uint32_t magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u)
        return value;
    if (magnitude >= 0x477ff000u) { /* 65520 */
        magnitude = 0x7f800000u;
    } else if (magnitude < 0x38800000u) { /* 2^-14: steps of 2^-24, which are those at 0.5 */
        float size;
        memcpy(&size, &magnitude, sizeof size);
        size = (size + 0.5f) - 0.5f;
        memcpy(&magnitude, &size, sizeof size);
    } else {
        magnitude = (magnitude + 0xfffu + (magnitude >> 13 & 1u)) & ~0x1fffu;
    }
    bits = sign | magnitude;
    memcpy(&value, &bits, sizeof bits);
    return value;
}

float sums_round_half(float value)
{
    return round_half(value);
}

void sums_flush(const struct gb_format *format, double *values, uint64_t n)
{
    const double smallest = ldexp(1.0, format->min_exponent);
    for (uint64_t i = 0; i < n && format->is_integer == 0; i++)
        values[i] = fabs(values[i]) < smallest ? copysign(0.0, values[i]) : values[i];
}

/* Towards zero to the 24 digits of a float. */
EVERYWHERE double truncated(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits &= ~((UINT64_C(1) << 29) - 1);
    memcpy(&value, &bits, sizeof bits);
    return value;
}

EVERYWHERE double nearest(double value)
{
    return (double)(float)value;
}

/* --- one step of a sum, of n products, and the sum of two sums ---
 *
 * Whether a product is rounded before it is added is written out: compilers fuse the two, or do
 * not, by their options and as they vectorize. */

EVERYWHERE float multiply_add_float(bool fuses, float a, float b, float sum)
{
    return fuses ? __builtin_fmaf(a, b, sum) : a * b + sum;
}

EVERYWHERE double multiply_add_double(bool fuses, double a, double b, double sum)
{
    return fuses ? __builtin_fma(a, b, sum) : a * b + sum;
}

EVERYWHERE float step_fp32(bool fuses, float sum, const float *a, const float *b, uint64_t n)
{
    (void)n;
    return multiply_add_float(fuses, *a, *b, sum);
}

EVERYWHERE float add_fp32(float x, float y)
{
    return x + y;
}

EVERYWHERE double step_fp64(bool fuses, double sum, const double *a, const double *b, uint64_t n)
{
    (void)n;
    return multiply_add_double(fuses, *a, *b, sum);
}

EVERYWHERE double add_fp64(double x, double y)
{
    return x + y;
}

EVERYWHERE float step_fp16(bool fuses, float sum, const float *a, const float *b, uint64_t n)
{
    (void)n;
    return round_half(multiply_add_float(fuses, *a, *b, sum));
}

EVERYWHERE float add_fp16(float x, float y)
{
    return round_half(x + y);
}

EVERYWHERE double four(bool fuses, double sum, const double *a, const double *b, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        sum = multiply_add_double(fuses, a[i], b[i], sum);
    return sum;
}

EVERYWHERE double step_every4(bool fuses, double sum, const double *a, const double *b, uint64_t n)
{
    return truncated(four(fuses, sum, a, b, n));
}

EVERYWHERE double add_every4(double x, double y)
{
    return truncated(x + y);
}

EVERYWHERE double step_every4_nearest(bool fuses, double sum, const double *a, const double *b,
                                      uint64_t n)
{
    return nearest(four(fuses, sum, a, b, n));
}

EVERYWHERE double add_every4_nearest(double x, double y)
{
    return nearest(x + y);
}

EVERYWHERE int32_t step_int32(bool fuses, int32_t sum, const int32_t *a, const int32_t *b,
                              uint64_t n)
{
    (void)fuses;
    (void)n;
    return sum + *a * *b;
}

EVERYWHERE int32_t add_int32(int32_t x, int32_t y)
{
    return x + y;
}

/* --- orders --- */

/* chain: one step after the other. lanes: steps go to LANES sums in turn, which are added in the
 * end. blocks: sums of BLOCK products, added one after the other. */
#define ORDERS(mode, element, width)                                                               \
    EVERYWHERE element chain_##mode(bool fuses, const element *a, const element *b, uint64_t n)    \
    {                                                                                              \
        element sum = 0;                                                                           \
        for (uint64_t k = 0; k < n; k += width)                                                    \
            sum = step_##mode(fuses, sum, a + k, b + k, smaller(width, n - k));                    \
        return sum;                                                                                \
    }                                                                                              \
    EVERYWHERE element lanes_##mode(bool fuses, const element *a, const element *b, uint64_t n)    \
    {                                                                                              \
        element sums[LANES] = {0};                                                                 \
        uint64_t k = 0;                                                                            \
        for (; k + LANES * width <= n; k += LANES * width) {                                       \
            for (uint64_t lane = 0; lane < LANES; lane++)                                          \
                sums[lane] = step_##mode(fuses, sums[lane], a + k + lane * width,                  \
                                         b + k + lane * width, width);                             \
        }                                                                                          \
        for (uint64_t lane = 0; k < n; k += width, lane++)                                         \
            sums[lane] = step_##mode(fuses, sums[lane], a + k, b + k, smaller(width, n - k));      \
        for (uint64_t half = LANES / 2; half > 0; half /= 2) {                                     \
            for (uint64_t lane = 0; lane < half; lane++)                                           \
                sums[lane] = add_##mode(sums[lane], sums[lane + half]);                            \
        }                                                                                          \
        return sums[0];                                                                            \
    }                                                                                              \
    EVERYWHERE element blocks_##mode(bool fuses, const element *a, const element *b, uint64_t n)   \
    {                                                                                              \
        element sum = 0;                                                                           \
        for (uint64_t k = 0; k < n; k += BLOCK)                                                    \
            sum = add_##mode(sum, chain_##mode(fuses, a + k, b + k, smaller(BLOCK, n - k)));       \
        return sum;                                                                                \
    }                                                                                              \
    EVERYWHERE element slice_##mode(bool fuses, int32_t order, const element *a, const element *b, \
                                    uint64_t n)                                                    \
    {                                                                                              \
        return order == ORDER_SCALAR ? chain_##mode(fuses, a, b, n)                                \
               : order == ORDER_SIMD ? lanes_##mode(fuses, a, b, n)                                \
                                     : blocks_##mode(fuses, a, b, n);                              \
    }                                                                                              \
    EVERYWHERE void product_##mode(bool fuses, const struct sums_request *request, double *ret)    \
    {                                                                                              \
        const struct product_shape *shape = &request->shape;                                       \
        const uint64_t length = sums_slice(shape->k, request->n_slices);                           \
        for (uint64_t i = 0; i < shape->m * shape->n; i++) {                                       \
            const element *a = (const element *)request->a + i / shape->n * shape->k;              \
            const element *b = (const element *)request->b + i % shape->n * shape->k;              \
            element sum = 0;                                                                       \
            for (uint64_t k = 0; k < shape->k; k += length)                                        \
                sum = add_##mode(sum, slice_##mode(fuses, request->order, a + k, b + k,            \
                                                   smaller(length, shape->k - k)));                \
            ret[i] = (double)sum;                                                                  \
        }                                                                                          \
    }

ORDERS(fp32, float, 1u)
ORDERS(fp64, double, 1u)
ORDERS(fp16, float, 1u)
ORDERS(every4, double, 4u)
ORDERS(every4_nearest, double, 4u)
ORDERS(int32, int32_t, 1u)

EVERYWHERE void product(bool fuses, const struct sums_request *request, double *ret)
{
    switch (request->accumulate) {
    case ACCUMULATE_FP32:
        product_fp32(fuses, request, ret);
        break;
    case ACCUMULATE_FP16:
        product_fp16(fuses, request, ret);
        break;
    case ACCUMULATE_EVERY4:
        product_every4(fuses, request, ret);
        break;
    case ACCUMULATE_EVERY4_NEAREST:
        product_every4_nearest(fuses, request, ret);
        break;
    case ACCUMULATE_INT32:
        product_int32(fuses, request, ret);
        break;
    default:
        product_fp64(fuses, request, ret);
        break;
    }
}

static FOR_AVX2 void product_avx2(const struct sums_request *request, double *ret)
{
    product(true, request, ret);
}

static void product_portable(const struct sums_request *request, double *ret)
{
    product(SUMS_PORTABLE_FUSES, request, ret);
}

void sums_product(const struct sums_request *request, double *ret)
{
    if (has_avx2())
        product_avx2(request, ret);
    else
        product_portable(request, ret);
}

/* --- elements --- */

static bool is_double(int32_t accumulate)
{
    return accumulate == ACCUMULATE_FP64 || sums_is_every4(accumulate);
}

uint64_t sums_element_bytes(int32_t accumulate)
{
    return is_double(accumulate) ? sizeof(double) : sizeof(float);
}

void sums_elements(int32_t accumulate, const double *values, uint64_t n, void *ret)
{
    if (is_double(accumulate)) {
        memcpy(ret, values, n * sizeof *values);
    } else if (accumulate == ACCUMULATE_INT32) {
        for (uint64_t i = 0; i < n; i++)
            ((int32_t *)ret)[i] = (int32_t)values[i];
    } else {
        for (uint64_t i = 0; i < n; i++)
            ((float *)ret)[i] = (float)values[i];
    }
}

/* --- roundings --- */

uint64_t sums_steps(const struct sums_request *request)
{
    const uint64_t width = sums_is_every4(request->accumulate) ? EVERY : 1;
    const uint64_t length = sums_slice(request->shape.k, request->n_slices);
    const uint64_t n_slices = quotient_up(request->shape.k, length);
    uint64_t steps = quotient_up(length, width);
    if (request->order == ORDER_SIMD) {
        uint64_t additions = 0;
        for (uint64_t lanes = LANES; lanes > 1; lanes /= 2)
            additions++;
        steps = quotient_up(steps, LANES) + additions;
    } else if (request->order == ORDER_BLOCKED) {
        steps = quotient_up(smaller(length, BLOCK), width) + quotient_up(length, BLOCK) - 1;
    }
    return steps + n_slices - 1;
}

/* --- as some hardware sums it --- */

struct imitation {
    struct product_shape shape;
    const double *a, *b;
    int32_t accumulate;
    double *sums;
    atomic_uint_fast64_t next_row;
};

static double towards_zero(double value)
{
    const float nearest = (float)value;
    return fabs((double)nearest) > fabs(value) ? (double)nextafterf(nearest, 0.0F)
                                               : (double)nearest;
}

static double sum_by_one(const struct imitation *job, const double *a, const double *b)
{
    const bool is_half = job->accumulate == ACCUMULATE_FP16;
    float sum = 0.0F;
    for (uint64_t k = 0; k < job->shape.k; k++) {
        sum = fmaf((float)a[k], (float)b[k], sum);
        sum = is_half ? round_half(sum) : sum;
    }
    return (double)sum;
}

static double sum_by_four(const struct imitation *job, const double *a, const double *b)
{
    const bool is_nearest = job->accumulate == ACCUMULATE_EVERY4_NEAREST;
    double sum = 0.0;
    for (uint64_t k = 0; k < job->shape.k; k++) {
        sum = fma(a[k], b[k], sum);
        if (k % EVERY == EVERY - 1 || k + 1 == job->shape.k)
            sum = is_nearest ? (double)(float)sum : towards_zero(sum);
    }
    return sum;
}

static void imitate_rows(void *context)
{
    struct imitation *job = context;
    const struct product_shape *shape = &job->shape;
    const bool is_by_one = job->accumulate == ACCUMULATE_FP32 || job->accumulate == ACCUMULATE_FP16;
    uint64_t row;
    while ((row = atomic_fetch_add(&job->next_row, 1)) < shape->m) {
        for (uint64_t column = 0; column < shape->n; column++) {
            const double *a = job->a + row * shape->k;
            const double *b = job->b + column * shape->k;
            job->sums[row * shape->n + column] = is_by_one ? sum_by_one(job, a, b)
                                                           : sum_by_four(job, a, b);
        }
    }
}

void imitation_product(const struct product_shape *shape, const double *a, const double *b,
                       int32_t accumulate, double *ret)
{
    struct imitation job = {.shape = *shape, .a = a, .b = b, .accumulate = accumulate, .sums = ret};
    all_cpus_run(imitate_rows, &job, 0);
}
