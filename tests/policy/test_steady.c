/* test_steady.c - what the policies steady, quantiles and median_cs do, case by case. That steady
 * keeps to its definition is in test_steady_definition.c. */
#include "tests/check_main.h"
#include "tests/policy/policy_fixture.h"

TEST_FIXTURE(NULL, policy_end)

enum { MANY = 40000, MOST = 120000 };
static double times[MOST];
static double clocks[MANY];
static uint64_t throttle[MANY];
static uint32_t flags[MANY];

static void fill_normal(uint64_t seed, uint64_t n, double mean, double sigma)
{
    for (size_t i = 0; i < n; i++)
        times[i] = mean * (1.0 + sigma * fake_normal(&seed));
}

/* --- when it looks --- */

/* At 150 samples, or with 0.25 s of them, but after 0.1 s and 16 samples; then a quarter more. */
TEST_TIMES(first_look, 5)
{
    static const struct {
        double time_ns, overhead_ns;
        uint64_t first;
    } cases[] = {
        {1e5, 0.0, 1000}, {1e6, 0.0, 150}, {1e6, 1e6, 150}, {10e6, 0.0, 25}, {1e9, 0.0, 16},
    };
    fill_normal(0, 2000, cases[_i].time_ns, 0.0);
    policy_begin("steady;without=modes");
    work.overhead_ns = cases[_i].overhead_ns;
    policy_start(times, 2000);
    ck_assert_uint_eq(work.next.n_samples, 16);
    ck_assert_double_eq(work.next.elapsed_ns, 1e8);
    do {
        policy_give(times, work.n + 1);
        policy_ask();
        ck_assert_uint_le(work.n, 2000);
    } while (work.next.decision == GB_MORE &&
             work.next.n_samples <= (work.n < 16 ? 16 : work.n + 1));
    ck_assert_uint_eq(work.n, cases[_i].first);
    if (work.next.decision == GB_MORE)
        ck_assert_uint_eq(work.next.n_samples, (uint64_t)ceil(1.25 * (double)work.n));
}

/* However the samples come, one at a time or more, the verdict is the same. Looks at many take a
 * sixteenth more; samples may end before. */
TEST_TIMES(batches_do_not_matter, 3)
{
    static const struct {
        const char *policy;
        uint64_t seed, n; /* samples there are */
        double sigma;
        int32_t verdict;
        uint64_t first_look; /* 0.5 s at 0.2 % */
    } cases[] = {{"steady", 2, MANY, 0.03, GB_VERDICT_CERTIFIED, 0},
                 {"steady;precision=0.2%", 15, 120000, 0.1, GB_VERDICT_CERTIFIED, 500},
                 {"steady;precision=0.2%", 15, 36000, 0.1, GB_VERDICT_UNCONVERGED, 0}};
    const uint64_t n = cases[_i].n;
    fill_normal(cases[_i].seed, n, 1e6, cases[_i].sigma);
    policy_run(times, n, "%s", cases[_i].policy);
    ck_assert_int_eq(work.estimate.verdict, cases[_i].verdict);
    ck_assert_double_eq_tol(work.estimate.value_ns, 1e6, 2e3);
    uint64_t look = cases[_i].first_look;
    while (look > 0 && (look < 32768 || look * 17 / 16 < work.n))
        look = (uint64_t)ceil(1.25 * (double)look);
    ck_assert(look == 0 || work.n == look + look / 16);
    ck_assert(cases[_i].verdict == GB_VERDICT_CERTIFIED || work.n == n);
    const struct gb_estimate estimate = work.estimate;
    policy_begin("%s", cases[_i].policy);
    policy_start(times, n);
    while (work.next.decision == GB_MORE && work.n < n) {
        policy_give(times, work.n + 1);
        if (work.n >= work.next.n_samples && work.elapsed[work.n - 1] >= work.next.elapsed_ns)
            policy_ask();
    }
    policy_report();
    ck_assert_uint_eq(estimate.n, work.n);
    ck_assert_mem_eq(&estimate, &work.estimate, sizeof estimate);
}

/* A host may want more samples than the policy does, whose verdict stands; and it may end before
 * the first look. */
