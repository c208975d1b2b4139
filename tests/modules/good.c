/*
 * good.c - behaves well and uses every service once: y = factor x over `size` floats, checked,
 * with a metric, a log line and declared work. gbrun must show it as ok; the metric `runs` counts
 * the calls of run, `resets` those of reset.
 */
#include "tests/modules/words.h"

#include <gbrun/simple.h>

struct bench {
    int64_t size;
    double factor;
    const char *label;
    const struct gb_host *host;
    float *input, *output;
    uint64_t n_runs, n_resets;
};

static const struct gb_option options[] = {
    GB_INT(struct bench, size, "1024", "1:1048576", "elements", "elements of each array"),
    GB_FLOAT(struct bench, factor, "2", "-100:100", NULL, "what each element is multiplied by"),
    GB_STRING(struct bench, label, "none", "a word for the log"),
};

GB_UNTIMED(prepare, struct bench, bench)
{
    const struct gb_host *host = bench->host;
    bench->input = gb_random(host, NULL, GB_F32, bench->size, -1, 1, 0);
    bench->output = host->allocate(host, (uint64_t)bench->size * sizeof *bench->output);
    host->log(host, GB_LOG_INFO, bench->label);
    return bench->input && bench->output ? GB_OK : GB_NO_MEMORY;
}

static int32_t run(void *object, const struct gb_queue *queue, uint64_t iterations)
{
    struct bench *bench = object;
    const float factor = (float)bench->factor;
    (void)queue;
    for (; iterations > 0; iterations--) {
        for (int64_t i = 0; i < bench->size; i++)
            bench->output[i] = factor * bench->input[i];
        GB_CLOBBER();
    }
    bench->n_runs++;
    return GB_OK;
}

GB_UNTIMED(reset, struct bench, bench)
{
    bench->n_resets++;
    return GB_OK;
}

GB_UNTIMED(verify, struct bench, bench)
{
    const struct gb_host *host = bench->host;
    const uint64_t n = (uint64_t)bench->size;
    double *reference = host->allocate(host, n * sizeof *reference);
    if (!reference)
        return GB_NO_MEMORY;
    for (uint64_t i = 0; i < n; i++)
        reference[i] = (double)(float)bench->factor * (double)bench->input[i];
    const SIZED(gb_check, check, .format = GB_F32, .name = "y", .n = n, .output = bench->output,
                .reference = reference, .default_metric = "abs");
    host->metric(host, "runs", (double)bench->n_runs, "calls");
    host->metric(host, "resets", (double)bench->n_resets, "calls");
    return host->check(host, &check);
}

GB_WORK(work, struct bench, bench, .flops = (double)bench->size,
        .bytes_read = 4 * (double)bench->size, .bytes_written = 4 * (double)bench->size,
        .items = (double)bench->size, .item = "element")

GB_BENCH_ON(NULL, good, struct bench, options, "multiplies an array by a number",
            .prepare = prepare, .run = run, .reset = reset, .verify = verify, .work = work)
GB_MODULE(&good)
