/*
 * expression_engine.h - SQLite as expressions see it: names of columns, operators and functions of
 * their arguments, and nothing else, for a limited number of steps.
 */
#pragma once

#include "core/config/expression.h"
#include "core/config/expression_tokens.h"

#include <sqlite3.h>

/* Expressions are prepared behind the prefix, over columns of a table of that name. */
#define EXPRESSION_TABLE "settings"
#define EXPRESSION_PREFIX "SELECT ("

/* What is being prepared. */
enum engine_mode {
    MODE_OWN, /* statements of this file: all is allowed */
    MODE_CHECK /* an expression over the real table */,
    MODE_RUN /* the same text again, over parameters */
};

struct expression_engine {
    sqlite3 *database;
    sqlite3 *printer; /* for SQLite's own printf, as a statement */
    sqlite3_stmt *print;
    enum engine_mode mode;
    const struct expression_column *columns; /* of the expression being checked */
    size_t n_columns;
    bool *is_read; /* by column */
    struct expression_tokens tokens;
    size_t first_unknown; /* the first token that reads a column which is none; n: all are known */
    int n_selects;
    char refusal[160]; /* why the authorizer refused; empty: it did not */
    size_t refused_at; /* in the text */
    int steps_left;
};

/* Which column has the name, regardless of case; n_columns: none has it, or several. */
size_t expression_engine_column(const struct expression_engine *engine, const char *name);

/* The first token that could read a column of that name which is not there; n of the tokens: there
 * is none, or the name is NULL. */
size_t expression_engine_unknown(const struct expression_engine *engine, const char *name);

/* What is wrong with the text. stopped: SQLite's parser read no further than text[stopped];
 * SIZE_MAX: it read all. SQLite's messages, which differ between versions, are not looked into. */
int32_t expression_engine_error(struct expression_engine *engine, const char *text, size_t stopped,
                                struct origin origin, struct gb_error *error);
