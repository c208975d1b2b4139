/* compare_export.c - see compare_text.h: what programs read. */
#include "core/base/json_writer.h"
#include "core/base/memory.h"
#include "core/base/xml_text.h"
#include "core/compare/compare_text.h"

#include <math.h>
#include <stdio.h>

static const char *form_of(const struct compared *c)
{
    const struct comparison *result = &c->result;
    if (isnan(result->theta))
        return "";
    return result->is_exact        ? "exact"
           : result->is_visit      ? "one visit"
           : result->is_sequential ? "sequential"
           : result->is_paired     ? "paired"
                                   : "unpaired";
}

static const struct compare_case *any_side(const struct compared *c)
{
    return c->new ? c->new : c->base;
}

/* ---- csv ---- */

static void csv_real(double value, struct text *out)
{
    char number[NUMBER_TEXT_MAX];
    text_add_csv(out, isnan(value) ? "" : format_double(value, number), false);
}

static void csv_integer(uint64_t value, struct text *out)
{
    text_printf(out, ",%llu", (unsigned long long)value);
}

static void csv_row(const struct compare_result *result, const struct compare_against *against,
                    const struct compared *c, struct text *out)
{
    const struct comparison *values = &c->result;
    text_add_csv(out, against->side->name, true);
    text_add_csv(out, c->label, false);
    text_add_csv(out, any_side(c)->first->bench, false);
    text_add_csv(out, any_side(c)->first->uid, false);
    csv_real(c->base_value, out);
    csv_real(c->new_value, out);
    text_add_csv(out, result->metric.unit, false);
    csv_real(exp(values->theta), out);
    csv_real(isnan(values->theta) ? NAN : exp(values->low), out);
    csv_real(isnan(values->theta) ? NAN : exp(values->high), out);
    csv_real(values->p, out);
    csv_real(values->adjusted_p, out);
    text_add_csv(out, compared_word(values->verdict), false);
    csv_integer(c->n_base, out);
    csv_integer(c->n_new, out);
    text_add_csv(out, form_of(c), false);
    csv_integer(values->n_needed, out);
    csv_integer(c->is_certified, out);
    text_add_csv(out, c->conflict, false);
    text_add_csv(out, c->note, false);
    text_add(out, "\n");
}

void compare_write_csv(const struct compare_result *result, struct text *out)
{
    text_add(out, "side,case,bench,uid,base,new,unit,ratio,low,high,p,adjusted_p,verdict,"
                  "rounds_base,rounds_new,form,rounds_needed,certified,conflict,note\n");
    for (size_t i = 0; i < result->n_against; i++)
        for (size_t j = 0; j < result->against[i].n; j++)
            csv_row(result, &result->against[i], &result->against[i].cases[j], out);
}

/* ---- json ---- */

static void json_side(struct json_writer *json, const char *name, const struct compare_side *side)
{
    json_open(json, name, JSON_OBJECT);
    json_text(json, "name", side->name);
    json_text(json, "file", side->path);
    json_text(json, "tool", side->tool ? side->tool : "gbrun");
    if (side->run && !side->tool) {
        json_integer(json, "run", side->run->number);
        json_text(json, "run_uuid", side->run->record.uuid);
        json_text(json, "started", side->run->record.started);
    }
    json_close(json, JSON_OBJECT);
}

static void json_case(struct json_writer *json, const struct compared *c)
{
    const struct comparison *values = &c->result;
    bool has_ratio = !isnan(values->theta);
    json_line(json);
    json_open(json, NULL, JSON_OBJECT);
    json_text(json, "case", c->label);
    json_text(json, "bench", any_side(c)->first->bench);
    json_text(json, "uid", any_side(c)->first->uid);
    json_real(json, "base", c->base_value);
    json_real(json, "new", c->new_value);
    json_real(json, "ratio", exp(values->theta));
    json_real(json, "low", has_ratio ? exp(values->low) : NAN);
    json_real(json, "high", has_ratio ? exp(values->high) : NAN);
    json_real(json, "p", values->p);
    json_real(json, "adjusted_p", values->adjusted_p);
    json_text(json, "verdict", compared_word(values->verdict));
    json_integer(json, "rounds_base", (int64_t)c->n_base);
    json_integer(json, "rounds_new", (int64_t)c->n_new);
    json_text(json, "form", form_of(c));
    json_integer(json, "rounds_needed", (int64_t)values->n_needed);
    json_bool(json, "certified", c->is_certified);
    json_text(json, "conflict", c->conflict);
    json_text(json, "note", c->note);
    json_close(json, JSON_OBJECT);
}

static void json_against(struct json_writer *json, const struct compare_against *against)
{
    const struct geometric_mean *mean = &against->mean;
    json_line(json);
    json_open(json, NULL, JSON_OBJECT);
    json_side(json, "new", against->side);
    json_open(json, "differences", JSON_ARRAY);
    for (size_t i = 0; i < against->n_differences; i++)
        json_text(json, NULL, against->differences[i]);
    json_close(json, JSON_ARRAY);
    json_open(json, "counts", JSON_OBJECT);
    for (int v = 0; v < COMPARED_VERDICTS; v++)
        json_integer(json, compared_word(v), (int64_t)against->counts[v]);
    json_close(json, JSON_OBJECT);
    json_open(json, "geometric_mean", JSON_OBJECT);
    json_integer(json, "n", (int64_t)mean->n);
    json_real(json, "ratio", exp(mean->theta));
    json_real(json, "low", mean->n > 1 ? exp(mean->low) : NAN);
    json_real(json, "high", mean->n > 1 ? exp(mean->high) : NAN);
    json_close(json, JSON_OBJECT);
    json_open(json, "cases", JSON_ARRAY);
    for (size_t i = 0; i < against->n; i++)
        json_case(json, &against->cases[i]);
    json_close(json, JSON_ARRAY);
    json_close(json, JSON_OBJECT);
}

