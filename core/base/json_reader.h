/*
 * json_reader.h - JSON (RFC 8259), read from front to back, a token at a time.
 *
 * Beyond the standard NaN, Infinity and -Infinity are numbers, as Python writes them. Syntax is
 * checked as it is read; nesting ends at JSON_DEPTH_MAX.
 */
#pragma once

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/text.h"

enum { JSON_DEPTH_MAX = 64 };

/* What has been read. Values of objects follow their JSON_KEY. */
enum json_token {
    JSON_END = 0, /* of the whole text */
    JSON_OBJECT_BEGIN,
    JSON_OBJECT_END,
    JSON_ARRAY_BEGIN,
    JSON_ARRAY_END,
    JSON_KEY,    /* its text */
    JSON_STRING, /* its text */
    JSON_NUMBER, /* its number; its text is how it was written */
    JSON_TRUE,
    JSON_FALSE,
    JSON_NULL,
    JSON_BROKEN, /* `error` says where and what was expected; it stays so */
};

/* Made by json_read_begin, freed by json_read_end. */
struct json_reader {
    const char *at, *end;
    struct text text; /* of the last key, string or number; true, false or null */
    double number;    /* NaN: not a number */
    uint32_t line;    /* of `at`, from 1 */
    bool is_cut;      /* broken for having ended early */
    struct gb_error error;
    /* private */
    const char *name;
    const char *line_begin;
    uint32_t depth;
    uint8_t expected;
    char kinds[JSON_DEPTH_MAX];
};

/* n bytes of json, named in errors; both must outlive the reader. json[n] must be 0. */
void json_read_begin(struct json_reader *reader, const char *name, const char *json, size_t n);
enum json_token json_read(struct json_reader *reader);
/* The rest of the value that began with `token`: of an object or an array up to its end. False: it
 * is broken. */
bool json_skip(struct json_reader *reader, enum json_token token);
/* An error of what was read last: that it is not what the caller expects. GB_INVALID. */
int32_t json_refuse(struct json_reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void json_read_end(struct json_reader *reader);
