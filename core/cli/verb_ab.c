/* verb_ab.c - gbrun ab: A against B until it is decided. */
#include "core/cli/ab.h"
#include "core/cli/ab_builds.h"

#include <signal.h>
#include <stdio.h>

static const struct verb_option options[] = {
    CONFIG_OPTIONS,
    {"base", 0, "KEY=VALUE",
     "what the base changes: an option, a setting, plugin or env.NAME of all benchmarks, or "
     "BENCH.KEY=VALUE of one; may be repeated"},
    {"new", 0, "KEY=VALUE", "what the new side changes, likewise"},
    {"base-build", 0, "COMMAND",
     "builds the base before: its plugins are copied aside; without it they are taken as they are"},
    {"new-build", 0, "COMMAND", "builds the new side, after the base"},
    {"margin", 0, "RATIO",
     "differences up to this are no reason to call a case slower or faster; 1% if not given"},
    {"alpha", 0, "RATIO",
     "how often a case that is the same may be called different, all cases together; 5% if not "
     "given"},
    {"max-rounds", 0, "N", "after so many rounds what is not decided is unclear; 40 if not given"},
    {"visit", 0, "TIME", "for how long a case is measured in a visit; 0.1 s if not given"},
    {"output", 'o', "FILE", "write the results to FILE instead of [gbrun] results"},
    {"resume", 'R', "FILE", "go on with the newest run in FILE, with what is stored there"},
    {"run", 0, "RUN", "with --resume: this run instead of the newest"},
    {"accept-changes", 0, NULL,
     "with --resume: go on although gbrun or a plugin is another build than before"},
    {"label", 0, "NAME=TEXT",
     "a label of the run, by which it can be found and compared; may be repeated"},
    {"note", 0, "TEXT", "a note, shown by gbrun list runs"},
    {"strict", 0, NULL, "exit code 3 also for what is unclear or skipped"},
    {"format", 'f', "FORMAT", "table, md, csv, json, junit or github"},
    {"events", 0, "FD",
     "write what happens to this descriptor, a JSON object a line: run_begin, case_begin, "
     "estimate, case_end, round_end, run_end"},
    COLOR_OPTION,
    {"quiet", 'q', NULL, "print only errors and the table"},
    {"verbose", 'v', NULL, "a line for each visit"},
};

static int refuse_useless(const struct arguments *arguments, const char *name)
{
    const char *resume = argument(arguments, "resume");
    const char *fresh = ARGUMENT_AMONG(arguments, "base", "new", "base-build", "new-build");
    if (resume && fresh)
        return fail_usage("--%s: the sides of --resume %s are in that file", fresh, resume);
    if (resume && (name || ARGUMENT_AMONG(arguments, "margin", "alpha", "max-rounds", "visit")))
        return fail_usage("--resume %s: continues as the run began: leave out NAME, --margin, "
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

static int run(const struct arguments *arguments)
{
    const struct words names = arguments->operands;
    struct ab_builds builds = {
        .commands = {argument(arguments, "base-build"), argument(arguments, "new-build")}};
    const struct ab_given given = {
        .name = names.n ? names.items[0] : NULL,
        .changes = {argument_all(arguments, "base"), argument_all(arguments, "new")},
        .builds = builds.commands[SIDE_BASE] || builds.commands[SIDE_NEW] ? &builds : NULL};
    struct ab ab = {.job = {.arguments = arguments, .ab = &given}};
    const char *format_text = argument(arguments, "format");
    int format = format_text ? compare_format_named(format_text) : COMPARE_TABLE;
    signal(SIGPIPE, SIG_IGN); /* a reader that went away must not end the measuring */
    if (names.n > 1)
        return fail_usage("'%s': expected the NAME of one [ab NAME]", names.items[1]);
    if (format < 0)
        return fail_usage("--format %s: expected table, md, csv, json, junit or github",
                          format_text);
    bool has_colours = false;
    int code = refuse_useless(arguments, given.name);
    if (code == EXIT_FINE)
        code = read_color(arguments, &has_colours);
    if (code != EXIT_FINE)
        return code;
    code = ab_run(&ab);
    bool is_kept = ab.job.counts.is_cancelled;
    if (code == EXIT_FINE)
        code = report(&ab, format, argument(arguments, "strict") != NULL, has_colours);
    code = ab_close(&ab, code);
    ab_builds_free(&builds, is_kept || code == EXIT_INTERNAL);
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
