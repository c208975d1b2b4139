/* screen.c - what standard output is: how wide, and whether in colours. See verbs.h. */
#include "core/base/colour.h"
#include "core/cli/verbs.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

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

int read_color(const struct arguments *arguments, bool *ret)
{
    const char *mode = argument(arguments, "color");
    if (mode && !colour_mode_is_known(mode))
        return fail_usage("--color %s: expected auto, always or never", mode);
    *ret = colour_is_wanted(mode, STDOUT_FILENO);
    return EXIT_FINE;
}
