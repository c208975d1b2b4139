/*
 * timed_device.h - an open device with its clocks, what they read of no work, and the way of the
 * benchmark at hand. Plugin side.
 */
#pragma once

#include "cuda_device.h"
#include "offsets.h"
#include "way.h"

#include <gbrun/activities.h>
#include <gbrun/counters.h>
#include <gbrun/device.h>

struct timed_device {
    struct cuda_device device;
    struct gb_clock clocks[CLOCK_KINDS];
    uint32_t kinds[CLOCK_KINDS]; /* CLOCK_... of each */
    uint32_t n_clocks;
    double event_tick_ns; /* the step of events */
    double rest_ns;       /* what a wait for the context takes that has nothing to do */
    struct offsets offsets;
    struct way way;
};

/* Finds out which clocks there are and what they are like (clocks.c). */
int32_t clocks_probe(struct timed_device *timed);

/* Sees to it that timed->way is for this measurement (way_choice.c). What cannot be measured so is
 * an error with words. */
int32_t way_choose(struct timed_device *timed, const struct gb_measurement *measurement);

/* Extensions of the device (counters.c, activities.c). */
extern const struct gb_counters cuda_counters;
extern const struct gb_activities cuda_activities;
