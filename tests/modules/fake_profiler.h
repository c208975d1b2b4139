/*
 * fake_profiler.h - the profiler's part of a libcupti without a GPU: a chip FK100 with a few
 * metrics, whose counts a test sets; it fails where a test wants it to, and what is done in the
 * wrong order is counted. As CUPTI of CUDA 13.0 does, it crashes if a metric is added that it does
 * not have.
 */
#pragma once

#include <stdint.h>

/* The variable `fake_profiler` of the library. */
struct fake_profiler {
    const char *fail_function; /* its name without "cupti"; NULL: none fails */
    int32_t fail_at;           /* at which of its calls, counted from 1; 0: at each */
    int32_t result;            /* CUPTI_ERROR_... */
    int32_t n_passes;          /* that any choice of metrics needs */
    int32_t never_ends;        /* there is always another pass */
    int32_t n_dropped;         /* ranges */
    double work;            /* counted while a range is open: each metric reads a multiple of it */
    int32_t n_failed_calls; /* of fail_function so far */
    int32_t n_live;         /* host objects and profilers that are not ended */
    int32_t n_wrong;        /* calls in the wrong order, or with a wrong size */
    int32_t n_done;         /* passes */
    int32_t is_started, is_in_range;
};
