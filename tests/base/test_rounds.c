/* test_rounds.c - core/base/rounds.c against intervals worked out by hand. */
#include "core/base/rounds.h"
#include "tests/text_case.h"

enum { MOST = 10 };

static size_t read_numbers(const char *words, double ret[MOST])
{
    size_t n = 0;
    for (char *end; *words; words = end)
        ret[n++] = strtod(words, &end);
    return n;
}

/* Medians, and the low and the high ends, of each round. */
static void add_combination(char *rounds, uint32_t with, struct text *out)
{
    double medians[MOST], lows[MOST], highs[MOST];
    struct round items[MOST];
    const size_t n = read_numbers(strsep(&rounds, "|"), medians);
    read_numbers(strsep(&rounds, "|"), lows);
    read_numbers(rounds, highs);
    for (size_t i = 0; i < n; i++)
        items[i] = (struct round){medians[i], lows[i], highs[i], INFINITY, 0, NAN, 0};
    const struct rounds_interval got = rounds_combine(items, n, 0.95);
    text_printf(out, "%zu: %.10g in [%.10g, %.10g], %.10g%s", got.n, got.centre, got.low, got.high,
                got.variation_ratio, got.differs ? " differs" : "");
}

/* t of two degrees of freedom at 95 % is 4.302652729749, of one 12.70620473617, of three
 * 3.182446305284. */
static const struct text_cases cases[] = {
    {{add_combination, 0},
     {/* mean 101, s 1, so 101 -+ T2 / sqrt(3), wider than any round's own */
      "100 101 102|99.9 100.9 101.9|100.1 101.1 102.1 -> 3: 101 in [98.51586229, 103.4841377], "
      "0.0198019802 differs",
      /* the same medians, and rounds that claim more: their own interval is the wider */
      "100 101 102|90 91 92|110 111 112 -> 3: 101 in [91, 111], 0.0198019802",
      /* one end from each: T1 * sqrt(2) / 2 * 0.2 / sqrt(2) = 1.27 */
      "10 10.2|5 5|10.1 10.3 -> 2: 10.1 in [5, 11.37062047], 0.0198019802",
      /* equal medians: the usual interval of one round is left */
      "7 7 7 7|6 6 6.5 6.5|8 8 9 9 -> 4: 7 in [6.25, 8.5], 0",
      /* equal medians and no interval: nothing can be claimed */
      "7 7 7|nan nan nan|nan nan nan -> 3: 7 in [nan, nan], 0",
      /* no interval: the rounds' own differences */
      "1 3|nan nan|nan nan -> 2: 2 in [-10.70620474, 14.70620474], 1",
      /* one round: its own interval */
      "5|4|7 -> 1: 5 in [4, 7], nan", "5|nan|nan -> 1: 5 in [nan, nan], nan",
      /* a round that failed is no round */
      "100 nan 102|95 nan 97|105 nan 107 -> 2: 101 in [88.29379526, 113.7062047], 0.0198019802",
      "100 inf nan|99 1 1|103 2 2 -> 1: 100 in [99, 103], nan",
      "nan nan|1 1|2 2 -> 0: nan in [nan, nan], nan", "|| -> 0: nan in [nan, nan], nan"}},
    {{add_combination, 0},
     {/* one infinite end is an end, two are no interval, nor are those the wrong way round */
      "1 1|-inf 0.5|inf 2 -> 2: 1 in [0.5, 2], 0", "1 1|-inf -inf|inf 2 -> 2: 1 in [-inf, 2], 0",
      "1 3|-inf -inf|inf inf -> 2: 2 in [-10.70620474, 14.70620474], 1",
      "1 1 1|-inf 0.5 0.5|inf 2 2 -> 3: 1 in [0.5, 2], 0",
      "1 1 1|9 0.5 0.75|2 2 2.5 -> 3: 1 in [0.625, 2.25], 0",
      /* only one round has an interval, which does not hold the others */
      "10 20 21|9 nan nan|11 nan nan -> 3: 20 in [1.889580207, 32.11041979], 0.55",
      /* rounds without an interval have no say in what a round claims */
      "7 7 7|6 nan 5|8 9 nan -> 3: 7 in [6, 8], 0",
      /* equal medians whose mean is not exactly theirs */
      "0.1 0.1 0.1|nan nan nan|nan nan nan -> 3: 0.1 in [nan, nan], 0",
      /* two placements: the lowest to the highest of 6; by Student's t 1.167 -+ 0.428 */
      "1 1 1 1 1 2|1 1 1 1 1 2|1 1 1 1 1 2 -> 6: 1 in [0.7382363607, 2], 1 differs",
      /* of 10 the lowest and the highest but one: t is 1.1 -+ 0.151 */
      "1 1 1 1 1 1 1 1 1.5 1.5|2 2 2 2 2 2 2 2 2 2|1 1 1 1 1 1 1 1 1 1 -> 10: 1 in "
      "[0.9491895225, 1.5], 0.5",
      /* the mean of many is far from their median, which the interval holds nevertheless */
      "1 1 1 2|1 1 1 2|1 1 1 2 -> 4: 1 in [0.4543884237, 2.045611576], 1 differs"}},
};

