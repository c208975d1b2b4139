/* test_comparison.c - core/compare/comparison.c against SciPy 1.10 (stats.ttest_1samp of
 * differences of logarithms, ttest_ind with equal_var=False), and against intervals worked out by
 * hand. */
#include "core/base/random.h"
#include "core/base/statistics.h"
#include "core/compare/comparison.h"
#include "tests/check_main.h"
#include "tests/draws.h"

/* Values of both sides, with blanks between, and what is made of them. */
static const struct {
    bool is_paired;
    const char *a, *b;
    double theta, low, high, p;
} known[] = {
    {true, "100.00123016092391 100.29919222669996", "99.72746435253224 99.40990165886019",
     -0.0058236484705971314, -0.044987601088632964, 0.033340304147438701, 0.30989811304312059},
    {true, "99.77292281861222 99.50540389707085 100.03007632331816",
     "102.47285234116745 101.26602049896779 101.73470865112523", 0.020379223045305633,
     0.0067555449273686823, 0.034002901163242581, 0.023299823934810001},
    {true,
     "100.24522120165041 100.17860280924324 100.0527210171445 99.53584651479875 99.98537515830263",
     "100.59433180698436 99.50755274736669 99.82405421038119 98.59413056176012 99.34277445569916",
     -0.0042972875934527369, -0.010570449209304483, 0.0019758740223990096, 0.12994761838242186},
    {true,
     "83.17914723420692 97.67650732632005 88.09585982911446 102.74977071300586 101.57986076209524",
     "110.20073735365418 102.5125368466939 112.68048511671405 138.02661478601115 138.6809808086185",
     0.23644848978610292, 0.10250110199974077, 0.37039587757246506, 0.0080377787743336152},
    {false, "100.11052517735573 100.0638021191539", "98.78241743413795 100.07616922440864",
     -0.006615807567726506, -0.088835085343503331, 0.075603470208050319, 0.49453162164868297},
    {false, "100.68172494806915 99.22941203137495 100.43061584095321",
     "102.26395517118465 100.71963623726872 106.18453926648019", 0.028736898800153732,
     -0.03292631021731085, 0.090400107817618314, 0.20269540518269313},
    {false,
     "100.38185707947322 99.40214982806263 100.03726505608326 100.28876090528101 99.90565347167495",
     "95.18792507024015 95.11661533728852 95.18643418139638", -0.049597514327777148,
     -0.054374799694286019, -0.044820228961268277, 6.3625691582218142e-06},
    {false,
     "115.47134975865139 93.4665820228431 102.05215917339237 95.47261269873151 101.28081720273268 "
     "88.8056907709393 94.37158545806149 98.05716144772015 109.40390381285137 112.133753531677",
     "74.3000666113991 87.07566699182236 134.18792096310034 60.79115191911087", -0.1668890246866761,
     -0.6940864954763899, 0.36030844610303769, 0.396275476705091},
    {false,
     "99.53790111254696 99.90276038271658 101.2649486180524 100.69178575965852 99.67332133946218",
     "101.0050166711888 101.00501668314581 101.00501686230092 101.00501666518413 "
     "101.00501667774355",
     0.0078825027005846593, -0.0012465449319179131, 0.017011550333087232, 0.074572040606380299},
};

static struct compared_side side_of(const double *values, size_t n)
{
    return (struct compared_side){.values = values, .n = n, .interval_ratio = NAN};
}

static struct compared_side read_side(const char *text, double values[10])
{
    size_t n = 0;
    char *end;
    for (double value; value = strtod(text, &end), end != text; text = end)
        values[n++] = value;
    return side_of(values, n);
}

