/*
 * fixed.c - the policies that claim nothing: `fixed`, a given number of samples, and `budget`, a
 * given time of measuring. Plugin side.
 *
 * Samples of a recording of any length are kept in bounded memory: up to SAMPLES_MOST all of them.
 * Of longer recordings one sample of each 2, then 4, 8 ... in a row is kept, drawn at random, so
 * that no rhythm of the samples can hide between those kept: at least half of SAMPLES_MOST, evenly
 * over the whole recording and in the order measured. What is estimated from them has the interval
 * of as many samples as are kept.
 */
#include "plugins/common/policy/median_estimate.h"

#include <gbrun/gbrun.h>
#include <math.h>
#include <stdio.h>

enum { SAMPLES_MOST = 131072 };

struct params {
    int64_t samples; /* of fixed */
    double time;     /* of budget */
};

struct policy {
    const struct gb_host *host; /* whose seed decides what is drawn */
    const struct params *params;
    struct sample_array kept;
    uint64_t n_seen;
    double elapsed_ns; /* of the last one seen */
    uint64_t one_of;   /* so many samples one is kept; 0, as 1: all */
    uint64_t place;    /* of the next sample, among those that one is kept of */
    uint64_t drawn;    /* the place of the one that is */
};

static const struct gb_option fixed_options[] = {
    GB_INT(struct params, samples, "100", "1:1000000000", "samples", "samples to take"),
};
static const struct gb_option budget_options[] = {
    GB_DURATION(struct params, time, "1s", "0:1000 h", "wall time to spend on samples"),
};

POLICY_CREATE(struct policy);

/* Of the host's streams of random numbers. */
enum { STREAM_PAIRS = 1, STREAM_GROUPS = 2 };

/* The numbers drawn depend on which samples they are drawn for alone: not on how many came at a
 * time. */
static uint64_t draw(const struct policy *policy, uint64_t stream, uint64_t index, uint64_t n)
{
    return policy->host->random(policy->host, stream, index) % n; /* n: a power of 2 */
}

/* Keeps one of each two. Between groups only: place is 0. */
static void halve(struct policy *policy)
{
    struct sample_array *kept = &policy->kept;
    kept->n /= 2;
    for (uint64_t i = 0; i < kept->n; i++)
        kept->times[i] = kept->times[2 * i + draw(policy, STREAM_PAIRS, policy->n_seen + i, 2)];
    policy->one_of = policy->one_of < 2 ? 2 : 2 * policy->one_of;
}

static void add_some(struct policy *policy, const double *times, uint64_t n)
{
    struct sample_array *kept = &policy->kept;
    for (uint64_t i = 0; i < n; i++, policy->n_seen++) {
        if (policy->place == 0)
            policy->drawn = draw(policy, STREAM_GROUPS, policy->n_seen, policy->one_of);
        if (policy->place == policy->drawn && isfinite(times[i]))
            kept->times[kept->n++] = times[i];
        policy->place = (policy->place + 1) % policy->one_of;
        if (kept->n == SAMPLES_MOST && policy->place == 0)
            halve(policy);
    }
}

/* All of them, until there are too many to keep. *ret_n: how many were taken. */
static int32_t add_all(struct policy *policy, const struct gb_samples *samples, uint64_t *ret_n)
{
    while (policy->one_of < 2 && *ret_n < samples->n) {
        struct gb_samples part = {
            .size = sizeof part, .traits = samples->traits, .tick_ns = samples->tick_ns};
        const uint64_t room = SAMPLES_MOST - policy->kept.n;
        part.time_ns = samples->time_ns + *ret_n;
        part.n = samples->n - *ret_n < room ? samples->n - *ret_n : room;
        const int32_t status = sample_array_add(&policy->kept, &part);
        if (status != GB_OK)
            return status;
        *ret_n += part.n;
        policy->n_seen += part.n;
        if (policy->kept.n == SAMPLES_MOST)
            halve(policy);
    }
    return GB_OK;
}

static int32_t observe(void *object, const struct gb_samples *samples)
{
    struct policy *policy = object;
    uint64_t n = 0;
    const int32_t status = add_all(policy, samples, &n);
    if (status != GB_OK)
        return status;
    add_some(policy, samples->time_ns + n, samples->n - n);
    policy->elapsed_ns = elapsed_at(samples, policy->elapsed_ns);
    return GB_OK;
}

static int32_t next_fixed(void *object, struct gb_next *next)
{
    const struct policy *policy = object;
    const uint64_t wanted = (uint64_t)policy->params->samples;
    if (policy->n_seen < wanted) {
        next->decision = GB_MORE;
        next->n_samples = wanted;
        return GB_OK;
    }
    next->decision = GB_DONE;
    snprintf(next->reason, sizeof next->reason, "%llu sample%s", (unsigned long long)wanted,
             wanted == 1 ? "" : "s");
    return GB_OK;
}

static int32_t next_budget(void *object, struct gb_next *next)
{
    const struct policy *policy = object;
    const uint64_t n = policy->n_seen;
    if (n == 0 || policy->elapsed_ns < policy->params->time) {
        next->decision = GB_MORE;
        next->n_samples = n + 1;
        next->elapsed_ns = policy->params->time;
        return GB_OK;
    }
    next->decision = GB_DONE;
    snprintf(next->reason, sizeof next->reason, "%g s of samples", policy->params->time * 1e-9);
    return GB_OK;
}

static int32_t report(void *object, struct gb_estimate *estimate)
{
    struct policy *policy = object;
    const int32_t status = median_report(&policy->kept, GB_VERDICT_NONE, estimate);
    estimate->n = policy->n_seen;
    return status;
}

static void destroy(void *object)
{
    struct policy *policy = object;
    if (policy != NULL)
        sample_array_free(&policy->kept);
}

static const struct gb_policy_ops fixed_ops = POLICY_OPS(GB_POLICY_COUNTS, next_fixed);
static const struct gb_policy_ops budget_ops = POLICY_OPS(0, next_budget);

#define NO_CLAIM                                                                                   \
    "It guarantees nothing about the precision that is reached. The median is reported with "      \
    "the 95 % interval that its order statistics give, autocorrelation taken into account.\n\n"    \
    "Memory is bounded: beyond 131072 samples the policy's median and interval are those of "      \
    "65536 or more of them, drawn at random from equal parts of the recording. All samples are "   \
    "stored, and median_ns is the median of all."

static const struct gb_plugin fixed = {
    GB_PLUGIN(POLICY, "fixed", "1.0", "a fixed number of samples"),
    .help = "Takes exactly `samples` samples, regardless of their values, so that runs of the same "
            "case "
            "have the same length.\n\n" NO_CLAIM,
    GB_OPTIONS(fixed_options, struct params),
    .ops = &fixed_ops,
};

static const struct gb_plugin budget = {
    GB_PLUGIN(POLICY, "budget", "1.0", "as many samples as fit into a given time"),
    .help = "Takes samples for `time` of wall time, counted from the start of the first one to the "
            "end of the last, and at least one.\n\n" NO_CLAIM,
    GB_OPTIONS(budget_options, struct params),
    .ops = &budget_ops,
};

GB_MODULE(&fixed, &budget)
