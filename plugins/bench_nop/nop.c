/*
 * nop.c - the benchmark `nop`: nothing, as often as asked. Plugin side.
 */
#include <gbrun/gbrun.h>

static int32_t create(const struct gb_host *host, const void *params, void **ret_bench)
{
    (void)params;
    *ret_bench = host->allocate(host, 1);
    return *ret_bench != NULL ? GB_OK : GB_NO_MEMORY;
}

static int32_t run(void *bench, const struct gb_queue *queue, uint64_t iterations)
{
    (void)bench;
    (void)queue;
    for (uint64_t i = 0; i < iterations; i++)
        GB_CLOBBER();
    return GB_OK;
}

static const struct gb_bench_ops ops = {
    .size = sizeof ops,
    .create = create,
    .run = run,
};

static const struct gb_plugin plugin = {
    .size = sizeof plugin,
    .kind = GB_PLUGIN_BENCH,
    .id = "nop",
    .version = "1.0",
    .summary = "does nothing: the floor of what can be measured",
    .help = "A loop whose body is empty. With iterations = 1 it shows what a sample costs that "
            "holds no work; with many it shows what the loop adds to each iteration of a benchmark "
            "that is written the same way.",
    .devices = "cpu",
    .ops = &ops,
};

GB_MODULE(&plugin)
