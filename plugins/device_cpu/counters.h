/*
 * counters.h - what a benchmark made the processors do, by the counters that the kernel gives
 * access to (perf_event_open). Plugin side.
 */
#pragma once

#include <gbrun/counters.h>

extern const struct gb_counters cpu_counters;
