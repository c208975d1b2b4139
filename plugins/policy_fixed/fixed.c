/*
 * fixed.c - the policies that claim nothing: `fixed`, a given number of samples, and `budget`, a
 * given time of measuring. Plugin side.
 */
#include "thinned_samples.h"

#include <gbrun/gbrun.h>
#include <stdio.h>

struct params {
    int64_t samples; /* of fixed */
    double time;     /* of budget */
};

struct policy {
    const struct params *params;
    struct thinned_samples samples;
};

static const struct gb_option fixed_options[] = {
    GB_INT(struct params, samples, "100", "1:1000000000", "samples", "samples to take"),
};
static const struct gb_option budget_options[] = {
    GB_DURATION(struct params, time, "1s", "0:", "wall time to spend on samples"),
};

static int32_t create(const struct gb_host *host, const void *params, void **ret_policy)
{
    struct policy *policy = host->allocate(host, sizeof *policy);
    if (policy == NULL)
        return GB_NO_MEMORY;
    policy->params = params;
    policy->samples.host = host;
    *ret_policy = policy;
    return GB_OK;
}

static int32_t observe(void *object, const struct gb_samples *samples)
{
    struct policy *policy = object;
    return thinned_samples_add(&policy->samples, samples);
}

static int32_t next_fixed(void *object, struct gb_next *next)
{
    const struct policy *policy = object;
    const uint64_t wanted = (uint64_t)policy->params->samples;
    if (policy->samples.n_seen < wanted) {
        next->decision = GB_MORE;
        next->n_samples = wanted;
        return GB_OK;
    }
    next->decision = GB_DONE;
    snprintf(next->reason, sizeof next->reason, "%llu sample%s", (unsigned long long)wanted,
             wanted == 1 ? "" : "s");
    return GB_OK;
}

static int32_t next_budget(void *object, struct gb_next *next)
{
    const struct policy *policy = object;
    const uint64_t n = policy->samples.n_seen;
    if (n == 0 || policy->samples.elapsed_ns < policy->params->time) {
        next->decision = GB_MORE;
        next->n_samples = n + 1;
        next->elapsed_ns = policy->params->time;
        return GB_OK;
    }
    next->decision = GB_DONE;
    snprintf(next->reason, sizeof next->reason, "%g s of samples", policy->params->time * 1e-9);
    return GB_OK;
}

static int32_t report(void *object, struct gb_estimate *estimate)
{
    struct policy *policy = object;
    return thinned_samples_report(&policy->samples, estimate);
}

static void destroy(void *object)
{
    struct policy *policy = object;
    if (policy != NULL)
        thinned_samples_free(&policy->samples);
}

#define OPS(flags_, next_)                                                                         \
    {                                                                                              \
        .size = sizeof(struct gb_policy_ops), .flags = (flags_), .create = create,                 \
        .observe = observe, .next = (next_), .report = report, .destroy = destroy                  \
    }
static const struct gb_policy_ops fixed_ops = OPS(GB_POLICY_COUNTS, next_fixed);
static const struct gb_policy_ops budget_ops = OPS(0, next_budget);

#define NO_CLAIM                                                                                   \
    "It promises nothing about the precision that is reached. The median is reported with "        \
    "the 95 % interval that its order statistics give, autocorrelation taken into account.\n\n"    \
    "Memory does not grow with the recording: beyond 131072 samples the policy's median and "      \
    "interval rest on 65536 of them or more, drawn at random from equal parts of the "             \
    "recording. All samples are stored, and median_ns is the median of all."

static const struct gb_plugin fixed = {
    GB_PLUGIN(POLICY, "fixed", "1.0", "a fixed number of samples"),
    .help = "Takes exactly `samples` samples, whatever they say, so that runs of the same case "
            "have the same length.\n\n" NO_CLAIM,
    GB_OPTIONS(fixed_options, struct params),
    .ops = &fixed_ops,
};

static const struct gb_plugin budget = {
    GB_PLUGIN(POLICY, "budget", "1.0", "as many samples as fit into a given time"),
    .help = "Takes samples for `time` of wall time, counted from the start of the first one to the "
            "end of the last, and at least one.\n\n" NO_CLAIM,
    GB_OPTIONS(budget_options, struct params),
    .ops = &budget_ops,
};

GB_MODULE(&fixed, &budget)
