/* rank_index.c - see rank_index.h. Plugin side. */
#include "rank_index.h"

#include "simd.h"

#include <gbrun/abi.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    CODES = 1 << 16,
    BLOCK_SHIFT_MIN = 8, /* ranks in a block that are looked at one by one */
    DIGIT_BITS = 8,
    DIGITS = 1 << DIGIT_BITS,
    LANES = 8,               /* codes in a vector */
    LANE_ADDITIONS = 1 << 14 /* of ones, which a lane can hold */
};

/* --- keys: the bits of a double, so that they ascend as the values do --- */

static const uint64_t SIGN = UINT64_C(1) << 63;

static uint64_t key_of(double value)
{
    uint64_t bits = 0;
    const double positive_zero = value + 0.0;
    memcpy(&bits, &positive_zero, sizeof bits);
    return (bits & SIGN) != 0 ? ~bits : bits | SIGN;
}

static double value_of(uint64_t key)
{
    const uint64_t bits = (key & SIGN) != 0 ? key & ~SIGN : ~key;
    double value = 0.0;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* --- building --- */

/* A run of keys with their places. */
struct run {
    uint64_t *keys;
    uint32_t *places;
};

/* One pass of a radix sort. False, with nothing moved, if all keys have the same digit. */
static bool sort_by_digit(struct run from, struct run to, uint64_t n, unsigned shift)
{
    uint64_t starts[DIGITS] = {0};
    for (uint64_t i = 0; i < n; i++)
        starts[from.keys[i] >> shift & (DIGITS - 1)]++;
    if (starts[from.keys[0] >> shift & (DIGITS - 1)] == n)
        return false;
    uint64_t start = 0;
    for (size_t digit = 0; digit < DIGITS; digit++) {
        const uint64_t length = starts[digit];
        starts[digit] = start;
        start += length;
    }
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t at = starts[from.keys[i] >> shift & (DIGITS - 1)]++;
        to.keys[at] = from.keys[i];
        to.places[at] = from.places[i];
    }
    return true;
}

/* Sorts `run` with the help of `other`; the result is in `run`. */
static void sort_run(struct run run, struct run other, uint64_t n)
{
    struct run from = run;
    struct run to = other;
    for (unsigned shift = 0; shift < 64; shift += DIGIT_BITS) {
        if (sort_by_digit(from, to, n, shift)) {
            const struct run swapped = from;
            from = to;
            to = swapped;
        }
    }
    if (from.keys != run.keys) {
        memcpy(run.keys, from.keys, (size_t)n * sizeof *run.keys);
        memcpy(run.places, from.places, (size_t)n * sizeof *run.places);
    }
}

/* Merges a sorted run into the first n_old of the index, from the far end. */
static void merge(struct rank_index *index, uint64_t n_old, struct run run, uint64_t n_new)
{
    uint64_t to = n_old + n_new;
    while (n_new > 0) {
        const bool is_old = n_old > 0 && index->keys[n_old - 1] > run.keys[n_new - 1];
        to--;
        n_old -= (uint64_t)is_old;
        n_new -= (uint64_t)!is_old;
        index->keys[to] = is_old ? index->keys[n_old] : run.keys[n_new];
        index->order[to] = is_old ? index->order[n_old] : run.places[n_new];
    }
}

static void write_codes(struct rank_index *index)
{
    index->code_shift = 0;
    while ((index->n - 1) >> index->code_shift >= CODES)
        index->code_shift++;
    index->block_shift = index->code_shift > BLOCK_SHIFT_MIN ? index->code_shift
                                                             : (unsigned)BLOCK_SHIFT_MIN;
    index->n_blocks = ((index->n - 1) >> index->block_shift) + 1;
    for (uint64_t rank = 0; rank < index->n; rank++)
        index->codes[index->order[rank]] = (int16_t)((int32_t)(rank >> index->code_shift) -
                                                     CODES / 2);
}

static bool grow(void *block, size_t element, uint64_t n)
{
    void *old = NULL;
    memcpy(&old, block, sizeof old);
    if (n > SIZE_MAX / element)
        return false;
    void *grown = realloc(old, (size_t)n * element);
    if (grown == NULL)
        return false;
    memcpy(block, &grown, sizeof grown);
    return true;
}

/* A quarter more than needed, which is when it is needed again. */
static int32_t reserve(struct rank_index *index, uint64_t n)
{
    if (n > UINT32_MAX)
        return GB_NO_MEMORY;
    if (n > index->capacity) {
        const uint64_t capacity = n + n / 4;
        if (!grow(&index->keys, sizeof *index->keys, capacity) ||
            !grow(&index->order, sizeof *index->order, capacity) ||
            !grow(&index->codes, sizeof *index->codes, capacity + LANES))
            return GB_NO_MEMORY;
        index->capacity = capacity;
    }
    const uint64_t n_blocks = (index->capacity >> BLOCK_SHIFT_MIN) + 2;
    if (n_blocks > index->block_capacity) {
        if (!grow(&index->left_out, sizeof *index->left_out, n_blocks) ||
            !grow(&index->kept_before, sizeof *index->kept_before, n_blocks))
            return GB_NO_MEMORY;
        index->block_capacity = n_blocks;
    }
    return GB_OK;
}

