/* fleet_chart.c - see fleet_chart.h. */
#include "core/report/fleet_chart.h"

#include "core/base/table.h"
#include "core/report/html_page.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MARKED_MOST = 7, BINS = 160, FIELD = 41, ROW_HEIGHT = 20, CASES_MOST = 200 };
static const double FARTHEST = 50; /* percent */

/* What all strips of a model have in common. */
struct strips {
    const struct fleet_result *result;
    size_t model;
    double low, high; /* percent */
    size_t marked[MARKED_MOST];
    size_t n_marked;
    size_t n_nodes;
    const struct fleet_case **cases; /* judged ones */
    size_t n_cases;
};

static double percent_of(double theta)
{
    return fmin(fmax(100 * expm1(theta), -FARTHEST), FARTHEST);
}

static void find_range(struct strips *strips)
{
    static const double MARGINS = 1.5, ROOM = 0.04;
    double margin = fmin(100 * MARGINS * strips->result->options->margin, FARTHEST);
    strips->low = -margin;
    strips->high = margin;
    for (size_t i = 0; i < strips->n_cases; i++)
        for (size_t j = 0; j < strips->cases[i]->n; j++) {
            double theta = strips->cases[i]->cells[j].of.result.theta;
            if (isnan(theta))
                continue;
            strips->low = fmin(strips->low, percent_of(theta));
            strips->high = fmax(strips->high, percent_of(theta));
        }
    double room = fmax(ROOM * (strips->high - strips->low), 1e-6);
    strips->low -= room;
    strips->high += room;
}

static struct strips strips_of(const struct fleet_result *result, size_t model, struct arena *arena)
{
    struct strips strips = {.result = result, .model = model};
    size_t *order = NULL;
    fleet_order(result, &order);
    for (int pass = 0; pass < 2; pass++) /* flagged ones first */
        for (size_t i = 0; i < result->n_nodes; i++) {
            const struct fleet_node *node = &result->nodes[order[i]];
            bool is_marked = pass ? node->verdict == COMPARED_FASTER : node->is_flagged;
            strips.n_nodes += pass == 0 && node->model == model;
            if (node->model == model && is_marked && strips.n_marked < MARKED_MOST)
                strips.marked[strips.n_marked++] = order[i];
        }
    free(order);
    for (size_t i = 0; i < result->n_cases; i++)
        if (result->cases[i].model == model && result->cases[i].n_values >= FLEET_LEAST)
            ARENA_APPEND(arena, strips.cases, strips.n_cases, &result->cases[i]);
    find_range(&strips);
    return strips;
}

static bool is_marked(const struct strips *strips, size_t node)
{
    for (size_t i = 0; i < strips->n_marked; i++)
        if (strips->marked[i] == node)
            return true;
    return false;
}

static size_t place_of(const struct strips *strips, double theta, size_t n_places)
{
    double share = (percent_of(theta) - strips->low) / (strips->high - strips->low);
    return (size_t)lrint(fmin(fmax(share, 0), 1) * (double)(n_places - 1));
}

/* ---- panels ---- */

struct points {
    double *x, *y, *low, *high;
    const char **titles;
    size_t n;
};

static struct points new_points(size_t most, struct arena *arena)
{
    return (struct points){.x = ARENA_ARRAY(arena, double, most + 1),
                           .y = ARENA_ARRAY(arena, double, most + 1),
                           .low = ARENA_ARRAY(arena, double, most + 1),
                           .high = ARENA_ARRAY(arena, double, most + 1),
                           .titles = ARENA_ARRAY(arena, const char *, most + 1)};
}

static const char *title_of(const struct strips *strips, const struct fleet_cell *cell, size_t n,
                            struct arena *arena)
{
    CLEANUP(text_free) struct text words = {0};
    const struct comparison *of = &cell->of.result;
    text_printf(&words, "%s: ", strips->result->nodes[cell->node].name);
    compare_add_ratio(of->theta, of->low, of->high, &words);
    if (n > 1)
        text_printf(&words, ", and %zu others", n - 1);
    return arena_text(arena, text_get(&words));
}

