/* test_thinned.c - plugins/policy_fixed/fixed.c: what is kept of long recordings. */
#include "plugins/policy_fixed/fixed.c"
#include "tests/check_main.h"
#include "tests/fake_host.h"
#include "tests/modules/words.h"

enum { LONG = 5 * SAMPLES_MOST + 12352 };

static struct fake_host *fake;
static struct policy thinned;

static void set_up(void)
{
    fake = fake_host_new();
}

static void tear_down(void)
{
    destroy(&thinned);
    fake_host_free(fake);
}

TEST_FIXTURE(set_up, tear_down)

/* n samples whose times a function gives, in parts of the given length. */
static void take(double (*time_of)(uint64_t), uint64_t n, uint64_t part)
{
    thinned = (struct policy){.host = &fake->host};
    double *times = malloc(part * sizeof *times), *elapsed = malloc(part * sizeof *elapsed);
    ck_assert(times && elapsed);
    for (uint64_t first = 0; first < n; first += part) {
        const SIZED(gb_samples, samples, .n = n - first < part ? n - first : part, .time_ns = times,
                    .elapsed_ns = elapsed, .tick_ns = 0.25);
        for (uint64_t i = 0; i < samples.n; i++) {
            times[i] = time_of(first + i);
            elapsed[i] = 10 * (double)(first + i + 1);
        }
        ck_assert_int_eq(observe(&thinned, &samples), GB_OK);
    }
    free(times);
    free(elapsed);
}

static double rising(uint64_t i)
{
    return (double)i;
}

/* The slow one of each two, of which every second, fourth ... sample in a row would see one kind.
 */
static double alternating(uint64_t i)
{
    return i % 2 ? 100 : 200;
}

static double with_gaps(uint64_t i)
{
    return i % 3 ? (double)i : NAN;
}

TEST(short_recordings_are_kept_as_they_are)
{
    take(rising, SAMPLES_MOST - 1, 1000);
    ck_assert_uint_eq(thinned.kept.n, SAMPLES_MOST - 1);
    for (uint64_t i = 0; i < thinned.kept.n; i++)
        ck_assert_double_eq(thinned.kept.times[i], (double)i);
    ck_assert_double_eq(thinned.kept.tick_ns, 0.25);
    ck_assert_double_eq(thinned.elapsed_ns, 10.0 * (SAMPLES_MOST - 1));
}

TEST(of_long_ones_every_part_has_its_share)
{
    take(rising, LONG, 4096);
    const double *times = thinned.kept.times;
    ck_assert_uint_eq(thinned.n_seen, LONG);
    ck_assert_uint_eq(thinned.one_of, 8);
    ck_assert_uint_eq(thinned.kept.n, LONG / 8);
    ck_assert_uint_le(thinned.kept.capacity, 2 * SAMPLES_MOST);
    for (uint64_t i = 0; i < thinned.kept.n; i++) /* the i-th is one of the i-th eight */
        ck_assert(times[i] >= 8 * (double)i && times[i] < 8 * (double)(i + 1));
    struct gb_estimate estimate = {.size = sizeof estimate};
    ck_assert_int_eq(report(&thinned, &estimate), GB_OK);
    ck_assert_uint_eq(estimate.n, LONG);
    ck_assert_double_eq_tol(estimate.value_ns, LONG / 2, 32);
    ck_assert_int_eq(estimate.verdict, GB_VERDICT_NONE);
}

TEST(no_rhythm_hides_between_those_kept)
{
    take(alternating, LONG, 4096);
    uint64_t n_slow = 0;
    for (uint64_t i = 0; i < thinned.kept.n; i++)
        n_slow += thinned.kept.times[i] == 200;
    /* half of them, within six standard deviations */
    ck_assert_double_eq_tol((double)n_slow, (double)thinned.kept.n / 2,
                            3 * sqrt((double)thinned.kept.n));
}

TEST_TIMES(what_is_kept_does_not_depend_on_how_samples_come, 5)
{
    static const uint64_t parts[] = {1, 17, 4096, SAMPLES_MOST, LONG};
    take(with_gaps, LONG, 4096);
    struct policy first = thinned;
    take(with_gaps, LONG, parts[_i]);
    ck_assert_uint_eq(first.n_seen, LONG);
    ck_assert_uint_eq(thinned.n_seen, LONG);
    ck_assert_uint_eq(first.kept.n, thinned.kept.n);
    ck_assert_mem_eq(first.kept.times, thinned.kept.times, first.kept.n * sizeof(double));
    for (uint64_t i = 1; i < first.kept.n; i++)
        ck_assert_double_lt(first.kept.times[i - 1], first.kept.times[i]);
    destroy(&first);
}
