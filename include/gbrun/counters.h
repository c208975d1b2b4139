/*
 * counters.h - hardware counters of a device: what a benchmark made it do, counted in separate
 * passes and never while samples are timed.
 *
 * An extension: extension(GB_COUNTERS) of a device's descriptor gives a struct gb_counters, or NULL
 * where the device has none. All functions are [untimed] and are called from one thread.
 */
#ifndef GBRUN_COUNTERS_H
#define GBRUN_COUNTERS_H

#include <gbrun/device.h>

#define GB_COUNTERS "gbrun.counters/1"

/* One counter that can be requested. */
struct gb_counter {
    uint32_t size;
    uint32_t reserved;
    const char *name; /* [A-Za-z0-9_.:-]+, as it is written in bench.ini */
    const char *unit; /* of its value; "" for a plain number */
    const char *help; /* one sentence, no full stop */
};

typedef void gb_counter_fn(void *context, const struct gb_counter *counter);

/* Receives one counter's value: of one iteration where iterations add up, unchanged where they do
 * not (a ratio, a rate). The texts are copied. */
typedef void gb_count_fn(void *context, const char *name, double value, const char *unit);

/* What is known of the work that was done, whatever the device's counters are called. */
enum {
    GB_COUNTED_FLOPS = 0,      /* floating-point operations: a fused multiply-add is two */
    GB_COUNTED_BYTES_L1 = 1,   /* requested from the first level of cache */
    GB_COUNTED_BYTES_L2 = 2,   /* requested from the second level */
    GB_COUNTED_DRAM_READ = 3,  /* bytes read from memory */
    GB_COUNTED_DRAM_WRITE = 4, /* bytes written to memory */
    GB_COUNTED_KINDS = 5
};

enum { GB_COUNTING_TEXT = 512 };
#define GB_EMPTY "empty_"

/*
 * A sample to be counted, in as many passes as the counters need. For each pass: reset, then flush
 * the cache if cold, then count around run. With a warm cache a sample runs uncounted before.
 */
struct gb_counting {
    uint32_t size;
    uint32_t cache; /* GB_CACHE_... */
    uint64_t iterations;
    const struct gb_bench_ops *bench_ops;
    void *bench;
    const struct gb_queue *queue;
    uint32_t wants_work; /* 1: fill `work`, and report the counters it was computed from */
    uint32_t n_names;
    const char *const *names; /* counters that are wanted beside those */
    gb_count_fn *count;       /* called for each value */
    void *context;

    /* out: of one iteration; NaN, as it is set: not known */
    double work[GB_COUNTED_KINDS];
    uint32_t n_passes; /* out */
    uint32_t reserved;
    /* out: which counters `work` was computed from; "" if unset */
    char made_from[GB_COUNTING_TEXT];
    /* out: why something is missing, and what could be done; "": nothing is */
    char missing[GB_COUNTING_TEXT];

    /* What the benchmark declares that it computes. Instructions also move constants and convert:
     * what cannot be this arithmetic may be left out of GB_COUNTED_FLOPS. Where nothing is
     * declared all is counted. */
    uint32_t math_format; /* GB_F64 ...; 0: not said */
    uint32_t math_unit;   /* GB_MATH_...; 0: not said */

    /* 1: for a clock that counts. `count` gets "instructions", exactly, and those of the names that
     * are known; behind each, under its name with GB_EMPTY before it, what the same way takes of
     * run_empty, if that is not 0. It fails where there are no instructions. */
    uint32_t is_exact;
    uint32_t means; /* GB_COUNT_BY_... that is asked for; out: that was used */
    uint64_t limit; /* of instructions, where each takes a trap: it fails beyond */
};

/* How instructions are counted: by the processor (perf events), by a trap after each, by Valgrind;
 * auto: the first of these that there is. */
enum { GB_COUNT_BY_AUTO = 0, GB_COUNT_BY_PERF = 1, GB_COUNT_BY_STEP = 2, GB_COUNT_BY_VALGRIND = 3 };

struct gb_counters {
    uint32_t size;
    uint32_t reserved;

    /* Lists the counters of device `index`, which is not opened; or those of a kind of device,
     * which need not be present, by the device's own name for it (`model`, else NULL). Of the
     * counter with the name `whole` (else NULL) all forms are listed. No counters and a reason
     * why: host->skip(reason). */
    int32_t (*list)(const struct gb_host *host, const void *params, uint32_t index,
                    const char *model, const char *whole, gb_counter_fn *counter, void *context);

    /* Counts on an open device. What cannot be counted is no failure: `missing` explains. It fails
     * with what run, reset or the device returned. */
    int32_t (*count)(void *device, struct gb_counting *counting);
};

#endif
