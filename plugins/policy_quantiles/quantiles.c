/*
 * quantiles.c - the policy `quantiles`: `steady`, and the tails at 10 % and 90 % as well.
 * Plugin side.
 */
#include "../common/policy/steady_rule.h"

struct policy {
    const struct gb_host *host;
    struct steady steady;
};

struct params {
    struct steady_options steady;
    double tails;
};

static const struct gb_option options[] = {
    STEADY_OPTIONS,
    GB_FLOAT(struct params, tails, "3%", "1e-6:1", NULL,
             "half width to reach for the intervals of the tails, as a share of each"),
};

static int32_t create(const struct gb_host *host, const void *params, void **ret_policy)
{
    struct policy *policy = host->allocate(host, sizeof *policy);
    if (policy == NULL)
        return GB_NO_MEMORY;
    const struct params *given = params;
    policy->host = host;
    *ret_policy = policy;
    return steady_start(&policy->steady, host, &given->steady, given->tails);
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
    .id = "quantiles",
    .version = "1.0",
    .summary = "until the median and the quantiles at 10 % and 90 % are known well enough",
    .help =
        "As `steady`, and the intervals of the quantiles at 10 % and 90 % have to be within "
        "`tails` "
        "of them, too. The three intervals hold together with probability `confidence`. The tails "
        "are the metrics p10, p10_low, p10_high, p90, p90_low and p90_high.",
    GB_OPTIONS(options, struct params),
    .ops = &ops,
};

GB_MODULE(&plugin)
