/* test_change_points.c - core/compare/change_points.h: steps in series of runs. */
#include "core/compare/change_points.h"

#include "core/base/random.h"
#include "tests/check_main.h"

enum { RUNS_MOST = 40, ROUNDS = 3 };

struct made {
    double values[RUNS_MOST][ROUNDS];
    struct history_run runs[RUNS_MOST];
};

/* levels: ln of each run's time; runs differ by run_noise, rounds by round_noise. */
static void make(struct made *made, const double *levels, size_t n, double run_noise,
                 double round_noise, unsigned seed)
{
    for (size_t i = 0; i < n; i++) {
        double run = levels[i] + run_noise * (random_unit(seed, 1, i) - 0.5);
        for (size_t j = 0; j < ROUNDS; j++)
            made->values[i][j] = 100 * exp(run + round_noise *
                                                     (random_unit(seed, 2, i * ROUNDS + j) - 0.5));
        made->runs[i] = (struct history_run){made->values[i], ROUNDS, 0, NAN};
    }
}

/* "5+ 9-": slower from run 5 on, faster from run 9 on. */
static const char *changes_of(const struct made *made, size_t n, double margin)
{
    static char words[200];
    struct change_point *points;
    size_t n_points = change_points_find(made->runs, n, margin, 0.95, &points);
    int length = 0;
    words[0] = 0;
    for (size_t i = 0; i < n_points; i++)
        length += snprintf(words + length, sizeof words - (size_t)length, "%s%zu%c", i ? " " : "",
                           points[i].at, points[i].result.theta > 0 ? '+' : '-');
    free(points);
    return words;
}

static const struct {
    const char *name;
    double margin;
    size_t n;
    double levels[12];
    const char *changes;
} series[] = {
    {"nothing", 0.01, 0, {0}, ""},
    {"one run", 0.01, 1, {0}, ""},
    {"two runs that are the same", 0.01, 2, {0, 0}, ""},
    {"two runs", 0.01, 2, {0, 0.1}, "1+"},
    {"nothing happens", 0.01, 12, {0}, ""},
    {"a step", 0.01, 12, {0, 0, 0, 0, 0, 0.05, 0.05, 0.05, 0.05, 0.05, 0.05, 0.05}, "5+"},
    {"within the margin", 0.06, 12, {0, 0, 0, 0, 0, 0.05, 0.05, 0.05, 0.05, 0.05, 0.05, 0.05}, ""},
    {"there and back", 0.01, 12, {0, 0, 0, 0, 0.05, 0.05, 0.05, 0.05, 0, 0, 0, 0}, "4+ 8-"},
    {"the last run", 0.01, 12, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.05}, "11+"},
    {"three levels", 0.01, 12, {0, 0, 0, 0, 0.05, 0.05, 0.05, 0.05, 0.1, 0.1, 0.1, 0.1}, "4+ 8+"},
};

TEST_EACH(steps_are_found_where_they_are, series)
{
    static struct made made;
    make(&made, series[_i].levels, series[_i].n, 0.002, 0.004, 7);
    const char *changes = changes_of(&made, series[_i].n, series[_i].margin);
    ck_assert_msg(strcmp(changes, series[_i].changes) == 0, "%s: expected '%s', got '%s'",
                  series[_i].name, series[_i].changes, changes);
}

/* Runs that differ by 3 % each have rounds that differ by 0.1 %: no change, as runs are the unit.
 */
TEST(what_differs_from_run_to_run_is_no_change)
{
    static const double levels[RUNS_MOST] = {0};
    static struct made made;
    size_t n_found = 0;
    for (unsigned seed = 0; seed < 200; seed++) {
        make(&made, levels, 20, 0.03, 0.001, seed);
        n_found += *changes_of(&made, 20, 0.01) != 0;
    }
    ck_assert_uint_le(n_found, 10);
}

/* Values without any noise have no deviation. */
TEST(exact_values_have_their_steps)
{
    static const double levels[8] = {0, 0, 0, 0.02, 0.02, 0.02, 0.02, 0.02};
    static struct made made;
    make(&made, levels, 8, 0, 0, 1);
    ck_assert_str_eq(changes_of(&made, 8, 0.01), "3+");
    ck_assert_str_eq(changes_of(&made, 3, 0.01), "");
}
