/* call_cursor.h - reading a text from left to right: words, signs, numbers. Plugin side. */
#pragma once

#include "call_parse.h"

struct cursor {
    const char *text;
    size_t at;
    struct problem *problem;
    bool has_failed; /* the first problem counts */
};

/* Returns false, for `return cursor_fail(...)`. At byte `at` of the text. */
bool cursor_fail(struct cursor *cursor, size_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same for something else than was expected at the place of the cursor. */
bool cursor_expected(struct cursor *cursor, const char *what);

/* After the blanks: the place of what comes next. */
size_t cursor_next(struct cursor *cursor);
/* Takes the sign, if it is the next. */
bool cursor_take(struct cursor *cursor, const char *sign);
/* As above, but it must be there. */
bool cursor_need(struct cursor *cursor, const char *sign);
/* A word of letters, digits and _ that begins with no digit; n is 0 if there is none. */
struct span cursor_word(struct cursor *cursor);
/* "arg.KEY" or a word. */
struct span cursor_name(struct cursor *cursor);
/* Is a number the next? */
bool cursor_is_number(struct cursor *cursor);
bool cursor_number(struct cursor *cursor, struct number *ret);
/* A text in double quotes: what is between them. */
bool cursor_quoted(struct cursor *cursor, struct span *ret);
bool cursor_end(struct cursor *cursor);

/* call_signature.c: a number in memory, as C writes its type; what a function takes and returns. */
bool take_element_type(struct cursor *cursor, enum type_id *ret);
bool take_signature(struct cursor *cursor, struct signature *ret);
