/*
 * plain_text.h - the rule for text that comes from outside: from plugins, devices and the machine,
 * from results files, traces and configurations.
 *
 * Plain text is well-formed UTF-8 without what steers a terminal or reorders what is read on one:
 * control characters (C0, DEL, C1), line and paragraph separators (U+2028, U+2029), bidirectional
 * embeddings, overrides and isolates (U+202A to U+202E, U+2066 to U+2069). Texts may have several
 * lines, and tabs. The rule is applied where text enters (the wire, rows of a results file, facts,
 * errors), so that code that prints or stores it can rely on it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Well-formed UTF-8 (RFC 3629): no overlong form, no surrogate, nothing above U+10FFFF. Bytes of
 * the code point at the start of n bytes, 1 to 4; 0: they begin with none, or n is 0. No byte
 * behind one that does not fit is read, so n may be SIZE_MAX for text that ends with NUL. */
size_t utf8_length(const char *text, size_t n);
/* The same of plain text without line breaks and tabs: 0 for these, and for what is named above. */
size_t plain_length(const char *text, size_t n);
/* Not empty, and all on one line. */
bool is_plain_line(const char *text);
/* Puts '?' in the place of each code point and each byte that is not plain; lines and tabs stay. In
 * place, and never longer. Returns the text; NULL for NULL. */
char *make_plain(char *text);
/* The same on one line: with blanks for line breaks and tabs. */
char *make_plain_line(char *text);
