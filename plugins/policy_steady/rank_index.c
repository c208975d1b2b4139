/* rank_index.c - see rank_index.h. Plugin side. */
#include "rank_index.h"

#include "plugins/common/simd.h"

#include <gbrun/abi.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    CODES = 1 << 16,
    BLOCK_SHIFT_MIN = 8, /* ranks in a block that are looked at one by one */
    RUN_LENGTH = 2048,
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

/* One pass of a radix sort. False, with nothing moved, if all keys have the same digit. */
static bool sort_by_digit(struct rank_run from, struct rank_run to, uint64_t n, unsigned shift)
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
static void sort_run(struct rank_run run, struct rank_run other, uint64_t n)
{
    struct rank_run from = run;
    struct rank_run to = other;
    for (unsigned shift = 0; shift < 64; shift += DIGIT_BITS) {
        if (sort_by_digit(from, to, n, shift)) {
            const struct rank_run swapped = from;
            from = to;
            to = swapped;
        }
    }
    if (from.keys != run.keys) {
        memcpy(run.keys, from.keys, (size_t)n * sizeof *run.keys);
        memcpy(run.places, from.places, (size_t)n * sizeof *run.places);
    }
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
    /* cppcheck-suppress memleak ; block holds it, whatever its type is */
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

static int32_t reserve_intake(struct rank_intake *intake, uint64_t n)
{
    const uint64_t capacity = n + n / 2 + RUN_LENGTH;
    if (n <= intake->capacity)
        return GB_OK;
    if (!grow(&intake->run.keys, sizeof *intake->run.keys, capacity) ||
        !grow(&intake->run.places, sizeof *intake->run.places, capacity) ||
        !grow(&intake->scratch.keys, sizeof *intake->scratch.keys, capacity) ||
        !grow(&intake->scratch.places, sizeof *intake->scratch.places, capacity))
        return GB_NO_MEMORY;
    intake->capacity = capacity;
    return GB_OK;
}

/* --- taking in --- */

static struct rank_run run_at(const struct rank_intake *intake, uint64_t first)
{
    return (struct rank_run){intake->run.keys + first, intake->run.places + first};
}

/* At most `limit` steps of a merge from the far end: the first *n_old of `to` with the first *n_new
 * of `run`. */
static void merge(struct rank_run to, uint64_t *n_old, struct rank_run run, uint64_t *n_new,
                  uint64_t limit)
{
    uint64_t old = *n_old;
    uint64_t new = *n_new;
    const uint64_t all = old + new;
    const uint64_t end = all > limit ? all - limit : 0;
    for (uint64_t at = all; at > end && new > 0;) {
        const bool is_old = old > 0 && to.keys[old - 1] > run.keys[new - 1];
        at--;
        old -= (uint64_t)is_old;
        new -= (uint64_t)!is_old;
        to.keys[at] = is_old ? to.keys[old] : run.keys[new];
        to.places[at] = is_old ? to.places[old] : run.places[new];
    }
    *n_old = old;
    *n_new = new;
}

/* The last two runs become one. */
static void join_runs(struct rank_intake *intake)
{
    uint64_t second = intake->lengths[--intake->n_runs];
    uint64_t first = intake->lengths[intake->n_runs - 1];
    const uint64_t start = intake->n - intake->n_unsorted - first - second;
    const struct rank_run scratch = intake->scratch;
    const struct rank_run last = run_at(intake, start + first);
    memcpy(scratch.keys, last.keys, (size_t)second * sizeof *scratch.keys);
    memcpy(scratch.places, last.places, (size_t)second * sizeof *scratch.places);
    intake->lengths[intake->n_runs - 1] = first + second;
    merge(run_at(intake, start), &first, scratch, &second, UINT64_MAX);
}

/* What is unsorted becomes a run. */
static void close_run(struct rank_intake *intake)
{
    if (intake->n_unsorted == 0)
        return;
    sort_run(run_at(intake, intake->n - intake->n_unsorted), intake->scratch, intake->n_unsorted);
    intake->lengths[intake->n_runs++] = intake->n_unsorted;
    intake->n_unsorted = 0;
    while (intake->n_runs > 1 &&
           intake->lengths[intake->n_runs - 2] <= intake->lengths[intake->n_runs - 1])
        join_runs(intake);
}

int32_t rank_index_take(struct rank_index *index, const double *values, uint64_t n)
{
    struct rank_intake *intake = &index->intake;
    index->values = values;
    if (n <= index->n + intake->n)
        return GB_OK;
    if (n > UINT32_MAX || reserve_intake(intake, n - index->n) != GB_OK)
        return GB_NO_MEMORY;
    for (uint64_t i = index->n + intake->n; i < n; i++) {
        intake->run.keys[intake->n] = key_of(values[i]);
        intake->run.places[intake->n++] = (uint32_t)i;
        if (++intake->n_unsorted == RUN_LENGTH)
            close_run(intake);
    }
    return GB_OK;
}

/* --- updates --- */

int32_t rank_index_begin(struct rank_index *index)
{
    struct rank_intake *intake = &index->intake;
    if (intake->n == 0)
        return GB_OK;
    const int32_t status = reserve(index, index->n + intake->n);
    if (status != GB_OK)
        return status;
    close_run(intake);
    index->n_old = index->n;
    index->n_new = intake->n;
    index->n_updated = index->n + intake->n;
    index->n_coded = 0;
    return GB_OK;
}

static void set_shifts(struct rank_index *index)
{
    index->code_shift = 0;
    while ((index->n_updated - 1) >> index->code_shift >= CODES)
        index->code_shift++;
    index->block_shift = index->code_shift > BLOCK_SHIFT_MIN ? index->code_shift
                                                             : (unsigned)BLOCK_SHIFT_MIN;
    index->n_blocks = ((index->n_updated - 1) >> index->block_shift) + 1;
}

static void write_codes(struct rank_index *index, uint64_t limit)
{
    const uint64_t left = index->n_updated - index->n_coded;
    const uint64_t end = index->n_coded + (left < limit ? left : limit);
    for (uint64_t rank = index->n_coded; rank < end; rank++)
        index->codes[index->order[rank]] = (int16_t)((int32_t)(rank >> index->code_shift) -
                                                     CODES / 2);
    index->n_coded = end;
}

bool rank_index_continue(struct rank_index *index, uint64_t n_steps)
{
    struct rank_intake *intake = &index->intake;
    while (n_steps > 0 && index->n_updated > 0) {
        uint64_t cost = 0;
        if (intake->n_runs > 1) {
            cost = intake->lengths[intake->n_runs - 1] + intake->lengths[intake->n_runs - 2];
            join_runs(intake);
        } else if (index->n_new > 0) {
            const uint64_t before = index->n_old + index->n_new;
            merge((struct rank_run){index->keys, index->order}, &index->n_old, run_at(intake, 0),
                  &index->n_new, n_steps);
            cost = before - index->n_old - index->n_new;
        } else {
            const uint64_t before = index->n_coded;
            set_shifts(index);
            write_codes(index, n_steps);
            cost = index->n_coded - before;
        }
        n_steps -= cost < n_steps ? cost : n_steps;
        if (index->n_coded == index->n_updated) {
            index->n = index->n_updated;
            index->n_updated = intake->n = intake->n_runs = 0;
        }
    }
    return index->n_updated == 0;
}

int32_t rank_index_update(struct rank_index *index, const double *values, uint64_t n)
{
    rank_index_continue(index, UINT64_MAX);
    int32_t status = rank_index_take(index, values, n);
    if (status == GB_OK)
        status = rank_index_begin(index);
    if (status == GB_OK)
        rank_index_continue(index, UINT64_MAX);
    return status;
}

void rank_index_free(struct rank_index *index)
{
    free(index->keys);
    free(index->order);
    free(index->codes);
    free(index->left_out);
    free(index->kept_before);
    free(index->intake.run.keys);
    free(index->intake.run.places);
    free(index->intake.scratch.keys);
    free(index->intake.scratch.places);
    *index = (struct rank_index){0};
}

/* --- ranks of values --- */

/* The first of n ascending numbers that is not below `value`; n: none is. */
static uint64_t first_from(const uint64_t *numbers, uint64_t n, uint64_t value)
{
    uint64_t first = 0;
    uint64_t length = n;
    while (length > 0) {
        const uint64_t half = length / 2;
        const bool is_below = numbers[first + half] < value;
        first = is_below ? first + half + 1 : first;
        length = is_below ? length - half - 1 : half;
    }
    return first;
}

uint64_t rank_from(const struct rank_index *index, double value)
{
    return first_from(index->keys, index->n, key_of(value));
}

uint64_t rank_behind(const struct rank_index *index, double value)
{
    return first_from(index->keys, index->n, key_of(value) + 1);
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

/* --- quantiles of retained values --- */

double retained_at_share(const struct retained *retained, double share)
{
    const double place = floor(share * (double)retained->n);
    return retained_value(retained, (uint64_t)fmin(place, (double)(retained->n - 1)));
}

/* A distinct value with the number of those below it and of those not above it. */
struct step {
    double value;
    uint64_t below, not_above;
};

/* The one that has the value with `below` others before it. */
static struct step step_at(const struct retained *retained, uint64_t below)
{
    struct step step;
    step.value = retained_value(retained, below);
    step.below = retained_below(retained, rank_from(retained->index, step.value));
    step.not_above = retained_below(retained, rank_behind(retained->index, step.value));
    return step;
}

static double middle_of(const struct step *step)
{
    return 0.5 * (double)(step->below + step->not_above);
}

static double beyond(const struct step *last, double distance, double tick, double sign, uint64_t n)
{
    if (distance <= 0.5 || (last->not_above - last->below == n && tick == 0.0))
        return last->value;
    return tick > 0.0 ? last->value + sign * tick : sign * (double)INFINITY;
}

static double between(const struct step *a, const struct step *b, double target)
{
    const double share = (target - middle_of(a)) / (middle_of(b) - middle_of(a));
    return a->value + (b->value - a->value) * share;
}

double mid_quantile(const struct retained *retained, double p, double tick)
{
    const double n = (double)retained->n;
    const double target = p * n;
    const double place = fmin(fmax(floor(target), 0.0), n - 1.0);
    const struct step step = step_at(retained, (uint64_t)place);
    const double distance = target - middle_of(&step);
    if (distance < 0.0) {
        if (step.below == 0)
            return beyond(&step, -distance, tick, -1.0, retained->n);
        const struct step before = step_at(retained, step.below - 1);
        return between(&before, &step, target);
    }
    if (distance > 0.0) {
        if (step.not_above == retained->n)
            return beyond(&step, distance, tick, 1.0, retained->n);
        const struct step behind = step_at(retained, step.not_above);
        return between(&step, &behind, target);
    }
    return step.value;
}

double plain_quantile(const struct retained *retained, double p)
{
    const uint64_t n = retained->n;
    if (p == 0.5) {
        const double low = retained_value(retained, (n - 1) / 2);
        return low + 0.5 * (retained_value(retained, n / 2) - low);
    }
    const double place = p < 0.5 ? floor((double)n * p) - 1.0 : ceil((double)n * p);
    if (place < 0.0 || place >= (double)n)
        return p < 0.5 ? (double)-INFINITY : (double)INFINITY;
    return retained_value(retained, (uint64_t)place);
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
        const uint64_t at = first_from(places, n_places, index->order[i] - retained->first + 1);
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
