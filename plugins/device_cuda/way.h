/*
 * way.h - the way in which the samples of one benchmark are taken: chosen before its first sample
 * by trying it, and kept until the host waits for the queue, as it does between benchmarks. Plugin
 * side.
 */
#pragma once

#include "graph.h"

#include <gbrun/device.h>

enum {
    WAY_STAMPS, /* a graph of samples between stamps */
    WAY_EVENTS, /* each sample between two events in the stream */
    WAY_WALL,   /* the host's time */
    WAY_RECORD  /* one sample at a time, from the first start to the last end that CUPTI records */
};

enum { WAY_SAMPLES_MAX = 64 }; /* of one graph */

/* Zero-initialize. */
struct way {
    /* What it was chosen for; bench NULL: nothing. */
    const void *bench;
    uint64_t iterations;
    uint32_t clock, cache, launch;
    double gap_ns;

    uint32_t kind; /* WAY_... */
    struct gb_reading reading;
    bool waits_for_each;  /* the host waits before and after each sample */
    bool reset_is_called; /* also with a graph */
    double sample_ns;     /* of host time that one takes, all in all; 0: not known */
    uint32_t n_hiccups;   /* samples in a row that could not be held back */
    bool refuses_hold;

    struct graph graph; /* of stamped samples; of other kinds, where launch is graph, one run */
    /* Samples of the last launch that were not yet asked for. */
    uint32_t n_ready, n_taken;
    double ready_ns[WAY_SAMPLES_MAX];
    double launched_ns, ended_ns; /* host times; 0: nothing was launched yet */
    bool reads_clock;             /* launches are long enough to */
    double clock_hz;              /* of the last launch; 0: not known */
};

/* Sees to it that device->way is for this measurement. What cannot be measured so is an error with
 * words. */
int32_t way_choose(struct cuda_device *device, const struct gb_measurement *measurement);

void way_forget(struct cuda_device *device);

/* Stamps leave no trace in what follows: runs are called one by one, between events. */
void way_leave_stamps(struct cuda_device *device);

/* Samples that were taken ahead are not given out any more: they are of the time before something
 * that takes a while, or that they are not a part of. */
void way_drop_ready(struct way *way);
