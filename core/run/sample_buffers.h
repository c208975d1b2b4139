/*
 * sample_buffers.h - values that the threads of a benchmark hand over, each through a buffer of its
 * own: putting one in costs two stores, and neither lock nor system call.
 *
 * There is one set of buffers in the process, as a worker measures one case at a time. A buffer is
 * a list of chunks. Where the chunks of a thread are full, it takes a lock and gets another one:
 * those that were emptied before, so that after a warm-up nothing is allocated.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

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

/* Forgets all values and gives memory back that is not needed for a few. */
void sample_buffers_clear(void);
