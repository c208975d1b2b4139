/* case_columns.c - see case_columns.h. */
#include "core/run/case_columns.h"

#include "core/run/messages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What the last case had, of 400 and 500 KB: to touch as much anew costs more than a short case. */
static struct batch *spare_batch;
static struct outbox *spare_outbox;

static void batch_reset(struct batch *batch, uint64_t n)
{
    for (uint32_t i = 0; i < GB_CLOCKS_MAX; i++)
        memset(batch->clocks[i], 0xFF, n * sizeof *batch->clocks[i]);
    memset(batch->begin_ns, 0xFF, n * sizeof *batch->begin_ns);
    memset(batch->end_ns, 0xFF, n * sizeof *batch->end_ns);
    memset(batch->time_ns, 0xFF, n * sizeof *batch->time_ns);
    memset(batch->elapsed_ns, 0xFF, n * sizeof *batch->elapsed_ns);
    memset(batch->iterations, 0xFF, n * sizeof *batch->iterations);
    memset(batch->clock_hz, 0, n * sizeof *batch->clock_hz);
    memset(batch->throttle, 0, n * sizeof *batch->throttle);
    memset(batch->flags, 0, n * sizeof *batch->flags);
    batch->n_used = 0;
}

/* Written to, as a page that never was would fault inside the timed loop. */
struct batch *batch_new(void)
{
    struct batch *batch = spare_batch;
    if (!batch)
        batch = memory_allocate(sizeof *batch);
    batch_reset(batch, spare_batch ? batch->n_used : BATCH_MAX);
    spare_batch = NULL;
    return batch;
}

void batch_free(struct batch *batch)
{
    if (!batch)
        return;
    free(spare_batch);
    spare_batch = batch;
}

struct outbox *outbox_new(const char *const *names, uint32_t n_clocks)
{
    struct outbox *outbox = spare_outbox;
    if (!outbox) {
        outbox = memory_allocate(sizeof *outbox);
        memset(outbox->columns, 0xFF, sizeof outbox->columns);
    }
    spare_outbox = NULL;
    outbox->n = 0;
    outbox->n_clocks = n_clocks;
    memcpy(outbox->names, names, n_clocks * sizeof *names);
    return outbox;
}

void outbox_free(struct outbox *outbox)
{
    if (!outbox)
        return;
    free(spare_outbox);
    spare_outbox = outbox;
}

void outbox_add(struct outbox *outbox, const struct batch *batch, uint64_t n, uint64_t iterations)
{
    double(*others)[BATCH_MAX] = outbox->columns + outbox->n_clocks;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t at = outbox->n++;
        for (uint32_t j = 0; j < outbox->n_clocks; j++)
            outbox->columns[j][at] = batch->clocks[j][i] / (double)iterations;
        others[OUTBOX_ELAPSED][at] = batch->elapsed_ns[i];
        others[OUTBOX_CLOCK_HZ][at] = batch->clock_hz[i];
        others[OUTBOX_THROTTLE][at] = (double)batch->throttle[i];
        others[OUTBOX_FLAGS][at] = (double)batch->flags[i];
    }
}

/* Not known throughout, or 0 as well. */
static bool is_silent(const double *values, uint64_t n, bool also_if_zero)
{
    for (uint64_t i = 0; i < n; i++)
        if (!isnan(values[i]) && !(also_if_zero && values[i] == 0))
            return false;
    return true;
}

void outbox_put(struct outbox *outbox, struct wire_writer *writer, uint32_t clock)
{
    static const char *const others[OUTBOX_OTHERS] = {"elapsed", "clock_hz", "throttle", "flags"};
    const uint32_t elapsed = outbox->n_clocks + OUTBOX_ELAPSED;
    uint32_t sent[GB_CLOCKS_MAX + OUTBOX_OTHERS], n_sent = 0;
    for (uint32_t i = 0; i < outbox->n_clocks + OUTBOX_OTHERS; i++)
        if (i == clock || i == elapsed || !is_silent(outbox->columns[i], outbox->n, i > elapsed))
            sent[n_sent++] = i;
    wire_put_u64(writer, outbox->n);
    wire_put_u32(writer, n_sent);
    for (uint32_t i = 0; i < n_sent; i++) {
        uint32_t column = sent[i];
        wire_put_text(writer, column < outbox->n_clocks ? outbox->names[column]
                                                        : others[column - outbox->n_clocks]);
        wire_put_f64s(writer, outbox->columns[column], outbox->n);
    }
    outbox->n = 0;
}

/* ---- samples that the benchmark reports itself ---- */

static void send_one_series(struct worker_link *link, const struct series *series)
{
    const struct distribution_summary summary = distribution_summary(series->distribution);
    CLEANUP(free_pointer) struct bin *bins = memory_allocate((summary.n_bins + 1) * sizeof *bins);
    struct series_record record = {.name = series->name,
                                   .unit = series->unit,
                                   .n = summary.n,
                                   .n_refused = series->n_refused,
                                   .min = summary.min,
                                   .max = summary.max,
                                   .mean = summary.mean,
                                   .stdev = summary.stdev,
                                   .error_ratio = summary.error_ratio,
                                   .bins = bins,
                                   .n_bins = summary.n_bins};
    distribution_bins(series->distribution, bins);
    series_order_sizes(series->order, series->distribution, summary.n, record.n_effective);
    link_send_record(link, WIRE_SERIES, &record);
}

void series_send(const struct series_set *set, struct worker_link *link)
{
    for (uint32_t i = 0; i < set->n; i++) {
        const struct series *series = &set->items[i];
        if (series->n_refused > 0)
            link_say(link, GB_LOG_WARNING,
                     "series %s: %llu values were left out: expected finite ones below 2^64",
                     series->name, (unsigned long long)series->n_refused);
        send_one_series(link, series);
    }
    if (set->n_strange > 0)
        link_say(link, GB_LOG_WARNING,
                 "%llu samples were given to no series: expected a number that host->series "
                 "returned",
                 (unsigned long long)set->n_strange);
    if (set->n_dropped > 0)
        link_say(link, GB_LOG_WARNING,
                 "%llu samples of series were dropped: more than %d were given in one batch",
                 (unsigned long long)set->n_dropped, SAMPLE_CHUNK * SAMPLE_CHUNKS_MAX);
}
