/* verb_ab.c - gbrun ab: A against B until it is decided. */
#include "core/cli/ab.h"
#include "core/cli/ab_builds.h"

#include <signal.h>
#include <stdio.h>

/* What both verbs have. */
#define RULE_OPTIONS(rounds)                                                                       \
    {"margin", 0, "RATIO",                                                                         \
     "differences up to this are no reason to call a case slower or faster; 1% if not given"},     \
        {"alpha", 0, "RATIO",                                                                      \
         "how often a case that is the same may be called different, all cases together; 5% if "   \
         "not given"},                                                                             \
        {"max-rounds", 0, "N",                                                                     \
         "after so many rounds what is not decided is unclear; " rounds " if not given"},          \
        {"visit", 0, "TIME", "for how long a case is measured in a visit; 0.1 s if not given"},    \
        {"output", 'o', "FILE", "write the results to FILE instead of [gbrun] results"},           \
        {"label", 0, "NAME=TEXT",                                                                  \
         "a label of the run, by which it can be found and compared; may be repeated"},            \
        {"note", 0, "TEXT", "a note, shown by gbrun list runs"},                                   \
        {"format", 'f', "FORMAT", "table, md, csv, json, junit or github"}, COLOR_OPTION,          \
        {"quiet", 'q', NULL, "print only errors and the table"},                                   \
    {                                                                                              \
        "verbose", 'v', NULL, "a line for each visit"                                              \
    }

static const struct verb_option options[] = {
    CONFIG_OPTIONS,
    {"base", 0, "KEY=VALUE",
     "what the base changes: an option, a setting, plugin or env.NAME of all benchmarks, or "
     "BENCH.KEY=VALUE of one; may be repeated"},
    {"new", 0, "KEY=VALUE", "what the new side changes, likewise"},
    {"base-build", 0, "COMMAND",
     "builds the base before: its plugins are copied aside; without it they are taken as they are"},
    {"new-build", 0, "COMMAND", "builds the new side, after the base"},
    {"resume", 'R', "FILE", "go on with the newest run in FILE, with what is stored there"},
    {"run", 0, "RUN", "with --resume: this run instead of the newest"},
    {"accept-changes", 0, NULL,
     "with --resume: go on although gbrun or a plugin is another build than before"},
    {"strict", 0, NULL, "exit code 3 also for what is unclear or skipped"},
    {"events", 0, "FD",
     "write what happens to this descriptor, a JSON object a line: run_begin, case_begin, "
     "estimate, case_end, round_end, run_end"},
    RULE_OPTIONS("40"),
};

enum { SETTINGS_MOST = 4 };

/* Options that are keys of [ab NAME]. */
static size_t take_settings(const struct arguments *arguments, struct setting *settings)
{
    static const struct {
        const char *option, *key, *origin;
    } all[SETTINGS_MOST] = {{"margin", "margin", "--margin"},
                            {"alpha", "alpha", "--alpha"},
                            {"max-rounds", "max_rounds", "--max-rounds"},
                            {"visit", "visit", "--visit"}};
    size_t n = 0;
    for (size_t i = 0; i < SETTINGS_MOST; i++) {
        const char *value = argument(arguments, all[i].option);
        if (value)
            settings[n++] = (struct setting){all[i].key, value, {.file = all[i].origin}};
    }
    return n;
}

static int refuse_useless(const struct arguments *arguments, const char *name, size_t n_settings)
{
    static const char *const fresh[] = {"base", "new", "base-build", "new-build"};
    const char *resume = argument(arguments, "resume");
    if (!resume)
        return EXIT_FINE;
    for (size_t i = 0; i < sizeof fresh / sizeof *fresh; i++)
        if (argument(arguments, fresh[i]))
            return fail_usage("--%s: the sides of --resume %s are in that file", fresh[i], resume);
    if (name || n_settings > 0)
        return fail_usage("--resume %s: goes on as the run began: leave out NAME, --margin, "
                          "--alpha, --max-rounds and --visit",
                          resume);
    return EXIT_FINE;
}

/* The table, and how it ends. */
static int report(const struct ab *ab, int format, bool is_strict, bool has_colours)
{
    CLEANUP(text_free) struct text text = {0};
    int code = EXIT_CASE_FAILED;
    if (ab->judged) {
        const struct compare_result *result = compare_result(ab->judged);
        compare_write(result, format, is_strict, output_width(0), has_colours, &text);
        fputs(text_get(&text), stdout);
        code = compare_exit_code(result, is_strict);
    }
    if (!ab->job.counts.is_cancelled)
        return code;
    say("gbrun: stopped before all was decided; to go on: gbrun ab --resume %s",
        ab->job.store_path);
    return EXIT_CASE_FAILED;
}

