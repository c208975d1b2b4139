/*
 * prediction.h - how long a run takes if nothing but the problems' own times matters. Plugin side.
 *
 * A problem's time is from the start of its first block to the end of its last one. Problems of a
 * stream run one after the other, streams beside each other: the predicted time is that of the
 * stream whose problems take longest together. What a run takes beyond it is spent between the
 * problems, on launches and on streams that wait for each other. Problem i is on stream
 * i mod n_streams.
 */
#pragma once

#include "stamps.h"

#include <stdbool.h>
#include <stdint.h>

/* The logs of all blocks, those of a problem in a row; all counts are above 0. */
struct stamped {
    const struct block_log *logs;
    uint64_t n_problems, n_streams;
    uint64_t n_blocks; /* of a problem */
};

struct problem_time {
    uint64_t start_ns, end_ns;
    uint32_t unit; /* where the block ran that ended last */
};

struct prediction {
    uint64_t run;
    double measured_ns;   /* from the start of the first block to the end of the last one */
    double predicted_ns;  /* of the slowest stream */
    double one_by_one_ns; /* the times of all problems together */
    double fastest_ns, slowest_ns;
    uint32_t n_units; /* that ran any block */
};

/* One run of those kept. */
void predict_run(const struct stamped *stamped, uint64_t run, struct prediction *ret);

/* The run of the median measured time, of an even number the shorter, among those kept. False:
 * nothing has run. */
bool predict(const struct stamped *stamped, struct prediction *ret);

struct problem_time problem_time(const struct stamped *stamped, uint64_t problem, uint64_t run);
