/* compare_text.c - see compare_text.h: tables, and what programs read. */
#include "core/compare/compare_text.h"

#include "core/base/json_writer.h"
#include "core/base/memory.h"
#include "core/base/table.h"
#include "core/base/xml_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const formats[COMPARE_FORMATS] = {
    [COMPARE_TABLE] = "table", [COMPARE_MARKDOWN] = "md", [COMPARE_CSV] = "csv",
    [COMPARE_JSON] = "json",   [COMPARE_JUNIT] = "junit", [COMPARE_GITHUB] = "github"};

int compare_format_named(const char *name)
{
    return text_choice(WORDS_OF(formats, COMPARE_FORMATS), name);
}

/* ---- cells ---- */

/* "3 slower, 5 same, 1 unclear"; of no case: "nothing". */
static void add_counts(const struct compare_against *against, struct text *out)
{
    bool any = false;
    for (int v = 0; v < COMPARED_VERDICTS; v++) {
        if (against->counts[v])
            text_printf(out, "%s%zu %s", any ? ", " : "", against->counts[v], compared_word(v));
        any |= against->counts[v] > 0;
    }
    text_add(out, any ? "" : "nothing");
}

/* So many decimals that half a width has two digits. */
static int decimals_of(double low, double high)
{
    enum { LEAST = 2, USUAL = 3, MOST = 7 };
    double half = 0.5 * (exp(high) - exp(low));
    if (!(half > 0) || !isfinite(half))
        return USUAL;
    int decimals = (int)ceil(-log10(half)) + 1;
    return decimals < LEAST ? LEAST : decimals > MOST ? MOST : decimals;
}

void compare_add_ratio(double theta, double low, double high, struct text *out)
{
    int decimals = decimals_of(low, high);
    if (isnan(theta))
        return;
    text_printf(out, "%.*f", decimals, exp(theta));
    if (isfinite(low) && isfinite(high) && low < high)
        text_printf(out, " [%.*f, %.*f]", decimals, exp(low), decimals, exp(high));
}

void compare_add_value(const struct outcome_metric *metric, double value, struct text *out)
{
    if (isnan(value))
        text_add(out, "-");
    else if (text_equal(metric->unit, "ns"))
        text_add(out, TIME_TEXT(value, 4));
    else
        text_printf(out, value == floor(value) && fabs(value) < 1e9 ? "%.0f%s%s" : "%.6g%s%s",
                    value, *metric->unit ? " " : "", metric->unit);
}

/* What changes from run to run is not in its verdict. */
static bool is_of_two_runs(const struct compared *c)
{
    return c->result.scope == SCOPE_RUNS && !c->result.is_visit &&
           c->result.verdict != COMPARED_UNCLEAR;
}

/* Of counts also by how much, as a ratio of large ones hardly says: "1.000 (+1)". */
static void add_ratio(const struct compared *c, struct text *out)
{
    const double difference = c->new_value - c->base_value;
    compare_add_ratio(c->result.theta, c->result.low, c->result.high, out);
    if (c->result.is_exact && difference != 0 && difference == floor(difference))
        text_printf(out, " (%+.0f)", difference);
}

/* "slower: 12.3 us, now 12.9 us, ratio 1.046 [1.038, 1.054]" and the note. */
static void add_sentence(const struct compare_result *result, const struct compared *c,
                         struct text *out)
{
    text_add(out, compared_word(c->result.verdict));
    if (c->base && c->new && !isnan(c->result.theta)) {
        text_add(out, ": ");
        compare_add_value(&result->metric, c->base_value, out);
        text_add(out, ", now ");
        compare_add_value(&result->metric, c->new_value, out);
        text_add(out, ", ratio ");
        add_ratio(c, out);
    }
    if (is_of_two_runs(c))
        text_add(out, "; of these two runs");
    text_printf(out, "%s%s", *c->note ? "; " : "", c->note);
    if (*c->conflict && !c->is_apart)
        text_printf(out, "; another %s", c->conflict);
}

