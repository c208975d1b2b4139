/* steady_reference.c - see steady_reference.h. */
#include "tests/policy/steady_reference.h"

#include "core/base/statistics.h"
#include "plugins/common/policy/order_statistics.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

const char *const reference_words[REFERENCE_WORDS] = {REFERENCE_RULES(WORD)};

/* --- quantiles: v_j and (C_(j-1) + C_j) / 2 m --- */

/* What lies so many values beyond the first or the last distinct one. */
static double beyond(double value, double n_values, bool is_only_one, double tick, double side)
{
    if (n_values <= 0.5 || (is_only_one && tick == 0.0))
        return value;
    return tick > 0.0 ? value + side * tick : side * (double)INFINITY;
}

double reference_quantile(const double *sorted, uint64_t n, double p, double tick)
{
    const double m = (double)n;
    const bool is_only_one = sorted[0] == sorted[n - 1];
    double last = NAN, last_share = NAN;
    for (uint64_t i = 0, end = 0; i < n; i = end) {
        while (end < n && sorted[end] == sorted[i])
            end++;
        const double share = ((double)i + (double)end) / (2.0 * m);
        if (p <= share)
            return i > 0 ? last + (sorted[i] - last) * (p - last_share) / (share - last_share)
                         : beyond(sorted[i], (share - p) * m, is_only_one, tick, -1.0);
        last = sorted[i];
        last_share = share;
    }
    return beyond(last, (p - last_share) * m, is_only_one, tick, 1.0);
}

static double plain(const double *sorted, uint64_t n, double p)
{
    if (p == 0.5)
        return 0.5 * (sorted[(n - 1) / 2] + sorted[n / 2]);
    const double place = p < 0.5 ? floor(p * (double)n) - 1.0 : ceil(p * (double)n);
    if (place < 0.0)
        return (double)-INFINITY;
    return place < (double)n ? sorted[(uint64_t)place] : (double)INFINITY;
}

/* --- autocorrelation time --- */

static double average(const double *x, uint64_t n)
{
    double sum = 0.0;
    for (uint64_t i = 0; i < n; i++)
        sum += x[i];
    return sum / (double)n;
}

static double covariance(const double *x, uint64_t n, uint64_t lag)
{
    const double mean = average(x, n);
    double sum = 0.0;
    for (uint64_t i = 0; i + lag < n; i++)
        sum += (x[i] - mean) * (x[i + lag] - mean);
    return sum / (double)n;
}

static void block_means(const double *series, uint64_t length, uint64_t n_blocks, double *ret)
{
    for (uint64_t i = 0; i < n_blocks; i++)
        ret[i] = average(series + i * length, length);
}

struct reference_window reference_window(const double *series, uint64_t n, double variance)
{
    struct reference_window window = {1.0, (double)INFINITY, 1.0};
    double means[1024];
    if (variance <= 0.0)
        return window;
    const uint64_t n_blocks = n < 1024 ? n : 1024;
    block_means(series, n / n_blocks, n_blocks, means);
    double sum = 0.0, least = (double)INFINITY;
    uint64_t t = 0;
    for (; 2 * t + 1 < n_blocks; t++) {
        least = fmin(least,
                     covariance(means, n_blocks, 2 * t) + covariance(means, n_blocks, 2 * t + 1));
        if (least <= 0.0)
            break;
        sum += least;
    }
    const double left = fmax(1.0 - (4.0 * (double)t - 1.0) / (double)n_blocks, 0.1);
    window.time = (double)(n / n_blocks) * (2.0 * sum - covariance(means, n_blocks, 0)) / variance;
    if (window.time > left) {
        window.kept = left;
        window.degrees = (double)n_blocks / (2.0 * (double)t);
    }
    if (n >= 128) {
        block_means(series, n / 32, 32, means);
        const double r1 = covariance(means, 32, 1) / covariance(means, 32, 0);
        const double more = r1 > 0.35 ? (1.0 + r1) / (1.0 - fmin(r1, 0.95)) : 1.0;
        window.time = fmax(window.time, more * (double)(n / 32) * covariance(means, 32, 0) * 32.0 /
                                            31.0 / variance);
    }
    window.time = fmax(window.time, 1.0);
    return window;
}

/* --- one look without the first few --- */

struct look {
    const struct reference_rules *rules;
    const double *y;
    double sorted[REFERENCE_MOST];
    uint64_t m;
    double tick;
    bool is_dithered;
    double median, low, high, n_effective; /* median: or mean */
    double elapsed;                        /* wall time of all samples, those left out too */
};

