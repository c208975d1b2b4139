/* files.c - see files.h. Plugin side. */
#define _GNU_SOURCE
#include "files.h"

#include "scan.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Larger than any source, binary or table of expected numbers that makes sense here. */
static const off_t largest_file = (off_t)1 << 34;

char *path_in(const char *folder, const char *path)
{
    char *joined = NULL;
    if (path[0] == '/' || folder == NULL || *folder == '\0')
        return strdup(path);
    return asprintf(&joined, "%s/%s", folder, path) < 0 ? NULL : joined;
}

char *path_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL)
        return strdup(".");
    return slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

static char *read_open(FILE *file, size_t *ret_bytes)
{
    struct stat facts;
    if (fstat(fileno(file), &facts) != 0)
        return NULL;
    if (!S_ISREG(facts.st_mode) || facts.st_size > largest_file) {
        errno = S_ISDIR(facts.st_mode) ? EISDIR : S_ISREG(facts.st_mode) ? EFBIG : EINVAL;
        return NULL;
    }
    const size_t bytes = (size_t)facts.st_size;
    char *text = malloc(bytes + 1);
    if (text == NULL)
        return NULL;
    *ret_bytes = fread(text, 1, bytes, file);
    text[*ret_bytes] = '\0';
    if (*ret_bytes == bytes)
        return text;
    errno = EIO;
    free(text);
    return NULL;
}

char *file_read_open(int descriptor, size_t *ret_bytes)
{
    FILE *file = fdopen(descriptor, "rb");
    char *text = file != NULL ? read_open(file, ret_bytes) : NULL;
    const int why = errno;
    if (file != NULL)
        fclose(file);
    else
        close(descriptor);
    errno = why;
    return text;
}

char *file_read(const char *path, size_t *ret_bytes, char reason[FILE_REASON_BYTES])
{
    /* A pipe is refused, not waited for. */
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    char *text = descriptor >= 0 ? file_read_open(descriptor, ret_bytes) : NULL;
    if (text == NULL)
        snprintf(reason, FILE_REASON_BYTES, "%.380s: %s", path, strerror(errno));
    return text;
}

/* --- a source and what it includes --- */

static bool has_file(const struct source_set *set, const char *path)
{
    for (size_t i = 0; i < set->n; i++)
        if (strcmp(set->files[i].path, path) == 0)
            return true;
    return false;
}

/* Takes the path and the text. */
static void keep(struct source_set *set, char *path, char *text, size_t bytes)
{
    struct source_file *files = realloc(set->files, (set->n + 1) * sizeof *files);
    if (files == NULL || set->n == SOURCES_MAX) {
        set->files = files != NULL ? files : set->files;
        set->is_incomplete = true;
        free(path);
        free(text);
        return;
    }
    files[set->n++] = (struct source_file){path, text, bytes};
    set->files = files;
}

/* The first that is there counts, as for the compiler. */
static void add_from(struct source_set *set, const char *beside, const char *const *folders,
                     size_t n_folders, const char *name)
{
    char reason[FILE_REASON_BYTES];
    for (size_t i = beside != NULL ? 0 : 1; i < n_folders + 1; i++) {
        size_t bytes = 0;
        char *path = path_in(i == 0 ? beside : folders[i - 1], name);
        if (path != NULL && has_file(set, path)) {
            free(path);
            return;
        }
        char *text = path != NULL ? file_read(path, &bytes, reason) : NULL;
        if (text != NULL) {
            keep(set, path, text, bytes);
            return;
        }
        free(path);
    }
    set->has_others = true;
}

static void add_includes(struct source_set *set, size_t of, const char *const *folders,
                         size_t n_folders)
{
    struct scan_include include;
    char *beside = path_folder(set->files[of].path);
    const char *at = set->files[of].text;
    while (beside != NULL && scan_next_include(&at, &include)) {
        char *name = strndup(include.name, include.n);
        set->is_incomplete = set->is_incomplete || include.is_computed || name == NULL;
        if (name != NULL && !include.is_computed)
            add_from(set, include.is_quoted ? beside : NULL, folders, n_folders, name);
        free(name);
    }
    set->is_incomplete = set->is_incomplete || beside == NULL;
    free(beside);
}

bool source_set_read(const char *path, const char *const *folders, size_t n_folders,
                     struct source_set *ret, char reason[FILE_REASON_BYTES])
{
    size_t bytes = 0;
    *ret = (struct source_set){0};
    char *text = file_read(path, &bytes, reason);
    char *copy = text != NULL ? strdup(path) : NULL;
    if (copy == NULL) {
        free(text);
        return false;
    }
    keep(ret, copy, text, bytes);
    if (ret->n == 0) {
        snprintf(reason, FILE_REASON_BYTES, "out of memory for the source");
        return false;
    }
    for (size_t i = 0; i < ret->n; i++)
        add_includes(ret, i, folders, n_folders);
    return true;
}

void source_set_add(struct source_set *set, const char *name, const char *const *folders,
                    size_t n_folders)
{
    const size_t n_before = set->n;
    add_from(set, ".", folders, n_folders, name);
    for (size_t i = n_before; i < set->n; i++)
        add_includes(set, i, folders, n_folders);
}

void source_set_free(struct source_set *set)
{
    for (size_t i = 0; i < set->n; i++) {
        free(set->files[i].path);
        free(set->files[i].text);
    }
    free(set->files);
    *set = (struct source_set){0};
}

/* --- numbers of an array in a file --- */

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
        return fail(reason, path, "unknown version of .npy: expected 1, 2 or 3");
    const uint32_t length = is_first ? head[8] | (uint32_t)head[9] << 8
                                     : head[8] | (uint32_t)head[9] << 8 | (uint32_t)head[10] << 16 |
                                           (uint32_t)head[11] << 24;
    if (length > bytes - at)
        return fail(reason, path, "truncated: it ends within its header");
    char *text = strndup(ret->file + at, length);
    if (text == NULL)
        return fail(reason, path, "out of memory for it");
    const char *order = find_value(text, "'fortran_order'");
    const char *wrong = NULL;
    if (!read_type(text, element, &ret->element))
        wrong =
            "unsupported type of elements: expected little-endian numbers of 1, 2, 4 or 8 bytes";
    else if (!read_count(text, &ret->n))
        wrong = "its shape cannot be read";
    else if (order == NULL || strncmp(order, "False", 5) != 0)
        wrong = "it is in Fortran order: expected C order";
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
            is_read = fail(reason, path, "truncated: it ends within an element");
    }
    if (is_read && ret->n != n) {
        snprintf(reason, FILE_REASON_BYTES,
                 "%.300s: it has %llu elements: expected %llu, as the buffer has", path,
                 (unsigned long long)ret->n, (unsigned long long)n);
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