static void add_point(const struct strips *strips, const struct fleet_cell *cell, size_t row,
                      size_t n, struct arena *arena, struct points *ret)
{
    const struct comparison *of = &cell->of.result;
    ret->x[ret->n] = percent_of(of->theta);
    ret->y[ret->n] = (double)row;
    ret->low[ret->n] = fmax(percent_of(of->low), strips->low);
    ret->high[ret->n] = fmin(percent_of(of->high), strips->high);
    ret->titles[ret->n++] = title_of(strips, cell, n, arena);
}

/* The nodes without a mark, those in one place as one. */
static struct points usual_points(const struct strips *strips, size_t n_rows, struct arena *arena)
{
    size_t most = n_rows * (strips->n_nodes < BINS ? strips->n_nodes : BINS);
    struct points points = new_points(most, arena);
    for (size_t i = 0; i < n_rows; i++) {
        const struct fleet_cell *first[BINS] = {NULL};
        size_t counts[BINS] = {0};
        for (size_t j = 0; j < strips->cases[i]->n; j++) {
            const struct fleet_cell *cell = &strips->cases[i]->cells[j];
            if (isnan(cell->of.result.theta) || is_marked(strips, cell->node))
                continue;
            size_t place = place_of(strips, cell->of.result.theta, BINS);
            if (counts[place]++ == 0)
                first[place] = cell;
        }
        for (size_t j = 0; j < BINS; j++)
            if (counts[j])
                add_point(strips, first[j], i, counts[j], arena, &points);
    }
    return points;
}

static struct points marked_points(const struct strips *strips, size_t node, size_t n_rows,
                                   struct arena *arena)
{
    struct points points = new_points(n_rows, arena);
    for (size_t i = 0; i < n_rows; i++) {
        const struct fleet_cell *cell = fleet_cell_of(strips->cases[i], node);
        if (cell && !isnan(cell->of.result.theta))
            add_point(strips, cell, i, 1, arena, &points);
    }
    return points;
}

static struct plot_series *make_series(const struct strips *strips, size_t n_rows,
                                       struct arena *arena, size_t *ret_n)
{
    static const int colours[MARKED_MOST] = {1, 2, 3, 6, 7, 5, 4};
    struct plot_series *series = NULL;
    struct points points = usual_points(strips, n_rows, arena);
    *ret_n = 0;
    ARENA_APPEND(arena, series, *ret_n,
                 (struct plot_series){.kind = PLOT_POINTS,
                                      .n = points.n,
                                      .x = points.x,
                                      .y = points.y,
                                      .titles = points.titles,
                                      .size = 0.8,
                                      .opacity = 0.6});
    for (size_t i = 0; i < strips->n_marked; i++) {
        const struct fleet_node *node = &strips->result->nodes[strips->marked[i]];
        points = marked_points(strips, strips->marked[i], n_rows, arena);
        ARENA_APPEND(arena, series, *ret_n,
                     (struct plot_series){.kind = PLOT_SPANS,
                                          .n = points.n,
                                          .x = points.low,
                                          .y = points.y,
                                          .high = points.high,
                                          .colour = colours[i]});
        ARENA_APPEND(arena, series, *ret_n,
                     (struct plot_series){.kind = PLOT_POINTS,
                                          .label = arena_printf(arena, "%s: %s", node->name,
                                                                compared_word(node->verdict)),
                                          .n = points.n,
                                          .x = points.x,
                                          .y = points.y,
                                          .titles = points.titles,
                                          .colour = colours[i]});
    }
    return series;
}

static const char *panel_title(const struct strips *strips, size_t n_rows, struct arena *arena)
{
    const char *model = strips->result->models[strips->model];
    CLEANUP(text_free) struct text words = {0};
    text_printf(&words, "%s%s%zu nodes", model, *model ? ": " : "", strips->n_nodes);
    if (strips->n_cases > n_rows)
        text_printf(&words, " (the first %zu of %zu cases)", n_rows, strips->n_cases);
    return arena_text(arena, text_get(&words));
}

