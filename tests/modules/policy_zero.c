/*
 * policy_zero.c - asks for more without a condition: GB_MORE, 0 samples, no elapsed time. gbrun
 * must take at least one sample before it asks again, or fail the case; never spin.
 */
#include "tests/modules/policy.h"

static int32_t next(void *object, struct gb_next *next)
{
    const struct policy *policy = object;
    next->decision = policy->n < 20 ? GB_MORE : GB_DONE;
    return GB_OK;
}

static const struct gb_policy_ops ops = {
    .size = sizeof ops, .create = create, .observe = observe, .next = next, .report = report_mean};

POLICY_MODULE("policy_zero", "asks for nothing", .flags = 0)
