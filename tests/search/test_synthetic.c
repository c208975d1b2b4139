/* test_synthetic.c - searches on spaces that are hard in one way each: needles, plateaus, regions
 * that cannot be measured, one axis, a million cases; with noise, and clocks that change. */
#include "tests/search/search_world.h"

#include <sys/resource.h>

enum { LOWEST = 100 };

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

static double lowest, best;
static double own_ms; /* of computing, samples included */

static void begin(const struct field *field, double visit_ns)
{
    world_begin(field, 1);
    world.visit_ns = world.again_ns = visit_ns;
    world.n_samples = 10;
    lowest = world_lowest();
}

static double user_ms(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_utime.tv_sec * 1e3 + (double)usage.ru_utime.tv_usec * 1e-3;
}

static void run(int search, uint64_t seed)
{
    const double begin_ms = user_ms();
    world.state = seed * 7 + 1;
    world.n_visits = 0;
    world_search(search, NULL, NULL, seed);
    own_ms = user_ms() - begin_ms;
    best = outcome.report.best == GB_NO_CASE ? INFINITY : world_value(outcome.report.best);
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
        ck_assert_double_lt(own_ms,
                            0.05 * 1e-6 * world.visit_ns * (double)outcome.report.n_proposals);
}

TEST_FIXTURE(NULL, world_end)

/* Certificates hold, whatever the space and the noise are, and there is one where noise is not
 * larger than the tolerance; but of plateaus, on which too many are the best. A clock that changes
 * is against what the race assumes: it ends then, and has lost no more than half of the step. */
TEST_EACH(races_end_with_certificates_that_hold, fields)
{
    begin(&fields[_i], 1e6);
    for (int k = 0; k <= N_NOISES; k++)
        for (uint64_t seed = 0; seed < (k == N_NOISES - 1 ? 1 : 4); seed++) {
            make_noise(k, 70);
            run(RACE, seed);
            ck_assert_uint_eq(outcome.report.n_cases, space_size(world.space));
            if (k < 2 && (k == 0 || world.field->value != plateaus))
                ck_assert_int_eq(outcome.report.scope, GB_SCOPE_ALL);
            if (outcome.report.scope == GB_SCOPE_ALL || k == N_NOISES)
                ck_assert_double_le(best, (k < N_NOISES ? 1.01 : 1.1) * lowest);
        }
}

/* With much noise the lowest of many equal cases is the luckiest: it does not hide the best. */
TEST(races_find_a_needle_in_noise)
{
    begin(&fields[1], 1e6);
    world.noise = 0.2;
    for (uint64_t seed = 0; seed < 4; seed++) {
        run(RACE, seed);
        ck_assert_double_eq(best, lowest);
    }
}

/* All of them keep to what they may claim, and to the budget. */
TEST_EACH(searches_with_a_budget_claim_what_they_measured, fields)
{
    static const int ids[] = {LOCAL, RANDOM, GUIDED};
    begin(&fields[_i], 1e8);
    limits.budget_cases = 80;
    for (size_t id = 0; id < sizeof ids / sizeof *ids; id++)
        for (int k = 0; k <= N_NOISES; k++) {
            make_noise(k, 20);
            run(ids[id], (uint64_t)k);
            ck_assert_uint_eq(outcome.report.n_cases, 80);
            ck_assert_int_ne(outcome.report.scope, GB_SCOPE_ALL);
            ck_assert(isfinite(best));
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
            run(GUIDED, (uint64_t)seed);
            n_reached += best <= world.field->reached * lowest * (1 + noises[k]);
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
    run(GUIDED, 1);
    ck_assert_double_eq(best, lowest);
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
        int search;
        uint64_t budget_cases;
        double most_mb, most_ms; /* of a million; of a proposal */
    } wanted[] = {{RACE, 0, 100, 5}, {LOCAL, 3000, 100, 5}, {GUIDED, 100, 200, 50}};
    const double before_mb = memory_mb("VmHWM:");
    begin(test_is_long() ? &all_of_a_million : &a_tenth_of_a_million, 1e9);
    world.noise = 0.005;
    limits.budget_cases = wanted[_i].budget_cases;
    run(wanted[_i].search, 3);
    ck_assert_double_le(best, (_i == 2 ? 1.05 : 1) * lowest);
    ck_assert_int_eq(outcome.report.scope, _i == 0 ? GB_SCOPE_ALL : GB_SCOPE_MEASURED);
    if (IS_FAST)
        ck_assert_double_lt(memory_mb("VmHWM:") - before_mb,
                            5 + wanted[_i].most_mb * 1e-6 * (double)space_size(world.space));
    if (IS_FAST && test_is_long())
        ck_assert_double_lt(own_ms / (double)outcome.report.n_proposals, wanted[_i].most_ms);
}
