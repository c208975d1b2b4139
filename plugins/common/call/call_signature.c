/* call_signature.c - types as C writes them, what stands around a name, structs and signatures; see
 * call_parse.h. Plugin side. */
#include "call_cursor.h"

#include <string.h>

static const char type_example[] = "a type such as int, size_t, double, pointer";

/* ---- words ---- */

enum word_kind {
    WORD_OTHER, /* a name of a type, or of what is declared */
    WORD_IGNORED,
    WORD_SIGNED,
    WORD_UNSIGNED,
    WORD_SHORT,
    WORD_LONG,
    WORD_INT,
    WORD_CHAR,
    WORD_DOUBLE,
    WORD_TAG,
    WORD_ALONE, /* a name of a type that is no name of anything else */
    WORD_REFUSED
};

static const struct {
    const char *word;
    enum word_kind kind;
} words[] = {
    {"const", WORD_IGNORED},      {"volatile", WORD_IGNORED},
    {"restrict", WORD_IGNORED},   {"__const", WORD_IGNORED},
    {"__restrict", WORD_IGNORED}, {"__restrict__", WORD_IGNORED},
    {"register", WORD_IGNORED},   {"extern", WORD_IGNORED},
    {"static", WORD_IGNORED},     {"inline", WORD_IGNORED},
    {"__inline", WORD_IGNORED},   {"__extension__", WORD_IGNORED},
    {"_Noreturn", WORD_IGNORED},  {"signed", WORD_SIGNED},
    {"unsigned", WORD_UNSIGNED},  {"short", WORD_SHORT},
    {"long", WORD_LONG},          {"int", WORD_INT},
    {"char", WORD_CHAR},          {"double", WORD_DOUBLE},
    {"struct", WORD_TAG},         {"union", WORD_TAG},
    {"enum", WORD_TAG},           {"complex", WORD_REFUSED},
    {"_Complex", WORD_REFUSED},   {"__complex__", WORD_REFUSED},
    {"float", WORD_ALONE},        {"void", WORD_ALONE},
    {"_Bool", WORD_ALONE},
};

static enum word_kind kind_of(struct span word)
{
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (span_is(word, words[i].word))
            return words[i].kind;
    return WORD_OTHER;
}

/* const, restrict and the like. */
static void skip_ignored(struct cursor *cursor)
{
    struct cursor ahead = *cursor;
    while (kind_of(cursor_word(&ahead)) == WORD_IGNORED)
        cursor->at = ahead.at;
}

/* What stands in words: how often each keyword, or one name. */
struct specifiers {
    size_t at; /* of the first word that counts */
    unsigned counts[WORD_REFUSED + 1];
    unsigned n_keywords;
    struct span name; /* of a type, or behind a tag */
    struct span tag;  /* struct, union, enum */
};

/* The word if it belongs to the type: false where what is declared begins, or nothing more is. */
static bool add_word(struct specifiers *specifiers, struct span word)
{
    const enum word_kind kind = kind_of(word);
    if (kind == WORD_OTHER || kind == WORD_TAG || kind == WORD_ALONE) {
        if (word.n == 0 || specifiers->n_keywords > 0 || specifiers->name.n > 0)
            return false;
        if (kind == WORD_TAG && specifiers->tag.n == 0)
            specifiers->tag = word;
        else
            specifiers->name = word;
        return true;
    }
    if (kind != WORD_IGNORED) {
        specifiers->n_keywords++;
        specifiers->counts[kind]++;
    }
    return true;
}

static bool take_specifiers(struct cursor *cursor, struct specifiers *ret)
{
    struct cursor ahead = *cursor;
    *ret = (struct specifiers){0};
    skip_ignored(&ahead);
    ret->at = cursor_next(&ahead);
    cursor->at = ahead.at;
    for (;;) {
        const size_t at = cursor_next(&ahead);
        const struct span word = cursor_word(&ahead);
        const bool belongs = add_word(ret, word);
        if (!belongs && kind_of(word) == WORD_ALONE)
            return cursor_fail(cursor, at, "'%.*s' after another type", (int)word.n, word.text);
        if (!belongs)
            break;
        if (kind_of(word) == WORD_REFUSED)
            return cursor_fail(cursor, at,
                               "unknown type '%.*s': expected struct(double, double), or "
                               "struct(float, float)",
                               (int)word.n, word.text);
        cursor->at = ahead.at;
    }
    return ret->n_keywords > 0 || ret->name.n > 0 || ret->tag.n > 0 ||
           cursor_expected(cursor, type_example);
}