int compare_colour(int verdict)
{
    static const int colours[COMPARED_VERDICTS] = {
        [COMPARED_SLOWER] = COLOUR_BAD,    [COMPARED_FASTER] = COLOUR_GOOD,
        [COMPARED_UNCLEAR] = COLOUR_DOUBT, [COMPARED_BROKEN] = COLOUR_BAD,
        [COMPARED_FIXED] = COLOUR_GOOD,    [COMPARED_FAILED] = COLOUR_BAD,
        [COMPARED_MISSING] = COLOUR_BAD,   [COMPARED_SKIPPED] = COLOUR_FAINT};
    return colours[verdict];
}

static void add_verdict(const struct compared *c, struct text *out)
{
    text_add(out, compared_word(c->result.verdict));
    if (c->result.is_visit && c->result.verdict != COMPARED_UNCLEAR)
        text_add(out, ", 1 visit");
    else if (is_of_two_runs(c))
        text_add(out, ", 2 runs");
    if (c->result.has_margin && c->result.margin > 0)
        text_printf(out, ", margin %.3g %%", 100 * c->result.margin);
    if (*c->conflict)
        text_printf(out, ", other %s", c->conflict);
}

/* ---- tables ---- */

void compare_write_fitting(struct table *table, int style, size_t width, bool has_colours,
                           struct text *out)
{
    enum { NAME_LEAST = 12 };
    size_t others = 0;
    width = width ? width : SIZE_MAX;
    for (size_t i = 1; i < table->n_columns; i++)
        others += 2 + table_column_width(table, i, TABLE_PLAIN);
    size_t most = others + NAME_LEAST < width ? width - others : NAME_LEAST;
    if (style != TABLE_MARKDOWN)
        table_cut_column(table, 0, most);
    table->has_colours = has_colours;
    table_write(table, style, out);
}

static void write_one(const struct compare_result *result, const struct compare_against *against,
                      int style, size_t width, bool has_colours, struct text *out)
{
    CLEANUP(table_free) struct table table = {0};
    table_columns(&table, "case|>base|>new|ratio|verdict");
    for (size_t i = 0; i < against->n; i++) {
        const struct compared *c = &against->cases[i];
        table_row(&table);
        table_cell(&table, c->label);
        compare_add_value(&result->metric, c->base_value, table_words(&table));
        compare_add_value(&result->metric, c->new_value, table_words(&table));
        add_ratio(c, table_words(&table));
        add_verdict(c, table_words(&table));
        table_colour(&table, compare_colour(c->result.verdict));
    }
    compare_write_fitting(&table, style, width, has_colours, out);
}

static void add_cell_of_side(const struct compared *c, struct text *words)
{
    if (!isnan(c->result.theta)) {
        text_printf(words, "%.*f", decimals_of(c->result.low, c->result.high),
                    exp(c->result.theta));
        text_add(words, " ");
    }
    add_verdict(c, words);
}

/* A row for each case of the base; those that only another side has come after the table. */
static void write_several(const struct compare_result *result, int style, size_t width,
                          bool has_colours, struct text *out)
{
    CLEANUP(table_free) struct table table = {0};
    table_column(&table, "case", false);
    table_column(&table, result->base->name, true);
    for (size_t i = 0; i < result->n_against; i++)
        table_column(&table, result->against[i].side->name, false);
    for (size_t i = 0; i < result->base->n; i++) {
        double value = NAN;
        for (size_t j = 0; j < result->n_against && isnan(value); j++)
            value = result->against[j].cases[i].base_value;
        table_row(&table);
        table_cell(&table, result->base->cases[i].label);
        compare_add_value(&result->metric, value, table_words(&table));
        for (size_t j = 0; j < result->n_against; j++) {
            add_cell_of_side(&result->against[j].cases[i], table_words(&table));
            table_colour(&table, compare_colour(result->against[j].cases[i].result.verdict));
        }
    }
    compare_write_fitting(&table, style, width, has_colours, out);
    text_add(out, "\n");
    for (size_t j = 0; j < result->n_against; j++)
        for (size_t i = result->base->n; i < result->against[j].n; i++)
            text_printf(out, "new in %s: %s\n", result->against[j].side->name,
                        result->against[j].cases[i].label);
}

