/*
 * arguments.h - the command line of one verb, from a table.
 *
 * The table drives parsing, `gbrun help`, the manual page and the shell completion.
 */
#pragma once

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/text.h"

struct verb_option {
    const char *name;     /* "config": written --config */
    char letter;          /* 'c', or 0 */
    const char *argument; /* what follows it: "FILE", or "FILE..." where it may be given several
                             times, which is an error otherwise; NULL: nothing does */
    const char *help;     /* one sentence, no full stop */
};

struct arguments;
struct help_topic;
enum { OPTIONS_MAX = 48 }; /* of a verb */

struct verb {
    const char *name;
    const char *operands; /* for the usage line: "[FILE...]", or "" */
    const char *summary;  /* one line, no full stop */
    const char *help;     /* paragraphs */
    const struct verb_option *options;
    size_t n_options;
    int (*run)(const struct arguments *arguments); /* returns the exit code */
    const struct help_topic *columns; /* of the tables that it prints; NULL: help has them */
    size_t n_columns;
};
#define VERB_OPTIONS(table) .options = (table), .n_options = sizeof(table) / sizeof *(table)

enum {
    EXIT_FINE = 0,
    EXIT_CASE_FAILED = 1,
    EXIT_USAGE = 2,
    EXIT_NOT_AS_WANTED = 3, /* nothing failed, but it is worse or less certain than asked for */
    EXIT_INTERNAL = 4
};

/* All verbs, in the order of `gbrun help`. */
struct verb_table {
    const struct verb *const *items;
    size_t n;
};

struct arguments {
    struct verb_table verbs; /* help shows them */
    const struct verb *verb;
    struct words given[OPTIONS_MAX]; /* by option of the verb; "" for one without a value */
    struct words operands;
};

/* argv[0] is the verb. Memory: the arena's. Errors name the nearest known option. */
int32_t arguments_parse(struct verb_table verbs, const struct verb *verb, int argc, char **argv,
                        struct arena *arena, struct arguments *ret, struct gb_error *error);

/* The value given to an option, of several the last one; "" for one without a value that was given;
 * NULL: not given. */
const char *argument(const struct arguments *arguments, const char *name);
/* All values given to an option. */
struct words argument_all(const struct arguments *arguments, const char *name);
/* The first of these options that is given; NULL: none is. */
const char *argument_among(const struct arguments *arguments, const char *const *names, size_t n);
#define ARGUMENT_AMONG(arguments, ...)                                                             \
    argument_among(arguments, (const char *const[]){__VA_ARGS__},                                  \
                   sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

/* "usage: gbrun run [OPTION...] ..." and the options. style: HELP_... of option_table.h; width: of
 * plain help. */
void verb_help(const struct verb *verb, int style, size_t width, struct text *out);
