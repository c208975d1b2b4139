/* call_parse.c - see call_parse.h. Plugin side. */
#include "call_cursor.h"

#include <gbrun/bench.h>
#include <math.h>

/* ---- values ---- */

static bool take_expectation(struct cursor *cursor, struct expectation *ret)
{
    *ret = (struct expectation){.at = cursor_next(cursor)};
    if (cursor->text[ret->at] == '"') {
        ret->kind = EXPECT_TEXT;
        return cursor_quoted(cursor, &ret->text);
    }
    if (cursor_is_number(cursor)) {
        ret->kind = EXPECT_NUMBER;
        return cursor_number(cursor, &ret->number);
    }
    ret->kind = EXPECT_NAME;
    ret->text = cursor_name(cursor);
    return ret->text.n > 0 || cursor_expected(cursor, "a number, a text or a name such as arg.1");
}

/* Room for TYPE[N] must be countable. */
static bool check_size(struct cursor *cursor, size_t at, const struct buffer *buffer)
{
    const uint64_t most = (UINT64_C(1) << 47) / type_info(buffer->element)->bytes;
    if (buffer->n == 0)
        return cursor_fail(cursor, at, "an empty buffer: expected at least 1 byte");
    return buffer->n <= most ||
           cursor_fail(cursor, at, "a buffer larger than any memory: expected up to 128 TiB");
}

static bool take_buffer_size(struct cursor *cursor, struct buffer *ret)
{
    struct number number;
    ret->element = TYPE_UINT8;
    const bool is_typed = !cursor_is_number(cursor);
    if (is_typed && (!take_element_type(cursor, &ret->element) || !cursor_need(cursor, "[")))
        return false;
    const size_t at = cursor_next(cursor);
    if (!cursor_number(cursor, &number))
        return false;
    if (!number.is_integer || number.is_negative)
        return cursor_fail(cursor, at, "a buffer of %.17g %s: expected a whole number, 1 or more",
                           number.value, is_typed ? "elements" : "bytes");
    ret->n = number.magnitude;
    return check_size(cursor, at, ret) && (!is_typed || cursor_need(cursor, "]"));
}

static bool check_element(struct cursor *cursor, size_t at, const struct buffer *buffer,
                          const struct number *number)
{
    return number_fits(number, buffer->element) ||
           cursor_fail(cursor, at, "%.17g does not fit the elements, which are %s", number->value,
                       type_info(buffer->element)->name);
}

static bool take_fill(struct cursor *cursor, struct buffer *ret)
{
    const size_t at = cursor_next(cursor);
    if (cursor->text[at] == '"') {
        ret->fill = FILL_TEXT;
        return cursor_quoted(cursor, &ret->text);
    }
    ret->fill = FILL_NUMBER;
    return cursor_number(cursor, &ret->low) && check_element(cursor, at, ret, &ret->low);
}

static bool take_uniform(struct cursor *cursor, struct buffer *ret)
{
    const size_t at = cursor_next(cursor);
    ret->fill = FILL_UNIFORM;
    if (!cursor_number(cursor, &ret->low) || !cursor_need(cursor, ":"))
        return false;
    const size_t high_at = cursor_next(cursor);
    if (!cursor_number(cursor, &ret->high))
        return false;
    if (!isfinite(ret->low.value) || !isfinite(ret->high.value))
        return cursor_fail(cursor, at, "the range is not finite: expected LOW:HIGH");
    if (!(ret->low.value <= ret->high.value))
        return cursor_fail(cursor, at, "the range %.17g:%.17g is empty: expected LOW:HIGH",
                           ret->low.value, ret->high.value);
    return check_element(cursor, at, ret, &ret->low) &&
           check_element(cursor, high_at, ret, &ret->high);
}

static bool take_buffer_expectation(struct cursor *cursor, struct buffer *ret)
{
    if (!take_expectation(cursor, &ret->expect))
        return false;
    return ret->expect.kind != EXPECT_NUMBER ||
           check_element(cursor, ret->expect.at, ret, &ret->expect.number);
}

/* What a key without a value sets. Of the first two groups a buffer has one key at most. */
enum buffer_group { GROUP_CONTENTS, GROUP_MEMORY, GROUP_FLAG };

