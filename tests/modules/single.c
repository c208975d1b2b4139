/*
 * single.c - well-behaved: a benchmark whose run does one iteration only, in no time. It fails if
 * it is given more, as a host would that lengthens samples until the clock can resolve them.
 */
#include <gbrun/gbrun.h>

static int32_t create(const struct gb_host *host, const void *params, void **ret_bench)
{
    (void)params;
    *ret_bench = (void *)(uintptr_t)host;
    return GB_OK;
}

static int32_t run(void *bench, const struct gb_queue *queue, uint64_t iterations)
{
    const struct gb_host *host = bench;
    (void)queue;
    return iterations == 1 ? GB_OK : host->fail(host, "run was given more than one iteration");
}

static const struct gb_bench_ops ops = {
    .size = sizeof ops, .flags = GB_BENCH_SINGLE, .create = create, .run = run};
static const struct gb_plugin plugin = {.size = sizeof plugin,
                                        .kind = GB_PLUGIN_BENCH,
                                        .id = "single",
                                        .version = "1.0",
                                        .summary = "does one iteration at a time",
                                        .ops = &ops};

GB_MODULE(&plugin)
