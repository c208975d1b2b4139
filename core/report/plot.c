/* plot.c - see plot.h: a page as a file. What is not SVG is made of it by rsvg-convert, which is
 * run without a shell: the page on its standard input, the picture on its standard output. */
#include "core/report/plot.h"

#include "core/base/memory.h"
#include "core/base/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define CONVERTER "rsvg-convert"

enum { INPUT, PICTURE, COMPLAINTS, FILES };
enum { ARGUMENTS_MAX = 6 };

static const struct format {
    const char *suffix;
    const char *arguments[ARGUMENTS_MAX]; /* of the converter; none: our own SVG */
} formats[] = {{".svg", {NULL}},
               {".png", {CONVERTER, "-f", "png", "-b", "white"}},
               {".pdf", {CONVERTER, "-f", "pdf"}}};
enum { FORMATS_KNOWN = sizeof formats / sizeof *formats };

extern char **environ;

/* By the end of the file's name; NULL: none of them. */
static const struct format *format_of(const char *path)
{
    for (size_t i = 0; i < FORMATS_KNOWN; i++)
        if (text_ends_with(path, formats[i].suffix))
            return &formats[i];
    return NULL;
}

bool plot_is_named(const char *path)
{
    return format_of(path) != NULL;
}

/* ---- the converter ---- */

static void close_files(int files[FILES])
{
    for (int i = 0; i < FILES; i++)
        if (files[i] >= 0)
            close(files[i]);
}

/* Files in memory above the numbers that they get in the program. */
static int32_t open_files(int files[FILES], struct gb_error *error)
{
    bool is_good = true;
    for (int i = 0; i < FILES; i++) {
        int file = memfd_create("gbrun plot", MFD_CLOEXEC);
        files[i] = file < 0 ? -1 : fcntl(file, F_DUPFD_CLOEXEC, FILES);
        if (file >= 0)
            close(file);
        is_good = is_good && files[i] >= 0;
    }
    return is_good ? GB_OK : error_set(error, GB_IO, "a plot cannot be made: %s", reason_of(errno));
}

static bool write_all(int file, const char *bytes, size_t n)
{
    while (n > 0) {
        ssize_t written = write(file, bytes, n);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        bytes += written;
        n -= (size_t)written;
    }
    return true;
}

/* All of a file in memory. */
static void read_all(int file, struct text *out)
{
    char block[65536];
    ssize_t n;
    off_t at = 0;
    while ((n = pread(file, block, sizeof block, at)) > 0) {
        text_add_n(out, block, (size_t)n);
        at += n;
    }
}

static int32_t spawn(const struct format *format, const int files[FILES], pid_t *ret,
                     struct gb_error *error)
{
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    for (int i = 0; i < FILES; i++)
        posix_spawn_file_actions_adddup2(&actions, files[i], i);
    int code = posix_spawnp(ret, CONVERTER, &actions, NULL, (char *const *)format->arguments,
                            environ);
    posix_spawn_file_actions_destroy(&actions);
    return code == 0 ? GB_OK
                     : error_set(error, GB_IO, CONVERTER " cannot be started: %s", reason_of(code));
}

/* The last line of its errors, which has the reason. */
static int32_t complaint(int file, int wait_status, struct gb_error *error)
{
    CLEANUP(text_free) struct text said = {0};
    read_all(file, &said);
    while (said.length > 0 && strchr(" \n", said.data[said.length - 1]))
        said.data[--said.length] = 0;
    const char *line = strrchr(text_get(&said), '\n');
    line = line ? line + 1 : text_get(&said);
    line += strspn(line, " ");
    if (WIFSIGNALED(wait_status))
        return error_set(error, GB_FAILED, CONVERTER " was ended by signal %d",
                         WTERMSIG(wait_status));
    return error_set(error, GB_FAILED, CONVERTER " failed: %.300s",
                     *line ? line : "without a word");
}

static int32_t convert(const struct format *format, const struct text *svg, struct text *picture,
                       struct gb_error *error)
{
    int files[FILES], wait_status = 0;
    pid_t pid = 0;
    int32_t status = open_files(files, error);
    if (status == GB_OK && (!write_all(files[INPUT], text_get(svg), svg->length) ||
                            lseek(files[INPUT], 0, SEEK_SET) != 0))
        status = error_set(error, GB_IO, "a plot cannot be made: %s", reason_of(errno));
    if (status == GB_OK)
        status = spawn(format, files, &pid, error);
    if (status == GB_OK) {
        while (waitpid(pid, &wait_status, 0) < 0 && errno == EINTR)
            ;
        read_all(files[PICTURE], picture);
        if (wait_status != 0 || picture->length == 0)
            status = complaint(files[COMPLAINTS], wait_status, error);
    }
    close_files(files);
    return status;
}

/* Is the converter in a folder of the PATH? */
static bool has_converter(void)
{
    CLEANUP(text_free) struct text candidate = {0};
    const char *path = getenv("PATH");
    for (path = path ? path : "/bin:/usr/bin"; *path;) {
        size_t n = strcspn(path, ":");
        text_clear(&candidate);
        text_printf(&candidate, "%.*s/" CONVERTER, n ? (int)n : 1, n ? path : ".");
        if (access(text_get(&candidate), X_OK) == 0)
            return true;
        path += n + (path[n] == ':');
    }
    return false;
}

/* ---- files ---- */

int32_t plot_check(const char *path, struct gb_error *error)
{
    const struct format *format = format_of(path);
    if (!format)
        return error_set(error, GB_INVALID,
                         "%s: unknown kind of plot: expected a name in .svg, .png or .pdf", path);
    if (format->arguments[0] && !has_converter())
        return error_set(error, GB_NOT_FOUND,
                         "plots in .png and .pdf need " CONVERTER ", which is not on the PATH: "
                         "install it (Debian, Ubuntu: apt install librsvg2-bin; Fedora: dnf "
                         "install librsvg2-tools), or ask for a file in .svg");
    return GB_OK;
}

int32_t plot_write(const struct plot_page *page, const char *path, struct gb_error *error)
{
    CLEANUP(text_free) struct text svg = {0}, picture = {0};
    const struct format *format = format_of(path);
    int32_t status = plot_check(path, error);
    if (status != GB_OK)
        return status;
    plot_svg(page, false, &svg);
    if (!format->arguments[0])
        return output_text(path, &svg, error);
    status = convert(format, &svg, &picture, error);
    return status == GB_OK ? output_text(path, &picture, error) : status;
}
