/*
 * verify.h - is an output right? The comparison behind gb_host.check.
 *
 * One pass over (reference, output) gives every metric, in float64. r is the reference rounded once
 * to the output's format, e the reference as given, c the output:
 *   abs        max |r - c|
 *   rel        max |r - c| / |r| over r != 0
 *   rel_floor  the same over |r| > floor (default 1e-3)
 *   ulp        max |r - c| / spacing(r) in the output's format
 *   rms        sqrt(sum (r - c)^2) / (sqrt(N) max(max |r|, max |c|)), 0/0 = 0
 *   bound      max |e - c| / tolerance, see verify_bound
 *   ...        from allclose on: see verify_details
 *   noise      rms of (c - e) / the standard deviation that rounding explains, see below
 *
 * The bound takes e, not r: where e lies next to a tie, a correct output may be rounded the other
 * way. A maximum found at several elements is that of the first.
 *
 * Never fooled: a NaN in the output fails whatever the metric, unless the reference is NaN as well;
 * an infinity passes only against the same infinity and stays out of the norms; r == 0 with c != 0
 * counts against abs, ulp and bound and is shown with rel; more than 1 % of outputs overflowed is
 * `vacuous` and fails unless allowed; a metric that no element could be judged by (rel where all
 * references are 0) fails unless all elements are equal; so does a comparison of nothing, and an
 * output given as its own reference is refused.
 */
#pragma once

#include "core/base/error.h"
#include "core/base/text.h"

#include <gbrun/host.h>

/* X(name, word, unit: UNIT_..., what the value is) */
#define VERIFY_METRIC_MAP(X)                                                                       \
    X(ABS, "abs", NONE, "Largest absolute difference from the reference")                          \
    X(REL, "rel", NONE, "Largest relative difference")                                             \
    X(REL_FLOOR, "rel_floor", NONE,                                                                \
      "Largest relative difference where the reference is above check.floor")                      \
    X(ULP, "ulp", NONE, "Largest difference in units in the last place")                           \
    X(RMS, "rms", NONE, "Root mean square of the differences over the largest magnitude")          \
    X(BOUND, "bound", NONE, "Largest error as a share of what rounding alone can explain")         \
    X(NOISE, "noise", NONE,                                                                        \
      "Root mean square of the errors over the standard deviation that rounding explains")         \
    X(ALLCLOSE, "allclose", NONE,                                                                  \
      "Largest difference over check.atol + check.rtol times the reference")                       \
    X(NORM, "norm", NONE, "Euclidean norm of the differences over that of the references")         \
    X(MEAN_ABS, "mean_abs", NONE, "Mean absolute difference")                                      \
    X(MEAN_REL, "mean_rel", NONE, "Mean relative difference")                                      \
    X(BEYOND_1ULP, "beyond_1ulp", RATIO,                                                           \
      "Share of the values that are off by more than 1 unit in the last place")                    \
    X(BEYOND_2ULP, "beyond_2ulp", RATIO, "The same for 2 units")                                   \
    X(BEYOND_4ULP, "beyond_4ulp", RATIO, "The same for 4 units")
enum {
#define VERIFY_CONSTANT(name, word, unit, help) VERIFY_##name,
    VERIFY_METRIC_MAP(VERIFY_CONSTANT)
#undef VERIFY_CONSTANT
        VERIFY_METRICS,
    VERIFY_DETAILS = VERIFY_ALLCLOSE, /* from here on: by verify_details, on request */
    VERIFY_ULPS = 3
};
const char *verify_metric_name(int metric);
int verify_metric_named(const char *name); /* -1 if unknown */

struct verify_metric {
    double value;     /* NaN if it does not apply (bound without magnitude) */
    uint64_t index;   /* where the maximum is; for maxima */
    double reference; /* both values there: r (bound: e) and c; NaN without such an element */
    double output;
};

/*
 * Every element is in one class of the histogram of relative differences, so that the counts add up
 * to n. An edge belongs to the class above it, and |r - c| / |r| reaches it if |r - c| is at least
 * the float64 product of edge and |r|.
 */
enum {
    VERIFY_CLASS_EQUAL,      /* c equal to r, both 0, both the same infinity or both NaN as well */
    VERIFY_CLASS_BELOW,      /* above 0, below 1e-6 */
    VERIFY_CLASS_1E_6,       /* from 1e-6 on, below 1e-5; then so on for each power of ten */
    VERIFY_CLASS_ONE = 8,    /* 1 and above */
    VERIFY_CLASS_ZERO,       /* r is 0, c is not */
    VERIFY_CLASS_NOT_FINITE, /* NaN or infinity on one side only, or infinities that differ */
    VERIFY_CLASSES
};

