/* test_rank_index.c - quantiles, counts and visits of retained values, against sorting. */
#include "core/base/statistics.h"
#include "plugins/policy_steady/rank_index.h"
#include "tests/check_main.h"
#include "tests/policy/policy_fixture.h"
#include "tests/policy/steady_reference.h"

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
