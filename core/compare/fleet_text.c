/* fleet_text.c - see fleet.h: tables of nodes and of cases, notes about them, and
 * what programs read. */
#include "core/base/members.h"
#include "core/compare/fleet.h"

#include "core/base/hostlist.h"
#include "core/base/json_writer.h"
#include "core/base/memory.h"
#include "core/base/xml_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* "node", "nodes": what the values of `by` are. */
static const char *noun(const struct fleet_result *result, size_t n)
{
    if (text_equal(result->by, "host"))
        return n == 1 ? "node" : "nodes";
    if (text_equal(result->by, "device"))
        return n == 1 ? "device" : "devices";
    return n == 1 ? "value" : "values";
}

static size_t nodes_of_model(const struct fleet_result *result, size_t model)
{
    size_t n = 0;
    for (size_t i = 0; i < result->n_nodes; i++)
        n += result->nodes[i].model == model;
    return n;
}

/* ---- order ---- */

struct ranked {
    size_t index;
    bool is_flagged;
    double distance;
};

ORDER_BY(compare_ranked, struct ranked, ORDER_OF(y->is_flagged, x->is_flagged),
         ORDER_OF(y->distance, x->distance), ORDER_OF(x->index, y->index))

void fleet_order(const struct fleet_result *result, size_t **ret)
{
    struct ranked *ranked = memory_allocate((result->n_nodes + 1) * sizeof *ranked);
    size_t *order = memory_allocate((result->n_nodes + 1) * sizeof *order);
    for (size_t i = 0; i < result->n_nodes; i++) {
        const struct fleet_node *node = &result->nodes[i];
        double distance = isnan(node->mean.theta) ? 0 : fabs(node->mean.theta);
        ranked[i] = (struct ranked){i, node->is_flagged, distance};
    }
    qsort(ranked, result->n_nodes, sizeof *ranked, compare_ranked);
    for (size_t i = 0; i < result->n_nodes; i++)
        order[i] = ranked[i].index;
    free(ranked);
    *ret = order;
}

/* ---- words ---- */

static void add_share(const char *verdict, size_t n, const struct fleet_node *node,
                      struct text *out)
{
    if (n)
        text_printf(out, "%s%s in %zu of %s", out->length ? ", " : "", verdict, n,
                    COUNT_TEXT(node->n_cases, "case"));
}

/* A case by name, of one or of several. */
static void add_case(const char *label, size_t n, struct text *out)
{
    enum { NAME_MOST = 60 };
    text_add_cut(out, label, NAME_MOST);
    if (n > 1)
        text_printf(out, " and %zu more", n - 1);
}

void fleet_add_reason(const struct fleet_node *node, struct text *out)
{
    CLEANUP(text_free) struct text words = {0};
    bool is_found = node->is_flagged || node->verdict == COMPARED_FASTER;
    if (node->n_failed) {
        text_add(&words, "broken: ");
        add_case(node->first_failed, node->n_failed, &words);
        text_printf(&words, ": %s", node->failure);
    }
    add_share("slower", node->n_slower, node, &words);
    add_share("faster", node->n_faster, node, &words);
    if (!is_found && node->n_slower + node->n_faster > 0) {
        text_add(&words, ", which does not flag it: ");
        add_case(node->first_slower ? node->first_slower : node->first_faster,
                 node->n_slower + node->n_faster, &words);
    }
    if (node->n_missing) {
        text_printf(&words, "%smissing: ", words.length ? "; " : "");
        add_case(node->first_missing, node->n_missing, &words);
    }
    text_add(out, text_get(&words));
}

/* The hosts that are flagged, as node[01-03,07]. */
static void write_hosts(const struct fleet_result *result, struct text *out)
{
    CLEANUP(free_pointer)
    const char **hosts = memory_allocate((result->n_nodes + 1) * sizeof *hosts);
    bool by_device = text_equal(result->by, "device");
    size_t n = 0;
    for (size_t i = 0; i < result->n_nodes; i++)
        if (result->nodes[i].is_flagged)
            hosts[n++] = by_device ? result->nodes[i].host : result->nodes[i].name;
    hostlist_add(out, hosts, n);
    text_add(out, n ? "\n" : "");
}

