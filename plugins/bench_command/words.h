/* words.h - the words of a command. Plugin side. */
#pragma once

#include <gbrun/host.h>
#include <stddef.h>

enum { WORDS_PROBLEM_BYTES = 200 };

/* What is wrong with a text, and at which byte. */
struct words_problem {
    size_t at;
    char text[WORDS_PROBLEM_BYTES];
};

/*
 * The words of a command, as a shell splits them and without anything else that it does: blanks
 * separate them; '...' stands for itself; in "..." and outside \ takes the meaning from the next
 * character. Characters with which a shell would do something, unless they are quoted, are errors.
 * *ret ends with NULL; memory: the host's. GB_INVALID: *problem says why. GB_NO_MEMORY.
 */
int32_t words_split(const struct gb_host *host, const char *text, char ***ret,
                    struct words_problem *problem);
