/* value_list.c - lists with ranges of written values: see value.h. */
#include "core/base/number_text.h"
#include "core/base/statistics.h"
#include "core/base/text.h"
#include "core/config/value.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- items ---- */

/* Is text[i] a backslash that stands before a quote or another backslash? */
static bool is_escape(const char *text, size_t i)
{
    return text[i] == '\\' && (text[i + 1] == '"' || text[i + 1] == '\\');
}

/* Where the item that begins at `start` ends; *ret_open: inside quotes that nothing closes. */
static size_t item_end(const char *text, size_t start, char separator, bool *ret_open)
{
    size_t i = start;
    bool quoted = false;
    for (; text[i] && (quoted || text[i] != separator); i++) {
        if (text[i] == '"')
            quoted = !quoted;
        else if (quoted && is_escape(text, i))
            i++;
    }
    *ret_open = quoted;
    return i;
}

/* A copy of n bytes; without quotes if the separator is a comma. */
static const char *item_text(const char *text, size_t n, char separator, struct arena *arena)
{
    char *copy = arena_text_n(arena, text, n);
    if (separator != ',')
        return copy;
    char *out = copy;
    bool quoted = false;
    for (const char *in = copy; *in; in++) {
        if (*in == '"') {
            quoted = !quoted;
            continue;
        }
        if (quoted && is_escape(in, 0))
            in++;
        *out++ = *in;
    }
    *out = 0;
    return copy;
}

int32_t text_split(const char *text, char separator, struct origin origin, struct arena *arena,
                   struct text_list *ret, struct gb_error *error)
{
    struct text_list list = {0};
    const char *first = text;
    size_t n_all = strlen(text), counted = 0;
    text_trim(&first, &n_all);
    bool is_more = n_all > 0;
    struct origin at = origin;
    for (size_t start = 0, end = 0; is_more; start = end + 1) {
        bool is_open;
        end = item_end(text, start, separator, &is_open);
        const char *item = text + start;
        size_t n = end - start;
        text_trim(&item, &n);
        at = origin_at(at, text + counted, (size_t)(item - text) - counted);
        counted = (size_t)(item - text);
        if (is_open)
            return error_set_at(error, GB_INVALID, at,
                                "'%s' has no closing quote: \1expected '\"' after it",
                                SHOWN_TEXT(item, n));
        if (n == 0)
            return error_set_at(error, GB_INVALID, at,
                                "item %zu is empty: \1expected a value %s '%c'", list.n + 1,
                                text[end] ? "before" : "after", separator);
        if (list.n == VALUE_LIST_MAX)
            return error_set_at(error, GB_INVALID, at,
                                "the list is too long: \1expected up to %d %s", VALUE_LIST_MAX,
                                "items");
        list.items = arena_grow(arena, list.items, list.n, sizeof *list.items);
        list.origins = arena_grow(arena, list.origins, list.n, sizeof *list.origins);
        list.is_quoted = arena_grow(arena, list.is_quoted, list.n, sizeof *list.is_quoted);
        list.is_quoted[list.n] = *item == '"';
        list.items[list.n] = item_text(item, n, separator, arena);
        list.origins[list.n++] = at;
        is_more = text[end];
    }
    *ret = list;
    return GB_OK;
}

/* ---- values and ranges ---- */

static bool only_blanks(const char *text)
{
    size_t n = strlen(text);
    text_trim(&text, &n);
    return n == 0;
}

/* A list while it grows, and what each of its values has to obey. */
struct list_reading {
    const struct gb_option *option;
    uint32_t type;
    struct value_range allowed;
    struct arena *arena;
    struct gb_error *error;
    struct value_list list;
    const char *text; /* of the item that is read */
    struct origin origin;
};

static int32_t too_many(struct list_reading *list)
{
    return error_set_at(list->error, GB_INVALID, list->origin,
                        "'%s' makes the list too long: \1expected up to %d values",
                        SHOWN_TEXT(list->text, strlen(list->text)), VALUE_LIST_MAX);
}

void value_list_add(struct value_list *list, const struct value *value, struct origin origin,
                    struct arena *arena)
{
    list->items = arena_grow(arena, list->items, list->n, sizeof *list->items);
    list->origins = arena_grow(arena, list->origins, list->n, sizeof *list->origins);
    list->items[list->n] = *value;
    list->origins[list->n++] = origin;
}

static int32_t append(struct list_reading *list, const struct value *value)
{
    if (list->list.n == VALUE_LIST_MAX)
        return too_many(list);
    value_list_add(&list->list, value, list->origin, list->arena);
    return GB_OK;
}

static int32_t add_value(struct list_reading *list, const struct value *value)
{
    int32_t status = value_range_check(list->option, &list->allowed, value, value->text,
                                       list->origin, list->error);
    return status == GB_OK ? append(list, value) : status;
}

/* Whole numbers are counted in 64 bits without a sign, in which differences never overflow. */
static bool is_counted(uint32_t type)
{
    return type == GB_TYPE_INT || type == GB_TYPE_BYTES;
}

