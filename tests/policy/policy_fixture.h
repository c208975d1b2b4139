/*
 * policy_fixture.h - a policy at work in a test: its plugin loaded, its options set, samples handed
 * over up to exactly where it asks to be asked again.
 */
#pragma once

#include "tests/fake_host.h"
#include "tests/modules/words.h"

#include <check.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The policy of this test; policy_begin ends the one before, TEST_FIXTURE(NULL, policy_end) the
 * last.
 */
static struct policy_work {
    struct fake_host *fake;
    const struct gb_plugin *plugin;
    const struct gb_policy_ops *ops;
    void *params, *policy;
    char text[1024];             /* of the policy and its options */
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
} work;

static inline void policy_end(void)
{
    if (work.fake == NULL)
        return;
    work.ops->destroy(work.policy);
    work.ops->destroy(NULL);
    fake_params_free(work.plugin, work.params);
    fake_host_free(work.fake);
    free(work.elapsed);
    work.fake = NULL;
}

/* The policy and its options by a text: "steady;precision=0.5%;without=modes". */
static inline void __attribute__((format(printf, 1, 2))) policy_begin(const char *format, ...)
{
    char *rest = NULL;
    va_list arguments;
    policy_end();
    work = (struct policy_work){.fake = fake_host_new()};
    va_start(arguments, format);
    ck_assert_int_lt(vsnprintf(work.text, sizeof work.text, format, arguments),
                     (int)sizeof work.text);
    va_end(arguments);
    work.plugin = fake_policy(strtok_r(work.text, ";", &rest));
    work.ops = work.plugin->ops;
    work.params = fake_params_new(work.plugin);
    for (char *name; (name = strtok_r(NULL, ";", &rest)) != NULL;) {
        char *equals = strchr(name, '=');
        ck_assert_ptr_nonnull(equals);
        *equals = '\0';
        fake_params_set(work.plugin, work.params, name, equals + 1);
    }
}

static inline void policy_ask(void)
{
    work.next = (struct gb_next){.size = sizeof work.next};
    ck_assert_int_eq(work.ops->next(work.policy, &work.next), GB_OK);
    work.n_looks++;
}

/* Asks it for the first time. The wall times are those of n samples. */
static inline void policy_start(const double *times, uint64_t n)
{
    work.elapsed = calloc(n + 1, sizeof *work.elapsed);
    ck_assert_ptr_nonnull(work.elapsed);
    for (uint64_t i = 0; i < n; i++)
        work.elapsed[i] = (i > 0 ? work.elapsed[i - 1] : 0.0) +
                          (times[i] > 0.0 && times[i] < 1e300 ? times[i] : 0.0) + work.overhead_ns;
    ck_assert_int_eq(work.ops->create(&work.fake->host, work.params, &work.policy), GB_OK);
    policy_ask();
}

static inline void policy_give(const double *times, uint64_t end)
{
    const uint64_t first = work.n;
    const SIZED(gb_samples, samples, .traits = work.traits, .n = end - first,
                .time_ns = times + first, .elapsed_ns = work.elapsed + first,
                .clock_hz = work.clock_hz != NULL ? work.clock_hz + first : NULL,
                .throttle = work.throttle != NULL ? work.throttle + first : NULL,
                .flags = work.flags != NULL ? work.flags + first : NULL, .tick_ns = work.tick_ns);
    ck_assert_int_eq(work.ops->observe(work.policy, &samples), GB_OK);
    work.n = end;
}

static inline void policy_report(void)
{
    work.estimate = (struct gb_estimate){.size = sizeof work.estimate};
    ck_assert_int_eq(work.ops->report(work.policy, &work.estimate), GB_OK);
}

/* Ends with the verdict or with the samples; then the policy reports. */
static inline void policy_drive(const double *times, uint64_t n)
{
    policy_start(times, n);
    while (work.next.decision == GB_MORE && work.n < n) {
        uint64_t end = work.n + 1;
        while (end < n &&
               (end < work.next.n_samples || work.elapsed[end - 1] < work.next.elapsed_ns))
            end++;
        policy_give(times, end);
        policy_ask();
    }
    policy_report();
}

