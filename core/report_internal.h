/*
 * report_internal.h - what the text and the page of a report share. Floor 4.
 */
#ifndef GBRUN_CORE_REPORT_INTERNAL_H
#define GBRUN_CORE_REPORT_INTERNAL_H

#include "core/report.h"

/* log10 of FLOP/byte and FLOP/s, whole numbers. */
struct report_bounds {
    double x_low, x_high, y_low, y_high;
};

/* What there is to draw; false: nothing. */
bool report_bounds(const struct report_chart *chart, struct report_bounds *ret);
/* The highest bandwidth or rate of the chart; NaN: none. */
double report_top(const struct report_chart *chart, bool of_memory);
/* "dram_copy 3.9 TB/s" */
void report_add_rate(const struct roof *roof, struct text *out);

#endif
