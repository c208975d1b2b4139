/*
 * confidence_sequence.h - how far a median may be off, however often one looks. Plugin side.
 */
#pragma once

/*
 * h such that the share of samples below a fixed value is within h of its expectation at all
 * times together, with probability 1 - alpha. n_effective: the effective sample size; n_optimal: of
 * these, where h is as small as it can be. The normal mixture bound for sums that are sub-Gaussian
 * with variance n / 4 (Howard and Ramdas, Sequential estimation of quantiles, Bernoulli 28, 2022;
 * Howard et al., Time-uniform Chernoff bounds, 2021, section 3.2). h may be 1/2 or more: then the
 * samples say nothing yet.
 */
double confidence_sequence_radius(double n_effective, double alpha, double n_optimal);
