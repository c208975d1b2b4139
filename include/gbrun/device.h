/*
 * device.h - a device: something that benchmarks run on, and the clocks it has.
 *
 * count and describe create no context on the device. All functions are [untimed] and are called
 * from one thread. A device object lives in one worker process and serves many cases in a row.
 * After a function has returned GB_DEVICE_ERROR the process is ended, and the case fails with it.
 */
#ifndef GBRUN_DEVICE_H
#define GBRUN_DEVICE_H

#include <gbrun/bench.h>
#include <gbrun/policy.h>

/* A clock that samples can be timed with. Clock 0 is the default. */
struct gb_clock {
    uint32_t size;
    uint32_t flags;     /* GB_CLOCK_... */
    char name[32];      /* "wall", "kernel", "event" */
    double tick_ns;     /* timer resolution as measured, at least what the source promises */
    double overhead_ns; /* timer overhead: shown next to results, not subtracted by the host */
    /* samples shorter than this are lengthened by more iterations; 0: never */
    double min_sample_ns;
    char help[96]; /* what it measures */
};

enum {
    /* The phase of a sample against tick_ns is uniform and independent of the other samples':
     * single readings are rounded to the tick, their mean is unbiased. */
    GB_CLOCK_DITHERED = 1u,
    /* It counts: no time can be read from it. `count` of the device's counters (gbrun/counters.h)
     * is asked for in the place of measure. The last clock, and named "instructions". */
    GB_CLOCK_COUNTS = 2u,
    /* Of a reading: clock_hz of the samples is counted by the device, and not what it was set to.
     */
    GB_CLOCK_CYCLES = 4u
};

enum { GB_CACHE_WARM = 0, GB_CACHE_COLD = 1 };

/* How a sample's work gets onto the device: run enqueues it each time, or what run enqueued was
 * captured and is launched as a graph; auto: whichever the device finds better for this work. */
enum { GB_LAUNCH_STREAM = 0, GB_LAUNCH_GRAPH = 1, GB_LAUNCH_AUTO = 2 };

enum { GB_CLOCKS_MAX = 8 };

/*
 * How the samples of a benchmark are read. The host fills it with what is asked for and with the
 * clock's values; the device changes what is otherwise with this benchmark, in its first
 * measurement, and leaves it alone from then on.
 */
struct gb_reading {
    uint32_t size;
    uint32_t launch; /* GB_LAUNCH_STREAM or GB_LAUNCH_GRAPH, also where auto was asked for */
    uint32_t flags;  /* GB_CLOCK_... */
    uint32_t reserved;
    double tick_ns;         /* resolution */
    double offset_ns;       /* subtracted from every sample: the clock's reading without any work */
    double offset_error_ns; /* half the width of its 95 % interval */
    double graph_ns; /* of an iteration in the stream: what it takes as a graph; 0: not known */
    char note[256];  /* why it is not read as asked for, or as others are; "": it is */
};

/*
 * A batch of samples to be measured, and where the results go. The host owns all arrays, which hold
 * n_samples values each and are touched (so that no page fault is timed).
 * For each sample: reset, then flush the cache if cold, then start clocks, run, stop clocks.
 */
struct gb_measurement {
    uint32_t size;
    uint32_t clock;  /* index of the clock that counts */
    uint32_t cache;  /* GB_CACHE_... */
    uint32_t launch; /* GB_LAUNCH_...; graphs only if the device has GB_DEVICE_GRAPHS */
    uint64_t n_samples;
    uint64_t iterations; /* for each run */
    const struct gb_bench_ops *bench_ops;
    void *bench;
    const struct gb_queue *queue;
    double deadline_ns; /* host time: no further sample is begun after it; 0: none */

    /* What follows is filled in by the device. */
    uint64_t n_done;                /* samples measured, at most n_samples, in order */
    uint64_t n_lost;                /* samples that were run but whose times were lost */
    double *time_ns[GB_CLOCKS_MAX]; /* of the whole sample, by clock; NULL: not wanted */
    uint32_t clocks_filled;         /* bit i set: time_ns[i] was written; clock's bit always is */
    uint32_t reserved2;
    double *begin_ns;   /* host time (CLOCK_MONOTONIC, or now_ns) at the sample's start */
    double *end_ns;     /* and at its end */
    double *clock_hz;   /* the device's clock around the sample; 0 if not known */
    uint64_t *throttle; /* reasons; 0: none */
    uint32_t *flags;    /* GB_SAMPLE_... */

    /* Asked for: how long the device is left idle after each sample; 0: not at all. */
    double gap_ns;
    struct gb_reading *reading; /* the host's; NULL: not asked for */

    /* After set_threads with several: for each sample the time of each thread from the common start
     * to its end, n_threads values a sample, filled in by the device. NULL: not wanted. */
    double *thread_ns;

    /* How many samples of this benchmark will be asked for in all at least, and over how long: what
     * the first of them may cost to prepare. 0: not known. */
    uint64_t n_expected;
    double expected_ns;
};

