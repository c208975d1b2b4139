/*
 * vector.h - four doubles at a time, in the compilers' vector extensions.
 *
 * The same source is compiled for several instruction sets; the result does not depend on which:
 * AVX2 without FMA, as a product fused with a sum rounds differently.
 * Macros, not functions: a vector as a parameter has no ABI on processors without its registers.
 */
#pragma once

#include <stdint.h>
#include <string.h>

enum { LANES = 4 };

typedef double vector_double __attribute__((vector_size(8 * LANES)));
typedef int64_t vector_bits __attribute__((vector_size(8 * LANES)));

#define VECTOR_BITS(v) ((vector_bits)(v))
#define VECTOR_DOUBLE(v) ((vector_double)(v))

/* By lane: mask (-1 or 0, as comparisons give it) ? a : b. */
#define VECTOR_PICK(mask, a, b)                                                                    \
    VECTOR_DOUBLE((VECTOR_BITS(mask) & VECTOR_BITS(a)) | (~VECTOR_BITS(mask) & VECTOR_BITS(b)))
#define VECTOR_ABS(v) VECTOR_DOUBLE(VECTOR_BITS(v) & INT64_MAX)
/* Of the first n lanes, LANES at most; the others are loaded as 0. */
#define VECTOR_LOAD(v, address, n)                                                                 \
    do {                                                                                           \
        if ((n) < LANES)                                                                           \
            memcpy(memset(&(v), 0, sizeof(v)), (address), (n) * sizeof(v)[0]);                     \
        else                                                                                       \
            memcpy(&(v), (address), sizeof(v));                                                    \
    } while (0)
#define VECTOR_STORE(v, address, n)                                                                \
    do {                                                                                           \
        if ((n) < LANES)                                                                           \
            memcpy((address), &(v), (n) * sizeof(v)[0]);                                           \
        else                                                                                       \
            memcpy((address), &(v), sizeof(v));                                                    \
    } while (0)

#define ALWAYS_INLINE __attribute__((always_inline)) static inline

/*
 * Defines `static void name parameters`, which runs body, an ALWAYS_INLINE function defined before,
 * as compiled for the processor it runs on.
 */
#if defined(__x86_64__)
#define VECTOR_DISPATCH(name, body, parameters, arguments)                                         \
    __attribute__((target("avx2"), noinline)) static void name##_avx2 parameters                   \
    {                                                                                              \
        body arguments;                                                                            \
    }                                                                                              \
    static void name parameters                                                                    \
    {                                                                                              \
        if (__builtin_cpu_supports("avx2"))                                                        \
            name##_avx2 arguments;                                                                 \
        else                                                                                       \
            body arguments;                                                                        \
    }
#else
#define VECTOR_DISPATCH(name, body, parameters, arguments)                                         \
    static void name parameters                                                                    \
    {                                                                                              \
        body arguments;                                                                            \
    }
#endif
