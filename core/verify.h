/*
 * verify.h - is an output right? The comparison behind gb_host.check. Floor 1.
 *
 * One pass over (reference, output) gives every metric, in float64. r is the reference rounded once
 * to the output's format, e the reference as given, c the output:
 *   abs        max |r - c|
 *   rel        max |r - c| / |r| over r != 0
 *   rel_floor  the same over |r| > floor (default 1e-3)
 *   ulp        max |r - c| / spacing(r) in the output's format
 *   rms        sqrt(sum (r - c)^2) / (sqrt(N) max(max |r|, max |c|)), 0/0 = 0
 *   bound      max |e - c| / tolerance(e, S, K), see verify_bound
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
#ifndef GBRUN_CORE_VERIFY_H
#define GBRUN_CORE_VERIFY_H

#include "core/error.h"

#include <gbrun/host.h>

#define VERIFY_METRIC_MAP(X)                                                                       \
    X(ABS, "abs")                                                                                  \
    X(REL, "rel") X(REL_FLOOR, "rel_floor") X(ULP, "ulp") X(RMS, "rms") X(BOUND, "bound")
enum {
#define VERIFY_CONSTANT(name, word) VERIFY_##name,
    VERIFY_METRIC_MAP(VERIFY_CONSTANT)
#undef VERIFY_CONSTANT
        VERIFY_METRICS
};
const char *verify_metric_name(int metric);
int verify_metric_named(const char *name); /* -1 if unknown */

struct verify_metric {
    double value;     /* NaN if it does not apply (bound without magnitude) */
    uint64_t index;   /* where the maximum is; not for rms */
    double reference; /* both values there: r (bound: e) and c; NaN without such an element */
    double output;
};

struct verify_result {
    uint64_t n;
    uint64_t n_exact; /* equal after rounding the reference; +0 equals -0, NaN equals NaN */
    uint64_t n_nan;   /* in the output where the reference is none */
    uint64_t n_infinite_mismatch; /* an infinity on one side only; a NaN in the reference only */
    uint64_t n_overflowed; /* infinities in the output; e4m3: NaN where the reference overflows */
    uint64_t n_zero_mismatch; /* r == 0 and c != 0 */
    uint64_t first_bad;       /* index of the first NaN or infinite mismatch; UINT64_MAX: none */
    double bad_reference, bad_output; /* both values there */
    bool vacuous;                     /* also if n is 0 */
    struct verify_metric metrics[VERIFY_METRICS];
};

/* Compares, in the default floating-point environment whatever the caller's. GB_INVALID with a text
 * for a broken request (NULL array, unknown format, output and reference the same array); else
 * GB_OK. */
int32_t verify_compare(const struct gb_check *check, double rel_floor, struct verify_result *ret,
                       struct gb_error *error);

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
 *   "vacuous: nothing was compared"
 *   "3 of 256 values differ, most at [17]: expected 2, got 3"  (GB_CHECK_EXACT)
 *   "rel can not be judged: every reference is 0"  (and so on for rel_floor and bound)
 *
 * rel and rel_floor add "; 2 values are not the 0 expected" where that is so. rms has no place. A
 * tolerance that is NaN is left out: "abs 3e-05 at [17]: expected 1.5, got 1.50003". Numbers are as
 * short as tells them apart in the output's format.
 */
void verify_describe(const struct verify_result *result, const struct gb_check *check, int metric,
                     double tolerance, char *buffer, size_t bytes);

/* Safety-free bound of one element: f(K) S + u_out |r| + half the smallest subnormal (integers:
 * half of 1); f(K) = K u / (1 - K u) (Higham, Accuracy and Stability of Numerical Algorithms, 2002,
 * section 3.1), u that of accumulate_format (0: the output's). Infinite if K u >= 1: nothing can be
 * said. */
double verify_bound(uint32_t output_format, uint32_t accumulate_format, uint64_t n_products,
                    double magnitude, double reference);

#endif