static bool has(const struct reference_rules *rules, int rule)
{
    return (rules->without >> rule & 1) == 0;
}

static bool with(const struct look *look, int rule)
{
    return has(look->rules, rule);
}

static double quantile(const struct look *look, double p)
{
    return with(look, IS_mid_quantile) ? reference_quantile(look->sorted, look->m, p, look->tick)
                                       : plain(look->sorted, look->m, p);
}

static double half_indicator(double y, double value)
{
    return y < value ? 1.0 : (y == value ? 0.5 : 0.0);
}

/* "Is below a value" of each. */
static const double *indicator(const struct look *look, double value)
{
    static double ret[REFERENCE_MOST];
    for (uint64_t i = 0; i < look->m; i++)
        ret[i] = half_indicator(look->y[i], value);
    return ret;
}

static double time_of(const struct look *look, const double *series, double variance)
{
    return with(look, IS_effective_size) ? reference_window(series, look->m, variance).time : 1.0;
}

static double single_radius(double n_effective)
{
    return normal_quantile(0.975) / (2.0 * sqrt(n_effective));
}

static double radius(const struct look *look, double n_effective)
{
    return with(look, IS_sequence)
               ? confidence_sequence_radius(n_effective, 1.0 - look->rules->confidence,
                                            look->rules->optimal)
               : single_radius(n_effective);
}

static double ranked(const struct look *look, double p)
{
    const uint64_t place = (uint64_t)(p * (double)look->m);
    return look->sorted[place < look->m ? place : look->m - 1];
}

static bool on_few_ticks(const struct look *look, double p, double share)
{
    return with(look, IS_resolution) && look->tick > 0.0 &&
           ranked(look, p + 0.25 * share) - ranked(look, p - 0.25 * share) <= 2.0 * look->tick;
}

static void widen(const struct look *look, double p, double share, double value, double *low,
                  double *high)
{
    const double by = on_few_ticks(look, p, share) ? look->tick : look->tick / 2.0;
    if (look->is_dithered || !with(look, IS_resolution))
        return;
    *low = fmin(*low, value - by);
    *high = fmax(*high, value + by);
}

static double farther(double value, double low, double high)
{
    return fmax(high - value, value - low);
}

/* How many independent samples they are worth for a quantile with this value. */
static double effective(const struct look *look, double value)
{
    const double *below = indicator(look, value);
    return (double)look->m / time_of(look, below, covariance(below, look->m, 0));
}

static void interval(const struct look *look, double p, double share, double n_effective,
                     double *low, double *high)
{
    const double h = radius(look, n_effective);
    *low = h < 0.5 && p - h * share > 0.0 ? quantile(look, p - h * share) : (double)-INFINITY;
    *high = h < 0.5 && p + h * share < 1.0 ? quantile(look, p + h * share) : (double)INFINITY;
}

/* The mean of those near the median, its error as a ratio's: of the sum over the number. */
static bool take_mean(struct look *look)
{
    static double error[REFERENCE_MOST];
    const double q = look->tick, middle = ranked(look, 0.5);
    if (!look->is_dithered || ranked(look, 0.75) - ranked(look, 0.25) > 2.0 * q)
        return false;
    double n = 0.0, squares = 0.0, reach = 0.0;
    for (double wanted = 2.0 * q; wanted > reach; wanted = 4.0 * sqrt(squares / n)) {
        double sum = 0.0;
        reach = wanted;
        n = squares = 0.0;
        for (uint64_t i = 0; i < look->m; i++) {
            const bool is_near = fabs(look->y[i] - middle) <= reach + q / 4.0;
            n += is_near ? 1.0 : 0.0;
            sum += is_near ? look->y[i] - middle : 0.0;
        }
        look->median = middle + sum / n;
        for (uint64_t i = 0; i < look->m; i++) {
            const bool is_near = fabs(look->y[i] - middle) <= reach + q / 4.0;
            error[i] = is_near ? look->y[i] - look->median : 0.0;
            squares += error[i] * error[i];
        }
    }
    const double time = reference_window(error, look->m, squares / (double)look->m).time;
    look->n_effective = with(look, IS_effective_size) ? n / time : n;
    const double h = radius(look, look->n_effective);
    const double deviation = sqrt(squares / n + 4.0 * q * q * time / n);
    look->low = look->median - (h < 0.5 ? 2.0 * h * deviation : (double)INFINITY);
    look->high = look->median + (h < 0.5 ? 2.0 * h * deviation : (double)INFINITY);
    return true;
}

