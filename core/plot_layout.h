/*
 * plot_layout.h - where things are on a page of charts. Floor 4.
 *
 * All places are found before gnuplot sees the page, so that words can be put where there is room.
 */
#ifndef GBRUN_CORE_PLOT_LAYOUT_H
#define GBRUN_CORE_PLOT_LAYOUT_H

#include "core/memory.h"
#include "core/plot.h"

/* Pixels, but for the counts. */
enum {
    PLOT_FONT = 12,
    PLOT_ROW = 16,  /* of words */
    PLOT_LEFT = 86, /* of a panel: the numbers at its axis, and what they are */
    PLOT_TITLE = 30,
    PLOT_ABOVE = 24,         /* a panel: its title and key */
    PLOT_LABEL_COLUMNS = 48, /* longer labels are cut */
    PLOT_NOTE_GAP = 14,      /* between a panel and its notes */
};

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
    size_t label_rows; /* above it */
    size_t *rows;      /* by vertical: that of its label, from 0, upwards */
    bool *is_left;     /* by vertical: its label is to the left of it */
};

/* One for each panel of the page; memory is the arena's. */
struct frame *frames_of(const struct plot_page *page, struct arena *arena);

/* Notes that there is room for beside the panel. */
size_t frame_notes(const struct frame *frame);

/* Letters that there is room for under each bar. */
size_t frame_category_columns(const struct frame *frame);

double frame_x(const struct frame *frame, double x); /* pixels */
double frame_y(const struct frame *frame, double y);
/* Is it to be seen, and has it a label? */
bool frame_shows(const struct frame *frame, const struct plot_vertical *vertical);
bool frame_labels(const struct frame *frame, const struct plot_vertical *vertical);

/* Words beside a point: in which direction from x, around `middle`. */
struct placed_name {
    const char *words;
    const char *alignment; /* as gnuplot says it: "left" if they begin at x */
    double x, middle;
};

/* Where the name of a line begins, and its direction. */
struct line_name {
    double x, y;
    double degrees; /* counter-clockwise */
};
/* False: it has no name, or is not to be seen. */
bool frame_line_name(const struct frame *frame, const struct plot_series *series,
                     struct line_name *ret);

/* The names of points for which there is room; the array is the arena's. */
size_t frame_names(const struct frame *frame, struct arena *arena, struct placed_name **ret);

#endif
