/*
 * policy_never.c - never has enough: GB_MORE at every look, one sample at a time. gbrun's own
 * guards (max_samples, max_time) must end the case, and the stop reason must name the guard.
 */
#include "tests/modules/policy.h"

static int32_t next(void *object, struct gb_next *next)
{
    const struct policy *policy = object;
    next->decision = GB_MORE;
    next->n_samples = policy->n + 1;
    return GB_OK;
}

static int32_t report(void *object, struct gb_estimate *estimate)
{
    report_mean(object, estimate);
    estimate->verdict = GB_VERDICT_UNCONVERGED;
    return GB_OK;
}

static const struct gb_policy_ops ops = {
    .size = sizeof ops, .create = create, .observe = observe, .next = next, .report = report};

POLICY_MODULE("policy_never", "never has enough", .flags = 0)
