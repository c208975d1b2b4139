/* median_estimate.c - see median_estimate.h. Plugin side. */
#include "median_estimate.h"

#include "order_statistics.h"
#include "plugins/common/simd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- times, kept in order --- */

enum { CAPACITY_FIRST = 1024 };

/* Grown by half, so that a long recording never holds much more than it needs; realloc moves large
 * blocks by their page tables, without a second copy. */
static int32_t reserve(double **block, uint64_t *capacity, uint64_t needed)
{
    if (needed <= *capacity)
        return GB_OK;
    uint64_t wanted = *capacity + *capacity / 2;
    if (wanted < CAPACITY_FIRST)
        wanted = CAPACITY_FIRST;
    if (wanted < needed)
        wanted = needed;
    if (wanted > SIZE_MAX / sizeof **block)
        return GB_NO_MEMORY;
    double *grown = realloc(*block, (size_t)wanted * sizeof **block);
    if (grown == NULL)
        return GB_NO_MEMORY;
    *block = grown;
    *capacity = wanted;
    return GB_OK;
}

double elapsed_at(const struct gb_samples *samples, double before)
{
    if (samples->n > 0 && samples->elapsed_ns != NULL)
        return samples->elapsed_ns[samples->n - 1];
    for (uint64_t i = 0; i < samples->n; i++)
        if (isfinite(samples->time_ns[i]))
            before += samples->time_ns[i] *
                      (samples->iterations != NULL ? (double)samples->iterations[i] : 1.0);
    return before;
}

int32_t sample_array_add(struct sample_array *array, const struct gb_samples *samples)
{
    if (samples->n == 0)
        return GB_OK;
    const int32_t status = reserve(&array->times, &array->capacity, array->n + samples->n);
    if (status != GB_OK)
        return status;
    for (uint64_t i = 0; i < samples->n; i++) {
        if (isfinite(samples->time_ns[i]))
            array->times[array->n++] = samples->time_ns[i];
        else
            array->n_not_finite++;
    }
    array->elapsed_ns = elapsed_at(samples, array->elapsed_ns);
    array->traits = samples->traits;
    if (samples->tick_ns > array->tick_ns)
        array->tick_ns = samples->tick_ns;
    return GB_OK;
}

uint64_t sample_array_seen(const struct sample_array *array)
{
    return array->n + array->n_not_finite;
}

void sample_array_free(struct sample_array *array)
{
    free(array->times);
    free(array->scratch);
    *array = (struct sample_array){0};
}

/* --- the mean of times on few ticks --- */

static const double FEW_TICKS = 2.0;
static const double ROUNDING = 0.25; /* ticks: between two of them, wherever division puts them */
static const double REACH = 2.0;     /* ticks from the median, or */
static const double REACH_DEVIATIONS = 4.0;
static const double ALLOWANCE = 4.0;      /* readings */
static const double UNITS = 1073741824.0; /* of a tick, in sums of whole numbers */

enum { TIMES_MAX = 6, LANES = 2 };
typedef VECTOR_OF(double, sizeof(double[LANES])) numbers;
typedef VECTOR_OF(int64_t, sizeof(int64_t[LANES])) masks;

/* Of the deviations from the median that are within reach. */
struct sums {
    uint64_t n;
    double sum, squares;
};

static void add_up(const double *values, uint64_t n, double median, double reach, struct sums *sums)
{
    numbers sum = {0.0};
    numbers squares = {0.0};
    masks n_near = {0};
    uint64_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        const numbers all =
            ((const UNALIGNED(double, sizeof(double[LANES])) *)(values + i))->vector - median;
        const masks is_near = (all <= reach) & (all >= -reach);
        const numbers near = (numbers)((masks)all & is_near);
        sum += near;
        squares += near * near;
        n_near -= is_near;
    }
    for (; i < n; i++) {
        const double deviation = values[i] - median;
        if (fabs(deviation) > reach)
            continue;
        sum[0] += deviation;
        squares[0] += deviation * deviation;
        n_near[0]++;
    }
    sums->n += (uint64_t)(n_near[0] + n_near[1]);
    sums->sum += sum[0] + sum[1];
    sums->squares += squares[0] + squares[1];
}

/* Their mean is a ratio, of a sum to a number that are both random: its error is the sum of the
 * deviations from it, 0 for the others, over that number. */
static double time_of(const struct series_places *places, const struct sums *up_to, double mean,
                      double squares, double tick)
{
    int64_t twice_sums[SERIES_PLACES_MAX];
    const double units = UNITS / tick;
    for (size_t i = 0; i < places->n_places; i++)
        twice_sums[i] = (int64_t)llround(2.0 * units * (up_to[i].sum - mean * (double)up_to[i].n));
    return series_time(places, twice_sums, squares * units * units / (double)places->n);
}

