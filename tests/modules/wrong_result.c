/*
 * wrong_result.c - its output is not what it should be, in the way named by `fault`: one value
 * off, NaN, a lone infinity, matching infinities nearly everywhere (vacuous), or never compared
 * although it returns GB_WRONG_RESULT. gbrun must show the case as wrong result, with the worst
 * element, and end with exit code 1. `replayed`: one value is off unless the last sample was a call
 * of run, which the device `fake` lets it see. gbrun must then measure it in the stream.
 */
#include "tests/modules/words.h"

#include <gbrun/simple.h>
#include <math.h>

enum { N = 256 };

static const char *const faults[] = {"value",     "nan",  "infinity", "vacuous",
                                     "unchecked", "none", "replayed"};
enum { VALUE, NOT_A_NUMBER, INFINITE, VACUOUS, UNCHECKED, NONE, REPLAYED };

struct bench {
    int32_t fault;
    const struct gb_host *host;
    float output[N];
    double reference[N];
    uint64_t n_before; /* samples before the last call */
};

static const struct gb_option options[] = {
    GB_CHOICE(struct bench, fault, "value", faults, "what is wrong with the output"),
};

static int32_t run(void *object, const struct gb_queue *queue, uint64_t iterations)
{
    struct bench *bench = object;
    if (bench->fault == REPLAYED)
        bench->n_before = *(uint64_t *)queue->native;
    for (; iterations > 0; iterations--) {
        for (int i = 0; i < N; i++)
            bench->output[i] = 1.5f;
        GB_CLOBBER();
    }
    return GB_OK;
}

static int32_t verify(void *object, const struct gb_queue *queue)
{
    struct bench *bench = object;
    const int32_t fault = bench->fault;
    const SIZED(gb_check, check, .format = GB_F32, .name = "C", .n = N, .output = bench->output,
                .reference = bench->reference, .default_metric = "abs", .default_tolerance = 1e-6);
    if (fault == UNCHECKED)
        return GB_WRONG_RESULT;
    for (int i = 0; i < N; i++)
        bench->reference[i] = 1.5;
    if (fault == VALUE)
        bench->output[17] = 1.50003f;
    if (fault == NOT_A_NUMBER || fault == INFINITE)
        bench->output[5] = fault == INFINITE ? (float)INFINITY : (float)NAN;
    for (int i = 0; fault == VACUOUS && i < N - 1; i++) {
        bench->output[i] = (float)INFINITY;
        bench->reference[i] = (double)INFINITY;
    }
    if (fault == REPLAYED && *(uint64_t *)queue->native > bench->n_before + 1)
        bench->output[17] = 2;
    return bench->host->check(bench->host, &check);
}

GB_BENCH_ON(NULL, wrong_result, struct bench, options, "computes what it should not", .run = run,
            .verify = verify)
GB_MODULE(&wrong_result)