/* --- modes --- */

enum { BINS = 2048 };

static bool is_in(double y, double low, double high)
{
    return y >= low && y < high;
}

static uint64_t count_in(const struct look *look, double low, double high)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < look->m; i++)
        n += is_in(look->y[i], low, high);
    return n;
}

static uint64_t visits(const struct look *look, double low, double high)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < look->m; i++)
        n += is_in(look->y[i], low, high) && !(i > 0 && is_in(look->y[i - 1], low, high));
    return n;
}

struct histogram {
    double start, width, smooth[BINS];
    int64_t n, main; /* the main peak */
};

static void fill_histogram(const struct look *look, struct histogram *ret)
{
    double counts[BINS + 2] = {0.0};
    const double first = ranked(look, 0.002), last = ranked(look, 0.998);
    double width = 2.0 * (ranked(look, 0.75) - ranked(look, 0.25)) / cbrt((double)look->m);
    width = fmax(fmax(width, 0.0025 * look->median), (last - first) / (BINS - 2));
    ret->width = look->tick > 0.0 ? look->tick * ceil(width / look->tick) : width;
    ret->start = first - look->tick / 2.0;
    ret->n = (int64_t)((last - ret->start) / ret->width) + 1;
    ret->main = 0;
    for (int64_t i = 0; i < ret->n; i++)
        counts[i + 1] = (double)count_in(look, ret->start + (double)i * ret->width,
                                         ret->start + (double)(i + 1) * ret->width);
    for (int64_t i = 0; i < ret->n; i++) {
        ret->smooth[i] = (counts[i] + 2.0 * counts[i + 1] + counts[i + 2]) / 4.0;
        ret->main = ret->smooth[i] > ret->smooth[ret->main] ? i : ret->main;
    }
}

/* Walks from the main peak; cuts in that order. */
static size_t find_cuts(const struct look *look, const struct histogram *histogram, int64_t step,
                        double *cuts)
{
    const double *smooth = histogram->smooth;
    size_t n_cuts = 0;
    int64_t peak = histogram->main, valley = peak;
    for (int64_t i = peak + step; i >= 0 && i < histogram->n && n_cuts < GB_MODES_MAX; i += step) {
        if (smooth[i] < smooth[valley]) {
            valley = i;
            continue;
        }
        const bool apart = smooth[i] >= 4.0 &&
                           smooth[valley] <= fmin(smooth[i], smooth[peak]) / 2.0 &&
                           (smooth[i] - smooth[valley]) / sqrt(smooth[i] + smooth[valley]) > 2.5 &&
                           (double)llabs(i - peak) * histogram->width >= 0.01 * look->median;
        if (apart)
            cuts[n_cuts++] = histogram->start + ((double)valley + 0.5) * histogram->width;
        if (apart || (smooth[i] > smooth[peak] && peak != histogram->main))
            peak = valley = i;
    }
    for (size_t i = n_cuts; i > 0; i--) {
        const double outer = i < n_cuts ? cuts[i] : (double)step * (double)INFINITY;
        const double mass = (double)count_in(look, fmin(cuts[i - 1], outer),
                                             fmax(cuts[i - 1], outer));
        if (mass / (double)look->m >= look->rules->min_mode)
            continue;
        memmove(cuts + i - 1, cuts + i, (n_cuts - i) * sizeof *cuts);
        n_cuts--;
    }
    return n_cuts;
}

/* The edges between modes, ascending, infinite at both ends; returns how many modes. */
static size_t find_modes(const struct look *look, double *edges)
{
    struct histogram histogram;
    double below[GB_MODES_MAX], above[GB_MODES_MAX];
    fill_histogram(look, &histogram);
    size_t n_below = find_cuts(look, &histogram, -1, below);
    size_t n_above = find_cuts(look, &histogram, 1, above);
    while (n_below + n_above >= GB_MODES_MAX)
        *(n_below > n_above ? &n_below : &n_above) -= 1;
    size_t n_edges = 1;
    while (n_below > 0)
        edges[n_edges++] = below[--n_below];
    for (size_t i = 0; i < n_above; i++)
        edges[n_edges++] = above[i];
    edges[n_edges] = (double)INFINITY;
    return n_edges;
}

