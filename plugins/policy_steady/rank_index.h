/*
 * rank_index.h - values in the order measured, with an index by rank: quantiles and counts over all
 * but the first few of them without a pass over the values. Plugin side.
 *
 * Ranks count from 0 over all values of the index; of equal values, any order. Values are finite,
 * fewer than 2^32.
 *
 * Values are taken in as they come, which sorts them in runs, and an update makes these part of the
 * index: it merges the runs, merges them with what the index holds and writes codes anew, in steps
 * of whatever size, so that no call need take long however many values there are.
 *
 * Cost of n values: 14 bytes each, about 100 ns to take each in, and about 15 ns for each of the
 * index at an update; so an index that is updated each time there are a quarter more values has
 * cost about 180 ns for each.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RANK_INDEX_RUNS = 32 };

/* Keys with their places. */
struct rank_run {
    uint64_t *keys;
    uint32_t *places;
};

/* Values that are no part of the index yet: runs, each sorted, one behind the other and each longer
 * than the next, then `n_unsorted`. */
struct rank_intake {
    struct rank_run run;
    uint64_t n, n_unsorted;
    uint64_t lengths[RANK_INDEX_RUNS];
    size_t n_runs;
    struct rank_run scratch; /* as many */
    uint64_t capacity;
};

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
    struct rank_intake intake;
    /* Of an update: values still to be merged, from the far end, and how many the index will have;
     * ranks whose code is written. 0: there is none. */
    uint64_t n_old, n_new, n_updated, n_coded;
};

/* Takes in those of values[0] to values[n - 1] that are new; the others are the same as last time,
 * though elsewhere perhaps (n = 0: only that).
 * Takes about 1 ms for 4096 of them, however many there are. GB_NO_MEMORY leaves the index as it
 * was. None may be new during an update. */
int32_t rank_index_take(struct rank_index *index, const double *values, uint64_t n);

/* Begins an update with all values that were taken in. Views end. */
int32_t rank_index_begin(struct rank_index *index);

/* About so many steps of the update, of some 5 ns each; not many more than there were values taken
 * in since the update before. Returns whether it is complete, which it is where none was begun. */
bool rank_index_continue(struct rank_index *index, uint64_t n_steps);

/* All of it at once. */
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

/* The same with this share of them before it. */
double retained_at_share(const struct retained *retained, double share);

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
