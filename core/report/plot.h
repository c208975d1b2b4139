/*
 * plot.h - pages of charts, drawn as SVG.
 *
 * A page is data: panels below each other, each with axes, series and vertical lines. It becomes
 * SVG, which needs no other program; rsvg-convert makes PNG and PDF of it. All texts may come from
 * anywhere: they cannot become commands, nor markup.
 */
#pragma once

#include "core/base/error.h"
#include "core/base/text.h"

enum {
    PLOT_LINE,
    PLOT_POINTS,
    PLOT_BAND,
    PLOT_BARS,
    PLOT_INTERVALS,
    PLOT_ARROWS,
    PLOT_BOXES, /* from y to high; a line where they are equal */
    PLOT_SPANS, /* horizontal intervals from x to high */
    PLOT_CELLS, /* around x, y, each one category; the larger high is, the darker, in all of a panel
                 */
    PLOT_KINDS
};
enum { PLOT_CIRCLE, PLOT_TRIANGLE, PLOT_SQUARE, PLOT_DIAMOND, PLOT_SHAPES };
enum { PLOT_GREY = -1, PLOT_COLOURS = 8 }; /* a colour of what only joins or explains; others */

/* n values; ARROWS go from each to the right end of the panel. What is not finite, or not above 0
 * on a logarithmic axis, is a gap. */
struct plot_series {
    int kind;
    const char *label; /* in the key; NULL: it is not there */
    uint64_t n;
    const double
        *x; /* BARS: NULL, value i belongs to category i, which is at i; INTERVALS: or so */
    const double *y;
    const double *high; /* BAND: y is its lower edge and this the upper one, inf: without end;
                           INTERVALS: y is the low end and this the high one */
    /* POINTS: beside each where there is room, else near it with a line that leads to it. Earlier
     * points choose first; names that have no room at all are left out. BARS: above each, if there
     * is room for all. NULL: none. */
    const char *const *names;
    /* LINE of two points: written along it where it hides nothing, near the first point of lines
     * that rise and near the last of flat ones. short_name: where there is no room for the name; if
     * there is none for that either, it is left out. NULL: none. */
    const char *name, *short_name;
    double y_below; /* at x[0], of the lowest line of several that share the name; 0: y[0] */
    int colour;     /* any number from 0; few of them look alike; or PLOT_GREY */
    int shape;      /* of points: PLOT_CIRCLE ... */
    double opacity; /* 0 to 1; 0 means 1 */
    double size;    /* of points and lines, about 1; 0 means 1 */
    bool is_dashed; /* LINE */
    double width;   /* BOXES: along x */
    /* POINTS and BARS: what a page shows where the pointer is, may be NULL each. NULL: none. */
    const char *const *titles;
};

/* A line from bottom to top. Labels are above the panel, where they have room. */
struct plot_vertical {
    double x;
    const char *label; /* NULL: none */
    int colour;
};

/* A line to the right of a panel: words, or cells below each other, of which the first two end at
 * the same place and the others begin there. */
enum { PLOT_NOTE_CELLS = 4, PLOT_NOTE_COLUMNS = 56 }; /* columns of words, and of the last cell */
struct plot_note {
    const char *words; /* NULL: the cells, NULL where there is nothing */
    const char *cells[PLOT_NOTE_CELLS];
    int colour;
    double opacity; /* 0 to 1; 0 means 1 */
};

struct plot_panel {
    const char *title, *x_label, *y_label; /* NULL: none */
    bool x_log, y_log;
    bool x_is_count;      /* its ticks are 100, 1k, 10k */
    bool x_is_binary;     /* powers of two, logarithmic: its ticks are 256, 4Ki, 64Ki */
    const char *y_unit;   /* its ticks are 10 k, 100 k, 1 M of this; NULL: numbers */
    double x_low, x_high; /* what is shown; both 0: all there is */
    double y_low, y_high;
    const char *const *categories; /* of bars */
    size_t n_categories;
    const char *const *y_categories; /* category i is at y = i, the first at the top */
    size_t n_y_categories;
    const struct plot_series *series;
    size_t n_series;
    const struct plot_vertical *verticals;
    size_t n_verticals;
    const struct plot_note *notes;  /* as many as there is room for, and how many there are more */
    size_t n_notes, n_note_columns; /* columns 0 means 1 */
    double height;                  /* as a share against other panels, or pixels; 0 means 1 */
};

static const double PLOT_ROW = 16; /* pixels of a row of words */

struct plot_page {
    const char *title, *subtitle;    /* NULL: none */
    const struct plot_panel *panels; /* below each other */
    size_t n_panels;
    uint32_t width, height; /* pixels; height 0: what panels ask for, in pixels */
    bool is_plain;          /* without titles of points */
};

/*
 * Adds the page as SVG: as a file by itself on white, or (is_inline) as an element of an HTML page,
 * whose style sheet has plot_svg_style and the colours --c0 to --c7, --grey, --ink and --grid.
 * All words become text, never markup; there is no script, no id and no reference in it.
 */
void plot_svg(const struct plot_page *page, bool is_inline, struct text *out);
/* Rules for the classes that plot_svg uses. */
void plot_svg_style(bool is_inline, struct text *out);
/* "64Ki": a whole number that 1,024 divides, with its prefix; others as they are. */
void plot_add_binary(struct text *out, double value);

/* Does the file's name end as that of a picture: .svg, .png or .pdf? */
bool plot_is_named(const char *path);
/* Can such a file be written: is its name one of those, and is what draws it there? GB_INVALID: it
 * is not; GB_NOT_FOUND: rsvg-convert is missing. */
int32_t plot_check(const char *path, struct gb_error *error);
/* Writes the file; it is left alone where that fails. Errors as of plot_check, too. */
int32_t plot_write(const struct plot_page *page, const char *path, struct gb_error *error);
