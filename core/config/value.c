/* value.c - one written value: see value.h. Lists and ranges: value_list.c. */
#include "core/config/value.h"

#include "core/base/number_text.h"
#include "core/base/text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define LENGTH_OF(array) (sizeof(array) / sizeof((array)[0]))

static const struct number_unit float_units[] = {
    {"k", 1, 3, 0},   {"M", 1, 6, 0},   {"G", 1, 9, 0},  {"Ki", 1, 0, 10},
    {"Mi", 1, 0, 20}, {"Gi", 1, 0, 30}, {"%", 1, -2, 0},
};
enum { N_INTEGER_UNITS = LENGTH_OF(float_units) - 1 };

static const struct number_unit size_units[] = {
    {"B", 1, 0, 0},    {"kB", 1, 3, 0},   {"MB", 1, 6, 0},   {"GB", 1, 9, 0},   {"TB", 1, 12, 0},
    {"KiB", 1, 0, 10}, {"MiB", 1, 0, 20}, {"GiB", 1, 0, 30}, {"TiB", 1, 0, 40}, {"k", 1, 3, 0},
    {"M", 1, 6, 0},    {"G", 1, 9, 0},    {"Ki", 1, 0, 10},  {"Mi", 1, 0, 20},  {"Gi", 1, 0, 30},
};

static const struct number_unit time_units[] = {
    {"ns", 1, 0, 0}, {"us", 1, 3, 0},   {"ms", 1, 6, 0},
    {"s", 1, 9, 0},  {"min", 60, 9, 0}, {"h", 3600, 9, 0},
};

static const char *const boolean_words[] = {"yes", "no", "true", "false", "on", "off", "1", "0"};

/* A text on its way to becoming a value. */
struct reading {
    const struct gb_option *option; /* of a choice */
    uint32_t type;
    const char *text; /* trimmed */
    size_t n;
    struct origin origin;
    struct arena *arena;
    struct gb_error *error;
    char shown[TEXT_SHOWN + 4];
};

typedef int32_t read_fn(struct reading *reading, struct value *ret);
static read_fn read_integer, read_float, read_boolean, read_string, read_choice, read_size,
    read_duration;

static const struct type_rule {
    const char *words;
    const char *expected;
    const struct number_unit *units;
    size_t n_units;
    read_fn *read;
} type_rules[] = {
    {"a value", "", NULL, 0, NULL},
    {"an integer", "a whole number such as 32, 2^20, 64Ki or 1e6", float_units, N_INTEGER_UNITS,
     read_integer},
    {"a number", "one such as 0.5, 1e-3, 64Ki or 5%", float_units, LENGTH_OF(float_units),
     read_float},
    {"a boolean", "one of yes no true false on off 1 0", NULL, 0, read_boolean},
    {"a string", "", NULL, 0, read_string},
    {"a choice", "", NULL, 0, read_choice},
    {"a size", "a number with one of B kB MB GB TB KiB MiB GiB TiB", size_units,
     LENGTH_OF(size_units), read_size},
    {"a duration", "a number with one of ns us ms s min h", time_units, LENGTH_OF(time_units),
     read_duration},
    {"a set of keys", "", NULL, 0, NULL},
};

static const struct type_rule *rule_of(uint32_t type)
{
    return &type_rules[type < LENGTH_OF(type_rules) ? type : 0];
}

