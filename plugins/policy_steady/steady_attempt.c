/* steady_attempt.c - see steady_attempt.h. Plugin side. */
#include "steady_attempt.h"

#include "modes.h"
#include "plugins/common/policy/median_estimate.h"
#include "plugins/common/policy/order_statistics.h"

#include <math.h>
#include <string.h>

static const double TAILS[2] = {0.1, 0.9};
static const double WARM_UP_RANGE = 0.025; /* at either end, that warm-up may lie in */
static const double FEW_TICKS = 2.0;       /* between the quartiles */
static const double NARROW_RADIUS = 1.0 / 20.0;
static const double WEIGHT_PRECISION = 0.1;
static const double THROTTLED_FLOOR_NS = 3e9;
static const double EFFECTIVE_MIN = 26.0;    /* of the median and of TAILS */
static const double CORRELATED_MIN = 75.0;   /*   the median needs so many at 1 % */
static const double CORRELATED_BELOW = 1.25; /* samples for an effective one; 2 at 1 % */
static const double TREND_MIN = 2.5;         /* Student's t */
static const double TREND_SHARE = 0.25;      /* of the precision, that a trend may change in
                                                  the time ahead, or as long as was measured */
static const double BOUND_ERRORS = 2.4;      /* standard errors: to one side, 99 % */
static const double DENSITY_HALF = 0.05;     /* of the samples, to either side of a quantile */
static const double FOLLOWING = 3.0;         /* standard errors */
static const double FOLLOWING_SHARE = 0.5;   /* of the precision, between two levels of the clock */

/* The parts of one attempt. */
struct work {
    const struct steady_limits *limits;
    const struct steady_evidence *evidence;
    const struct retained *retained;
    struct steady_attempt *attempt;
    struct series_places places;
};

static bool has(const struct work *work, unsigned rule)
{
    return (work->limits->without & rule) == 0;
}

/* No verdict yet, and why. */
static int32_t blocked(const struct work *work, int obstacle, double first, double second)
{
    struct steady_attempt *attempt = work->attempt;
    attempt->obstacle = obstacle;
    attempt->figures[0] = first;
    attempt->figures[1] = second;
    return GB_VERDICT_NONE;
}

/* --- quantiles and their intervals --- */

static double quantile(const struct work *work, double p)
{
    return has(work, STEADY_MID_QUANTILE) ? mid_quantile(work->retained, p, work->evidence->tick_ns)
                                          : plain_quantile(work->retained, p);
}

static double radius(const struct work *work, double n_effective)
{
    const double alpha = work->limits->alpha;
    return has(work, STEADY_SEQUENCE)
               ? confidence_sequence_radius(n_effective, alpha, work->limits->optimal)
               : normal_quantile(1.0 - 0.5 * alpha) / (2.0 * sqrt(n_effective));
}

/* How many retained samples up to each of the places, and how many in all, lie below a value, and
 * how many do not lie above it. */
struct counts {
    uint64_t below[SERIES_PLACES_MAX], not_above[SERIES_PLACES_MAX];
    uint64_t n_below, n_not_above;
};

/* Of the first places[i] retained samples: how many lie below a value, and how many not above it.
 */
static void count_up_to(const struct retained *retained, double value, const uint64_t *places,
                        size_t n, uint64_t *ret_below, uint64_t *ret_not_above)
{
    const uint64_t first = rank_from(retained->index, value);
    const uint64_t behind = rank_behind(retained->index, value);
    retained_count(retained, first, places, n, ret_below);
    if (behind > first)
        retained_count(retained, behind, places, n, ret_not_above);
    else
        memcpy(ret_not_above, ret_below, n * sizeof *ret_below);
}

static void count(const struct work *work, double value, struct counts *ret)
{
    const struct series_places *places = &work->places;
    count_up_to(work->retained, value, places->at, places->n_places, ret->below, ret->not_above);
    ret->n_below = ret->below[places->n_places - 1];
    ret->n_not_above = ret->not_above[places->n_places - 1];
}

/* Twice the sums of "is below a value, or half if equal" up to the places. Returns its variance. */
static double indicator_sums(const struct work *work, double value, int64_t *ret_twice_sums)
{
    struct counts counts;
    count(work, value, &counts);
    for (size_t i = 0; i < work->places.n_places; i++)
        ret_twice_sums[i] = (int64_t)(counts.below[i] + counts.not_above[i]);
    return indicator_variance(counts.n_below, counts.n_not_above, work->retained->n);
}

