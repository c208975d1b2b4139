/*
 * plugin_name.c - a stopping policy to start from: until the shortest time has not been beaten for
 * a while. What a policy has to keep to stands in gbrun/policy.h.
 */
#include <gbrun/gbrun.h>
#include <math.h>
#include <string.h>

struct params {
    int64_t patience;
};

static const struct gb_option options[] = {
    GB_INT(struct params, patience, "50", "1:1000000000", "samples",
           "samples without a new shortest time after which to stop"),
};

struct policy {
    const struct params *params;
    uint64_t n;
    uint64_t n_since_best;
    double best_ns;
};

/* create: Required. Nothing has been measured yet. */
static int32_t create(const struct gb_host *host, const void *params, void **ret_policy)
{
    struct policy *policy = host->allocate(host, sizeof *policy);
    if (policy == NULL)
        return GB_NO_MEMORY;
    policy->params = params;
    *ret_policy = policy;
    return GB_OK;
}

/* observe: Required. Takes in samples, each once and in order; the arrays are the host's and valid
 * during the call only. No clock and no device may be asked here: the same samples must lead to the
 * same verdict when they are replayed from a file. */
static int32_t observe(void *object, const struct gb_samples *samples)
{
    struct policy *policy = object;
    for (uint64_t i = 0; i < samples->n; i++) {
        policy->n++;
        policy->n_since_best++;
        if (policy->n == 1 || samples->time_ns[i] < policy->best_ns) {
            policy->best_ns = samples->time_ns[i];
            policy->n_since_best = 0;
        }
    }
    return GB_OK;
}

/* next: Required. Says whether to go on, and if so when to ask again. Here that is when patience
 * would be at its end if nothing better came, so that few questions are asked. */
static int32_t next(void *object, struct gb_next *next)
{
    const struct policy *policy = object;
    const uint64_t patience = (uint64_t)policy->params->patience;
    if (policy->n == 0 || policy->n_since_best < patience) {
        next->decision = GB_MORE;
        next->n_samples = policy->n + patience - policy->n_since_best;
        return GB_OK;
    }
    next->decision = GB_DONE;
    strcpy(next->reason, "shortest time settled");
    return GB_OK;
}

/* report: Required. What the policy guarantees. Everything has been zeroed; an interval that is
 * not claimed is NaN on both sides. */
static int32_t report(void *object, struct gb_estimate *estimate)
{
    const struct policy *policy = object;
    estimate->verdict = GB_VERDICT_NONE;
    estimate->value_ns = policy->n > 0 ? policy->best_ns : (double)NAN;
    estimate->low_ns = (double)NAN;
    estimate->high_ns = (double)NAN;
    strcpy(estimate->statistic, "minimum");
    estimate->n = policy->n;
    return GB_OK;
}

/* destroy: Not required. */
static const struct gb_policy_ops ops = {
    .size = sizeof ops,
    .create = create,
    .observe = observe,
    .next = next,
    .report = report,
};

static const struct gb_plugin plugin = {
    .size = sizeof plugin,
    .kind = GB_PLUGIN_POLICY,
    .id = "plugin_name",
    .version = "1.0",
    .summary = "until the shortest time has settled",
    .help = "Stops when `patience` samples in a row have brought no shorter time. It guarantees "
            "nothing about how far that time is from the shortest possible one.",
    GB_OPTIONS(options, struct params),
    .ops = &ops,
};

GB_MODULE(&plugin)