static void add_side(const char *role, const struct compare_side *side, struct text *out)
{
    enum { DATE = 10, TIME_AT = 11, TIME_END = 19 };
    bool is_value = !text_equal(side->name, side->path) && !side->is_numbered;
    text_printf(out, "%s: ", role);
    if (side->tool) {
        text_printf(out, "%s, of %s\n", side->path, side->tool);
        return;
    }
    if (is_value || !side->run)
        text_printf(out, "%s%s", side->name, side->run ? ", " : "");
    if (side->run) {
        const char *started = side->run->record.started;
        text_printf(out, "run %lld of %s", (long long)side->run->number, side->path);
        if (strlen(started) >= TIME_END)
            text_printf(out, ", %.*s %.*s UTC", DATE, started, TIME_END - TIME_AT,
                        started + TIME_AT);
    }
    text_add(out, "\n");
}

static void write_heads(const struct compare_result *result, struct text *out)
{
    add_side("base", result->base, out);
    for (size_t i = 0; i < result->n_against; i++) {
        const struct compare_against *against = &result->against[i];
        add_side("new", against->side, out);
        for (size_t j = 0; j < against->n_differences; j++)
            text_printf(out, "  %s\n", against->differences[j]);
        if (against->machine != 0)
            text_printf(out,
                        "  the machine became %.2g %% %s, by its own reference work: that much is "
                        "not the code\n",
                        100 * expm1(fabs(against->machine)),
                        against->machine > 0 ? "slower" : "faster");
        if (against->moved != 0)
            text_printf(
                out,
                "  the machine moved by %.2g %% within a run, by its own reference work: runs "
                "are taken to vary as their rounds do\n",
                100 * expm1(against->moved));
    }
    if (*result->metric.name)
        text_printf(out, "compared: %s%s%s%s\n", result->metric.name,
                    *result->metric.unit ? " in " : "", result->metric.unit,
                    result->metric.is_better_if_higher ? ", higher is better" : "");
    text_add(out, "\n");
}

/* Why cases are unclear or failed; a line each, up to a number. */
static void write_reasons(const struct compare_against *against, struct text *out)
{
    enum { REASONS_MOST = 20, NAME_MOST = 40 };
    size_t n = 0;
    for (size_t i = 0; i < against->n; i++) {
        const struct compared *c = &against->cases[i];
        bool is_said = !*c->note || (c->result.is_visit && c->result.verdict != COMPARED_UNCLEAR);
        if (is_said || n++ >= REASONS_MOST)
            continue;
        text_printf(out, "%s: ", compared_word(c->result.verdict));
        text_add_cut(out, c->label, NAME_MOST);
        text_printf(out, ": %s\n", c->note);
    }
    if (n > REASONS_MOST)
        text_printf(out, "... and %zu more; --format csv or json has all reasons\n",
                    n - REASONS_MOST);
}

/* Cases with a ratio, by what their intervals speak of; those of one visit apart. */
struct scopes {
    size_t n_visits;
    size_t n[SCOPES];
    double least, most; /* deviations between runs of SCOPE_HISTORY */
};

static struct scopes count_scopes(const struct compare_against *against)
{
    struct scopes scopes = {.least = INFINITY};
    for (size_t i = 0; i < against->n; i++) {
        const struct comparison *result = &against->cases[i].result;
        if (isnan(result->theta))
            continue;
        scopes.n_visits += result->is_visit;
        scopes.n[result->scope] += !result->is_visit;
        if (result->scope != SCOPE_HISTORY)
            continue;
        scopes.least = fmin(scopes.least, result->between);
        scopes.most = fmax(scopes.most, result->between);
    }
    return scopes;
}

