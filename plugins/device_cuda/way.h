/*
 * way.h - the way in which the samples of one benchmark are taken: chosen before its first sample
 * by trying it (timed_device.h), and kept until the host waits for the queue, as it does between
 * benchmarks. Plugin side.
 */
#pragma once

#include "cuda_device.h"
#include "graph.h"

enum { CLOCK_KERNEL, CLOCK_EVENT, CLOCK_WALL, CLOCK_RECORD, CLOCK_KINDS };

enum {
    WAY_STAMPS, /* a graph of samples between stamps */
    WAY_EVENTS, /* each sample between two events in the stream */
    WAY_WALL,   /* the host's time */
    WAY_RECORD  /* one sample at a time, from the first start to the last end that CUPTI records */
};

enum { WAY_SAMPLES_MAX = 64 }; /* of one graph */

/* Samples that were launched one after the other, and waited for once. */
struct launch {
    uint32_t n, n_taken;     /* those from n_taken on were not yet handed over */
    double begin_ns, end_ns; /* host times of all */
    double clock_hz;         /* 0: not known */
    double times_ns[BATCH_DEPTH_MAX];
    bool is_interrupted[BATCH_DEPTH_MAX];
    bool is_lost[BATCH_DEPTH_MAX];
};

/* Zero-initialize. */
struct way {
    /* What it was chosen for; bench NULL: nothing. */
    const void *bench;
    uint64_t iterations;
    uint32_t clock; /* CLOCK_... */
    uint32_t cache, launch_kind;
    double gap_ns;

    uint32_t kind; /* WAY_... */
    struct gb_reading reading;
    bool waits_for_each;  /* the host waits before and after each sample */
    bool reset_is_called; /* also with a graph */
    double sample_ns;     /* host time that a sample takes in all; 0: not known */
    uint32_t n_hiccups;   /* samples in a row that could not be held back */
    bool refuses_hold;
    double calibrated_ns;          /* what choosing it took for the offsets of clocks */
    bool is_launched, reads_clock; /* a graph was launched; it takes long enough to read a clock */

    struct graph graph; /* of stamped samples; of other kinds, where launch is graph, one run */
    struct launch launch;
};

/*
 * Takes samples: of those that were launched before, then of new ones, until the measurement has as
 * many as it wants or its deadline has come. What a launch gives beyond them is the first of the
 * next call.
 */
int32_t way_take(struct cuda_device *device, struct way *way, struct gb_measurement *measurement);

/* The graph's last launch, which stamps are of, gives the next samples. */
void way_keep_launch(const struct cuda_device *device, struct way *way, double begin_ns,
                     double end_ns);

void way_forget(const struct cuda_device *device, struct way *way);

/* From here on runs are called one by one, between events, without stamps. */
void way_leave_stamps(const struct cuda_device *device, struct way *way);

/* Drops samples that were taken ahead: what happens next takes a while, or does not concern them.
 */
void way_drop_ready(struct way *way);
