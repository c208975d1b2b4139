/*
 * output_file.h - a file that is written whole or not at all.
 *
 * Until output_end has synced it and renames it, what is written lies beside the target: a full
 * disk, an error or a signal leaves the old file. Pipes and devices are written directly.
 */
#pragma once

#include "core/base/error.h"
#include "core/base/text.h"

#include <stdio.h>

/* Writes out what a stream holds back. False: that, or something before it, could not be written;
 * errno says why, if that is known. */
bool stream_flush(FILE *stream);

/* Where temporary files are made: $TMPDIR, or /tmp. */
const char *temporary_folder(void);

/* Is there a file of SQLite, such as a results file, or a log or journal of one? */
bool output_is_database(const char *path);

struct output_file {
    FILE *stream; /* to write to */
    const char *name;
    char *target, *part; /* NULL: written directly */
    bool is_unnamed;     /* part is not there yet */
};

/*
 * Opens a file to be written at a path, through links; it must live until output_end. GB_INVALID:
 * an SQLite file, or a log or journal of one, which no output may replace: results files among
 * them, be it the one that is read. GB_IO: it cannot be written.
 */
int32_t output_begin(struct output_file *output, const char *path, struct gb_error *error);
/* Puts it in its place if status is GB_OK, which it returns otherwise. To be called once after
 * output_begin has succeeded. */
int32_t output_end(struct output_file *output, int32_t status, struct gb_error *error);
/* A text as a file, with the errors of both. */
int32_t output_text(const char *path, const struct text *text, struct gb_error *error);
