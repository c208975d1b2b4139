/* long_summary.c - see long_summary.h. */
#include "core/base/long_summary.h"

#include "core/base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PASS_BITS = 16,
    PASSES = 64 / PASS_BITS,
    BUCKETS = 1 << PASS_BITS,
    BUCKET_MASK = BUCKETS - 1
};

/* X(name of the member of struct summary, p) */
#define QUANTILE_MAP(X) X(p10, 0.1) X(q1, 0.25) X(median, 0.5) X(q3, 0.75) X(p90, 0.9) X(p99, 0.99)
enum {
#define QUANTILE_CONSTANT(name, p) QUANTILE_##name,
    QUANTILE_MAP(QUANTILE_CONSTANT)
#undef QUANTILE_CONSTANT
        QUANTILES,
    RANKS = 2 * QUANTILES /* the one below and the one above of each */
};
static const double levels[QUANTILES] = {
#define QUANTILE_LEVEL(name, p) p,
    QUANTILE_MAP(QUANTILE_LEVEL)
#undef QUANTILE_LEVEL
};

/* A value that is looked for: the bits known of its key, and its rank among the values that share
 * them. */
struct wanted {
    uint64_t prefix, rank;
    size_t counts; /* which of the tables counts the values with its prefix */
};

struct long_summary {
    int pass; /* the one going on; -1: none yet */
    uint64_t n;
    double min, max, mean;
    struct compensated_sum sum, squares;
    struct wanted wanted[RANKS];
    struct counts {
        uint64_t prefix;
        uint64_t *buckets;
    } counts[RANKS];
    size_t n_counts;
};

/* Keys are ordered as their values are. */
static uint64_t key_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

static double value_of(uint64_t key)
{
    uint64_t bits = key >> 63 ? key & ~((uint64_t)1 << 63) : ~key;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

struct long_summary *long_summary_new(void)
{
    struct long_summary *summary = memory_allocate(sizeof *summary);
    *summary = (struct long_summary){.pass = -1, .min = INFINITY, .max = -INFINITY};
    return summary;
}

/* The table of a prefix, made empty if there is none yet. */
static size_t counts_of(struct long_summary *summary, uint64_t prefix)
{
    size_t i = 0;
    while (i < summary->n_counts && summary->counts[i].prefix != prefix)
        i++;
    if (i < summary->n_counts)
        return i;
    struct counts *counts = &summary->counts[summary->n_counts++];
    counts->prefix = prefix;
    if (!counts->buckets)
        counts->buckets = memory_allocate(BUCKETS * sizeof *counts->buckets);
    memset(counts->buckets, 0, BUCKETS * sizeof *counts->buckets);
    return i;
}

static void want_ranks(struct long_summary *summary)
{
    for (int i = 0; i < QUANTILES; i++) {
        uint64_t below = (uint64_t)((double)(summary->n - 1) * levels[i]);
        summary->wanted[2 * i].rank = below;
        summary->wanted[2 * i + 1].rank = below + 1 < summary->n ? below + 1 : below;
    }
}

/* Takes what a pass has found: more bits of each value that is looked for. */
static void take_bits(struct long_summary *summary)
{
    for (int i = 0; i < RANKS; i++) {
        struct wanted *wanted = &summary->wanted[i];
        const uint64_t *buckets = summary->counts[wanted->counts].buckets;
        uint64_t bucket = 0;
        while (bucket < BUCKET_MASK && wanted->rank >= buckets[bucket])
            wanted->rank -= buckets[bucket++];
        wanted->prefix = wanted->prefix << PASS_BITS | bucket;
    }
}

bool long_summary_begin_pass(struct long_summary *summary)
{
    if (summary->pass == 0) {
        summary->mean = compensated_total(&summary->sum) / (double)summary->n;
        if (summary->n)
            want_ranks(summary);
    }
    if (summary->pass >= 0 && summary->n)
        take_bits(summary);
    if (summary->pass == PASSES - 1 || (summary->pass == 0 && summary->n == 0))
        return false;
    summary->pass++;
    summary->n_counts = 0;
    for (int i = 0; i < RANKS; i++)
        summary->wanted[i].counts = counts_of(summary, summary->wanted[i].prefix);
    return true;
}

static void count(struct long_summary *summary, uint64_t key)
{
    int shift = 64 - PASS_BITS * (summary->pass + 1);
    /* In the first pass nothing is known yet: a shift by 64 is none. */
    uint64_t prefix = summary->pass ? key >> (shift + PASS_BITS) : 0;
    for (size_t i = 0; i < summary->n_counts; i++)
        if (summary->counts[i].prefix == prefix) {
            summary->counts[i].buckets[key >> shift & BUCKET_MASK]++;
            return;
        }
}

void long_summary_add(struct long_summary *summary, const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double value = values[i];
        if (!isfinite(value))
            continue;
        if (summary->pass == 0) {
            summary->n++;
            summary->min = value < summary->min ? value : summary->min;
            summary->max = value > summary->max ? value : summary->max;
            compensated_add(&summary->sum, value);
        } else if (summary->pass == 1) {
            double off = value - summary->mean;
            compensated_add(&summary->squares, rounded_product(off, off));
        }
        count(summary, key_of(value));
    }
}

static double quantile_of(const struct long_summary *summary, int quantile)
{
    double place = (double)(summary->n - 1) * levels[quantile];
    const double sorted[2] = {value_of(summary->wanted[2 * quantile].prefix),
                              value_of(summary->wanted[2 * quantile + 1].prefix)};
    return quantile_of_sorted(sorted, 2, place - floor(place));
}

struct summary long_summary_get(const struct long_summary *summary)
{
    if (summary->n == 0)
        return summary_of(NULL, 0);
    double n = (double)summary->n;
    struct summary ret = {.n = summary->n,
                          .min = summary->min,
                          .max = summary->max,
                          .mean = summary->mean,
                          .stdev = n < 2 ? NAN
                                         : sqrt(compensated_total(&summary->squares) / (n - 1))};
#define QUANTILE_TAKE(name, p) ret.name = quantile_of(summary, QUANTILE_##name);
    QUANTILE_MAP(QUANTILE_TAKE)
#undef QUANTILE_TAKE
    return ret;
}

void long_summary_free(struct long_summary *summary)
{
    for (size_t i = 0; summary && i < RANKS; i++)
        free(summary->counts[i].buckets);
    free(summary);
}
