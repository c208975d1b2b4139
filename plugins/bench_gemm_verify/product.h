/* product.h - C = A B as all parts of gemm_verify see it. Plugin side. */
#pragma once

#include "plugins/common/simd.h"

#include <stdint.h>

/* A is m x k, B is k x n, C is m x n. */
struct product_shape {
    uint64_t m, n, k;
};
