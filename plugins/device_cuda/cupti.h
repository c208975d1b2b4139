/*
 * cupti.h - libcupti, and its activity records: when the device itself began and ended each kernel,
 * copy and fill. Opened when it is needed: recording slows kernels of short blocks. Plugin side.
 *
 * CUPTI serves one client in a process: there is one tracer.
 */
#pragma once

#include "plugins/common/symbols.h"

#include <stdbool.h>
#include <stdint.h>

/* Below, option is that of the device: a path, `auto`, which is the newest library that is found,
 * or `no`. False: it is no, and reason says so. */
bool cupti_is_wanted(const char *option, char *reason, size_t bytes);

/* Opens the library, which stays open for the life of the process, and finds n functions. False:
 * reason says why not, and how to get one that is missing: `remedy`. */
bool cupti_load(const char *option, const struct symbol *symbols, size_t n, const char *remedy,
                char *reason, size_t bytes);

/* Whether the library can be opened, without registering with it; false: reason says why not. */
bool cupti_find(const char *option, char *reason, size_t bytes);

/* Opens it, registers with it and starts to record, or continues. False: it cannot be used, and
 * reason says why. */
bool cupti_open(const char *option, char *reason, size_t bytes);

/* Ends recording; does nothing if there is none. */
void cupti_close(void);

/* All that was recorded between two moments. */
struct cupti_span {
    uint64_t start_ns, end_ns; /* of the first and the last activity */
    uint32_t n;
    bool is_lost; /* a record is missing, or has no times */
};

/* Drops the records so far; sums up those since then. All work on the device must have ended. */
void cupti_discard(void);
void cupti_collect(struct cupti_span *ret);
