/*
 * pace.h - power and heat as a choice: what is done before a case and between its samples so that
 * they are all of short bursts, or all of lasting load.
 *
 * burst looks for the idle gap after each sample that keeps the device from being throttled: from
 * twice a sample's length on it is doubled, up to 32 lengths, while a second of such samples (of
 * which the first half is a transition) has a reason for throttling or a clock more than 1 % below
 * the highest seen.
 *
 * sustained loads the device in windows of half a second. It has settled when in the newest six
 * the medians, the clocks, the power and the temperature of the older three and of the newer three
 * agree: their means differ by no more than 0.3 % (medians), 1 % (clock), 2 % (power and
 * temperature, in degrees Celsius), and the standard error that the windows' own scatter gives the
 * difference.
 *
 * Time is what the samples say they took, or what passed on the host's clock, whichever is more.
 * All that is done here ends within pace_limit, and within a batch of 100 ms when the run is
 * cancelled.
 */
#pragma once

#include "core/run/case_columns.h"
#include "core/run/case_state.h"

/* Measures up to n samples into the batch, with the pace's gap; none of them is kept. Not GB_OK:
 * the case has ended. */
typedef int32_t pace_load_fn(void *context, uint64_t n, double deadline_ns, uint64_t *ret_done);

struct pace {
    struct case_state *state;
    const struct batch *batch;
    pace_load_fn *load;
    void *context; /* of load */
    double gap_ns; /* for which the device is left idle after each sample from now on */
    struct pace_record record;

    /* Private. */
    double sample_ns;    /* from a sample's begin to the next one's; 0: not known */
    double highest_hz;   /* clock seen */
    double clock_sum_hz; /* of samples kept, */
    uint64_t n_clocks;   /*   of which so many have a known clock */
};

/* Before anything of the case is run: waits for cool_below and clock_at_least. values: telemetry
 * as it is now; then as it is after the wait. */
int32_t pace_wait(struct pace *pace, struct gb_telemetry *values);

/* After the warm-up: finds the gap, or loads until all has settled. */
int32_t pace_reach(struct pace *pace);

/* For sustained, before the telemetry at the begin and at the end of the samples: loads until
 * least_ns have passed and the device's counter of energy moves, so that what it says is true for
 * the time between. Without such a counter nothing is done. */
int32_t pace_to_energy_step(struct pace *pace, double least_ns);

/* The first n samples of the batch were kept. */
void pace_keep(struct pace *pace, uint64_t n);

/*
 * Of a device that counts its clock: a case that follows others need not wait once more until the
 * device has settled under load. find: before the first sample, where the one in the batch has the
 * clock of all that others were measured at, sets record.load_ns to how long these took. leave:
 * after the last one; what the kept samples took is for the next case. Cases at another clock begin
 * anew, and after 10 s without one nothing is known.
 */
double pace_recent_load(const struct pace *pace); /* what it will be if the clock is that of then */
void pace_find_load(struct pace *pace);
void pace_leave_load(struct pace *pace, double span_ns);
