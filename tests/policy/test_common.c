/* test_common.c - plugins/common/policy: what policies share, against closed forms and by hand. */
#include "core/base/statistics.h"
#include "plugins/common/policy/effective_size.h"
#include "plugins/common/policy/median_estimate.h"
#include "plugins/common/policy/order_statistics.h"
#include "tests/check_main.h"
#include "tests/fake_host.h"
#include "tests/policy/steady_reference.h"

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
TEST(sequence_holds_at_all_looks)
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

/* --- the mean of readings on few ticks, and how often its interval is wrong --- */

enum { MANY = 6000 };
static double values[MANY];
static double sorted[MANY];

static bool near_mean(uint64_t n, double tick, struct dithered_mean *ret)
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
    ck_assert(near_mean(1000, tick, &mean));
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
    ck_assert(near_mean(3000, 32.0, &mean));
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
    ck_assert(near_mean(4000, 32.0, &mean));
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
    ck_assert(near_mean(n, 32.0, &mean));
    ck_assert_double_eq_tol(mean.value, 1016.0, 0.1);
    ck_assert_double_eq_tol(mean.deviation, 32.0 * 1.4, 0.5);
}

/* Quartiles two ticks apart will do, three will not. */
TEST(many_ticks_have_none)
{
    struct dithered_mean mean;
    for (uint64_t i = 0; i < 1000; i++)
        values[i] = 1000.0 + 32.0 / 3.0 * (double)(i % 4);
    ck_assert(near_mean(1000, 32.0 / 3.0, &mean));
    ck_assert_double_eq_tol(mean.value, 1016.0, 1e-9);
    for (uint64_t i = 0; i < 1000; i++)
        values[i] = 1000.0 + 32.0 * (double)(i % 6);
    ck_assert(!near_mean(1000, 32.0, &mean));
}

/* A level that changes once is worth few samples, though it moves by less than a tick. */
TEST(drifts_count_little)
{
    struct dithered_mean mean;
    uint64_t seed = 5;
    for (uint64_t i = 0; i < MANY; i++)
        values[i] = 32.0 * floor(31.3 + (i < MANY / 2 ? 0.4 : 0.0) + fake_unit(&seed));
    ck_assert(near_mean(MANY, 32.0, &mean));
    ck_assert_double_lt(mean.n_effective, 100.0);
    for (uint64_t i = 0; i < MANY; i++)
        values[i] = 32.0 * floor(31.5 + fake_unit(&seed));
    ck_assert(near_mean(MANY, 32.0, &mean));
    ck_assert_double_gt(mean.n_effective, 0.5 * (double)MANY);
}

TEST(half_widths)
{
    const struct dithered_mean mean = {1000, 1e3, 16.0, 1000.0};
    ck_assert_double_eq(dithered_mean_half_width(&mean, 0.05), 1.6);
    ck_assert_double_eq(dithered_mean_half_width(&mean, 0.5), (double)INFINITY);
}

/* Looked at 16 times between 30 and 1000 samples, whatever the share of the rarer tick is. */
TEST_TIMES(mean_holds_at_all_looks, 6)
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
            ck_assert(near_mean(n, 32.0, &mean));
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

/* --- autocorrelation times --- */

/* Places are the ends of blocks and of batches, each once, and the end. */
TEST(places_of_a_series)
{
    static const uint64_t lengths[] = {1, 2, 31, 100, 127, 128, 1000, 1024, 1025, 5000, 1000003};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        const uint64_t n = lengths[i];
        struct series_places places;
        series_places_of(n, &places);
        ck_assert_uint_eq(places.n_blocks, n < 1024 ? n : 1024);
        ck_assert_uint_eq(places.n_batches, n < 128 ? 0 : 32);
        ck_assert_uint_eq(places.at[places.n_places - 1], n);
        for (size_t j = 0; j < places.n_blocks; j++)
            ck_assert_uint_eq(places.at[places.of_block[j]], (j + 1) * (n / places.n_blocks));
        for (size_t j = 0; j < places.n_batches; j++)
            ck_assert_uint_eq(places.at[places.of_batch[j]], (j + 1) * (n / 32));
        for (size_t j = 1; j < places.n_places; j++)
            ck_assert_uint_lt(places.at[j - 1], places.at[j]);
    }
}

static struct reference_window window_of(const double *series, uint64_t n, double variance)
{
    struct series_places places;
    int64_t twice_sums[SERIES_PLACES_MAX];
    double sum = 0.0;
    uint64_t i = 0;
    series_places_of(n, &places);
    for (size_t place = 0; place < places.n_places; place++) {
        for (; i < places.at[place]; i++)
            sum += 2.0 * series[i];
        twice_sums[place] = (int64_t)sum;
    }
    const struct series_window window = series_window(&places, twice_sums, variance);
    return (struct reference_window){series_time(&places, twice_sums, variance), window.degrees,
                                     window.kept};
}

/*
 * 0 0 1 1 0 0 1 1, mean 1/2: gamma_0 = 2/8, gamma_1 = 1/4 (4 - 3) / 8 = 1/32, gamma_2 = -6/32,
 * gamma_3 = -1/32: the first pair is 9/32, the second below 0; time = (2 9/32 - 8/32) / (8/32).
 */
