/* rates.c - see rates.h. Plugin side. */
#include "rates.h"

#include "plugins/common/simd.h"
#include "roofs.h"

#include <gbrun/bench.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

/* Ten chains are enough for four steps of latency on two units (x86), twenty for four units, where
 * there are as many registers. */
#define TEN(DO, f, h)                                                                              \
    DO(0, f, h)                                                                                    \
    DO(1, f, h)                                                                                    \
    DO(2, f, h) DO(3, f, h) DO(4, f, h) DO(5, f, h) DO(6, f, h) DO(7, f, h) DO(8, f, h) DO(9, f, h)
#define SIXTEEN(DO, f, h)                                                                          \
    TEN(DO, f, h) DO(10, f, h) DO(11, f, h) DO(12, f, h) DO(13, f, h) DO(14, f, h) DO(15, f, h)
#define TWENTY(DO, f, h) SIXTEEN(DO, f, h) DO(16, f, h) DO(17, f, h) DO(18, f, h) DO(19, f, h)
#if defined(__x86_64__)
enum { PORTABLE_CHAINS = 10 };
#define PORTABLE TEN
#else
enum { PORTABLE_CHAINS = 20 };
#define PORTABLE TWENTY
#endif

/* Said in so many words where it can be: whether the compiler fuses x a + b depends on how it is
 * called, too. Where the processor cannot, it does not. */
#define FUSE_SCALAR_DOUBLE(x, a, b) __builtin_fma(x, a, b)
#define FUSE_SCALAR_FLOAT(x, a, b) __builtin_fmaf(x, a, b)
#define MULTIPLY_ADD(x, a, b) ((x) * (a) + (b))
#if defined(__aarch64__)
#define PORTABLE_IS_FUSED true
#define PORTABLE_SCALAR_DOUBLE FUSE_SCALAR_DOUBLE
#define PORTABLE_SCALAR_FLOAT FUSE_SCALAR_FLOAT
#define PORTABLE_DOUBLE(x, a, b) vfmaq_f64(b, x, a)
#define PORTABLE_FLOAT(x, a, b) vfmaq_f32(b, x, a)
#elif defined(__FMA__)
#define PORTABLE_IS_FUSED true
#define PORTABLE_SCALAR_DOUBLE FUSE_SCALAR_DOUBLE
#define PORTABLE_SCALAR_FLOAT FUSE_SCALAR_FLOAT
#define PORTABLE_DOUBLE _mm_fmadd_pd
#define PORTABLE_FLOAT _mm_fmadd_ps
#else
#ifdef __FP_FAST_FMA
#define PORTABLE_IS_FUSED true
#else
#define PORTABLE_IS_FUSED false
#endif
#define PORTABLE_SCALAR_DOUBLE MULTIPLY_ADD
#define PORTABLE_SCALAR_FLOAT MULTIPLY_ADD
#define PORTABLE_DOUBLE MULTIPLY_ADD
#define PORTABLE_FLOAT MULTIPLY_ADD
#endif

/* Chains of one processor and type; numbers: a vector of elements, or an element. CHAINS writes DO
 * for each chain, with FUSE and HOLD, which keeps the compiler from making vectors of scalars.
 * Chains are variables of their own, since an array may be kept in memory. */
