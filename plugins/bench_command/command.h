/* command.h - what the files of the benchmark `command` share. Plugin side. */
#pragma once

#include "plugins/common/process.h"

#include <gbrun/gbrun.h>
#include <stddef.h>

struct params {
    const char *argv;
    const char *name;
    const char *folder;
    const char *input;
    const char *output;
    const char *errors;
    int64_t exit_code;
    int32_t ignore_failure;
    const char *expect_output;
    const char *expect_file;
    const char *setup;
    const char *prepare;
    const char *conclude;
    const char *cleanup;
    int32_t disk_cache; /* DISK_... */
    struct gb_list files;
};
enum { DISK_AS_IS, DISK_WARM, DISK_COLD, DISK_DROPPED };

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

/* The state of the disk's cache before a sample, as `disk_cache` and `files` say. Fails the case.
 * First for what can be said before anything runs. */
int32_t disk_cache_check(const struct gb_host *host, const struct params *params);
int32_t disk_cache_set(const struct gb_host *host, const struct params *params);

/* What a program has to print. */
struct expected {
    bool is_given;
    const char *text;
    size_t n;
    bool is_file; /* to the byte; else one newline at the end may be missing in it */
};
int32_t expected_read(const struct gb_host *host, const struct params *params,
                      struct expected *ret);
/* Runs the program once more and compares; ends what prints more than is expected. streams: of its
 * other samples. */
int32_t expected_check(const struct gb_host *host, const struct expected *expected,
                       const struct program *program, const int streams[3]);
