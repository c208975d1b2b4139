/*
 * giver.c - gives samples of its own: each of its threads the values 1 to 1000 over and over, in an
 * order that looks independent, n of them an iteration, in us; and the depth 7 once an iteration,
 * which is no time. With collect, a series `collected` from there, as of a device; with reads, what
 * the process has read since the iteration before. In other ways it breaks the rules.
 */
#include "tests/modules/words.h"

#include <gbrun/simple.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { THREADS_MAX = 64, CYCLE = 1000, SCATTER = 387 };
/* nan: every tenth value is none; name, number: of a series; unit: declared twice; many: series;
 * late: in verify; background: by a thread that does not stop before destroy. */
#define FAULTS(X)                                                                                  \
    X(none) X(nan) X(negative) X(name) X(unit) X(many) X(number) X(nothing) X(late) X(background)
static const char *const faults[] = {FAULTS(WORD)};
enum { FAULTS(WORD_NUMBER) };

struct giver {
    int64_t n, threads;
    int32_t fault, collects, reads;
    const struct gb_host *host;
    uint32_t latency, depth, collected, read;
    uint64_t n_runs, n_read;
    pthread_t background;
    int32_t is_in_background;
    atomic_int stops;
};

static const struct gb_option options[] = {
    GB_INT(struct giver, n, "1000", "0:", "values", "of each thread, an iteration"),
    GB_INT(struct giver, threads, "0", "0:64", "threads", "made by run; 0: itself"),
    GB_CHOICE(struct giver, fault, "none", faults, "which rule it breaks"),
    GB_BOOL(struct giver, collects, "no", "gives a series in collect"),
    GB_BOOL(struct giver, reads, "no", "gives a series of what was read"),
};

static double value_of(const struct giver *giver, uint64_t i)
{
    if (giver->fault == IS_nan && i % 10 == 0)
        return i % 20 == 0 ? (double)NAN : (double)INFINITY;
    return (giver->fault == IS_negative ? -1.0 : 1.0) * (double)(i * SCATTER % CYCLE + 1);
}

static void *give(void *object)
{
    const struct giver *giver = object;
    const uint32_t series = giver->fault == IS_number ? 99 : giver->latency;
    for (uint64_t i = 0; i < (uint64_t)giver->n; i++)
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

GB_UNTIMED(prepare, struct giver, giver)
{
    const struct gb_host *host = giver->host;
    const int32_t fault = giver->fault;
    giver->latency = host->series(host, fault == IS_name ? "Laten cy" : "latency", "us");
    giver->depth = host->series(host, "depth", "1");
    if (giver->collects)
        giver->collected = host->series(host, "collected", "ns");
    if (giver->reads)
        giver->read = host->series(host, "read", "ns"); /* bytes, as only times are measured */
    if (fault == IS_unit && host->series(host, "latency", "ms") != 0)
        return host->fail(host, "a second unit was taken");
    if (fault == IS_unit && host->series(host, "latency", "us") != giver->latency)
        return host->fail(host, "the same series has another number");
    for (char name[] = "a"; fault == IS_many && *name <= 'z'; (*name)++)
        host->series(host, name, "ns");
    return GB_OK;
}

static void give_read(struct giver *giver)
{
    unsigned long long n = 0;
    FILE *file = fopen("/proc/self/io", "r");
    if (file && fscanf(file, "rchar: %llu", &n) == 1)
        giver->host->sample(giver->host, giver->read, (double)(n - giver->n_read));
    giver->n_read = n;
    if (file)
        fclose(file);
}

GB_TIMED(run, struct giver, giver)
{
    pthread_t threads[THREADS_MAX];
    int64_t n = 0;
    giver->n_runs++;
    if (giver->fault == IS_nothing)
        return;
    while (n < giver->threads && pthread_create(&threads[n], NULL, give, giver) == 0)
        n++;
    for (int64_t i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    if (giver->threads == 0)
        give(giver);
    giver->host->sample(giver->host, giver->depth, 7);
    if (giver->reads)
        give_read(giver);
    if (giver->fault == IS_background && !giver->is_in_background)
        giver->is_in_background = pthread_create(&giver->background, NULL, give_for_ever, giver) ==
                                  0;
}

GB_UNTIMED(collect, struct giver, giver)
{
    for (; giver->collected != 0 && giver->n_runs > 0; giver->n_runs--)
        giver->host->sample(giver->host, giver->collected, 5);
    giver->n_runs = 0;
    return GB_OK;
}

GB_UNTIMED(verify, struct giver, giver)
{
    if (giver->fault == IS_late)
        give(giver);
    return GB_OK;
}

static void destroy(void *bench)
{
    struct giver *giver = bench;
    atomic_store(&giver->stops, 1);
    if (giver->is_in_background)
        pthread_join(giver->background, NULL);
    if (giver->fault == IS_late)
        give(giver);
}

GB_BENCH_ON("cpu fake", giver, struct giver, options, "gives its own samples", .prepare = prepare,
            .run = run, .verify = verify, .destroy = destroy, .collect = collect)
GB_MODULE(&giver)
