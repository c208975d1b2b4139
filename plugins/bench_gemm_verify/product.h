/* product.h - C = A B as all parts of gemm_verify see it. Plugin side. */
#ifndef GBRUN_PLUGINS_GEMM_VERIFY_PRODUCT_H
#define GBRUN_PLUGINS_GEMM_VERIFY_PRODUCT_H

#include <stdint.h>

/* A is m x k, B is k x n, C is m x n. */
struct product_shape {
    uint64_t m, n, k;
};

/* Code that is written once and compiled for several processors, inlined into a function for each.
 */
#define EVERYWHERE static inline __attribute__((always_inline))

#ifdef __x86_64__
#define FOR_AVX2 __attribute__((target("avx2,fma")))
#define FOR_AVX512 __attribute__((target("avx512f,avx2,fma")))
#define HAS_AVX2() (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
#define HAS_AVX512() (HAS_AVX2() && __builtin_cpu_supports("avx512f"))
#else
#define FOR_AVX2
#define FOR_AVX512
#define HAS_AVX2() 0
#define HAS_AVX512() 0
#endif

#endif
