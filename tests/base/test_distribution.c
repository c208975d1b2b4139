/* test_distribution.c - core/base/distribution.c: values in bounded memory, their quantiles. */
#include "core/base/distribution.h"

#include "core/base/memory.h"
#include "core/base/statistics.h"
#include "tests/check_main.h"

static struct distribution *distribution;
static struct bin *bins;
static size_t n_bins;

static void set_up(void)
{
    distribution = distribution_new();
}

static void tear_down(void)
{
    distribution_free(distribution);
    free_pointer(&bins);
}

static struct distribution_summary read_bins(void)
{
    const struct distribution_summary summary = distribution_summary(distribution);
    n_bins = summary.n_bins;
    bins = memory_allocate((n_bins + 1) * sizeof *bins);
    distribution_bins(distribution, bins);
    return summary;
}

TEST_FIXTURE(set_up, tear_down)

TEST(few_values_are_exact)
{
    static const double values[] = {3, -1, 0, 3, 1e-300, -1, 7.25};
    static const struct bin expected[] = {{-1, 2}, {0, 1}, {1e-300, 1}, {3, 2}, {7.25, 1}};
    for (size_t i = 0; i < 7; i++)
        ck_assert(distribution_add(distribution, values[i]));
    const struct distribution_summary summary = read_bins();
    ck_assert_uint_eq(summary.n, 7);
    ck_assert_double_eq(summary.min, -1);
    ck_assert_double_eq(summary.max, 7.25);
    ck_assert_double_eq_tol(summary.mean, mean_of(values, 7), 1e-15);
    ck_assert_double_eq_tol(summary.stdev, stdev_of(values, 7), 1e-15);
    ck_assert_double_eq(summary.error_ratio, 0);
    ck_assert_uint_eq(n_bins, 5);
    for (size_t i = 0; i < 5; i++) {
        ck_assert_double_eq(bins[i].value, expected[i].value);
        ck_assert_double_eq(bins[i].count, expected[i].count);
    }
    for (int percent = 0; percent <= 100; percent++) {
        double sorted[] = {-1, -1, 0, 1e-300, 3, 3, 7.25};
        ck_assert_double_eq(bins_quantile(bins, n_bins, 7, percent / 100.0),
                            quantile_of_sorted(sorted, 7, percent / 100.0));
    }
}

TEST(no_value_has_no_quantiles)
{
    static const double refused[] = {NAN, INFINITY, -INFINITY, 0x1p64, -0x1p64, 1e300};
    for (size_t i = 0; i < 6; i++)
        ck_assert(!distribution_add(distribution, refused[i]));
    const struct distribution_summary summary = distribution_summary(distribution);
    ck_assert_uint_eq(summary.n, 0);
    ck_assert_uint_eq(summary.n_bins, 0);
    ck_assert(isnan(summary.mean) && isnan(summary.min) && isnan(summary.stdev));
    ck_assert(isnan(bins_quantile(NULL, 0, 0, 0.5)));
    const struct bins_interval range = bins_quantile_interval(NULL, 0, 0, 0, 0.5, 0.95);
    ck_assert(isinf(range.low) && isinf(range.high));
    distribution_free(NULL);
}

/* Ten million, or one: what is kept of them is small, and each quantile within the error
 * documented. */
