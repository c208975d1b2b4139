/*
 * two_plugins.c - well-behaved: one module with two benchmarks, `two_first` and `two_second`, and
 * a policy, `two_policy`, that stops at the first sample. gbrun must find all three, each under
 * its own kind. The second benchmark says that it waits for the device inside run.
 */
#include <gbrun/gbrun.h>

static int32_t create(const struct gb_host *host, const void *params, void **ret_bench)
{
    (void)params;
    *ret_bench = host->allocate(host, 8);
    return *ret_bench ? GB_OK : GB_NO_MEMORY;
}

static int32_t run(void *bench, const struct gb_queue *queue, uint64_t iterations)
{
    (void)bench;
    (void)queue;
    (void)iterations;
    return GB_OK;
}

static void destroy(void *bench)
{
    (void)bench;
}

static const struct gb_bench_ops ops = {
    .size = sizeof ops,
    .create = create,
    .run = run,
    .destroy = destroy,
};

static const struct gb_bench_ops waiting_ops = {
    .size = sizeof waiting_ops,
    .flags = GB_BENCH_SYNCHRONIZES,
    .create = create,
    .run = run,
    .destroy = destroy,
};

static int32_t observe(void *policy, const struct gb_samples *samples)
{
    uint64_t *n = policy;
    *n += samples->n;
    return GB_OK;
}

static int32_t next(void *policy, struct gb_next *next)
{
    const uint64_t *n = policy;
    static const char reason[] = "one sample";
    if (*n == 0) {
        next->decision = GB_MORE;
        next->n_samples = 1;
        return GB_OK;
    }
    next->decision = GB_DONE;
    for (size_t i = 0; i < sizeof reason; i++)
        next->reason[i] = reason[i];
    return GB_OK;
}

static int32_t report(void *policy, struct gb_estimate *estimate)
{
    const uint64_t *n = policy;
    estimate->verdict = GB_VERDICT_NONE;
    estimate->value_ns = 1;
    estimate->low_ns = 1;
    estimate->high_ns = 1;
    estimate->n = *n;
    return GB_OK;
}

static const struct gb_policy_ops policy_ops = {
    .size = sizeof policy_ops,
    .create = create,
    .observe = observe,
    .next = next,
    .report = report,
    .destroy = destroy,
};

static const struct gb_plugin first = {
    .size = sizeof first,
    .kind = GB_PLUGIN_BENCH,
    .id = "two_first",
    .version = "1.0",
    .summary = "the first of two",
    .ops = &ops,
};
static const struct gb_plugin second = {
    .size = sizeof second,
    .kind = GB_PLUGIN_BENCH,
    .id = "two_second",
    .version = "2.0",
    .summary = "the second of two",
    .ops = &waiting_ops,
};
static const struct gb_plugin policy = {
    .size = sizeof policy,
    .kind = GB_PLUGIN_POLICY,
    .id = "two_policy",
    .version = "3.0",
    .summary = "one sample",
    .ops = &policy_ops,
};

GB_MODULE(&first, &second, &policy)
