/* judgement.c - see judgement.h. */
#include "core/compare/judgement.h"

#include "core/base/json_writer.h"
#include "core/compare/compare_internal.h"
#include "core/compare/compare_text.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *word;
    int code;
} verdicts[] = {
#define JUDGED_ROW(name, word, code) {word, code},
    JUDGED_MAP(JUDGED_ROW)
#undef JUDGED_ROW
};

int judged_exit_code(int verdict)
{
    return verdicts[verdict].code;
}

/* ---- cases ---- */

static const int verdict_of_compared[COMPARED_VERDICTS] = {
    [COMPARED_SLOWER] = JUDGED_SLOWER,   [COMPARED_FASTER] = JUDGED_FASTER,
    [COMPARED_CHANGED] = JUDGED_SAME,    [COMPARED_SAME] = JUDGED_SAME,
    [COMPARED_UNCLEAR] = JUDGED_UNCLEAR, [COMPARED_BROKEN] = JUDGED_FAILED,
    [COMPARED_FIXED] = JUDGED_FAILED,    [COMPARED_FAILED] = JUDGED_FAILED,
    [COMPARED_MISSING] = JUDGED_FAILED,  [COMPARED_NEW] = JUDGED_FAILED,
    [COMPARED_SKIPPED] = JUDGED_FAILED};

static const struct compare_case *side_of(const struct compared *compared, int side)
{
    return side == SIDE_BASE ? compared->base : compared->new;
}

/* A status as a word for programs: "wrong_result". */
static const char *code_of_status(int status, struct arena *arena)
{
    char *code = arena_text(arena, case_status_word(status));
    for (char *at = code; *at; at++)
        *at = *at == ' ' ? '_' : *at;
    return code;
}

static void set_reason(struct judged_case *c, int side, const struct outcome *round,
                       struct arena *arena)
{
    c->side = side;
    c->code = code_of_status(round->status, arena);
    c->text = round->status_text;
    c->verdict = side == SIDE_BASE                     ? JUDGED_FAILED
                 : text_equal(c->code, "wrong_result") ? JUDGED_WRONG
                 : text_equal(c->code, "contradicted") ? JUDGED_CONTRADICTED
                                                       : JUDGED_FAILED;
}

/* Why it is no measurement: a round of the reference, without which nothing can be said of the
 * submission, else of the submission, that went wrong, or was skipped. */
static void find_reason(struct judged_case *c, struct arena *arena)
{
    for (int side = 0; side < SIDES && !*c->code; side++) {
        const struct compare_case *of_side = side_of(c->compared, side);
        const struct outcome *bad = of_side ? case_bad_round(of_side) : NULL;
        if (bad)
            set_reason(c, side, bad, arena);
    }
    for (int side = 0; side < SIDES && !*c->code; side++) {
        const struct compare_case *of_side = side_of(c->compared, side);
        if (of_side && of_side->n_rounds > 0 && case_is_skipped(of_side))
            set_reason(c, side, of_side->first, arena);
    }
    if (c->verdict == JUDGED_FAILED && !*c->code)
        c->code = "not_measured";
}

static struct geometric_mean time_of(const struct compare_case *c, double confidence)
{
    struct round_values values = {0};
    if (!c)
        return (struct geometric_mean){.theta = NAN};
    case_values(c, &values);
    size_t n = 0;
    for (size_t i = 0; i < values.n; i++)
        if (values.values[i] > 0)
            values.values[n++] = log(values.values[i]);
    const struct geometric_mean ret = compare_mean(values.values, n, confidence);
    values_free(&values);
    return ret;
}

/* One round is taken to vary as those of the other side do. */
static void widen_single(struct geometric_mean *time, const struct geometric_mean *other)
{
    if (time->n != 1 || other->n < 2)
        return;
    const double half_width = (other->high - other->theta) * sqrt((double)other->n);
    time->low = time->theta - half_width;
    time->high = time->theta + half_width;
}

