/*
 * stdrel.c - the policy `stdrel`: NVBench's default rule, for comparison with it. Plugin side.
 */
#include "../common/policy/median_estimate.h"
#include "noise_tracker.h"

#include <gbrun/gbrun.h>
#include <stdio.h>

struct params {
    double max_noise;
    double min_time;
};

struct stdrel {
    const struct gb_host *host;
    const struct params *params;
    struct noise_tracker noise;
    int verdict; /* of the last sample */
    struct sample_array samples;
};

static const struct gb_option options[] = {
    GB_FLOAT(struct params, max_noise, "0.5%", "0:", NULL,
             "relative standard deviation to get below"),
    GB_DURATION(struct params, min_time, "0.5s", "0:", "measured time that has to be exceeded"),
};

static int32_t create(const struct gb_host *host, const void *params, void **ret_policy)
{
    struct stdrel *policy = host->allocate(host, sizeof *policy);
    if (policy == NULL)
        return GB_NO_MEMORY;
    policy->host = host;
    policy->params = params;
    *ret_policy = policy;
    return GB_OK;
}

/* Judges the last sample alone: where the host has to go on to min_samples the rule must hold
 * there, as in NVBench, not at some sample before. Until it holds the host hands over one at a
 * time. */
static int32_t observe(void *object, const struct gb_samples *samples)
{
    struct stdrel *policy = object;
    const int32_t status = sample_array_add(&policy->samples, samples);
    if (status != GB_OK)
        return status;
    for (uint64_t i = 0; i < samples->n; i++)
        noise_tracker_add(&policy->noise, samples->time_ns[i],
                          samples->iterations != NULL ? samples->iterations[i] : 1);
    policy->verdict = noise_tracker_verdict(&policy->noise, policy->params->max_noise,
                                            policy->params->min_time);
    return GB_OK;
}

static int32_t next(void *object, struct gb_next *next)
{
    const struct stdrel *policy = object;
    const double percent = 100.0 * noise_tracker_noise(&policy->noise);
    switch (policy->verdict) {
    case NOISE_GO_ON:
        next->decision = GB_MORE;
        next->n_samples = policy->noise.n + 1;
        break;
    case NOISE_BELOW_LIMIT:
        next->decision = GB_DONE;
        snprintf(next->reason, sizeof next->reason, "noise below %g %%",
                 100.0 * policy->params->max_noise);
        break;
    case NOISE_STABLE:
        next->decision = GB_DONE;
        snprintf(next->reason, sizeof next->reason, "noise stable at %.3g %%", percent);
        break;
    default:
        next->decision = GB_GAVE_UP;
        snprintf(next->reason, sizeof next->reason, "no finite noise in 64 samples in a row");
        break;
    }
    return GB_OK;
}

static int32_t report(void *object, struct gb_estimate *estimate)
{
    struct stdrel *policy = object;
    struct median_estimate median;
    const int32_t status = median_estimate_of(&policy->samples, MEDIAN_CONFIDENCE, &median);
    if (status != GB_OK)
        return status;
    median_estimate_report(
        &policy->samples, &median, MEDIAN_CONFIDENCE,
        policy->verdict == NOISE_NOT_FINITE ? GB_VERDICT_GAVE_UP : GB_VERDICT_NONE, estimate);
    if (policy->noise.n_noises > 0)
        policy->host->metric(policy->host, "noise", noise_tracker_noise(&policy->noise), "");
    return GB_OK;
}

static void destroy(void *object)
{
    struct stdrel *policy = object;
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
    GB_PLUGIN(POLICY, "stdrel", "1.0",
              "NVBench's default rule: until the relative standard deviation is small or settled"),
    .help = "Stops at the sample where NVBench's `stdrel` would: once `min_time` has been measured "
            "and the relative standard deviation (the noise) is below `max_noise`, or has settled: "
            "its last 512 values vary by less than 5 %.\n\n"
            "It promises nothing about the precision of the result, since the noise of a sample "
            "does not shrink when more samples are taken. The median is reported with the 95 % "
            "interval that its order statistics give, autocorrelation taken into account.",
    GB_OPTIONS(options, struct params),
    .ops = &ops,
};

GB_MODULE(&plugin)
