/* test_sequences.c - what a sequence of intervals calls, on series of rounds with a seed: how often
 * two sides that are alike are called different, and how often a difference is found. With LONG set
 * of ten times as many. */
#include "core/base/random.h"
#include "core/compare/compare_text.h"
#include "core/compare/comparison.h"
#include "tests/check_main.h"
#include "tests/draws.h"

#include <stdlib.h>

enum { ROUNDS = 40, PAIRS = 1000, LONG_PAIRS = 10000 };
static const double MARGIN = 0.01, CONFIDENCE = 0.95, VISIT_SD = 0.005, STATE = 0.01;

static uint64_t drawn;

static double uniform(void)
{
    return random_unit(20261128, 0, drawn++);
}

static double normal(void)
{
    const double first = uniform();
    return normal_of(first, uniform());
}

/* What round r of both sides differs by; each begins anew with r == 0. */
static double d_independent(int r, double parameter)
{
    (void)r, (void)parameter;
    return sqrt(2) * VISIT_SD * normal();
}

/* Autoregressive, of that lag-1 correlation. */
static double d_correlated(int r, double rho)
{
    static double d;
    d = r == 0 ? normal() : rho * d + sqrt(1 - rho * rho) * normal();
    return sqrt(2) * VISIT_SD * d;
}

/* Each side has one of two states, so far apart, drawn anew with that chance before each visit. */
static double of_states(int r, double chance, double apart)
{
    static double states[2];
    for (int side = 0; side < 2; side++)
        if (r == 0 || uniform() < chance)
            states[side] = uniform() < 0.5 ? 0 : apart;
    return states[1] - states[0] + 0.1 * VISIT_SD * (normal() - normal());
}

static double d_states(int r, double chance)
{
    return of_states(r, chance, STATE);
}

static double d_far_states(int r, double chance)
{
    return of_states(r, chance, 3 * STATE);
}

/* Whoever is second in a round takes longer; blocks of two rounds at random order. */
static double d_order(int r, double longer)
{
    static bool is_first;
    is_first = r % 2 == 0 ? uniform() < 0.5 : !is_first;
    return (is_first ? longer : -longer) + sqrt(2) * VISIT_SD * normal();
}

static const struct family {
    const char *name;
    double (*d)(int r, double parameter);
    double parameter, effect;
    unsigned different, changed, same; /* of PAIRS: slower or faster, ... */
} families[] = {
    {"independent", d_independent, 0, 0, 0, 0, 1000},
    {"independent, 1 % slower", d_independent, 0, 0.01, 613, 382, 2},
    {"independent, 2 % slower", d_independent, 0, 0.02, 1000, 0, 0},
    {"independent, 5 % slower", d_independent, 0, 0.05, 1000, 0, 0},
    {"correlated 0.5", d_correlated, 0.5, 0, 0, 2, 595},
    {"correlated 0.8", d_correlated, 0.8, 0, 2, 10, 332},
    {"correlated 0.8, 2 % slower", d_correlated, 0.8, 0.02, 560, 0, 0},
    {"correlated 0.9", d_correlated, 0.9, 0, 11, 15, 330},
    {"correlated 0.95", d_correlated, 0.95, 0, 9, 19, 386},
    {"independent, 3 % slower", d_independent, 0, 0.03, 1000, 0, 0},
    {"a state drawn at each creation", d_states, 1, 0, 0, 0, 998},
    {"a state drawn at each creation, 2 % slower", d_states, 1, 0.02, 1000, 0, 0},
    {"the second is 1 % longer", d_order, 0.01, 0, 0, 0, 986},
    /* A state that stays for all rounds cannot be told from a difference. */
    {"a state drawn at every other creation", d_states, 0.5, 0, 0, 2, 537},
    {"a state drawn at every fifth creation", d_states, 0.2, 0, 0, 12, 374},
    {"a state of 3 % drawn at every fifth creation", d_far_states, 0.2, 0, 41, 0, 260},
    {"a state that is never drawn again", d_states, 0, 0, 388, 114, 498},
};

static int judge(const struct family *family, struct comparison *ret)
{
    double a[ROUNDS], b[ROUNDS];
    struct compared_rounds rounds = {.a = a, .b = b, .n = ROUNDS, .ret = ret};
    for (int r = 0; r < ROUNDS; r++) {
        a[r] = 100;
        b[r] = 100 * exp(log1p(family->effect) + family->d(r, family->parameter));
    }
    compare_judge_rounds(&rounds, 1, MARGIN, CONFIDENCE, false);
    return ret->verdict;
}

/* "1.004 [1.001, 1.007]": is the estimate in the interval? */
static bool is_inside(const struct comparison *c)
{
    struct text text = {0};
    double ratio = 0, low = -INFINITY, high = INFINITY;
    compare_add_ratio(c->theta, c->low, c->high, &text);
    const int n = sscanf(text_get(&text), "%lf [%lf, %lf]", &ratio, &low, &high);
    text_free(&text);
    return (n == 1 || n == 3) && low <= ratio && ratio <= high && c->low <= c->theta &&
           c->theta <= c->high;
}

TEST_EACH(families_are_called_as_often_as_said, families)
{
    const struct family *family = &families[_i];
    const unsigned n = getenv("LONG") ? LONG_PAIRS : PAIRS, times = n / PAIRS;
    unsigned counts[COMPARED_VERDICTS] = {0};
    double rounds = 0;
    drawn = (uint64_t)_i << 40;
    for (unsigned i = 0; i < n; i++) {
        struct comparison c;
        counts[judge(family, &c)]++;
        ck_assert_msg(is_inside(&c), "%s: pair %u: the estimate is outside", family->name, i);
        rounds += (double)c.n_rounds / n;
    }
    const unsigned different = counts[COMPARED_SLOWER] + counts[COMPARED_FASTER];
    const bool is_as_said = times > 1 || (different == family->different &&
                                          counts[COMPARED_CHANGED] == family->changed &&
                                          counts[COMPARED_SAME] == family->same);
    ck_assert_msg(is_as_said, "%s: %u different, %u changed, %u same of %u; %.1f rounds",
                  family->name, different, counts[COMPARED_CHANGED], counts[COMPARED_SAME], n,
                  rounds);
    const bool is_alike = family->effect == 0 && (family->d != d_states || family->parameter > 0);
    if (is_alike)
        ck_assert_uint_le(different + counts[COMPARED_CHANGED], n / 20);
    if (family->effect > 0.01)
        ck_assert_uint_ge(counts[COMPARED_SLOWER], n * 55 / 100);
}
