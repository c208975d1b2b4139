/* call_maker.c - reads and checks all that makes a plan; see call_plan.h. Plugin side. */
#include "call_plan.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPTION_BYTES = 64 };

struct maker {
    struct plan *plan;
    struct reporter *reporter;
    struct problem *problem; /* where parsers put what they find */
    bool *is_unsound;        /* an entry has no value, or a name leads nowhere */
};

/* "arg.1" */
static void entry_option(const struct entry *entry, char name[OPTION_BYTES])
{
    snprintf(name, OPTION_BYTES, "%s.%s", entry->map, entry->key);
}

/* Returns whether a parser took the text of an option; what it found is reported if not. */
static bool maker_took(const struct maker *maker, const char *option, bool is_parsed)
{
    if (!is_parsed)
        report(maker->reporter, option, maker->problem->at, "%s", maker->problem->text);
    return is_parsed;
}

/* ---- whether a value suits a type ---- */

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

/* The name of a type for a message. */
static void type_words(const struct type *type, char words[OPTION_BYTES])
{
    if (type->id == TYPE_STRUCT)
        snprintf(words, OPTION_BYTES, "a struct of %zu", type->n_members);
    else
        snprintf(words, OPTION_BYTES, "%s", type_info(type->id)->name);
}

static void check_type(const struct maker *maker, const char *option, size_t at,
                       const struct value *value, const struct type *type);

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

/* Whether it suits a parameter. `value` is what the argument resolves to, `at` where it was
 * written.
 */
static void check_type(const struct maker *maker, const char *option, size_t at,
                       const struct value *value, const struct type *type)
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

/* ---- names ---- */

/* The last name of a chain that ends in a variable, or in nothing; NULL: it leads in a circle. */
static const struct value *last_name(const struct plan *plan, const struct entry *entry)
{
    const struct entry *next = entry;
    for (size_t i = 0; next != NULL && i <= plan->n_entries; i++) {
        entry = next;
        next = entry->value.kind == VALUE_NAME ? plan_entry(plan, entry->value.text) : NULL;
    }
    return next == NULL ? &entry->value : NULL;
}

/* Names lead to what was given before them, so that they never lead in a circle. */
static void check_name(const struct maker *maker, const struct entry *entry)
{
    const struct value *value = &entry->value;
    char option[OPTION_BYTES];
    entry_option(entry, option);
    const struct entry *meant = plan_entry(maker->plan, value->text);
    const bool is_variable = plan_variable(maker->plan, value->text) < VARIABLES_MAX;
    const bool is_own_map = strcmp(entry->map, "arg") == 0;
    if (meant == NULL && !is_variable)
        report(maker->reporter, option, value->at,
               "unknown name '%.*s': expected arg.N, a key of arg, or a name that 'before' sets",
               (int)value->text.n, value->text.text);
    else if (meant != NULL && is_own_map && meant >= entry)
        report(maker->reporter, option, value->at, "arg.%s is given later: move it up", meant->key);
    else if (meant == NULL && value->offset != 0)
        report(maker->reporter, option, value->at,
               "nothing can be added to '%.*s', which 'before' sets", (int)value->text.n,
               value->text.text);
}

static void check_argument(const struct maker *maker, const struct entry *entry,
                           const struct type *type)
{
    char option[OPTION_BYTES];
    entry_option(entry, option);
    const struct entry *resolved = plan_resolve(maker->plan, entry);
    check_type(maker, option, entry->value.at, resolved != NULL ? &resolved->value : &entry->value,
               type);
    if (entry->value.kind == VALUE_NAME && entry->value.offset != 0 && resolved != NULL &&
        resolved->value.kind == VALUE_NUMBER)
        report(maker->reporter, option, entry->value.at, "bytes can be added to an address only");
}

/* ---- arguments ---- */

static bool read_place(const char *key, size_t *ret)
{
    const size_t n = strspn(key, "0123456789");
    if (n == 0 || key[n] != '\0')
        return false;
    *ret = strtoul(key, NULL, 10) -
           1; /* of "0", and of numbers that are too large: more than any */
    return true;
}

