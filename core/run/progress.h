/*
 * progress.h - what a person sees during a run, on standard error.
 *
 * On a terminal one live line, with finished cases scrolling above it, or, where a table of them
 * will follow there, the last of them in a block that is erased at the end; else one line a case.
 * Nothing here is data: that is printed from the results file, to standard output. What is printed
 * waits in memory until it can be written without waiting: a slow reader must not keep a run.
 */
#pragma once

#include "core/run/line_output.h"
#include "core/run/so_far.h"
#include "core/store/record.h"

struct progress {
    struct line_output output;
    bool is_terminal, has_colours;
    bool is_quiet;                     /* only what went wrong */
    bool is_brief;                     /* no line for a case that ended well */
    bool has_warnings;                 /* those of cases, as no table's notes will */
    uint64_t n_total, n_known, n_done; /* n_known: done in an earlier run that is resumed */
    uint64_t n_bad;
    double begin_ns, drawn_ns;
    size_t live_lines;   /* on the terminal now; 0: none */
    bool is_block;       /* see above */
    struct text head;    /* of the block: a line, or "" */
    struct text block;   /* lines of cases */
    struct text held;    /* lines of cases that are not announced yet */
    struct text warning; /* the last one that was said */
    uint64_t n_held;
    struct text label; /* of the case that was heard of last */
    size_t n_running;  /* cases being measured now: set by the code that starts and ends them */
    uint64_t n_samples;
    struct so_far_median so_far;
};

/* color: as of colour_is_wanted. */
void progress_begin(struct progress *progress, bool is_quiet, const char *color, uint64_t n_total,
                    uint64_t n_known);
/* On a terminal finished cases are erased at the end: standard output is one as well, and a table
 * follows. head: of the block, such as a warning that the table repeats; or NULL. Once, before
 * anything is drawn. False: there is no block, and nothing is done. */
bool progress_use_block(struct progress *progress, const char *head);
/* What is measured now; n_samples 0: it has just begun. Draws the live line again, at most ten
 * times a second. */
void progress_sampled(struct progress *progress, const char *label, uint64_t n_samples,
                      const struct so_far *so_far);
/* Its line is held back until progress_announce. */
void progress_finished(struct progress *progress, const char *label,
                       const struct case_record *record);
void progress_announce(struct progress *progress);
/* A line from elsewhere: what plugins print, warnings. */
void progress_line(struct progress *progress, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* What a child process prints while it does one thing, such as a case: the first LINES_SHOWN lines,
 * behind `who` in brackets; and how many more there were, `of` what they are. Zeroed at first; _end
 * is for the next. */
enum { LINES_SHOWN = 1000 };
struct child_lines {
    uint64_t n, n_hidden;
};
void progress_child_line(struct progress *progress, struct child_lines *lines, const char *who,
                         const char *line);
void progress_child_end(struct progress *progress, struct child_lines *lines, const char *who,
                        const char *of);
/* Waits until all is written, unless what is left does not matter any more. */
void progress_end(struct progress *progress, bool waits);
