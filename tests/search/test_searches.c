/* test_searches.c - the searches of the tree on small spaces made here: what they find, what they
 * claim and how often that is false, the same with any number of lanes. */
#include "plugins/common/search/search.h"
#include "tests/search/search_world.h"

enum { SIDE = 12, CASES = SIDE * SIDE, BEST = 7 * SIDE + 3 };

static double bowl(const uint32_t *at)
{
    const double x = at[0] - 7.0, y = at[1] - 3.0;
    return 100 + 3 * (x * x + y * y);
}

static const struct field small = {"a small bowl", bowl, {SIDE, SIDE}, 0};

static void begin(void)
{
    world_begin(&small, 0);
    double *values = calloc(CASES, sizeof *values);
    for (uint64_t i = 0; i < CASES; i++)
        values[i] = world_value(i);
    world.values = values;
    world.position = calloc(CASES, sizeof *world.position);
    world.n_samples = 20;
    world.visit_ns = 1000;
    world.again_ns = 1;
    world.state = 17;
}

/* Each so-many-th case fails. */
static void make_invalid(int each)
{
    for (int i = each - 1; i < CASES; i += each)
        world.values[i] = NAN;
}

static void run(int search, const char *option, const char *text, uint64_t seed)
{
    for (int i = 0; i < CASES && world.period; i++)
        world.position[i] = (uint64_t)(fake_unit(&world.state) * (double)world.period);
    world_search(search, option, text, seed);
}

TEST_FIXTURE(begin, world_end)

TEST_EACH(each_search_finds_the_best_and_measures_no_case_twice_for_nothing, searches)
{
    make_invalid(10);
    run(_i, NULL, NULL, 1);
    ck_assert_uint_eq(outcome.report.best, BEST);
    ck_assert_uint_eq(outcome.report.n_cases, CASES);
    ck_assert_uint_eq(outcome.report.n_ok, CASES - 14);
    if (_i < RACE)
        ck_assert_uint_eq(outcome.report.n_proposals, CASES);
}

TEST_TIMES(the_same_observations_give_the_same_proposals, 2 * N_SEARCHES)
{
    const int search = _i % N_SEARCHES;
    limits.lanes = _i < N_SEARCHES ? 1 : 5;
    run(search, NULL, NULL, 7);
    ck_assert_uint_eq(outcome.report.best, BEST);
    static struct outcome first;
    first = outcome;
    run(search, NULL, NULL, 7);
    ck_assert_uint_eq(outcome.report.n_proposals, first.report.n_proposals);
    ck_assert_mem_eq(outcome.proposals, first.proposals, sizeof first.proposals);
    run(search, NULL, NULL, 8);
    if (search != EXHAUSTIVE)
        ck_assert_mem_ne(outcome.proposals, first.proposals, sizeof first.proposals);
}

TEST_EACH(searches_without_a_case_that_works_claim_nothing, searches)
{
    make_invalid(1);
    run(_i, NULL, NULL, 1);
    ck_assert_uint_eq(outcome.report.n_ok, 0);
    ck_assert_uint_eq(outcome.report.best, GB_NO_CASE);
    ck_assert_int_eq(outcome.report.scope, GB_SCOPE_NONE);
}

/* How often, of so many searches, one finds a value that is at most so far above the best. */
static const struct {
    int search;
    uint64_t budget_cases;
    uint32_t lanes;
    double noise;
    int invalid;  /* each so-many-th case; 0: none */
    double shift; /* of all values: goals that are turned, such as a rate, and those around 0 */
    uint64_t period;
    int n_seeds;
    double above;
    int n_found;
} bowls[] = {
    {LOCAL, 60, 1, 0, 0, 0, 0, 20, 0, 20},
    /* a model finds with fewer cases than steps to neighbours take: the best, or what is next */
    {GUIDED, 30, 1, 0, 0, 0, 0, 20, 3, 20},
    {GUIDED, 30, 1, 0.02, 0, 0, 0, 20, 3, 20},
    {GUIDED, 30, 1, 0, 5, 0, 0, 20, 3, 17},
    {GUIDED, 30, 4, 0, 0, 0, 0, 20, 3, 20},
    {GUIDED, 40, 1, 0, 0, -1000, 0, 10, 0, 10},
    {GUIDED, 40, 1, 0, 0, -150, 0, 10, 0, 10},
    /* the best one may have been measured in slow runs: what leads is measured again */
    {GUIDED, 100, 1, 0.001, 0, 0, 31, 40, 0, 36},
};