static void read_entry(const struct maker *maker, struct entry *entry, bool may_be_name)
{
    static const char *const taken[] = {"null", "stream", "out", "arg"};
    char option[OPTION_BYTES];
    entry_option(entry, option);
    entry->place = NOT_AN_ARGUMENT;
    if (read_place(entry->key, &entry->place)) {
        if (entry->place >= PARAMETERS_MAX)
            report(maker->reporter, option, 0, "arguments are numbered from 1 to %d",
                   PARAMETERS_MAX);
    } else if (!may_be_name || !text_is_word(entry->key)) {
        report(maker->reporter, option, 0, "'%s' is not an argument: expected %s.1, %s.2, ...%s",
               entry->key, entry->map, entry->map, may_be_name ? " or arg.NAME" : "");
    }
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++)
        if (strcmp(entry->key, taken[i]) == 0)
            report(maker->reporter, option, 0, "'%s' is a reserved name: choose another one",
                   entry->key);
    if (!maker_took(maker, option, parse_value(entry->text, &entry->value, maker->problem)))
        *maker->is_unsound = true;
    else if (entry->value.kind == VALUE_OUT)
        report(maker->reporter, option, entry->value.at,
               "'out' belongs to calls of 'before': expected a buffer or constant here");
}

static void read_entries(const struct maker *maker, const struct gb_map *map, const char *name,
                         struct entry *entries)
{
    for (uint64_t i = 0; i < map->n; i++) {
        entries[i] = (struct entry){.map = name, .key = map->keys[i], .text = map->values[i]};
        read_entry(maker, &entries[i], strcmp(name, "arg") == 0);
    }
}

/* As C has it: a number with a point or an exponent is a double, another one an int if it fits; all
 * else is an address. */
static enum type_id type_behind_dots(const struct maker *maker, const struct entry *entry)
{
    const struct entry *resolved = plan_resolve(maker->plan, entry);
    if (resolved == NULL || resolved->value.kind != VALUE_NUMBER)
        return TYPE_POINTER;
    const char *text = resolved->text + resolved->value.at;
    text += strspn(text, "+-0123456789");
    return *text == '.' || *text == 'e' || *text == 'E' ? TYPE_DOUBLE
                                                        : number_type(&resolved->value.numbers[0]);
}

/* Where "..." is the last of a signature, the arguments say what stands behind it. */
static void add_behind_dots(const struct maker *maker, const struct entry *entries, size_t n,
                            struct signature *signature)
{
    if (!signature->is_variadic || signature->n > signature->n_fixed)
        return;
    for (size_t i = 0; i < n; i++) {
        const size_t place = entries[i].place;
        if (place >= NOT_AN_ARGUMENT || place < signature->n_fixed)
            continue;
        signature->parameters[place].id = type_behind_dots(maker, &entries[i]);
        signature->n = place >= signature->n ? place + 1 : signature->n;
    }
}

/* Gives each parameter its argument. */
static void bind(const struct maker *maker, const struct entry *entries, size_t n, const char *map,
                 const char *signature_option, struct routine *routine)
{
    struct signature *signature = &routine->signature;
    char option[OPTION_BYTES];
    add_behind_dots(maker, entries, n, signature);
    for (size_t i = 0; i < n; i++) {
        const struct entry *entry = &entries[i];
        if (entry->place >= NOT_AN_ARGUMENT)
            continue;
        entry_option(entry, option);
        if (entry->place >= signature->n)
            report(maker->reporter, option, 0, "the signature has %zu parameter%s only%s",
                   signature->n, signature->n == 1 ? "" : "s",
                   signature->is_variadic
                       ? ": write the types of all variadic arguments after '...'"
                       : "");
        else if (routine->arguments[entry->place] != NULL)
            report(maker->reporter, option, 0, "argument %zu is given twice", entry->place + 1);
        else
            routine->arguments[entry->place] = entry;
    }
    for (size_t i = 0; i < signature->n; i++) {
        if (routine->arguments[i] == NULL)
            report(maker->reporter, signature_option, 0,
                   "it has %zu parameter%s, but %s.%zu is missing", signature->n,
                   signature->n == 1 ? "" : "s", map, i + 1);
        else
            check_argument(maker, routine->arguments[i], &signature->parameters[i]);
    }
}