TEST_EACH(comparisons_are_what_scipy_says, known)
{
    double values[2][10];
    const bool is_paired = known[_i].is_paired;
    const struct compared_side a = read_side(known[_i].a, values[0]),
                               b = read_side(known[_i].b, values[1]);
    const struct comparison c = is_paired ? compare_paired(&a, &b, 0.95)
                                          : compare_across(&a, &b, NULL, 0.95);
    ck_assert(c.is_paired == is_paired && !c.is_visit && !c.is_exact);
    ck_assert_uint_eq(c.n_rounds, a.n < b.n ? a.n : b.n);
    /* 1e-9 of the ratio; p is a probability, of which small ones count too */
    ck_assert_double_eq_tol(c.theta, known[_i].theta, 1e-12);
    ck_assert_double_eq_tol(c.low, known[_i].low, 1e-10);
    ck_assert_double_eq_tol(c.high, known[_i].high, 1e-10);
    ck_assert_double_eq_tol(c.p, known[_i].p, 1e-9 * fmax(known[_i].p, 1e-3));
}

static const double seven[7] = {100, 101, 102, 103, 104, 105, 106};

TEST(a_step_of_the_timer_is_the_least_width)
{
    const double values[3] = {100, 100, 100};
    struct compared_side a = side_of(values, 3), b = side_of(values, 3);
    a.step_ratio = 0.06;
    b.step_ratio = 0.08;
    struct comparison c = compare_paired(&a, &b, 0.95);
    ck_assert_double_eq_tol(c.high, 0.05, 1e-15);
    ck_assert_double_eq_tol(c.low, -0.05, 1e-15);
    ck_assert_double_eq_tol(c.p, 1, 1e-12);
    c = compare_across(&a, &b, NULL, 0.95);
    ck_assert_double_eq_tol(c.high, 0.05, 1e-15);
}

TEST(from_twelve_rounds_on_the_sign_interval_is_in_it)
{
    /* the differences 0 three times and 0.1 nine times: t excludes 0, signs of 12 (third lowest to
     * third highest) do not */
    double a[12], b[12], of_both[12];
    for (int i = 0; i < 12; i++) {
        a[i] = 100 + i;
        of_both[i] = i < 3 ? 0 : 0.1;
        b[i] = a[i] * exp(of_both[i]);
    }
    struct compared_side base = side_of(a, 12), other = side_of(b, 12);
    struct comparison c = compare_paired(&base, &other, 0.95);
    double half_width = 2.200985160083 * stdev_of(of_both, 12) / sqrt(12);
    ck_assert(0.075 - half_width > 0);
    ck_assert_double_eq_tol(c.low, 0, 1e-12);
    ck_assert_double_eq_tol(c.high, 0.075 + half_width, 1e-10);
    base.n = other.n = 11;
    c = compare_paired(&base, &other, 0.95); /* t alone */
    ck_assert(c.low > 0);
}

TEST(one_round_has_the_intervals_of_the_visit)
{
    const double from = 100, to = 103;
    struct compared_side a = side_of(&from, 1), b = side_of(&to, 1);
    struct comparison c = compare_across(&a, &b, NULL, 0.95);
    ck_assert(c.is_visit && isinf(c.low) && isinf(c.high) && isnan(c.p));
    a.interval_ratio = 0.003;
    b.interval_ratio = 0.004;
    c = compare_across(&a, &b, NULL, 0.95);
    ck_assert_double_eq_tol(c.low, log(1.03) - 0.005, 1e-12);
    ck_assert_double_eq_tol(c.high, log(1.03) + 0.005, 1e-12);
    c = compare_paired(&a, &b, 0.95);
    ck_assert(c.is_visit);
    ck_assert_double_eq_tol(c.high, log(1.03) + 0.005, 1e-12);
    /* p is 5 % where the interval ends at 0 */
    a.interval_ratio = log(1.03);
    b.interval_ratio = 0;
    ck_assert_double_eq_tol(compare_across(&a, &b, NULL, 0.95).p, 0.05, 1e-7);
}

/* Of one round a side, whose intervals say nothing of the state that each visit has: of 1,000 pairs
 * that are alike, and of those of which one is slower. */
