/*
 * report_internal.h - what the text and the page of a report share.
 */
#pragma once

#include "core/report/report.h"

/* Whole numbers, log10 of FLOP/byte and FLOP/s. */
struct report_bounds {
    double x_low, x_high, y_low, y_high;
};

/*
 * What there is to draw; false: nothing. Where a level was hardly used, which a cache does to DRAM,
 * counters give intensities of millions: what is counted does not stretch the picture to more than
 * 30 times the highest ridge point, and marks beyond are not drawn.
 */
bool report_bounds(const struct report_chart *chart, struct report_bounds *ret);
/* The highest bandwidth or rate of the chart; NaN: none. */
double report_top(const struct report_chart *chart, bool of_memory);
char *report_format_rate(const struct roof *roof, char buffer[NUMBER_TEXT_MAX]); /* "3.92 TB/s" */
/* "dram_copy 3.92 TB/s" */
void report_add_rate(const struct roof *roof, struct text *out);

/* Cases that neither rooflines nor the chart show. */
uint64_t report_left_out(const struct report *report);

/* Has it a place on the axes? */
bool report_has_mark(const struct report_case *one, int level);
bool report_is_drawn(const struct report_case *one); /* any mark */
/* Why there are cases without: "no arithmetic, so not in the picture:" */
const char *report_undrawn_words(const struct report_chart *chart);

void report_make_roofline(const struct report_chart *chart, struct arena *arena,
                          struct plot_panel *panel);

/* What to do where a device has no roofs. */
extern const char report_no_roofs[];
