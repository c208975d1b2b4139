/*
 * resolution.h - the step in which a clock moves. Plugin side.
 */
#pragma once

#include <stddef.h>

/*
 * The step of n readings of work of all lengths, in ns; it may be less than what a reading takes.
 * Sorts them. Neighbours are a step apart. Where a counter's ticks are converted to nanoseconds
 * they are rounded up or down as well, to promised_ns; only where most neighbours are that near is
 * there no longer step.
 */
double resolution_of(double *times, size_t n, double promised_ns);
