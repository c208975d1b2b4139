/*
 * counters.h - what a benchmark made the device do, by its hardware counters. Plugin side.
 */
#pragma once

#include <gbrun/counters.h>

extern const struct gb_counters cuda_counters;