static const struct {
    double state, slower;
    int verdict, least, most;
} states[] = {
    {0.005, 0, COMPARED_SLOWER, 0, 0},         {0.015, 0, COMPARED_SLOWER, 0, 20},
    {0.005, 0.08, COMPARED_SLOWER, 990, 1000}, {0.005, 0.02, COMPARED_UNCLEAR, 900, 1000},
    {0, 0, COMPARED_SAME, 1000, 1000},
};

TEST_EACH(of_one_visit_a_difference_has_to_be_large, states)
{
    int n = 0;
    for (uint64_t i = 0; i < 2000; i += 2) {
        double values[2], state[2];
        for (size_t k = 0; k < 2; k++) {
            state[k] = normal_of(random_unit(7, i + k, 0), random_unit(7, i + k, 1));
            values[k] = 100 *
                        exp(states[_i].state * state[k] + (double)k * log1p(states[_i].slower));
        }
        struct compared_side a = side_of(&values[0], 1), b = side_of(&values[1], 1);
        a.interval_ratio = b.interval_ratio = 0.002;
        struct comparison c = compare_across(&a, &b, NULL, 0.95), *items[] = {&c};
        compare_judge(items, 1, 0.01, 0.95);
        n += c.verdict == states[_i].verdict;
    }
    ck_assert_int_ge(n, states[_i].least);
    ck_assert_int_le(n, states[_i].most);
}

/* A side of one round varies as those of the other do between processes, and by what its samples
 * leave open beyond theirs. */
TEST(one_round_beside_several)
{
    static const double base[] = {100, 101, 102, 103}, new[] = {102}, faster[] = {50};
    struct compared_side a = {.values = base, .n = 4, .interval_ratio = 0.002};
    struct compared_side b = {.values = new, .n = 1, .interval_ratio = 0.001};
    double logs[4];
    for (int i = 0; i < 4; i++)
        logs[i] = log(base[i]);
    const double error = stdev_of(logs, 4) * sqrt(1.25), t = student_t_quantile(0.95, 3);
    struct comparison c = compare_across(&a, &b, NULL, 0.95);
    ck_assert(!c.is_visit);
    ck_assert_double_eq_tol(c.low, log(102) - mean_of(logs, 4) - t * error, 1e-9);
    ck_assert_double_eq_tol(c.high, log(102) - mean_of(logs, 4) + t * error, 1e-9);
    b.interval_ratio = NAN;
    ck_assert_double_eq_tol(compare_across(&a, &b, NULL, 0.95).high, c.high, 1e-12);
    b.interval_ratio = 0.06;
    const double own = hypot(error, sqrt(0.06 * 0.06 - 0.002 * 0.002) / 1.959964);
    c = compare_across(&a, &b, NULL, 0.95);
    ck_assert_double_eq_tol(0.5 * (c.high - c.low), c.t * own, 1e-7);
    ck_assert(c.t > 1.96 && c.t < t);
    ck_assert_double_eq_tol(compare_across(&b, &a, NULL, 0.95).low, -c.high, 1e-12);
    a.interval_ratio = NAN;
    c = compare_across(&a, &b, NULL, 0.95);
    ck_assert_double_eq_tol(0.5 * (c.high - c.low), c.t * hypot(error, 0.06 / 1.959964), 1e-7);
    /* What varies may be what is around it: of half the time it is twice the share. */
    b = (struct compared_side){.values = faster, .n = 1, .interval_ratio = NAN};
    c = compare_across(&a, &b, NULL, 0.95);
    ck_assert_double_eq_tol(0.5 * (c.high - c.low),
                            t * stdev_of(logs, 4) * hypot(exp(mean_of(logs, 4)) / 50, sqrt(0.25)),
                            1e-9);
}

