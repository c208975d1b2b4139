/*
 * template.h - texts of options in which expressions stand: "buffer({4 * size})".
 *
 * {EXPRESSION} is replaced by the expression's value (expression.h) in the current case; {{ and }}
 * stand for the braces themselves. A brace inside the quotes of an expression is none.
 */
#pragma once

#include "core/config/expression.h"
#include "core/config/option_table.h"

struct template;

/* Is there anything to be replaced? */
bool template_is_needed(const char *text);

/*
 * Reads a text and compiles its expressions over n columns. Errors have the place in the text,
 * which begins at origin. Memory: the arena's, but for the expressions: free with template_free.
 */
int32_t template_compile(struct expression_engine *engine, const char *text, struct origin origin,
                         const struct expression_column *columns, size_t n, struct arena *arena,
                         struct template **ret, struct gb_error *error);
void template_free(struct template *template); /* NULL allowed */

bool template_reads(const struct template *template, const char *column);

/* The text of a case, in the arena, and where each byte of it comes from. An error has the place of
 * the expression that failed. */
int32_t template_expand(const struct template *template, const struct expression_column *columns,
                        struct arena *arena, const char **ret, struct text_map *ret_map,
                        struct gb_error *error);
