/*
 * nop.c - the benchmark `nop`: nothing, as often as asked. Plugin side.
 */
#include "plugins/common/cuda/with_cuda.h"

#include <gbrun/gbrun.h>

#ifdef PLUGIN_WITH_CUDA
#include "plugins/common/cuda/cuda_launch.h"
#endif

struct nop {
    const struct gb_host *host;
    const struct params *params; /* there are none */
    const struct backend *backend;
    void *own; /* of the backend, taken from the host */
};

struct backend {
    BACKEND_FUNCTIONS(struct nop);
};

static int32_t run_cpu(const struct nop *nop, const struct gb_queue *queue, uint64_t iterations)
{
    (void)nop;
    (void)queue;
    for (uint64_t i = 0; i < iterations; i++)
        GB_CLOBBER();
    return GB_OK;
}

static const struct backend nop_cpu = {.run = run_cpu};

#ifdef PLUGIN_WITH_CUDA

CUDA_IMAGE(nop_image, "plugins/bench_nop/nop");

struct nop_cuda {
    struct cuda_kernels kernels;
    struct cuda_launch launch;
};

static int32_t create_cuda(struct nop *nop)
{
    return cuda_kernels_open(nop->own, nop->host);
}

static int32_t prepare_cuda(struct nop *nop, const struct gb_queue *queue)
{
    struct nop_cuda *cuda = nop->own;
    (void)queue;
    cuda->launch = (struct cuda_launch){.columns = 1, .threads = 1};
    return cuda_kernels_load(&cuda->kernels, &nop_image, "nop", &cuda->launch.function);
}

static int32_t run_cuda(const struct nop *nop, const struct gb_queue *queue, uint64_t iterations)
{
    const struct nop_cuda *cuda = nop->own;
    return cuda_launch(&cuda->kernels, &cuda->launch, queue, iterations,
                       "launching an empty kernel");
}

static const struct backend nop_cuda = {
    .own_bytes = sizeof(struct nop_cuda),
    .create = create_cuda,
    .prepare = prepare_cuda,
    .run = run_cuda,
    .destroy = cuda_kernels_free,
};

#endif

BACKEND_OPS(struct nop, nop_cpu, nop_cuda, backend_nothing);

static const struct gb_bench_ops ops = {
    .size = sizeof ops,
    .create = backend_create,
    .prepare = backend_prepare,
    .run = backend_run,
    .destroy = backend_destroy,
};

static const struct gb_plugin plugin = {
    GB_PLUGIN(BENCH, "nop", "1.0", "does nothing: the floor of what can be measured"),
    .help = "On the CPU a loop whose body is empty. With iterations = 1 it shows the cost of a "
            "sample without work; with many it shows what the loop adds to each iteration of a "
            "benchmark written the same way.\n\n"
            "On CUDA each iteration launches an empty kernel of one thread: the shortest time that "
            "a kernel can take, and with many iterations how fast kernels follow each other.",
    .devices = PLUGIN_DEVICES,
    .ops = &ops,
};

GB_MODULE(&plugin)
