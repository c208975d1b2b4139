/*
 * cpu_device.h - the open device: its clocks, its flush buffer and its sensors. Plugin side.
 */
#pragma once

#include "cpu_list.h"

#include <gbrun/counters.h>
#include <gbrun/device.h>

enum { CLOCK_WALL, CLOCK_CPU, CLOCK_THREAD, CLOCKS };

/* Read-modify-written, one word a cache line, before each cold sample. */
struct flush_buffer {
    uint64_t bytes; /* wanted; allocated for the first cold sample */
    uint32_t line_bytes;
    uint64_t *words;
};

/* Files that are read again and again; -1 where the system has none. */
struct sensors {
    int frequency_file, core_throttle_file, package_throttle_file;
    int temperature_file, energy_file, power_file;
    double frequency_hz;         /* as last read, */
    double frequency_read_at_ns; /*   and when */
    double throttle_counts[2];   /* when opened */
    double energy_uj, energy_range_uj, energy_joules;
};

enum { THROTTLE_CORE = 1u, THROTTLE_PACKAGE = 2u };

struct cpu_device {
    const struct gb_host *host;
    struct cpu_list previous_affinity;
    bool is_pinned, has_node;    /* has_node: memory is bound to one */
    int pin;                     /* PIN_... */
    struct cpu_list pin_list;    /* of PIN_LIST */
    struct cpu_threads *threads; /* NULL: run is called by the measuring thread */
    struct gb_clock clocks[CLOCKS];
    struct flush_buffer flush;
    struct sensors sensors;
};

/* Threads that call run at the same time. cpus: one for each thread, thread 0 is the calling one;
 * NULL: none is bound. Errors are reported to the host. */
struct cpu_threads;
int32_t threads_open(const struct gb_host *host, const uint32_t *cpus, uint32_t n,
                     struct cpu_threads **ret);
void threads_close(struct cpu_threads *threads); /* NULL is nothing */

/* Measures each clock's resolution and overhead. */
int32_t cpu_clocks_probe(struct cpu_device *device);

int32_t cpu_measure(void *device, struct gb_measurement *measurement); /* as of gb_device_ops */
int32_t cpu_flush(struct cpu_device *device);
int32_t cpu_reference(void *device, struct gb_reference *reference);

/* One call of run that is not timed, in all threads. */
int32_t cpu_run(const struct cpu_device *device, const struct gb_bench_ops *ops, void *bench,
                const struct gb_queue *queue, uint64_t iterations);

void sensors_open(struct sensors *sensors, const char *root,
                  uint32_t cpu); /* root: see system_file.h */
void sensors_close(struct sensors *sensors);
/* Of the CPU that the sensors are of; 0 where the system does not say. Read at most 20 times a
 * second, since on some systems it waits for a measurement. */
double sensors_frequency_hz(struct sensors *sensors, double now_ns);
/* Events of throttling so far: core, package. */
void sensors_throttle_counts(const struct sensors *sensors, double ret[2]);
uint64_t sensors_throttled(const double before[2], const double after[2]); /* THROTTLE_... */
void sensors_telemetry(struct sensors *sensors, double now_ns, struct gb_telemetry *telemetry);

extern const struct gb_counters cpu_counters;
