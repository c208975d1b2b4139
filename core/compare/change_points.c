/* change_points.c - see change_points.h. */
#include "core/compare/change_points.h"

#include "core/base/memory.h"
#include "core/base/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A series: y of its runs less that of the first one, and sums of them. */
struct series {
    const struct history_run *runs;
    size_t n;
    double *sums, *squares; /* of the first i; n + 1 of each */
    double margin_log, confidence;
    bool *is_boundary;          /* does a segment begin with run i, or end before it? n + 1 */
    struct change_point *found; /* in order of place */
    size_t n_found;
};

static double log_of_run(const struct history_run *run)
{
    double sum = 0;
    for (size_t i = 0; i < run->n; i++)
        sum += log(run->values[i]);
    return sum / (double)run->n;
}

static void series_begin(struct series *series, const struct history_run *runs, size_t n)
{
    double first = n ? log_of_run(&runs[0]) : 0;
    series->runs = runs;
    series->n = n;
    series->sums = memory_allocate((n + 1) * sizeof *series->sums);
    series->squares = memory_allocate((n + 1) * sizeof *series->squares);
    series->is_boundary = memory_allocate((n + 1) * sizeof *series->is_boundary);
    for (size_t i = 0; i < n; i++) {
        double y = log_of_run(&runs[i]) - first;
        series->sums[i + 1] = series->sums[i] + y;
        series->squares[i + 1] = series->squares[i] + y * y;
    }
    series->is_boundary[0] = series->is_boundary[n] = true;
}

static void series_end(struct series *series)
{
    free(series->sums);
    free(series->squares);
    free(series->is_boundary);
}

static double mean_between(const struct series *series, size_t from, size_t end)
{
    return (series->sums[end] - series->sums[from]) / (double)(end - from);
}

/* Squared deviations from the mean. */
static double scatter_between(const struct series *series, size_t from, size_t end)
{
    double sum = series->sums[end] - series->sums[from];
    double squares = series->squares[end] - series->squares[from];
    return fmax(squares - sum * sum / (double)(end - from), 0);
}

/* ---- where to split ---- */

struct window {
    size_t from, end;
};

/* Of the runs of `part` against all others of the window; 0: they do not differ. */
static double t_of_part(const struct series *series, struct window window, struct window part)
{
    double n = (double)(window.end - window.from), n_part = (double)(part.end - part.from);
    double all = series->sums[window.end] - series->sums[window.from];
    double sum = series->sums[part.end] - series->sums[part.from];
    double difference = sum / n_part - (all - sum) / (n - n_part);
    double squares = series->squares[window.end] - series->squares[window.from];
    double scatter = squares - sum * sum / n_part - (all - sum) * (all - sum) / (n - n_part);
    if (difference == 0)
        return 0;
    return fabs(difference) / sqrt(fmax(scatter, 0) / (n - 2) * (1 / n_part + 1 / (n - n_part)));
}

/* The best part, where it is allowed to have another on both sides. Returns its t. */
static double best_part(const struct series *series, struct window window, bool is_inner,
                        struct window *ret)
{
    double best = -1;
    for (size_t from = window.from; from < window.end; from++)
        for (size_t end = from + 1; end <= window.end; end++) {
            bool begins = from == window.from, ends = end == window.end;
            struct window part = {from, end};
            if (is_inner ? begins || ends : !ends || begins)
                continue;
            double t = t_of_part(series, window, part);
            if (t > best) {
                best = t;
                *ret = part;
            }
        }
    return best;
}

/* p of the best way to split the window, for the number of ways; NaN: it is too short. */
static double best_split(const struct series *series, struct window window, struct window *ret)
{
    enum { FORMS = 2 };
    double n = (double)(window.end - window.from), n_ways[FORMS] = {n - 1, (n - 1) * (n - 2) / 2};
    double least = NAN;
    if (window.end - window.from < 3)
        return NAN;
    for (int form = 0; form < FORMS; form++) {
        struct window part;
        double t = best_part(series, window, form == 1, &part);
        double p = t < 0 ? 1 : fmin(1, FORMS * n_ways[form] * student_t_outside(t, n - 2));
        if (isnan(least) || p < least) {
            least = p;
            *ret = part;
        }
    }
    return least;
}