TEST_TEXT_CASES(rounds_are_combined, cases)

/* Rounds at these medians, some seconds apart, with an interval that reaches so far to either side,
 * of which so much is fixed. */
static void make(struct round *rounds, const double *medians, size_t n, double half, double fixed)
{
    for (size_t i = 0; i < n; i++)
        rounds[i] = (struct round){.median = medians[i],
                                   .low = medians[i] - half,
                                   .high = medians[i] + half,
                                   .fixed = fixed,
                                   .begun_ns = 5e18 + 2e9 * (double)i};
}

TEST(the_order_of_the_rounds_does_not_matter)
{
    const struct round rounds[] = {{3, 2.5, 3.5, INFINITY, 0, NAN, 0},
                                   {1, 0, 4, INFINITY, 0, NAN, 0},
                                   {2, 1, 9, INFINITY, 0, NAN, 0}};
    const struct round sorted[] = {rounds[1], rounds[2], rounds[0]};
    struct rounds_interval a = rounds_combine(rounds, 3, 0.9);
    struct rounds_interval b = rounds_combine(sorted, 3, 0.9);
    ck_assert_double_eq(a.low, b.low);
    ck_assert_double_eq(a.high, b.high);
    ck_assert_double_eq(a.within_low, 1);
    ck_assert_double_eq(a.within_high, 4);
    ck_assert_double_eq_tol(a.between_high - a.between_low, 2 * 2.91998558035 / sqrt(3), 1e-9);
}

TEST(more_confidence_is_a_wider_interval_and_none_is_none)
{
    const double medians[] = {1, 2};
    struct round rounds[2];
    double before = 0;
    make(rounds, medians, 2, NAN, 0);
    for (double confidence = 0.5; confidence < 1; confidence += 0.1) {
        struct rounds_interval got = rounds_combine(rounds, 2, confidence);
        ck_assert_double_gt(got.high - got.low, before);
        before = got.high - got.low;
    }
    struct rounds_interval got = rounds_combine(rounds, 2, NAN);
    ck_assert(isnan(got.low) && isnan(got.high) && got.centre == 1.5);
}