void fleet_add_summary(const struct fleet_result *result, struct text *out)
{
    enum { NAMES_MOST = 8 };
    size_t n_named = 0;
    if (result->n_flagged == 0) {
        text_printf(out, "none of %zu %s is flagged\n", result->n_nodes,
                    noun(result, result->n_nodes));
        return;
    }
    text_printf(out, "%zu of %zu %s %s flagged: ", result->n_flagged, result->n_nodes,
                noun(result, result->n_nodes), result->n_flagged == 1 ? "is" : "are");
    if (text_equal(result->by, "host")) {
        write_hosts(result, out);
        return;
    }
    for (size_t i = 0; i < result->n_nodes; i++)
        if (result->nodes[i].is_flagged && n_named++ < NAMES_MOST)
            text_printf(out, "%s%s", n_named > 1 ? ", " : "", result->nodes[i].name);
    text_add(out, n_named > NAMES_MOST ? ", ...\n" : "\n");
}

/* ---- notes ---- */

/* Those that are flagged, faster or incomplete, then a few of which single cases are off. */
static void add_reasons(const struct fleet_result *result, struct text *out)
{
    enum { REASONS_MOST = 20, MINOR_MOST = 5 };
    CLEANUP(free_pointer) size_t *order = NULL;
    size_t n[2] = {0, 0}, n_more = 0;
    fleet_order(result, &order);
    for (size_t i = 0; i < 2 * result->n_nodes; i++) {
        const struct fleet_node *node = &result->nodes[order[i % result->n_nodes]];
        bool is_minor = i >= result->n_nodes;
        CLEANUP(text_free) struct text words = {0};
        if (is_minor != (node->verdict == COMPARED_SAME || node->verdict == COMPARED_UNCLEAR))
            continue;
        fleet_add_reason(node, &words);
        if (!words.length)
            continue;
        if (n[is_minor]++ >= (is_minor ? MINOR_MOST : REASONS_MOST)) {
            n_more++;
            continue;
        }
        text_printf(out, "%s: %s\n", node->name, text_get(&words));
        for (size_t j = 0; j < node->n_differences; j++)
            text_printf(out, "  %s\n", node->differences[j]);
    }
    if (n_more)
        text_printf(out, "... and %zu %s more; --format csv or json has all\n", n_more,
                    noun(result, n_more));
}

static void add_models(const struct fleet_result *result, struct text *out)
{
    if (result->n_models < 2)
        return;
    text_printf(out, "%zu device models, each compared with its own:", result->n_models);
    for (size_t i = 0; i < result->n_models; i++)
        text_printf(out, "%s %s (%zu)", i ? "," : "",
                    *result->models[i] ? result->models[i] : "no device",
                    nodes_of_model(result, i));
    text_add(out, "\n");
}

static void add_devices(const struct fleet_result *result, struct text *out)
{
    size_t n = 0;
    for (size_t i = 0; i < result->n_nodes; i++)
        n += result->nodes[i].n_devices > 1;
    if (n)
        text_printf(out,
                    "%zu %s measured on several devices, which are combined; --by device compares "
                    "devices\n",
                    n, noun(result, n));
}

/* The margin should exceed the spread of sound nodes. */
static void add_scatter(const struct fleet_result *result, struct text *out)
{
    static const double SIGMAS = 3;
    double wider = SIGMAS * result->scatter;
    if (wider > result->options->margin)
        text_printf(out,
                    "%s differ by %.2g %% (standard deviation, by the median): a margin under "
                    "%.2g %% is within what is usual here\n",
                    noun(result, 2), 100 * result->scatter, 100 * wider);
}

