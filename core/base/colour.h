/*
 * colour.h - whether what is printed for people has colours, and which: decided here and nowhere
 * else.
 *
 * Colours repeat what the words and marks say already. Their escape sequences take no columns
 * (text_columns), and plain text never has any (plain_text.h).
 */
#pragma once

#include "core/base/text.h"

enum {
    COLOUR_NONE,
    COLOUR_GOOD,  /* ok, faster, fixed */
    COLOUR_BAD,   /* failed, slower, broken */
    COLOUR_DOUBT, /* marked: not certified, noisy, unclear */
    COLOUR_FAINT, /* not known, skipped */
    COLOURS
};

/* A word of --color: auto, always or never. */
bool colour_mode_is_known(const char *mode);

/*
 * Is what is written to the file to have colours? mode as above, NULL is auto, for which decide, in
 * this order: NO_COLOR that is not empty: no (https://no-color.org); CLICOLOR_FORCE that is not
 * empty or 0: yes; CLICOLOR=0: no (https://bixense.com/clicolors); else a terminal has them, unless
 * TERM is dumb or missing.
 */
bool colour_is_wanted(const char *mode, int file);

/* The words between the sequences that switch a colour on and off; COLOUR_NONE: the words alone. */
void colour_add(struct text *out, int colour, const char *words);
void colour_begin(struct text *out, int colour);
void colour_end(struct text *out, int colour);
