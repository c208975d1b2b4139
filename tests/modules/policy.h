/*
 * policy.h - a stopping policy that reports the mean of all samples, for modules that do something
 * wrong beside that. They define struct params and `options` if they have any, a next(), `ops`,
 * and end with POLICY_MODULE.
 */
#pragma once

#include <gbrun/gbrun.h>

struct policy {
    const struct params *params;
    const struct gb_host *host;
    uint64_t n;
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

static int32_t report_mean(void *object, struct gb_estimate *estimate)
{
    const struct policy *policy = object;
    estimate->n = policy->n;
    estimate->value_ns = policy->n ? policy->sum_ns / (double)policy->n : 0;
    estimate->low_ns = estimate->high_ns = estimate->value_ns;
    return GB_OK;
}

/* With `ops`, and members of struct gb_plugin. */
#define POLICY_MODULE(name, words, ...)                                                            \
    static const struct gb_plugin plugin = {.size = sizeof plugin,                                 \
                                            .kind = GB_PLUGIN_POLICY,                              \
                                            .id = name,                                            \
                                            .version = "1.0",                                      \
                                            .summary = words,                                      \
                                            .ops = &ops,                                           \
                                            __VA_ARGS__};                                          \
    GB_MODULE(&plugin)
#define POLICY_OPTIONS GB_OPTIONS(options, struct params)
