/*
 * input_file.h - a file that another program wrote, read whole.
 */
#pragma once

#include "core/base/error.h"
#include "core/base/text.h"

/*
 * Adds what a file or a pipe holds, "-": what comes on standard input; unpacked where gzip has
 * packed it, and without the mark (U+FEFF) that it may begin with. GB_NOT_FOUND: it cannot be
 * opened. GB_INVALID: it has more than `most` bytes, packed or not. GB_IO: it cannot be read or
 * unpacked.
 */
int32_t input_read(const char *path, size_t most, struct text *ret, struct gb_error *error);
