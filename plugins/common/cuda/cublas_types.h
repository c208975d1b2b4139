/*
 * cublas_types.h - the types of products that cuBLAS computes, as the numbers of its headers, which
 * are not needed. Plugin side.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { CUBLAS_DEFAULT_ALGORITHM = -1 };

/* cudaDataType */
enum {
    REAL_32F = 0,
    REAL_64F = 1,
    REAL_16F = 2,
    REAL_8I = 3,
    REAL_32I = 10,
    REAL_16BF = 14,
    REAL_8F_E4M3 = 28
};

/* cublasComputeType_t */
enum {
    COMPUTE_16F = 64,
    COMPUTE_32F = 68,
    COMPUTE_32F_PEDANTIC = 69,
    COMPUTE_64F = 70,
    COMPUTE_32I = 72,
    COMPUTE_32F_FAST_TF32 = 77
};

/* Does this cublasStatus_t say that there is no such product on this device? */
static inline bool cublas_lacks(int result)
{
    enum { INVALID_VALUE = 7, ARCHITECTURE_MISMATCH = 8, NOT_SUPPORTED = 15 };
    return result == NOT_SUPPORTED || result == INVALID_VALUE || result == ARCHITECTURE_MISMATCH;
}

/* 1 or 0 in the type of the sums. */
static inline const void *cublas_scalar(int compute, bool is_one)
{
    static const uint16_t halves[] = {0, 0x3c00};
    static const float floats[] = {0.0f, 1.0f};
    static const double doubles[] = {0.0, 1.0};
    static const int32_t integers[] = {0, 1};
    return compute == COMPUTE_16F   ? (const void *)&halves[is_one]
           : compute == COMPUTE_64F ? (const void *)&doubles[is_one]
           : compute == COMPUTE_32I ? (const void *)&integers[is_one]
                                    : (const void *)&floats[is_one];
}
