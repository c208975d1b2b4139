/* rounds.c - see rounds.h. */
#include "core/base/rounds.h"

#include "core/base/memory.h"
#include "core/base/statistics.h"

#include <math.h>

/* Sorts. Infinite values stay what they are beside finite ones, which interpolation between them
 * would make NaN. */
static double median_with_ends(double *values, size_t n)
{
    if (n == 0)
        return NAN;
    sort_values(values, n);
    double below = values[(n - 1) / 2], above = values[n / 2];
    return isinf(below) ? below : isinf(above) ? above : below + 0.5 * (above - below);
}

static void set_between(struct rounds_interval *interval, const double *sorted, double confidence)
{
    size_t n = interval->n;
    if (n < 2)
        return;
    if (!(sorted[0] < sorted[n - 1])) { /* exactly, as their mean need not be */
        interval->between_low = interval->between_high = sorted[0];
        interval->variation_ratio = 0;
        return;
    }
    double mean = mean_of(sorted, n), t = student_t_quantile(confidence, (double)n - 1);
    double half_width = t * stdev_of(sorted, n) / sqrt((double)n);
    interval->between_low = mean - half_width;
    interval->between_high = mean + half_width;
    size_t k = sign_interval_rank(n, confidence);
    if (k > 0) {
        interval->between_low = fmin(interval->between_low, sorted[k - 1]);
        interval->between_high = fmax(interval->between_high, sorted[n - k]);
    }
    interval->variation_ratio = (sorted[n - 1] - sorted[0]) / interval->centre;
}

static void unite(struct rounds_interval *interval)
{
    bool has_within = !isnan(interval->within_low);
    if (isnan(interval->centre) ||
        (!has_within && !(interval->between_low < interval->between_high)))
        return;
    /* fmin and fmax take the other one where one is NaN. */
    interval->low = fmin(fmin(interval->between_low, interval->within_low), interval->centre);
    interval->high = fmax(fmax(interval->between_high, interval->within_high), interval->centre);
}

/* Of a round's end that is infinite nothing averages. */
static double narrowed(double end, double median, double fixed, double n)
{
    const double half = fabs(end - median);
    return isinf(half) || !(half > fixed)
               ? end
               : median + copysign(fixed + (half - fixed) / sqrt(n), end - median);
}

/* chance: the sum of squares of n_intervals half widths, without what is fixed. farthest: from the
 * centre, of a round. */
static void set_next(struct rounds_interval *interval, const double *medians, double chance,
                     size_t n_intervals, double farthest, double confidence)
{
    const double n = (double)interval->n;
    if (interval->n < 2)
        return;
    const double s = stdev_of(medians, interval->n),
                 z = student_t_quantile(confidence, NORMAL_DEGREES);
    const double w2 = n_intervals ? chance / (double)n_intervals / (z * z) : 0;
    const double beyond = fmax(0, s * s - w2);
    const double next = student_t_quantile(confidence, n - 1) * sqrt(beyond + s * s / n);
    interval->next_ratio = fmax(next, farthest) / interval->centre;
}

static bool has_interval(double low, double high)
{
    return low <= high && !(isinf(low) && isinf(high));
}

/* Half of what of a round's interval is chance. fixed: not chance; NULL: all. */
static double chance_of(double low, double high, const double *fixed)
{
    return fixed && has_interval(low, high) ? fmax(0, 0.5 * (high - low) - *fixed) : 0;
}

struct rounds_interval rounds_combine(const double *medians, const double *lows,
                                      const double *highs, const double *fixed, size_t n,
                                      double confidence)
{
    struct rounds_interval interval = {0,   NAN, NAN, NAN, NAN, NAN,  NAN,
                                       NAN, NAN, NAN, NAN, 0,   false};
    CLEANUP(free_pointer) double *kept = memory_allocate(3 * (n + 1) * sizeof *kept);
    double *kept_lows = kept + n + 1, *kept_highs = kept_lows + n + 1;
    double highest_low = -INFINITY, lowest_high = INFINITY, chance = 0, n_rounds = 0;
    double farthest = 0;
    size_t n_intervals = 0;
    for (size_t i = 0; i < n; i++)
        n_rounds += isfinite(medians[i]);
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(medians[i]))
            continue;
        kept[interval.n++] = medians[i];
        if (!has_interval(lows[i], highs[i]))
            continue;
        const double rest = fixed ? fixed[i] : INFINITY;
        const double half = chance_of(lows[i], highs[i], fixed ? &fixed[i] : NULL);
        chance += half * half;
        kept_lows[n_intervals] = narrowed(lows[i], medians[i], rest, n_rounds);
        kept_highs[n_intervals++] = narrowed(highs[i], medians[i], rest, n_rounds);
        highest_low = fmax(highest_low, lows[i]);
        lowest_high = fmin(lowest_high, highs[i]);
    }
    interval.centre = median_with_ends(kept, interval.n);
    interval.within_low = median_with_ends(kept_lows, n_intervals);
    interval.within_high = median_with_ends(kept_highs, n_intervals);
    interval.differs = n_intervals > 1 && highest_low > lowest_high;
    set_between(&interval, kept, confidence);
    for (size_t i = 0; i < n; i++)
        if (isfinite(medians[i]))
            farthest = fmax(farthest, fabs(medians[i] - interval.centre) -
                                          chance_of(lows[i], highs[i], fixed ? &fixed[i] : NULL));
    set_next(&interval, kept, chance, n_intervals, farthest, confidence);
    unite(&interval);
    return interval;
}

