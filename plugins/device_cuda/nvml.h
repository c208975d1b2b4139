/*
 * nvml.h - NVML, NVIDIA's management library: clocks, power, temperature, throttling. Plugin side.
 *
 * Opened when it is needed; its header is not part of every CUDA installation, so that the few
 * functions used are declared here. What it can not tell is a normal answer everywhere.
 */
#ifndef GBRUN_PLUGINS_DEVICE_CUDA_NVML_H
#define GBRUN_PLUGINS_DEVICE_CUDA_NVML_H

#include <gbrun/device.h>

struct nvml_functions;

struct nvml {
    const struct nvml_functions *functions; /* NULL: there is no NVML */
    void *device;
};

/* The device at a PCI address such as 0000:3b:00.0. */
void nvml_open(struct nvml *nvml, const char *pci);

/* Of the multiprocessors, now; 0: not known. */
double nvml_clock_hz(const struct nvml *nvml);
/* Reasons for a clock below the highest, without idleness; 0: none, or not known. */
uint64_t nvml_throttle(const struct nvml *nvml);
void nvml_telemetry(const struct nvml *nvml, struct gb_telemetry *telemetry);
/* The driver's version, modes, limits and free memory. */
void nvml_facts(const struct nvml *nvml, gb_fact_fn *fact, void *context);

#endif
