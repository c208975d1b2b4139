/*
 * batches.c - well-behaved: run uses up one input an iteration, and reset prepares as many as the
 * host says will be needed. It fails if run gets another number, or if an input is used twice.
 */
#include <gbrun/gbrun.h>

enum { MOST = 1 << 20 };
struct batches {
    const struct gb_host *host;
    uint64_t n_prepared;
    unsigned char is_fresh[MOST];
};

static int32_t create(const struct gb_host *host, const void *params, void **ret_bench)
{
    (void)params;
    if (!GB_HAS(host, iterations))
        return host->fail(host, "the host does not say how many iterations follow");
    struct batches *batches = *ret_bench = host->allocate(host, sizeof *batches);
    if (batches == NULL)
        return GB_NO_MEMORY;
    batches->host = host;
    return GB_OK;
}

static int32_t reset(void *bench, const struct gb_queue *queue)
{
    struct batches *batches = bench;
    (void)queue;
    batches->n_prepared = batches->host->iterations;
    if (batches->n_prepared == 0 || batches->n_prepared > MOST)
        return batches->host->fail(batches->host, "reset: no usable number of iterations");
    for (uint64_t i = 0; i < batches->n_prepared; i++)
        batches->is_fresh[i] = 1;
    return GB_OK;
}

static int32_t run(void *bench, const struct gb_queue *queue, uint64_t iterations)
{
    struct batches *batches = bench;
    (void)queue;
    if (iterations != batches->n_prepared)
        return batches->host->fail(batches->host, "run: not the number of iterations announced");
    for (uint64_t i = 0; i < iterations; i++) {
        if (!batches->is_fresh[i])
            return batches->host->fail(batches->host, "run: an input was used already");
        batches->is_fresh[i] = 0;
        GB_CLOBBER();
    }
    return GB_OK;
}

static int32_t refresh(void *bench, const struct gb_queue *queue, uint64_t set)
{
    struct batches *batches = bench;
    (void)queue, (void)set;
    batches->n_prepared = 0;
    return GB_OK;
}

static int32_t verify(void *bench, const struct gb_queue *queue)
{
    const struct batches *batches = bench;
    (void)queue;
    const int32_t is_right = batches->n_prepared > 0 && !batches->is_fresh[0] &&
                             batches->host->iterations == batches->n_prepared;
    return batches->host->checked(batches->host, "used up", is_right, "");
}

static const struct gb_bench_ops ops = {.size = sizeof ops,
                                        .create = create,
                                        .run = run,
                                        .reset = reset,
                                        .verify = verify,
                                        .refresh = refresh};
static const struct gb_plugin plugin = {
    GB_PLUGIN(BENCH, "batches", "1.0", "uses up one input an iteration"), .devices = "cpu",
    .ops = &ops};

GB_MODULE(&plugin)