static void write_scopes(const struct compare_against *against, struct text *out)
{
    const struct scopes scopes = count_scopes(against);
    if (scopes.n_visits)
        text_add(out, "1 visit: the interval does not include the variation between visits; rounds "
                      "= 5 is recommended\n");
    if (scopes.n[SCOPE_RUNS])
        text_add(out, "2 runs: the interval does not include the variation between runs; --history "
                      "FILE with earlier runs adds it, --by compares within one run\n");
    if (scopes.n[SCOPE_MACHINE])
        text_add(out, "machine: what its reference work says of it is included in the intervals; "
                      "--history FILE with earlier runs says more, --by compares within one run\n");
    if (scopes.n[SCOPE_HISTORY] == 0)
        return;
    text_printf(out, "earlier runs: they differ by %.2g", 100 * scopes.least);
    if (scopes.most > scopes.least)
        text_printf(out, " to %.2g", 100 * scopes.most);
    text_add(out, " % (standard deviation), which is in the intervals\n");
}

/* "decided after 4 to 12 rounds, 1 not after 40" */
static void write_sequence(const struct compare_against *against, struct text *out)
{
    size_t least = SIZE_MAX, most = 0, n_open = 0, most_open = 0;
    for (size_t i = 0; i < against->n; i++) {
        const struct comparison *result = &against->cases[i].result;
        if (!result->is_sequential)
            continue;
        if (result->verdict == COMPARED_UNCLEAR) {
            n_open++;
            most_open = result->n_rounds > most_open ? result->n_rounds : most_open;
            continue;
        }
        least = result->n_rounds < least ? result->n_rounds : least;
        most = result->n_rounds > most ? result->n_rounds : most;
    }
    if (most == 0 && n_open == 0)
        return;
    text_add(out, "round by round: ");
    if (most > 0)
        text_printf(out, "decided after %zu", least);
    if (most > least)
        text_printf(out, " to %zu", most);
    text_add(out, most > 0 ? " rounds" : "");
    if (n_open > 0)
        text_printf(out, "%s%zu not decided after %zu", most > 0 ? "; " : "", n_open, most_open);
    text_add(out, "\n");
}

static void write_tail(const struct compare_result *result, const struct compare_against *against,
                       struct text *out)
{
    write_reasons(against, out);
    write_scopes(against, out);
    write_sequence(against, out);
    if (result->n_against > 1)
        text_printf(out, "%s: ", against->side->name);
    add_counts(against, out);
    if (against->mean.n > 1) {
        text_printf(out, "; geometric mean of %zu ratios ", against->mean.n);
        compare_add_ratio(against->mean.theta, against->mean.low, against->mean.high, out);
    }
    text_add(out, "\n");
}

void compare_add_lines(const struct text *lines, int style, size_t width, struct text *out)
{
    enum { USUAL_WIDTH = 100 };
    const size_t most = style == TABLE_MARKDOWN ? SIZE_MAX : width ? width : USUAL_WIDTH;
    for (const char *at = text_get(lines); *at;) {
        const size_t n = strcspn(at, "\n") + 1;
        CLEANUP(text_free) struct text line = {0};
        if (style == TABLE_MARKDOWN && *at != '\n')
            text_add(out, *at == ' ' ? "  " : "- ");
        text_add_n(&line, at, n);
        text_add_wrapped(out, text_get(&line), 0, 2, most);
        at += n;
    }
}

/* ---- what programs read ---- */

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

/* What csv has of a case; json the same without the side and the unit. */
enum { UNIT = 6, CASE_VALUES = 23 };

static void make_values(const struct compare_result *result, const struct compare_against *against,
                        const struct compared *c, struct named_value ret[CASE_VALUES])
{
    const struct comparison *values = &c->result;
    const struct outcome *first = any_side(c)->first;
    const bool has_ratio = !isnan(values->theta);
    const struct named_value fields[CASE_VALUES] = {
        TEXT("side", against->side->name),
        TEXT("case", c->label),
        TEXT("bench", first->bench),
        TEXT("uid", first->uid),
        REAL("base", c->base_value),
        REAL("new", c->new_value),
        TEXT("unit", result->metric.unit),
        REAL("ratio", exp(values->theta)),
        REAL("low", has_ratio ? exp(values->low) : NAN),
        REAL("high", has_ratio ? exp(values->high) : NAN),
        REAL("p", values->p),
        REAL("adjusted_p", values->adjusted_p),
        TEXT("verdict", compared_word(values->verdict)),
        INTEGER("rounds_base", c->n_base),
        INTEGER("rounds_new", c->n_new),
        TEXT("form", form_of(c)),
        TEXT("scope", compared_scope_code(values->scope)),
        REAL("between_runs", values->scope == SCOPE_HISTORY ? values->between : NAN),
        INTEGER("rounds_needed", values->n_needed),
        BOOL("certified", c->is_certified),
        TEXT("conflict", c->conflict),
        TEXT("note", c->note),
        REAL("margin", values->has_margin ? values->margin : result->options->margin)};
    memcpy(ret, fields, sizeof fields);
}

