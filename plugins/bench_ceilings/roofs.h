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
#define ROOFS(X)                                                                                   \
    X(dram_read, LEVEL_DRAM, ACCESS_READ, NUMBER_NONE, UNIT_NONE)                                  \
    X(dram_write, LEVEL_DRAM, ACCESS_WRITE, NUMBER_NONE, UNIT_NONE)                                \
    X(dram_copy, LEVEL_DRAM, ACCESS_COPY, NUMBER_NONE, UNIT_NONE)                                  \
    X(dram_triad, LEVEL_DRAM, ACCESS_TRIAD, NUMBER_NONE, UNIT_NONE)                                \
    X(l3_read, LEVEL_L3, ACCESS_READ, NUMBER_NONE, UNIT_NONE)                                      \
    X(l3_write, LEVEL_L3, ACCESS_WRITE, NUMBER_NONE, UNIT_NONE)                                    \
    X(l3_copy, LEVEL_L3, ACCESS_COPY, NUMBER_NONE, UNIT_NONE)                                      \
    X(l3_triad, LEVEL_L3, ACCESS_TRIAD, NUMBER_NONE, UNIT_NONE)                                    \
    X(l2_read, LEVEL_L2, ACCESS_READ, NUMBER_NONE, UNIT_NONE)                                      \
    X(l2_write, LEVEL_L2, ACCESS_WRITE, NUMBER_NONE, UNIT_NONE)                                    \
    X(l2_copy, LEVEL_L2, ACCESS_COPY, NUMBER_NONE, UNIT_NONE)                                      \
    X(l2_triad, LEVEL_L2, ACCESS_TRIAD, NUMBER_NONE, UNIT_NONE)                                    \
    X(l1_read, LEVEL_L1, ACCESS_READ, NUMBER_NONE, UNIT_NONE)                                      \
    X(l1_write, LEVEL_L1, ACCESS_WRITE, NUMBER_NONE, UNIT_NONE)                                    \
    X(l1_copy, LEVEL_L1, ACCESS_COPY, NUMBER_NONE, UNIT_NONE)                                      \
    X(l1_triad, LEVEL_L1, ACCESS_TRIAD, NUMBER_NONE, UNIT_NONE)                                    \
    X(shared_read, LEVEL_SHARED, ACCESS_READ, NUMBER_NONE, UNIT_NONE)                              \
    X(shared_write, LEVEL_SHARED, ACCESS_WRITE, NUMBER_NONE, UNIT_NONE)                            \
    X(shared_copy, LEVEL_SHARED, ACCESS_COPY, NUMBER_NONE, UNIT_NONE)                              \
    X(shared_triad, LEVEL_SHARED, ACCESS_TRIAD, NUMBER_NONE, UNIT_NONE)                            \
    X(fp64_scalar, LEVEL_NONE, ACCESS_NONE, NUMBER_FP64, UNIT_SCALAR)                              \
    X(fp32_scalar, LEVEL_NONE, ACCESS_NONE, NUMBER_FP32, UNIT_SCALAR)                              \
    X(fp64_fma, LEVEL_NONE, ACCESS_NONE, NUMBER_FP64, UNIT_FMA)                                    \
    X(fp32_fma, LEVEL_NONE, ACCESS_NONE, NUMBER_FP32, UNIT_FMA)                                    \
    X(fp16_fma, LEVEL_NONE, ACCESS_NONE, NUMBER_FP16, UNIT_FMA)                                    \
    X(bf16_fma, LEVEL_NONE, ACCESS_NONE, NUMBER_BF16, UNIT_FMA)                                    \
    X(fp64_tensor, LEVEL_NONE, ACCESS_NONE, NUMBER_FP64, UNIT_TENSOR)                              \
    X(tf32_tensor, LEVEL_NONE, ACCESS_NONE, NUMBER_TF32, UNIT_TENSOR)                              \
    X(fp16_tensor, LEVEL_NONE, ACCESS_NONE, NUMBER_FP16, UNIT_TENSOR)                              \
    X(bf16_tensor, LEVEL_NONE, ACCESS_NONE, NUMBER_BF16, UNIT_TENSOR)                              \
    X(fp8_tensor, LEVEL_NONE, ACCESS_NONE, NUMBER_FP8, UNIT_TENSOR)                                \
    X(int8_tensor, LEVEL_NONE, ACCESS_NONE, NUMBER_INT8, UNIT_TENSOR)

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
