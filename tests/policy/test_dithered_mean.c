/* test_dithered_mean.c - the mean of readings on few ticks against closed forms, and how often its
 * interval is wrong. */
#include "plugins/common/policy/median_estimate.h"
#include "plugins/common/policy/order_statistics.h"
#include "tests/check_main.h"
#include "tests/fake_host.h"

enum { MANY = 6000 };
static double values[MANY];
static double sorted[MANY];

static bool mean_of(uint64_t n, double tick, struct dithered_mean *ret)
{
    struct series_places places;
    memcpy(sorted, values, n * sizeof *sorted);
    sort_ascending(sorted, n);
    series_places_of(n, &places);
    return dithered_mean_of(values, &places, sorted[n / 2], sorted[3 * n / 4] - sorted[n / 4], tick,
                            ret);
}

/* Of each 1000, `share` are on the upper one of two ticks, in a scattered order: 1000 + q share.
 * The median is a tick whatever the share is. */
TEST_TIMES(two_ticks, 7)
{
    static const struct {
        double share, tick;
    } cases[] = {{0.5, 32.0},   {0.25, 32.0},  {0.749, 32.0},    {0.001, 32.0},
                 {0.999, 32.0}, {0.5, 1024.0}, {0.3, 32.0 / 3.0}};
    const double share = cases[_i].share;
    const double tick = cases[_i].tick;
    struct dithered_mean mean;
    for (uint64_t i = 0; i < 1000; i++)
        values[i] = 1000.0 + (i * 377 % 1000 < (uint64_t)round(1000.0 * share) ? tick : 0.0);
    ck_assert(mean_of(1000, tick, &mean));
    ck_assert_uint_eq(mean.n, 1000);
    ck_assert_double_eq_tol(mean.value, 1000.0 + share * tick, 1e-9);
    ck_assert_double_eq_tol(mean.n_effective, 1000.0, 10.0);
    ck_assert_double_eq_tol(mean.deviation,
                            tick * sqrt(share * (1.0 - share) + 4.0 / mean.n_effective), 1e-9);
}

/* 2000 of 3000 in the middle, 700 above it, 300 below: q 400 / 3000, variance q^2 (1 / 3 - (2 /
 * 15)^2). */
TEST(three_ticks)
{
    struct dithered_mean mean;
    for (uint64_t i = 0; i < 3000; i++) {
        const uint64_t place = i * 1117 % 3000;
        values[i] = 1000.0 + (place < 700 ? 32.0 : place < 1000 ? -32.0 : 0.0);
    }
    ck_assert(mean_of(3000, 32.0, &mean));
    ck_assert_uint_eq(mean.n, 3000);
    ck_assert_double_eq_tol(mean.value, 1000.0 + 32.0 * 4.0 / 30.0, 1e-9);
    ck_assert_double_eq_tol(mean.deviation,
                            32.0 * sqrt(1.0 / 3.0 - 4.0 / 225.0 + 4.0 / mean.n_effective), 1e-9);
}

/* One in a hundred, and how far it is does not matter from three ticks on. */
TEST_TIMES(outliers_are_left_out, 4)
{
    static const double distances[] = {96.0, -96.0, 500.0, 1e9};
    struct dithered_mean mean;
    for (uint64_t i = 0; i < 4000; i++)
        values[i] = i % 100 == 50 ? 1000.0 + distances[_i] : 1000.0 + (i % 4 == 1 ? 32.0 : 0.0);
    ck_assert(mean_of(4000, 32.0, &mean));
    ck_assert_uint_eq(mean.n, 3960);
    ck_assert_double_eq_tol(mean.value, 1000.0 + 32.0 * 1000.0 / 3960.0, 1e-9);
    ck_assert_double_ge(mean.n_effective, 3900.0);
}

/* Normal noise of 1.4 ticks about the middle of two: two ticks from the median would cut off more
 * of one side, by 0.15 ticks of the mean. */
TEST(noise_is_cut_off_nowhere)
{
    static double ascending[MANY];
    struct dithered_mean mean;
    uint64_t n = 0;
    for (int tick = -9; tick <= 10; tick++) {
        const double z = ((double)tick - 0.5) / 1.4;
        const double share = exp(-0.5 * z * z) / (1.4 * sqrt(2.0 * acos(-1.0)));
        for (uint64_t i = 0; i < (uint64_t)round(3000.0 * share); i++)
            ascending[n++] = 1000.0 + 32.0 * (double)tick;
    }
    for (uint64_t i = 0; i < n; i++)
        values[i] = ascending[i * 1117 % n];
    ck_assert(mean_of(n, 32.0, &mean));
    ck_assert_double_eq_tol(mean.value, 1016.0, 0.1);
    ck_assert_double_eq_tol(mean.deviation, 32.0 * 1.4, 0.5);
}

/* Quartiles two ticks apart will do, three will not. */
TEST(many_ticks_have_none)
{
    struct dithered_mean mean;
    for (uint64_t i = 0; i < 1000; i++)
        values[i] = 1000.0 + 32.0 / 3.0 * (double)(i % 4);
    ck_assert(mean_of(1000, 32.0 / 3.0, &mean));
    ck_assert_double_eq_tol(mean.value, 1016.0, 1e-9);
    for (uint64_t i = 0; i < 1000; i++)
        values[i] = 1000.0 + 32.0 * (double)(i % 6);
    ck_assert(!mean_of(1000, 32.0, &mean));
}