const char *type_words(uint32_t type)
{
    static const char *const lists[] = {
        "a list",
        "a list of integers",
        "a list of numbers",
        "a list of booleans",
        "a list of strings",
        "a list of choices",
        "a list of sizes",
        "a list of durations",
    };
    uint32_t element = type & ~(uint32_t)GB_TYPE_LIST;
    if (type & GB_TYPE_LIST)
        return lists[element < LENGTH_OF(lists) ? element : 0];
    return rule_of(element)->words;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

void text_trim(const char **text, size_t *n)
{
    while (*n && is_blank(**text)) {
        ++*text;
        --*n;
    }
    while (*n && is_blank((*text)[*n - 1]))
        --*n;
}

static bool continues_code_point(char c)
{
    return ((unsigned char)c & 0xC0) == 0x80;
}

const char *text_shown(const char *text, size_t n, char buffer[TEXT_SHOWN + 4])
{
    text_trim(&text, &n);
    size_t kept = n;
    if (n > TEXT_SHOWN)
        for (kept = TEXT_SHOWN; kept && continues_code_point(text[kept]);)
            kept--;
    memcpy(buffer, text, kept);
    strcpy(buffer + kept, kept < n ? "..." : "");
    return buffer;
}

struct origin origin_at(struct origin origin, const char *text, size_t offset)
{
    for (size_t i = 0; i < offset && origin.column; i++)
        origin.column += !continues_code_point(text[i]);
    return origin;
}

static const char *shown(struct reading *reading)
{
    return text_shown(reading->text, reading->n, reading->shown);
}

/* "'4q' is not a size: expected ...; did you mean 'KiB'?" */
static int32_t not_of_type(struct reading *reading, const char *expected, const char *suggestion)
{
    return error_set_at(reading->error, GB_INVALID, reading->origin,
                        "'%s' is not %s: \1expected %s%s%s%s", shown(reading),
                        rule_of(reading->type)->words, expected, DID_YOU_MEAN(suggestion, ""));
}

/* Takes the number apart and finds its unit, which is NULL if there is none. */
static int32_t scan(struct reading *reading, struct number_text *number,
                    const struct number_unit **unit)
{
    const struct type_rule *rule = rule_of(reading->type);
    *unit = NULL;
    if (!number_scan(reading->text, reading->n, number))
        return not_of_type(reading, rule->expected, NULL);
    if (number->n_unit) {
        *unit = number_find_unit(number, rule->units, rule->n_units);
        if (!*unit) {
            const struct number_unit *near = number_suggest_unit(number, rule->units,
                                                                 rule->n_units);
            return not_of_type(reading, rule->expected, near ? near->name : NULL);
        }
    }
    return GB_OK;
}

/* Sizes and durations: no sign before them, not even before 0. */
static int32_t refuse_sign(struct reading *reading)
{
    if (!reading->n || reading->text[0] != '-')
        return GB_OK;
    return not_of_type(reading, "a number that is not negative", NULL);
}

static int32_t does_not_fit(struct reading *reading, const struct number_text *number)
{
    const char *expected = reading->type == GB_TYPE_BYTES ? "up to 18446744073709551615 bytes"
                           : number->is_negative          ? "from -9223372036854775808 on"
                                                          : "up to 9223372036854775807";
    return error_set_at(reading->error, GB_INVALID, reading->origin,
                        "'%s' is too %s: \1expected %s %s", shown(reading),
                        number->is_negative ? "small" : "large", rule_of(reading->type)->words,
                        expected);
}

/* A whole number; its sign is left in *number. */
static int32_t scan_whole(struct reading *reading, struct number_text *number, uint64_t *ret)
{
    const struct number_unit *unit;
    int32_t status = scan(reading, number, &unit);
    if (status != GB_OK)
        return status;
    if (number->is_infinite)
        return not_of_type(reading, rule_of(reading->type)->expected, NULL);
    switch (number_whole(number, unit, ret)) {
    case NUMBER_NOT_WHOLE:
        return not_of_type(
            reading, reading->type == GB_TYPE_BYTES ? "a whole number of bytes" : "a whole number",
            NULL);
    case NUMBER_TOO_LARGE:
        return does_not_fit(reading, number);
    default:
        return GB_OK;
    }
}

static int32_t read_integer(struct reading *reading, struct value *ret)
{
    struct number_text number;
    uint64_t magnitude = 0;
    int32_t status = scan_whole(reading, &number, &magnitude);
    if (status != GB_OK)
        return status;
    if (magnitude > (uint64_t)INT64_MAX + number.is_negative)
        return does_not_fit(reading, &number);
    ret->integer = (int64_t)(number.is_negative ? 0 - magnitude : magnitude);
    ret->number = (double)ret->integer;
    ret->text = arena_printf(reading->arena, "%" PRId64, ret->integer);
    return GB_OK;
}

static int32_t read_size(struct reading *reading, struct value *ret)
{
    struct number_text number = {0};
    int32_t status = refuse_sign(reading);
    if (status == GB_OK)
        status = scan_whole(reading, &number, &ret->bytes);
    if (status != GB_OK)
        return status;
    ret->number = (double)ret->bytes;
    ret->text = arena_printf(reading->arena, "%" PRIu64, ret->bytes);
    return GB_OK;
}

/* A double; *ret_unit is NULL if there is no unit. */
static int32_t scan_double(struct reading *reading, struct number_text *number,
                           const struct number_unit **ret_unit, double *ret)
{
    int32_t status = scan(reading, number, ret_unit);
    if (status != GB_OK)
        return status;
    const char *fault[] = {[NUMBER_TOO_LARGE] = "large", [NUMBER_TOO_SMALL] = "near to 0"};
    int outcome = number_double(number, *ret_unit, ret);
    if (outcome == NUMBER_OK)
        return GB_OK;
    return error_set_at(reading->error, GB_INVALID, reading->origin,
                        "'%s' is too %s: \1expected %s that fits into a double", shown(reading),
                        fault[outcome], rule_of(reading->type)->words);
}

static int32_t read_float(struct reading *reading, struct value *ret)
{
    struct number_text number;
    const struct number_unit *unit;
    int32_t status = scan_double(reading, &number, &unit, &ret->number);
    if (status != GB_OK)
        return status;
    ret->text = arena_text(reading->arena, DOUBLE_TEXT(ret->number));
    return GB_OK;
}

static int32_t read_duration(struct reading *reading, struct value *ret)
{
    struct number_text number;
    const struct number_unit *unit;
    int32_t status = refuse_sign(reading);
    if (status == GB_OK)
        status = scan_double(reading, &number, &unit, &ret->number);
    if (status != GB_OK)
        return status;
    if (!unit && !number.is_infinite && ret->number != 0)
        return not_of_type(reading, rule_of(GB_TYPE_DURATION)->expected, NULL);
    ret->text = arena_printf(reading->arena, "%s%s", DOUBLE_TEXT(ret->number),
                             number.is_infinite ? "" : "ns");
    return GB_OK;
}

/* The index of the word in the table, or n. */
static size_t find_word(const struct reading *reading, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strlen(words[i]) == reading->n && memcmp(words[i], reading->text, reading->n) == 0)
            return i;
    return n;
}