/* The effective sample size of those retained for a quantile with this value. */
static double effective_size(const struct work *work, double value)
{
    const uint64_t n = work->retained->n;
    if (!has(work, STEADY_EFFECTIVE_SIZE))
        return (double)n;
    int64_t twice_sums[SERIES_PLACES_MAX];
    const double variance = indicator_sums(work, value, twice_sums);
    return (double)n / series_time(&work->places, twice_sums, variance);
}

/* Of the quantile p, among a share of all samples whose effective size is n_effective. */
static struct steady_interval interval_of(const struct work *work, double p, double share,
                                          double value, double n_effective)
{
    const double half = radius(work, n_effective);
    struct steady_interval interval = {value, (double)-INFINITY, (double)INFINITY};
    if (half < 0.5 && p - half * share > 0.0)
        interval.low = quantile(work, p - half * share);
    if (half < 0.5 && p + half * share < 1.0)
        interval.high = quantile(work, p + half * share);
    return interval;
}

/* To the end that is farther. */
static double reach(const struct steady_interval *interval)
{
    return fmax(interval->high - interval->value, interval->value - interval->low);
}

/* --- the timer resolution --- */

/* Whether their phase against the ticks is uniform, and not locked. */
static bool are_dithered(const struct work *work)
{
    return work->evidence->are_dithered && work->evidence->tick_ns > 0.0 &&
           has(work, STEADY_DITHERING);
}

/* Whether the middle half of the samples around p, a share of all, sits on few ticks. */
static bool sits_on_few_ticks(const struct work *work, double p, double share)
{
    const double tick = work->evidence->tick_ns;
    const double quartiles = retained_at_share(work->retained, p + 0.25 * share) -
                             retained_at_share(work->retained, p - 0.25 * share);
    return has(work, STEADY_RESOLUTION) && tick > 0.0 && quartiles <= FEW_TICKS * tick;
}

/* How far every time may be off, always the same way, if the phase is locked: half a tick where
 * samples are spread over many, since the phase is anywhere; on few ticks a time is rounded down or
 * up by up to a whole one. */
static double rounding(const struct work *work, double p, double share)
{
    return sits_on_few_ticks(work, p, share) ? work->evidence->tick_ns
                                             : 0.5 * work->evidence->tick_ns;
}

static struct steady_interval widened(const struct work *work,
                                      const struct steady_interval *interval, double by)
{
    if (!has(work, STEADY_RESOLUTION))
        by = 0.0;
    return (struct steady_interval){interval->value, fmin(interval->low, interval->value - by),
                                    fmax(interval->high, interval->value + by)};
}

/* The mean, where it tells what the median cannot. */
static bool take_mean(struct work *work)
{
    const struct retained *retained = work->retained;
    struct steady_attempt *attempt = work->attempt;
    struct dithered_mean mean;
    if (!are_dithered(work) ||
        !dithered_mean_of(retained->index->values + retained->first, &work->places,
                          retained_at_share(retained, 0.5),
                          retained_at_share(retained, 0.75) - retained_at_share(retained, 0.25),
                          work->evidence->tick_ns, &mean))
        return false;
    if (!has(work, STEADY_EFFECTIVE_SIZE))
        mean.n_effective = (double)mean.n;
    const double half = dithered_mean_half_width(&mean, radius(work, mean.n_effective));
    attempt->is_mean = true;
    attempt->n_effective = mean.n_effective;
    attempt->centre = (struct steady_interval){mean.value, mean.value - half, mean.value + half};
    return true;
}

/* Resolution limited is where ticks make the interval too wide, and where more samples would not
 * tell: where the rounding alone is too much it takes as many as tell the value if they are
 * dithered; else, on few ticks, the interval has become narrow in terms of ranks. */
static void respect_ticks(struct work *work)
{
    struct steady_attempt *attempt = work->attempt;
    const double wanted = work->limits->precision * attempt->centre.value;
    if (are_dithered(work) || !(work->evidence->tick_ns > 0.0) || !has(work, STEADY_RESOLUTION))
        return;
    const double by = rounding(work, 0.5, 1.0);
    const double n = by > wanted ? (double)attempt->n : attempt->n_effective;
    const bool is_few = sits_on_few_ticks(work, 0.5, 1.0);
    if (by > wanted && !is_few) { /* it adds to what the samples leave open */
        attempt->centre.low -= by;
        attempt->centre.high += by;
    }
    attempt->centre = widened(work, &attempt->centre, by);
    if (reach(&attempt->centre) > wanted && radius(work, n) <= NARROW_RADIUS &&
        (by > wanted || is_few))
        attempt->verdict = GB_VERDICT_RESOLUTION_LIMITED;
}

