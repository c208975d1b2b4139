/* prediction.c - see prediction.h. Plugin side. */
#include "prediction.h"

#include <stdlib.h>

enum { UNITS_MAX = 4096, BITS = 64 }; /* more than any device has */

struct problem_time problem_time(const struct stamped *stamped, uint64_t problem, uint64_t run)
{
    struct problem_time ret = {.start_ns = UINT64_MAX};
    for (uint64_t i = 0; i < stamped->n_blocks; i++) {
        const struct block_log *log = &stamped->logs[problem * stamped->n_blocks + i];
        const struct stamp *stamp = &log->runs[run % RUNS_KEPT];
        if (stamp->start_ns < ret.start_ns)
            ret.start_ns = stamp->start_ns;
        if (stamp->end_ns <= ret.end_ns)
            continue;
        ret.end_ns = stamp->end_ns;
        ret.unit = stamp->unit;
    }
    return ret;
}

static uint32_t count_units(const struct stamped *stamped, uint64_t run)
{
    uint64_t seen[UNITS_MAX / BITS] = {0};
    uint32_t n = 0;
    for (uint64_t i = 0; i < stamped->n_problems * stamped->n_blocks; i++) {
        const unsigned unit = stamped->logs[i].runs[run % RUNS_KEPT].unit % UNITS_MAX;
        const uint64_t bit = UINT64_C(1) << unit % BITS;
        n += (seen[unit / BITS] & bit) == 0;
        seen[unit / BITS] |= bit;
    }
    return n;
}

void predict_run(const struct stamped *stamped, uint64_t run, struct prediction *ret)
{
    uint64_t start = UINT64_MAX;
    uint64_t end = 0;
    *ret = (struct prediction){.run = run, .n_units = count_units(stamped, run)};
    for (uint64_t stream = 0; stream < stamped->n_streams; stream++) {
        double stream_ns = 0.0;
        for (uint64_t i = stream; i < stamped->n_problems; i += stamped->n_streams) {
            const struct problem_time time = problem_time(stamped, i, run);
            const double ns = (double)(time.end_ns - time.start_ns);
            stream_ns += ns;
            if (ns > ret->slowest_ns)
                ret->slowest_ns = ns;
            if (i == 0 || ns < ret->fastest_ns)
                ret->fastest_ns = ns;
            start = time.start_ns < start ? time.start_ns : start;
            end = time.end_ns > end ? time.end_ns : end;
        }
        ret->one_by_one_ns += stream_ns;
        if (stream_ns > ret->predicted_ns)
            ret->predicted_ns = stream_ns;
    }
    ret->measured_ns = (double)(end - start);
}

static int by_measured(const void *a, const void *b)
{
    const struct prediction *left = a;
    const struct prediction *right = b;
    return (left->measured_ns > right->measured_ns) - (left->measured_ns < right->measured_ns);
}

bool predict(const struct stamped *stamped, struct prediction *ret)
{
    struct prediction runs[RUNS_KEPT];
    uint64_t n_runs = UINT64_MAX;
    for (uint64_t i = 0; i < stamped->n_problems * stamped->n_blocks; i++) {
        if (stamped->logs[i].n_runs < n_runs)
            n_runs = stamped->logs[i].n_runs;
    }
    if (n_runs == 0)
        return false;
    const uint64_t n_kept = n_runs < RUNS_KEPT ? n_runs : RUNS_KEPT;
    for (uint64_t i = 0; i < n_kept; i++)
        predict_run(stamped, n_runs - n_kept + i, &runs[i]);
    qsort(runs, (size_t)n_kept, sizeof *runs, by_measured);
    *ret = runs[(n_kept - 1) / 2];
    return true;
}
