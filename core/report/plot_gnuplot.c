/* plot_gnuplot.c - see plot.h: gnuplot, or what else draws, run without a shell. */
#include "core/base/memory.h"
#include "core/base/output_file.h"
#include "core/report/plot_svg.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SCRIPT, PICTURE, COMPLAINTS, FILES };

extern char **environ;

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

static void write_script(const struct plot_page *page, int format, struct text *out)
{
    plot_script(page, format, NULL, out);
}

static void write_svg(const struct plot_page *page, int format, struct text *out)
{
    (void)format;
    plot_svg(page, false, out);
}

/* What draws .png and .pdf: the first that is there. */
enum { ARGUMENTS = 6 };
static const struct program {
    const char *name;
    const char *arguments[PLOT_FORMATS][ARGUMENTS];
    void (*write)(const struct plot_page *page, int format, struct text *out); /* its input */
} programs[] = {
    {"gnuplot", {[PLOT_PNG] = {"-d"}, [PLOT_PDF] = {"-d"}}, write_script},
    {"rsvg-convert",
     {[PLOT_PNG] = {"-f", "png", "-b", "white"}, [PLOT_PDF] = {"-f", "pdf"}},
     write_svg},
};
enum { PROGRAMS = sizeof programs / sizeof *programs };

static int32_t spawn(const struct program *program, int format, const int files[FILES], pid_t *ret,
                     struct gb_error *error)
{
    char *arguments[ARGUMENTS + 2] = {(char *)program->name};
    posix_spawn_file_actions_t actions;
    for (int i = 0; i < ARGUMENTS && program->arguments[format][i]; i++)
        arguments[i + 1] = (char *)program->arguments[format][i];
    posix_spawn_file_actions_init(&actions);
    for (int i = 0; i < FILES; i++)
        posix_spawn_file_actions_adddup2(&actions, files[i], i);
    int code = posix_spawnp(ret, program->name, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return code == 0 ? GB_OK
                     : error_set(error, GB_IO, "%s cannot be started: %s", program->name,
                                 reason_of(code));
}

/* The last line of its errors, which has the reason. */
static int32_t complaint(const struct program *program, int file, int wait_status,
                         struct gb_error *error)
{
    CLEANUP(text_free) struct text said = {0};
    read_all(file, &said);
    while (said.length > 0 && strchr(" \n", said.data[said.length - 1]))
        said.data[--said.length] = 0;
    const char *line = strrchr(text_get(&said), '\n');
    line = line ? line + 1 : text_get(&said);
    line += strspn(line, " ");
    if (WIFSIGNALED(wait_status))
        return error_set(error, GB_FAILED, "%s was ended by signal %d", program->name,
                         WTERMSIG(wait_status));
    return error_set(error, GB_FAILED, "%s failed: %.300s", program->name,
                     *line ? line : "without a word");
}

static int32_t draw(const struct program *program, const struct plot_page *page, int format,
                    struct text *picture, struct gb_error *error)
{
    CLEANUP(text_free) struct text input = {0};
    int files[FILES], wait_status = 0;
    pid_t pid = 0;
    int32_t status = open_files(files, error);
    program->write(page, format, &input);
    if (status == GB_OK && (!write_all(files[SCRIPT], text_get(&input), input.length) ||
                            lseek(files[SCRIPT], 0, SEEK_SET) != 0))
        status = error_set(error, GB_IO, "a plot cannot be made: %s", reason_of(errno));
    if (status == GB_OK)
        status = spawn(program, format, files, &pid, error);
    if (status == GB_OK) {
        while (waitpid(pid, &wait_status, 0) < 0 && errno == EINTR)
            ;
        read_all(files[PICTURE], picture);
        if (wait_status != 0 || picture->length == 0)
            status = complaint(program, files[COMPLAINTS], wait_status, error);
    }
    close_files(files);
    return status;
}

/* Is there a program of the name in a folder of the PATH? */
static bool is_on_path(const char *name)
{
    CLEANUP(text_free) struct text candidate = {0};
    const char *path = getenv("PATH");
    for (path = path ? path : "/bin:/usr/bin"; *path;) {
        size_t n = strcspn(path, ":");
        text_clear(&candidate);
        text_printf(&candidate, "%.*s/%s", n ? (int)n : 1, n ? path : ".", name);
        if (access(text_get(&candidate), X_OK) == 0)
            return true;
        path += n + (path[n] == ':');
    }
    return false;
}

/* GB_NOT_FOUND: none is there. */
static int32_t find_program(const struct program **ret, struct gb_error *error)
{
    for (size_t i = 0; i < PROGRAMS; i++)
        if (is_on_path(programs[i].name)) {
            *ret = &programs[i];
            return GB_OK;
        }
    return error_set(error, GB_NOT_FOUND,
                     "plots in .png and .pdf need gnuplot or rsvg-convert, and neither is on the "
                     "PATH: install one (Debian, Ubuntu: apt install gnuplot-nox or "
                     "librsvg2-bin; Fedora: dnf install gnuplot or librsvg2-tools), or ask for a "
                     "file in .svg, or .gp, which is a script for gnuplot");
}

int32_t plot_check(const char *path, struct gb_error *error)
{
    const struct program *program;
    int format = plot_format_named(path);
    if (format < 0)
        return error_set(error, GB_INVALID,
                         "%s: unknown kind of plot: expected a name in .svg, .png, .pdf or "
                         ".gp",
                         path);
    return format == PLOT_SCRIPT || format == PLOT_SVG ? GB_OK : find_program(&program, error);
}

/* What a script called NAME.gp writes when it is run by itself: NAME.svg, wherever that is. */
static const char *output_of(const char *path, struct arena *arena)
{
    const char *slash = strrchr(path, '/');
    char *name = arena_text(arena, slash ? slash + 1 : path);
    for (char *at = name; *at; at++)
        if ((unsigned char)*at < ' ')
            *at = '_';
    /* A first letter that is | would make it a command; a path begins otherwise. */
    return arena_printf(arena, "./%.*s.svg", (int)(strlen(name) - strlen(".gp")), name);
}

static int32_t write_file(const char *path, const struct text *bytes, struct gb_error *error)
{
    struct output_file output;
    if (output_begin(&output, path, error) != GB_OK)
        return error->status;
    fwrite(text_get(bytes), 1, bytes->length, output.stream);
    return output_end(&output, GB_OK, error);
}

int32_t plot_write(const struct plot_page *page, const char *path, struct gb_error *error)
{
    CLEANUP(text_free) struct text picture = {0};
    CLEANUP(arena_free) struct arena arena = {0};
    const struct program *program;
    int format = plot_format_named(path);
    int32_t status = plot_check(path, error);
    if (status == GB_OK && format == PLOT_SVG) {
        plot_svg(page, false, &picture);
    } else if (status == GB_OK && format == PLOT_SCRIPT) {
        text_add(&picture, "# A script for gnuplot, with its data. Other terminals: png, pdf.\n");
        plot_script(page, format, output_of(path, &arena), &picture);
    } else if (status == GB_OK) {
        status = find_program(&program, error);
        if (status == GB_OK)
            status = draw(program, page, format, &picture, error);
    }
    return status == GB_OK ? write_file(path, &picture, error) : status;
}
