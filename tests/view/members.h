/*
 * members.h - what an export of JSON holds: each member by its path, with # for each element of a
 * list, and its values.
 */
#pragma once

#include "core/base/json_reader.h"
#include "tests/check_main.h"
#include "tests/view/views_fixture.h"

enum { VALUES_MAX = 400 };
/* A member of an export, # for each element of a list, and what is there, a line each. */
struct member {
    struct text path, values;
};
struct members {
    struct member items[VALUES_MAX];
    size_t n, next; /* next: where one is looked for first, as they come in order again and again */
};

/* What tells elements of a list apart, of the formats that have lists of several kinds. */
static const char *const member_kinds[] = {"tag", "cat"};

static inline struct member *find_member(struct members *members, const char *path)
{
    for (size_t i = 0; i < members->n; i++) {
        struct member *member = &members->items[(members->next + i) % members->n];
        if (strcmp(text_get(&member->path), path) != 0)
            continue;
        members->next = (size_t)(member - members->items) + 1;
        return member;
    }
    return NULL;
}

static inline void add_member(struct members *out, const char *path, const char *value)
{
    struct member *member = find_member(out, path);
    if (!member) {
        ck_assert_uint_lt(out->n, VALUES_MAX);
        member = &out->items[out->n++];
        text_add(&member->path, path);
    }
    text_add_line(&member->values, value);
    text_add(&member->values, "\n");
}

static inline void walk_value(struct json_reader *reader, enum json_token token, const char *path,
                              struct members *out);

static inline void walk_members(struct json_reader *reader, const char *path, bool has_names,
                                struct members *out)
{
    CLEANUP(text_free) struct text here = {0}, member = {0};
    text_add(&here, path);
    while (json_read(reader) == JSON_KEY) {
        CLEANUP(text_free) struct text key = {0};
        text_add(&key, text_get(&reader->text));
        const enum json_token token = json_read(reader);
        if (has_names)
            add_member(out, "{}", text_get(&key));
        for (size_t i = 0; i < N_OF(member_kinds); i++)
            if (token == JSON_STRING && strcmp(text_get(&key), member_kinds[i]) == 0) {
                text_clear(&here);
                text_printf(&here, "%s:%s", path, text_get(&reader->text));
            }
        text_clear(&member);
        text_printf(&member, "%s.%s", text_get(&here), has_names ? "{}" : text_get(&key));
        walk_value(reader, token, text_get(&member), out);
    }
}

static inline void walk_value(struct json_reader *reader, enum json_token token, const char *path,
                              struct members *out)
{
    CLEANUP(text_free) struct text items = {0};
    ck_assert_int_ne(token, JSON_BROKEN);
    text_printf(&items, "%s#", path);
    if (token == JSON_OBJECT_BEGIN)
        walk_members(reader, path, false, out);
    else if (token == JSON_ARRAY_BEGIN)
        while ((token = json_read(reader)) != JSON_ARRAY_END)
            walk_value(reader, token, text_get(&items), out);
    else
        add_member(out, path + (*path == '.'), text_get(&reader->text));
}

static inline void clear_members(struct members *members)
{
    for (size_t i = 0; i < members->n; i++) {
        text_free(&members->items[i].path);
        text_free(&members->items[i].values);
    }
    members->n = members->next = 0;
}
