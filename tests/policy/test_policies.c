/* test_policies.c - fixed, budget, stdrel and median_ci, the statistics they share, and what all
 * policies say about samples on few ticks. */
#include "plugins/common/policy/order_statistics.h"
#include "tests/check_main.h"
#include "tests/policy/policy_fixture.h"

TEST_FIXTURE(NULL, policy_end)

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

/* --- fixed and budget --- */

enum { MOST = 250000, CORRELATED = 50000 };
static double times[MOST];

static void fill(uint64_t n, double even, double odd)
{
    for (size_t i = 0; i < n; i++)
        times[i] = i % 2 == 0 ? even : odd;
}

static void drive(const char *policy, uint64_t n)
{
    policy_run(times, n, "%s", policy);
}

TEST(fixed_takes_exactly_what_it_was_given)
{
    for (size_t i = 0; i < 200; i++)
        times[i] = (double)(1 + i % 3);
    drive("fixed;samples=9", 200);
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
}

TEST(budget_ends_at_the_sample_that_spends_it)
{
    fill(200, 1e6, 1e6);
    drive("budget;time=10ms", 200);
    ck_assert_str_eq(work.next.reason, "0.01 s of samples");
    ck_assert_uint_eq(work.n, 10);
    ck_assert_uint_eq(work.n_looks, 2);
    ck_assert_int_eq(work.estimate.verdict, GB_VERDICT_NONE);
    ck_assert_double_eq(work.estimate.value_ns, 1e6);
}

/* --- all of them --- */

TEST_TIMES(nothing_is_claimed_without_samples, 8)
{
    static const struct {
        const char *id;
        int32_t verdict;
    } cases[] = {
        {"fixed", GB_VERDICT_NONE},
        {"budget", GB_VERDICT_NONE},
        {"stdrel", GB_VERDICT_NONE},
        {"entropy", GB_VERDICT_NONE},
        {"steady", GB_VERDICT_UNCONVERGED},
        {"median_ci", GB_VERDICT_UNCONVERGED},
        {"median_cs", GB_VERDICT_UNCONVERGED},
        {"quantiles", GB_VERDICT_UNCONVERGED},
    };
    drive(cases[_i].id, 0);
    ck_assert_int_eq(work.next.decision, GB_MORE);
    ck_assert_double_nan(work.estimate.value_ns);
    ck_assert_double_nan(work.estimate.low_ns);
    ck_assert_double_nan(work.estimate.high_ns);
    ck_assert_int_eq(work.estimate.verdict, cases[_i].verdict);
    ck_assert_uint_eq(work.fake->n_metrics, 0);
}

TEST_TIMES(nonsense_is_given_up, 12)
{
    static const struct {
        const char *policy;
        uint64_t n;
    } cases[] = {{"steady", 150}, {"quantiles", 150}, {"median_ci;floor_wall=0s", 30}};
    static const double values[] = {NAN, INFINITY, -1.0, 0.0};
    fill(1000, values[_i % 4], values[_i % 4]);
    policy_begin("%s", cases[_i / 4].policy);
    work.overhead_ns = 1e6;
    policy_drive(times, 1000);
    ck_assert_int_eq(work.next.decision, GB_GAVE_UP);
    ck_assert_str_eq(work.next.reason, "times are zero, negative or not finite");
    ck_assert_int_eq(work.estimate.verdict, GB_VERDICT_GAVE_UP);
    ck_assert_uint_eq(work.n, cases[_i / 4].n);
    ck_assert_uint_eq(work.estimate.n, cases[_i / 4].n);
    ck_assert(_i >= 8 || isnan(work.estimate.low_ns));
}

/* --- stdrel: that it stops where its definition says is in test_policies_reference.c --- */

/* Constant: noise 0 from the 5th on, so the first sample past min_time ends it, the 11th as the
 * 10th is not past 10 us; deviation / mean of 1/2: the first multiple of 16 with more than 64
 * noises; no finite noise from the 5th to the 68th. */
