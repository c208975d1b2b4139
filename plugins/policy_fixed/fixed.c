/*
 * fixed.c - the policy `fixed`: a given number of samples. Plugin side.
 */
#include "../common/median_estimate.h"

#include <gbrun/gbrun.h>
#include <stdio.h>

struct params {
    int64_t samples;
};

struct fixed {
    const struct params *params;
    struct sample_array samples;
};

static const struct gb_option options[] = {
    GB_INT(struct params, samples, "100", "1:1000000000", "samples", "samples to take"),
};

static int32_t create(const struct gb_host *host, const void *params, void **ret_policy)
{
    struct fixed *policy = host->allocate(host, sizeof *policy);
    if (policy == NULL)
        return GB_NO_MEMORY;
    policy->params = params;
    *ret_policy = policy;
    return GB_OK;
}

static int32_t observe(void *object, const struct gb_samples *samples)
{
    struct fixed *policy = object;
    return sample_array_add(&policy->samples, samples);
}

static int32_t next(void *object, struct gb_next *next)
{
    const struct fixed *policy = object;
    const uint64_t wanted = (uint64_t)policy->params->samples;
    if (sample_array_seen(&policy->samples) < wanted) {
        next->decision = GB_MORE;
        next->n_samples = wanted;
        return GB_OK;
    }
    next->decision = GB_DONE;
    snprintf(next->reason, sizeof next->reason, "%llu samples", (unsigned long long)wanted);
    return GB_OK;
}

static int32_t report(void *object, struct gb_estimate *estimate)
{
    struct fixed *policy = object;
    struct median_estimate median;
    const int32_t status = median_estimate_of(&policy->samples, MEDIAN_CONFIDENCE, &median);
    if (status != GB_OK)
        return status;
    median_estimate_report(&policy->samples, &median, MEDIAN_CONFIDENCE, GB_VERDICT_NONE, estimate);
    return GB_OK;
}

static void destroy(void *object)
{
    struct fixed *policy = object;
    if (policy != NULL)
        sample_array_free(&policy->samples);
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
    .id = "fixed",
    .version = "1.0",
    .summary = "a fixed number of samples",
    .help = "Takes exactly `samples` samples, whatever they say, so that runs of the same case "
            "have the same length.\n\n"
            "It promises nothing about the precision that is reached. The median is reported with "
            "the 95 % interval that its order statistics give, autocorrelation taken into account.",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .params_size = sizeof(struct params),
    .ops = &ops,
};

GB_MODULE(&plugin)
