/* push.c - times of its own: of each insertion into an array that is copied to twice the room when
 * it is full. Most are cheap, a few take long: percentiles matter, not the mean. */
#define _POSIX_C_SOURCE 200809L
#include <gbrun/gbrun.h>
#include <string.h>
#include <time.h>

enum { FIRST = 64, MOST = 1 << 20 };
struct push {
    const struct gb_host *host;
    uint32_t latency; /* number of the series */
    uint64_t n, capacity;
    int64_t *items, *spare;
};

static int32_t create(const struct gb_host *host, const void *params, void **ret_bench)
{
    struct push *push = host->allocate(host, sizeof *push);
    (void)params;
    if (!GB_HAS(host, sample))
        return host->fail(host, "needs a gbrun that takes samples");
    if (!push || !(push->items = host->allocate(host, MOST * sizeof *push->items)) ||
        !(push->spare = host->allocate(host, MOST * sizeof *push->spare)))
        return GB_NO_MEMORY;
    push->host = host;
    push->latency = host->series(host, "latency", "ns");
    *ret_bench = push;
    return GB_OK;
}
static int32_t reset(void *bench, const struct gb_queue *queue)
{
    struct push *push = bench;
    (void)queue;
    push->n = 0;
    push->capacity = FIRST;
    return GB_OK;
}
static void insert(struct push *push, int64_t value)
{
    if (push->n == push->capacity) {
        int64_t *full = push->items;
        memcpy(push->spare, full, push->n * sizeof *full);
        push->items = push->spare;
        push->spare = full;
        push->capacity *= 2;
    }
    push->items[push->n++] = value;
}
static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}
static int32_t run(void *bench, const struct gb_queue *queue, uint64_t iterations)
{
    struct push *push = bench;
    (void)queue;
    for (; iterations > 0; iterations--) {
        const double begin = now_ns();
        insert(push, (int64_t)iterations);
        push->host->sample(push->host, push->latency, now_ns() - begin);
        if (push->n == MOST)
            reset(bench, queue);
    }
    return GB_OK;
}
static const struct gb_bench_ops ops = {.size = sizeof ops, .create = create, .run = run,
    .reset = reset};
static const struct gb_plugin plugin = {.size = sizeof plugin, .kind = GB_PLUGIN_BENCH,
    .id = "push", .version = "1.0", .summary = "inserts into a growing array", .devices = "cpu",
    .ops = &ops};
GB_MODULE(&plugin)
