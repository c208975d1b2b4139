/*
 * policy_huge.c - asks for 2^63 samples, or with `most` for 2^64 - 1. gbrun must not allocate for
 * them, nor overflow: max_samples and max_time end the case.
 */
#include "tests/modules/policy.h"

struct params {
    int32_t most;
};

static const struct gb_option options[] = {
    GB_BOOL(struct params, most, "no", "ask for 2^64 - 1"),
};

static int32_t next(void *object, struct gb_next *next)
{
    const struct policy *policy = object;
    next->decision = GB_MORE;
    next->n_samples = policy->params->most ? UINT64_MAX : (uint64_t)1 << 63;
    return GB_OK;
}

static const struct gb_policy_ops ops = {
    .size = sizeof ops, .create = create, .observe = observe, .next = next, .report = report_mean};

POLICY_MODULE("policy_huge", "asks for more than there can be", POLICY_OPTIONS)