TEST_EACH(the_best_of_a_bowl_is_reached_in_few_cases, bowls)
{
    int n_found = 0;
    for (int i = 0; i < CASES; i++)
        world.values[i] += bowls[_i].shift;
    const double most = world.values[BEST] + bowls[_i].above;
    if (bowls[_i].invalid)
        make_invalid(bowls[_i].invalid);
    world.noise = bowls[_i].noise;
    world.period = bowls[_i].period;
    world.n_slow = 10;
    limits.budget_cases = bowls[_i].budget_cases;
    limits.lanes = bowls[_i].lanes;
    for (int seed = 0; seed < bowls[_i].n_seeds; seed++) {
        run(bowls[_i].search, NULL, NULL, (uint64_t)seed);
        ck_assert_int_eq(outcome.report.scope, GB_SCOPE_MEASURED);
        n_found += world.values[outcome.report.best] <= most;
    }
    ck_assert_int_eq(n_found, bowls[_i].n_found);
}

/* Of cases that have no neighbours each start measures one. */
TEST(local_begins_anew_as_often_as_it_may)
{
    static const char *const names[] = {"x", "y"}, *const values[] = {"0", "1", "2", "3"};
    struct gb_error error;
    space_free(world.space);
    world.space = space_new(names, 2);
    for (int i = 0; i < 4; i++) {
        space_add(world.space, (const char *const[]){values[i], values[i]});
        world.values[i] = 100;
    }
    ck_assert_int_eq(space_finish(world.space, &error), GB_OK);
    run(LOCAL, "restarts", "1", 0);
    ck_assert_uint_eq(outcome.report.n_cases, 2);
}

TEST(random_claims_a_share)
{
    limits.budget_cases = 58;
    run(RANDOM, NULL, NULL, 3);
    ck_assert_int_eq(outcome.report.scope, GB_SCOPE_SHARE);
    ck_assert_double_eq_tol(outcome.report.share, 1 - pow(0.05, 1.0 / 58), 1e-12);
}

TEST(exhaustive_claims_all_where_samples_say_so)
{
    world.noise = 0.001;
    run(EXHAUSTIVE, NULL, NULL, 3); /* 20 samples */
    ck_assert_int_eq(outcome.report.scope, GB_SCOPE_ALL);
    run(EXHAUSTIVE, "samples", "4", 3);
    ck_assert_int_eq(outcome.report.scope, GB_SCOPE_MEASURED);
    ck_assert_uint_eq(outcome.report.n_open, CASES - 1);
}

/* Of races: how many certified, how many of these falsely, and samples of a case. A claim is false
 * if a case is better than the best by more than the tolerance. */
static struct {
    int n_certified, n_false, n_found;
    double n_samples, n_visits;
} races;

static void count_races(double noise, const char *kind, int n)
{
    const double lowest = world_lowest();
    memset(&races, 0, sizeof races);
    world.noise = noise;
    for (int seed = 0; seed < n; seed++) {
        world.n_visits = 0;
        run(RACE, "noise", kind, (uint64_t)seed);
        const bool is_certified = outcome.report.scope == GB_SCOPE_ALL;
        races.n_certified += is_certified;
        races.n_found += world.values[outcome.report.best] <= 1.01 * lowest;
        races.n_false += is_certified && world.values[outcome.report.best] > 1.01 * lowest;
        races.n_samples += (double)outcome.n_samples / n / CASES;
        races.n_visits += (double)outcome.report.n_proposals / n;
    }
}

