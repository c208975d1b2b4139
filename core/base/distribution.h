/*
 * distribution.h - how often which values occurred: of any number of them, in bounded memory.
 *
 * Up to DISTRIBUTION_EXACT values are kept as they are. More are counted in classes of 1/1024 of
 * an octave, as HDR histograms do (hdrhistogram.org), so that a value is known to 1 part in 2048:
 * DISTRIBUTION_ERROR. Number, least, largest, mean and standard deviation stay exact.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    DISTRIBUTION_EXACT = 1 << 16,
    DISTRIBUTION_OCTAVES = 128, /* magnitudes from 2^-64, below which all are 0, to 2^64 */
    DISTRIBUTION_CLASSES = 1024 /* of an octave */
};
#define DISTRIBUTION_ERROR (1.0 / 2048)

/* A value, and how many there are of it: a whole number. */
struct bin {
    double value, count;
};

struct distribution;

struct distribution *distribution_new(void);
/* False: it is not finite, or 2^64 and above in magnitude; it is not added. */
bool distribution_add(struct distribution *distribution, double value);
void distribution_free(struct distribution *distribution); /* NULL allowed */

/* The first ones in the order added: all there are, or DISTRIBUTION_EXACT. */
const double *distribution_first(const struct distribution *distribution);

struct distribution_summary {
    uint64_t n;
    double min, max, mean, stdev; /* NaN: of no value; stdev: of less than two */
    double error_ratio;           /* of bins: DISTRIBUTION_ERROR, or 0 */
    size_t n_bins;
};
struct distribution_summary distribution_summary(const struct distribution *distribution);
/* Ascending, no two with the same value; as many as the summary says. */
void distribution_bins(const struct distribution *distribution, struct bin *ret_bins);

/* Ascending bins with n values in all: quantile p as quantile_of_sorted has it; NaN if n is 0. */
double bins_quantile(const struct bin *bins, size_t n_bins, uint64_t n, double p);

/*
 * The order statistics between which the p-quantile of what n values are drawn from lies with the
 * confidence, whatever its distribution (David and Nagaraja, Order Statistics, 7.1): the number of
 * values below it is binomial, of n_effective independent ones, whose ranks are scaled. An end that
 * these are too few for is infinite.
 */
struct bins_interval {
    double low, high;
};
struct bins_interval bins_quantile_interval(const struct bin *bins, size_t n_bins, uint64_t n,
                                            uint64_t n_effective, double p, double confidence);
