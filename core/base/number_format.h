/*
 * number_format.h - the number formats of <gbrun/host.h> in software.
 *
 * Conversions round to nearest, ties to even, and are exact for every value including subnormals,
 * infinities and NaN (e4m3 has no infinity: what overflows becomes NaN; integers saturate, NaN
 * becomes 0). A NaN keeps its sign and the leading bits of its payload and becomes quiet. Callers
 * run in the default floating-point environment.
 */
#ifndef GBRUN_CORE_NUMBER_FORMAT_H
#define GBRUN_CORE_NUMBER_FORMAT_H

#include <gbrun/host.h>
#include <stdbool.h>

struct number_format {
    uint32_t format;  /* GB_... */
    const char *name; /* "fp64", "fp16", "bf16", "e4m3", "int8" */
    uint32_t bytes;   /* of one element */
    bool is_integer;
    int32_t digits;       /* of the significand, the hidden one included */
    int32_t min_exponent; /* of the smallest normal number 2^min_exponent */
    int32_t max_exponent; /* of the largest finite number, below 2^(max_exponent + 1) */
    double largest;       /* finite number; of 64-bit integers the double above it */
};

/* NULL for an unknown format; all functions below take known formats only. */
const struct number_format *number_format_of(uint32_t format);
const struct number_format *number_format_named(const char *name);

/* Element i of an array as a double, and back. */
double number_load(uint32_t format, const void *array, uint64_t i);
void number_store(uint32_t format, void *array, uint64_t i, double value);

/* n elements from element `first` on, as doubles, and back. */
void number_load_array(uint32_t format, const void *array, uint64_t first, uint64_t n, double *ret);
void number_store_array(uint32_t format, void *array, uint64_t first, uint64_t n,
                        const double *values);

/* The double rounded to the format, as a double. */
double number_round(uint32_t format, double value);
void number_round_array(uint32_t format, const double *values, uint64_t n, double *ret);

/* Distance between neighbouring numbers of the format around |value| (in its binade; the smallest
 * subnormal below the smallest normal number; that of the last binade beyond the largest). 1 for
 * integers. NaN for NaN. */
double number_spacing(uint32_t format, double value);

/* Unit round-off: half the spacing at 1. 0 for integers. */
double number_roundoff(uint32_t format);

#endif