/* Many nearly equal cases: 1.05 % behind the best, which a test at no margin would confuse. */
TEST_TIMES(the_race_is_seldom_wrong, 2)
{
    const int n_races = test_is_long() ? 200 : 30;
    for (int i = 0; i < CASES; i++)
        world.values[i] = i == 77 ? 100 : 101.05 + (i % 40);
    world.is_bimodal = _i == 1;
    count_races(0.02, "any", n_races);
    if (!test_is_long())
        ck_assert_int_eq(races.n_certified, _i == 0 ? 30 : 20);
    ck_assert_int_le(races.n_false, n_races / 40);
    ck_assert_double_lt(races.n_samples, 500);
}

/* Cases next to the best one have the samples that rule them out at the error that there is:
 * margins of twice that error, 7 % narrower, would do with 13.7. */
TEST(pooled_margins_spend_their_error_once)
{
    for (int i = 0; i < CASES; i++)
        world.values[i] = i == BEST ? 100 : 101;
    count_races(0.01, "pooled", 100);
    ck_assert_int_eq(races.n_found, 100);
    ck_assert_double_eq_tol(races.n_samples, 14.8, 0.6);
}

/* Pooled noise needs fewer samples. */
TEST_TIMES(the_race_is_cheap, 2)
{
    count_races(0.002, _i == 0 ? "any" : "pooled", 20);
    ck_assert_int_eq(races.n_certified, 20);
    ck_assert_int_eq(races.n_false, 0);
    ck_assert_double_lt(races.n_samples, _i == 0 ? 7.4 : 3.7);
}

/* A third of the runs of a case are slow, one after the other, so that all six of its first visit
 * may be: those of the best case do not rule it out, nor those of another make that one the best.
 */
TEST_TIMES(the_race_is_not_misled_by_steps_of_the_clock, 2)
{
    const int n_races = test_is_long() ? 100 : 20;
    for (int i = 0; i < CASES; i++)
        world.values[i] = i == 77 ? 100 : i % 12 == 0 ? 103.5 : 120 + i;
    world.period = 31;
    world.n_slow = _i == 0 ? 10 : 14;
    count_races(0.001, "any", n_races);
    if (!test_is_long())
        ck_assert_int_eq(races.n_certified, _i == 0 ? 12 : 5);
    ck_assert_int_ge(races.n_certified, n_races / 4);
    ck_assert_int_le(races.n_false, n_races / 40);
}

/* Visits vary by 1.5 %, with one of two placements each or by normal ones, and samples of a visit
 * by 0.1 %: `n` cases that are alike but for the best one, which is ahead by `ahead` and more. */
static const struct {
    int n;
    double ahead, placement;
    bool has_two_placements;
    int n_certified, n_found; /* of 10 */
    double most_visits;       /* on average */
} placements[] = {
    {12, 0.0105, 0.015, true, 1, 9, 90},   {12, 0.0105, 0.015, false, 1, 4, 90},
    {12, 0.02, 0.015, true, 10, 10, 60},   {12, 0.03, 0.015, false, 10, 10, 40},
    {12, 0, 0.015, true, 0, 10, 100},      {12, 0, 0.015, false, 0, 10, 100},
    {2, 0.0105, 0.015, true, 7, 9, 26},    {2, 0.0105, 0.015, false, 7, 10, 26},
    {2, 0.02, 0.015, true, 10, 10, 20},    {4, 0.02, 0.015, false, 10, 10, 30},
    {144, 0.0105, 0.015, true, 3, 6, 600}, {144, 0.0105, 0.015, false, 1, 2, 600},
    {12, 0.0105, 0, false, 10, 10, 18.1},  {12, 0.03, 0, false, 10, 10, 18.1},
    {144, 0.03, 0, false, 10, 10, 165.7},  {12, 0, 0, false, 10, 10, 18.1},
};

