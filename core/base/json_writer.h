/*
 * json_writer.h - JSON, written from front to back.
 *
 * Commas and escapes are taken care of. Numbers that are not finite become null, bytes that are no
 * UTF-8 become U+FFFD: what comes out is always valid. Inside arrays the name is NULL.
 */
#ifndef GBRUN_CORE_JSON_WRITER_H
#define GBRUN_CORE_JSON_WRITER_H

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
/* A line break before the next element. */
void json_line(struct json_writer *json);

#endif
