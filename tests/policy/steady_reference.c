/* steady_reference.c - see steady_reference.h. */
#include "tests/policy/steady_reference.h"

#include "plugins/common/policy/order_statistics.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

const char *const reference_words[REFERENCE_WORDS] = {
    "wall_floor", "effective_size", "mid_quantile", "sequence", "discard",   "recurrence",
    "modes",      "resolution",     "mixing",       "settling", "dithering", "trend"};

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

static double *sorted_copy(const double *values, uint64_t n)
{
    double *sorted = malloc((n + 1) * sizeof *sorted);
    memcpy(sorted, values, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, compare);
    return sorted;
}

/* --- quantiles: v_j and (C_(j-1) + C_j) / 2 m --- */

static double sorted_quantile(const double *sorted, uint64_t n, double p, double tick)
{
    double last = NAN;
    double last_share = NAN;
    double m = (double)n;
    for (uint64_t i = 0; i < n;) {
        uint64_t end = i;
        while (end < n && sorted[end] == sorted[i])
            end++;
        const double share = ((double)i + (double)end) / (2.0 * m);
        if (p <= share && i > 0)
            return last + (sorted[i] - last) * (p - last_share) / (share - last_share);
        if (p <= share) {
            if ((share - p) * m <= 0.5 || (end == n && tick == 0.0))
                return sorted[i];
            return tick > 0.0 ? sorted[i] - tick : (double)-INFINITY;
        }
        last = sorted[i];
        last_share = share;
        i = end;
    }
    if ((p - last_share) * m <= 0.5 || (sorted[0] == sorted[n - 1] && tick == 0.0))
        return last;
    return tick > 0.0 ? last + tick : (double)INFINITY;
}