TEST_TIMES(stdrel_says_why, 3)
{
    static const struct {
        const char *policy;
        double even, odd;
        uint64_t n;
        int32_t decision, verdict;
        const char *reason;
    } cases[] = {
        {"stdrel;min_time=10us", 1000.0, 1000.0, 11, GB_DONE, GB_VERDICT_NONE, "noise below 0.5 %"},
        {"stdrel;min_time=0", 500.0, 1500.0, 80, GB_DONE, GB_VERDICT_NONE,
         "noise stable at 50.3 %"},
        {"stdrel", 0.0, 0.0, 68, GB_GAVE_UP, GB_VERDICT_GAVE_UP,
         "no finite noise in 64 samples in a row"},
    };
    fill(400, cases[_i].even, cases[_i].odd);
    drive(cases[_i].policy, 400);
    ck_assert_uint_eq(work.n, cases[_i].n);
    ck_assert_str_eq(work.next.reason, cases[_i].reason);
    ck_assert_int_eq(work.next.decision, cases[_i].decision);
    ck_assert_int_eq(work.estimate.verdict, cases[_i].verdict);
    if (_i == 0)
        ck_assert_double_eq(fake_metric_named(work.fake, "noise"), 0.0);
}

/* Constant up to an outlier, so that the noise is 0 before and falls slowly after it: a single 0 in
 * the ring is too much. The ring has lost the last one 511 samples after the outlier, and the next
 * multiple of 16 ends it. */
TEST_TIMES(stdrel_keeps_512_noises, 2)
{
    static const uint64_t outliers[] = {2001, 2002}; /* counted from 1 */
    static const uint64_t stops[] = {2001 + 511, 2002 + 511 + 15};
    fill(3000, 1000.0, 1000.0);
    times[outliers[_i] - 1] = 5000.0;
    drive("stdrel;max_noise=0;min_time=0", 3000);
    ck_assert_uint_eq(work.n, stops[_i]);
}

/* --- median_ci --- */

/* Samples of 1 ms; the last one of these lets it look. */
TEST_TIMES(median_ci_waits_for_wall_time, 4)
{
    static const struct {
        const char *policy;
        uint64_t n;
    } cases[] = {{"median_ci;precision=5%", 100},
                 {"median_ci;precision=1%", 100},
                 {"median_ci;precision=0.5%", 200},
                 {"median_ci;precision=0.2%", 500}};
    fill(600, 1e6, 1e6);
    for (uint64_t missing = 0; missing < 2; missing++) {
        drive(cases[_i].policy, cases[_i].n - missing);
        ck_assert_int_eq(work.next.decision, missing ? GB_MORE : GB_DONE);
        ck_assert_int_eq(work.estimate.verdict,
                         missing ? GB_VERDICT_UNCONVERGED : GB_VERDICT_CERTIFIED);
    }
}

TEST(median_ci_looks_a_quarter_later_each_time)
{
    static const uint64_t looks[] = {30, 38, 48, 60, 75, 94, 118, 148, 185};
    fill(200, 100.0, 200.0);
    policy_begin("median_ci;floor_wall=0s");
    policy_start(times, 200);
    for (size_t i = 0; i < sizeof looks / sizeof looks[0]; i++) {
        ck_assert_int_eq(work.next.decision, GB_MORE);
        ck_assert_uint_eq(work.next.n_samples, looks[i]);
        policy_give(times, looks[i]);
        policy_ask();
    }
    policy_report();
    ck_assert_int_eq(work.estimate.verdict, GB_VERDICT_UNCONVERGED);
}

/* 100 + k / 30 for k = 0, 15, 1, 16 ...: never correlated, so that the interval ends at the 9th and
 * the 22nd of 30. */
TEST(median_ci_certifies_its_interval)
{
    for (size_t i = 0; i < 30; i++)
        times[i] = 100.0 + (double)(i % 2 * 15 + i / 2) / 30.0;
    drive("median_ci;floor_wall=0s", 30);
    ck_assert_int_eq(work.next.decision, GB_DONE);
    ck_assert_str_eq(work.next.reason, "interval within 1 %");
    ck_assert_int_eq(work.estimate.verdict, GB_VERDICT_CERTIFIED);
    ck_assert_double_eq_tol(work.estimate.value_ns, 100.0 + 14.5 / 30.0, 1e-12);
    ck_assert_double_eq(work.estimate.n_effective, 30.0);
    ck_assert_double_eq(work.estimate.low_ns, 100.0 + 8.0 / 30.0);
    ck_assert_double_eq(work.estimate.high_ns, 100.0 + 21.0 / 30.0);
    ck_assert_double_eq_tol(work.estimate.detectable_mode_weight, 1.0 - pow(0.05, 1.0 / 30.0),
                            1e-12);

    drive("median_ci;floor_wall=0s;precision=0.1%", 30); /* more than they can give */
    ck_assert_int_eq(work.next.decision, GB_MORE);
    ck_assert_int_eq(work.estimate.verdict, GB_VERDICT_UNCONVERGED);
}

