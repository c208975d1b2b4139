/*
 * counters.h - what a benchmark made the device do, by its hardware counters. Plugin side.
 */
#ifndef GBRUN_PLUGINS_DEVICE_CUDA_COUNTERS_H
#define GBRUN_PLUGINS_DEVICE_CUDA_COUNTERS_H

#include <gbrun/counters.h>

extern const struct gb_counters cuda_counters;

#endif