double reference_quantile(const double *values, uint64_t n, double p, double tick)
{
    double *sorted = sorted_copy(values, n);
    const double quantile = sorted_quantile(sorted, n, p, tick);
    free(sorted);
    return quantile;
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

static double covariance(const double *x, uint64_t n, uint64_t lag)
{
    double mean = 0.0;
    double sum = 0.0;
    for (uint64_t i = 0; i < n; i++)
        mean += x[i];
    mean /= (double)n;
    for (uint64_t i = 0; i + lag < n; i++)
        sum += (x[i] - mean) * (x[i + lag] - mean);
    return sum / (double)n;
}

static void block_means(const double *series, uint64_t length, uint64_t n_blocks, double *ret)
{
    for (uint64_t i = 0; i < n_blocks; i++) {
        ret[i] = 0.0;
        for (uint64_t j = 0; j < length; j++)
            ret[i] += series[i * length + j];
        ret[i] /= (double)length;
    }
}

/* The time, and for how many blocks there is one lag of the sum. */
static double time_and_degrees(const double *series, uint64_t n, double variance, double *degrees,
                               double *kept)
{
    double means[1024] = {0.0};
    *degrees = (double)INFINITY;
    *kept = 1.0;
    if (variance <= 0.0)
        return 1.0;
    const uint64_t n_blocks = n < 1024 ? n : 1024;
    const uint64_t b = n / n_blocks;
    block_means(series, b, n_blocks, means);
    double sum = 0.0;
    double least = (double)INFINITY;
    uint64_t t = 0;
    for (; 2 * t + 1 < n_blocks; t++) {
        least = fmin(least,
                     covariance(means, n_blocks, 2 * t) + covariance(means, n_blocks, 2 * t + 1));
        if (least <= 0.0)
            break;
        sum += least;
    }
    double time = (double)b * (2.0 * sum - covariance(means, n_blocks, 0)) / variance;
    const double left = fmax(1.0 - (4.0 * (double)t - 1.0) / (double)n_blocks, 0.1);
    if (time > left) {
        *kept = left;
        *degrees = (double)n_blocks / (2.0 * (double)t);
    }
    if (n >= 128) {
        block_means(series, n / 32, 32, means);
        double second = (double)(n / 32) * covariance(means, 32, 0) * 32.0 / 31.0 / variance;
        const double r1 = covariance(means, 32, 1) / covariance(means, 32, 0);
        if (r1 > 0.35)
            second *= (1.0 + r1) / (1.0 - fmin(r1, 0.95));
        time = fmax(time, second);
    }
    return fmax(time, 1.0);
}

double reference_time(const double *series, uint64_t n, double variance)
{
    double degrees, kept;
    return time_and_degrees(series, n, variance, &degrees, &kept);
}

/* --- one look without the first few --- */

struct look {
    const struct reference_rules *rules;
    const double *y;
    double *sorted;
    uint64_t m;
    double tick;
    bool is_dithered;
    double median, low, high, n_effective; /* median: or mean */
    double elapsed;                        /* wall time of all samples, those left out too */
};

static bool with(const struct look *look, unsigned word)
{
    return (look->rules->without & word) == 0;
}

static double quantile(const struct look *look, double p)
{
    return with(look, WITHOUT_MID_QUANTILE) ? sorted_quantile(look->sorted, look->m, p, look->tick)
                                            : plain(look->sorted, look->m, p);
}

static double half_indicator(double y, double value)
{
    return y < value ? 1.0 : (y == value ? 0.5 : 0.0);
}

static double time_of(const struct look *look, const double *series, double variance)
{
    return with(look, WITHOUT_EFFECTIVE_SIZE) ? reference_time(series, look->m, variance) : 1.0;
}

static double variance_of(const double *series, uint64_t n)
{
    return covariance(series, n, 0);
}

/* 1.959963984540054 standard deviations are 95 %; the tests use no other confidence here. */
static double radius(const struct look *look, double n_effective)
{
    if (!with(look, WITHOUT_SEQUENCE))
        return 1.959963984540054 / (2.0 * sqrt(n_effective));
    const double l = -log(1.0 - look->rules->confidence);
    const double v = n_effective / 4.0;
    const double rho = look->rules->optimal / 4.0 / (2.0 * l + log(1.0 + 2.0 * l));
    return sqrt((v + rho) * (log(1.0 + v / rho) + 2.0 * l)) / n_effective;
}

static double ranked(const struct look *look, double p)
{
    uint64_t place = (uint64_t)(p * (double)look->m);
    return look->sorted[place < look->m ? place : look->m - 1];
}

static bool on_few_ticks(const struct look *look, double p, double share)
{
    return with(look, WITHOUT_RESOLUTION) && look->tick > 0.0 &&
           ranked(look, p + 0.25 * share) - ranked(look, p - 0.25 * share) <= 2.0 * look->tick;
}

static void widen(const struct look *look, double p, double share, double value, double *low,
                  double *high)
{
    const double by = on_few_ticks(look, p, share) ? look->tick : look->tick / 2.0;
    if (look->is_dithered || !with(look, WITHOUT_RESOLUTION))
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
    double *indicator = malloc(look->m * sizeof *indicator);
    for (uint64_t i = 0; i < look->m; i++)
        indicator[i] = half_indicator(look->y[i], value);
    const double time = time_of(look, indicator, variance_of(indicator, look->m));
    free(indicator);
    return (double)look->m / time;
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
    const double q = look->tick;
    const double middle = ranked(look, 0.5);
    if (!look->is_dithered || ranked(look, 0.75) - ranked(look, 0.25) > 2.0 * q)
        return false;
    double *error = calloc(look->m, sizeof *error);
    double n = 0.0;
    double squares = 0.0;
    double reach = 0.0;
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
    const double effective = n / reference_time(error, look->m, squares / (double)look->m);
    look->n_effective = with(look, WITHOUT_EFFECTIVE_SIZE) ? effective : n;
    const double h = radius(look, look->n_effective);
    const double deviation = sqrt(squares / n + 4.0 * q * q / effective);
    look->low = look->median - (h < 0.5 ? 2.0 * h * deviation : (double)INFINITY);
    look->high = look->median + (h < 0.5 ? 2.0 * h * deviation : (double)INFINITY);
    free(error);
    return true;
}

/* --- modes --- */

enum { BINS = 2048 };

static uint64_t count_in(const struct look *look, double low, double high)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < look->m; i++)
        n += look->y[i] >= low && look->y[i] < high;
    return n;
}

static uint64_t visits(const struct look *look, double low, double high)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < look->m; i++) {
        const bool inside = look->y[i] >= low && look->y[i] < high;
        const bool before = i > 0 && look->y[i - 1] >= low && look->y[i - 1] < high;
        n += inside && !before;
    }
    return n;
}

