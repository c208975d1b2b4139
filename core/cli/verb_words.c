/* verb_words.c - gbrun call, gbrun command: a configuration of one section, made from the words of
 * the command line, and run. */
#include "core/cli/run_job.h"
#include "core/config/value.h"
#include "core/view/views.h"

#include <ctype.h>
#include <signal.h>
#include <string.h>

/* ---- a section from words ---- */

struct made {
    struct arena arena;
    struct ini ini;
    struct ini_section section;
};

/* `where`: what the word is called in messages; NULL: it is not the user's. */
static void put(struct made *made, const char *key, const char *value, const char *where)
{
    struct origin origin = {
        .file = where ? where : made->ini.path, .line = where ? 1 : 0, .column = where ? 1 : 0};
    ini_put(&made->section,
            &(struct ini_entry){.key = arena_text(&made->arena, key),
                                .value = arena_text(&made->arena, value),
                                .origin = origin,
                                .value_origin = origin},
            &made->arena);
}

static const char *operand_name(struct made *made, size_t i)
{
    return arena_printf(&made->arena, "argument %zu", i + 1);
}

/* NAME=VALUES becomes sweep.NAME. */
static int put_sweeps(struct made *made, const struct arguments *arguments)
{
    const struct words given = argument_all(arguments, "sweep");
    for (size_t i = 0; i < given.n; i++) {
        const char *word = given.items[i], *equals = strchr(word, '=');
        if (!equals || equals == word)
            return fail_usage("--sweep %s: expected NAME=VALUES, such as n=1,10,100", word);
        put(made, arena_printf(&made->arena, "sweep.%.*s", (int)(equals - word), word), equals + 1,
            arena_printf(&made->arena, "--sweep %s", word));
    }
    return EXIT_FINE;
}

static void begin(struct made *made, const char *plugin, const char *name)
{
    made->ini.path = arena_printf(&made->arena, "gbrun %s", plugin);
    made->section = (struct ini_section){
        .kind = "bench", .name = name, .origin = {.file = made->ini.path}};
    put(made, "plugin", plugin, NULL);
}

static int run_made(struct made *made, const struct arguments *arguments, const char *relative_to)
{
    struct run_job job = {.arguments = arguments, .run_number = RUN_NEWEST, .made = &made->ini};
    int format, code = read_format(arguments, FORMAT_TABLE, &format);
    if (code == EXIT_FINE)
        code = read_color(arguments, &job.has_colours);
    signal(SIGPIPE, SIG_IGN); /* a reader that went away must not end the measuring */
    if (code == EXIT_FINE)
        code = put_sweeps(made, arguments);
    if (code != EXIT_FINE)
        return code;
    made->ini.n = 1;
    made->ini.sections = &made->section;
    return run_job_finish(&job, run_job_open(&job), format, relative_to);
}

/* What both have, beside letters. */
#define MADE_OPTIONS                                                                               \
    SETTING_OPTIONS,                                                                               \
        {"sweep", 0, "NAME=VALUES...",                                                             \
         "an axis, such as n=1,10,100: {n} in words stands for its value; may be "                 \
         "repeated"},                                                                              \
        {"output", 'o', "FILE", "keep the results in FILE"},                                       \
        {"label", 0, "NAME=TEXT...",                                                               \
         "a label of the run, by which it can be found and compared; may be repeated"},            \
        {"note", 0, "TEXT", "a note, shown by gbrun list runs"},                                   \
        {"format", 'f', "FORMAT",                                                                  \
         "format of the table at the end: table, csv, json, jsonl or md"},                         \
        COLOR_OPTION, {"quiet", 'q', NULL, "print only errors and the table"},                     \
        {"strict", 0, NULL, "exit code 3 also if a case was skipped or is not certified"},         \
    {                                                                                              \
        "verbose", 'v', NULL, "more columns, all messages"                                         \
    }

/* ---- gbrun call ---- */

static const struct verb_option call_options[] = {
    {"set", 's', "SECTION.KEY=VALUE...",
     "another key of the section, such as '*.expect=3'; may be repeated"},
    {"plugin-path", 'p', "FOLDER...", "look for plugins in FOLDER first; may be repeated"},
    MADE_OPTIONS,
};

/* What stands before the first parenthesis: the last word of it, or "call". */
static const char *function_of(const char *prototype, struct arena *arena)
{
    const char *end = prototype + strcspn(prototype, "(");
    while (end > prototype && isspace((unsigned char)end[-1]))
        end--;
    const char *begin = end;
    while (begin > prototype && (isalnum((unsigned char)begin[-1]) || begin[-1] == '_'))
        begin--;
    return begin < end && begin > prototype ? arena_text_n(arena, begin, (size_t)(end - begin))
                                            : "call";
}