TEST(hosts_may_take_more_or_less)
{
    fill_normal(3, 400, 1e6, 0.003);
    policy_run(times, 400, "steady");
    ck_assert_int_eq(work.estimate.verdict, GB_VERDICT_CERTIFIED);
    policy_give(times, 300);
    for (size_t i = 300; i < 400; i++)
        times[i] *= 3.0;
    policy_give(times, 400);
    policy_ask();
    ck_assert_int_eq(work.next.decision, GB_DONE);
    policy_report();
    ck_assert_int_eq(work.estimate.verdict, GB_VERDICT_CERTIFIED);
    ck_assert_double_eq_tol(work.estimate.value_ns, 1e6, 3e3);

    policy_run(times, 20, "steady");
    ck_assert_int_eq(work.next.decision, GB_MORE);
    ck_assert_int_eq(work.estimate.verdict, GB_VERDICT_UNCONVERGED);
    ck_assert_double_eq_tol(work.estimate.value_ns, 1e6, 2e4);
    ck_assert_double_le(work.estimate.low_ns, work.estimate.value_ns);
}

/* Load before counts for the least time but for a part that goes with the precision; so does then,
 * where it is all of that time, the time ahead for which noise must not hide a trend. */
static const struct {
    const char *policy;
    double load_ms, sigma, least_ms, most_ms;
} loads[] = {{"steady;precision=5%", 0, 0.0005, 100, 103},
             {"steady;precision=5%", 1000, 0.0005, 5, 7.1},
             {"steady;precision=5%", 1000, 0.01, 5, 11},
             {"steady;precision=5%", 99, 0.01, 13, 32},
             {"steady;precision=2%", 1000, 0.0005, 12.5, 14.7},
             {"steady;precision=1%", 0, 0.0005, 100, 103},
             {"steady;precision=1%", 40, 0.0005, 60, 63},
             {"steady;precision=1%", 1000, 0.0005, 25, 27.3},
             {"steady;precision=0.5%", 0, 0.0005, 200, 204},
             {"steady;precision=0.5%", 1000, 0.0005, 50, 52.5}};

TEST_EACH(load_before_counts, loads)
{
    enum { SAMPLES = 30000 };
    fill_normal(5, SAMPLES, 1e4, loads[_i].sigma);
    policy_begin("%s", loads[_i].policy);
    work.fake->host.load_ns = 1e6 * loads[_i].load_ms;
    policy_drive(times, SAMPLES);
    ck_assert_int_eq(work.estimate.verdict, GB_VERDICT_CERTIFIED);
    const double end_ms = work.elapsed[work.n - 1] / 1e6;
    ck_assert_double_ge(end_ms, loads[_i].least_ms);
    ck_assert_double_le(end_ms, loads[_i].most_ms);
}

/* --- where it stops --- */

#define CLOCKS(X)                                                                                  \
    X(no_clock, 1.98e9)                                                                            \
    X(constant_clock, 1.98e9)                                                                      \
    X(noisy_clock, 1.98e9 * (1.0 + 0.02 * fake_normal(seed)))                                      \
    X(unknown_clock, 0.0)                                                                          \
    X(fall, i < 75 ? 1.98e9 : 1.95e9)                                                              \
    X(late_fall, i < 130 ? 1.98e9 : 1.95e9)                                                        \
    X(rising_clock, 1.98e9 * (i < 300 ? 0.9 + 0.1 * (double)i / 300.0 : 1.0))                      \
    X(clock_step, i < 100 ? 1.83e9 : 1.98e9)
enum { CLOCKS(WORD_NUMBER) };

static double clock_at(int kind, size_t i, uint64_t *seed)
{
    switch (kind) {
        CLOCKS(WORD_VALUE)
    }
    return NAN;
}

/* Normal noise about 1 ms, or mean_ns: the first samples by a factor; so much more each second; by
 * a power of the clock; 20 of each 200 twice as long; every second one throttled, or the first few.
 */
