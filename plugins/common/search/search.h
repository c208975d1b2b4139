/*
 * search.h - what searches share: the cases of a space in random order, what samples say of the
 * median they are drawn from, and what may be claimed of those that were taken without a plan.
 * Plugin side.
 *
 * A permutation is made as it is drawn from (Fisher and Yates), 4 bytes a case.
 *
 * Of the median, whatever the distribution: the number of n independent samples at most the median
 * m is at least Binomial(n, 1/2): so by the sign test P(k or fewer samples <= m) <= P(B <= k)
 * (Conover, Practical Nonparametric Statistics, 3.4).
 */
#pragma once

#include <gbrun/gbrun.h>

struct search_order {
    const struct gb_host *host;
    uint64_t stream; /* of random numbers */
    uint32_t *cases; /* NULL: in order */
    uint64_t n, n_drawn;
};

/* GB_NO_MEMORY, or GB_UNSUPPORTED for more than 2^32 cases. */
int32_t search_order_new(struct search_order *order, const struct gb_host *host, uint64_t n,
                         uint64_t stream);

/* The next one; GB_NO_CASE after the last. */
uint64_t search_order_draw(struct search_order *order);

/* A number below n > 0 by draw `index` of a stream; its bias is below n / 2^64. */
uint64_t search_random_below(const struct gb_host *host, uint64_t stream, uint64_t index,
                             uint64_t n);

/* The most samples k of n such that P(Binomial(n, 1/2) <= k) <= error; -1: not even none. */
int64_t sign_most(uint64_t n, double error);

/* An upper bound of the median: the lowest sample that is above it but for the error. INFINITY: too
 * few samples. scratch holds n. sign_lower: likewise a lower bound, or -INFINITY. */
double sign_upper(const double *samples, uint64_t n, double error, double *scratch);
double sign_lower(const double *samples, uint64_t n, double error, double *scratch);

/*
 * Of a series of looks at 1, 2, 4, ... times `first` samples, the errors that are allowed: half of
 * what is left is spent at each, so that all of them together stay below `error`. The first is
 * given what six samples need (2^-6 of 2.5 %), and more.
 * Returns 0 where n is not a look: no decision at that number.
 */
double sign_look_error(uint64_t n, uint64_t first, double error);

/* What is known of case i. */
static inline struct gb_known search_known(const struct gb_search_space *space, uint64_t i)
{
    struct gb_known known = {.size = sizeof known};
    space->known(space, i, &known);
    return known;
}

/* May it be the best: was it observed, as ok, with samples? */
int search_may_be_best(const struct gb_known *known);

/* The highest value that a case may have which is better than `value` by more than the tolerance.
 */
double search_limit(double value, double tolerance);

/*
 * The lowest median as the best of those measured, with the interval of the sign test. Open are the
 * cases whose samples do not say that they are not better by more than the tolerance: half of the
 * error is the best one's upper end, divided by the number of cases measured as it was chosen among
 * them, the other half that of the true best one's samples. GB_NO_MEMORY.
 */
int32_t search_claim_measured(const struct gb_host *host, const struct gb_search_space *space,
                              struct gb_search_claim *claim);

/* The functions of a search; `observe` has its name in all of them. */
#define SEARCH_OPS(create_, propose_, report_, destroy_)                                           \
    {                                                                                              \
        .size = sizeof(struct gb_search_ops), .create = (create_), .propose = (propose_),          \
        .observe = observe, .report = (report_), .destroy = (destroy_)                             \
    }