static const struct {
    const char *word;
    enum buffer_group group;
    size_t value; /* of `fill` or `memory`, or where the flag is */
    bool (*take)(struct cursor *cursor, struct buffer *ret); /* what stands behind '=' */
} buffer_keys[] = {
    {"fill", GROUP_CONTENTS, 0, take_fill},
    {"uniform", GROUP_CONTENTS, 0, take_uniform},
    {"count", GROUP_CONTENTS, FILL_COUNT, NULL},
    {"shuffle", GROUP_CONTENTS, FILL_SHUFFLE, NULL},
    {"device", GROUP_MEMORY, MEMORY_DEVICE, NULL},
    {"host", GROUP_MEMORY, MEMORY_HOST, NULL},
    {"pinned", GROUP_MEMORY, MEMORY_PINNED, NULL},
    {"integral", GROUP_FLAG, offsetof(struct buffer, is_integral), NULL},
    {"zero_end", GROUP_FLAG, offsetof(struct buffer, has_zero_end), NULL},
    {"out", GROUP_FLAG, offsetof(struct buffer, is_out), NULL},
    {"restore", GROUP_FLAG, offsetof(struct buffer, is_restored), NULL},
    {"expect", GROUP_FLAG, 0, take_buffer_expectation},
};
enum { N_BUFFER_KEYS = sizeof buffer_keys / sizeof buffer_keys[0] };

/* Is a key there that says the same thing in another way? NULL: none. */
static const char *rival_of(size_t key, uint32_t given)
{
    for (size_t i = 0; i < N_BUFFER_KEYS; i++)
        if ((given >> i & 1) && buffer_keys[key].group != GROUP_FLAG &&
            buffer_keys[i].group == buffer_keys[key].group)
            return buffer_keys[i].word;
    return NULL;
}

static bool set_buffer_key(struct cursor *cursor, struct buffer *ret, size_t key)
{
    const size_t value = buffer_keys[key].value;
    if (buffer_keys[key].take != NULL)
        return cursor_need(cursor, "=") && buffer_keys[key].take(cursor, ret);
    if (buffer_keys[key].group == GROUP_CONTENTS)
        ret->fill = (enum fill_kind)value;
    else if (buffer_keys[key].group == GROUP_MEMORY)
        ret->memory = (enum memory_kind)value;
    else
        *(bool *)((char *)ret + value) = true;
    return true;
}

static bool take_buffer_key(struct cursor *cursor, struct buffer *ret, uint32_t *given)
{
    const size_t at = cursor_next(cursor);
    const struct span word = cursor_word(cursor);
    for (size_t i = 0; i < N_BUFFER_KEYS; i++) {
        if (!span_is(word, buffer_keys[i].word))
            continue;
        if (*given >> i & 1)
            return cursor_fail(cursor, at, "'%s' is given twice", buffer_keys[i].word);
        const char *rival = rival_of(i, *given);
        if (rival != NULL)
            return cursor_fail(cursor, at, "'%s' and '%s' exclude each other", rival,
                               buffer_keys[i].word);
        *given |= 1u << i;
        return set_buffer_key(cursor, ret, i);
    }
    return cursor_fail(
        cursor, at,
        "'%.*s' is not a key of a buffer: expected fill=, uniform=, expect=, integral, "
        "count, shuffle, zero_end, device, host, pinned, out or restore",
        (int)word.n, word.text);
}

static bool take_buffer(struct cursor *cursor, struct value *ret)
{
    struct buffer *buffer = &ret->buffer;
    uint32_t given = 0;
    ret->kind = VALUE_BUFFER;
    if (!take_buffer_size(cursor, buffer))
        return false;
    while (cursor_take(cursor, ","))
        if (!take_buffer_key(cursor, buffer, &given))
            return false;
    if ((buffer->fill == FILL_COUNT || buffer->fill == FILL_SHUFFLE) &&
        type_info(buffer->element)->kind == KIND_BITS)
        return cursor_fail(cursor, ret->at,
                           "'count' and 'shuffle' fill integers, float and double only");
    if (buffer->is_integral && buffer->fill != FILL_UNIFORM)
        return cursor_fail(cursor, ret->at, "'integral' needs uniform=LOW:HIGH");
    if (buffer->fill == FILL_TEXT && unquote(buffer->text, NULL) >= buffer->n)
        return cursor_fail(cursor, ret->at,
                           "the text of 'fill' with its terminator does not fit the buffer");
    if (buffer->fill == FILL_TEXT && type_info(buffer->element)->bytes != 1)
        return cursor_fail(cursor, ret->at, "a text fills a buffer of bytes only");
    return cursor_need(cursor, ")");
}

