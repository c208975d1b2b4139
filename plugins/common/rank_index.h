/*
 * rank_index.h - values in the order measured, with an index by rank: quantiles and counts over all
 * but the first few of them without a pass over the values. Plugin side.
 *
 * Ranks count from 0 over all values of the index; of equal values, any order. Values are finite,
 * fewer than 2^32.
 *
 * Cost of n values: 14 bytes each and about 60 ns each for one update, about 15 ns for those of
 * earlier updates; so an index that is updated each time there are a quarter more values has cost
 * about 140 ns for each.
 */
#ifndef GBRUN_PLUGINS_COMMON_RANK_INDEX_H
#define GBRUN_PLUGINS_COMMON_RANK_INDEX_H

#include <stddef.h>
#include <stdint.h>

/* Zero-initialize; free with rank_index_free. Read it through the functions below. */
struct rank_index {
    const double *values; /* as measured, n of them; not owned */
    uint64_t n;
    uint64_t *keys;  /* the values ascending, as whole numbers that compare like them */
    uint32_t *order; /* where each of these stands in values */
    int16_t *codes;  /* for each of values its rank, coarsely: rank >> code_shift, from -2^15 on */
    unsigned code_shift;
    uint64_t n_blocks; /* of ranks; retained values are counted by them */
    unsigned block_shift;
    uint32_t *left_out;    /* in each block, by the view in use */
    uint32_t *kept_before; /* each block, and at the end */
    uint64_t capacity, block_capacity;
};

/* Takes in values[index->n] to values[n - 1]; those before are the same as last time. GB_NO_MEMORY
 * leaves the index as it was. Views end. */
int32_t rank_index_update(struct rank_index *index, const double *values, uint64_t n);

void rank_index_free(struct rank_index *index);

/* The values without the first `first`: n of them. Only one view of an index can be in use. */
struct retained {
    struct rank_index *index;
    uint64_t first, n;
};

/* A view of all values, and the same without those before `first`, which only grows. */
struct retained retained_all(struct rank_index *index);
void retained_leave_out(struct retained *retained, uint64_t first);

/* The value with `below` retained ones before it in ascending order; below < n. */
double retained_value(const struct retained *retained, uint64_t below);

/* The rank of the first value that is not below `value`, or above it: index->n if there is none. */
uint64_t rank_from(const struct rank_index *index, double value);
uint64_t rank_behind(const struct rank_index *index, double value);

/* How many retained values have lower ranks. */
uint64_t retained_below(const struct retained *retained, uint64_t rank);

/* The same for the first places[i] retained values in the order measured; places ascend. */
void retained_count(const struct retained *retained, uint64_t rank, const uint64_t *places,
                    size_t n_places, uint64_t *ret);

/* How often the retained values, in the order measured, enter the values from `low` on that are
 * below `high`; no more than `limit` are counted. */
uint64_t retained_visits(const struct retained *retained, double low, double high, uint64_t limit);

#endif
