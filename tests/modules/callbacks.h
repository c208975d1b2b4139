/*
 * callbacks.h - a benchmark each of whose callbacks does nothing but act(bench, WHERE), as a
 * module. Included at the end of a file that has defined
 *   struct params, table `options`, struct bench with members host and params,
 *   static int32_t act(struct bench *bench, int32_t where),
 *   MODULE_ID and MODULE_SUMMARY,
 *   and, if it has a verify() of its own, MODULE_HAS_VERIFY.
 */
#include "tests/modules/places.h"

#include <stdlib.h>

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

#ifndef MODULE_HAS_VERIFY
static int32_t verify(void *bench, const struct gb_queue *queue)
{
    (void)queue;
    return act(bench, VERIFY);
}
#endif

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
    .id = MODULE_ID,
    .version = "1.0",
    .summary = MODULE_SUMMARY,
    GB_OPTIONS(options, struct params),
    .ops = &ops,
};

GB_MODULE(&plugin)
