/* json_writer.c - see json_writer.h. */
#include "core/base/json_writer.h"

#include <math.h>
#include <string.h>

/* Bytes of the well-formed UTF-8 sequence at `at` (RFC 3629); 0 if there is none. */
static size_t sequence_length(const unsigned char *at)
{
    static const struct {
        unsigned char first_low, first_high, second_low, second_high;
        size_t length;
    } forms[] = {{0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3},
                 {0xE1, 0xEC, 0x80, 0xBF, 3}, {0xED, 0xED, 0x80, 0x9F, 3},
                 {0xEE, 0xEF, 0x80, 0xBF, 3}, {0xF0, 0xF0, 0x90, 0xBF, 4},
                 {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4}};
    if (*at < 0x80)
        return 1;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (*at < forms[i].first_low || *at > forms[i].first_high)
            continue;
        if (at[1] < forms[i].second_low || at[1] > forms[i].second_high)
            return 0;
        for (size_t j = 2; j < forms[i].length; j++)
            if ((at[j] & 0xC0) != 0x80)
                return 0;
        return forms[i].length;
    }
    return 0;
}

static void add_string(struct text *out, const char *value)
{
    static const char named[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    text_add(out, "\"");
    for (const unsigned char *at = (const unsigned char *)value; *at;) {
        size_t length = sequence_length(at);
        const char *found = strchr(named, (char)*at);
        if (length == 0)
            text_add(out, "\xEF\xBF\xBD");
        else if (found)
            text_printf(out, "\\%c", letters[found - named]);
        else if (*at < 0x20)
            text_printf(out, "\\u%04x", *at);
        else
            text_add_n(out, (const char *)at, length);
        at += length ? length : 1;
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
    char number[NUMBER_TEXT_MAX];
    begin(json, name);
    text_add(json->out, isfinite(value) ? format_double(value, number) : "null");
}

void json_bool(struct json_writer *json, const char *name, bool value)
{
    begin(json, name);
    text_add(json->out, value ? "true" : "false");
}

void json_line(struct json_writer *json)
{
    if (json->needs_comma)
        text_add(json->out, ",");
    json->needs_comma = false;
    text_add(json->out, "\n");
}
