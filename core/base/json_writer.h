/*
 * json_writer.h - JSON, written from front to back.
 *
 * Commas and escapes are taken care of. Numbers that are not finite become null, bytes that are no
 * UTF-8 become U+FFFD: what comes out is always valid. Inside arrays the name is NULL.
 */
#pragma once

#include "core/base/members.h"
#include "core/base/text.h"

struct json_writer {
    struct text *out;
    bool needs_comma;
};

enum { JSON_OBJECT = '{', JSON_ARRAY = '[' };

void json_open(struct json_writer *json, const char *name, char kind);
void json_close(struct json_writer *json, char kind);
void json_text(struct json_writer *json, const char *name, const char *value); /* NULL: null */
void json_integer(struct json_writer *json, const char *name, int64_t value);
void json_real(struct json_writer *json, const char *name, double value);
void json_bool(struct json_writer *json, const char *name, bool value);

/* A member of a struct: text (a pointer, NULL: null, or an array), double, bool or an integer of 32
 * or 64 bits. */
struct json_member {
    const char *name;
    size_t offset;
    char kind; /* p c d b, or of integers i u I */
};
/* Up to eight members by their names. */
#define JSON_MEMBERS(type, ...) FOR_MEMBERS(JSON_MEMBER, 0, type, __VA_ARGS__)
#define JSON_MEMBER(unused, type, member) JSON_MEMBER_AS(#member, type, member)
#define JSON_MEMBER_AS(name, type, member)                                                         \
    {                                                                                              \
        name, offsetof(type, member), JSON_KIND(((type *)NULL)->member)                            \
    }
/* clang-format off */
#define JSON_KIND(value)                                                                           \
    _Generic(value, const char *: 'p', char *: 'c', double: 'd', bool: 'b', int32_t: 'i',          \
                    uint32_t: 'u', int64_t: 'I', uint64_t: 'I')
/* clang-format on */
void json_members(struct json_writer *json, const struct json_member *members, size_t n,
                  const void *record);
/* An array of n objects; each takes item_bytes. */
void json_records(struct json_writer *json, const char *name, const void *items, size_t n,
                  size_t item_bytes, const struct json_member *members, size_t n_members);

/* A line break before the next element. */
void json_line(struct json_writer *json);
