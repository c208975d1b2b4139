/* test_steady_parts.c - plugins/policy_steady: its clock history, modes and ranks. */
#include "core/base/statistics.h"
#include "plugins/policy_steady/clock_history.h"
#include "plugins/policy_steady/modes.h"
#include "plugins/policy_steady/rank_index.h"
#include "tests/check_main.h"
#include "tests/policy/policy_fixture.h"
#include "tests/policy/steady_reference.h"

/* --- what counts as a clock on its way --- */

static struct clock_history history;

#define CLOCKS(X)                                                                                  \
    X(constant_clock, 1e9)                                                                         \
    X(noise, 1e9 * (1.0 + 0.03 * fake_normal(seed)))                                               \
    X(neighbours, fake_unit(seed) < 0.5 ? 1.980e9 : 1.965e9)                                       \
    X(rising, 1e9 * (1.0 + 0.03 * share + 0.002 * fake_normal(seed)))                              \
    X(falling, 1e9 * (1.0 - 0.03 * share + 0.002 * fake_normal(seed)))                             \
    X(clock_step, share < 0.6 ? 1e9 : 1.02e9)                                                      \
    X(there_and_back, 1e9 * (1.0 + 0.03 * sin(6.28318530717958648 * share)))                       \
    X(waves, 1e9 * (1.0 + 0.03 * sin(3.0 * 6.28318530717958648 * share)))                          \
    X(unknown, 0.0)                                                                                \
    X(half_known, share < 0.5 ? 1e9 * (1.0 + share) : 0.0)
enum { CLOCKS(WORD_NUMBER) };

static double clock_at(int kind, uint64_t i, uint64_t n, uint64_t *seed)
{
    const double share = (double)i / (double)n;
    switch (kind) {
        CLOCKS(WORD_VALUE)
    }
    return NAN;
}

TEST_TIMES(trends, 10)
{
    static const struct {
        int kind;
        bool is_trend;
    } cases[] = {{IS_constant_clock, false}, {IS_noise, false},  {IS_neighbours, false},
                 {IS_rising, true},          {IS_falling, true}, {IS_clock_step, true},
                 {IS_there_and_back, true},  {IS_waves, false},  {IS_unknown, false},
                 {IS_half_known, false}};
    static const uint64_t lengths[] = {40, 150, 1000, 1024, 1025, 5000, 100000};
    for (size_t length = 0; length < sizeof lengths / sizeof lengths[0]; length++) {
        const uint64_t n = lengths[length];
        uint64_t seed = 1;
        memset(&history, 0, sizeof history);
        for (uint64_t i = 0; i < n; i++)
            clock_history_add(&history, clock_at(cases[_i].kind, i, n, &seed), false);
        ck_assert_msg(clock_history_trend(&history, 0, 0.01).is_there == cases[_i].is_trend,
                      "kind %d, %d samples", cases[_i].kind, (int)n);
        ck_assert(!clock_history_trend(&history, 0, 0.5).is_there); /* too small to matter */
        ck_assert(!clock_history_trend(&history, n, 0.01).is_there);
    }
}

/* Noise alone, of any width, however often one looks. */
TEST(noise_is_no_trend)
{
    uint64_t seed = 2;
    for (unsigned run = 0; run < 300; run++) {
        const double sigma = 0.001 * exp(5.0 * fake_unit(&seed));
        memset(&history, 0, sizeof history);
        for (uint64_t i = 1; i <= 3000; i++) {
            clock_history_add(&history, 1e9 * (1.0 + sigma * tanh(fake_normal(&seed))), false);
            if (i >= 64 && i % 100 == 0)
                ck_assert(!clock_history_trend(&history, i / 8, 0.001).is_there);
        }
    }
}