static const struct stop {
    const char *policy;
    uint64_t seed;
    double sigma;
    uint64_t from, to; /* it stops */
    uint64_t discarded_from, discarded_to;
    uint64_t start;
    double factor, drift, followed;
    int clock;
    uint64_t throttle, n_throttled;
    uint32_t flag;
    bool is_visited;
    double mean_ns, overhead_ns;
    double value;    /* over the mean; 0: 1 */
    uint64_t n;      /* samples there are, which do not do; 0: enough */
    const char *end; /* of the reason */
} stops[] = {
    {"steady;without=trend_bound", 1, 0.01, 601, 649, .mean_ns = 1e5, .overhead_ns = 60e3},
    /* 0.2 s bound a trend under 1 % of noise; more noise takes as many samples, less takes fewer.
     */
    {"steady", 1, 0.01, 1220, 1530, .mean_ns = 1e5, .overhead_ns = 60e3},
    {"steady", 1, 0.05, 1220, 1530, .mean_ns = 1e5, .overhead_ns = 60e3},
    {"steady", 1, 0.003, 601, 649, .mean_ns = 1e5, .overhead_ns = 60e3},
    {"steady", 1, 0.01, 16000, 16000, .drift = 0.02, .n = 16000, .mean_ns = 1e5,
     .overhead_ns = 60e3},
    {"steady", .from = 150, .to = 150},
    /* A mode that is entered for the sixth time at sample 1101, 200 apart, is no secret before;
     * looks are close enough to tell from the fifth. */
    {"steady;growth=1.05;without=mixing;visits=6", 5, 0.001, 1101, 1210, .is_visited = true},
    {"steady;growth=1.05;without=mixing;visits=9", 5, 0.001, 1701, 1870, .is_visited = true},
    {"steady;growth=1.05;without=mixing,trend_bound;visits=0", 5, 0.001, 150, 164,
     .is_visited = true},
    /* The warm-up is left out, or takes half as many again. */
    {"steady", 6, 0.002, 360, 500, 90, MANY, .start = 100, .factor = 1.1},
    {"steady;without=discard,modes", 6, 0.002, 750, 2500, .start = 100, .factor = 1.1},
    /* A level that was there once only, at the end, however rare: by the tails, not by modes. */
    {"steady;without=modes", 13, 0.005, 500, 1000, 0, MANY, .start = 135, .factor = 1.1},
    {"steady;without=modes,mixing,trend_bound", 13, 0.005, 150, 150, .start = 135, .factor = 1.1,
     .value = 1.1},
    /* Where warm-up is left out, 0.2 s are retained: 200 samples. */
    {"steady", 14, 0.005, 221, 399, 21, 99, .start = 30, .factor = 1.1},
    {"steady;without=settling,trend_bound", 14, 0.005, 150, 220, 21, 99, .start = 30,
     .factor = 1.1},
    /* Trends of more than a quarter of the precision in a second are waited for, from four samples
     * on. */
    {"steady;without=mixing,effective_size", 16, 0.0003, 150, 150, .drift = 0.002},
    {"steady;without=mixing,effective_size", 16, 0.0003, 2000, 2000, .drift = 0.0035, .n = 2000},
    {"steady;without=mixing,effective_size", 16, 0.0012, 2000, 2000, .drift = 0.008, .n = 2000},
    {"steady;without=mixing,effective_size,trend", 16, 0.0003, 150, 150, .drift = 0.008},
    {"steady;without=mixing,sequence,effective_size;min=4;floor_samples=4;floor_wall=0s", 0, 0.0, 5,
     5, .drift = 1.0, .n = 5},
    {"steady;without=mixing,sequence,effective_size,trend,trend_bound;min=4;floor_samples=4;"
     "floor_wall=0s",
     0, 0.0, 4, 4, .drift = 1.0},
    /* Samples that would be certified at the 150th are held back while the clock is on its way and
     * the times follow it, and only then. What was before the 130th is left out at 520 samples. */
    {"steady;without=modes,trend_bound", 9, 0.005, 150, 150, .clock = IS_constant_clock,
     .followed = 1},
    {"steady;without=modes,trend_bound", 9, 0.005, 150, 150, .clock = IS_noisy_clock},
    {"steady;without=modes,trend_bound", 9, 0.005, 150, 150, .clock = IS_unknown_clock},
    {"steady;without=modes,mixing", 9, 0.005, 400, 1000, 0, MANY, .clock = IS_late_fall,
     .followed = 1, .value = 1.98 / 1.95},
    {"steady;without=modes,clocks,mixing,trend_bound", 9, 0.005, 150, 150, .clock = IS_late_fall,
     .followed = 1},
    {"steady;without=modes,mixing,trend", 9, 0.005, 200, 1000, 0, MANY, .clock = IS_fall,
     .followed = 1, .value = 1.98 / 1.95},
    /* beyond chance, but 0.4 % */
    {"steady;without=modes,mixing,trend,trend_bound", 9, 0.005, 150, 150, .clock = IS_fall,
     .followed = 0.25, .value = 1.002},
    {"steady;without=modes,trend_bound", 9, 0.005, 150, 150, .clock = IS_late_fall},
    {"steady;without=modes,trend_bound", 9, 0.005, 150, 150, .clock = IS_rising_clock},
    /* Times scatter more than they follow the clock, which alone tells that the start was another
     * regime. */
    {"steady", 12, 0.05, 150, MANY, 90, MANY, .start = 100, .factor = 1.98 / 1.83,
     .clock = IS_clock_step},
    {"steady", 12, 0.05, 150, MANY, .start = 100, .factor = 1.98 / 1.83, .clock = IS_unknown_clock},
    {"steady", 12, 0.05, 150, MANY, .start = 100, .factor = 1.98 / 1.83,
     .clock = IS_constant_clock},
    /* Throttled ones take three seconds, unless they are at the start only, and that is left out;
     * times are there as they are later. */
    {"steady", 10, 0.001, 3000, 3750, .throttle = 4, .end = ", throttled"},
    {"steady", 10, 0.001, 3000, 3750, .flag = GB_SAMPLE_THROTTLED, .end = ", throttled"},
    {"steady", 10, 0.001, 150, 150, .flag = GB_SAMPLE_INTERRUPTED},
    {"steady;without=clocks", 10, 0.001, 150, 150, .throttle = 4},
    {"steady;without=recurrence,settling", 11, 0.001, 150, 150, 30, MANY, .throttle = 4,
     .n_throttled = 30},
};

