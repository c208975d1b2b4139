/*
 * wrong_result.c - its output is not what it should be, in the way named by `fault`: one value
 * off, NaN, a lone infinity, matching infinities nearly everywhere (vacuous), or never compared
 * although it returns GB_WRONG_RESULT. gbrun must show the case as wrong result, with the worst
 * element, and end with exit code 1. `replayed`: one value is off unless the last sample was a call
 * of run, which the device `fake` lets it see. gbrun must then measure it in the stream.
 */
#include <gbrun/gbrun.h>
#include <math.h>

enum { N = 256 };

static const char *const faults[] = {"value",     "nan",  "infinity", "vacuous",
                                     "unchecked", "none", "replayed"};
enum { VALUE, NOT_A_NUMBER, INFINITE, VACUOUS, UNCHECKED, NONE, REPLAYED };

struct params {
    int32_t fault;
};

static const struct gb_option options[] = {
    GB_CHOICE(struct params, fault, "value", faults, "what is wrong with the output"),
};

struct bench {
    const struct gb_host *host;
    const struct params *params;
    float output[N];
    double reference[N];
    uint64_t n_before; /* samples before the last call */
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

static int32_t run(void *object, const struct gb_queue *queue, uint64_t iterations)
{
    struct bench *bench = object;
    if (bench->params->fault == REPLAYED)
        bench->n_before = *(uint64_t *)queue->native;
    for (; iterations > 0; iterations--) {
        for (int i = 0; i < N; i++)
            bench->output[i] = 1.5f;
        GB_CLOBBER();
    }
    return GB_OK;
}

static void spoil(struct bench *bench, const struct gb_queue *queue)
{
    for (int i = 0; i < N; i++)
        bench->reference[i] = 1.5;
    switch (bench->params->fault) {
    case VALUE:
        bench->output[17] = 1.50003f;
        break;
    case NOT_A_NUMBER:
        bench->output[5] = (float)NAN;
        break;
    case INFINITE:
        bench->output[5] = (float)INFINITY;
        break;
    case VACUOUS:
        for (int i = 0; i < N - 1; i++) {
            bench->output[i] = (float)INFINITY;
            bench->reference[i] = (double)INFINITY;
        }
        break;
    case REPLAYED:
        if (*(uint64_t *)queue->native > bench->n_before + 1)
            bench->output[17] = 2;
        break;
    default:
        break;
    }
}

static int32_t verify(void *object, const struct gb_queue *queue)
{
    struct bench *bench = object;
    struct gb_check check = {0};
    if (bench->params->fault == UNCHECKED)
        return GB_WRONG_RESULT;
    spoil(bench, queue);
    check.size = sizeof check;
    check.format = GB_F32;
    check.name = "C";
    check.n = N;
    check.output = bench->output;
    check.reference = bench->reference;
    check.default_metric = "abs";
    check.default_tolerance = 1e-6;
    return bench->host->check(bench->host, &check);
}

static void destroy(void *bench)
{
    (void)bench; /* the host's memory */
}

static const struct gb_bench_ops ops = {
    .size = sizeof ops,
    .create = create,
    .run = run,
    .verify = verify,
    .destroy = destroy,
};

static const struct gb_plugin plugin = {
    .size = sizeof plugin,
    .kind = GB_PLUGIN_BENCH,
    .id = "wrong_result",
    .version = "1.0",
    .summary = "computes what it should not",
    GB_OPTIONS(options, struct params),
    .ops = &ops,
};

GB_MODULE(&plugin)
