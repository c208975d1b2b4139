/*
 * effective_size.h - how many independent samples a series of correlated ones is worth. Plugin
 * side.
 */
#ifndef GBRUN_PLUGINS_COMMON_EFFECTIVE_SIZE_H
#define GBRUN_PLUGINS_COMMON_EFFECTIVE_SIZE_H

#include <stdint.h>

/*
 * For the median of n values in the order measured: n over the larger of two estimates of the
 * autocorrelation time of "is below the median", and never more than n. O(n) time, fixed memory.
 *  - Geyer's initial monotone sequence over the means of up to 1024 blocks (Practical Markov chain
 *    Monte Carlo, Statistical Science 7, 1992, section 3.3);
 *  - from 128 values on, 32 batch means, enlarged where even these are correlated.
 */
double effective_sample_size(const double *values, uint64_t n, double median);

#endif
