/* call_foreign.h - the types of types.h as those of libffi. Plugin side. */
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