static uint64_t count_of(const struct value *value)
{
    return value->type == GB_TYPE_INT ? (uint64_t)value->integer : value->bytes;
}

static int32_t add_count(struct list_reading *list, uint64_t count)
{
    struct value value = {.type = list->type};
    if (list->type == GB_TYPE_INT) {
        value.integer = (int64_t)count;
        value.number = (double)value.integer;
        value.text = arena_printf(list->arena, "%" PRId64, value.integer);
    } else {
        value.bytes = count;
        value.number = (double)count;
        value.text = arena_printf(list->arena, "%" PRIu64, count);
    }
    return add_value(list, &value);
}

static int32_t add_number(struct list_reading *list, double number)
{
    struct value value = {.type = list->type, .number = number};
    value.text = arena_printf(list->arena, "%s%s", DOUBLE_TEXT(number),
                              list->type == GB_TYPE_DURATION ? "ns" : "");
    return add_value(list, &value);
}

/* FIRST:LAST[:STEP] or FIRST:LAST:xFACTOR */
struct range_text {
    struct value first, last;
    struct value step; /* its magnitude; type 0: none was written */
    bool is_downward;  /* the step has a minus */
    bool is_geometric;
    double factor;
};

static int32_t range_error(struct list_reading *list, const char *expected)
{
    return error_set_at(list->error, GB_INVALID, list->origin, "range '%s': \1expected %s",
                        SHOWN_TEXT(list->text, strlen(list->text)), expected);
}

static int32_t read_part(struct list_reading *list, uint32_t type, const char *part, size_t offset,
                         struct value *ret)
{
    return value_read_type(type, part, origin_at(list->origin, list->text, offset), list->arena,
                           ret, list->error);
}

static int32_t read_factor(struct list_reading *list, struct range_text *range, const char *part,
                           size_t offset)
{
    struct value factor;
    int32_t status = read_part(list, GB_TYPE_FLOAT, part + 1, offset + 1, &factor);
    if (status != GB_OK)
        return status;
    if (!(factor.number > 1) || isinf(factor.number))
        return range_error(list, "a factor above 1, as in 1:1024:x2");
    range->is_geometric = true;
    range->factor = factor.number;
    return GB_OK;
}

/* The sign belongs to the range, not to the step: sizes and durations have none of their own. */
static int32_t read_step(struct list_reading *list, struct range_text *range, const char *part,
                         size_t offset)
{
    size_t sign = strspn(part, " \t");
    if (part[sign] == 'x')
        return read_factor(list, range, part + sign, offset + sign);
    range->is_downward = part[sign] == '-';
    sign += range->is_downward;
    if (part[sign] == '-' || part[sign] == '+')
        sign = 0;
    int32_t status = read_part(list, list->type, part + sign, offset + sign, &range->step);
    if (status == GB_OK && range->step.number == 0)
        return range_error(list, "a step other than 0");
    return status;
}

static int32_t read_range(struct list_reading *list, struct range_text *range)
{
    char *parts = arena_text(list->arena, list->text);
    char *colon = strchr(parts, ':');
    *colon++ = 0;
    char *second = strchr(colon, ':');
    if (second)
        *second++ = 0;
    if (only_blanks(parts) || only_blanks(colon) || (second && only_blanks(second)) ||
        (second && strchr(second, ':')))
        return range_error(list, "FIRST:LAST, FIRST:LAST:STEP or FIRST:LAST:xFACTOR");
    int32_t status = read_part(list, list->type, parts, 0, &range->first);
    if (status == GB_OK)
        status = read_part(list, list->type, colon, (size_t)(colon - parts), &range->last);
    if (status == GB_OK && second)
        status = read_step(list, range, second, (size_t)(second - parts));
    if (status == GB_OK &&
        (isinf(range->first.number) || isinf(range->last.number) || isinf(range->step.number)))
        return range_error(list, "finite numbers");
    return status;
}

/* Is FIRST before, at or after LAST in the direction of the step? */
static int32_t check_direction(struct list_reading *list, const struct range_text *range)
{
    int order = value_compare(&range->first, &range->last);
    if (order > 0 && !range->is_downward)
        return range_error(list, range->is_geometric ? "LAST not below FIRST"
                                                     : "a step below 0, since LAST is below FIRST");
    if (order < 0 && range->is_downward)
        return range_error(list, "a step above 0, since LAST is above FIRST");
    if (!range->is_geometric && !range->step.type && list->type == GB_TYPE_DURATION)
        return range_error(list, "a step, as in 1ms:10ms:1ms or 1ms:64ms:x2");
    if (range->is_geometric && !(range->first.number > 0))
        return range_error(list, "FIRST above 0, since a factor is given");
    return GB_OK;
}

static int32_t add_counts(struct list_reading *list, const struct range_text *range)
{
    uint64_t first = count_of(&range->first), last = count_of(&range->last);
    uint64_t step = range->step.type ? count_of(&range->step) : 1;
    uint64_t n_steps = (range->is_downward ? first - last : last - first) / step;
    if (n_steps >= VALUE_LIST_MAX)
        return too_many(list);
    int32_t status = GB_OK;
    for (uint64_t i = 0; i <= n_steps && status == GB_OK; i++)
        status = add_count(list, range->is_downward ? first - i * step : first + i * step);
    return status;
}

