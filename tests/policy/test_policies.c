/* test_policies.c - fixed, budget, stdrel and median_ci, and the statistics they share. */
#include "plugins/common/policy/effective_size.h"
#include "plugins/common/policy/order_statistics.h"
#include "tests/check_main.h"
#include "tests/fake_host.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- order statistics --- */

TEST(normal_quantiles)
{
    static const struct {
        double p, z;
    } cases[] = {{0.5, 0.0},
                 {0.975, 1.959963984540054},
                 {0.025, -1.959963984540054},
                 {0.9999995, 4.891638475698981},
                 {0.84134474606854293, 1.0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        ck_assert_double_eq_tol(normal_quantile(cases[i].p), cases[i].z, 1e-9);
}

/* Tables of Student's distribution. */
TEST(quantiles_of_few_degrees)
{
    static const struct {
        double p, degrees, t;
    } cases[] = {{0.975, 3.0, 3.1824}, {0.975, 5.0, 2.5706},   {0.975, 30.0, 2.0423},
                 {0.95, 4.0, 2.1318},  {0.9, 3.0, 1.6377},     {0.99, 8.0, 2.8965},
                 {0.975, 1.0, 3.1824}, {0.025, 10.0, -2.2281}, {0.975, INFINITY, 1.95996}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        ck_assert_double_eq_tol(student_quantile(cases[i].p, cases[i].degrees), cases[i].t,
                                0.005 * fabs(cases[i].t));
}

/* The 40th and 61st of 100, the 9th and 22nd of 30; no interval of 5. */
TEST(ranks_around_the_median)
{
    static const struct {
        uint64_t n;
        double n_effective;
        int64_t low;
        uint64_t high;
    } cases[] = {{100, 100.0, 39, 60},
                 {30, 30.0, 8, 21},
                 {5, 5.0, RANK_NONE_BELOW, 5},
                 {100, 25.0, 29, 70},
                 {100, 2.0, RANK_NONE_BELOW, 100}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int64_t low = 0;
        uint64_t high = 0;
        median_radius_ranks(cases[i].n, median_radius(cases[i].n_effective, 0.95), &low, &high);
        ck_assert_int_eq(low, cases[i].low);
        ck_assert_uint_eq(high, cases[i].high);
    }
}

enum { ORDERS = 7 };

/* Random, with ties, ascending, descending, constant, up and down, periodic. */
static double ordered_value(int order, uint64_t i, uint64_t n, uint64_t *state)
{
    switch (order) {
    case 0:
        return fake_normal(state);
    case 1:
        return floor(8.0 * fake_unit(state));
    case 2:
        return (double)i;
    case 3:
        return (double)(n - i);
    case 4:
        return 7.0;
    case 5:
        return (double)(i < n / 2 ? i : n - i);
    default:
        return (double)(i % 16);
    }
}

TEST_TIMES(selected_values_are_those_of_sorting, ORDERS)
{
    static const uint64_t lengths[] = {1, 2, 3, 10, 101, 2047, 2048, 5000, 70001};
    uint64_t state = 1;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        const uint64_t n = lengths[i];
        double *values = calloc(n, sizeof *values);
        double *sorted = calloc(n, sizeof *sorted);
        double *scratch = calloc(n, sizeof *scratch);
        for (uint64_t j = 0; j < n; j++)
            values[j] = ordered_value(_i, j, n, &state);
        memcpy(sorted, values, n * sizeof *values);
        sort_ascending(sorted, n);
        const uint64_t ranks[] = {0, n / 3, (n - 1) / 2, n / 2, n / 2, n - 1};
        double found[6];
        struct rank_window window = rank_window_of(values, n, 0, n - 1, scratch);
        ck_assert(rank_window_select(&window, ranks, 6, found));
        for (size_t j = 0; j < 6; j++)
            ck_assert_double_eq(found[j], sorted[ranks[j]]);
        window = rank_window_of(values, n, n / 2, n / 2, scratch);
        ck_assert(rank_window_select(&window, &ranks[3], 2, found));
        ck_assert_double_eq(found[0], sorted[n / 2]);
        ck_assert_double_eq(found[1], sorted[n / 2]);
        ck_assert(rank_window_select(&window, ranks, 1, found) == (window.below == 0));
        free(values);
        free(sorted);
        free(scratch);
    }
}

/* --- effective sample size --- */

enum { SERIES = 50000 };

static void autoregressive(double phi, double *ret, uint64_t n)
{
    uint64_t state = 7;
    double x = fake_normal(&state);
    for (uint64_t i = 0; i < n; i++) {
        ret[i] = x;
        x = phi * x + sqrt(1.0 - phi * phi) * fake_normal(&state);
    }
}

/* A normal process with autocorrelation r is below its median with autocorrelation 2/pi asin r. */
static double indicator_time(double phi)
{
    double tau = 1.0;
    double r = phi;
    for (int i = 0; i < 5000; i++, r *= phi)
        tau += 4.0 / acos(-1.0) * asin(r);
    return tau;
}

TEST_TIMES(effective_size_of_correlated_series, 4)
{
    static const double phis[] = {0.0, 0.5, 0.9, 0.98};
    static double series[SERIES];
    autoregressive(phis[_i], series, SERIES);
    const double expected = (double)SERIES / indicator_time(phis[_i]);
    const double n_effective = effective_sample_size(series, SERIES, 0.0);
    ck_assert_double_gt(n_effective, 0.5 * expected);
    ck_assert_double_lt(n_effective, 1.3 * expected);
}

TEST(effective_size_stays_within_the_number)
{
    double values[1000];
    for (size_t i = 0; i < 1000; i++)
        values[i] = (double)(i % 2);
    ck_assert_double_eq(effective_sample_size(values, 1000, 0.5), 1000.0); /* alternating */
    ck_assert_double_eq(effective_sample_size(values, 1, 0.0), 1.0);
    for (size_t i = 0; i < 1000; i++)
        values[i] = 3.0;
    ck_assert_double_eq(effective_sample_size(values, 1000, 3.0), 1000.0); /* constant */
    for (size_t i = 0; i < 1000; i++)
        values[i] = (double)i;
    ck_assert_double_lt(effective_sample_size(values, 1000, 499.5), 10.0); /* a ramp */
}

/* --- a policy at work --- */

struct work {
    struct fake_host *fake;
    const struct gb_plugin *plugin;
    const struct gb_policy_ops *ops;
    void *params, *policy;
    double tick_ns;
    uint64_t n;       /* samples handed over */
    uint64_t n_looks; /* times next was asked */
    struct gb_next next;
    struct gb_estimate estimate;
};

static void begin(struct work *work, const char *id)
{
    *work = (struct work){.fake = fake_host_new()};
    work->plugin = fake_policy(id);
    work->ops = work->plugin->ops;
    work->params = fake_params_new(work->plugin);
}

static void set(struct work *work, const char *name, const char *text)
{
    fake_params_set(work->plugin, work->params, name, text);
}

static void ask(struct work *work)
{
    work->next = (struct gb_next){.size = sizeof work->next};
    ck_assert_int_eq(work->ops->next(work->policy, &work->next), GB_OK);
    work->n_looks++;
}

/* Hands samples over as a host does, up to exactly what is asked for; a sample takes its own time
 * of wall time. Ends with the verdict or with the samples, and has the policy report. */
static void drive(struct work *work, const double *times, uint64_t n)
{
    double *elapsed = calloc(n + 1, sizeof *elapsed);
    uint64_t *iterations = calloc(n + 1, sizeof *iterations);
    for (uint64_t i = 0; i < n; i++) {
        elapsed[i] = (i > 0 ? elapsed[i - 1] : 0.0) + times[i];
        iterations[i] = 1;
    }
    if (work->policy == NULL)
        ck_assert_int_eq(work->ops->create(&work->fake->host, work->params, &work->policy), GB_OK);
    ask(work);
    while (work->next.decision == GB_MORE && work->n < n) {
        uint64_t end = work->n + 1;
        while (end < n && (end < work->next.n_samples || elapsed[end - 1] < work->next.elapsed_ns))
            end++;
        const struct gb_samples samples = {
            .size = sizeof samples,
            .n = end - work->n,
            .time_ns = times + work->n,
            .elapsed_ns = elapsed + work->n,
            .iterations = iterations + work->n,
            .tick_ns = work->tick_ns,
        };
        ck_assert_int_eq(work->ops->observe(work->policy, &samples), GB_OK);
        work->n = end;
        ask(work);
    }
    work->estimate = (struct gb_estimate){.size = sizeof work->estimate};
    ck_assert_int_eq(work->ops->report(work->policy, &work->estimate), GB_OK);
    free(elapsed);
    free(iterations);
}

static void end(struct work *work)
{
    work->ops->destroy(work->policy);
    work->ops->destroy(NULL);
    fake_params_free(work->plugin, work->params);
    fake_host_free(work->fake);
}

/* --- fixed and budget --- */

TEST(fixed_takes_exactly_what_it_was_given)
{
    double times[200];
    struct work work;
    for (size_t i = 0; i < 200; i++)
        times[i] = (double)(1 + i % 3);
    begin(&work, "fixed");
    set(&work, "samples", "9");
    drive(&work, times, 200);
    ck_assert_int_eq(work.next.decision, GB_DONE);
    ck_assert_str_eq(work.next.reason, "9 samples");
    ck_assert_uint_eq(work.n, 9);
    ck_assert_uint_eq(work.n_looks, 2);
    ck_assert_int_eq(work.estimate.verdict, GB_VERDICT_NONE);
    ck_assert_str_eq(work.estimate.statistic, "median");
    ck_assert_double_eq(work.estimate.value_ns, 2.0);
    ck_assert_double_eq(work.estimate.low_ns, 1.0); /* the 2nd and the 8th of 9 */
    ck_assert_double_eq(work.estimate.high_ns, 3.0);
    ck_assert_double_eq(work.estimate.confidence, 0.95);
    ck_assert_uint_eq(work.estimate.n, 9);
    ck_assert_uint_eq(work.estimate.n_modes, 1);
    ck_assert_double_gt(work.estimate.n_effective, 0.0);
    end(&work);
}

TEST(budget_ends_at_the_sample_that_spends_it)
{
    double times[200];
    struct work work;
    for (size_t i = 0; i < 200; i++)
        times[i] = 1e6;
    begin(&work, "budget");
    set(&work, "time", "10ms");
    drive(&work, times, 200);
    ck_assert_str_eq(work.next.reason, "0.01 s of samples");
    ck_assert_uint_eq(work.n, 10);
    ck_assert_uint_eq(work.n_looks, 2);
    ck_assert_int_eq(work.estimate.verdict, GB_VERDICT_NONE);
    ck_assert_double_eq(work.estimate.value_ns, 1e6);
    end(&work);
}

TEST_TIMES(nothing_is_claimed_without_samples, 4)
{
    static const char *const ids[] = {"fixed", "budget", "stdrel", "median_ci"};
    struct work work;
    begin(&work, ids[_i]);
    drive(&work, NULL, 0);
    ck_assert_int_eq(work.next.decision, GB_MORE);
    ck_assert_double_nan(work.estimate.value_ns);
    ck_assert_double_nan(work.estimate.low_ns);
    ck_assert_double_nan(work.estimate.high_ns);
    ck_assert_int_eq(work.estimate.verdict, _i == 3 ? GB_VERDICT_UNCONVERGED : GB_VERDICT_NONE);
    end(&work);
}

/* --- stdrel --- */

/* Mean and variance with a given divisor, from the definition. */
static void moments(const double *values, size_t n, double divisor, double *mean, double *variance)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    *mean = sum / (double)n;
    *variance = 0.0;
    for (size_t i = 0; i < n; i++)
        *variance += (values[i] - *mean) * (values[i] - *mean) / divisor;
}

/* The sample at which stdrel stops, from its definition alone; 0: at none. */
static size_t stdrel_reference(const double *times, size_t n, double max_noise, double min_time)
{
    double *noises = calloc(n + 1, sizeof *noises);
    size_t n_noises = 0;
    size_t in_a_row = 0;
    size_t stop = 0;
    for (size_t i = 1; i <= n && stop == 0; i++) {
        double mean = 0.0;
        double variance = 0.0;
        moments(times, i, (double)i - 1.0, &mean, &variance);
        const double noise = sqrt(variance) / mean;
        if (i >= 5 && isfinite(noise) && mean > 0.0) {
            noises[n_noises++] = noise;
            in_a_row = 0;
        } else if (i >= 5) {
            in_a_row++;
        }
        if (in_a_row >= 64)
            stop = i;
        if (!(mean * (double)i > min_time) || n_noises == 0 || in_a_row > 0)
            continue;
        const size_t held = n_noises < 512 ? n_noises : 512;
        moments(noises + n_noises - held, held, (double)held, &mean, &variance);
        if (noises[n_noises - 1] < max_noise)
            stop = i;
        else if (held > 64 && i % 16 == 0 && variance < 0.05 * mean * (0.05 * mean))
            stop = i;
    }
    free(noises);
    return stop;
}

enum { TRACES = 2000, TRACE = 700, FAMILIES = 8 };

/* Microseconds that are constant, tied, normal, lognormal, drifting, settling, huge, not finite. */
static void make_trace(int number, double *ret, size_t n)
{
    uint64_t state = (uint64_t)number + 1;
    const double sigma = 0.001 * exp(6.0 * fake_unit(&state));
    double x = 0.0;
    for (size_t i = 0; i < n; i++) {
        x = 0.95 * x + sigma * fake_normal(&state);
        const double factors[FAMILIES] = {
            1.0,
            1.0 + sigma * floor(3.0 * fake_unit(&state)),
            1.0 + 0.2 * tanh(sigma * fake_normal(&state)),
            exp(sigma * fake_normal(&state)),
            exp(x),
            1.0 + sigma * exp(-0.05 * (double)i),
            fake_unit(&state) < 0.01 ? 1e9 : 1.0,
            number % 16 == 7 && i == 300 ? (double)INFINITY
                                         : (number % 16 == 15 ? 0.0 : 1.0 + x * x),
        };
        ret[i] = 1000.0 * factors[number % FAMILIES];
    }
}

TEST(stdrel_stops_where_its_definition_says)
{
    static double times[TRACE];
    size_t n_stopped = 0;
    for (int i = 0; i < TRACES; i++) {
        const size_t n = i % 50 == 0 ? TRACE : 200; /* the reference takes n^2 steps */
        const double min_time = (double)(i % 7) * 15000.0;
        char text[32];
        struct work work;
        make_trace(i, times, n);
        begin(&work, "stdrel");
        set(&work, "max_noise", "2%");
        snprintf(text, sizeof text, "%gns", min_time);
        set(&work, "min_time", text);
        drive(&work, times, n);
        const size_t stop = stdrel_reference(times, n, 0.02, min_time);
        ck_assert_msg(work.n == (stop > 0 ? stop : n), "trace %d: %zu instead of %zu", i,
                      (size_t)work.n, stop);
        ck_assert_int_eq(work.next.decision == GB_MORE, stop == 0);
        n_stopped += stop > 0;
        end(&work);
    }
    ck_assert_uint_gt(n_stopped, TRACES / 2);
    ck_assert_uint_lt(n_stopped, TRACES);
}

/* Constant: noise 0 from the 5th on, so the first sample past min_time ends it. */
TEST(stdrel_says_why)
{
    double times[400];
    struct work work;
    for (size_t i = 0; i < 400; i++)
        times[i] = 1000.0;
    begin(&work, "stdrel");
    set(&work, "min_time", "10us");
    drive(&work, times, 400);
    ck_assert_uint_eq(work.n, 11); /* more than 10 us, not as much */
    ck_assert_str_eq(work.next.reason, "noise below 0.5 %");
    ck_assert_int_eq(work.next.decision, GB_DONE);
    ck_assert_int_eq(work.estimate.verdict, GB_VERDICT_NONE);
    ck_assert_str_eq(work.fake->metric, "noise");
    ck_assert_double_eq(work.fake->metric_value, 0.0);
    end(&work);

    for (size_t i = 0; i < 400; i++) /* deviation / mean -> 1/2 */
        times[i] = i % 2 == 0 ? 500.0 : 1500.0;
    begin(&work, "stdrel");
    set(&work, "min_time", "0");
    drive(&work, times, 400);
    ck_assert_uint_eq(work.n, 80); /* the first multiple of 16 with more than 64 noises */
    ck_assert_str_eq(work.next.reason, "noise stable at 50.3 %");
    end(&work);

    for (size_t i = 0; i < 400; i++)
        times[i] = 0.0;
    begin(&work, "stdrel");
    drive(&work, times, 400);
    ck_assert_uint_eq(work.n, 68); /* the 5th to the 68th */
    ck_assert_int_eq(work.next.decision, GB_GAVE_UP);
    ck_assert_str_eq(work.next.reason, "no finite noise in 64 samples in a row");
    ck_assert_int_eq(work.estimate.verdict, GB_VERDICT_GAVE_UP);
    end(&work);
}

/* Constant up to an outlier, so that the noise is 0 before and falls slowly after it: a single 0 in
 * the ring is too much. The ring has lost the last one 511 samples after the outlier, and the next
 * multiple of 16 ends it. */
TEST_TIMES(stdrel_keeps_512_noises, 2)
{
    static const uint64_t outliers[] = {2001, 2002}; /* counted from 1 */
    static const uint64_t stops[] = {2001 + 511, 2002 + 511 + 15};
    static double times[3000];
    struct work work;
    for (size_t i = 0; i < 3000; i++)
        times[i] = i + 1 == outliers[_i] ? 5000.0 : 1000.0;
    begin(&work, "stdrel");
    set(&work, "max_noise", "0");
    set(&work, "min_time", "0");
    drive(&work, times, 3000);
    ck_assert_uint_eq(work.n, stops[_i]);
    ck_assert_uint_eq(stdrel_reference(times, 3000, 0.0, 0.0), stops[_i]);
    end(&work);
}

/* --- median_ci --- */

/* Looks at once: these samples are of a few microseconds in all. */
static void begin_without_floor(struct work *work)
{
    begin(work, "median_ci");
    set(work, "floor_wall", "0s");
}

TEST(median_ci_waits_for_wall_time)
{
    static const struct {
        const char *precision;
        uint64_t n; /* samples of 1 ms */
    } cases[] = {{"5%", 100}, {"1%", 100}, {"0.5%", 200}, {"0.2%", 500}};
    double times[600];
    for (size_t i = 0; i < 600; i++)
        times[i] = 1e6;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct work work;
        begin(&work, "median_ci");
        set(&work, "precision", cases[i].precision);
        drive(&work, times, cases[i].n - 1);
        ck_assert_int_eq(work.next.decision, GB_MORE);
        ck_assert_int_eq(work.estimate.verdict, GB_VERDICT_UNCONVERGED);
        end(&work);
        begin(&work, "median_ci");
        set(&work, "precision", cases[i].precision);
        drive(&work, times, cases[i].n);
        ck_assert_int_eq(work.next.decision, GB_DONE);
        ck_assert_int_eq(work.estimate.verdict, GB_VERDICT_CERTIFIED);
        end(&work);
    }
}

