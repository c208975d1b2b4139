/*
 * formats.h - the number formats that gemm_verify multiplies and gives back, in software. Plugin
 * side.
 */
#ifndef GBRUN_PLUGINS_GEMM_VERIFY_FORMATS_H
#define GBRUN_PLUGINS_GEMM_VERIFY_FORMATS_H

#include <gbrun/host.h>
#include <stdbool.h>

struct format {
    uint32_t format;      /* GB_... */
    uint32_t bytes;       /* of one element */
    int32_t digits;       /* of the significand, the hidden one included; integers: 0 */
    int32_t min_exponent; /* of the smallest normal number, 2^min_exponent */
    double largest;       /* finite number */
};

/* GB_F64, F32, F16, BF16, TF32, F8_E4M3, F8_E5M2, I8 and I32; NULL for all else. */
const struct format *format_of(uint32_t format);

/* n elements from `first` on, `stride` apart, as doubles. */
void format_load(const struct format *format, const void *array, uint64_t first, uint64_t stride,
                 uint64_t n, double *ret);

/* Rounds to nearest, ties to even, and stores; what is too large becomes infinite, in e4m3 NaN.
 * Integers: whole numbers within their range only. */
void format_store(const struct format *format, void *array, uint64_t i, double value);

/* 0, with its sign, for what lies below the smallest normal number; else the value. */
double format_flush(const struct format *format, double value);

#endif
