/*
 * long_summary.h - the summary of more values than should be in memory at a time.
 *
 * Exact: the same numbers as summary_of, from several passes over the values in parts and a few MiB
 * of memory, however many there are. Each pass finds 16 more bits of the values at the ranks that
 * the quantiles need, by counting (a radix selection).
 *
 *   struct long_summary *summary = long_summary_new();
 *   while (long_summary_begin_pass(summary))
 *       for each part: long_summary_add(summary, values, n);
 *   ... long_summary_get(summary); long_summary_free(summary);
 *
 * Values that are not finite are left out. All passes must see the same values, in any order; mean
 * and standard deviation are summed in the order of the first and the second.
 */
#pragma once

#include "core/base/statistics.h"

#include <stdbool.h>

struct long_summary;

struct long_summary *long_summary_new(void);
/* False: no further pass is needed. */
bool long_summary_begin_pass(struct long_summary *summary);
void long_summary_add(struct long_summary *summary, const double *values, size_t n);
/* After the last pass. */
struct summary long_summary_get(const struct long_summary *summary);
void long_summary_free(struct long_summary *summary); /* NULL allowed */
