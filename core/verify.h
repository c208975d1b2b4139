/*
 * verify.h - is an output right? The comparison behind gb_host.check. Floor 1.
 *
 * One pass over (reference, output) gives every metric, in float64:
 *   abs        max |r - c|
 *   rel        max |r - c| / |r| over r != 0
 *   rel_floor  the same over |r| > floor (default 1e-3)
 *   ulp        max |r - c| / spacing(r) in the output's format
 *   rms        sqrt(sum (r - c)^2) / (sqrt(N) max(max |r|, max |c|)), 0/0 = 0
 *   bound      max |r - c| / tolerance(r, S, K), see verify_bound
 * The reference is rounded once to the output's format first. Never fooled: a NaN in the output
 * fails whatever the metric; an infinity passes only against the same infinity and stays out of the
 * norms; r == 0 with c != 0 counts against abs and bound; more than 1 % of outputs overflowed is
 * `vacuous` and fails unless allowed.
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
    double reference; /* both values there */
    double output;
};

struct verify_result {
    uint64_t n;
    uint64_t n_exact; /* equal after rounding the reference */
    uint64_t n_nan;   /* in the output where the reference is none */
    uint64_t n_infinite_mismatch;
    uint64_t n_overflowed; /* infinities in the output */
    uint64_t first_bad;    /* index of the first NaN or infinite mismatch; UINT64_MAX: none */
    bool vacuous;
    struct verify_metric metrics[VERIFY_METRICS];
};

/* Compares. GB_INVALID with a text for a broken request (NULL array, unknown format); else GB_OK.
 */
int32_t verify_compare(const struct gb_check *check, double rel_floor, struct verify_result *ret,
                       struct gb_error *error);

/* Does it pass one tolerance? NaN, infinite mismatch and vacuous fail whatever the metric. */
bool verify_passes(const struct verify_result *result, const struct gb_check *check, int metric,
                   double tolerance);

/* One line: "abs 3.1e-05 > 1e-06 at [17]: expected 1.5, got 1.50003", or "256 values equal". */
void verify_describe(const struct verify_result *result, const struct gb_check *check, int metric,
                     double tolerance, char *buffer, size_t bytes);

/* safety-free bound of one element: f(K) S + u_out |r| + half the smallest subnormal; f(K) = K u /
 * (1 - K u) (Higham, Accuracy and Stability of Numerical Algorithms, 2002, section 3.1). */
double verify_bound(uint32_t output_format, uint32_t accumulate_format, uint64_t n_products,
                    double magnitude, double reference);

#endif