static size_t count_visits(const struct compare_case *c)
{
    size_t n = 0;
    for (size_t i = 0; c && i < c->n_rounds; i++)
        n += c->rounds[i]->round < EARLIER_ROUND;
    return n;
}

static double count_compared(const struct judgement_facts *facts, const struct compare_case *c)
{
    double n = 0;
    for (size_t i = 0; i < facts->n_compared && c; i++)
        if (facts->compared[i].position == c->first->position && isfinite(facts->compared[i].value))
            n += facts->compared[i].value;
    return n;
}

static struct judged_case judge_case(const struct judgement *judgement,
                                     const struct compared *compared, struct arena *arena)
{
    const struct judgement_facts *facts = judgement->facts;
    const struct compare_case *any = compared->new ? compared->new : compared->base;
    struct judged_case c = {.compared = compared,
                            .verdict = verdict_of_compared[compared->result.verdict],
                            .code = "",
                            .text = compared->note,
                            .n_compared = count_compared(facts, compared->new)};
    find_reason(&c, arena);
    for (int side = 0; side < SIDES; side++)
        c.n_visits[side] = count_visits(side_of(compared, side));
    if (facts->tests && text_equal(any->first->bench, facts->tests)) {
        c.verdict = *c.code ? c.verdict : JUDGED_RIGHT;
        c.times[SIDE_BASE] = c.times[SIDE_NEW] = (struct geometric_mean){.theta = NAN};
        return c;
    }
    for (int side = 0; side < SIDES; side++)
        c.times[side] = time_of(side_of(compared, side), judgement->result->options->confidence);
    widen_single(&c.times[SIDE_NEW], &c.times[SIDE_BASE]);
    widen_single(&c.times[SIDE_BASE], &c.times[SIDE_NEW]);
    return c;
}

/* ---- the whole ---- */

static bool has_ratio(const struct judged_case *c)
{
    return c->verdict < JUDGED_RIGHT && !isnan(c->compared->result.theta);
}

static void find_mean(struct judgement *judgement)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < judgement->n; i++) {
        const struct comparison *result = &judgement->cases[i].compared->result;
        if (!has_ratio(&judgement->cases[i]))
            continue;
        const double half = fmax(result->high - result->theta, result->theta - result->low);
        sum += result->theta;
        squares += half * half;
        judgement->n_ratios++;
    }
    const double n = (double)judgement->n_ratios, half = sqrt(squares) / n;
    judgement->theta = sum / n;
    judgement->low = judgement->theta - half;
    judgement->high = judgement->theta + half;
}

struct judgement judgement_make(const struct compare_result *result,
                                const struct judgement_facts *facts, struct arena *arena)
{
    const struct compare_against *against = &result->against[0];
    struct judgement judgement = {.result = result, .facts = facts, .n = against->n};
    judgement.cases = ARENA_ARRAY(arena, struct judged_case, against->n + 1);
    for (size_t i = 0; i < against->n; i++) {
        struct judged_case *c = &judgement.cases[i];
        *c = judge_case(&judgement, &against->cases[i], arena);
        judgement.n_compared += c->n_compared;
        if (c->verdict > JUDGED_RIGHT &&
            (!judgement.worst || c->verdict > judgement.worst->verdict))
            judgement.worst = c;
    }
    find_mean(&judgement);
    const struct compare_sequence mean = {.sum = SEQUENCE_SETTLED * judgement.theta,
                                          .low = judgement.low,
                                          .high = judgement.high,
                                          .n = SEQUENCE_SETTLED};
    judgement.verdict =
        judgement.worst ? judgement.worst->verdict
        : judgement.n_ratios > 0
            ? verdict_of_compared[compare_sequence_verdict(&mean, result->options->margin, true)]
            : JUDGED_UNCLEAR;
    return judgement;
}

/* ---- json ---- */

/* Of NULL, or of a case that has none: null. */
static void json_reason(struct json_writer *json, const struct judged_case *c)
{
    if (!c || !*c->code) {
        json_text(json, "reason", NULL);
        return;
    }
    json_object(json, "reason",
                VALUES(TEXT("code", c->code), TEXT("side", side_words[c->side]),
                       TEXT("case", c->compared ? c->compared->label : NULL),
                       TEXT("text", c->text)));
}

