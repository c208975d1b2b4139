/*
 * policies.c - stopping policies that do what the comment above each says, and what gbrun must make
 * of it. If nothing else is said they report the mean of all samples.
 */
#include "tests/modules/harm.h"
#include "tests/modules/words.h"

#include <gbrun/gbrun.h>
#include <math.h>

struct params {
    int32_t where, kind, most, lie;
    int64_t from;
};

struct policy {
    const struct params *params;
    const struct gb_host *host;
    uint64_t n, n_looks, seen;
    double sum_ns;
};

static int32_t create(const struct gb_host *host, const void *params, void **ret_policy)
{
    struct policy *policy = *ret_policy = host->allocate(host, sizeof *policy);
    if (!policy)
        return GB_NO_MEMORY;
    policy->params = params;
    policy->host = host;
    return GB_OK;
}

static int32_t observe(void *object, const struct gb_samples *samples)
{
    struct policy *policy = object;
    for (uint64_t i = 0; i < samples->n; i++)
        policy->sum_ns += samples->time_ns[i];
    policy->n += samples->n;
    return GB_OK;
}

/* A next that wants so many samples while `more` holds of the policy. */
#define NEXT(name, more, n_)                                                                       \
    static int32_t name(void *object, struct gb_next *next)                                        \
    {                                                                                              \
        const struct policy *policy = object;                                                      \
        next->decision = (more) ? GB_MORE : GB_DONE;                                               \
        next->n_samples = n_;                                                                      \
        return GB_OK;                                                                              \
    }
NEXT(next_until_100, policy->n < 100, 100)
static int32_t report_value(const struct policy *policy, double value_ns,
                            struct gb_estimate *estimate)
{
    estimate->n = policy->n;
    estimate->value_ns = estimate->low_ns = estimate->high_ns = value_ns;
    return GB_OK;
}

static int32_t report_mean(void *object, struct gb_estimate *estimate)
{
    const struct policy *policy = object;
    return report_value(policy, policy->n ? policy->sum_ns / (double)policy->n : 0, estimate);
}

