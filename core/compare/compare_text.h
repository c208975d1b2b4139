/*
 * compare_text.h - the result of a comparison as text: tables for people, and what programs read.
 *
 *   table, md  the sides and what differs between them; a row for each case: base, new, ratio with
 *              its interval, verdict (with several sides, a column for each); reasons; the
 *              geometric mean
 *   csv, json  everything, a row or an object for each case of each side; numbers in full
 *   junit      a test case for each; slower, broken and missing ones fail
 *   github     workflow commands: an annotation for each case that makes the exit code 3, and a
 *              summary
 */
#pragma once

#include "core/base/table.h"
#include "core/compare/compare.h"

enum {
    COMPARE_TABLE,
    COMPARE_MARKDOWN,
    COMPARE_CSV,
    COMPARE_JSON,
    COMPARE_JUNIT,
    COMPARE_GITHUB,
    COMPARE_FORMATS
};
int compare_format_named(const char *name); /* -1: unknown */

/* width: that tables for people have; 0: names are not cut. has_colours: theirs (colour.h). */
void compare_write(const struct compare_result *result, int format, bool is_strict, size_t width,
                   bool has_colours, struct text *out);

/* ---- for the files of this folder ---- */

/* "1.046 [1.038, 1.054]"; of no interval the ratio alone; of no ratio nothing. */
void compare_add_ratio(double theta, double low, double high, struct text *out);
/* A time with its unit, or a number with that of the metric; "-" for NaN. */
void compare_add_value(const struct outcome_metric *metric, double value, struct text *out);

int compare_colour(int verdict); /* COLOUR_... */
/* Names in the first column are cut so that a line fits; width 0: they are not. */
void compare_write_fitting(struct table *table, int style, size_t width, bool has_colours,
                           struct text *out);
/* Lines, wrapped at the width (0: a usual one); in Markdown as a list, whose renderers would join
 * them. */
void compare_add_lines(const struct text *lines, int style, size_t width, struct text *out);

/* A test case of JUnit: with a message it failed in the way of `failure`, or (NULL) was skipped. */
void compare_junit_case(const char *classname, const char *name, const char *failure,
                        const char *message, struct text *out);
/* An annotation as a workflow command; file: "" or "-" where it is of none. */
void compare_github_error(const char *file, const char *title, const char *message,
                          struct text *out);
