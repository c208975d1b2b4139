/*
 * case_samples.h - the samples of a case for pictures: few numbers, however many there are.
 */
#pragma once

#include "core/view/view_cases.h"

/* What a picture shows of samples one after the other: the least and the largest of each bucket of
 * neighbours. Buckets do not go over the end of a round. */
struct sample_buckets {
    double *low, *high; /* ns */
    double *clock_hz;   /* the mean; NaN: not known */
    size_t n;
    uint64_t per_bucket; /* samples of one */
    size_t *first;       /* by round: its first bucket */
    size_t *discarded;   /* by round: how many buckets at its beginning were left out as warm-up */
};

struct case_samples {
    double *sorted; /* ns; of many samples, each n-th */
    size_t n_sorted;
    uint64_t n; /* all there are */
    size_t n_rounds;
    struct sample_buckets buckets;
};

/* A series of samples that the benchmark reports itself, over all rounds of a case. */
struct case_series {
    double *sorted; /* quantiles at equal distances, of each round as many; ns if it is a time */
    size_t n_sorted;
    bool is_time;
    const char *unit;            /* "ns" of a time */
    struct series_record record; /* of the first round that has it; n is 0: none has */
};
/* Memory is the arena's. */
int32_t case_series_read(struct view *view, const struct view_row *rounds, size_t n_rounds,
                         const char *name, struct arena *arena, struct case_series *ret,
                         struct gb_error *error);

/*
 * Reads the samples of the rounds of a case in one pass, on the clock that counts. Values that are
 * not finite are left out. most_sorted and most_buckets: of all rounds together, about; no buckets
 * if 0. Memory is the arena's.
 */
int32_t case_samples_read(struct view *view, const struct view_row *rounds, size_t n_rounds,
                          uint64_t most_sorted, uint64_t most_buckets, struct arena *arena,
                          struct case_samples *ret, struct gb_error *error);
