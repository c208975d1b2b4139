/* numbers.h - numbers of the types whose rates are measured, as their bits. Plugin side. */
#pragma once

#include <stdint.h>

/* Of a NUMBER_... of roofs.h; fp8 is e4m3. */
uint32_t number_bytes(int32_t number);
int number_digits(int32_t number); /* of the significand, the hidden one included; int8: 0 */

/* The bits of a value that the type has exactly: 0, a normal number, a whole number for int8. */
uint64_t number_bits(int32_t number, double value);

/* Random bits: the last step of MurmurHash3 (Appleby, 2011). */
uint32_t number_scramble(uint32_t x);
