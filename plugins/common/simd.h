/*
 * simd.h - vectors of the compiler, and functions compiled for processors that may not be there.
 * Plugin side.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#ifdef __aarch64__
#include <sys/auxv.h>
#endif

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

/* Of AArch64, whose compilers need to be given a length for vectors of SVE as types: such code is
 * written in assembly, after SVE_BEGIN, which makes p0 select all of a vector's doublewords. */
#ifdef __aarch64__
#define SVE_BEGIN ".arch_extension sve\n ptrue p0.d\n"
#define SVE_CLOBBERED                                                                              \
    "p0", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13",  \
        "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", \
        "v27", "cc", "memory"
static inline bool has_sve_of(uint64_t bytes)
{
    const unsigned long hwcap_sve = 1ul << 22;
    uint64_t length = 0;
    if ((getauxval(AT_HWCAP) & hwcap_sve) != 0)
        __asm__(".arch_extension sve\n rdvl %0, #1" : "=r"(length));
    return length == bytes;
}
static inline bool has_sve256(void)
{
    return has_sve_of(32);
}
static inline bool has_sve512(void)
{
    return has_sve_of(64);
}
#endif
