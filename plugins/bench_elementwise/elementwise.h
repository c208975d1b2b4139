/*
 * elementwise.h - what the benchmark `elementwise` does in the same way on all devices, and what
 * each does in its own way. Plugin side.
 */
#pragma once

#include "reference.h"

#include "plugins/common/cuda/with_cuda.h"

/* In the order of the words in elementwise.c. */
enum { DTYPE_FP32, DTYPE_FP16, DTYPE_BF16, DTYPE_FP64, DTYPES };
enum { BLOCK_DEFAULT = 256, THREADS_DEFAULT = 0 };

struct params {
    int32_t kernel; /* KERNEL_... */
    int32_t dtype;  /* DTYPE_... */
    int64_t n, columns;
    double low, high;
    int64_t block;   /* of CUDA */
    int64_t threads; /* of the CPU; 0: all that it has */
};

struct elementwise {
    const struct gb_host *host;
    const struct params *params;
    const struct backend *backend;
    const struct kernel *kernel;
    const struct gb_formats *formats;
    void *own; /* of the backend, taken from the host */
    uint64_t n, columns, element_bytes;
    uint64_t row;           /* elements that belong together: a row's, an image's */
    uint32_t format;        /* of the inputs and, but for a sum, the output: GB_... */
    uint32_t output_format; /* GB_... */
    uint64_t n_outputs, output_bytes;
    uint64_t sum_depth; /* additions that a term of a sum goes through at most, by the backend */
    void *inputs[2];    /* memory of the device, aligned to 64 bytes; kernel->n_inputs of them */
    void *output;       /* the same */
};

/* prepare sets sum_depth. */
struct backend {
    BACKEND_FUNCTIONS(struct elementwise);
};

extern const struct backend elementwise_cpu;
extern const struct backend elementwise_cuda;
