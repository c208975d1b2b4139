/* test_between_runs.c - core/compare/between_runs.c: simulated runs whose states differ, with fixed
 * seeds, so that the counts are exact. */
#include "core/base/random.h"
#include "core/base/statistics.h"
#include "core/compare/between_runs.h"
#include "tests/check_main.h"
#include "tests/draws.h"

/* Of 1,000 pairs: whose interval excludes 1 without a history, with it; where it is known. */
enum { ROUNDS = 5, MOST_EARLIER = 8, PAIRS = 1000, MOST_CASES = 10 };

static double normal(uint64_t seed, uint64_t stream, uint64_t index)
{
    return normal_of(random_unit(seed, stream, 2 * index),
                     random_unit(seed, stream, 2 * index + 1));
}

struct made_run {
    double values[ROUNDS];
};

/* Run number `run` of family `seed`. */
static struct compared_side draw(struct made_run *made, uint64_t seed, uint64_t run, double level,
                                 double between, size_t n)
{
    const double state = level + between * normal(seed, run, 0);
    for (size_t i = 0; i < n; i++)
        made->values[i] = 100 * exp(state + 0.002 * normal(seed, run, i + 1));
    return (struct compared_side){made->values, n, 0, NAN};
}

struct found {
    int alone, with_history, known;
};

/* Pairs in families of n_cases, of which each has so many earlier runs, of a deviation of 0.5 %
 * times its factor, and a change; `step`: from the middle of the history on. */
static struct found simulate(size_t n_cases, size_t n_earlier, size_t n_rounds, double change,
                             double step, const double *factors)
{
    static struct made_run made[MOST_CASES][MOST_EARLIER + 2];
    struct history_run runs[MOST_CASES][MOST_EARLIER];
    struct earlier_runs earlier[MOST_CASES];
    struct found found = {0};
    for (uint64_t family = 0; family < PAIRS / n_cases; family++) {
        struct compared_side sides[MOST_CASES][2];
        for (size_t c = 0; c < n_cases; c++) {
            const double between = 0.005 * (factors ? factors[c] : 1);
            earlier[c] = (struct earlier_runs){.runs = runs[c], .n = n_earlier};
            for (size_t r = 0; r < n_earlier + 2; r++) {
                const double level = r == n_earlier + 1 ? change : 2 * r < n_earlier ? step : 0;
                const struct compared_side side = draw(&made[c][r], family, 100 * c + r, level,
                                                       between, n_rounds);
                if (r < n_earlier)
                    runs[c][r] = (struct history_run){side.values, n_rounds, 0, NAN};
                else
                    sides[c][r - n_earlier] = side;
            }
        }
        between_runs_estimate(earlier, n_cases, 0.01);
        for (size_t c = 0; c < n_cases; c++) {
            struct comparison result = compare_across(&sides[c][0], &sides[c][1], NULL, 0.95);
            ck_assert_int_eq(result.scope, SCOPE_RUNS);
            found.alone += result.low > 0 || result.high < 0;
            result = compare_across(&sides[c][0], &sides[c][1], &earlier[c].between, 0.95);
            found.with_history += result.low > 0 || result.high < 0;
            found.known += result.scope == SCOPE_HISTORY;
        }
    }
    return found;
}

static const double alike[MOST_CASES] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
static const double unlike[MOST_CASES] = {.1, .1, .2, .2, .4, .4, .6, .8, 1, 3};
static const struct {
    size_t n_cases, n_earlier, n_rounds;
    double change, step;
    const double *factors;
    struct found found;
} simulated[] = {
    {1, 6, 5, 0, 0, alike, {677, 48, 1000}},         {1, 6, 5, 0.03, 0, alike, {1000, 899, 1000}},
    {10, 6, 5, 0, 0, alike, {685, 44, 1000}},        {10, 6, 5, 0.03, 0, alike, {1000, 934, 1000}},
    {10, 2, 5, 0, 0, alike, {723, 27, 1000}}, /* of the other cases */
    {10, 2, 5, 0.03, 0, alike, {1000, 844, 1000}},   {10, 6, 5, 0, 0, unlike, {378, 19, 1000}},
    {1, 3, 5, 0, 0, alike, {684, 684, 0}}, /* too few: nothing is known */
    {10, 6, 1, 0, 0, alike, {0, 42, 1000}},          {10, 6, 5, 0, 0.1, alike, {685, 47, 1000}},
    {10, 6, 5, 0.03, 0.1, alike, {1000, 929, 1000}},
};

