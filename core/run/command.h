/*
 * command.h - other programs that are run and waited for: builds, git.
 */
#pragma once

#include "core/base/error.h"
#include "core/base/text.h"

/*
 * Runs arguments[0] as the shell finds it, until NULL, with nothing to read. output: what it prints
 * is added to it; NULL: that goes to this process's standard error. *ret_code: its exit code, or
 * 128 + the number of the signal that ended it. GB_FAILED: it cannot be started.
 */
int32_t command_run(const char *const *arguments, struct text *output, int *ret_code,
                    struct gb_error *error);
/* A line for the shell, in the current folder. GB_FAILED: also where its code is not 0; the message
 * begins with what. */
int32_t command_shell(const char *what, const char *line, struct gb_error *error);
