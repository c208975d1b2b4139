/*
 * verbs.h - what the verbs have in common: configurations, messages, the list of verbs.
 */
#pragma once

#include "core/cli/arguments.h"
#include "core/config/sides.h"
#include "core/run/probe.h"

extern const struct verb verb_run, verb_list, verb_check, verb_help_on, verb_show, verb_export,
    verb_merge, verb_compare, verb_ab, verb_judge, verb_call, verb_command, verb_log, verb_bisect,
    verb_report, verb_replay, verb_search, verb_new, verb_doctor;

/* A line on standard error, plain whatever the names in it hold: of files, or from the command
 * line. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* From now on such lines are added to a text instead; NULL: they are not. */
void say_into(struct text *text);
/* "FILE:LINE:COLUMN: error: TEXT" */
void say_error(const struct gb_error *error);
void say_errors(const struct error_list *errors);
/* Says it and gives the code back. */
int fail_with(const struct gb_error *error, int code);
/* The same for an error in the command line. */
int fail_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Columns of standard output: COLUMNS, else the terminal's, else `unknown`. */
size_t output_width(size_t unknown);
/* Is standard output to have colours? By --color, of verbs that have COLOR_OPTION. */
int read_color(const struct arguments *arguments, bool *ret);
#define COLOR_OPTION                                                                               \
    {                                                                                              \
        "color", 0, "WHEN",                                                                        \
            "auto: colours on a terminal, as NO_COLOR, CLICOLOR and CLICOLOR_FORCE say; always "   \
            "or never"                                                                             \
    }

/* What --format names, or the default; FORMAT_... of views.h. */
int read_format(const struct arguments *arguments, int default_format, int *ret);
/* A table for people or an export, on standard output. */
struct store;
struct view_options;
int32_t print_view(struct store *store, const struct view_options *view, struct gb_error *error);
/* --strict: the exit code, and how many cases failed, were skipped or are not certified. */
struct view_counts;
int code_if_strict(const struct view_counts *counts);
void say_if_strict(const struct view_counts *counts);
/* The run of an open file that --run names, or RUN_ALL; RUN_NEWEST where it is not given. */
int read_run(const struct arguments *arguments, struct store *store, const char *path,
             int64_t *ret);
/* Opens a results file for writing, once another gbrun has ended that writes to it: then it says
 * so.
 */
int32_t open_to_write(const char *path, struct store **ret, struct gb_error *error);
/* Opens a results file for reading, and finds that run; *ret is NULL unless it returns EXIT_FINE.
 */
int open_results(const struct arguments *arguments, const char *path, struct store **ret,
                 int64_t *ret_run);
/* An option as the value of a table's entry; what is not given is the entry's default. Adds its
 * error. */
struct gb_option;
struct value;
int32_t read_option(const struct arguments *arguments, const char *name,
                    const struct gb_option *option, struct arena *arena, struct value *ret,
                    struct error_list *errors);
/* The same of a verb that has one such option: says its error. */
int read_number(const struct arguments *arguments, const char *name, const struct gb_option *option,
                struct value *ret);
/* --margin and --alpha; NaN: not given. */
struct compare_options;
int read_rule(const struct arguments *arguments, struct compare_options *ret);
/* Prints a run of an open file beside another one, both by their numbers, newest or NAME=VALUE.
 * format: as compare_format_named gives it. Returns the exit code. */
int compare_stored(struct store *store, const char *path, const char *base, const char *new,
                   int format, bool is_strict, bool has_colours);
/* All runs of these files as a fleet, by what an option names; the caller's to free in any event.
 */
struct fleet;
int32_t read_fleet(const struct compare_options *rule, const char *option, const char *by,
                   struct words files, struct fleet **ret, struct gb_error *error);
/* The files named, or results.gbr. */
struct words results_files(const struct arguments *arguments);

/* The options of verbs that read a configuration, for their tables. */
#define CONFIG_OPTIONS                                                                             \
    {"config", 'c', "FILE...",                                                                     \
     "read the configuration from FILE, or from standard input if it is -; may be repeated: keys " \
     "of later files override those of earlier ones, and paths are relative to the first"},        \
        {"set", 's', "SECTION.KEY=VALUE...",                                                       \
         "override a key of the configuration; SECTION may be a pattern, such as '*.max_time=1 "   \
         "s'; may be repeated"},                                                                   \
    {                                                                                              \
        "plugin-path", 'p', "FOLDER...", "look for plugins in FOLDER first; may be repeated"       \
    }

/* What `gbrun ab` asks for beside the configuration; --margin, --alpha, --max-rounds and --visit
 * take the place of the section's keys. */
