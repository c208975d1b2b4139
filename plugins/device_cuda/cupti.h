/*
 * cupti.h - the activity records of CUPTI: when the device itself began and ended each kernel, copy
 * and fill. Opened when it is needed: recording slows kernels of short blocks. Plugin side.
 *
 * CUPTI serves one client in a process: there is one tracer.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether the library can be opened, without registering with it; false: reason says why not. */
bool cupti_find(const char *path, char *reason, size_t bytes);

/* Opens the library, a path or, with "", the newest that is found, registers with it and starts to
 * record, or goes on. False: it cannot be used, and reason says why. */
bool cupti_open(const char *path, char *reason, size_t bytes);

/* Ends recording; does nothing if there is none. */
void cupti_close(void);

/* All that was recorded between two moments. */
struct cupti_span {
    uint64_t start_ns, end_ns; /* of the first and the last activity */
    uint32_t n;
    bool is_lost; /* a record is missing, or has no times */
};

/* Drops what was recorded so far; sums up what was since then. All work on the device must be done.
 */
void cupti_discard(void);
void cupti_collect(struct cupti_span *ret);
