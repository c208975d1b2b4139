/*
 * plot_svg.h - a page of charts as SVG, which needs no other program.
 */
#pragma once

#include "core/report/plot.h"

/*
 * Adds the page: as a file by itself on white, or (is_inline) as an element of an HTML page, whose
 * style sheet has plot_svg_style and the colours --c0 to --c7, --grey, --ink and --grid.
 * All words become text, never markup; there is no script, no id and no reference in it.
 */
void plot_svg(const struct plot_page *page, bool is_inline, struct text *out);

/* Rules for the classes that plot_svg uses. */
void plot_svg_style(bool is_inline, struct text *out);
