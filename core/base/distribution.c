/* distribution.c - see distribution.h. */
#include "core/base/distribution.h"

#include "core/base/memory.h"
#include "core/base/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    CLASS_BITS = 10,
    DROPPED_BITS = 52 - CLASS_BITS, /* of a mantissa */
    FIRST_EXPONENT = 1023 - DISTRIBUTION_OCTAVES / 2,
    SIGNS = 2
};
_Static_assert(1 << CLASS_BITS == DISTRIBUTION_CLASSES, "classes of an octave");

/* Welford: Note on a method for calculating corrected sums of squares and products, 1962. */
struct distribution {
    uint64_t n;
    double min, max, mean, squares;
    double *values; /* the first of them */
    size_t capacity;
    bool is_counted;                                      /* they are in classes */
    uint64_t zeros, *counts[SIGNS][DISTRIBUTION_OCTAVES]; /* NULL: none in this octave */
};

struct distribution *distribution_new(void)
{
    return memory_allocate(sizeof(struct distribution));
}

static void count(struct distribution *distribution, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    const int64_t octave = (int64_t)(bits >> 52 & 0x7FF) - FIRST_EXPONENT;
    if (octave < 0) {
        distribution->zeros++;
        return;
    }
    uint64_t **counts = &distribution->counts[bits >> 63][octave];
    if (!*counts)
        *counts = memory_allocate(DISTRIBUTION_CLASSES * sizeof **counts);
    (*counts)[bits >> DROPPED_BITS & (DISTRIBUTION_CLASSES - 1)]++;
}

static void keep(struct distribution *distribution, double value)
{
    if (distribution->n >= DISTRIBUTION_EXACT && !distribution->is_counted) {
        distribution->is_counted = true;
        for (size_t i = 0; i < DISTRIBUTION_EXACT; i++)
            count(distribution, distribution->values[i]);
    }
    if (distribution->is_counted) {
        count(distribution, value);
        return;
    }
    if (distribution->n == distribution->capacity) {
        distribution->capacity = distribution->capacity ? 2 * distribution->capacity : 64;
        distribution->values = memory_resize(distribution->values,
                                             distribution->capacity * sizeof *distribution->values);
    }
    distribution->values[distribution->n] = value;
}

bool distribution_add(struct distribution *distribution, double value)
{
    if (!(fabs(value) < 0x1p64))
        return false;
    keep(distribution, value);
    const bool is_first = distribution->n++ == 0;
    const double off = value - distribution->mean;
    distribution->mean += off / (double)distribution->n;
    distribution->squares += rounded_product(off, value - distribution->mean);
    distribution->min = is_first ? value : fmin(distribution->min, value);
    distribution->max = is_first ? value : fmax(distribution->max, value);
    return true;
}

void distribution_free(struct distribution *distribution)
{
    if (!distribution)
        return;
    for (int sign = 0; sign < SIGNS; sign++)
        for (int octave = 0; octave < DISTRIBUTION_OCTAVES; octave++)
            free(distribution->counts[sign][octave]);
    free(distribution->values);
    free(distribution);
}