/* Both of it, with the text of policy_begin. */
#define policy_run(times, n, ...) (policy_begin(__VA_ARGS__), policy_drive((times), (n)))

/* Values in an order that statistics by ranks may stumble over. */
#define ORDERS_OF_VALUES(X)                                                                        \
    X(random, fake_normal(seed))                                                                   \
    X(tied, floor(8.0 * fake_unit(seed)))                                                          \
    X(signed_zeros, fake_unit(seed) < 0.1 ? -0.0 * fake_unit(seed) : fake_normal(seed))            \
    X(ascending, (double)i)                                                                        \
    X(descending, (double)(n - i))                                                                 \
    X(equal, 7.0)                                                                                  \
    X(up_and_down, (double)(i < n / 2 ? i : n - i))                                                \
    X(periodic, (double)(i % 16))                                                                  \
    X(in_long_turns, (double)(i / 1000 % 2) + fake_unit(seed))
enum { ORDERS_OF_VALUES(WORD_NUMBER) ORDERS };

static inline double ordered_value(int order, uint64_t i, uint64_t n, uint64_t *seed)
{
    switch (order) {
        ORDERS_OF_VALUES(WORD_VALUE)
    }
    return NAN;
}

/* What policies trip over, around 1: those that steady is compared on, and further ones. */
#define STEADY_SAMPLES(X)                                                                          \
    X(normal, 1.0 + normal)                                                                        \
    X(lognormal, exp(3.0 * normal))                                                                \
    X(correlated, 1.0 + *state)                                                                    \
    X(two_modes, (fake_unit(seed) < 0.5 ? 1.0 : 1.15) + normal)                                    \
    X(ramp, 1.0 + (i < 300 ? 0.15 * (1.0 - (double)i / 300.0) : 0.0) + normal)                     \
    X(step, (i < 200 ? 1.1 : 1.0) + normal)                                                        \
    X(visited, (i / 170 % 3 == 1 ? 1.04 : 1.0) + normal)                                           \
    X(constant, 1.0)                                                                               \
    X(rare_mode, fake_unit(seed) < 0.06 ? 1.35 + normal : 1.0 + normal)                            \
    X(heavy_tail,                                                                                  \
      (1.0 + normal) * (fake_unit(seed) < 0.02 ? 1.0 / (0.01 + fake_unit(seed)) : 1.0))            \
    X(again, (i < 150 || (i > 600 && i < 700) ? 1.1 : 1.0) + normal)                               \
    X(three_modes, 1.0 + 0.08 * floor(3.0 * fake_unit(seed)) + 0.2 * normal)                       \
    X(stairs, 1.0 + 0.2 * (double)(i / 900) + normal)                                              \
    X(few_values, 1.0 + 0.01 * floor(4.0 * fake_unit(seed) * fake_unit(seed)))
#define FURTHER_SAMPLES(X)                                                                         \
    X(growing, 1.0 + sigma * (double)i)                                                            \
    X(decaying, exp(-sigma *(double)i))                                                            \
    X(spikes, fake_unit(seed) < 0.03 ? 1e9 : 1.0)                                                  \
    X(alternating, i % 2 == 0 ? 1.0 : 1.0 + sigma)                                                 \
    X(nothing_at_first, i < 6 ? 0.0 : 1.0 + sigma * fake_unit(seed))                               \
    X(fine_timer, 1.0 + 1e-4 * rint(1e4 * normal))                                                 \
    X(without_variance, pow(1.0 - fake_unit(seed), -1.0 / 1.5)) /* Pareto */
enum { STEADY_SAMPLES(WORD_NUMBER) STEADY_FAMILIES };
enum { LAST_OF_STEADY = STEADY_FAMILIES - 1, FURTHER_SAMPLES(WORD_NUMBER) FAMILIES };

/* The state begins with 0. */
static inline double draw_disturbed(int family, uint64_t i, double sigma, double *state,
                                    uint64_t *seed)
{
    const double normal = sigma * fake_normal(seed);
    *state = 0.95 * *state + normal;
    switch (family) {
        STEADY_SAMPLES(WORD_VALUE)
        FURTHER_SAMPLES(WORD_VALUE)
    }
    return NAN;
}
