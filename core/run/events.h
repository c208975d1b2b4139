/*
 * events.h - what happens in a run, for a program that drives it: a JSON object a line, each as it
 * happens, on a descriptor (`--events FD`). docs/events.schema.json says what is in them.
 *
 * A reader that is slow costs nothing but memory, up to EVENTS_BYTES_MAX: then lines are lost, and
 * the next one says how many. A reader that is gone costs nothing at all.
 */
#pragma once

#include "core/run/line_output.h"
#include "core/run/so_far.h"
#include "core/run/visit.h"
#include "core/store/record.h"

enum { EVENTS_BYTES_MAX = 1 << 20 };

struct events {
    struct line_output output;
    uint64_t n_lost, n_lost_in_all; /* lines; n_lost: of which no line has said so */
};

struct events_run {
    const char *uuid, *results; /* results: its file, a full path */
    uint64_t n_visits, n_done;  /* n_done: in an earlier run that is resumed */
    bool is_of_ab;
};

/* In all that follows events may be NULL: there is no listener. */
void events_run_begin(struct events *events, const struct events_run *run);
/* A worker has taken it, or none could. */
void events_case_begin(struct events *events, const struct visit *visit,
                       const struct case_record *record);
void events_estimate(struct events *events, const struct case_record *record,
                     const struct so_far *so_far);
/* It is in the results file; n_samples: all that were stored. */
void events_case_end(struct events *events, const struct case_record *record, uint64_t n_samples);
/* Of `gbrun ab`: how many pairs are decided. */
void events_round_end(struct events *events, uint32_t n_rounds, size_t n_decided, size_t n_pairs);
void events_run_end(struct events *events, int exit_code, uint64_t n_bad, uint64_t n_left);
/* Waits a second at most for the reader to take the rest. Returns how many lines it has not got,
 * and why: a reader that is slow or gone, or words of errno. */
uint64_t events_close(struct events *events, const char **ret_reason);
