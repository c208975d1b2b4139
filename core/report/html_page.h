/*
 * html_page.h - what the parts of an HTML report share.
 */
#pragma once

#include "core/base/xml_text.h"
#include "core/compare/fleet.h"
#include "core/report/case_samples.h"
#include "core/report/html_report.h"
#include "core/report/plot.h"
#include "core/view/view_writers.h"

/* A run of a file as it is written. */
struct html_run {
    struct text *out;
    struct view *view;    /* of single rounds */
    size_t number;        /* of the run on the page, for anchors */
    struct group *groups; /* the rounds of each case */
    size_t n_groups;
    const struct compare_against *against; /* the baseline; NULL: none */
};

/* ---- html_page.c ---- */
void html_begin(const char *title,
                struct text *out); /* all up to the body, with style and script */
void html_end(struct text *out);
void html_heading(struct text *out, const char *words);
/* "<dt>name</dt><dd>value</dd>", nothing for an empty value. */
void html_fact(struct text *out, const char *name, const char *value);
/* A cell of a table; class: "n" for numbers, "". */
void html_cell(struct text *out, const char *class, const char *words);
/* The same of a number; format NULL: all its digits. NaN: not known, or there is none. */
void html_number(struct text *out, const char *class, const char *format, double value);
/* A page of charts as a figure; or each panel as one. */
void html_figure(struct text *out, const struct plot_page *page);
void html_panels(struct text *out, const struct plot_panel *panels, size_t n);

/* ---- html_cases.c ---- */
void html_cases(const struct html_run *run);
/* Details of each case. */
int32_t html_case_details(const struct html_run *run, struct gb_error *error);
