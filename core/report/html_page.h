/*
 * html_page.h - what the parts of an HTML report share.
 */
#pragma once

#include "core/base/xml_text.h"
#include "core/compare/fleet.h"
#include "core/compare/history.h"
#include "core/report/case_samples.h"
#include "core/report/chart.h"
#include "core/report/html_report.h"
#include "core/report/plot.h"
#include "core/view/view_writers.h"

/* A case of a run, its rounds combined. */
struct html_case {
    const struct view_row *rows;
    size_t n;
    struct shown shown;
    bool is_measured;                /* it is ok and has a time */
    const char *anchor;              /* "r0c12" */
    const char *words;               /* its time with its marks, or why there is none */
    const struct compared *compared; /* beside the baseline; NULL: it has none */
    const struct history_case *past; /* its times in runs of the file; NULL: it has none */
};

/* A run of a file as it is written. */
struct html_run {
    struct text *out;
    struct view *view;     /* of single rounds */
    struct view *combined; /* of rounds as one */
    struct html_case *cases;
    size_t n;
    const struct compare_against *against; /* the baseline; NULL: none */
    struct compared_records records;       /* what it says */
};

/* ---- html_page.c ---- */
void html_begin(const char *title,
                struct text *out); /* all up to the body, with style and script */
void html_end(struct text *out);
void html_heading(struct text *out, const char *words);
/* "<dt>name</dt><dd>value</dd>", nothing for an empty value. */
void html_fact(struct text *out, const char *name, const char *value);
/* Begins a table with a head: "case|>time|check", those behind a > to the right. class: "sort", "".
 * It ends with html_table_end. */
void html_table(struct text *out, const char *class, const char *heads);
void html_table_end(struct text *out);
/* A cell of a table; class: "n" for numbers, "". */
void html_cell(struct text *out, const char *class, const char *words);
/* The same of a number; format NULL: all its digits. NaN: not known, or there is none. */
void html_number(struct text *out, const char *class, const char *format, double value);
/* Each panel as a figure, for broad and for narrow windows. */
void html_panels(struct text *out, const struct plot_panel *panels, size_t n);

/* ---- html_summary.c ---- */
/* What the run found: figures, a chart, what is slower and faster; folded, what to know before it
 * is trusted. Then the other charts of sweeps, which ret has. */
struct html_sweeps {
    struct arena arena;
    struct chart *charts; /* what the panels are made of */
    struct plot_panel *panels;
    size_t n_charts, n, n_left_out;
};
int32_t html_summary(const struct html_run *run, struct html_sweeps *ret, struct gb_error *error);
void html_sweeps(const struct html_run *run, const struct html_sweeps *sweeps);
void html_sweeps_free(struct html_sweeps *sweeps);

/* ---- html_cases.c ---- */
void html_cases(const struct html_run *run);
/* Details of each case. */
int32_t html_case_details(const struct html_run *run, struct gb_error *error);