/* What was left out does not count. */
TEST(only_retained_samples_count)
{
    memset(&history, 0, sizeof history);
    for (uint64_t i = 0; i < 4000; i++)
        clock_history_add(&history, i < 900 ? 1e9 : 1.1e9, i == 899 || i >= 3000);
    ck_assert(clock_history_trend(&history, 0, 0.01).is_there);
    ck_assert(clock_history_trend(&history, 200, 0.01).is_there);
    ck_assert(!clock_history_trend(&history, 900, 0.01).is_there);
    ck_assert(clock_history_is_throttled(&history, 0));
    ck_assert(clock_history_is_throttled(&history, 3999));
    ck_assert(!clock_history_is_throttled(&history, 4000));
    ck_assert_double_eq_tol(clock_history_throttled_share(&history, 0), 1001.0 / 4000.0, 1e-12);
    ck_assert_double_eq_tol(clock_history_throttled_share(&history, 2000), 0.5, 1e-12);
    memset(&history, 0, sizeof history);
    ck_assert(!clock_history_is_throttled(&history, 0));
    ck_assert(!clock_history_trend(&history, 0, 0.01).is_there);
    ck_assert_double_eq(clock_history_throttled_share(&history, 0), 0.0);
}

/* A start at another clock, unless that comes again, or is not known, or no further away than the
 * tolerance. */
TEST_TIMES(a_clock_that_was_left, 8)
{
    static const struct {
        double start_hz, later_hz, again_hz;
        bool has_left;
    } cases[] = {
        {1.9e9, 1.98e9, 1.98e9, true},
        {2.1e9, 1.98e9, 1.98e9, true},
        {1.9e9, 1.98e9, 1.9e9, false},
        {1.9e9, 1.98e9, 1.89e9, false},
        {1.97e9, 1.98e9, 1.98e9, false},
        {0, 1.98e9, 1.98e9, false},
        {1.9e9, 0, 0, false},
        {1.9e9, 1.98e9, 2.1e9, true},
    };
    static const uint64_t lengths[] = {100, 1024, 1500, 50000};
    for (size_t length = 0; length < sizeof lengths / sizeof lengths[0]; length++) {
        const uint64_t n = lengths[length];
        const uint64_t n_start = n / 10;
        memset(&history, 0, sizeof history);
        for (uint64_t i = 0; i < n; i++)
            clock_history_add(&history,
                              i < n_start     ? cases[_i].start_hz
                              : i < n - n / 4 ? cases[_i].later_hz
                                              : cases[_i].again_hz,
                              false);
        ck_assert(clock_history_has_left(&history, n_start / 2, n_start, 0.01) ==
                  cases[_i].has_left);
        ck_assert(!clock_history_has_left(&history, n_start / 2, n_start, 0.5));
        ck_assert(!clock_history_has_left(&history, 0, n_start, 0.01));
        ck_assert(!clock_history_has_left(&history, n_start / 2, n, 0.01));
    }
    memset(&history, 0, sizeof history);
    ck_assert(!clock_history_has_left(&history, 0, 0, 0.01));
}

/* --- modes that are there and modes that are not --- */

enum { MANY = 60000 };
static double drawn[MANY];

struct mixture {
    double weight, centre, sigma;
};

static void draw(const struct mixture *parts, size_t n_parts, uint64_t n, double tick)
{
    uint64_t seed = 21;
    for (uint64_t i = 0; i < n; i++) {
        double left = fake_unit(&seed);
        size_t part = 0;
        while (part + 1 < n_parts && left >= parts[part].weight)
            left -= parts[part++].weight;
        drawn[i] = parts[part].centre * (1.0 + parts[part].sigma * fake_normal(&seed));
        if (tick > 0.0)
            drawn[i] = tick * round(drawn[i] / tick);
    }
}

static struct modes find(uint64_t n, double tick, double min_weight)
{
    struct rank_index index = {0};
    struct modes modes;
    ck_assert_int_eq(rank_index_update(&index, drawn, n), GB_OK);
    const struct retained retained = retained_all(&index);
    modes_find(&retained, retained_value(&retained, n / 2), tick, min_weight, &modes);
    rank_index_free(&index);
    ck_assert_double_eq(modes.edges[0], (double)-INFINITY);
    ck_assert_double_eq(modes.edges[modes.n], (double)INFINITY);
    return modes;
}

