/* test_synthetic.c - searches on spaces that are hard in one way each: needles, plateaus, regions
 * that cannot be measured, one axis, a million cases; with noise, and clocks that change. */
#include "core/search/engine.h"
#include "tests/check_main.h"
#include "tests/fake_host.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { AXES_MAX = 6, LOWEST = 100 };

/* Limits on memory and processor time are those of an optimized program without sanitizers; time is
 * looked at by make check-long only, with limits that no load comes near. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__OPTIMIZE__)
enum { IS_FAST = 0 };
#else
enum { IS_FAST = 1 };
#endif

static double squared(uint32_t index, double middle)
{
    return (index - middle) * (index - middle);
}

static double bowl(const uint32_t *at)
{
    return LOWEST * (1 + 0.01 * (squared(at[0], 13) + squared(at[1], 4) + squared(at[2], 6)));
}

static double needle(const uint32_t *at)
{
    return at[0] == 7 && at[1] == 2 && at[2] == 5 ? LOWEST : 1.3 * LOWEST;
}

static double plateaus(const uint32_t *at)
{
    return LOWEST * (1 + 0.1 * floor((squared(at[0], 13) + squared(at[1], 4)) / 12));
}

/* A third of the cases, and all at one end, cannot be measured. */
static double holes(const uint32_t *at)
{
    return (at[0] + at[1]) % 3 == 2 || at[0] > 15 ? NAN : bowl(at);
}

static double line(const uint32_t *at)
{
    return LOWEST * (1 + 0.004 * fabs(at[0] - 270.0) + (at[0] % 8 == 6 ? 0 : 0.02));
}

static double million(const uint32_t *at)
{
    double sum = 0;
    for (int axis = 0; axis < 6; axis++)
        sum += squared(at[axis], axis + 2);
    return LOWEST * (1 + 0.02 * sum);
}

struct field {
    const char *name;
    double (*value)(const uint32_t *at); /* NaN: it fails */
    uint32_t sizes[AXES_MAX];            /* 0: no more axes */
    double reached; /* guided, with 80 cases: this many times the lowest; 0: it cannot be found */
};
static const struct field fields[] = {
    {"bowl", bowl, {20, 10, 10}, 1.01},
    {"needle", needle, {10, 10, 10}, 0},
    {"plateaus", plateaus, {20, 10, 10}, 1.01},
    {"holes", holes, {20, 10, 10}, 1.04},
    {"one axis", line, {400}, 1.03},
};
static const struct field all_of_a_million = {"million", million, {10, 10, 10, 10, 10, 10}, 0};
static const struct field a_tenth_of_a_million = {"tenth", million, {1, 10, 10, 10, 10, 10}, 0};

static const double noises[] = {0, 0.01, 0.05, 0.2};
enum { N_NOISES = sizeof noises / sizeof *noises };

/* Of each test: what is searched, for how long, and what came of it. */
static struct world {
    const struct field *field;
    struct space *space;
    double noise;
    uint64_t steps_each; /* the clock falls by a sixth for each other so-many visits; 0: never */
    uint64_t state, n_visits;
    double visit_ns;
    double lowest; /* of all values */
} world;
static struct engine_limits limits;

static struct outcome {
    struct engine_report report;
    double best;   /* value of the best one */
    double own_ms; /* of computing, samples included */
} outcome;

static size_t axes_of(const struct field *field)
{
    size_t n = 0;
    while (n < AXES_MAX && field->sizes[n] > 0)
        n++;
    return n;
}

/* All points of the product, the last axis fastest. */
static struct space *space_of(const struct field *field)
{
    static const char *const names[AXES_MAX] = {"a", "b", "c", "d", "e", "f"};
    const size_t n_axes = axes_of(field);
    struct space *space = space_new(names, n_axes);
    char texts[AXES_MAX][12];
    const char *values[AXES_MAX];
    struct gb_error error;
    uint64_t n = 1;
    for (size_t axis = 0; axis < n_axes; axis++) {
        n *= field->sizes[axis];
        values[axis] = texts[axis];
    }
    for (uint64_t i = 0; i < n; i++) {
        uint64_t left = i;
        for (size_t axis = n_axes; axis > 0; axis--) {
            snprintf(texts[axis - 1], sizeof texts[axis - 1], "%u",
                     (unsigned)(left % field->sizes[axis - 1]) + 1);
            left /= field->sizes[axis - 1];
        }
        space_add(space, values);
    }
    ck_assert_int_eq(space_finish(space, &error), GB_OK);
    return space;
}

