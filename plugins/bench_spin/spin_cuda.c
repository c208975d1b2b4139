/* spin_cuda.c - see spin.h: a kernel of one thread spins. Plugin side. */
#include "spin.h"

#include "plugins/common/cuda/cuda_image.h"

CUDA_IMAGE(spin_image, "plugins/bench_spin/spin");

struct spin_cuda {
    struct cuda_kernels kernels;
    CUfunction function;
};

static int32_t create(struct spin *spin)
{
    return cuda_kernels_open(spin->own, spin->host);
}

static int32_t prepare(struct spin *spin, const struct gb_queue *queue)
{
    (void)queue;
    struct spin_cuda *cuda = spin->own;
    return cuda_kernels_load(&cuda->kernels, &spin_image, "spin", &cuda->function);
}

static int32_t run_spins(const struct spin *spin, const struct gb_queue *queue, uint64_t n,
                         struct spin_ring *ring)
{
    const struct spin_cuda *cuda = spin->own;
    const struct driver *driver = &cuda->kernels.driver;
    unsigned long long duration_ns = (unsigned long long)spin->params->duration;
    unsigned long long cycles = (unsigned long long)spin->params->cycles;
    void *arguments[] = {&duration_ns, &cycles, &ring};
    CUresult result = CUDA_SUCCESS;
    for (uint64_t i = 0; i < n && result == CUDA_SUCCESS; i++)
        result = driver->launch(cuda->function, 1, 1, 1, 1, 1, 1, 0, queue->native, arguments,
                                NULL);
    return driver_status(driver, spin->host, result, "launching a spin");
}

const struct backend spin_cuda = {
    .own_bytes = sizeof(struct spin_cuda),
    .create = create,
    .prepare = prepare,
    .spin = run_spins,
    .destroy = cuda_kernels_free,
};
