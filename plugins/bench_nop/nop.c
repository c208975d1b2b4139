/*
 * nop.c - the benchmark `nop`: nothing, as often as asked. Plugin side.
 */
#include "nop.h"

#include "plugins/common/cuda/with_cuda.h"

#include <gbrun/gbrun.h>

static int32_t run_cpu(const struct nop *nop, const struct gb_queue *queue, uint64_t iterations)
{
    (void)nop;
    (void)queue;
    for (uint64_t i = 0; i < iterations; i++)
        GB_CLOBBER();
    return GB_OK;
}

static const struct backend nop_cpu = {.run = run_cpu};

static int32_t create(const struct gb_host *host, const void *params, void **ret_bench)
{
    (void)params;
    struct nop *nop = host->allocate(host, sizeof *nop);
    if (nop == NULL)
        return GB_NO_MEMORY;
    nop->host = host;
    nop->backend = plugin_backend(host, &nop_cpu, PLUGIN_CUDA(nop_cuda));
    if (nop->backend == NULL)
        return GB_SKIPPED;
    const int32_t status = nop->backend->create != NULL ? nop->backend->create(nop) : GB_OK;
    if (status == GB_OK)
        *ret_bench = nop;
    return status;
}

static int32_t prepare(void *object, const struct gb_queue *queue)
{
    struct nop *nop = object;
    (void)queue;
    return nop->backend->prepare != NULL ? nop->backend->prepare(nop) : GB_OK;
}

static int32_t run(void *object, const struct gb_queue *queue, uint64_t iterations)
{
    const struct nop *nop = object;
    return nop->backend->run(nop, queue, iterations);
}

static void destroy(void *object)
{
    struct nop *nop = object;
    if (nop != NULL && nop->backend->destroy != NULL)
        nop->backend->destroy(nop);
}

static const struct gb_bench_ops ops = {
    .size = sizeof ops,
    .create = create,
    .prepare = prepare,
    .run = run,
    .destroy = destroy,
};

static const struct gb_plugin plugin = {
    .size = sizeof plugin,
    .kind = GB_PLUGIN_BENCH,
    .id = "nop",
    .version = "1.0",
    .summary = "does nothing: the floor of what can be measured",
    .help = "On the CPU a loop whose body is empty. With iterations = 1 it shows what a sample "
            "costs that holds no work; with many it shows what the loop adds to each iteration of "
            "a benchmark that is written the same way.\n\n"
            "On CUDA each iteration launches an empty kernel of one thread: the shortest time that "
            "a kernel can take, and with many iterations how fast kernels follow each other.",
    .devices = PLUGIN_DEVICES,
    .ops = &ops,
};

GB_MODULE(&plugin)
