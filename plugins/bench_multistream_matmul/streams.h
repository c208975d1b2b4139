/*
 * streams.h - threads that work like streams of a device: each drains a queue of its own, in order.
 * Plugin side.
 */
#pragma once

#include <stdint.h>

struct streams;

/* What a task is: called on the stream's thread with its number. */
typedef void stream_task_fn(void *context, uint64_t task);

/*
 * Starts n threads, which wait. Of the tasks 0 to n_tasks - 1 stream s always does s, s + n, ... in
 * this order, then the same again. spins: how often a thread that waits looks for work before it
 * sleeps; 0 where there are more threads than CPUs. 0, or an errno.
 */
int streams_start(uint64_t n, uint64_t n_tasks, stream_task_fn *run, void *context, uint64_t spins,
                  struct streams **ret);

/* Puts the next task of a stream on its queue. */
void streams_launch(struct streams *streams, uint64_t stream);

/* Waits until all that was launched is done. */
void streams_join(struct streams *streams);

/* Ends the threads once their queues are empty. NULL allowed. */
void streams_stop(struct streams *streams);
