/*
 * comparison.h - is B slower than A, by how much, how certain: the statistics of comparisons.
 *
 * The unit is the round: y = ln of a round's median time. Samples of different rounds are never
 * pooled, since creations of one case differ by more than their samples do.
 *
 *   paired    A and B alternate within each round: d = y_B - y_A, theta = mean d, and the interval
 *             theta -+ t s / sqrt(R), s the standard deviation of d, t of R - 1 degrees
 *   unpaired  two runs: Welch's t on the y (The generalization of "Student's" problem, 1947), with
 *             the degrees of Welch and Satterthwaite. A side of one round is taken to vary as the
 *             other does, and by what its samples leave open beyond those of the other. It holds
 *             for these two runs; where it is known by how much runs of the same differ
 *             (between_runs.h), the variance is larger by twice that
 *   one visit one round on both sides: the rounds' own relative intervals w, sqrt(w_A^2 + w_B^2).
 *             What changes between visits is not in it: below 5 % nothing is called
 *
 * Half a width is at least sqrt((q_A / 2)^2 + (q_B / 2)^2), q a timer's step over the median.
 * Paired intervals of 12 rounds and more are united with the sign interval of the median of d.
 * (With 6 to 11 it is the whole range of d, or nearly: a third of identical cases stayed unclear.)
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* X(name, word, makes exit code 3, of --strict only) */
#define COMPARED_MAP(X)                                                                            \
    X(SLOWER, "slower", 1, 0) /* the interval excludes 1, the estimate is beyond the margin */     \
    X(FASTER, "faster", 0, 0)                                                                      \
    X(CHANGED, "changed", 0, 0) /* it excludes 1, the estimate is within the margin */             \
    X(SAME, "same", 0, 0)       /* it lies within the margin on both sides */                      \
    X(UNCLEAR, "unclear", 0, 1)                                                                    \
    X(BROKEN, "broken", 1, 0) /* fails now */                                                      \
    X(FIXED, "fixed", 0, 0)                                                                        \
    X(FAILED, "failed", 0, 0)   /* on both sides */                                                \
    X(MISSING, "missing", 1, 0) /* only on the side of the base */                                 \
    X(NEW, "new", 0, 0)                                                                            \
    X(SKIPPED, "skipped", 0, 1) /* on one side or both */

enum {
#define COMPARED_CONSTANT(name, word, bad, strict) COMPARED_##name,
    COMPARED_MAP(COMPARED_CONSTANT)
#undef COMPARED_CONSTANT
        COMPARED_VERDICTS
};
const char *compared_word(int verdict);
int compared_turned(int verdict); /* of what is better if it is higher */
bool compared_is_bad(int verdict, bool is_strict);

/* What an interval speaks of. X(name, code for programs) */
#define COMPARED_SCOPE_MAP(X)                                                                      \
    X(NONE, "")           /* there is no interval, or no noise */                                  \
    X(ROUNDS, "rounds")   /* pairs of rounds */                                                    \
    X(RUNS, "runs")       /* these two runs: what changes from run to run is not in it */          \
    X(MACHINE, "machine") /* these two runs: what the machine's own work says of it is in it */    \
    X(HISTORY, "history") /* runs: what changes between them is known of earlier ones */
enum {
#define SCOPE_CONSTANT(name, code) SCOPE_##name,
    COMPARED_SCOPE_MAP(SCOPE_CONSTANT)
#undef SCOPE_CONSTANT
        SCOPES
};
const char *compared_scope_code(int scope);

/* One side of a case. Values of rounds are above 0 and finite, unless they are counts. */
struct compared_side {
    const double *values;
    size_t n;
    double step_ratio;     /* q: a step of the timer over the median; 0: it resolves more */
    double interval_ratio; /* w: half a round's own interval over its median; NaN: it has none */
};

struct comparison {
    double theta, low, high; /* ln of B / A and its interval; NaN theta: nothing is known; infinite
                                ends: nothing about its precision */
    double p;                /* two-sided, of theta = 0 */
    double adjusted_p;       /* of all that were judged together */
    double deviation;  /* s of one round: of d, or of the two sides together; NaN: one visit */
    double t;          /* quantile behind the interval */
    double between;    /* deviation of ln from run to run, of earlier ones; 0: none, or not known */
    size_t n_rounds;   /* of the side that has fewer */
    uint64_t n_needed; /* rounds that would decide it, where it is unclear; 0: not known */
    bool is_paired, is_visit, is_exact, is_sequential;
    bool has_margin; /* of this case alone, set by the caller, in the place of that of all */
    double margin;
    int scope;   /* SCOPE_... */
    int verdict; /* COMPARED_... */
};

/* The interval and p of theta, which is set, with a standard error that has so many degrees of
 * freedom; half the interval is at least `floor`. */
void compare_set_by_t(struct comparison *c, double error, double degrees, double floor,
                      double confidence);

