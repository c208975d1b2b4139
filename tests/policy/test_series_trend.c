/* test_series_trend.c - plugins/common/policy/effective_size.c: trends, against lines worked out by
 * hand. */
#include "plugins/common/policy/effective_size.h"
#include "tests/check_main.h"

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
