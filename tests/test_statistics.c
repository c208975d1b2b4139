/* test_statistics.c - core/statistics.c against values worked out by hand. */
#include "core/statistics.h"
#include "tests/check_main.h"

#include <math.h>

static const double nine[9] = {9, 1, 8, 2, 7, 3, 6, 4, 5};

START_TEST(mean_of_nothing_is_nan)
{
    ck_assert(isnan(mean_of(NULL, 0)));
}
END_TEST

START_TEST(mean_carries_what_a_plain_sum_loses)
{
    const double values[] = {1e16, 1, -1e16, 1};
    ck_assert_double_eq(mean_of(values, 4), 0.5);
    double tenths[1000];
    for (int i = 0; i < 1000; i++)
        tenths[i] = 0.1;
    ck_assert_double_eq(mean_of(tenths, 1000), 0.1);
}
END_TEST

START_TEST(mean_of_an_infinity_is_infinite)
{
    const double values[] = {1, INFINITY, 2};
    ck_assert_double_eq(mean_of(values, 3), INFINITY);
}
END_TEST

START_TEST(stdev_divides_by_n_minus_one)
{
    const double values[] = {2, 4, 4, 4, 5, 5, 7, 9};
    ck_assert_double_eq_tol(stdev_of(values, 8), sqrt(32.0 / 7), 1e-15);
}
END_TEST

START_TEST(stdev_needs_two_values)
{
    ck_assert(isnan(stdev_of(nine, 0)));
    ck_assert(isnan(stdev_of(nine, 1)));
    ck_assert_double_eq(stdev_of(nine, 2), sqrt(32));
}
END_TEST

START_TEST(stdev_of_small_differences_on_a_large_offset)
{
    const double values[] = {1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16};
    ck_assert_double_eq_tol(stdev_of(values, 4), sqrt(30), 1e-12);
}
END_TEST

START_TEST(sort_is_ascending)
{
    double values[] = {3, -1, INFINITY, 0, -INFINITY, 3, 2};
    const double sorted[] = {-INFINITY, -1, 0, 2, 3, 3, INFINITY};
    sort_values(values, 7);
    for (int i = 0; i < 7; i++)
        ck_assert_double_eq(values[i], sorted[i]);
    sort_values(NULL, 0);
}
END_TEST

static const struct {
    double p, quantile;
} quantiles[] = {
    {0, 10}, {0.25, 17.5}, {0.5, 25}, {0.75, 32.5}, {1, 40}, {0.1, 13}, {-1, 10}, {2, 40},
};

START_TEST(quantile_interpolates_at_n_minus_one_times_p)
{
    const double sorted[] = {10, 20, 30, 40};
    ck_assert_double_eq_tol(quantile_of_sorted(sorted, 4, quantiles[_i].p), quantiles[_i].quantile,
                            1e-12);
}
END_TEST

START_TEST(quantile_edges)
{
    const double one[] = {7}, infinite[] = {1, INFINITY, INFINITY};
    ck_assert(isnan(quantile_of_sorted(one, 0, 0.5)));
    ck_assert_double_eq(quantile_of_sorted(one, 1, 0.3), 7);
    ck_assert_double_eq(quantile_of_sorted(infinite, 3, 0.75), INFINITY);
}
END_TEST

START_TEST(summary_leaves_its_input_alone)
{
    double values[9];
    for (int i = 0; i < 9; i++)
        values[i] = nine[i];
    struct summary summary = summary_of(values, 9);
    for (int i = 0; i < 9; i++)
        ck_assert_double_eq(values[i], nine[i]);
    ck_assert_uint_eq(summary.n, 9);
    ck_assert_double_eq(summary.min, 1);
    ck_assert_double_eq(summary.max, 9);
    ck_assert_double_eq(summary.mean, 5);
    ck_assert_double_eq(summary.stdev, sqrt(7.5));
    ck_assert_double_eq(summary.median, 5);
    ck_assert_double_eq(summary.q1, 3);
    ck_assert_double_eq(summary.q3, 7);
    ck_assert_double_eq_tol(summary.p10, 1.8, 1e-12);
    ck_assert_double_eq_tol(summary.p90, 8.2, 1e-12);
    ck_assert_double_eq_tol(summary.p99, 8.92, 1e-12);
}
END_TEST

START_TEST(summary_of_nothing_is_nan)
{
    struct summary summary = summary_of(NULL, 0);
    ck_assert_uint_eq(summary.n, 0);
    ck_assert(isnan(summary.min) && isnan(summary.max) && isnan(summary.mean));
    ck_assert(isnan(summary.stdev) && isnan(summary.median) && isnan(summary.p99));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("statistics");
    TCase *tests = tcase_create("statistics");
    tcase_add_test(tests, mean_of_nothing_is_nan);
    tcase_add_test(tests, mean_carries_what_a_plain_sum_loses);
    tcase_add_test(tests, mean_of_an_infinity_is_infinite);
    tcase_add_test(tests, stdev_divides_by_n_minus_one);
    tcase_add_test(tests, stdev_needs_two_values);
    tcase_add_test(tests, stdev_of_small_differences_on_a_large_offset);
    tcase_add_test(tests, sort_is_ascending);
    tcase_add_loop_test(tests, quantile_interpolates_at_n_minus_one_times_p, 0,
                        sizeof quantiles / sizeof quantiles[0]);
    tcase_add_test(tests, quantile_edges);
    tcase_add_test(tests, summary_leaves_its_input_alone);
    tcase_add_test(tests, summary_of_nothing_is_nan);
    suite_add_tcase(suite, tests);
    return suite;
}