static void add_up_all(const double *values, const struct series_places *places, double median,
                       double reach, struct sums *ret_up_to)
{
    struct sums sums = {0};
    uint64_t from = 0;
    for (size_t i = 0; i < places->n_places; i++) {
        add_up(values + from, places->at[i] - from, median, reach, &sums);
        ret_up_to[i] = sums;
        from = places->at[i];
    }
}

static double squares_of(const struct sums *sums)
{
    return fmax(sums->squares - sums->sum * sums->sum / (double)sums->n, 0.0);
}

bool dithered_mean_of(const double *values, const struct series_places *places, double median,
                      double quartiles, double tick, struct dithered_mean *ret)
{
    struct sums up_to[SERIES_PLACES_MAX];
    const struct sums *all = &up_to[places->n_places - 1];
    if (quartiles > (FEW_TICKS + ROUNDING) * tick)
        return false;
    double wanted = REACH * tick;
    double reach = 0.0;
    int times = 0;
    do {
        reach = wanted;
        add_up_all(values, places, median, reach + ROUNDING * tick, up_to);
        wanted = REACH_DEVIATIONS * sqrt(squares_of(all) / (double)all->n);
    } while (wanted > reach && ++times < TIMES_MAX);
    const double mean = all->sum / (double)all->n;
    const double squares = squares_of(all);
    ret->n = all->n;
    ret->value = median + mean;
    ret->n_effective = (double)all->n / time_of(places, up_to, mean, squares, tick);
    ret->deviation = sqrt(squares / (double)all->n + ALLOWANCE * tick * tick / ret->n_effective);
    return true;
}

double dithered_mean_half_width(const struct dithered_mean *mean, double radius)
{
    return radius < 0.5 ? 2.0 * mean->deviation * radius : (double)INFINITY;
}

/* --- the median --- */

static double median_of(uint64_t n, struct rank_window *window)
{
    const uint64_t ranks[2] = {(n - 1) / 2, n / 2};
    double values[2] = {0.0, 0.0};
    rank_window_select(window, ranks, 2, values);
    return values[0] + 0.5 * (values[1] - values[0]);
}

/* Between ticks: the median of grouped data, as the times of one tick are spread over its width. */
static double grouped_median(const struct sample_array *samples, struct rank_window *window)
{
    const uint64_t middle = samples->n / 2;
    const double half = 0.5 * samples->tick_ns;
    double value = 0.0;
    uint64_t n_below = 0;
    uint64_t n_at = 0;
    rank_window_select(window, &middle, 1, &value);
    for (uint64_t i = 0; i < samples->n; i++) {
        n_below += samples->times[i] < value - half;
        n_at += fabs(samples->times[i] - value) <= half;
    }
    return value - half +
           samples->tick_ns * (0.5 * (double)samples->n - (double)n_below) / (double)n_at;
}

/* The ends are mostly near enough to the median for its window; else a wider one is made. */
static void interval_of(const struct sample_array *samples, struct rank_window *window, int64_t low,
                        uint64_t high, double *ret_low, double *ret_high)
{
    uint64_t ranks[2] = {0, 0};
    double values[2] = {0.0, 0.0};
    size_t n_ranks = 0;
    if (low >= 0)
        ranks[n_ranks++] = (uint64_t)low;
    if (high < samples->n)
        ranks[n_ranks++] = high;
    if (!rank_window_select(window, ranks, n_ranks, values)) {
        *window = rank_window_of(samples->times, samples->n, ranks[0], ranks[n_ranks - 1],
                                 samples->scratch);
        rank_window_select(window, ranks, n_ranks, values);
    }
    *ret_low = low >= 0 ? values[0] : (double)-INFINITY;
    *ret_high = high < samples->n ? values[n_ranks - 1] : (double)INFINITY;
}

/* As a share of the samples; for one look if n_optimal is 0. */
static double radius_of(double n_effective, double confidence, double n_optimal)
{
    return n_optimal > 0.0 ? confidence_sequence_radius(n_effective, 1.0 - confidence, n_optimal)
                           : median_radius(n_effective, confidence);
}

static bool is_dithered(const struct sample_array *samples)
{
    return (samples->traits & GB_SAMPLES_DITHERED) != 0 && samples->tick_ns > 0.0;
}

