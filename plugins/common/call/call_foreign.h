/*
 * call_foreign.h - the types of call_types.h as those of libffi, and functions that are given to
 * functions. Plugin side.
 */
#pragma once

#include "call_parse.h"

#include <ffi.h>

/* Members of a struct and bytes between them, and the end. */
enum { ELEMENTS_MAX = MEMBERS_MAX * 8 + 1 };

/* A signature as libffi has it; not to be moved, as its parts point to each other. */
struct foreign {
    ffi_cif cif;
    ffi_type *arguments[PARAMETERS_MAX];
    ffi_type structs[PARAMETERS_MAX + 1]; /* the last for the result */
    ffi_type *members[PARAMETERS_MAX + 1][ELEMENTS_MAX];
};

/* False: libffi does not take it. */
bool foreign_make(const struct signature *signature, struct foreign *ret);

/* int (const void *a, const void *b): below 0, 0 or above 0, for any type but KIND_BITS. NaN
 * equals all. */
void *compare_function(enum type_id type);

/* A function made at run time, of a chain that closure_free frees. */
struct closure;

/* A function of a signature that returns the number (0 without one). NULL: there is no memory. */
void *closure_new(const struct signature *signature, const struct number *number,
                  struct closure **chain);
void closure_free(struct closure *chain);
