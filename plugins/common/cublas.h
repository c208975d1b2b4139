/* cublas.h - cuBLAS, opened when it is needed; no header of it is. Plugin side. */
#ifndef GBRUN_PLUGINS_PADDING_CUBLAS_H
#define GBRUN_PLUGINS_PADDING_CUBLAS_H

#include "plan.h"

#include <gbrun/host.h>

struct cublas_functions;

/* Zero-initialize; free with cublas_free. */
struct cublas {
    const struct cublas_functions *functions;
    void *handle;
};

/* Finds the library; GB_SKIPPED, with a reason, where it is not installed. */
int32_t cublas_open(struct cublas *cublas, const struct gb_host *host);

/* Makes a handle in the current context, for work on `stream` in single precision throughout. */
int32_t cublas_start(struct cublas *cublas, const struct gb_host *host, void *stream);

/* Enqueues the products of a shape; GB_FAILED is told to the host. */
int32_t cublas_products(const struct cublas *cublas, const struct gb_host *host,
                        const struct product_shape *shape, const float *x, const float *w,
                        float *y);

void cublas_free(struct cublas *cublas);

#endif