static void take_median(struct work *work, double value)
{
    struct steady_attempt *attempt = work->attempt;
    attempt->n_effective = effective_size(work, value);
    attempt->centre = interval_of(work, 0.5, 1.0, value, attempt->n_effective);
    respect_ticks(work);
}

/* --- modes --- */

/*
 * A mode's share of the samples, and its median with an interval. The median of a mode is a ratio:
 * its error is that of the mean of J, which is 1/2 below the median, -1/2 above it and 0 outside
 * the mode, over the share. So the effective size of n samples is share^2 n / (4 times the variance
 * of J times its autocorrelation time) independent ones of the mode.
 */
static double effective_size_of_mode(const struct work *work, const struct counts *low,
                                     const struct counts *high, const struct counts *median)
{
    const double n = (double)work->retained->n;
    const uint64_t n_members = high->n_below - low->n_below;
    const double share = (double)n_members / n;
    int64_t twice_sums[SERIES_PLACES_MAX];
    if (!has(work, STEADY_EFFECTIVE_SIZE))
        return (double)n_members;
    for (size_t i = 0; i < work->places.n_places; i++)
        twice_sums[i] = (int64_t)(median->below[i] + median->not_above[i]) -
                        (int64_t)(low->below[i] + high->below[i]);
    const double twice_sum = (double)(median->n_below + median->n_not_above) -
                             (double)(low->n_below + high->n_below);
    const double mean = 0.5 * twice_sum / n;
    const double n_equal = (double)(median->n_not_above - median->n_below);
    const double variance = 0.25 * ((double)n_members - n_equal) / n - mean * mean;
    if (!(variance > 0.0))
        return (double)n_members;
    const double effective = share * share * n /
                             (4.0 * variance * series_time(&work->places, twice_sums, variance));
    return fmin(effective, (double)n_members);
}

/* Of the share, for which every sample counts, member or not. */
static double effective_size_of_share(const struct work *work, const struct counts *low,
                                      const struct counts *high)
{
    const double n = (double)work->retained->n;
    const double share = (double)(high->n_below - low->n_below) / n;
    int64_t twice_sums[SERIES_PLACES_MAX];
    if (!has(work, STEADY_EFFECTIVE_SIZE))
        return n;
    for (size_t i = 0; i < work->places.n_places; i++)
        twice_sums[i] = 2 * (int64_t)(high->below[i] - low->below[i]);
    return n / series_time(&work->places, twice_sums, share * (1.0 - share));
}

/* The median of a mode with its interval. */
static struct gb_mode measured_mode(const struct work *work, const struct counts *low,
                                    const struct counts *high)
{
    const double n = (double)work->retained->n;
    const double n_members = (double)(high->n_below - low->n_below);
    const double share = n_members / n;
    const double p = ((double)low->n_below + 0.5 * n_members) / n;
    const double value = quantile(work, p);
    struct counts median;
    count(work, value, &median);
    struct steady_interval interval = interval_of(work, p, share, value,
                                                  effective_size_of_mode(work, low, high, &median));
    if (!are_dithered(work))
        interval = widened(work, &interval, rounding(work, p, share));
    return (struct gb_mode){value, interval.low, interval.high, share};
}

/* Fills in the modes, and whether their shares and medians are known well enough. Unless all of
 * them are `described`, ends at the first that is not. */
static bool measure_modes(const struct work *work, const struct modes *modes, bool described,
                          struct gb_mode *ret)
{
    const double wanted = work->limits->precision * work->attempt->centre.value;
    struct counts counts[2];
    bool are_known = true;
    count(work, modes->edges[0], &counts[0]);
    for (size_t i = 0; i < modes->n && (are_known || described); i++) {
        struct counts *low = &counts[i % 2];
        struct counts *high = &counts[(i + 1) % 2];
        count(work, modes->edges[i + 1], high);
        if (radius(work, effective_size_of_share(work, low, high)) > WEIGHT_PRECISION) {
            are_known = false;
            if (!described)
                break;
        }
        ret[i] = measured_mode(work, low, high);
        const struct steady_interval interval = {ret[i].median_ns, ret[i].low_ns, ret[i].high_ns};
        are_known = are_known && reach(&interval) <= wanted;
    }
    return are_known;
}