static double value_of(uint64_t i)
{
    uint32_t at[AXES_MAX];
    ck_assert_int_eq(space_place(world.space, i, at), GB_OK);
    return world.field->value(at);
}

static void begin(const struct field *field, double visit_ns)
{
    world = (struct world){.field = field, .space = space_of(field), .visit_ns = visit_ns};
    limits = (struct engine_limits){.tolerance = 0.01, .confidence = 0.95, .lanes = 1};
    world.lowest = INFINITY;
    for (uint64_t i = 0; i < space_size(world.space); i++)
        world.lowest = fmin(world.lowest, value_of(i));
}

static void end(void)
{
    space_free(world.space);
}

static void measure(struct engine *engine, const struct engine_step *step)
{
    enum { SAMPLES_MAX = 4096 };
    static double samples[SAMPLES_MAX];
    struct gb_error error;
    const double value = value_of(step->i);
    const bool is_slow = world.steps_each && world.n_visits++ / world.steps_each % 2 == 1;
    struct gb_observation observation = {
        sizeof observation, .status = isnan(value) ? GB_OBSERVED_FAILED : GB_OBSERVED_OK,
        .proposal = step->proposal, .samples = samples, .wall_ns = world.visit_ns};
    const uint64_t wanted = step->n_samples ? step->n_samples : 10;
    if (!isnan(value))
        observation.n_samples = wanted < SAMPLES_MAX ? wanted : SAMPLES_MAX;
    for (uint64_t k = 0; k < observation.n_samples; k++) {
        const double noise = world.noise > 0 ? world.noise * fake_normal(&world.state) : 0;
        samples[k] = value * (is_slow ? 1.2 : 1) * exp(noise);
    }
    ck_assert_int_eq(engine_observe(engine, &observation, &error), GB_OK);
}

static double user_ms(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_utime.tv_sec * 1e3 + (double)usage.ru_utime.tv_usec * 1e-3;
}

static void run(const char *folder, const char *id, uint64_t seed)
{
    struct gb_error error;
    struct fake_host *host = fake_host_new();
    const struct gb_plugin *plugin = fake_plugin(folder, GB_PLUGIN_SEARCH, id);
    void *params = fake_params_new(plugin);
    struct engine *engine;
    struct engine_step step;
    host->host.seed = seed;
    world.state = seed * 7 + 1;
    world.n_visits = 0;
    ck_assert_int_eq(
        engine_new(plugin->ops, params, &host->host, world.space, &limits, &engine, &error), GB_OK);
    const double begin_ms = user_ms();
    for (engine_next(engine, &step); step.action == ENGINE_MEASURE; engine_next(engine, &step))
        measure(engine, &step);
    outcome.own_ms = user_ms() - begin_ms;
    engine_report(engine, &outcome.report);
    ck_assert_msg(!outcome.report.is_broken, "%s on %s: %s %s", id, world.field->name,
                  outcome.report.reason, outcome.report.note);
    outcome.report.open = NULL; /* the engine's */
    outcome.best = outcome.report.best == GB_NO_CASE ? INFINITY : value_of(outcome.report.best);
    engine_free(engine);
    fake_params_free(plugin, params);
    fake_host_free(host);
}

/* Noise number k; after the last one a little of it, and a clock that changes. */
static void make_noise(int k, uint64_t steps_each)
{
    world.noise = k < N_NOISES ? noises[k] : 0.01;
    world.steps_each = k < N_NOISES ? 0 : steps_each;
}

/* Its own time is small beside that of the visits. */
static void expect_little_computing(void)
{
    if (IS_FAST && test_is_long())
        ck_assert_double_lt(outcome.own_ms,
                            0.05 * 1e-6 * world.visit_ns * (double)outcome.report.n_proposals);
}

TEST_FIXTURE(NULL, end)

/* Certificates hold, whatever the space and the noise are, and there is one where noise is not
 * larger than the tolerance; but of plateaus, on which too many are the best. A clock that changes
 * is against what the race assumes: it ends then, and has lost no more than half of the step. */
TEST_EACH(races_end_with_certificates_that_hold, fields)
{
    begin(&fields[_i], 1e6);
    for (int k = 0; k <= N_NOISES; k++)
        for (uint64_t seed = 0; seed < (k == N_NOISES - 1 ? 1 : 4); seed++) {
            make_noise(k, 70);
            run("search_race", "race", seed);
            ck_assert_uint_eq(outcome.report.n_cases, space_size(world.space));
            if (k < 2 && (k == 0 || world.field->value != plateaus))
                ck_assert_int_eq(outcome.report.scope, GB_SCOPE_ALL);
            if (outcome.report.scope == GB_SCOPE_ALL || k == N_NOISES)
                ck_assert_double_le(outcome.best, (k < N_NOISES ? 1.01 : 1.1) * world.lowest);
        }
}