/* ---- what is expected: of the result, of a buffer, of statuses ---- */

static bool is_number(const struct type *type)
{
    return type_kind(type) == KIND_INTEGER || type_kind(type) == KIND_FLOAT;
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

static void check_expected_return(const struct maker *maker)
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
               "a text can only be expected of a function that returns a string");
    } else if (expect->kind == EXPECT_NAME) {
        if (!is_pointer)
            report(maker->reporter, "expect", expect->at,
                   "an address can only be expected of a function that returns a pointer");
        else if (!span_is(expect->text, "null") && plan_entry(plan, expect->text) == NULL)
            report(maker->reporter, "expect", expect->at, "unknown name '%.*s': expected arg.N",
                   (int)expect->text.n, expect->text.text);
    }
}

static void check_expected_output(const struct maker *maker, const struct entry *entry)
{
    const struct buffer *buffer = &entry->value.buffer;
    const struct expectation *expect = &buffer->expect;
    char option[OPTION_BYTES];
    entry_option(entry, option);
    if (expect->kind == EXPECT_TEXT &&
        (unquote(expect->text, NULL) >= buffer->n || type_info(buffer->element)->bytes != 1))
        report(maker->reporter, option, expect->at,
               "a text of %zu bytes with its terminator does not fit this buffer", expect->text.n);
    if (expect->kind != EXPECT_NAME)
        return;
    const struct entry *other = plan_resolve(maker->plan, plan_entry(maker->plan, expect->text));
    if (other == NULL || other->value.kind != VALUE_BUFFER || other == entry)
        report(maker->reporter, option, expect->at, "'%.*s' is not another buffer of arg",
               (int)expect->text.n, expect->text.text);
    else if (other->value.buffer.element != buffer->element || other->value.buffer.n != buffer->n)
        report(maker->reporter, option, expect->at,
               "'%.*s' has elements of a different type or number", (int)expect->text.n,
               expect->text.text);
}

static void check_ok(const struct maker *maker)
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

static void check_statuses(const struct maker *maker)
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
        report(maker->reporter, "ok", 0,
               "no function here returns an integer, as a status must be");
}

/* ---- work.NAME ---- */

static void check_work(const struct maker *maker)
{
    struct plan *plan = maker->plan;
    const struct gb_map *map = &plan->params->work;
    const struct {
        const char *key;
        double *to;
    } rates[] = {{"flops", &plan->work.flops},
                 {"bytes_read", &plan->work.bytes_read},
                 {"bytes_written", &plan->work.bytes_written},
                 {"items", &plan->work.items}};
    enum { N_RATES = sizeof rates / sizeof rates[0] };
    char option[OPTION_BYTES];
    struct number number;
    for (uint64_t i = 0; i < map->n; i++) {
        size_t k = 0;
        snprintf(option, sizeof option, "work.%s", map->keys[i]);
        while (k < N_RATES && strcmp(map->keys[i], rates[k].key) != 0)
            k++;
        if (strcmp(map->keys[i], "item") == 0)
            plan->work.item = map->values[i];
        else if (strcmp(map->keys[i], "math") == 0)
            maker_took(maker, option,
                       parse_math(map->values[i], &plan->work.math_format, &plan->work.math_unit,
                                  maker->problem));
        else if (k == N_RATES)
            report(maker->reporter, option, 0,
                   "unknown kind of work: expected work.flops, work.math, work.bytes_read, "
                   "work.bytes_written, work.items or work.item");
        else if (!maker_took(maker, option, parse_number(map->values[i], &number, maker->problem)))
            continue;
        else if (!(number.value >= 0.0 && number.value <= DBL_MAX))
            report(maker->reporter, option, 0, "%.17g is out of range: expected 0 or more",
                   number.value);
        else
            *rates[k].to = number.value;
    }
}

/* ---- calls ---- */

