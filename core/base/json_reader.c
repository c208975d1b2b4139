/* json_reader.c - see json_reader.h. */
#include "core/base/json_reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What may come next. */
enum {
    VALUE,          /* at the top, after a key */
    VALUE_OR_CLOSE, /* after [ */
    KEY_OR_CLOSE,   /* after { */
    COMMA_OR_CLOSE,
    NOTHING
};

void json_read_begin(struct json_reader *reader, const char *name, const char *json, size_t n)
{
    *reader = (struct json_reader){
        .at = json, .end = json + n, .line = 1, .name = name, .line_begin = json};
}

void json_read_end(struct json_reader *reader)
{
    text_free(&reader->text);
}

static struct origin here(const struct json_reader *reader)
{
    return (struct origin){reader->name, reader->line,
                           (uint32_t)(reader->at - reader->line_begin) + 1};
}

static enum json_token broken(struct json_reader *reader, const char *expected)
{
    reader->is_cut = reader->at >= reader->end;
    if (reader->is_cut)
        error_set_at(&reader->error, GB_INVALID, here(reader), "the file ends early: \1expected %s",
                     expected);
    else
        error_set_at(&reader->error, GB_INVALID, here(reader), "invalid JSON: \1expected %s",
                     expected);
    return JSON_BROKEN;
}

int32_t json_refuse(struct json_reader *reader, const char *format, ...)
{
    va_list arguments;
    CLEANUP(text_free) struct text words = {0};
    if (reader->error.status != GB_OK)
        return reader->error.status;
    va_start(arguments, format);
    text_vprintf(&words, format, arguments);
    va_end(arguments);
    return error_set_at(&reader->error, GB_INVALID, here(reader), "%s", text_get(&words));
}

static void skip_blanks(struct json_reader *reader)
{
    for (; *reader->at && strchr(" \t\r\n", *reader->at); reader->at++)
        if (*reader->at == '\n') {
            reader->line++;
            reader->line_begin = reader->at + 1;
        }
}

/* ---- strings ---- */

static int32_t hex4(const char *at)
{
    char digits[5] = {at[0], at[0] ? at[1] : 0, 0, 0, 0};
    if (digits[1] && at[2] && at[3])
        memcpy(digits + 2, at + 2, 2);
    return strspn(digits, "0123456789abcdefABCDEF") == 4 ? (int32_t)strtol(digits, NULL, 16) : -1;
}

static void add_utf8(struct text *text, uint32_t code)
{
    char bytes[4];
    size_t n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const uint32_t heads[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = n; i-- > 1; code >>= 6)
        bytes[i] = (char)(0x80 | (code & 0x3F));
    bytes[0] = (char)(heads[n] | code);
    text_add_n(text, bytes, n);
}

/* After \u: one code point, or a pair of surrogates; halves of a pair and U+0000, which a text
 * cannot hold, become U+FFFD. */
static bool read_code_point(struct json_reader *reader)
{
    int32_t code = hex4(reader->at);
    if (code < 0)
        return false;
    reader->at += 4;
    if (code >= 0xD800 && code < 0xDC00 && reader->at[0] == '\\' && reader->at[1] == 'u') {
        int32_t low = hex4(reader->at + 2);
        if (low >= 0xDC00 && low < 0xE000) {
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
            reader->at += 6;
        }
    }
    bool is_half = code == 0 || (code >= 0xD800 && code < 0xE000);
    add_utf8(&reader->text, is_half ? 0xFFFD : (uint32_t)code);
    return true;
}

static bool read_escape(struct json_reader *reader)
{
    static const char names[] = "\"\\/bfnrt", bytes[] = "\"\\/\b\f\n\r\t";
    const char name = *++reader->at;
    const char *found = name ? strchr(names, name) : NULL;
    reader->at += name != 0;
    if (name == 'u')
        return read_code_point(reader);
    if (found)
        text_add_n(&reader->text, &bytes[found - names], 1);
    return found != NULL;
}

/* At the opening quote. */
static bool read_string(struct json_reader *reader)
{
    text_clear(&reader->text);
    for (reader->at++; reader->at < reader->end && *reader->at != '"';) {
        size_t n = strcspn(reader->at, "\"\\\n");
        text_add_n(&reader->text, reader->at, n);
        reader->at += n;
        if (*reader->at == '\\' ? !read_escape(reader) : *reader->at != '"')
            return false;
    }
    return reader->at < reader->end && *reader->at++ == '"';
}

/* ---- other values ---- */