static bool enough_visits(const struct look *look, const double *edges, size_t n)
{
    size_t heaviest = 0;
    for (size_t i = 1; i < n; i++) {
        if (count_in(look, edges[i], edges[i + 1]) >
            count_in(look, edges[heaviest], edges[heaviest + 1]))
            heaviest = i;
    }
    for (size_t i = 0; i < n; i++) {
        if (i != heaviest && visits(look, edges[i], edges[i + 1]) < look->rules->visits)
            return false;
    }
    return true;
}

/* Returns whether the mode is known well enough. */
static bool measure_mode(const struct look *look, double from, double to, struct gb_mode *ret)
{
    static double member[REFERENCE_MOST], error[REFERENCE_MOST];
    const double m = (double)look->m, n_members = (double)count_in(look, from, to);
    const double share = n_members / m;
    const double p = ((double)count_in(look, (double)-INFINITY, from) + n_members / 2.0) / m;
    ret->weight = share;
    ret->median_ns = quantile(look, p);
    for (uint64_t i = 0; i < look->m; i++) {
        member[i] = is_in(look->y[i], from, to) ? 1.0 : 0.0;
        error[i] = member[i] * (half_indicator(look->y[i], ret->median_ns) - 0.5);
    }
    const double variance = covariance(error, look->m, 0);
    double effective = n_members;
    if (variance > 0.0 && with(look, IS_effective_size))
        effective = fmin(n_members,
                         share * share * m / (4.0 * variance * time_of(look, error, variance)));
    interval(look, p, share, effective, &ret->low_ns, &ret->high_ns);
    widen(look, p, share, ret->median_ns, &ret->low_ns, &ret->high_ns);
    return radius(look, m / time_of(look, member, share * (1.0 - share))) <= 0.1 &&
           farther(ret->median_ns, ret->low_ns, ret->high_ns) <=
               look->rules->precision * look->median;
}

/* --- the rules together --- */

static bool comes_again(const struct look *look, const double *times, uint64_t d)
{
    uint64_t inside = 0;
    for (uint64_t i = 0; i < d / 2; i++)
        inside += times[i] >= ranked(look, 0.025) && times[i] <= ranked(look, 0.975);
    return d > 0 && 2 * inside >= d / 2 && with(look, IS_recurrence);
}

static double floor_of(const struct reference_rules *rules)
{
    return rules->floor_wall * fmax(1.0, 0.01 / rules->precision);
}

/* The means of up to 32 stretches: how many of some quantiles samples are below. */
static uint64_t stretches(const struct look *look, const double *shares, size_t n_shares,
                          double *ret)
{
    const uint64_t n = look->m < 32 ? look->m : 32;
    memset(ret, 0, n * sizeof *ret);
    for (size_t k = 0; k < n_shares; k++) {
        const double *below = indicator(look, ranked(look, shares[k]));
        for (uint64_t i = 0; i < n; i++)
            ret[i] += average(below + i * look->m / n, (i + 1) * look->m / n - i * look->m / n);
    }
    return n;
}

/* A straight line through them by least squares: its slope, and the error of that. */
static double slope_of(const double *y, uint64_t n, double *ret_error)
{
    double residuals[32], xx = 0.0, slope = 0.0;
    const double m = (double)n, middle = (m - 1.0) / 2.0, mean = average(y, n);
    for (uint64_t i = 0; i < n; i++) {
        xx += ((double)i - middle) * ((double)i - middle);
        slope += ((double)i - middle) * (y[i] - mean);
    }
    slope /= xx;
    for (uint64_t i = 0; i < n; i++)
        residuals[i] = y[i] - mean - slope * ((double)i - middle);
    const double variance = covariance(residuals, n, 0);
    double r = variance > 0.0 ? covariance(residuals, n, 1) / variance : 0.0;
    r = r > 0.2 ? fmin(r, 0.5) : 0.0;
    *ret_error = sqrt(variance * m / (m - 2.0) / xx * (1.0 + r) / (1.0 - r));
    return slope;
}

static const double trend_shares[] = {0.5, 0.1, 0.3, 0.7, 0.9};
enum { TREND_SHARES = sizeof trend_shares / sizeof trend_shares[0] };

static bool is_trending(const struct look *look, double share)
{
    double y[32], median_y[32], change = 0.0, error;
    const uint64_t n = stretches(look, trend_shares, TREND_SHARES, y);
    stretches(look, trend_shares, 1, median_y);
    if (n < 4 || !with(look, IS_trend))
        return false;
    for (uint64_t i = 0; i < n / 4; i++)
        change += (median_y[i] - median_y[n - 1 - i]) / (double)(n / 4);
    const double p = fmin(fabs(change) / 2.0, 0.375);
    change = quantile(look, 0.5 + p) - quantile(look, 0.5 - p);
    return fabs(slope_of(y, n, &error)) > 2.5 * error &&
           change * fmax(1.0, 1e9 / (0.75 * share * look->elapsed)) >
               look->rules->precision * look->median / 4.0;
}

