/* nop_cuda.c - see nop.h: launches an empty kernel. Plugin side. */
#include "nop.h"

#include "plugins/common/cuda/cuda_image.h"

CUDA_IMAGE(nop_image, "plugins/bench_nop/nop");

struct nop_cuda {
    struct cuda_kernels kernels;
    CUfunction function;
};

static int32_t create(struct nop *nop)
{
    return cuda_kernels_open(nop->own, nop->host);
}

static int32_t prepare(struct nop *nop, const struct gb_queue *queue)
{
    (void)queue;
    struct nop_cuda *cuda = nop->own;
    return cuda_kernels_load(&cuda->kernels, &nop_image, "nop", &cuda->function);
}

static int32_t run(const struct nop *nop, const struct gb_queue *queue, uint64_t iterations)
{
    const struct nop_cuda *cuda = nop->own;
    const struct driver *driver = &cuda->kernels.driver;
    CUresult result = CUDA_SUCCESS;
    for (uint64_t i = 0; i < iterations && result == CUDA_SUCCESS; i++)
        result = driver->launch(cuda->function, 1, 1, 1, 1, 1, 1, 0, queue->native, NULL, NULL);
    return driver_status(driver, nop->host, result, "launching an empty kernel");
}

const struct backend nop_cuda = {
    .own_bytes = sizeof(struct nop_cuda),
    .create = create,
    .prepare = prepare,
    .run = run,
    .destroy = cuda_kernels_free,
};
