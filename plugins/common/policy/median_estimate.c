/* median_estimate.c - see median_estimate.h. Plugin side. */
#include "median_estimate.h"

#include "dithered_mean.h"
#include "effective_size.h"
#include "order_statistics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

int32_t median_sequence_of(struct sample_array *samples, double confidence, double n_optimal,
                           struct median_estimate *ret)
{
    *ret = (struct median_estimate){samples->n, false, NAN, NAN, NAN, 0.0};
    if (samples->n == 0)
        return GB_OK;
    const int32_t status = sample_array_reserve_scratch(samples);
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

int32_t median_estimate_of(struct sample_array *samples, double confidence,
                           struct median_estimate *ret)
{
    return median_sequence_of(samples, confidence, 0.0, ret);
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

void median_estimate_report(const struct sample_array *samples,
                            const struct median_estimate *median, double confidence,
                            int32_t verdict, struct gb_estimate *estimate)
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
    find_ends(samples, estimate);
}

const char *samples_needed(double too_wide, char *ret, size_t size)
{
    const double times = fmin(too_wide * too_wide, 1e12);
    const double unit = times < 10.0 ? 0.1 : pow(10.0, floor(log10(times)));
    snprintf(ret, size, "%.*f", times < 10.0 ? 1 : 0, unit * round(times / unit));
    return ret;
}
