/* text_split.c - lists of written values: see value.h. */
#include "core/config/value.h"

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