/* Of +-2 half a unit is the timer's step: the rest of eight rounds is chance, and averages. */
TEST(what_is_chance_averages_and_what_is_fixed_does_not)
{
    const double medians[] = {99.9, 99.9, 100.1, 100, 100, 100, 100, 100.1};
    const double half = 0.5 + 1.5 / sqrt(8), t = 2.364624251593, s = sqrt(0.04 / 7);
    struct round rounds[8];
    make(rounds, medians, 8, 2, 0.5);
    struct rounds_interval got = rounds_combine(rounds, 8, 0.95);
    ck_assert_double_eq_tol(got.low, 100 - half, 1e-9);
    ck_assert_double_eq_tol(got.high, 100 + half, 1e-9);
    /* They differ by less than their chance. */
    ck_assert_double_eq_tol(got.next_ratio, t * s / sqrt(8) / 100, 1e-9);
    ck_assert(rounds_hold(&got, 0.01 * half + 1e-9) && !rounds_hold(&got, 0.01 * half - 1e-9));
    make(rounds, medians, 8, 2, INFINITY); /* none of it is chance */
    got = rounds_combine(rounds, 8, 0.95);
    ck_assert_double_eq_tol(got.high, 102, 1e-9);
    ck_assert_double_eq_tol(got.next_ratio, t * s * sqrt(9.0 / 8) / 100, 1e-9);
    make(rounds, medians, 7, 2, 0.5);
    got = rounds_combine(rounds, 7, 0.95); /* of seven nothing is certain */
    ck_assert(!rounds_hold(&got, 0.5));
}

/* s of these is sqrt(8 / 7), and their intervals are wide: of few samples they are wide beside what
 * chance is in them, and states show. */
TEST(of_few_samples_an_interval_is_wider_than_its_chance)
{
    static const double medians[] = {99, 101, 99, 101, 101, 99, 99, 101};
    static const double t = 2.364624251593, t_of_five = 2.570581835636, z = 1.959963984540;
    const double s2 = 8.0 / 7, half = 2;
    struct round rounds[8];
    make(rounds, medians, 8, half, 0);
    const struct rounds_interval many = rounds_combine(rounds, 8, 0.95);
    const double of_many = s2 - 0.7 * pow(half / z, 2),
                 of_six = s2 - 0.7 * pow(half / t_of_five, 2);
    for (int i = 0; i < 8; i++)
        rounds[i].samples = 6;
    const struct rounds_interval six = rounds_combine(rounds, 8, 0.95);
    ck_assert_double_eq_tol(many.next_ratio, t * sqrt(of_many + s2 / 8) / 100, 1e-9);
    ck_assert_double_eq_tol(six.next_ratio, t * sqrt(of_six + s2 / 8) / 100, 1e-9);
}

/* The mean of twelve is known to 1 %, and the next one is not. */
TEST(what_holds_for_the_mean_need_not_hold_for_the_next)
{
    double medians[12];
    struct round rounds[12];
    for (int i = 0; i < 12; i++)
        medians[i] = 100 + (i % 2 ? 1.5 : -1.5);
    make(rounds, medians, 12, 0.1, 0);
    struct rounds_interval got = rounds_combine(rounds, 12, 0.95);
    ck_assert(got.next_ratio > 0.035 && !rounds_hold(&got, 0.02));
    rounds_hold_next(&got);
    ck_assert_double_eq_tol(got.low, 100 * (1 - got.next_ratio), 1e-9);
    ck_assert_double_eq_tol(got.high, 100 * (1 + got.next_ratio), 1e-9);
}

/* One of twelve is 1.5 % off: by Student's t the next is within 1 %. */
TEST(the_next_one_is_where_a_round_was_as_well)
{
    double medians[12];
    struct round rounds[12];
    for (int i = 0; i < 12; i++)
        medians[i] = i == 4 ? 101.5 : 100;
    make(rounds, medians, 12, 0.2, 0);
    const struct rounds_interval got = rounds_combine(rounds, 12, 0.95);
    ck_assert_double_eq_tol(got.next_ratio, 0.013, 1e-9);
}