static void make_panel(const struct strips *strips, struct arena *arena, struct plot_panel *ret)
{
    const struct fleet_result *result = strips->result;
    size_t n_rows = strips->n_cases < CASES_MOST ? strips->n_cases : CASES_MOST;
    const char **rows = ARENA_ARRAY(arena, const char *, n_rows + 1);
    struct plot_vertical *verticals = ARENA_ARRAY(arena, struct plot_vertical, 3);
    const char *what = *result->metric.name ? result->metric.name : "time";
    for (size_t i = 0; i < n_rows; i++)
        rows[i] = strips->cases[i]->label;
    verticals[0] = (struct plot_vertical){.x = 0, .colour = PLOT_GREY};
    verticals[1] = (struct plot_vertical){
        .x = percent_of(log1p(result->options->margin)), .label = "margin", .colour = PLOT_GREY};
    verticals[2] = (struct plot_vertical){.x = percent_of(-log1p(result->options->margin)),
                                          .colour = PLOT_GREY};
    *ret = (struct plot_panel){
        .title = panel_title(strips, n_rows, arena),
        .x_label = arena_printf(arena, "%s, %% from the nodes' median", what),
        .x_low = strips->low,
        .x_high = strips->high,
        .y_categories = rows,
        .n_y_categories = n_rows,
        .verticals = verticals,
        .n_verticals = 3,
        .height = ROW_HEIGHT * (double)(n_rows + 1)};
    ret->series = make_series(strips, n_rows, arena, &ret->n_series);
}

/* A panel for each device model of which a case was judged; memory is the arena's. */
static void make_panels(const struct fleet_result *result, struct arena *arena,
                        struct plot_panel **panels, size_t *n)
{
    for (size_t i = 0; i < result->n_models; i++) {
        const struct strips strips = strips_of(result, i, arena);
        if (strips.n_cases)
            make_panel(&strips, arena, ARENA_ADD(arena, *panels, *n));
    }
}

bool fleet_page(const struct fleet_result *result, struct arena *arena, struct plot_page *ret)
{
    enum { WIDTH = 1000 };
    CLEANUP(text_free) struct text summary = {0}, line = {0};
    struct plot_panel *panels = NULL;
    size_t n = 0;
    make_panels(result, arena, &panels, &n);
    fleet_add_summary(result, &summary);
    text_add_n(&line, text_get(&summary), strcspn(text_get(&summary), "\n"));
    *ret = (struct plot_page){.title = arena_text(arena, text_get(&line)),
                              .panels = panels,
                              .n_panels = n,
                              .width = WIDTH};
    return n > 0;
}

/* ---- letters ---- */

static void add_scale(const struct strips *strips, char *field)
{
    char low[NUMBER_TEXT_MAX], high[NUMBER_TEXT_MAX];
    size_t n_low = (size_t)snprintf(low, sizeof low, "%.2g %%", strips->low);
    size_t n_high = (size_t)snprintf(high, sizeof high, "%+.2g %%", strips->high);
    size_t zero = place_of(strips, 0, FIELD);
    memset(field, ' ', FIELD);
    memcpy(field, low, n_low);
    memcpy(field + FIELD - n_high, high, n_high);
    if (zero > n_low && zero + n_high + 1 < FIELD)
        field[zero] = '0';
}

