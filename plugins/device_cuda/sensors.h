/*
 * sensors.h - what NVML reports of the device, read by a thread while samples are taken: a reading
 * can take longer than a thousand samples. Readings belong to the benchmark during which they were
 * begun. Plugin side.
 */
#pragma once

#include "nvml.h"

#include <pthread.h>

struct sensors {
    const struct nvml *nvml;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool has_thread;
    bool is_closing; /* this and what follows under the lock */
    double used_ns;  /* when sensors_take was called last, on CLOCK_MONOTONIC; 0: of this benchmark
                        not yet */
    double read_ns;  /* when the newest reading was begun; 0: of this benchmark none was */
    uint64_t benchmark; /* number of sensors_forget's calls */
    double clock_hz;
    uint64_t throttle;             /* of the newest reading, */
    uint64_t seen;                 /*   and of all since sensors_take */
    struct gb_telemetry telemetry; /* of the thread that measures alone */
    double telemetry_ns;           /* when it was read; 0: never */
};

/* Reads once. Without NVML, and if no thread can be started, there is nothing to close. */
void sensors_open(struct sensors *sensors, const struct nvml *nvml);
void sensors_close(struct sensors *sensors);

/* The newest clock, 0 if not known, and the reasons for throttling since the last call; goes on
 * reading for a second. */
void sensors_take(struct sensors *sensors, double *ret_clock_hz, uint64_t *ret_throttle);

/* Another benchmark comes next: what was read is forgotten, and nothing is read until
 * sensors_take is called. The device does nothing now: a reason for throttling is waited for until
 * it has gone, a second at most. */
void sensors_forget(struct sensors *sensors);

/* The counter of energy as it is now; everything else at most a tenth of a second old, as it takes
 * longer to read. */
void sensors_telemetry(struct sensors *sensors, struct gb_telemetry *telemetry);