static int run_call(const struct arguments *arguments)
{
    enum { LIBRARY, PROTOTYPE, FIRST };
    struct made made = {0};
    const struct words words = arguments->operands;
    if (words.n < FIRST)
        return fail_usage("call: expected a library and a prototype, such as gbrun call libm.so.6 "
                          "'double sin(double)' 1.5");
    begin(&made, "call", function_of(words.items[PROTOTYPE], &made.arena));
    put(&made, "library", words.items[LIBRARY], operand_name(&made, LIBRARY));
    put(&made, "signature", words.items[PROTOTYPE], operand_name(&made, PROTOTYPE));
    for (size_t i = FIRST; i < words.n; i++)
        put(&made, arena_printf(&made.arena, "arg.%zu", i - FIRST + 1), words.items[i],
            operand_name(&made, i));
    const int code = run_made(&made, arguments, NULL);
    arena_free(&made.arena);
    return code;
}

const struct verb verb_call = {
    .name = "call",
    .operands = "LIBRARY PROTOTYPE [ARGUMENT...]",
    .summary = "Measure a function of a shared library",
    .help =
        "Without a configuration: gbrun call libm.so.6 'double sin(double)' 1.5. PROTOTYPE is "
        "the function's declaration in C, or only the types of its result and parameters. "
        "Arguments are numbers, texts in double quotes, 'buffer(1Ki, fill=0x41, zero_end)' and "
        "whatever else gbrun.ini(5) has for arg.N of the plugin call; its other options, which "
        "`gbrun help plugin call` lists, are set by --set. Options come before LIBRARY or after "
        "--, since an argument may begin with a minus sign. Results are kept only with --output.",
    VERB_OPTIONS(call_options),
    .run = run_call,
};

/* ---- gbrun command ---- */

static const struct verb_option command_options[] = {
    {"name", 'n', "NAME...", "name of a command in the table; once for each command"},
    {"warmup", 'w', "TIME", "time of untimed runs before the first sample, such as 1s"},
    {"runs", 'r', "N", "number of runs of each command in each round"},
    {"min-runs", 'm', "N",
     "at least this many runs in each round, unless --max-time ends it first"},
    {"max-runs", 'M', "N", "at most this many runs in each round"},
    {"setup", 's', "COMMAND", "run once before each command, untimed"},
    {"prepare", 'p', "COMMAND", "run before each run, untimed"},
    {"conclude", 'C', "COMMAND", "run after each run, untimed"},
    {"cleanup", 'c', "COMMAND", "run once after each command, untimed"},
    {"ignore-failure", 'i', NULL,
     "an exit code other than 0, or a signal, does not count as a failure"},
    {"exit-codes", 0, "LIST",
     "the exit codes that do not count as a failure, such as 0,3; 0 if not given"},
    {"input", 0, "FILE", "its standard input"},
    {"stdout", 0, "FILE", "where its standard output goes; it is discarded if not given"},
    {"expect", 0, "TEXT", "the output that it must print"},
    {"figure", 0, "WHERE",
     "a number in what it prints, in the group of a regular expression such as 'took ([0-9.]+)', "
     "or at a path in JSON, $.times[0].mean"},
    {"figure-unit", 0, "UNIT", "its unit; of ns, us, ms and s it is the time of the command"},
    {"folder", 0, "FOLDER", "its working directory"},
    {"timeout", 0, "TIME", "a command that has not ended by then is killed; 10 min if not given"},
    {"set", 0, "SECTION.KEY=VALUE...",
     "another key of the section, such as '*.disk_cache=dropped'; may be repeated"},
    {"plugin-path", 0, "FOLDER...", "look for plugins in FOLDER first; may be repeated"},
    MADE_OPTIONS,
};

/* Options of the verb that are keys of the section. */
static const struct {
    const char *option, *key;
    const char *value; /* NULL: that which is given */
} command_keys[] = {
    {"warmup", "warmup", NULL},         {"runs", "min_samples", NULL},
    {"runs", "max_samples", NULL},      {"min-runs", "min_samples", NULL},
    {"max-runs", "max_samples", NULL},  {"setup", "setup", NULL},
    {"prepare", "prepare", NULL},       {"conclude", "conclude", NULL},
    {"cleanup", "cleanup", NULL},       {"ignore-failure", "ignore_failure", "yes"},
    {"exit-codes", "exit_codes", NULL}, {"input", "input", NULL},
    {"stdout", "output", NULL},         {"expect", "expect_output", NULL},
    {"folder", "folder", NULL},         {"timeout", "time_limit", NULL},
    {"figure", "figure", NULL},         {"figure-unit", "figure_unit", NULL},
};

