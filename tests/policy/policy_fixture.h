/*
 * policy_fixture.h - a policy at work in a test: its plugin loaded, its options set, samples handed
 * over up to exactly where it asks to be asked again.
 */
#pragma once

#include "tests/fake_host.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

struct policy_work {
    struct fake_host *fake;
    const struct gb_plugin *plugin;
    const struct gb_policy_ops *ops;
    void *params, *policy;
    char texts[16][128]; /* of options, for whoever sets them */
    size_t n_texts;
    uint32_t traits;             /* GB_SAMPLES_... */
    double tick_ns, overhead_ns; /* wall time of a sample beyond its own */
    const double *clock_hz;      /* columns, or NULL */
    const uint64_t *throttle;
    const uint32_t *flags;
    double *elapsed;
    uint64_t n;       /* samples handed over */
    uint64_t n_looks; /* times next was asked */
    struct gb_next next;
    struct gb_estimate estimate;
};

static inline void policy_begin(struct policy_work *work, const char *id)
{
    *work = (struct policy_work){.fake = fake_host_new()};
    work->plugin = fake_policy(id);
    work->ops = work->plugin->ops;
    work->params = fake_params_new(work->plugin);
}

static inline void policy_set(struct policy_work *work, const char *name, const char *text)
{
    fake_params_set(work->plugin, work->params, name, text);
}

static inline void policy_ask(struct policy_work *work)
{
    work->next = (struct gb_next){.size = sizeof work->next};
    ck_assert_int_eq(work->ops->next(work->policy, &work->next), GB_OK);
    work->n_looks++;
}

static inline void policy_create(struct policy_work *work)
{
    ck_assert_int_eq(work->ops->create(&work->fake->host, work->params, &work->policy), GB_OK);
}

static inline void policy_report(struct policy_work *work)
{
    work->estimate = (struct gb_estimate){.size = sizeof work->estimate};
    ck_assert_int_eq(work->ops->report(work->policy, &work->estimate), GB_OK);
}

static inline void policy_give(struct policy_work *work, const double *times, uint64_t end)
{
    const uint64_t first = work->n;
    const struct gb_samples samples = {
        .size = sizeof samples,
        .traits = work->traits,
        .n = end - first,
        .time_ns = times + first,
        .elapsed_ns = work->elapsed + first,
        .clock_hz = work->clock_hz != NULL ? work->clock_hz + first : NULL,
        .throttle = work->throttle != NULL ? work->throttle + first : NULL,
        .flags = work->flags != NULL ? work->flags + first : NULL,
        .tick_ns = work->tick_ns,
    };
    ck_assert_int_eq(work->ops->observe(work->policy, &samples), GB_OK);
    work->n = end;
}

/* Ends with the verdict or with the samples; then the policy reports. */
static inline void policy_drive(struct policy_work *work, const double *times, uint64_t n)
{
    work->elapsed = calloc(n + 1, sizeof *work->elapsed);
    ck_assert_ptr_nonnull(work->elapsed);
    for (uint64_t i = 0; i < n; i++)
        work->elapsed[i] = (i > 0 ? work->elapsed[i - 1] : 0.0) +
                           (times[i] > 0.0 && times[i] < 1e300 ? times[i] : 0.0) +
                           work->overhead_ns;
    policy_create(work);
    policy_ask(work);
    while (work->next.decision == GB_MORE && work->n < n) {
        uint64_t end = work->n + 1;
        while (end < n &&
               (end < work->next.n_samples || work->elapsed[end - 1] < work->next.elapsed_ns))
            end++;
        policy_give(work, times, end);
        policy_ask(work);
    }
    policy_report(work);
}

static inline void policy_end(struct policy_work *work)
{
    work->ops->destroy(work->policy);
    work->ops->destroy(NULL);
    fake_params_free(work->plugin, work->params);
    fake_host_free(work->fake);
    free(work->elapsed);
}
