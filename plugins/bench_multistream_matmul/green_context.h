/*
 * green_context.h - a context with some of a device's multiprocessors only. Plugin side.
 */
#pragma once

#include "plugins/common/cuda/cuda_driver.h"

struct green_context {
    void *handle;      /* CUgreenCtx; NULL: there is none */
    CUcontext context; /* to be made current; what is made there must be destroyed before it */
    uint32_t n_units;  /* multiprocessors it was given, at least as many as were asked for */
};

/*
 * Makes one on the device of the current context, which it leaves current. GB_SKIPPED where the
 * driver or the device cannot do it, with the reason reported to the host.
 */
int32_t green_context_make(const struct driver *driver, const struct gb_host *host,
                           uint32_t n_units, struct green_context *ret);

/* Allowed where none was made. */
void green_context_destroy(const struct driver *driver, struct green_context *green);
