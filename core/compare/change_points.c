/* change_points.c - see change_points.h. */
#include "core/compare/change_points.h"

#include "core/base/memory.h"
#include "core/base/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double CLIP = 3, LINE_COST = 9;

/* A series: y of its runs less that of the first one. */
struct series {
    const struct history_run *runs;
    size_t n;
    double *y, *work; /* n + 1 of each */
    bool *is_off;     /* CLIP s and more from its segment's median */
    double scale;     /* s */
    double margin_log, confidence;
    struct change_point *found; /* in order of place */
    size_t n_found;
};

static double log_of_run(const struct history_run *run, double *work)
{
    for (size_t i = 0; i < run->n; i++)
        work[i] = log(run->values[i]);
    return sort_to_median(work, run->n);
}

/* s from runs so many apart. */
static double scale_of(const struct series *series, size_t distance)
{
    enum { FEW = 12 };
    const double share = 0.5 + 0.2 * fmin(FEW / (double)series->n, 1);
    const size_t n = series->n - distance;
    for (size_t i = 0; i < n; i++)
        series->work[i] = fabs(series->y[i + distance] - series->y[i]);
    sort_values(series->work, n);
    return series->work[(size_t)lround(share * (double)(n - 1))] /
           (student_t_quantile(share, NORMAL_DEGREES) * sqrt(2));
}

static void series_begin(struct series *series, const struct history_run *runs, size_t n)
{
    enum { FARTHEST = 3, RUNS_FOR_EACH = 12 };
    size_t most = n;
    for (size_t i = 0; i < n; i++)
        most = runs[i].n > most ? runs[i].n : most;
    series->runs = runs;
    series->n = n;
    series->y = memory_allocate((n + 1) * sizeof *series->y);
    series->work = memory_allocate((most + 1) * sizeof *series->work);
    series->is_off = memory_allocate((n + 1) * sizeof *series->is_off);
    for (size_t i = 0; i < n; i++)
        series->y[i] = log_of_run(&runs[i], series->work);
    for (size_t i = n; i-- > 0;)
        series->y[i] -= series->y[0];
    if (n < 2)
        return;
    series->scale = fmax(1e-9, 0.5 * runs[0].step_ratio);
    for (size_t i = 1; i == 1 || (i <= FARTHEST && i * RUNS_FOR_EACH <= n); i++)
        series->scale = fmax(series->scale, scale_of(series, i));
}

static void series_end(struct series *series)
{
    free(series->y);
    free(series->work);
    free(series->is_off);
}

/* ---- segments ---- */

static double cost_of(const struct series *series, double deviation)
{
    const double z = deviation / series->scale;
    return fmin(z * z, CLIP * CLIP);
}

/* The cheapest way to each level, one for each run's y. */
struct path {
    double cost;
    size_t since; /* the first run of its last segment */
};

/* The cheapest segments: their first runs but 0 are found, without results. Returns the cost. */
static double find_segments(struct series *series)
{
    const size_t n = series->n;
    const double segment_cost = fmax(12, 3 * log((double)n));
    CLEANUP(free_pointer) struct path *paths = memory_allocate((n + 1) * sizeof *paths);
    CLEANUP(free_pointer) size_t *since = memory_allocate((n + 1) * sizeof *since);
    double least = 0;
    for (size_t i = 0; i < n; i++) {
        double next = INFINITY;
        for (size_t level = 0; level < n; level++) {
            struct path *path = &paths[level];
            if (i > 0 && least + segment_cost < path->cost)
                *path = (struct path){least + segment_cost, i};
            path->cost += cost_of(series, series->y[i] - series->y[level]);
            if (path->cost < next) {
                next = path->cost;
                since[i] = path->since;
            }
        }
        least = next;
    }
    for (size_t end = n; end > 0 && since[end - 1] > 0; end = since[end - 1])
        MEMORY_APPEND(series->found, series->n_found,
                      ((struct change_point){.at = since[end - 1]}));
    for (size_t i = 0; i < series->n_found / 2; i++) {
        const struct change_point point = series->found[i];
        series->found[i] = series->found[series->n_found - 1 - i];
        series->found[series->n_found - 1 - i] = point;
    }
    return least;
}

/* ---- a drift ---- */

static double slope_of(const struct series *series)
{
    const size_t half = series->n / 2;
    for (size_t i = 0; i < half; i++)
        series->work[i] = (series->y[series->n - half + i] - series->y[i]) /
                          (double)(series->n - half);
    return sort_to_median(series->work, half);
}