void fleet_add_notes(const struct fleet_result *result, struct text *out)
{
    size_t n_few = result->n_cases - result->n_judged;
    add_reasons(result, out);
    add_models(result, out);
    if (n_few)
        text_printf(out,
                    "%zu of %zu cases not compared: they have a value on fewer than %d %s, too few "
                    "to tell which one differs\n",
                    n_few, result->n_cases, FLEET_LEAST, noun(result, FLEET_LEAST));
    if (result->n_failed)
        text_printf(out, "%zu case%s on half of the %s or more\n", result->n_failed,
                    result->n_failed == 1 ? " fails" : "s fail", noun(result, 2));
    add_devices(result, out);
    if (result->n_visits)
        text_printf(out,
                    "1 visit: %s with one round on most %s: changes between visits are unknown, "
                    "and intervals rest on the differences between %s; rounds = 5 is recommended\n",
                    COUNT_TEXT(result->n_visits, "case"), noun(result, 2), noun(result, 2));
    if (result->n_judged) {
        add_scatter(result, out);
        text_add(out, "several runs: what drifted between them is in the ratios\n");
    }
    if (result->n_left_out)
        text_printf(out, "%zu of %zu runs left out: without %s\n", result->n_left_out,
                    result->n_runs, *result->metric.name ? result->metric.name : result->by);
}

/* ---- tables ---- */

static void write_nodes(const struct fleet_result *result, const size_t *order, int style,
                        size_t width, bool has_colours, struct text *out)
{
    enum { ROWS_MOST = 30 };
    CLEANUP(table_free) struct table table = {0};
    size_t most = result->n_flagged > ROWS_MOST ? result->n_flagged : ROWS_MOST;
    table_columns(&table, noun(result, 1));
    table_columns(&table, "mean ratio|>cases|>slower|>faster|>p|verdict");
    for (size_t i = 0; i < result->n_nodes && i < most; i++) {
        const struct fleet_node *node = &result->nodes[order[i]];
        table_row(&table);
        table_cell(&table, node->name);
        compare_add_ratio(node->mean.theta, node->mean.low, node->mean.high, table_words(&table));
        table_cell_printf(&table, "%zu", node->n_cases);
        table_cell_printf(&table, "%zu", node->n_slower);
        table_cell_printf(&table, "%zu", node->n_faster);
        table_cell_printf(&table, isnan(node->adjusted_p) ? "-" : "%.2g", node->adjusted_p);
        table_cell(&table, compared_word(node->verdict));
        table_colour(&table, compare_colour(node->verdict));
    }
    compare_write_fitting(&table, style, width, has_colours, out);
    if (result->n_nodes > most)
        text_printf(out, "... and %zu %s nearer to the median, none of them flagged\n",
                    result->n_nodes - most, noun(result, result->n_nodes - most));
    text_add(out, "\n");
}

/* The lowest and the highest ratio of a case. */
static void add_range(const struct fleet_case *c, struct text *out)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < c->n; i++) {
        low = fmin(low, c->cells[i].of.result.theta);
        high = fmax(high, c->cells[i].of.result.theta);
    }
    if (low <= high)
        text_printf(out, "%.3f to %.3f", exp(low), exp(high));
}

static void add_cell(const struct fleet_cell *cell, struct text *out)
{
    if (cell && cell->failure)
        text_add(out, cell->failure);
    else if (cell)
        compare_add_ratio(cell->of.result.theta, cell->of.result.low, cell->of.result.high, out);
}

static bool is_judged(const struct fleet_result *result, size_t model)
{
    for (size_t i = 0; i < result->n_cases; i++)
        if (result->cases[i].model == model && result->cases[i].n_values >= FLEET_LEAST)
            return true;
    return false;
}

/* Each case of a model, with those of its nodes that come first in the order. */
static void write_cases(const struct fleet_result *result, size_t model, const size_t *order,
                        int style, size_t width, bool has_colours, struct text *out)
{
    enum { NODES_MOST_MARKDOWN = 8, WIDE = 100 };
    CLEANUP(table_free) struct table table = {0};
    size_t nodes[NODES_MOST_MARKDOWN], n = 0;
    size_t most = style == TABLE_MARKDOWN ? NODES_MOST_MARKDOWN : width && width < WIDE ? 1 : 2;
    table_columns(&table, "case|>median|ratios");
    for (size_t i = 0; i < result->n_nodes && n < most; i++)
        if (result->nodes[order[i]].model == model) {
            table_column(&table, result->nodes[order[i]].name, false);
            nodes[n++] = order[i];
        }
    for (size_t i = 0; i < result->n_cases; i++) {
        const struct fleet_case *c = &result->cases[i];
        if (c->model != model)
            continue;
        table_row(&table);
        table_cell(&table, c->label);
        compare_add_value(&result->metric, c->median, table_words(&table));
        add_range(c, table_words(&table));
        for (size_t j = 0; j < n; j++) {
            const struct fleet_cell *cell = fleet_cell_of(c, nodes[j]);
            add_cell(cell, table_words(&table));
            if (cell)
                table_colour(&table, compare_colour(cell->failure ? COMPARED_BROKEN
                                                                  : cell->of.result.verdict));
        }
    }
    compare_write_fitting(&table, style, width, has_colours, out);
    text_add(out, "\n");
}