static void add_variable(const struct maker *maker, const char *option, size_t at, struct span name)
{
    struct plan *plan = maker->plan;
    if (plan_entry(plan, name) != NULL)
        report(maker->reporter, option, at, "'%.*s' is also a key of arg: choose another name",
               (int)name.n, name.text);
    if (plan_variable(plan, name) < VARIABLES_MAX)
        return;
    if (plan->n_variables == VARIABLES_MAX)
        report(maker->reporter, option, at, "too many names: expected up to %d", VARIABLES_MAX);
    else
        plan->variables[plan->n_variables++] = name;
}

static void check_call_argument(const struct maker *maker, const char *option,
                                const struct call_argument *argument)
{
    const struct value *value = &argument->value;
    const struct entry *entry = value->kind == VALUE_NAME ? plan_entry(maker->plan, value->text)
                                                          : NULL;
    const struct entry *resolved = entry != NULL ? plan_resolve(maker->plan, entry) : NULL;
    const struct value *last = entry != NULL && resolved == NULL ? last_name(maker->plan, entry)
                                                                 : NULL;
    if (value->kind == VALUE_STRUCT || (resolved != NULL && resolved->value.kind == VALUE_STRUCT))
        report(maker->reporter, option, value->at, "a call here takes no structs");
    else if (value->kind == VALUE_NAME && entry == NULL &&
             plan_variable(maker->plan, value->text) == VARIABLES_MAX)
        report(maker->reporter, option, value->at,
               "unknown name '%.*s': expected arg.N, a key of arg, or a name that an earlier call "
               "sets",
               (int)value->text.n, value->text.text);
    else if (last != NULL && plan_variable(maker->plan, last->text) == VARIABLES_MAX)
        report(maker->reporter, option, value->at,
               "'%.*s' stands for '%.*s', which no earlier call sets", (int)value->text.n,
               value->text.text, (int)last->text.n, last->text.text);
    else if (argument->has_type) {
        const struct type type = {.id = argument->type};
        check_type(maker, option, value->at, resolved != NULL ? &resolved->value : value, &type);
    }
}

static struct call *read_calls(const struct maker *maker, const char *option, const char *text,
                               size_t *ret_n)
{
    const struct gb_host *host = maker->plan->host;
    struct call *calls = host->allocate(host, *text != '\0' ? CALLS_MAX * sizeof *calls : 0);
    if (calls != NULL &&
        !maker_took(maker, option, parse_calls(text, calls, ret_n, maker->problem)))
        *ret_n = 0;
    return calls;
}

static void check_calls(const struct maker *maker, const char *option, const struct call *calls,
                        size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct call *call = &calls[i];
        for (size_t j = 0; j < call->n; j++)
            check_call_argument(maker, option, &call->arguments[j]);
        for (size_t j = 0; j < call->n; j++)
            if (call->arguments[j].value.kind == VALUE_OUT)
                add_variable(maker, option, call->arguments[j].value.at,
                             call->arguments[j].value.text);
        if (call->result.n == 0)
            continue;
        const enum type_kind kind = type_info(call->type)->kind;
        if (kind != KIND_INTEGER && kind != KIND_POINTER)
            report(maker->reporter, option, call->at,
                   "only integers and addresses can be kept, not '%s'",
                   type_info(call->type)->name);
        add_variable(maker, option, call->at, call->result);
    }
}

/* ---- the whole ---- */

static void check_reference(const struct maker *maker)
{
    struct plan *plan = maker->plan;
    const struct params *params = plan->params;
    const bool has_own = *params->reference_signature != '\0';
    plan->has_reference = *params->reference != '\0';
    if (!plan->has_reference) {
        if (has_own || params->ref.n > 0 || params->reference_library.n > 0)
            report(maker->reporter, has_own ? "reference_signature" : "reference", 0,
                   "it needs 'reference', the function that it is about");
        return;
    }
    plan->reference.signature = plan->routine.signature;
    if (has_own && !maker_took(maker, "reference_signature",
                               parse_signature(params->reference_signature,
                                               &plan->reference.signature, maker->problem)))
        return;
    const bool has_ref = params->ref.n > 0;
    bind(maker, has_ref ? plan->ref_entries : plan->entries,
         has_ref ? plan->n_ref_entries : plan->n_entries, has_ref ? "ref" : "arg",
         has_own ? "reference_signature" : "signature", &plan->reference);
    bool compares = is_number(&plan->routine.signature.result) &&
                    is_number(&plan->reference.signature.result) && !plan->has_ok;
    compares = compares || plan_compares_structs(plan);
    for (size_t i = 0; i < plan->n_entries; i++)
        compares = compares || (plan->entries[i].value.kind == VALUE_BUFFER &&
                                plan->entries[i].value.buffer.is_out);
    if (!compares)
        report(maker->reporter, "reference", 0,
               "there is nothing to compare: mark the buffers that the function writes with 'out'");
}