/* Equal times of a timer with a step: what the step hides is not claimed; nor is anything of fewer
 * than 30, however alike they are. */
TEST_TIMES(median_ci_knows_the_timers_step, 4)
{
    static const struct {
        uint64_t n;
        double tick_ns, low, high;
        int32_t verdict;
        const char *reason; /* "": it asks for more */
    } cases[] = {
        {29, 0.0, 1000.0, 1000.0, GB_VERDICT_UNCONVERGED, ""},
        {30, 0.0, 1000.0, 1000.0, GB_VERDICT_CERTIFIED, "interval within 1 %"},
        {30, 16.0, 992.0, 1008.0, GB_VERDICT_CERTIFIED, "interval within 1 %"},
        {30, 32.0, 984.0, 1016.0, GB_VERDICT_RESOLUTION_LIMITED,
         "timer resolution of 32 ns too coarse for 1 %"},
    };
    fill(30, 1000.0, 1000.0);
    policy_begin("median_ci;floor_wall=0s");
    work.tick_ns = cases[_i].tick_ns;
    policy_drive(times, cases[_i].n);
    ck_assert_uint_eq(work.n, cases[_i].n);
    if (*cases[_i].reason != '\0')
        ck_assert_str_eq(work.next.reason, cases[_i].reason);
    ck_assert_int_eq(work.next.decision, *cases[_i].reason != '\0' ? GB_DONE : GB_MORE);
    ck_assert_int_eq(work.estimate.verdict, cases[_i].verdict);
    ck_assert_double_eq(work.estimate.low_ns, cases[_i].low);
    ck_assert_double_eq(work.estimate.high_ns, cases[_i].high);
}

/* Half of the times one step below 4 us, half one above, in a scattered order, and so on for ever.
 */
TEST(median_ci_stops_between_two_steps)
{
    enum { MANY = 2000 };
    for (uint64_t i = 0; i < MANY; i++)
        times[i] = i * 7919 % 100 < 49 ? 3968.0 : i * 7919 % 100 > 50 ? 4032.0 : 4000.0;
    policy_begin("median_ci;floor_wall=0s;precision=0.5%%");
    work.tick_ns = 32.0;
    policy_drive(times, MANY);
    ck_assert_uint_ge(work.n, 300);
    ck_assert_uint_lt(work.n, 500);
    ck_assert_int_eq(work.estimate.verdict, GB_VERDICT_RESOLUTION_LIMITED);
    ck_assert_double_eq(work.estimate.high_ns - work.estimate.low_ns, 64.0);
}

/* Correlated samples are worth less, so it must take more of them. */
TEST(median_ci_is_not_fooled_by_correlation)
{
    uint64_t taken[2];
    for (int i = 0; i < 2; i++) {
        const double phi = i == 0 ? 0.0 : 0.98;
        uint64_t state = 7;
        double x = fake_normal(&state);
        for (size_t j = 0; j < CORRELATED; j++) {
            times[j] = 100.0 + 5.0 * x;
            x = phi * x + sqrt(1.0 - phi * phi) * fake_normal(&state);
        }
        drive("median_ci;floor_wall=0s;min=500", CORRELATED);
        ck_assert_int_eq(work.estimate.verdict, GB_VERDICT_CERTIFIED);
        ck_assert_double_eq_tol(work.estimate.value_ns, 100.0, 1.5);
        taken[i] = work.n;
    }
    ck_assert_uint_gt(taken[1], 5 * taken[0]);
}

/* --- samples on few ticks, dithered or not --- */

struct kernel {
    double time_ns, noise_ns, tick_ns, outliers; /* share of the samples, half as long again */
};

static void run_kernel(const struct kernel *kernel)
{
    uint64_t seed = 7;
    for (size_t i = 0; i < MOST; i++) {
        const double noise = kernel->noise_ns * fake_normal(&seed);
        const double factor = fake_unit(&seed) < kernel->outliers ? 1.5 : 1.0;
        const double time = (kernel->time_ns + noise) * factor;
        times[i] = kernel->tick_ns * floor(time / kernel->tick_ns + fake_unit(&seed));
    }
}