/* Walks from the main peak; cuts in that order. */
static size_t find_cuts(const struct look *look, const double *smooth, int64_t n, double start,
                        double width, int64_t main, int64_t step, double *cuts)
{
    size_t n_cuts = 0;
    int64_t peak = main;
    int64_t valley = main;
    for (int64_t i = main + step; i >= 0 && i < n && n_cuts < GB_MODES_MAX; i += step) {
        if (smooth[i] < smooth[valley]) {
            valley = i;
            continue;
        }
        const bool apart = smooth[i] >= 4.0 &&
                           smooth[valley] <= fmin(smooth[i], smooth[peak]) / 2.0 &&
                           (smooth[i] - smooth[valley]) / sqrt(smooth[i] + smooth[valley]) > 2.5 &&
                           (double)llabs(i - peak) * width >= 0.01 * look->median;
        if (apart)
            cuts[n_cuts++] = start + ((double)valley + 0.5) * width;
        if (apart || (smooth[i] > smooth[peak] && peak != main))
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
    static double counts[BINS + 2];
    static double smooth[BINS];
    double below[GB_MODES_MAX];
    double above[GB_MODES_MAX];
    const double first = ranked(look, 0.002);
    const double last = ranked(look, 0.998);
    double width = 2.0 * (ranked(look, 0.75) - ranked(look, 0.25)) / cbrt((double)look->m);
    width = fmax(fmax(width, 0.0025 * look->median), (last - first) / (BINS - 2));
    if (look->tick > 0.0)
        width = look->tick * ceil(width / look->tick);
    const double start = first - look->tick / 2.0;
    const int64_t n = (int64_t)((last - start) / width) + 1;
    memset(counts, 0, sizeof counts);
    for (int64_t i = 0; i < n; i++)
        counts[i + 1] = (double)count_in(look, start + (double)i * width,
                                         start + (double)(i + 1) * width);
    int64_t main = 0;
    for (int64_t i = 0; i < n; i++) {
        smooth[i] = (counts[i] + 2.0 * counts[i + 1] + counts[i + 2]) / 4.0;
        main = smooth[i] > smooth[main] ? i : main;
    }
    size_t n_below = find_cuts(look, smooth, n, start, width, main, -1, below);
    size_t n_above = find_cuts(look, smooth, n, start, width, main, 1, above);
    while (n_below + n_above >= GB_MODES_MAX)
        *(n_below > n_above ? &n_below : &n_above) -= 1;
    size_t n_edges = 0;
    edges[n_edges++] = (double)-INFINITY;
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
    const double m = (double)look->m;
    double *member = malloc(look->m * sizeof *member);
    double *error = malloc(look->m * sizeof *error);
    const double n_members = (double)count_in(look, from, to);
    const double share = n_members / m;
    const double p = ((double)count_in(look, (double)-INFINITY, from) + n_members / 2.0) / m;
    ret->weight = share;
    ret->median_ns = quantile(look, p);
    for (uint64_t i = 0; i < look->m; i++) {
        member[i] = look->y[i] >= from && look->y[i] < to ? 1.0 : 0.0;
        error[i] = member[i] > 0.0 ? half_indicator(look->y[i], ret->median_ns) - 0.5 : 0.0;
    }
    const double variance = variance_of(error, look->m);
    double effective = n_members;
    if (variance > 0.0 && with(look, WITHOUT_EFFECTIVE_SIZE))
        effective = fmin(n_members,
                         share * share * m / (4.0 * variance * time_of(look, error, variance)));
    interval(look, p, share, effective, &ret->low_ns, &ret->high_ns);
    widen(look, p, share, ret->median_ns, &ret->low_ns, &ret->high_ns);
    const double share_radius = radius(look, m / time_of(look, member, share * (1.0 - share)));
    free(member);
    free(error);
    return share_radius <= 0.1 && farther(ret->median_ns, ret->low_ns, ret->high_ns) <=
                                      look->rules->precision * look->median;
}

/* --- the rules together --- */

static bool comes_again(const struct look *look, const double *times, uint64_t d)
{
    uint64_t inside = 0;
    for (uint64_t i = 0; i < d / 2; i++)
        inside += times[i] >= ranked(look, 0.025) && times[i] <= ranked(look, 0.975);
    return d > 0 && 2 * inside >= d / 2 && with(look, WITHOUT_RECURRENCE);
}

static double floor_of(const struct reference_rules *rules)
{
    return rules->floor_wall * fmax(1.0, 0.01 / rules->precision);
}

/* A straight line through up to 32 means by least squares, where y stand for how many of the median
 * and the quartiles they are below. */
static bool is_trending(const struct look *look, double share)
{
    const uint64_t n = look->m < 32 ? look->m : 32;
    const double shares[] = {0.25, 0.5, 0.75};
    double *below = calloc(look->m, sizeof *below);
    double *below_median = calloc(look->m, sizeof *below_median);
    double y[32];
    double median_y[32];
    for (uint64_t i = 0; i < look->m; i++) {
        for (int k = 0; k < 3; k++)
            below[i] += half_indicator(look->y[i], ranked(look, shares[k]));
        below_median[i] = half_indicator(look->y[i], ranked(look, 0.5));
    }
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t from = i * look->m / n;
        const uint64_t length = (i + 1) * look->m / n - from;
        block_means(below + from, length, 1, &y[i]);
        block_means(below_median + from, length, 1, &median_y[i]);
    }
    free(below);
    free(below_median);
    if (n < 4 || !with(look, WITHOUT_TREND))
        return false;
    double sx = 0.0;
    double sy = 0.0;
    double sxx = 0.0;
    double sxy = 0.0;
    for (uint64_t i = 0; i < n; i++) {
        sx += (double)i;
        sy += y[i];
        sxx += (double)(i * i);
        sxy += (double)i * y[i];
    }
    const double m = (double)n;
    const double slope = (m * sxy - sx * sy) / (m * sxx - sx * sx);
    double residuals[32];
    for (uint64_t i = 0; i < n; i++)
        residuals[i] = y[i] - sy / m - slope * ((double)i - sx / m);
    double variance = covariance(residuals, n, 0);
    double r = covariance(residuals, n, 1) / variance;
    variance *= m / (m - 2.0) / (sxx - sx * sx / m);
    r = r > 0.2 ? fmin(r, 0.5) : 0.0;
    double change = 0.0;
    for (uint64_t i = 0; i < n / 4; i++)
        change += (median_y[i] - median_y[n - 1 - i]) / (double)(n / 4);
    const double p = fmin(fabs(change) / 2.0, 0.375);
    change = quantile(look, 0.5 + p) - quantile(look, 0.5 - p);
    return fabs(slope) > 2.5 * sqrt(variance * (1.0 + r) / (1.0 - r)) &&
           change * fmax(1.0, 1e9 / (0.75 * share * look->elapsed)) >
               look->rules->precision * look->median / 4.0;
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
    const double q = look->tick;
    double edges[GB_MODES_MAX + 1] = {(double)-INFINITY, (double)INFINITY};
    int32_t verdict = GB_VERDICT_NONE;
    const bool few = on_few_ticks(look, 0.5, 1.0);
    const bool hopeless = (few ? q : q / 2.0) > wanted;
    if (!look->is_dithered && with(look, WITHOUT_RESOLUTION) && !few && hopeless) {
        look->low -= q / 2.0;
        look->high += q / 2.0;
    }
    widen(look, 0.5, 1.0, look->median, &look->low, &look->high);
    if (!look->is_dithered && with(look, WITHOUT_RESOLUTION) && (few || hopeless) &&
        farther(look->median, look->low, look->high) > wanted &&
        radius(look, hopeless ? (double)look->m : look->n_effective) <= 1.0 / 20.0)
        verdict = GB_VERDICT_RESOLUTION_LIMITED;
    const bool settled = d == 0 || !with(look, WITHOUT_SETTLING) ||
                         !with(look, WITHOUT_WALL_FLOOR) ||
                         look->elapsed * (double)look->m / (double)(d + look->m) >=
                             2.0 * floor_of(look->rules);
    const bool mixed = !with(look, WITHOUT_MIXING) ||
                       (is_enough(look, look->n_effective, 75.0) &&
                        is_enough(look, effective(look, ranked(look, 0.1)), 26.0) &&
                        is_enough(look, effective(look, ranked(look, 0.9)), 26.0));
    const size_t n = with(look, WITHOUT_MODES) ? find_modes(look, edges) : 1;
    bool are_known = n > 1;
    for (size_t i = 0; i < n && n > 1; i++)
        are_known = measure_mode(look, edges[i], edges[i + 1], &ret->modes[i]) && are_known;
    ret->n_modes = (uint32_t)n;
    if (verdict != GB_VERDICT_NONE || !settled || !enough_visits(look, edges, n))
        return verdict;
    if (farther(look->median, look->low, look->high) <= wanted)
        return mixed && !is_trending(look, (double)look->m / (double)(d + look->m))
                   ? GB_VERDICT_CERTIFIED
                   : GB_VERDICT_NONE;
    return are_known ? GB_VERDICT_MULTIMODAL : GB_VERDICT_NONE;
}

