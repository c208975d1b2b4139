/*
 * policy_sees.c - after 150 samples it reports a number that depends on every bit of what it was
 * shown: all columns, the tick, its random numbers and in which portions they came up to its looks,
 * which are at 40 samples and at 100 us. A replay must show a policy the very same.
 */
#include <gbrun/gbrun.h>
#include <string.h>

enum { SAMPLES = 150, FIRST_LOOK = 40 };

struct policy {
    uint64_t n, n_looks;
    uint64_t seen;
};

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

static int32_t create(const struct gb_host *host, const void *params, void **ret_policy)
{
    struct policy *policy = host->allocate(host, sizeof *policy);
    (void)params;
    if (!policy)
        return GB_NO_MEMORY;
    policy->seen = 1;
    mix(policy, host->random(host, 0, 0));
    *ret_policy = policy;
    return GB_OK;
}

static int32_t observe(void *object, const struct gb_samples *samples)
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

static int32_t next(void *object, struct gb_next *next)
{
    struct policy *policy = object;
    next->decision = policy->n < SAMPLES ? GB_MORE : GB_DONE;
    next->n_samples = policy->n < FIRST_LOOK ? FIRST_LOOK : SAMPLES;
    next->elapsed_ns = 100e3;
    mix(policy, policy->n + ++policy->n_looks);
    return GB_OK;
}

static int32_t report(void *object, struct gb_estimate *estimate)
{
    const struct policy *policy = object;
    estimate->n = policy->n;
    estimate->value_ns = (double)(policy->seen >> 12);
    estimate->low_ns = estimate->high_ns = estimate->value_ns;
    return GB_OK;
}

static const struct gb_policy_ops ops = {
    .size = sizeof ops, .create = create, .observe = observe, .next = next, .report = report};

static const struct gb_plugin plugin = {
    .size = sizeof plugin,
    .kind = GB_PLUGIN_POLICY,
    .id = "policy_sees",
    .version = "1.0",
    .summary = "reports what it was shown",
    .ops = &ops,
};

GB_MODULE(&plugin)
