/*
 * steady_attempt.h - what samples say about their median if the first few are left out as warm-up,
 * and whether that will do: the rules of steady.c but for when to look. Plugin side.
 *
 * Five of them are about what a few samples cannot show:
 *  - mixing: a median is certified if the effective sample size is 26 at least, for it and for the
 *    quantiles at 10 and 90 %; and 75 for it where samples are correlated, so that there are two of
 *    them or more for each effective one. Below 1 % those of correlated samples, the tails' too,
 *    grow with the square of the precision, and 1.25 samples for an effective one are correlated:
 *    how long a level was there decides less than 1 %. An autocorrelation time is a guess where it
 *    is not much shorter than the series, and a level that was there once, at the end, hardly shows
 *    in the median but is all that there is in a tail.
 *  - settling: where something is left out as warm-up, twice the wall time that any look takes must
 *    be retained. A regime that began within the visit looks like what comes after warm-up until it
 *    ends, so warm-up is the dearer explanation.
 *  - trend: nothing is certified while times go one way, beyond chance, by more in a second, or in
 *    the time that was measured if that is longer, than a quarter of the precision.
 *  - trend bound: a certificate speaks for the second that follows as well, whose middle lies
 *    (t + 1 s) / 2 after that of the t that were measured. By then a trend that noise hides must
 * not have changed the median by more than the precision, with a confidence of 99 %; or, where that
 *    is more, than a standard deviation of the noise, so that noise above the precision takes as
 *    many samples as noise of the precision. A least-squares slope has a standard error of
 *    sqrt(12) / (t sqrt(n)) of these deviations: of 6250 samples a second 0.2 s are needed. Of
 *    the first visit of a case: what changes until further ones is between their medians.
 *  - resolution: the interval is at least half a tick to either side, as a phase that is locked
 *    shifts every sample by up to that, however wide they are spread. On few ticks, the quartiles
 *    at most two apart, it is a tick: such samples may be dithered by a phase that is anywhere,
 *    which mid-quantiles undo, or may come from a locked one close to an edge, which rounds by up
 *    to a tick always the same way; nothing in the samples tells these two apart. A median for
 * which that is too wide is "resolution limited" as soon as it is known as well as it will be: to
 * 1/20 in terms of ranks, about 1000 samples, which is within half a percent if it is dithered.
 * Where the clock guarantees that it is, the mean is certified instead (median_estimate.h).
 */
#pragma once

#include "clock_history.h"
#include "rank_index.h"

#include <gbrun/policy.h>
#include <stdbool.h>

/* Rules that can be left out, one bit each, with their words for a user. X(NAME, word, bit) */
#define STEADY_RULE_MAP(X)                                                                         \
    X(WALL_FLOOR, "wall_floor", 0)                                                                 \
    X(EFFECTIVE_SIZE, "effective_size", 1)                                                         \
    X(MID_QUANTILE, "mid_quantile", 2)                                                             \
    X(SEQUENCE, "sequence", 3)                                                                     \
    X(DISCARD, "discard", 4)                                                                       \
    X(RECURRENCE, "recurrence", 5)                                                                 \
    X(MODES, "modes", 6)                                                                           \
    X(RESOLUTION, "resolution", 7)                                                                 \
    X(CLOCKS, "clocks", 8)                                                                         \
    X(MIXING, "mixing", 9)                                                                         \
    X(SETTLING, "settling", 10)                                                                    \
    X(DITHERING, "dithering", 11)                                                                  \
    X(TREND, "trend", 12)                                                                          \
    X(TREND_BOUND, "trend_bound", 13)

enum {
#define STEADY_RULE_BIT(name, word, bit) STEADY_##name = 1 << (bit),
    STEADY_RULE_MAP(STEADY_RULE_BIT)
#undef STEADY_RULE_BIT
    /* What a further visit is not asked: it shows one state of its case, in one look mostly. */
    STEADY_OF_FIRST_VISIT = STEADY_SEQUENCE | STEADY_MIXING | STEADY_TREND_BOUND
};

struct steady_limits {
    double precision; /* of the median's interval to either side, over the median */
    double width;     /* the same that this visit has to reach: see share */
    double share;     /* of the case's samples that this visit is to take */
    double tails;     /* the same for the quantiles at 10 % and 90 %; 0: those are not asked for */
    double alpha;     /* of each interval */
    double optimal;   /* effective samples at which an interval is tightest */
    double min_mode;  /* share of the samples that makes a mode */
    uint64_t visits;  /* that each lesser mode needs */
    double ahead_ns;  /* that follows, and that a certificate speaks for, too */
    double settling_ns; /* wall time that must be retained where something is left out */
    unsigned without;   /* STEADY_...: rules left out */
};

/* What the samples say beside their times. */
struct steady_evidence {
    double tick_ns;
    bool are_dithered;
    double elapsed_ns;
    const struct clock_history *clocks;
};

struct steady_interval {
    double value, low, high;
};

/* What prevents a verdict, each with up to two figures. */
enum {
    OBSTACLE_NONE,
    OBSTACLE_THROTTLED, /* wall time needed */
    OBSTACLE_CLOCK,     /* above 0 where it rises */
    OBSTACLE_SETTLING,  /* wall time needed after the warm-up, and what there is */
    OBSTACLE_VISITS,    /* a mode's share, and how often it was entered */
    OBSTACLE_TAIL,      /* which quantile, and how far its interval reaches, as a share of it */
    OBSTACLE_WIDTH,     /* how far the interval reaches, as a share of the centre */
    OBSTACLE_MIXING,    /* effective samples needed, and what there are */
    OBSTACLE_TREND,     /* change in a second, as a share of the centre */
    OBSTACLE_BOUND      /* the same, of the most that it may be */
};

struct steady_attempt {
    int32_t verdict;   /* GB_VERDICT_NONE: it takes more samples */
    int obstacle;      /* OBSTACLE_..., if there is one */
    double figures[2]; /* of it */
    bool is_recurring; /* what was left out came again later, and was no warm-up; nothing else is
                          known then */
    bool is_throttled;
    uint64_t first, n; /* retained */
    bool is_mean;      /* the centre; else it is the median */
    struct steady_interval centre;
    double n_effective;
    uint32_t n_modes; /* 0: not looked for */
    /* What steady_attempt_describe fills in: */
    struct steady_interval tails[2];
    struct gb_mode modes[GB_MODES_MAX]; /* if there are several */
};

/* At least one value is retained. */
void steady_attempt_make(const struct steady_limits *limits, const struct steady_evidence *evidence,
                         const struct retained *retained, struct steady_attempt *ret);

/* The rest of what an attempt has to say, which takes longer; of the same retained samples. An end
 * of the interval that is not known then, where no verdict stands, is that of the order statistics
 * for a single look, by Student's distribution and an effective size reduced by how short
 * its estimate is (series_window); or the least or greatest sample: of 6 or more. */
void steady_attempt_describe(const struct steady_limits *limits,
                             const struct steady_evidence *evidence,
                             const struct retained *retained, struct steady_attempt *attempt);
