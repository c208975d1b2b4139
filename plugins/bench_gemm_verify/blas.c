/* blas.c - see blas.h. Plugin side. */
#include "blas.h"

enum { INVALID_VALUE = 7, ARCHITECTURE_MISMATCH = 8, NOT_SUPPORTED = 15 };
enum { DEFAULT_ALGORITHM = -1 };

/* cudaDataType */
enum { REAL_32F = 0, REAL_64F = 1, REAL_16F = 2, REAL_8I = 3, REAL_32I = 10, REAL_16BF = 14 };

/* cublasComputeType_t */
enum {
    COMPUTE_16F = 64,
    COMPUTE_32F = 68,
    COMPUTE_32F_PEDANTIC = 69,
    COMPUTE_64F = 70,
    COMPUTE_32I = 72,
    COMPUTE_32F_FAST_TF32 = 77
};

static const struct {
    int32_t dtype, accumulate;
    int input, output, wide, compute;
} products[] = {
    {DTYPE_FP16, ACCUMULATE_FP32, REAL_16F, REAL_16F, REAL_32F, COMPUTE_32F},
    {DTYPE_FP16, ACCUMULATE_FP16, REAL_16F, REAL_16F, REAL_16F, COMPUTE_16F},
    {DTYPE_BF16, ACCUMULATE_FP32, REAL_16BF, REAL_16BF, REAL_32F, COMPUTE_32F},
    {DTYPE_FP32, ACCUMULATE_FP32, REAL_32F, REAL_32F, REAL_32F, COMPUTE_32F_PEDANTIC},
    {DTYPE_TF32, ACCUMULATE_FP32, REAL_32F, REAL_32F, REAL_32F, COMPUTE_32F_FAST_TF32},
    {DTYPE_FP64, ACCUMULATE_FP64, REAL_64F, REAL_64F, REAL_64F, COMPUTE_64F},
    {DTYPE_INT8, ACCUMULATE_INT32, REAL_8I, REAL_32I, REAL_32I, COMPUTE_32I},
};
enum { N_PRODUCTS = sizeof products / sizeof products[0] };

static size_t product_of(const struct gemm *gemm, int32_t accumulate)
{
    size_t i = 0;
    while (i < N_PRODUCTS &&
           (products[i].dtype != gemm->params->dtype || products[i].accumulate != accumulate))
        i++;
    return i;
}

int32_t blas_refuse(const struct gemm *gemm)
{
    return product_of(gemm, gemm->accumulate) < N_PRODUCTS
               ? GB_OK
               : gemm->host->skip(gemm->host, "cuBLAS is not asked for this type with this "
                                              "accumulate: it has it in other ways only");
}

/* 1 and 0 in the type of the sums. */
static const void *scalar(int compute, bool is_one)
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

/* Matrices by rows are the transposed ones by columns, as cuBLAS has them: C^T = B^T A^T. */
static int enqueue(const struct cublas *cublas, const struct gemm *gemm, size_t product, int c_type,
                   void *c)
{
    const int m = (int)gemm->shape.m;
    const int n = (int)gemm->shape.n;
    const int k = (int)gemm->shape.k;
    const bool is_a_transposed = gemm_is_a_transposed(gemm);
    const bool is_b_transposed = gemm_is_b_transposed(gemm);
    const int type = products[product].input;
    const int compute = products[product].compute;
    return cublas->functions->multiply_types(
        cublas->handle, is_b_transposed ? CUBLAS_TRANSPOSED : CUBLAS_AS_IT_IS,
        is_a_transposed ? CUBLAS_TRANSPOSED : CUBLAS_AS_IT_IS, n, m, k, scalar(compute, true),
        gemm->b, type, is_b_transposed ? k : n, gemm->a, type, is_a_transposed ? m : k,
        scalar(compute, false), c, c_type, n, compute, DEFAULT_ALGORITHM);
}

int32_t blas_product(const struct cublas *cublas, const struct gemm *gemm, bool is_wide, void *c)
{
    /* A reference is kept in what is usual for the type. */
    const int32_t usual = gemm->params->dtype == DTYPE_FP64   ? ACCUMULATE_FP64
                          : gemm->params->dtype == DTYPE_INT8 ? ACCUMULATE_INT32
                                                              : ACCUMULATE_FP32;
    const size_t product = product_of(gemm, is_wide ? usual : gemm->accumulate);
    if (product == N_PRODUCTS)
        return gemm->host->skip(gemm->host, "cuBLAS is not asked for products of this type");
    const int result = enqueue(cublas, gemm, product,
                               is_wide ? products[product].wide : products[product].output, c);
    if (result == NOT_SUPPORTED || result == INVALID_VALUE || result == ARCHITECTURE_MISMATCH)
        return gemm->host->skip(gemm->host, "cuBLAS has no product of this type, shape and layout "
                                            "on this device");
    return cublas_status(gemm->host, result, "launching a product");
}