/* Whether each mode but the heaviest was entered often enough. */
static bool were_visited(const struct work *work, const struct modes *modes)
{
    size_t heaviest = 0;
    for (size_t i = 1; i < modes->n; i++) {
        if (modes->weights[i] > modes->weights[heaviest])
            heaviest = i;
    }
    for (size_t i = 0; i < modes->n; i++) {
        if (i == heaviest)
            continue;
        const uint64_t visits = retained_visits(work->retained, modes->edges[i],
                                                modes->edges[i + 1], work->limits->visits);
        if (visits < work->limits->visits)
            return blocked(work, OBSTACLE_VISITS, modes->weights[i], (double)visits), false;
    }
    return true;
}

/* --- the rules together --- */

/* Whether what was left out came again: at least half of its first half lies where nearly all of
 * the retained samples lie. Then it was a regime that recurs, not warm-up; unless it was one of
 * another clock, which times that scatter more than they follow do not show. */
static bool is_recurring(const struct work *work)
{
    const struct retained *retained = work->retained;
    const uint64_t half = retained->first / 2;
    if (has(work, STEADY_CLOCKS) &&
        clock_history_has_left(work->evidence->clocks, half, retained->first,
                               work->limits->precision))
        return false;
    const double low = retained_at_share(retained, WARM_UP_RANGE);
    const double high = retained_at_share(retained, 1.0 - WARM_UP_RANGE);
    uint64_t inside = 0;
    for (uint64_t i = 0; i < half; i++) {
        const double value = retained->index->values[i];
        inside += (uint64_t)((value >= low) & (value <= high));
    }
    return retained->first > 0 && 2 * inside >= half;
}

/* What the median changes by, where so much more often times lie below it; of a trend without
 * noise. */
static double shift_of(const struct work *work, double change)
{
    const double half = fmin(0.5 * fabs(change), 0.375);
    return copysign(quantile(work, 0.5 + half) - quantile(work, 0.5 - half), change);
}

/* Whether there are more times below the median where the clock is higher, by more than chance, as
 * many benchmarks do not depend on the clock that is known; and whether they would leave the wanted
 * interval if the clock went as far once more: the median lies between those of the two levels. */
static bool follows(const struct work *work, const struct clock_trend *trend)
{
    const uint64_t places[2] = {trend->turn - work->retained->first, work->retained->n};
    const double value = work->attempt->centre.value;
    uint64_t below[2];
    uint64_t not_above[2];
    count_up_to(work->retained, value, places, 2, below, not_above);
    const double before = (double)places[0];
    const double behind = (double)(places[1] - places[0]);
    const double change = 0.5 *
                          ((double)(below[1] - below[0] + not_above[1] - not_above[0]) / behind -
                           (double)(below[0] + not_above[0]) / before);
    const double error = 0.5 * sqrt(1.0 / before + 1.0 / behind);
    return (trend->is_rising ? change : -change) > FOLLOWING * error &&
           fabs(shift_of(work, change)) > FOLLOWING_SHARE * work->limits->precision * value;
}

/* Nothing is guaranteed while the device is throttled, or its clock is on its way. */
static bool clocks_allow(const struct work *work)
{
    const struct steady_evidence *evidence = work->evidence;
    if (!has(work, STEADY_CLOCKS))
        return true;
    if (work->attempt->is_throttled && has(work, STEADY_WALL_FLOOR) &&
        evidence->elapsed_ns < THROTTLED_FLOOR_NS)
        return blocked(work, OBSTACLE_THROTTLED, THROTTLED_FLOOR_NS, 0.0), false;
    const struct clock_trend trend = clock_history_trend(evidence->clocks, work->retained->first,
                                                         work->limits->precision);
    if (!trend.is_there || !follows(work, &trend))
        return true;
    return blocked(work, OBSTACLE_CLOCK, trend.is_rising ? 1.0 : -1.0, 0.0), false;
}

