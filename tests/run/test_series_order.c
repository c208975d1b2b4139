/* test_series_order.c - core/run/series_order.c: intervals of percentiles of correlated values
 * hold, or there are none. */
#include "core/run/series_order.h"

#include "core/base/memory.h"
#include "tests/check_main.h"
#include "tests/fake_host.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

TEST_FIXTURE(NULL, NULL)

/* Percentiles of a standard normal variable. */
static const double normal_levels[SERIES_LEVELS] = {0, 1.2815515655446004, 2.3263478740408408,
                                                    3.090232306167813};

/* Of one series: whether each interval, one-sided ones too, holds. */
struct counts {
    unsigned n[SERIES_LEVELS], n_covered[SERIES_LEVELS];
};

static void look_at(double correlation, uint64_t n, uint64_t *seed, struct counts *counts)
{
    struct distribution *distribution = distribution_new();
    struct series_order *order = NULL;
    double state = fake_normal(seed);
    for (uint64_t i = 0; i < n; i++) {
        ck_assert(distribution_add(distribution, state));
        series_order_add(&order, distribution, i + 1, state);
        state = correlation * state + sqrt(1 - correlation * correlation) * fake_normal(seed);
    }
    const struct distribution_summary summary = distribution_summary(distribution);
    struct bin *bins = memory_allocate(summary.n_bins * sizeof *bins);
    struct series_record record = {
        .n = n, .min = summary.min, .max = summary.max, .bins = bins, .n_bins = summary.n_bins};
    distribution_bins(distribution, bins);
    series_order_sizes(order, distribution, n, record.n_effective);
    series_find_quantiles(&record);
    for (size_t i = 0; i < SERIES_LEVELS; i++) {
        const struct series_quantile *quantile = &record.quantiles[i];
        if (isinf(quantile->low) && isinf(quantile->high))
            continue;
        counts->n[i]++;
        counts->n_covered[i] += quantile->low <= normal_levels[i] &&
                                normal_levels[i] <= quantile->high;
    }
    free(bins);
    free(order);
    distribution_free(distribution);
}

/* 95 % and more but for chance; of percentiles that are known too little few have one. */
static const struct coverage {
    double correlation;
    uint64_t n, runs;
    struct counts expected;
} coverages[] = {
    {0, 1000, 400, {{400, 399, 321, 400}, {385, 387, 314, 398}}},
    {0, 10000, 100, {{100, 100, 100, 78}, {96, 93, 99, 73}}},
    {0, 100000, 10, {{10, 10, 10, 10}, {9, 10, 10, 10}}},
    {0.5, 1000, 400, {{400, 344, 167, 400}, {386, 333, 163, 398}}},
    {0.5, 10000, 100, {{100, 100, 98, 59}, {95, 96, 95, 58}}},
    {0.5, 100000, 10, {{10, 10, 10, 10}, {9, 10, 10, 8}}},
    {0.9, 1000, 400, {{146, 0, 1, 400}, {135, 0, 1, 377}}},
    {0.9, 10000, 100, {{100, 98, 0, 0}, {96, 94, 0, 0}}},
    {0.9, 100000, 10, {{10, 10, 10, 1}, {9, 9, 8, 1}}},
    {0.99, 1000, 400, {{0, 0, 0, 400}, {0, 0, 0, 381}}},
    {0.99, 10000, 100, {{26, 0, 0, 0}, {25, 0, 0, 0}}},
    {0.99, 100000, 10, {{10, 10, 0, 0}, {9, 9, 0, 0}}},
};

TEST_EACH(intervals_hold_or_there_are_none, coverages)
{
    const struct coverage *coverage = &coverages[_i];
    struct counts counts = {{0}, {0}};
    uint64_t seed = 100 + (uint64_t)_i;
    for (uint64_t run = 0; run < coverage->runs; run++)
        look_at(coverage->correlation, coverage->n, &seed, &counts);
    ck_assert_msg(memcmp(&counts, &coverage->expected, sizeof counts) == 0,
                  "intervals {%u, %u, %u, %u}, that hold {%u, %u, %u, %u}", counts.n[0],
                  counts.n[1], counts.n[2], counts.n[3], counts.n_covered[0], counts.n_covered[1],
                  counts.n_covered[2], counts.n_covered[3]);
}
