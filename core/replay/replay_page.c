/* replay_page.c - see replay.h: a trace and where policies stop, as a page of charts. */
#include "core/replay/replay.h"

#include "core/base/statistics.h"
#include "core/report/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what grows with the number of samples ---- */

enum { POINTS_MAX = 4096, ALL_POINTS_UP_TO = 64, BINS = 400, SHOWN_OF_A_BIN = 18, NOISE_FROM = 5 };
static const double POINTS_GROWTH = 1.01;

/*
 * The samples by their times: how many of those so far are of each time. A Fenwick tree (A new data
 * structure for cumulative frequency tables, 1994) finds the k-th smallest.
 */
struct ranking {
    double *values;         /* that there are, ascending */
    uint32_t n_values, top; /* top: the highest power of two in n_values */
    uint32_t *counts;
    uint32_t *tree; /* from 1 */
};

static uint32_t rank_of(const struct ranking *ranking, double value)
{
    uint32_t low = 0, high = ranking->n_values - 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (ranking->values[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* How many there were of the same time before. */
static uint32_t ranking_add(struct ranking *ranking, double value)
{
    uint32_t rank = rank_of(ranking, value);
    for (uint64_t i = (uint64_t)rank + 1; i <= ranking->n_values; i += i & -i)
        ranking->tree[i]++;
    return ranking->counts[rank]++;
}

/* The k-th smallest of those so far, k from 1. */
static double ranking_find(const struct ranking *ranking, uint64_t k)
{
    uint64_t at = 0;
    for (uint64_t step = ranking->top; step > 0; step /= 2)
        if (at + step <= ranking->n_values && ranking->tree[at + step] < k) {
            at += step;
            k -= ranking->tree[at];
        }
    return ranking->values[at < ranking->n_values ? at : ranking->n_values - 1];
}

/* Around where 90 % of the samples are, twice as far on either side: modes of a few percent of the
 * samples stay apart, and outliers do not flatten them. */
static void find_bounds(const double *sorted, uint64_t n, struct replay_series *ret)
{
    double low = quantile_of_sorted(sorted, n, 0.05), high = quantile_of_sorted(sorted, n, 0.95);
    double reach = 2 * (high - low) > 1e-3 * high ? 2 * (high - low) : 1e-3 * high;
    ret->low_ns = sorted[0] < low - reach ? low - reach : sorted[0];
    ret->high_ns = sorted[n - 1] > high + reach ? high + reach : sorted[n - 1];
    for (uint64_t i = 0; i < n && sorted[i] < ret->low_ns; i++)
        ret->n_below++;
    for (uint64_t i = n; i > 0 && sorted[i - 1] > ret->high_ns; i--)
        ret->n_above++;
}

static int32_t ranking_new(const double *time_ns, uint64_t n, struct ranking *ranking,
                           struct replay_series *ret, struct gb_error *error)
{
    uint64_t n_known = 0, n_values = 0;
    double *values = malloc((n + 1) * sizeof *values);
    *ranking = (struct ranking){.values = values};
    if (!values || n > UINT32_MAX - 1)
        return error_set(error, GB_NO_MEMORY, "not enough memory to plot %llu samples",
                         (unsigned long long)n);
    for (uint64_t i = 0; i < n; i++)
        if (!isnan(time_ns[i]))
            values[n_known++] = time_ns[i];
    if (n_known == 0)
        return error_set(error, GB_NOT_FOUND, "no sample with a known time to plot");
    sort_values(values, n_known);
    find_bounds(values, n_known, ret);
    for (uint64_t i = 0; i < n_known; i++)
        if (i == 0 || values[i] > values[n_values - 1])
            values[n_values++] = values[i];
    ranking->n_values = (uint32_t)n_values;
    ranking->top = 1;
    while (ranking->top <= n_values / 2)
        ranking->top *= 2;
    ranking->counts = calloc(n_values, sizeof *ranking->counts);
    ranking->tree = calloc(n_values + 1, sizeof *ranking->tree);
    return ranking->counts && ranking->tree
               ? GB_OK
               : error_set(error, GB_NO_MEMORY, "not enough memory to plot %llu samples",
                           (unsigned long long)n);
}

/* Sums over the samples so far; mean and squares by Welford (Note on a method for calculating
 * corrected sums of squares and products, 1962). */
struct sums {
    uint64_t n;
    double mean, squares;
    double count_logs; /* of c log2 c */
    uint64_t n_noises;
    double noises[NOISE_WINDOW]; /* a ring */
};

/* Of the samples so far: standard deviation over mean. */
static double noise_of(const struct sums *sums)
{
    const double variance = fmax(sums->squares, 0) / (double)(sums->n - 1);
    return sums->n > 1 && sums->mean > 0 ? sqrt(variance) / sums->mean : NAN;
}

static double times_log2(uint64_t count)
{
    return count > 1 ? (double)count * log2((double)count) : 0;
}

static void sums_add(struct sums *sums, double value, uint32_t n_before)
{
    double off = value - sums->mean;
    sums->n++;
    sums->mean += off / (double)sums->n;
    sums->squares += off * (value - sums->mean);
    sums->count_logs += times_log2((uint64_t)n_before + 1) - times_log2(n_before);
    const double noise = noise_of(sums);
    if (sums->n >= NOISE_FROM && isfinite(noise))
        sums->noises[sums->n_noises++ % NOISE_WINDOW] = noise;
}

static double spread_of_noises(const struct sums *sums)
{
    const size_t n = sums->n_noises < NOISE_WINDOW ? (size_t)sums->n_noises : NOISE_WINDOW;
    const double mean = mean_of(sums->noises, n);
    double squares = 0;
    for (size_t i = 0; i < n; i++)
        squares += (sums->noises[i] - mean) * (sums->noises[i] - mean);
    return n > NOISE_WINDOW_FROM && mean > 0 ? sqrt(squares / (double)n) / mean : NAN;
}

/* The interval between two order statistics that holds the median with 95 %, by the binomial
 * distribution's normal approximation with its correction for continuity (Conover: Practical
 * Nonparametric Statistics, 3.2). There is none of fewer than 6 samples. */
static void find_interval(const struct ranking *ranking, uint64_t n, double *ret_low,
                          double *ret_high)
{
    double low = floor((double)n / 2 - 1.959964 * sqrt((double)n) / 2 + 0.5);
    *ret_low = low >= 1 ? ranking_find(ranking, (uint64_t)low) : NAN;
    *ret_high = low >= 1 ? ranking_find(ranking, n + 1 - (uint64_t)low) : NAN;
}

static void add_point(struct replay_series *ret, const struct ranking *ranking,
                      const struct sums *sums)
{
    uint64_t i = ret->n_points++;
    double n = (double)sums->n;
    ret->number[i] = n;
    ret->stdev_ratio[i] = noise_of(sums);
    ret->noise_ratio[i] = spread_of_noises(sums);
    ret->entropy_bits[i] = fmax(log2(n) - sums->count_logs / n, 0);
    ret->median_ns[i] = 0.5 * (ranking_find(ranking, (sums->n + 1) / 2) +
                               ranking_find(ranking, sums->n / 2 + 1));
    find_interval(ranking, sums->n, &ret->median_low_ns[i], &ret->median_high_ns[i]);
}

static void make_points(const double *time_ns, uint64_t n, struct ranking *ranking,
                        struct replay_series *ret)
{
    struct sums sums = {0};
    double next = 1;
    uint64_t n_known = 0;
    for (uint64_t i = 0; i < n; i++)
        n_known += isnan(time_ns[i]) ? 0 : 1;
    for (uint64_t i = 0; i < n; i++) {
        if (isnan(time_ns[i]))
            continue;
        sums_add(&sums, time_ns[i], ranking_add(ranking, time_ns[i]));
        if (((double)sums.n < next && sums.n < n_known) || ret->n_points == POINTS_MAX)
            continue;
        add_point(ret, ranking, &sums);
        next = sums.n < ALL_POINTS_UP_TO ? next + 1 : ceil(next * POINTS_GROWTH);
    }
}

static bool is_within(const struct replay_series *series, double value)
{
    return value >= series->low_ns && value <= series->high_ns;
}

static void show(struct replay_series *ret, const double *time_ns, uint64_t i)
{
    if (!is_within(ret, time_ns[i])) /* nor is NaN */
        return;
    ret->shown_number[ret->n_shown] = (double)i + 1;
    ret->shown_ns[ret->n_shown++] = time_ns[i];
}

/* Of samples [first, end), the first on each side that is outside. */
static void show_outside(struct replay_series *ret, const double *time_ns, uint64_t first,
                         uint64_t end)
{
    bool has_below = false, has_above = false;
    for (uint64_t i = first; i < end && !(has_below && has_above); i++) {
        bool is_below = time_ns[i]<ret->low_ns, is_above = time_ns[i]> ret->high_ns;
        if ((!is_below || has_below) && (!is_above || has_above))
            continue;
        ret->outside_number[ret->n_outside] = (double)i + 1;
        ret->outside_ns[ret->n_outside++] = is_below ? ret->low_ns : ret->high_ns;
        has_below = has_below || is_below;
        has_above = has_above || is_above;
    }
}

/* Of samples [first, end), which lie close together on the page: some at equal distances, and the
 * extreme ones. */
static void show_bin(struct replay_series *ret, const double *time_ns, uint64_t first, uint64_t end)
{
    uint64_t lowest = first, highest = first, n = end - first;
    if (n <= SHOWN_OF_A_BIN + 2) {
        for (uint64_t i = first; i < end; i++)
            show(ret, time_ns, i);
        return;
    }
    for (uint64_t i = first; i < end; i++) {
        if (is_within(ret, time_ns[i]) && !(time_ns[i] >= time_ns[lowest]))
            lowest = i;
        if (is_within(ret, time_ns[i]) && !(time_ns[i] <= time_ns[highest]))
            highest = i;
    }
    for (uint64_t k = 0; k < SHOWN_OF_A_BIN; k++)
        show(ret, time_ns, first + (uint64_t)((double)n * (double)k / (double)SHOWN_OF_A_BIN));
    show(ret, time_ns, lowest);
    show(ret, time_ns, highest);
}

/* Bins are equally wide where numbers are logarithmic. */
static void choose_shown(const double *time_ns, uint64_t n, struct replay_series *ret)
{
    uint64_t first = 0;
    for (int bin = 1; bin <= BINS; bin++) {
        uint64_t end = bin == BINS ? n : (uint64_t)pow((double)n, (double)bin / (double)BINS);
        if (end <= first)
            continue;
        if (n > SERIES_ALL_SHOWN)
            show_bin(ret, time_ns, first, end);
        show_outside(ret, time_ns, first, end);
        first = end;
    }
    for (uint64_t i = 0; n <= SERIES_ALL_SHOWN && i < n; i++)
        show(ret, time_ns, i);
}

int32_t replay_series_of(const double *time_ns, uint64_t n, struct arena *arena,
                         struct replay_series *ret, struct gb_error *error)
{
    struct ranking ranking;
    *ret = (struct replay_series){0};
    int32_t status = ranking_new(time_ns, n, &ranking, ret, error);
    if (status == GB_OK) {
        uint64_t most = n < POINTS_MAX ? n : POINTS_MAX;
        double **figures[] = {&ret->number,        &ret->stdev_ratio, &ret->noise_ratio,
                              &ret->entropy_bits,  &ret->median_ns,   &ret->median_low_ns,
                              &ret->median_high_ns};
        for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
            *figures[i] = ARENA_ARRAY(arena, double, most);
        uint64_t most_shown = n <= SERIES_ALL_SHOWN ? n : (uint64_t)BINS * (SHOWN_OF_A_BIN + 2);
        ret->shown_number = ARENA_ARRAY(arena, double, most_shown);
        ret->shown_ns = ARENA_ARRAY(arena, double, most_shown);
        ret->outside_number = ARENA_ARRAY(arena, double, 2 * BINS);
        ret->outside_ns = ARENA_ARRAY(arena, double, 2 * BINS);
        make_points(time_ns, n, &ranking, ret);
        choose_shown(time_ns, n, ret);
    }
    free(ranking.values);
    free(ranking.counts);
    free(ranking.tree);
    return status;
}

/* ---- the page ---- */

enum { WIDTH = 1100, HEIGHT = 1600, POLICY_COLUMNS = 36 };
enum { COLOUR_BAND = 4, COLOUR_OUTSIDE = 1, COLOUR_SAMPLES = 5, COLOUR_CURVE = 5 };

static void add_policy_name(struct text *out, const struct replay_policy *policy)
{
    const char *slash = strrchr(policy->label, '/');
    text_add_shortened(out, slash ? slash + 1 : policy->label, POLICY_COLUMNS);
}

/* "fixed, stdrel": those that stop after n samples. */
static const char *policies_at(const struct replay_policies *policies,
                               const struct replay_result *results, uint64_t n, struct arena *arena)
{
    CLEANUP(text_free) struct text names = {0};
    for (size_t i = 0; i < policies->n; i++) {
        if (results[i].has_failed || !results[i].has_ended || results[i].n != n)
            continue;
        text_add(&names, names.length ? ", " : "");
        add_policy_name(&names, &policies->items[i]);
    }
    return arena_text(arena, text_get(&names));
}

/* One line for all policies that stop at the same place. */
static size_t make_verticals(const struct replay_policies *policies,
                             const struct replay_result *results, struct arena *arena,
                             struct plot_vertical *verticals)
{
    size_t n = 0;
    for (size_t i = 0; i < policies->n; i++) {
        bool is_known = results[i].has_failed || !results[i].has_ended || results[i].n == 0;
        for (size_t j = 0; j < n && !is_known; j++)
            is_known = verticals[j].x == (double)results[i].n;
        if (is_known)
            continue;
        const char *names = policies_at(policies, results, results[i].n, arena);
        verticals[n] = (struct plot_vertical){
            .x = (double)results[i].n,
            .label = arena_printf(arena, "%s %llu", names, (unsigned long long)results[i].n),
            .colour = (int)n};
        n++;
    }
    return n;
}

static const char *title_of(const struct trace *trace, struct arena *arena)
{
    CLEANUP(text_free) struct text title = {0};
    text_add(&title, trace->label);
    if (trace->has_rounds)
        text_printf(&title, ", round %u", trace->round + 1);
    if (trace->run > 0)
        text_printf(&title, " (run %lld)", (long long)trace->run);
    return arena_text(arena, text_get(&title));
}

/* Where it was measured, how many samples, and which policies have no line. */
static const char *subtitle_of(const struct trace *trace, const struct replay_policies *policies,
                               const struct replay_result *results, struct arena *arena)
{
    CLEANUP(text_free) struct text text = {0};
    const char *before = ". Not yet stopped: ";
    if (*trace->device)
        text_printf(&text, "%s %s, ", trace->device, trace->row.device->record.model);
    if (*trace->clock)
        text_printf(&text, "%s %s, ", trace->clock, trace->view ? "clock" : "column");
    text_printf(&text, "%s in %s, median %s", COUNT_TEXT(trace->n, "sample"),
                TIME_TEXT(trace->elapsed_ns, 3), TIME_TEXT(trace->median_ns, 5));
    for (size_t i = 0; i < policies->n; i++) {
        if (results[i].has_failed || results[i].has_ended)
            continue;
        text_add(&text, before);
        add_policy_name(&text, &policies->items[i]);
        before = ", ";
    }
    return arena_text(arena, text_get(&text));
}

static const char *samples_title(const struct replay_series *series, uint64_t n,
                                 struct arena *arena)
{
    uint64_t n_within = n - series->n_above - series->n_below;
    return series->n_shown < n_within
               ? arena_printf(arena, "time of a sample, %llu of %llu shown",
                              (unsigned long long)series->n_shown, (unsigned long long)n)
               : "time of a sample";
}

static const char *outside_label(const struct replay_series *series, struct arena *arena)
{
    CLEANUP(text_free) struct text label = {0};
    if (series->n_above)
        text_printf(&label, "%llu above", (unsigned long long)series->n_above);
    if (series->n_below)
        text_printf(&label, "%s%llu below", label.length ? ", " : "",
                    (unsigned long long)series->n_below);
    return label.length ? arena_text(arena, text_get(&label)) : NULL;
}

/* A range for a curve and its interval that those of the first samples do not stretch. */
static void bound_curve(uint64_t n_points, const double *curve, const double *lower,
                        const double *upper, struct plot_panel *panel)
{
    double low = INFINITY, high = -INFINITY;
    for (uint64_t i = n_points / 5; i < n_points; i++) {
        low = fmin(low, isnan(lower[i]) ? curve[i] : lower[i]);
        high = fmax(high, isnan(upper[i]) ? curve[i] : upper[i]);
    }
    double more = 0.15 * (high - low);
    if (!(more > 1e-6 * high))
        more = 0.01 * high;
    if (isfinite(low) && more > 0) {
        panel->y_low = low - more;
        panel->y_high = high + more;
    }
}

static void scale(double *values, uint64_t n, double by)
{
    for (uint64_t i = 0; i < n; i++)
        values[i] *= by;
}

/* From ns to the unit of the axes, from ratios to percent. */
static void scale_all(struct replay_series *series, double unit_ns)
{
    uint64_t n = series->n_points;
    scale(series->shown_ns, series->n_shown, 1 / unit_ns);
    scale(series->outside_ns, series->n_outside, 1 / unit_ns);
    scale(series->median_ns, n, 1 / unit_ns);
    scale(series->median_low_ns, n, 1 / unit_ns);
    scale(series->median_high_ns, n, 1 / unit_ns);
    scale(series->stdev_ratio, n, 100);
    scale(series->noise_ratio, n, 100);
}

/* Those up to PANELS_OF_NUMBERS are over the number of samples. */
enum {
    PANEL_SAMPLES,
    PANEL_STDEV,
    PANEL_NOISE,
    PANEL_ENTROPY,
    PANEL_MEDIAN,
    PANELS_OF_NUMBERS,
    PANEL_SHARES = PANELS_OF_NUMBERS,
    PANELS
};

static struct plot_panel samples_panel(const struct replay_series *series, uint64_t n,
                                       struct arena *arena)
{
    struct plot_series *samples = ARENA_ARRAY(arena, struct plot_series, 2);
    const uint64_t n_shown = series->n_shown; /* the more, the fainter each */
    samples[0] = (struct plot_series){.kind = PLOT_POINTS,
                                      .n = series->n_shown,
                                      .x = series->shown_number,
                                      .y = series->shown_ns,
                                      .colour = COLOUR_SAMPLES,
                                      .opacity = n_shown <= 500    ? 0.9
                                                 : n_shown <= 2000 ? 0.6
                                                                   : 0.35,
                                      .size = n_shown > 500 ? 0.5 : 0.9};
    samples[1] = (struct plot_series){.kind = PLOT_POINTS,
                                      .label = outside_label(series, arena),
                                      .n = series->n_outside,
                                      .x = series->outside_number,
                                      .y = series->outside_ns,
                                      .colour = COLOUR_OUTSIDE,
                                      .size = 0.7};
    return (struct plot_panel){
        .title = samples_title(series, n, arena), .series = samples, .n_series = 2, .height = 1.7};
}

static struct plot_panel curve_panel(const char *title, const char *unit,
                                     const struct replay_series *series, const double *values,
                                     struct arena *arena)
{
    struct plot_series *curve = ARENA_NEW(arena, struct plot_series);
    *curve = (struct plot_series){
        .n = series->n_points, .x = series->number, .y = values, .colour = COLOUR_CURVE};
    struct plot_panel panel = {.title = title, .y_label = unit, .series = curve, .n_series = 1};
    bound_curve(series->n_points, values, values, values, &panel);
    panel.y_low = 0;
    return panel;
}

static struct plot_panel median_panel(const struct replay_series *series, struct arena *arena)
{
    struct plot_series *median = ARENA_ARRAY(arena, struct plot_series, 2);
    median[0] = (struct plot_series){.kind = PLOT_BAND,
                                     .label = "95 % interval of independent samples",
                                     .n = series->n_points,
                                     .x = series->number,
                                     .y = series->median_low_ns,
                                     .high = series->median_high_ns,
                                     .colour = COLOUR_BAND,
                                     .opacity = 0.35};
    median[1] = (struct plot_series){.label = "median",
                                     .n = series->n_points,
                                     .x = series->number,
                                     .y = series->median_ns,
                                     .colour = COLOUR_CURVE};
    struct plot_panel panel = {.title = "median of the samples so far",
                               .x_label = "number of samples",
                               .series = median,
                               .n_series = 2,
                               .height = 1.4};
    bound_curve(series->n_points, series->median_ns, series->median_low_ns, series->median_high_ns,
                &panel);
    return panel;
}

/* A dashed line where stdrel takes the noise for settled. */
static struct plot_panel noise_panel(const struct replay_series *series, struct arena *arena)
{
    struct plot_series *both = ARENA_ARRAY(arena, struct plot_series, 2);
    double *x = ARENA_ARRAY(arena, double, 2), *y = ARENA_ARRAY(arena, double, 2);
    x[0] = 1;
    x[1] = series->number[series->n_points - 1];
    y[0] = y[1] = 100 * NOISE_WINDOW_LIMIT;
    both[0] = (struct plot_series){.label = "below it stdrel stops",
                                   .n = 2,
                                   .x = x,
                                   .y = y,
                                   .colour = PLOT_GREY,
                                   .is_dashed = true};
    both[1] = (struct plot_series){.n = series->n_points,
                                   .x = series->number,
                                   .y = series->noise_ratio,
                                   .colour = COLOUR_CURVE};
    return (struct plot_panel){
        .title = "noise window: how much the newest 512 of these deviations vary",
        .y_label = "%",
        .series = both,
        .n_series = 2};
}

/* The axis that all panels share, and where policies stop; named in the first only. */
static void add_axis(struct plot_panel *panels, const struct trace *trace,
                     const struct replay_policies *policies, const struct replay_result *results,
                     struct arena *arena)
{
    struct plot_vertical *named = ARENA_ARRAY(arena, struct plot_vertical, policies->n + 1);
    size_t n = make_verticals(policies, results, arena, named);
    struct plot_vertical *unnamed = ARENA_ARRAY(arena, struct plot_vertical, n + 1);
    for (size_t i = 0; i < n; i++)
        unnamed[i] = (struct plot_vertical){.x = named[i].x, .colour = named[i].colour};
    for (size_t i = 0; i < PANELS_OF_NUMBERS; i++) {
        panels[i].x_log = true;
        panels[i].x_is_count = true;
        panels[i].x_low = 0.9;
        panels[i].x_high = 1.1 * (double)(trace->n > 1 ? trace->n : 2);
        panels[i].verticals = i == PANEL_SAMPLES ? named : unnamed;
        panels[i].n_verticals = n;
    }
}

struct range_of_times {
    double low, high;
};

/* Cumulative shares of the first n samples. Samples have to fit in memory once more.
 */
static int32_t shares_of(const struct trace *trace, uint64_t n, double unit_ns, struct arena *arena,
                         struct plot_series *ret, struct range_of_times *range,
                         struct gb_error *error)
{
    enum { POINTS = 200 };
    double *sorted = malloc((size_t)(n + 1) * sizeof *sorted);
    double *time = ARENA_ARRAY(arena, double, POINTS + 1);
    double *share = ARENA_ARRAY(arena, double, POINTS + 1);
    if (!sorted)
        return error_set(error, GB_FAILED, "out of memory for %llu samples", (unsigned long long)n);
    memcpy(sorted, trace->time_ns, (size_t)n * sizeof *sorted);
    sort_values(sorted, (size_t)n);
    for (size_t i = 0; i <= POINTS; i++) {
        share[i] = 100 * (double)i / POINTS;
        time[i] = quantile_of_sorted(sorted, (size_t)n, (double)i / POINTS) / unit_ns;
    }
    double q1 = quantile_of_sorted(sorted, (size_t)n, 0.25) / unit_ns;
    double q3 = quantile_of_sorted(sorted, (size_t)n, 0.75) / unit_ns;
    double reach = 4 * (q3 - q1) + 0.005 * q3; /* what is farther would flatten the modes */
    *range = (struct range_of_times){fmax(time[0], q1 - reach), fmin(time[POINTS], q3 + reach)};
    free(sorted);
    *ret = (struct plot_series){.n = POINTS + 1, .x = time, .y = share, .colour = PLOT_GREY};
    return GB_OK;
}

/* All samples, and those that each policy saw before it stopped. */
static int32_t make_shares(const struct trace *trace, const struct replay_policies *policies,
                           const struct replay_result *results, const struct time_unit *unit,
                           struct arena *arena, struct plot_panel *ret, struct gb_error *error)
{
    struct plot_vertical *stops = ARENA_ARRAY(arena, struct plot_vertical, policies->n + 1);
    size_t n_stops = make_verticals(policies, results, arena, stops), n = 0;
    struct plot_series *series = ARENA_ARRAY(arena, struct plot_series, n_stops + 1);
    struct range_of_times range = {0}, of_stop = {0};
    int32_t status = shares_of(trace, trace->n, unit->ns, arena, &series[n], &range, error);
    series[n++].label = "all samples";
    for (size_t i = 0; i < n_stops && status == GB_OK; i++, n++) {
        status = shares_of(trace, (uint64_t)stops[i].x, unit->ns, arena, &series[n], &of_stop,
                           error);
        series[n].label = policies_at(policies, results, (uint64_t)stops[i].x, arena);
        series[n].colour = stops[i].colour;
    }
    double more = 0.03 * (range.high - range.low);
    *ret = (struct plot_panel){.title = "distribution",
                               .x_label = unit->name,
                               .y_label = "% of the samples",
                               .x_low = range.low - more,
                               .x_high = range.high + more,
                               .series = series,
                               .n_series = n,
                               .height = 1.2};
    return status;
}

int32_t replay_page_write(const char *path, const struct trace *trace,
                          const struct replay_policies *policies,
                          const struct replay_result *results, struct gb_error *error)
{
    CLEANUP(arena_free) struct arena arena = {0};
    struct replay_series series;
    int32_t status = replay_series_of(trace->time_ns, trace->n, &arena, &series, error);
    if (status != GB_OK)
        return status;
    const struct time_unit *unit = time_unit_of(trace->median_ns);
    scale_all(&series, unit->ns);
    struct plot_panel panels[PANELS] = {
        [PANEL_SAMPLES] = samples_panel(&series, trace->n, &arena),
        [PANEL_STDEV] = curve_panel("relative standard deviation of the samples so far", "%",
                                    &series, series.stdev_ratio, &arena),
        [PANEL_NOISE] = noise_panel(&series, &arena),
        [PANEL_ENTROPY] = curve_panel("entropy of the samples so far", "bits", &series,
                                      series.entropy_bits, &arena),
        [PANEL_MEDIAN] = median_panel(&series, &arena),
    };
    status = make_shares(trace, policies, results, unit, &arena, &panels[PANEL_SHARES], error);
    if (status != GB_OK)
        return status;
    panels[PANEL_SAMPLES].y_label = panels[PANEL_MEDIAN].y_label = unit->name;
    add_axis(panels, trace, policies, results, &arena);
    const struct plot_page page = {.title = title_of(trace, &arena),
                                   .subtitle = subtitle_of(trace, policies, results, &arena),
                                   .panels = panels,
                                   .n_panels = PANELS,
                                   .width = WIDTH,
                                   .height = HEIGHT};
    return plot_write(&page, path, error);
}
