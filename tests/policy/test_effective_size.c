/* test_effective_size.c - autocorrelation times by hand, and against their formulas. */
#include "core/base/statistics.h"
#include "plugins/common/policy/effective_size.h"
#include "tests/check_main.h"
#include "tests/fake_host.h"
#include "tests/policy/steady_reference.h"

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

static struct reference_window found(const double *series, uint64_t n, double variance)
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
    ck_assert_double_eq_tol(found(series, 8, 0.25).time, 10.0 / 8.0, 1e-15);
    ck_assert_double_eq_tol(reference_window(series, 8, 0.25).time, 10.0 / 8.0, 1e-15);
    static const double alternating[] = {0, 1, 0, 1, 0, 1, 0, 1};
    ck_assert_double_eq(found(alternating, 8, 0.25).time, 1.0); /* never below 1 */
    static const double constant[] = {1, 1, 1, 1};
    ck_assert_double_eq(found(constant, 4, 0.0).time, 1.0);
    /* two lags: three with the other side */
    ck_assert_double_eq_tol(found(series, 8, 0.25).kept, 5.0 / 8.0, 1e-15);
    ck_assert_double_eq(found(series, 8, 0.25).degrees, 4.0);
    ck_assert_double_eq(found(alternating, 8, 0.25).kept, 1.0);
    ck_assert(isinf(found(alternating, 8, 0.25).degrees));
    ck_assert_double_eq(found(constant, 4, 0.0).kept, 1.0);
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
    ck_assert_double_eq_tol(found(series, 128, 0.25).time, batches, 1e-9);
    ck_assert_double_eq_tol(reference_window(series, 128, 0.25).time, batches, 1e-9);
}

/* Coins that stick, of many lengths: 0, 1/2 or 1, so that they are what "is not below 1/2" says of
 * them. */
TEST(as_its_formulas_say)
{
    enum { MANY = 9000 };
    static double series[MANY];
    uint64_t seed = 5;
    for (unsigned run = 0; run < 300; run++) {
        const uint64_t n = 2 + (uint64_t)(fake_unit(&seed) * fake_unit(&seed) * (MANY - 2));
        const double sticky = fake_unit(&seed);
        series[0] = 1.0;
        for (uint64_t i = 1; i < n; i++)
            series[i] = fake_unit(&seed) < sticky ? series[i - 1]
                                                  : 0.5 * floor(3.0 * fake_unit(&seed));
        const double variance = 0.1 + 0.1 * fake_unit(&seed);
        const struct reference_window expected = reference_window(series, n, variance);
        const struct reference_window window = found(series, n, variance);
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

/* --- trends, against lines worked out by hand --- */

/* 1, 2, 4, 3: slope 0.8, residuals -0.3, -0.1, 1.1, -0.7 of squares 1.8, so 0.8 / sqrt(0.9 / 5);
 * they are not correlated with the next. */
TEST(slopes_over_their_errors)
{
    const double up[] = {1, 2, 4, 3};
    const double down[] = {3, 4, 2, 1};
    const double equal[] = {5, 5, 5, 5};
    ck_assert_double_eq_tol(series_trend(up, 4), 0.8 / sqrt(0.18), 1e-12);
    ck_assert_double_eq_tol(series_trend(down, 4), -0.8 / sqrt(0.18), 1e-12);
    ck_assert_double_eq(series_trend(equal, 4), 0.0);
    ck_assert_double_eq(series_trend(up, 2), 0.0);
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
    ck_assert_double_eq_tol(series_trend(step, 32), slope / error / sqrt(3.0), 1e-9);
    ck_assert_double_gt(series_trend(step, 32), 5.0);
}
