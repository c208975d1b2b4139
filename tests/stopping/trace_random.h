/*
 * trace_random.h - random numbers for generated traces, the same bits in every build.
 *
 * Only additions, multiplications, divisions and square roots are used, each of which IEEE 754
 * rounds in one way, and never a function of libm, whose last bit depends on library and processor.
 * Programs that include it are compiled with -ffp-contract=off for the same reason.
 */
#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

/* xoshiro256++ (Blackman, Vigna: Scrambled linear pseudorandom number generators, 2021). */
struct trace_random {
    uint64_t state[4];
};

/* Independent for each (seed, stream, index). */
void trace_random_begin(struct trace_random *random, uint64_t seed, uint64_t stream,
                        uint64_t index);

static inline uint64_t trace_rotate(uint64_t x, int bits)
{
    return x << bits | x >> (64 - bits);
}

static inline uint64_t trace_bits(struct trace_random *random)
{
    uint64_t *s = random->state, ret = trace_rotate(s[0] + s[3], 23) + s[0], t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = trace_rotate(s[3], 45);
    return ret;
}

/* In (0, 1), never an end. */
static inline double trace_uniform(struct trace_random *random)
{
    return ((double)(trace_bits(random) >> 12) + 0.5) * 0x1p-52;
}

/* Standard normal: the quantile of a uniform number (Wichura: Algorithm AS 241, PPND16, 1988). */
double trace_normal(struct trace_random *random);

/* Natural logarithm of a positive, normal number, and exponential within +-700: to some 1e-15. */
static inline double trace_log(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int exponent = (int)(bits >> 52) - 1023;
    bits = (bits & 0xfffffffffffffu) | 0x3ff0000000000000u;
    memcpy(&x, &bits, sizeof x);
    if (x > 1.4142135623730951) {
        x *= 0.5;
        exponent++;
    }
    /* 2 artanh(z), |z| < 0.172 */
    double z = (x - 1) / (x + 1), w = z * z, sum = 0;
    for (int i = 19; i >= 1; i -= 2)
        sum = sum * w + 1.0 / i;
    return exponent * 0.6931471805599453 + 2 * z * sum;
}

static inline double trace_exp(double x)
{
    double scaled = x * 1.4426950408889634, power = scaled < 0 ? scaled - 0.5 : scaled + 0.5;
    int64_t n = (int64_t)power;
    double r = (x - (double)n * 0.693147180369123816490) - (double)n * 1.90821492927058770002e-10;
    static const double factorials[14] = {
        6227020800, 479001600, 39916800, 3628800, 362880, 40320, 5040, 720, 120, 24, 6, 2, 1, 1};
    double sum = 0;
    for (int i = 0; i < 14; i++)
        sum = sum * r + 1.0 / factorials[i];
    uint64_t bits = (uint64_t)(n + 1023) << 52;
    double factor;
    memcpy(&factor, &bits, sizeof factor);
    return sum * factor;
}

/* Mean 1. */
static inline double trace_exponential(struct trace_random *random)
{
    return -trace_log(trace_uniform(random));
}

/* The sine of a whole turn times x. */
double trace_sine_turns(double x);
