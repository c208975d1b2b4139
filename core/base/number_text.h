/*
 * number_text.h - a number as it was written, taken apart without loss.
 *
 * Digits are kept, not converted, until the unit is known: "1.1 ms" becomes the double nearest to
 * 1100000 and "1.5 GiB" is known to be a whole number of bytes. Nothing here depends on setlocale.
 */
#pragma once

#include <locale.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What stands after a number: it multiplies by multiplier * 10^exponent. */
struct number_unit {
    const char *name;
    uint32_t multiplier;
    int32_t exponent;
    uint32_t shift; /* and by 2^shift */
};

/* sign * mantissa * 10^exponent, then a unit. The pointers point into the text that was scanned. */
struct number_text {
    bool is_negative;
    bool is_infinite;
    bool is_long; /* the digits do not fit into mantissa: only digits and digits_exponent count */
    unsigned __int128 mantissa;
    int64_t exponent;
    const char *digits; /* as written, with a point; NULL: written as 0x20 or 2^20 */
    size_t n_digits;
    int64_t digits_exponent;
    const char *unit; /* without blanks around it */
    size_t n_unit;
};

enum { NUMBER_OK, NUMBER_NOT_WHOLE, NUMBER_TOO_LARGE, NUMBER_TOO_SMALL };

/*
 * Takes n bytes apart: blanks, [+-], one of 32 0.5 .5 1e6 0x20 2^20 inf, blanks, a unit, blanks.
 * False if there is no number at the start or inf has a unit.
 */
bool number_scan(const char *text, size_t n, struct number_text *ret);

/* The unit as written, or NULL. */
const struct number_unit *number_find_unit(const struct number_text *number,
                                           const struct number_unit *units, size_t n);
/* One that differs from it only in upper and lower case, or NULL. */
const struct number_unit *number_suggest_unit(const struct number_text *number,
                                              const struct number_unit *units, size_t n);

/* The magnitude, exactly; unit may be NULL. NUMBER_NOT_WHOLE, NUMBER_TOO_LARGE: over 64 bits. */
int number_whole(const struct number_text *number, const struct number_unit *unit, uint64_t *ret);

/* The nearest double, with its sign. NUMBER_TOO_LARGE, NUMBER_TOO_SMALL: not 0, but would be. */
int number_double(const struct number_text *number, const struct number_unit *unit, double *ret);
/* Of a whole text that is a number and has no unit; false: it is none. */
bool number_read(const char *text, double *ret);

/* The C locale for this thread, until what was in use before is given back. */
locale_t number_locale_c(void);
void number_locale_restore(locale_t before);
