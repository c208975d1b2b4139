/*
 * search_claim.h - what samples that were taken without a plan allow to be claimed. Plugin side.
 */
#ifndef SEARCH_CLAIM_H
#define SEARCH_CLAIM_H

#include <gbrun/gbrun.h>

/* May it be the best: was it observed, as ok, with samples? */
int search_may_be_best(const struct gb_known *known);

/* The case with the lowest median, the first of equals; or GB_NO_CASE. */
uint64_t search_lowest(const struct gb_search_space *space);

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

#endif
