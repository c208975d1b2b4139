/*
 * stopping_truth.c - see stopping_truth.h.
 *
 * Samples are counted in bins, of the timer's step where there is one, and so fine otherwise that
 * interpolation inside a bin costs nothing that counts. Quantiles go through the middles of the
 * bins' cumulative counts, which undoes a timer's rounding.
 */
#include "tests/stopping/stopping_truth.h"

#include "core/base/memory.h"
#include "core/base/statistics.h"
#include "plugins/common/policy/effective_size.h"
#include "plugins/common/policy/order_statistics.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { BINS = 32768, BATCH = 8192 };
/* Times from half of T to twice as much; what lies beyond counts at the ends. */
static const double FROM = 0.5, TO = 2;
/* Of a normal variable, 2.5 % are farther away to one side. */
static const double END_DEVIATIONS = 1.96;
/* Replications of these traces are no policy's. */
static const uint64_t FIRST_REPLICATION = 1u << 30;

struct histogram {
    double first_ns, width_ns;
    uint64_t n, *counts;
};

/* In steps of the timer, or of times about T. */
static void histogram_begin(struct histogram *histogram, const struct trace_setting *setting)
{
    const double tick_ns = setting->family->tick_ns, time_ns = setting->time_ns;
    *histogram = (struct histogram){.first_ns = tick_ns > 0 ? 0 : FROM * time_ns,
                                    .width_ns = tick_ns > 0 ? tick_ns
                                                            : (TO - FROM) * time_ns / (double)BINS,
                                    .counts = memory_allocate(BINS * sizeof *histogram->counts)};
}

static size_t bin_of(const struct histogram *histogram, double time_ns)
{
    double bin = floor((time_ns - histogram->first_ns) / histogram->width_ns + 0.5);
    return bin < 0 ? 0 : bin < (double)BINS ? (size_t)bin : BINS - 1;
}

