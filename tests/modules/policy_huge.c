/*
 * policy_huge.c - asks for 2^63 samples, or with `most` for 2^64 - 1. gbrun must not allocate for
 * them, nor overflow: max_samples and max_time end the case.
 */
#include <gbrun/gbrun.h>

struct params {
    int32_t most;
};

static const struct gb_option options[] = {
    GB_BOOL(struct params, most, "no", "ask for 2^64 - 1"),
};

struct policy {
    const struct params *params;
    uint64_t n;
    double sum_ns;
};

static int32_t create(const struct gb_host *host, const void *params, void **ret_policy)
{
    struct policy *policy = host->allocate(host, sizeof *policy);
    if (!policy)
        return GB_NO_MEMORY;
    policy->params = params;
    *ret_policy = policy;
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

static int32_t next(void *object, struct gb_next *next)
{
    const struct policy *policy = object;
    next->decision = GB_MORE;
    next->n_samples = policy->params->most ? UINT64_MAX : (uint64_t)1 << 63;
    return GB_OK;
}

static int32_t report(void *object, struct gb_estimate *estimate)
{
    const struct policy *policy = object;
    estimate->n = policy->n;
    estimate->value_ns = policy->n ? policy->sum_ns / (double)policy->n : 0;
    estimate->low_ns = estimate->value_ns;
    estimate->high_ns = estimate->value_ns;
    return GB_OK;
}

static void destroy(void *policy)
{
    (void)policy; /* the host's memory */
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
    .id = "policy_huge",
    .version = "1.0",
    .summary = "asks for more than there can be",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .params_size = sizeof(struct params),
    .ops = &ops,
};
static const struct gb_plugin *const plugins[] = {&plugin};
static const struct gb_module module = {
    .size = sizeof module,
    .abi_major = GB_ABI_MAJOR,
    .abi_minor = GB_ABI_MINOR,
    .n_plugins = 1,
    .plugins = plugins,
};

const struct gb_module *gb_module_v1(void)
{
    return &module;
}