/* What the line of least squares says of a time, from the mean of all on. */
struct line {
    double mean_ns, mean, slope, slope_error, level_error; /* standard errors */
};

static struct line line_through(const double *x_ns, const double *y, size_t n)
{
    struct line line = {mean_of(x_ns, n), mean_of(y, n), 0, 0, 0};
    double xx = 0, xy = 0, yy = 0;
    for (size_t i = 0; i < n; i++) {
        const double x = x_ns[i] - line.mean_ns, above = y[i] - line.mean;
        xx += x * x;
        xy += x * above;
        yy += above * above;
    }
    const double left = fmax(0, yy - (xx > 0 ? xy * xy / xx : 0)) / ((double)n - 2);
    line.slope = xx > 0 ? xy / xx : 0;
    line.slope_error = xx > 0 ? sqrt(left / xx) : INFINITY;
    line.level_error = sqrt(left / (double)n);
    return line;
}

/* How far the next may be from the centre by a trend that is certain; 0: none is. */
static double trend_until(double at_ns, const struct line *line, double centre, double t)
{
    const double x = at_ns - line->mean_ns;
    if (!(fabs(line->slope) > t * line->slope_error))
        return 0;
    return fabs(line->mean + line->slope * x - centre) +
           t * hypot(line->level_error, line->slope_error * x);
}

void rounds_place(struct rounds_interval *interval, const double *medians, const double *begun_ns,
                  size_t n, double confidence)
{
    CLEANUP(free_pointer) double *kept = memory_allocate(2 * (n + 1) * sizeof *kept);
    double *kept_ns = kept + n + 1, first_ns = INFINITY, last_ns = -INFINITY;
    size_t n_kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(medians[i]))
            continue;
        if (!isfinite(begun_ns[i]))
            return;
        kept_ns[n_kept] = begun_ns[i];
        kept[n_kept++] = medians[i];
        first_ns = fmin(first_ns, begun_ns[i]);
        last_ns = fmax(last_ns, begun_ns[i]);
    }
    if (n_kept < 3)
        return;
    const struct line line = line_through(kept_ns, kept, n_kept);
    interval->apart_ns = (last_ns - first_ns) / ((double)n_kept - 1);
    const double off = trend_until(last_ns + interval->apart_ns, &line, interval->centre,
                                   student_t_quantile(confidence, (double)n_kept - 2));
    interval->next_ratio = fmax(interval->next_ratio, off / interval->centre);
}

/* Of the rounds of a process. */
struct of_process {
    int64_t number;
    double n, mean, fixed, chance; /* chance: the sum of squares */
};

/* Returns how many there are; 0: of a round it is not known. */
static size_t find_processes(const double *medians, const double *lows, const double *highs,
                             const double *fixed, const int64_t *processes, size_t n,
                             struct of_process *ret)
{
    size_t n_found = 0;
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(medians[i]))
            continue;
        if (processes[i] == 0)
            return 0;
        size_t at = 0;
        while (at < n_found && ret[at].number != processes[i])
            at++;
        if (at == n_found)
            ret[n_found++].number = processes[i];
        const double chance = chance_of(lows[i], highs[i], &fixed[i]);
        ret[at].n++;
        ret[at].mean += (medians[i] - ret[at].mean) / ret[at].n;
        ret[at].fixed = fmax(ret[at].fixed, fixed[i]);
        ret[at].chance += chance * chance;
    }
    return n_found;
}

void rounds_spread(struct rounds_interval *interval, const double *medians, const double *lows,
                   const double *highs, const double *fixed, const int64_t *processes, size_t n,
                   double confidence)
{
    CLEANUP(free_pointer) struct of_process *found = memory_allocate((n + 1) * sizeof *found);
    CLEANUP(free_pointer) double *values = memory_allocate(4 * (n + 1) * sizeof *values);
    double *its_lows = values + n, *its_highs = its_lows + n, *its_fixed = its_highs + n;
    const size_t n_found = find_processes(medians, lows, highs, fixed, processes, n, found);
    interval->n_processes = n_found;
    if (n_found < ROUNDS_PROCESSES_LEAST || n_found == interval->n)
        return;
    for (size_t i = 0; i < n_found; i++) {
        const double half = found[i].fixed + sqrt(found[i].chance) / found[i].n;
        values[i] = found[i].mean;
        its_fixed[i] = found[i].fixed;
        its_lows[i] = values[i] - half;
        its_highs[i] = values[i] + half;
    }
    const struct rounds_interval by = rounds_combine(values, its_lows, its_highs, its_fixed,
                                                     n_found, confidence);
    const double off = fabs(by.centre - interval->centre) + by.next_ratio * by.centre;
    interval->next_ratio = fmax(interval->next_ratio, off / interval->centre);
}

bool rounds_are_spread(const struct rounds_interval *interval)
{
    return interval->n_processes == 0 || interval->n_processes >= ROUNDS_PROCESSES_LEAST;
}

bool rounds_are_apart(const struct rounds_interval *interval)
{
    return interval->apart_ns >= ROUNDS_APART_NS;
}

bool rounds_hold(const struct rounds_interval *interval, double precision)
{
    return interval->n >= ROUNDS_LEAST && interval->next_ratio <= precision &&
           0.5 * (interval->high - interval->low) <= precision * interval->centre;
}

void rounds_hold_next(struct rounds_interval *interval)
{
    const double next = interval->next_ratio * interval->centre;
    if (interval->n < ROUNDS_LEAST || isnan(interval->low))
        return;
    interval->low = fmin(interval->low, interval->centre - next);
    interval->high = fmax(interval->high, interval->centre + next);
}
