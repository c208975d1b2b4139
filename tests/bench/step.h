/* step.h - a function of about a nanosecond, called by both sides of the comparison of loops. */
#pragma once

#include <stdint.h>

/* One step of a linear congruential generator: a multiplication and an addition, each waiting for
 * the last. */
static inline uint64_t step(uint64_t x)
{
    return x * 6364136223846793005u + 1442695040888963407u;
}
