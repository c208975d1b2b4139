/*
 * giver.c - gives samples of its own: each of its threads the values 1 to 1000 over and over, n of
 * them an iteration, in us; and the depth 7 once an iteration, which is no time. With collect, a
 * series `collected` from there, as of a device. In other ways it breaks the rules.
 */
#define _GNU_SOURCE
#include <gbrun/gbrun.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>

enum { THREADS_MAX = 64, CYCLE = 1000 };
enum {
    FAULT_NONE,
    FAULT_NAN,       /* every tenth value */
    FAULT_NEGATIVE,  /* all values */
    FAULT_NAME,      /* of a series */
    FAULT_UNIT,      /* declared twice */
    FAULT_MANY,      /* series */
    FAULT_NUMBER,    /* of a series */
    FAULT_NOTHING,   /* is given */
    FAULT_LATE,      /* in verify */
    FAULT_BACKGROUND /* by a thread that does not stop before destroy */
};
static const char *const faults[] = {"none", "nan",    "negative", "name", "unit",
                                     "many", "number", "nothing",  "late", "background"};

struct params {
    int64_t n, threads;
    int32_t fault, collects;
};
static const struct gb_option options[] = {
    GB_INT(struct params, n, "1000", "0:", "values", "of each thread, an iteration"),
    GB_INT(struct params, threads, "0", "0:64", "threads", "made by run; 0: itself"),
    GB_CHOICE(struct params, fault, "none", faults, "which rule it breaks"),
    GB_BOOL(struct params, collects, "no", "gives a series in collect"),
};

struct giver {
    const struct gb_host *host;
    const struct params *params;
    uint32_t latency, depth, collected;
    uint64_t n_runs;
    pthread_t background;
    int32_t is_in_background;
    atomic_int stops;
};

static double value_of(const struct giver *giver, uint64_t i)
{
    if (giver->params->fault == FAULT_NAN && i % 10 == 0)
        return i % 20 == 0 ? (double)NAN : (double)INFINITY;
    return (giver->params->fault == FAULT_NEGATIVE ? -1.0 : 1.0) * (double)(i % CYCLE + 1);
}

static void *give(void *object)
{
    const struct giver *giver = object;
    const uint32_t series = giver->params->fault == FAULT_NUMBER ? 99 : giver->latency;
    for (uint64_t i = 0; i < (uint64_t)giver->params->n; i++)
        giver->host->sample(giver->host, series, value_of(giver, i));
    return NULL;
}

static void *give_for_ever(void *object)
{
    struct giver *giver = object;
    while (!atomic_load(&giver->stops))
        give(giver);
    return NULL;
}

static int32_t create(const struct gb_host *host, const void *params, void **ret_bench)
{
    struct giver *giver = host->allocate(host, sizeof *giver);
    if (giver == NULL)
        return GB_NO_MEMORY;
    giver->host = host;
    giver->params = params;
    const int32_t fault = giver->params->fault;
    giver->latency = host->series(host, fault == FAULT_NAME ? "Laten cy" : "latency", "us");
    giver->depth = host->series(host, "depth", "1");
    if (giver->params->collects)
        giver->collected = host->series(host, "collected", "ns");
    if (fault == FAULT_UNIT && host->series(host, "latency", "ms") != 0)
        return host->fail(host, "a second unit was taken");
    if (fault == FAULT_UNIT && host->series(host, "latency", "us") != giver->latency)
        return host->fail(host, "the same series has another number");
    for (char name[] = "a"; fault == FAULT_MANY && *name <= 'z'; (*name)++)
        host->series(host, name, "ns");
    *ret_bench = giver;
    return GB_OK;
}

static int32_t run(void *bench, const struct gb_queue *queue, uint64_t iterations)
{
    struct giver *giver = bench;
    const struct params *params = giver->params;
    (void)queue;
    giver->n_runs += iterations;
    for (; iterations > 0 && params->fault != FAULT_NOTHING; iterations--) {
        pthread_t threads[THREADS_MAX];
        int64_t n = 0;
        while (n < params->threads && pthread_create(&threads[n], NULL, give, giver) == 0)
            n++;
        for (int64_t i = 0; i < n; i++)
            pthread_join(threads[i], NULL);
        if (params->threads == 0)
            give(giver);
        giver->host->sample(giver->host, giver->depth, 7);
    }
    if (params->fault == FAULT_BACKGROUND && !giver->is_in_background)
        giver->is_in_background = pthread_create(&giver->background, NULL, give_for_ever, giver) ==
                                  0;
    return GB_OK;
}

static int32_t collect(void *bench, const struct gb_queue *queue)
{
    struct giver *giver = bench;
    (void)queue;
    for (; giver->collected != 0 && giver->n_runs > 0; giver->n_runs--)
        giver->host->sample(giver->host, giver->collected, 5);
    giver->n_runs = 0;
    return GB_OK;
}

static int32_t verify(void *bench, const struct gb_queue *queue)
{
    struct giver *giver = bench;
    (void)queue;
    if (giver->params->fault == FAULT_LATE)
        give(giver);
    return GB_OK;
}

static void destroy(void *bench)
{
    struct giver *giver = bench;
    atomic_store(&giver->stops, 1);
    if (giver->is_in_background)
        pthread_join(giver->background, NULL);
    if (giver->params->fault == FAULT_LATE)
        give(giver);
}

static const struct gb_bench_ops ops = {.size = sizeof ops,
                                        .create = create,
                                        .run = run,
                                        .verify = verify,
                                        .destroy = destroy,
                                        .collect = collect};
static const struct gb_plugin plugin = {GB_PLUGIN(BENCH, "giver", "1.0", "gives its own samples"),
                                        GB_OPTIONS(options, struct params), .devices = "cpu fake",
                                        .ops = &ops};

GB_MODULE(&plugin)
