/* test_searches.c - the searches of the tree on small spaces made here: what they find, what they
 * claim and how often that is false, the same with any number of lanes. */
#include "core/search/engine.h"
#include "plugins/common/search/sign_bound.h"
#include "tests/check_main.h"
#include "tests/fake_host.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 12, CASES = SIDE * SIDE };

static const struct search_name {
    const char *folder, *id;
} searches[] = {{"search_exhaustive", "exhaustive"},
                {"search_exhaustive", "random"},
                {"search_local", "local"},
                {"search_race", "race"},
                {"search_guided", "guided"}};
enum { N_SEARCHES = sizeof searches / sizeof *searches };

/* A space with what its cases are like. */
struct world {
    struct space *space;
    double medians[CASES];
    double noise;
    bool is_bimodal;  /* a third of the samples are worse by a half */
    uint64_t invalid; /* each so-many-th case fails; 0: none */
    uint64_t state;   /* of the noise */
    /* The clock falls in steps: of `period` runs of a case the last n_slow are worse by a twelfth;
     * 0: it does not. Where in this a case is first visited is chosen by chance. */
    uint64_t period, n_slow;
    uint64_t position[CASES];
};

struct outcome {
    struct engine_report report;
    uint64_t n_samples;
    uint64_t proposals[20 * CASES]; /* their cases */
};

static void world_new(struct world *world, double noise)
{
    static const char *const names[] = {"x", "y"};
    struct gb_error error;
    *world = (struct world){.space = space_new(names, 2), .noise = noise, .state = 17};
    for (int i = 0; i < CASES; i++) {
        char x[16], y[16];
        snprintf(x, sizeof x, "%d", i / SIDE);
        snprintf(y, sizeof y, "%d", i % SIDE);
        space_add(world->space, (const char *const[]){x, y});
    }
    ck_assert_int_eq(space_finish(world->space, &error), GB_OK);
    for (int i = 0; i < CASES; i++) {
        const double x = i / SIDE - 7.0, y = i % SIDE - 3.0;
        world->medians[i] = 100 + 3 * (x * x + y * y); /* a bowl: the best is 7, 3 */
    }
}

static double draw(struct world *world, uint64_t i)
{
    double value = world->medians[i] * (1 + world->noise * fake_normal(&world->state));
    if (world->is_bimodal && fake_unit(&world->state) < 1.0 / 3)
        value *= 1.5;
    if (world->period && world->position[i]++ % world->period >= world->period - world->n_slow)
        value *= 13.0 / 12;
    return value;
}

static void measure(struct world *world, struct engine *engine, const struct engine_step *step,
                    struct outcome *ret)
{
    struct gb_error error;
    const uint64_t n = step->n_samples ? step->n_samples : 20;
    struct gb_observation observation = {.size = sizeof observation,
                                         .proposal = step->proposal,
                                         .wall_ns = step->visit == 0 ? 1000 : 1,
                                         .elapsed_ns = (double)step->proposal};
    double *samples = malloc((size_t)n * sizeof *samples);
    ck_assert_ptr_nonnull(samples);
    if (world->invalid && step->i % world->invalid == world->invalid - 1) {
        observation.status = GB_OBSERVED_FAILED;
    } else {
        observation.n_samples = n;
        for (uint64_t i = 0; i < n; i++)
            samples[i] = draw(world, step->i);
    }
    observation.samples = samples;
    ret->n_samples += observation.n_samples;
    ret->proposals[step->proposal] = step->i;
    ck_assert_int_eq(engine_observe(engine, &observation, &error), GB_OK);
    free(samples);
}

