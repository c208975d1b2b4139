/*
 * cupti.h - the activity records of CUPTI: when the device itself began and ended each kernel,
 * copy, fill and graph. Opened when it is needed. Plugin side.
 *
 * CUPTI serves one client in a process: there is one tracer.
 */
#ifndef GBRUN_PLUGINS_DEVICE_CUDA_CUPTI_H
#define GBRUN_PLUGINS_DEVICE_CUDA_CUPTI_H

#include "records.h"

/* Whether the library can be opened, without registering with it; false: reason says why not. */
bool cupti_find(const char *path, char *reason, size_t bytes);

/* Opens the library, a path or, with "", the newest that is found, and registers with it. False:
 * it cannot be used, and reason says why. */
bool cupti_open(const char *path, char *reason, size_t bytes);

/* Turns tracing on or off, which takes a while; does nothing if it is as wanted. graphs_are_whole:
 * one record for a graph instead of one for each of its nodes, which are slower when they are
 * recorded. */
bool cupti_trace(bool is_on, bool graphs_are_whole, char *reason, size_t bytes);

/* Between the two, calls of this thread are linked to the sample. */
void cupti_sample_begin(uint64_t sample);
void cupti_sample_end(void);

/* Moves what was recorded to records; all work must be done. Samples are numbered from `first`.
 * Returns how many records CUPTI had to drop since the last call. */
uint64_t cupti_collect(struct records *records, uint64_t first);

#endif
