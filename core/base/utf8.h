/*
 * utf8.h - well-formed UTF-8 (RFC 3629): no overlong form, no surrogate, nothing above U+10FFFF.
 */
#pragma once

#include <stddef.h>

/* Bytes of the code point at the start of n bytes, 1 to 4; 0: they begin with none, or n is 0. No
 * byte behind one that does not fit is read, so n may be SIZE_MAX for text that ends with NUL. */
size_t utf8_length(const char *text, size_t n);
