/*
 * report.h - results as pictures: rooflines, and charts of columns over parameters.
 *
 * A report collects what the pictures need from any number of views, then becomes text, which needs
 * no other program, or a page of charts. Cases that are not ok, or without a time, are left out
 * and counted. Views must be of --rows combined, so that the rounds of a case are one mark.
 *
 * Roofline: one chart for each device model and set of roofs, with the roofs that its cases are
 * compared with. A case's mark is at the intensity of its declared work; where its metrics hold
 * what hardware counters found (counted_flops, counted_bytes_l1, counted_bytes_l2,
 * counted_bytes_dram, of one iteration) there is one for each of these levels instead, and the
 * highest bandwidth of each. The marks of a case are joined by a line, and its number is in the
 * picture once, beside the rightmost; where numbers are crowded those of L1 choose first, then L2,
 * then DRAM, each in the order of cases, and what has no room is left out. Cases without operations
 * have no place on logarithmic axes; they are at the end of the list, without a number. Cases of
 * the plugin `ceilings` are the roofs, not marks. Roofs that no case is compared with are fainter.
 */
#pragma once

#include "core/base/memory.h"
#include "core/compare/relative.h"
#include "core/report/chart.h"
#include "core/store/roofs.h"

struct view;

enum { MARK_DECLARED, MARK_L1, MARK_L2, MARK_DRAM, MARK_LEVELS };
const char *mark_level_word(int level); /* "declared", "L1" ... */

struct report_case {
    const char *label;
    double flops_per_s, bytes_per_s;     /* NaN: not declared */
    double intensity[MARK_LEVELS];       /* FLOP/byte; NaN: no such mark */
    double measured_ns, model_ns, ratio; /* model and ratio NaN: no roof is known */
    double ridge;                        /* FLOP/byte, or NaN */
    const char *roof;                    /* NULL: not known */
    int bound;                           /* BOUND_... */
    const struct relative *relative;     /* to --relative-to; NULL: nothing is known */
};

struct report_chart {
    const char *model, *source; /* source NULL: no roofs are known */
    struct roofs roofs;         /* those that cases are compared with */
    struct report_case *cases;
    size_t n;
};

struct report {
    struct arena arena;
    struct report_chart *charts;
    size_t n_charts;
    const char *ratios;      /* what the ratios are, in lines; NULL: there are none */
    struct chart chart;      /* its request is set before chart_add; without panels: none */
    uint64_t n_left_out;     /* of rooflines: cases that are not ok or have no time */
    uint64_t n_without_work; /* of rooflines: cases without declared work */
};

/* path: of the view's file, where there are several; NULL. */
int32_t report_add_rooflines(struct report *report, struct view *view, const char *path,
                             struct gb_error *error);
/* What the ratios are and why some are missing; of the first view that has any. */
void report_explain_ratios(struct report *report, const struct view *view);
void report_free(struct report *report);

void report_text(const struct report *report, struct text *out);
/* A page with a panel for each roofline and each of the chart's, as high as the lists of cases;
 * memory is the arena's. Panels beyond REPORT_PANELS are left out, and the page says so. Cases of a
 * chart beyond REPORT_CASES have marks, but no number and no line in the list. */
enum { REPORT_PANELS = 12, REPORT_CASES = 80 };
void report_page(const struct report *report, struct arena *arena, struct plot_page *ret);

/* ---- for the files of this folder ---- */

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
/* Why there are cases without: "not in the picture, as they do no arithmetic:" */
const char *report_undrawn_words(const struct report_chart *chart);

/* What to do where a device has no roofs. */
extern const char report_no_roofs[];
