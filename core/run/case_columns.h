/*
 * case_columns.h - samples of a case in the worker, as columns.
 *
 * Made and touched before timing, of one size whatever is measured: a batch is measured into one
 * set of columns, and what is still to be sent lies in another.
 */
#ifndef GBRUN_CORE_CASE_COLUMNS_H
#define GBRUN_CORE_CASE_COLUMNS_H

#include "core/run/session.h"
#include "core/run/wire.h"

enum { BATCH_MAX = 4096 }; /* samples measured, and sent, at a time */

struct columns {
    double *clocks[GB_CLOCKS_MAX]; /* of a sample, ns; to be sent: of an iteration */
    double *begin_ns, *end_ns;
    double *time_ns, *elapsed_ns; /* as the policy sees them */
    double *clock_hz;
    uint64_t *iterations, *throttle;
    uint32_t *flags;
};

void columns_new(struct columns *columns, uint32_t n_clocks);
void columns_free(struct columns *columns); /* zero-initialized ones too */

/* The first n samples of a batch, each of so many iterations, to place `at` of those to be sent. */
void columns_keep(struct columns *to, uint64_t at, const struct columns *from, uint64_t n,
                  uint32_t n_clocks, uint64_t iterations);

/* n samples to be sent, as a WIRE_SAMPLES. Columns of which none has anything to say are left out,
 * but of the clock that counts. Uses begin_ns and end_ns as room. */
void columns_put(struct wire_writer *writer, struct columns *columns, uint64_t n,
                 const struct open_device *device, uint32_t clock);

#endif
