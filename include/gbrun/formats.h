/*
 * formats.h - the number formats of arrays, and their conversion in software.
 *
 * Conversions round to nearest, ties to even, and are exact for every value including subnormals,
 * infinities and NaN (e4m3 has no infinity: what overflows becomes NaN; integers saturate, NaN
 * becomes 0). A NaN keeps its sign and the leading bits of its payload and becomes quiet. Callers
 * run in the default floating-point environment.
 */
#ifndef GBRUN_FORMATS_H
#define GBRUN_FORMATS_H

#include <gbrun/abi.h>

enum {
    GB_F64 = 1,
    GB_F32 = 2,
    GB_F16 = 3,
    GB_BF16 = 4,
    GB_TF32 = 5, /* stored as 4 bytes, the 13 low bits of the significand zero */
    GB_F8_E4M3 = 6,
    GB_F8_E5M2 = 7,
    GB_I8 = 8,
    GB_I32 = 9,
    GB_I64 = 10,
    GB_U8 = 11,
    GB_U32 = 12,
    GB_U64 = 13
};

struct gb_format {
    uint32_t size;
    uint32_t format;  /* GB_F64 ... */
    const char *name; /* "fp64", "fp16", "bf16", "e4m3", "int8" */
    uint32_t bytes;   /* of one element */
    uint32_t is_integer;
    int32_t digits;       /* of the significand, the hidden one included */
    int32_t min_exponent; /* of the smallest normal number 2^min_exponent */
    int32_t max_exponent; /* of the largest finite number, below 2^(max_exponent + 1) */
    uint32_t reserved;
    double largest; /* finite number; of 64-bit integers the double above it */
};

/* What host->extension(host, GB_FORMATS) gives. All functions are [any]. */
#define GB_FORMATS "gbrun.formats/1"
struct gb_formats {
    uint32_t size;
    uint32_t reserved;

    /* NULL for an unknown format; the functions below take known formats only. */
    const struct gb_format *(*describe)(uint32_t format);

    /* n elements from element `first` on, as doubles, and back. */
    void (*load)(uint32_t format, const void *array, uint64_t first, uint64_t n, double *ret);
    void (*store)(uint32_t format, void *array, uint64_t first, uint64_t n, const double *values);
};

#endif
