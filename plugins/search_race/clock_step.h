/*
 * clock_step.h - how much a clock that changes in steps changes samples of one visit. Plugin side.
 */
#ifndef CLOCK_STEP_H
#define CLOCK_STEP_H

#include <gbrun/gbrun.h>

/*
 * The size, relative to the lower samples, that steps within the first n samples of 1 % of the
 * cases have or exceed; 0 where fewer show one; 0.5 at most. n is below 64; of a large space some
 * cases stand for all. GB_NO_MEMORY.
 */
int32_t clock_step_find(const struct gb_host *host, const struct gb_search_space *space, uint64_t n,
                        double *ret_step);

#endif