/* ---- what they mean ---- */

/* Of keywords alone; false: C has no such type, or there is none here. */
static bool keyword_type(const struct specifiers *specifiers, enum type_id *ret)
{
    static const char *const integers[2][4] = {{"int", "short", "long", "longlong"},
                                               {"uint", "ushort", "ulong", "ulonglong"}};
    const unsigned *counts = specifiers->counts;
    const unsigned signs = counts[WORD_SIGNED] + counts[WORD_UNSIGNED];
    const unsigned widths = counts[WORD_SHORT] + counts[WORD_LONG];
    if (specifiers->name.n > 0 || signs > 1 || counts[WORD_INT] > 1)
        return false;
    if (counts[WORD_DOUBLE] + counts[WORD_CHAR] > 0) {
        const char *name = counts[WORD_DOUBLE]   ? "double"
                           : signs == 0          ? "char"
                           : counts[WORD_SIGNED] ? "schar"
                                                 : "uchar";
        return specifiers->n_keywords == 1u + (counts[WORD_CHAR] ? signs : 0) &&
               type_named(name, strlen(name), ret);
    }
    if (counts[WORD_SHORT] > 1 || counts[WORD_LONG] > 2 || (counts[WORD_SHORT] && widths > 1))
        return false;
    const char *name =
        integers[counts[WORD_UNSIGNED]][counts[WORD_SHORT] ? 1 : widths + (widths > 0)];
    return type_named(name, strlen(name), ret);
}

static bool refuse_tag(struct cursor *cursor, const struct specifiers *specifiers)
{
    return cursor_fail(cursor, specifiers->at,
                       "'%.*s%s%.*s' by value: expected struct(TYPE, ...) with the types of its "
                       "members, or a pointer to it",
                       (int)specifiers->tag.n, specifiers->tag.text,
                       specifiers->name.n > 0 ? " " : "", (int)specifiers->name.n,
                       specifiers->name.text);
}

/* The type itself, without a star. */
static bool resolve(struct cursor *cursor, const struct specifiers *specifiers, enum type_id *ret)
{
    const struct span name = specifiers->name;
    if (specifiers->n_keywords > 0) {
        if (keyword_type(specifiers, ret))
            return true;
        return cursor_fail(cursor, specifiers->at, "'%.*s' is not a type here%s",
                           (int)(cursor->at - specifiers->at), cursor->text + specifiers->at,
                           specifiers->counts[WORD_DOUBLE] && specifiers->counts[WORD_LONG]
                               ? ": there is no long double"
                               : ": expected a type such as unsigned long, size_t or double");
    }
    if (span_is(specifiers->tag, "enum") && name.n > 0)
        return type_named("int", 3, ret);
    if (specifiers->tag.n > 0)
        return refuse_tag(cursor, specifiers);
    if (type_named(name.text, name.n, ret))
        return true;
    return cursor_fail(cursor, specifiers->at, "unknown type '%.*s': expected %s", (int)name.n,
                       name.text, type_example);
}

/* What C writes for a type but a struct by value: "unsigned long", "const float *restrict". */
static bool take_declared_type(struct cursor *cursor, enum type_id *ret)
{
    struct specifiers specifiers;
    if (!take_specifiers(cursor, &specifiers))
        return false;
    size_t stars = 0;
    struct cursor ahead = *cursor;
    while (cursor_take(&ahead, "*")) {
        skip_ignored(&ahead);
        cursor->at = ahead.at;
        stars++;
    }
    if (stars == 0)
        return resolve(cursor, &specifiers, ret);
    if (specifiers.n_keywords > 0 && !resolve(cursor, &specifiers, ret))
        return false;
    /* Whatever a typedef stands for, its address is one. */
    const bool is_text = stars == 1 && specifiers.n_keywords == 1 && specifiers.counts[WORD_CHAR];
    *ret = is_text ? TYPE_STRING : TYPE_POINTER;
    return true;
}

bool take_element_type(struct cursor *cursor, enum type_id *ret)
{
    const size_t at = cursor_next(cursor);
    if (!take_declared_type(cursor, ret))
        return false;
    if (*ret == TYPE_VOID)
        return cursor_fail(cursor, at, "the type void is not possible here");
    return type_info(*ret)->kind != KIND_POINTER ||
           cursor_fail(cursor, at, "'%s' is not a type of numbers", type_info(*ret)->name);
}

/* ---- around a name ---- */

