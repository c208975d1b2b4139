/* wire_fields.c - see wire_fields.h. */
#include "core/run/wire_fields.h"

#include <stdio.h>
#include <string.h>

size_t wire_fields_bytes(const struct wire_field *fields)
{
    size_t bytes = 0;
    for (; fields->kind != FIELD_END; fields++)
        bytes += fields->kind == FIELD_U64 || fields->kind == FIELD_F64 ? 8 : 4;
    return bytes;
}

static void put_printable(struct wire_writer *writer, const char *text)
{
    char cut[PRINTABLE_MAX + 1];
    snprintf(cut, sizeof cut, "%s", text ? text : "");
    wire_put_text(writer, cut);
}

static void put_field(struct wire_writer *writer, const struct wire_field *field, const void *at)
{
    switch (field->kind) {
    case FIELD_U32:
        wire_put_u32(writer, *(const uint32_t *)at);
        break;
    case FIELD_U64:
        wire_put_u64(writer, *(const uint64_t *)at);
        break;
    case FIELD_F64:
        wire_put_f64(writer, *(const double *)at);
        break;
    case FIELD_BOOL:
        wire_put_u32(writer, *(const bool *)at);
        break;
    case FIELD_CHARS:
        wire_put_text(writer, at);
        break;
    case FIELD_PRINTABLE:
        put_printable(writer, *(const char *const *)at);
        break;
    default:
        wire_put_text(writer, *(const char *const *)at);
    }
}

void wire_put_fields(struct wire_writer *writer, const struct wire_field *fields,
                     const void *object)
{
    for (; fields->kind != FIELD_END; fields++)
        put_field(writer, fields, (const char *)object + fields->offset);
}

static const char *get_printable(struct wire_reader *reader, struct arena *arena)
{
    const char *text = wire_get_line(reader, arena);
    if (strlen(text) <= PRINTABLE_MAX)
        return text;
    reader->failed = true;
    return "";
}

static void get_field(struct wire_reader *reader, struct arena *arena,
                      const struct wire_field *field, void *ret)
{
    switch (field->kind) {
    case FIELD_U32:
        *(uint32_t *)ret = wire_get_u32(reader);
        break;
    case FIELD_U64:
        *(uint64_t *)ret = wire_get_u64(reader);
        break;
    case FIELD_F64:
        *(double *)ret = wire_get_f64(reader);
        break;
    case FIELD_BOOL:
        *(bool *)ret = wire_get_u32(reader) != 0;
        break;
    case FIELD_CHARS:
        wire_get_chars(reader, ret, field->bytes);
        break;
    case FIELD_PRINTABLE:
        *(const char **)ret = get_printable(reader, arena);
        break;
    case FIELD_TEXT:
        *(const char **)ret = wire_get_text(reader, arena);
        break;
    case FIELD_PATH:
        *(const char **)ret = wire_get_path(reader, arena);
        break;
    case FIELD_LINE:
        *(const char **)ret = wire_get_line(reader, arena);
        break;
    default:
        *(const char **)ret = wire_get_word(reader, arena);
    }
}

void wire_get_fields(struct wire_reader *reader, struct arena *arena,
                     const struct wire_field *fields, void *ret)
{
    for (; fields->kind != FIELD_END; fields++)
        get_field(reader, arena, fields, (char *)ret + fields->offset);
}
