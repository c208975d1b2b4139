/*
 * lasting.c - lasts as long as it says, on a device that goes by what it says (`fake` with
 * by_items): `duration` times `kernels` are its items. run does nothing.
 */
#include <gbrun/gbrun.h>

struct params {
    double duration;
    int64_t kernels;
};

static const struct gb_option options[] = {
    GB_DURATION(struct params, duration, "10us", "0:", "what a kernel of it takes"),
    GB_INT(struct params, kernels, "1", "1:", "kernels", "in an iteration"),
};

static int32_t create(const struct gb_host *host, const void *params, void **ret_bench)
{
    (void)host;
    *ret_bench = (void *)(uintptr_t)params;
    return GB_OK;
}

static int32_t run(void *bench, const struct gb_queue *queue, uint64_t iterations)
{
    (void)bench;
    (void)queue;
    (void)iterations;
    return GB_OK;
}

static int32_t work(void *bench, struct gb_work *work)
{
    const struct params *params = bench;
    work->items = params->duration * (double)params->kernels;
    work->item = "ns";
    return GB_OK;
}

static const struct gb_bench_ops ops = {
    .size = sizeof ops, .create = create, .run = run, .work = work};
static const struct gb_plugin plugin = {.size = sizeof plugin,
                                        .kind = GB_PLUGIN_BENCH,
                                        .id = "lasting",
                                        .version = "1.0",
                                        .summary = "says how long it lasts",
                                        GB_OPTIONS(options, struct params),
                                        .ops = &ops};

GB_MODULE(&plugin)