/* Measures both sides, and says what was found. */
static int measure(struct ab *ab, int format, bool is_strict)
{
    bool has_colours = false;
    int code = read_color(ab->job.arguments, &has_colours);
    signal(SIGPIPE, SIG_IGN); /* a reader that went away must not end the measuring */
    if (code == EXIT_FINE)
        code = ab_run(ab);
    if (code == EXIT_FINE)
        code = report(ab, format, is_strict, has_colours);
    return ab_close(ab, code);
}

static int read_compare_format(const struct arguments *arguments, int *ret)
{
    const char *text = argument(arguments, "format");
    *ret = text ? compare_format_named(text) : COMPARE_TABLE;
    return *ret >= 0
               ? EXIT_FINE
               : fail_usage("--format %s: expected table, md, csv, json, junit or github", text);
}

static int run(const struct arguments *arguments)
{
    struct setting settings[SETTINGS_MOST];
    struct ab_builds builds = {
        .commands = {argument(arguments, "base-build"), argument(arguments, "new-build")}};
    struct ab_given given = {.settings = settings};
    struct ab ab = {.job = {.arguments = arguments, .ab = &given},
                    .resume = argument(arguments, "resume")};
    const char *const *operands;
    size_t n_operands = argument_operands(arguments, &operands);
    int format;
    if (n_operands > 1)
        return fail_usage("'%s': expected the NAME of one [ab NAME]", operands[1]);
    given.name = n_operands ? operands[0] : NULL;
    given.n_settings = take_settings(arguments, settings);
    for (int side = 0; side < SIDES; side++)
        given.n_changes[side] = argument_all(arguments, side_words[side], &given.changes[side]);
    int code = read_compare_format(arguments, &format);
    if (code == EXIT_FINE)
        code = refuse_useless(arguments, given.name, given.n_settings);
    if (code != EXIT_FINE)
        return code;
    if (builds.commands[SIDE_BASE] || builds.commands[SIDE_NEW]) {
        given.build = ab_builds_make;
        given.context = &builds;
    }
    code = measure(&ab, format, argument(arguments, "strict") != NULL);
    ab_builds_free(&builds, ab.job.counts.is_cancelled || code == EXIT_INTERNAL);
    return code;
}

const struct verb verb_ab = {
    .name = "ab",
    .operands = "[NAME]",
    .summary = "Compare two sides round by round until each case is decided",
    .help =
        "Measures each case of a configuration on two sides that differ in what --base and --new "
        "change: an option, the plugin, the device, an environment variable; or in what [ab NAME] "
        "of the configuration says. Each round visits both sides of all cases, a side first in "
        "turn. After each round the cases are judged; one whose verdict is certain has no "
        "further rounds, what is not decided after --max-rounds is unclear. The results are a "
        "run of an ordinary results file; `gbrun compare FILE --by side --base base` says "
        "again what was found.\n\n"
        "Verdicts and exit codes are those of gbrun compare. --base-build and --new-build run a "
        "shell command in the current folder before; the files that `plugin` and `library` name "
        "by a path are copied aside after each, so that both builds can be measured.",
    VERB_OPTIONS(options),
    .run = run,
};

static const struct verb_option judge_options[] = {CONFIG_OPTIONS, RULE_OPTIONS("4")};

static int run_judge(const struct arguments *arguments)
{
    static const char *const changes[SIDES][2] = {
        [SIDE_BASE] = {"subject=reference", "verify=judge"},
        [SIDE_NEW] = {"subject=function", "verify=judge"}};
    struct setting settings[SETTINGS_MOST];
    struct ab_given given = {.settings = settings,
                             .is_without_section = true,
                             .changes = {changes[SIDE_BASE], changes[SIDE_NEW]},
                             .n_changes = {2, 2}};
    struct ab ab = {.job = {.arguments = arguments, .ab = &given}};
    int format;
    given.n_settings = take_settings(arguments, settings);
    if (!argument(arguments, "max-rounds"))
        settings[given.n_settings++] = (struct setting){"max_rounds", "4", {0}};
    const int code = read_compare_format(arguments, &format);
    return code == EXIT_FINE ? measure(&ab, format, false) : code;
}

const struct verb verb_judge = {
    .name = "judge",
    .operands = "",
    .summary = "Judge code that is not trusted, beside its reference",
    .help = "Measures each case of a configuration on two sides as gbrun ab does: the base is the "
            "reference, the new side what is judged. The code of each runs in a process that can "
            "reach nothing of gbrun, on new inputs and poisoned outputs at each call; times are "
            "taken, and outputs compared, outside of it (verify = judge). docs/judge.md says what "
            "that guards against, and what not.\n\n"
            "Verdicts and exit codes are those of gbrun compare; a wrong result is broken.",
    VERB_OPTIONS(judge_options),
    .run = run_judge,
};
