/* blas.h - products by cuBLAS, opened when it is needed; no header of it is. Plugin side. */
#ifndef GBRUN_PLUGINS_GEMM_VERIFY_BLAS_H
#define GBRUN_PLUGINS_GEMM_VERIFY_BLAS_H

#include "gemm.h"

struct blas_functions;

/* Zero-initialize; free with blas_free. */
struct blas {
    const struct blas_functions *functions;
    void *handle;
};

/* Finds the library; GB_SKIPPED, with a reason, where it is not installed. */
int32_t blas_open(struct blas *blas, const struct gemm *gemm);

/* Makes a handle in the current context, for work on `stream`. */
int32_t blas_start(struct blas *blas, const struct gb_host *host, void *stream);

/* GB_SKIPPED, with a reason, if cuBLAS has no product with these inputs and sums. */
int32_t blas_refuse(const struct gemm *gemm);

/*
 * Enqueues the product. is_wide: C is fp32 also where the output of the case has fewer bits. What
 * cuBLAS does not support is GB_SKIPPED, other failures are GB_FAILED, both told to the host.
 */
int32_t blas_product(const struct blas *blas, const struct gemm *gemm, bool is_wide, void *c);

void blas_free(struct blas *blas);

#endif