static void write_head(const struct fleet_result *result, struct text *out)
{
    const struct compare_options *options = result->options;
    text_printf(out, "%zu %s", result->n_nodes, noun(result, result->n_nodes));
    if (!text_equal(result->by, "host") && !text_equal(result->by, "device"))
        text_printf(out, " of %s", result->by);
    if (result->n_models == 1 && *result->models[0])
        text_printf(out, "%s%s", text_equal(result->by, "host") ? " with " : ", ",
                    result->models[0]);
    text_printf(out, ", compared with their median in each of %s; margin %.3g %%",
                COUNT_TEXT(result->n_cases, "case"), 100 * options->margin);
    if (*result->metric.name)
        text_printf(out, "\ncompared: %s%s%s%s", result->metric.name,
                    *result->metric.unit ? " in " : "", result->metric.unit,
                    result->metric.is_better_if_higher ? ", higher is better" : "");
    text_add(out, "\n\n");
}

static void write_tables(const struct fleet_result *result, int style, size_t width,
                         bool has_colours, struct text *out)
{
    CLEANUP(free_pointer) size_t *order = NULL;
    CLEANUP(text_free) struct text notes = {0};
    fleet_order(result, &order);
    write_head(result, out);
    write_nodes(result, order, style, width, has_colours, out);
    for (size_t i = 0; i < result->n_models; i++) {
        if (!is_judged(result, i))
            continue;
        if (result->n_models > 1)
            text_printf(out, "%s\n\n", *result->models[i] ? result->models[i] : "no device");
        write_cases(result, i, order, style, width, has_colours, out);
    }
    fleet_add_notes(result, &notes);
    fleet_add_summary(result, &notes);
    compare_add_lines(&notes, style, width, out);
}

/* ---- what programs read ---- */

static const char *cell_verdict(const struct fleet_case *c, const struct fleet_cell *cell)
{
    if (cell->failure)
        return compared_word(2 * c->n_failed < c->n ? COMPARED_BROKEN : COMPARED_FAILED);
    if (cell->is_skipped)
        return compared_word(COMPARED_SKIPPED);
    return compared_word(cell->of.result.verdict);
}

static const char *cell_note(const struct fleet_case *c, const struct fleet_cell *cell)
{
    if (cell->failure)
        return cell->failure;
    if (cell->is_skipped)
        return "";
    if (cell->of.side.n == 0)
        return "no value";
    if (c->n_values < FLEET_LEAST)
        return "too few nodes";
    return cell->of.result.is_visit ? "1 visit" : "";
}

/* ---- csv ---- */

/* Those of a case on a node, as csv and json have them. */
#define RATIO_VALUES(of, has_ratio)                                                                \
    REAL("ratio", exp((of)->theta)), REAL("low", (has_ratio) ? exp((of)->low) : NAN),              \
        REAL("high", (has_ratio) ? exp((of)->high) : NAN), REAL("p", (of)->p),                     \
        REAL("adjusted_p", (of)->adjusted_p)

