/* sort_ten.c - a function that destroys its input and takes some ten nanoseconds. reset, which is not
 * timed, prepares an array for each of the iterations that follow. */
#include <gbrun/gbrun.h>
#include <string.h>

enum { LENGTH = 10, POOL = 1 << 16 };
struct sort_ten {
    const struct gb_host *host;
    int32_t (*pool)[LENGTH], (*batch)[LENGTH]; /* what is copied; what is sorted */
    uint64_t capacity, n_taken;                /* arrays of the batch; of the pool, in turn */
};

static int32_t create(const struct gb_host *host, const void *params, void **ret_bench)
{
    const struct gb_fill numbers = {sizeof numbers, GB_I32, 0, -1e6, 1e6, 1, 0};
    struct sort_ten *sort = host->allocate(host, sizeof *sort);
    (void)params;
    if (!GB_HAS(host, iterations))
        return host->fail(host, "needs a gbrun that says how many iterations follow");
    if (!sort || !(sort->pool = host->allocate(host, POOL * sizeof *sort->pool)))
        return GB_NO_MEMORY;
    sort->host = host;
    *ret_bench = sort;
    return host->fill(host, sort->pool, (uint64_t)POOL * LENGTH, &numbers);
}
static int32_t reset(void *bench, const struct gb_queue *queue)
{
    struct sort_ten *sort = bench;
    const uint64_t n = sort->host->iterations;
    (void)queue;
    if (n > sort->capacity) { /* gbrun frees the batch before it, too, after destroy */
        sort->batch = sort->host->allocate(sort->host, 2 * n * sizeof *sort->batch);
        sort->capacity = sort->batch ? 2 * n : 0;
    }
    for (uint64_t i = 0; i < n && sort->batch; i++)
        memcpy(sort->batch[i], sort->pool[sort->n_taken++ % POOL], sizeof *sort->batch);
    return sort->batch ? GB_OK : GB_NO_MEMORY;
}
static int32_t run(void *bench, const struct gb_queue *queue, uint64_t iterations) /* timed */
{
    int32_t(*array)[LENGTH] = ((struct sort_ten *)bench)->batch;
    (void)queue;
    for (; iterations > 0; iterations--, array++) {
        for (int i = 1; i < LENGTH; i++) {
            const int32_t value = (*array)[i];
            int j = i;
            for (; j > 0 && (*array)[j - 1] > value; j--)
                (*array)[j] = (*array)[j - 1];
            (*array)[j] = value;
        }
        GB_CLOBBER();
    }
    return GB_OK;
}
static int32_t verify(void *bench, const struct gb_queue *queue) /* every array of the last batch */
{
    const struct sort_ten *sort = bench;
    int32_t is_sorted = 1;
    (void)queue;
    for (uint64_t i = 0; i < sort->host->iterations; i++)
        for (int j = 1; j < LENGTH; j++)
            is_sorted &= sort->batch[i][j - 1] <= sort->batch[i][j];
    return sort->host->checked(sort->host, "sorted", is_sorted, is_sorted ? "" : "not sorted");
}
static const struct gb_bench_ops ops = {.size = sizeof ops, .create = create, .run = run,
    .reset = reset, .verify = verify};
static const struct gb_plugin plugin = {.size = sizeof plugin, .kind = GB_PLUGIN_BENCH,
    .id = "sort_ten", .version = "1.0", .summary = "sorts arrays of ten", .devices = "cpu",
    .ops = &ops};
GB_MODULE(&plugin)
