/* text_split.c - lists and sets of written values: see value.h. */
#include "core/config/value.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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
    char buffer[TEXT_SHOWN + 4];
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
                                "'%s' has no closing quote: expected '\"' after it",
                                text_shown(item, n, buffer));
        if (n == 0)
            return error_set_at(error, GB_INVALID, at,
                                "item %zu is empty: expected a value %s '%c'", list.n + 1,
                                text[end] ? "before" : "after", separator);
        if (list.n == VALUE_LIST_MAX)
            return error_set_at(error, GB_INVALID, at, "the list is too long: expected up to %d %s",
                                VALUE_LIST_MAX, "items");
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

enum { INTEGER_SET_MAX = 65536 };

struct span {
    uint32_t first, last;
};

static int by_first(const void *a, const void *b)
{
    const struct span *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

static const char *scan_member(const char *at, uint32_t *ret)
{
    uint64_t value = 0;
    const char *start = at;
    for (; *at >= '0' && *at <= '9' && value <= UINT32_MAX; at++)
        value = value * 10 + (uint64_t)(*at - '0');
    *ret = (uint32_t)value;
    return at > start && value <= UINT32_MAX ? at : NULL;
}

static int32_t read_span(const char *text, struct origin origin, struct span *ret,
                         struct gb_error *error)
{
    char buffer[TEXT_SHOWN + 4];
    const char *at = scan_member(text, &ret->first);
    ret->last = ret->first;
    if (at && *at == '-')
        at = scan_member(at + 1, &ret->last);
    if (at && !*at && ret->first <= ret->last)
        return GB_OK;
    return error_set_at(error, GB_INVALID, origin,
                        "'%s' is not a set of integers: expected one such as 0-3,8,10-12",
                        text_shown(text, strlen(text), buffer));
}

/* Sorts and joins what touches; returns how many are left. */
static size_t join_spans(struct span *spans, size_t n)
{
    size_t kept = 0;
    qsort(spans, n, sizeof *spans, by_first);
    for (size_t i = 0; i < n; i++) {
        if (kept && spans[i].first <= spans[kept - 1].last) {
            if (spans[i].last > spans[kept - 1].last)
                spans[kept - 1].last = spans[i].last;
        } else {
            spans[kept++] = spans[i];
        }
    }
    return kept;
}

int32_t integer_set_read(const char *text, struct origin origin, struct arena *arena, size_t *ret_n,
                         uint32_t **ret_items, struct gb_error *error)
{
    struct text_list items = {0};
    int32_t status = text_split(text, ',', origin, arena, &items, error);
    if (status != GB_OK)
        return status;
    struct span *spans = ARENA_ARRAY(arena, struct span, items.n);
    for (size_t i = 0; i < items.n; i++) {
        status = read_span(items.items[i], items.origins[i], &spans[i], error);
        if (status != GB_OK)
            return status;
    }
    size_t n_spans = join_spans(spans, items.n), n = 0;
    uint64_t total = 0;
    for (size_t i = 0; i < n_spans; i++)
        total += (uint64_t)spans[i].last - spans[i].first + 1;
    if (total > INTEGER_SET_MAX) {
        char buffer[TEXT_SHOWN + 4];
        return error_set_at(error, GB_INVALID, origin,
                            "'%s' has %" PRIu64 " members: expected up to %d",
                            text_shown(text, strlen(text), buffer), total, INTEGER_SET_MAX);
    }
    uint32_t *members = ARENA_ARRAY(arena, uint32_t, total);
    for (size_t i = 0; i < n_spans; i++)
        for (uint64_t member = spans[i].first; member <= spans[i].last; member++)
            members[n++] = (uint32_t)member;
    *ret_n = n;
    *ret_items = members;
    return GB_OK;
}
