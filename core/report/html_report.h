/*
 * html_report.h - results as one HTML page that needs nothing else: no network, no library.
 *
 * For each file and run: what to know before the numbers are trusted, the cases with their
 * intervals and, with a baseline, their ratios; sweeps; for each case its distribution and its
 * samples in order; rooflines, verification, the machine and the configuration. Runs of three hosts
 * and more are compared as nodes first (fleet.h). Everything but the raw samples is there without
 * scripts. All words are text, never markup.
 */
#pragma once

#include "core/compare/fleet.h"
#include "core/view/views.h"

struct html_input {
    const char *path; /* of a results file */
    int64_t run;      /* number, or RUN_NEWEST */
};

struct html_options {
    const char *where, *roofs;         /* as of view_options; NULL */
    const struct html_input *baseline; /* NULL: none */
};

/* A page of nodes alone, whole or not at all. */
int32_t html_nodes_write(const struct fleet_result *nodes, const char *path,
                         struct gb_error *error);

/* Writes the page to a file, whole or not at all. GB_NOT_FOUND: there is no case in it. */
int32_t html_report_write(const struct html_input *inputs, size_t n,
                          const struct html_options *options, const char *path,
                          struct gb_error *error);