/* What the median may differ by a second later, middle to middle. */
static bool may_trend(const struct look *look, double share)
{
    double y[32], error, density = 0.0;
    const uint64_t n = stretches(look, trend_shares, TREND_SHARES, y);
    const double span = share * look->elapsed;
    if (n < 4 || !with(look, IS_trend_bound))
        return false;
    for (size_t i = 0; i < TREND_SHARES; i++) {
        const double width = quantile(look, trend_shares[i] + 0.05) -
                             quantile(look, trend_shares[i] - 0.05);
        density += isfinite(width) ? 0.1 / fmax(width, (look->is_dithered ? 0.1 : 1.0) * look->tick)
                                   : 0.0;
    }
    if (!(density > 0.0))
        return false;
    const double slope = fabs(slope_of(y, n, &error)) + 2.4 * error;
    const double m = (double)n, xx = m * (m * m - 1.0) / 12.0;
    const double noise = error * sqrt(xx) * sqrt((double)look->m / m) / density;
    return slope * m / density / span * (span + 1e9) / 2.0 >
           fmax(look->rules->precision * look->median, noise);
}

/* Are these effective samples enough? */
static bool is_enough(const struct look *look, double n_effective, double correlated)
{
    const double share = fmin(1.0, look->rules->precision / 0.01);
    const double square = share * share;
    if ((double)look->m <= fmax(1.25, 1.0 + square) * n_effective)
        return n_effective >= 26.0;
    return n_effective >= correlated / square;
}

static int32_t judge(struct look *look, uint64_t d, struct gb_estimate *ret)
{
    const double wanted = look->rules->precision * look->median;
    const double share = (double)look->m / (double)(d + look->m);
    const double q = look->tick;
    double edges[GB_MODES_MAX + 1] = {(double)-INFINITY, (double)INFINITY};
    int32_t verdict = GB_VERDICT_NONE;
    const bool few = on_few_ticks(look, 0.5, 1.0);
    const bool hopeless = (few ? q : q / 2.0) > wanted;
    const bool is_limited = !look->is_dithered && with(look, IS_resolution) && (few || hopeless);
    if (is_limited && !few) {
        look->low -= q / 2.0;
        look->high += q / 2.0;
    }
    widen(look, 0.5, 1.0, look->median, &look->low, &look->high);
    if (is_limited && farther(look->median, look->low, look->high) > wanted &&
        radius(look, hopeless ? (double)look->m : look->n_effective) <= 1.0 / 20.0)
        verdict = GB_VERDICT_RESOLUTION_LIMITED;
    const bool settled = d == 0 || !with(look, IS_settling) || !with(look, IS_wall_floor) ||
                         look->elapsed * share >= 2.0 * floor_of(look->rules);
    const bool mixed = !with(look, IS_mixing) ||
                       (is_enough(look, look->n_effective, 75.0) &&
                        is_enough(look, effective(look, ranked(look, 0.1)), 26.0) &&
                        is_enough(look, effective(look, ranked(look, 0.9)), 26.0));
    const size_t n = with(look, IS_modes) ? find_modes(look, edges) : 1;
    bool are_known = n > 1;
    for (size_t i = 0; i < n && n > 1; i++)
        are_known = measure_mode(look, edges[i], edges[i + 1], &ret->modes[i]) && are_known;
    ret->n_modes = (uint32_t)n;
    if (verdict != GB_VERDICT_NONE || !settled || !enough_visits(look, edges, n))
        return verdict;
    if (farther(look->median, look->low, look->high) <= wanted)
        return mixed && !is_trending(look, share) && !may_trend(look, share) ? GB_VERDICT_CERTIFIED
                                                                             : GB_VERDICT_NONE;
    return are_known ? GB_VERDICT_MULTIMODAL : GB_VERDICT_NONE;
}

/* Samples up to the n-th, and the run that they are of. */
struct samples {
    const struct reference_rules *rules;
    const double *times, *elapsed;
    uint64_t n;
    struct reference_timer timer;
};