/* Three seconds for each, as users of hyperfine know it. */
static void put_defaults(struct made *made, const struct arguments *arguments, size_t n_commands)
{
    const bool is_once = ARGUMENT_AMONG(arguments, "runs", "min-runs", "max-runs", "setup");
    put(made, "device", "cpu", NULL);
    put(made, "time_limit", "10 min", NULL);
    put(made, "rounds", n_commands > 1 ? "3" : is_once ? "1" : "auto", NULL);
    put(made, "max_time", n_commands > 1 ? "1 s" : "3 s", NULL);
}

/* For a row of a zip, whose values have commas between them and rows |. */
static const char *quote_in_row(const char *text, struct arena *arena)
{
    return text_quote(text, strchr(text, ',') ? ',' : '|', arena);
}

/* One command is a key, several are an axis, with names a zip of both. Returns what the table is
 * relative to; NULL: nothing. */
static const char *put_commands(struct made *made, struct words commands, struct words names)
{
    CLEANUP(text_free) struct text list = {0};
    struct arena *arena = &made->arena;
    if (commands.n == 1 && !names.n) {
        put(made, "argv", commands.items[0], operand_name(made, 0));
        return NULL;
    }
    for (size_t i = 0; i < commands.n; i++)
        if (names.n)
            text_printf(&list, "%s %s, %s",
                        i ? " |" : "name, argv:", quote_in_row(names.items[i], arena),
                        quote_in_row(commands.items[i], arena));
        else
            text_printf(&list, "%s%s", i ? ", " : "", text_quote(commands.items[i], ',', arena));
    put(made, names.n ? "zip.command" : "sweep.argv", text_get(&list), "commands");
    return commands.n == 1 ? NULL
           : names.n       ? arena_printf(arena, "name=%s", names.items[0])
                           : arena_printf(arena, "argv=%s", commands.items[0]);
}

/* 0 would be as many as usual. */
static int check_runs(const struct arguments *arguments)
{
    static const struct gb_option runs = {.size = sizeof runs,
                                          .type = GB_TYPE_INT,
                                          .name = "runs",
                                          .default_value = "1",
                                          .range = "1:1000000000"};
    static const char *const names[] = {"runs", "min-runs", "max-runs"};
    struct value value;
    int code = EXIT_FINE;
    for (size_t i = 0; i < sizeof names / sizeof *names && code == EXIT_FINE; i++)
        code = read_number(arguments, names[i], &runs, &value);
    return code;
}

static int run_command(const struct arguments *arguments)
{
    struct made made = {0};
    const struct words commands = arguments->operands, names = argument_all(arguments, "name");
    if (commands.n == 0)
        return fail_usage("command: expected a program with its arguments, such as gbrun command "
                          "'sort --parallel=1 words' 'sort --parallel=2 words'");
    if (names.n != 0 && names.n != commands.n)
        return fail_usage("--name: %zu for %zu commands: expected one for each", names.n,
                          commands.n);
    if (check_runs(arguments) != EXIT_FINE)
        return EXIT_USAGE;
    begin(&made, "command", "command");
    put_defaults(&made, arguments, commands.n);
    for (size_t i = 0; i < sizeof command_keys / sizeof *command_keys; i++) {
        const char *option = command_keys[i].option, *given = argument(arguments, option);
        if (given)
            put(&made, command_keys[i].key, command_keys[i].value ? command_keys[i].value : given,
                arena_printf(&made.arena, "--%s", option));
    }
    const char *unit = argument(arguments, "figure-unit");
    if (unit && strlen(unit) <= 2 && strstr("ns us ms s", unit))
        put(&made, "measure", "figure", "--figure-unit");
    const char *relative_to = put_commands(&made, commands, names);
    const int code = run_made(&made, arguments, relative_to);
    arena_free(&made.arena);
    return code;
}

const struct verb verb_command = {
    .name = "command",
    .operands = "COMMAND...",
    .summary = "Measure whole programs, and compare them",
    .help = "Without a configuration: gbrun command 'sort words' 'sort --parallel=1 words'. Each "
            "COMMAND is a program with its arguments as one word, without a shell: quotes and \\ "
            "as in one, for pipes and the like sh -c '...'. Several are measured in turn, in three "
            "rounds, and the table has the time of each as a multiple of the first one's, with its "
            "interval. docs/command.md has what each option of hyperfine is here. What `gbrun help "
            "plugin command` lists, and keys of every benchmark, are set by --set. Results are "
            "kept only with --output.",
    VERB_OPTIONS(command_options),
    .run = run_command,
};