/* The variance of "is below a quantile" is p (1 - p), and that of the median's 1/4. */
static struct steady_interval tail_of(const struct work *work, double p)
{
    const double value = quantile(work, p);
    const struct steady_interval tail = interval_of(work, p, 2.0 * sqrt(p * (1.0 - p)), value,
                                                    effective_size(work, value));
    const bool is_exact = are_dithered(work) && !sits_on_few_ticks(work, 0.5, 1.0);
    return widened(work, &tail, is_exact ? 0.0 : rounding(work, 0.5, 1.0));
}

/* Whether the intervals of the tails, if they are asked for, are narrow enough. */
static bool are_tails_known(const struct work *work)
{
    for (size_t i = 0; i < 2 && work->limits->tails > 0.0; i++) {
        const struct steady_interval tail = tail_of(work, TAILS[i]);
        if (reach(&tail) > work->limits->tails * tail.value)
            return blocked(work, OBSTACLE_TAIL, TAILS[i], reach(&tail) / tail.value), false;
    }
    return true;
}

/* A tail has no mean of its own: dithered or not, its interval is a tick to either side. */
static bool ticks_hide_tails(const struct work *work)
{
    return work->attempt->is_mean && work->limits->tails > 0.0 &&
           sits_on_few_ticks(work, 0.5, 1.0) &&
           work->evidence->tick_ns > work->limits->tails * quantile(work, TAILS[0]);
}

/* Whether there are so many effective samples: few will do where samples do not depend on each
 * other. An error goes with the root of their number. */
static bool has_effective(const struct work *work, double n_effective, double correlated_min)
{
    const double finer = fmax(1.0, 0.01 / work->limits->precision);
    const double correlated = fmax(CORRELATED_BELOW, 1.0 + 1.0 / (finer * finer));
    const double wanted = (double)work->retained->n > correlated * n_effective
                              ? correlated_min * finer * finer
                              : EFFECTIVE_MIN;
    if (n_effective >= wanted)
        return true;
    return blocked(work, OBSTACLE_MIXING, wanted, n_effective), false;
}

/* Whether samples came back to where they were often enough to know how long they stay. */
static bool is_mixed(const struct work *work)
{
    if (!has(work, STEADY_MIXING))
        return true;
    if (!has_effective(work, work->attempt->n_effective, CORRELATED_MIN))
        return false;
    for (size_t i = 0; i < 2; i++)
        if (!has_effective(work, effective_size(work, retained_at_share(work->retained, TAILS[i])),
                           EFFECTIVE_MIN))
            return false;
    return true;
}

/* The wall time of the retained samples. */
static double retained_ns(const struct work *work)
{
    const struct retained *retained = work->retained;
    return work->evidence->elapsed_ns * (double)retained->n /
           (double)(retained->first + retained->n);
}

/* A regime that began within the visit looks like what comes after warm-up. */
static bool has_settled(const struct work *work)
{
    const double settled_ns = retained_ns(work);
    if (work->retained->first == 0 || !has(work, STEADY_SETTLING) ||
        !has(work, STEADY_WALL_FLOOR) || settled_ns >= work->limits->settling_ns)
        return true;
    return blocked(work, OBSTACLE_SETTLING, work->limits->settling_ns, settled_ns), false;
}

/* --- trends --- */

/* Together 93 % as efficient as a mean of normal times. */
static const double TREND_SHARES[] = {0.5, 0.1, 0.3, 0.7, 0.9};
enum { TREND_QUANTILES = sizeof TREND_SHARES / sizeof TREND_SHARES[0] };

/* Adds the mean of "is below a value" of each stretch. */
static void add_stretches(const struct work *work, double value, const uint64_t *ends, size_t n,
                          double *to)
{
    uint64_t below[SERIES_BATCHES];
    uint64_t not_above[SERIES_BATCHES];
    count_up_to(work->retained, value, ends, n, below, not_above);
    uint64_t before = 0;
    uint64_t begin = 0;
    for (size_t i = 0; i < n; i++) {
        to[i] += 0.5 * (double)(below[i] + not_above[i] - before) / (double)(ends[i] - begin);
        before = below[i] + not_above[i];
        begin = ends[i];
    }
}

/* How much more often the first quarter of the stretches is below the median than the last. */
static double change_of(const double *stretches, size_t n)
{
    const size_t quarter = n / 4;
    double change = 0.0;
    for (size_t i = 0; i < quarter; i++)
        change += (stretches[i] - stretches[n - 1 - i]) / (double)quarter;
    return change;
}

