/*
 * history.h - the cases of many runs: what each took in each run, and where that changed.
 *
 * The sides of a comparison are the runs (compare_add_run for each, in place of compare_finish).
 */
#pragma once

#include "core/base/text.h"
#include "core/compare/change_points.h"
#include "core/compare/compare.h"

struct history_point {
    const struct compare_side *side; /* the run */
    const struct compare_case *c;
    double value, low, high; /* geometric mean of rounds, and its interval; NaN: none, not known */
    size_t n_rounds;         /* that have a value */
    const struct change_point *change; /* NULL: there is none here */
    size_t segment;                    /* from 0; a step begins another */
};

struct history_case {
    const char *label;
    size_t place;                 /* of its first point among those of all runs */
    struct history_point *points; /* in order; those without a value are of no segment's */
    size_t n;
    double margin; /* of its changes: that of its newest run, or that of all */
    size_t n_old;  /* points whose steps were certain without the newest run; 0: there were none */
};

struct history {
    struct history_case *cases; /* in the order of the first run that has them */
    size_t n, n_changes[CHANGE_KINDS];
    size_t n_runs, n_left_out; /* runs without `by` */
    const struct compare_side *newest;
    const char *by; /* NULL: time */
    struct outcome_metric metric;
};

/* by: runs are in order of this fact or label, numbers in it as numbers, and those that do not have
 * it are left out. All memory is the comparison's. GB_NOT_FOUND: no run has it. */
int32_t compare_history(struct compare *compare, const char *by, struct history *ret,
                        struct gb_error *error);

/* Adds a line for each case that is worse by the newest run: it fails there, drifts to slower
 * times, or became slower at that run, at an earlier one, of which the newest makes it certain, or
 * at another run of the same commit. is_strict: also where that has to be confirmed. Returns how
 * many. */
size_t history_gate(const struct history *history, bool is_strict, struct text *out);

/* format: TABLE_... of table.h; a row for each case and run. are_changes: only those at a change
 * point. */
void history_write(const struct history *history, int format, bool are_changes, struct text *out);
void history_write_json(const struct history *history, bool are_changes, struct text *out);
