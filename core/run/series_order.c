/* series_order.c - see series_order.h. */
#include "core/run/series_order.h"

#include "core/base/memory.h"
#include "core/base/statistics.h"
#include "plugins/common/policy/effective_size.h"

#include <math.h>
#include <string.h>

enum { BLOCKS = SERIES_BLOCKS_MAX, FIRST_LENGTH = DISTRIBUTION_EXACT / BLOCKS };

static const double CORRELATED_BELOW = 1.25; /* values for an effective one */
static const double FEWEST = 40;             /* effective ones beyond a percentile, if correlated */

struct series_order {
    double levels[SERIES_LEVELS];      /* the percentiles of the first values */
    uint64_t length, n_blocks, n_last; /* of blocks; those complete; values of the next */
    int64_t twice_sums[SERIES_LEVELS][BLOCKS + 1]; /* up to the end of each, and so far */
};

static void join_blocks(struct series_order *order)
{
    for (size_t i = 0; i < SERIES_LEVELS; i++) {
        int64_t *sums = order->twice_sums[i];
        for (size_t block = 0; block < BLOCKS / 2; block++)
            sums[block] = sums[2 * block + 1];
        sums[BLOCKS / 2] = sums[BLOCKS];
    }
    order->n_blocks = BLOCKS / 2;
    order->length *= 2;
}

static void count(struct series_order *order, double value)
{
    if (order->n_blocks == BLOCKS)
        join_blocks(order);
    const size_t block = order->n_blocks;
    const bool is_last = ++order->n_last == order->length;
    for (size_t i = 0; i < SERIES_LEVELS; i++) {
        int64_t *sums = order->twice_sums[i];
        sums[block] += (value < order->levels[i]) + (value <= order->levels[i]);
        if (is_last)
            sums[block + 1] = sums[block];
    }
    if (is_last) {
        order->n_last = 0;
        order->n_blocks++;
    }
}

static struct series_order *order_of_first(const double *values)
{
    struct series_order *order = memory_allocate(sizeof *order);
    CLEANUP(free_pointer) double *sorted = memory_allocate(DISTRIBUTION_EXACT * sizeof *sorted);
    memcpy(sorted, values, DISTRIBUTION_EXACT * sizeof *sorted);
    sort_values(sorted, DISTRIBUTION_EXACT);
    for (size_t i = 0; i < SERIES_LEVELS; i++)
        order->levels[i] = quantile_of_sorted(sorted, DISTRIBUTION_EXACT, series_levels[i].p);
    order->length = FIRST_LENGTH;
    for (size_t i = 0; i < DISTRIBUTION_EXACT; i++)
        count(order, values[i]);
    return order;
}

void series_order_add(struct series_order **order, const struct distribution *distribution,
                      uint64_t n, double value)
{
    if (n <= DISTRIBUTION_EXACT)
        return;
    if (!*order)
        *order = order_of_first(distribution_first(distribution));
    count(*order, value);
}

/* Less what the window of the estimate leaves open, as for the median (steady_attempt.h). */
static uint64_t size_of(const struct series_places *places, const int64_t *twice_sums,
                        double variance, uint64_t n, double p)
{
    const double confidence = 0.95, normal = 1.959963984540054;
    const double time = series_time(places, twice_sums, variance);
    const struct series_window window = series_window(places, twice_sums, variance);
    double size = (double)n / time;
    if (isfinite(window.degrees)) {
        const double wider = student_t_quantile(confidence, window.degrees) / normal;
        size *= window.kept / (wider * wider);
    }
    if (time > CORRELATED_BELOW && size * (1 - p) < FEWEST)
        return 0;
    return size < (double)n ? (uint64_t)size : n;
}

/* Complete blocks are blocks, and 32 batches of as many of them. */
static void places_of_blocks(const struct series_order *order, struct series_places *ret)
{
    const uint64_t in_batch = order->n_blocks / SERIES_BATCHES;
    ret->n = order->n_blocks * order->length;
    ret->n_blocks = ret->n_places = order->n_blocks;
    ret->block_length = order->length;
    ret->n_batches = SERIES_BATCHES;
    ret->batch_length = in_batch * order->length;
    for (size_t i = 0; i < order->n_blocks; i++) {
        ret->at[i] = (i + 1) * order->length;
        ret->of_block[i] = (uint16_t)i;
    }
    for (size_t i = 0; i < SERIES_BATCHES; i++)
        ret->of_batch[i] = (uint16_t)((i + 1) * in_batch - 1);
}

/* From twice the sum of "is below a value, or half if equal"; equal ones hardly count among so
 * many. */
static double variance_of(int64_t twice_sum, uint64_t n)
{
    const double mean = 0.5 * (double)twice_sum / (double)n;
    return mean * (1 - mean);
}

void series_order_sizes(const struct series_order *order, const struct distribution *distribution,
                        uint64_t n, uint64_t ret[SERIES_LEVELS])
{
    CLEANUP(free_pointer) struct series_places *places = memory_allocate(sizeof *places);
    CLEANUP(free_pointer) double *sorted = memory_allocate(DISTRIBUTION_EXACT * sizeof *sorted);
    int64_t twice_sums[SERIES_PLACES_MAX];
    memset(ret, 0, SERIES_LEVELS * sizeof *ret);
    if (n < 2)
        return;
    if (order) {
        places_of_blocks(order, places);
    } else {
        series_places_of(n, places);
        memcpy(sorted, distribution_first(distribution), n * sizeof *sorted);
        sort_values(sorted, n);
    }
    for (size_t i = 0; i < SERIES_LEVELS; i++) {
        const double p = series_levels[i].p;
        const int64_t *sums = order ? order->twice_sums[i] : twice_sums;
        const double variance = order ? variance_of(sums[order->n_blocks - 1], places->n)
                                      : indicator_sums_of(distribution_first(distribution), places,
                                                          quantile_of_sorted(sorted, n, p),
                                                          twice_sums);
        ret[i] = size_of(places, sums, variance, n, p);
    }
}
