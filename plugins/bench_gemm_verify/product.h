/* product.h - C = A B as all parts of gemm_verify see it. Plugin side. */
#ifndef GBRUN_PLUGINS_GEMM_VERIFY_PRODUCT_H
#define GBRUN_PLUGINS_GEMM_VERIFY_PRODUCT_H

#include "plugins/common/simd.h"

#include <stdint.h>

/* A is m x k, B is k x n, C is m x n. */
struct product_shape {
    uint64_t m, n, k;
};

#endif
