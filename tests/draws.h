/*
 * draws.h - random numbers for simulations, by seeds.
 */
#pragma once

#include <math.h>

/* Box and Muller: normal, of mean 0 and deviation 1, of two uniform ones in [0, 1). */
static inline double normal_of(double first, double second)
{
    return sqrt(-2 * log(1 - first)) * cos(2 * acos(-1) * second);
}
