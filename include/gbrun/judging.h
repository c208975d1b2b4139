/*
 * judging.h - a benchmark of code that is not trusted: verify = judge.
 *
 * There are two processes, each with objects of the benchmark, made by the same calls of create and
 * prepare in the same order, in the judge's process before the other. That one loads and runs what
 * is measured. The judge's renews the inputs, poisons the outputs, takes the time and compares, and
 * loads nothing of what is measured. Memory of host->device_allocate and of `share` up to the end
 * of prepare is common to both, at the same addresses; all else is each process's own.
 */
#ifndef GBRUN_JUDGING_H
#define GBRUN_JUDGING_H

#include <gbrun/bench.h>

/*
 * extension(GB_JUDGING) of a benchmark's descriptor, not NULL: its objects can be judged.
 * host->extension(GB_JUDGING): a struct gb_judging while they are; NULL otherwise. Then
 *  - inputs, outputs and what run returns lie in memory of device_allocate and share;
 *  - refresh writes what run may write, the outputs with values that could be results;
 *  - verify compares what one iteration left since refresh, and calls nothing that is measured;
 *  - run is called with one iteration at a time, of each object once after each refresh.
 */
#define GB_JUDGING "gbrun.judging/1"

struct gb_judging {
    uint32_t size;
    uint32_t is_judge; /* 1: the judge's object: run, reset and what they need are never called */
    /* [create, prepare] Memory of the host, as long as the object; zeros unless the judge has
     * written to it. NULL: there is too little. The judge trusts nothing that it reads from there.
     */
    void *(*share)(const struct gb_host *host, uint64_t bytes);
};

#endif
