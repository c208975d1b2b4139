/*
 * change_points.h - where in a history of runs a case has become slower or faster.
 *
 * The unit is the run, since runs differ by more than their rounds do: y = mean of the logs of its
 * rounds. A segment of N runs is split where Student's t (equal variances, N - 2 degrees) between
 * both sides is largest, or around the part that differs most from all the rest of it (circular
 * binary segmentation; Olshen, Venkatraman, Lucito, Wigler, 2004), if p times the number of such
 * places, and times two for the two forms, is at most alpha; then its parts are looked at again.
 *
 * Neighbouring segments are compared by t over their y, with the deviation of all runs from their
 * segments' means; where the interval of the ratio holds 1, or the estimate is within the margin,
 * they are united. Of two runs alone the rounds are compared as those of two runs are
 * (compare_unpaired), and drift between them is in the ratio.
 */
#pragma once

#include "core/compare/comparison.h"

struct history_run {
    const double *values;              /* of its rounds, above 0 */
    size_t n;                          /* 1 at least */
    double step_ratio, interval_ratio; /* as of struct compared_side */
};

struct change_point {
    size_t at;                /* the first run behind it */
    struct comparison result; /* of the segment behind it with the one before it */
};

/* The p by which the whole series is split or not, as above; at most 1. NaN: n < 2. */
double change_points_p(const struct history_run *runs, size_t n, double confidence);

/* In order; *ret is the caller's to free. Returns how many. */
size_t change_points_find(const struct history_run *runs, size_t n, double margin,
                          double confidence, struct change_point **ret);
