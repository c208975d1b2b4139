/*
 * verify_pass.h - the inner loop of verify_compare, compiled for several instruction sets.
 *
 * A pass goes over one block and gives its maxima and counts. All versions give the same to the
 * last bit: maxima and counts do not depend on the order, and the sum of squares is kept in
 * VERIFY_LANES sums, element i in sum i mod VERIFY_LANES, whatever the width of the registers.
 *
 * Divisions would take most of the time. So an element is divided only if it can be a new maximum:
 * for best >= 0, a / b > best in float64 needs a >= best b, rounded, since rounding keeps the
 * order. What passes such a filter is divided and compared; a false alarm costs
 * time only.
 *
 * A pass cannot judge a block with elements that are not finite or that overflow, or
 * with magnitudes out of range: verify_pass_holds is false then, and the caller goes over it one by
 * one.
 */
#pragma once

#include "core/base/statistics.h"
#include "core/verify/verify.h"

enum { VERIFY_BLOCK = 2048, VERIFY_LANES = 8 };

/* The edges between classes of the histogram: 1e-6, 1e-5 ... 1. */
enum { VERIFY_EDGES = 7 };
static const double verify_edges[VERIFY_EDGES] = {1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1};

/* How outputs are read. */
enum {
    PASS_DOUBLES,
    PASS_F16,
    PASS_BF16,
    PASS_F32,
    PASS_F64,
    PASS_E4M3,
    PASS_E5M2,
    PASS_I8,
    PASS_I32,
    PASS_KINDS
};

/* Magnitudes above it would leave the range of doubles. It is the last number whose high word is
 * that of 2^900. */
#define OUT_OF_RANGE_ABOVE 0x1.00000ffffffffp900

/* The metrics that are maxima over elements: all but VERIFY_RMS. */
enum { PASS_ABS, PASS_REL, PASS_REL_FLOOR, PASS_ULP, PASS_BOUND, PASS_MAXIMA };

/* Of the bound: sum S + rounding |e| + smallest; the safety is in the first two. */
struct bound_factors {
    double sum, rounding, smallest;
};

/* Of the noise's variance: sum T2 + rounding max(|e|, least)^2 + smallest. */
struct noise_factors {
    double sum, rounding, smallest;
};

/* What stays the same for all blocks. */
struct pass_format {
    double least;    /* from here on the spacing follows the value: a power of two */
    uint64_t lift;   /* 2^lift: a number's binade over that of a sum which is rounded as wanted */
    double ulp_unit; /* spacing over binade */
    double smallest; /* spacing at 0 */
    double limit;    /* of |e|, and for PASS_F64 of |c|: above it a pass does not hold */
    double rel_floor;
    int n_implied; /* so many edges are below any relative difference but 0 */
    /* The next, verify_edges[n_implied]: often passed, so counted everywhere. But for float64 a bit
     * less, so that `above` is `at least`: differences next to the edge have few digits, and are on
     * it or far from it. (The float64 nearest to 1e-5 is off by too much for that; it is never
     * this one.) */
    double open_edge;
    double close_edge; /* a bit less than the one after it, or DBL_MAX: above it, look closely */
    /* Just above 1 if different |r - c| / |r| differ by more than that, else 1: the filter of a
     * maximum times this keeps out the many elements that reach it but do not exceed it. */
    double ties;
    bool has_bound, has_noise; /* the second only with the first */
    struct bound_factors factors;
    struct noise_factors noise;
    /* Times max(|e|, least): no more than factors' rounding |e| + smallest, and not much less. */
    double rough_rounding;
};

struct pass_input {
    const struct pass_format *format;
    uint64_t n;               /* a multiple of VERIFY_LANES */
    const double *exact;      /* e */
    const double *magnitude;  /* S; with a bound */
    const double *partials;   /* T2; with a noise */
    const void *output;       /* c, as the kind says */
    double best[PASS_MAXIMA]; /* so far; -1: no element counted */
};

struct pass_totals {
    double maxima[PASS_MAXIMA];   /* at least `best` */
    uint64_t places[PASS_MAXIMA]; /* the first element with it; where it is above `best` */
    double sum_of_squares;
    double noise;                         /* sum of (c - e)^2 / variance */
    double largest_exact, largest_output; /* |e|, |c| */
    uint64_t n_differ;                    /* r != c */
    uint64_t n_zero_mismatch;             /* of these r == 0 */
    uint64_t n_above[VERIFY_EDGES];       /* of these |r - c| >= edge |r| */
    /* Of the elements with |r| above rel_floor: all, those that are equal, and |r| as above. */
    uint64_t n_large, n_large_equal, n_large_above[VERIFY_EDGES];
    bool out_of_range; /* a magnitude that is negative, NaN or above the limit */
};

typedef void verify_pass_fn(const struct pass_input *input, struct pass_totals *ret);

/* By kind; NULL: not there, the outputs must be converted to doubles. */
extern verify_pass_fn *const verify_passes_portable[PASS_KINDS];
#if defined(__x86_64__)
extern verify_pass_fn *const verify_passes_avx2[PASS_KINDS];
extern verify_pass_fn *const verify_passes_avx512[PASS_KINDS];
#endif

/* The fastest there is for outputs of this format, or as verify_use_path said; NULL if there is
 * none. It reads outputs as they are, or as doubles. */
verify_pass_fn *verify_pass_for(uint32_t format, bool *ret_reads_output);
struct pass_format verify_pass_format(const struct gb_check *check, double rel_floor);
bool verify_pass_holds(const struct pass_format *format, const struct pass_totals *totals);

static inline double tolerance_of_element(const struct bound_factors *factors, double magnitude,
                                          double reference)
{
    double sum = rounded_product(factors->sum, magnitude);
    double rounding = rounded_product(factors->rounding, reference < 0 ? -reference : reference);
    return sum + rounding + factors->smallest;
}

static inline double variance_of_element(const struct noise_factors *factors, double partials,
                                         double clamped)
{
    double sum = rounded_product(factors->sum, partials);
    double rounding = rounded_product(rounded_product(factors->rounding, clamped), clamped);
    return sum + rounding + factors->smallest;
}

struct bound_factors bound_factors_of(const struct gb_check *check);
struct noise_factors noise_factors_of(const struct gb_check *check);

/* GB_INVALID if the bound of the check is invalid, else GB_OK. */
int32_t verify_refuse_bound(const struct gb_check *check, const char *name, struct gb_error *error);
