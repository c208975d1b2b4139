/* sha256.c - see sha256.h. */
#include "core/base/sha256.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

void sha256_add_text(struct sha256 *hash, const char *text)
{
    sha256_add(hash, text, strlen(text) + 1);
}

void sha256_text(const uint8_t digest[SHA256_BYTES], char ret_text[SHA256_TEXT])
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < SHA256_BYTES; i++) {
        ret_text[2 * i] = digits[digest[i] >> 4];
        ret_text[2 * i + 1] = digits[digest[i] & 15];
    }
    ret_text[2 * SHA256_BYTES] = 0;
}

static int32_t unreadable(const char *path, struct gb_error *error)
{
    int reason = errno;
    return error_set(error, reason == ENOENT ? GB_NOT_FOUND : GB_IO, "%s: cannot be read: %s", path,
                     reason_of(reason));
}

int32_t sha256_file(const char *path, char ret_text[SHA256_TEXT], struct gb_error *error)
{
    /* O_NONBLOCK: opening a pipe without a writer must not hang; it is read as an empty file. */
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return unreadable(path, error);
    struct sha256 hash;
    sha256_begin(&hash);
    uint8_t buffer[65536];
    int32_t status = GB_OK;
    for (;;) {
        ssize_t n = read(file, buffer, sizeof buffer);
        if (n > 0) {
            sha256_add(&hash, buffer, (size_t)n);
        } else if (n == 0) {
            break;
        } else if (errno != EINTR) {
            status = unreadable(path, error);
            break;
        }
    }
    close(file);
    if (status == GB_OK) {
        uint8_t digest[SHA256_BYTES];
        sha256_end(&hash, digest);
        sha256_text(digest, ret_text);
    }
    return status;
}
