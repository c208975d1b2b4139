/*
 * number_format.h - the number formats of <gbrun/formats.h> in software: what plugins get as
 * GB_FORMATS, and what the program itself needs of them beyond that.
 */
#pragma once

#include <gbrun/formats.h>
#include <stdbool.h>

/* The extension GB_FORMATS of the host. */
extern const struct gb_formats number_formats;

/* NULL for an unknown format; all functions below take known formats only. */
const struct gb_format *number_format_of(uint32_t format);
const struct gb_format *number_format_named(const char *name);

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
