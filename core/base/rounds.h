/*
 * rounds.h - one interval for a case that was measured in several rounds.
 *
 * A round is a fresh creation of the case, some time after the one before. What changes from one
 * creation or one minute to the next (placement, clocks, neighbours) is the same for all samples of
 * a round, so that a round's own interval cannot hold it: only the rounds together can.
 *
 *   centre   the median of the rounds' medians m_1 ... m_R
 *   between  mean(m) -+ t s(m) / sqrt(R): Student's t at the confidence, R - 1 degrees of freedom,
 *            s with R - 1; for R >= 2. United with the sign interval, from R on that has one (6 at
 *            95 %): the k-th lowest to the k-th highest, where it is improbable enough that fewer
 *            than k of R lie on one side of the median. Placements are often two, not normal, and t
 *            alone holds less than it says then
 *   within   [median(low_1 ... low_R), median(high_1 ... high_R)], of rounds' intervals that reach
 *            f_i + (h_i - f_i) / sqrt(R) to a side in place of h_i: what is chance in a round
 *            averages over R of them, what is fixed (the timer's step) does not
 *   combined from the lower of their low ends to the higher of their high ends
 *
 * So the combined interval is never narrower than what the rounds' own allow, and as wide as the
 * between-round variation asks for. It holds the centre: where low_i <= m_i <= high_i the medians
 * are in that order too.
 *
 * How far the next round may lie from the centre, without its own chance: a normal one does not
 * exceed t sqrt(d^2 + s^2 / R), where d^2 = s^2 - 0.7 w^2 (0 at least) is what rounds differ by
 * beyond their chance, and w that: the root mean square of (h_i - f_i) / t_i, t_i of n_i - 1
 * degrees, n_i the samples of a round: of few its interval is wide beside its chance. Of all w^2
 * s^2 would be below it in half of the cases, and what noise hides be called none: of states of
 * 0.75 times a precision under as much noise 11 % of the cases held for a next one that was off, of
 * 0.7 w^2 5 %. Nor is it expected nearer than any of these certainly was: |m_i - centre| - (h_i -
 * f_i) at the most.
 *
 * What a process fixes is the same for its rounds, so that processes are units, too: of
 * ROUNDS_PROCESSES_LEAST or more the next one is expected as the next round is, by the means of
 * their rounds, whose chance averages. Of fewer nothing is known of the next: t of two is 12.7.
 *
 * Where it is known when each began, the next one is expected as long after the last as these lie
 * apart on average, a. If the slope of the line of least squares through (begun_i, m_i) is more
 * than t (R - 2 degrees of freedom) of its standard errors, the next is up to t standard errors of
 * the line beyond the line there: trends are bounded as far ahead as a, and no farther.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ROUNDS_PROCESSES_LEAST = 3 };

struct rounds_interval {
    size_t n;                         /* rounds that have a time */
    double centre;                    /* NaN: none has */
    double low, high;                 /* combined; both NaN: nothing can be claimed */
    double between_low, between_high; /* NaN: fewer than two rounds */
    double within_low, within_high;   /* NaN: no round has an interval */
    double variation_ratio;           /* (largest - smallest median) / centre; NaN: n < 2 */
    double next_ratio; /* how far the next round may lie from the centre, over it; NaN: n < 2 */
    double apart_ns; /* on average from the beginning of one to that of the next; NaN: not known */
    size_t n_processes; /* that rounds were in; 0: not known */
    bool differs;       /* two rounds have intervals that do not meet: they differ by more than
                           their intervals allow */
};

/* fixed: what of its interval is not chance, to either side; infinite: all. samples: 0: many. NaN
 * begun_ns: not known. process: a number of any kind; 0: not known. */
struct round {
    double median, low, high, fixed, samples, begun_ns;
    int64_t process;
};

/*
 * A median that is not finite is a round without a time (it failed), and left out. A low or high
 * end that is NaN, low > high, or two infinite ends are a round without an interval; one infinite
 * end is an end. Of one round the interval is its own. Where no round has an interval and all
 * medians are equal nothing is claimed: the timer's resolution would look like certainty. A round
 * that began at an unknown time leaves trends out, one of an unknown process all processes.
 * confidence: in (0, 1), else there is no `between`.
 */
struct rounds_interval rounds_combine(const struct round *rounds, size_t n, double confidence);

/*
 * Does it hold for the next round as well: are there ROUNDS_LEAST or more, is the half width of
 * `combined` within the precision (a share of the centre), and so the next round? Where rounds are
 * of several levels, whatever these are, R that agree and another one that does not are an event of
 * a probability q (1 - q)^R, q being that of the other levels: (R / (R + 1))^R / (R + 1) at most,
 * 4.3 % of R = 8, and more of fewer; of levels that come and go in time, ((R - 1) / R)^(R - 1) / R,
 * 4.9 %.
 */
enum { ROUNDS_LEAST = 8 };
bool rounds_hold(const struct rounds_interval *interval, double precision);

/* Nor is more known than what rounds could see: the level of a machine that stays for longer than
 * these lasted together is the same in all. They speak for the second after them if a second lies
 * between one and the next; one that begins a little late is no reason. */
#define ROUNDS_APART_NS 0.95e9
bool rounds_are_apart(const struct rounds_interval *interval);

/* Nor of what all have in common since they share a process. Of unknown ones it is believed. */
bool rounds_are_spread(const struct rounds_interval *interval);

/* Unites `combined` with where the next round is expected, of ROUNDS_LEAST or more: as it is shown,
 * after it was judged. */
void rounds_hold_next(struct rounds_interval *interval);