#define LOAD(j, f, h)                                                                              \
    numbers x##j;                                                                                  \
    memcpy(&x##j, (const char *)start + (j) * sizeof x##j, sizeof x##j);
#define FIRST(j, FUSE, HOLD)                                                                       \
    x##j = FUSE(x##j, a, b);                                                                       \
    HOLD(x##j);
#define SECOND(j, FUSE, HOLD)                                                                      \
    x##j = FUSE(x##j, c, d);                                                                       \
    HOLD(x##j);
#define STORE(j, f, h) memcpy((char *)end + (j) * sizeof x##j, &x##j, sizeof x##j);
#define RATE(name, TARGET, element, NUMBERS, CHAINS, FUSE, HOLD)                                   \
    static TARGET void name(const struct rate_constants *constants, const void *start, void *end,  \
                            uint64_t n_steps)                                                      \
    {                                                                                              \
        typedef NUMBERS numbers;                                                                   \
        const numbers zero = {0};                                                                  \
        const numbers a = zero + (element)constants->a;                                            \
        const numbers b = zero + (element)constants->b;                                            \
        const numbers c = zero + (element)constants->c;                                            \
        const numbers d = zero + (element)constants->d;                                            \
        CHAINS(LOAD, FUSE, HOLD);                                                                  \
        /* Counting the steps takes a unit from the chains: seldom, then. */                       \
        _Pragma("GCC unroll 8") for (uint64_t i = 0; i < n_steps; i += 2)                          \
        {                                                                                          \
            CHAINS(FIRST, FUSE, HOLD);                                                             \
            CHAINS(SECOND, FUSE, HOLD);                                                            \
        }                                                                                          \
        CHAINS(STORE, FUSE, HOLD);                                                                 \
    }
#define FREE(x) (void)0

RATE(scalar_double, , double, double, PORTABLE, PORTABLE_SCALAR_DOUBLE, GB_ROUND)
RATE(scalar_float, , float, float, PORTABLE, PORTABLE_SCALAR_FLOAT, GB_ROUND)
RATE(vector_double, , double, VECTOR_OF(double, 16), PORTABLE, PORTABLE_DOUBLE, FREE)
RATE(vector_float, , float, VECTOR_OF(float, 16), PORTABLE, PORTABLE_FLOAT, FREE)

#ifdef __x86_64__
enum { FUSED_CHAINS = 10, WIDE_CHAINS = 16 };

RATE(fused_double, FOR_AVX2, double, double, TEN, FUSE_SCALAR_DOUBLE, GB_ROUND)
RATE(fused_float, FOR_AVX2, float, float, TEN, FUSE_SCALAR_FLOAT, GB_ROUND)
RATE(avx2_double, FOR_AVX2, double, VECTOR_OF(double, 32), TEN, _mm256_fmadd_pd, FREE)
RATE(avx2_float, FOR_AVX2, float, VECTOR_OF(float, 32), TEN, _mm256_fmadd_ps, FREE)
RATE(avx512_double, FOR_AVX512, double, VECTOR_OF(double, 64), SIXTEEN, _mm512_fmadd_pd, FREE)
RATE(avx512_float, FOR_AVX512, float, VECTOR_OF(float, 64), SIXTEEN, _mm512_fmadd_ps, FREE)
#endif

#ifdef __aarch64__
/* Twenty chains of vectors of whatever length SVE has, in z0 to z19; the constants in z20 to z23.
 */
#define SVE_LOAD(j, f, h) "ldr z" #j ", [%[start], #" #j ", mul vl]\n"
#define SVE_STORE(j, f, h) "str z" #j ", [%[end], #" #j ", mul vl]\n"
#define SVE_CHAINS(name, type)                                                                     \
    static void name(const struct rate_constants *constants, const void *start, void *end,         \
                     uint64_t n_steps)                                                             \
    {                                                                                              \
        const type factors[4] = {(type)constants->a, (type)constants->b, (type)constants->c,       \
                                 (type)constants->d};                                              \
        uint64_t n = n_steps / 2;                                                                  \
        __asm__ volatile(                                                                          \
            SVE_BEGIN SVE_SPLAT_##type TWENTY(SVE_LOAD, , ) "1:\n" TWENTY(SVE_FIRST_##type, , )    \
                TWENTY(SVE_SECOND_##type, , ) "subs %[n], %[n], #1\n b.ne 1b\n" TWENTY(SVE_STORE,  \
                                                                                       , )         \
            : [n] "+r"(n)                                                                          \
            : [start] "r"(start), [end] "r"(end), [factors] "r"(factors)                           \
            : SVE_CLOBBERED);                                                                      \
    }
#define SVE_SPLAT_double                                                                           \
    "ld1rd {z20.d}, p0/z, [%[factors]]\n ld1rd {z21.d}, p0/z, [%[factors], #8]\n"                  \
    "ld1rd {z22.d}, p0/z, [%[factors], #16]\n ld1rd {z23.d}, p0/z, [%[factors], #24]\n"
#define SVE_SPLAT_float                                                                            \
    "ptrue p0.s\n ld1rw {z20.s}, p0/z, [%[factors]]\n ld1rw {z21.s}, p0/z, [%[factors], #4]\n"     \
    "ld1rw {z22.s}, p0/z, [%[factors], #8]\n ld1rw {z23.s}, p0/z, [%[factors], #12]\n"
#define SVE_FIRST_double(j, f, h) "fmad z" #j ".d, p0/m, z20.d, z21.d\n"
#define SVE_SECOND_double(j, f, h) "fmad z" #j ".d, p0/m, z22.d, z23.d\n"
#define SVE_FIRST_float(j, f, h) "fmad z" #j ".s, p0/m, z20.s, z21.s\n"
#define SVE_SECOND_float(j, f, h) "fmad z" #j ".s, p0/m, z22.s, z23.s\n"
SVE_CHAINS(sve_double, double)
SVE_CHAINS(sve_float, float)
#endif

static bool always(void)
{
    return true;
}

/* The first that fits is the best. */
const struct rate_way rate_ways[] = {
#ifdef __x86_64__
    {"avx512", NUMBER_FP64, UNIT_FMA, WIDE_CHAINS * 8, true, has_avx512, avx512_double},
    {"avx512", NUMBER_FP32, UNIT_FMA, WIDE_CHAINS * 16, true, has_avx512, avx512_float},
    {"avx2", NUMBER_FP64, UNIT_FMA, FUSED_CHAINS * 4, true, has_avx2, avx2_double},
    {"avx2", NUMBER_FP32, UNIT_FMA, FUSED_CHAINS * 8, true, has_avx2, avx2_float},
    {"fma", NUMBER_FP64, UNIT_SCALAR, FUSED_CHAINS, true, has_avx2, fused_double},
    {"fma", NUMBER_FP32, UNIT_SCALAR, FUSED_CHAINS, true, has_avx2, fused_float},
#elif defined(__aarch64__)
    {"sve512", NUMBER_FP64, UNIT_FMA, PORTABLE_CHAINS * 8, true, has_sve512, sve_double},
    {"sve512", NUMBER_FP32, UNIT_FMA, PORTABLE_CHAINS * 16, true, has_sve512, sve_float},
    {"sve256", NUMBER_FP64, UNIT_FMA, PORTABLE_CHAINS * 4, true, has_sve256, sve_double},
    {"sve256", NUMBER_FP32, UNIT_FMA, PORTABLE_CHAINS * 8, true, has_sve256, sve_float},
#endif
    {"portable", NUMBER_FP64, UNIT_FMA, PORTABLE_CHAINS * 2, PORTABLE_IS_FUSED, always,
     vector_double},
    {"portable", NUMBER_FP32, UNIT_FMA, PORTABLE_CHAINS * 4, PORTABLE_IS_FUSED, always,
     vector_float},
    {"portable", NUMBER_FP64, UNIT_SCALAR, PORTABLE_CHAINS, PORTABLE_IS_FUSED, always,
     scalar_double},
    {"portable", NUMBER_FP32, UNIT_SCALAR, PORTABLE_CHAINS, PORTABLE_IS_FUSED, always,
     scalar_float},
};
const uint32_t n_rate_ways = sizeof rate_ways / sizeof rate_ways[0];

const struct rate_way *rate_way_here(int32_t number, int32_t unit)
{
    for (uint32_t i = 0; i < n_rate_ways; i++) {
        const struct rate_way *way = &rate_ways[i];
        if (way->number == number && way->unit == unit && way->is_here())
            return way;
    }
    return NULL;
}

/* --- what comes out --- */

double rate_round(double value, int digits)
{
    int exponent = 0;
    if (digits == 53)
        return value;
    if (digits == 24)
        return (double)(float)value;
    frexp(value, &exponent);
    return ldexp(rint(ldexp(value, digits - exponent)), exponent - digits);
}

/* The golden ratio's digits; d makes x drift upwards, slowly. */
struct rate_constants rate_constants_for(int digits)
{
    const double a = rate_round(0.61803398874989485, digits);
    const double b = rate_round(0.48683298050513800, digits);
    const double drift = digits >= 24 ? 0x1p-16 : 0.0;
    return (struct rate_constants){a, b, rate_round(1.0 / a, digits),
                                   rate_round(drift - b / a, digits)};
}

/* Below 53 bits a fused step is exact in float64 but for its last digits: the product has twice the
 * bits of a number, and what is added is of the same size. */
static double step(double x, double factor, double term, int digits, bool is_fused)
{
    if (digits == 53)
        return is_fused ? fma(x, factor, term) : rate_round(x * factor, 53) + term;
    return is_fused ? rate_round(fma(x, factor, term), digits)
                    : rate_round(rate_round(x * factor, digits) + term, digits);
}

double rate_end(double x, uint64_t n_steps, int digits, bool is_fused)
{
    const struct rate_constants constants = rate_constants_for(digits);
    for (uint64_t i = 0; i < n_steps; i += 2) {
        x = step(x, constants.a, constants.b, digits, is_fused);
        x = step(x, constants.c, constants.d, digits, is_fused);
    }
    return x;
}