/* Is a line cheaper than segments of that cost, and does it leave the margin? */
static bool find_drift(struct series *series, double cost_of_segments, struct change_point *ret)
{
    const double n = (double)series->n, slope = slope_of(series), length = n - 1;
    for (size_t i = 0; i < series->n; i++)
        series->work[i] = series->y[i] - slope * (double)i;
    const double middle = sort_to_median(series->work, series->n);
    double cost = LINE_COST, squares = 0;
    for (size_t i = 0; i < series->n; i++) {
        const double z = cost_of(series, series->y[i] - slope * (double)i - middle);
        cost += z;
        squares += z * series->scale * series->scale;
    }
    if (cost >= cost_of_segments || fabs(slope * length) <= series->margin_log)
        return false;
    *ret = (struct change_point){.kind = CHANGE_DRIFT, .at = series->n - 1};
    ret->result = (struct comparison){.theta = slope * length, .n_rounds = series->n};
    ret->result.deviation = sqrt(squares / (n - 2));
    /* Least squares: the variance of a slope is that of y over sum (i - mean i)^2. */
    compare_set_by_t(&ret->result, ret->result.deviation * length / sqrt(n * (n * n - 1) / 12),
                     n - 2, series->runs[0].step_ratio, series->confidence);
    return true;
}

/* ---- neighbouring segments ---- */

struct window {
    size_t from, end;
};

static struct window window_at(const struct series *series, size_t segment)
{
    return (struct window){segment ? series->found[segment - 1].at : 0,
                           segment < series->n_found ? series->found[segment].at : series->n};
}

static double median_of(const struct series *series, struct window window)
{
    const size_t n = window.end - window.from;
    memcpy(series->work, series->y + window.from, n * sizeof *series->work);
    return sort_to_median(series->work, n);
}

/* Of y within CLIP s of their median. *ret_scatter: squared deviations from the mean. */
static double mean_between(const struct series *series, struct window window, double *ret_scatter)
{
    const double middle = median_of(series, window), far = CLIP * series->scale;
    const size_t n = window.end - window.from;
    for (size_t i = 0; i < n; i++)
        series->work[i] = fmin(fmax(series->y[window.from + i], middle - far), middle + far);
    const double mean = mean_of(series->work, n);
    *ret_scatter = 0;
    for (size_t i = 0; i < n; i++)
        *ret_scatter += (series->work[i] - mean) * (series->work[i] - mean);
    return mean;
}

static struct comparison compare_two_runs(const struct series *series)
{
    const struct history_run *a = &series->runs[0], *b = &series->runs[1];
    struct compared_side base = {a->values, a->n, a->step_ratio, a->interval_ratio};
    struct compared_side new = {b->values, b->n, b->step_ratio, b->interval_ratio};
    return compare_across(&base, &new, NULL, series->confidence);
}

static struct comparison compare_neighbours(const struct series *series, size_t i, double s)
{
    const struct window before = window_at(series, i), after = window_at(series, i + 1);
    const double n_a = (double)(before.end - before.from), n_b = (double)(after.end - after.from);
    double scatter;
    struct comparison c = {.theta = mean_between(series, after, &scatter) -
                                    mean_between(series, before, &scatter),
                           .deviation = s * sqrt(2),
                           .n_rounds = (size_t)fmin(n_a, n_b)};
    double floor = 0.5 *
                   hypot(series->runs[before.from].step_ratio, series->runs[after.from].step_ratio);
    compare_set_by_t(&c, s * sqrt(1 / n_a + 1 / n_b), (double)(series->n - series->n_found - 1),
                     floor, series->confidence);
    return c;
}

/* ---- disturbed runs that follow each other ---- */

/* Runs outside a window that are off; how many of them agree with the one before, and with the
 * window. */
struct off {
    double n, pairs, near;
};

static void find_off(struct series *series)
{
    for (size_t i = 0; i <= series->n_found; i++) {
        const struct window window = window_at(series, i);
        const double middle = median_of(series, window), far = CLIP * series->scale;
        for (size_t j = window.from; j < window.end; j++)
            series->is_off[j] = fabs(series->y[j] - middle) > far;
    }
}

static struct off count_off(const struct series *series, struct window but)
{
    const double level = median_of(series, but), far = CLIP * series->scale, *y = series->y;
    struct off off = {0};
    for (size_t i = 0; i < series->n; i++) {
        if ((i >= but.from && i < but.end) || !series->is_off[i])
            continue;
        off.n++;
        off.near += fabs(y[i] - level) <= far;
        off.pairs += i > 0 && i != but.end && series->is_off[i - 1] &&
                     fabs(y[i] - y[i - 1]) <= sqrt(2) * far;
    }
    return off;
}

/* How many more of its runs are nearer to its own level than to the other's. */
static double length_of(const struct series *series, struct window window, struct window other)
{
    const double own_level = median_of(series, window), level = median_of(series, other);
    double length = 0;
    for (size_t i = window.from; i < window.end; i++)
        length += fabs(series->y[i] - own_level) < fabs(series->y[i] - level) ? 1 : -1;
    return length;
}

