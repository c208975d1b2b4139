/* colour.c - see colour.h. */
#include "core/base/colour.h"

#include <stdlib.h>
#include <unistd.h>

/* The eight basic colours, which every scheme of a terminal makes readable. */
static const char *const sequences[COLOURS] = {[COLOUR_NONE] = "",
                                               [COLOUR_GOOD] = "\033[32m",
                                               [COLOUR_BAD] = "\033[31m",
                                               [COLOUR_DOUBT] = "\033[33m",
                                               [COLOUR_FAINT] = "\033[2m"};

bool colour_mode_is_known(const char *mode)
{
    return text_equal(mode, "auto") || text_equal(mode, "always") || text_equal(mode, "never");
}

static bool is_set(const char *name)
{
    const char *value = getenv(name);
    return value && *value;
}

bool colour_is_wanted(const char *mode, int file)
{
    const char *terminal = getenv("TERM");
    const bool is_auto = !mode || text_equal(mode, "auto");
    if (!is_auto || is_set("NO_COLOR"))
        return !is_auto && text_equal(mode, "always");
    if (is_set("CLICOLOR_FORCE") && !text_equal(getenv("CLICOLOR_FORCE"), "0"))
        return true;
    if (is_set("CLICOLOR") && text_equal(getenv("CLICOLOR"), "0"))
        return false;
    return isatty(file) && terminal && *terminal && !text_equal(terminal, "dumb");
}

void colour_begin(struct text *out, int colour)
{
    text_add(out, sequences[colour]);
}

void colour_end(struct text *out, int colour)
{
    text_add(out, colour == COLOUR_NONE ? "" : "\033[0m");
}

void colour_add(struct text *out, int colour, const char *words)
{
    if (!*words)
        return;
    colour_begin(out, colour);
    text_add(out, words);
    colour_end(out, colour);
}