static void histogram_add(struct histogram *histogram, const double *times_ns, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        histogram->counts[bin_of(histogram, times_ns[i])]++;
    histogram->n += n;
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

/* A share of all samples, those from quantile `from` on: the whole, or one mode. */
struct part {
    double from, share;
};

/* The fewest independent samples at which the interval of the part's median is within the
 * precision, as a share of the median of all; also where its ends are so many standard deviations
 * of a share of 1/2 farther out. */
static double independent_samples(const struct histogram *histogram, const struct part *part,
                                  double precision, double deviations)
{
    double middle = part->from + 0.5 * part->share, low = 16, high = 1e9;
    double median = quantile(histogram, middle), wanted = precision * quantile(histogram, 0.5);
    for (int i = 0; i < 60; i++) {
        double n = sqrt(low * high), n_part = n * part->share;
        double h = confidence_sequence_radius(n_part, 0.05, 256) + /* as of `steady` */
                   deviations / (2 * sqrt(n_part));
        bool is_narrow = h < 0.5 &&
                         quantile(histogram, middle + h * part->share) - median <= wanted &&
                         median - quantile(histogram, middle - h * part->share) <= wanted;
        if (is_narrow)
            high = n;
        else
            low = n;
    }
    return high < 0.9e9 ? high : INFINITY;
}

static double share_below(const struct histogram *histogram, double time_ns)
{
    uint64_t below = 0;
    for (size_t i = 0, end = bin_of(histogram, time_ns); i < end; i++)
        below += histogram->counts[i];
    return (double)below / (double)histogram->n;
}

/* Of the median, or of the mode that takes most. */
static double samples_needed(const struct histogram *histogram, const struct trace_setting *setting,
                             double precision, double deviations)
{
    const double *modes = setting->family->modes;
    struct part part = {0, 1};
    double most = 0;
    if (!(setting->family->flags & TRACE_MULTIMODAL))
        return independent_samples(histogram, &part, precision, deviations);
    for (size_t i = 0; i < TRACE_MODES_MAX && modes[i] > 0; i++) {
        bool is_last = i + 1 == TRACE_MODES_MAX || !(modes[i + 1] > 0);
        double edge = is_last ? 0 : 0.5 * (modes[i] + modes[i + 1]) * setting->time_ns;
        part.share = (is_last ? 1 : share_below(histogram, edge)) - part.from;
        most = fmax(most, independent_samples(histogram, &part, precision, deviations));
        part.from += part.share;
    }
    return most;
}

/* "Is below the median": its sums over batches and over all. */
struct indicator {
    double median_ns;
    uint64_t n_batches, n;
    double sum, squares, batch_means, batch_squares;
};

static void indicate(struct indicator *indicator, const double *times_ns, uint64_t n)
{
    double batch_sum = 0;
    indicator->n += n;
    for (uint64_t i = 0; i < n; i++) {
        double is_below = times_ns[i] < indicator->median_ns    ? 1
                          : times_ns[i] == indicator->median_ns ? 0.5
                                                                : 0;
        indicator->sum += is_below;
        indicator->squares += is_below * is_below;
        batch_sum += is_below;
        if ((i + 1) % BATCH != 0)
            continue;
        double mean = batch_sum / (double)BATCH;
        indicator->batch_means += mean;
        indicator->batch_squares += mean * mean;
        indicator->n_batches++;
        batch_sum = 0;
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

static const double QUANTILES[] = {0.5, 0.1, 0.9};
enum { N_QUANTILES = sizeof QUANTILES / sizeof QUANTILES[0] };

/* Of the median and the tails, from their correlation times on each of n_traces traces. These are
 * known to a quarter, from 32 batch means: by chance one of independent samples is above 1.25 in
 * 16 % of the cases, and they are then asked for as many as correlated ones. */
static double samples_to_mix(double *const times[N_QUANTILES], uint32_t n_traces, double precision)
{
    const double asked = 26, asked_of_correlated = 75, independent = 1.25;
    double finer = fmax(1, 0.01 / precision), more = finer * finer, samples = 0;
    double correlated = fmax(independent, 1 + 1 / more);
    for (size_t i = 0; i < N_QUANTILES; i++) {
        sort_values(times[i], n_traces);
        double time = quantile_of_sorted(times[i], n_traces, 0.95);
        double most = i == 0 ? asked_of_correlated : asked;
        samples = fmax(samples, time * (time > correlated ? most * more : asked));
    }
    return samples;
}

/* The median of |z| is 0.67 of a standard error, to which come the 2.4 of the bound; ranks at five
 * quantiles are 93 % as efficient as means. */
static double samples_to_bound(const struct histogram *histogram,
                               const struct trace_setting *setting, double precision, double tau)
{
    const double errors = 0.67 + 2.4, efficiency = 0.93, normal_quartiles = 1.349;
    const double noise = (quantile(histogram, 0.75) - quantile(histogram, 0.25)) /
                         normal_quartiles / quantile(histogram, 0.5) * sqrt(tau / efficiency);
    double n = 16;
    for (double off = INFINITY; off > fmax(precision, noise); n *= 1.01) {
        const double span_s = 1e-9 * n * (setting->time_ns + setting->overhead_ns);
        off = errors * noise * sqrt(12 / n) * (span_s + 1) / (2 * span_s);
    }
    return n;
}

/* The same traces as often as needed. */
struct traces {
    const struct trace_setting *setting;
    uint64_t seed, n; /* settled samples of each */
    uint32_t n_traces;
};

static const double *settled_samples(const struct traces *traces, uint32_t i, struct trace *trace)
{
    uint64_t first = 0;
    trace_begin(trace, traces->setting, traces->seed, FIRST_REPLICATION + i);
    do {
        trace_extend(trace, first + 1);
        while (first < trace->n &&
               trace->sample_elapsed_ns[first] < traces->setting->family->settled_ns)
            first++;
    } while (first == trace->n);
    trace_extend(trace, first + traces->n);
    return &trace->time_ns[first];
}

static void find_correlation(const struct traces *traces, const struct histogram *histogram,
                             double precision, struct trace *trace, struct truth *truth)
{
    struct indicator indicator = {.median_ns = truth->median_ns};
    double *times[N_QUANTILES], n = (double)traces->n;
    for (size_t j = 0; j < N_QUANTILES; j++)
        times[j] = memory_allocate((traces->n_traces + 1) * sizeof *times[j]);
    for (uint32_t i = 0; i < traces->n_traces; i++) {
        const double *samples = settled_samples(traces, i, trace);
        indicate(&indicator, samples, traces->n);
        for (size_t j = 0; j < N_QUANTILES; j++)
            times[j][i] = n / effective_sample_size(samples, traces->n,
                                                    quantile(histogram, QUANTILES[j]));
    }
    truth->tau = correlation_time(&indicator);
    truth->samples_to_mix = samples_to_mix(times, traces->n_traces, precision);
    for (size_t j = 0; j < N_QUANTILES; j++)
        free(times[j]);
}

struct truth truth_of(const struct trace_setting *setting, double precision, uint64_t seed,
                      uint32_t n_traces, uint64_t n)
{
    const struct traces traces = {setting, seed, n, n_traces};
    struct histogram histogram;
    struct trace trace = {0};
    histogram_begin(&histogram, setting);
    for (uint32_t i = 0; i < n_traces; i++)
        histogram_add(&histogram, settled_samples(&traces, i, &trace), n);
    struct truth truth = {.simulated_ns = quantile(&histogram, 0.5)};
    truth.median_ns = setting->family->median_factor > 0
                          ? setting->family->median_factor * setting->time_ns
                          : truth.simulated_ns;
    find_correlation(&traces, &histogram, precision, &trace, &truth);
    truth.samples_to_know = truth.tau * samples_needed(&histogram, setting, precision, 0);
    truth.samples_to_resolve = truth.tau *
                               samples_needed(&histogram, setting, precision, END_DEVIATIONS);
    truth.samples_to_bound = samples_to_bound(&histogram, setting, precision, truth.tau);
    trace_free(&trace);
    free(histogram.counts);
    return truth;
}
