/*
 * trace_file.h - samples that some other program recorded, read from a file.
 *
 * Text (`csv`): lines of fields with commas, semicolons or tabs between them (whichever the first
 * line has, tabs before semicolons before commas), quoted as in RFC 4180 within a line. Empty lines
 * and lines that begin with # are skipped, a byte order mark too. The first line is a header if the
 * field of the column is no number there. One column is read: the one that is named or numbered
 * from 1, the only one, or one whose head is `time` or `time_UNIT`.
 * Binary (`f32`, `f64`): little-endian IEEE 754 numbers and nothing else, such as the .bin files of
 * nvbench --jsonbin (float32, seconds).
 *
 * A value is a time of at least 0 that is finite. The unit of text is what was asked for, else that
 * of the head (time_ns, "GPU Time (sec)"), else that of each line's field `time_unit` (Google
 * Benchmark); without any it is an error. Binary files are in seconds if none was asked for.
 */
#pragma once

#include "core/base/error.h"
#include "core/base/memory.h"

enum { TRACE_AUTO, TRACE_CSV, TRACE_F32, TRACE_F64, TRACE_FORMATS };
int trace_format_named(const char *name); /* "csv", "f32", "f64"; -1: unknown */

/* ns of one of ns us ms s and their longer names; 0: unknown. */
double trace_unit_ns(const char *name);

struct trace_file_options {
    int format; /* TRACE_...; AUTO: f32 for names in .f32 and .bin, f64 for .f64, else csv */
    const char *column; /* its number from 1, or its head; NULL: see above */
    double unit_ns;     /* 0: not given */
};

struct trace_file {
    uint64_t n;
    double *time_ns;    /* the caller's to free */
    const char *column; /* its head, or NULL; in the arena */
};

/* "-" is standard input. Errors have line and column of text, the number of the value of binary
 * files. GB_INVALID: empty, or no samples as above; GB_IO; GB_NO_MEMORY. */
int32_t trace_file_read(const char *path, const struct trace_file_options *options,
                        struct arena *arena, struct trace_file *ret, struct gb_error *error);
