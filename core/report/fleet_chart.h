/*
 * fleet_chart.h - nodes as pictures: a strip for each case with a point for each node, at its ratio
 * to the nodes' median.
 *
 * Flagged and faster nodes have a colour, or a letter, of their own and their interval; of more
 * than there are colours the first ones (fleet_order). Nodes at nearly the same place are one
 * point. What is more than 50 % from the median is at the edge.
 */
#pragma once

#include "core/base/memory.h"
#include "core/compare/fleet.h"
#include "core/report/plot.h"

/* A panel for each device model of which a case was judged; false: there is none. Memory is the
 * arena's. */
bool fleet_page(const struct fleet_result *result, struct arena *arena, struct plot_page *ret);

/* The strips with letters, and below them notes on the nodes. */
void fleet_strips(const struct fleet_result *result, struct text *out);

/* The panels, a table of the nodes and notes on them; a section of an HTML page. */
void html_nodes(const struct fleet_result *result, struct text *out);
