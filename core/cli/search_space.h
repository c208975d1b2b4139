/*
 * search_space.h - gbrun search --space: searches on a recorded space, in the time that they would
 * have taken.
 */
#pragma once

#include "core/cli/verbs.h"

/* Of the verb that calls it. */
#define SEARCH_SPACE_OPTIONS                                                                       \
    {"space", 0, "FILE",                                                                           \
     "a recorded space, T4 or a cache of Kernel Tuner, also compressed (.gz): search it in "       \
     "simulated time"},                                                                            \
        {"plugin", 0, "NAME", "with --space: the search; exhaustive if not given"},                \
        {"option", 0, "KEY=VALUE",                                                                 \
         "with --space: an option of the search, such as tolerance=2%; may be repeated"},          \
        {"plugin-path", 'p', "FOLDER", "look for plugins in FOLDER first; may be repeated"},       \
        {"repeat", 0, "N", "with --space: so many searches, each of another seed; 1"},             \
        {"lanes", 0, "N", "with --space: so many cases are prepared at a time; 1"},                \
        {"run-overhead", 0, "DURATION", "with --space: of each run, beside its time; 1 ms"},       \
    {                                                                                              \
        "until-found", 0, NULL,                                                                    \
            "with --space: a search ends when its best is within the tolerance of the optimum"     \
    }

/* Return exit codes. The first refuses options that would not be looked at. */
int search_space_check(const struct arguments *arguments);
int search_space_run(const struct arguments *arguments);