int32_t rank_index_update(struct rank_index *index, const double *values, uint64_t n)
{
    index->values = values;
    if (n <= index->n)
        return GB_OK;
    const uint64_t n_new = n - index->n;
    struct run run = {malloc((size_t)n_new * sizeof *run.keys),
                      malloc((size_t)n_new * sizeof *run.places)};
    int32_t status = run.keys != NULL && run.places != NULL ? reserve(index, n) : GB_NO_MEMORY;
    if (status == GB_OK) {
        for (uint64_t i = 0; i < n_new; i++) {
            run.keys[i] = key_of(values[index->n + i]);
            run.places[i] = (uint32_t)(index->n + i);
        }
        const struct run free_part = {index->keys + index->n, index->order + index->n};
        sort_run(run, free_part, n_new);
        merge(index, index->n, run, n_new);
        index->n = n;
        write_codes(index);
    }
    free(run.keys);
    free(run.places);
    return status;
}

void rank_index_free(struct rank_index *index)
{
    free(index->keys);
    free(index->order);
    free(index->codes);
    free(index->left_out);
    free(index->kept_before);
    *index = (struct rank_index){0};
}

/* --- ranks of values --- */

/* The first rank whose key is not below `key`. */
static uint64_t rank_of_key(const struct rank_index *index, uint64_t key)
{
    uint64_t first = 0;
    uint64_t length = index->n;
    while (length > 0) {
        const uint64_t half = length / 2;
        const bool is_below = index->keys[first + half] < key;
        first = is_below ? first + half + 1 : first;
        length = is_below ? length - half - 1 : half;
    }
    return first;
}

uint64_t rank_from(const struct rank_index *index, double value)
{
    return rank_of_key(index, key_of(value));
}

uint64_t rank_behind(const struct rank_index *index, double value)
{
    return rank_of_key(index, key_of(value) + 1);
}

/* --- retained values --- */

static void sum_kept(const struct retained *retained)
{
    const struct rank_index *index = retained->index;
    const uint64_t length = UINT64_C(1) << index->block_shift;
    uint64_t kept = 0;
    for (uint64_t block = 0; block < index->n_blocks; block++) {
        const uint64_t start = block << index->block_shift;
        const uint64_t in_block = index->n - start < length ? index->n - start : length;
        index->kept_before[block] = (uint32_t)kept;
        kept += in_block - index->left_out[block];
    }
    index->kept_before[index->n_blocks] = (uint32_t)kept;
}

struct retained retained_all(struct rank_index *index)
{
    const struct retained retained = {index, 0, index->n};
    if (index->n > 0) {
        memset(index->left_out, 0, (size_t)index->n_blocks * sizeof *index->left_out);
        sum_kept(&retained);
    }
    return retained;
}

void retained_leave_out(struct retained *retained, uint64_t first)
{
    struct rank_index *index = retained->index;
    const unsigned shift = index->block_shift - index->code_shift;
    for (uint64_t i = retained->first; i < first; i++)
        index->left_out[(unsigned)(index->codes[i] + CODES / 2) >> shift]++;
    retained->first = first;
    retained->n = index->n - first;
    sum_kept(retained);
}

uint64_t retained_below(const struct retained *retained, uint64_t rank)
{
    const struct rank_index *index = retained->index;
    if (rank >= index->n)
        return retained->n;
    const uint64_t block = rank >> index->block_shift;
    uint64_t below = index->kept_before[block];
    for (uint64_t i = block << index->block_shift; i < rank; i++)
        below += (uint64_t)(index->order[i] >= retained->first);
    return below;
}

double retained_value(const struct retained *retained, uint64_t below)
{
    const struct rank_index *index = retained->index;
    uint64_t block = 0;
    uint64_t length = index->n_blocks;
    while (length > 1) { /* the last block with no more than `below` before it */
        const uint64_t half = length / 2;
        const bool is_behind = index->kept_before[block + half] <= below;
        block = is_behind ? block + half : block;
        length = is_behind ? length - half : half;
    }
    uint64_t rank = block << index->block_shift;
    uint64_t missing = below - index->kept_before[block];
    while (missing > 0 || index->order[rank] < retained->first)
        missing -= (uint64_t)(index->order[rank++] >= retained->first);
    return value_of(index->keys[rank]);
}

/* --- passes over the codes, in the order measured --- */

