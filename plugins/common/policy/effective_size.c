/* effective_size.c - see effective_size.h. Plugin side. */
#include "effective_size.h"

#include "plugins/common/simd.h"

#include <math.h>

enum { BATCHES_FROM = 128 }; /* values, so that a batch has at least 4 */

/* Batch means that are still correlated by more than this are too short. */
static const double BATCH_CORRELATION_MAX = 0.35;

/* --- places --- */

void series_places_of(uint64_t n, struct series_places *ret)
{
    ret->n = n;
    ret->n_blocks = n < SERIES_BLOCKS_MAX ? (size_t)n : SERIES_BLOCKS_MAX;
    ret->block_length = n / ret->n_blocks;
    ret->n_batches = n >= BATCHES_FROM ? SERIES_BATCHES : 0;
    ret->batch_length = n / SERIES_BATCHES;
    ret->n_places = 0;
    size_t block = 0;
    size_t batch = 0;
    while (block < ret->n_blocks || batch < ret->n_batches) {
        const uint64_t block_end = block < ret->n_blocks ? (block + 1) * ret->block_length : n + 1;
        const uint64_t batch_end = batch < ret->n_batches ? (batch + 1) * ret->batch_length : n + 1;
        const uint64_t place = block_end < batch_end ? block_end : batch_end;
        if (block_end == place)
            ret->of_block[block++] = (uint16_t)ret->n_places;
        if (batch_end == place)
            ret->of_batch[batch++] = (uint16_t)ret->n_places;
        ret->at[ret->n_places++] = place;
    }
    if (ret->at[ret->n_places - 1] < n)
        ret->at[ret->n_places++] = n;
}

/* --- autocorrelation time --- */

enum { LANES = 2, SUMS = 4 };

/* Autocovariance at a lag of values whose mean was subtracted. Several sums, so that one addition
 * need not wait for the other; the order of additions is fixed. */
static double autocovariance(const double *centred, size_t n, size_t lag)
{
    const double *shifted = centred + lag;
    const size_t length = n - lag;
    VECTOR_OF(double, sizeof(double[LANES])) sums[SUMS] = {{0.0}, {0.0}, {0.0}, {0.0}};
    size_t i = 0;
    for (; i + (size_t)LANES * SUMS <= length; i += (size_t)LANES * SUMS) {
        const UNALIGNED(double, sizeof(double[LANES])) *a = (const void *)(centred + i);
        const UNALIGNED(double, sizeof(double[LANES])) *b = (const void *)(shifted + i);
        sums[0] += a[0].vector * b[0].vector;
        sums[1] += a[1].vector * b[1].vector;
        sums[2] += a[2].vector * b[2].vector;
        sums[3] += a[3].vector * b[3].vector;
    }
    sums[0] += sums[1];
    sums[2] += sums[3];
    sums[0] += sums[2];
    double sum = sums[0][0] + sums[0][1];
    for (; i < length; i++)
        sum += centred[i] * shifted[i];
    return sum / (double)n;
}

/* 2 sum of Gamma - gamma(0): the variance of the mean times the number of blocks. *ret_window: how
 * many lags are in it. */
static double geyer_variance(const double *centred, size_t n, size_t *ret_window)
{
    double sum = 0.0;
    double last = 0.0;
    double variance = 0.0;
    size_t lag = 0;
    for (; lag + 1 < n; lag += 2) {
        const double even = autocovariance(centred, n, lag);
        double pair = even + autocovariance(centred, n, lag + 1);
        if (lag == 0)
            variance = even;
        else if (pair > last)
            pair = last;
        if (pair <= 0.0)
            break;
        sum += pair;
        last = pair;
    }
    *ret_window = lag;
    return 2.0 * sum - variance;
}

static double batch_variance(const double *centred, size_t n)
{
    const double gamma0 = autocovariance(centred, n, 0);
    double variance = gamma0 * (double)n / (double)(n - 1);
    if (gamma0 > 0.0) {
        const double r1 = autocovariance(centred, n, 1) / gamma0;
        if (r1 > BATCH_CORRELATION_MAX)
            variance *= (1.0 + r1) / (1.0 - (r1 < 0.95 ? r1 : 0.95));
    }
    return variance;
}

/* The means of stretches of one length that end at places; their mean is subtracted. */
static void centred_means(const uint16_t *ends, size_t n, uint64_t length,
                          const int64_t *twice_sums, double *ret)
{
    int64_t before = 0;
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        ret[i] = 0.5 * (double)(twice_sums[ends[i]] - before) / (double)length;
        before = twice_sums[ends[i]];
        sum += ret[i];
    }
    for (size_t i = 0; i < n; i++)
        ret[i] -= sum / (double)n;
}

