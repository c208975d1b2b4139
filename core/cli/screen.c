/* screen.c - messages on standard error, options that several verbs read, and how wide standard
 * output is. See verbs.h. */
#include "core/base/colour.h"
#include "core/base/plain_text.h"
#include "core/cli/verbs.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

static struct text *said; /* NULL: standard error has it */

void say_into(struct text *text)
{
    said = text;
}

static void say_after(const char *prefix, const char *format, va_list arguments)
{
    CLEANUP(text_free) struct text line = {0};
    text_add(&line, prefix);
    text_vprintf(&line, format, arguments);
    text_add(&line, "\n");
    hint_take(line.data);
    if (said)
        text_add(said, make_plain(line.data));
    else
        fputs(make_plain(line.data), stderr);
}

void say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say_after("", format, arguments);
    va_end(arguments);
}

void say_error(const struct gb_error *error)
{
    const struct origin *origin = &error->origin;
    if (!origin->file)
        say("gbrun: error: %s", error->text);
    else if (origin->line == 0)
        say("%s: error: %s", origin->file, error->text);
    else if (origin->column == 0)
        say("%s:%u: error: %s", origin->file, origin->line, error->text);
    else
        say("%s:%u:%u: error: %s", origin->file, origin->line, origin->column, error->text);
}

void say_errors(const struct error_list *errors)
{
    for (size_t i = 0; i < errors->n; i++)
        say_error(&errors->items[i]);
    if (errors->n_left_out)
        say("gbrun: and %zu more errors", errors->n_left_out);
}

int fail_with(const struct gb_error *error, int code)
{
    say_error(error);
    return code;
}

int fail_usage(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say_after("gbrun: error: ", format, arguments);
    va_end(arguments);
    return EXIT_USAGE;
}

/* As git does. */
size_t output_width(size_t unknown)
{
    enum { NARROWEST = 40, WIDEST = 100000 };
    const char *columns = getenv("COLUMNS");
    long width = columns ? strtol(columns, NULL, 10) : 0;
    struct winsize size;
    if (width <= 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
        width = size.ws_col;
    return width >= NARROWEST && width <= WIDEST ? (size_t)width : unknown;
}

int32_t read_option(const struct arguments *arguments, const char *name,
                    const struct gb_option *option, struct arena *arena, struct value *ret,
                    struct error_list *errors)
{
    struct gb_error error;
    const char *text = argument(arguments, name);
    const struct origin origin = {arena_printf(arena, "--%s", name), 0, 0};
    const int32_t status = value_read(option, text ? text : option->default_value, origin, arena,
                                      ret, &error);
    if (status != GB_OK)
        error_list_take(errors, &error);
    return status;
}

int read_number(const struct arguments *arguments, const char *name, const struct gb_option *option,
                struct value *ret)
{
    CLEANUP(arena_free) struct arena arena = {0};
    CLEANUP(error_list_free) struct error_list errors = {0};
    read_option(arguments, name, option, &arena, ret, &errors);
    say_errors(&errors);
    return error_list_empty(&errors) ? EXIT_FINE : EXIT_USAGE;
}

int read_color(const struct arguments *arguments, bool *ret)
{
    const char *mode = argument(arguments, "color");
    if (mode && !colour_mode_is_known(mode))
        return fail_usage("--color %s: expected auto, always or never", mode);
    *ret = colour_is_wanted(mode, STDOUT_FILENO);
    return EXIT_FINE;
}
