/*
 * roofs.h - the bounds that can be measured, one name each, and what a data sheet says of them.
 * Plugin side.
 */
#pragma once

#include <stdint.h>

enum { LEVEL_NONE, LEVEL_DRAM, LEVEL_L3, LEVEL_L2, LEVEL_L1, LEVEL_SHARED };
enum { ACCESS_NONE, ACCESS_READ, ACCESS_WRITE, ACCESS_COPY, ACCESS_TRIAD };
enum {
    NUMBER_NONE,
    NUMBER_FP64,
    NUMBER_FP32,
    NUMBER_TF32,
    NUMBER_FP16,
    NUMBER_BF16,
    NUMBER_FP8,
    NUMBER_INT8
};
enum { UNIT_NONE, UNIT_SCALAR, UNIT_FMA, UNIT_TENSOR };

/* X(name, level, access, number, unit): a bandwidth has the first two, a rate the last two. */
#define BANDWIDTHS(X, name, level)                                                                 \
    X(name##_read, level, ACCESS_READ, NUMBER_NONE, UNIT_NONE)                                     \
    X(name##_write, level, ACCESS_WRITE, NUMBER_NONE, UNIT_NONE)                                   \
    X(name##_copy, level, ACCESS_COPY, NUMBER_NONE, UNIT_NONE)                                     \
    X(name##_triad, level, ACCESS_TRIAD, NUMBER_NONE, UNIT_NONE)
#define RATE_OF(X, name, number, unit) X(name, LEVEL_NONE, ACCESS_NONE, number, unit)
#define ROOFS(X)                                                                                   \
    BANDWIDTHS(X, dram, LEVEL_DRAM)                                                                \
    BANDWIDTHS(X, l3, LEVEL_L3)                                                                    \
    BANDWIDTHS(X, l2, LEVEL_L2)                                                                    \
    BANDWIDTHS(X, l1, LEVEL_L1)                                                                    \
    BANDWIDTHS(X, shared, LEVEL_SHARED)                                                            \
    RATE_OF(X, fp64_scalar, NUMBER_FP64, UNIT_SCALAR)                                              \
    RATE_OF(X, fp32_scalar, NUMBER_FP32, UNIT_SCALAR)                                              \
    RATE_OF(X, fp64_fma, NUMBER_FP64, UNIT_FMA)                                                    \
    RATE_OF(X, fp32_fma, NUMBER_FP32, UNIT_FMA)                                                    \
    RATE_OF(X, fp16_fma, NUMBER_FP16, UNIT_FMA)                                                    \
    RATE_OF(X, bf16_fma, NUMBER_BF16, UNIT_FMA)                                                    \
    RATE_OF(X, fp64_tensor, NUMBER_FP64, UNIT_TENSOR)                                              \
    RATE_OF(X, tf32_tensor, NUMBER_TF32, UNIT_TENSOR)                                              \
    RATE_OF(X, fp16_tensor, NUMBER_FP16, UNIT_TENSOR)                                              \
    RATE_OF(X, bf16_tensor, NUMBER_BF16, UNIT_TENSOR)                                              \
    RATE_OF(X, fp8_tensor, NUMBER_FP8, UNIT_TENSOR)                                                \
    RATE_OF(X, int8_tensor, NUMBER_INT8, UNIT_TENSOR)

struct roof {
    const char *name;
    int32_t level, access; /* LEVEL_..., ACCESS_... */
    int32_t number, unit;  /* NUMBER_..., UNIT_... */
};

enum {
#define ROOF_COUNT(name, level, access, number, unit) ROOF_##name,
    ROOFS(ROOF_COUNT)
#undef ROOF_COUNT
        N_ROOFS
};

extern const struct roof roofs[N_ROOFS];

/* 1 to 3: of a bandwidth; 0: a rate. */
uint32_t roof_arrays(const struct roof *roof);

/* What the vendor states for the model, in bytes/s or operations/s, dense; 0: not known here. */
double roof_datasheet(const struct roof *roof, const char *model);
