/*
 * series.h - samples that a benchmark gives itself (host->series, host->sample): names, units, and
 * what there is of each: its distribution.
 *
 * What counts is what was put in between series_discard and series_take; the caller takes after
 * each batch of samples, and so leaves out all else.
 */
#pragma once

#include "core/base/distribution.h"
#include "core/base/error.h"
#include "core/run/series_order.h"

#include <stddef.h>
#include <stdint.h>

/*
 * ---- Values that the threads of a benchmark hand over, each through a buffer of its own: putting
 * one in costs two stores, and neither lock nor system call.
 *
 * There is one set of buffers in the process, as a worker measures one case at a time. A buffer is
 * a list of chunks. Where the chunks of a thread are full, it takes a lock and gets another one:
 * those that were emptied before, so that after a warm-up nothing is allocated.
 */

enum { SAMPLE_CHUNK = 4096, SAMPLE_CHUNKS_MAX = 4096 /* of all threads: 256 MiB */ };

struct given_sample {
    double value;
    uint32_t series;
};

/* From any thread. */
void sample_buffers_put(uint32_t series, double value);

/* Receives values that one thread has put in, in order; those of a thread (a number from 0) come
 * one call after the other. */
typedef void sample_take_fn(void *context, size_t thread, const struct given_sample *samples,
                            size_t n);

/* Empties all buffers, of what had been put in by then. take NULL: it is forgotten. From one thread
 * at a time. Returns how many values that were. */
uint64_t sample_buffers_take(sample_take_fn *take, void *context);

/* How many found no room since this was asked last. */
uint64_t sample_buffers_dropped(void);

/* ---- What is made of them. */

enum { SERIES_MAX = 16, SERIES_NAME_MAX = 40, SERIES_UNIT_MAX = 24 };

struct series {
    char name[SERIES_NAME_MAX + 1];
    char unit[SERIES_UNIT_MAX + 1];
    struct distribution *distribution;
    struct series_order *order;
    uint64_t n, n_refused; /* in them; not finite, or too large */
};

/* Values of one series, in about the order in which they were given: those of several threads are
 * merged as if each had given its own evenly over the time. */
struct series_values {
    double *values;
    size_t n;
    /* Private: while they are taken. */
    size_t *threads; /* which each is of */
    size_t capacity;
};

struct series_set {
    struct series items[SERIES_MAX];
    uint32_t n;
    uint64_t n_strange; /* values of no series */
    uint64_t n_dropped; /* for which there was no room */
};

/* The number of a series, from 1; of one with the same name and unit the same. 0: the error says
 * what is wrong with name or unit, or that there are too many. */
uint32_t series_declare(struct series_set *set, const char *name, const char *unit,
                        struct gb_error *error);

/* The number of the series with a name; 0: there is none. */
uint32_t series_named(const struct series_set *set, const char *name);

/* Nanoseconds in its unit; 0: it is no unit of time. */
double series_to_ns(const struct series *series);

/* Adds what was given to the distributions; and of series `wanted`, unless it is 0, appends the
 * values to ret. */
void series_take(struct series_set *set, uint32_t wanted, struct series_values *ret);
/* Forgets what was given; returns how many values that were. */
uint64_t series_discard(void);

void series_values_free(struct series_values *values);
void series_free(struct series_set *set);
