/* convolution_cuda.c - convolutions on CUDA: one launch of a kernel each. Plugin side. */
#include "convolution.h"
#include "plugins/common/bench_steps.h"
#include "plugins/common/cuda/cuda_image.h"

#include <stdio.h>

CUDA_IMAGE_AFTER(convolution_image, "plugins/bench_convolution/window.h",
                 "plugins/bench_convolution/convolution");

enum { THREADS = 256, TILE = 16, BLOCKS_MAX = 65535 }; /* the last along rows, and along groups */

struct cuda_convolution {
    struct cuda_kernels kernels;
    CUfunction function;
    unsigned columns, rows; /* of blocks */
    void *arguments[4];
};

static const char *const methods[] = {"direct", "implicit_gemm"};
static const char *const directions[DIRECTIONS] = {"forward", "data", "weights"};
static const char *const dtypes[DTYPES] = {"fp32", "fp16", "bf16"};

static int32_t create(struct convolution *convolution)
{
    struct cuda_convolution *cuda = convolution->own;
    const bool is_direct = convolution->params->method == METHOD_DIRECT;
    const uint64_t rows = (uint64_t)convolution->view.rows;
    const uint64_t columns = (uint64_t)window_count(&convolution->view.columns);
    cuda->rows = (unsigned)quotient_up(rows, is_direct ? 1 : TILE);
    cuda->columns = (unsigned)quotient_up(columns, is_direct ? THREADS : TILE);
    convolution->n_roundings = (uint64_t)window_count(&convolution->view.depth);
    if (cuda->rows > BLOCKS_MAX || convolution->params->groups > BLOCKS_MAX)
        return host_skip(convolution->host, "a GPU has at most %d blocks along channels or groups",
                         BLOCKS_MAX);
    return cuda_kernels_open(&cuda->kernels, convolution->host);
}

static int32_t prepare(struct convolution *convolution, const struct gb_queue *queue)
{
    struct cuda_convolution *cuda = convolution->own;
    const struct params *params = convolution->params;
    char name[48];
    (void)queue;
    cuda->arguments[0] = &convolution->shape;
    for (int i = 0; i < ARRAYS; i++)
        cuda->arguments[1 + i] = &convolution->arrays[i];
    snprintf(name, sizeof name, "%s_%s_%s", methods[params->method], directions[params->direction],
             dtypes[params->dtype]);
    return cuda_kernels_load(&cuda->kernels, &convolution_image, name, &cuda->function);
}

static int32_t run(const struct convolution *convolution, const struct gb_queue *queue,
                   uint64_t iterations)
{
    struct cuda_convolution *cuda = convolution->own;
    const struct driver *driver = &cuda->kernels.driver;
    const unsigned groups = (unsigned)convolution->shape.groups;
    CUresult result = CUDA_SUCCESS;
    for (uint64_t i = 0; result == CUDA_SUCCESS && i < iterations; i++)
        result = driver->launch(cuda->function, cuda->columns, cuda->rows, groups, THREADS, 1, 1, 0,
                                queue->native, cuda->arguments, NULL);
    return driver_status(driver, convolution->host, result, "launching a convolution");
}

const struct backend convolution_cuda = {
    .own_bytes = sizeof(struct cuda_convolution),
    .create = create,
    .prepare = prepare,
    .run = run,
    .destroy = cuda_kernels_free,
};
