/*
 * expression_engine.h - SQLite as expressions see it: names of columns, operators and functions of
 * their arguments, and nothing else, for a limited number of steps.
 */
#ifndef GBRUN_CORE_EXPRESSION_ENGINE_H
#define GBRUN_CORE_EXPRESSION_ENGINE_H

#include "core/config/expression.h"

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
    enum engine_mode mode;
    const struct expression_column *columns; /* of the expression being checked */
    size_t n_columns;
    bool *is_read; /* by column */
    int n_selects;
    char refusal[160]; /* why the authorizer refused; empty: it did not */
    int steps_left;
};

/* SQLite's error in EXPRESSION_PREFIX + text, as one in the text. */
int32_t expression_engine_error(const struct expression_engine *engine, const char *text,
                                struct origin origin, struct gb_error *error);

#endif
