/*
 * policy_crash.c - dies in the callback named by `where`, in the way named by `kind`; next and
 * observe only from sample `from` on. gbrun must cost the case only and keep its samples: crashed,
 * timed out (loop) or failed (fail, with words; status, one that nobody knows).
 */
#include "tests/modules/hurry.h"
#include "tests/modules/policy.h"
#include <stdlib.h>

static const char *const places[] = {"create", "observe", "next", "report", "destroy"};
enum { CREATE, OBSERVE, NEXT, REPORT, DESTROY };

static const char *const kinds[] = {"segv", "abort", "exit0", "loop", "fail", "status"};
enum { SEGV, ABORT, EXIT0, LOOP, FAIL };

struct params {
    int32_t where;
    int32_t kind;
    int64_t from;
};

static const struct gb_option options[] = {
    GB_CHOICE(struct params, where, "next", places, "the callback that dies"),
    GB_CHOICE(struct params, kind, "segv", kinds, "how it dies"),
    GB_INT(struct params, from, "50", "0:", "samples",
           "samples from which on next and observe die"),
};

static int32_t act(const struct policy *policy, int32_t where)
{
    volatile int *volatile nowhere = NULL;
    volatile int for_ever = 1;
    int64_t n = (int64_t)policy->n;
    if (where != policy->params->where ||
        ((where == OBSERVE || where == NEXT) && n < policy->params->from))
        return GB_OK;
    switch (policy->params->kind) {
    case SEGV:
        *nowhere = 1;
        break;
    case ABORT:
        abort();
    case EXIT0:
        exit(0);
    case LOOP:
        hurry_hang(0);
        while (for_ever)
            continue;
        break;
    case FAIL:
        return policy->host->fail(policy->host, "the policy's planned failure");
    default:
        return -77;
    }
    return GB_OK;
}

static int32_t create_and_act(const struct gb_host *host, const void *params, void **ret_policy)
{
    int32_t status = create(host, params, ret_policy);
    return status == GB_OK ? act(*ret_policy, CREATE) : status;
}

static int32_t observe_and_act(void *policy, const struct gb_samples *samples)
{
    observe(policy, samples);
    return act(policy, OBSERVE);
}

static int32_t next(void *object, struct gb_next *next)
{
    const struct policy *policy = object;
    next->decision = policy->n < 100 ? GB_MORE : GB_DONE;
    next->n_samples = 100;
    return act(policy, NEXT);
}

static int32_t report(void *policy, struct gb_estimate *estimate)
{
    report_mean(policy, estimate);
    return act(policy, REPORT);
}

static void destroy(void *policy)
{
    if (policy)
        act(policy, DESTROY);
}

static const struct gb_policy_ops ops = {
    .size = sizeof ops,
    .create = create_and_act,
    .observe = observe_and_act,
    .next = next,
    .report = report,
    .destroy = destroy,
};

POLICY_MODULE("policy_crash", "dies", POLICY_OPTIONS)
