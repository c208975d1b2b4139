/*
 * padding.h - what the parts of padding share: one case, and what a kind of device does for it.
 * Plugin side.
 */
#pragma once

#include "plan.h"

#include "plugins/common/cuda/with_cuda.h"
#include "plugins/common/verified_sums.h"

#include <gbrun/gbrun.h>
#include <stdbool.h>

struct params {
    int32_t problem;
    int32_t schedule;
    int64_t m, n, k, batch; /* 0: as the problem has it */
    int32_t tile;
    int32_t compile;
};

struct padding {
    const struct gb_host *host;
    const struct params *params;
    const struct backend *backend;
    void *own; /* the backend's; NULL before its create */
    struct batch_shape shape;
    struct verified_array arrays[ARRAYS]; /* X, W and Y, one product after the other */
    double *sums, *sizes;                 /* made by verify: the reference, */
    double *wide_x, *wide_w;              /* and the inputs of one product as it takes them */
};

/* prepare also reports metrics; y may be written until it returns. */
struct backend {
    BACKEND_FUNCTIONS(struct padding);
    bool has_host_memory; /* matrices are filled and read in place */
};

extern const struct backend padding_cpu;
