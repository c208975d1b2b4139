/* check_dump.c - see check_dump.h. */
#include "core/verify/check_dump.h"

#include "core/base/memory.h"
#include "core/base/number_format.h"
#include "core/base/output_file.h"
#include "core/base/text.h"

#include <errno.h>
#include <fenv.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum {
    CHUNK = 4096,         /* elements converted at a time */
    HEADER_ALIGNMENT = 64 /* where the data of a .npy file may begin */
};

/* What NumPy calls the format, without the byte order; as it lies in memory, or else as float32. */
struct numpy_type {
    const char *name;
    uint32_t bytes;
    bool is_converted;
};

static struct numpy_type numpy_type_of(uint32_t format)
{
    static const struct numpy_type types[] = {
        [GB_F64] = {"f8", 8, false},  [GB_F32] = {"f4", 4, false}, [GB_F16] = {"f2", 2, false},
        [GB_TF32] = {"f4", 4, false}, /* a float32 whose last bits are zero */
        [GB_I8] = {"i1", 1, false},   [GB_I32] = {"i4", 4, false}, [GB_I64] = {"i8", 8, false},
        [GB_U8] = {"u1", 1, false},   [GB_U32] = {"u4", 4, false}, [GB_U64] = {"u8", 8, false},
    };
    bool is_known = format < sizeof types / sizeof *types && types[format].name;
    return is_known ? types[format] : (struct numpy_type){"f4", 4, true};
}

/* Version 1.0 of the format: magic, version, length of what follows, a Python dictionary. */
static bool write_header(FILE *file, const struct numpy_type *type, uint64_t n)
{
    static const unsigned char magic[] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0};
    const char order = type->bytes == 1 ? '|' : __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? '>' : '<';
    CLEANUP(text_free) struct text words = {0};
    text_printf(&words, "{'descr': '%c%s', 'fortran_order': False, 'shape': (%llu,), }", order,
                type->name, (unsigned long long)n);
    size_t before = sizeof magic + 2; /* and a line feed after it */
    size_t used = before + words.length + 1;
    text_pad(&words, ' ', (HEADER_ALIGNMENT - used % HEADER_ALIGNMENT) % HEADER_ALIGNMENT);
    text_add(&words, "\n");
    unsigned char length[] = {(unsigned char)(words.length & 0xFF),
                              (unsigned char)(words.length >> 8)};
    return fwrite(magic, 1, sizeof magic, file) == sizeof magic &&
           fwrite(length, 1, sizeof length, file) == sizeof length &&
           fwrite(text_get(&words), 1, words.length, file) == words.length;
}

static bool write_converted(FILE *file, uint32_t format, const void *data, uint64_t n)
{
    double loaded[CHUNK];
    float values[CHUNK];
    bool is_written = true;
    for (uint64_t first = 0; is_written && first < n; first += CHUNK) {
        size_t part = n - first < CHUNK ? (size_t)(n - first) : CHUNK;
        number_load_array(format, data, first, part, loaded);
        for (size_t i = 0; i < part; i++)
            values[i] = (float)loaded[i];
        is_written = fwrite(values, sizeof *values, part, file) == part;
    }
    return is_written;
}

static bool write_array(FILE *file, uint32_t format, const void *data, uint64_t n)
{
    struct numpy_type type = numpy_type_of(format);
    if (!write_header(file, &type, n))
        return false;
    return type.is_converted ? write_converted(file, format, data, n)
                             : n == 0 || fwrite(data, type.bytes, n, file) == n;
}

/* At once: another worker may write the same file. */
static int32_t write_file(const char *path, uint32_t format, const void *data, uint64_t n,
                          struct gb_error *error)
{
    struct output_file file;
    if (output_begin(&file, path, error) != GB_OK)
        return error->status;
    write_array(file.stream, format, data, n); /* a failure stays with the stream */
    return output_end(&file, GB_OK, error);
}

/* With all folders above it. */
static int32_t make_folder(const char *path, struct gb_error *error)
{
    CLEANUP(text_free) struct text made = {0};
    struct stat info;
    for (const char *at = path; *at;) {
        size_t length = strspn(at, "/");
        length += strcspn(at + length, "/");
        text_add_n(&made, at, length);
        at += length;
        if (mkdir(text_get(&made), 0777) == 0)
            continue;
        int saved = errno == EEXIST ? ENOTDIR : errno;
        if (stat(text_get(&made), &info) != 0 || !S_ISDIR(info.st_mode))
            return error_set(error, GB_IO, "%s: the folder cannot be made: %s", text_get(&made),
                             reason_of(saved));
    }
    return GB_OK;
}

static void file_path(const struct gb_check *check, const char *folder, const char *uid,
                      const char *which, struct text *out)
{
    static const char kept[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    text_printf(out, "%s/%s-", folder, uid);
    for (const char *at = check->name; *at; at++)
        text_add_n(out, strchr(kept, *at) ? at : "_", 1);
    text_printf(out, "-%s.npy", which);
}

int32_t check_dump(const struct gb_check *check, const char *folder, const char *uid,
                   struct gb_error *error)
{
    CLEANUP(text_free) struct text reference = {0}, output = {0};
    fenv_t caller;
    int32_t status = make_folder(folder, error);
    if (status != GB_OK)
        return status;
    file_path(check, folder, uid, "reference", &reference);
    file_path(check, folder, uid, "output", &output);
    fegetenv(&caller); /* a benchmark may flush subnormals, a file must not */
    fesetenv(FE_DFL_ENV);
    status = check->reference_exact
                 ? write_file(text_get(&reference), check->format, check->reference_exact, check->n,
                              error)
                 : write_file(text_get(&reference), GB_F64, check->reference, check->n, error);
    if (status == GB_OK)
        status = write_file(text_get(&output), check->format, check->output, check->n, error);
    fesetenv(&caller);
    return status;
}
