/*
 * expression_tokens.h - the tokens of an expression, found before SQLite reads it: which names it
 * has and where, and what is wrong with it that needs no grammar.
 */
#pragma once

#include "core/base/memory.h"

#include <stdbool.h>

enum token_kind {
    TOKEN_WORD, /* a name, or a word of SQL */
    TOKEN_QUOTED_NAME,
    TOKEN_OTHER
};

struct expression_token {
    enum token_kind kind;
    size_t at, end;   /* in the text, quotes included */
    const char *name; /* of a word or a quoted name, without quotes; in the arena */
    bool is_called;   /* "(" follows */
};

struct expression_tokens {
    struct expression_token *items;
    size_t n;
};

/* Returns NULL, or what is wrong at text[*ret_at]: what could leave the parentheses that the
 * text is put into, and what no expression can have. */
const char *expression_tokens_read(const char *text, struct arena *arena,
                                   struct expression_tokens *ret, size_t *ret_at);