TEST(median_ci_looks_a_quarter_later_each_time)
{
    static const uint64_t looks[] = {30, 38, 48, 60, 75, 94, 118, 148, 185};
    double times[200];
    struct work work;
    for (size_t i = 0; i < 200; i++)
        times[i] = i % 2 == 0 ? 100.0 : 200.0;
    begin_without_floor(&work);
    for (size_t i = 0; i < sizeof looks / sizeof looks[0]; i++) {
        drive(&work, times + work.n, 0);
        ck_assert_int_eq(work.next.decision, GB_MORE);
        ck_assert_uint_eq(work.next.n_samples, looks[i]);
        const struct gb_samples samples = {
            .size = sizeof samples, .n = looks[i] - work.n, .time_ns = times + work.n};
        ck_assert_int_eq(work.ops->observe(work.policy, &samples), GB_OK);
        work.n = looks[i];
    }
    ck_assert_int_eq(work.ops->report(work.policy, &work.estimate), GB_OK);
    ck_assert_int_eq(work.estimate.verdict, GB_VERDICT_UNCONVERGED);
    end(&work);
}

/* 100 + k / 30 for k = 0, 15, 1, 16 ...: never correlated, so that the interval ends at the 9th and
 * the 22nd of 30. */
TEST(median_ci_certifies_its_interval)
{
    double times[30];
    struct work work;
    for (size_t i = 0; i < 30; i++)
        times[i] = 100.0 + (double)(i % 2 * 15 + i / 2) / 30.0;
    begin_without_floor(&work);
    drive(&work, times, 30);
    ck_assert_int_eq(work.next.decision, GB_DONE);
    ck_assert_str_eq(work.next.reason, "interval within 1 %");
    ck_assert_int_eq(work.estimate.verdict, GB_VERDICT_CERTIFIED);
    ck_assert_double_eq_tol(work.estimate.value_ns, 100.0 + 14.5 / 30.0, 1e-12);
    ck_assert_double_eq(work.estimate.n_effective, 30.0);
    ck_assert_double_eq(work.estimate.low_ns, 100.0 + 8.0 / 30.0);
    ck_assert_double_eq(work.estimate.high_ns, 100.0 + 21.0 / 30.0);
    ck_assert_double_eq_tol(work.estimate.detectable_mode_weight, 1.0 - pow(0.05, 1.0 / 30.0),
                            1e-12);
    end(&work);

    begin_without_floor(&work); /* the same, asked for more than it can give */
    set(&work, "precision", "0.1%");
    drive(&work, times, 30);
    ck_assert_int_eq(work.next.decision, GB_MORE);
    ck_assert_int_eq(work.estimate.verdict, GB_VERDICT_UNCONVERGED);
    end(&work);
}

