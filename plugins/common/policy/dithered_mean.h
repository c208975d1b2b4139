/*
 * dithered_mean.h - the centre of samples on few ticks of a timer whose phase against them is
 * uniform. Plugin side.
 *
 * A time t that is read at a uniform phase u is q floor(t / q + u): one of the two ticks around t,
 * and t on average (Widrow, Kollar and Liu, Statistical theory of quantization, IEEE Transactions
 * on Instrumentation and Measurement 45, 1996). The median of such readings is one of the two
 * ticks, up to q / 2 from t, however many there are; their mean is off by chance only.
 */
#pragma once

#include "effective_size.h"

#include <stdbool.h>

struct dithered_mean {
    uint64_t n; /* readings it rests on: those near the median */
    double value;
    double deviation;   /* standard deviation of one of them, with an allowance */
    double n_effective; /* effective sample size of the n */
};

/*
 * The plain mean of the readings within two ticks of the median: outliers are left out, but neither
 * of two ticks however rare, as trimming a share at either end would. Where four standard
 * deviations of these are more than two ticks, which those of two ticks never are, it is the mean
 * within that: the median is off the centre by up to half a tick, and a closer limit cuts off more
 * of one side than of the other. Returns false, and there is no mean, where the quartiles, whose
 * distance is `quartiles`, are more than two ticks apart: quantiles do better then. Values are in
 * the order measured, places are theirs; the median is one of them; tick is above 0.
 *
 * The allowance is four more readings that are a tick from the mean (Agresti and Coull, Approximate
 * is better than "exact", The American Statistician 52, 1998): samples of which none, or few, show
 * the rarer of two ticks tell nothing about how rare it is.
 */
bool dithered_mean_of(const double *values, const struct series_places *places, double median,
                      double quartiles, double tick, struct dithered_mean *ret);

/*
 * How far the mean may be off where the share of samples below a value may be off by `radius`, at
 * one look or at all together: the radius is that of a mean of variables with standard deviation
 * 1/2, scaled by theirs. For all looks this is the normal mixture bound with the variance estimated
 * (Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, Time-uniform central limit theory and
 * asymptotic confidence sequences, Annals of Statistics 52, 2024). Infinite from a radius of 1/2
 * on: then the samples say nothing yet.
 */
double dithered_mean_half_width(const struct dithered_mean *mean, double radius);
