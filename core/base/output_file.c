/* output_file.c - see output_file.h. */
#include "core/base/output_file.h"

#include "core/base/host_clock.h"
#include "core/base/memory.h"
#include "core/base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* By how databases, logs and journals begin. */
bool output_is_database(const char *path)
{
    static const struct {
        size_t n;
        const char *bytes;
    } heads[] = {
        {16, "SQLite format 3"}, {3, "\x37\x7f\x06"}, {8, "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"}};
    char head[16] = "";
    struct stat facts;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const bool is_regular = file >= 0 && fstat(file, &facts) == 0 && S_ISREG(facts.st_mode);
    ssize_t n = is_regular ? read(file, head, sizeof head) : 0;
    if (file >= 0)
        close(file);
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        if (n >= (ssize_t)heads[i].n && memcmp(head, heads[i].bytes, heads[i].n) == 0)
            return true;
    return false;
}

static int32_t cannot_be_written(const struct output_file *output, struct gb_error *error)
{
    return error_set(error, GB_IO, "%s: cannot be written: %s", output->name, reason_of(errno));
}

static void free_paths(struct output_file *output)
{
    free(output->target);
    free(output->part);
}

/* Without a name where that can be had, so that nothing is left of a program that is killed. */
static int open_part(struct output_file *output, const char *folder)
{
    int file = access("/proc/self/fd", X_OK) == 0
                   ? open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666)
                   : -1;
    output->is_unnamed = file >= 0;
    return file >= 0 ? file : open(output->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

/* Beside the target, whose mode it takes over. */
static int open_beside(struct output_file *output, const char *path, const struct stat *old)
{
    CLEANUP(text_free) struct text folder = {0};
    char uuid[UUID_TEXT];
    if (old && access(path, W_OK) != 0)
        return -1;
    output->target = old ? realpath(path, NULL) : memory_copy_text(path);
    if (!output->target)
        return -1;
    const char *slash = strrchr(output->target, '/');
    if (slash)
        text_add_n(&folder, output->target, (size_t)(slash + 1 - output->target));
    else
        text_add(&folder, "./");
    uuid_new(uuid);
    size_t n = folder.length;
    text_printf(&folder, ".gbrun-%s", uuid);
    output->part = memory_copy_text(text_get(&folder));
    folder.data[n] = 0;
    int file = open_part(output, folder.data);
    if (file >= 0 && old)
        fchmod(file, old->st_mode & 07777);
    return file;
}

int32_t output_begin(struct output_file *output, const char *path, struct gb_error *error)
{
    struct stat old, link;
    *output = (struct output_file){.name = path};
    bool exists = stat(path, &old) == 0, is_regular = !exists || S_ISREG(old.st_mode);
    if (!exists && lstat(path, &link) == 0) /* it would be replaced, or where it leads be made */
        return error_set(error, GB_INVALID, "%s: a dangling symbolic link: name another file",
                         path);
    if (exists && is_regular && output_is_database(path))
        return error_set(error, GB_INVALID,
                         "%s: an SQLite file, such as a results file, which is not overwritten: "
                         "name another file",
                         path);
    int file = is_regular ? open_beside(output, path, exists ? &old : NULL)
                          : open(path, O_WRONLY | O_CLOEXEC);
    output->stream = file < 0 ? NULL : fdopen(file, "w");
    if (output->stream)
        return GB_OK;
    cannot_be_written(output, error);
    free_paths(output);
    return GB_IO;
}

const char *temporary_folder(void)
{
    const char *set = getenv("TMPDIR");
    return set && *set ? set : "/tmp";
}

bool stream_flush(FILE *stream)
{
    errno = 0;
    if (fflush(stream) != 0)
        return false;
    if (!ferror(stream))
        return true;
    if (write(fileno(stream), "\n", 1) > 0) /* what failed before may have a reason that passed */
        errno = 0;
    return false;
}

static bool flush(struct output_file *output)
{
    return stream_flush(output->stream) && (!output->target || fsync(fileno(output->stream)) == 0);
}

/* Of a file without a name only its descriptor leads to it. */
static bool give_name(struct output_file *output)
{
    char self[32];
    snprintf(self, sizeof self, "/proc/self/fd/%d", fileno(output->stream));
    return !output->is_unnamed ||
           linkat(AT_FDCWD, self, AT_FDCWD, output->part, AT_SYMLINK_FOLLOW) == 0;
}

/* The rename is lasting once the folder is synced; not all file systems can. */
static void sync_folder(const struct output_file *output)
{
    strrchr(output->part, '/')[1] = 0;
    int folder = open(output->part, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return;
    fsync(folder);
    close(folder);
}

int32_t output_end(struct output_file *output, int32_t status, struct gb_error *error)
{
    bool is_written = status == GB_OK && flush(output);
    if (is_written && output->target)
        is_written = give_name(output) && rename(output->part, output->target) == 0;
    if (status == GB_OK && !is_written)
        status = cannot_be_written(output, error);
    if (output->part && !is_written)
        unlink(output->part);
    else if (output->part)
        sync_folder(output);
    fclose(output->stream);
    free_paths(output);
    return status;
}

int32_t output_text(const char *path, const struct text *text, struct gb_error *error)
{
    struct output_file output;
    const int32_t status = output_begin(&output, path, error);
    if (status != GB_OK)
        return status;
    fwrite(text_get(text), 1, text->length, output.stream);
    return output_end(&output, GB_OK, error);
}