/* Rounds with the same index belong together; a.n == b.n. */
struct comparison compare_paired(const struct compared_side *a, const struct compared_side *b,
                                 double confidence);
/* By how much runs of a case differ: variances of ln, and degrees of freedom of their estimates. */
struct between_runs {
    double variance, degrees;      /* between runs; NaN: not known */
    double within, within_degrees; /* of a round within its run; 0, 0: not known, and in variance */
    double subtracted;             /* what rounds had added to the variance of runs */
    bool is_as_rounds; /* where it is not known, runs are taken to vary as their rounds do */
};
/* Unpaired, with that in the interval; NULL: it is not known. */
struct comparison compare_across(const struct compared_side *a, const struct compared_side *b,
                                 const struct between_runs *between, double confidence);
/* Adds to both halves of an interval what may be none of the difference, an offset of unknown part;
 * p is that of the difference less it, as if the statistic were normal. */
void compare_widen(struct comparison *c, double by);
/* Counts: where all rounds of a side agree to the last digit, on both sides, there is no noise.
 * False, and nothing is set: they do not agree. */
bool compare_exact(const struct compared_side *a, const struct compared_side *b,
                   struct comparison *ret);

/*
 * Gives each comparison that has a theta its adjusted p (Benjamini and Hochberg: Controlling the
 * false discovery rate, 1995) and its verdict; none is called slower, faster or changed at an
 * adjusted p above 1 - confidence. margin: 0.01 for 1 %; ratios between 1 / (1 + margin) and
 * 1 + margin are within it; so of an item's own margin. Those with other verdicts than UNCLEAR are
 * left alone. Unclear ones get n_needed = ceil((t s / m)^2) + 1.
 */
void compare_judge(struct comparison *const *items, size_t n, double margin, double confidence);

/* Adjusted p-values in place, of p-values in any order. */
void adjust_p_values(double *p, size_t n);

/* Of the ratios exp(theta): Student's t over the thetas. n < 2: infinite ends; n == 0: NaN. */
struct geometric_mean {
    double theta, low, high;
    size_t n;
};
struct geometric_mean compare_mean(const double *thetas, size_t n, double confidence);

/*
 * A sequence of intervals that may be looked at after each round: with the confidence all of them
 * hold theta (Wang and Ramdas: Anytime-valid t-tests and confidence sequences for Gaussian means
 * with unknown variance, 2023; Gaussian mixture of precision c^2 = 0.2). Before round 4 it is
 * infinite. From round 36 on what was excluded stays excluded: intervals are intersected. Begin
 * with compare_sequence_begin.
 *
 * Rounds that follow each other may be alike, as a side keeps its state for some of them. So half a
 * width is that of independent rounds times sqrt((1 + r) / (1 - r)), r what the correlation of
 * neighbouring d may be: r1 + (1 + 3 r1) / n + 1.25 / sqrt(n), from 0 to 0.98, with the bias of r1
 * taken out (Marriott and Pope: Bias in the estimation of autocorrelations, 1954). Few rounds
 * do not show it: of 16 only differences beyond 4 % are called, and the limit falls with each round
 * until it is 0 at the 36th (compare_sequence_least).
 */
enum { SEQUENCE_FIRST = 4, SEQUENCE_SETTLED = 36 };
struct compare_sequence {
    double sum, squares;          /* of d */
    double first, last, products; /* d of these rounds; of neighbours, each d less the first */
    double low, high;
    double p; /* the least alpha at which 1 was excluded after any round so far; at most 1 */
    size_t n;
};
void compare_sequence_begin(struct compare_sequence *sequence);
/* Adds the d of a round. floor: what half a width is at least. */
void compare_sequence_add(struct compare_sequence *sequence, double d, double floor,
                          double confidence);
/* ln: differences up to it are not called after so many rounds, as a side may have kept a state. */
double compare_sequence_least(size_t n_rounds);
/* SLOWER, FASTER, CHANGED or SAME once that is certain; UNCLEAR: more rounds are needed. Where it
 * has excluded 1 and may yet pass the margin, it is UNCLEAR until is_last. */
int compare_sequence_verdict(const struct compare_sequence *sequence, double margin, bool is_last);

/* The rounds of one case that both sides have, in order. */
struct compared_rounds {
    const double *a, *b; /* above 0 and finite */
    size_t n;
    double step_a, step_b;  /* as of compared_side */
    double margin;          /* as of struct comparison */
    struct comparison *ret; /* as it was when it was decided, or after the last round */
};

/*
 * Judges several cases together after each of their rounds, by compare_sequence_verdict and, before
 * one is called slower, faster or changed, by adjusted p of all of them (Benjamini and Hochberg, as
 * in compare_judge; what was called stays called). What is decided takes no
 * further rounds. The verdicts depend on the rounds alone: so recorded ones can be replayed, under
 * another margin as well. goes_on: undecided ones will have further rounds. is_sequential is set.
 */
void compare_judge_rounds(struct compared_rounds *items, size_t n, double margin, double confidence,
                          bool goes_on);
