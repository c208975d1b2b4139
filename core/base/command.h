/*
 * command.h - other programs: started, listened to, waited for. Builds, git; workers as well.
 */
#pragma once

#include "core/base/error.h"
#include "core/base/text.h"

#include <sys/types.h>

/*
 * Starts a file, or the program that the shell finds by its name, with arguments until NULL.
 * files[i] becomes its descriptor i; -1: nothing is read there, or what is written goes nowhere.
 * is_apart: in a process group of its own, with signals as they are by default. Returns 0 or an
 * errno.
 */
int command_start(const char *file, const char *const *arguments, char *const *environment,
                  const int *files, int n_files, bool is_apart, pid_t *ret);

/* Kills a program that was started, and waits for its end. */
void command_kill(pid_t pid);

/* Zeros are the usual. */
struct command {
    const char *const *arguments; /* the first as the shell finds it; until NULL */
    const struct text *input;     /* what it reads; NULL: nothing */
    struct text *output;      /* what it prints is added; NULL: that goes to standard error here */
    char *const *environment; /* NULL: this process's */
    struct text *complaints;  /* what it writes to its standard error is added; NULL: it goes to
                                 that of this process */
    bool is_silent;           /* what it writes to its standard error goes nowhere */
    size_t output_most;       /* bytes; what it prints beyond them is not read. 0: all is */
    double patience_ns;       /* for what it prints: one that takes longer is killed. 0: no limit */
};

/* Runs it to its end. *ret_code: its exit code, or 128 + the number of the signal that ended it.
 * GB_FAILED: it cannot be started, or took too long. */
int32_t command_run(const struct command *command, int *ret_code, struct gb_error *error);
/* A line for the shell, in the current folder. GB_FAILED: also where its code is not 0; the message
 * begins with what. */
int32_t command_shell(const char *what, const char *line, struct gb_error *error);