/* Numbers, or names where these may stand. */
static bool take_parts(struct cursor *cursor, struct value *ret, bool has_names)
{
    do {
        if (ret->n == NUMBERS_MAX)
            return cursor_fail(cursor, cursor_next(cursor), "too many numbers: expected up to %d",
                               NUMBERS_MAX);
        const bool is_number = !has_names || cursor_is_number(cursor);
        if (is_number && !cursor_number(cursor, &ret->numbers[ret->n]))
            return false;
        if (!is_number)
            ret->names[ret->n] = cursor_name(cursor);
        if (!is_number && ret->names[ret->n].n == 0)
            return cursor_expected(cursor, "a number, null or a name such as arg.1");
        ret->n++;
    } while (cursor_take(cursor, ","));
    return cursor_need(cursor, ")");
}

static bool take_struct(struct cursor *cursor, struct value *ret)
{
    ret->kind = VALUE_STRUCT;
    return take_parts(cursor, ret, true);
}

static bool take_constant(struct cursor *cursor, struct value *ret)
{
    ret->kind = VALUE_CONSTANT;
    const size_t at = cursor_next(cursor);
    if (!take_element_type(cursor, &ret->type) || !cursor_need(cursor, ",") ||
        !take_parts(cursor, ret, false))
        return false;
    for (size_t i = 0; i < ret->n; i++)
        if (!number_fits(&ret->numbers[i], ret->type))
            return cursor_fail(cursor, at, "%.17g does not fit %s", ret->numbers[i].value,
                               type_info(ret->type)->name);
    return true;
}

static bool take_compare(struct cursor *cursor, struct value *ret)
{
    ret->kind = VALUE_COMPARE;
    const size_t at = cursor_next(cursor);
    if (!take_element_type(cursor, &ret->type))
        return false;
    if (type_info(ret->type)->kind == KIND_BITS)
        return cursor_fail(cursor, at, "there is no comparison of %s", type_info(ret->type)->name);
    return cursor_need(cursor, ")");
}

static bool take_callback(struct cursor *cursor, struct value *ret)
{
    struct signature signature;
    ret->kind = VALUE_CALLBACK;
    const size_t at = cursor_next(cursor);
    if (!take_signature(cursor, &signature))
        return false;
    if (signature.is_variadic || signature.result.id == TYPE_STRUCT)
        return cursor_fail(cursor, at, "a callback cannot be variadic or return a struct");
    if (type_info(signature.result.id)->kind == KIND_BITS)
        return cursor_fail(cursor, at, "a callback cannot return %s",
                           type_info(signature.result.id)->name);
    ret->signature = (struct span){cursor->text + at, cursor->at - at};
    const bool returns = signature.result.id != TYPE_VOID;
    if (returns && cursor_take(cursor, ",")) {
        const size_t number_at = cursor_next(cursor);
        if (!cursor_number(cursor, &ret->numbers[ret->n++]))
            return false;
        if (!number_fits(&ret->numbers[0], signature.result.id))
            return cursor_fail(cursor, number_at, "%.17g does not fit %s", ret->numbers[0].value,
                               type_info(signature.result.id)->name);
    }
    return cursor_need(cursor, ")");
}

static bool take_symbol(struct cursor *cursor, struct value *ret)
{
    ret->kind = VALUE_SYMBOL;
    ret->text = cursor_word(cursor);
    if (ret->text.n == 0)
        return cursor_expected(cursor, "the name of a function or variable");
    return cursor_need(cursor, ")");
}

static const struct {
    const char *word;
    bool (*take)(struct cursor *cursor, struct value *ret); /* after the opening parenthesis */
} value_words[] = {
    {"buffer", take_buffer},   {"constant", take_constant}, {"struct", take_struct},
    {"compare", take_compare}, {"callback", take_callback}, {"symbol", take_symbol},
};

