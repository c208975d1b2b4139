/*
 * modes.h - whether values gather around several centres. Plugin side.
 */
#pragma once

#include "rank_index.h"

#include <gbrun/policy.h>

/* Values from edges[i] up to, but not including, edges[i + 1] are those of mode i; the first edge
 * is -inf and the last +inf. */
struct modes {
    size_t n; /* at least 1 */
    double edges[GB_MODES_MAX + 1];
    double weights[GB_MODES_MAX]; /* share of the values */
};

/*
 * Looks for peaks of a histogram that are set apart from the highest one, and from each other, by
 * valleys at most half as high and by more than chance, and by 1 % of the median at least; a mode
 * lighter than min_weight is none. Bins are as wide as Freedman and Diaconis say (On the histogram
 * as a density estimator, 1981), or 1/400 of the median or one tick, whichever is most, and no more
 * than 2048. median is above 0; there is at least one value.
 */
void modes_find(const struct retained *retained, double median, double tick, double min_weight,
                struct modes *ret);
