/*
 * entropy.c - the policy `entropy`: NVBench's second rule, for comparison with it. Plugin side.
 */
#include "../common/policy/median_estimate.h"
#include "entropy_tracker.h"

#include <gbrun/gbrun.h>
#include <stdio.h>

struct params {
    double max_angle;
    double min_r2;
};

struct entropy {
    const struct gb_host *host;
    const struct params *params;
    struct entropy_tracker tracker;
    struct sample_array samples;
};

enum { NOT_FINITE_LIMIT = 64 }; /* times in a row that end it */

static const struct gb_option options[] = {
    GB_FLOAT(struct params, max_angle, "0.048", "-90:90", "degrees",
             "slope of the last 299 entropies, in bits a sample, to get down to"),
    GB_FLOAT(struct params, min_r2, "0.36", "0:1", NULL,
             "share of their variance that the line through them has to explain"),
};

static int32_t create(const struct gb_host *host, const void *params, void **ret_policy)
{
    struct entropy *policy = host->allocate(host, sizeof *policy);
    if (policy == NULL)
        return GB_NO_MEMORY;
    policy->host = host;
    policy->params = params;
    *ret_policy = policy;
    return GB_OK;
}

static int32_t observe(void *object, const struct gb_samples *samples)
{
    struct entropy *policy = object;
    int32_t status = sample_array_add(&policy->samples, samples);
    for (uint64_t i = 0; status == GB_OK && i < samples->n; i++)
        status = entropy_tracker_add(&policy->tracker, samples->time_ns[i]);
    return status;
}

static int has_given_up(const struct entropy *policy)
{
    return policy->tracker.n_not_finite >= NOT_FINITE_LIMIT;
}

/* Judges the last sample alone: where the host has to go on to min_samples the rule must hold
 * there, as in NVBench, not at some sample before. */
static int32_t next(void *object, struct gb_next *next)
{
    const struct entropy *policy = object;
    const uint64_t n = policy->tracker.n;
    if (has_given_up(policy)) {
        next->decision = GB_GAVE_UP;
        snprintf(next->reason, sizeof next->reason, "no finite time in %d samples in a row",
                 NOT_FINITE_LIMIT);
        return GB_OK;
    }
    next->decision = GB_MORE;
    next->n_samples = sample_array_seen(&policy->samples) + (n % 2 == 0 ? 2 : 1);
    if (policy->tracker.n_not_finite > 0)
        next->n_samples = sample_array_seen(&policy->samples) + 1;
    else if (n >= 2 && n % 2 == 0) {
        const struct entropy_line line = entropy_tracker_line(&policy->tracker);
        if (line.angle_degrees <= policy->params->max_angle && line.r2 >= policy->params->min_r2) {
            next->decision = GB_DONE;
            snprintf(next->reason, sizeof next->reason, "entropy level: %.3g degrees, R2 %.2f",
                     line.angle_degrees, line.r2);
        }
    }
    return GB_OK;
}

static int32_t report(void *object, struct gb_estimate *estimate)
{
    struct entropy *policy = object;
    struct median_estimate median;
    const int32_t status = median_estimate_of(&policy->samples, MEDIAN_CONFIDENCE, &median);
    if (status != GB_OK)
        return status;
    median_estimate_report(&policy->samples, &median, MEDIAN_CONFIDENCE,
                           has_given_up(policy) ? GB_VERDICT_GAVE_UP : GB_VERDICT_NONE, estimate);
    if (policy->tracker.n > 0)
        policy->host->metric(policy->host, "entropy", entropy_tracker_entropy(&policy->tracker),
                             "bits");
    return GB_OK;
}

static void destroy(void *object)
{
    struct entropy *policy = object;
    if (policy == NULL)
        return;
    entropy_tracker_free(&policy->tracker);
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
    GB_PLUGIN(POLICY, "entropy", "1.0",
              "NVBench's second rule: until new samples bring hardly any new values"),
    .help =
        "Stops at the sample where NVBench's `entropy` would: where the entropy of the times seen "
        "has levelled off, which is looked at after every second sample as the slope of its last "
        "299 values. It promises nothing about the precision of the result: where all times "
        "differ it takes 1874 samples whatever the noise, and where they are equal as few as are "
        "allowed.\n\n"
        "The median is reported with the 95 % interval that its order statistics give, "
        "autocorrelation taken into account.",
    GB_OPTIONS(options, struct params),
    .ops = &ops,
};

GB_MODULE(&plugin)
