/*
 * test_policies_reference.c - stdrel and entropy stop at exactly the sample where their definitions
 * say so: against naive references in long double, which start anew at every sample, on random
 * traces of many kinds.
 */
#include "tests/check_main.h"
#include "tests/policy/policy_fixture.h"

#include <float.h>

TEST_FIXTURE(NULL, policy_end)

enum { TRACES = 2100, TRACES_LONG = 10000, SHORT = 180, LONG = 2000, LONG_EVERY = 97 };

/* --- traces --- */

struct trace {
    int number;
    size_t n;
    uint64_t min_samples; /* the host's */
    double scale;
    double times[LONG];
};

/* A value of a list, by a different rule for each trace and list. */
static uint64_t pick(int number, uint64_t salt, uint64_t n)
{
    uint64_t state = 1000003 * (uint64_t)number + salt;
    return (uint64_t)(fake_unit(&state) * (double)n);
}

static void make_trace(struct trace *trace, int number)
{
    static const double scales[] = {1.0, 1000.0, 777.7e3, 1e-120, 1e120};
    static const uint64_t minima[] = {0, 0, 10, 11, 37};
    uint64_t state = (uint64_t)number + 1;
    double last = 0.0;
    const double sigma = 1e-4 * exp(8.0 * fake_unit(&state));
    *trace = (struct trace){.number = number};
    trace->n = number % LONG_EVERY == 0 ? LONG : SHORT;
    trace->scale = scales[pick(number, 1, 5)];
    trace->min_samples = minima[pick(number, 2, 5)];
    for (size_t i = 0; i < trace->n; i++)
        trace->times[i] = trace->scale * draw_disturbed(number % FAMILIES, i, sigma, &last, &state);
}

/* --- references --- */

/* What a rule has to know of the samples before. */
struct history {
    long double values[LONG]; /* noises or entropies */
    size_t n_values;
    double sorted[LONG]; /* the times */
};

/* Mean, and variance with the divisor n - less. */
static void moments(const long double *values, size_t n, size_t less, long double *mean,
                    long double *variance)
{
    *mean = 0.0L;
    *variance = 0.0L;
    for (size_t i = 0; i < n; i++)
        *mean += values[i];
    *mean /= (long double)n;
    for (size_t i = 0; i < n; i++)
        *variance += (values[i] - *mean) * (values[i] - *mean);
    *variance /= (long double)(n - less);
}

static bool stdrel_holds(struct history *history, const double *times, size_t n,
                         const double params[2])
{
    static long double all[LONG];
    long double mean = 0.0L;
    long double variance = 0.0L;
    if (n < 5)
        return false;
    for (size_t i = 0; i < n; i++)
        all[i] = times[i];
    moments(all, n, 1, &mean, &variance);
    const long double noise = sqrtl(variance) / mean;
    if (!isfinite(noise))
        return false;
    history->values[history->n_values++] = noise;
    if (!((double)(mean * (long double)n) > params[1]))
        return false;
    if (noise < (long double)params[0])
        return true;
    if (n % 16 != 0 || history->n_values <= 64)
        return false;
    const size_t held = history->n_values < 512 ? history->n_values : 512;
    moments(history->values + history->n_values - held, held, 0, &mean, &variance);
    return variance < 0.05L * mean * (0.05L * mean);
}

/* log2 n - 1/n sum c log2 c, the values sorted and their runs counted. */
static long double entropy_of(const double *sorted, size_t n)
{
    static long double count_log2[LONG + 1];
    if (count_log2[2] == 0.0L)
        for (size_t c = 1; c <= LONG; c++)
            count_log2[c] = (long double)c * log2l((long double)c);
    long double sum = 0.0L;
    for (size_t i = 0, end = 0; i < n; i = end) {
        while (end < n && sorted[end] == sorted[i])
            end++;
        sum += count_log2[end - i];
    }
    return log2l((long double)n) - sum / (long double)n;
}