TEST(by_hand)
{
    static const double series[] = {0, 0, 1, 1, 0, 0, 1, 1};
    ck_assert_double_eq_tol(window_of(series, 8, 0.25).time, 10.0 / 8.0, 1e-15);
    ck_assert_double_eq_tol(reference_window(series, 8, 0.25).time, 10.0 / 8.0, 1e-15);
    static const double alternating[] = {0, 1, 0, 1, 0, 1, 0, 1};
    ck_assert_double_eq(window_of(alternating, 8, 0.25).time, 1.0); /* never below 1 */
    static const double constant[] = {1, 1, 1, 1};
    ck_assert_double_eq(window_of(constant, 4, 0.0).time, 1.0);
    /* two lags: three with the other side */
    ck_assert_double_eq_tol(window_of(series, 8, 0.25).kept, 5.0 / 8.0, 1e-15);
    ck_assert_double_eq(window_of(series, 8, 0.25).degrees, 4.0);
    ck_assert_double_eq(window_of(alternating, 8, 0.25).kept, 1.0);
    ck_assert(isinf(window_of(alternating, 8, 0.25).degrees));
    ck_assert_double_eq(window_of(constant, 4, 0.0).kept, 1.0);
    ck_assert_double_eq(effective_sample_size(constant, 4, 1.0), 4.0);
    ck_assert_double_eq(effective_sample_size(constant, 1, 0.0), 1.0);
}

/*
 * 128 values, the first half 0 and the second 1: of 32 batches of 4, gamma_0 = 1/4 and r1 = 29/32,
 * above 0.35: 4 (32/31 1/4) (1 + 29/32) / (1 - 29/32) / (1/4) = 83.957.
 */
TEST(batches_by_hand)
{
    double series[128];
    for (size_t i = 0; i < 128; i++)
        series[i] = i < 64 ? 0.0 : 1.0;
    const double batches = 4.0 * 32.0 / 31.0 * (1.0 + 29.0 / 32.0) / (1.0 - 29.0 / 32.0);
    ck_assert_double_eq_tol(batches, 83.957, 1e-3);
    ck_assert_double_eq_tol(window_of(series, 128, 0.25).time, batches, 1e-9);
    ck_assert_double_eq_tol(reference_window(series, 128, 0.25).time, batches, 1e-9);
}

/* Coins that stick, of many lengths: 0, 1/2 or 1, so that they are what "is not below 1/2" says of
 * them. */
TEST(as_its_formulas_say)
{
    enum { LONGEST = 9000 };
    static double series[LONGEST];
    uint64_t seed = 5;
    for (unsigned run = 0; run < 300; run++) {
        const uint64_t n = 2 + (uint64_t)(fake_unit(&seed) * fake_unit(&seed) * (LONGEST - 2));
        const double sticky = fake_unit(&seed);
        series[0] = 1.0;
        for (uint64_t i = 1; i < n; i++)
            series[i] = fake_unit(&seed) < sticky ? series[i - 1]
                                                  : 0.5 * floor(3.0 * fake_unit(&seed));
        const double variance = 0.1 + 0.1 * fake_unit(&seed);
        const struct reference_window expected = reference_window(series, n, variance);
        const struct reference_window window = window_of(series, n, variance);
        ck_assert_double_eq_tol(window.time, expected.time, 1e-11 * expected.time);
        ck_assert_double_eq_tol(window.kept, expected.kept, 1e-11);
        ck_assert(window.degrees == expected.degrees ||
                  fabs(window.degrees - expected.degrees) <= 1e-11 * expected.degrees);
        const double stdev = stdev_of(series, n), m = (double)n;
        const double own = stdev * stdev * (m - 1.0) / m;
        const double effective = m / reference_window(series, n, own).time;
        ck_assert_double_eq_tol(effective_sample_size(series, n, 0.5), effective, 1e-9 * effective);
    }
}

/* --- trends --- */

/* 1, 2, 4, 3: slope 0.8, residuals -0.3, -0.1, 1.1, -0.7 of squares 1.8, so 0.8 and
 * sqrt(0.9 / 5); they are not correlated with the next. */
TEST(slopes_and_their_errors)
{
    static const struct {
        double values[4];
        size_t n;
        double slope, error;
    } cases[] = {{{1, 2, 4, 3}, 4, 0.8, 0.18},
                 {{3, 4, 2, 1}, 4, -0.8, 0.18},
                 {{5, 5, 5, 5}, 4, 0.0, 0.0},
                 {{1, 2, 4, 3}, 2, 0.0, (double)INFINITY}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct series_slope line = series_slope(cases[i].values, cases[i].n);
        ck_assert_double_eq_tol(line.slope, cases[i].slope, 1e-12);
        ck_assert(line.error == sqrt(cases[i].error) ||
                  fabs(line.error - sqrt(cases[i].error)) < 1e-12);
    }
}

/* Half below, half above: the residuals of the line are correlated by 0.72, which excuses no more
 * than 0.5 would. */
TEST(what_is_not_straight_is_a_trend_too)
{
    double step[32];
    for (int i = 0; i < 32; i++)
        step[i] = i < 16 ? 0 : 1;
    const double slope = 32.0 * 32.0 / 8.0 / 2728.0;
    const double squares = 8.0 - slope * slope * 2728.0;
    const double error = sqrt(squares / 30.0 / 2728.0);
    const struct series_slope line = series_slope(step, 32);
    ck_assert_double_eq_tol(line.slope / line.error, slope / error / sqrt(3.0), 1e-9);
    ck_assert_double_gt(line.slope, 5.0 * line.error);
}
