/* test_change_points.c - core/compare/change_points.h: steps in series of runs. */
#include "core/compare/change_points.h"

#include "core/base/random.h"
#include "tests/check_main.h"
#include "tests/draws.h"

#include <stdlib.h>

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

/* "5+ 9-": slower from run 5 on, faster from run 9 on; "11+?": to be confirmed; "11+~": a drift. */
static const char *changes_of(const struct made *made, size_t n, double margin)
{
    static char words[200];
    struct change_point *points;
    size_t n_points = change_points_find(made->runs, n, margin, 0.95, &points);
    int length = 0;
    words[0] = 0;
    for (size_t i = 0; i < n_points; i++)
        length += snprintf(words + length, sizeof words - (size_t)length, "%s%zu%c%s", i ? " " : "",
                           points[i].at, points[i].result.theta > 0 ? '+' : '-',
                           points[i].kind == CHANGE_STEP    ? ""
                           : points[i].kind == CHANGE_DRIFT ? "~"
                                                            : "?");
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
    {"two runs", 0.01, 2, {0, 0.1}, "1+?"},
    {"nothing happens", 0.01, 12, {0}, ""},
    {"a step", 0.01, 12, {0, 0, 0, 0, 0, 0.05, 0.05, 0.05, 0.05, 0.05, 0.05, 0.05}, "5+"},
    {"within the margin", 0.06, 12, {0, 0, 0, 0, 0, 0.05, 0.05, 0.05, 0.05, 0.05, 0.05, 0.05}, ""},
    {"there and back", 0.01, 12, {0, 0, 0, 0, 0.05, 0.05, 0.05, 0.05, 0, 0, 0, 0}, "4+ 8-"},
    {"the last run", 0.01, 12, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.05}, "11+?"},
    {"the last two runs", 0.01, 12, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.05, 0.05}, "10+"},
    {"one run between others", 0.01, 12, {0, 0, 0, 0, 0, 0.05, 0, 0, 0, 0, 0, 0}, ""},
    {"a drift", 0.01, 12, {0, .005, .01, .015, .02, .025, .03, .035, .04, .045, .05, .055}, "11+~"},
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

/* ---- how often something is called that is not there, and how soon what is ---- */

enum { RUNS = 100, HISTORIES = 200, LONG_HISTORIES = 2000 };
static const double RUN_SD = 0.005;

static uint64_t drawn;

static double uniform(void)
{
    return random_unit(20261128, 3, drawn++);
}

static double normal(void)
{
    const double first = uniform();
    return normal_of(first, uniform());
}

static double y_normal(void)
{
    return RUN_SD * normal();
}

/* 8 % of runs take 10 to 50 % more. */
static double y_disturbed(void)
{
    const double more = uniform() < 0.08 ? log(1.1 + 0.4 * uniform()) : 0;
    return more + RUN_SD * normal();
}

/* 15 %. */
static double y_often_disturbed(void)
{
    const double more = uniform() < 0.15 ? log(1.1 + 0.4 * uniform()) : 0;
    return more + RUN_SD * normal();
}

/* Two or three runs that follow each other take as much more. */
static double y_clumps(void)
{
    static int left;
    static double more;
    if (left <= 0 && uniform() < 0.06) {
        left = uniform() < 0.5 ? 2 : 3;
        more = log(1.1 + 0.4 * uniform());
    }
    return (left-- > 0 ? more : 0) + RUN_SD * normal();
}

/* 2 % more in one of five. */
static double y_placed(void)
{
    const double more = uniform() < 0.2 ? 0.02 : 0;
    return more + 0.3 * RUN_SD * normal();
}

/* Student's t of 2 degrees. */
static double y_heavy(void)
{
    const double z = normal(), a = normal(), b = normal();
    return RUN_SD * z / sqrt((a * a + b * b) / 2);
}

static double y_states(void)
{
    return (uniform() < 0.5 ? 0 : 0.01) + 0.1 * RUN_SD * normal();
}

static const struct family {
    const char *name;
    double (*y)(void);
    double drift, step; /* from the first run to the last; of so many newest runs */
    size_t behind;
    unsigned stepped, unconfirmed, drifting; /* of HISTORIES, those with any */
} families[] = {
    {"normal", y_normal, 0, 0, 0, 0, 0, 0},
    {"disturbed", y_disturbed, 0, 0, 0, 0, 2, 0},
    {"heavy tails", y_heavy, 0, 0, 0, 0, 8, 0},
    {"two states", y_states, 0, 0, 0, 0, 0, 0},
    {"drift", y_normal, 0.02, 0, 0, 0, 0, 200},
    {"drift, disturbed", y_disturbed, 0.02, 0, 0, 3, 0, 195},
    {"step", y_normal, 0, 0.02, 3, 198, 0, 0},
    {"step, disturbed", y_disturbed, 0, 0.05, 3, 178, 0, 0},
    {"often disturbed", y_often_disturbed, 0, 0, 0, 0, 0, 0},
    {"step, often disturbed", y_often_disturbed, 0, 0.05, 5, 186, 0, 0},
    {"old step, often disturbed", y_often_disturbed, 0, 0.02, 40, 200, 0, 0},
    {"drift, often disturbed", y_often_disturbed, 0.02, 0, 0, 1, 0, 198},
    {"disturbed for two or three runs", y_clumps, 0, 0, 0, 10, 0, 0},
    {"placements", y_placed, 0, 0, 0, 3, 0, 0},
};

static void find(const struct family *family, bool ret_has[CHANGE_KINDS])
{
    double values[RUNS];
    struct history_run runs[RUNS];
    struct change_point *points;
    for (size_t i = 0; i < RUNS; i++) {
        values[i] = exp(family->y() + family->drift * (double)i / (RUNS - 1) +
                        (i >= RUNS - family->behind ? family->step : 0));
        runs[i] = (struct history_run){&values[i], 1, 0, NAN};
    }
    const size_t n = change_points_find(runs, RUNS, 0.01, 0.95, &points);
    for (size_t i = 0; i < n; i++)
        ret_has[points[i].kind] = true;
    free(points);
}

TEST_EACH(families_change_as_often_as_said, families)
{
    const struct family *family = &families[_i];
    const unsigned n = getenv("LONG") ? LONG_HISTORIES : HISTORIES;
    unsigned counts[CHANGE_KINDS] = {0};
    drawn = (uint64_t)_i << 40;
    for (unsigned i = 0; i < n; i++) {
        bool has[CHANGE_KINDS] = {false};
        find(family, has);
        for (int kind = 0; kind < CHANGE_KINDS; kind++)
            counts[kind] += has[kind];
    }
    const bool is_as_said = n > HISTORIES || (counts[CHANGE_STEP] == family->stepped &&
                                              counts[CHANGE_UNCONFIRMED] == family->unconfirmed &&
                                              counts[CHANGE_DRIFT] == family->drifting);
    ck_assert_msg(is_as_said, "%s: %u with steps, %u unconfirmed, %u drifts of %u", family->name,
                  counts[CHANGE_STEP], counts[CHANGE_UNCONFIRMED], counts[CHANGE_DRIFT], n);
    if (family->step > 0)
        ck_assert_uint_ge(counts[CHANGE_STEP], n * 85 / 100);
    else
        ck_assert_uint_le(counts[CHANGE_STEP] + (family->drift > 0 ? 0 : counts[CHANGE_DRIFT]),
                          n / 20);
    if (family->drift > 0)
        ck_assert_uint_ge(counts[CHANGE_DRIFT], n * 9 / 10);
}
