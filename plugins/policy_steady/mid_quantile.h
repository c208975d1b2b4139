/*
 * mid_quantile.h - quantiles that interpolate between a timer's ticks. Plugin side.
 */
#pragma once

#include "rank_index.h"

/*
 * The mid-quantile of the retained values, of which there is at least one: linear between the
 * distinct values, each of which stands at the share of values below it plus half of its own
 * (Ma, Genton and Parzen, Asymptotic properties of sample quantiles of discrete distributions,
 * Annals of the Institute of Statistical Mathematics 63, 2011). Beyond the first or the last
 * distinct value by more than half a value it is one tick away from it, or infinite where the tick
 * is 0 and so not known. Where all values are equal and there is no tick, it is that value.
 */
double mid_quantile(const struct retained *retained, double p, double tick);

/* The same without all that: the middle of all values, or of two, for p = 1/2; else the nearest
 * value outwards, infinite beyond the last. */
double plain_quantile(const struct retained *retained, double p);
