/*
 * fixed.c - the policy `fixed`: a given number of samples. Plugin side.
 */
#include "../common/policy/thinned_samples.h"

#include <gbrun/gbrun.h>
#include <stdio.h>

struct params {
    int64_t samples;
};

struct fixed {
    const struct params *params;
    struct thinned_samples samples;
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
    policy->samples.host = host;
    *ret_policy = policy;
    return GB_OK;
}

static int32_t observe(void *object, const struct gb_samples *samples)
{
    struct fixed *policy = object;
    return thinned_samples_add(&policy->samples, samples);
}

static int32_t next(void *object, struct gb_next *next)
{
    const struct fixed *policy = object;
    const uint64_t wanted = (uint64_t)policy->params->samples;
    if (policy->samples.n_seen < wanted) {
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
    return thinned_samples_report(&policy->samples, estimate);
}

static void destroy(void *object)
{
    struct fixed *policy = object;
    if (policy != NULL)
        thinned_samples_free(&policy->samples);
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
    GB_PLUGIN(POLICY, "fixed", "1.0", "a fixed number of samples"),
    .help =
        "Takes exactly `samples` samples, whatever they say, so that runs of the same case "
        "have the same length.\n\n"
        "It promises nothing about the precision that is reached. The median is reported with "
        "the 95 % interval that its order statistics give, autocorrelation taken into account.\n\n"
        "Memory does not grow with the recording: beyond 131072 samples the policy's median and "
        "interval rest on 65536 of them or more, drawn at random from equal parts of the "
        "recording. All samples are stored, and median_ns is the median of all.",
    GB_OPTIONS(options, struct params),
    .ops = &ops,
};

GB_MODULE(&plugin)
