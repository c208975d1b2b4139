/* effective_size.c - see effective_size.h. Plugin side. */
#include "effective_size.h"

#include <stddef.h>

enum {
    BLOCKS_MAX = 1024,
    BATCHES = 32,
    BATCHES_FROM = 128 /* values, so that a batch has at least 4 */
};

/* Batch means that are still correlated by more than this are too short to be trusted. */
static const double BATCH_CORRELATION_MAX = 0.35;

/*
 * Everything is about the indicator I = [y < median] + [y = median] / 2. Sums of 2 I are whole
 * numbers: the count of values below the median and that of values not above it.
 */
struct counts {
    uint64_t below, not_above;
};

static void count(const double *values, uint64_t n, double median, struct counts *counts)
{
    uint64_t below = 0;
    uint64_t not_above = 0;
    for (uint64_t i = 0; i < n; i++) {
        below += (uint64_t)(values[i] < median);
        not_above += (uint64_t)(values[i] <= median);
    }
    counts->below += below;
    counts->not_above += not_above;
}

/* Counts up to the start of each block and to the end of the last. */
struct blocks {
    const double *values;
    double median;
    uint64_t length; /* of a block */
    size_t n;
    struct counts before[BLOCKS_MAX + 1];
};

static void blocks_count(struct blocks *blocks, const double *values, uint64_t n, double median)
{
    blocks->values = values;
    blocks->median = median;
    blocks->n = n < BLOCKS_MAX ? (size_t)n : BLOCKS_MAX;
    blocks->length = n / blocks->n;
    blocks->before[0] = (struct counts){0, 0};
    for (size_t i = 0; i < blocks->n; i++) {
        blocks->before[i + 1] = blocks->before[i];
        count(values + i * blocks->length, blocks->length, median, &blocks->before[i + 1]);
    }
}

/* Counts over the first n values, whether a block ends there or not. */
static struct counts counts_up_to(const struct blocks *blocks, uint64_t n)
{
    size_t block = (size_t)(n / blocks->length);
    if (block > blocks->n)
        block = blocks->n;
    struct counts counts = blocks->before[block];
    const uint64_t counted = block * blocks->length;
    count(blocks->values + counted, n - counted, blocks->median, &counts);
    return counts;
}

static double indicator_mean(struct counts from, struct counts to, uint64_t n)
{
    return 0.5 * (double)(to.below - from.below + to.not_above - from.not_above) / (double)n;
}

static double indicator_variance(struct counts counts, uint64_t n)
{
    const double equal = (double)(counts.not_above - counts.below);
    const double mean = ((double)counts.below + 0.5 * equal) / (double)n;
    return ((double)counts.below + 0.25 * equal) / (double)n - mean * mean;
}

static double mean_of(const double *values, size_t n)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    return sum / (double)n;
}

/* Autocovariance at a lag of values whose mean was subtracted. */
static double autocovariance(const double *centred, size_t n, size_t lag)
{
    double sum = 0.0;
    for (size_t i = 0; i + lag < n; i++)
        sum += centred[i] * centred[i + lag];
    return sum / (double)n;
}

/* 2 sum of Gamma - gamma(0): the variance of the mean times the number of blocks. */
static double geyer_variance(double *means, size_t n)
{
    const double mean = mean_of(means, n);
    for (size_t i = 0; i < n; i++)
        means[i] -= mean;
    double sum = 0.0;
    double last = 0.0;
    double variance = 0.0;
    for (size_t lag = 0; lag + 1 < n; lag += 2) {
        const double even = autocovariance(means, n, lag);
        double pair = even + autocovariance(means, n, lag + 1);
        if (lag == 0)
            variance = even;
        else if (pair > last)
            pair = last;
        if (pair <= 0.0)
            break;
        sum += pair;
        last = pair;
    }
    return 2.0 * sum - variance;
}

static double batch_variance(double *means, size_t n)
{
    const double mean = mean_of(means, n);
    for (size_t i = 0; i < n; i++)
        means[i] -= mean;
    const double gamma0 = autocovariance(means, n, 0);
    double variance = gamma0 * (double)n / (double)(n - 1);
    if (gamma0 > 0.0) {
        const double r1 = autocovariance(means, n, 1) / gamma0;
        if (r1 > BATCH_CORRELATION_MAX)
            variance *= (1.0 + r1) / (1.0 - (r1 < 0.95 ? r1 : 0.95));
    }
    return variance;
}

double effective_sample_size(const double *values, uint64_t n, double median)
{
    struct blocks blocks;
    double means[BLOCKS_MAX];
    if (n < 2)
        return (double)n;
    blocks_count(&blocks, values, n, median);
    const double variance = indicator_variance(counts_up_to(&blocks, n), n);
    if (!(variance > 0.0))
        return (double)n;
    for (size_t i = 0; i < blocks.n; i++)
        means[i] = indicator_mean(blocks.before[i], blocks.before[i + 1], blocks.length);
    double tau = (double)blocks.length * geyer_variance(means, blocks.n) / variance;
    if (n >= BATCHES_FROM) {
        const uint64_t batch = n / BATCHES;
        for (size_t i = 0; i < BATCHES; i++)
            means[i] = indicator_mean(counts_up_to(&blocks, i * batch),
                                      counts_up_to(&blocks, (i + 1) * batch), batch);
        const double tau_batches = (double)batch * batch_variance(means, BATCHES) / variance;
        if (tau_batches > tau)
            tau = tau_batches;
    }
    return tau > 1.0 ? (double)n / tau : (double)n;
}
