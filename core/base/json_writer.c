/* json_writer.c - see json_writer.h. */
#include "core/base/json_writer.h"

#include "core/base/plain_text.h"

#include <math.h>
#include <string.h>

static void add_string(struct text *out, const char *value)
{
    static const char named[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    text_add(out, "\"");
    for (; *value; value++) {
        const char *found = strchr(named, *value);
        size_t length = utf8_length(value, SIZE_MAX), n_plain = plain_length(value, SIZE_MAX);
        if (found)
            text_printf(out, "\\%c", letters[found - named]);
        else if (n_plain)
            text_add_n(out, value, n_plain);
        else if (length == 1)
            text_printf(out, "\\u%04x", *value);
        else
            text_add(out, "\uFFFD");
        value += length ? length - 1 : 0;
    }
    text_add(out, "\"");
}

static void begin(struct json_writer *json, const char *name)
{
    if (json->needs_comma)
        text_add(json->out, ",");
    json->needs_comma = true;
    if (name) {
        add_string(json->out, name);
        text_add(json->out, ":");
    }
}

void json_open(struct json_writer *json, const char *name, char kind)
{
    begin(json, name);
    text_add_n(json->out, &kind, 1);
    json->needs_comma = false;
}

void json_close(struct json_writer *json, char kind)
{
    text_add(json->out, kind == JSON_OBJECT ? "}" : "]");
    json->needs_comma = true;
}

void json_text(struct json_writer *json, const char *name, const char *value)
{
    begin(json, name);
    if (value)
        add_string(json->out, value);
    else
        text_add(json->out, "null");
}

void json_integer(struct json_writer *json, const char *name, int64_t value)
{
    begin(json, name);
    text_printf(json->out, "%lld", (long long)value);
}

void json_real(struct json_writer *json, const char *name, double value)
{
    begin(json, name);
    text_add(json->out, isfinite(value) ? DOUBLE_TEXT(value) : "null");
}

void json_bool(struct json_writer *json, const char *name, bool value)
{
    begin(json, name);
    text_add(json->out, value ? "true" : "false");
}

void json_values(struct json_writer *json, const struct named_value *fields, size_t n)
{
    for (const struct named_value *field = fields; field < fields + n; field++)
        if (field->kind == VALUE_TEXT)
            json_text(json, field->name, field->text);
        else if (field->kind == VALUE_INTEGER)
            json_integer(json, field->name, field->integer);
        else if (field->kind == VALUE_REAL)
            json_real(json, field->name, field->real);
        else
            json_bool(json, field->name, field->integer);
}

void json_object(struct json_writer *json, const char *name, const struct named_value *fields,
                 size_t n)
{
    json_open(json, name, JSON_OBJECT);
    json_values(json, fields, n);
    json_close(json, JSON_OBJECT);
}

void json_texts(struct json_writer *json, const char *name, const char *const *texts, size_t n)
{
    json_open(json, name, JSON_ARRAY);
    for (size_t i = 0; i < n; i++)
        json_text(json, NULL, texts[i]);
    json_close(json, JSON_ARRAY);
}

void csv_values(struct text *out, const struct named_value *fields, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (fields[i].kind == VALUE_TEXT)
            text_add_csv(out, fields[i].text ? fields[i].text : "", i == 0);
        else if (fields[i].kind == VALUE_REAL)
            text_add_csv(out, isnan(fields[i].real) ? "" : DOUBLE_TEXT(fields[i].real), i == 0);
        else
            text_printf(out, "%s%lld", i ? "," : "", (long long)fields[i].integer);
    text_add(out, "\n");
}

void json_members(struct json_writer *json, const struct json_member *members, size_t n,
                  const void *record)
{
    for (size_t i = 0; i < n; i++) {
        const char *name = members[i].name;
        const void *at = (const char *)record + members[i].offset;
        switch (members[i].kind) {
        case 'p':
            json_text(json, name, *(const char *const *)at);
            break;
        case 'c':
            json_text(json, name, at);
            break;
        case 'd':
            json_real(json, name, *(const double *)at);
            break;
        case 'b':
            json_bool(json, name, *(const bool *)at);
            break;
        case 'i':
            json_integer(json, name, *(const int32_t *)at);
            break;
        case 'u':
            json_integer(json, name, *(const uint32_t *)at);
            break;
        default:
            json_integer(json, name, *(const int64_t *)at);
            break;
        }
    }
}

void json_records(struct json_writer *json, const char *name, const void *items, size_t n,
                  size_t item_bytes, const struct json_member *members, size_t n_members)
{
    json_open(json, name, JSON_ARRAY);
    for (size_t i = 0; i < n; i++) {
        json_open(json, NULL, JSON_OBJECT);
        json_members(json, members, n_members, (const char *)items + i * item_bytes);
        json_close(json, JSON_OBJECT);
    }
    json_close(json, JSON_ARRAY);
}

void json_line(struct json_writer *json)
{
    if (json->needs_comma)
        text_add(json->out, ",");
    json->needs_comma = false;
    text_add(json->out, "\n");
}

void json_row(struct json_writer *json)
{
    json_line(json);
    json_open(json, NULL, JSON_OBJECT);
}