TEST(millions_are_counted_in_classes)
{
    const size_t n = test_is_long() ? 10000000 : 1000000;
    double *values = memory_allocate(n * sizeof *values);
    uint64_t state = 1;
    double total = 0;
    for (size_t i = 0; i < n; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        values[i] = exp(20.0 * (double)(state >> 11) / 0x1p53) * (i % 7 == 0 ? -1 : 1);
        ck_assert(distribution_add(distribution, values[i]));
    }
    const struct distribution_summary summary = read_bins();
    ck_assert_uint_eq(summary.n, n);
    ck_assert_double_eq(summary.error_ratio, DISTRIBUTION_ERROR);
    ck_assert_double_eq_tol(summary.mean / mean_of(values, n), 1, 1e-9);
    ck_assert_double_eq_tol(summary.stdev / stdev_of(values, n), 1, 1e-9);
    ck_assert_uint_lt(n_bins, 65536);
    sort_values(values, n);
    ck_assert_double_eq(summary.min, values[0]);
    ck_assert_double_eq(summary.max, values[n - 1]);
    for (size_t i = 0; i < n_bins; i++) {
        total += bins[i].count;
        ck_assert(i == 0 || bins[i].value > bins[i - 1].value);
    }
    ck_assert_double_eq(total, (double)n);
    static const double levels[] = {0, 0.001, 0.1, 0.5, 0.9, 0.99, 0.999, 1};
    for (size_t i = 0; i < 8; i++) {
        const double exact = quantile_of_sorted(values, n, levels[i]);
        ck_assert_double_le(fabs(bins_quantile(bins, n_bins, n, levels[i]) - exact),
                            fabs(exact) * (DISTRIBUTION_ERROR + 1e-6));
    }
    free(values);
}

TEST(extremes_have_classes)
{
    const double tiny = 0x1p-65, least = 0x1p-64, most = nextafter(0x1p64, 0);
    for (size_t i = 0; i < DISTRIBUTION_EXACT; i++)
        distribution_add(distribution, i % 2 ? tiny : -tiny);
    ck_assert(distribution_add(distribution, least));
    ck_assert(distribution_add(distribution, -most));
    ck_assert(distribution_add(distribution, most));
    read_bins();
    ck_assert_uint_eq(n_bins, 4);
    ck_assert_double_eq_tol(bins[0].value / most, -1, DISTRIBUTION_ERROR);
    ck_assert_double_eq(bins[1].value, 0);
    ck_assert_double_eq(bins[1].count, DISTRIBUTION_EXACT);
    ck_assert_double_eq_tol(bins[2].value / least, 1, 1.001 * DISTRIBUTION_ERROR);
    ck_assert_double_eq_tol(bins[3].value / most, 1, DISTRIBUTION_ERROR);
}

/* By the sum of its terms. */
TEST(binomial_probabilities)
{
    static const struct {
        uint64_t n;
        double p;
    } cases[] = {{1, 0.5}, {10, 0.9}, {100, 0.99}, {1000, 0.5}, {3000, 0.999}};
    for (size_t i = 0; i < 5; i++) {
        const double n = (double)cases[i].n, p = cases[i].p;
        double total = 0;
        for (uint64_t k = 0; k <= cases[i].n; k++) {
            total += exp(lgamma(n + 1) - lgamma((double)k + 1) - lgamma(n - (double)k + 1) +
                         (double)k * log(p) + (n - (double)k) * log1p(-p));
            ck_assert_double_eq_tol(binomial_at_most(k, cases[i].n, p), total, 1e-9);
        }
    }
}

/* Known ranks: of 100 values the median lies between the 40th and the 61st (David and Nagaraja); of
 * 400 by sums of exact fractions. */
TEST(intervals_are_order_statistics)
{
    static const struct {
        size_t n, n_effective;
        double level, low, high;
    } known[] = {
        {100, 100, 0.5, 40, 61},
        {100, 100, 0.999, 99, INFINITY},
        {5, 5, 0.5, -INFINITY, INFINITY},
        {400, 400, 0.5, 180, 221},
        {400, 400, 0.9, 348, 372},
        {400, 400, 0.99, 392, 400},
        {400, 100, 0.5, 157, 244}, /* four for one: from (40 - 1) 4 to 61 x 4 */
        {400, 5, 0.5, -INFINITY, INFINITY},
        {400, 0, 0.5, -INFINITY, INFINITY},
    };
    struct bin ranks[400];
    for (size_t i = 0; i < 400; i++)
        ranks[i] = (struct bin){(double)i + 1, 1};
    for (size_t i = 0; i < N_OF(known); i++) {
        const struct bins_interval range = bins_quantile_interval(
            ranks, known[i].n, known[i].n, known[i].n_effective, known[i].level, 0.95);
        ck_assert_double_eq(range.low, known[i].low);
        ck_assert_double_eq(range.high, known[i].high);
    }
}
