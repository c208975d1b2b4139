/*
 * call_expect.c - what is expected of a call: its result, its buffers, its status; see
 * call_maker.h. Plugin side.
 */
#include "call_maker.h"

#include <string.h>

bool is_number(const struct type *type)
{
    return type_kind(type) == KIND_INTEGER || type_kind(type) == KIND_FLOAT;
}

bool plan_expects(const struct plan *plan)
{
    bool expects = plan->expect.kind != EXPECT_NONE || plan->expected_struct.n > 0;
    for (size_t i = 0; i < plan->n_entries; i++) {
        const struct value *value = &plan->entries[i].value;
        expects |= value->kind == VALUE_BUFFER && value->buffer.expect.kind != EXPECT_NONE;
    }
    return expects;
}

bool plan_compares(const struct plan *plan)
{
    return plan->has_reference || plan_expects(plan);
}

bool plan_compares_structs(const struct plan *plan)
{
    const struct type *own = &plan->routine.signature.result;
    const struct type *other = &plan->reference.signature.result;
    return plan->has_reference && own->id == TYPE_STRUCT && other->id == TYPE_STRUCT &&
           own->n_members == other->n_members &&
           memcmp(own->members, other->members, own->n_members * sizeof own->members[0]) == 0 &&
           memcmp(own->offsets, other->offsets, own->n_members * sizeof own->offsets[0]) == 0;
}

static void check_expected_struct(const struct maker *maker)
{
    struct value *value = &maker->plan->expected_struct;
    if (!maker_took(maker, "expect",
                    parse_value(maker->plan->params->expect, value, maker->problem)))
        return;
    check_type(maker, "expect", value->at, value, &maker->plan->routine.signature.result);
    for (size_t i = 0; i < value->n && value->kind == VALUE_STRUCT; i++)
        if (value->names[i].n > 0)
            report(maker->reporter, "expect", value->at,
                   "member %zu, '%.*s', cannot be compared: expected numbers only", i + 1,
                   (int)value->names[i].n, value->names[i].text);
}

void check_expected_return(const struct maker *maker)
{
    struct plan *plan = maker->plan;
    const struct type *result = &plan->routine.signature.result;
    const struct expectation *expect = &plan->expect;
    const bool is_pointer = type_kind(result) == KIND_POINTER;
    if (*plan->params->expect == '\0')
        return;
    if (result->id == TYPE_STRUCT) {
        check_expected_struct(maker);
        return;
    }
    /* Of a text the quotes are not left: the reader of options takes them off. */
    if (result->id == TYPE_STRING && strcmp(plan->params->expect, "null") != 0 &&
        strncmp(plan->params->expect, "arg.", 4) != 0) {
        plan->expect.kind = EXPECT_TEXT;
        plan->expect.text = (struct span){plan->params->expect, strlen(plan->params->expect)};
    } else if (!maker_took(
                   maker, "expect",
                   parse_expectation(plan->params->expect, &plan->expect, maker->problem))) {
        return;
    } else if (expect->kind == EXPECT_NUMBER &&
               (!is_number(result) || !number_fits(&expect->number, result->id))) {
        char words[OPTION_BYTES];
        type_words(result, words);
        report(maker->reporter, "expect", expect->at,
               "%.17g cannot be what the function returns, which is %s", expect->number.value,
               words);
    } else if (expect->kind == EXPECT_TEXT) {
        report(maker->reporter, "expect", expect->at,
               "a text is expected of functions that return a string only");
    } else if (expect->kind == EXPECT_NAME) {
        if (!is_pointer)
            report(maker->reporter, "expect", expect->at,
                   "an address is expected of functions that return a pointer only");
        else if (!span_is(expect->text, "null") && plan_entry(plan, expect->text) == NULL)
            report(maker->reporter, "expect", expect->at, "unknown name '%.*s': expected arg.N",
                   (int)expect->text.n, expect->text.text);
    }
}

void check_expected_output(const struct maker *maker, const struct entry *entry)
{
    const struct buffer *buffer = &entry->value.buffer;
    const struct expectation *expect = &buffer->expect;
    char option[OPTION_BYTES];
    entry_option(entry, option);
    if (expect->kind == EXPECT_TEXT &&
        (unquote(expect->text, NULL) >= buffer->n || type_info(buffer->element)->bytes != 1))
        report(maker->reporter, option, expect->at,
               "a text of %zu bytes and its end cannot stand in this buffer", expect->text.n);
    if (expect->kind != EXPECT_NAME)
        return;
    const struct entry *other = plan_resolve(maker->plan, plan_entry(maker->plan, expect->text));
    if (other == NULL || other->value.kind != VALUE_BUFFER || other == entry)
        report(maker->reporter, option, expect->at, "'%.*s' is no other buffer of arg",
               (int)expect->text.n, expect->text.text);
    else if (other->value.buffer.element != buffer->element || other->value.buffer.n != buffer->n)
        report(maker->reporter, option, expect->at,
               "'%.*s' has other elements, or another number of them", (int)expect->text.n,
               expect->text.text);
}

void check_ok(const struct maker *maker)
{
    struct plan *plan = maker->plan;
    if (*plan->params->ok == '\0')
        return;
    plan->has_ok = maker_took(maker, "ok",
                              parse_number(plan->params->ok, &plan->ok, maker->problem));
    if (plan->has_ok && !plan->ok.is_integer)
        report(maker->reporter, "ok", 0, "a status is a whole number");
}

/* Is the status one that a function of this type can return? Counts those that return any. */
static void check_status_type(const struct maker *maker, enum type_id type, size_t *n_returning)
{
    const struct number *ok = &maker->plan->ok;
    if (type == TYPE_STRUCT || type_info(type)->kind != KIND_INTEGER)
        return;
    ++*n_returning;
    if (!number_fits(ok, type))
        report(maker->reporter, "ok", 0, "%.17g cannot be a status of a function that returns %s",
               ok->value, type_info(type)->name);
}

void check_statuses(const struct maker *maker)
{
    const struct plan *plan = maker->plan;
    size_t n_returning = 0;
    if (!plan->has_ok || !plan->ok.is_integer)
        return;
    check_status_type(maker, plan->routine.signature.result.id, &n_returning);
    for (size_t i = 0; i < plan->n_before; i++)
        if (plan->before[i].result.n == 0)
            check_status_type(maker, plan->before[i].type, &n_returning);
    for (size_t i = 0; i < plan->n_after; i++)
        if (plan->after[i].result.n == 0)
            check_status_type(maker, plan->after[i].type, &n_returning);
    if (n_returning == 0)
        report(maker->reporter, "ok", 0, "no function here returns an integer, which a status is");
}
