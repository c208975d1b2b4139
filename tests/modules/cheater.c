/*
 * cheater.c - takes the squares of its inputs, or seems to, in the way named by `cheat`: copies the
 * result of its first call; does nothing in every other call; leaves the work to a thread that goes
 * on when run has returned. After many calls its output is right. gbrun must find it out by calls
 * on renewed inputs and outputs.
 */
#include "tests/modules/hurry.h"
#include "tests/modules/words.h"

#include <gbrun/simple.h>
#include <math.h>
#include <pthread.h>
#include <semaphore.h>

enum { N = 256 };

static const char *const cheats[] = {"none", "cached", "skipping", "late"};
enum { NONE, CACHED, SKIPPING, LATE };

struct bench {
    int32_t cheat;
    double lasts;
    const struct gb_host *host;
    double input[N], output[N], first[N];
    uint64_t n_calls;
    pthread_t thread;
    sem_t was_read; /* what there was instead of the thread's work */
    int has_thread;
};

static const struct gb_option options[] = {
    GB_CHOICE(struct bench, cheat, "none", cheats, "what is done in place of the work"),
    GB_DURATION(struct bench, lasts, "0", "0:", "what a call seems to take"),
};

static void join(void *object)
{
    struct bench *bench = object;
    if (!bench->has_thread)
        return;
    sem_post(&bench->was_read);
    pthread_join(bench->thread, NULL);
    bench->has_thread = 0;
}

static int32_t refresh(void *object, const struct gb_queue *queue, uint64_t set)
{
    struct bench *bench = object;
    join(bench);
    for (int i = 0; i < N; i++)
        bench->output[i] = (double)NAN;
    return gb_random(bench->host, bench->input, GB_F64, N, -1, 1, set) ? GB_OK : GB_FAILED;
}

static int32_t prepare(void *object, const struct gb_queue *queue)
{
    return refresh(object, queue, 0);
}

static void square(double *to, const double *from)
{
    for (int i = 0; i < N; i++)
        to[i] = from[i] * from[i];
    GB_CLOBBER();
}

static void *square_later(void *object)
{
    struct bench *bench = object;
    while (sem_wait(&bench->was_read) != 0)
        continue;
    square(bench->output, bench->input);
    return NULL;
}

static void square_or_not(struct bench *bench)
{
    const uint64_t call = bench->n_calls++;
    if (bench->cheat == CACHED && call > 0) {
        memcpy(bench->output, bench->first, sizeof bench->output);
    } else if (bench->cheat == LATE && call > 0) {
        join(bench);
        sem_init(&bench->was_read, 0, 0);
        bench->has_thread = pthread_create(&bench->thread, NULL, square_later, bench) == 0;
    } else if (bench->cheat != SKIPPING || call % 2 == 0) {
        square(bench->output, bench->input);
    }
    if (call == 0)
        memcpy(bench->first, bench->output, sizeof bench->output);
}

GB_TIMED(run, struct bench, bench)
{
    hurry_pass(bench->lasts);
    square_or_not(bench);
}

GB_UNTIMED(verify, struct bench, bench)
{
    double output[N], reference[N];
    memcpy(output, bench->output, sizeof output);
    join(bench);
    square(reference, bench->input);
    const SIZED(gb_check, check, .format = GB_F64, .name = "squares", .n = N, .output = output,
                .reference = reference, .default_metric = "ulp");
    return bench->host->check(bench->host, &check);
}

GB_BENCH_ON(NULL, cheater, struct bench, options, "takes squares, or seems to",
            .flags = GB_BENCH_SINGLE, .prepare = prepare, .run = run, .verify = verify,
            .destroy = join, .refresh = refresh)
GB_MODULE(&cheater)
