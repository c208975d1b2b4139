/* call_signature.c - structs and signatures; see call_parse.h. Plugin side. */
#include "call_cursor.h"

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
        return cursor_fail(cursor, at, "nothing has the type void here");
    cursor_word(cursor);
    const bool is_array = cursor_take(cursor, "[");
    const size_t number_at = cursor_next(cursor);
    if (is_array && (!cursor_number(cursor, &number) || !cursor_need(cursor, "]")))
        return false;
    if (!number.is_integer || number.is_negative || number.magnitude == 0)
        return cursor_fail(cursor, number_at, "an array has 1 element or more");
    for (uint64_t i = 0; i < number.magnitude; i++)
        if (!add_member(ret, &member))
            return cursor_fail(cursor, at,
                               "a struct has up to %d numbers and addresses here, arrays included",
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
        return cursor_fail(cursor, cursor_next(cursor), "structs stand in each other up to %d deep",
                           NESTED_MAX);
    cursor->at = ahead.at;
    ret->id = TYPE_STRUCT;
    do
        if (!take_member(cursor, depth + 1, ret))
            return false;
    while (cursor_take(cursor, ","));
    ret->struct_bytes = round_up(ret->struct_bytes, type_alignment(ret));
    return cursor_need(cursor, ")");
}

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
            return cursor_fail(cursor, at, "'...' is there twice");
        if (ret->n == 0)
            return cursor_fail(cursor, at, "'...' needs a parameter before it");
        ret->is_variadic = true;
        ret->n_fixed = ret->n;
        return true;
    }
    if (ret->n == PARAMETERS_MAX)
        return cursor_fail(cursor, at, "a function has up to %d parameters here", PARAMETERS_MAX);
    struct type *type = &ret->parameters[ret->n];
    if (!take_type_within(cursor, 0, type) || !take_declarator(cursor, type))
        return false;
    if (type->id == TYPE_VOID)
        return cursor_fail(cursor, at, "no parameter has the type void: expected (), or %s",
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
