/* array_file.c - see array_file.h. Plugin side. */
#define _GNU_SOURCE
#include "array_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The head of a .npy: magic, version, length of the text that describes the array (NEP 1). */
static const char magic[6] = "\x93NUMPY";
enum { HEAD_1 = 10, HEAD_2 = 12 };

static const struct {
    const char *description; /* without the order of bytes */
    enum type_id type;
} types[] = {
    {"f2", TYPE_F16},   {"f4", TYPE_FLOAT},  {"f8", TYPE_DOUBLE}, {"b1", TYPE_BOOL},
    {"i1", TYPE_INT8},  {"u1", TYPE_UINT8},  {"i2", TYPE_INT16},  {"u2", TYPE_UINT16},
    {"i4", TYPE_INT32}, {"u4", TYPE_UINT32}, {"i8", TYPE_INT64},  {"u8", TYPE_UINT64},
};

static bool fail(char reason[FILE_REASON_BYTES], const char *path, const char *what)
{
    snprintf(reason, FILE_REASON_BYTES, "%.380s: %s", path, what);
    return false;
}

/* What follows 'key': in the text. */
static const char *find_value(const char *text, const char *key)
{
    const char *at = strstr(text, key);
    at = at != NULL ? strchr(at + strlen(key), ':') : NULL;
    return at != NULL ? at + 1 + strspn(at + 1, " ") : NULL;
}

static bool read_type(const char *text, enum type_id element, enum type_id *ret)
{
    const char *at = find_value(text, "'descr'");
    if (at == NULL || *at != '\'' || (at[1] != '<' && at[1] != '|'))
        return false;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (strncmp(at + 2, types[i].description, 2) != 0 || at[4] != '\'')
            continue;
        const struct type_info *own = type_info(types[i].type), *wanted = type_info(element);
        const bool is_bits = wanted->kind == KIND_BITS && own->kind == KIND_INTEGER &&
                             !own->is_signed && own->bytes == wanted->bytes;
        *ret = is_bits ? element : types[i].type;
        return true;
    }
    return false;
}

/* The product of "(3, 4)", 1 of "()". */
static bool read_count(const char *text, uint64_t *ret)
{
    const char *at = find_value(text, "'shape'");
    *ret = 1;
    if (at == NULL || *at++ != '(')
        return false;
    for (at += strspn(at, " ,"); *at != ')'; at += strspn(at, " ,")) {
        char *end = NULL;
        const unsigned long long length = strtoull(at, &end, 10);
        if (end == at || __builtin_mul_overflow(*ret, length, ret))
            return false;
        at = end;
    }
    return true;
}

static bool read_npy(const char *path, size_t bytes, enum type_id element, struct array_file *ret,
                     char reason[FILE_REASON_BYTES])
{
    const unsigned char *head = (const unsigned char *)ret->file;
    const bool is_first = bytes >= HEAD_1 && head[6] == 1;
    const size_t at = is_first ? HEAD_1 : HEAD_2;
    if (bytes < at || (!is_first && head[6] != 2 && head[6] != 3))
        return fail(reason, path, "no version of .npy that is known: expected 1, 2 or 3");
    const uint32_t length = is_first ? head[8] | (uint32_t)head[9] << 8
                                     : head[8] | (uint32_t)head[9] << 8 | (uint32_t)head[10] << 16 |
                                           (uint32_t)head[11] << 24;
    if (length > bytes - at)
        return fail(reason, path, "it ends within its head");
    char *text = strndup(ret->file + at, length);
    if (text == NULL)
        return fail(reason, path, "there is no memory for it");
    const char *order = find_value(text, "'fortran_order'");
    const char *wrong = NULL;
    if (!read_type(text, element, &ret->element))
        wrong = "elements of this type are not known: expected numbers of 1, 2, 4 or 8 bytes, "
                "little end first";
    else if (!read_count(text, &ret->n))
        wrong = "its shape cannot be read";
    else if (order == NULL || strncmp(order, "False", 5) != 0)
        wrong = "it is in the order of Fortran: expected that of C";
    else if (ret->n != (bytes - at - length) / type_info(ret->element)->bytes ||
             ret->n * type_info(ret->element)->bytes != bytes - at - length)
        wrong = "it has more or fewer bytes than its shape says";
    free(text);
    ret->elements = head + at + length;
    return wrong == NULL || fail(reason, path, wrong);
}

bool array_file_read(const char *path, enum type_id element, uint64_t n, struct array_file *ret,
                     char reason[FILE_REASON_BYTES])
{
    size_t bytes = 0;
    *ret = (struct array_file){.element = element};
    ret->file = file_read(path, &bytes, reason);
    if (ret->file == NULL)
        return false;
    bool is_read = true;
    if (bytes >= sizeof magic && memcmp(ret->file, magic, sizeof magic) == 0) {
        is_read = read_npy(path, bytes, element, ret, reason);
    } else {
        ret->elements = (const unsigned char *)ret->file;
        ret->n = bytes / type_info(element)->bytes;
        if (bytes % type_info(element)->bytes != 0)
            is_read = fail(reason, path, "it ends within an element");
    }
    if (is_read && ret->n != n) {
        snprintf(reason, FILE_REASON_BYTES,
                 "%.300s: it has %llu elements: expected %llu, as the "
                 "buffer has",
                 path, (unsigned long long)ret->n, (unsigned long long)n);
        is_read = false;
    }
    if (!is_read)
        array_file_free(ret);
    return is_read;
}

void array_file_free(struct array_file *array)
{
    free(array->file);
    *array = (struct array_file){0};
}
