/*
 * simd.h - vectors of the compiler, and functions compiled for processors that may not be there.
 * Plugin side.
 */
#pragma once

#include <stdbool.h>

/* Declares vectors: `VECTOR_OF(float, 32) x` has 32 bytes. Where the processor has none of that
 * length the compiler splits them. */
#define VECTOR_OF(element, bytes) element __attribute__((vector_size(bytes)))

/* The same in memory, where tiles begin anywhere: `UNALIGNED(float, 32) *at`, and at[i].vector. */
#define UNALIGNED(element, bytes)                                                                  \
    struct __attribute__((packed, may_alias)) {                                                    \
        VECTOR_OF(element, bytes) vector;                                                          \
    }

/* Code that is written once and compiled for several processors, inlined into a function for each.
 */
#define EVERYWHERE static inline __attribute__((always_inline))

#ifdef __x86_64__
#define FOR_AVX2 __attribute__((target("avx2,fma")))
#define FOR_AVX512 __attribute__((target("avx512f,avx2,fma")))
static inline bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
static inline bool has_avx512(void)
{
    return has_avx2() && __builtin_cpu_supports("avx512f");
}
#else
#define FOR_AVX2
#define FOR_AVX512
static inline bool has_avx2(void)
{
    return false;
}
static inline bool has_avx512(void)
{
    return false;
}
#endif
