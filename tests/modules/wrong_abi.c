/*
 * wrong_abi.c - claims ABI major 2 behind the entry of major 1. gbrun must refuse the module and
 * name both numbers.
 */
#include <gbrun/gbrun.h>

static int32_t create(const struct gb_host *host, const void *params, void **ret_bench)
{
    (void)params;
    *ret_bench = host->allocate(host, 8);
    return *ret_bench ? GB_OK : GB_NO_MEMORY;
}

static int32_t run(void *bench, const struct gb_queue *queue, uint64_t iterations)
{
    (void)bench;
    (void)queue;
    (void)iterations;
    return GB_OK;
}

static void destroy(void *bench)
{
    (void)bench;
}

static const struct gb_bench_ops ops = {
    .size = sizeof ops,
    .create = create,
    .run = run,
    .destroy = destroy,
};

static const struct gb_plugin plugin = {
    .size = sizeof plugin,
    .kind = GB_PLUGIN_BENCH,
    .id = "wrong_abi",
    .version = "1.0",
    .summary = "of another ABI",
    .ops = &ops,
};
static const struct gb_plugin *const plugins[] = {&plugin};
static const struct gb_module module = {
    .size = sizeof module,
    .abi_major = 2,
    .abi_minor = GB_ABI_MINOR,
    .n_plugins = 1,
    .plugins = plugins,
};

const struct gb_module *gb_module_v1(void)
{
    return &module;
}