TEST(nothing_is_known_of_nothing)
{
    struct compared_side a = side_of(seven, 3), b = side_of(seven, 0);
    struct comparison c = compare_across(&a, &b, NULL, 0.95);
    struct comparison *items[] = {&c};
    ck_assert(isnan(c.theta));
    compare_judge(items, 1, 0.01, 0.95);
    ck_assert_int_eq(c.verdict, COMPARED_UNCLEAR);
}

static void expect_exact(const struct compared_side *base, const struct compared_side *new,
                         double margin, int verdict)
{
    struct comparison c;
    struct comparison *items[] = {&c};
    ck_assert(compare_exact(base, new, &c) && c.is_exact);
    compare_judge(items, 1, margin, 0.95);
    ck_assert_int_eq(c.verdict, verdict);
}

TEST(counts_that_agree_have_no_noise)
{
    const double a[3] = {100, 100, 100}, b[2] = {102, 102}, zeros[2] = {0, 0};
    struct compared_side base = side_of(a, 3), new = side_of(b, 2), none = side_of(zeros, 2);
    struct compared_side other = side_of(seven, 7), below = side_of((const double[]){-1}, 1);
    struct comparison c;
    ck_assert(!compare_exact(&base, &other, &c) && !compare_exact(&other, &base, &c));
    ck_assert(!compare_exact(&base, &below, &c) && !compare_exact(&below, &base, &c));
    expect_exact(&base, &new, 0.01, COMPARED_SLOWER);
    expect_exact(&base, &new, 0.03, COMPARED_CHANGED);
    expect_exact(&none, &none, 0.03, COMPARED_SAME);
    expect_exact(&base, &none, 0.03, COMPARED_FASTER);
}

/* An interval, its p, and what is made of it at a margin of 1 %. */
static const struct {
    double theta, half_width, p;
    int verdict;
} judged[] = {
    {0.05, 0.01, 1e-4, COMPARED_SLOWER},     {-0.05, 0.01, 1e-4, COMPARED_FASTER},
    {0.005, 0.001, 1e-4, COMPARED_CHANGED},  {0.001, 0.005, 0.5, COMPARED_SAME},
    {0.001, 0.02, 0.5, COMPARED_UNCLEAR},    {0.02, 0.03, 0.2, COMPARED_UNCLEAR},
    {0.0099, 0.001, 1e-4, COMPARED_CHANGED}, /* ln 1.01 is 0.00995 */
    {0.00996, 0.001, 1e-4, COMPARED_SLOWER},
};

TEST_EACH(verdicts_follow_interval_and_margin, judged)
{
    struct comparison c = {.theta = judged[_i].theta,
                           .low = judged[_i].theta - judged[_i].half_width,
                           .high = judged[_i].theta + judged[_i].half_width,
                           .p = judged[_i].p,
                           .t = 2,
                           .deviation = 0.02,
                           .verdict = COMPARED_UNCLEAR};
    struct comparison *items[] = {&c};
    compare_judge(items, 1, 0.01, 0.95);
    ck_assert_str_eq(compared_word(c.verdict), compared_word(judged[_i].verdict));
    ck_assert_uint_eq(c.n_needed,
                      c.verdict == COMPARED_UNCLEAR ? 17 : 0); /* (2 0.02 / 0.01)^2 + 1 */
}

/* p-values as stats.false_discovery_control of SciPy adjusts them: p_(i) n / i, made monotonic. */
TEST(p_values_are_adjusted)
{
    double p[] = {0.001, 0.02, 0.021, 0.04, 0.9, 0.5, 0.008, 0.04, 1, 0.0001};
    const double adjusted[] = {0.005, 0.042,      0.042,     0.4 / 7, 1,
                               0.625, 0.08 / 3.0, 0.4 / 7.0, 1,       0.001};
    adjust_p_values(p, sizeof p / sizeof *p);
    for (size_t i = 0; i < sizeof p / sizeof *p; i++)
        ck_assert_double_eq_tol(p[i], adjusted[i], 1e-15);
}

