/*
 * convolution.h - what the parts of the benchmark `convolution` share: one case, and what a kind of
 * device does for it. Plugin side.
 */
#pragma once

#include "window.h"

#include "plugins/common/cuda/with_cuda.h"
#include "plugins/common/verified_sums.h"

#include <gbrun/gbrun.h>

enum { DTYPE_FP32, DTYPE_FP16, DTYPE_BF16, DTYPES };
enum { LAYOUT_NCHW, LAYOUT_NHWC };
enum { METHOD_DIRECT, METHOD_IMPLICIT_GEMM };

struct params {
    int64_t n, c, h, w, k, r, s, stride, pad, dilation, groups;
    int32_t layout;
    int32_t dtype;
    int32_t direction;
    int32_t method;
    const char *range;
    int32_t integral;
};

struct convolution {
    const struct gb_host *host;
    const struct params *params;
    const struct backend *backend;
    void *own; /* the backend's; NULL before its create */
    struct window_shape shape;
    struct product_view view;
    struct range range;
    const struct gb_formats *formats;
    const struct gb_format *format;       /* of all arrays, */
    struct verified_array arrays[ARRAYS]; /*   which are what they are in the product */
    uint64_t n_roundings; /* of a product on its way into its sum; set by the backend */
    struct verification *verification;
};

/* Sums are kept in fp32. */
struct backend {
    BACKEND_FUNCTIONS(struct convolution);
};

extern const struct backend convolution_cpu;
