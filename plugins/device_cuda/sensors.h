/*
 * sensors.h - NVML, NVIDIA's management library: clocks, power, temperature, throttling; and what
 * it reports of the device while samples are taken. Plugin side.
 */
#pragma once

#include <gbrun/device.h>
#include <pthread.h>
#include <stdbool.h>

/* --- NVML (nvml.c) --- */

/* Opened when it is needed; its header is not part of every CUDA installation, so that the few
 * functions used are declared there. That it does not know is a normal answer everywhere. */
struct nvml_functions;

struct nvml {
    const struct nvml_functions *functions; /* NULL: there is no NVML */
    void *device;
};

/* How a device is set up, and what it does now; -1 for what is not known. */
struct nvml_state {
    int persistence, compute_mode, ecc, ecc_pending, mig; /* 1: on; compute_mode: 0 is shared */
    int clock_mhz, clock_max_mhz, memory_clock_max_mhz;   /* of the multiprocessors; of memory */
    int temperature_celsius, slowdown_celsius; /* clocks are lowered from the second on */
    int power_limit_mw;
    int link_width, link_width_max; /* lanes of PCI Express */
    int n_processes;                /* that compute on it, others than this one */
    double free_bytes;
    char driver[96]; /* version; empty: not known */
};

/* The device at a PCI address such as 0000:3b:00.0. */
void nvml_open(struct nvml *nvml, const char *pci);

/* Of the multiprocessors, now; 0: not known. */
double nvml_clock_hz(const struct nvml *nvml);
/* Why the device is throttled: reasons for a clock below the highest, without idleness and without
 * a clock that its owner has set; 0: it is not, or that is not known. */
uint64_t nvml_throttle(const struct nvml *nvml);
/* Has the owner set application clocks, or locked clocks? */
bool nvml_clock_is_set(const struct nvml *nvml);
void nvml_throttle_words(uint64_t bits, char *text, size_t bytes);
/* The counter of energy; NaN: not known. */
double nvml_energy_joules(const struct nvml *nvml);
/* All but the counter of energy. */
void nvml_telemetry(const struct nvml *nvml, struct gb_telemetry *telemetry);
void nvml_read_state(const struct nvml *nvml, struct nvml_state *state);

/* --- readings (sensors.c) --- */

/* A thread reads NVML while samples are taken: a reading can take longer than a thousand samples.
 * Readings belong to the benchmark during which they were begun. */
struct sensors {
    const struct nvml *nvml;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool has_thread;
    bool is_closing; /* this and what follows under the lock */
    double used_ns;  /* last call of sensors_take, on CLOCK_MONOTONIC; 0: none in this benchmark */
    double read_ns;  /* when the newest reading was begun; 0: none in this benchmark */
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

/* The newest clock, 0 if not known, and the reasons for throttling since the last call; continues
 * reading for a second. */
void sensors_take(struct sensors *sensors, double *ret_clock_hz, uint64_t *ret_throttle);

/* Another benchmark comes next: what was read is forgotten, and nothing is read until
 * sensors_take is called. The device does nothing now: a reason for throttling is waited for until
 * it has gone, a second at most. */
void sensors_forget(struct sensors *sensors);

/* The counter of energy as it is now, unless it is of no use; everything else at most a tenth of a
 * second old, as it takes longer to read. */
void sensors_telemetry(struct sensors *sensors, struct gb_telemetry *telemetry);