static void fill(const struct stop *stop, double mean_ns)
{
    uint64_t seed = 8;
    fill_normal(stop->seed, MANY, mean_ns, stop->sigma);
    for (size_t i = 0; i < MANY; i++) {
        const bool is_marked = stop->n_throttled > 0 ? i < stop->n_throttled : i % 2 == 0;
        const bool is_longer = stop->is_visited && i % 200 >= 100 && i % 200 < 120;
        clocks[i] = clock_at(stop->clock, i, &seed);
        throttle[i] = is_marked ? stop->throttle : 0;
        flags[i] = is_marked ? stop->flag : 0;
        times[i] *= (i < stop->start ? stop->factor : 1.0) * (is_longer ? 2.0 : 1.0);
        times[i] *= 1.0 + stop->drift * 1e-9 * mean_ns * (double)i;
        if (stop->followed > 0.0)
            times[i] *= pow(1.98e9 / clocks[i], stop->followed);
    }
    work.overhead_ns = stop->overhead_ns;
    work.clock_hz = stop->clock != IS_no_clock ? clocks : NULL;
    work.throttle = throttle;
    work.flags = flags;
}

TEST_EACH(stops_where_it_may, stops)
{
    const struct stop *stop = &stops[_i];
    const double mean_ns = stop->mean_ns > 0.0 ? stop->mean_ns : 1e6;
    const struct gb_estimate *estimate = &work.estimate;
    policy_begin("%s", stop->policy);
    fill(stop, mean_ns);
    policy_drive(times, stop->n > 0 ? stop->n : MANY);
    ck_assert_msg(work.n >= stop->from && work.n <= stop->to, "stops at %d: %s", (int)work.n,
                  work.next.reason);
    ck_assert_uint_eq(estimate->n, work.n);
    if (stop->n > 0) {
        ck_assert_int_eq(estimate->verdict, GB_VERDICT_UNCONVERGED);
        return;
    }
    const double drift = 0.5e-9 * stop->drift * mean_ns * (double)(work.n - 1);
    const double value = mean_ns * (stop->value > 0.0 ? stop->value : 1.0 + drift);
    ck_assert_int_eq(work.next.decision, GB_DONE);
    ck_assert_int_eq(estimate->verdict, GB_VERDICT_CERTIFIED);
    ck_assert_str_eq(work.next.reason,
                     stop->end != NULL ? "interval within 1 %, throttled" : "interval within 1 %");
    if (stop->end != NULL)
        ck_assert_double_eq_tol(fake_metric_named(work.fake, "throttled"), 0.5, 0.01);
    ck_assert_uint_ge(estimate->n_discarded, stop->discarded_from);
    ck_assert_uint_le(estimate->n_discarded, stop->discarded_to);
    ck_assert_uint_le(estimate->n_discarded, work.n / 4);
    ck_assert_double_eq_tol(estimate->value_ns, value, (0.3 * stop->sigma + 1e-12) * mean_ns);
    ck_assert(estimate->low_ns <= value && estimate->high_ns >= value);
    if (stop->sigma == 0.0) /* they end at values that there are */
        ck_assert_double_le(estimate->high_ns - estimate->low_ns, 2.0 * drift * mean_ns);
    ck_assert_double_eq_tol(estimate->confidence, 0.95, 1e-12);
    ck_assert_str_eq(estimate->statistic, "median");
    ck_assert_uint_eq(estimate->n_modes, stop->is_visited ? 2 : 1);
    ck_assert_double_eq_tol(estimate->detectable_mode_weight,
                            1.0 - pow(0.05, 1.0 / estimate->n_effective), 1e-12);
}

