/* thinned_samples.c - see thinned_samples.h. Plugin side. */
#include "thinned_samples.h"

#include "plugins/common/policy/median_estimate.h"

#include <math.h>

/* Of the host's streams of random numbers. */
enum { STREAM_PAIRS = 1, STREAM_GROUPS = 2 };

/* The numbers drawn depend on which samples they are drawn for alone: not on how many came at a
 * time. */
static uint64_t draw(const struct thinned_samples *thinned, uint64_t stream, uint64_t index,
                     uint64_t n)
{
    return thinned->host->random(thinned->host, stream, index) % n; /* n: a power of 2 */
}

/* Keeps one of each two. Between groups only: place is 0. */
static void halve(struct thinned_samples *thinned)
{
    struct sample_array *kept = &thinned->kept;
    kept->n /= 2;
    for (uint64_t i = 0; i < kept->n; i++)
        kept->times[i] = kept->times[2 * i + draw(thinned, STREAM_PAIRS, thinned->n_seen + i, 2)];
    thinned->one_of = thinned->one_of < 2 ? 2 : 2 * thinned->one_of;
}

static void add_some(struct thinned_samples *thinned, const double *times, uint64_t n)
{
    struct sample_array *kept = &thinned->kept;
    for (uint64_t i = 0; i < n; i++, thinned->n_seen++) {
        if (thinned->place == 0)
            thinned->drawn = draw(thinned, STREAM_GROUPS, thinned->n_seen, thinned->one_of);
        if (thinned->place == thinned->drawn && isfinite(times[i]))
            kept->times[kept->n++] = times[i];
        thinned->place = (thinned->place + 1) % thinned->one_of;
        if (kept->n == THINNED_MOST && thinned->place == 0)
            halve(thinned);
    }
}

/* All of them, until there are too many to keep. *ret_n: how many were taken. */
static int32_t add_all(struct thinned_samples *thinned, const struct gb_samples *samples,
                       uint64_t *ret_n)
{
    while (thinned->one_of < 2 && *ret_n < samples->n) {
        struct gb_samples part = {
            .size = sizeof part, .traits = samples->traits, .tick_ns = samples->tick_ns};
        const uint64_t room = THINNED_MOST - thinned->kept.n;
        part.time_ns = samples->time_ns + *ret_n;
        part.n = samples->n - *ret_n < room ? samples->n - *ret_n : room;
        const int32_t status = sample_array_add(&thinned->kept, &part);
        if (status != GB_OK)
            return status;
        *ret_n += part.n;
        thinned->n_seen += part.n;
        if (thinned->kept.n == THINNED_MOST)
            halve(thinned);
    }
    return GB_OK;
}

static void note_elapsed(struct thinned_samples *thinned, const struct gb_samples *samples)
{
    if (samples->n > 0 && samples->elapsed_ns != NULL) {
        thinned->elapsed_ns = samples->elapsed_ns[samples->n - 1];
        return;
    }
    for (uint64_t i = 0; i < samples->n; i++)
        if (isfinite(samples->time_ns[i]))
            thinned->elapsed_ns += samples->time_ns[i] * (samples->iterations != NULL
                                                              ? (double)samples->iterations[i]
                                                              : 1.0);
}

int32_t thinned_samples_add(struct thinned_samples *thinned, const struct gb_samples *samples)
{
    uint64_t n = 0;
    const int32_t status = add_all(thinned, samples, &n);
    if (status != GB_OK)
        return status;
    add_some(thinned, samples->time_ns + n, samples->n - n);
    note_elapsed(thinned, samples);
    return GB_OK;
}

int32_t thinned_samples_report(struct thinned_samples *thinned, struct gb_estimate *estimate)
{
    struct median_estimate median;
    const int32_t status = median_estimate_of(&thinned->kept, MEDIAN_CONFIDENCE, &median);
    if (status != GB_OK)
        return status;
    median_estimate_report(&thinned->kept, &median, MEDIAN_CONFIDENCE, GB_VERDICT_NONE, estimate);
    estimate->n = thinned->n_seen;
    return GB_OK;
}

void thinned_samples_free(struct thinned_samples *thinned)
{
    sample_array_free(&thinned->kept);
}
