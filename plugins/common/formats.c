/* formats.c - see formats.h. Plugin side. */
#include "formats.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const struct format formats[] = {
    {GB_F64, 8, 53, -1022, 0x1.fffffffffffffp1023},
    {GB_F32, 4, 24, -126, 0x1.fffffep127},
    {GB_F16, 2, 11, -14, 0x1.ffcp15},
    {GB_BF16, 2, 8, -126, 0x1.fep127},
    {GB_TF32, 4, 11, -126, 0x1.ffcp127},
    {GB_F8_E4M3, 1, 4, -6, 448.0},
    {GB_F8_E5M2, 1, 3, -14, 57344.0},
    {GB_I8, 1, 0, 0, 127.0},
    {GB_I32, 4, 0, 0, 2147483647.0},
};

const struct format *format_of(uint32_t format)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (formats[i].format == format)
            return &formats[i];
    }
    return NULL;
}

/* --- formats of 8 and 16 bits --- */

/* Of the stored bits: sign, exponent, then digits - 1 of the significand. */
static double decode(const struct format *format, uint32_t bits)
{
    const int32_t n_low = format->digits - 1;
    const uint32_t n_bits = 8 * format->bytes;
    const uint32_t highest = (1u << (n_bits - 1 - (uint32_t)n_low)) - 1;
    const uint32_t exponent = bits >> n_low & highest;
    const uint32_t low = bits & ((1u << n_low) - 1);
    const double sign = (bits >> (n_bits - 1)) != 0 ? -1.0 : 1.0;
    if (format->format == GB_F8_E4M3 && exponent == highest && low == 7)
        return copysign((double)NAN, sign);
    if (format->format != GB_F8_E4M3 && exponent == highest)
        return copysign(low != 0 ? (double)NAN : (double)INFINITY, sign);
    if (exponent == 0)
        return sign * ldexp((double)low, format->min_exponent - n_low);
    return sign *
           ldexp((double)(low | 1u << n_low), (int)exponent - 1 + format->min_exponent - n_low);
}

/* The magnitude rounded to the format, as if its exponents had no end. */
static double rounded(const struct format *format, double magnitude)
{
    int exponent = 0;
    frexp(magnitude, &exponent);
    exponent = exponent - 1 > format->min_exponent ? exponent - 1 : format->min_exponent;
    const int scale = format->digits - 1 - exponent;
    return ldexp(nearbyint(ldexp(magnitude, scale)), -scale);
}

/* Numbers in the order of their bits are numbers in order of size: one beyond the largest. */
static uint32_t overflow_bits(const struct format *format)
{
    return format->format == GB_F8_E4M3   ? 0x7f
           : format->format == GB_F8_E5M2 ? 0x7c
           : format->format == GB_F16     ? 0x7c00
                                          : 0x7f80;
}

static uint32_t encode(const struct format *format, double value)
{
    const int32_t n_low = format->digits - 1;
    const uint32_t sign = signbit(value) != 0 ? 1u << (8 * format->bytes - 1) : 0;
    const double magnitude = fabs(value);
    if (isnan(value))
        return sign | overflow_bits(format) | 1u << (n_low - 1);
    if (isinf(value))
        return sign | overflow_bits(format);
    const double number = rounded(format, magnitude);
    if (number > format->largest)
        return sign | overflow_bits(format);
    const double smallest = ldexp(1.0, format->min_exponent);
    if (number < smallest)
        return sign | (uint32_t)ldexp(number, n_low - format->min_exponent);
    int exponent = 0;
    const double fraction = frexp(number, &exponent);
    const uint32_t significand = (uint32_t)ldexp(fraction, format->digits);
    return sign | (((uint32_t)(exponent - 1 - format->min_exponent) << n_low) + significand);
}

/* --- arrays --- */

/* ldexp is slow beside a product: 16 bits are put together as a float. A significand is shifted to
 * its place, and a factor, a power of 2, puts the exponent right, subnormal numbers included. */
static double decode_half(uint32_t bits)
{
    const uint32_t magnitude = (bits & 0x7fff) << 13;
    const uint32_t sign = (bits & 0x8000) << 16;
    if ((bits & 0x7c00) == 0x7c00)
        return decode(format_of(GB_F16), bits);
    float value = 0.0f;
    memcpy(&value, &magnitude, sizeof value);
    value *= 0x1p112f;
    return sign != 0 ? -(double)value : (double)value;
}

static double decode_brain(uint32_t bits)
{
    const uint32_t word = bits << 16;
    float value = 0.0f;
    memcpy(&value, &word, sizeof value);
    return (double)value;
}

#define LOAD_EACH(type, expression)                                                                \
    for (uint64_t i = 0; i < n; i++) {                                                             \
        const type element = ((const type *)array)[first + i * stride];                            \
        ret[i] = (expression);                                                                     \
    }                                                                                              \
    break

void format_load(const struct format *format, const void *array, uint64_t first, uint64_t stride,
                 uint64_t n, double *ret)
{
    switch (format->format) {
    case GB_F64:
        LOAD_EACH(double, element);
    case GB_F32:
    case GB_TF32:
        LOAD_EACH(float, (double)element);
    case GB_F16:
        LOAD_EACH(uint16_t, decode_half(element));
    case GB_BF16:
        LOAD_EACH(uint16_t, decode_brain(element));
    case GB_I8:
        LOAD_EACH(int8_t, (double)element);
    case GB_I32:
        LOAD_EACH(int32_t, (double)element);
    default:
        LOAD_EACH(uint8_t, decode(format, element));
    }
}

void format_store(const struct format *format, void *array, uint64_t i, double value)
{
    switch (format->format) {
    case GB_F64:
        ((double *)array)[i] = value;
        break;
    case GB_F32:
        ((float *)array)[i] = (float)value;
        break;
    case GB_TF32:
        ((float *)array)[i] = isfinite(value) ? (float)copysign(rounded(format, fabs(value)), value)
                                              : (float)value;
        break;
    case GB_I8:
        ((int8_t *)array)[i] = (int8_t)value;
        break;
    case GB_I32:
        ((int32_t *)array)[i] = (int32_t)value;
        break;
    case GB_F16:
    case GB_BF16:
        ((uint16_t *)array)[i] = (uint16_t)encode(format, value);
        break;
    default:
        ((uint8_t *)array)[i] = (uint8_t)encode(format, value);
        break;
    }
}

double format_flush(const struct format *format, double value)
{
    return format->digits > 0 && fabs(value) < ldexp(1.0, format->min_exponent)
               ? copysign(0.0, value)
               : value;
}
