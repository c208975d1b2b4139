/*
 * ways.h - the kernels of `elementwise` on the CPU, compiled for several processors. Plugin side.
 *
 * All compute in float, in double for fp64. An exponential is off by less than 2 units in the last
 * place; below the smallest normal number it is 0. Inputs are finite.
 */
#pragma once

#include "elementwise.h"

#include <stdbool.h>

/* Terms of a sum are added up in this many at a time, each in 4 vectors; these sums in double. */
enum { WAY_SUM_BLOCK = 1024 };

/* What one thread has to do: whole rows or images, if the kernel has such. */
struct way_part {
    void *to; /* NULL for a sum */
    const void *a, *b;
    uint64_t n, columns;
    double sum; /* out */
};

typedef void way_fn(struct way_part *part);

struct ways {
    const char *name;
    bool (*is_here)(void);
    way_fn *fn[DTYPES][KERNELS];
};

/* All that this build has, the best first; the last is always here. */
extern const struct ways ways[];
extern const uint32_t n_ways;

const struct ways *ways_here(void);

/* Additions that a term of a sum of n goes through at most, in the type that is computed in. */
uint64_t ways_sum_depth(int32_t dtype, uint64_t n);
