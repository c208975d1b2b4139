/* test_clock_history.c - what counts as a clock on its way. */
#include "plugins/policy_steady/clock_history.h"
#include "tests/check_main.h"
#include "tests/fake_host.h"

static struct clock_history history;

enum { CONSTANT, NOISE, STEPS_OF_ONE, RISING, FALLING, STEP, WAVE, WAVES, UNKNOWN, HALF_KNOWN };

static double clock_at(int kind, uint64_t i, uint64_t n, uint64_t *seed)
{
    const double share = (double)i / (double)n;
    switch (kind) {
    case NOISE:
        return 1e9 * (1.0 + 0.03 * fake_normal(seed));
    case STEPS_OF_ONE: /* between two neighbouring steps of the clock */
        return fake_unit(seed) < 0.5 ? 1.980e9 : 1.965e9;
    case RISING:
        return 1e9 * (1.0 + 0.03 * share + 0.002 * fake_normal(seed));
    case FALLING:
        return 1e9 * (1.0 - 0.03 * share + 0.002 * fake_normal(seed));
    case STEP:
        return share < 0.6 ? 1e9 : 1.02e9;
    case WAVE: /* there and back once: passes the middle once in between */
        return 1e9 * (1.0 + 0.03 * sin(6.28318530717958648 * share));
    case WAVES:
        return 1e9 * (1.0 + 0.03 * sin(3.0 * 6.28318530717958648 * share));
    case UNKNOWN:
        return 0.0;
    case HALF_KNOWN: /* rising, but not known in its second half */
        return share < 0.5 ? 1e9 * (1.0 + share) : 0.0;
    default:
        return 1e9;
    }
}

TEST_TIMES(trends, 10)
{
    static const struct {
        int kind;
        bool is_trend;
    } cases[] = {{CONSTANT, false}, {NOISE, false},     {STEPS_OF_ONE, false}, {RISING, true},
                 {FALLING, true},   {STEP, true},       {WAVE, true},          {WAVES, false},
                 {UNKNOWN, false},  {HALF_KNOWN, false}};
    static const uint64_t lengths[] = {40, 150, 1000, 1024, 1025, 5000, 100000};
    for (size_t length = 0; length < sizeof lengths / sizeof lengths[0]; length++) {
        const uint64_t n = lengths[length];
        uint64_t seed = 1;
        memset(&history, 0, sizeof history);
        for (uint64_t i = 0; i < n; i++)
            clock_history_add(&history, clock_at(cases[_i].kind, i, n, &seed), false);
        ck_assert_msg(clock_history_trend(&history, 0, 0.01).is_there == cases[_i].is_trend,
                      "kind %d, %d samples", cases[_i].kind, (int)n);
        ck_assert(!clock_history_trend(&history, 0, 0.5).is_there); /* too small to matter */
        ck_assert(!clock_history_trend(&history, n, 0.01).is_there);
    }
}

/* Noise alone, of any width, however often one looks. */
TEST(noise_is_no_trend)
{
    uint64_t seed = 2;
    for (unsigned run = 0; run < 300; run++) {
        const double sigma = 0.001 * exp(5.0 * fake_unit(&seed));
        memset(&history, 0, sizeof history);
        for (uint64_t i = 1; i <= 3000; i++) {
            clock_history_add(&history, 1e9 * (1.0 + sigma * tanh(fake_normal(&seed))), false);
            if (i >= 64 && i % 100 == 0)
                ck_assert(!clock_history_trend(&history, i / 8, 0.001).is_there);
        }
    }
}

/* What was left out does not count. */
TEST(only_retained_samples_count)
{
    memset(&history, 0, sizeof history);
    for (uint64_t i = 0; i < 4000; i++)
        clock_history_add(&history, i < 900 ? 1e9 : 1.1e9, i == 899 || i >= 3000);
    ck_assert(clock_history_trend(&history, 0, 0.01).is_there);
    ck_assert(clock_history_trend(&history, 200, 0.01).is_there);
    ck_assert(!clock_history_trend(&history, 900, 0.01).is_there);
    ck_assert(clock_history_is_throttled(&history, 0));
    ck_assert(clock_history_is_throttled(&history, 3999));
    ck_assert(!clock_history_is_throttled(&history, 4000));
    ck_assert_double_eq_tol(clock_history_throttled_share(&history, 0), 1001.0 / 4000.0, 1e-12);
    ck_assert_double_eq_tol(clock_history_throttled_share(&history, 2000), 0.5, 1e-12);
    memset(&history, 0, sizeof history);
    ck_assert(!clock_history_is_throttled(&history, 0));
    ck_assert(!clock_history_trend(&history, 0, 0.01).is_there);
    ck_assert_double_eq(clock_history_throttled_share(&history, 0), 0.0);
}

/* A start at another clock, unless that comes again, or is not known, or no further away than the
 * tolerance. */
TEST_TIMES(a_clock_that_was_left, 8)
{
    static const struct {
        double start_hz, later_hz, again_hz;
        bool has_left;
    } cases[] = {
        {1.9e9, 1.98e9, 1.98e9, true},
        {2.1e9, 1.98e9, 1.98e9, true},
        {1.9e9, 1.98e9, 1.9e9, false},
        {1.9e9, 1.98e9, 1.89e9, false},
        {1.97e9, 1.98e9, 1.98e9, false},
        {0, 1.98e9, 1.98e9, false},
        {1.9e9, 0, 0, false},
        {1.9e9, 1.98e9, 2.1e9, true},
    };
    static const uint64_t lengths[] = {100, 1024, 1500, 50000};
    for (size_t length = 0; length < sizeof lengths / sizeof lengths[0]; length++) {
        const uint64_t n = lengths[length];
        const uint64_t n_start = n / 10;
        memset(&history, 0, sizeof history);
        for (uint64_t i = 0; i < n; i++)
            clock_history_add(&history,
                              i < n_start     ? cases[_i].start_hz
                              : i < n - n / 4 ? cases[_i].later_hz
                                              : cases[_i].again_hz,
                              false);
        ck_assert(clock_history_has_left(&history, n_start / 2, n_start, 0.01) ==
                  cases[_i].has_left);
        ck_assert(!clock_history_has_left(&history, n_start / 2, n_start, 0.5));
        ck_assert(!clock_history_has_left(&history, 0, n_start, 0.01));
        ck_assert(!clock_history_has_left(&history, n_start / 2, n, 0.01));
    }
    memset(&history, 0, sizeof history);
    ck_assert(!clock_history_has_left(&history, 0, 0, 0.01));
}
