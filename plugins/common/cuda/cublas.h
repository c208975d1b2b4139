/* cublas.h - cuBLAS, opened when it is needed; no header of it is. Plugin side. */
#pragma once

#include "plugins/common/symbols.h"

#include <gbrun/host.h>

enum { CUBLAS_AS_IT_IS = 0, CUBLAS_TRANSPOSED = 1 }; /* cublasOperation_t */

/* cublasMath_t: single precision throughout; or parts of a sum that is split are added in the type
 * of the sum, not of the output. */
enum { CUBLAS_PEDANTIC_MATH = 2, CUBLAS_FULL_REDUCTION = 16 };

/* As <cublas_v2.h> declares them, with int for its enums. */
int cublasCreate_v2(void **handle);
int cublasDestroy_v2(void *handle);
int cublasSetStream_v2(void *handle, void *stream);
int cublasSetMathMode(void *handle, int mode);
int cublasSgemm_v2(void *handle, int a_operation, int b_operation, int m, int n, int k,
                   const float *alpha, const float *a, int a_length, const float *b, int b_length,
                   const float *beta, float *c, int c_length);
int cublasSgemmStridedBatched(void *handle, int a_operation, int b_operation, int m, int n, int k,
                              const float *alpha, const float *a, int a_length, long long a_stride,
                              const float *b, int b_length, long long b_stride, const float *beta,
                              float *c, int c_length, long long c_stride, int n_products);
int cublasGemmEx(void *handle, int a_operation, int b_operation, int m, int n, int k,
                 const void *alpha, const void *a, int a_type, int a_length, const void *b,
                 int b_type, int b_length, const void *beta, void *c, int c_type, int c_length,
                 int compute_type, int algorithm);

/* X(member, symbol) */
#define CUBLAS_FUNCTIONS(X)                                                                        \
    X(create, cublasCreate_v2)                                                                     \
    X(destroy, cublasDestroy_v2)                                                                   \
    X(set_stream, cublasSetStream_v2)                                                              \
    X(set_math_mode, cublasSetMathMode)                                                            \
    X(multiply, cublasSgemm_v2)                                                                    \
    X(multiply_batch, cublasSgemmStridedBatched)                                                   \
    X(multiply_types, cublasGemmEx)

struct cublas_functions {
    CUBLAS_FUNCTIONS(SYMBOL_MEMBER)
};

/* Zero-initialize; free with cublas_free. */
struct cublas {
    const struct cublas_functions *functions;
    void *handle;
};

/* Finds the library; GB_SKIPPED, with a reason that begins with `asked_by`, where it is not
 * installed. */
int32_t cublas_open(struct cublas *cublas, const struct gb_host *host, const char *asked_by);

/* Likewise the functions of a library, "libcublas" or "libcublasLt". */
int32_t cublas_find(const struct gb_host *host, const char *asked_by, const char *library,
                    const struct symbol *symbols, size_t n);

/* Makes a handle in the current context, for work on `stream` in one of the modes. */
int32_t cublas_start(struct cublas *cublas, const struct gb_host *host, void *stream,
                     int math_mode);

/* GB_OK for a cublasStatus_t of 0; else GB_FAILED, reported to the host with what was being done.
 */
int32_t cublas_status(const struct gb_host *host, int result, const char *doing);

void cublas_free(struct cublas *cublas);
