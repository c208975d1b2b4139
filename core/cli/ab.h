/*
 * ab.h - A against B until it is decided: the rounds of one run of `gbrun ab`, which `gbrun bisect`
 * judges by as well. In verb_ab.c.
 */
#pragma once

#include "core/cli/run_job.h"
#include "core/compare/compare_text.h"

struct ab {
    struct run_job job; /* arguments and ab are set by the caller; facts, too */
    struct side_pair *pairs;
    size_t n_pairs;
    bool *is_decided;       /* by pair */
    size_t *pair_of;        /* by position of a case: SIZE_MAX where it is none */
    struct compare *judged; /* at the end; NULL: nothing could be compared */
};

/* Measures until each case is decided, and judges. Says its errors; EXIT_FINE: judged is there, or
 * the user stopped the run (job.counts.is_cancelled) before anything could be compared. */
int ab_run(struct ab *ab);
/* Ends the run, closes its file. */
int ab_close(struct ab *ab, int code);
