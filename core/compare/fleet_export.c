/* fleet_export.c - see fleet.h: what programs read. */
#include "core/base/json_writer.h"
#include "core/base/memory.h"
#include "core/base/xml_text.h"
#include "core/compare/fleet.h"

#include <math.h>

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

static void csv_real(double value, struct text *out)
{
    char number[NUMBER_TEXT_MAX];
    text_add_csv(out, isnan(value) ? "" : format_double(value, number), false);
}

static void csv_row(const struct fleet_result *result, const struct fleet_case *c,
                    const struct fleet_cell *cell, struct text *out)
{
    const struct fleet_node *node = &result->nodes[cell->node];
    const struct comparison *of = &cell->of.result;
    bool has_ratio = !isnan(of->theta);
    text_add_csv(out, node->name, true);
    text_add_csv(out, node->host, false);
    text_add_csv(out, result->models[node->model], false);
    text_add_csv(out, compared_word(node->verdict), false);
    csv_real(node->p, out);
    csv_real(node->adjusted_p, out);
    text_add_csv(out, c->label, false);
    text_add_csv(out, c->bench, false);
    text_add_csv(out, c->uid, false);
    csv_real(c->median, out);
    csv_real(cell->value, out);
    text_add_csv(out, result->metric.unit, false);
    csv_real(exp(of->theta), out);
    csv_real(has_ratio ? exp(of->low) : NAN, out);
    csv_real(has_ratio ? exp(of->high) : NAN, out);
    csv_real(of->p, out);
    csv_real(of->adjusted_p, out);
    csv_real(cell->of.p_slower, out);
    csv_real(cell->of.p_faster, out);
    text_add_csv(out, cell_verdict(c, cell), false);
    text_printf(out, ",%zu,%d", cell->of.side.n, cell->is_certified);
    text_add_csv(out, cell_note(c, cell), false);
    text_add(out, "\n");
}

void fleet_write_csv(const struct fleet_result *result, struct text *out)
{
    text_add(out, "node,host,model,node_verdict,node_p,node_adjusted_p,case,bench,uid,median,value,"
                  "unit,ratio,low,high,p,adjusted_p,p_slower,p_faster,verdict,rounds,certified,"
                  "note\n");
    for (size_t i = 0; i < result->n_cases; i++)
        for (size_t j = 0; j < result->cases[i].n; j++)
            csv_row(result, &result->cases[i], &result->cases[i].cells[j], out);
}

/* ---- json ---- */

static void json_node(struct json_writer *json, const struct fleet_result *result,
                      const struct fleet_node *node)
{
    CLEANUP(text_free) struct text reason = {0};
    fleet_add_reason(node, &reason);
    json_line(json);
    json_open(json, NULL, JSON_OBJECT);
    json_text(json, "name", node->name);
    json_text(json, "host", node->host);
    json_text(json, "model", result->models[node->model]);
    json_integer(json, "devices", (int64_t)node->n_devices);
    json_text(json, "verdict", compared_word(node->verdict));
    json_bool(json, "flagged", node->is_flagged);
    json_real(json, "p", node->p);
    json_real(json, "adjusted_p", node->adjusted_p);
    json_integer(json, "cases", (int64_t)node->n_cases);
    json_integer(json, "slower", (int64_t)node->n_slower);
    json_integer(json, "faster", (int64_t)node->n_faster);
    json_integer(json, "broken", (int64_t)node->n_failed);
    json_integer(json, "missing", (int64_t)node->n_missing);
    json_real(json, "ratio", exp(node->mean.theta));
    json_real(json, "low", node->mean.n > 1 ? exp(node->mean.low) : NAN);
    json_real(json, "high", node->mean.n > 1 ? exp(node->mean.high) : NAN);
    json_text(json, "reason", text_get(&reason));
    json_open(json, "differences", JSON_ARRAY);
    for (size_t i = 0; i < node->n_differences; i++)
        json_text(json, NULL, node->differences[i]);
    json_close(json, JSON_ARRAY);
    json_close(json, JSON_OBJECT);
}

