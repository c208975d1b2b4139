/* test_replay_series.c - running figures of samples, against the same found the plain way. */
#include "core/base/statistics.h"
#include "core/replay/replay.h"
#include "tests/check_main.h"

static struct arena arena;
static struct replay_series series;
static struct gb_error error;

static void tear_down(void)
{
    arena_free(&arena);
}

TEST_FIXTURE(NULL, tear_down)

static void make_series(const double *values, uint64_t n)
{
    ck_assert_int_eq(replay_series_of(values, n, &arena, &series, &error), GB_OK);
}

/* Not evenly spread, with ties. */
static double sample(uint64_t i)
{
    uint64_t mixed = (i + 1) * 0x9E3779B97F4A7C15u;
    double share = (double)(mixed >> 40) / (double)(1 << 24);
    return 100 + floor(20 * share * share);
}

static double entropy_of(const double *values, size_t n)
{
    double *sorted = malloc(n * sizeof *sorted), sum = 0;
    memcpy(sorted, values, n * sizeof *sorted);
    sort_values(sorted, n);
    for (size_t i = 0, count; i < n; i += count) {
        for (count = 1; i + count < n && sorted[i + count] == sorted[i];)
            count++;
        double share = (double)count / (double)n;
        sum -= share * log2(share);
    }
    free(sorted);
    return sum;
}

/* As the policy stdrel has it: of the noises of 5, 6 ... k samples the newest 512. */
static double window_of(const double *noises, size_t k)
{
    size_t last = k - 4, first = last > NOISE_WINDOW ? last - NOISE_WINDOW : 0, n = last - first;
    double mean = mean_of(noises + first, n), squares = 0;
    for (size_t i = first; i < last; i++)
        squares += pow(noises[i] - mean, 2);
    return sqrt(squares / (double)n) / mean;
}

TEST(figures)
{
    enum { N = 3000 };
    static double values[N], noises[N];
    for (uint64_t i = 0; i < N; i++)
        values[i] = sample(i);
    for (size_t k = 5; k <= N; k++)
        noises[k - 5] = stdev_of(values, k) / mean_of(values, k);
    make_series(values, N);
    ck_assert_uint_ge(series.n_points, 64);
    ck_assert_double_eq(series.number[0], 1);
    ck_assert_double_eq(series.number[series.n_points - 1], N);
    for (uint64_t i = 0; i < series.n_points; i++) {
        size_t k = (size_t)series.number[i];
        struct summary summary = summary_of(values, k);
        ck_assert(i == 0 || series.number[i] > series.number[i - 1]);
        ck_assert_double_eq(series.median_ns[i], summary.median);
        ck_assert_double_eq_tol(series.entropy_bits[i], entropy_of(values, k), 1e-9);
        if (k > 1)
            ck_assert_double_eq_tol(series.stdev_ratio[i], summary.stdev / summary.mean, 1e-12);
        if (k < 5 || k - 4 <= NOISE_WINDOW_FROM)
            ck_assert(isnan(series.noise_ratio[i]));
        else
            ck_assert_double_eq_tol(series.noise_ratio[i], window_of(noises, k), 1e-9);
        ck_assert(k >= 6 ? series.median_low_ns[i] <= summary.median &&
                               series.median_high_ns[i] >= summary.median
                         : isnan(series.median_low_ns[i]) && isnan(series.median_high_ns[i]));
    }
}

/* Ranks that hold the median with 95 %, from tables of the binomial distribution. */
TEST(intervals)
{
    static const struct {
        uint64_t n;
        double low, high;
    } known[] = {{6, 1, 6}, {8, 1, 8}, {9, 2, 8}, {20, 6, 15}, {50, 18, 33}, {100, 40, 61}};
    double values[100];
    for (int i = 0; i < 100; i++)
        values[i] = (i * 37) % 100 + 1;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        double sorted[100];
        memcpy(sorted, values, known[i].n * sizeof *sorted);
        sort_values(sorted, known[i].n);
        make_series(values, known[i].n);
        uint64_t last = series.n_points - 1;
        ck_assert_double_eq(series.median_low_ns[last], sorted[(size_t)known[i].low - 1]);
        ck_assert_double_eq(series.median_high_ns[last], sorted[(size_t)known[i].high - 1]);
        arena_free(&arena);
    }
}

TEST(few_are_all_shown)
{
    static const double values[] = {5, NAN, 3, 3}, numbers[] = {1, 3, 4};
    make_series(values, 4);
    ck_assert_uint_eq(series.n_shown, 3);
    ck_assert_mem_eq(series.shown_number, numbers, sizeof numbers);
    ck_assert_uint_eq(series.n_points, 3);
    ck_assert_double_eq(series.median_ns[2], 3);
    ck_assert_uint_eq(series.n_outside, 0);
}

TEST(many_are_thinned_out)
{
    enum { N = 300000, OUTLIER = 200000 };
    double *values = malloc(N * sizeof *values);
    for (uint64_t i = 0; i < N; i++)
        values[i] = sample(i);
    values[OUTLIER] = 1e6;
    values[OUTLIER + 1] = 119.75; /* the highest within: it must be among those shown */
    make_series(values, N);
    ck_assert_uint_gt(series.n_shown, 2000);
    ck_assert_uint_le(series.n_shown, SERIES_ALL_SHOWN);
    ck_assert_uint_le(series.n_points, 4096);
    ck_assert_double_eq(series.number[series.n_points - 1], N);
    bool is_shown = false;
    for (uint64_t i = 0; i < series.n_shown; i++) {
        ck_assert_double_eq(series.shown_ns[i], values[(uint64_t)series.shown_number[i] - 1]);
        is_shown = is_shown || series.shown_ns[i] == 119.75;
    }
    ck_assert(is_shown);
    ck_assert_uint_eq(series.n_above, 1);
    ck_assert_uint_eq(series.n_below, 0);
    ck_assert_uint_eq(series.n_outside, 1);
    ck_assert_double_eq(series.outside_number[0], OUTLIER + 1);
    ck_assert_double_eq(series.outside_ns[0], series.high_ns);
    free(values);
}

TEST(equal_and_unknown)
{
    static const double equal[] = {7, 7, 7, 7, 7, 7, 7}, unknown[] = {NAN, NAN}, zero[] = {0, 0};
    make_series(equal, 7);
    ck_assert_double_eq(series.entropy_bits[6], 0);
    ck_assert_double_eq(series.stdev_ratio[6], 0);
    ck_assert_double_eq(series.median_low_ns[6], 7);
    make_series(zero, 2);
    ck_assert(isnan(series.stdev_ratio[1]));
    ck_assert_int_eq(replay_series_of(unknown, 2, &arena, &series, &error), GB_NOT_FOUND);
}