TEST_TIMES(mixtures, 13)
{
    static const struct {
        struct mixture parts[4];
        size_t n_parts;
        uint64_t n;
        double tick;
        size_t n_modes;
    } cases[] = {
        {{{1.0, 100, 0.01}}, 1, 600, 0.0, 1},
        {{{1.0, 100, 0.01}}, 1, MANY, 0.0, 1},
        {{{1.0, 100, 0.00001}}, 1, MANY, 0.0, 1},
        {{{0.5, 100, 0.01}, {0.5, 115, 0.01}}, 2, 600, 0.0, 2},
        {{{0.5, 100, 0.01}, {0.5, 115, 0.01}}, 2, 600, 1.0, 2},
        {{{0.95, 100, 0.01}, {0.05, 135, 0.01}}, 2, 4000, 0.0, 2},
        {{{0.99, 100, 0.01}, {0.01, 135, 0.01}}, 2, MANY, 0.0, 1},     /* too light */
        {{{0.5, 100, 0.0001}, {0.5, 100.5, 0.0001}}, 2, MANY, 0.0, 1}, /* too close */
        {{{0.5, 100, 0.01}, {0.5, 102, 0.01}}, 2, MANY, 0.0, 1},       /* no valley */
        {{{0.3, 80, 0.01}, {0.4, 100, 0.01}, {0.3, 120, 0.01}}, 3, 3000, 0.0, 3},
        {{{0.4, 100, 0.005}, {0.3, 110, 0.005}, {0.2, 120, 0.005}, {0.1, 130, 0.005}},
         4,
         MANY,
         0.0,
         4},
        {{{0.5, 100, 0.0}, {0.5, 101, 0.0}}, 2, MANY, 1.0, 1}, /* two ticks, side by side */
        {{{0.5, 100, 0.0}, {0.5, 110, 0.0}}, 2, MANY, 1.0, 2},
    };
    draw(cases[_i].parts, cases[_i].n_parts, cases[_i].n, cases[_i].tick);
    const struct modes modes = find(cases[_i].n, cases[_i].tick, 0.02);
    ck_assert_uint_eq(modes.n, cases[_i].n_modes);
    for (size_t i = 0; i < modes.n && modes.n == cases[_i].n_parts; i++) {
        ck_assert_double_eq_tol(modes.weights[i], cases[_i].parts[i].weight, 0.06);
        ck_assert(modes.edges[i] < cases[_i].parts[i].centre &&
                  cases[_i].parts[i].centre < modes.edges[i + 1]);
    }
}

/* A mode joins the neighbour towards the main peak if it is too light. */
TEST(light_modes_join)
{
    const struct mixture parts[] = {{0.6, 100, 0.005}, {0.1, 110, 0.005}, {0.3, 120, 0.005}};
    draw(parts, 3, MANY, 0.0);
    ck_assert_uint_eq(find(MANY, 0.0, 0.02).n, 3);
    const struct modes modes = find(MANY, 0.0, 0.2);
    ck_assert_uint_eq(modes.n, 2);
    ck_assert_double_eq_tol(modes.weights[0], 0.7, 0.02);
}

/* More than can be reported: the farthest are joined. */
TEST(many_modes)
{
    for (uint64_t i = 0; i < MANY; i++)
        drawn[i] = 100.0 + 10.0 * (double)(i % 10) + (double)(i / 10 % 10) * 0.01;
    const struct modes modes = find(MANY, 0.0, 0.02);
    ck_assert_uint_eq(modes.n, GB_MODES_MAX);
    double weight = 0.0;
    for (size_t i = 0; i < modes.n; i++) {
        ck_assert_double_lt(modes.edges[i], modes.edges[i + 1]);
        weight += modes.weights[i];
    }
    ck_assert_double_eq_tol(weight, 1.0, 1e-12);
}

/* --- quantiles, counts and visits of retained values, against sorting --- */