/* Values now; NaN where the device does not know. */
struct gb_telemetry {
    uint32_t size;
    uint32_t n_others; /* other processes that compute on the device; 0: none, or not known */
    double clock_hz;
    double memory_clock_hz;
    double temperature_celsius;
    double power_watts;
    double energy_joules;   /* a counter that only grows */
    uint64_t throttle;      /* the device's own bits */
    char throttle_text[96]; /* and what they mean; empty: none */
    /* Set by the host. 1: the counter of energy is of no use now, and can be NaN. */
    uint32_t without_energy;
};

/* Receives one fact about a device, for the record: "driver" "580.159". */
typedef void gb_fact_fn(void *context, const char *name, const char *value);

/* Something about a device or its machine that makes measurements noisy, or could. */
struct gb_finding {
    uint32_t size;
    uint32_t is_noisy;   /* 0: as it should be, or cannot be seen here */
    const char *subject; /* "persistence mode" */
    const char *state;   /* "off" */
    const char *why;     /* what it does to measurements; "" if it is not noisy */
    const char *cure;    /* a shell command that would fix it; "" if there is none */
};

typedef void gb_finding_fn(void *context, const struct gb_finding *finding);

/* How long fixed work of the device's own takes now. */
struct gb_reference {
    uint32_t size;
    uint32_t version; /* of the work: times of different versions are not compared */
    double time_ns;
};

enum {
    GB_DEVICE_GRAPHS = 1u /* measures with GB_LAUNCH_GRAPH */
};

struct gb_device_ops {
    uint32_t size;
    uint32_t flags; /* GB_DEVICE_... */

    /* How many there are. None and a reason why: *ret_n = 0 and host->skip(reason). */
    int32_t (*count)(const struct gb_host *host, const void *params, uint32_t *ret_n);

    /* What number `index` is; *info has its size set and the rest zeroed. fact may be NULL. */
    int32_t (*describe)(const struct gb_host *host, const void *params, uint32_t index,
                        struct gb_device_info *info, gb_fact_fn *fact, void *fact_context);

    /* params stay valid until close. */
    int32_t (*open)(const struct gb_host *host, const void *params, uint32_t index,
                    void **ret_device);
    void (*close)(void *device);

    int32_t (*allocate)(void *device, uint64_t bytes, uint32_t kind, void **ret_memory);
    void (*release)(void *device, void *memory);
    int32_t (*copy)(void *device, void *to, const void *from, uint64_t bytes);
    int32_t (*fill)(void *device, void *memory, uint32_t byte, uint64_t bytes);

    int32_t (*queue_create)(void *device, struct gb_queue **ret_queue);
    void (*queue_destroy)(void *device, struct gb_queue *queue);
    /* Waits until all work on the queue is done; reports what went wrong on the device since. */
    int32_t (*queue_synchronize)(void *device, struct gb_queue *queue);

    /* Clock number i; GB_NOT_FOUND past the last. */
    int32_t (*clock)(void *device, uint32_t i, struct gb_clock *clock);
    int32_t (*measure)(void *device, struct gb_measurement *measurement);
    int32_t (*flush_cache)(void *device, const struct gb_queue *queue);
    int32_t (*telemetry)(void *device, struct gb_telemetry *telemetry);

    /* For `gbrun doctor`: reports what is noisy about device `index`, without opening it and
     * without changing anything. Optional. */
    int32_t (*examine)(const struct gb_host *host, const void *params, uint32_t index,
                       gb_finding_fn *finding, void *context);

    /* 1 if the process has become such that it would show in the times of a benchmark. Asked after
     * one was destroyed, so that the next one gets a fresh process, and after `prepare` in a
     * process that had others before, which then is not measured there. Optional. */
    int32_t (*is_spent)(void *device);

    /* Before `prepare` of each case: n threads must call run at the same time, each with a queue of
     * its own that says which it is; 1: the calling thread alone. A sample is the time from the
     * start that all have in common to the end of the last. Sets thread and n_threads of the queue.
     * host->fail says why that many cannot be. Optional: there is one. */
    int32_t (*set_threads)(void *device, struct gb_queue *queue, uint32_t n);

    /* The device's own time in nanoseconds, where it is not CLOCK_MONOTONIC: of a simulator.
     * begin_ns and end_ns of samples and deadline_ns are on it, and so are warm-up and max_time. It
     * has to go on while samples are measured. Optional. */
    double (*now_ns)(void *device);

    /* Runs fixed work, the same in every process and on every device of a model, which depends on
     * nothing but the device: arithmetic, no memory. Some 0.1 ms, the least or the median of a few
     * times; 1 ms at most. Its changes are the machine's, not the benchmarks'. It is called between
     * the samples of cases, with nothing on the queue. Optional. */
    int32_t (*reference)(void *device, struct gb_reference *reference);
};

#endif
