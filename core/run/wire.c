/* wire.c - see wire.h. */
#include "core/run/wire.h"

#include "core/base/plain_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { RECEIVE_BYTES = 65536, TEXT_IS_NULL = UINT32_MAX };

/* CRC-32 as in IEEE 802.3, reflected polynomial 0xEDB88320. */
static uint32_t crc32(uint32_t crc, const unsigned char *data, size_t n)
{
    static uint32_t table[256];
    if (!table[1])
        for (uint32_t i = 0; i < 256; i++) {
            uint32_t remainder = i;
            for (int bit = 0; bit < 8; bit++)
                remainder = remainder >> 1 ^ (remainder & 1 ? 0xEDB88320u : 0);
            table[i] = remainder;
        }
    crc = ~crc;
    for (size_t i = 0; i < n; i++)
        crc = crc >> 8 ^ table[(crc ^ data[i]) & 0xFF];
    return ~crc;
}

struct header {
    uint32_t magic, type, length, crc;
};
_Static_assert(sizeof(struct header) == WIRE_HEADER_BYTES, "the header has no gaps");

static uint32_t crc_of(uint32_t type, const void *payload, size_t length)
{
    return crc32(crc32(0, (const unsigned char *)&type, sizeof type), payload, length);
}

static void put(struct wire_writer *writer, const void *data, size_t bytes)
{
    text_add_n(&writer->bytes, data, bytes);
}

void wire_begin(struct wire_writer *writer, uint32_t type)
{
    const struct header header = {.magic = WIRE_MAGIC, .type = type};
    text_clear(&writer->bytes);
    put(writer, &header, sizeof header);
}

void wire_put_u32(struct wire_writer *writer, uint32_t value)
{
    put(writer, &value, sizeof value);
}

void wire_put_u64(struct wire_writer *writer, uint64_t value)
{
    put(writer, &value, sizeof value);
}

void wire_put_text(struct wire_writer *writer, const char *text)
{
    const size_t length = text ? strlen(text) : 0;
    wire_put_u32(writer, text ? (uint32_t)length : TEXT_IS_NULL);
    put(writer, text ? text : "", length);
}

void wire_put_f64s(struct wire_writer *writer, const double *values, uint64_t n)
{
    wire_put_u64(writer, n);
    put(writer, values, n * sizeof *values);
}

void wire_end(struct wire_writer *writer)
{
    struct header header;
    memcpy(&header, writer->bytes.data, sizeof header);
    header.length = (uint32_t)(writer->bytes.length - sizeof header);
    header.crc = crc_of(header.type, writer->bytes.data + sizeof header, header.length);
    memcpy(writer->bytes.data, &header, sizeof header);
}

uint32_t wire_written(const struct wire_writer *writer, struct wire_reader *ret_payload)
{
    const unsigned char *frame = (const unsigned char *)writer->bytes.data;
    struct header header;
    memcpy(&header, frame, sizeof header);
    *ret_payload = (struct wire_reader){.data = frame + sizeof header,
                                        .length = writer->bytes.length - sizeof header};
    return header.type;
}

/* NULL: there are not so many bytes left. */
static const unsigned char *take(struct wire_reader *reader, size_t bytes)
{
    if (reader->failed || reader->length - reader->position < bytes) {
        reader->failed = true;
        return NULL;
    }
    const unsigned char *at = reader->data + reader->position;
    reader->position += bytes;
    return at;
}

static void get(struct wire_reader *reader, void *ret, size_t bytes)
{
    const unsigned char *at = take(reader, bytes);
    if (at)
        memcpy(ret, at, bytes);
    else
        memset(ret, 0, bytes);
}

uint32_t wire_get_u32(struct wire_reader *reader)
{
    uint32_t value;
    get(reader, &value, sizeof value);
    return value;
}

uint64_t wire_get_u64(struct wire_reader *reader)
{
    uint64_t value;
    get(reader, &value, sizeof value);
    return value;
}

static char *get_text(struct wire_reader *reader, struct arena *arena)
{
    uint32_t length = wire_get_u32(reader);
    if (reader->failed || length == TEXT_IS_NULL)
        return NULL;
    const unsigned char *at = take(reader, length);
    return at ? arena_text_n(arena, (const char *)at, length) : NULL;
}

const char *wire_get_text(struct wire_reader *reader, struct arena *arena)
{
    return make_plain(get_text(reader, arena));
}

const char *wire_get_line(struct wire_reader *reader, struct arena *arena)
{
    char *line = make_plain_line(get_text(reader, arena));
    return line ? line : "";
}

/* Into the buffer, cut at its end; plain, on one line. */
static void get_chars(struct wire_reader *reader, char *buffer, size_t bytes)
{
    uint32_t length = wire_get_u32(reader);
    const unsigned char *at = length == TEXT_IS_NULL ? NULL : take(reader, length);
    size_t kept = at ? length : 0;
    if (kept >= bytes)
        kept = bytes - 1;
    if (at)
        memcpy(buffer, at, kept);
    buffer[kept] = 0;
    make_plain_line(buffer);
}