/* --- what it makes of samples --- */

/* By a whole step on either side, as its phase may be locked. */
TEST_TIMES(timers_step, 6)
{
    static const struct {
        double step, other; /* of every second sample */
        const char *reason, *policy;
    } cases[] = {
        {32.0, 1408.0, "timer resolution of 32 ns is 2.3 % of the median", "steady"},
        {32.0, 1440.0, "timer resolution of 32 ns is 2.2 % of the median", "steady"},
        {14.0, 1408.0, "interval within 1 %", "steady"},
        {16.0, 1408.0, "timer resolution of 16 ns is 1.1 % of the median", "steady"},
        {16.0, 1424.0, "timer resolution of 16 ns is 1.1 % of the median", "steady"},
        {32.0, 1440.0, "interval within 1 %", "steady;without=resolution"},
    };
    for (size_t i = 0; i < MANY; i++)
        times[i] = i % 2 == 0 ? 1408.0 : cases[_i].other;
    policy_begin("%s", cases[_i].policy);
    work.tick_ns = cases[_i].step;
    work.overhead_ns = 1e5;
    policy_drive(times, MANY);
    ck_assert_str_eq(work.next.reason, cases[_i].reason);
    ck_assert_int_eq(work.estimate.verdict, *cases[_i].reason == 't' ? GB_VERDICT_RESOLUTION_LIMITED
                                                                     : GB_VERDICT_CERTIFIED);
    if (strcmp(cases[_i].policy, "steady") == 0) {
        ck_assert_double_eq(work.estimate.low_ns, work.estimate.value_ns - cases[_i].step);
        ck_assert_double_eq(work.estimate.high_ns, work.estimate.value_ns + cases[_i].step);
    }
}

/* Some samples without a time, up to half of them, are left out, with what came beside them. */
TEST_TIMES(times_that_are_not_finite_are_left_out, 2)
{
    static const char *const policies[] = {"steady", "median_ci;floor_wall=0s"};
    fill_normal(7, MANY, 1e6, 0.005);
    for (size_t i = _i == 0 ? 0 : 1; i < MANY; i += _i == 0 ? 3 : 2)
        times[i] = i / 3 % 2 == 0 ? (double)NAN : (double)INFINITY;
    policy_run(times, MANY, "%s", policies[_i]);
    ck_assert_int_eq(work.estimate.verdict, GB_VERDICT_CERTIFIED);
    ck_assert_double_eq_tol(work.estimate.value_ns, 1e6, 2e3);
    ck_assert_uint_eq(work.estimate.n, work.n);
    ck_assert_double_lt(work.estimate.n_effective, 0.7 * (double)work.n);
}

/* --- what is said while nothing is certified --- */

#define NOTED(X)                                                                                   \
    X(falling, 1.06 - 0.06 * (double)i / 10000.0 + 0.003 * normal)                                 \
    X(rising, 1.0 + 0.06 * (double)i / 10000.0 + 0.003 * normal)                                   \
    X(slow, 1.0 + 0.005 * *state)                                                                  \
    X(wide, exp(0.5 * normal))                                                                     \
    X(lesser_mode, (i % 1000 < 50 ? 1.2 : 1.0) + 0.003 * normal)                                   \
    X(noisy, 1.0 + 0.01 * normal)                                                                  \
    X(fine, 1.0 + 0.003 * normal)