static void write_csv(const struct compare_result *result, struct text *out)
{
    struct named_value fields[CASE_VALUES];
    text_add(out,
             "side,case,bench,uid,base,new,unit,ratio,low,high,p,adjusted_p,verdict,rounds_base,"
             "rounds_new,form,scope,between_runs,rounds_needed,certified,conflict,note,margin\n");
    for (size_t i = 0; i < result->n_against; i++)
        for (size_t j = 0; j < result->against[i].n; j++) {
            make_values(result, &result->against[i], &result->against[i].cases[j], fields);
            csv_values(out, fields, CASE_VALUES);
        }
}

/* ---- json ---- */

static void json_side(struct json_writer *json, const char *name, const struct compare_side *side)
{
    json_open(json, name, JSON_OBJECT);
    json_values(json, VALUES(TEXT("name", side->name), TEXT("file", side->path),
                             TEXT("tool", side->tool ? side->tool : "gbrun")));
    if (side->run && !side->tool)
        json_values(json, VALUES(INTEGER("run", side->run->number),
                                 TEXT("run_uuid", side->run->record.uuid),
                                 TEXT("started", side->run->record.started)));
    json_close(json, JSON_OBJECT);
}

static void json_case(struct json_writer *json, const struct compare_result *result,
                      const struct compare_against *against, const struct compared *c)
{
    struct named_value fields[CASE_VALUES];
    make_values(result, against, c, fields);
    json_row(json);
    json_values(json, fields + 1, UNIT - 1);
    json_values(json, fields + UNIT + 1, CASE_VALUES - UNIT - 1);
    json_close(json, JSON_OBJECT);
}

static void json_against(struct json_writer *json, const struct compare_result *result,
                         const struct compare_against *against)
{
    const struct geometric_mean *mean = &against->mean;
    json_row(json);
    json_side(json, "new", against->side);
    json_texts(json, "differences", against->differences, against->n_differences);
    json_real(json, "machine_ratio", against->machine != 0 ? exp(against->machine) : NAN);
    json_real(json, "machine_moved", against->moved != 0 ? exp(against->moved) : NAN);
    json_open(json, "counts", JSON_OBJECT);
    for (int v = 0; v < COMPARED_VERDICTS; v++)
        json_integer(json, compared_word(v), (int64_t)against->counts[v]);
    json_close(json, JSON_OBJECT);
    json_object(json, "geometric_mean",
                VALUES(INTEGER("n", mean->n), REAL("ratio", exp(mean->theta)),
                       REAL("low", mean->n > 1 ? exp(mean->low) : NAN),
                       REAL("high", mean->n > 1 ? exp(mean->high) : NAN)));
    json_open(json, "cases", JSON_ARRAY);
    for (size_t i = 0; i < against->n; i++)
        json_case(json, result, against, &against->cases[i]);
    json_close(json, JSON_ARRAY);
    json_close(json, JSON_OBJECT);
}

