/* expected.h - what a program prints, compared with what it has to print. Plugin side. */
#pragma once

#include "plugins/common/process.h"

#include <gbrun/gbrun.h>
#include <stdbool.h>

/* What a program has to print. */
struct expected {
    bool is_given;
    const char *text;
    size_t n;
    bool is_file; /* to the byte; else one newline at the end may be missing in it */
};

/* [create] From the text of the option, with \n, \t and \\, or from the file; one of both is "". */
int32_t expected_read(const struct gb_host *host, const char *output, const char *file,
                      struct expected *ret);
/* [verify] Runs the program once more and compares; ends what prints more than is expected.
 * streams: of its other samples. */
int32_t expected_check(const struct gb_host *host, const struct expected *expected,
                       const struct program *program, const int streams[3]);
/* How many bytes from `at` on a message shows: to the end of the line, 40 at most. */
int expected_shown(const char *text, size_t n, size_t at);
