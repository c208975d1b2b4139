/*
 * stopping_recordings.h - long recordings of kernels in results files: visits that show what a
 * kernel's median is, and samples to replay.
 */
#pragma once

#include "core/base/memory.h"
#include "core/store/store_read.h"

/* One round of one case: status ok, and recorded whatever the samples said (policy fixed or
 * budget). */
struct visit {
    const char *path; /* of the results file */
    int64_t case_id;
    const char *uid, *words; /* the case's identity; bench and axes */
    const char *clock;
    uint64_t n, iterations;
    double tick_ns;   /* of one iteration */
    double median_ns; /* halfway between steps where values are tied */
};

struct kernel {
    const char *words;
    const struct visit *visits;
    size_t n_visits;
    double reference_ns; /* the median of the visits' medians */
    double spread;       /* of the visits' medians, largest less least over the reference */
};

/* Finds the kernels with at least two visits in files, or in the folders' files *.gbr, and reads
 * their medians. Memory: the arena's. */
int32_t recordings_find(const char *const *paths, size_t n_paths, struct arena *arena,
                        struct kernel **ret_kernels, size_t *ret_n, struct gb_error *error);

/* A visit's samples as a policy is given them. Zero-initialize; the columns are its own. */
struct recorded {
    struct gb_samples samples;
    void *columns[6];
};
int32_t recorded_read(const struct visit *visit, struct recorded *ret, struct gb_error *error);
/* What is left from sample `first` on, as if the visit had begun there. elapsed_ns is the caller's
 * array, of as many values. */
struct gb_samples recorded_from(const struct recorded *recorded, uint64_t first,
                                double *elapsed_ns);
void recorded_free(struct recorded *recorded);

/* The mid-quantile 1/2 of ascending values: linear between the middles of runs of equal values, so
 * that a timer's rounding is undone; the median where none are equal. NaN for n == 0. */
double mid_median_of_sorted(const double *sorted, uint64_t n);
