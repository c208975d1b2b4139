/*
 * chart.h - charts of results: a column over the values of a parameter.
 *
 * A chart collects points from any number of views and becomes text or panels of a page. Cases that
 * are equal but for X and BY share a panel; in it each value of BY is a line, or a bar beside the
 * others. Cases that are not ok, or have no number there, are left out and counted. Views must be
 * of
 * --rows combined, so that the rounds of a case are one point.
 *
 *   bars, lines  Y over X with its interval; lines over a numeric X, on a logarithmic axis where
 *                its values are geometric, bars over words
 *   heat         Y of each X and BY as coloured cells
 *   box          quartiles of the samples over X, whiskers to the last one within 1.5 times their
 *                distance
 *   ecdf         cumulative share of the samples, a line for each case; of a
 *                series of the benchmarks' own likewise, as with box
 *   forest       intervals of all cases below each other, relative to their estimate
 */
#pragma once

#include "core/base/memory.h"
#include "core/compare/relative.h"
#include "core/report/plot.h"
#include "core/view/hash_index.h"

struct compared;
struct compare_against;
struct view;
struct view_row;

/* What a comparison says of the records of its new side, sorted by them. */
struct compared_records {
    struct compared_record {
        int64_t id;
        const struct compared *c;
    } * items;
    size_t n;
};
/* Memory is the arena's; NULL: none. */
struct compared_records compared_records_of(const struct compare_against *against,
                                            struct arena *arena);
/* NULL: nothing. */
const struct compared *compared_of(const struct compared_records *records, int64_t id);

#define CHART_MAP(X)                                                                               \
    X(AUTO, "auto")                                                                                \
    X(BARS, "bars")                                                                                \
    X(LINES, "lines")                                                                              \
    X(HEAT, "heat")                                                                                \
    X(BOX, "box")                                                                                  \
    X(ECDF, "ecdf")                                                                                \
    X(FOREST, "forest")
enum {
#define CHART_CONSTANT(name, word) CHART_##name,
    CHART_MAP(CHART_CONSTANT)
#undef CHART_CONSTANT
        CHART_KINDS
};
int chart_kind_named(const char *word); /* -1: unknown */

struct chart_request {
    int kind;
    const char *x;      /* a column; NULL: of ecdf and forest */
    const char *y;      /* NULL: the time of a case, with its interval */
    const char *series; /* ecdf, box: samples that the benchmarks gave themselves; NULL: times */
    const char *by;     /* a column, or "file": as they were given; NULL: none */
    const char *ideal;  /* SQL over the parameters: a line of this shape through the first point */
    const char *bench;  /* cases of this one only; NULL */
};

struct chart_point {
    const char *words; /* the value of X */
    double x;          /* as a number, or NaN */
    double y;
    double low, high;                                 /* of its interval; NaN: none */
    double paper;                                     /* what a document has; NaN */
    double base;                                      /* the baseline's y; NaN */
    double ideal;                                     /* the expression's value; NaN */
    const char *label, *mark;                         /* of the case; of its verdict: "?", "" */
    const struct relative *relative;                  /* to --relative-to; NULL: nothing is known */
    double *sorted;                                   /* ecdf, box: samples, ns */
    size_t n_sorted, category;                        /* category: of its panel */
    double q1, median, q3, whisker_low, whisker_high; /* of them */
};

struct chart_line {
    const char *name; /* the value of BY; "" */
    double number;    /* likewise, or NaN */
    struct chart_point *points;
    size_t n;
};

struct chart_panel {
    const char *title; /* what distinguishes these cases; "" */
    struct chart_line *lines;
    size_t n_lines;
    struct chart_point **points; /* of all lines, one line after the other */
    size_t n_points;
    const char **categories; /* the values of X: numbers go up, words stay as measured */
    size_t n_categories;
    struct hash_index by_name;               /* of the lines */
    bool has_papers, has_bases, has_numbers; /* every X is a number above -inf */
};

struct chart {
    struct arena arena;
    struct chart_request request;
    const struct compared_records *baseline; /* of times; NULL: none */
    const char *unit;                        /* "ns", "bytes/s"; "" */
    bool has_series;                         /* the unit is that of the series */
    struct chart_panel *panels;
    size_t n_panels;
    struct hash_index by_title;     /* of the panels */
    uint64_t n_left_out, n_without; /* cases: without Y; without X, or of a bench that does not
                                       sweep it while another does */
};

/* Adds the cases of a view; path: of its file, where there are several. GB_INVALID: a column or an
 * expression that is not known. */
int32_t chart_add(struct chart *chart, struct view *view, const char *path, struct gb_error *error);
void chart_free(struct chart *chart);

/* Chooses X and BY for a sweep: its numeric axis of most values, then the axis of most values among
 * the rest. False: the bench has no case, or no axis that differs. Texts are the view's. */
bool chart_choose(struct view *view, const char *bench, struct chart_request *ret);

const char *
chart_words(const struct chart *chart); /* what it shows: "medians and their intervals" */
void chart_text(const struct chart *chart, struct text *out);
/* Adds a panel for each of the chart, at most `most`; memory is the arena's. */
void chart_make_panels(const struct chart *chart, size_t most, struct arena *arena,
                       struct plot_panel **panels, size_t *n);

/* ---- for the files of this folder ---- */

/* The ratio of a row, in the arena; NULL: nothing is known. */
const struct relative *keep_relative(const struct view_row *row, struct arena *arena);

/* A value of Y with its unit. */
void chart_add_value(const struct chart *chart, double value, struct text *out);
/* By category of the panel, its first point on a line; NULL: it has none there. In the arena. */
const struct chart_point **chart_points_of(const struct chart_panel *panel,
                                           const struct chart_line *line, struct arena *arena);
