/*
 * steady.c - the policy `steady`: until the median's interval is narrow enough and can be trusted.
 * Plugin side.
 */
#include "../common/policy/steady_rule.h"

struct policy {
    const struct gb_host *host;
    struct steady steady;
};

static const struct gb_option options[] = {STEADY_OPTIONS};

static int32_t create(const struct gb_host *host, const void *params, void **ret_policy)
{
    struct policy *policy = host->allocate(host, sizeof *policy);
    if (policy == NULL)
        return GB_NO_MEMORY;
    policy->host = host;
    *ret_policy = policy;
    return steady_start(&policy->steady, host, params, 0.0);
}

static int32_t observe(void *object, const struct gb_samples *samples)
{
    struct policy *policy = object;
    return steady_observe(&policy->steady, samples);
}

static int32_t next(void *object, struct gb_next *next)
{
    struct policy *policy = object;
    return steady_next(&policy->steady, next);
}

static int32_t report(void *object, struct gb_estimate *estimate)
{
    struct policy *policy = object;
    return steady_report(&policy->steady, policy->host, estimate);
}

static void destroy(void *object)
{
    struct policy *policy = object;
    if (policy != NULL)
        steady_free(&policy->steady);
}

static const struct gb_policy_ops ops = {
    .size = sizeof ops,
    .create = create,
    .observe = observe,
    .next = next,
    .report = report,
    .destroy = destroy,
};

static const struct gb_plugin plugin = {
    .size = sizeof plugin,
    .kind = GB_PLUGIN_POLICY,
    .id = "steady",
    .version = "1.0",
    .summary = "until the interval of the median is narrow enough and can be trusted",
    .help =
        "Stops when the median is known to within `precision` on either side. The interval holds "
        "with probability `confidence` although it is looked at repeatedly (a confidence "
        "sequence); samples that are correlated count for what they are worth, 26 independent ones "
        "at least, for the median and for the quantiles at 10 and 90 %; up to a quarter of the "
        "samples is left out as warm-up, unless it comes again later, and then `floor_wall` must "
        "be retained twice; steps of the timer are undone where samples are spread over several, "
        "and where they are not the interval is a step to either side at least. Nothing is "
        "certified in the first `floor_wall`, while a lesser mode was entered fewer than `visits` "
        "times, or while the device's clock drifts and times follow it; a throttled device takes 3 "
        "s.\n\n"
        "It looks first at `min` samples or more, with `floor_wall` of wall time and either "
        "`floor_samples` or `busy`, and then each time there are `growth` as many. The verdict "
        "is certified; multimodal, with each mode known as well as asked; or resolution limited, "
        "where the timer's step is too coarse for `precision`.\n\n"
        "`without` is a list of wall_floor, effective_size, mid_quantile, sequence (the interval "
        "is then one for a single look), discard, recurrence, modes, resolution, clocks, mixing "
        "(of the quantiles at 10 and 90 %, and 26) and settling (twice).",
    GB_OPTIONS(options, struct steady_options),
    .ops = &ops,
};

GB_MODULE(&plugin)
