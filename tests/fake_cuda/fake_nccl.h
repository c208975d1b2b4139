/*
 * fake_nccl.h - a libnccl for tests, on memory of the host and streams of fake_cuda.c, of which it
 * takes the place in nothing: the benchmark is given its path. A group computes when it ends, in
 * fp32 and int32.
 */
#pragma once

#include <stdint.h>

enum { FAKE_NCCL_CALLS_MAX = 64 };

/* The variable `fake_nccl` of the library. */
struct fake_nccl {
    int32_t fail_at; /* which call fails, counted from 1; 0: none */
    int32_t n_calls;
    int32_t n_live;   /* communicators */
    int32_t n_wrong;  /* ranks that differ in what they ask for, streams that are not forked */
    int32_t n_groups; /* that ended */
    int32_t is_wrong; /* 1: the last element of the last rank is one too large */
    int32_t is_idle;  /* 1: nothing is computed from the second group on */
    int32_t devices[FAKE_NCCL_CALLS_MAX]; /* of ncclCommInitAll */
};
