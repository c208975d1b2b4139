/* test_sentinel_record.c - core/store/sentinel.c: changes of a machine among readings with noise,
 * from fixed seeds, so that the counts are exact. */
#include "core/base/random.h"
#include "core/store/sentinel.h"
#include "core/store/visits.h"
#include "tests/check_main.h"
#include "tests/draws.h"

enum { MOST = 60, SERIES = 1000 };

struct shape {
    size_t n;
    double noise, step, drift;      /* step: from the middle on; drift: over all */
    double outliers;                /* share of readings that take 1.3 times the time */
    int changed, drifts, misplaced; /* of 1,000 */
};

static double normal(uint64_t seed, uint64_t index)
{
    return normal_of(random_unit(seed, 0, index), random_unit(seed, 1, index));
}

static void draw(const struct shape *shape, uint64_t seed, struct sentinel_reading *ret)
{
    for (size_t i = 0; i < shape->n; i++) {
        const double at = (double)i / (double)(shape->n - 1);
        double y = shape->noise * normal(seed, i) + shape->drift * at;
        y += 2 * i >= shape->n ? shape->step : 0;
        y += random_unit(seed, 2, i) < shape->outliers ? log(1.3) : 0;
        ret[i] = (struct sentinel_reading){1, 1, 1e5 * exp(y),
                                           i < shape->n / 2 ? "before" : "after"};
    }
}

static const struct shape shapes[] = {
    {40, 0.0003, 0, 0, 0, 0, 0, 0},
    {40, 0.0003, 0, 0, 0.1, 0, 0, 0},
    {40, 0.003, 0, 0, 0, 0, 0, 0},
    {40, 0.01, 0, 0, 0.2, 4, 0, 2},
    {40, 0.0003, 0.02, 0, 0, 1000, 0, 0},
    {40, 0.0003, -0.02, 0, 0.1, 990, 0, 67}, /* an outlier stands beside the step */
    {40, 0.003, 0.02, 0, 0.1, 994, 0, 198},
    {8, 0.0003, 0.02, 0, 0, 1000, 0, 0},
    {40, 0.0003, 0, 0.02, 0, 1000, 1000, 0},
    {60, 0.002, 0, 0.02, 0.1, 1000, 999, 0},
    {5, 0.0003, 0.02, 0, 0, 0, 0, 0}, /* too few */
};

TEST_EACH(changes_are_found, shapes)
{
    const struct shape *shape = &shapes[_i];
    int wrong_way = 0, changed = 0, drifts = 0, misplaced = 0;
    for (uint64_t seed = 0; seed < SERIES; seed++) {
        struct sentinel_reading readings[MOST];
        struct sentinel_change change;
        draw(shape, seed, readings);
        if (!sentinel_find_change(readings, shape->n, &change))
            continue;
        changed++;
        drifts += change.is_drift;
        misplaced += !change.is_drift && strcmp(change.from, "after") != 0;
        wrong_way += change.size * (shape->step + shape->drift) < 0;
    }
    ck_assert_int_eq(changed, shape->changed);
    ck_assert_int_eq(drifts, shape->drifts);
    ck_assert_int_eq(misplaced, shape->misplaced);
    ck_assert_int_eq(wrong_way, 0);
}

TEST(readings_of_one_device_and_work_are_a_group)
{
    const struct sentinel_reading readings[] = {
        {1, 1, 100, ""}, {1, 1, 102, ""}, {1, 1, 101, ""}, {1, 2, 50, ""}, {2, 2, 50, ""}};
    ck_assert_uint_eq(sentinel_group(readings, 5), 3);
    ck_assert_uint_eq(sentinel_group(&readings[3], 2), 1);
    ck_assert_uint_eq(sentinel_group(&readings[4], 1), 1);
    ck_assert_uint_eq(sentinel_group(readings, 0), 0);
    const struct sentinel_level level = sentinel_level_of(readings, 3);
    ck_assert_double_eq_tol(level.value, log(101), 1e-12);
    const double deviation = 1.4826 * (log(102) - log(101));
    ck_assert_double_eq_tol(level.error, 1.2533 * deviation / sqrt(3), 2e-4);
    ck_assert_double_eq(level.spread, 0); /* so few say nothing of it */
}

/* One reading in twelve that something disturbed is no spread. */
TEST(a_device_that_moves_has_a_spread)
{
    struct sentinel_reading readings[12];
    for (int i = 0; i < 12; i++)
        readings[i] = (struct sentinel_reading){1, 1, i == 5 ? 120 : 100, ""};
    ck_assert_double_eq(sentinel_level_of(readings, 12).spread, 0);
    for (int i = 8; i < 12; i++)
        readings[i].time_ns = 103;
    ck_assert_double_eq_tol(sentinel_level_of(readings, 12).spread, log(1.03), 1e-12);
}

enum { VISITS = 8 };

/* What eight certified visits say, of which the readings 1e5 exp(changes[i]) were taken. */
static struct gb_estimate widened(const double changes[VISITS * SENTINEL_MOMENTS])
{
    struct case_record records[VISITS] = {0};
    const struct case_record *items[VISITS];
    struct gb_estimate estimate = {.verdict = GB_VERDICT_CERTIFIED,
                                   .value_ns = 1000,
                                   .low_ns = 999,
                                   .high_ns = 1001,
                                   .precision = 0.01};
    for (int i = 0; i < VISITS * SENTINEL_MOMENTS; i++) {
        struct sentinel_record *reading =
            &records[i / SENTINEL_MOMENTS].sentinel[i % SENTINEL_MOMENTS];
        *reading = (struct sentinel_record){.version = 1, .time_ns = 1e5 * exp(changes[i])};
        strcpy(reading->at, "2026-03-01T12:34:56.789Z");
        items[i / SENTINEL_MOMENTS] = &records[i / SENTINEL_MOMENTS];
    }
    visits_widen(items, VISITS, &estimate);
    return estimate;
}

/* What comes and goes is a neighbour's, and in the visits themselves where it matters. */
TEST(a_machine_that_stays_changed_is_in_the_interval)
{
    double changes[VISITS * SENTINEL_MOMENTS] = {0, 0, 0.08, 0, 0, 0, 0, 0.05, 0, 0, 0, 0.08};
    struct gb_estimate estimate = widened(changes);
    ck_assert_double_eq(estimate.high_ns, 1001);
    ck_assert_int_eq(estimate.verdict, GB_VERDICT_CERTIFIED);
    for (int i = 0; i < VISITS * SENTINEL_MOMENTS; i++)
        changes[i] = i < 7 ? 0 : 0.008;
    estimate = widened(changes);
    ck_assert_double_eq_tol(estimate.high_ns, 1000 * exp(0.008), 1e-9);
    ck_assert_int_eq(estimate.verdict, GB_VERDICT_CERTIFIED);
    for (int i = 7; i < VISITS * SENTINEL_MOMENTS; i++)
        changes[i] = 0.02;
    estimate = widened(changes);
    ck_assert_double_eq_tol(estimate.low_ns, 1000 * exp(-0.02), 1e-9);
    ck_assert_int_eq(estimate.verdict, GB_VERDICT_UNCONVERGED);
    ck_assert_ptr_nonnull(strstr(estimate.note, "the machine changed by 2 %"));
}
