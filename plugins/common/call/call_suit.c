/* call_suit.c - whether a value suits the type of a parameter; see call_maker.h. Plugin side. */
#include "call_maker.h"

#include <stdio.h>

static const char *value_words(const struct value *value)
{
    static const char *const words[] = {
        [VALUE_NUMBER] = "a number",     [VALUE_TEXT] = "a text",
        [VALUE_NULL] = "null",           [VALUE_STREAM] = "a stream",
        [VALUE_BUFFER] = "a buffer",     [VALUE_CONSTANT] = "a constant's address",
        [VALUE_STRUCT] = "a struct",     [VALUE_COMPARE] = "a function",
        [VALUE_CALLBACK] = "a function", [VALUE_SYMBOL] = "an address",
        [VALUE_OUT] = "an address",      [VALUE_NAME] = "a value of 'before'",
    };
    return words[value->kind];
}

void type_words(const struct type *type, char words[OPTION_BYTES])
{
    if (type->id == TYPE_STRUCT)
        snprintf(words, OPTION_BYTES, "a struct of %zu", type->n_members);
    else
        snprintf(words, OPTION_BYTES, "%s", type_info(type->id)->name);
}

/* A name that stands in a struct. */
static void check_part(const struct maker *maker, const char *option, size_t at, struct span name,
                       const struct type *type)
{
    const struct entry *entry = plan_entry(maker->plan, name);
    const struct entry *resolved = plan_resolve(maker->plan, entry);
    const struct value unresolved = {.kind = span_is(name, "null") ? VALUE_NULL : VALUE_NAME};
    if (unresolved.kind == VALUE_NAME && entry == NULL &&
        plan_variable(maker->plan, name) == VARIABLES_MAX)
        report(
            maker->reporter, option, at,
            "unknown name '%.*s': expected null, arg.N, a key of arg, or a name that 'before' sets",
            (int)name.n, name.text);
    else
        check_type(maker, option, at, resolved != NULL ? &resolved->value : &unresolved, type);
}

static void check_struct(const struct maker *maker, const char *option, const struct value *value,
                         const struct type *type)
{
    if (value->n != type->n_members) {
        report(maker->reporter, option, value->at,
               "a struct of %zu number%s: expected %zu, as the signature says", value->n,
               value->n == 1 ? "" : "s", type->n_members);
        return;
    }
    for (size_t i = 0; i < value->n; i++)
        if (value->names[i].n > 0)
            check_part(maker, option, value->at, value->names[i],
                       &(struct type){.id = type->members[i]});
        else if (type_info(type->members[i])->kind == KIND_POINTER ||
                 !number_fits(&value->numbers[i], type->members[i]))
            report(maker->reporter, option, value->at, "member %zu, %.17g, does not fit %s", i + 1,
                   value->numbers[i].value, type_info(type->members[i])->name);
}

void check_type(const struct maker *maker, const char *option, size_t at, const struct value *value,
                const struct type *type)
{
    char words[OPTION_BYTES];
    type_words(type, words);
    const enum type_kind kind = type_kind(type);
    if (kind == KIND_STRUCT && value->kind == VALUE_STRUCT) {
        check_struct(maker, option, value, type);
        return;
    }
    if (value->kind == VALUE_NUMBER && kind != KIND_POINTER && kind != KIND_STRUCT) {
        if (!number_fits(&value->numbers[0], type->id))
            report(maker->reporter, option, at, "%.17g does not fit the parameter, which is %s",
                   value->numbers[0].value, words);
        return;
    }
    const bool is_variable = value->kind == VALUE_NAME;
    const bool is_address = value->kind != VALUE_NUMBER && value->kind != VALUE_STRUCT;
    if ((kind == KIND_POINTER && is_address) || (kind == KIND_INTEGER && is_variable))
        return;
    report(maker->reporter, option, at, "%s where %s is needed%s", value_words(value), words,
           kind == KIND_POINTER
               ? ": expected an address, such as buffer(...), constant(...) or null"
               : "");
}
