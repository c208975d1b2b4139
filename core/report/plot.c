/* plot.c - see plot.h: a page as a file. What is not SVG is made of it by rsvg-convert, which is
 * run without a shell: the page on its standard input, the picture on its standard output. */
#include "core/report/plot.h"

#include "core/base/command.h"
#include "core/base/memory.h"
#include "core/base/output_file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CONVERTER "rsvg-convert"

enum { ARGUMENTS_MAX = 6 };

static const struct format {
    const char *suffix;
    const char *arguments[ARGUMENTS_MAX]; /* of the converter; none: our own SVG */
} formats[] = {{".svg", {NULL}},
               {".png", {CONVERTER, "-f", "png", "-b", "white"}},
               {".pdf", {CONVERTER, "-f", "pdf"}}};
enum { FORMATS_KNOWN = sizeof formats / sizeof *formats };

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

/* The last line of its errors, which has the reason. */
static const char *reason_in(struct text *complaints)
{
    while (complaints->length > 0 && strchr(" \n", complaints->data[complaints->length - 1]))
        text_cut(complaints, complaints->length - 1);
    const char *line = strrchr(text_get(complaints), '\n');
    line = line ? line + 1 : text_get(complaints);
    line += strspn(line, " ");
    return *line ? line : "without a word";
}

static int32_t convert(const struct format *format, const struct text *svg, struct text *picture,
                       struct gb_error *error)
{
    enum { SIGNALLED = 128 };
    CLEANUP(text_free) struct text complaints = {0};
    int code = 0;
    const struct command command = {
        .arguments = format->arguments, .input = svg, .output = picture, .complaints = &complaints};
    int32_t status = command_run(&command, &code, error);
    if (status != GB_OK || (code == 0 && picture->length > 0))
        return status;
    if (code > SIGNALLED)
        return error_set(error, GB_FAILED, CONVERTER " was ended by signal %d", code - SIGNALLED);
    return error_set(error, GB_FAILED, CONVERTER " failed: %.300s", reason_in(&complaints));
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
