/*
 * expression_functions.h - the functions that expressions may call: their results depend on their
 * arguments alone. Mathematical ones are our own, because not every SQLite has them.
 */
#pragma once

#include "core/config/expression_engine.h"

bool expression_function_allowed(const char *name);

/* The one that was most likely meant, or NULL. */
const char *expression_function_nearest(const char *name);

/* Gives the engine's SQLite the mathematical functions; false: it refused one. */
bool expression_functions_add(struct expression_engine *engine);
