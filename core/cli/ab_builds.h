/*
 * ab_builds.h - two builds of the same files: commands that make them, copies that both sides keep.
 *
 * What is copied are the files that `plugin` and `library` of a [bench NAME] name by a path, as a
 * side changes them. A side without a command has them as they are before any command runs.
 */
#pragma once

#include "core/cli/verbs.h"

struct ab_builds {
    const char *commands[SIDES]; /* for a shell; NULL: none */
    char folder[64];             /* of the copies, in the current one; "": not made */
    struct arena arena;
    struct words copies;
};

/* Runs the commands and adds the copies to the changes of the configuration's sides. */
int32_t ab_builds_make(struct ab_builds *builds, struct configuration *configuration,
                       struct error_list *errors);
/* is_kept: the copies are left for --resume. */
void ab_builds_free(struct ab_builds *builds, bool is_kept);
