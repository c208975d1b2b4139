/* error.c - see error.h. */
#include "core/base/error.h"

#include "core/base/memory.h"
#include "core/base/plain_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t hint_take(char *text)
{
    size_t first = 0;
    for (char *at = text; (at = strchr(at, HINT_MARK));) {
        first = first ? first : 1 + (size_t)(at - text);
        memmove(at, at + 1, strlen(at));
    }
    return first;
}

/* Makes the text plain, which may shorten what is before the hint. */
static void set_plain(struct gb_error *error, size_t hint)
{
    size_t n_hint = hint ? strlen(make_plain(error->text + hint - 1)) : 0;
    make_plain(error->text);
    error->hint = n_hint ? 1 + strlen(error->text) - n_hint : 0;
}

int32_t error_set_va(struct gb_error *error, int32_t status, struct origin origin,
                     const char *format, va_list arguments)
{
    if (error) {
        error->status = status;
        error->origin = origin;
        vsnprintf(error->text, sizeof error->text, format, arguments);
        set_plain(error, hint_take(error->text));
    }
    return status;
}

int32_t error_set(struct gb_error *error, int32_t status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    error_set_va(error, status, (struct origin){0}, format, arguments);
    va_end(arguments);
    return status;
}

int32_t error_set_at(struct gb_error *error, int32_t status, struct origin origin,
                     const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    error_set_va(error, status, origin, format, arguments);
    va_end(arguments);
    return status;
}

int32_t error_prefix(struct gb_error *error, const char *format, ...)
{
    if (!error)
        return GB_FAILED;
    char text[sizeof error->text];
    va_list arguments;
    va_start(arguments, format);
    int used = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    size_t hint = used >= 0 && error->hint ? (size_t)used + error->hint : 0;
    if (used >= 0 && (size_t)used < sizeof text)
        snprintf(text + used, sizeof text - (size_t)used, "%s", error->text);
    memcpy(error->text, text, sizeof text);
    set_plain(error, hint <= sizeof text ? hint : 0);
    return error->status;
}

int32_t error_append(struct gb_error *error, const char *format, ...)
{
    size_t used = strlen(error->text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text + used, sizeof error->text - used, format, arguments);
    va_end(arguments);
    return error->status;
}

const char *error_hint(const struct gb_error *error)
{
    return error->hint ? error->text + error->hint - 1 : NULL;
}

void error_seek_hint(struct gb_error *error)
{
    static const char *const words[] = {"did you mean ", "expected ", "write ", "see "};
    for (const char *at = strpbrk(error->text, ":;,"); at; at = strpbrk(at + 1, ":;,"))
        for (size_t i = 0; at[1] == ' ' && i < sizeof words / sizeof *words; i++)
            if (!error->hint && strncmp(at + 2, words[i], strlen(words[i])) == 0)
                error->hint = 1 + (size_t)(at + 2 - error->text);
}

const char *status_words(int32_t status)
{
    static _Thread_local char unknown[32];
    switch (status) {
#define STATUS_CASE(name, value, words)                                                            \
    case value:                                                                                    \
        return words;
        GB_STATUS_MAP(STATUS_CASE)
#undef STATUS_CASE
    default:
        snprintf(unknown, sizeof unknown, "status %d", (int)status);
        return unknown;
    }
}

void error_list_take(struct error_list *list, const struct gb_error *error)
{
    if (list->n == ERROR_LIST_MAX) {
        list->n_left_out++;
        return;
    }
    MEMORY_APPEND(list->items, list->n, *error);
}

void error_list_add(struct error_list *list, struct origin origin, const char *format, ...)
{
    struct gb_error error;
    va_list arguments;
    va_start(arguments, format);
    error_set_va(&error, GB_INVALID, origin, format, arguments);
    va_end(arguments);
    error_list_take(list, &error);
}

size_t error_list_count(const struct error_list *list)
{
    return list->n + list->n_left_out;
}

static bool comes_before(const struct origin *a, const struct origin *b)
{
    if (!a->file || !b->file || strcmp(a->file, b->file) != 0)
        return false;
    return a->line < b->line || (a->line == b->line && a->column < b->column);
}

/* By insertion: equal places keep their order, and the list is short. */
void error_list_sort(struct error_list *list)
{
    for (size_t i = 1; i < list->n; i++) {
        struct gb_error error = list->items[i];
        size_t j = i;
        for (; j > 0 && comes_before(&error.origin, &list->items[j - 1].origin); j--)
            list->items[j] = list->items[j - 1];
        list->items[j] = error;
    }
}

bool error_list_empty(const struct error_list *list)
{
    return list->n == 0;
}

void error_list_free(struct error_list *list)
{
    free(list->items);
    *list = (struct error_list){0};
}
