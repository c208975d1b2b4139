/*
 * wire_fields.h - structs as fields of a message: one list of members serves the side that writes
 * them and the side that reads them.
 */
#pragma once

#include "core/base/members.h"
#include "core/run/wire.h"

enum {
    FIELD_END,
    FIELD_U32,
    FIELD_U64,
    FIELD_F64,
    FIELD_BOOL,
    FIELD_CHARS,    /* an array of char, cut at its end */
    FIELD_WORD,     /* a text that is never NULL when it was read */
    FIELD_TEXT,     /* a text or NULL */
    FIELD_PATH,     /* a word that is read as its bytes are */
    FIELD_LINE,     /* a word that is read on one line */
    FIELD_PRINTABLE /* a plugin's text: cut, NULL is "", read on one line */
};
enum { PRINTABLE_MAX = 400 }; /* a longer one fails the reader */

/* A list ends with {0}. */
struct wire_field {
    int kind;
    size_t offset, bytes;
};

/* Up to eight members of a struct, each written as its type asks for; texts as words. */
#define FIELDS(type, ...) FOR_MEMBERS(FIELD, 0, type, __VA_ARGS__)
/* Likewise texts, as FIELD_TEXT or FIELD_PRINTABLE. */
#define FIELDS_AS(kind, type, ...) FOR_MEMBERS(FIELD_AS, kind, type, __VA_ARGS__)

#define FIELD(unused, type, member)                                                                \
    FIELD_AS(_Generic(((type *)0)->member, uint32_t                                                \
                      : FIELD_U32, int32_t                                                         \
                      : FIELD_U32, uint64_t                                                        \
                      : FIELD_U64, int64_t                                                         \
                      : FIELD_U64, double                                                          \
                      : FIELD_F64, bool                                                            \
                      : FIELD_BOOL, char *                                                         \
                      : FIELD_CHARS, const char *                                                  \
                      : FIELD_WORD),                                                               \
             type, member)
#define FIELD_AS(kind, type, member)                                                               \
    {                                                                                              \
        kind, offsetof(type, member), sizeof(((type *)0)->member)                                  \
    }

/* The fewest bytes that the fields take. */
size_t wire_fields_bytes(const struct wire_field *fields);

void wire_put_fields(struct wire_writer *writer, const struct wire_field *fields,
                     const void *object);
/* Texts are the arena's. */
void wire_get_fields(struct wire_reader *reader, struct arena *arena,
                     const struct wire_field *fields, void *ret);
