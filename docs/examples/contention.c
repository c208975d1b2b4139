/*
 * contention.c - the cost of contention between threads that count: in one counter, behind a lock,
 * or each in its own, next to those of the others or on a separate cache line.
 */
#include <gbrun/gbrun.h>
#include <pthread.h>

enum { ATOMIC, MUTEX, NEIGHBOURS, PADDED };
static const char *const counters[] = {"atomic", "mutex", "neighbours", "padded"};

struct params {
    int32_t counter;
};

static const struct gb_option options[] = {
    GB_CHOICE(struct params, counter, "atomic", counters, "what the threads count in"),
};

enum { WORDS_APART = 16 }; /* 128 bytes: processors fetch two lines of 64 at a time */

struct bench {
    const struct gb_host *host;
    const struct params *params;
    pthread_mutex_t mutex;
    uint64_t shared; /* atomic, mutex */
    uint64_t n_threads, stride;
    uint64_t *own;   /* of thread i: own[i * stride] */
    uint64_t *asked; /* iterations that thread i was asked for: asked[i * WORDS_APART] */
};

static int32_t create(const struct gb_host *host, const void *params, void **ret_bench)
{
    struct bench *bench = host->allocate(host, sizeof *bench);
    if (bench == NULL)
        return GB_NO_MEMORY;
    bench->host = host;
    bench->params = params;
    pthread_mutex_init(&bench->mutex, NULL);
    *ret_bench = bench;
    return GB_OK;
}

/* From here on it is known how many threads there are. */
static int32_t prepare(void *object, const struct gb_queue *queue)
{
    struct bench *bench = object;
    const struct gb_host *host = bench->host;
    bench->n_threads = GB_THREADS(queue);
    bench->stride = bench->params->counter == NEIGHBOURS ? 1 : WORDS_APART;
    bench->own = host->allocate(host, bench->n_threads * bench->stride * sizeof *bench->own);
    bench->asked = host->allocate(host, bench->n_threads * WORDS_APART * sizeof *bench->asked);
    return bench->own != NULL && bench->asked != NULL ? GB_OK : GB_NO_MEMORY;
}

/* Called by all threads at the same time. */
static int32_t run(void *object, const struct gb_queue *queue, uint64_t iterations)
{
    struct bench *bench = object;
    const uint64_t thread = GB_THREAD(queue);
    volatile uint64_t *own = &bench->own[thread * bench->stride];
    uint64_t i;
    bench->asked[thread * WORDS_APART] += iterations;
    switch (bench->params->counter) {
    case ATOMIC:
        for (i = 0; i < iterations; i++)
            __atomic_fetch_add(&bench->shared, 1, __ATOMIC_RELAXED);
        break;
    case MUTEX:
        for (i = 0; i < iterations; i++) {
            pthread_mutex_lock(&bench->mutex);
            bench->shared++;
            pthread_mutex_unlock(&bench->mutex);
        }
        break;
    default:
        for (i = 0; i < iterations; i++)
            *own = *own + 1;
    }
    return GB_OK;
}

/* What one thread does in an iteration; gbrun adds it up. */
static int32_t work(void *object, struct gb_work *work)
{
    (void)object;
    work->items = 1;
    work->item = "increment";
    return GB_OK;
}

static int32_t verify(void *object, const struct gb_queue *queue)
{
    struct bench *bench = object;
    uint64_t counted = bench->shared;
    uint64_t asked = 0;
    (void)queue;
    for (uint64_t i = 0; i < bench->n_threads; i++) {
        counted += bench->own[i * bench->stride];
        asked += bench->asked[i * WORDS_APART];
    }
    return bench->host->checked(bench->host, "counter", counted == asked,
                                counted == asked ? "" : "increments were lost");
}

static void destroy(void *object)
{
    struct bench *bench = object;
    pthread_mutex_destroy(&bench->mutex);
}

static const struct gb_bench_ops ops = {
    .size = sizeof ops,
    .flags = GB_BENCH_THREADS,
    .create = create,
    .prepare = prepare,
    .run = run,
    .work = work,
    .verify = verify,
    .destroy = destroy,
};

static const struct gb_plugin plugin = {
    GB_PLUGIN(BENCH, "contention", "1.0", "counters that threads share, or do not"),
    GB_OPTIONS(options, struct params),
    .ops = &ops,
};

GB_MODULE(&plugin)
