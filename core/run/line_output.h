/*
 * line_output.h - lines for the reader of a descriptor: a person, or a program that may be slow or
 * gone. What cannot be written without waiting waits in memory: a reader must not keep a run.
 */
#pragma once

#include "core/base/text.h"

#include <stdint.h>

struct line_output {
    int fd;
    bool never_waits;   /* a write takes what there is room for, and no more */
    int problem;        /* errno of a write that failed: the rest is not written; 0 */
    uint64_t n_dropped; /* lines, because of the problem */
    struct text pending;
};

/*
 * Writes to what fd is open for, which stays open and as it is: a pipe or a terminal is opened
 * anew, so that what other programs have open does not change. SIGPIPE must be ignored.
 */
void line_output_open(struct line_output *output, int fd);
/* Writes what can be written now: of a pipe whole lines, if they are no longer than PIPE_BUF, so
 * that none is cut off by the end of this process. */
void line_output_flush(struct line_output *output);
/* For poll: writable means there is something to flush; -1: there is nothing. */
int line_output_poll_fd(const struct line_output *output);
/* Waits until all is written, for wait_ms at most; -1: as long as it takes. */
void line_output_wait(struct line_output *output, int wait_ms);
/* Returns how many lines were not written, first and last. */
uint64_t line_output_close(struct line_output *output);