/* A line by the normal equations, and the share of the variance that it leaves. */
static bool line_is_level(const long double *y, size_t n, const double params[2])
{
    long double mean = 0.0L;
    long double variance = 0.0L;
    long double slope = 0.0L;
    long double sum_of_squares = 0.0L;
    long double left = 0.0L;
    moments(y, n, 0, &mean, &variance);
    const long double middle = (long double)(n - 1) / 2.0L;
    for (size_t i = 0; i < n; i++) {
        slope += ((long double)i - middle) * y[i];
        sum_of_squares += ((long double)i - middle) * ((long double)i - middle);
    }
    slope /= sum_of_squares;
    for (size_t i = 0; i < n; i++) {
        const long double residual = y[i] - (mean + slope * ((long double)i - middle));
        left += residual * residual;
    }
    const long double r2 = variance < DBL_EPSILON ? 1.0L
                                                  : 1.0L - left / (variance * (long double)n);
    return atanl(slope) * 180.0L / acosl(-1.0L) <= (long double)params[0] &&
           r2 >= (long double)params[1];
}

static bool entropy_holds(struct history *history, const double *times, size_t n,
                          const double params[2])
{
    size_t place = n - 1;
    for (; place > 0 && history->sorted[place - 1] > times[n - 1]; place--)
        history->sorted[place] = history->sorted[place - 1];
    history->sorted[place] = times[n - 1];
    history->values[history->n_values++] = entropy_of(history->sorted, n);
    if (n % 2 != 0)
        return false;
    const size_t held = n < 299 ? n : 299;
    return line_is_level(history->values + n - held, held, params);
}

/* --- the comparison --- */

static const struct rule {
    const char *id;
    bool (*holds)(struct history *history, const double *times, size_t n, const double params[2]);
    struct {
        const char *name;
        double values[4];
    } options[2];
    bool is_time; /* the second one: in ns, of samples of 1 */
} rules[] = {
    {"stdrel",
     stdrel_holds,
     {{"max_noise", {0.005, 0.02, 0.0, 0.2}}, {"min_time", {0.0, 7.0, 60.0, 140.5}}},
     true},
    {"entropy",
     entropy_holds,
     {{"max_angle", {0.048, 0.4, 1.0, -0.02}}, {"min_r2", {0.36, 0.36, 0.0, 0.97}}},
     false},
};

/* The first sample from min_samples on at which the rule holds; 0: none. */
static size_t reference_stop(const struct rule *rule, const struct trace *trace,
                             const double params[2])
{
    static struct history history;
    history.n_values = 0;
    for (size_t n = 1; n <= trace->n; n++)
        if (rule->holds(&history, trace->times, n, params) && n >= trace->min_samples)
            return n;
    return 0;
}

/* As the host does it: up to what is asked for, and on to min_samples after a stop before that. */
static size_t policy_stop(const struct rule *rule, const struct trace *trace,
                          const double params[2])
{
    policy_begin("%s;%s=%.17g;%s=%.17g%s", rule->id, rule->options[0].name, params[0],
                 rule->options[1].name, params[1], rule->is_time ? "ns" : "");
    policy_start(trace->times, trace->n);
    while (work.n < trace->n && (work.next.decision == GB_MORE || work.n < trace->min_samples)) {
        const uint64_t end = work.next.decision == GB_MORE ? work.next.n_samples
                                                           : trace->min_samples;
        ck_assert_uint_gt(end, work.n);
        policy_give(trace->times, end < trace->n ? end : trace->n);
        policy_ask();
    }
    policy_report();
    ck_assert_uint_eq(work.estimate.n, work.n);
    ck_assert_int_eq(work.estimate.verdict, GB_VERDICT_NONE);
    const size_t stop = work.next.decision == GB_DONE ? work.n : 0;
    return stop;
}

TEST_EACH(stops_where_the_definition_says, rules)
{
    static struct trace trace;
    const struct rule *rule = &rules[_i];
    size_t n_stopped[FAMILIES] = {0};
    size_t n_late = 0;
    const int n_traces = test_is_long() ? TRACES_LONG : TRACES;
    for (int number = 0; number < n_traces; number++) {
        make_trace(&trace, number);
        const double params[2] = {rule->options[0].values[pick(number, 3, 4)],
                                  rule->options[1].values[pick(number, 4, 4)] *
                                      (rule->is_time ? trace.scale : 1.0)};
        const size_t expected = reference_stop(rule, &trace, params);
        const size_t stop = policy_stop(rule, &trace, params);
        ck_assert_msg(stop == expected, "trace %d, family %d: stopped at %zu instead of %zu",
                      number, number % FAMILIES, stop, expected);
        n_stopped[number % FAMILIES] += stop > 0;
        n_late += stop > 350;
    }
    const int n_seldom = test_is_long() ? 0 : 4; /* in which one trace of hundreds stops */
    int n_without = 0;
    for (int family = 0; family < FAMILIES; family++) {
        n_without += n_stopped[family] == 0;
        ck_assert_msg(n_without <= n_seldom, "nothing in family %d stops", family);
    }
    ck_assert_uint_gt(n_late, 3); /* the rings went round */
}