/* The nearest word as written, or else as written in small letters. */
static const char *suggest_word(const struct reading *reading, const char *const *words, size_t n)
{
    char *word = arena_text_n(reading->arena, reading->text, reading->n);
    const char *nearest = text_nearest(WORDS_OF(words, n), word);
    for (char *c = word; *c && !nearest; c++)
        if (*c >= 'A' && *c <= 'Z')
            *c = (char)(*c - 'A' + 'a');
    return nearest ? nearest : text_nearest(WORDS_OF(words, n), word);
}

static int32_t read_boolean(struct reading *reading, struct value *ret)
{
    size_t i = find_word(reading, boolean_words, LENGTH_OF(boolean_words));
    if (i == LENGTH_OF(boolean_words))
        return not_of_type(reading, rule_of(GB_TYPE_BOOL)->expected,
                           suggest_word(reading, boolean_words, LENGTH_OF(boolean_words)));
    ret->integer = i % 2 == 0;
    ret->number = (double)ret->integer;
    ret->text = ret->integer ? "yes" : "no";
    return GB_OK;
}

static int32_t read_choice(struct reading *reading, struct value *ret)
{
    const struct gb_option *option = reading->option;
    size_t n = option->n_choices;
    size_t i = find_word(reading, option->choices, n);
    if (i == n) {
        CLEANUP(text_free) struct text expected = {0};
        text_add(&expected, n == 1 ? "" : "one of ");
        text_add_joined(&expected, WORDS_OF(option->choices, n));
        return not_of_type(reading, text_get(&expected),
                           n ? suggest_word(reading, option->choices, n) : NULL);
    }
    ret->integer = (int64_t)i;
    ret->number = (double)i;
    ret->text = arena_text(reading->arena, option->choices[i]);
    return GB_OK;
}

/* Quotes are taken off only where they hold the whole string: 24" or "a" and "b" stay as written.
 */
static int32_t read_string(struct reading *reading, struct value *ret)
{
    ret->number = NAN;
    ret->text = arena_text_n(reading->arena, reading->text, reading->n);
    if (!reading->n || reading->text[0] != '"')
        return GB_OK;
    char *plain = arena_allocate(reading->arena, reading->n), *out = plain;
    size_t i = 1;
    for (; i < reading->n && reading->text[i] != '"'; i++) {
        bool escape = reading->text[i] == '\\' && i + 1 < reading->n &&
                      (reading->text[i + 1] == '"' || reading->text[i + 1] == '\\');
        i += escape;
        *out++ = reading->text[i];
    }
    if (i >= reading->n)
        return error_set_at(reading->error, GB_INVALID, reading->origin,
                            "'%s' has no closing quote: \1expected '\"' at its end",
                            shown(reading));
    if (i + 1 == reading->n)
        ret->text = plain;
    return GB_OK;
}

static bool needs_quotes(const char *text, char separator)
{
    size_t n = strlen(text);
    if (n == 0)
        return separator != 0;
    if (is_blank(text[0]) || is_blank(text[n - 1]) || text[0] == '"')
        return true;
    for (size_t i = 0; i < n; i++) {
        bool is_comment = strchr(";#", text[i]) && (i == 0 || is_blank(text[i - 1]));
        if (is_comment || (separator && (text[i] == '"' || text[i] == separator)))
            return true;
    }
    return false;
}