struct verify_result {
    uint64_t n;
    uint64_t n_exact; /* equal after rounding the reference; +0 equals -0, NaN equals NaN */
    uint64_t n_nan;   /* in the output where the reference is none */
    uint64_t n_infinite_mismatch; /* an infinity on one side only; a NaN in the reference only */
    uint64_t n_overflowed; /* infinities in the output; e4m3: NaN where the reference overflows */
    uint64_t n_nan_reference; /* NaN in the reference, unless it overflowed */
    uint64_t n_zero_mismatch; /* r == 0 and c != 0 */
    uint64_t first_bad;       /* index of the first NaN or infinite mismatch; UINT64_MAX: none */
    double bad_reference, bad_output; /* both values there */
    bool vacuous;                     /* also if n is 0 */
    uint64_t histogram[VERIFY_CLASSES];
    double floor;                         /* of rel_floor, at least 0 */
    uint64_t above_floor[VERIFY_CLASSES]; /* of the histogram, those with |r| > floor */
    struct verify_metric metrics[VERIFY_METRICS];
    uint64_t n_worst; /* by verify_details */
};

/* Compares, in the default floating-point environment whatever the caller's. GB_INVALID with a text
 * for a broken request (NULL array, unknown format, output and reference the same array); else
 * GB_OK. */
int32_t verify_compare(const struct gb_check *check, double rel_floor, struct verify_result *ret,
                       struct gb_error *error);

struct verify_element {
    uint64_t index;
    double reference, output; /* r and c */
    double ulps;              /* |r - c| in spacings of r */
};

struct verify_detail_request {
    double atol, rtol;
    struct verify_element *worst; /* room for the n_worst that are most spacings off, worst first */
    uint64_t n_worst;
};

/*
 * After a verify_compare that succeeded: adds to its result what takes a second look at each
 * element, several times as long as the first. Elements that are not finite have no say.
 *   allclose       max |r - c| / (atol + rtol |r|)
 *   norm           ||r - c|| / ||r||, Euclidean
 *   mean_abs       mean |r - c|
 *   mean_rel       mean |r - c| / |r| over r != 0
 *   beyond_1ulp    share of elements with |r - c| above 1 (2, 4) spacings of r
 * Without it they are NaN: they do not apply.
 */
void verify_details(const struct gb_check *check, const struct verify_detail_request *request,
                    struct verify_result *result);

/* Does it pass one tolerance? NaN, infinite mismatch and vacuous fail whatever the metric.
 * GB_CHECK_EXACT: it passes if all values are equal, whatever metric and tolerance. */
bool verify_passes(const struct verify_result *result, const struct gb_check *check, int metric,
                   double tolerance);

/*
 * One line. Passed:
 *
 *   "256 values equal"
 *   "abs 3e-05 <= 0.001 at [17]: expected 1.5, got 1.50003"
 *
 * Failed: the same with ">", or what was wrong beside any metric:
 *
 *   "not finite at [5]: expected 1.5, got nan (3 of 256 values)"
 *   "vacuous: 12 of 256 values overflowed"
 *   "vacuous: 12 of 256 references are NaN"
 *   "vacuous: nothing was compared"
 *   "3 of 256 values differ, most at [17]: expected 2, got 3"  (GB_CHECK_EXACT)
 *   "rel cannot be judged: every reference is 0"  (and so on for rel_floor and bound)
 *
 * rel and rel_floor add "; 2 values are not the 0 expected" where that is so. rms has no place. A
 * tolerance that is NaN is left out: "abs 3e-05 at [17]: expected 1.5, got 1.50003". Numbers are as
 * short as distinguishes them in the output's format.
 */
void verify_describe(const struct verify_result *result, const struct gb_check *check, int metric,
                     double tolerance, char *buffer, size_t bytes);

