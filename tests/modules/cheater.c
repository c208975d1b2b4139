/*
 * cheater.c - takes the squares of its inputs, or seems to, in the way named by `cheat`: copies the
 * result of its first call; does nothing in every other call; leaves the work to a thread that goes
 * on when run has returned. After many calls its output is right. gbrun must find it out by calls
 * on renewed inputs and outputs.
 */
#include "tests/modules/hurry.h"

#include <gbrun/gbrun.h>
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

enum { N = 256 };

static const char *const cheats[] = {"none", "cached", "skipping", "late"};
enum { NONE, CACHED, SKIPPING, LATE };

struct params {
    int32_t cheat;
    double lasts;
};

static const struct gb_option options[] = {
    GB_CHOICE(struct params, cheat, "none", cheats, "what is done in place of the work"),
    GB_DURATION(struct params, lasts, "0", "0:", "what a call seems to take"),
};

struct bench {
    const struct gb_host *host;
    const struct params *params;
    double input[N], output[N], first[N];
    uint64_t n_calls;
    pthread_t thread;
    int has_thread;
};

static int32_t create(const struct gb_host *host, const void *params, void **ret_bench)
{
    struct bench *bench = host->allocate(host, sizeof *bench);
    if (!bench)
        return GB_NO_MEMORY;
    bench->host = host;
    bench->params = params;
    *ret_bench = bench;
    return GB_OK;
}

static void join(struct bench *bench)
{
    if (bench->has_thread)
        pthread_join(bench->thread, NULL);
    bench->has_thread = 0;
}

static int32_t refresh(void *object, const struct gb_queue *queue, uint64_t set)
{
    struct bench *bench = object;
    const struct gb_fill fill = {
        .size = sizeof fill, .format = GB_F64, .stream = set, .low = -1, .high = 1};
    (void)queue;
    join(bench);
    for (int i = 0; i < N; i++)
        bench->output[i] = (double)NAN;
    return bench->host->fill(bench->host, bench->input, N, &fill);
}

static int32_t prepare(void *object, const struct gb_queue *queue)
{
    return refresh(object, queue, 0);
}

static void square(struct bench *bench)
{
    for (int i = 0; i < N; i++)
        bench->output[i] = bench->input[i] * bench->input[i];
    GB_CLOBBER();
}

static void *square_later(void *object)
{
    const struct timespec until_it_was_read = {0, 20000000};
    nanosleep(&until_it_was_read, NULL);
    square(object);
    return NULL;
}

static void square_or_not(struct bench *bench)
{
    const uint64_t call = bench->n_calls++;
    if (bench->params->cheat == CACHED && call > 0) {
        memcpy(bench->output, bench->first, sizeof bench->output);
    } else if (bench->params->cheat == LATE && call > 0) {
        join(bench);
        bench->has_thread = pthread_create(&bench->thread, NULL, square_later, bench) == 0;
    } else if (bench->params->cheat != SKIPPING || call % 2 == 0) {
        square(bench);
    }
    if (call == 0)
        memcpy(bench->first, bench->output, sizeof bench->output);
}

static int32_t run(void *object, const struct gb_queue *queue, uint64_t iterations)
{
    (void)queue;
    hurry_pass(((struct bench *)object)->params->lasts);
    for (; iterations > 0; iterations--)
        square_or_not(object);
    return GB_OK;
}

static int32_t verify(void *object, const struct gb_queue *queue)
{
    struct bench *bench = object;
    double output[N], reference[N];
    (void)queue;
    memcpy(output, bench->output, sizeof output);
    for (int i = 0; i < N; i++)
        reference[i] = bench->input[i] * bench->input[i];
    const struct gb_check check = {.size = sizeof check,
                                   .format = GB_F64,
                                   .name = "squares",
                                   .n = N,
                                   .output = output,
                                   .reference = reference,
                                   .default_metric = "ulp",
                                   .default_tolerance = 0};
    return bench->host->check(bench->host, &check);
}

static void destroy(void *object)
{
    join(object);
}

static const struct gb_bench_ops ops = {
    .size = sizeof ops,
    .flags = GB_BENCH_SINGLE,
    .create = create,
    .prepare = prepare,
    .run = run,
    .verify = verify,
    .destroy = destroy,
    .refresh = refresh,
};

static const struct gb_plugin plugin = {
    .size = sizeof plugin,
    .kind = GB_PLUGIN_BENCH,
    .id = "cheater",
    .version = "1.0",
    .summary = "takes squares, or seems to",
    GB_OPTIONS(options, struct params),
    .ops = &ops,
};

GB_MODULE(&plugin)