enum { NOTED(WORD_NUMBER) };

static double noted_sample(int kind, size_t i, double *state, uint64_t *seed)
{
    const double normal = fake_normal(seed);
    *state = 0.99 * *state + 0.14 * normal;
    switch (kind) {
        NOTED(WORD_VALUE)
    }
    return NAN;
}

/* Samples of 100 us. */
TEST_TIMES(obstacles_are_named, 12)
{
    static const struct {
        int kind;
        uint64_t n;
        const char *policy, *note;
    } cases[] = {
        {IS_fine, 10, "steady", "0.1 s needed at this precision, 0.001 s so far"},
        {IS_fine, 500, "steady", "0.1 s needed at this precision, 0.05 s so far"},
        {IS_falling, 4000, "steady", "still falling by "},
        {IS_rising, 4000, "steady", "still rising by "},
        {IS_slow, 8000, "steady", "effective samples needed, "},
        {IS_wide, 1500, "steady", "to one side: needs about "},
        {IS_noisy, 1100, "steady", "a trend of up to "},
        {IS_lesser_mode, 4000, "steady", "a minor mode (5 %) was entered 4 of 6 times"},
        {IS_fine, 4000, "steady", ""},
        {IS_wide, 1500, "median_cs", "to either side: needs about "},
        {IS_fine, 500, "median_ci", "0.1 s needed at this precision, 0.05 s so far"},
        {IS_fine, 4000, "median_ci", ""},
    };
    uint64_t seed = 77;
    double state = 0.0;
    for (size_t i = 0; i < cases[_i].n; i++)
        times[i] = 1e5 * noted_sample(cases[_i].kind, i, &state, &seed);
    policy_run(times, cases[_i].n, "%s", cases[_i].policy);
    const char *note = work.estimate.note;
    const bool is_certified = *cases[_i].note == '\0';
    ck_assert_msg(strstr(note, cases[_i].note) != NULL, "\"%s\" is not in \"%s\"", cases[_i].note,
                  note);
    ck_assert_int_eq(*note == '\0', is_certified);
    ck_assert_int_eq(work.estimate.verdict,
                     is_certified ? GB_VERDICT_CERTIFIED : GB_VERDICT_UNCONVERGED);
    if (!is_certified) /* what more samples would decide */
        ck_assert_str_ne(work.next.reason, "");
    ck_assert(isfinite(work.estimate.low_ns) && isfinite(work.estimate.high_ns));
    ck_assert_double_le(work.estimate.low_ns, work.estimate.value_ns);
    ck_assert_double_ge(work.estimate.high_ns, work.estimate.value_ns);
}

/* From six samples on: the least and the greatest hold the median with 97 %. */
TEST_TIMES(there_is_always_an_interval, 5)
{
    static const char *const ids[] = {"steady", "quantiles", "median_ci", "median_cs", "fixed"};
    for (size_t i = 0; i < 6; i++)
        times[i] = 1e5 * (1.0 + 0.01 * (double)(i * 5 % 6));
    for (uint64_t n = 5; n <= 6; n++) {
        policy_run(times, n, "%s", ids[_i]);
        ck_assert_int_eq(isfinite(work.estimate.low_ns), n == 6);
        if (n == 6) {
            ck_assert_double_eq_tol(work.estimate.low_ns, 1e5, 1e-6);
            ck_assert_double_eq_tol(work.estimate.high_ns, 1.05e5, 1e-6);
        }
    }
}

/* So correlated that 749 samples, all that 15 s hold, are worth 4: the effective size is found too
 * large, and an interval that took it as it is would hold the median in 85 % of the cases. */
TEST(uncertified_intervals_hold)
{
    enum { SAMPLES = 749, RUNS = 400 };
    const double phi = 0.99;
    uint64_t seed = 31, n_covered = 0;
    for (int run = 0; run < RUNS; run++) {
        double state = fake_normal(&seed);
        for (size_t i = 0; i < SAMPLES; i++) {
            times[i] = 20e6 * (1.0 + 0.02 * state);
            state = phi * state + sqrt(1.0 - phi * phi) * fake_normal(&seed);
        }
        policy_run(times, SAMPLES, "steady;precision=0.5%%");
        n_covered += work.estimate.verdict == GB_VERDICT_UNCONVERGED &&
                     work.estimate.low_ns <= 20e6 && work.estimate.high_ns >= 20e6;
    }
    ck_assert_uint_ge(n_covered, RUNS * 93 / 100);
}