/* The length of the number there, by its grammar; 0: there is none. */
static size_t number_length(const char *text)
{
    static const char digits[] = "0123456789";
    const char *at = text + (*text == '-');
    size_t n = strspn(at, digits);
    if (strncmp(at, "Infinity", 8) == 0)
        return (size_t)(at - text) + 8;
    if (n == 0 || (n > 1 && *at == '0'))
        return strncmp(text, "NaN", 3) == 0 ? 3 : 0;
    at += n;
    if (*at == '.') {
        n = strspn(at + 1, digits);
        if (n == 0)
            return 0;
        at += n + 1;
    }
    if (*at == 'e' || *at == 'E') {
        at += 1 + (at[1] == '-' || at[1] == '+');
        n = strspn(at, digits);
        if (n == 0)
            return 0;
        at += n;
    }
    return (size_t)(at - text);
}

static enum json_token read_word(struct json_reader *reader)
{
    static const struct {
        const char *word;
        enum json_token token;
    } words[] = {{"true", JSON_TRUE}, {"false", JSON_FALSE}, {"null", JSON_NULL}};
    for (size_t i = 0; i < 3; i++)
        if (text_starts_with(reader->at, words[i].word)) {
            text_add(&reader->text, words[i].word);
            reader->at += strlen(words[i].word);
            return words[i].token;
        }
    return broken(reader, "a value");
}

static enum json_token read_scalar(struct json_reader *reader)
{
    if (*reader->at == '"')
        return read_string(reader) ? JSON_STRING : broken(reader, "a string that is closed");
    text_clear(&reader->text);
    size_t n = number_length(reader->at);
    if (n == 0)
        return read_word(reader);
    text_add_n(&reader->text, reader->at, n);
    reader->number = strtod(text_get(&reader->text), NULL);
    reader->at += n;
    return JSON_NUMBER;
}

/* ---- structure ---- */

static uint8_t after_value(const struct json_reader *reader)
{
    return reader->depth ? COMMA_OR_CLOSE : NOTHING;
}

static enum json_token open(struct json_reader *reader)
{
    const bool is_object = *reader->at == '{';
    if (reader->depth == JSON_DEPTH_MAX)
        return broken(reader, "less nesting");
    reader->kinds[reader->depth++] = *reader->at++;
    reader->expected = is_object ? KEY_OR_CLOSE : VALUE_OR_CLOSE;
    return is_object ? JSON_OBJECT_BEGIN : JSON_ARRAY_BEGIN;
}

static enum json_token close_value(struct json_reader *reader)
{
    const bool is_object = reader->kinds[--reader->depth] == '{';
    reader->at++;
    reader->expected = after_value(reader);
    return is_object ? JSON_OBJECT_END : JSON_ARRAY_END;
}

static enum json_token read_key(struct json_reader *reader)
{
    if (*reader->at != '"' || !read_string(reader))
        return broken(reader, "a name in quotes");
    skip_blanks(reader);
    if (*reader->at != ':')
        return broken(reader, "':'");
    reader->at++;
    reader->expected = VALUE;
    return JSON_KEY;
}

static enum json_token read_value(struct json_reader *reader)
{
    if (*reader->at == '{' || *reader->at == '[')
        return open(reader);
    enum json_token token = read_scalar(reader);
    reader->expected = after_value(reader);
    return token;
}

static enum json_token read_comma(struct json_reader *reader, bool is_object)
{
    if (*reader->at != ',')
        return broken(reader, is_object ? "',' or '}'" : "',' or ']'");
    reader->at++;
    skip_blanks(reader);
    return is_object ? read_key(reader) : read_value(reader);
}

enum json_token json_read(struct json_reader *reader)
{
    if (reader->error.status != GB_OK)
        return JSON_BROKEN;
    skip_blanks(reader);
    reader->number = NAN;
    const bool is_object = reader->depth && reader->kinds[reader->depth - 1] == '{';
    if (reader->expected == NOTHING)
        return reader->at == reader->end ? JSON_END : broken(reader, "the end");
    if (reader->expected != VALUE && *reader->at == (is_object ? '}' : ']'))
        return close_value(reader);
    if (reader->expected == COMMA_OR_CLOSE)
        return read_comma(reader, is_object);
    return reader->expected == KEY_OR_CLOSE ? read_key(reader) : read_value(reader);
}

bool json_skip(struct json_reader *reader, enum json_token token)
{
    const uint32_t depth = reader->depth;
    if (token == JSON_OBJECT_BEGIN || token == JSON_ARRAY_BEGIN)
        while (token != JSON_BROKEN && reader->depth >= depth)
            token = json_read(reader);
    return token != JSON_BROKEN;
}
