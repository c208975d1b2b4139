/*
 * good.c - behaves well and uses every service once: y = factor x over `size` floats, checked,
 * with a metric, a log line and declared work. gbrun must show it as ok; the metric `runs` counts
 * the calls of run, `resets` those of reset.
 */
#include <gbrun/gbrun.h>
#include <stdlib.h>

struct params {
    int64_t size;
    double factor;
    const char *label;
};

static const struct gb_option options[] = {
    GB_INT(struct params, size, "1024", "1:1048576", "elements", "elements of each array"),
    GB_FLOAT(struct params, factor, "2", "-100:100", NULL, "what each element is multiplied by"),
    GB_STRING(struct params, label, "none", "a word for the log"),
};

struct bench {
    const struct gb_host *host;
    const struct params *params;
    float *input;
    float *output;
    uint64_t n_runs, n_resets;
};

static int32_t create(const struct gb_host *host, const void *params, void **ret_bench)
{
    struct bench *bench = calloc(1, sizeof *bench);
    if (!bench)
        return GB_NO_MEMORY;
    bench->host = host;
    bench->params = params;
    *ret_bench = bench;
    return GB_OK;
}

static int32_t prepare(void *object, const struct gb_queue *queue)
{
    struct bench *bench = object;
    const struct gb_host *host = bench->host;
    uint64_t n = (uint64_t)bench->params->size;
    struct gb_fill fill = {0};
    (void)queue;
    bench->input = host->allocate(host, n * sizeof *bench->input);
    bench->output = host->allocate(host, n * sizeof *bench->output);
    if (!bench->input || !bench->output)
        return GB_NO_MEMORY;
    host->log(host, GB_LOG_INFO, bench->params->label);
    fill.size = sizeof fill;
    fill.format = GB_F32;
    fill.low = -1;
    fill.high = 1;
    return host->fill(host, bench->input, n, &fill);
}

static int32_t run(void *object, const struct gb_queue *queue, uint64_t iterations)
{
    struct bench *bench = object;
    float factor = (float)bench->params->factor;
    (void)queue;
    for (uint64_t iteration = 0; iteration < iterations; iteration++) {
        for (int64_t i = 0; i < bench->params->size; i++)
            bench->output[i] = factor * bench->input[i];
        GB_CLOBBER();
    }
    bench->n_runs++;
    return GB_OK;
}

static int32_t reset(void *object, const struct gb_queue *queue)
{
    struct bench *bench = object;
    (void)queue;
    bench->n_resets++;
    return GB_OK;
}

static int32_t verify(void *object, const struct gb_queue *queue)
{
    struct bench *bench = object;
    const struct gb_host *host = bench->host;
    uint64_t n = (uint64_t)bench->params->size;
    double *reference = host->allocate(host, n * sizeof *reference);
    struct gb_check check = {0};
    (void)queue;
    if (!reference)
        return GB_NO_MEMORY;
    for (uint64_t i = 0; i < n; i++)
        reference[i] = (double)(float)bench->params->factor * (double)bench->input[i];
    host->metric(host, "runs", (double)bench->n_runs, "calls");
    host->metric(host, "resets", (double)bench->n_resets, "calls");
    check.size = sizeof check;
    check.format = GB_F32;
    check.name = "y";
    check.n = n;
    check.output = bench->output;
    check.reference = reference;
    check.default_metric = "abs";
    return host->check(host, &check);
}

static int32_t work(void *object, struct gb_work *work)
{
    const struct bench *bench = object;
    double n = (double)bench->params->size;
    work->flops = n;
    work->bytes_read = 4 * n;
    work->bytes_written = 4 * n;
    work->items = n;
    work->item = "element";
    return GB_OK;
}

static void destroy(void *bench)
{
    free(bench);
}

static const struct gb_bench_ops ops = {
    .size = sizeof ops,
    .create = create,
    .prepare = prepare,
    .run = run,
    .reset = reset,
    .verify = verify,
    .work = work,
    .destroy = destroy,
};

static const struct gb_plugin plugin = {
    .size = sizeof plugin,
    .kind = GB_PLUGIN_BENCH,
    .id = "good",
    .version = "1.0",
    .summary = "multiplies an array by a number",
    GB_OPTIONS(options, struct params),
    .ops = &ops,
};

GB_MODULE(&plugin)