TEST(many_cases_ask_for_more_of_each)
{
    struct comparison all[20];
    struct comparison *items[20];
    for (int i = 0; i < 20; i++) {
        all[i] = (struct comparison){.theta = 0.05,
                                     .low = 0.001,
                                     .high = 0.099,
                                     .p = i ? 0.9 : 0.04,
                                     .verdict = COMPARED_UNCLEAR};
        items[i] = &all[i];
    }
    all[19].verdict = COMPARED_BROKEN;
    compare_judge(items, 20, 0.01, 0.95);
    ck_assert_int_eq(all[0].verdict, COMPARED_UNCLEAR);
    ck_assert_double_eq_tol(all[0].adjusted_p, 0.04 * 19, 1e-12);
    ck_assert_int_eq(all[19].verdict, COMPARED_BROKEN);
    all[0].verdict = COMPARED_UNCLEAR;
    compare_judge(items, 1, 0.01, 0.95);
    ck_assert_int_eq(all[0].verdict, COMPARED_SLOWER);
}

TEST(the_mean_of_ratios_has_an_interval)
{
    const double thetas[] = {log(2), log(4), log(8)};
    struct geometric_mean mean = compare_mean(thetas, 3, 0.95);
    ck_assert_double_eq_tol(exp(mean.theta), 4, 1e-12);
    ck_assert_double_eq_tol(mean.high, log(4) + 4.302652729749 * log(2) / sqrt(3), 1e-9);
    ck_assert(isinf(compare_mean(thetas, 1, 0.95).high) &&
              isnan(compare_mean(thetas, 0, 0.95).theta));
}

/* Half widths by the formulas of comparison.h, worked out apart: of d that jump, and of d that stay
 * for some rounds. */
static const double series_of_d[][16] = {{0.01, -0.01, 0.02, 0, 0.005, -0.005, 0.01, -0.01, 0.02, 0,
                                          0.005, -0.005, 0.01, -0.01, 0.02, 0},
                                         {0.01, 0.012, 0.011, 0.008, 0.004, 0.001, -0.004, -0.003,
                                          0, 0.002, 0.006, 0.008, 0.007, 0.003, -0.001, -0.003}};

TEST_EACH(sequences_are_as_the_formula_says, series_of_d)
{
    enum { LAST = SEQUENCE_SETTLED + 4 };
    double d[LAST];
    struct compare_sequence sequence;
    compare_sequence_begin(&sequence);
    double low = -INFINITY, high = INFINITY;
    for (size_t i = 0; i < LAST; i++)
        d[i] = series_of_d[_i][i % 16];
    for (size_t n = 1; n <= LAST; n++) {
        compare_sequence_add(&sequence, d[n - 1], 0, 0.95);
        double m = 0, s = 0, neighbours = 0;
        for (size_t i = 0; i < n; i++)
            m += d[i] / (double)n;
        for (size_t i = 0; i < n; i++) {
            s += (d[i] - m) * (d[i] - m) / (double)n;
            neighbours += i ? (d[i] - m) * (d[i - 1] - m) / (double)n : 0;
        }
        double k = pow((double)n * 5 + 1, 1.0 / (double)n) * pow(20, 2.0 / (double)n);
        double below = (double)n + 0.2 - 0.2 * k;
        double r1 = neighbours / s, r = r1 + (1 + 3 * r1) / (double)n + 1.25 / sqrt((double)n);
        r = fmin(fmax(r, 0), 0.98);
        double half = below > 0 ? sqrt(s * (1 + r) / (1 - r) * (k - 1) * ((double)n + 0.2) / below)
                                : INFINITY;
        if (n >= 4) {
            low = n > SEQUENCE_SETTLED ? fmax(low, m - half) : m - half;
            high = n > SEQUENCE_SETTLED ? fmin(high, m + half) : m + half;
        }
        ck_assert(n < 4 ? isinf(sequence.low) : fabs(sequence.low - low) < 1e-12);
        ck_assert(n < 4 ? isinf(sequence.high) : fabs(sequence.high - high) < 1e-12);
    }
}

