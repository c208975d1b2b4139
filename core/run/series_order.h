/*
 * series_order.h - what the order of a series' values says of its percentiles: their effective
 * sample sizes, in bounded memory.
 *
 * Up to DISTRIBUTION_EXACT values are looked at as they are. Of more it is counted, in 512 to 1024
 * blocks of one length, how many lie below the percentiles that the first ones have.
 */
#pragma once

#include "core/base/distribution.h"
#include "core/store/record.h"

#include <stdint.h>

struct series_order;

/* After each value that was added to the distribution. *order begins as NULL, and is freed by
 * free(). */
void series_order_add(struct series_order **order, const struct distribution *distribution,
                      uint64_t n, double value);

/* Of n values in all. 0: too little is known for an interval. */
void series_order_sizes(const struct series_order *order, const struct distribution *distribution,
                        uint64_t n, uint64_t ret[SERIES_LEVELS]);