static void add_strip(const struct strips *strips, const struct fleet_case *c, char *field)
{
    enum { FEW = 2, MANY = 5 };
    size_t counts[FIELD] = {0};
    for (size_t i = 0; i < c->n; i++)
        if (!isnan(c->cells[i].of.result.theta))
            counts[place_of(strips, c->cells[i].of.result.theta, FIELD)]++;
    for (size_t i = 0; i < FIELD; i++)
        field[i] = ".:#"[counts[i] >= MANY ? 2 : counts[i] >= FEW ? 1 : 0];
    for (size_t i = 0; i < FIELD; i++)
        field[i] = counts[i] ? field[i] : i == place_of(strips, 0, FIELD) ? '|' : ' ';
    for (size_t i = strips->n_marked; i-- > 0;) {
        const struct fleet_cell *cell = fleet_cell_of(c, strips->marked[i]);
        if (cell && !isnan(cell->of.result.theta))
            field[place_of(strips, cell->of.result.theta, FIELD)] = (char)('A' + i);
    }
}

static void write_strips(const struct strips *strips, struct text *out)
{
    enum { LABEL_COLUMNS = 44 };
    CLEANUP(table_free) struct table table = {0};
    char field[FIELD + 1] = "";
    add_scale(strips, field);
    table_columns(&table, "case|>median");
    table_column(&table, field, false);
    for (size_t i = 0; i < strips->n_cases; i++) {
        table_row(&table);
        table_cell(&table, strips->cases[i]->label);
        compare_add_value(&strips->result->metric, strips->cases[i]->median, table_words(&table));
        add_strip(strips, strips->cases[i], field);
        table_cell(&table, field);
    }
    table_cut_column(&table, 0, LABEL_COLUMNS);
    table_write(&table, TABLE_PLAIN, out);
    text_add(out, "\n. a node, : two and more, # five and more");
    for (size_t i = 0; i < strips->n_marked; i++)
        text_printf(out, ", %c %s", (char)('A' + i), strips->result->nodes[strips->marked[i]].name);
    text_add(out, "\n\n");
}

void fleet_strips(const struct fleet_result *result, struct text *out)
{
    for (size_t i = 0; i < result->n_models; i++) {
        CLEANUP(arena_free) struct arena arena = {0};
        const struct strips strips = strips_of(result, i, &arena);
        if (!strips.n_cases)
            continue;
        text_printf(out, "%s\n\n", panel_title(&strips, strips.n_cases, &arena));
        write_strips(&strips, out);
    }
    fleet_add_notes(result, out);
    fleet_add_summary(result, out);
}

/* ---- on a page ---- */

static void add_row(const struct fleet_result *result, const struct fleet_node *node,
                    struct text *out)
{
    CLEANUP(text_free) struct text words = {0};
    text_add(out, "<tr>");
    html_cell(out, "", node->name);
    html_cell(out,
              node->is_flagged                   ? "bad"
              : node->verdict == COMPARED_FASTER ? "good"
                                                 : "",
              compared_word(node->verdict));
    text_printf(out, "<td class=\"n\" data-v=\"%.6g\">",
                isnan(node->mean.theta) ? 0 : exp(node->mean.theta));
    compare_add_ratio(node->mean.theta, node->mean.low, node->mean.high, out);
    text_add(out, "</td>");
    html_number(out, "n", "%.0f", (double)node->n_cases);
    html_number(out, "n", "%.0f", (double)node->n_slower);
    html_number(out, "n", "%.0f", (double)node->n_faster);
    html_number(out, "n", "%.2g", node->adjusted_p);
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
    text_add(out, "<p class=\"hint\">Ratios are to the nodes' median, their mean over cases. Click "
                  "a heading to sort.</p>\n<p><input class=\"filter\" hidden placeholder=\"filter "
                  "nodes\"></p>\n");
    html_table(out, "sort",
               result->n_models > 1 ? "node|verdict|>mean ratio|>cases|>slower|>faster|>p|device|"
                                    : "node|verdict|>mean ratio|>cases|>slower|>faster|>p|");
    for (size_t i = 0; i < result->n_nodes; i++)
        add_row(result, &result->nodes[order[i]], out);
    html_table_end(out);
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
        xml_print(out, "%s</bdi></li>\n", line + indent);
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
    make_panels(result, &arena, &panels, &n);
    html_panels(out, panels, n);
    add_table(result, out);
    text_add(out, "</section>\n");
}
