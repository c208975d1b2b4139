/* call_library.h - shared libraries and what is in them. Plugin side. */
#pragma once

#include "call_plan.h"

enum { LIBRARY_REASON_BYTES = 512, DEBUG_REASON_BYTES = 448 };

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

/* --- what the compiler wrote about a function (call_debug.c) --- */

/*
 * Does the signature contradict the debug information of this function, in its library or in the
 * file of its own under /usr/lib/debug/.build-id? Compared is what decides how arguments and result
 * are passed: how many there are, numbers or addresses, bytes, and the sign of a result. True only
 * if it does: the reason then has the function's prototype. False also without libdw, without
 * debug information, and where it does not say (assembler, functions of C without a prototype).
 */
bool debug_contradicts(void *function, const struct signature *signature,
                       char reason[DEBUG_REASON_BYTES]);