/* Too few for its own minimum, however alike they are. */
TEST(median_ci_certifies_nothing_before_its_minimum)
{
    double times[29];
    struct work work;
    for (size_t i = 0; i < 29; i++)
        times[i] = 100.0;
    begin_without_floor(&work);
    drive(&work, times, 29);
    ck_assert_int_eq(work.next.decision, GB_MORE);
    ck_assert_double_eq(work.estimate.high_ns - work.estimate.low_ns, 0.0);
    ck_assert_int_eq(work.estimate.verdict, GB_VERDICT_UNCONVERGED);
    end(&work);
}

/* Equal times of a timer with a step: what the step hides is not claimed. */
TEST_TIMES(median_ci_knows_the_timers_step, 3)
{
    static const struct {
        double tick_ns, low, high;
        int32_t verdict;
        const char *reason;
    } cases[] = {
        {0.0, 1000.0, 1000.0, GB_VERDICT_CERTIFIED, "interval within 1 %"},
        {16.0, 992.0, 1008.0, GB_VERDICT_CERTIFIED, "interval within 1 %"},
        {32.0, 984.0, 1016.0, GB_VERDICT_RESOLUTION_LIMITED,
         "timer resolution of 32 ns too coarse for 1 %"},
    };
    double times[30];
    struct work work;
    for (size_t i = 0; i < 30; i++)
        times[i] = 1000.0;
    begin_without_floor(&work);
    work.tick_ns = cases[_i].tick_ns;
    drive(&work, times, 30);
    ck_assert_uint_eq(work.n, 30);
    ck_assert_str_eq(work.next.reason, cases[_i].reason);
    ck_assert_int_eq(work.estimate.verdict, cases[_i].verdict);
    ck_assert_double_eq(work.estimate.low_ns, cases[_i].low);
    ck_assert_double_eq(work.estimate.high_ns, cases[_i].high);
    end(&work);
}