/* With much noise the lowest of many equal cases is the luckiest: it does not hide the best. */
TEST(races_find_a_needle_in_noise)
{
    begin(&fields[1], 1e6);
    world.noise = 0.2;
    for (uint64_t seed = 0; seed < 4; seed++) {
        run("search_race", "race", seed);
        ck_assert_double_eq(outcome.best, world.lowest);
    }
}

/* All of them keep to what they may claim, and to the budget. */
TEST_EACH(searches_with_a_budget_claim_what_they_measured, fields)
{
    static const char *const ids[][2] = {
        {"search_local", "local"}, {"search_exhaustive", "random"}, {"search_guided", "guided"}};
    begin(&fields[_i], 1e8);
    limits.budget_cases = 80;
    for (size_t id = 0; id < sizeof ids / sizeof *ids; id++)
        for (int k = 0; k <= N_NOISES; k++) {
            make_noise(k, 20);
            run(ids[id][0], ids[id][1], (uint64_t)k);
            ck_assert_uint_eq(outcome.report.n_cases, 80);
            ck_assert_int_ne(outcome.report.scope, GB_SCOPE_ALL);
            ck_assert(isfinite(outcome.best));
        }
}

TEST_EACH(guided_reaches_the_best, fields)
{
    const int n_seeds = test_is_long() ? 6 : 3;
    begin(&fields[_i], 1e8);
    limits.budget_cases = 80;
    for (int k = 0; k < 3; k++) {
        int n_reached = 0;
        world.noise = noises[k];
        for (int seed = 0; seed < n_seeds; seed++) {
            run("search_guided", "guided", (uint64_t)seed);
            n_reached += outcome.best <= world.field->reached * world.lowest * (1 + noises[k]);
            expect_little_computing();
        }
        if (world.field->reached > 0)
            ck_assert_int_ge(n_reached, n_seeds - (test_is_long() ? 1 : 0));
    }
}

/* With visits of some ms it has little time: it predicts fewer cases. */
TEST(guided_computes_less_where_visits_are_short)
{
    begin(&fields[0], 1e7);
    limits.budget_cases = 400;
    run("search_guided", "guided", 1);
    ck_assert_double_eq(outcome.best, world.lowest);
    expect_little_computing();
}

/* kB of /proc/self/status. */
static double memory_mb(const char *what)
{
    char text[256];
    double kb = 0;
    FILE *file = fopen("/proc/self/status", "r");
    ck_assert_ptr_nonnull(file);
    while (fgets(text, sizeof text, file))
        if (strncmp(text, what, strlen(what)) == 0)
            kb = strtod(text + strlen(what) + 1, NULL);
    fclose(file);
    return kb / 1024;
}

/* What searches need for a million cases, or a tenth of them; race measures all. */
TEST_TIMES(a_million_cases_fit, 3)
{
    static const struct {
        const char *folder, *id;
        uint64_t budget_cases;
        double most_mb, most_ms; /* of a million; of a proposal */
    } searches[] = {{"search_race", "race", 0, 100, 5},
                    {"search_local", "local", 3000, 100, 5},
                    {"search_guided", "guided", 100, 200, 50}};
    const double before_mb = memory_mb("VmHWM:");
    begin(test_is_long() ? &all_of_a_million : &a_tenth_of_a_million, 1e9);
    world.noise = 0.005;
    limits.budget_cases = searches[_i].budget_cases;
    run(searches[_i].folder, searches[_i].id, 3);
    ck_assert_double_le(outcome.best, (_i == 2 ? 1.05 : 1) * world.lowest);
    ck_assert_int_eq(outcome.report.scope, _i == 0 ? GB_SCOPE_ALL : GB_SCOPE_MEASURED);
    if (IS_FAST)
        ck_assert_double_lt(memory_mb("VmHWM:") - before_mb,
                            5 + searches[_i].most_mb * 1e-6 * (double)space_size(world.space));
    if (IS_FAST && test_is_long())
        ck_assert_double_lt(outcome.own_ms / (double)outcome.report.n_proposals,
                            searches[_i].most_ms);
}
