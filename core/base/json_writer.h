/*
 * json_writer.h - JSON, written from front to back.
 *
 * Commas and escapes are taken care of. Numbers that are not finite become null, bytes that are no
 * UTF-8 become U+FFFD: what comes out is always valid. Inside arrays the name is NULL.
 *
 * What programs read of one thing is fields, values with their names: members of an object of JSON,
 * or a line of CSV.
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

/* TEXT("label", c->label): NULL is null, in CSV as NaN an empty field. */
struct named_value {
    const char *name;
    enum { VALUE_TEXT, VALUE_INTEGER, VALUE_REAL, VALUE_BOOL } kind;
    const char *text;
    int64_t integer; /* also of a truth, which is 0 or 1 in CSV */
    double real;
};
#define TEXT(name, value) ((struct named_value){(name), VALUE_TEXT, .text = (value)})
#define INTEGER(name, value)                                                                       \
    ((struct named_value){(name), VALUE_INTEGER, .integer = (int64_t)(value)})
#define REAL(name, value) ((struct named_value){(name), VALUE_REAL, .real = (value)})
#define BOOL(name, value) ((struct named_value){(name), VALUE_BOOL, .integer = (value) ? 1 : 0})
/* An array of fields, and how many they are. */
#define VALUES(...)                                                                                \
    (const struct named_value[]){__VA_ARGS__},                                                     \
        sizeof((const struct named_value[]){__VA_ARGS__}) / sizeof(struct named_value)

/* Members of the object that is open. */
void json_values(struct json_writer *json, const struct named_value *fields, size_t n);
/* Such an object. */
void json_object(struct json_writer *json, const char *name, const struct named_value *fields,
                 size_t n);
void json_texts(struct json_writer *json, const char *name, const char *const *texts, size_t n);
/* A line of CSV with its end. */
void csv_values(struct text *out, const struct named_value *fields, size_t n);

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

/* A line break before the next element; an object, to be closed, on a line of its own. */
void json_line(struct json_writer *json);
void json_row(struct json_writer *json);
