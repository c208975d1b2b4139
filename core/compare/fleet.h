/*
 * fleet.h - the nodes that measured the same: which of them are unlike the others.
 *
 *   struct fleet *fleet = fleet_new(&options, "host");
 *   fleet_add_file(fleet, path, RUN_ALL, &error); ...
 *   fleet_finish(fleet); ... fleet_result(fleet) ...; fleet_free(fleet);
 *
 * A node is a value of a fact or label of runs (host), or by "device" one device of a host, by its
 * UUID. Cases are the same that have the same uid (and so device model), bench, policy and clock.
 * Of each device of a node the newest run counts that has the case; what several devices of a node
 * measured is taken together. Statistics: fleet_statistics.h; a node is
 *
 *   slower, faster  beyond the margin in the same direction in FLEET_SEVERAL cases and more (in
 * one, if it has no other): its p, adjusted over all nodes (Benjamini and Hochberg: Controlling the
 * false discovery rate, 1995), is at most alpha, and so many of its cases have that verdict among
 * all cases of all nodes (compare_judge) broken          a case fails on it that does not fail on
 * half of the nodes or more missing         a case is not there, or skipped, that more than half of
 * the nodes have skipped         no case of it could be compared same            all of its cases
 * are the same or changed; else unclear
 *
 * Slower and broken nodes are flagged.
 */
#pragma once

#include "core/compare/compare_text.h"
#include "core/compare/fleet_statistics.h"

struct fleet_cell {
    size_t node;  /* index in the result's nodes */
    double value; /* geometric mean of rounds; NaN: none */
    struct fleet_values of;
    bool is_certified, is_skipped;
    const char *failure; /* "crashed (SIGSEGV)"; NULL: it did not fail */
};

struct fleet_case {
    const char *label, *bench, *uid;
    size_t model;
    struct fleet_cell *cells; /* of the nodes that have it, in their order */
    size_t n;
    double median;             /* of the nodes; NaN: none */
    double scatter;            /* of struct fleet_median */
    size_t n_values, n_failed; /* nodes */
};

struct fleet_node {
    const char *name, *host;
    size_t model;
    size_t n_devices;
    size_t n_cases; /* with a ratio; of them: */
    size_t n_slower, n_faster;
    size_t n_failed, n_missing;
    const char *first_slower, *first_faster; /* labels; NULL: there is none */
    const char *first_failed, *failure, *first_missing;
    struct geometric_mean mean; /* of its ratios */
    double p, adjusted_p;       /* NaN: no case has a ratio */
    int verdict;                /* COMPARED_... */
    bool is_flagged;
    const char **differences; /* of a node that is flagged or faster: facts that most nodes of the
                                 model have otherwise, a line each */
    size_t n_differences;
    struct words differing; /* the facts that the lines are of */
};

struct fleet_result {
    const struct compare_options *options; /* without NaN */
    struct outcome_metric metric;
    const char *by;
    const char **models; /* of devices; "": none was opened */
    size_t n_models;
    struct fleet_node *nodes; /* by model and name */
    size_t n_nodes, n_flagged;
    struct fleet_case *cases;       /* in the order of the newest runs */
    size_t n_cases, n_judged;       /* with FLEET_LEAST nodes */
    size_t n_failed;                /* cases that fail on half of the nodes or more */
    size_t n_uncertified, n_visits; /* ratios; judged cases of one round */
    double scatter;                 /* the median of the judged cases'; NaN: none */
    size_t n_runs, n_left_out;      /* runs without `by`, or without the metric */
};

/* is_sequential is not used; `by` must live on. */
struct fleet *fleet_new(const struct compare_options *options, const char *by);
void fleet_free(struct fleet *fleet); /* may be NULL */

/* Adds the runs of a file that a number means (RUN_ALL, RUN_NEWEST or one of them), but those that
 * were added before. The path must live on. */
int32_t fleet_add_file(struct fleet *fleet, const char *path, int64_t run_number,
                       struct gb_error *error);

/* GB_NOT_FOUND: no run has `by`, or none has a case. */
int32_t fleet_finish(struct fleet *fleet, struct gb_error *error);
const struct fleet_result *fleet_result(const struct fleet *fleet);

/* The cell of a node; NULL: it does not have the case. */
const struct fleet_cell *fleet_cell_of(const struct fleet_case *c, size_t node);

/* 3: a node is flagged; strict: or missing, unclear, skipped, or a ratio is not certified. 1: no
 * case could be compared, or cases fail on half of the nodes or more. Else 0. */
int fleet_exit_code(const struct fleet_result *result, bool is_strict);

/* Indices of the nodes: flagged ones first, then the others, those farthest from the median first.
 * *ret is the caller's to free. */
void fleet_order(const struct fleet_result *result, size_t **ret);

/* The formats of compare_text.h, and a hostlist: a row, an object, a test case or an annotation for
 * each node, and in csv and json for each node of each case. */
enum { FLEET_HOSTLIST = COMPARE_FORMATS };
int fleet_format_named(const char *name); /* -1: unknown */
void fleet_write(const struct fleet_result *result, int format, bool is_strict, size_t width,
                 bool has_colours, struct text *out);

/* ---- for the files of this folder, and pages ---- */

/* "slower in 9 of 10 cases"; "broken: CASE: crashed (SIGSEGV)"; notes about a node, without its
 * name; "": there is none. */
void fleet_add_reason(const struct fleet_node *node, struct text *out);
/* Lines below a table: reasons of nodes, what was not compared and what to be careful about. */
void fleet_add_notes(const struct fleet_result *result, struct text *out);
/* "1 of 8 nodes is flagged: node07" */
void fleet_add_summary(const struct fleet_result *result, struct text *out);
