/* numbers.c - see numbers.h. Plugin side. */
#include "numbers.h"

#include "roofs.h"

#include <math.h>

static const struct {
    uint32_t bytes;
    int digits;        /* of the significand */
    int exponent_bits; /* 0: whole numbers */
} formats[] = {
    [NUMBER_FP64] = {8, 53, 11}, [NUMBER_FP32] = {4, 24, 8}, [NUMBER_TF32] = {4, 24, 8},
    [NUMBER_FP16] = {2, 11, 5},  [NUMBER_BF16] = {2, 8, 8},  [NUMBER_FP8] = {1, 4, 4},
    [NUMBER_INT8] = {1, 0, 0},
};

uint32_t number_bytes(int32_t number)
{
    return formats[number].bytes;
}

int number_digits(int32_t number)
{
    return number == NUMBER_TF32 ? 11 : formats[number].digits;
}

uint64_t number_bits(int32_t number, double value)
{
    const int digits = formats[number].digits;
    const int exponent_bits = formats[number].exponent_bits;
    int exponent = 0;
    if (exponent_bits == 0)
        return (uint64_t)((int64_t)value & 0xff);
    if (value == 0.0)
        return 0;
    const double fraction = frexp(fabs(value), &exponent); /* in [0.5, 1) */
    const uint64_t significand = (uint64_t)ldexp(fraction, digits);
    const uint64_t biased = (uint64_t)(exponent - 1 + (1 << (exponent_bits - 1)) - 1);
    return (uint64_t)(value < 0.0) << (exponent_bits + digits - 1) | biased << (digits - 1) |
           (significand - (UINT64_C(1) << (digits - 1)));
}

uint32_t number_scramble(uint32_t x)
{
    x ^= x >> 16;
    x *= UINT32_C(0x85ebca6b);
    x ^= x >> 13;
    x *= UINT32_C(0xc2b2ae35);
    return x ^ x >> 16;
}
