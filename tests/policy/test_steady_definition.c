/* test_steady_definition.c - steady against its definition, on thousands of random traces. */
#include "tests/check_main.h"
#include "tests/policy/policy_fixture.h"
#include "tests/policy/steady_reference.h"

TEST_FIXTURE(NULL, policy_end)

/* make check takes every seventh: each family with each tick. */
enum { TRACES = 2400, STEP = 7, PARTS = 4, EACH = 8, TRACE = REFERENCE_MOST, TICKS = 6 };

static double fields[TRACE];

/* Returns its tick. */
static double make_trace(int number, uint64_t *seed)
{
    static const double ticks[TICKS] = {0.0, 0.0, 32.0, 500.0, 2000.0, 20000.0};
    const double sigma = 0.002 * exp(3.0 * fake_unit(seed));
    const double tick = ticks[number / (EACH * STEADY_FAMILIES) % TICKS];
    double state = 0.0;
    for (uint64_t i = 0; i < TRACE; i++) {
        const double time = 1e5 *
                            draw_disturbed(number / EACH % STEADY_FAMILIES, i, sigma, &state, seed);
        fields[i] = tick > 0.0 ? tick * round((time + tick * (fake_unit(seed) - 0.5)) / tick)
                               : time;
    }
    return tick;
}

static double pick(const double *values, size_t n, uint64_t *seed)
{
    return values[(size_t)(fake_unit(seed) * (double)n)];
}
#define PICK(seed, ...)                                                                            \
    pick((const double[]){__VA_ARGS__}, sizeof((const double[]){__VA_ARGS__}) / sizeof(double),    \
         seed)

/* Settings for the policy and for the reference alike. */
static struct reference_rules choose_rules(uint64_t *seed)
{
    char without[256] = "";
    struct reference_rules rules = {
        .precision = PICK(seed, 0.01, 0.01, 0.005, 0.002, 0.03),
        .confidence = 0.95,
        .optimal = PICK(seed, 256, 64, 1000),
        .floor_wall = PICK(seed, 1e8, 1e7, 3e7),
        .busy = PICK(seed, 2.5e8, 4e6),
        .growth = PICK(seed, 1.25, 1.25, 1.05, 2.0),
        .discard = PICK(seed, 0.25, 0.25, 0.5, 0.1),
        .min_mode = PICK(seed, 0.02, 0.05),
        .floor_samples = (uint64_t)PICK(seed, 150, 40, 400),
        .min = (uint64_t)PICK(seed, 16, 5),
        .visits = (uint64_t)PICK(seed, 6, 2, 20),
    };
    for (size_t i = 0; i < REFERENCE_WORDS; i++) {
        if (fake_unit(seed) >= 0.1)
            continue;
        rules.without |= 1u << i;
        strcat(strcat(without, *without != '\0' ? ", " : ""), reference_words[i]);
    }
    policy_begin("steady;precision=%.17g;optimal=%.0f;floor_wall=%.0fns;busy=%.0fns;growth=%.17g;"
                 "discard=%.17g;min_mode=%.17g;floor_samples=%d;min=%d;visits=%d;without=%s",
                 rules.precision, rules.optimal, rules.floor_wall, rules.busy, rules.growth,
                 rules.discard, rules.min_mode, (int)rules.floor_samples, (int)rules.min,
                 (int)rules.visits, without);
    return rules;
}

/* The same but for this share of them, or not a number either. */
static void compare_values(int number, double share, size_t n, const double *found,
                           const double *expected)
{
    for (size_t i = 0; i < n; i++)
        ck_assert_msg(found[i] == expected[i] || (isnan(found[i]) && isnan(expected[i])) ||
                          fabs(found[i] - expected[i]) <= share * fabs(expected[i]),
                      "trace %d, value %d of %d: %.17g, expected %.17g", number, (int)i, (int)n,
                      found[i], expected[i]);
}

