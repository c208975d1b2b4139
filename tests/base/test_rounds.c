/* test_rounds.c - core/base/rounds.c against intervals worked out by hand. */
#include "core/base/rounds.h"
#include "tests/check_main.h"

enum { MOST = 10 };

/* t of two degrees of freedom at 95 %, of one, and of three. */
#define T2 4.302652729749
#define T1 12.70620473617
#define T3 3.182446305284

static const struct {
    struct {
        size_t n;
        double medians[MOST], lows[MOST], highs[MOST];
    } given;
    struct {
        size_t n;
        double centre, low, high, variation_ratio;
        int differs;
    } expected;
} cases[] = {
    /* mean 101, s 1, so 101 -+ T2 / sqrt(3), wider than any round's own */
    {{3, {100, 101, 102}, {99.9, 100.9, 101.9}, {100.1, 101.1, 102.1}},
     {3, 101, 101 - T2 / 1.7320508075688772, 101 + T2 / 1.7320508075688772, 2 / 101.0, 1}},
    /* the same medians, and rounds that each claim more: the rounds' own interval is the wider */
    {{3, {100, 101, 102}, {90, 91, 92}, {110, 111, 112}}, {3, 101, 91, 111, 2 / 101.0, 0}},
    /* one end from each: T1 * sqrt(2) / 2 * 0.2 / sqrt(2) = 1.27 */
    {{2, {10, 10.2}, {5, 5}, {10.1, 10.3}}, {2, 10.1, 5, 10.1 + T1 * 0.1, 0.2 / 10.1, 0}},
    /* equal medians: the usual interval of one round is left */
    {{4, {7, 7, 7, 7}, {6, 6, 6.5, 6.5}, {8, 8, 9, 9}}, {4, 7, 6.25, 8.5, 0, 0}},
    /* equal medians and no interval: nothing can be claimed */
    {{3, {7, 7, 7}, {NAN, NAN, NAN}, {NAN, NAN, NAN}}, {3, 7, NAN, NAN, 0, 0}},
    /* no interval: the rounds' own differences */
    {{2, {1, 3}, {NAN, NAN}, {NAN, NAN}}, {2, 2, 2 - T1, 2 + T1, 1, 0}},
    /* one round: its own interval */
    {{1, {5}, {4}, {7}}, {1, 5, 4, 7, NAN, 0}},
    {{1, {5}, {NAN}, {NAN}}, {1, 5, NAN, NAN, NAN, 0}},
    /* a round that failed is no round */
    {{3, {100, NAN, 102}, {95, NAN, 97}, {105, NAN, 107}},
     {2, 101, 101 - T1, 101 + T1, 2 / 101.0, 0}},
    {{3, {100, INFINITY, NAN}, {99, 1, 1}, {103, 2, 2}}, {1, 100, 99, 103, NAN, 0}},
    {{2, {NAN, NAN}, {1, 1}, {2, 2}}, {0, NAN, NAN, NAN, NAN, 0}},
    {{0, {0}, {0}, {0}}, {0, NAN, NAN, NAN, NAN, 0}},
    /* one infinite end is an end, two are no interval, nor are those the wrong way round */
    {{2, {1, 1}, {-INFINITY, 0.5}, {INFINITY, 2}}, {2, 1, 0.5, 2, 0, 0}},
    {{2, {1, 1}, {-INFINITY, -INFINITY}, {INFINITY, 2}}, {2, 1, -INFINITY, 2, 0, 0}},
    {{2, {1, 3}, {-INFINITY, -INFINITY}, {INFINITY, INFINITY}}, {2, 2, 2 - T1, 2 + T1, 1, 0}},
    {{3, {1, 1, 1}, {-INFINITY, 0.5, 0.5}, {INFINITY, 2, 2}}, {3, 1, 0.5, 2, 0, 0}},
    {{3, {1, 1, 1}, {9, 0.5, 0.75}, {2, 2, 2.5}}, {3, 1, 0.625, 2.25, 0, 0}},
    /* only one round has an interval, which does not hold the others */
    {{3, {10, 20, 21}, {9, NAN, NAN}, {11, NAN, NAN}},
     {3, 20, 17 - T2 * 6.082762530298219 / 1.7320508075688772,
      17 + T2 * 6.082762530298219 / 1.7320508075688772, 11 / 20.0, 0}},
    /* rounds without an interval have no say in what a round claims */
    {{3, {7, 7, 7}, {6, NAN, 5}, {8, 9, NAN}}, {3, 7, 6, 8, 0, 0}},
    /* equal medians whose mean is not exactly theirs */
    {{3, {0.1, 0.1, 0.1}, {NAN, NAN, NAN}, {NAN, NAN, NAN}}, {3, 0.1, NAN, NAN, 0, 0}},
    /* two placements: the lowest to the highest of 6, as Student's t would be 1.167 -+ 0.428 */
    {{6, {1, 1, 1, 1, 1, 2}, {1, 1, 1, 1, 1, 2}, {1, 1, 1, 1, 1, 2}},
     {6, 1, 7 / 6.0 - 0.4284303059393858, 2, 1, 1}},
    /* of 10 the lowest and the highest but one: t is 1.1 -+ 0.151 */
    {{10,
      {1, 1, 1, 1, 1, 1, 1, 1, 1.5, 1.5},
      {2, 2, 2, 2, 2, 2, 2, 2, 2, 2},
      {1, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
     {10, 1, 1.1 - 0.15081047751606608, 1.5, 0.5, 0}},
    /* the mean of many is far from their median, which the interval holds nevertheless */
    {{4, {1, 1, 1, 2}, {1, 1, 1, 2}, {1, 1, 1, 2}},
     {4, 1, 1.25 - T3 * 0.25, 1.25 + T3 * 0.25, 1, 1}},
};

static int is_same(double a, double b)
{
    return (isnan(a) && isnan(b)) || a == b || fabs(a - b) <= 1e-9 * fabs(b);
}

TEST_EACH(rounds_are_combined, cases)
{
    struct rounds_interval got = rounds_combine(cases[_i].given.medians, cases[_i].given.lows,
                                                cases[_i].given.highs, cases[_i].given.n, 0.95);
    ck_assert_uint_eq(got.n, cases[_i].expected.n);
    const double a[] = {got.centre, got.low, got.high, got.variation_ratio};
    const double b[] = {cases[_i].expected.centre, cases[_i].expected.low, cases[_i].expected.high,
                        cases[_i].expected.variation_ratio};
    for (int i = 0; i < 4; i++)
        ck_assert_msg(is_same(a[i], b[i]), "figure %d: %.17g, not %.17g", i, a[i], b[i]);
    ck_assert_int_eq(got.differs, cases[_i].expected.differs);
}

TEST(the_order_of_the_rounds_does_not_matter)
{
    const double medians[] = {3, 1, 2}, lows[] = {2.5, 0, 1}, highs[] = {3.5, 4, 9};
    const double m[] = {1, 2, 3}, l[] = {0, 1, 2.5}, h[] = {4, 9, 3.5};
    struct rounds_interval a = rounds_combine(medians, lows, highs, 3, 0.9);
    struct rounds_interval b = rounds_combine(m, l, h, 3, 0.9);
    ck_assert_double_eq(a.low, b.low);
    ck_assert_double_eq(a.high, b.high);
    ck_assert_double_eq(a.within_low, 1);
    ck_assert_double_eq(a.within_high, 4);
    ck_assert_double_eq_tol(a.between_high - a.between_low, 2 * 2.91998558035 / sqrt(3), 1e-9);
}

TEST(more_confidence_is_a_wider_interval_and_none_is_none)
{
    const double medians[] = {1, 2}, nothing[] = {NAN, NAN};
    double before = 0;
    for (double confidence = 0.5; confidence < 1; confidence += 0.1) {
        struct rounds_interval got = rounds_combine(medians, nothing, nothing, 2, confidence);
        ck_assert_double_gt(got.high - got.low, before);
        before = got.high - got.low;
    }
    struct rounds_interval got = rounds_combine(medians, nothing, nothing, 2, NAN);
    ck_assert(isnan(got.low) && isnan(got.high) && got.centre == 1.5);
}
