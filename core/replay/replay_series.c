/* replay_series.c - see replay_series.h. */
#include "core/replay/replay_series.h"

#include "core/base/statistics.h"

#include <math.h>
#include <stdlib.h>

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
        return error_set(error, GB_NO_MEMORY, "there is no memory to plot %llu samples",
                         (unsigned long long)n);
    for (uint64_t i = 0; i < n; i++)
        if (!isnan(time_ns[i]))
            values[n_known++] = time_ns[i];
    if (n_known == 0)
        return error_set(error, GB_NOT_FOUND, "there is no sample to plot whose time is known");
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
               : error_set(error, GB_NO_MEMORY, "there is no memory to plot %llu samples",
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
