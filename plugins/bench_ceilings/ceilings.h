/*
 * ceilings.h - what the parts of ceilings share: one case, and what a kind of device does for it.
 * Plugin side.
 */
#pragma once

#include "roofs.h"

#include "plugins/common/bench_memory.h"
#include "plugins/common/cuda/with_cuda.h"

#include <gbrun/gbrun.h>
#include <stdbool.h>

enum { METHOD_AUTO, METHOD_MMA, METHOD_CUBLAS }; /* in the order of the words in ceilings.c */

struct params {
    int32_t roof;
    int32_t method;
    int64_t threads; /* 0: one for each CPU of the device */
    uint64_t bytes;  /* of all arrays together; 0: as the device's caches ask for */
    int64_t size;    /* of the matrices that cuBLAS multiplies */
};

struct ceilings {
    const struct gb_host *host;
    const struct params *params;
    const struct roof *roof;
    const struct backend *backend;
    void *own; /* the backend's; NULL before its create */

    /* What an iteration does; set by the backend's create. */
    double array_bytes;         /* bandwidths: gone through in each array, all passes together */
    double element_bytes;       /* triad: of a number */
    double flops;               /* rates */
    uint64_t working_set_bytes; /* bandwidths: of all arrays */
};

struct backend {
    BACKEND_FUNCTIONS(struct ceilings);
};

extern const struct backend ceilings_cuda; /* where PLUGIN_WITH_CUDA is defined */

/* Skips the case: "roof = NAME REASON". */
static inline int32_t ceilings_skip(const struct ceilings *ceilings, const char *reason)
{
    return host_skip(ceilings->host, "roof = %s %s", ceilings->roof->name, reason);
}
