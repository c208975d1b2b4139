/*
 * random.h - random numbers by counter: Philox 4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random
 * numbers: as easy as 1, 2, 3; SC 2011). Element i of a stream is a function of (seed,
 * stream, i) alone, so that it is the same on every device, at any number of threads.
 */
#pragma once

#include <gbrun/host.h>

/* The generator itself: counter and key to four words. */
void philox4x32(const uint32_t counter[4], const uint32_t key[2], uint32_t ret[4]);

/* Key: seed; counter: (index, stream). 64 bits: the first two words. */
uint64_t random_bits(uint64_t seed, uint64_t stream, uint64_t index);

/* 53 bits in [0, 1). */
double random_unit(uint64_t seed, uint64_t stream, uint64_t index);

/* Uniform in [0, n), or any 64 bits for n == 0, without bias (Lemire: Fast random integer
 * generation in an interval, 2019): the high half of bits * n. Draw k, taken after k rejections, is
 * the bits of stream + k * 0x9e3779b97f4a7c15. */
uint64_t random_below(uint64_t seed, uint64_t stream, uint64_t index, uint64_t n);

/*
 * See struct gb_fill. A floating element i is fma(random_unit(i), high - low, low), which is never
 * above high, as random_unit is at most 1 - 2^-53; a whole number is ceil(low) + random_below(i,
 * count). Each is then rounded to the format. The floating-point environment of the caller does not
 * matter. GB_INVALID for an unknown format, low > high, a bound or a difference that is not finite;
 * for whole numbers also if [low, high] holds none, leaves an integer format's range, or leaves
 * 2^53 either side in a floating format.
 */
int32_t random_fill(uint64_t seed, void *data, uint64_t n, const struct gb_fill *fill);
