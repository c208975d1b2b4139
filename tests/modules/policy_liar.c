/*
 * policy_liar.c - after 100 samples it reports what cannot be, as named by `lie`: NaN or infinite
 * estimates, an interval the wrong way round, a verdict or a decision that does not exist, a
 * reason or a statistic that no NUL ends, far too many modes. gbrun must neither crash nor store
 * nonsense as if it were a result: the case is marked or failed, exports stay valid.
 */
#include "tests/modules/policy.h"
#include <math.h>
#include <string.h>

static const char *const lies[] = {"all",      "nan",    "infinite",  "reversed", "verdict",
                                   "decision", "reason", "statistic", "modes",    "counts"};
enum { ALL, NOT_A_NUMBER, INFINITE, REVERSED, VERDICT, DECISION, REASON, STATISTIC, MODES, COUNTS };

struct params {
    int32_t lie;
};

static const struct gb_option options[] = {
    GB_CHOICE(struct params, lie, "all", lies, "what it lies about"),
};

static int tells(const struct policy *policy, int32_t lie)
{
    return policy->params->lie == ALL || policy->params->lie == lie;
}

static void lie_about_times(const struct policy *policy, struct gb_estimate *estimate)
{
    if (tells(policy, REVERSED)) {
        estimate->low_ns = 2 * estimate->value_ns;
        estimate->high_ns = estimate->value_ns / 2;
    }
    if (tells(policy, INFINITE)) {
        estimate->value_ns = (double)INFINITY;
        estimate->confidence = 7;
    }
    if (tells(policy, NOT_A_NUMBER)) {
        estimate->value_ns = (double)NAN;
        estimate->confidence = (double)NAN;
    }
}

static int32_t next(void *object, struct gb_next *next)
{
    const struct policy *policy = object;
    next->decision = policy->n < 100 ? GB_MORE : GB_DONE;
    next->n_samples = 100;
    if (policy->n < 100)
        return GB_OK;
    if (policy->params->lie == DECISION)
        next->decision = 77;
    if (tells(policy, REASON))
        memset(next->reason, 'r', sizeof next->reason);
    return GB_OK;
}

static int32_t report(void *object, struct gb_estimate *estimate)
{
    const struct policy *policy = object;
    report_mean(object, estimate);
    lie_about_times(policy, estimate);
    if (tells(policy, VERDICT))
        estimate->verdict = 77;
    if (tells(policy, STATISTIC))
        memset(estimate->statistic, 's', sizeof estimate->statistic);
    if (tells(policy, MODES))
        estimate->n_modes = 1000000;
    if (tells(policy, COUNTS)) {
        estimate->n = UINT64_MAX;
        estimate->n_discarded = UINT64_MAX;
        estimate->n_effective = -1;
    }
    return GB_OK;
}

static const struct gb_policy_ops ops = {
    .size = sizeof ops, .create = create, .observe = observe, .next = next, .report = report};

POLICY_MODULE("policy_liar", "reports what cannot be", POLICY_OPTIONS)
