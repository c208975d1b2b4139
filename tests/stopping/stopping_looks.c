/*
 * stopping_looks.c - see stopping_looks.h. A policy is put inside another one, which passes every
 * call on and keeps its time, so that all goes the way of every other trial.
 */
#include "tests/stopping/stopping_looks.h"

#include <math.h>
#include <time.h>

enum { LOOKS_MAX = 4096, REPEATS = 5, BATCH = 4096 };

/* The policy inside, and its calls. */
static struct {
    const struct stopping_policy *policy;
    const struct gb_policy_ops *ops;
    void *object;
    uint64_t n, n_looks;
    double last_ns;  /* it took in the last sample before the look */
    double total_ns; /* of all calls */
    double report_ns;
    struct {
        uint64_t n;
        double ns;
    } looks[LOOKS_MAX];
} inside;

/* Of this thread alone: what else the machine does is not the policy's. */
static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static double call_ns(double begin_ns)
{
    const double ns = now_ns() - begin_ns;
    inside.total_ns += ns;
    return ns;
}

/* The least of the repeats; a policy that looks at every sample fills the table, and the rest is
 * not kept. */
static void keep(double ns)
{
    if (inside.n_looks == LOOKS_MAX)
        return;
    const uint64_t i = inside.n_looks++;
    inside.looks[i].ns = inside.looks[i].n == 0 ? ns : fmin(ns, inside.looks[i].ns);
    inside.looks[i].n = inside.n;
}

static int32_t create(const struct gb_host *host, const void *params, void **ret_policy)
{
    (void)params;
    *ret_policy = &inside;
    return inside.ops->create(host, inside.policy->params, &inside.object);
}

/* In batches, which count like looks, and the last sample apart from the others: what is put off
 * until a look is due, or done at its last sample, is part of the look. */
static int32_t observe(void *object, const struct gb_samples *samples)
{
    (void)object;
    struct gb_samples part = *samples;
    int32_t status = GB_OK;
    for (uint64_t left = samples->n; left > 0 && status == GB_OK; left -= part.n) {
        const uint64_t first = samples->n - left;
        part.n = left == 1 ? 1 : left - 1 < BATCH ? left - 1 : BATCH;
        part.time_ns = samples->time_ns + first;
        part.elapsed_ns = samples->elapsed_ns + first;
        part.iterations = samples->iterations + first;
        part.flags = samples->flags + first;
        double begin_ns = now_ns();
        status = inside.ops->observe(inside.object, &part);
        inside.last_ns = call_ns(begin_ns);
        inside.n += part.n;
        if (left > 1)
            keep(inside.last_ns);
    }
    return status;
}

static int32_t next(void *object, struct gb_next *next)
{
    (void)object;
    double begin_ns = now_ns();
    int32_t status = inside.ops->next(inside.object, next);
    keep(call_ns(begin_ns) + inside.last_ns);
    inside.last_ns = 0;
    return status;
}

static int32_t report(void *object, struct gb_estimate *estimate)
{
    (void)object;
    double begin_ns = now_ns();
    int32_t status = inside.ops->report(inside.object, estimate);
    inside.report_ns = fmin(call_ns(begin_ns), inside.report_ns);
    return status;
}

static void destroy(void *object)
{
    if (object && inside.ops->destroy)
        inside.ops->destroy(inside.object);
}

/* Traces on which the precision is out of reach, or nearly so: slow correlation, many different
 * values, few of them, an order that costs some ways of selecting dear. */
#define SLOW .noise = trace_autoregressive, .noise_parameters = {0.9999, 0.1}
static const struct trace_family hard_families[] = {
    {.name = "slow", SLOW},
    {.name = "slow on a timer", .tick_ns = 1000, SLOW},
    {.name = "slow on a dithered timer", .flags = TRACE_DITHERED, .tick_ns = 1000, SLOW},
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
    static const struct gb_policy_ops ops = {sizeof ops, 0, create, observe, next, report, destroy};
    struct gb_plugin plugin = *policy->plugin;
    const struct stopping_policy outside = {.plugin = &plugin};
    struct guards guards = stopping_guards;
    struct worst_look worst = {0};
    struct trace trace = {0};
    plugin.ops = &ops;
    guards.max_samples = max_samples;
    for (size_t i = 0; i < sizeof hard_families / sizeof hard_families[0]; i++) {
        const struct trace_setting setting = {&hard_families[i], 1e4, 3e3};
        trace_begin(&trace, &setting, seed, 0);
        double a_sample_ns = INFINITY;
        memset(&inside, 0, sizeof inside);
        inside.policy = policy;
        inside.ops = policy->plugin->ops;
        inside.report_ns = INFINITY;
        for (int repeat = 0; repeat < REPEATS; repeat++) {
            inside.n = inside.n_looks = 0;
            inside.total_ns = inside.last_ns = 0;
            stopping_trial(&outside, &guards, NULL, &trace, 0);
            a_sample_ns = fmin(a_sample_ns, inside.total_ns / (double)inside.n);
        }
        worst.a_sample_ns = fmax(worst.a_sample_ns, a_sample_ns);
        worst.report_ns = fmax(worst.report_ns, inside.report_ns);
        worst.n_looks += inside.n_looks;
        for (uint64_t j = 0; j < inside.n_looks; j++) {
            if (inside.looks[j].ns > worst.ns) {
                worst.ns = inside.looks[j].ns;
                worst.n = inside.looks[j].n;
                worst.family = hard_families[i].name;
            }
        }
    }
    trace_free(&trace);
    return worst;
}