static void compare(int number, const struct gb_estimate *expected)
{
    const struct gb_estimate *found = &work.estimate;
    const double exact = 1e-12;
    /* Means are of sums in billionths of a tick. */
    const double share = strcmp(found->statistic, "mean") == 0 ? 1e-7 : exact;
    ck_assert_msg(found->verdict == expected->verdict, "trace %d at %llu: verdict %d, expected %d",
                  number, (unsigned long long)work.n, found->verdict, expected->verdict);
    ck_assert_msg(found->n_discarded == expected->n_discarded &&
                      found->n_modes == expected->n_modes,
                  "trace %d: %llu discarded, expected %llu; %u modes, expected %u", number,
                  (unsigned long long)found->n_discarded, (unsigned long long)expected->n_discarded,
                  found->n_modes, expected->n_modes);
    compare_values(number, exact, 1, &found->value_ns, &expected->value_ns);
    compare_values(number, share, 3, (double[]){found->low_ns, found->high_ns, found->n_effective},
                   (double[]){expected->low_ns, expected->high_ns, expected->n_effective});
    for (uint32_t i = 0; i < expected->n_modes && expected->n_modes > 1; i++) {
        const struct gb_mode *a = &found->modes[i], *b = &expected->modes[i];
        compare_values(number, exact, 4, (double[]){a->median_ns, a->low_ns, a->high_ns, a->weight},
                       (double[]){b->median_ns, b->low_ns, b->high_ns, b->weight});
    }
}

/* Of modes: "two modes, each within 1 %". */
static void compare_reason(uint32_t n_modes, double precision)
{
    static const char *const numbers[] = {"no", "one", "two", "three", "four", "five"};
    char reason[80];
    ck_assert_uint_lt(n_modes, sizeof numbers / sizeof *numbers);
    snprintf(reason, sizeof reason, "%s modes, each within %g %%", numbers[n_modes],
             100.0 * precision);
    ck_assert_str_eq(work.next.reason, reason);
}

TEST_TIMES(stops_where_its_definition_says, PARTS)
{
    unsigned n_verdicts[GB_VERDICT_GAVE_UP + 1] = {0};
    unsigned n_means = 0;
    const int step = test_is_long() ? 1 : STEP;
    const unsigned n_traces = TRACES / (unsigned)(PARTS * step);
    for (int number = _i * TRACES / PARTS; number < (_i + 1) * TRACES / PARTS; number += step) {
        uint64_t seed = (uint64_t)number * 1000 + 17;
        struct gb_estimate expected;
        const double tick_ns = make_trace(number, &seed);
        const struct reference_rules rules = choose_rules(&seed);
        work.tick_ns = tick_ns;
        work.overhead_ns = PICK(&seed, 0.0, 60e3, 2e5);
        work.traits = number % 3 == 0 ? GB_SAMPLES_DITHERED : 0;
        policy_drive(fields, TRACE);
        const struct reference_timer timer = {work.tick_ns, work.traits != 0};
        const uint64_t stop = reference_run(&rules, fields, work.elapsed, TRACE, timer, &expected);
        ck_assert_msg(work.n == stop, "trace %d: stops at %llu, expected %llu (%s)", number,
                      (unsigned long long)work.n, (unsigned long long)stop, work.next.reason);
        compare(number, &expected);
        if (expected.verdict == GB_VERDICT_MULTIMODAL && work.next.decision == GB_DONE)
            compare_reason(expected.n_modes, rules.precision);
        n_verdicts[expected.verdict]++;
        n_means += strcmp(work.estimate.statistic, "mean") == 0;
    }
    ck_assert_uint_gt(n_verdicts[GB_VERDICT_CERTIFIED], n_traces / 10);
    ck_assert_uint_gt(n_verdicts[GB_VERDICT_MULTIMODAL], 0);
    ck_assert_uint_gt(n_verdicts[GB_VERDICT_RESOLUTION_LIMITED], 0);
    ck_assert_uint_gt(n_verdicts[GB_VERDICT_UNCONVERGED], 0);
    ck_assert_uint_gt(n_means, n_traces / 30);
}