static bool take_offset(struct cursor *cursor, struct value *ret)
{
    const size_t at = cursor_next(cursor);
    const bool is_negative = cursor_take(cursor, "-");
    struct number number;
    if (!is_negative && !cursor_take(cursor, "+"))
        return true;
    if (!cursor_number(cursor, &number))
        return false;
    if (!number.is_integer || number.is_negative || number.magnitude > INT64_MAX)
        return cursor_fail(cursor, at, "only a whole number of bytes can be added to a pointer");
    ret->offset = is_negative ? -(int64_t)number.magnitude : (int64_t)number.magnitude;
    return true;
}

/* null, stream, out NAME, or the name of another value. */
static bool take_word(struct cursor *cursor, struct value *ret)
{
    ret->text = cursor_name(cursor);
    if (ret->text.n == 0)
        return cursor_expected(cursor, "a value: a number, a text in double quotes, buffer(...), "
                                       "constant(...), null, stream or a name");
    if (span_is(ret->text, "null")) {
        ret->kind = VALUE_NULL;
        return true;
    }
    if (span_is(ret->text, "stream")) {
        ret->kind = VALUE_STREAM;
        return true;
    }
    struct cursor ahead = *cursor;
    const struct span next = cursor_word(&ahead);
    if (span_is(ret->text, "out") && next.n > 0) {
        ret->kind = VALUE_OUT;
        ret->text = next;
        cursor->at = ahead.at;
        return true;
    }
    ret->kind = VALUE_NAME;
    if (cursor_take(&ahead, "(") && next.n == 0)
        return cursor_fail(cursor, ret->at,
                           "unknown value '%.*s(...)': expected buffer, constant, struct, compare, "
                           "callback or symbol",
                           (int)ret->text.n, ret->text.text);
    return take_offset(cursor, ret);
}

static bool take_value(struct cursor *cursor, struct value *ret)
{
    *ret = (struct value){.at = cursor_next(cursor)};
    if (cursor->text[ret->at] == '"') {
        ret->kind = VALUE_TEXT;
        return cursor_quoted(cursor, &ret->text);
    }
    if (cursor_is_number(cursor)) {
        ret->kind = VALUE_NUMBER;
        ret->n = 1;
        return cursor_number(cursor, &ret->numbers[0]);
    }
    struct cursor ahead = *cursor;
    const struct span word = cursor_word(&ahead);
    for (size_t i = 0; i < sizeof value_words / sizeof value_words[0]; i++)
        if (span_is(word, value_words[i].word) && cursor_take(&ahead, "(")) {
            cursor->at = ahead.at;
            return value_words[i].take(cursor, ret);
        }
    return take_word(cursor, ret);
}

bool parse_value(const char *text, struct value *ret, struct problem *problem)
{
    struct cursor cursor = {.text = text, .problem = problem};
    return take_value(&cursor, ret) && cursor_end(&cursor);
}

bool parse_expectation(const char *text, struct expectation *ret, struct problem *problem)
{
    struct cursor cursor = {.text = text, .problem = problem};
    return take_expectation(&cursor, ret) && cursor_end(&cursor);
}

bool parse_number(const char *text, struct number *ret, struct problem *problem)
{
    struct cursor cursor = {.text = text, .problem = problem};
    return cursor_number(&cursor, ret) && cursor_end(&cursor);
}

/* ---- calls ---- */

/* A word that names a type and is followed by something else that it could belong to. */
static bool take_leading_type(struct cursor *cursor, enum type_id *ret)
{
    struct cursor ahead = *cursor;
    const struct span word = cursor_word(&ahead);
    const char next = ahead.text[cursor_next(&ahead)];
    if (next == '(' || next == ',' || next == ')' || next == '=' || next == '\0' ||
        !type_named(word.text, word.n, ret))
        return false;
    cursor->at = ahead.at;
    return true;
}

