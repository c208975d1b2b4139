/* call_library.h - shared libraries and what is in them. Plugin side. */
#ifndef GBRUN_PLUGINS_COMMON_CALL_LIBRARY_H
#define GBRUN_PLUGINS_COMMON_CALL_LIBRARY_H

#include "call_plan.h"

enum { LIBRARY_REASON_BYTES = 512 };

/*
 * Opens the first of some names or paths. One with a slash is relative to `folder`; a name is
 * looked for where the loader does, then where the CUDA Toolkit keeps its own. It stays open for
 * the life of the process. NULL: none, and the reason says why.
 */
void *library_open(const struct gb_list *names, const char *folder,
                   char reason[LIBRARY_REASON_BYTES]);

/* The address of a function or variable; NULL: there is none, and the reason says so. */
void *library_symbol(void *library, struct span name, char reason[LIBRARY_REASON_BYTES]);

/* The libraries and functions of a plan. */
struct linkage {
    void *library, *reference_library;
    void *function, *reference;
    char reason[LIBRARY_REASON_BYTES];
};

/*
 * Opens what the plan needs and looks up all of its symbols. Each that is missing is reported; with
 * NULL for a reporter the first one's reason is kept, and false returned.
 */
bool link_plan(const struct plan *plan, struct reporter *reporter, struct linkage *ret);

#endif
