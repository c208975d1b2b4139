/*
 * cuda_launch.h - a kernel with its grid and its arguments: what most benchmarks run on CUDA.
 * Plugin side.
 */
#pragma once

#include "cuda_image.h"

enum { CUDA_ARGUMENTS_MAX = 8 };

struct cuda_launch {
    CUfunction function;
    unsigned columns, rows, layers; /* blocks of the grid in x, y and z; 0 rows or layers: 1 */
    unsigned threads, shared;       /* of a block; bytes of dynamic shared memory */
    void *arguments[CUDA_ARGUMENTS_MAX];
};

/* [timed] Enqueues n launches; a failure is reported to the host as of `doing`. */
static inline int32_t cuda_launch(const struct cuda_kernels *loaded,
                                  const struct cuda_launch *launch, const struct gb_queue *queue,
                                  uint64_t n, const char *doing)
{
    void **arguments = (void **)(uintptr_t)launch->arguments; /* the driver only reads them */
    const unsigned rows = launch->rows > 0 ? launch->rows : 1;
    const unsigned layers = launch->layers > 0 ? launch->layers : 1;
    CUresult result = CUDA_SUCCESS;
    for (uint64_t i = 0; i < n && result == CUDA_SUCCESS; i++)
        result = loaded->driver.launch(launch->function, launch->columns, rows, layers,
                                       launch->threads, 1, 1, launch->shared, queue->native,
                                       arguments, NULL);
    return driver_status(&loaded->driver, loaded->host, result, doing);
}