static void write_json(const struct compare_result *result, bool is_strict, struct text *out)
{
    struct json_writer json = {.out = out};
    json_open(&json, NULL, JSON_OBJECT);
    json_values(&json, VALUES(TEXT("format", "gbrun comparison 1"),
                              REAL("margin", result->options->margin),
                              REAL("confidence", result->options->confidence),
                              TEXT("metric", *result->metric.name ? result->metric.name : "time"),
                              TEXT("unit", result->metric.unit),
                              INTEGER("exit_code", compare_exit_code(result, is_strict))));
    json_side(&json, "base", result->base);
    json_open(&json, "comparisons", JSON_ARRAY);
    for (size_t i = 0; i < result->n_against; i++)
        json_against(&json, result, &result->against[i]);
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

void compare_junit_case(const char *classname, const char *name, const char *failure,
                        const char *message, struct text *out)
{
    text_add(out, "    <testcase");
    xml_add_attribute(out, "classname", classname);
    xml_add_attribute(out, "name", name);
    text_add(out, ">");
    if (message) {
        text_add(out, failure ? "<failure" : "<skipped");
        if (failure)
            xml_add_attribute(out, "type", failure);
        xml_add_attribute(out, "message", message);
        text_add(out, "/>");
    }
    text_add(out, "</testcase>\n");
}

static void junit_case(const struct compare_result *result, const struct compared *c,
                       bool is_strict, struct text *out)
{
    CLEANUP(text_free) struct text message = {0};
    int verdict = c->result.verdict;
    add_sentence(result, c, &message);
    const bool is_bad = compared_is_bad(verdict, is_strict) || verdict == COMPARED_FAILED;
    const bool is_skipped = verdict == COMPARED_SKIPPED || verdict == COMPARED_UNCLEAR;
    compare_junit_case(any_side(c)->first->bench, c->label, is_bad ? compared_word(verdict) : NULL,
                       is_bad || is_skipped ? text_get(&message) : NULL, out);
}

static void write_junit(const struct compare_result *result, bool is_strict, struct text *out)
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

static void github_text(const char *text, bool is_property, struct text *out)
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

void compare_github_error(const char *file, const char *title, const char *message,
                          struct text *out)
{
    text_add(out, "::error ");
    if (*file && !text_equal(file, "-")) {
        text_add(out, "file=");
        github_text(file, true, out);
        text_add(out, ",");
    }
    text_add(out, "title=");
    github_text(title, true, out);
    text_add(out, "::");
    github_text(message, false, out);
    text_add(out, "\n");
}

static void github_annotation(const struct compare_result *result, const struct compared *c,
                              struct text *out)
{
    CLEANUP(text_free) struct text message = {0};
    text_printf(&message, "%s: ", c->label);
    add_sentence(result, c, &message);
    compare_github_error(any_side(c)->run->record.config_path, compared_word(c->result.verdict),
                         text_get(&message), out);
}

static void write_github(const struct compare_result *result, bool is_strict, struct text *out)
{
    for (size_t i = 0; i < result->n_against; i++) {
        const struct compare_against *against = &result->against[i];
        CLEANUP(text_free) struct text counts = {0};
        for (size_t j = 0; j < against->n; j++) {
            int verdict = against->cases[j].result.verdict;
            if (compared_is_bad(verdict, is_strict) || verdict == COMPARED_FAILED)
                github_annotation(result, &against->cases[j], out);
        }
        add_counts(against, &counts);
        text_printf(out, "::notice title=gbrun compare::");
        github_text(against->side->name, false, out);
        text_printf(out, ": %s\n", text_get(&counts));
    }
}

void compare_write(const struct compare_result *result, int format, bool is_strict, size_t width,
                   bool has_colours, struct text *out)
{
    int style = format == COMPARE_MARKDOWN ? TABLE_MARKDOWN : TABLE_PLAIN;
    switch (format) {
    case COMPARE_CSV:
        write_csv(result, out);
        return;
    case COMPARE_JSON:
        write_json(result, is_strict, out);
        return;
    case COMPARE_JUNIT:
        write_junit(result, is_strict, out);
        return;
    case COMPARE_GITHUB:
        write_github(result, is_strict, out);
        return;
    default:
        break;
    }
    CLEANUP(text_free) struct text head = {0};
    CLEANUP(text_free) struct text tail = {0};
    write_heads(result, &head);
    compare_add_lines(&head, style, SIZE_MAX, out);
    if (result->n_against == 1)
        write_one(result, &result->against[0], style, width, has_colours, out);
    else
        write_several(result, style, width, has_colours, out);
    if (result->n_against == 1)
        text_add(out, "\n");
    for (size_t i = 0; i < result->n_against; i++)
        write_tail(result, &result->against[i], &tail);
    compare_add_lines(&tail, style, width, out);
}
