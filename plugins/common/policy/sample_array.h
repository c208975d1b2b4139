/*
 * sample_array.h - the times that a policy has seen, kept in order. Plugin side.
 *
 * Times that are not finite are counted and left out. Zero-initialize; free with sample_array_free.
 */
#pragma once

#include <gbrun/policy.h>

struct sample_array {
    double *times; /* ns, n of them */
    uint64_t n;
    uint64_t n_not_finite;
    double tick_ns;    /* the coarsest step of time among the samples */
    uint32_t traits;   /* GB_SAMPLES_... */
    double elapsed_ns; /* at the last sample; the sum of all samples where the host gives none */
    uint64_t capacity;
    double *scratch; /* n values, for whoever selects among the times */
    uint64_t scratch_capacity;
};

/* GB_NO_MEMORY leaves the array as it was before. */
int32_t sample_array_add(struct sample_array *array, const struct gb_samples *samples);

/* The wall time at the last of these samples: as the host says, or that `before` them and the sum
 * of those that are finite. */
double elapsed_at(const struct gb_samples *samples, double before);

/* All that were observed, finite or not. */
uint64_t sample_array_seen(const struct sample_array *array);

/* Makes scratch as long as times. */
int32_t sample_array_reserve_scratch(struct sample_array *array);

void sample_array_free(struct sample_array *array);