uint32_t wire_get_count(struct wire_reader *reader, size_t bytes_each)
{
    uint32_t n = wire_get_u32(reader);
    if (reader->failed || bytes_each == 0 || n > (reader->length - reader->position) / bytes_each) {
        reader->failed = true;
        return 0;
    }
    return n;
}

const double *wire_get_f64s(struct wire_reader *reader, struct arena *arena, uint64_t *ret_n)
{
    *ret_n = 0;
    uint64_t n = wire_get_u64(reader);
    if (reader->failed || n > (reader->length - reader->position) / 8) {
        reader->failed = true;
        return NULL;
    }
    double *values = ARENA_ARRAY(arena, double, n);
    get(reader, values, n * sizeof *values);
    *ret_n = n;
    return values;
}

bool wire_complete(const struct wire_reader *reader)
{
    return !reader->failed && reader->position == reader->length;
}

/* ---- structs as fields ---- */

const struct wire_field wire_word[] = {{.kind = FIELD_WORD}, {0}};
const struct wire_field wire_path[] = {{.kind = FIELD_PATH}, {0}};
const struct wire_field wire_number[] = {{.kind = FIELD_NUMBER, .bytes = sizeof(uint64_t)}, {0}};

/* The member with a list's length. */
static uint64_t get_length(const struct wire_field *field, const char *object)
{
    const void *at = object + field->n_offset;
    return field->n_bytes == sizeof(uint32_t) ? *(const uint32_t *)at : *(const uint64_t *)at;
}

static void put_list(struct wire_writer *writer, const struct wire_field *field, const char *object)
{
    const char *items = *(const char *const *)(const void *)(object + field->offset);
    const uint64_t n = items ? get_length(field, object) : 0;
    wire_put_u32(writer, (uint32_t)n);
    for (uint64_t i = 0; i < n; i++)
        wire_put_fields(writer, field->fields, items + i * field->bytes);
}

static void put_field(struct wire_writer *writer, const struct wire_field *field, const void *at)
{
    char cut[PRINTABLE_MAX + 1];
    const char *text;
    switch (field->kind) {
    case FIELD_SIZE:
        break;
    case FIELD_NUMBER:
        put(writer, at, field->bytes);
        break;
    case FIELD_BOOL:
        wire_put_u32(writer, *(const bool *)at);
        break;
    case FIELD_CHARS:
        wire_put_text(writer, at);
        break;
    case FIELD_STRUCT:
        wire_put_fields(writer, field->fields, at);
        break;
    case FIELD_POINTER:
        wire_put_fields(writer, field->fields, *(const void *const *)at);
        break;
    case FIELD_PRINTABLE:
        text = *(const char *const *)at;
        snprintf(cut, sizeof cut, "%s", text ? text : "");
        wire_put_text(writer, cut);
        break;
    default:
        wire_put_text(writer, *(const char *const *)at);
    }
}

void wire_put_fields(struct wire_writer *writer, const struct wire_field *fields,
                     const void *object)
{
    for (; fields->kind != FIELD_END; fields++)
        if (fields->kind == FIELD_LIST)
            put_list(writer, fields, object);
        else
            put_field(writer, fields, (const char *)object + fields->offset);
}

/* A text that is never NULL: of a word, a path, a line. */
static const char *get_word(struct wire_reader *reader, struct arena *arena, int kind)
{
    if (kind == FIELD_LINE)
        return wire_get_line(reader, arena);
    char *text = get_text(reader, arena);
    if (!text)
        return "";
    return kind == FIELD_PATH ? text : make_plain(text);
}

static const char *get_printable(struct wire_reader *reader, struct arena *arena)
{
    const char *text = wire_get_line(reader, arena);
    if (strlen(text) <= PRINTABLE_MAX)
        return text;
    reader->failed = true;
    return "";
}

/* The fewest bytes that the fields take. */
static size_t fewest_bytes(const struct wire_field *fields)
{
    size_t bytes = 0;
    for (; fields->kind != FIELD_END; fields++)
        if (fields->kind == FIELD_STRUCT || fields->kind == FIELD_POINTER)
            bytes += fewest_bytes(fields->fields);
        else if (fields->kind != FIELD_SIZE)
            bytes += fields->kind == FIELD_NUMBER ? fields->bytes : sizeof(uint32_t);
    return bytes;
}

static void get_list(struct wire_reader *reader, struct arena *arena,
                     const struct wire_field *field, char *ret)
{
    const uint32_t n = wire_get_count(reader, fewest_bytes(field->fields));
    char *items = arena_allocate(arena, n * field->bytes);
    void *length = ret + field->n_offset;
    for (uint32_t i = 0; i < n; i++)
        wire_get_fields(reader, arena, field->fields, items + i * field->bytes);
    *(char **)(void *)(ret + field->offset) = items;
    if (field->n_bytes == sizeof n)
        *(uint32_t *)length = n;
    else
        *(uint64_t *)length = n;
}

