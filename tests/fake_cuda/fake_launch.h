/*
 * fake_launch.h - a driver for tests of kernels that are loaded by name: a library that takes the
 * place of libcuda.so.1 once it has been loaded. Memory is that of the host, and a launch of a
 * kernel with "scale" in its name, void(int *to, const int *from, int factor, int n), computes at
 * once, one element for each thread.
 */
#pragma once

#include <stdint.h>

/* The variable `fake_launch` of the library. */
struct fake_launch {
    int32_t architecture; /* what the device and the kernels say */
    int32_t max_threads, registers, local_bytes, shared_bytes, most_shared_bytes;
    int32_t n_parameters; /* of the kernel, of four bytes behind the first two */
    int32_t is_wrong;     /* 1: the kernel leaves out the last element; not one called "simply" */
    int32_t n_loaded, n_launches, n_restored;
    int32_t asked_shared;                                  /* of cuFuncSetAttribute */
    uint32_t grid[3], block[3], cluster[3], launch_shared; /* of the last launch */
    char image[8];                                         /* how the last one began */
    char kernel[64];                                       /* the last one that was looked for */
};
