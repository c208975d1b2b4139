/* check.h - a comparison of an output with its reference, for host->check. */
#ifndef GBRUN_CHECK_H
#define GBRUN_CHECK_H

#include <gbrun/abi.h>

/*
 * Arrays hold n elements and are host memory. The tolerances that count are the user's (check.abs,
 * check.rms, ... in bench.ini); where there is none, the benchmark's default_metric and
 * default_tolerance; where that metric is NULL, too: integers are equal, sums whose magnitude and
 * n_products are given are within their bound, others within 8 units of round-off of their format
 * (as rms; a single element as rel).
 */
struct gb_check {
    uint32_t size;
    uint32_t format;         /* GB_F64 ...: of `output` */
    const char *name;        /* "C", for messages; one comparison of each name a case */
    uint64_t n;              /* elements */
    const void *output;      /* what the code under test computed */
    const double *reference; /* float64, not rounded to the output's format */
    const double *magnitude; /* for the bound: sum |a||b| an element; NULL if not known */
    uint64_t n_products;     /* for the bound: terms in each sum (K); 0 if not known */
    uint32_t accumulate;     /* for the bound: the format that sums are kept in; 0: the output's */
    uint32_t flags;          /* GB_CHECK_... */
    const char *default_metric; /* "abs", "rms", "bound" ...: as check.METRIC */
    double default_tolerance;
    double safety;                 /* for the bound: its factor; 0: 1 */
    uint32_t bound;                /* for the bound: GB_BOUND_... */
    uint32_t summation;            /* for the bound: GB_SUM_... */
    uint32_t products_at_once;     /* for the bound: products in one step of a sum (b); 0: 1 */
    uint32_t extra_bits;           /* GB_SUM_ALIGNED: bits kept below those of the sum (f) */
    const void *reference_exact;   /* n elements in the output's format, in place of `reference`,
                                      which may be NULL then: integers beyond 2^53 have no float64.
                                      Every element must match, as by GB_CHECK_EXACT */
    const double *partial_squares; /* for the noise, beside `magnitude`: an element's T2, the sum of
                                      the squares of its K partial sums, of which every b-th and
                                      the last are taken; NULL if not known */
    uint64_t n_terms; /* for the bound: K where n_products is less, the longest chain of additions
                         of a sum that is a tree: every product may underflow; 0: n_products */
};

/* What is assumed of the rounding errors in a sum. */
enum {
    GB_BOUND_AUTO = 0, /* the second where sums are rounded to nearest and signs differ, by the
                          arrays; else the third */
    GB_BOUND_PROBABILISTIC = 1, /* of both directions, no matter what came before */
    GB_BOUND_DETERMINISTIC = 2  /* all of them the worst, all in one direction */
};

/*
 * How the steps of a sum are rounded; b products that are one step are summed exactly in it.
 * GB_SUM_ALIGNED is what tensor cores do: b products and the sum so far are cut off f bits below
 * the largest of them, added, and truncated. V100: b 4, f 0; A100 (fp16): 8, 1; H100: 16, 2.
 */
enum {
    GB_SUM_NEAREST = 0,   /* to nearest: ordinary arithmetic with b = 1 */
    GB_SUM_TRUNCATED = 1, /* towards zero */
    GB_SUM_ALIGNED = 2
};

enum {
    GB_CHECK_EXACT = 1u,         /* every element must match to the bit; tolerances do not apply */
    GB_CHECK_ALLOW_OVERFLOW = 2u /* many infinities or NaN do not make it vacuous */
};

#endif