/* Exact as long as the factor is whole; else rounded to the nearest whole number, each once. */
static int32_t add_powers(struct list_reading *list, const struct range_text *range)
{
    uint64_t first = count_of(&range->first), last = count_of(&range->last), value = first;
    bool is_whole = range->factor == floor(range->factor) && range->factor < 0x1p63;
    int32_t status = add_count(list, first);
    for (int i = 1; status == GB_OK; i++) {
        uint64_t next = 0;
        long double power = roundl((long double)first * powl(range->factor, i));
        if (is_whole ? __builtin_mul_overflow(value, (uint64_t)range->factor, &next)
                     : power > (long double)last || power >= 0x1p64L)
            break;
        if (!is_whole)
            next = (uint64_t)power;
        if (next > last)
            break;
        if (i > VALUE_LIST_MAX)
            return too_many(list);
        if (next != value)
            status = add_count(list, next);
        value = next;
    }
    return status;
}

/*
 * Takes the rounding noise off a computed value: 12 digits, if these are meant. `scale` is the
 * size of the numbers that it was computed from, 1e-15 of it a few units in the last place.
 */
static double without_noise(double value, double scale)
{
    char digits[NUMBER_TEXT_MAX];
    if (fabs(value) <= 1e-15 * scale)
        return 0;
    snprintf(digits, sizeof digits, "%.12g", value);
    double rounded = strtod(digits, NULL);
    return fabs(rounded - value) <= 1e-15 * scale ? rounded : value;
}

/* FIRST + i * STEP. LAST is reached if the steps end near enough to it for the difference to be
 * rounding, never more than half a step. */
static int32_t add_steps(struct list_reading *list, const struct range_text *range)
{
    double first = range->first.number, last = range->last.number;
    double step = range->step.type ? range->step.number : 1;
    double scale = fmax(fabs(first), fabs(last));
    double n_steps = floor(fabs(last - first) / step + fmin(0.5, 2e-15 * scale / step));
    if (!(n_steps < (double)VALUE_LIST_MAX))
        return too_many(list);
    int32_t status = add_number(list, first);
    for (double i = 1; i <= n_steps && status == GB_OK; i++) {
        double offset = rounded_product(i, step);
        double value = range->is_downward ? first - offset : first + offset;
        value = without_noise(value, scale);
        bool is_past = range->is_downward ? value < last : value > last;
        status = add_number(list, is_past ? last : value);
    }
    return status;
}

/* FIRST * FACTOR^i, to LAST with the tolerance of i roundings. */
static int32_t add_factors(struct list_reading *list, const struct range_text *range)
{
    double first = range->first.number, last = range->last.number, value = first;
    int32_t status = add_number(list, first);
    for (int i = 1; status == GB_OK && value < last; i++) {
        double tolerance = 1e-15 * (i + 2) * last;
        value = first * pow(range->factor, i);
        if (value > last + tolerance)
            break;
        value = fabs(value - last) <= tolerance ? last : without_noise(value, value);
        status = add_number(list, value);
    }
    return status;
}

static int32_t add_range(struct list_reading *list)
{
    struct range_text range = {.is_geometric = false};
    int32_t status = read_range(list, &range);
    if (status == GB_OK)
        status = check_direction(list, &range);
    if (status != GB_OK)
        return status;
    if (is_counted(list->type))
        return range.is_geometric ? add_powers(list, &range) : add_counts(list, &range);
    return range.is_geometric ? add_factors(list, &range) : add_steps(list, &range);
}

static int32_t add_item(struct list_reading *list)
{
    bool may_range = is_counted(list->type) || list->type == GB_TYPE_FLOAT ||
                     list->type == GB_TYPE_DURATION;
    if (may_range && strchr(list->text, ':'))
        return add_range(list);
    /* A string is complete: its quotes have been taken off by the split. */
    struct value value = {.type = list->type, .number = NAN, .text = list->text};
    int32_t status = GB_OK;
    if (list->type != GB_TYPE_STRING)
        status = value_read(list->option, list->text, list->origin, list->arena, &value,
                            list->error);
    return status == GB_OK ? append(list, &value) : status;
}

int32_t value_list_read(const struct gb_option *option, const char *text, struct origin origin,
                        struct arena *arena, struct value_list *ret, struct gb_error *error)
{
    struct list_reading list = {.option = option, .arena = arena, .error = error};
    list.type = option->type & ~(uint32_t)GB_TYPE_LIST;
    struct text_list items = {0};
    int32_t status = text_split(text, ',', origin, arena, &items, error);
    if (status == GB_OK)
        status = value_range_read(option, arena, &list.allowed, error);
    locale_t before = number_locale_c();
    for (size_t i = 0; status == GB_OK && i < items.n; i++) {
        list.text = items.items[i];
        list.origin = items.origins[i];
        status = add_item(&list);
    }
    number_locale_restore(before);
    if (status == GB_OK)
        *ret = list.list;
    return status;
}