TEST(unknown_rules_are_refused)
{
    policy_begin("steady;without=modes, discards");
    ck_assert_int_eq(work.ops->create(&work.fake->host, work.params, &work.policy), GB_FAILED);
    ck_assert_str_eq(
        work.fake->reason,
        "without: unknown rule 'discards', expected wall_floor, effective_size, "
        "mid_quantile, sequence, discard, recurrence, modes, resolution, clocks, mixing, settling, "
        "dithering, trend, trend_bound");
}

/* --- quantiles --- */

static double share_within(double low, double high, uint64_t n)
{
    uint64_t inside = 0;
    for (uint64_t i = 0; i < n; i++)
        inside += times[i] >= low && times[i] <= high;
    return (double)inside / (double)n;
}

TEST(tails_are_known)
{
    fill_normal(12, MANY, 1e6, 0.05);
    policy_run(times, MANY, "quantiles");
    ck_assert_int_eq(work.estimate.verdict, GB_VERDICT_CERTIFIED);
    static const struct {
        const char *value, *low, *high;
        double truth;
    } tails[] = {{"p10", "p10_low", "p10_high", 1e6 * (1.0 - 0.05 * 1.2815515655)},
                 {"p90", "p90_low", "p90_high", 1e6 * (1.0 + 0.05 * 1.2815515655)}};
    const double of_median = share_within(work.estimate.low_ns, work.estimate.high_ns, work.n);
    for (size_t i = 0; i < 2; i++) {
        const double value = fake_metric_named(work.fake, tails[i].value);
        const double low = fake_metric_named(work.fake, tails[i].low);
        const double high = fake_metric_named(work.fake, tails[i].high);
        ck_assert_double_eq_tol(value, tails[i].truth, 1e4);
        ck_assert(low < tails[i].truth && tails[i].truth < high);
        ck_assert_double_le(0.5 * (high - low), 0.03 * value);
        /* A share of 0.1 has 0.6 times the standard deviation of one of 1/2. */
        ck_assert_double_eq_tol(share_within(low, high, work.n) / of_median, 0.6, 0.15);
    }
    const uint64_t n = work.n;

    policy_begin("quantiles;tails=0.5%%"); /* narrower tails take more */
    policy_drive(times, MANY);
    ck_assert_int_eq(work.estimate.verdict, GB_VERDICT_CERTIFIED);
    ck_assert_uint_gt(work.n, n);
}

/* --- median_cs --- */

/* Wider than median_ci's interval of the same samples, whose 30 it takes at least. */
TEST(median_cs_allows_for_its_looks)
{
    static const char *const ids[] = {"median_ci", "median_cs"};
    uint64_t n[2];
    fill_normal(13, MANY, 1e6, 0.05);
    for (size_t i = 0; i < 2; i++) {
        policy_run(times, MANY, "%s;floor_wall=0s", ids[i]);
        ck_assert_str_eq(work.next.reason, "interval within 1 %");
        ck_assert_int_eq(work.estimate.verdict, GB_VERDICT_CERTIFIED);
        ck_assert_double_le(work.estimate.high_ns - work.estimate.low_ns,
                            0.02 * work.estimate.value_ns);
        n[i] = work.n;
    }
    ck_assert_uint_gt(n[1], n[0] * 3 / 2);
}

/* 100 + k / 300 for k = 0 ... 299 in a scattered order; n_e = 300, h = 0.0876 (see
 * test_confidence_sequence.c): from the value before rank 123.7 to that behind 176.3. */
TEST(median_cs_ends_at_its_ranks)
{
    for (uint64_t i = 0; i < 300; i++)
        times[i] = 100.0 + (double)(i % 2 * 150 + i / 2 * 77 % 150) / 300.0;
    policy_run(times, 300, "median_cs;min=300;floor_wall=0s");
    ck_assert_int_eq(work.estimate.verdict, GB_VERDICT_CERTIFIED);
    ck_assert_double_eq(work.estimate.n_effective, 300.0);
    ck_assert_double_eq(work.estimate.low_ns, 100.0 + 122.0 / 300.0);
    ck_assert_double_eq(work.estimate.high_ns, 100.0 + 177.0 / 300.0);
}