/* Of eight: those that lie on a line are followed to where the next one will be, a step ahead. */
TEST(a_trend_goes_on_until_the_next_round)
{
    double medians[8];
    struct round rounds[8];
    for (int i = 0; i < 8; i++)
        medians[i] = 1000 + 2 * i + (i % 2 ? 0.1 : -0.1);
    make(rounds, medians, 8, 40, 0); /* all that they differ by may be chance */
    rounds[3].begun_ns = NAN;        /* one whose time is not known: no trend is */
    const struct rounds_interval unplaced = rounds_combine(rounds, 8, 0.95);
    ck_assert(isnan(unplaced.apart_ns) && !rounds_are_apart(&unplaced));
    make(rounds, medians, 8, 40, 0);
    const struct rounds_interval got = rounds_combine(rounds, 8, 0.95);
    ck_assert_double_eq(got.apart_ns, 2e9);
    ck_assert(rounds_are_apart(&got));
    ck_assert_double_gt(got.next_ratio * got.centre, 2 * 4.5);
    ck_assert_double_lt(unplaced.next_ratio * got.centre, 2 * 4.5);
    /* At once, and as far off. */
    for (int i = 0; i < 8; i++)
        rounds[i].begun_ns = 5e18 + 1e8 * i;
    const struct rounds_interval near = rounds_combine(rounds, 8, 0.95);
    ck_assert_double_eq_tol(near.next_ratio, got.next_ratio, 1e-8);
    ck_assert(!rounds_are_apart(&near));
    /* What is no trend changes nothing. */
    for (int i = 0; i < 8; i++)
        medians[i] = 1000 + (i % 2 ? 1 : -1);
    make(rounds, medians, 8, 40, 0);
    const struct rounds_interval level = rounds_combine(rounds, 8, 0.95);
    ck_assert_double_lt(level.next_ratio * level.centre, 1);
}

/* Of eight: three processes of one, one and six rounds, or each of its own, or fewer, or unknown.
 */
TEST(processes_are_units_too)
{
    const double t = 4.302652729749; /* two degrees of freedom; s is 1 */
    const double medians[] = {101, 99, 100, 100, 100, 100, 100, 100};
    struct round rounds[8];
    for (int i = 0; i < 8; i++)
        rounds[i] = (struct round){.median = medians[i],
                                   .low = medians[i] - 1e-6,
                                   .high = medians[i] + 1e-6,
                                   .begun_ns = NAN};
    struct rounds_interval got = rounds_combine(rounds, 8, 0.95);
    const double next_ratio = got.next_ratio;
    ck_assert(got.n_processes == 0 && rounds_are_spread(&got));
    static const int64_t of_three[] = {17, 12, 5, 5, 5, 5, 5, 5};
    for (int i = 0; i < 8; i++)
        rounds[i].process = of_three[i];
    got = rounds_combine(rounds, 8, 0.95);
    ck_assert_uint_eq(got.n_processes, 3);
    ck_assert_double_eq_tol(got.next_ratio, t * sqrt(4.0 / 3) / 100, 1e-6);
    ck_assert_double_gt(got.next_ratio, next_ratio);
    ck_assert(rounds_are_spread(&got));
    for (int i = 0; i < 8; i++)
        rounds[i].process = 1 + i;
    got = rounds_combine(rounds, 8, 0.95);
    ck_assert(got.n_processes == 8 && got.next_ratio == next_ratio && rounds_are_spread(&got));
    for (int i = 0; i < 8; i++)
        rounds[i].process = 1 + i / 4;
    got = rounds_combine(rounds, 8, 0.95);
    ck_assert(got.n_processes == 2 && got.next_ratio == next_ratio && !rounds_are_spread(&got));
    rounds[7].process = 0;
    got = rounds_combine(rounds, 8, 0.95);
    ck_assert(got.n_processes == 0 && got.next_ratio == next_ratio && rounds_are_spread(&got));
    /* What is chance in six rounds averages: of +-1 each +-1 / sqrt(6). */
    for (int i = 0; i < 8; i++)
        rounds[i] = (struct round){medians[i], medians[i] - 1, medians[i] + 1, 0, 0,
                                   NAN,        of_three[i]};
    const double z = 1.959963984540, w2 = 0.7 * (1 + 1 + 1.0 / 6) / 3 / (z * z);
    got = rounds_combine(rounds, 8, 0.95);
    ck_assert_double_eq_tol(got.next_ratio, t * sqrt(1 - w2 + 1.0 / 3) / 100, 1e-6);
}
