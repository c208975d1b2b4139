/*
 * expression.h - SQL expressions over named values, evaluated by SQLite in memory.
 *
 * The one language of only, exclude, let and --where. An authorizer allows the reading of the given
 * columns and a list of functions whose result depends on their arguments alone (no clock, no
 * random numbers, no aggregates), nothing else: no queries, parameters or comments. A progress
 * handler stops what takes more than EXPRESSION_STEPS virtual machine steps. Integers, floats,
 * booleans (0, 1), sizes (bytes) and durations (nanoseconds) are numbers; everything else is text.
 * Column names with dots are quoted: "env.NAME". Names are found without regard to case; of columns
 * that differ in case only, none can be read.
 */
#pragma once

#include "core/config/value.h"

enum { EXPRESSION_STEPS = 1000000 };

struct expression_column {
    const char *name;
    struct value value; /* type 0: NULL */
};

struct expression_engine; /* one SQLite connection; expressions live as long as it */
struct expression;

int32_t expression_engine_new(struct expression_engine **ret, struct gb_error *error);
void expression_engine_free(struct expression_engine *engine);

/*
 * Compiles an expression over n columns, of which only the names count here. Errors have the place
 * of the token that is wrong; an unknown name comes with the nearest known one.
 */
int32_t expression_compile(struct expression_engine *engine, const char *text, struct origin origin,
                           const struct expression_column *columns, size_t n,
                           struct expression **ret, struct gb_error *error);
void expression_free(struct expression *expression);

/* Evaluates to true or false; NULL is false. columns: as compiled, in the same order. */
int32_t expression_test(struct expression *expression, const struct expression_column *columns,
                        bool *ret, struct gb_error *error);

/* Evaluates to an INT, FLOAT or STRING, as SQLite types it; its text is the canonical one, in the
 * arena. NULL and blobs are errors. */
int32_t expression_evaluate(struct expression *expression, const struct expression_column *columns,
                            struct arena *arena, struct value *ret, struct gb_error *error);

/* The same; NULL is a value of type 0, as it is among the columns. */
int32_t expression_evaluate_or_null(struct expression *expression,
                                    const struct expression_column *columns, struct arena *arena,
                                    struct value *ret, struct gb_error *error);

/* Which columns it reads: used to refuse unknown names and to find what a variable feeds. */
bool expression_reads(const struct expression *expression, const char *column);
