/* call_callback.h - functions that are given to functions. Plugin side. */
#pragma once

#include "call_parse.h"

/* int (const void *a, const void *b): below 0, 0 or above 0, for any type but KIND_BITS. NaN
 * equals all. */
void *compare_function(enum type_id type);

/* A function made at run time, of a chain that closure_free frees. */
struct closure;

/* A function of a signature that returns the number (0 without one). NULL: there is no memory. */
void *closure_new(const struct signature *signature, const struct number *number,
                  struct closure **chain);
void closure_free(struct closure *chain);