/* Half of the times one step below 4 us, half one above, in a scattered order, and so on for ever.
 */
TEST(median_ci_stops_between_two_steps)
{
    enum { MANY = 2000 };
    static double times[MANY];
    struct work work;
    for (uint64_t i = 0; i < MANY; i++)
        times[i] = i * 7919 % 100 < 49 ? 3968.0 : i * 7919 % 100 > 50 ? 4032.0 : 4000.0;
    begin_without_floor(&work);
    set(&work, "precision", "0.5%");
    work.tick_ns = 32.0;
    drive(&work, times, MANY);
    ck_assert_uint_ge(work.n, 300);
    ck_assert_uint_lt(work.n, 500);
    ck_assert_int_eq(work.estimate.verdict, GB_VERDICT_RESOLUTION_LIMITED);
    ck_assert_double_eq(work.estimate.high_ns - work.estimate.low_ns, 64.0);
    end(&work);
}

TEST_TIMES(median_ci_gives_up_on_nonsense, 4)
{
    static const double values[] = {NAN, INFINITY, -1.0, 0.0};
    double times[30];
    struct work work;
    for (size_t i = 0; i < 30; i++)
        times[i] = values[_i];
    begin_without_floor(&work);
    drive(&work, times, 30);
    ck_assert_int_eq(work.next.decision, GB_GAVE_UP);
    ck_assert_str_eq(work.next.reason, "times are zero, negative or not finite");
    ck_assert_int_eq(work.estimate.verdict, GB_VERDICT_GAVE_UP);
    ck_assert_uint_eq(work.estimate.n, 30);
    end(&work);
}

/* Correlated samples are worth less, so it must take more of them. */
TEST(median_ci_is_not_fooled_by_correlation)
{
    static double times[SERIES];
    uint64_t taken[2];
    for (int i = 0; i < 2; i++) {
        struct work work;
        autoregressive(i == 0 ? 0.0 : 0.98, times, SERIES);
        for (size_t j = 0; j < SERIES; j++)
            times[j] = 100.0 + 5.0 * times[j];
        begin_without_floor(&work);
        set(&work, "min", "500");
        drive(&work, times, SERIES);
        ck_assert_int_eq(work.estimate.verdict, GB_VERDICT_CERTIFIED);
        ck_assert_double_eq_tol(work.estimate.value_ns, 100.0, 1.5);
        taken[i] = work.n;
        end(&work);
    }
    ck_assert_uint_gt(taken[1], 5 * taken[0]);
}
