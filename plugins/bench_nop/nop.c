/*
 * nop.c - the benchmark `nop`: nothing, as often as asked. Plugin side.
 */
#include "nop.h"

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
    .help = "On the CPU a loop whose body is empty. With iterations = 1 it shows what a sample "
            "costs that holds no work; with many it shows what the loop adds to each iteration of "
            "a benchmark that is written the same way.\n\n"
            "On CUDA each iteration launches an empty kernel of one thread: the shortest time that "
            "a kernel can take, and with many iterations how fast kernels follow each other.",
    .devices = PLUGIN_DEVICES,
    .ops = &ops,
};

GB_MODULE(&plugin)
