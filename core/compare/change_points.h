/*
 * change_points.h - where in a history of runs a case has become slower or faster.
 *
 * The unit is the run, since runs differ by more than their rounds do: y = median of the logs of
 * its rounds. Runs that something disturbed are no change: a run costs min(((y - m) / s)^2, 3^2),
 * m the level of its segment, and each further segment 12, or 3 ln n of many (biweight loss;
 * Fearnhead and Rigaill: Changepoint detection in the presence of outliers, 2019); the cheapest
 * segments are found among levels that are some run's y. s is the median of the differences of
 * neighbours, over that of a normal variable's, so that one run in four may be off, or of runs two
 * or three apart if that is larger. One run that differs costs less than a segment of its own.
 *
 * A line costs 9 in place of further segments; its slope is the median of those between the first
 * and the second half (Theil: A rank-invariant method of linear and polynomial regression analysis,
 * 1950, incomplete). Where that is cheapest, the history is a drift, and has no steps.
 *
 * Neighbouring segments are compared by t over their y, each within 3 s of its segment's median,
 * with the deviation of all runs from their segments' means; where p times the number of places at
 * which a step could be is above alpha, or the estimate is within the margin, they are united.
 * Disturbed runs may follow each other, and states come and go: so are segments of which the
 * shorter one is as long as alpha streaks or more of runs that are off. Of n runs one expects n
 * h g^(k - 1) streaks of k, h the share of runs more than 3 s from their
 * segment's median, the streak's among them, g >= h the share of these that another one follows, k
 * how many more runs of the segment are nearer to its level than to the other one. If nothing else
 * is off there is no limit, and two runs are a segment. If the newest run alone is outside what its
 * segment predicts at five times the certainty, it is given too, to be confirmed by a rerun, unless
 * more than one run and alpha of all are off. Of two runs alone the rounds are compared as those of
 * two runs are (compare_across), and drift between them is in the ratio.
 */
#pragma once

#include "core/compare/comparison.h"

struct history_run {
    const double *values;              /* of its rounds, above 0 */
    size_t n;                          /* 1 at least */
    double step_ratio, interval_ratio; /* as of struct compared_side */
};

enum change_kind { CHANGE_STEP, CHANGE_UNCONFIRMED, CHANGE_DRIFT, CHANGE_KINDS };

struct change_point {
    enum change_kind kind;
    size_t at;                /* the first run behind it; of a drift the last run */
    struct comparison result; /* of the segment behind it with the one before it; of a drift: of its
                                 last run with the first. adjusted_p: times the number of places */
};

/* In order; *ret is the caller's to free. Returns how many. */
size_t change_points_find(const struct history_run *runs, size_t n, double margin,
                          double confidence, struct change_point **ret);