static void csv_row(const struct fleet_result *result, const struct fleet_case *c,
                    const struct fleet_cell *cell, struct text *out)
{
    const struct fleet_node *node = &result->nodes[cell->node];
    const struct comparison *of = &cell->of.result;
    csv_values(out,
               VALUES(TEXT("node", node->name), TEXT("host", node->host),
                      TEXT("model", result->models[node->model]),
                      TEXT("node_verdict", compared_word(node->verdict)), REAL("node_p", node->p),
                      REAL("node_adjusted_p", node->adjusted_p), TEXT("case", c->label),
                      TEXT("bench", c->bench), TEXT("uid", c->uid), REAL("median", c->median),
                      REAL("value", cell->value), TEXT("unit", result->metric.unit),
                      RATIO_VALUES(of, !isnan(of->theta)), REAL("p_slower", cell->of.p_slower),
                      REAL("p_faster", cell->of.p_faster), TEXT("verdict", cell_verdict(c, cell)),
                      INTEGER("rounds", cell->of.side.n), BOOL("certified", cell->is_certified),
                      TEXT("note", cell_note(c, cell))));
}

static void write_csv(const struct fleet_result *result, struct text *out)
{
    text_add(out,
             "node,host,model,node_verdict,node_p,node_adjusted_p,case,bench,uid,median,value,"
             "unit,ratio,low,high,p,adjusted_p,p_slower,p_faster,verdict,rounds,certified,note\n");
    for (size_t i = 0; i < result->n_cases; i++)
        for (size_t j = 0; j < result->cases[i].n; j++)
            csv_row(result, &result->cases[i], &result->cases[i].cells[j], out);
}

/* ---- json ---- */

static void json_node(struct json_writer *json, const struct fleet_result *result,
                      const struct fleet_node *node)
{
    CLEANUP(text_free) struct text reason = {0};
    const struct geometric_mean *mean = &node->mean;
    fleet_add_reason(node, &reason);
    json_row(json);
    json_values(json, VALUES(TEXT("name", node->name), TEXT("host", node->host),
                             TEXT("model", result->models[node->model]),
                             INTEGER("devices", node->n_devices),
                             TEXT("verdict", compared_word(node->verdict)),
                             BOOL("flagged", node->is_flagged), REAL("p", node->p),
                             REAL("adjusted_p", node->adjusted_p), INTEGER("cases", node->n_cases),
                             INTEGER("slower", node->n_slower), INTEGER("faster", node->n_faster),
                             INTEGER("broken", node->n_failed), INTEGER("missing", node->n_missing),
                             REAL("ratio", exp(mean->theta)),
                             REAL("low", mean->n > 1 ? exp(mean->low) : NAN),
                             REAL("high", mean->n > 1 ? exp(mean->high) : NAN),
                             TEXT("reason", text_get(&reason))));
    json_texts(json, "differences", node->differences, node->n_differences);
    json_close(json, JSON_OBJECT);
}

static void json_cell(struct json_writer *json, const struct fleet_result *result,
                      const struct fleet_case *c, const struct fleet_cell *cell)
{
    const struct comparison *of = &cell->of.result;
    json_object(json, NULL,
                VALUES(TEXT("node", result->nodes[cell->node].name), REAL("value", cell->value),
                       RATIO_VALUES(of, !isnan(of->theta)), REAL("p_slower", cell->of.p_slower),
                       REAL("p_faster", cell->of.p_faster), TEXT("verdict", cell_verdict(c, cell)),
                       INTEGER("rounds", cell->of.side.n), BOOL("certified", cell->is_certified),
                       TEXT("note", cell_note(c, cell))));
}

static void json_case(struct json_writer *json, const struct fleet_result *result,
                      const struct fleet_case *c)
{
    json_row(json);
    json_values(json, VALUES(TEXT("case", c->label), TEXT("bench", c->bench), TEXT("uid", c->uid),
                             TEXT("model", result->models[c->model]), REAL("median", c->median),
                             REAL("scatter", c->scatter)));
    json_open(json, "nodes", JSON_ARRAY);
    for (size_t i = 0; i < c->n; i++)
        json_cell(json, result, c, &c->cells[i]);
    json_close(json, JSON_ARRAY);
    json_close(json, JSON_OBJECT);
}