/* With `lanes` proposals open, which are answered last first. */
static void run(struct world *world, const struct search_name *name, const char *option,
                const char *text, const struct engine_limits *limits, uint64_t seed,
                struct outcome *ret)
{
    struct gb_error error;
    struct fake_host *host = fake_host_new();
    const struct gb_plugin *plugin = fake_plugin(name->folder, GB_PLUGIN_SEARCH, name->id);
    void *params = fake_params_new(plugin);
    struct engine *engine;
    struct engine_step steps[ENGINE_LANES_MAX], step = {0};
    *ret = (struct outcome){0};
    host->host.seed = seed;
    for (int i = 0; i < CASES && world->period; i++)
        world->position[i] = (uint64_t)(fake_unit(&world->state) * (double)world->period);
    if (option)
        fake_params_set(plugin, params, option, text);
    ck_assert_int_eq(
        engine_new(plugin->ops, params, &host->host, world->space, limits, &engine, &error), GB_OK);
    while (step.action != ENGINE_END) {
        size_t n = 0;
        for (engine_next(engine, &step); step.action == ENGINE_MEASURE; engine_next(engine, &step))
            steps[n++] = step;
        while (n > 0)
            measure(world, engine, &steps[--n], ret);
    }
    engine_report(engine, &ret->report);
    ret->report.open = NULL; /* the engine's */
    ck_assert_msg(!ret->report.is_broken, "%s: %s %s", name->id, ret->report.reason,
                  ret->report.note);
    engine_free(engine);
    fake_params_free(plugin, params);
    fake_host_free(host);
}

static const struct engine_limits plain = {.tolerance = 0.01, .confidence = 0.95, .lanes = 1};

TEST_TIMES(each_search_finds_the_best_and_measures_no_case_twice_for_nothing, N_SEARCHES)
{
    struct world world;
    struct outcome outcome;
    world_new(&world, 0);
    world.invalid = 10;
    run(&world, &searches[_i], NULL, NULL, &plain, 1, &outcome);
    ck_assert_uint_eq(outcome.report.best, 7 * SIDE + 3);
    ck_assert_uint_eq(outcome.report.n_cases, CASES);
    ck_assert_uint_eq(outcome.report.n_ok, CASES - 14);
    if (strcmp(searches[_i].id, "race") != 0 && strcmp(searches[_i].id, "guided") != 0)
        ck_assert_uint_eq(outcome.report.n_proposals, CASES);
    space_free(world.space);
}

TEST_TIMES(the_same_observations_give_the_same_proposals, 2 * N_SEARCHES)
{
    struct world world;
    struct outcome *one = calloc(1, sizeof *one), *other = calloc(1, sizeof *other);
    struct engine_limits limits = plain;
    world_new(&world, 0);
    limits.lanes = _i < N_SEARCHES ? 1 : 5;
    run(&world, &searches[_i % N_SEARCHES], NULL, NULL, &limits, 7, one);
    run(&world, &searches[_i % N_SEARCHES], NULL, NULL, &limits, 7, other);
    ck_assert_uint_eq(one->report.n_proposals, other->report.n_proposals);
    ck_assert_mem_eq(one->proposals, other->proposals, sizeof one->proposals);
    ck_assert_uint_eq(one->report.best, 7 * SIDE + 3);
    run(&world, &searches[_i % N_SEARCHES], NULL, NULL, &limits, 8, other);
    if (_i % N_SEARCHES > 0)
        ck_assert(memcmp(one->proposals, other->proposals, sizeof one->proposals) != 0);
    free(one);
    free(other);
    space_free(world.space);
}

TEST_TIMES(searches_without_a_case_that_works_claim_nothing, N_SEARCHES)
{
    struct world world;
    struct outcome outcome;
    world_new(&world, 0);
    world.invalid = 1;
    run(&world, &searches[_i], NULL, NULL, &plain, 1, &outcome);
    ck_assert_uint_eq(outcome.report.n_ok, 0);
    ck_assert_uint_eq(outcome.report.best, GB_NO_CASE);
    ck_assert_int_eq(outcome.report.scope, GB_SCOPE_NONE);
    space_free(world.space);
}

TEST(local_reaches_the_best_of_a_bowl_in_few_steps)
{
    struct world world;
    struct outcome outcome;
    struct engine_limits limits = plain;
    world_new(&world, 0);
    limits.budget_cases = 60;
    for (uint64_t seed = 0; seed < 20; seed++) {
        run(&world, &searches[2], NULL, NULL, &limits, seed, &outcome);
        ck_assert_uint_eq(outcome.report.best, 7 * SIDE + 3);
        ck_assert_int_eq(outcome.report.scope, GB_SCOPE_MEASURED);
    }
    space_free(world.space);
}