const char *text_in_quotes(const char *text, struct arena *arena)
{
    char *quoted = arena_allocate(arena, 2 * strlen(text) + 3), *out = quoted;
    *out++ = '"';
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            *out++ = '\\';
        *out++ = *text;
    }
    *out = '"';
    return quoted;
}

const char *text_quote(const char *text, char separator, struct arena *arena)
{
    return needs_quotes(text, separator) ? text_in_quotes(text, arena) : arena_text(arena, text);
}

static int32_t read_scalar(uint32_t type, const struct gb_option *option, const char *text,
                           struct origin origin, struct arena *arena, struct value *ret,
                           struct gb_error *error)
{
    struct reading reading = {.option = option,
                              .type = type,
                              .text = text,
                              .n = strlen(text),
                              .arena = arena,
                              .error = error};
    text_trim(&reading.text, &reading.n);
    reading.origin = origin_at(origin, text, (size_t)(reading.text - text));
    if (!rule_of(type)->read || (type == GB_TYPE_CHOICE && !option))
        return error_set_at(error, GB_INVALID, origin, "'%s' cannot be read as %s", shown(&reading),
                            rule_of(type)->words);
    struct value value = {.type = type};
    locale_t before = number_locale_c();
    int32_t status = rule_of(type)->read(&reading, &value);
    number_locale_restore(before);
    if (status == GB_OK)
        *ret = value;
    return status;
}

int32_t value_read_type(uint32_t type, const char *text, struct origin origin, struct arena *arena,
                        struct value *ret, struct gb_error *error)
{
    return read_scalar(type, NULL, text, origin, arena, ret, error);
}

int32_t value_read(const struct gb_option *option, const char *text, struct origin origin,
                   struct arena *arena, struct value *ret, struct gb_error *error)
{
    struct value value;
    struct value_range range;
    int32_t status = read_scalar(option->type & ~(uint32_t)GB_TYPE_LIST, option, text, origin,
                                 arena, &value, error);
    if (status == GB_OK)
        status = value_range_read(option, arena, &range, error);
    if (status != GB_OK)
        return status;
    status = value_range_check(option, &range, &value, SHOWN_TEXT(text, strlen(text)), origin,
                               error);
    if (status == GB_OK)
        *ret = value;
    return status;
}

int value_compare(const struct value *a, const struct value *b)
{
    switch (a->type) {
    case GB_TYPE_FLOAT:
    case GB_TYPE_DURATION:
        return (a->number > b->number) - (a->number < b->number);
    case GB_TYPE_BYTES:
        return (a->bytes > b->bytes) - (a->bytes < b->bytes);
    default:
        return (a->integer > b->integer) - (a->integer < b->integer);
    }
}

/* One end of a range; nothing but blanks: there is no such end. */
static int32_t read_end(const struct gb_option *option, const char *text, size_t n,
                        struct arena *arena, bool *ret_has, struct value *ret,
                        struct gb_error *error)
{
    text_trim(&text, &n);
    *ret_has = n > 0;
    if (!n)
        return GB_OK;
    return value_read_type(option->type & ~(uint32_t)GB_TYPE_LIST, arena_text_n(arena, text, n),
                           (struct origin){0}, arena, ret, error);
}

int32_t value_range_read(const struct gb_option *option, struct arena *arena,
                         struct value_range *ret, struct gb_error *error)
{
    *ret = (struct value_range){0};
    if (!option->range)
        return GB_OK;
    const char *colon = strchr(option->range, ':');
    if (!colon)
        return error_set(error, GB_INVALID, "range '%s' has no colon: \1expected LOW:HIGH",
                         option->range);
    int32_t status = read_end(option, option->range, (size_t)(colon - option->range), arena,
                              &ret->has_low, &ret->low, error);
    if (status == GB_OK)
        status = read_end(option, colon + 1, strlen(colon + 1), arena, &ret->has_high, &ret->high,
                          error);
    if (status != GB_OK)
        return error_prefix(error, "range '%s': ", option->range);
    if (ret->has_low && ret->has_high && value_compare(&ret->low, &ret->high) > 0)
        return error_set(error, GB_INVALID, "range '%s' is empty: \1expected LOW:HIGH",
                         option->range);
    return GB_OK;
}

int32_t value_range_check(const struct gb_option *option, const struct value_range *range,
                          const struct value *value, const char *written, struct origin origin,
                          struct gb_error *error)
{
    if ((!range->has_low || value_compare(value, &range->low) >= 0) &&
        (!range->has_high || value_compare(value, &range->high) <= 0))
        return GB_OK;
    return error_set_at(error, GB_INVALID, origin, "%s = %s is out of range: \1expected %s",
                        option->name, written, option->range);
}
