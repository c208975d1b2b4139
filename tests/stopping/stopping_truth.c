/*
 * stopping_truth.c - see stopping_truth.h.
 *
 * Samples are counted in bins, of the timer's step where there is one, and so fine otherwise that
 * interpolation inside a bin costs nothing that counts. Quantiles go through the middles of the
 * bins' cumulative counts, which undoes a timer's rounding.
 */
#include "tests/stopping/stopping_truth.h"

#include "core/base/memory.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

enum { BINS = 32768, BATCH = 8192 };
/* Times from half of T to twice as much; what lies beyond counts at the ends. */
static const double FROM = 0.5, TO = 2;
/* Replications of these traces are no policy's. */
static const uint64_t FIRST_REPLICATION = 1u << 30;

struct histogram {
    double first_ns, width_ns;
    uint64_t n, *counts;
};

static size_t bin_of(const struct histogram *histogram, double time_ns)
{
    double bin = floor((time_ns - histogram->first_ns) / histogram->width_ns + 0.5);
    return bin < 0 ? 0 : bin < (double)BINS ? (size_t)bin : BINS - 1;
}

/* Mid-quantile: linear through (value, middle of its cumulative counts). */
static double quantile(const struct histogram *histogram, double p)
{
    double below = 0, last = 0, last_middle = -1, target = p * (double)histogram->n;
    for (size_t i = 0; i < BINS; i++) {
        if (histogram->counts[i] == 0)
            continue;
        double middle = below + 0.5 * (double)histogram->counts[i];
        double value = histogram->first_ns + histogram->width_ns * (double)i;
        if (middle >= target)
            return last_middle < 0
                       ? value
                       : last + (value - last) * (target - last_middle) / (middle - last_middle);
        below += (double)histogram->counts[i];
        last = value;
        last_middle = middle;
    }
    return last;
}

double confidence_sequence(double n_effective)
{
    double log_term = log(1 / 0.05);
    double rho = (256.0 / 4) / (2 * log_term + log1p(2 * log_term));
    double v = n_effective / 4;
    return sqrt((v + rho) * (log1p(v / rho) + 2 * log_term)) / n_effective;
}

/* The fewest independent samples at which the interval is within the precision. */
static double independent_samples(const struct histogram *histogram, double precision)
{
    double median = quantile(histogram, 0.5), low = 16, high = 1e9;
    for (int i = 0; i < 60; i++) {
        double n = sqrt(low * high), h = confidence_sequence(n);
        bool is_narrow = h < 0.5 && quantile(histogram, 0.5 + h) - median <= precision * median &&
                         median - quantile(histogram, 0.5 - h) <= precision * median;
        if (is_narrow)
            high = n;
        else
            low = n;
    }
    return high < 0.9e9 ? high : INFINITY;
}

/* "Is below the median": its sums over batches and over all. */
struct indicator {
    double median_ns, batch_sum;
    uint64_t in_batch, n_batches, n;
    double sum, squares, batch_means, batch_squares;
};

static void indicate(struct indicator *indicator, double time_ns)
{
    double is_below = time_ns < indicator->median_ns    ? 1
                      : time_ns == indicator->median_ns ? 0.5
                                                        : 0;
    indicator->sum += is_below;
    indicator->squares += is_below * is_below;
    indicator->n++;
    indicator->batch_sum += is_below;
    if (++indicator->in_batch == BATCH) {
        double mean = indicator->batch_sum / (double)BATCH;
        indicator->batch_means += mean;
        indicator->batch_squares += mean * mean;
        indicator->n_batches++;
        indicator->in_batch = 0;
        indicator->batch_sum = 0;
    }
}

/* The variance of batch means over what it would be of independent samples. */
static double correlation_time(const struct indicator *indicator)
{
    double n = (double)indicator->n, n_batches = (double)indicator->n_batches;
    double mean = indicator->sum / n, batch_mean = indicator->batch_means / n_batches;
    double variance = indicator->squares / n - mean * mean;
    double of_batches = indicator->batch_squares / n_batches - batch_mean * batch_mean;
    return variance > 0 && of_batches > 0 ? fmax(1, (double)BATCH * of_batches / variance) : 1;
}

/* What is done with each of n settled samples of a trace. */
static void for_samples(struct trace *trace, uint64_t n, struct histogram *histogram,
                        struct indicator *indicator)
{
    uint64_t first = 0;
    double settled_ns = trace->setting.family->settled_ns;
    do {
        trace_extend(trace, first + 1);
        while (first < trace->n && trace->sample_elapsed_ns[first] < settled_ns)
            first++;
    } while (first == trace->n);
    trace_extend(trace, first + n);
    for (uint64_t i = first; i < first + n; i++) {
        if (histogram)
            histogram->counts[bin_of(histogram, trace->time_ns[i])]++;
        else
            indicate(indicator, trace->time_ns[i]);
    }
}

struct truth truth_of(const struct trace_setting *setting, double precision, uint64_t seed,
                      uint32_t n_traces, uint64_t n)
{
    const struct trace_family *family = setting->family;
    struct histogram histogram = {.n = n_traces * n};
    histogram.counts = memory_allocate(BINS * sizeof *histogram.counts);
    histogram.width_ns = family->tick_ns > 0 ? family->tick_ns
                                             : (TO - FROM) * setting->time_ns / (double)BINS;
    histogram.first_ns = family->tick_ns > 0 ? 0 : FROM * setting->time_ns;
    struct trace trace = {0};
    for (uint32_t i = 0; i < n_traces; i++) {
        trace_begin(&trace, setting, seed, FIRST_REPLICATION + i);
        for_samples(&trace, n, &histogram, NULL);
    }
    struct truth truth = {.simulated_ns = quantile(&histogram, 0.5)};
    truth.median_ns = family->median_factor > 0 ? family->median_factor * setting->time_ns
                                                : truth.simulated_ns;
    struct indicator indicator = {.median_ns = truth.median_ns};
    for (uint32_t i = 0; i < n_traces; i++) {
        trace_begin(&trace, setting, seed, FIRST_REPLICATION + i);
        indicator.in_batch = 0;
        indicator.batch_sum = 0;
        for_samples(&trace, n, NULL, &indicator);
    }
    truth.tau = correlation_time(&indicator);
    truth.samples_to_know = truth.tau * independent_samples(&histogram, precision);
    trace_free(&trace);
    free(histogram.counts);
    return truth;
}