TEST_EACH(runs_that_differ_by_half_a_percent, simulated)
{
    const struct found found = simulate(simulated[_i].n_cases, simulated[_i].n_earlier,
                                        simulated[_i].n_rounds, simulated[_i].change,
                                        simulated[_i].step, simulated[_i].factors);
    ck_assert_int_eq(found.alone, simulated[_i].found.alone);
    ck_assert_int_eq(found.with_history, simulated[_i].found.with_history);
    ck_assert_int_eq(found.known, simulated[_i].found.known);
}

/* Of 1,000 pairs of runs on a machine that moves, whose states differ by so many times what rounds
 * do, and a change: whose interval excludes 1 by the rounds alone, and where runs vary as rounds.
 */
static const struct {
    double between, change;
    int alone, as_rounds;
} moving[] = {
    {0, 0, 42, 0}, {1, 0, 362, 33}, {1.5, 0, 526, 129}, {1, 0.01, 982, 798}, {1, 0.02, 1000, 999},
};

TEST_EACH(runs_of_a_machine_that_moves_vary_as_rounds, moving)
{
    const struct between_runs between = {.variance = NAN, .is_as_rounds = true};
    int alone = 0, as_rounds = 0;
    for (uint64_t i = 0; i < PAIRS; i++) {
        struct made_run made[2];
        struct compared_side sides[2];
        for (uint64_t j = 0; j < 2; j++)
            sides[j] = draw(&made[j], i, j, j ? moving[_i].change : 0, 0.002 * moving[_i].between,
                            ROUNDS);
        struct comparison result = compare_across(&sides[0], &sides[1], NULL, 0.95);
        alone += result.low > 0 || result.high < 0;
        result = compare_across(&sides[0], &sides[1], &between, 0.95);
        as_rounds += result.low > 0 || result.high < 0;
        ck_assert_int_eq(result.scope, SCOPE_MACHINE);
        ck_assert_double_eq_tol(result.between, result.deviation / sqrt(2), 1e-12);
    }
    ck_assert_int_eq(alone, moving[_i].alone);
    ck_assert_int_eq(as_rounds, moving[_i].as_rounds);
}

/* The case that differs most is called as seldom as the others, and the one that differs least has
 * no more than its own runs leave open: 9 times their variance, of 5 degrees. */
TEST(the_noisiest_case_keeps_its_own_variance)
{
    static const double values[6][2] = {{100, 100}, {103, 103}, {97, 97},
                                        {101, 101}, {99, 99},   {104, 104}};
    static const double still[2][2] = {{100, 100}, {100.1, 100.1}};
    struct history_run runs[2][6];
    struct earlier_runs earlier[2] = {{.runs = runs[0], .n = 6}, {.runs = runs[1], .n = 6}};
    double logs[6], still_logs[6];
    for (int i = 0; i < 6; i++) {
        logs[i] = log(values[i][0]);
        runs[0][i] = (struct history_run){values[i], 2, 0, NAN};
        still_logs[i] = log(still[i % 2][0]);
        runs[1][i] = (struct history_run){still[i % 2], 2, 0, NAN};
    }
    between_runs_estimate(earlier, 2, 0.01);
    const double variance = stdev_of(logs, 6) * stdev_of(logs, 6);
    ck_assert_double_eq_tol(earlier[0].between.variance, variance, 1e-15);
    const double times = earlier[1].between.variance / pow(stdev_of(still_logs, 6), 2);
    ck_assert(times > 8 && times < 11);
    ck_assert_double_eq(earlier[0].between.degrees, 9);
}

TEST(where_runs_differ_rounds_may_not_decide)
{
    const double values[3] = {100, 100.2, 99.8};
    const struct compared_side side = {values, 3, 0, NAN};
    struct between_runs between = {.variance = 1e-6, .degrees = 100};
    struct comparison c = compare_across(&side, &side, &between, 0.95), *items[] = {&c};
    compare_judge(items, 1, 0.004, 0.95);
    ck_assert_int_eq(c.verdict, COMPARED_UNCLEAR);
    const double left = 1 - 2e-6 * c.t * c.t / 16e-6, narrow = c.t * c.deviation / 0.004;
    ck_assert_uint_eq(c.n_needed, (uint64_t)ceil(narrow * narrow / left) + 1);
    between.variance = 1e-5;
    c = compare_across(&side, &side, &between, 0.95);
    compare_judge(items, 1, 0.003, 0.95);
    ck_assert_uint_eq(c.n_needed, 0);
}
