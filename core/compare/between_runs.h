/*
 * between_runs.h - by how much runs of a case differ that are the same, of earlier runs of it.
 *
 * y of a run is the mean of the logs of its n rounds. S2 is the variance of y within the segments
 * of runs between which nothing changed (change_points.h), of f = runs - segments degrees; W is the
 * mean of s_w^2 / n, s_w^2 the variance of rounds pooled over the runs. The case's own estimate is
 * S2 - W; that of all cases the mean of theirs, weighted by f. Where runs are few the latter counts
 * as f0 = BETWEEN_PRIOR runs, or as many as the other cases have:
 *
 *     variance = max(S2 - W, min((f (S2 - W) + f0 pooled) / (f + f0), S2 f / X - W), 0)
 *
 * of f + f0 degrees, X the 1 % quantile of chi squared of f degrees: so a case that varies more
 * than others keeps its own (of a mean alone the noisiest tenth of the cases would be called too
 * often), and one that varies less is given no more than its own runs leave open. Below
 * BETWEEN_LEAST degrees nothing is known: an interval would be of no use.
 */
#pragma once

#include "core/compare/change_points.h"

enum { BETWEEN_PRIOR = 4, BETWEEN_LEAST = 3 };

/* Earlier runs of one case in order, and what they say. */
struct earlier_runs {
    struct history_run *runs;
    size_t n;
    struct between_runs between;
};

/* Sets `between` of each. margin: of changes. */
void between_runs_estimate(struct earlier_runs *cases, size_t n, double margin);