static bool take_argument(struct cursor *cursor, struct call *ret)
{
    if (ret->n == CALL_ARGUMENTS_MAX)
        return cursor_fail(cursor, cursor_next(cursor), "too many arguments: expected up to %d",
                           CALL_ARGUMENTS_MAX);
    struct call_argument *argument = &ret->arguments[ret->n++];
    *argument = (struct call_argument){0};
    const size_t at = cursor_next(cursor);
    argument->has_type = take_leading_type(cursor, &argument->type);
    if (argument->has_type && argument->type == TYPE_VOID)
        return cursor_fail(cursor, at, "an argument cannot have the type void");
    return take_value(cursor, &argument->value);
}

static bool take_call(struct cursor *cursor, struct call *ret)
{
    *ret = (struct call){.at = cursor_next(cursor), .type = TYPE_INT32};
    take_leading_type(cursor, &ret->type);
    ret->function = cursor_word(cursor);
    if (ret->function.n > 0 && cursor_take(cursor, "=")) {
        ret->result = ret->function;
        ret->function = cursor_word(cursor);
        if (ret->type == TYPE_VOID)
            return cursor_fail(cursor, ret->at, "a function of type void has no result to keep");
    }
    if (ret->function.n == 0)
        return cursor_expected(cursor, "a call: FUNCTION(ARGUMENT, ...)");
    if (!cursor_need(cursor, "("))
        return false;
    if (cursor_take(cursor, ")"))
        return true;
    do {
        if (!take_argument(cursor, ret))
            return false;
    } while (cursor_take(cursor, ","));
    return cursor_need(cursor, ")");
}

bool parse_calls(const char *text, struct call *ret, size_t *ret_n, struct problem *problem)
{
    struct cursor cursor = {.text = text, .problem = problem};
    *ret_n = 0;
    if (text[cursor_next(&cursor)] == '\0')
        return true;
    do {
        if (*ret_n == CALLS_MAX)
            return cursor_fail(&cursor, cursor_next(&cursor), "too many calls: expected up to %d",
                               CALLS_MAX);
        if (!take_call(&cursor, &ret[*ret_n]))
            return false;
        ++*ret_n;
    } while (cursor_take(&cursor, ","));
    return cursor_end(&cursor);
}

/* ---- arithmetic of work ---- */

struct code_word {
    const char *text;
    uint32_t code;
};

static const struct code_word math_formats[] = {
    {"fp64", GB_F64},   {"fp32", GB_F32},     {"fp16", GB_F16},     {"bf16", GB_BF16},
    {"tf32", GB_TF32},  {"e4m3", GB_F8_E4M3}, {"e5m2", GB_F8_E5M2}, {"int8", GB_I8},
    {"int32", GB_I32},  {"int64", GB_I64},    {"uint8", GB_U8},     {"uint32", GB_U32},
    {"uint64", GB_U64},
};

static const struct code_word math_units[] = {
    {"scalar", GB_MATH_SCALAR},
    {"vector", GB_MATH_VECTOR},
    {"tensor", GB_MATH_TENSOR},
};

static bool take_code(struct cursor *cursor, const struct code_word *words, size_t n,
                      const char *expected, uint32_t *ret)
{
    enum { SHOWN = 24 };
    const size_t at = cursor_next(cursor);
    const struct span found = cursor_word(cursor);
    for (size_t i = 0; i < n; i++)
        if (span_is(found, words[i].text)) {
            *ret = words[i].code;
            return true;
        }
    if (found.n == 0)
        return cursor_expected(cursor, expected);
    return cursor_fail(cursor, at, "unknown word '%.*s': expected %s",
                       (int)(found.n < SHOWN ? found.n : SHOWN), found.text, expected);
}

bool parse_math(const char *text, uint32_t *ret_format, uint32_t *ret_unit, struct problem *problem)
{
    struct cursor cursor = {.text = text, .problem = problem};
    return take_code(&cursor, math_formats, sizeof math_formats / sizeof math_formats[0],
                     "a format and a unit, such as fp32 vector: fp64, fp32, fp16, bf16, tf32, "
                     "e4m3, e5m2, int8, int32, int64, uint8, uint32 or uint64",
                     ret_format) &&
           take_code(&cursor, math_units, sizeof math_units / sizeof math_units[0],
                     "scalar, vector or tensor", ret_unit) &&
           cursor_end(&cursor);
}