static double time_of_blocks(const struct series_places *places, const int64_t *twice_sums,
                             double variance, size_t *ret_window)
{
    double means[SERIES_BLOCKS_MAX];
    centred_means(places->of_block, places->n_blocks, places->block_length, twice_sums, means);
    return (double)places->block_length * geyer_variance(means, places->n_blocks, ret_window) /
           variance;
}

double series_time(const struct series_places *places, const int64_t *twice_sums, double variance)
{
    double means[SERIES_BATCHES];
    size_t window = 0;
    if (!(variance > 0.0))
        return 1.0;
    double time = time_of_blocks(places, twice_sums, variance, &window);
    if (places->n_batches > 0) {
        centred_means(places->of_batch, places->n_batches, places->batch_length, twice_sums, means);
        const double time_of_batches = (double)places->batch_length *
                                       batch_variance(means, places->n_batches) / variance;
        if (time_of_batches > time)
            time = time_of_batches;
    }
    return time > 1.0 ? time : 1.0;
}

struct series_window series_window(const struct series_places *places, const int64_t *twice_sums,
                                   double variance)
{
    const double least = 0.1;
    size_t window = 0;
    if (!(variance > 0.0))
        return (struct series_window){1.0, (double)INFINITY};
    const double time = time_of_blocks(places, twice_sums, variance, &window);
    const double n = (double)places->n_blocks;
    const double n_lags = 2.0 * (double)window - 1.0;
    const double kept = fmin(fmax(1.0 - n_lags / n, least), 1.0);
    if (!(time > kept))
        return (struct series_window){1.0, (double)INFINITY};
    return (struct series_window){kept, n / (double)window};
}

/* --- the indicator I = [y < median] + [y = median] / 2 --- */

double indicator_variance(uint64_t below, uint64_t not_above, uint64_t n)
{
    const double equal = (double)(not_above - below);
    const double mean = ((double)below + 0.5 * equal) / (double)n;
    return ((double)below + 0.25 * equal) / (double)n - mean * mean;
}

double indicator_sums_of(const double *values, const struct series_places *places, double value,
                         int64_t *ret_twice_sums)
{
    uint64_t below = 0;
    uint64_t not_above = 0;
    uint64_t i = 0;
    for (size_t place = 0; place < places->n_places; place++) {
        for (; i < places->at[place]; i++) {
            below += (uint64_t)(values[i] < value);
            not_above += (uint64_t)(values[i] <= value);
        }
        ret_twice_sums[place] = (int64_t)(below + not_above);
    }
    return indicator_variance(below, not_above, places->n);
}

double effective_sample_size(const double *values, uint64_t n, double median)
{
    struct series_places places;
    int64_t twice_sums[SERIES_PLACES_MAX];
    if (n < 2)
        return (double)n;
    series_places_of(n, &places);
    const double variance = indicator_sums_of(values, &places, median, twice_sums);
    return (double)n / series_time(&places, twice_sums, variance);
}

/* --- trend --- */

static const double CORRELATION_MIN = 0.2;
static const double CORRELATION_MAX = 0.5;

struct series_slope series_slope(const double *values, size_t n)
{
    const double middle = 0.5 * ((double)n - 1.0);
    double mean = 0.0;
    double moment = 0.0;
    double places = 0.0;
    if (n < 3)
        return (struct series_slope){0.0, (double)INFINITY};
    for (size_t i = 0; i < n; i++)
        mean += values[i] / (double)n;
    for (size_t i = 0; i < n; i++) {
        const double place = (double)i - middle;
        moment += place * (values[i] - mean);
        places += place * place;
    }
    const double slope = moment / places;
    double squares = 0.0;
    double products = 0.0;
    double before = 0.0;
    for (size_t i = 0; i < n; i++) {
        const double residual = values[i] - mean - slope * ((double)i - middle);
        squares += residual * residual;
        products += residual * before;
        before = residual;
    }
    const double r = squares > 0.0 ? products / squares : 0.0;
    double variance = squares / ((double)n - 2.0) / places;
    const double excused = fmin(r, CORRELATION_MAX);
    if (r > CORRELATION_MIN)
        variance *= (1.0 + excused) / (1.0 - excused);
    return (struct series_slope){slope, sqrt(variance)};
}
