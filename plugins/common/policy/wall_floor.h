/*
 * wall_floor.h - how long a policy measures before it first certifies anything. Plugin side.
 */
#pragma once

#include <math.h>

/*
 * What changes slowly cannot be seen in samples that all lie within a moment, however many they
 * are. A wall time that is enough for a precision of 1 % is not for a finer one, as smaller changes
 * count then: it grows as the precision shrinks.
 */
static inline double wall_floor(double of_one_percent, double precision)
{
    return of_one_percent * fmax(1.0, 0.01 / precision);
}