/* The middle of a class. */
static double middle_of(int sign, int octave, int class)
{
    const uint64_t bits = (uint64_t)sign << 63 | (uint64_t)(octave + FIRST_EXPONENT) << 52 |
                          (uint64_t) class << DROPPED_BITS | (uint64_t)1 << (DROPPED_BITS - 1);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Where they end up: nowhere, and they are only counted. */
struct bin_list {
    struct bin *bins;
    size_t n;
};

static void list_add(struct bin_list *list, double value, uint64_t n)
{
    if (n == 0)
        return;
    if (list->bins)
        list->bins[list->n] = (struct bin){value, (double)n};
    list->n++;
}

static void list_octave(const struct distribution *distribution, int sign, int octave,
                        struct bin_list *list)
{
    const uint64_t *counts = distribution->counts[sign][octave];
    for (int i = 0; counts && i < DISTRIBUTION_CLASSES; i++) {
        const int class = sign ? DISTRIBUTION_CLASSES - 1 - i : i;
        list_add(list, middle_of(sign, octave, class), counts[class]);
    }
}

static void list_counted(const struct distribution *distribution, struct bin_list *list)
{
    for (int octave = DISTRIBUTION_OCTAVES - 1; octave >= 0; octave--)
        list_octave(distribution, 1, octave, list);
    list_add(list, 0, distribution->zeros);
    for (int octave = 0; octave < DISTRIBUTION_OCTAVES; octave++)
        list_octave(distribution, 0, octave, list);
}

static void list_values(const struct distribution *distribution, struct bin_list *list)
{
    const size_t n = (size_t)distribution->n;
    CLEANUP(free_pointer) double *sorted = memory_allocate((n + 1) * sizeof *sorted);
    if (n > 0)
        memcpy(sorted, distribution->values, n * sizeof *sorted);
    sort_values(sorted, n);
    for (size_t i = 0, end = 0; i < n; i = end) {
        for (end = i + 1; end < n && sorted[end] <= sorted[i]; end++)
            ;
        list_add(list, sorted[i], end - i);
    }
}

static size_t list_all(const struct distribution *distribution, struct bin *bins)
{
    struct bin_list list = {.bins = bins};
    (distribution->is_counted ? list_counted : list_values)(distribution, &list);
    return list.n;
}

const double *distribution_first(const struct distribution *distribution)
{
    return distribution->values;
}

struct distribution_summary distribution_summary(const struct distribution *distribution)
{
    const uint64_t n = distribution->n;
    return (struct distribution_summary){
        .n = n,
        .min = n > 0 ? distribution->min : NAN,
        .max = n > 0 ? distribution->max : NAN,
        .mean = n > 0 ? distribution->mean : NAN,
        .stdev = n > 1 ? sqrt(distribution->squares / (double)(n - 1)) : NAN,
        .error_ratio = distribution->is_counted ? DISTRIBUTION_ERROR : 0,
        .n_bins = list_all(distribution, NULL)};
}

void distribution_bins(const struct distribution *distribution, struct bin *ret_bins)
{
    list_all(distribution, ret_bins);
}

/* ---- of bins ---- */

/* The value with the rank, from 0. */
static double value_at(const struct bin *bins, size_t n_bins, double rank)
{
    double before = 0;
    size_t i = 0;
    while (i + 1 < n_bins && before + bins[i].count <= rank)
        before += bins[i++].count;
    return bins[i].value;
}

double bins_quantile(const struct bin *bins, size_t n_bins, uint64_t n, double p)
{
    if (n == 0 || n_bins == 0)
        return NAN;
    const double place = (double)(n - 1) * fmin(fmax(p, 0), 1), rank = floor(place);
    const double around[2] = {value_at(bins, n_bins, rank), value_at(bins, n_bins, rank + 1)};
    return quantile_of_sorted(around, 2, place - rank);
}

/* The least k with P(B <= k) above the share, of a binomial B. */
static uint64_t first_above(uint64_t n, double p, double share)
{
    uint64_t low = 0, high = n;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (binomial_at_most(middle, n, p) > share)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

struct bins_interval bins_quantile_interval(const struct bin *bins, size_t n_bins, uint64_t n,
                                            uint64_t n_effective, double p, double confidence)
{
    const double outside = 0.5 * (1 - confidence);
    struct bins_interval range = {-INFINITY, INFINITY};
    if (n == 0 || n_effective == 0 || n_bins == 0 || !(p > 0 && p < 1))
        return range;
    /* The value of rank k, from 0, is above the quantile with P(B <= k), and below it with
     * P(B > k). */
    const uint64_t above_low = first_above(n_effective, p, outside);
    const uint64_t high = first_above(n_effective, p, 1 - outside);
    const double scale = (double)n / (double)n_effective;
    if (above_low > 0)
        range.low = value_at(bins, n_bins, floor((double)(above_low - 1) * scale));
    if (high < n_effective)
        range.high = value_at(bins, n_bins, ceil((double)(high + 1) * scale) - 1);
    return range;
}