static struct comparison compare_two_runs(const struct series *series)
{
    const struct history_run *a = &series->runs[0], *b = &series->runs[1];
    struct compared_side base = {a->values, a->n, a->step_ratio, a->interval_ratio};
    struct compared_side new = {b->values, b->n, b->step_ratio, b->interval_ratio};
    return compare_unpaired(&base, &new, series->confidence);
}

double change_points_p(const struct history_run *runs, size_t n, double confidence)
{
    struct series series = {.confidence = confidence};
    struct window part;
    series_begin(&series, runs, n);
    double p = n == 2 ? compare_two_runs(&series).p
                      : best_split(&series, (struct window){0, n}, &part);
    series_end(&series);
    return p;
}

static size_t next_boundary(const struct series *series, size_t from)
{
    do
        from++;
    while (!series->is_boundary[from]);
    return from;
}

static void split(struct series *series)
{
    for (size_t from = 0; from < series->n;) {
        struct window window = {from, next_boundary(series, from)}, part;
        if (best_split(series, window, &part) <= 1 - series->confidence)
            series->is_boundary[part.from] = series->is_boundary[part.end] = true;
        else
            from = window.end;
    }
    for (size_t i = 1; i < series->n; i++)
        if (series->is_boundary[i])
            MEMORY_APPEND(series->found, series->n_found, (struct change_point){.at = i});
}

/* ---- neighbouring segments ---- */

static struct comparison compare_neighbours(const struct series *series, struct window before,
                                            struct window after, double scatter)
{
    double degrees = (double)(series->n - series->n_found - 1);
    double s = sqrt(scatter / degrees), n_a = (double)(before.end - before.from);
    double n_b = (double)(after.end - after.from);
    struct comparison c = {.theta = mean_between(series, after.from, after.end) -
                                    mean_between(series, before.from, before.end),
                           .deviation = s * sqrt(2),
                           .n_rounds = (size_t)fmin(n_a, n_b)};
    double error = s * sqrt(1 / n_a + 1 / n_b);
    double floor = 0.5 *
                   hypot(series->runs[before.from].step_ratio, series->runs[after.from].step_ratio);
    compare_set_by_t(&c, error, degrees, floor, series->confidence);
    c.adjusted_p = c.p;
    return c;
}

static void compare_all_neighbours(struct series *series)
{
    double scatter = 0;
    struct window before, after;
    for (size_t i = 0; i <= series->n_found; i++)
        scatter += scatter_between(series, i ? series->found[i - 1].at : 0,
                                   i < series->n_found ? series->found[i].at : series->n);
    for (size_t i = 0; i < series->n_found; i++) {
        struct change_point *point = &series->found[i];
        before = (struct window){i ? series->found[i - 1].at : 0, point->at};
        after = (struct window){point->at,
                                i + 1 < series->n_found ? series->found[i + 1].at : series->n};
        point->result = series->n == 2 ? compare_two_runs(series)
                                       : compare_neighbours(series, before, after, scatter);
        point->result.verdict = point->result.theta > 0 ? COMPARED_SLOWER : COMPARED_FASTER;
    }
}

static bool is_weak(const struct series *series, const struct change_point *point)
{
    bool excludes = point->result.low > 0 || point->result.high < 0;
    return !excludes || fabs(point->result.theta) <= series->margin_log;
}

/* The weak one that is nearest to no change; n_found: there is none. */
static size_t weakest(const struct series *series)
{
    size_t found = series->n_found;
    for (size_t i = 0; i < series->n_found; i++)
        if (is_weak(series, &series->found[i]) &&
            (found == series->n_found ||
             fabs(series->found[i].result.theta) < fabs(series->found[found].result.theta)))
            found = i;
    return found;
}

size_t change_points_find(const struct history_run *runs, size_t n, double margin,
                          double confidence, struct change_point **ret)
{
    struct series series = {.margin_log = log1p(margin), .confidence = confidence};
    series_begin(&series, runs, n);
    if (n == 2)
        MEMORY_APPEND(series.found, series.n_found, (struct change_point){.at = 1});
    else
        split(&series);
    for (;;) {
        compare_all_neighbours(&series);
        size_t i = weakest(&series);
        if (i == series.n_found)
            break;
        series.n_found--;
        memmove(&series.found[i], &series.found[i + 1],
                (series.n_found - i) * sizeof *series.found);
    }
    series_end(&series);
    *ret = series.found;
    return series.n_found;
}