static bool take_mean(const struct sample_array *samples, double confidence, double n_optimal,
                      struct median_estimate *ret)
{
    const uint64_t n = samples->n;
    const uint64_t ranks[3] = {n / 4, n / 2, (uint64_t)floor(0.75 * (double)n)};
    double values[3] = {0.0, 0.0, 0.0};
    struct series_places places;
    struct dithered_mean mean;
    if (!is_dithered(samples))
        return false;
    struct rank_window window = rank_window_of(samples->times, n, ranks[0], ranks[2],
                                               samples->scratch);
    rank_window_select(&window, ranks, 3, values);
    series_places_of(n, &places);
    if (!dithered_mean_of(samples->times, &places, values[1], values[2] - values[0],
                          samples->tick_ns, &mean))
        return false;
    const double half = dithered_mean_half_width(
        &mean, radius_of(mean.n_effective, confidence, n_optimal));
    *ret = (struct median_estimate){
        n, true, mean.value, mean.value - half, mean.value + half, mean.n_effective};
    return true;
}

int32_t median_estimate_of(struct sample_array *samples, double confidence, double n_optimal,
                           struct median_estimate *ret)
{
    *ret = (struct median_estimate){samples->n, false, NAN, NAN, NAN, 0.0};
    if (samples->n == 0)
        return GB_OK;
    const int32_t status = reserve(&samples->scratch, &samples->scratch_capacity, samples->n);
    if (status != GB_OK)
        return status;
    if (take_mean(samples, confidence, n_optimal, ret))
        return GB_OK;
    struct rank_window window = rank_window_of(samples->times, samples->n, (samples->n - 1) / 2,
                                               samples->n / 2, samples->scratch);
    ret->value = median_of(samples->n, &window);
    ret->n_effective = effective_sample_size(samples->times, samples->n, ret->value);
    if (is_dithered(samples))
        ret->value = grouped_median(samples, &window);
    int64_t low = 0;
    uint64_t high = 0;
    median_radius_ranks(samples->n, radius_of(ret->n_effective, confidence, n_optimal), &low,
                        &high);
    interval_of(samples, &window, low, high, &ret->low, &ret->high);
    ret->low = fmin(ret->low, ret->value - 0.5 * samples->tick_ns);
    ret->high = fmax(ret->high, ret->value + 0.5 * samples->tick_ns);
    return GB_OK;
}

/* An end that is not known is the least or the greatest sample: the median of 6 or more lies
 * between these with a probability of 95 %. */
static void find_ends(const struct sample_array *samples, struct gb_estimate *estimate)
{
    enum { FEWEST = 6 };
    double low = (double)INFINITY;
    double high = (double)-INFINITY;
    if (samples->n < FEWEST || (isfinite(estimate->low_ns) && isfinite(estimate->high_ns)))
        return;
    for (uint64_t i = 0; i < samples->n; i++) {
        low = fmin(low, samples->times[i]);
        high = fmax(high, samples->times[i]);
    }
    if (!isfinite(estimate->low_ns))
        estimate->low_ns = fmin(low, estimate->value_ns - 0.5 * samples->tick_ns);
    if (!isfinite(estimate->high_ns))
        estimate->high_ns = fmax(high, estimate->value_ns + 0.5 * samples->tick_ns);
}

void median_estimate_put(const struct sample_array *samples, const struct median_estimate *median,
                         double confidence, int32_t verdict, struct gb_estimate *estimate)
{
    estimate->verdict = verdict;
    estimate->value_ns = median->value;
    estimate->low_ns = median->low;
    estimate->high_ns = median->high;
    estimate->confidence = confidence;
    strcpy(estimate->statistic, median->is_mean ? "mean" : "median");
    estimate->n = sample_array_seen(samples);
    estimate->n_discarded = 0;
    estimate->n_effective = median->n_effective;
    if (median->n_effective > 0.0)
        estimate->detectable_mode_weight = 1.0 - pow(1.0 - confidence, 1.0 / median->n_effective);
    estimate->n_modes = median->n > 0 ? 1 : 0;
}

void median_estimate_report(const struct sample_array *samples,
                            const struct median_estimate *median, double confidence,
                            int32_t verdict, struct gb_estimate *estimate)
{
    median_estimate_put(samples, median, confidence, verdict, estimate);
    find_ends(samples, estimate);
}

int32_t median_report(struct sample_array *samples, int32_t verdict, struct gb_estimate *estimate)
{
    const double confidence = 0.95;
    struct median_estimate median;
    const int32_t status = median_estimate_of(samples, confidence, 0.0, &median);
    if (status == GB_OK)
        median_estimate_report(samples, &median, confidence, verdict, estimate);
    return status;
}

const char *samples_needed(double too_wide, char *ret, size_t size)
{
    const double times = fmin(too_wide * too_wide, 1e12);
    const double unit = times < 10.0 ? 0.1 : pow(10.0, floor(log10(times)));
    snprintf(ret, size, "%.*f", times < 10.0 ? 1 : 0, unit * round(times / unit));
    return ret;
}
