/*
 * median_ci.c - the policy `median_ci`: until the interval of the median is narrow enough. Plugin
 * side.
 */
#include "../common/median_estimate.h"

#include <gbrun/gbrun.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

struct params {
    double precision;
    double confidence;
    int64_t min;
};

struct median_ci {
    const struct params *params;
    struct sample_array samples;
    struct median_estimate estimate; /* of the last look */
    uint64_t looked_at;              /* samples seen by then */
    uint64_t next_look;
    int32_t verdict; /* GB_VERDICT_NONE: go on */
};

static const double LOOK_GROWTH = 1.25;

static const struct gb_option options[] = {
    GB_FLOAT(struct params, precision, "1%", "1e-6:1", NULL,
             "half width of the interval to reach, as a share of the median"),
    GB_FLOAT(struct params, confidence, "95%", "0.5:0.999999", NULL,
             "probability with which the interval holds the median"),
    GB_INT(struct params, min, "30", "1:1000000000", "samples", "samples before the first look"),
};

static int32_t create(const struct gb_host *host, const void *params, void **ret_policy)
{
    struct median_ci *policy = host->allocate(host, sizeof *policy);
    if (policy == NULL)
        return GB_NO_MEMORY;
    policy->params = params;
    policy->next_look = (uint64_t)policy->params->min;
    *ret_policy = policy;
    return GB_OK;
}

static int32_t observe(void *object, const struct gb_samples *samples)
{
    struct median_ci *policy = object;
    return sample_array_add(&policy->samples, samples);
}

static int32_t look(struct median_ci *policy)
{
    const int32_t status = median_estimate_of(&policy->samples, policy->params->confidence,
                                              &policy->estimate);
    policy->looked_at = sample_array_seen(&policy->samples);
    return status;
}

/* Where the median lies between two steps of the timer, the interval goes from the one below to the
 * one above, and narrows only when thousands of samples have decided between them. */
static bool is_between_steps(const struct median_ci *policy)
{
    enum { PATIENCE = 10 };          /* times the samples before the first look */
    const double steps = 2.0 * 1.02; /* they are known to some percent */
    return policy->looked_at >= PATIENCE * (uint64_t)policy->params->min &&
           policy->estimate.high - policy->estimate.low <= steps * policy->samples.tick_ns;
}

/* What the last look says. More samples can not make the interval narrower than the tick. */
static int32_t verdict_of(const struct median_ci *policy)
{
    const struct median_estimate *estimate = &policy->estimate;
    const double wanted = policy->params->precision * estimate->median;
    if (policy->samples.n_not_finite > policy->samples.n || estimate->median < 0.0)
        return GB_VERDICT_GAVE_UP;
    if (0.5 * policy->samples.tick_ns > wanted)
        return GB_VERDICT_RESOLUTION_LIMITED;
    if (estimate->median == 0.0)
        return GB_VERDICT_GAVE_UP;
    if (policy->looked_at >= (uint64_t)policy->params->min &&
        0.5 * (estimate->high - estimate->low) <= wanted)
        return GB_VERDICT_CERTIFIED;
    return is_between_steps(policy) ? GB_VERDICT_RESOLUTION_LIMITED : GB_VERDICT_NONE;
}

static void explain(const struct median_ci *policy, struct gb_next *next)
{
    const double percent = 100.0 * policy->params->precision;
    next->decision = policy->verdict == GB_VERDICT_GAVE_UP ? GB_GAVE_UP : GB_DONE;
    switch (policy->verdict) {
    case GB_VERDICT_CERTIFIED:
        snprintf(next->reason, sizeof next->reason, "interval within %g %%", percent);
        break;
    case GB_VERDICT_RESOLUTION_LIMITED:
        snprintf(next->reason, sizeof next->reason,
                 "timer step of %.3g ns too coarse for %g %%: raise iterations",
                 policy->samples.tick_ns, percent);
        break;
    default:
        snprintf(next->reason, sizeof next->reason, "times are zero, negative or not finite");
        break;
    }
}

static int32_t next(void *object, struct gb_next *next)
{
    struct median_ci *policy = object;
    const uint64_t n = sample_array_seen(&policy->samples);
    if (policy->verdict == GB_VERDICT_NONE && n >= policy->next_look) {
        const int32_t status = look(policy);
        if (status != GB_OK)
            return status;
        policy->verdict = verdict_of(policy);
        policy->next_look = (uint64_t)ceil(LOOK_GROWTH * (double)n);
    }
    if (policy->verdict == GB_VERDICT_NONE) {
        next->decision = GB_MORE;
        next->n_samples = policy->next_look;
    } else {
        explain(policy, next);
    }
    return GB_OK;
}

/* Samples after the last look count as well: the interval is that of all, and so is the claim. */
static int32_t report(void *object, struct gb_estimate *estimate)
{
    struct median_ci *policy = object;
    if (policy->looked_at != sample_array_seen(&policy->samples) || policy->looked_at == 0) {
        const int32_t status = look(policy);
        if (status != GB_OK)
            return status;
    }
    int32_t verdict = verdict_of(policy);
    if (verdict == GB_VERDICT_NONE || policy->looked_at == 0)
        verdict = GB_VERDICT_UNCONVERGED;
    median_estimate_report(&policy->samples, &policy->estimate, policy->params->confidence, verdict,
                           estimate);
    return GB_OK;
}

static void destroy(void *object)
{
    struct median_ci *policy = object;
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
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .params_size = sizeof(struct params),
    .ops = &ops,
};

GB_MODULE(&plugin)
