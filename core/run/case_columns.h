/*
 * case_columns.h - samples of a case in the worker, as columns.
 *
 * Made and touched before timing, of one size whatever is measured: a batch is measured, and what
 * is still to be sent of it and those before lies in the outbox.
 */
#pragma once

#include "core/run/session.h"
#include "core/run/wire.h"
#include "core/run/worker_link.h"

enum { BATCH_MAX = 4096 }; /* samples measured, and sent, at a time */

struct batch {
    double clocks[GB_CLOCKS_MAX][BATCH_MAX]; /* of a sample, ns */
    double begin_ns[BATCH_MAX], end_ns[BATCH_MAX];
    double time_ns[BATCH_MAX], elapsed_ns[BATCH_MAX]; /* as the policy sees them */
    uint64_t iterations[BATCH_MAX];
    /* What a device may leave as it is: 0. */
    double clock_hz[BATCH_MAX];
    uint64_t throttle[BATCH_MAX];
    uint32_t flags[BATCH_MAX];
    uint64_t n_used; /* so many of each have been written, or fewer */
};

/* All is as if nothing had been measured. A process that measures case after case keeps the memory
 * of one batch and of one outbox. */
struct batch *batch_new(void);
void batch_free(struct batch *batch); /* NULL allowed */

/* Columns of a message: those of the device's clocks, of one iteration, then the others. */
enum { OUTBOX_ELAPSED, OUTBOX_CLOCK_HZ, OUTBOX_THROTTLE, OUTBOX_FLAGS, OUTBOX_OTHERS };

struct outbox {
    uint32_t n_clocks;
    const char *names[GB_CLOCKS_MAX];
    uint64_t n; /* samples */
    double columns[GB_CLOCKS_MAX + OUTBOX_OTHERS][BATCH_MAX];
};

/* names: of the clocks; they outlive it. */
struct outbox *outbox_new(const char *const *names, uint32_t n_clocks);
void outbox_free(struct outbox *outbox); /* NULL allowed */

/* Adds the first n samples of a batch, each of so many iterations; there must be room. */
void outbox_add(struct outbox *outbox, const struct batch *batch, uint64_t n, uint64_t iterations);

/* Empties it into a WIRE_SAMPLES. Columns of which none has anything to say are left out, but of
 * the clock that counts. */
void outbox_put(struct outbox *outbox, struct wire_writer *writer, uint32_t clock);

/* Sends a benchmark's own samples, a distribution for each series, and warns of those left out. */
void series_send(const struct series_set *set, struct worker_link *link);