void compare_write_json(const struct compare_result *result, bool is_strict, struct text *out)
{
    struct json_writer json = {.out = out};
    json_open(&json, NULL, JSON_OBJECT);
    json_text(&json, "format", "gbrun comparison 1");
    json_real(&json, "margin", result->options->margin);
    json_real(&json, "confidence", result->options->confidence);
    json_text(&json, "metric", *result->metric.name ? result->metric.name : "time");
    json_text(&json, "unit", result->metric.unit);
    json_integer(&json, "exit_code", compare_exit_code(result, is_strict));
    json_side(&json, "base", result->base);
    json_open(&json, "comparisons", JSON_ARRAY);
    for (size_t i = 0; i < result->n_against; i++)
        json_against(&json, &result->against[i]);
    json_close(&json, JSON_ARRAY);
    json_close(&json, JSON_OBJECT);
    text_add(out, "\n");
}

/* ---- junit ---- */

static size_t count_bad(const struct compare_against *against, bool is_strict)
{
    size_t n = 0;
    for (int v = 0; v < COMPARED_VERDICTS; v++)
        n += compared_is_bad(v, is_strict) || v == COMPARED_FAILED ? against->counts[v] : 0;
    return n;
}

static void junit_case(const struct compare_result *result, const struct compared *c,
                       bool is_strict, struct text *out)
{
    CLEANUP(text_free) struct text message = {0};
    int verdict = c->result.verdict;
    compare_add_sentence(result, c, &message);
    text_add(out, "    <testcase");
    xml_add_attribute(out, "classname", any_side(c)->first->bench);
    xml_add_attribute(out, "name", c->label);
    text_add(out, ">");
    if (compared_is_bad(verdict, is_strict) || verdict == COMPARED_FAILED) {
        text_add(out, "<failure");
        xml_add_attribute(out, "type", compared_word(verdict));
        xml_add_attribute(out, "message", text_get(&message));
        text_add(out, "/>");
    } else if (verdict == COMPARED_SKIPPED || verdict == COMPARED_UNCLEAR) {
        text_add(out, "<skipped");
        xml_add_attribute(out, "message", text_get(&message));
        text_add(out, "/>");
    }
    text_add(out, "</testcase>\n");
}

void compare_write_junit(const struct compare_result *result, bool is_strict, struct text *out)
{
    text_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    for (size_t i = 0; i < result->n_against; i++) {
        const struct compare_against *against = &result->against[i];
        size_t n_skipped = against->counts[COMPARED_SKIPPED] + against->counts[COMPARED_UNCLEAR];
        text_add(out, "  <testsuite");
        xml_add_attribute(out, "name", against->side->name);
        text_printf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\">\n",
                    against->n, count_bad(against, is_strict), is_strict ? 0 : n_skipped);
        for (size_t j = 0; j < against->n; j++)
            junit_case(result, &against->cases[j], is_strict, out);
        text_add(out, "  </testsuite>\n");
    }
    text_add(out, "</testsuites>\n");
}

/* ---- github ---- */

void compare_github_text(const char *text, bool is_property, struct text *out)
{
    for (const char *at = text; *at; at++) {
        bool is_special = *at == '%' || *at == '\r' || *at == '\n' ||
                          (is_property && (*at == ':' || *at == ','));
        if (is_special)
            text_printf(out, "%%%02X", (unsigned)*at);
        else
            text_add_n(out, at, 1);
    }
}

static void github_annotation(const struct compare_result *result, const struct compared *c,
                              struct text *out)
{
    CLEANUP(text_free) struct text message = {0};
    const char *file = any_side(c)->run->record.config_path;
    text_printf(&message, "%s: ", c->label);
    compare_add_sentence(result, c, &message);
    text_add(out, "::error ");
    if (*file && !text_equal(file, "-")) {
        text_add(out, "file=");
        compare_github_text(file, true, out);
        text_add(out, ",");
    }
    text_add(out, "title=");
    compare_github_text(compared_word(c->result.verdict), true, out);
    text_add(out, "::");
    compare_github_text(text_get(&message), false, out);
    text_add(out, "\n");
}

void compare_write_github(const struct compare_result *result, bool is_strict, struct text *out)
{
    for (size_t i = 0; i < result->n_against; i++) {
        const struct compare_against *against = &result->against[i];
        CLEANUP(text_free) struct text counts = {0};
        for (size_t j = 0; j < against->n; j++) {
            int verdict = against->cases[j].result.verdict;
            if (compared_is_bad(verdict, is_strict) || verdict == COMPARED_FAILED)
                github_annotation(result, &against->cases[j], out);
        }
        compare_add_counts(against, &counts);
        text_printf(out, "::notice title=gbrun compare::");
        compare_github_text(against->side->name, false, out);
        text_printf(out, ": %s\n", text_get(&counts));
    }
}