/* n rounds from the start: d and, where they alternate, -+ 0.001; the step of the timer. */
static struct compare_sequence sequence_of(int n, double d, double alternation, double step)
{
    struct compare_sequence sequence;
    compare_sequence_begin(&sequence);
    for (int i = 0; i < n; i++)
        compare_sequence_add(&sequence, d + (i % 2 ? alternation : -alternation), step, 0.95);
    return sequence;
}

TEST(sequences_decide)
{
    int verdict = COMPARED_UNCLEAR;
    struct compare_sequence sequence;
    for (int n = 0; n <= 20 && verdict == COMPARED_UNCLEAR; n++) {
        sequence = sequence_of(n, 0.05, 0.001, 0);
        verdict = compare_sequence_verdict(&sequence, 0.01, false);
    }
    ck_assert_int_eq(verdict, COMPARED_SLOWER);
    sequence = sequence_of(8, 0.05, 0, 0.001); /* the later ones contradict, and hold */
    for (int i = 8; i < 400; i++) {
        compare_sequence_add(&sequence, -0.05, 0.001, 0.95);
        ck_assert_double_le(sequence.low, sequence.high);
    }
    ck_assert_double_lt(sequence.high, 0);
    sequence = sequence_of(4, 0, 0, 0.02); /* the step is the least width */
    ck_assert_int_eq(compare_sequence_verdict(&sequence, 0.01, false), COMPARED_UNCLEAR);
    ck_assert_int_eq(compare_sequence_verdict(&sequence, 0.03, false), COMPARED_SAME);
    sequence = sequence_of(20, 0.03, 0, 0.005); /* so few rounds may share a state */
    ck_assert_int_eq(compare_sequence_verdict(&sequence, 0.01, true), COMPARED_UNCLEAR);
    sequence = sequence_of(22, 0.03, 0, 0.005);
    ck_assert_int_eq(compare_sequence_verdict(&sequence, 0.01, true), COMPARED_SLOWER);
    sequence = sequence_of(4, 0.05, 0, 0.005);
    ck_assert_int_eq(compare_sequence_verdict(&sequence, 0.01, false), COMPARED_SLOWER);
    sequence = sequence_of(SEQUENCE_SETTLED, 0.009, 0, 0.005);
    ck_assert_int_eq(compare_sequence_verdict(&sequence, 0.01, false), COMPARED_UNCLEAR);
    ck_assert_int_eq(compare_sequence_verdict(&sequence, 0.01, true), COMPARED_CHANGED);
}

/* Rounds of a case: base 100, new 100 exp(d). */
enum { ROUNDS_OF_CASE = 40 };
struct made_case {
    double a[ROUNDS_OF_CASE], b[ROUNDS_OF_CASE];
    struct comparison result;
    struct compared_rounds rounds;
};

static void make_case(struct made_case *c, size_t n, double effect, double noise, unsigned seed)
{
    for (size_t i = 0; i < n; i++) {
        c->a[i] = 100;
        c->b[i] = 100 * exp(effect + noise * (random_unit(seed, 0, i) - 0.5));
    }
    c->rounds = (struct compared_rounds){.a = c->a, .b = c->b, .n = n, .ret = &c->result};
}