/* Of cases that have no neighbours each start measures one. */
TEST(local_begins_anew_as_often_as_it_may)
{
    static const char *const names[] = {"x", "y"}, *const values[] = {"0", "1", "2", "3"};
    struct world world = {.space = space_new(names, 2), .state = 17};
    struct outcome outcome;
    struct gb_error error;
    for (int i = 0; i < 4; i++) {
        space_add(world.space, (const char *const[]){values[i], values[i]});
        world.medians[i] = 100;
    }
    ck_assert_int_eq(space_finish(world.space, &error), GB_OK);
    run(&world, &searches[2], "restarts", "1", &plain, 0, &outcome);
    ck_assert_uint_eq(outcome.report.n_cases, 2);
    space_free(world.space);
}

/* What a model is for: it finds with fewer cases than steps to neighbours take. */
TEST_TIMES(guided_reaches_the_best_of_a_bowl_in_fewer_cases, 4)
{
    struct world world;
    struct outcome outcome;
    struct engine_limits limits = plain;
    int n_found = 0;
    world_new(&world, _i == 1 ? 0.02 : 0);
    world.invalid = _i == 2 ? 5 : 0;
    limits.budget_cases = 30;
    limits.lanes = _i == 3 ? 4 : 1;
    for (uint64_t seed = 0; seed < 20; seed++) {
        run(&world, &searches[4], NULL, NULL, &limits, seed, &outcome);
        n_found += world.medians[outcome.report.best] <= 103; /* it, or next to it */
        ck_assert_int_eq(outcome.report.scope, GB_SCOPE_MEASURED);
    }
    ck_assert_int_ge(n_found, 18);
    space_free(world.space);
}

/* Goals that are turned, such as a rate, and those around 0: logarithms do not matter. */
TEST_TIMES(guided_takes_values_of_any_sign, 2)
{
    struct world world;
    struct outcome outcome;
    struct engine_limits limits = plain;
    world_new(&world, 0);
    for (int i = 0; i < CASES; i++)
        world.medians[i] = _i == 0 ? world.medians[i] - 1000 : world.medians[i] - 150;
    limits.budget_cases = 40;
    for (uint64_t seed = 0; seed < 10; seed++) {
        run(&world, &searches[4], NULL, NULL, &limits, seed, &outcome);
        ck_assert_uint_eq(outcome.report.best, 7 * SIDE + 3);
    }
    space_free(world.space);
}

/* What leads, and what is near it, is measured again: the best one may have been measured in slow
 * runs. */
TEST(guided_is_not_misled_by_steps_of_the_clock)
{
    struct world world;
    struct outcome outcome;
    struct engine_limits limits = plain;
    int n_found = 0;
    world_new(&world, 0.001);
    world.period = 31;
    world.n_slow = 10;
    limits.budget_cases = 100;
    for (uint64_t seed = 0; seed < 40; seed++) {
        run(&world, &searches[4], NULL, NULL, &limits, seed, &outcome);
        n_found += outcome.report.best == 7 * SIDE + 3;
    }
    ck_assert_int_ge(n_found, 34);
    space_free(world.space);
}

TEST(random_claims_a_share)
{
    struct world world;
    struct outcome outcome;
    struct engine_limits limits = plain;
    world_new(&world, 0);
    limits.budget_cases = 58;
    run(&world, &searches[1], NULL, NULL, &limits, 3, &outcome);
    ck_assert_int_eq(outcome.report.scope, GB_SCOPE_SHARE);
    ck_assert_double_eq_tol(outcome.report.share, 1 - pow(0.05, 1.0 / 58), 1e-12);
    space_free(world.space);
}

