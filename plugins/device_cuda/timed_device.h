/*
 * timed_device.h - an open device with its clocks, their reading without any work, and the way of
 * the current benchmark. Plugin side.
 */
#pragma once

#include "way.h"

#include <gbrun/activities.h>
#include <gbrun/counters.h>
#include <gbrun/device.h>
#include <gbrun/judging.h>

/* A mean and half the width of its 95 % interval, ns. */
struct offset {
    double ns, error_ns;
};

/* Zero-initialize. */
struct offsets {
    struct graph nothing, empty; /* stamped: no work; an empty kernel */
    struct offset graph, event;  /* of stamped graphs; of events in a stream, held back */
    double first_ns;             /* graph.ns when it was measured first; 0: not yet */
    bool has_event;
    bool will_move; /* the benchmark runs kernels side by side */
};

struct timed_device {
    struct cuda_device device; /* first: what gbrun hands back is either */
    struct gb_clock clocks[CLOCK_KINDS];
    uint32_t kinds[CLOCK_KINDS]; /* CLOCK_... of each */
    uint32_t n_clocks;
    double event_tick_ns; /* the step of events */
    double rest_ns;       /* how long a wait for an idle context takes */
    bool is_measuring;    /* within a call of `measure` */
    struct offsets offsets;
    struct way way;
};

/* Finds out which clocks there are and what they are like (clocks.c). */
int32_t clocks_probe(struct timed_device *timed);

/*
 * The offsets of the clocks, which are subtracted from what they read (clocks.c). Two stamps
 * with nothing between, in a graph, are the offset of stamped graphs. That of events in a stream is
 * what they read around an empty kernel, less the kernel's own time by the graph. Both depend on
 * the state of the process: from the first time that two kernels run side by side, each launch of
 * the context takes longer (0.18 us on an H200), until the process ends.
 */

/* Measures an offset on an idle stream, or finds that the last one still holds: that of graphs,
 * that of events. */
int32_t offsets_update_graph(struct offsets *offsets, const struct cuda_device *device,
                             CUstream stream);
int32_t offsets_update_event(struct offsets *offsets, const struct cuda_device *device,
                             CUstream stream);

/* By how much the offset of graphs has grown since the device was opened; 0 if no more than it
 * varies anyway. */
double offsets_slower_ns(const struct offsets *offsets);

/* Have launches become slower since the first measurement, or will they, which may show only a
 * little later? */
bool offsets_have_moved(struct offsets *offsets, const struct cuda_device *device, CUstream stream);

/* Chooses timed->way for this measurement unless it is chosen (way_choice.c). A measurement that is
 * impossible is an error, reported to the host. */
int32_t way_choose(struct timed_device *timed, const struct gb_measurement *measurement);

/* Extensions of the device (counters.c, activities.c, judging.c). */
extern const struct gb_counters cuda_counters;
extern const struct gb_activities cuda_activities;
extern const struct gb_judging_device cuda_judging;