TEST(rounds_of_one_case_are_its_sequence)
{
    static const double effects[] = {0, 0.005, 0.01, 0.02, -0.05};
    for (unsigned seed = 0; seed < 50; seed++) {
        struct made_case c;
        struct compare_sequence sequence;
        int verdict = COMPARED_UNCLEAR;
        make_case(&c, ROUNDS_OF_CASE, effects[seed % 5], 0.02, seed);
        compare_judge_rounds(&c.rounds, 1, 0.01, 0.95, false);
        compare_sequence_begin(&sequence);
        for (size_t i = 0; i < ROUNDS_OF_CASE && verdict == COMPARED_UNCLEAR; i++) {
            compare_sequence_add(&sequence, log(c.b[i]) - log(c.a[i]), 0, 0.95);
            verdict = compare_sequence_verdict(&sequence, 0.01, i + 1 == ROUNDS_OF_CASE);
        }
        ck_assert_int_eq(c.result.verdict, verdict);
        ck_assert_uint_eq(c.result.n_rounds, sequence.n);
        ck_assert_double_eq(c.result.low, sequence.low);
        ck_assert_double_eq(c.result.high, sequence.high);
        ck_assert(c.result.is_sequential && c.result.is_paired);
    }
}

/* p is the alpha at which the interval ends at 0. */
TEST(p_of_a_sequence_is_that_of_its_interval)
{
    const double d[5] = {0.01, 0.012, 0.009, 0.011, 0.0102};
    struct compare_sequence sequence, at_p;
    compare_sequence_begin(&sequence);
    for (size_t i = 0; i < 5; i++)
        compare_sequence_add(&sequence, d[i], 0, 0.95);
    compare_sequence_begin(&at_p);
    for (size_t i = 0; i < 5; i++)
        compare_sequence_add(&at_p, d[i], 0, 1 - sequence.p);
    ck_assert(sequence.p > 0 && sequence.p < 0.05);
    ck_assert_double_eq_tol(at_p.low, 0, 1e-9);
}

/* What was decided after some rounds is the same once there are more, of it and of others. */
TEST(decisions_stay)
{
    enum { CASES = 12 };
    static struct made_case all[CASES];
    struct compared_rounds items[CASES];
    int decided[CASES];
    size_t after[CASES];
    for (unsigned i = 0; i < CASES; i++) {
        make_case(&all[i], ROUNDS_OF_CASE, i % 3 == 0 ? 0 : i % 3 == 1 ? 0.012 : 0.03, 0.03, i);
        decided[i] = COMPARED_UNCLEAR;
    }
    for (size_t n = 1; n <= ROUNDS_OF_CASE; n++) {
        for (size_t i = 0; i < CASES; i++) {
            items[i] = all[i].rounds;
            items[i].n = decided[i] == COMPARED_UNCLEAR ? n : after[i] + n % 3; /* some have more */
        }
        compare_judge_rounds(items, CASES, 0.01, 0.95, n < ROUNDS_OF_CASE);
        for (size_t i = 0; i < CASES; i++) {
            const struct comparison *result = &all[i].result;
            if (decided[i] != COMPARED_UNCLEAR) {
                ck_assert_int_eq(result->verdict, decided[i]);
                ck_assert_uint_eq(result->n_rounds, after[i]);
            }
            decided[i] = result->verdict;
            after[i] = result->n_rounds;
        }
    }
    for (size_t i = 0; i < CASES; i++)
        ck_assert_int_eq(decided[i] == COMPARED_SLOWER, i % 3 != 0);
}

/* A case that is called by itself is not called among twenty that are the same. */
TEST(many_cases_need_more_rounds)
{
    enum { CASES = 21 };
    static struct made_case all[CASES];
    struct compared_rounds items[CASES];
    for (unsigned i = 0; i < CASES; i++) {
        make_case(&all[i], SEQUENCE_SETTLED, i ? 0 : 0.015, 0.07, i);
        items[i] = all[i].rounds;
    }
    compare_judge_rounds(items, 1, 0.01, 0.95, true);
    ck_assert_int_eq(all[0].result.verdict, COMPARED_SLOWER);
    double alone = all[0].result.adjusted_p;
    compare_judge_rounds(items, CASES, 0.01, 0.95, true);
    ck_assert_int_eq(all[0].result.verdict, COMPARED_UNCLEAR);
    ck_assert(all[0].result.adjusted_p > 3 * alone);
}