TEST(exhaustive_claims_all_where_samples_say_so)
{
    struct world world;
    struct outcome outcome;
    world_new(&world, 0.001);
    run(&world, &searches[0], NULL, NULL, &plain, 3, &outcome); /* 20 samples */
    ck_assert_int_eq(outcome.report.scope, GB_SCOPE_ALL);
    run(&world, &searches[0], "samples", "4", &plain, 3, &outcome);
    ck_assert_int_eq(outcome.report.scope, GB_SCOPE_MEASURED);
    ck_assert_uint_eq(outcome.report.n_open, CASES - 1);
    space_free(world.space);
}

/* Of races: how many certified, how many of these falsely. A claim is false if a case is better
 * than the best by more than the tolerance. */
static void count_races(struct world *world, const char *noise, int n, int *ret_certified,
                        int *ret_false, double *ret_samples)
{
    struct outcome outcome;
    double total = 0;
    *ret_certified = *ret_false = 0;
    for (int seed = 0; seed < n; seed++) {
        run(world, &searches[3], "noise", noise, &plain, (uint64_t)seed, &outcome);
        const bool is_certified = outcome.report.scope == GB_SCOPE_ALL;
        double lowest = INFINITY;
        for (int i = 0; i < CASES; i++)
            lowest = fmin(lowest, world->medians[i]);
        *ret_certified += is_certified;
        *ret_false += is_certified && world->medians[outcome.report.best] > 1.01 * lowest;
        total += (double)outcome.n_samples;
    }
    *ret_samples = total / n / CASES;
}

/* Many nearly equal cases: 1.05 % behind the best, which a test at no margin would confuse. */
static void make_close(struct world *world)
{
    for (int i = 0; i < CASES; i++)
        world->medians[i] = i == 77 ? 100 : 101.05 + (i % 40);
}

TEST_TIMES(the_race_is_seldom_wrong_and_cheap, 2)
{
    const int n_races = test_is_long() ? 200 : 30;
    struct world world;
    int n_certified, n_false;
    double n_samples;
    world_new(&world, 0.02);
    make_close(&world);
    world.is_bimodal = _i == 1;
    count_races(&world, "any", n_races, &n_certified, &n_false, &n_samples);
    if (!test_is_long())
        ck_assert_int_eq(n_certified, _i == 0 ? 30 : 17);
    ck_assert_int_le(n_false, n_races / 40);
    ck_assert_double_lt(n_samples, 500);
    space_free(world.space);
    world_new(&world, 0.002);
    count_races(&world, "any", 20, &n_certified, &n_false, &n_samples);
    ck_assert_int_eq(n_certified, 20);
    ck_assert_int_eq(n_false, 0);
    ck_assert_double_lt(n_samples, 7.1);
    space_free(world.space);
}

/* A third of the runs of a case are slow, one after the other, so that all six of its first visit
 * may be: those of the best case do not rule it out, nor those of another make that one the best.
 */
TEST_TIMES(the_race_is_not_misled_by_steps_of_the_clock, 2)
{
    const int n_races = test_is_long() ? 100 : 40;
    struct world world;
    int n_certified, n_false;
    double n_samples;
    world_new(&world, 0.001);
    for (int i = 0; i < CASES; i++)
        world.medians[i] = i == 77 ? 100 : i % 12 == 0 ? 103.5 : 120 + i;
    world.period = 31;
    world.n_slow = _i == 0 ? 10 : 14;
    count_races(&world, "any", n_races, &n_certified, &n_false, &n_samples);
    if (!test_is_long())
        ck_assert_int_eq(n_certified, _i == 0 ? 40 : 18);
    ck_assert_int_ge(n_certified, n_races / 4);
    ck_assert_int_le(n_false, n_races / 40);
    space_free(world.space);
}

TEST(pooled_noise_needs_fewer_samples)
{
    struct world world;
    int n_certified, n_false;
    double n_samples;
    world_new(&world, 0.002);
    count_races(&world, "pooled", 20, &n_certified, &n_false, &n_samples);
    ck_assert_int_eq(n_certified, 20);
    ck_assert_int_eq(n_false, 0);
    ck_assert_double_lt(n_samples, 3.6);
    space_free(world.space);
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