static void check_counts(const struct retained *retained, const double *sorted, double value)
{
    const struct rank_index *index = retained->index;
    const uint64_t n = retained->n;
    const uint64_t places[] = {0, n / 5, n / 3, n / 3, n / 2, n};
    const uint64_t ranks[2] = {rank_from(index, value), rank_behind(index, value)};
    for (int side = 0; side < 2; side++) {
        uint64_t counts[6];
        uint64_t expected[6] = {0};
        for (uint64_t i = 0; i < n; i++) {
            const double y = index->values[retained->first + i];
            for (size_t j = 0; j < 6; j++)
                expected[j] += i < places[j] && (side == 0 ? y < value : y <= value);
        }
        retained_count(retained, ranks[side], places, 6, counts);
        ck_assert_mem_eq(counts, expected, sizeof counts);
        ck_assert_uint_eq(retained_below(retained, ranks[side]), expected[5]);
        ck_assert(expected[5] == n || side == 1 || !(sorted[expected[5]] < value));
    }
}

static void check_visits(const struct retained *retained, double low, double high)
{
    const double *values = retained->index->values;
    uint64_t expected = 0;
    for (uint64_t i = retained->first; i < retained->index->n; i++)
        expected += values[i] >= low && values[i] < high &&
                    (i == retained->first || values[i - 1] < low || values[i - 1] >= high);
    ck_assert_uint_eq(retained_visits(retained, low, high, UINT64_MAX), expected);
    ck_assert_uint_eq(retained_visits(retained, low, high, 3), expected < 3 ? expected : 3);
}

static void check_view(const struct retained *retained, uint64_t *seed)
{
    const uint64_t n = retained->n;
    double *sorted = malloc(n * sizeof *sorted);
    memcpy(sorted, retained->index->values + retained->first, n * sizeof *sorted);
    sort_values(sorted, n);
    const uint64_t ranks[] = {0, n / 4, n / 2, n - n / 10 - 1, n - 1};
    for (size_t i = 0; i < 5; i++) {
        ck_assert_double_eq(retained_value(retained, ranks[i]), sorted[ranks[i]]);
        check_counts(retained, sorted, sorted[ranks[i]]);
        check_counts(retained, sorted, nextafter(sorted[ranks[i]], (double)INFINITY));
    }
    check_counts(retained, sorted, (double)INFINITY);
    check_counts(retained, sorted, (double)-INFINITY);
    check_visits(retained, (double)-INFINITY, sorted[n / 2]);
    check_visits(retained, sorted[n / 2], (double)INFINITY);
    check_visits(retained, sorted[n / 3], sorted[n - n / 5 - 1]);
    check_visits(retained, sorted[n / 2], sorted[n / 2]);
    for (int i = 0; i < 3; i++) {
        const double p = fake_unit(seed);
        const double tick = (double)(i % 2);
        const double expected = reference_quantile(sorted, n, p, tick);
        const double found = mid_quantile(retained, p, tick);
        ck_assert(found == expected || fabs(found - expected) <= 1e-9 * fabs(expected));
    }
    free(sorted);
}

/* Takes them in as they might come, and updates in small steps. */
static void update_by_steps(struct rank_index *index, const double *values, uint64_t n)
{
    uint64_t taken = index->n;
    uint64_t batch = 1;
    while (taken < n) {
        taken = taken + batch < n ? taken + batch : n;
        batch = batch * 7 % 6000 + 1;
        ck_assert_int_eq(rank_index_take(index, values, taken), GB_OK);
    }
    const uint64_t before = index->n;
    uint64_t n_calls = 0;
    ck_assert_int_eq(rank_index_begin(index), GB_OK);
    while (!rank_index_continue(index, 1000))
        n_calls++;
    ck_assert_uint_ge(n_calls, before == n ? 0 : n / 1000);
    ck_assert_uint_eq(index->n, n);
}

/* Values come in parts; those at the start are left out bit by bit. More than 2^16 have codes that
 * tell no two neighbours apart. */
