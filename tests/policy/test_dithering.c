/* test_dithering.c - what policies say about samples on few ticks that are dithered, and about
 * those that are not. */
#include "tests/check_main.h"
#include "tests/policy/policy_fixture.h"

TEST_FIXTURE(NULL, policy_end)

enum { MANY = 250000 };
static double times[MANY];

struct kernel {
    double time_ns, noise_ns, tick_ns, outliers; /* share of the samples, half as long again */
};

static void run_kernel(const struct kernel *kernel)
{
    uint64_t seed = 7;
    for (size_t i = 0; i < MANY; i++) {
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
} cases[] = {
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

TEST_EACH(dithered, cases)
{
    const struct gb_estimate *estimate = &work.estimate;
    const double time_ns = cases[_i].kernel->time_ns;
    policy_begin("%s", cases[_i].policy);
    work.traits = cases[_i].traits;
    work.tick_ns = cases[_i].kernel->tick_ns;
    work.overhead_ns = 3e3;
    run_kernel(cases[_i].kernel);
    policy_drive(times, MANY);
    ck_assert_msg(estimate->verdict == cases[_i].verdict, "verdict %d: %s", estimate->verdict,
                  work.next.reason);
    ck_assert_str_eq(estimate->statistic, cases[_i].statistic);
    ck_assert_double_eq_tol(estimate->value_ns, time_ns, cases[_i].tolerance_ns);
    ck_assert(estimate->low_ns < time_ns && time_ns < estimate->high_ns);
    ck_assert_uint_eq(estimate->n_modes, 1);
    if (cases[_i].tolerance_ns == 16.0)
        ck_assert_double_ge(0.5 * (estimate->high_ns - estimate->low_ns), 16.0);
}
