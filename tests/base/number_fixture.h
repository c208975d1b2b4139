/*
 * number_fixture.h - the formats of one and two bytes once more, slowly, as their definitions give
 * them.
 */
#pragma once

#include <gbrun/host.h>
#include <math.h>
#include <stdbool.h>

static const struct small {
    uint32_t format;
    int bits, fraction_bits, bias;
    bool has_infinity;
} small_formats[] = {
    {GB_F16, 16, 10, 15, true},
    {GB_BF16, 16, 7, 127, true},
    {GB_F8_E4M3, 8, 3, 7, false},
    {GB_F8_E5M2, 8, 2, 15, true},
};
enum { N_SMALLS = sizeof small_formats / sizeof small_formats[0] };

static inline double value_of_code(const struct small *small, uint32_t code)
{
    int exponent_bits = small->bits - 1 - small->fraction_bits;
    uint32_t exponent = code >> small->fraction_bits & ((1u << exponent_bits) - 1);
    uint32_t fraction = code & ((1u << small->fraction_bits) - 1);
    double sign = code >> (small->bits - 1) ? -1 : 1;
    if (exponent == (1u << exponent_bits) - 1) {
        if (small->has_infinity)
            return fraction ? NAN : sign * (double)INFINITY;
        if (fraction == (1u << small->fraction_bits) - 1)
            return NAN;
    }
    int power = exponent ? (int)exponent : 1;
    double significand = fraction + (exponent ? ldexp(1, small->fraction_bits) : 0);
    return sign * ldexp(significand, power - small->bias - small->fraction_bits);
}

/* Codes of one sign below this one are finite. */
static inline uint32_t first_not_finite(const struct small *small)
{
    uint32_t code = 0;
    while (isfinite(value_of_code(small, code)))
        code++;
    return code;
}
