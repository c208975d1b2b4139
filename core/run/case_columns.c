/* case_columns.c - see case_columns.h. */
#include "core/run/case_columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Room for n columns, written to, as a page that never was would fault inside the timed loop. */
static double *new_columns(uint32_t n)
{
    const size_t bytes = (size_t)n * BATCH_MAX * sizeof(double);
    return memset(memory_allocate(bytes), 0xFF, bytes);
}

void batch_new(struct batch *batch, uint32_t n_clocks)
{
    double **const doubles[] = {&batch->begin_ns, &batch->end_ns, &batch->time_ns,
                                &batch->elapsed_ns, &batch->clock_hz};
    enum { DOUBLES = sizeof doubles / sizeof *doubles, INTEGERS = 3 };
    double *next = batch->memory = new_columns(n_clocks + DOUBLES + INTEGERS);
    for (uint32_t i = 0; i < n_clocks; i++, next += BATCH_MAX)
        batch->clocks[i] = next;
    for (size_t i = 0; i < DOUBLES; i++, next += BATCH_MAX)
        *doubles[i] = next;
    batch->iterations = (uint64_t *)next;
    batch->throttle = batch->iterations + BATCH_MAX;
    batch->flags = (uint32_t *)(batch->throttle + BATCH_MAX);
    /* What a device does not fill in. */
    memset(batch->clock_hz, 0, BATCH_MAX * sizeof(double));
    memset(batch->throttle, 0, BATCH_MAX * sizeof(uint64_t));
    memset(batch->flags, 0, BATCH_MAX * sizeof(uint32_t));
}

void batch_free(struct batch *batch)
{
    free(batch->memory);
}

void outbox_new(struct outbox *outbox, uint32_t n_clocks)
{
    *outbox = (struct outbox){.n_clocks = n_clocks};
    outbox->columns[0] = new_columns(n_clocks + OUTBOX_OTHERS);
    for (uint32_t i = 1; i < n_clocks + OUTBOX_OTHERS; i++)
        outbox->columns[i] = outbox->columns[i - 1] + BATCH_MAX;
}

void outbox_free(struct outbox *outbox)
{
    free(outbox->columns[0]);
}

void outbox_add(struct outbox *outbox, const struct batch *batch, uint64_t n, uint64_t iterations)
{
    double *const *others = outbox->columns + outbox->n_clocks;
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

void outbox_put(struct outbox *outbox, struct wire_writer *writer, const struct open_device *device,
                uint32_t clock)
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
        wire_put_text(writer, column < outbox->n_clocks ? device->clocks[column].name
                                                        : others[column - outbox->n_clocks]);
        wire_put_f64s(writer, outbox->columns[column], outbox->n);
    }
    outbox->n = 0;
}
