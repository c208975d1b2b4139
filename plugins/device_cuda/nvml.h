/*
 * nvml.h - NVML, NVIDIA's management library: clocks, power, temperature, throttling. Plugin side.
 *
 * Opened when it is needed; its header is not part of every CUDA installation, so that the few
 * functions used are declared here. That it does not know is a normal answer everywhere.
 */
#pragma once

#include <gbrun/device.h>
#include <stdbool.h>

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
void nvml_telemetry(const struct nvml *nvml, struct gb_telemetry *telemetry);
void nvml_read_state(const struct nvml *nvml, struct nvml_state *state);