TEST_TIMES(as_by_sorting, ORDERS)
{
    static const uint64_t lengths[] = {1, 2, 17, 300, 5000, 70000, 300001};
    uint64_t seed = 11;
    const size_t n_lengths = sizeof lengths / sizeof lengths[0] - (test_is_long() ? 0 : 1);
    for (size_t length = 0; length < n_lengths; length++) {
        const uint64_t n = lengths[length];
        double *values = malloc(n * sizeof *values);
        struct rank_index index = {0};
        for (uint64_t i = 0; i < n; i++)
            values[i] = ordered_value(_i, i, n, &seed);
        ck_assert_int_eq(rank_index_update(&index, values, n / 3), GB_OK);
        update_by_steps(&index, values, n - n / 9);
        ck_assert_int_eq(rank_index_take(&index, values, n - n / 10), GB_OK);
        ck_assert_int_eq(rank_index_update(&index, values, n), GB_OK);
        struct retained retained = retained_all(&index);
        check_view(&retained, &seed);
        retained_leave_out(&retained, n / 7);
        check_view(&retained, &seed);
        retained_leave_out(&retained, n / 2);
        check_view(&retained, &seed);
        retained = retained_all(&index);
        ck_assert_uint_eq(retained.n, n);
        check_view(&retained, &seed);
        rank_index_free(&index);
        free(values);
    }
}

/* --- mid-quantiles by hand --- */

/* 1 2 2 2 3 of 5: 1 stands at 0.1, 2 at 0.5, 3 at 0.9. And 1 1 1 2 2: 1 at 0.3, 2 at 0.8. */
TEST(mid_quantiles_of_tied_values)
{
    static const double a[] = {1, 2, 2, 2, 3}, b[] = {1, 1, 1, 2, 2}, c[] = {4, 4, 4};
    static const struct {
        const double *values;
        uint64_t n;
        double p, tick, quantile;
    } cases[] = {
        {a, 5, 0.5, 0.0, 2.0},       {a, 5, 0.3, 0.0, 1.5},
        {a, 5, 0.7, 1.0, 2.5},       {a, 5, 0.1, 0.0, 1.0},
        {a, 5, 0.0, 0.0, 1.0}, /* half a value beyond the end, which is not tied */
        {a, 5, 1.0, 1.0, 3.0},       {b, 5, 0.55, 0.0, 1.5},
        {b, 5, 0.25, 0.0, 1.0}, /* a quarter of a value beyond */
        {b, 5, 0.15, 0.5, 0.5},      {b, 5, 0.15, 0.0, -INFINITY},
        {b, 5, 0.85, 0.5, 2.0},      {b, 5, 0.95, 0.5, 2.5},
        {b, 5, 0.95, 0.0, INFINITY}, {c, 3, 0.5, 0.0, 4.0},
        {c, 3, 0.1, 0.0, 4.0},       {c, 3, 0.1, 2.0, 2.0},
        {c, 3, 0.9, 2.0, 6.0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rank_index index = {0};
        ck_assert_int_eq(rank_index_update(&index, cases[i].values, cases[i].n), GB_OK);
        const struct retained retained = retained_all(&index);
        const double found = mid_quantile(&retained, cases[i].p, cases[i].tick);
        ck_assert_msg(found == cases[i].quantile || fabs(found - cases[i].quantile) < 1e-12,
                      "case %d: %g instead of %g", (int)i, found, cases[i].quantile);
        ck_assert_double_eq_tol(reference_quantile(cases[i].values, cases[i].n, 0.5, cases[i].tick),
                                mid_quantile(&retained, 0.5, cases[i].tick), 1e-12);
        rank_index_free(&index);
    }
}

TEST(plain_quantiles)
{
    static const double values[] = {5, 1, 4, 2};
    struct rank_index index = {0};
    ck_assert_int_eq(rank_index_update(&index, values, 4), GB_OK);
    const struct retained retained = retained_all(&index);
    ck_assert_double_eq(plain_quantile(&retained, 0.5), 3.0);
    ck_assert_double_eq(plain_quantile(&retained, 0.3), 1.0);
    ck_assert_double_eq(plain_quantile(&retained, 0.2), (double)-INFINITY);
    ck_assert_double_eq(plain_quantile(&retained, 0.6), 5.0);
    ck_assert_double_eq(plain_quantile(&retained, 0.8), (double)INFINITY);
    rank_index_free(&index);
}
