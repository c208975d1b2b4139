/*
 * stopping_looks.c - see stopping_looks.h. A policy is put inside another one, which passes every
 * call on and keeps its time, so that all goes the way of every other trial.
 */
#include "tests/stopping/stopping_looks.h"

#include <math.h>
#include <time.h>

enum { LOOKS_MAX = 4096, REPEATS = 5, BATCH = 4096 };

struct timed {
    const struct stopping_policy *policy;
    void *object; /* of the policy inside */
    uint64_t n, n_looks;
    double last_ns;  /* it took in the last sample before the look */
    double total_ns; /* of all calls */
    double report_ns;
    struct {
        uint64_t n;
        double ns;
    } looks[LOOKS_MAX];
};

/* Of this thread alone: what else the machine does is not the policy's. */
static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static const struct gb_policy_ops *inside(const struct timed *timed)
{
    return timed->policy->plugin->ops;
}

/* The least of the repeats; a policy that looks at every sample fills the table, and the rest is
 * not kept. */
static void keep(struct timed *timed, double ns)
{
    if (timed->n_looks == LOOKS_MAX)
        return;
    const uint64_t i = timed->n_looks++;
    timed->looks[i].ns = timed->looks[i].n == 0 ? ns : fmin(ns, timed->looks[i].ns);
    timed->looks[i].n = timed->n;
}

/* The outer policy's params are its object. */
static int32_t create(const struct gb_host *host, const void *params, void **ret_policy)
{
    struct timed *timed = *(struct timed *const *)params;
    *ret_policy = timed;
    return inside(timed)->create(host, timed->policy->params, &timed->object);
}

/* In batches, which count like looks, and the last sample apart from the others: what is put off
 * until a look is due, or done at its last sample, is part of the look. */
static int32_t observe(void *object, const struct gb_samples *samples)
{
    struct timed *timed = object;
    struct gb_samples part = *samples;
    int32_t status = GB_OK;
    for (uint64_t left = samples->n; left > 0 && status == GB_OK; left -= part.n) {
        const uint64_t first = samples->n - left;
        part.n = left == 1 ? 1 : left - 1 < BATCH ? left - 1 : BATCH;
        part.time_ns = samples->time_ns + first;
        part.elapsed_ns = samples->elapsed_ns + first;
        part.iterations = samples->iterations + first;
        part.flags = samples->flags + first;
        double before = now_ns();
        status = inside(timed)->observe(timed->object, &part);
        timed->last_ns = now_ns() - before;
        timed->total_ns += timed->last_ns;
        timed->n += part.n;
        if (left > 1)
            keep(timed, timed->last_ns);
    }
    return status;
}

static int32_t next(void *object, struct gb_next *next)
{
    struct timed *timed = object;
    double before = now_ns();
    int32_t status = inside(timed)->next(timed->object, next);
    double ns = now_ns() - before;
    timed->total_ns += ns;
    keep(timed, ns + timed->last_ns);
    timed->last_ns = 0;
    return status;
}

static int32_t report(void *object, struct gb_estimate *estimate)
{
    struct timed *timed = object;
    double before = now_ns();
    int32_t status = inside(timed)->report(timed->object, estimate);
    double ns = now_ns() - before;
    timed->total_ns += ns;
    timed->report_ns = fmin(ns, timed->report_ns);
    return status;
}

static void destroy(void *object)
{
    struct timed *timed = object;
    if (timed && inside(timed)->destroy)
        inside(timed)->destroy(timed->object);
}

/* Traces on which the precision is out of reach, or nearly so: slow correlation, many different
 * values, few of them, an order that costs some ways of selecting dear. */
static const struct trace_family hard_families[] = {
    {.name = "slow", .noise = trace_autoregressive, .noise_parameters = {0.9999, 0.1}},
    {.name = "slow on a timer",
     .tick_ns = 1000,
     .noise = trace_autoregressive,
     .noise_parameters = {0.9999, 0.1}},
    {.name = "slow on a dithered timer",
     .flags = TRACE_DITHERED,
     .tick_ns = 1000,
     .noise = trace_autoregressive,
     .noise_parameters = {0.9999, 0.1}},
    {.name = "ascending", .level = trace_ramp, .level_parameters = {-0.9, 1e11}},
    {.name = "regimes",
     .noise = trace_normal_noise,
     .noise_parameters = {0.02},
     .level = trace_regimes,
     .level_parameters = {0.3, 1e9, 1e9}},
};

struct worst_look stopping_looks(const struct stopping_policy *policy, uint64_t max_samples,
                                 uint64_t seed)
{
    static const struct gb_policy_ops ops = {.size = sizeof ops,
                                             .create = create,
                                             .observe = observe,
                                             .next = next,
                                             .report = report,
                                             .destroy = destroy};
    static struct timed timed;
    const struct timed *params = &timed;
    struct gb_plugin plugin = *policy->plugin;
    plugin.ops = &ops;
    const struct stopping_policy outside = {.plugin = &plugin, .params = &params};
    const struct guards guards = {stopping_guards.min_samples, max_samples,
                                  stopping_guards.max_time_ns, 0};
    struct worst_look worst = {0};
    struct trace trace = {0};
    for (size_t i = 0; i < sizeof hard_families / sizeof hard_families[0]; i++) {
        const struct trace_setting setting = {&hard_families[i], 1e4, 3e3};
        trace_begin(&trace, &setting, seed, 0);
        double a_sample_ns = INFINITY;
        timed = (struct timed){.policy = policy, .report_ns = INFINITY};
        for (int repeat = 0; repeat < REPEATS; repeat++) {
            timed.n = timed.n_looks = 0;
            timed.total_ns = timed.last_ns = 0;
            stopping_trial(&outside, &guards, NULL, &trace, 0);
            a_sample_ns = fmin(a_sample_ns, timed.total_ns / (double)timed.n);
        }
        worst.a_sample_ns = fmax(worst.a_sample_ns, a_sample_ns);
        worst.report_ns = fmax(worst.report_ns, timed.report_ns);
        for (uint64_t j = 0; j < timed.n_looks; j++) {
            worst.n_looks++;
            if (timed.looks[j].ns > worst.ns) {
                worst.ns = timed.looks[j].ns;
                worst.n = timed.looks[j].n;
                worst.family = hard_families[i].name;
            }
        }
    }
    trace_free(&trace);
    return worst;
}