/* Of the retained samples, by their ranks, as these know no outliers. */
struct trend {
    double change; /* of the median in the three quarters of the wall time between the middles of
                      the first quarter and of the last */
    double most;   /*   and the most that times may change by in all of it */
    double noise;  /* standard deviation of times that were independent */
    bool is_there; /* beyond chance */
};

/* What times change by where so much more often, for all TREND_SHARES together, they lie below. A
 * uniform phase spreads what lies on a tick over its width. */
static double shift_for(const struct work *work, double change)
{
    const double narrowest = work->evidence->tick_ns *
                             (are_dithered(work) ? 2.0 * DENSITY_HALF : 1.0);
    double density = 0.0;
    for (size_t i = 0; i < TREND_QUANTILES; i++) {
        const double width = quantile(work, TREND_SHARES[i] + DENSITY_HALF) -
                             quantile(work, TREND_SHARES[i] - DENSITY_HALF);
        if (isfinite(width)) /* there may be no such rank */
            density += 2.0 * DENSITY_HALF / fmax(width, narrowest);
    }
    return density > 0.0 ? change / density : 0.0;
}

/* False: of so few samples nothing is known. */
static bool find_trend(const struct work *work, struct trend *ret)
{
    const struct retained *retained = work->retained;
    const size_t n = retained->n < SERIES_BATCHES ? (size_t)retained->n : SERIES_BATCHES;
    double stretches[SERIES_BATCHES] = {0.0};
    uint64_t ends[SERIES_BATCHES];
    for (size_t i = 0; i < n; i++)
        ends[i] = (i + 1) * retained->n / n;
    if (n < 4)
        return false;
    for (size_t i = 0; i < TREND_QUANTILES; i++) {
        add_stretches(work, retained_at_share(retained, TREND_SHARES[i]), ends, n, stretches);
        if (i == 0)
            ret->change = shift_of(work, change_of(stretches, n));
    }
    const struct series_slope line = series_slope(stretches, n);
    /* The variance of a stretch is n (n^2 - 1) / 12 times that of the slope. */
    const double places = ((double)n * (double)n - 1.0) / 12.0;
    ret->noise = shift_for(work, line.error * sqrt(places * (double)retained->n));
    ret->is_there = fabs(line.slope) > TREND_MIN * line.error;
    ret->most = shift_for(work, (double)n * (fabs(line.slope) + BOUND_ERRORS * line.error));
    return true;
}

/* Nothing tells a trend that ends from one that does not: what it would change until the time that
 * was measured has passed once more, or a second, must hardly count. */
static bool is_on_its_way(const struct work *work, const struct trend *trend)
{
    const double span = 0.75 * retained_ns(work);
    const double centre = work->attempt->centre.value;
    const double ahead = fabs(trend->change) * fmax(1.0, work->limits->ahead_ns / span);
    if (!has(work, STEADY_TREND) || !trend->is_there ||
        ahead <= TREND_SHARE * work->limits->precision * centre)
        return false;
    blocked(work, OBSTACLE_TREND, trend->change / centre * 1e9 / span, 0.0);
    return true;
}

/* What noise may hide must not change the median of the time ahead by what counts. */
static bool is_bounded(const struct work *work, const struct trend *trend)
{
    const double span = retained_ns(work);
    const double centre = work->attempt->centre.value;
    const double wanted = fmax(work->limits->precision * centre, trend->noise);
    if (!has(work, STEADY_TREND_BOUND) ||
        trend->most * 0.5 * (span + work->limits->ahead_ns) <= wanted * span)
        return true;
    return blocked(work, OBSTACLE_BOUND, trend->most / centre * 1e9 / span, 0.0), false;
}

static bool is_still(const struct work *work)
{
    struct trend trend;
    return !find_trend(work, &trend) || (!is_on_its_way(work, &trend) && is_bounded(work, &trend));
}

static void find_modes(const struct work *work, struct modes *ret)
{
    ret->n = 1;
    if (has(work, STEADY_MODES))
        modes_find(work->retained, work->attempt->centre.value, work->evidence->tick_ns,
                   work->limits->min_mode, ret);
}