/* One more than the last code for ranks behind the last. */
static int32_t code_of_rank(const struct rank_index *index, uint64_t rank)
{
    return (int32_t)(rank >> index->code_shift) - CODES / 2;
}

static uint64_t count_below(const int16_t *codes, uint64_t n, int16_t limit)
{
    uint64_t below = 0;
    uint64_t i = 0;
    while (i + LANES <= n) {
        VECTOR_OF(int16_t, sizeof(int16_t[LANES])) sums = {0};
        uint64_t end = i + (uint64_t)LANES * LANE_ADDITIONS;
        for (end = end < n ? end : n; i + LANES <= end; i += LANES)
            sums -= ((const UNALIGNED(int16_t, sizeof(int16_t[LANES])) *)(codes + i))->vector <
                    limit;
        for (size_t lane = 0; lane < LANES; lane++)
            below += (uint64_t)sums[lane];
    }
    for (; i < n; i++)
        below += (uint64_t)(codes[i] < limit);
    return below;
}

/* The first of ascending places that is behind `place`. */
static size_t place_behind(const uint64_t *places, size_t n_places, uint64_t place)
{
    size_t first = 0;
    size_t length = n_places;
    while (length > 0) {
        const size_t half = length / 2;
        const bool is_behind = places[first + half] <= place;
        first = is_behind ? first + half + 1 : first;
        length = is_behind ? length - half - 1 : half;
    }
    return first;
}

/* Whole codes first; the few values of the code that `rank` divides are looked up. */
void retained_count(const struct retained *retained, uint64_t rank, const uint64_t *places,
                    size_t n_places, uint64_t *ret)
{
    const struct rank_index *index = retained->index;
    const bool is_all = rank >= index->n;
    const int16_t limit = is_all ? 0 : (int16_t)code_of_rank(index, rank);
    uint64_t from = 0;
    for (size_t i = 0; i < n_places; i++) {
        const uint64_t length = places[i] - from;
        ret[i] = is_all ? length
                        : count_below(index->codes + retained->first + from, length, limit);
        from = places[i];
    }
    for (uint64_t i = rank >> index->code_shift << index->code_shift; !is_all && i < rank; i++) {
        if (index->order[i] < retained->first)
            continue;
        const size_t at = place_behind(places, n_places, index->order[i] - retained->first);
        if (at < n_places)
            ret[at]++;
    }
    for (size_t i = 1; i < n_places; i++)
        ret[i] += ret[i - 1];
}

enum { STRETCH = 256 }; /* values that are judged together */

static uint64_t count_within(const int16_t *codes, uint64_t n, int32_t first, int32_t last)
{
    if (first > last)
        return 0;
    const int16_t low = (int16_t)first;
    const int16_t high = (int16_t)last;
    VECTOR_OF(int16_t, sizeof(int16_t[LANES])) sums = {0};
    uint64_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        const VECTOR_OF(int16_t, sizeof(int16_t[LANES]))
            some = ((const UNALIGNED(int16_t, sizeof(int16_t[LANES])) *)(codes + i))->vector;
        sums -= (some >= low) & (some <= high);
    }
    uint64_t within = 0;
    for (size_t lane = 0; lane < LANES; lane++)
        within += (uint64_t)sums[lane];
    for (; i < n; i++)
        within += (uint64_t)((codes[i] >= low) & (codes[i] <= high));
    return within;
}

uint64_t retained_visits(const struct retained *retained, double low, double high, uint64_t limit)
{
    const struct rank_index *index = retained->index;
    const uint64_t first = rank_from(index, low);
    const uint64_t end = rank_from(index, high);
    if (first >= end)
        return 0;
    /* Codes of which some values, and all values, are inside. */
    const int32_t some_first = code_of_rank(index, first);
    const int32_t some_last = code_of_rank(index, end - 1);
    const uint64_t rounding = (UINT64_C(1) << index->code_shift) - 1;
    const int32_t all_first = code_of_rank(index, first + rounding);
    const int32_t all_last = end == index->n ? some_last : code_of_rank(index, end) - 1;
    uint64_t visits = 0;
    bool was_inside = false;
    for (uint64_t i = retained->first; i < index->n && visits < limit; i += STRETCH) {
        const uint64_t n = index->n - i < STRETCH ? index->n - i : STRETCH;
        if (count_within(index->codes + i, n, some_first, some_last) == 0) {
            was_inside = false;
        } else if (count_within(index->codes + i, n, all_first, all_last) == n) {
            visits += (uint64_t)!was_inside;
            was_inside = true;
        } else {
            for (uint64_t j = i; j < i + n && visits < limit; j++) {
                const bool is_inside = index->values[j] >= low && index->values[j] < high;
                visits += (uint64_t)(is_inside && !was_inside);
                was_inside = is_inside;
            }
        }
    }
    return visits;
}
