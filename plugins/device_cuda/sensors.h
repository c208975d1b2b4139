/*
 * sensors.h - what NVML reports of the device, read by a thread while samples are taken: a reading
 * can take longer than a thousand samples. Plugin side.
 */
#ifndef GBRUN_PLUGINS_DEVICE_CUDA_SENSORS_H
#define GBRUN_PLUGINS_DEVICE_CUDA_SENSORS_H

#include "nvml.h"

#include <pthread.h>

struct sensors {
    const struct nvml *nvml;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool has_thread;
    bool is_closing; /* this and what follows under the lock */
    double used_ns;  /* when sensors_take was called last, on CLOCK_MONOTONIC */
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

/* Everything, at most a tenth of a second old: the device's counter of energy is not faster. */
void sensors_telemetry(struct sensors *sensors, struct gb_telemetry *telemetry);

#endif