/* By its option, or by the signature where that is a prototype. */
static void find_name(const struct maker *maker)
{
    struct plan *plan = maker->plan;
    const struct span of_signature = plan->routine.signature.name;
    const char *given = plan->params->function;
    if (*given == '\0')
        plan->function = of_signature;
    if (plan->function.n == 0)
        report(maker->reporter, "function", 0,
               "it is empty: expected the name of a function, here or in the signature");
    else if (of_signature.n > 0 && !span_equal(of_signature, plan->function))
        report(maker->reporter, "signature", (size_t)(of_signature.text - plan->params->signature),
               "it is that of '%.*s': expected the function's, '%s'", (int)of_signature.n,
               of_signature.text, given);
}

static void check_arguments(const struct maker *maker)
{
    struct plan *plan = maker->plan;
    const uint64_t n_before = maker->reporter->n;
    for (size_t i = 0; i < plan->n_entries; i++) {
        if (plan->entries[i].value.kind == VALUE_NAME)
            check_name(maker, &plan->entries[i]);
        if (*maker->is_unsound || maker->reporter->n > n_before)
            continue;
        if (plan->entries[i].value.kind == VALUE_BUFFER)
            check_expected_output(maker, &plan->entries[i]);
    }
    for (size_t i = 0; i < plan->n_ref_entries; i++)
        if (plan->ref_entries[i].value.kind == VALUE_NAME)
            check_name(maker, &plan->ref_entries[i]);
    /* Names may lead in circles. */
    if (maker->reporter->n > n_before)
        *maker->is_unsound = true;
    if (!maker_took(
            maker, "signature",
            parse_signature(plan->params->signature, &plan->routine.signature, maker->problem)))
        return;
    find_name(maker);
    if (*maker->is_unsound)
        return;
    bind(maker, plan->entries, plan->n_entries, "arg", "signature", &plan->routine);
    check_statuses(maker);
    check_expected_return(maker);
    check_reference(maker);
}

int32_t plan_make(const struct gb_host *host, const struct params *params,
                  struct reporter *reporter, struct plan *ret)
{
    bool is_unsound = false;
    struct problem problem;
    struct maker maker = {ret, reporter, &problem, &is_unsound};
    *ret = (struct plan){.host = host, .params = params, .work.size = sizeof ret->work};
    ret->function = (struct span){params->function, strlen(params->function)};
    ret->n_entries = params->arg.n;
    ret->n_ref_entries = params->ref.n;
    ret->entries = host->allocate(host,
                                  (ret->n_entries + ret->n_ref_entries + 1) * sizeof *ret->entries);
    if (ret->entries == NULL)
        return GB_NO_MEMORY;
    ret->ref_entries = ret->entries + ret->n_entries;
    read_entries(&maker, &params->arg, "arg", ret->entries);
    read_entries(&maker, &params->ref, "ref", ret->ref_entries);
    ret->before = read_calls(&maker, "before", params->before, &ret->n_before);
    ret->after = read_calls(&maker, "after", params->after, &ret->n_after);
    if (ret->before == NULL || ret->after == NULL)
        return GB_NO_MEMORY;
    check_ok(&maker);
    check_work(&maker);
    check_calls(&maker, "before", ret->before, ret->n_before);
    check_arguments(&maker);
    /* Last, as arguments do not see what these calls set. */
    check_calls(&maker, "after", ret->after, ret->n_after);
    return GB_OK;
}