/* Is the shorter of two neighbouring segments as long as a streak of runs that are off may be? */
static bool may_be_streak(const struct series *series, size_t i)
{
    const struct window a = window_at(series, i), b = window_at(series, i + 1);
    const bool is_last = a.end - a.from >= b.end - b.from;
    const struct off off = count_off(series, is_last ? b : a);
    if (off.n == 0)
        return false;
    const double length = fmax(is_last ? length_of(series, b, a) : length_of(series, a, b), 0);
    const double n = (double)series->n, share = (off.n + length) / n;
    const double again = fmax((off.near + length) / n, (off.pairs + 1) / (off.n + 1 / share));
    return n * share * pow(again, length - 1) > 1 - series->confidence;
}

/* ---- all of them ---- */

static void compare_all_neighbours(struct series *series)
{
    find_off(series);
    double sum = 0, scatter;
    for (size_t i = 0; i <= series->n_found; i++) {
        mean_between(series, window_at(series, i), &scatter);
        sum += scatter;
    }
    const double s = sqrt(sum / (double)(series->n - series->n_found - 1));
    for (size_t i = 0; i < series->n_found; i++)
        series->found[i].result = series->n == 2 ? compare_two_runs(series)
                                                 : compare_neighbours(series, i, s);
}

/* For the number of places at which it could be. */
static double adjusted_p(const struct series *series, const struct change_point *point)
{
    const double places = point->kind == CHANGE_STEP ? (double)series->n - 1 : 1;
    return fmin(1, places * point->result.p);
}

static bool is_weak(const struct series *series, const struct change_point *point)
{
    bool is_likely = adjusted_p(series, point) <= 1 - series->confidence;
    return !is_likely || fabs(point->result.theta) <= series->margin_log;
}

/* The weak one that is nearest to no change; n_found: there is none. */
static size_t weakest(const struct series *series)
{
    size_t found = series->n_found;
    for (size_t i = 0; i < series->n_found; i++)
        if ((is_weak(series, &series->found[i]) || (series->n > 2 && may_be_streak(series, i))) &&
            (found == series->n_found ||
             fabs(series->found[i].result.theta) < fabs(series->found[found].result.theta)))
            found = i;
    return found;
}

static void unite_weak(struct series *series)
{
    for (;;) {
        compare_all_neighbours(series);
        size_t i = weakest(series);
        if (i == series->n_found)
            return;
        series->n_found--;
        memmove(&series->found[i], &series->found[i + 1],
                (series->n_found - i) * sizeof *series->found);
    }
}

/* ---- the newest run ---- */

/* By the prediction of the runs of its segment, which are three at least. */
static void add_newest(struct series *series)
{
    enum { LEAST = 3, TIMES = 5 };
    struct window before = window_at(series, series->n_found);
    before.end--;
    if (before.end < before.from + LEAST)
        return;
    const struct off off = count_off(series, (struct window){before.end, series->n});
    if (off.n > fmax((1 - series->confidence) * (double)series->n, 1))
        return; /* it may well be one of them */
    const double n = (double)(before.end - before.from);
    struct change_point point = {.kind = CHANGE_UNCONFIRMED, .at = before.end};
    point.result = (struct comparison){.n_rounds = 1, .deviation = series->scale * sqrt(2)};
    point.result.theta = series->y[before.end] - median_of(series, before);
    compare_set_by_t(&point.result, series->scale * sqrt(1 + 1 / n), n - 1,
                     series->runs[before.end].step_ratio, series->confidence);
    if (!is_weak(series, &point) && point.result.p <= (1 - series->confidence) / TIMES)
        MEMORY_APPEND(series->found, series->n_found, point);
}

size_t change_points_find(const struct history_run *runs, size_t n, double margin,
                          double confidence, struct change_point **ret)
{
    enum { LEAST_FOR_LINE = 4 };
    struct series series = {.margin_log = log1p(margin), .confidence = confidence};
    struct change_point drift;
    series_begin(&series, runs, n);
    double cost = n > 2 ? find_segments(&series) : 0;
    if (n == 2)
        MEMORY_APPEND(series.found, series.n_found,
                      ((struct change_point){.kind = CHANGE_UNCONFIRMED, .at = 1}));
    if (n >= LEAST_FOR_LINE && find_drift(&series, cost, &drift)) {
        series.n_found = 0;
        MEMORY_APPEND(series.found, series.n_found, drift);
    } else if (n > 1) {
        unite_weak(&series);
        if (n > 2)
            add_newest(&series);
    }
    for (size_t i = 0; i < series.n_found; i++) {
        struct comparison *result = &series.found[i].result;
        result->adjusted_p = adjusted_p(&series, &series.found[i]);
        result->verdict = result->theta > 0 ? COMPARED_SLOWER : COMPARED_FASTER;
    }
    series_end(&series);
    *ret = series.found;
    return series.n_found;
}