/* From an opening sign to the one that closes it. */
static bool skip_group(struct cursor *cursor, char open, char close)
{
    const size_t start = cursor_next(cursor);
    size_t depth = 0;
    for (; cursor->text[cursor->at] != '\0'; cursor->at++) {
        const char c = cursor->text[cursor->at];
        depth += c == open;
        depth -= c == close;
        if (depth == 0) {
            cursor->at++;
            return true;
        }
    }
    return cursor_fail(cursor, start, "a '%c' without a matching '%c'", open, close);
}

static char next_sign(struct cursor *cursor)
{
    return cursor->text[cursor_next(cursor)];
}

/* A parameter's name, if it has one, and what may stand around it: with x[] or (*f)(int) the type
 * becomes an address. */
static bool take_declarator(struct cursor *cursor, struct type *type)
{
    struct cursor ahead = *cursor;
    bool is_address = false;
    const size_t at = cursor_next(cursor);
    if (cursor_take(&ahead, "(")) { /* the address of a function, or of an array */
        if (next_sign(&ahead) != '*')
            return cursor_fail(cursor, at,
                               "expected ',' or ')', or (*NAME)(...), the address of a "
                               "function");
        if (!skip_group(cursor, '(', ')'))
            return false;
        is_address = true;
        if (next_sign(cursor) == '(' && !skip_group(cursor, '(', ')'))
            return false;
    } else {
        cursor_word(cursor);
    }
    while (next_sign(cursor) == '[') { /* arrays are passed by their address */
        if (!skip_group(cursor, '[', ']'))
            return false;
        is_address = true;
    }
    if (is_address)
        *type = (struct type){.id = TYPE_POINTER};
    return true;
}

/* Attributes behind a prototype: words that begin with _, perhaps with (...). */
static bool take_attributes(struct cursor *cursor)
{
    struct cursor ahead = *cursor;
    for (struct span word = cursor_word(&ahead); word.n > 0 && word.text[0] == '_';
         word = cursor_word(&ahead)) {
        cursor->at = ahead.at;
        if (next_sign(cursor) == '(' && !skip_group(cursor, '(', ')'))
            return false;
        ahead.at = cursor->at;
    }
    return true;
}

/* ---- structs ---- */

enum type_kind type_kind(const struct type *type)
{
    return type->id == TYPE_STRUCT ? KIND_STRUCT : type_info(type->id)->kind;
}

size_t type_bytes(const struct type *type)
{
    return type->id == TYPE_STRUCT ? type->struct_bytes : type_info(type->id)->bytes;
}

static size_t round_up(size_t bytes, size_t alignment)
{
    return (bytes + alignment - 1) / alignment * alignment;
}

/* That of its largest number or address: all are aligned to their size. */
static size_t type_alignment(const struct type *type)
{
    size_t alignment = type->id == TYPE_STRUCT ? 1 : type_info(type->id)->bytes;
    for (size_t i = 0; i < type->n_members; i++) {
        const size_t bytes = type_info(type->members[i])->bytes;
        alignment = bytes > alignment ? bytes : alignment;
    }
    return alignment;
}

static bool put_member(struct type *type, enum type_id id, size_t offset)
{
    if (type->n_members == MEMBERS_MAX)
        return false;
    type->members[type->n_members] = id;
    type->offsets[type->n_members++] = offset;
    return true;
}

/* Behind what a struct has already; its own padding at the end comes last. */
static bool add_member(struct type *type, const struct type *member)
{
    const size_t start = round_up(type->struct_bytes, type_alignment(member));
    bool fits = true;
    if (member->id != TYPE_STRUCT)
        fits = put_member(type, member->id, start);
    for (size_t i = 0; i < member->n_members && fits; i++)
        fits = put_member(type, member->members[i], start + member->offsets[i]);
    type->struct_bytes = start + type_bytes(member);
    return fits;
}

static bool take_type_within(struct cursor *cursor, int depth, struct type *ret);

/* TYPE [WORD] [ "[" NUMBER "]" ] */
static bool take_member(struct cursor *cursor, int depth, struct type *ret)
{
    const size_t at = cursor_next(cursor);
    struct type member;
    struct number number = {.is_integer = true, .magnitude = 1};
    if (!take_type_within(cursor, depth, &member))
        return false;
    if (member.id == TYPE_VOID)
        return cursor_fail(cursor, at, "the type void is not possible here");
    cursor_word(cursor);
    const bool is_array = cursor_take(cursor, "[");
    const size_t number_at = cursor_next(cursor);
    if (is_array && (!cursor_number(cursor, &number) || !cursor_need(cursor, "]")))
        return false;
    if (!number.is_integer || number.is_negative || number.magnitude == 0)
        return cursor_fail(cursor, number_at, "an empty array: expected 1 element or more");
    for (uint64_t i = 0; i < number.magnitude; i++)
        if (!add_member(ret, &member))
            return cursor_fail(
                cursor, at,
                "too many members: expected up to %d numbers and addresses, arrays included",
                MEMBERS_MAX);
    return true;
}