TEST_EACH(the_claim_of_a_race_is_about_placements, placements)
{
    const int n = placements[_i].n, n_races = test_is_long() ? 300 : 10;
    const struct field cases = {"placements", NULL, {(uint32_t)n}, 0};
    world_end();
    world_begin(&cases, 0);
    world.values = calloc((size_t)n, sizeof *world.values);
    world.state = 17;
    for (int i = 0; i < n; i++)
        world.values[i] = i == n / 2 ? 100 : 100 + placements[_i].ahead * (100 + 50 * (i % 3));
    world.placement = placements[_i].placement;
    world.has_two_placements = placements[_i].has_two_placements;
    count_races(0.001, "any", n_races);
    if (!test_is_long()) {
        ck_assert_int_eq(races.n_certified, placements[_i].n_certified);
        ck_assert_int_eq(races.n_found, placements[_i].n_found);
        ck_assert_int_eq(races.n_false, 0);
    }
    ck_assert_int_le(20 * races.n_false, races.n_certified);
    ck_assert_double_le(races.n_visits, placements[_i].most_visits);
}

/* Of 20 races on a machine that drifts from visit to visit, or whose states of so much, normal,
 * last for some: the best case is ahead by `ahead` and more. */
static const struct {
    int n;
    double ahead, drift, moving, alike;
    int n_certified, n_found;
} machines[] = {
    {12, 0.0105, -0.001, 0, 0, 20, 20},   {12, 0.03, 0.001, 0, 0, 20, 20},
    {144, 0.0105, -0.0001, 0, 0, 20, 19}, {144, 0.03, -0.0003, 0, 0, 20, 20},
    {12, 0.015, 0, 0.015, 0.8, 16, 19},   {12, 0.015, 0, 0.015, 0.95, 19, 20},
    {144, 0.015, 0, 0.015, 0.99, 17, 19},
};

TEST_EACH(the_claim_of_a_race_holds_on_a_machine_that_moves, machines)
{
    const int n = machines[_i].n, n_races = test_is_long() ? 100 : 20;
    const struct field cases = {"machines", NULL, {(uint32_t)n}, 0};
    world_end();
    world_begin(&cases, 0);
    world.values = calloc((size_t)n, sizeof *world.values);
    world.state = 17;
    for (int i = 0; i < n; i++)
        world.values[i] = i == n / 2 ? 100 : 100 + machines[_i].ahead * (100 + 50 * (i % 3));
    world.drift = machines[_i].drift;
    world.moving = machines[_i].moving;
    world.alike = machines[_i].alike;
    count_races(0.001, "any", n_races);
    if (!test_is_long()) {
        ck_assert_int_eq(races.n_certified, machines[_i].n_certified);
        ck_assert_int_eq(races.n_found, machines[_i].n_found);
    }
    ck_assert_int_le(20 * races.n_false, races.n_certified);
}

TEST(the_sign_test_is_that_of_the_binomial)
{
    double scratch[8];
    static const double samples[] = {4, 1, 3, 2, 6, 5, 8, 7};
    ck_assert_int_eq(sign_most(5, 0.025), -1);
    ck_assert_int_eq(sign_most(6, 0.025), 0); /* 2^-6 = 0.0156 */
    ck_assert_int_eq(sign_most(9, 0.025), 1); /* 10 / 512 = 0.0195 */
    ck_assert_int_eq(sign_most(100, 0.025), 39);
    ck_assert_double_eq(sign_upper(samples, 8, 0.025, scratch), 8); /* 9 / 256 = 0.035 */
    ck_assert_double_eq(sign_upper(samples, 8, 0.04, scratch), 7);
    ck_assert_double_eq(sign_lower(samples, 8, 0.04, scratch), 2);
    ck_assert(isinf(sign_upper(samples, 5, 0.025, scratch)));
    double total = 0;
    for (uint64_t n = 6; n < 100000; n++)
        total += sign_look_error(n, 6, 0.025);
    ck_assert_double_le(total, 0.025);
    ck_assert_double_gt(total, 0.0249);
}
