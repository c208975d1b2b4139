/* cublas_lt.h - products of fp8 matrices, which only cuBLASLt has; opened when it is needed, no
 * header of it is. Plugin side. */
#pragma once

#include <gbrun/host.h>

enum { CUBLAS_LT_WORKSPACE_BYTES = 32 << 20 };

struct cublas_lt_functions;

/* Zero-initialize; free with cublas_lt_free. */
struct cublas_lt {
    const struct cublas_lt_functions *functions;
    void *handle, *product; /* product: what is computed, and how */
    void *inputs, *output;  /* layouts */
};

/* Finds the library; GB_SKIPPED, with a reason that begins with `asked_by`, where it is not
 * installed. */
int32_t cublas_lt_open(struct cublas_lt *lt, const struct gb_host *host, const char *asked_by);

/* For C = A^T B: A and B are size x size of e4m3, by columns, C of bf16; sums are kept the fast
 * way. */
int32_t cublas_lt_start(struct cublas_lt *lt, const struct gb_host *host, uint64_t size);

/* Enqueues the product; GB_SKIPPED if the device has none of this type. */
int32_t cublas_lt_multiply(const struct cublas_lt *lt, const struct gb_host *host, const void *a,
                           const void *b, void *c, void *workspace, void *stream);

void cublas_lt_free(struct cublas_lt *lt);
