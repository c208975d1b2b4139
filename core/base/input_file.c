/* input_file.c - see input_file.h. */
#include "core/base/input_file.h"

#include "core/base/command.h"
#include "core/base/memory.h"

#include <errno.h>

static int32_t too_long(const char *path, size_t most, struct gb_error *error)
{
    return error_set(error, GB_INVALID, "%s: is larger than %zu MiB", path, most >> 20);
}

static int32_t read_bytes(const char *path, size_t most, struct text *ret, struct gb_error *error)
{
    switch (text_add_file(ret, path, most)) {
    case FILE_NOT_OPENED:
        return error_set(error, GB_NOT_FOUND, "%s: cannot be read: %s", path, reason_of(errno));
    case FILE_NOT_READ:
        return error_set(error, GB_IO, "%s: cannot be read: %s", path, reason_of(errno));
    case FILE_TOO_LONG:
        return too_long(path, most, error);
    default:
        return GB_OK;
    }
}

static int32_t unpack(const char *path, const struct text *packed, size_t most, struct text *ret,
                      struct gb_error *error)
{
    static const char *const gzip[] = {"gzip", "-dc", NULL};
    const struct command command = {
        .arguments = gzip, .input = packed, .output = ret, .output_most = most + 1};
    int code = 0;
    const int32_t status = command_run(&command, &code, error);
    if (status == GB_OK && ret->length > most)
        return too_long(path, most, error);
    return status != GB_OK || code == 0
               ? status
               : error_set(error, GB_IO, "%s: gzip ended with code %d", path, code);
}

int32_t input_read(const char *path, size_t most, struct text *ret, struct gb_error *error)
{
    static const char gzip_magic[] = "\x1f\x8b", mark[] = "\xef\xbb\xbf";
    CLEANUP(text_free) struct text packed = {0}, unpacked = {0};
    struct text *found = &packed;
    int32_t status = read_bytes(path, most, &packed, error);
    if (status == GB_OK && text_starts_with(text_get(&packed), gzip_magic)) {
        found = &unpacked;
        status = unpack(path, &packed, most, &unpacked, error);
    }
    const size_t skipped = text_starts_with(text_get(found), mark) ? sizeof mark - 1 : 0;
    if (status == GB_OK)
        text_add_n(ret, text_get(found) + skipped, found->length - skipped);
    return status;
}
