/*
 * leak.c - allocates and touches `bytes` of memory with malloc at each call of `where` and never
 * frees it. gbrun must not grow with it: the memory goes when the worker does; where there is too
 * little, the case alone is lost.
 */
#include <gbrun/gbrun.h>
#include <stdlib.h>
#include <string.h>

static const char *const places[] = {"create", "prepare", "run",    "reset",
                                     "verify", "work",    "destroy"};
enum { CREATE, PREPARE, RUN, RESET, VERIFY, WORK, DESTROY };

struct params {
    int32_t where;
    uint64_t bytes;
};

static const struct gb_option options[] = {
    GB_CHOICE(struct params, where, "prepare", places, "the callback that misbehaves"),
    GB_BYTES(struct params, bytes, "1GiB", "1:", "memory lost at each call"),
};

struct bench {
    const struct gb_host *host;
    struct params params;
};

static int32_t act(struct bench *bench, int32_t where)
{
    char *volatile lost;
    if (where != bench->params.where)
        return GB_OK;
    lost = malloc(bench->params.bytes);
    if (!lost)
        return GB_NO_MEMORY;
    memset(lost, 1, bench->params.bytes);
    GB_KEEP(lost); /* or the compiler leaves out what nobody reads */
    return GB_OK;  /* NOLINT(clang-analyzer-unix.Malloc): on purpose */
}

static int32_t create(const struct gb_host *host, const void *params, void **ret_bench)
{
    struct bench *bench = calloc(1, sizeof *bench);
    int32_t status;
    if (!bench)
        return GB_NO_MEMORY;
    bench->host = host;
    bench->params = *(const struct params *)params;
    status = act(bench, CREATE);
    if (status != GB_OK)
        free(bench);
    else
        *ret_bench = bench;
    return status;
}

static int32_t prepare(void *bench, const struct gb_queue *queue)
{
    (void)queue;
    return act(bench, PREPARE);
}

static int32_t run(void *bench, const struct gb_queue *queue, uint64_t iterations)
{
    (void)queue;
    (void)iterations;
    return act(bench, RUN);
}

static int32_t reset(void *bench, const struct gb_queue *queue)
{
    (void)queue;
    return act(bench, RESET);
}

static int32_t verify(void *bench, const struct gb_queue *queue)
{
    (void)queue;
    return act(bench, VERIFY);
}

static int32_t work(void *bench, struct gb_work *work)
{
    work->items = 1;
    return act(bench, WORK);
}

static void destroy(void *bench)
{
    if (bench)
        act(bench, DESTROY);
    free(bench);
}

static const struct gb_bench_ops ops = {
    .size = sizeof ops,
    .create = create,
    .prepare = prepare,
    .run = run,
    .reset = reset,
    .verify = verify,
    .work = work,
    .destroy = destroy,
};

static const struct gb_plugin plugin = {
    .size = sizeof plugin,
    .kind = GB_PLUGIN_BENCH,
    .id = "leak",
    .version = "1.0",
    .summary = "never frees its memory",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .params_size = sizeof(struct params),
    .ops = &ops,
};
static const struct gb_plugin *const plugins[] = {&plugin};
static const struct gb_module module = {
    .size = sizeof module,
    .abi_major = GB_ABI_MAJOR,
    .abi_minor = GB_ABI_MINOR,
    .n_plugins = 1,
    .plugins = plugins,
};

const struct gb_module *gb_module_v1(void)
{
    return &module;
}
