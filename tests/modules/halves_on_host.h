/*
 * halves_on_host.h - conversions of numbers for kernels on the host (cuda_on_host.h): intrinsics,
 * and the instructions that convert halves, which kernels name in assembly with the operands
 * `value` and `bits`. What stands in for them goes by their names. For C++, included once, before
 * the kernels.
 */
#pragma once

#include <cmath>
#include <cstdlib>
#include <cstring>

template <typename to, typename from> static to same_bits(from value)
{
    static_assert(sizeof(to) == sizeof(from), "as many bits");
    to result;
    memcpy(&result, &value, sizeof result);
    return result;
}

static inline float __uint_as_float(unsigned bits)
{
    return same_bits<float>(bits);
}

static inline unsigned __float_as_uint(float value)
{
    return same_bits<unsigned>(value);
}

static double half_value(unsigned bits)
{
    const int exponent = static_cast<int>(bits >> 10 & 31);
    const int significand = static_cast<int>(bits & 1023);
    const double size = exponent == 31  ? static_cast<double>(INFINITY)
                        : exponent == 0 ? ldexp(significand, -24)
                                        : ldexp(significand + 1024, exponent - 25);
    return (bits & 0x8000) != 0 ? -size : size;
}

// Halves of one sign are in the order of their bits: the nearest, of two the even one. Infinity is
// as far as if there were numbers beyond 65504.
static unsigned short nearest_half(float value)
{
    const double size = fabs(static_cast<double>(value));
    unsigned low = 0;
    unsigned high = 0x7c00;
    while (high - low > 1) {
        const unsigned middle = (low + high) / 2;
        (half_value(middle) <= size ? low : high) = middle;
    }
    const double above = (high == 0x7c00 ? 65536.0 : half_value(high)) - size;
    const double below = size - half_value(low);
    const bool is_up = above < below || (above == below && low % 2 == 1);
    return static_cast<unsigned short>((is_up ? high : low) | (std::signbit(value) ? 0x8000 : 0));
}

// Both conversions have these two operands; which of them is written is what the text says.
static void instruction(const char *text, float &value, unsigned short &bits)
{
    if (strncmp(text, "\"cvt.f32.f16 ", 13) == 0)
        value = static_cast<float>(half_value(bits));
    else if (strncmp(text, "\"cvt.rn.f16.f32 ", 16) == 0)
        bits = nearest_half(value);
    else
        abort();
}
#define asm(...) instruction(#__VA_ARGS__, value, bits)