/* A level that changes once is worth few samples, though it moves by less than a tick. */
TEST(drifts_count_little)
{
    struct dithered_mean mean;
    uint64_t seed = 5;
    for (uint64_t i = 0; i < MANY; i++)
        values[i] = 32.0 * floor(31.3 + (i < MANY / 2 ? 0.4 : 0.0) + fake_unit(&seed));
    ck_assert(mean_of(MANY, 32.0, &mean));
    ck_assert_double_lt(mean.n_effective, 100.0);
    for (uint64_t i = 0; i < MANY; i++)
        values[i] = 32.0 * floor(31.5 + fake_unit(&seed));
    ck_assert(mean_of(MANY, 32.0, &mean));
    ck_assert_double_gt(mean.n_effective, 0.5 * (double)MANY);
}

TEST(half_widths)
{
    const struct dithered_mean mean = {1000, 1e3, 16.0, 1000.0};
    ck_assert_double_eq(dithered_mean_half_width(&mean, 0.05), 1.6);
    ck_assert_double_eq(dithered_mean_half_width(&mean, 0.5), (double)INFINITY);
}

/* Looked at 16 times between 30 and 1000 samples, whatever the share of the rarer tick is. */
TEST_TIMES(holds_at_all_looks, 6)
{
    enum { RUNS = 200, RUNS_LONG = 1000, SAMPLES = 1000 };
    static const double shares[] = {0.5, 0.2, 0.05, 0.01, 0.003, 0.0005};
    static const unsigned wrong[] = {3, 2, 0, 0, 0, 0};
    const unsigned n_runs = test_is_long() ? RUNS_LONG : RUNS;
    uint64_t seed = (uint64_t)_i + 1;
    unsigned n_wrong = 0;
    for (unsigned run = 0; run < n_runs; run++) {
        bool is_wrong = false;
        for (uint64_t i = 0; i < SAMPLES; i++)
            values[i] = 32.0 * floor(31.0 + shares[_i] + fake_unit(&seed));
        for (uint64_t n = 30; n <= SAMPLES; n = n * 5 / 4 + 1) {
            struct dithered_mean mean;
            ck_assert(mean_of(n, 32.0, &mean));
            const double half = dithered_mean_half_width(
                &mean, confidence_sequence_radius(mean.n_effective, 0.05, 256.0));
            is_wrong = is_wrong || fabs(mean.value - 32.0 * (31.0 + shares[_i])) > half;
        }
        n_wrong += is_wrong;
    }
    ck_assert_uint_le(n_wrong, n_runs / 20);
    if (!test_is_long())
        ck_assert_uint_eq(n_wrong, wrong[_i]);
}

/* --- the radius of the confidence sequence, and how often it is wrong --- */

/* By hand for n_e = 256 and alpha = 5 %: v = 64, L = 2.99573, rho = 64 / (5.99146 + 1.94469) =
 * 8.06434, h = sqrt(72.06434 (ln 8.93624 + 5.99146)) / 256. */
TEST(radius)
{
    static const struct {
        double n_effective, alpha, n_optimal, radius;
    } cases[] = {
        {256, 0.05, 256, 0.09485028094925792},  {300, 0.05, 256, 0.08764807541254044},
        {16, 0.05, 256, 0.548943300792819}, /* says nothing yet */
        {1000, 0.01, 256, 0.05772690837465232}, {1e4, 0.05, 256, 0.01715307477462658},
        {1e6, 0.05, 256, 0.002020753921029118}, {626, 0.05 / 3, 64, 0.07190731557678529},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        ck_assert_double_eq_tol(
            confidence_sequence_radius(cases[i].n_effective, cases[i].alpha, cases[i].n_optimal),
            cases[i].radius, 1e-14);
}

/* Coins are thrown and looked at each time: few of the 2000 are ever outside. */
TEST(a_confidence_sequence_holds_at_all_looks)
{
    enum { RUNS = 400, WRONG = 13, RUNS_LONG = 2000, THROWS = 2000 };
    const unsigned n_runs = test_is_long() ? RUNS_LONG : RUNS;
    static double radii[THROWS + 1];
    uint64_t seed = 3;
    unsigned n_wrong = 0;
    for (uint64_t n = 1; n <= THROWS; n++)
        radii[n] = confidence_sequence_radius((double)n, 0.05, 256.0);
    for (unsigned run = 0; run < n_runs; run++) {
        uint64_t heads = 0;
        bool is_wrong = false;
        for (uint64_t n = 1; n <= THROWS; n++) {
            heads += fake_unit(&seed) < 0.5;
            is_wrong = is_wrong || fabs((double)heads / (double)n - 0.5) > radii[n];
        }
        n_wrong += is_wrong;
    }
    ck_assert_uint_le(n_wrong, n_runs / 20);
    if (!test_is_long())
        ck_assert_uint_eq(n_wrong, WRONG);
}
