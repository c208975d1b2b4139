/* histogram_cpu.c - see histogram.h: threads count, each a part of the values. Plugin side. */
#include "histogram.h"

#include "plugins/common/bench_steps.h"
#include "plugins/common/team.h"

#include <stdio.h>
#include <string.h>

enum { LINE_WORDS = 16 };

struct histogram_cpu {
    struct team *team;
    uint32_t n_threads;
    uint32_t *private_counts; /* of each thread; NULL: there are none */
    uint64_t stride;          /* from one thread's to the next one's, on other cache lines */
};

/* --- the ways to count --- */

/* The part of one of n that share `total`. */
static uint64_t first_of(uint64_t total, uint64_t member, uint64_t n)
{
    return total * member / n;
}

static void count_atomically(void *object, uint32_t member)
{
    const struct histogram *histogram = object;
    const struct histogram_cpu *own = histogram->own;
    const uint32_t bins = (uint32_t)histogram->params->bins;
    const uint64_t total = (uint64_t)histogram->params->n;
    const uint64_t end = first_of(total, member + 1, own->n_threads);
    for (uint64_t i = first_of(total, member, own->n_threads); i < end; i++)
        __atomic_fetch_add(&histogram->counts[histogram_bin(histogram->values[i], bins)], 1,
                           __ATOMIC_RELAXED);
}

static void count_privately(void *object, uint32_t member)
{
    const struct histogram *histogram = object;
    const struct histogram_cpu *own = histogram->own;
    const uint32_t bins = (uint32_t)histogram->params->bins;
    const uint64_t total = (uint64_t)histogram->params->n;
    const uint64_t end = first_of(total, member + 1, own->n_threads);
    uint32_t *counts = own->private_counts + member * own->stride;
    memset(counts, 0, bins * sizeof *counts);
    for (uint64_t i = first_of(total, member, own->n_threads); i < end; i++)
        counts[histogram_bin(histogram->values[i], bins)]++;
}

/* Each thread adds up a part of the bins. */
static void add_up(void *object, uint32_t member)
{
    const struct histogram *histogram = object;
    const struct histogram_cpu *own = histogram->own;
    const uint64_t bins = (uint64_t)histogram->params->bins;
    const uint64_t end = first_of(bins, member + 1, own->n_threads);
    for (uint64_t thread = 0; thread < own->n_threads; thread++) {
        const uint32_t *counts = own->private_counts + thread * own->stride;
        for (uint64_t bin = first_of(bins, member, own->n_threads); bin < end; bin++)
            histogram->counts[bin] += counts[bin];
    }
}

/* --- the backend --- */

static int32_t create(struct histogram *histogram)
{
    const struct gb_host *host = histogram->host;
    const struct params *params = histogram->params;
    if (params->block != BLOCK_DEFAULT)
        return host->skip(host, "block is for CUDA: the CPU has no blocks of threads");
    struct histogram_cpu *own = histogram->own;
    own->n_threads = params->threads > 0 ? (uint32_t)params->threads : host->device->n_units;
    if (own->n_threads == 0)
        own->n_threads = 1;
    if (own->n_threads > TEAM_MAX)
        own->n_threads = TEAM_MAX;
    if (own->n_threads > 1 && GB_HAS(host, exclusive))
        host->exclusive(host);
    return GB_OK;
}

static int32_t take_private_counts(const struct histogram *histogram, struct histogram_cpu *own)
{
    const uint64_t bins = (uint64_t)histogram->params->bins;
    int32_t status = GB_OK;
    own->stride = (bins + LINE_WORDS - 1) / LINE_WORDS * LINE_WORDS;
    own->private_counts = device_memory(
        histogram->host, (uint64_t)own->n_threads * own->stride * sizeof *own->private_counts,
        GB_MEMORY_DEVICE, &status);
    return status;
}

static int32_t prepare(struct histogram *histogram, const struct gb_queue *queue)
{
    struct histogram_cpu *own = histogram->own;
    (void)queue;
    if (histogram->params->method == METHOD_PRIVATE) {
        const int32_t status = take_private_counts(histogram, own);
        if (status != GB_OK)
            return status;
    }
    return team_open(histogram->host, NULL, own->n_threads, &own->team);
}

static int32_t reset(const struct histogram *histogram, const struct gb_queue *queue)
{
    (void)queue;
    memset(histogram->counts, 0, (size_t)histogram->params->bins * sizeof *histogram->counts);
    return GB_OK;
}

static int32_t run(const struct histogram *histogram, const struct gb_queue *queue,
                   uint64_t iterations)
{
    const struct histogram_cpu *own = histogram->own;
    void *context = (void *)(uintptr_t)histogram;
    (void)queue;
    for (uint64_t i = 0; i < iterations; i++) {
        if (own->private_counts != NULL) {
            team_run(own->team, count_privately, context);
            team_run(own->team, add_up, context);
        } else {
            team_run(own->team, count_atomically, context);
        }
        GB_CLOBBER();
    }
    return GB_OK;
}

static void destroy(void *object)
{
    const struct histogram_cpu *own = object;
    team_stop(own->team);
}

const struct backend histogram_cpu = {
    .own_bytes = sizeof(struct histogram_cpu),
    .create = create,
    .prepare = prepare,
    .reset = reset,
    .run = run,
    .destroy = destroy,
};
