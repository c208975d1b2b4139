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

    /* [untimed] As host->fill, of memory of device_allocate; enqueued only. GB_UNSUPPORTED: the
     * device does not fill this format itself; nothing was done. */
    int32_t (*fill)(const struct gb_host *host, const struct gb_queue *queue, void *memory,
                    uint64_t n, const struct gb_fill *fill);
};

/*
 * extension(GB_JUDGING_DEVICE) of a device's descriptor: a struct gb_judging_device; judged
 * benchmarks can run on it. On a device without queues (native NULL) they run without.
 */
#define GB_JUDGING_DEVICE "gbrun.judging_device/1"

enum { GB_GATHERED_MAX = 64 };

/*
 * Memory of a device for judged objects, at the same address in two processes. The judge's is its
 * own, as the device may have been left something to do that waits for new inputs: they are copied
 * to that of the second process only when its time runs.
 */
struct gb_shared_block {
    uint32_t size;
    int32_t file; /* of the second process's memory: open, inherited by it; 16 or above */
    void *base;
    uint64_t bytes;
    void *other; /* the judge: the second process's memory, which is at `base` there */
};

struct gb_judging_device {
    uint32_t size;
    uint32_t reserved;

    /* Makes both, zeros, each of a quarter of the memory that is free, at most `most` bytes. Those
     * that *ret has already (bytes > 0) become zeros again. */
    int32_t (*share)(void *device, uint64_t most, struct gb_shared_block *ret);
    /* In the second process, before it loads what is measured: maps its memory, whose file is
     * closed then, and does once what could need more than a sandbox allows. */
    int32_t (*map)(void *device, const struct gb_queue *queue, const struct gb_shared_block *block);
    void (*unshare)(void *device, struct gb_shared_block *block);

    /* For all that this process has put on the device. */
    int32_t (*wait)(void *device);

    /* All below only enqueue. As host->fill with this seed; GB_UNSUPPORTED: not this format. */
    int32_t (*fill)(void *device, const struct gb_queue *queue, uint64_t seed, void *memory,
                    uint64_t n, const struct gb_fill *fill);
    /* Copies n parts, `bytes` each, a multiple of 256: part which[i], counted from `from`, becomes
     * part i of `to`. One kernel, also for none. n: up to GB_GATHERED_MAX. */
    int32_t (*gather)(void *device, const struct gb_queue *queue, void *to, const void *from,
                      uint64_t bytes, const uint32_t *which, uint32_t n);
    /* Keeps the device busy. */
    int32_t (*idle)(void *device, const struct gb_queue *queue, double ns);

    /* What one call of ops->run(bench, queue, 1) enqueues, to be launched as often as is wanted;
     * the device's until it is closed. GB_SKIPPED: it cannot be captured. */
    int32_t (*capture)(void *device, const struct gb_queue *queue, const struct gb_bench_ops *ops,
                       void *bench, void **ret_graph);
    int32_t (*launch)(void *device, const struct gb_queue *queue, void *graph);

    /* What this process has put on the device, on whatever queue, ends before what it puts there
     * from now on. Not while anything is captured. */
    int32_t (*join)(void *device);
};

#endif