static void write_json(const struct fleet_result *result, bool is_strict, struct text *out)
{
    struct json_writer json = {.out = out};
    CLEANUP(text_free) struct text hosts = {0};
    write_hosts(result, &hosts);
    text_cut(&hosts, strcspn(text_get(&hosts), "\n"));
    json_open(&json, NULL, JSON_OBJECT);
    json_values(&json, VALUES(TEXT("format", "gbrun nodes 1"), TEXT("by", result->by),
                              REAL("margin", result->options->margin),
                              REAL("confidence", result->options->confidence),
                              TEXT("metric", *result->metric.name ? result->metric.name : "time"),
                              TEXT("unit", result->metric.unit),
                              INTEGER("exit_code", fleet_exit_code(result, is_strict)),
                              INTEGER("flagged", result->n_flagged),
                              TEXT("hosts", text_get(&hosts)), REAL("scatter", result->scatter)));
    json_open(&json, "nodes", JSON_ARRAY);
    for (size_t i = 0; i < result->n_nodes; i++)
        json_node(&json, result, &result->nodes[i]);
    json_close(&json, JSON_ARRAY);
    json_open(&json, "cases", JSON_ARRAY);
    for (size_t i = 0; i < result->n_cases; i++)
        json_case(&json, result, &result->cases[i]);
    json_close(&json, JSON_ARRAY);
    json_close(&json, JSON_OBJECT);
    text_add(out, "\n");
}

/* ---- junit, github ---- */

static void node_message(const struct fleet_node *node, struct text *out)
{
    text_add(out, compared_word(node->verdict));
    if (!isnan(node->mean.theta)) {
        text_add(out, ": mean ratio ");
        compare_add_ratio(node->mean.theta, node->mean.low, node->mean.high, out);
    }
    text_add(out, "; ");
    fleet_add_reason(node, out);
    for (size_t i = 0; i < node->n_differences; i++)
        text_printf(out, "; %s", node->differences[i]);
}

static bool is_bad(const struct fleet_node *node, bool is_strict)
{
    return node->is_flagged || (is_strict && compared_is_bad(node->verdict, true));
}

static void write_junit(const struct fleet_result *result, bool is_strict, struct text *out)
{
    size_t n_bad = 0;
    for (size_t i = 0; i < result->n_nodes; i++)
        n_bad += is_bad(&result->nodes[i], is_strict);
    text_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite");
    xml_add_attribute(out, "name", result->by);
    text_printf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"0\">\n", result->n_nodes, n_bad);
    for (size_t i = 0; i < result->n_nodes; i++) {
        const struct fleet_node *node = &result->nodes[i];
        CLEANUP(text_free) struct text message = {0};
        node_message(node, &message);
        compare_junit_case(result->models[node->model], node->name, compared_word(node->verdict),
                           is_bad(node, is_strict) ? text_get(&message) : NULL, out);
    }
    text_add(out, "  </testsuite>\n</testsuites>\n");
}

static void write_github(const struct fleet_result *result, bool is_strict, struct text *out)
{
    CLEANUP(text_free) struct text summary = {0};
    for (size_t i = 0; i < result->n_nodes; i++) {
        const struct fleet_node *node = &result->nodes[i];
        CLEANUP(text_free) struct text message = {0};
        if (!is_bad(node, is_strict))
            continue;
        text_printf(&message, "%s: ", node->name);
        node_message(node, &message);
        compare_github_error("", compared_word(node->verdict), text_get(&message), out);
    }
    fleet_add_summary(result, &summary);
    text_add(out, "::notice title=gbrun compare::");
    text_add(out, text_get(&summary));
}

int fleet_format_named(const char *name)
{
    return text_equal(name, "hostlist") ? FLEET_HOSTLIST : compare_format_named(name);
}

void fleet_write(const struct fleet_result *result, int format, bool is_strict, size_t width,
                 bool has_colours, struct text *out)
{
    switch (format) {
    case COMPARE_CSV:
        write_csv(result, out);
        break;
    case COMPARE_JSON:
        write_json(result, is_strict, out);
        break;
    case COMPARE_JUNIT:
        write_junit(result, is_strict, out);
        break;
    case COMPARE_GITHUB:
        write_github(result, is_strict, out);
        break;
    case FLEET_HOSTLIST:
        write_hosts(result, out);
        break;
    default:
        write_tables(result, format == COMPARE_MARKDOWN ? TABLE_MARKDOWN : TABLE_PLAIN, width,
                     has_colours, out);
        break;
    }
}