/* --- entropy --- */

enum { MANY = 1 << 21, VALUES = 1 << 12, AT_ONCE = 1 << 10 };
static double times[3000];

static void begin_entropy(const char *max_angle)
{
    policy_begin("entropy;max_angle=%s", max_angle);
    policy_start(times, 3000);
}

/* All equal: exactly 0 bits for ever, so that an angle of 0 is not exceeded at any even number. */
TEST(entropy_of_equal_times_is_zero)
{
    for (size_t i = 0; i < 1000; i++)
        times[i] = i % 2 == 0 ? -0.0 : 0.0; /* equal as well */
    begin_entropy("0");
    ck_assert_int_eq(work.next.decision, GB_MORE);
    ck_assert_uint_eq(work.next.n_samples, 2);
    for (uint64_t n = 1; n <= 1000; n++) {
        policy_give(times, n);
        policy_ask();
        ck_assert_int_eq(work.next.decision, n % 2 == 0 ? GB_DONE : GB_MORE);
    }
    ck_assert_str_eq(work.next.reason, "entropy level: 0 degrees, R2 1.00");
    policy_report();
    ck_assert_double_eq(work.estimate.value_ns, 0.0);
    ck_assert_double_eq(fake_metric_named(work.fake, "entropy"), 0.0);
}

TEST(entropy_of_different_times_levels_off_at_1874)
{
    for (size_t i = 0; i < 3000; i++)
        times[i] = 1000.0 + (double)i;
    begin_entropy("0.048");
    for (; work.n < 3000 && work.next.decision == GB_MORE; policy_ask()) {
        ck_assert_uint_eq(work.next.n_samples, work.n + 2);
        policy_give(times, work.n + 2);
    }
    ck_assert_uint_eq(work.n, 1874);
    policy_report();
    ck_assert_double_eq(work.estimate.value_ns, 1000.0 + 936.5);
    ck_assert_double_eq(work.estimate.confidence, 0.95);
    ck_assert_double_lt(work.estimate.low_ns, work.estimate.value_ns);
    ck_assert_double_gt(work.estimate.high_ns, work.estimate.value_ns);
    ck_assert_double_eq_tol(fake_metric_named(work.fake, "entropy"), log2(1874.0), 1e-14);
}

/* Two million times of 4096 values, each equally often, in a scattered order: 12 bits, to the last.
 */
TEST(entropy_does_not_drift)
{
    begin_entropy("0.048");
    for (uint64_t i = 0; i < MANY; i += AT_ONCE) {
        for (uint64_t j = 0; j < AT_ONCE; j++)
            times[j] = 5e4 + 0.1 * (double)((i + j) * (i + j + 1) / 2 % VALUES);
        work.n = 0;
        policy_give(times, AT_ONCE);
    }
    policy_report();
    ck_assert_double_eq(fake_metric_named(work.fake, "entropy"), 12.0);
}

/* They are left out; too many in a row, and it gives up. */
TEST_TIMES(entropy_of_times_that_are_not_finite, 3)
{
    static const double values[] = {NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < 67; i++)
        times[i] = i == 0 || i == 2 ? 1.0 : values[_i];
    begin_entropy("0.048");
    policy_give(times, 2);
    policy_ask();
    ck_assert_int_eq(work.next.decision, GB_MORE);
    ck_assert_uint_eq(work.next.n_samples, 3);
    policy_give(times, 3); /* the second finite one */
    policy_ask();
    ck_assert_int_eq(work.next.decision, GB_DONE);
    for (int i = 0; i < 64; i++) {
        policy_give(times, work.n + 1);
        policy_ask();
        ck_assert_int_eq(work.next.decision, i < 63 ? GB_MORE : GB_GAVE_UP);
    }
    policy_report();
    ck_assert_int_eq(work.estimate.verdict, GB_VERDICT_GAVE_UP);
    ck_assert_uint_eq(work.estimate.n, 67);
    ck_assert_double_eq(work.estimate.value_ns, 1.0);
}
