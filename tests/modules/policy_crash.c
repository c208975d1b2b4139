/*
 * policy_crash.c - dies in the callback named by `where`, in the way named by `kind`; next and
 * observe only from sample `from` on. gbrun must cost the case only and keep its samples: crashed,
 * timed out (loop) or failed (fail, with words; status, one that nobody knows).
 */
#include <gbrun/gbrun.h>
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

struct policy {
    const struct params *params;
    uint64_t n;
    double sum_ns;
    const struct gb_host *host;
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

static int32_t create(const struct gb_host *host, const void *params, void **ret_policy)
{
    struct policy *policy = host->allocate(host, sizeof *policy);
    if (!policy)
        return GB_NO_MEMORY;
    policy->params = params;
    policy->host = host;
    *ret_policy = policy;
    return act(policy, CREATE);
}

static int32_t observe(void *object, const struct gb_samples *samples)
{
    struct policy *policy = object;
    for (uint64_t i = 0; i < samples->n; i++)
        policy->sum_ns += samples->time_ns[i];
    policy->n += samples->n;
    return act(policy, OBSERVE);
}

static int32_t next(void *object, struct gb_next *next)
{
    const struct policy *policy = object;
    next->decision = policy->n < 100 ? GB_MORE : GB_DONE;
    next->n_samples = 100;
    return act(policy, NEXT);
}

static int32_t report(void *object, struct gb_estimate *estimate)
{
    const struct policy *policy = object;
    estimate->n = policy->n;
    estimate->value_ns = policy->n ? policy->sum_ns / (double)policy->n : 0;
    estimate->low_ns = estimate->value_ns;
    estimate->high_ns = estimate->value_ns;
    return act(policy, REPORT);
}

static void destroy(void *policy)
{
    if (policy)
        act(policy, DESTROY);
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
    .id = "policy_crash",
    .version = "1.0",
    .summary = "dies",
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
