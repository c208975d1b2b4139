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
static double narrowed(double end, const struct round *round, double n)
{
    const double half = fabs(end - round->median);
    return isinf(half) || !(half > round->fixed)
               ? end
               : round->median +
                     copysign(round->fixed + (half - round->fixed) / sqrt(n), end - round->median);
}

static bool has_interval(const struct round *round)
{
    return round->low <= round->high && !(isinf(round->low) && isinf(round->high));
}

/* Half of what of a round's interval is chance. */
static double chance_of(const struct round *round)
{
    return has_interval(round) ? fmax(0, 0.5 * (round->high - round->low) - round->fixed) : 0;
}

/* chance: mean square of the rounds' chance. farthest: from the centre, of a round. */
static void set_next(struct rounds_interval *interval, const double *medians, double chance,
                     double farthest, double confidence)
{
    static const double CERTAIN = 0.7; /* of the chance */
    const double n = (double)interval->n;
    if (interval->n < 2)
        return;
    const double s = stdev_of(medians, interval->n), beyond = fmax(0, s * s - CERTAIN * chance);
    const double next = student_t_quantile(confidence, n - 1) * sqrt(beyond + s * s / n);
    interval->next_ratio = fmax(next, farthest) / interval->centre;
}

/* The rounds that have a time, and their intervals. */
static void combine(struct rounds_interval *interval, const struct round *rounds, size_t n,
                    double confidence, double *medians)
{
    CLEANUP(free_pointer) double *lows = memory_allocate(2 * (n + 1) * sizeof *lows);
    double *highs = lows + n + 1, highest_low = -INFINITY, lowest_high = INFINITY, chance = 0;
    double farthest = 0;
    size_t n_intervals = 0;
    for (size_t i = 0; i < n; i++) {
        const struct round *round = &rounds[i];
        medians[i] = round->median;
        if (!has_interval(round))
            continue;
        const double degrees = round->samples > 1 ? round->samples - 1 : NORMAL_DEGREES;
        const double deviation = chance_of(round) / student_t_quantile(confidence, degrees);
        chance += deviation * deviation;
        lows[n_intervals] = narrowed(round->low, round, (double)n);
        highs[n_intervals++] = narrowed(round->high, round, (double)n);
        highest_low = fmax(highest_low, round->low);
        lowest_high = fmin(lowest_high, round->high);
    }
    interval->centre = median_with_ends(medians, n);
    interval->within_low = median_with_ends(lows, n_intervals);
    interval->within_high = median_with_ends(highs, n_intervals);
    interval->differs = n_intervals > 1 && highest_low > lowest_high;
    set_between(interval, medians, confidence);
    for (size_t i = 0; i < n; i++)
        farthest = fmax(farthest,
                        fabs(rounds[i].median - interval->centre) - chance_of(&rounds[i]));
    set_next(interval, medians, n_intervals ? chance / (double)n_intervals : 0, farthest,
             confidence);
}

/* What the line of least squares says of a time, from the mean of all on. */
struct line {
    double mean_ns, mean, slope, slope_error, level_error; /* standard errors */
};

static struct line line_through(const struct round *rounds, size_t n)
{
    struct line line = {0};
    double xx = 0, xy = 0, yy = 0;
    for (size_t i = 0; i < n; i++) {
        line.mean_ns += (rounds[i].begun_ns - rounds[0].begun_ns) / (double)n;
        line.mean += rounds[i].median / (double)n;
    }
    line.mean_ns += rounds[0].begun_ns;
    for (size_t i = 0; i < n; i++) {
        const double x = rounds[i].begun_ns - line.mean_ns, above = rounds[i].median - line.mean;
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

static void place(struct rounds_interval *interval, const struct round *rounds, size_t n,
                  double confidence)
{
    double first_ns = INFINITY, last_ns = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(rounds[i].begun_ns))
            return;
        first_ns = fmin(first_ns, rounds[i].begun_ns);
        last_ns = fmax(last_ns, rounds[i].begun_ns);
    }
    if (n < 3)
        return;
    const struct line line = line_through(rounds, n);
    interval->apart_ns = (last_ns - first_ns) / ((double)n - 1);
    const double off = trend_until(last_ns + interval->apart_ns, &line, interval->centre,
                                   student_t_quantile(confidence, (double)n - 2));
    interval->next_ratio = fmax(interval->next_ratio, off / interval->centre);
}

/* Of the rounds of a process. */
struct of_process {
    int64_t number;
    double n, mean, fixed, chance, samples; /* chance: the sum of squares */
};

static struct of_process *process_of(struct of_process *processes, size_t *n,
                                     const struct round *round)
{
    for (size_t i = 0; i < *n; i++)
        if (processes[i].number == round->process)
            return &processes[i];
    processes[*n] = (struct of_process){.number = round->process};
    return &processes[(*n)++];
}

/* Returns how many there are; 0: of a round it is not known. */
static size_t find_processes(const struct round *rounds, size_t n, struct round *ret)
{
    CLEANUP(free_pointer) struct of_process *found = memory_allocate((n + 1) * sizeof *found);
    size_t n_found = 0;
    for (size_t i = 0; i < n; i++) {
        if (rounds[i].process == 0)
            return 0;
        struct of_process *process = process_of(found, &n_found, &rounds[i]);
        process->n++;
        process->mean += (rounds[i].median - process->mean) / process->n;
        process->fixed = fmax(process->fixed, rounds[i].fixed);
        process->samples += rounds[i].samples;
        process->chance += chance_of(&rounds[i]) * chance_of(&rounds[i]);
    }
    for (size_t i = 0; i < n_found; i++) {
        const struct of_process *p = &found[i];
        const double half = p->fixed + sqrt(p->chance) / p->n;
        ret[i] = (struct round){.median = p->mean,
                                .low = p->mean - half,
                                .high = p->mean + half,
                                .fixed = p->fixed,
                                .samples = p->samples,
                                .begun_ns = NAN};
    }
    return n_found;
}

static void spread(struct rounds_interval *interval, const struct round *rounds, size_t n,
                   double confidence)
{
    CLEANUP(free_pointer) struct round *processes = memory_allocate((n + 1) * sizeof *processes);
    interval->n_processes = find_processes(rounds, n, processes);
    if (interval->n_processes < ROUNDS_PROCESSES_LEAST || interval->n_processes == n)
        return;
    const struct rounds_interval by = rounds_combine(processes, interval->n_processes, confidence);
    const double off = fabs(by.centre - interval->centre) + by.next_ratio * by.centre;
    interval->next_ratio = fmax(interval->next_ratio, off / interval->centre);
}

struct rounds_interval rounds_combine(const struct round *rounds, size_t n, double confidence)
{
    struct rounds_interval interval = {0,   NAN, NAN, NAN, NAN, NAN,  NAN,
                                       NAN, NAN, NAN, NAN, 0,   false};
    CLEANUP(free_pointer) struct round *kept = memory_allocate((n + 1) * sizeof *kept);
    CLEANUP(free_pointer) double *medians = memory_allocate((n + 1) * sizeof *medians);
    for (size_t i = 0; i < n; i++)
        if (isfinite(rounds[i].median))
            kept[interval.n++] = rounds[i];
    combine(&interval, kept, interval.n, confidence, medians);
    place(&interval, kept, interval.n, confidence);
    spread(&interval, kept, interval.n, confidence);
    unite(&interval);
    return interval;
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
