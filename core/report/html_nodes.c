/* html_nodes.c - see html_page.h: the nodes that measured the same, as strips and as a table. */
#include "core/report/html_page.h"

#include "core/report/fleet_chart.h"

#include <math.h>
#include <string.h>

static const char *class_of(const struct fleet_node *node)
{
    return node->is_flagged ? "bad" : node->verdict == COMPARED_FASTER ? "good" : "";
}

static void add_number(struct text *out, const char *format, double value)
{
    char words[NUMBER_TEXT_MAX] = "";
    if (!isnan(value))
        snprintf(words, sizeof words, format, value);
    html_cell(out, "n", words);
}

static void add_row(const struct fleet_result *result, const struct fleet_node *node,
                    struct text *out)
{
    CLEANUP(text_free) struct text words = {0};
    text_add(out, "<tr class=\"filtered\" data-label=\"");
    xml_add_text(out, node->name);
    text_add(out, "\">");
    html_cell(out, "", node->name);
    html_cell(out, class_of(node), compared_word(node->verdict));
    text_printf(out, "<td class=\"n\" data-v=\"%.6g\">",
                isnan(node->mean.theta) ? 0 : exp(node->mean.theta));
    compare_add_ratio(node->mean.theta, node->mean.low, node->mean.high, out);
    text_add(out, "</td>");
    add_number(out, "%.0f", (double)node->n_cases);
    add_number(out, "%.0f", (double)node->n_slower);
    add_number(out, "%.0f", (double)node->n_faster);
    add_number(out, "%.2g", node->adjusted_p);
    if (result->n_models > 1)
        html_cell(out, "", result->models[node->model]);
    fleet_add_reason(node, &words);
    for (size_t i = 0; i < node->n_differences; i++)
        text_printf(&words, "%s%s", words.length ? "; " : "", node->differences[i]);
    html_cell(out, "", text_get(&words));
    text_add(out, "</tr>\n");
}

static void add_table(const struct fleet_result *result, struct text *out)
{
    CLEANUP(free_pointer) size_t *order = NULL;
    fleet_order(result, &order);
    text_printf(out,
                "<p class=\"hint\">Ratios are to the nodes' median, their mean over cases. A click "
                "on a head sorts.</p>\n<p><input class=\"filter\" hidden placeholder=\"filter "
                "nodes\"></p>\n<div class=\"wide\"><table class=\"sort\">\n<tr><th>node</th>"
                "<th>verdict</th><th class=\"n\">mean ratio</th><th class=\"n\">cases</th>"
                "<th class=\"n\">slower</th><th class=\"n\">faster</th><th class=\"n\">p</th>%s"
                "<th></th></tr>\n",
                result->n_models > 1 ? "<th>device</th>" : "");
    for (size_t i = 0; i < result->n_nodes; i++)
        add_row(result, &result->nodes[order[i]], out);
    text_add(out, "</table></div>\n");
}

static void add_notes(const struct fleet_result *result, struct text *out)
{
    CLEANUP(text_free) struct text notes = {0};
    char *rest = NULL;
    fleet_add_notes(result, &notes);
    if (!notes.length)
        return;
    text_add(out, "<div class=\"trust\">\n<ul>\n");
    for (char *line = strtok_r(notes.data, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        size_t indent = strspn(line, " ");
        text_add(out, indent ? "<li class=\"inner\"><bdi>" : "<li><bdi>");
        xml_add_text(out, line + indent);
        text_add(out, "</bdi></li>\n");
    }
    text_add(out, "</ul>\n</div>\n");
}

void html_nodes(const struct fleet_result *result, struct text *out)
{
    CLEANUP(arena_free) struct arena arena = {0};
    CLEANUP(text_free) struct text summary = {0};
    struct plot_panel *panels = NULL;
    size_t n = 0;
    fleet_add_summary(result, &summary);
    text_add(out, "<section>\n");
    html_heading(out, "Nodes");
    text_printf(out, "<p%s>", result->n_flagged ? " class=\"bad\"" : "");
    xml_add_words(out, text_get(&summary), SIZE_MAX);
    text_add(out, "</p>\n");
    add_notes(result, out);
    fleet_make_panels(result, &arena, &panels, &n);
    for (size_t i = 0; i < n; i++) {
        const struct plot_page page = {.panels = &panels[i], .n_panels = 1, .width = 1000};
        html_figure(out, &page);
    }
    add_table(result, out);
    text_add(out, "</section>\n");
}
