/*
 * stopping_recordings.h - long recordings of kernels in results files: visits that show what a
 * kernel's median is, and samples to replay.
 */
#pragma once

#include "tests/stopping/stopping_experiment.h"

/* Finds the kernels with at least two visits in files, and reads their medians. Memory: the
 * arena's. */
int32_t recordings_find(const char *const *paths, size_t n_paths, struct arena *arena,
                        struct scenario **ret_kernels, size_t *ret_n, struct gb_error *error);

/* A visit's samples as a policy is given them. */
int32_t recorded_read(const struct visit *visit, struct trace *ret, struct gb_error *error);

/* The mid-quantile 1/2 of values in any order: halfway between a timer's steps where values are
 * tied, the median where none are. NaN for n == 0. */
double mid_median(const double *values, uint64_t n);