static void json_time(struct json_writer *json, const char *name, const struct judged_case *c,
                      int side)
{
    const struct geometric_mean *time = &c->times[side];
    const bool is_known = time->n > 0 && isfinite(time->low);
    json_object(json, name,
                VALUES(REAL("ns", exp(time->theta)),
                       REAL("low_ns", is_known ? exp(time->low) : NAN),
                       REAL("high_ns", is_known ? exp(time->high) : NAN),
                       INTEGER("rounds", time->n), INTEGER("visits", c->n_visits[side])));
}

/* How many times as fast as the base, of ln of new / base. */
static void json_speedup(struct json_writer *json, double theta, double low, double high)
{
    json_object(json, "speedup",
                VALUES(REAL("value", exp(-theta)), REAL("low", isfinite(high) ? exp(-high) : NAN),
                       REAL("high", isfinite(low) ? exp(-low) : NAN)));
}

static void json_shape(struct json_writer *json, const struct compared *compared)
{
    const struct compare_case *any = compared->new ? compared->new : compared->base;
    json_open(json, "shape", JSON_OBJECT);
    for (size_t i = 0; i < any->first->n_parameters; i++) {
        const struct outcome_parameter *parameter = &any->first->parameters[i];
        const char *name = parameter->name;
        if (parameter->is_axis && !text_equal(name, SIDE_AXIS))
            json_text(json, text_starts_with(name, "arg.") ? name + strlen("arg.") : name,
                      parameter->value);
    }
    json_close(json, JSON_OBJECT);
}

static void json_case(struct json_writer *json, const struct judged_case *c)
{
    const struct comparison *result = &c->compared->result;
    const bool is_known = has_ratio(c);
    json_open(json, NULL, JSON_OBJECT);
    json_text(json, "case", c->compared->label);
    json_shape(json, c->compared);
    json_text(json, "verdict", verdicts[c->verdict].word);
    json_bool(json, "right", c->verdict <= JUDGED_RIGHT);
    json_reason(json, c);
    json_time(json, "base", c, SIDE_BASE);
    json_time(json, "new", c, SIDE_NEW);
    json_speedup(json, is_known ? result->theta : NAN, is_known ? result->low : NAN,
                 is_known ? result->high : NAN);
    json_real(json, "outputs_compared", c->n_compared);
    json_close(json, JSON_OBJECT);
}

static void json_facts(struct json_writer *json, const struct judgement *judgement)
{
    const struct judgement_facts *facts = judgement->facts;
    const struct compare_options *options = judgement->result ? judgement->result->options : NULL;
    json_values(json,
                VALUES(TEXT("submission", facts->submission), TEXT("reference", facts->reference),
                       TEXT("against", facts->is_compiled ? "compiled" : "reference"),
                       REAL("margin", options ? options->margin : NAN),
                       REAL("confidence", options ? options->confidence : NAN),
                       REAL("outputs_compared", judgement->n_compared)));
    json_texts(json, "limits", facts->limits, facts->n_limits);
    json_real(json, "seconds", facts->seconds);
}

void judgement_write_json(const struct judgement *judgement, struct text *out)
{
    struct json_writer json = {.out = out};
    json_open(&json, NULL, JSON_OBJECT);
    if (judgement->facts->id) {
        text_printf(out, "\"id\":%s", judgement->facts->id);
        json.needs_comma = true;
    }
    json_text(&json, "verdict", verdicts[judgement->verdict].word);
    json_bool(&json, "right", judgement->verdict <= JUDGED_RIGHT);
    json_reason(&json, judgement->worst);
    const bool is_known = judgement->n_ratios > 0;
    json_speedup(&json, is_known ? judgement->theta : NAN, is_known ? judgement->low : NAN,
                 is_known ? judgement->high : NAN);
    json_open(&json, "cases", JSON_ARRAY);
    for (size_t i = 0; i < judgement->n; i++)
        json_case(&json, &judgement->cases[i]);
    json_close(&json, JSON_ARRAY);
    json_facts(&json, judgement);
    json_close(&json, JSON_OBJECT);
    text_add(out, "\n");
}