/* Without the first d. False: what was left out comes again. */
static bool attempt(const struct reference_rules *rules, const double *times, uint64_t n,
                    uint64_t d, struct reference_timer timer, double elapsed,
                    struct gb_estimate *ret)
{
    struct look look = {.rules = rules,
                        .y = times + d,
                        .m = n - d,
                        .tick = timer.tick,
                        .is_dithered = timer.is_dithered && timer.tick > 0.0 &&
                                       (rules->without & WITHOUT_DITHERING) == 0,
                        .elapsed = elapsed};
    look.sorted = sorted_copy(look.y, look.m);
    *ret = (struct gb_estimate){.n_discarded = d, .low_ns = NAN, .high_ns = NAN};
    const bool again = comes_again(&look, times, d);
    ret->value_ns = look.median = quantile(&look, 0.5);
    if (!again && !(look.median > 0.0)) {
        ret->verdict = GB_VERDICT_GAVE_UP;
        ret->n_modes = 1;
    } else if (!again) {
        if (!take_mean(&look)) {
            look.n_effective = effective(&look, look.median);
            interval(&look, 0.5, 1.0, look.n_effective, &look.low, &look.high);
        }
        ret->value_ns = look.median;
        ret->n_effective = look.n_effective;
        ret->verdict = judge(&look, d, ret);
        ret->low_ns = look.low;
        ret->high_ns = look.high;
    }
    free(look.sorted);
    return !again;
}

