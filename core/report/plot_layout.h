/*
 * plot_layout.h - where things are on a page of charts.
 *
 * All places are found before anything is drawn, so that words can be put where there is room.
 */
#pragma once

#include "core/base/memory.h"
#include "core/report/plot.h"

/* Longer labels and titles are cut. */
enum { PLOT_FONT = 12, PLOT_LABEL_COLUMNS = 48, PLOT_TITLE_COLUMNS = 130 };

/* Of cells: their opacity, and what the darkest has more. */
static const double PLOT_CELL_LEAST = 0.06, PLOT_CELL_MORE = 0.5;

/* Pixels. */
static const double PLOT_LEFT = 86; /* of a panel: the numbers at its axis, and what they are */
static const double PLOT_UNIT_LEFT = 26; /* more, for units at its axis */
static const double PLOT_LETTER = 7;     /* the width of most */
static const double PLOT_TITLE = 30;
static const double PLOT_ABOVE = 24;    /* a panel: its title and key */
static const double PLOT_NOTE_GAP = 14; /* between a panel and its notes */
static const double PLOT_CELL_GAP = 10; /* between their cells */

struct range {
    double low, high;
    bool is_log;
};

/* A panel on the page, in pixels from the upper left corner. */
struct frame {
    const struct plot_page *page;
    const struct plot_panel *panel;
    struct range x, y;
    double left, right, top, bottom;
    size_t label_rows;            /* above it */
    size_t *rows;                 /* by vertical: that of its label, from 0, upwards */
    bool *is_left;                /* by vertical: its label is to the left of it */
    bool is_slanted;              /* the categories, as they are long */
    size_t category_columns;      /* letters that there is room for under a bar */
    double shade_low, shade_high; /* the values of its cells */
};

/* One for each panel of the page; memory is the arena's. Where the page has no height it gets one.
 */
struct frame *frames_of(struct plot_page *page, struct arena *arena);

/* Where notes are. */
struct note_grid {
    double cells[PLOT_NOTE_CELLS]; /* pixels of each, with what is between them */
    double width;                  /* of a column of notes, with what is before it */
    size_t rows, columns;
};
struct note_grid frame_notes(const struct frame *frame);
/* Pixels from the left end of a panel to its axis: the numbers or categories there, the label. */
double panel_margin(const struct plot_panel *panel);
/* How dark a cell is, from 0 to 1. */
double frame_shade(const struct frame *frame, double value);

/* Columns of a panel's title that its key leaves. */
size_t frame_title_columns(const struct frame *frame);
double frame_x_label(const struct frame *frame); /* the middle of it, from above */

double frame_x(const struct frame *frame, double x); /* pixels */
double frame_y(const struct frame *frame, double y);
/* Round numbers for an axis of so many pixels, at least `apart` of them apart. */
enum { TICKS_MAX = 24 };
struct ticks {
    double at[TICKS_MAX];
    size_t n;
    double step; /* between linear ones; 0: they are logarithmic */
};
struct ticks frame_ticks(const struct frame *frame, bool is_x, double pixels, double apart);
/* Is it to be seen, and has it a label? */
bool frame_shows(const struct frame *frame, const struct plot_vertical *vertical);
bool frame_labels(const struct frame *frame, const struct plot_vertical *vertical);

/* Pixels that words take, of which at most so many columns are shown. */
double words_width(const char *words, size_t most);

/* A name of a point or a line. */
struct placed_name {
    const char *words;
    const struct plot_series *series;
    const char *anchor; /* what is at x, as in SVG: "" for their begin, "middle", "end" */
    double x, y;        /* the middle of the line of words */
    double degrees;     /* counter-clockwise */
    bool has_leader;    /* a line from the words to their point */
    double from_x, from_y, to_x, to_y;
};

/* The names for which there is room (plot_names.c). The array is the arena's. */
size_t frame_names(const struct frame *frame, struct arena *arena, struct placed_name **ret);
