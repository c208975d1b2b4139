/*
 * counters.h - what a benchmark made the processors do, by the counters that the kernel gives
 * access to (perf_event_open). Plugin side.
 */
#ifndef GBRUN_PLUGINS_DEVICE_CPU_COUNTERS_H
#define GBRUN_PLUGINS_DEVICE_CPU_COUNTERS_H

#include <gbrun/counters.h>

extern const struct gb_counters cpu_counters;

#endif