/* Ends for a single look where there is none: of 6 samples or more. Of correlated ones the
 * effective size is known as well as its degrees of freedom say, and less is kept of the variance.
 */
static void close_interval(const struct reference_rules *rules, const double *times, uint64_t n,
                           struct reference_timer timer, struct gb_estimate *ret)
{
    struct look look = {.rules = rules,
                        .y = times + ret->n_discarded,
                        .m = n - ret->n_discarded,
                        .tick = timer.tick};
    double h = 1.959963984540054 / (2.0 * sqrt(ret->n_effective));
    if (with(&look, WITHOUT_EFFECTIVE_SIZE)) {
        double degrees, kept, *below = malloc(look.m * sizeof *below);
        for (uint64_t i = 0; i < look.m; i++)
            below[i] = half_indicator(look.y[i], ret->value_ns);
        time_and_degrees(below, look.m, variance_of(below, look.m), &degrees, &kept);
        h = student_quantile(0.975, degrees) / (2.0 * sqrt(kept * ret->n_effective));
        free(below);
    }
    look.sorted = sorted_copy(look.y, look.m);
    for (int upper = 0; upper < 2 && look.m >= 6; upper++) {
        double *end = upper ? &ret->high_ns : &ret->low_ns;
        const double p = 0.5 + (upper ? h : -h);
        if (isfinite(*end))
            continue;
        *end = h < 0.5 ? quantile(&look, p) : NAN;
        if (!isfinite(*end))
            *end = look.sorted[upper ? look.m - 1 : 0];
        *end = upper ? fmax(*end, ret->value_ns) : fmin(*end, ret->value_ns);
    }
    free(look.sorted);
}

static struct gb_estimate look_at(const struct reference_rules *rules, const double *times,
                                  uint64_t n, struct reference_timer timer, double elapsed)
{
    struct gb_estimate best;
    attempt(rules, times, n, 0, timer, elapsed, &best);
    const uint64_t attempts = (rules->without & WITHOUT_DISCARD) != 0 ? 1 : 5;
    for (uint64_t k = 1; k < attempts && best.verdict == GB_VERDICT_NONE; k++) {
        struct gb_estimate estimate;
        const uint64_t d = (uint64_t)((double)k * rules->discard / 4.0 * (double)n);
        if (!attempt(rules, times, n, d, timer, elapsed, &estimate))
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
    double busy = 0.0;
    uint64_t next = 0;
    bool was_due = false;
    for (uint64_t i = 1; i <= n; i++) {
        busy += times[i - 1];
        const bool floor_kept = (rules->without & WITHOUT_WALL_FLOOR) != 0 ||
                                elapsed[i - 1] >= floor_of(rules);
        const bool first = i >= rules->min && floor_kept &&
                           (i >= rules->floor_samples || busy >= rules->busy);
        if (next > 0 ? i < next : !first)
            continue;
        was_due = true;
        *ret = look_at(rules, times, i, timer, elapsed[i - 1]);
        if (ret->verdict != GB_VERDICT_NONE)
            return i;
        next = (uint64_t)ceil(rules->growth * (double)i);
    }
    *ret = look_at(rules, times, n, timer, elapsed[n - 1]);
    if (!was_due || ret->verdict == GB_VERDICT_NONE) {
        close_interval(rules, times, n, timer, ret);
        ret->verdict = GB_VERDICT_UNCONVERGED;
    }
    return n;
}
