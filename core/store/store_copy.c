/* store_copy.c - a copy of a results file, with its journals, for where nothing may be written
 * beside it. */
#include "core/base/output_file.h"
#include "core/store/store_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What SQLite puts beside a file; "" is the file itself. */
static const char *const suffixes[] = {"", "-wal", "-journal", "-shm"};
enum { N_SUFFIXES = sizeof suffixes / sizeof *suffixes, N_COPIED = 3 };

static const char COPY_NAME[] = "/copy.gbr";

bool store_has_journal(const char *path)
{
    for (size_t i = 1; i < N_COPIED; i++) {
        CLEANUP(text_free) struct text name = {0};
        text_printf(&name, "%s%s", path, suffixes[i]);
        struct stat info;
        if (stat(text_get(&name), &info) == 0 && info.st_size > 0)
            return true;
    }
    return false;
}

/* A journal that is not there is not copied. */
static int copy_file(const char *from, const char *to)
{
    static char buffer[1 << 16];
    int in = open(from, O_RDONLY | O_CLOEXEC);
    if (in < 0)
        return errno == ENOENT ? 0 : -1;
    int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    ssize_t n = -1;
    while (out >= 0 && (n = read(in, buffer, sizeof buffer)) > 0)
        if (write(out, buffer, (size_t)n) != n) {
            n = -1;
            break;
        }
    int saved = errno;
    close(in);
    if (out >= 0)
        close(out);
    errno = saved;
    return n == 0 ? 0 : -1;
}

void store_copy_remove(const char *copy_path)
{
    for (size_t i = 0; i < N_SUFFIXES; i++) {
        CLEANUP(text_free) struct text name = {0};
        text_printf(&name, "%s%s", copy_path, suffixes[i]);
        unlink(text_get(&name));
    }
    CLEANUP(text_free) struct text folder = {0};
    text_add_n(&folder, copy_path, strlen(copy_path) - strlen(COPY_NAME));
    rmdir(text_get(&folder));
}

int32_t store_copy_make(const char *path, struct text *ret_path, struct gb_error *error)
{
    size_t start = ret_path->length;
    text_printf(ret_path, "%s/gbrun-XXXXXX", temporary_folder());
    if (!mkdtemp(ret_path->data + start))
        return error_set(error, GB_IO, "%s: cannot be copied to %s: %s", path,
                         ret_path->data + start, reason_of(errno));
    text_add(ret_path, COPY_NAME);
    for (size_t i = 0; i < N_COPIED; i++) {
        CLEANUP(text_free) struct text from = {0}, to = {0};
        text_printf(&from, "%s%s", path, suffixes[i]);
        text_printf(&to, "%s%s", ret_path->data + start, suffixes[i]);
        if (copy_file(text_get(&from), text_get(&to)) != 0) {
            int saved = errno;
            store_copy_remove(ret_path->data + start);
            return error_set(error, GB_IO, "%s: cannot be copied to %s: %s", path,
                             ret_path->data + start, reason_of(saved));
        }
    }
    return GB_OK;
}
