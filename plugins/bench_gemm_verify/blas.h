/* blas.h - products by cuBLAS, in every type that it has. Plugin side. */
#pragma once

#include "gemm.h"
#include "plugins/common/cuda/cublas.h"

/* GB_SKIPPED, with a reason, if cuBLAS has no product with these inputs and sums. */
int32_t blas_refuse(const struct gemm *gemm);

/*
 * Enqueues the product. is_wide: C is fp32 also where the output of the case has fewer bits. What
 * cuBLAS does not support is GB_SKIPPED, other failures are GB_FAILED, both reported to the host.
 */
int32_t blas_product(const struct cublas *cublas, const struct gemm *gemm, bool is_wide, void *c);
