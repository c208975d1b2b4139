/*
 * fake_cuda.h - a driver for tests of plugins: a library that takes the place of libcuda.so.1 once
 * it has been loaded, as the loader looks for libraries by name. Memory is that of the host, a
 * launch computes at once, and what is done in the wrong context or order is counted. For programs
 * FAKE_CUDA_VERSION and FAKE_CUDA_INIT in the environment are what cuDriverGetVersion and cuInit
 * say.
 */
#pragma once

#include <stdint.h>

enum { FAKE_LAUNCHES_MAX = 256, FAKE_UNITS = 132, FAKE_DEVICES_MAX = 4 };

/* The variable `fake_cuda` of the library. */
struct fake_cuda {
    int32_t fail_at;    /* which call fails, counted from 1; 0: none */
    int32_t n_calls;    /* of functions that make or fill something */
    int32_t n_live;     /* objects and memory not yet destroyed */
    int32_t n_contexts; /* of devices, made */
    int32_t n_wrong; /* uses outside of the object's context or life, launches outside of a fork */
    int32_t n_unjoined;    /* launches that the queue has not waited for */
    int32_t has_pools;     /* what the device says */
    int32_t unit_steps;    /* parts of the device are multiples of this; 0: no green contexts */
    int32_t n_given_units; /* of the last green context */
    int32_t n_devices;     /* the first is the current one; 0 is as 1 */
    int32_t has_no_access; /* 1: no device reaches another one's memory */
    int32_t is_short;      /* 1: copies between devices leave out the last byte */
    int32_t n_copies;      /* on streams */
    int32_t n_access;      /* pairs of devices with access, in one direction each */
    void *queue;           /* a stream of the primary context */
    int32_t n_launches;
    struct {
        int32_t stream, priority; /* streams are numbered by their making */
        const float *c;
    } launches[FAKE_LAUNCHES_MAX];
};

/* As a launch counts: for libraries that put work on a stream. */
typedef int32_t fake_cuda_enqueue_fn(void *stream);