static const struct kernel empty = {487.0, 0.0, 32.0, 0.0};
static const struct kernel one_us = {1013.5, 2.0, 32.0, 0.0};
static const struct kernel disturbed = {1013.5, 2.0, 32.0, 0.01};
static const struct kernel noisy = {1013.5, 100.0, 32.0, 0.0};
static const struct kernel five_us = {5270.0, 10.0, 1024.0, 0.0};

enum { NOT_DITHERED, DITHERED = GB_SAMPLES_DITHERED };

/* Medians here are 1 to 16 ns off, or 360. Without the rule, or where the clock does not say that
 * its phase is uniform, a median and its tick. */
static const struct {
    const char *policy;
    const struct kernel *kernel;
    uint32_t traits;
    int32_t verdict;
    const char *statistic;
    double tolerance_ns;
} dithered_cases[] = {
    {"steady;precision=0.5%", &one_us, DITHERED, GB_VERDICT_CERTIFIED, "mean", 1.0},
    {"steady;precision=2%", &empty, DITHERED, GB_VERDICT_CERTIFIED, "mean", 1.0},
    {"steady;precision=0.1%", &five_us, DITHERED, GB_VERDICT_CERTIFIED, "mean", 5.0},
    {"steady;precision=0.5%", &disturbed, DITHERED, GB_VERDICT_CERTIFIED, "mean", 1.0},
    {"steady;precision=0.5%", &noisy, DITHERED, GB_VERDICT_CERTIFIED, "median", 5.0},
    {"quantiles;tails=5%", &one_us, DITHERED, GB_VERDICT_CERTIFIED, "mean", 1.0},
    {"quantiles;tails=3%", &one_us, DITHERED, GB_VERDICT_RESOLUTION_LIMITED, "mean", 1.0},
    {"median_ci;precision=0.5%", &one_us, DITHERED, GB_VERDICT_CERTIFIED, "mean", 8.0},
    {"median_cs;precision=0.5%", &one_us, DITHERED, GB_VERDICT_CERTIFIED, "mean", 8.0},
    {"median_cs;precision=0.5%", &disturbed, DITHERED, GB_VERDICT_CERTIFIED, "mean", 8.0},
    {"fixed;samples=4096", &one_us, DITHERED, GB_VERDICT_NONE, "mean", 1.0},
    {"fixed;samples=200000", &one_us, DITHERED, GB_VERDICT_NONE, "mean", 0.2},
    {"fixed;samples=100000", &noisy, DITHERED, GB_VERDICT_NONE, "median", 2.0},
    {"stdrel", &one_us, DITHERED, GB_VERDICT_NONE, "mean", 0.2},
    {"steady;precision=0.5%;without=dithering", &one_us, DITHERED, GB_VERDICT_RESOLUTION_LIMITED,
     "median", 16.0},
    {"steady;precision=0.5%", &one_us, NOT_DITHERED, GB_VERDICT_RESOLUTION_LIMITED, "median", 16.0},
    {"quantiles;precision=0.5%", &one_us, NOT_DITHERED, GB_VERDICT_RESOLUTION_LIMITED, "median",
     16.0},
    {"median_ci;precision=0.5%", &one_us, NOT_DITHERED, GB_VERDICT_RESOLUTION_LIMITED, "median",
     16.0},
    {"median_cs;precision=0.5%", &one_us, NOT_DITHERED, GB_VERDICT_RESOLUTION_LIMITED, "median",
     16.0},
};

TEST_EACH(dithered, dithered_cases)
{
    const struct gb_estimate *estimate = &work.estimate;
    const double time_ns = dithered_cases[_i].kernel->time_ns;
    policy_begin("%s", dithered_cases[_i].policy);
    work.traits = dithered_cases[_i].traits;
    work.tick_ns = dithered_cases[_i].kernel->tick_ns;
    work.overhead_ns = 3e3;
    run_kernel(dithered_cases[_i].kernel);
    policy_drive(times, MOST);
    ck_assert_msg(estimate->verdict == dithered_cases[_i].verdict, "verdict %d: %s",
                  estimate->verdict, work.next.reason);
    ck_assert_str_eq(estimate->statistic, dithered_cases[_i].statistic);
    ck_assert_double_eq_tol(estimate->value_ns, time_ns, dithered_cases[_i].tolerance_ns);
    ck_assert(estimate->low_ns < time_ns && time_ns < estimate->high_ns);
    ck_assert_uint_eq(estimate->n_modes, 1);
    if (dithered_cases[_i].tolerance_ns == 16.0)
        ck_assert_double_ge(0.5 * (estimate->high_ns - estimate->low_ns), 16.0);
}