static int32_t verdict_of(const struct work *work)
{
    struct steady_attempt *attempt = work->attempt;
    const bool is_narrow = reach(&attempt->centre) <= work->limits->width * attempt->centre.value;
    struct modes modes;
    struct gb_mode measured[GB_MODES_MAX];
    if (!clocks_allow(work) || !has_settled(work))
        return GB_VERDICT_NONE;
    find_modes(work, &modes);
    attempt->n_modes = (uint32_t)modes.n;
    if (is_narrow && ticks_hide_tails(work))
        return GB_VERDICT_RESOLUTION_LIMITED;
    if (!were_visited(work, &modes) || !are_tails_known(work))
        return GB_VERDICT_NONE;
    if (is_narrow)
        return is_mixed(work) && is_still(work) ? GB_VERDICT_CERTIFIED : GB_VERDICT_NONE;
    if (modes.n > 1 && measure_modes(work, &modes, false, measured))
        return GB_VERDICT_MULTIMODAL;
    return blocked(work, OBSTACLE_WIDTH, reach(&attempt->centre) / attempt->centre.value, 0.0);
}

void steady_attempt_make(const struct steady_limits *limits, const struct steady_evidence *evidence,
                         const struct retained *retained, struct steady_attempt *ret)
{
    struct work work = {
        .limits = limits, .evidence = evidence, .retained = retained, .attempt = ret};
    *ret = (struct steady_attempt){.first = retained->first, .n = retained->n};
    ret->is_recurring = has(&work, STEADY_RECURRENCE) && is_recurring(&work);
    if (ret->is_recurring)
        return;
    ret->is_throttled = has(&work, STEADY_CLOCKS) &&
                        clock_history_is_throttled(evidence->clocks, retained->first);
    const double value = quantile(&work, 0.5);
    if (!(value > 0.0)) {
        ret->verdict = GB_VERDICT_GAVE_UP;
        ret->centre = (struct steady_interval){value, NAN, NAN};
        return;
    }
    series_places_of(retained->n, &work.places);
    if (!take_mean(&work))
        take_median(&work, value);
    if (ret->verdict == GB_VERDICT_NONE)
        ret->verdict = verdict_of(&work);
}

static double known_end(const struct work *work, double end, double half, double sign)
{
    const struct retained *retained = work->retained;
    const double last = retained_value(retained, sign < 0.0 ? 0 : retained->n - 1);
    if (isfinite(end))
        return end;
    end = half < 0.5 ? quantile(work, 0.5 + sign * half) : last;
    return isfinite(end) ? end : last;
}

/* For a single look, with what is known of how well the effective size is. */
static double single_look_radius(const struct work *work)
{
    const double n_effective = work->attempt->n_effective;
    int64_t twice_sums[SERIES_PLACES_MAX];
    if (!has(work, STEADY_EFFECTIVE_SIZE))
        return median_radius(n_effective, 1.0 - work->limits->alpha);
    const double variance = indicator_sums(work, work->attempt->centre.value, twice_sums);
    const struct series_window window = series_window(&work->places, twice_sums, variance);
    return student_quantile(1.0 - 0.5 * work->limits->alpha, window.degrees) /
           (2.0 * sqrt(window.kept * n_effective));
}

/* An interval for a single look says more than none, if nothing is claimed with it. */
static void find_ends(const struct work *work)
{
    enum { FEWEST = 6 };
    struct steady_interval *centre = &work->attempt->centre;
    if (work->retained->n < FEWEST)
        return;
    const double half = single_look_radius(work);
    centre->low = fmin(known_end(work, centre->low, half, -1.0), centre->value);
    centre->high = fmax(known_end(work, centre->high, half, 1.0), centre->value);
}

void steady_attempt_describe(const struct steady_limits *limits,
                             const struct steady_evidence *evidence,
                             const struct retained *retained, struct steady_attempt *attempt)
{
    struct work work = {
        .limits = limits, .evidence = evidence, .retained = retained, .attempt = attempt};
    struct modes modes;
    struct trend trend;
    if (!(attempt->centre.value > 0.0))
        return;
    series_places_of(retained->n, &work.places);
    for (size_t i = 0; i < 2 && limits->tails > 0.0; i++)
        attempt->tails[i] = tail_of(&work, TAILS[i]);
    find_modes(&work, &modes);
    attempt->n_modes = (uint32_t)modes.n;
    if (modes.n > 1)
        measure_modes(&work, &modes, true, attempt->modes);
    if (attempt->verdict != GB_VERDICT_NONE)
        return;
    if ((attempt->obstacle == OBSTACLE_WIDTH || attempt->obstacle == OBSTACLE_TAIL) &&
        find_trend(&work, &trend))
        is_on_its_way(&work, &trend);
    find_ends(&work);
}