/* Behind the functions its options, if any. */
#define POLICY(name, summary_, create_, observe_, next_, report_, destroy_, ...)                   \
    static const struct gb_option name##_options[] = {__VA_ARGS__};                                \
    static const SIZED(gb_policy_ops, name##_ops, .create = create_, .observe = observe_,          \
                       .next = next_, .report = report_, .destroy = destroy_);                     \
    static const struct gb_plugin name = {GB_PLUGIN(POLICY, #name, "1.0", summary_),               \
                                          GB_OPTIONS(name##_options, struct params),               \
                                          .ops = &name##_ops};

/* ---- policy_crash: dies in the callback named by `where`, in the way named by `kind`; next and
 * observe only from sample `from` on. gbrun must cost the case only and keep its samples: crashed,
 * timed out (loop) or failed (fail, with words; status, one that nobody knows). ---- */

static const char *const places[] = {"create", "observe", "next", "report", "destroy"};
enum { CREATE, OBSERVE, NEXT, REPORT, DESTROY };

#define KINDS(X)                                                                                   \
    X(segv, store_nowhere())                                                                       \
    X(abort, abort())                                                                              \
    X(exit0, exit(0))                                                                              \
    X(loop, compute_for_ever())                                                                    \
    X(fail, return policy->host->fail(policy->host, "the policy's planned failure"))               \
    X(status, return -77)
static const char *const kinds[] = {KINDS(WORD)};
enum { KINDS(WORD_NUMBER) };

static int32_t act(const struct policy *policy, int32_t where)
{
    if (where != policy->params->where ||
        ((where == OBSERVE || where == NEXT) && (int64_t)policy->n < policy->params->from))
        return GB_OK;
    switch (policy->params->kind) {
        KINDS(WORD_CASE)
    default:
        break;
    }
    return GB_OK;
}

static int32_t create_and_act(const struct gb_host *host, const void *params, void **ret_policy)
{
    const int32_t status = create(host, params, ret_policy);
    return status == GB_OK ? act(*ret_policy, CREATE) : status;
}

#define DO_AND_ACT(does, type, where)                                                              \
    static int32_t does##_and_act(void *policy, type told)                                         \
    {                                                                                              \
        does(policy, told);                                                                        \
        return act(policy, where);                                                                 \
    }
DO_AND_ACT(observe, const struct gb_samples *, OBSERVE)
DO_AND_ACT(next_until_100, struct gb_next *, NEXT)
DO_AND_ACT(report_mean, struct gb_estimate *, REPORT)

static void destroy_and_act(void *policy)
{
    if (policy)
        act(policy, DESTROY);
}

POLICY(policy_crash, "dies", create_and_act, observe_and_act, next_until_100_and_act,
       report_mean_and_act, destroy_and_act,
       GB_CHOICE(struct params, where, "next", places, "the callback that dies"),
       GB_CHOICE(struct params, kind, "segv", kinds, "how it dies"),
       GB_INT(struct params, from, "50", "0:", "samples",
              "samples from which on next and observe die"))

/* ---- policy_huge: gbrun must not allocate for what it asks for, nor overflow: max_samples and
 * max_time end the case. ---- */

NEXT(next_of_huge, policy, policy->params->most ? UINT64_MAX : (uint64_t)1 << 63)
POLICY(policy_huge, "asks for more than there can be", create, observe, next_of_huge, report_mean,
       NULL, GB_BOOL(struct params, most, "no", "ask for 2^64 - 1"))

/* ---- policy_liar: after 100 samples it reports what cannot be. gbrun must neither crash nor store
 * nonsense as if it were a result: the case is marked or failed, exports stay valid. ---- */

static const char *const lies[] = {"all", "reversed"};
enum { ALL, REVERSED };

static int32_t next_of_liar(void *object, struct gb_next *next)
{
    const struct policy *policy = object;
    next_until_100(object, next);
    if (policy->n >= 100 && policy->params->lie == ALL)
        memset(next->reason, 'r', sizeof next->reason);
    return GB_OK;
}

static int32_t report_lies(void *object, struct gb_estimate *estimate)
{
    const struct policy *policy = object;
    report_mean(object, estimate);
    estimate->low_ns = 2 * estimate->value_ns;
    estimate->high_ns = estimate->value_ns / 2;
    if (policy->params->lie == REVERSED)
        return GB_OK;
    estimate->value_ns = estimate->confidence = (double)NAN;
    estimate->verdict = 77;
    memset(estimate->statistic, 's', sizeof estimate->statistic);
    estimate->n_modes = 1000000;
    estimate->n = estimate->n_discarded = UINT64_MAX;
    estimate->n_effective = -1;
    return GB_OK;
}

POLICY(policy_liar, "reports what cannot be", create, observe, next_of_liar, report_lies, NULL,
       GB_CHOICE(struct params, lie, "all", lies, "what it lies about"))

/* ---- policy_never: never has enough, one sample at a time. gbrun's own guards (max_samples,
 * max_time) must end the case, and the stop reason must name the guard. ---- */

NEXT(next_of_never, policy, policy->n + 1)

static int32_t report_unconverged(void *policy, struct gb_estimate *estimate)
{
    report_mean(policy, estimate);
    estimate->verdict = GB_VERDICT_UNCONVERGED;
    return GB_OK;
}

POLICY(policy_never, "never has enough", create, observe, next_of_never, report_unconverged, NULL)

/* ---- policy_sees: after 150 samples it reports a number that depends on every bit of what it was
 * shown: all columns, the tick, its random numbers and in which portions they came up to its looks,
 * which are at 40 samples and at 100 us. A replay must show a policy the very same. ---- */

enum { SAMPLES = 150, FIRST_LOOK = 40 };

static void mix(struct policy *policy, uint64_t value)
{
    policy->seen = (policy->seen ^ value) * 0x100000001B3u;
    policy->seen ^= policy->seen >> 29;
}

static void mix_number(struct policy *policy, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    mix(policy, bits);
}

static int32_t create_seeing(const struct gb_host *host, const void *params, void **ret_policy)
{
    const int32_t status = create(host, params, ret_policy);
    struct policy *policy = *ret_policy;
    if (status != GB_OK)
        return status;
    policy->seen = 1;
    mix(policy, host->random(host, 0, 0));
    return GB_OK;
}

static int32_t observe_all(void *object, const struct gb_samples *samples)
{
    struct policy *policy = object;
    for (uint64_t i = 0; i < samples->n; i++) {
        mix_number(policy, samples->time_ns[i]);
        mix_number(policy, samples->elapsed_ns[i]);
        mix_number(policy, samples->clock_hz[i]);
        mix(policy, samples->iterations[i]);
        mix(policy, samples->throttle[i]);
        mix(policy, samples->flags[i]);
        mix_number(policy, samples->tick_ns);
    }
    policy->n += samples->n;
    return GB_OK;
}

static int32_t next_look(void *object, struct gb_next *next)
{
    struct policy *policy = object;
    next->decision = policy->n < SAMPLES ? GB_MORE : GB_DONE;
    next->n_samples = policy->n < FIRST_LOOK ? FIRST_LOOK : SAMPLES;
    next->elapsed_ns = 100e3;
    mix(policy, policy->n + ++policy->n_looks);
    return GB_OK;
}

static int32_t report_seen(void *object, struct gb_estimate *estimate)
{
    const struct policy *policy = object;
    return report_value(policy, (double)(policy->seen >> 12), estimate);
}

POLICY(policy_sees, "reports what it was shown", create_seeing, observe_all, next_look, report_seen,
       NULL)

/* ---- policy_zero: asks for more without a condition: GB_MORE, 0 samples, no elapsed time. gbrun
 * must take at least one sample before it asks again, or fail the case; never spin. ---- */

NEXT(next_without_condition, policy->n < 20, 0)
POLICY(policy_zero, "asks for nothing", create, observe, next_without_condition, report_mean, NULL)

GB_MODULE(&policy_crash, &policy_huge, &policy_liar, &policy_never, &policy_sees, &policy_zero)