/*
 * The tolerance of one element: safety (f S + max(f, K v / b) s + u |e|) + half the smallest
 * subnormal (integers: half of 1), with S = sum |a||b| (magnitude), s the smallest normal number of
 * the sums' format, below which each of K products loses as much as there, in whatever order they
 * are added, and u the unit round-off of the output's format. f is dimensionless and bounds the
 * relative error of a sum; with n steps of relative error at most v:
 *
 *   deterministic   n v / (1 - n v)       (Higham, Accuracy and Stability of Numerical Algorithms,
 *                                         2002, section 3.1), whatever the signs and the order
 *   probabilistic   lambda sqrt(v (e^(2 n v) - 1) / 2), about lambda sqrt(n) v, with lambda =
 *                   sqrt(2 ln(2 N / delta)), N the elements compared, delta = 1e-9 the probability
 *                   that any of a right output's elements is outside. The roundings may depend on
 *                   each other, if each has mean 0 whatever came before: then the error is a
 *                   martingale (Ipsen and Zhou, Probabilistic Error Analysis for Inner Products,
 *                   2020; Connolly, Higham and Mary, Stochastic Rounding and Its Probabilistic
 *                   Backward Error Analysis, 2021) whose steps are v times partial sums of at most
 *                   S (1 + v)^k. Refused where sums are truncated, or products have one sign
 *   auto            the smaller of the two where sums are rounded to nearest, the |e| of all
 *                   elements add up to at most half of their S, and products are at least four
 *                   spacings of the sum, so that where they fall between two numbers is random;
 *                   else deterministic
 *
 * n = K / b, rounded up (of a sum that is a tree, the longest chain of additions for K), and v by
 * the summation, with u that of the format of the sums:
 *
 *   GB_SUM_NEAREST    u
 *   GB_SUM_TRUNCATED  2 u
 *   GB_SUM_ALIGNED    2 u (1 + (b + 1) 2^-f): b products and the sum so far lose up to 2 u 2^-f of
 *                     the largest each, their sum up to 2 u (Blanchard, Higham, Lopez, Mary and
 *                     Pranesh, Mixed Precision Block Fused Multiply-Add, 2020; b and f measured by
 *                     Fasi, Higham, Mikaitis and Pranesh, Numerical Behavior of NVIDIA Tensor
 * Cores, 2021)
 *
 * Rounding the inputs (to tf32, say) is no part of it: the reference is made of the inputs as they
 * were rounded. Nor is the error of the reference, K 2^-53 S: where sums are fp64 as well, take a
 * safety of 2. Infinite if n v >= 1, or the probabilistic f is: nothing can be claimed. Without
 * arrays auto is deterministic.
 */
double verify_bound(const struct gb_check *check, double magnitude, double reference);

/*
 * What the noise may be by default: sqrt(1 + 2 sqrt(x / N) + 2 x / N), x = ln(1 / delta)
 * with delta = 1e-9, N the elements (Laurent and Massart, Adaptive Estimation of a Quadratic
 * Functional by Model Selection, 2000, lemma 1): the mean of N squares of a standard normal number
 * is above it with probability delta.
 *
 * The noise is sqrt(mean (c - e)^2 / variance), where rounding explains a variance of
 *
 *   v^2 (1/3 + q n) (T2 + (b - 1) e^2) / b + u^2 max(|e|, s)^2 / 3
 *
 * with T2 the sum of the squares of K partial sums, of which every b-th is rounded and the last, n
 * = K / b, v and b as of the bound, u the round-off and s the smallest normal number of the
 * output's format. A rounding error of a number x is uniform within half a spacing, which is u |x|
 * at most. q n is for errors of the sum that are not of mean 0: 1/4 where sums are truncated, since
 * each error is v/2 of the sum in the mean; 1 where most of a product is lost, in the sum or as it
 * underflows, since all may have one sign; else 0. (The sum of n errors of v/2 |s_k| is at most v/2
 * sqrt(n T2 / b) by the inequality of Cauchy and Schwarz.) Added are the reference's own error,
 * 2^-106 T2 / 3, and what is lost below the smallest normal number of the sums' format, as if T2
 * were larger by K times its square and n were K / b: each product loses by itself. Not judged
 * without magnitudes.
 */
double verify_noise_tolerance(uint64_t n);

/* Why the bound (GB_BOUND_...) does not hold for such sums (GB_SUM_...), as the end of a message;
 * NULL: it does. */
const char *verify_bound_refusal(uint32_t bound, uint32_t summation, bool has_one_sign);

/* The histogram's classes, worded for a table: "0", "(0, 1e-6)", "[1e-6, 1e-5)" ... ">= 1",
 * "reference 0", "not finite". */
const char *verify_class_name(int index);

/* Which code compares: the best that the processor has, or, for tests and benchmarks, one of these
 * in all comparisons that follow in this process. Results are the same to the last bit. */
enum { VERIFY_PORTABLE, VERIFY_AVX2, VERIFY_AVX512, VERIFY_PATHS };
bool verify_path_is_there(int path);
void verify_use_path(int path); /* VERIFY_PATHS: the best */