/* struct(...), or what C writes: words of a type and the stars behind them. */
static bool take_type_within(struct cursor *cursor, int depth, struct type *ret)
{
    struct cursor ahead = *cursor;
    *ret = (struct type){0};
    if (!span_is(cursor_word(&ahead), "struct") || !cursor_take(&ahead, "("))
        return take_declared_type(cursor, &ret->id);
    if (depth == NESTED_MAX)
        return cursor_fail(cursor, cursor_next(cursor),
                           "structs are nested too deep: expected up to %d levels", NESTED_MAX);
    cursor->at = ahead.at;
    ret->id = TYPE_STRUCT;
    do
        if (!take_member(cursor, depth + 1, ret))
            return false;
    while (cursor_take(cursor, ","));
    ret->struct_bytes = round_up(ret->struct_bytes, type_alignment(ret));
    return cursor_need(cursor, ")");
}

/* ---- signatures ---- */

/* What a variadic function can be given: C promotes the others. */
static bool check_promotion(struct cursor *cursor, size_t at, const struct type *type)
{
    const struct type_info *info = type->id == TYPE_STRUCT ? NULL : type_info(type->id);
    if (info == NULL || info->kind == KIND_POINTER)
        return true;
    if (type->id == TYPE_FLOAT)
        return cursor_fail(cursor, at,
                           "after '...' a float is passed as a double: expected double");
    return info->bytes >= sizeof(int) ||
           cursor_fail(cursor, at, "after '...' '%s' is passed as an int: expected int",
                       info->name);
}

static bool take_parameter(struct cursor *cursor, struct signature *ret)
{
    const size_t at = cursor_next(cursor);
    if (cursor_take(cursor, "...")) {
        if (ret->is_variadic)
            return cursor_fail(cursor, at, "'...' is given twice");
        if (ret->n == 0)
            return cursor_fail(cursor, at, "'...' needs a parameter before it");
        ret->is_variadic = true;
        ret->n_fixed = ret->n;
        return true;
    }
    if (ret->n == PARAMETERS_MAX)
        return cursor_fail(cursor, at, "too many parameters: expected up to %d", PARAMETERS_MAX);
    struct type *type = &ret->parameters[ret->n];
    if (!take_type_within(cursor, 0, type) || !take_declarator(cursor, type))
        return false;
    if (type->id == TYPE_VOID)
        return cursor_fail(cursor, at, "a parameter cannot have the type void: expected (), or %s",
                           type_example);
    ret->n++;
    return !ret->is_variadic || check_promotion(cursor, at, type);
}

static bool take_parameters(struct cursor *cursor, struct signature *ret)
{
    struct cursor ahead = *cursor;
    if (span_is(cursor_word(&ahead), "void") && cursor_take(&ahead, ")")) {
        cursor->at = ahead.at;
        return true;
    }
    if (cursor_take(cursor, ")"))
        return true;
    do {
        if (!take_parameter(cursor, ret))
            return false;
    } while (cursor_take(cursor, ","));
    return cursor_need(cursor, ")");
}

bool take_signature(struct cursor *cursor, struct signature *ret)
{
    *ret = (struct signature){0};
    if (!take_type_within(cursor, 0, &ret->result))
        return false;
    const size_t at = cursor_next(cursor);
    ret->name = cursor_word(cursor);
    if (!cursor_need(cursor, "("))
        return false;
    if (cursor->text[cursor_next(cursor)] == '*')
        return cursor_fail(cursor, at,
                           "this declares or returns a pointer to a function: expected the "
                           "prototype of the function itself, such as double f(double), and "
                           "'pointer' for an address that it returns");
    return take_parameters(cursor, ret);
}

bool parse_signature(const char *text, struct signature *ret, struct problem *problem)
{
    struct cursor cursor = {.text = text, .problem = problem};
    return take_signature(&cursor, ret) && take_attributes(&cursor) &&
           (cursor_take(&cursor, ";") || true) && cursor_end(&cursor);
}