static void json_cell(struct json_writer *json, const struct fleet_result *result,
                      const struct fleet_case *c, const struct fleet_cell *cell)
{
    const struct comparison *of = &cell->of.result;
    bool has_ratio = !isnan(of->theta);
    json_open(json, NULL, JSON_OBJECT);
    json_text(json, "node", result->nodes[cell->node].name);
    json_real(json, "value", cell->value);
    json_real(json, "ratio", exp(of->theta));
    json_real(json, "low", has_ratio ? exp(of->low) : NAN);
    json_real(json, "high", has_ratio ? exp(of->high) : NAN);
    json_real(json, "p", of->p);
    json_real(json, "adjusted_p", of->adjusted_p);
    json_real(json, "p_slower", cell->of.p_slower);
    json_real(json, "p_faster", cell->of.p_faster);
    json_text(json, "verdict", cell_verdict(c, cell));
    json_integer(json, "rounds", (int64_t)cell->of.side.n);
    json_bool(json, "certified", cell->is_certified);
    json_text(json, "note", cell_note(c, cell));
    json_close(json, JSON_OBJECT);
}

static void json_case(struct json_writer *json, const struct fleet_result *result,
                      const struct fleet_case *c)
{
    json_line(json);
    json_open(json, NULL, JSON_OBJECT);
    json_text(json, "case", c->label);
    json_text(json, "bench", c->bench);
    json_text(json, "uid", c->uid);
    json_text(json, "model", result->models[c->model]);
    json_real(json, "median", c->median);
    json_real(json, "scatter", c->scatter);
    json_open(json, "nodes", JSON_ARRAY);
    for (size_t i = 0; i < c->n; i++)
        json_cell(json, result, c, &c->cells[i]);
    json_close(json, JSON_ARRAY);
    json_close(json, JSON_OBJECT);
}

void fleet_write_json(const struct fleet_result *result, bool is_strict, struct text *out)
{
    struct json_writer json = {.out = out};
    CLEANUP(text_free) struct text hosts = {0};
    fleet_write_hosts(result, &hosts);
    json_open(&json, NULL, JSON_OBJECT);
    json_text(&json, "format", "gbrun nodes 1");
    json_text(&json, "by", result->by);
    json_real(&json, "margin", result->options->margin);
    json_real(&json, "confidence", result->options->confidence);
    json_text(&json, "metric", *result->metric.name ? result->metric.name : "time");
    json_text(&json, "unit", result->metric.unit);
    json_integer(&json, "exit_code", fleet_exit_code(result, is_strict));
    json_integer(&json, "flagged", (int64_t)result->n_flagged);
    if (hosts.length)
        hosts.data[--hosts.length] = 0; /* the line break */
    json_text(&json, "hosts", text_get(&hosts));
    json_real(&json, "scatter", result->scatter);
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

void fleet_write_junit(const struct fleet_result *result, bool is_strict, struct text *out)
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
        text_add(out, "    <testcase");
        xml_add_attribute(out, "classname", result->models[node->model]);
        xml_add_attribute(out, "name", node->name);
        text_add(out, ">");
        if (is_bad(node, is_strict)) {
            text_add(out, "<failure");
            xml_add_attribute(out, "type", compared_word(node->verdict));
            xml_add_attribute(out, "message", text_get(&message));
            text_add(out, "/>");
        }
        text_add(out, "</testcase>\n");
    }
    text_add(out, "  </testsuite>\n</testsuites>\n");
}

void fleet_write_github(const struct fleet_result *result, bool is_strict, struct text *out)
{
    CLEANUP(text_free) struct text summary = {0};
    for (size_t i = 0; i < result->n_nodes; i++) {
        const struct fleet_node *node = &result->nodes[i];
        CLEANUP(text_free) struct text message = {0};
        if (!is_bad(node, is_strict))
            continue;
        text_printf(&message, "%s: ", node->name);
        node_message(node, &message);
        text_add(out, "::error title=");
        compare_github_text(compared_word(node->verdict), true, out);
        text_add(out, "::");
        compare_github_text(text_get(&message), false, out);
        text_add(out, "\n");
    }
    fleet_add_summary(result, &summary);
    text_add(out, "::notice title=gbrun compare::");
    text_add(out, text_get(&summary));
}