struct ab_given {
    const char *name;                        /* of [ab NAME]; NULL: the only one */
    bool is_without_section;                 /* whatever there is */
    bool shares_processes;                   /* visits have no fresh process each */
    struct words changes[SIDES];             /* KEY=VALUE, in place of those of the section */
    const char *margin, *max_rounds, *visit; /* in place of the options; NULL: as those say */
    const char *const *texts; /* of the files of --config, in order; NULL: they are read */
    struct ab_builds *builds; /* makes the plugins of the sides (ab_builds.h); NULL */
};

/* Where a configuration comes from, beside --config, --set and the other options. */
struct configuration_source {
    size_t first_operand;      /* operands from there on are benchmarks, names or patterns, or
                                  configurations, if they end with .ini; SIZE_MAX: none is. Only
                                  where the following are NULL */
    const struct ab_given *ab; /* with the sections of both sides */
    const struct ini *made; /* sections made from words of the command line, in place of files; of
                               an error in such a word (the value of an entry whose origin has a
                               line) the place is shown */
    const char *text; /* what a results file has of a configuration: the sections of sides are in it
                         already */
    const char *path, *folder; /* of the text */
};

/* Those of verbs that take benchmarks as operands. */
#define SELECT_OPTIONS                                                                             \
    {"where", 'w', "SQL",                                                                          \
     "only cases for which the expression is true, such as \"rows > 64 and device = 'cpu'\""},     \
    {                                                                                              \
        "sample", 0, "N", "only N cases, drawn at random with the seed of the run"                 \
    }
/* Those of verbs that deal cases to tasks. */
#define SHARD_OPTIONS                                                                              \
    {"shard", 0, "I/N",                                                                            \
     "only shard I of N of the cases; auto: I and N from the scheduler's environment, auto/N: "    \
     "only I; each: all cases, in every task"},                                                    \
    {                                                                                              \
        "costs", 0, "FILE", "with --shard: balance the shards by the times of the cases in FILE"   \
    }

/* Settings of all benchmarks, for those of them that measure. */
#define SETTING_OPTIONS                                                                            \
    {"policy", 0, "NAME", "the stopping policy of all benchmarks"},                                \
        {"precision", 0, "RATIO", "precision of all policies in use that have it, such as 0.5%"},  \
        {"max-time", 0, "TIME", "max_time of all benchmarks, such as 0.3s"},                       \
        {"rounds", 0, "N", "rounds of all benchmarks"},                                            \
        {"device", 0, "DEVICE", "the device of all benchmarks, such as cuda:1"},                   \
        {"search", 0, "NAME", "the search of all benchmarks: a [search NAME] or a plugin's id"},   \
        {"gpus-per-case", 0, "N",                                                                  \
         "GPUs visible to each case; tasks of a job on one node share the groups"},                \
    {                                                                                              \
        "jobs", 0, "N", "workers that measure at the same time, each on a device of its own"       \
    }

/* A configuration, read, checked and expanded. */
struct configuration {
    struct arena arena;
    const char *path;
    const char *folder; /* that relative paths in it start from */
    struct ini ini;
    struct settings *settings;
    struct words folders;
    struct catalogue catalogue;
    struct sweep *sweep; /* of its shard, if it has one */
    const char *plan;    /* hash of what all shards measure */
    struct configuration_source source;
    struct ab_params ab; /* if the source has that */
};

/* Reads, checks and expands a configuration; says all errors. Returns an exit code; *ret must be
 * freed in any case. */
int configuration_read(const struct arguments *arguments, struct configuration_source source,
                       struct configuration *ret);
/* The same for a verb that says the errors itself, and frees them. */
int configuration_read_quietly(const struct arguments *arguments,
                               struct configuration_source source, struct configuration *ret,
                               struct error_list *errors);
/* Is it the name of a configuration? */
bool is_configuration(const char *operand);
/* An option or operand that chooses or sets something in the configuration, but for the option
 * `allowed`; NULL: there is none. */
const char *configuration_argument(const struct arguments *arguments, const char *allowed);
/* The folder that a file is in, as a full path; of "-", the current one. */
const char *folder_of(const char *path, struct arena *arena);
void configuration_free(struct configuration *configuration);

/* Every module in the folders that --plugin-path and the environment name. */
int catalogue_read(const struct arguments *arguments, struct arena *arena, struct catalogue *ret);

/* The devices that a verb is about: of the configuration if the arguments name one, else of every
 * device plugin with its defaults. *ret_n_auto as settings_devices gives it. Returns an exit code;
 * the configuration must be freed in any case. */
int device_settings_read(const struct arguments *arguments, struct configuration *configuration,
                         const struct plugin_settings **ret, size_t *ret_n, size_t *ret_n_auto);
