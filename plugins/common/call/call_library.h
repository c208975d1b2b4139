/* call_library.h - shared libraries and what is in them. Plugin side. */
#pragma once

#include "call_plan.h"

enum { LIBRARY_REASON_BYTES = 512 };

/* The address of a function or variable; NULL: there is none, and the reason says so. */
void *library_symbol(void *library, struct span name, char reason[LIBRARY_REASON_BYTES]);

/* The libraries and functions of a plan. A name of a library is looked for where the loader does,
 * then where the CUDA Toolkit keeps its own; a path starts from the folder of the configuration.
 * They stay open for the life of the process. */
struct linkage {
    void *library, *reference_library;
    void *function, *reference;
    char reason[LIBRARY_REASON_BYTES];
};

/*
 * Opens what the plan needs and looks up all of its symbols. Each that is missing is reported, and
 * a signature that contradicts the library's debug information; with NULL for a reporter the first
 * one's reason is kept, nothing is asked of debug information, and false returned.
 */
bool link_plan(const struct plan *plan, struct reporter *reporter, struct linkage *ret);
/* The same for the reference alone. */
bool link_reference(const struct plan *plan, struct reporter *reporter, struct linkage *ret);