static void begin_look(const struct samples *samples, uint64_t d, struct look *ret)
{
    const struct reference_timer *timer = &samples->timer;
    ret->rules = samples->rules;
    ret->y = samples->times + d;
    ret->m = samples->n - d;
    ret->tick = timer->tick;
    ret->is_dithered = timer->is_dithered && timer->tick > 0.0 && with(ret, IS_dithering);
    ret->elapsed = samples->elapsed[samples->n - 1];
    memcpy(ret->sorted, ret->y, ret->m * sizeof *ret->sorted);
    sort_values(ret->sorted, ret->m);
    ret->median = quantile(ret, 0.5);
}

/* Without the first d. False: what was left out comes again. */
static bool attempt(const struct samples *samples, uint64_t d, struct gb_estimate *ret)
{
    static struct look look;
    begin_look(samples, d, &look);
    *ret = (struct gb_estimate){
        .n_discarded = d, .value_ns = look.median, .low_ns = NAN, .high_ns = NAN};
    if (comes_again(&look, samples->times, d))
        return false;
    if (!(look.median > 0.0)) {
        ret->verdict = GB_VERDICT_GAVE_UP;
        ret->n_modes = 1;
        return true;
    }
    if (!take_mean(&look)) {
        look.n_effective = effective(&look, look.median);
        interval(&look, 0.5, 1.0, look.n_effective, &look.low, &look.high);
    }
    ret->value_ns = look.median;
    ret->n_effective = look.n_effective;
    ret->verdict = judge(&look, d, ret);
    ret->low_ns = look.low;
    ret->high_ns = look.high;
    return true;
}

/* Ends for a single look where there is none: of 6 samples or more. Of correlated ones the
 * effective size is known as well as its degrees of freedom say, and less is kept of the variance.
 */
static void close_interval(const struct samples *samples, struct gb_estimate *ret)
{
    static struct look look;
    begin_look(samples, ret->n_discarded, &look);
    double h = single_radius(ret->n_effective);
    if (with(&look, IS_effective_size)) {
        const double *below = indicator(&look, ret->value_ns);
        const struct reference_window window = reference_window(below, look.m,
                                                                covariance(below, look.m, 0));
        h = student_quantile(0.975, window.degrees) / (2.0 * sqrt(window.kept * ret->n_effective));
    }
    for (int upper = 0; upper < 2 && look.m >= 6; upper++) {
        double *end = upper ? &ret->high_ns : &ret->low_ns;
        if (isfinite(*end))
            continue;
        *end = h < 0.5 ? quantile(&look, 0.5 + (upper ? h : -h)) : NAN;
        if (!isfinite(*end))
            *end = look.sorted[upper ? look.m - 1 : 0];
        *end = upper ? fmax(*end, ret->value_ns) : fmin(*end, ret->value_ns);
    }
}

static struct gb_estimate look_at(const struct samples *samples)
{
    const struct reference_rules *rules = samples->rules;
    struct gb_estimate best;
    attempt(samples, 0, &best);
    const uint64_t attempts = has(rules, IS_discard) ? 5 : 1;
    for (uint64_t k = 1; k < attempts && best.verdict == GB_VERDICT_NONE; k++) {
        struct gb_estimate estimate;
        const uint64_t d = (uint64_t)((double)k * rules->discard / 4.0 * (double)samples->n);
        if (!attempt(samples, d, &estimate))
            continue;
        if (estimate.verdict != GB_VERDICT_NONE ||
            estimate.high_ns - estimate.low_ns < best.high_ns - best.low_ns)
            best = estimate;
    }
    return best;
}

uint64_t reference_run(const struct reference_rules *rules, const double *times,
                       const double *elapsed, uint64_t n, struct reference_timer timer,
                       struct gb_estimate *ret)
{
    struct samples samples = {rules, times, elapsed, 0, timer};
    double busy = 0.0;
    uint64_t next = 0;
    while (samples.n < n) {
        const uint64_t i = ++samples.n;
        busy += times[i - 1];
        const bool floor_kept = !has(rules, IS_wall_floor) || elapsed[i - 1] >= floor_of(rules);
        const bool first = i >= rules->min && floor_kept &&
                           (i >= rules->floor_samples || busy >= rules->busy);
        if (next > 0 ? i < next : !first)
            continue;
        *ret = look_at(&samples);
        if (ret->verdict != GB_VERDICT_NONE)
            return i;
        next = (uint64_t)ceil(rules->growth * (double)i);
    }
    *ret = look_at(&samples);
    if (next == 0 || ret->verdict == GB_VERDICT_NONE) {
        close_interval(&samples, ret);
        ret->verdict = GB_VERDICT_UNCONVERGED;
    }
    return n;
}
