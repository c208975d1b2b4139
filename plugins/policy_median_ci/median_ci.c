/*
 * median_ci.c - the policy `median_ci`: until the interval of the median is narrow enough. Plugin
 * side.
 */
#include "../common/policy/median_rule.h"

#include <gbrun/gbrun.h>

struct params {
    double precision;
    double confidence;
    int64_t min;
};

static const struct gb_option options[] = {
    GB_FLOAT(struct params, precision, "1%", "1e-6:1", NULL,
             "half width of the interval to reach, as a share of the median"),
    GB_FLOAT(struct params, confidence, "95%", "0.5:0.999999", NULL,
             "probability with which the interval holds the median"),
    GB_INT(struct params, min, "30", "1:1000000000", "samples", "samples before the first look"),
};

static int32_t create(const struct gb_host *host, const void *params, void **ret_policy)
{
    const struct params *given = params;
    struct median_rule *rule = host->allocate(host, sizeof *rule);
    if (rule == NULL)
        return GB_NO_MEMORY;
    rule->precision = given->precision;
    rule->confidence = given->confidence;
    rule->min = (uint64_t)given->min;
    *ret_policy = rule;
    return GB_OK;
}

static int32_t observe(void *object, const struct gb_samples *samples)
{
    struct median_rule *rule = object;
    return sample_array_add(&rule->samples, samples);
}

static int32_t next(void *object, struct gb_next *next)
{
    return median_rule_next(object, next);
}

static int32_t report(void *object, struct gb_estimate *estimate)
{
    return median_rule_report(object, estimate);
}

static void destroy(void *object)
{
    struct median_rule *rule = object;
    if (rule != NULL)
        sample_array_free(&rule->samples);
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
    .id = "median_ci",
    .version = "1.0",
    .summary = "until the confidence interval of the median is narrow enough",
    .help =
        "Stops when the order-statistic interval of the median is within `precision` of it on "
        "either side; samples that are correlated count for what they are worth. The interval "
        "holds the median of the samples' distribution with probability `confidence` for one "
        "look: repeated looks, a warm-up or several modes are not corrected for.\n\n"
        "It looks after `min` samples and then each time there are a quarter more. The "
        "interval is never claimed to be narrower than the timer's step; where that step alone "
        "is too coarse for `precision`, or the median lies between two of its steps, it says so "
        "and stops.",
    GB_OPTIONS(options, struct params),
    .ops = &ops,
};

GB_MODULE(&plugin)