/* ---- for people ---- */

/* "3.59 us [3.41, 3.77]" */
static void add_time(const struct outcome_metric *metric, const struct geometric_mean *time,
                     struct text *out)
{
    compare_add_value(metric, exp(time->theta), out);
    if (!isfinite(time->low))
        return;
    const double unit_ns = time_unit_of(exp(time->theta))->ns;
    text_printf(out, " [%s, ", DOUBLE_TEXT(round(exp(time->low) / unit_ns * 1000) / 1000));
    text_printf(out, "%s]", DOUBLE_TEXT(round(exp(time->high) / unit_ns * 1000) / 1000));
}

static void add_row(struct table *table, const struct judgement *judgement,
                    const struct judged_case *c)
{
    static const int colours[JUDGED_VERDICTS] = {
        [JUDGED_FASTER] = COLOUR_GOOD, [JUDGED_RIGHT] = COLOUR_GOOD,
        [JUDGED_SLOWER] = COLOUR_BAD,  [JUDGED_UNCLEAR] = COLOUR_DOUBT,
        [JUDGED_FAILED] = COLOUR_BAD,  [JUDGED_CONTRADICTED] = COLOUR_BAD,
        [JUDGED_WRONG] = COLOUR_BAD};
    const struct comparison *result = &c->compared->result;
    table_row(table);
    table_cell(table, c->compared->label);
    for (int side = 0; side < SIDES; side++)
        add_time(&judgement->result->metric, &c->times[side], table_words(table));
    struct text *ratio = table_words(table);
    if (has_ratio(c))
        compare_add_ratio(-result->theta, -result->high, -result->low, ratio);
    table_cell_printf(table, "%.0f", c->n_compared);
    table_cell(table, verdicts[c->verdict].word);
    table_colour(table, colours[c->verdict]);
}

static void add_reasons(const struct judgement *judgement, struct text *out)
{
    for (size_t i = 0; i < judgement->n; i++) {
        const struct judged_case *c = &judgement->cases[i];
        if (*c->text && c->verdict != JUDGED_RIGHT)
            text_printf(out, "%s: %s: %s%s\n", verdicts[c->verdict].word, c->compared->label,
                        *c->code && c->side == SIDE_BASE ? "the reference: " : "", c->text);
    }
}

static void add_tail(const struct judgement *judgement, struct text *out)
{
    text_printf(out, "outputs compared: %.0f; limits: ", judgement->n_compared);
    text_add_joined(out, WORDS_OF(judgement->facts->limits, judgement->facts->n_limits));
    text_printf(out, "\nverdict: %s", verdicts[judgement->verdict].word);
    if (judgement->n_ratios > 0) {
        text_printf(out, "; speed-up %s",
                    judgement->facts->is_compiled ? "over the compiled reference " : "");
        compare_add_ratio(-judgement->theta, -judgement->high, -judgement->low, out);
    }
    if (judgement->n_ratios > 1)
        text_printf(out, ", geometric mean of %zu", judgement->n_ratios);
    text_add(out, "\n");
}

void judgement_write(const struct judgement *judgement, int style, size_t width, bool has_colours,
                     struct text *out)
{
    CLEANUP(table_free) struct table table = {0};
    CLEANUP(text_free) struct text tail = {0};
    table_columns(&table, "case|base|new|speed-up|>compared|verdict");
    for (size_t i = 0; i < judgement->n; i++)
        add_row(&table, judgement, &judgement->cases[i]);
    compare_write_fitting(&table, style, width, has_colours, out);
    text_add(out, "\n");
    add_reasons(judgement, &tail);
    add_tail(judgement, &tail);
    compare_add_lines(&tail, style, width, out);
}