static void get_field(struct wire_reader *reader, struct arena *arena,
                      const struct wire_field *field, void *ret)
{
    switch (field->kind) {
    case FIELD_SIZE:
        *(uint32_t *)ret = (uint32_t)field->bytes;
        break;
    case FIELD_NUMBER:
        get(reader, ret, field->bytes);
        break;
    case FIELD_BOOL:
        *(bool *)ret = wire_get_u32(reader) != 0;
        break;
    case FIELD_CHARS:
        get_chars(reader, ret, field->bytes);
        break;
    case FIELD_STRUCT:
        wire_get_fields(reader, arena, field->fields, ret);
        break;
    case FIELD_POINTER:
        *(void **)ret = arena_allocate(arena, field->bytes);
        wire_get_fields(reader, arena, field->fields, *(void **)ret);
        break;
    case FIELD_PRINTABLE:
        *(const char **)ret = get_printable(reader, arena);
        break;
    case FIELD_TEXT:
        *(const char **)ret = wire_get_text(reader, arena);
        break;
    default:
        *(const char **)ret = get_word(reader, arena, field->kind);
    }
}

void wire_get_fields(struct wire_reader *reader, struct arena *arena,
                     const struct wire_field *fields, void *ret)
{
    for (; fields->kind != FIELD_END; fields++)
        if (fields->kind == FIELD_LIST)
            get_list(reader, arena, fields, ret);
        else
            get_field(reader, arena, fields, (char *)ret + fields->offset);
}

/* ---- frames as they arrive ---- */

unsigned char *wire_input_space(struct wire_input *input, size_t bytes)
{
    if (input->begin == input->end)
        input->begin = input->end = 0;
    if (input->capacity - input->end < bytes && input->begin > 0) {
        memmove(input->data, input->data + input->begin, input->end - input->begin);
        input->end -= input->begin;
        input->begin = 0;
    }
    if (input->capacity - input->end < bytes) {
        input->capacity = (input->end + bytes) * 2;
        input->data = memory_resize(input->data, input->capacity);
    }
    return input->data + input->end;
}

int32_t wire_input_next(struct wire_input *input, uint32_t *ret_type,
                        struct wire_reader *ret_payload, struct gb_error *error)
{
    const size_t there = input->end - input->begin;
    struct header header;
    if (there < sizeof header)
        return 0;
    const unsigned char *payload = input->data + input->begin + sizeof header;
    memcpy(&header, input->data + input->begin, sizeof header);
    if (header.magic != WIRE_MAGIC || header.type == WIRE_NONE || header.type >= WIRE_TYPES ||
        header.length > WIRE_PAYLOAD_MAX)
        return error_set(error, GB_CORRUPT, "sent something that is not a message");
    if (there - sizeof header < header.length)
        return 0;
    if (header.crc != crc_of(header.type, payload, header.length))
        return error_set(error, GB_CORRUPT, "sent a message with a wrong checksum");
    *ret_type = header.type;
    *ret_payload = (struct wire_reader){.data = payload, .length = header.length};
    input->begin += sizeof header + header.length;
    return 1;
}

void wire_input_free(struct wire_input *input)
{
    free(input->data);
    *input = (struct wire_input){0};
}

int32_t wire_send(int socket, const struct wire_writer *writer, struct gb_error *error)
{
    const char *data = writer->bytes.data;
    size_t left = writer->bytes.length;
    while (left > 0) {
        ssize_t sent = send(socket, data, left, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            return error_set(error, GB_IO, "the connection broke: %s", reason_of(errno));
        data += sent;
        left -= (size_t)sent;
    }
    return GB_OK;
}

/* Bytes of the next frame that have not arrived; of its header while that is not complete. A
 * process reads no further, as the next frame may be for the process that follows it. */
static size_t count_missing(const struct wire_input *input)
{
    const size_t there = input->end - input->begin;
    struct header header = {0};
    if (there >= sizeof header)
        memcpy(&header, input->data + input->begin, sizeof header);
    return sizeof header + header.length - there;
}

int32_t wire_receive(int socket, struct wire_input *input, uint32_t *ret_type,
                     struct wire_reader *ret_payload, struct gb_error *error)
{
    for (;;) {
        int32_t status = wire_input_next(input, ret_type, ret_payload, error);
        if (status != 0)
            return status < 0 ? status : GB_OK;
        const size_t bytes = count_missing(input);
        ssize_t received = recv(socket, wire_input_space(input, bytes), bytes, 0);
        if (received < 0 && errno == EINTR)
            continue;
        if (received < 0)
            return error_set(error, GB_IO, "the connection broke: %s", reason_of(errno));
        if (received == 0)
            return error_set(error, GB_NOT_FOUND, "the connection was closed");
        input->end += (size_t)received;
    }
}
