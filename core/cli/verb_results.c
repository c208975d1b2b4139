/* verb_results.c - gbrun show and export: what is done with a results file. */
#include "core/base/output_file.h"
#include "core/cli/verbs.h"
#include "core/store/store_read.h"
#include "core/view/exchange.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VIEW_OPTIONS                                                                               \
    {"run", 'r', "RUN|all",                                                                        \
     "the run to show: its number, from 1 by start, newest, previous, or NAME=VALUE of a label "   \
     "or fact; or all; the newest if not given"},                                                  \
        {"where", 'w', "EXPR", "only cases for which the SQL expression is true"},                 \
        {"pivot", 0, "NAME", "one column for each value of parameter NAME"},                       \
        {"group-by", 0, "LIST",                                                                    \
         "one row for each group of cases with equal values of these columns; --columns are then " \
         "count, pass_rate, avg(COLUMN), max(), min() or median()"},                               \
        {"transpose", 0, NULL,                                                                     \
         "with --group-by: one column for each group, one row for each of --columns; with "        \
         "--pivot: rows and columns change places"},                                               \
        {"columns", 0, "LIST",                                                                     \
         "the columns to show, separated by commas; `gbrun help columns` lists them; also SQL "    \
         "expressions of them: `gflops / 33.7 as share`"},                                         \
        {"relative-to", 0, "BASE",                                                                 \
         "columns with the ratio of each case's time to that of BASE, and its interval: a value "  \
         "of an option, NAME=VALUE, or a run as for --run"},                                       \
        {"roofs", 0, "FILE",                                                                       \
         "a results file with cases of the benchmark ceilings: the roofs of the device that "      \
         "cases are compared with; if not given, those of the file shown, then those that are "    \
         "configured, then the user's"},                                                           \
        {"limit", 'n', "N", "at most N cases, each with its rounds; 0: all"},                      \
        {"offset", 0, "N", "leave out the first N cases"},                                         \
    {                                                                                              \
        "sort", 0, "LIST",                                                                         \
            "sort by columns or expressions of them, separated by commas; - before one: "          \
            "descending"                                                                           \
    }

static const struct verb_option show_options[] = {
    VIEW_OPTIONS,
    {"format", 'f', "FORMAT", "table, csv, json, jsonl or md"},
    {"notes", 0, NULL,
     "all notes on failures, noise and doubts, not only the three that matter most"},
    {"breakdown", 0, NULL, "after the table each kernel, copy and fill of a case, with its time"},
    {"strict", 0, NULL,
     "exit code 3 where a case that is shown failed, was skipped or is not certified"},
    COLOR_OPTION,
    {"verbose", 'v', NULL, "more columns, all facts and messages"},
};

static const struct verb_option export_options[] = {
    VIEW_OPTIONS,
    {"format", 'f', "FORMAT",
     "csv, json, jsonl or md; csv if not given; or that of another tool: google, nvbench, "
     "hyperfine, pyperf, jmh, t4, github, bmf, junit, openmetrics, trace (gbrun help formats)"},
    {"rows", 0, "case|sample|combined",
     "one row for each round of a case, for each sample, or for each case, its rounds combined"},
    {"output", 'o', "FILE", "write to FILE instead of standard output"},
};

int read_format(const struct arguments *arguments, int default_format, int *ret)
{
    const char *format = argument(arguments, "format");
    *ret = format ? format_named(format) : default_format;
    return *ret >= 0 ? EXIT_FINE
                     : fail_usage("--format %s: expected table, csv, json, jsonl or md", format);
}

/* Does --run take `all`, by the verb's table? */
static bool may_be_all(const struct verb *verb)
{
    const struct verb_option *run = ITEM_NAMED(verb->options, verb->n_options, name, "run");
    return run && text_ends_with(run->argument, "|all");
}

int read_run(const struct arguments *arguments, struct store *store, const char *path, int64_t *ret)
{
    const char *run = argument(arguments, "run");
    struct gb_error error;
    *ret = run && text_equal(run, "all") ? RUN_ALL : RUN_NEWEST;
    if (!run || *ret == RUN_ALL || store_run_named(store, path, run, ret, &error) == GB_OK)
        return EXIT_FINE;
    if (error.status == GB_INVALID && may_be_all(arguments->verb))
        error_append(&error, ", or all");
    return fail_with(&error, EXIT_USAGE);
}

int32_t open_to_write(const char *path, struct store **ret, struct gb_error *error)
{
    if (store_has_writer(path))
        say("gbrun: %s: waiting for another gbrun that is writing to it", path);
    return store_open(path, STORE_WRITE, ret, error);
}

int open_results(const struct arguments *arguments, const char *path, struct store **ret,
                 int64_t *ret_run)
{
    struct gb_error error;
    if (store_open(path, STORE_READ, ret, &error) != GB_OK)
        return fail_with(&error, EXIT_USAGE);
    int code = read_run(arguments, *ret, path, ret_run);
    if (code != EXIT_FINE) {
        store_close(*ret, NULL);
        *ret = NULL;
    }
    return code;
}

struct words results_files(const struct arguments *arguments)
{
    static const char *default_files[] = {"results.gbr"};
    return arguments->operands.n ? arguments->operands : (struct words){default_files, 1};
}

int32_t print_view(struct store *store, const struct view_options *view, struct gb_error *error)
{
    CLEANUP(text_free) struct text text = {0};
    if (view->format != FORMAT_TABLE && view->format != FORMAT_MARKDOWN)
        return view_export(store, view, stdout, error);
    struct view_options options = *view;
    options.width = output_width(0);
    int32_t status = view_show(store, &options, &text, error);
    fputs(text_get(&text), stdout);
    fflush(stdout); /* before messages about it */
    return status;
}

int code_if_strict(const struct view_counts *counts)
{
    bool is_fine = counts->n > 0 && counts->n_bad + counts->n_skipped + counts->n_uncertified == 0;
    return is_fine ? EXIT_FINE : EXIT_NOT_AS_WANTED;
}

void say_if_strict(const struct view_counts *counts)
{
    if (code_if_strict(counts) == EXIT_FINE)
        return;
    say("gbrun: --strict: %llu failed, %llu skipped, %llu not certified, of %llu visits",
        (unsigned long long)counts->n_bad, (unsigned long long)counts->n_skipped,
        (unsigned long long)counts->n_uncertified, (unsigned long long)counts->n);
}

/* Cases; unchanged where the option is not given. */
static int read_count(const struct arguments *arguments, const char *name, uint64_t *ret)
{
    const struct gb_option count = {
        .size = sizeof count, .type = GB_TYPE_INT, .name = name, .range = "0:1e15"};
    struct value value = {.integer = (int64_t)*ret};
    const int code = argument(arguments, name) ? read_number(arguments, name, &count, &value)
                                               : EXIT_FINE;
    *ret = (uint64_t)value.integer;
    return code;
}

/* Groups are of all cases. */
static int read_page(const struct arguments *arguments, struct view_options *ret)
{
    const bool is_for_cases = !ret->group_by && !ret->pivot;
    if (!is_for_cases && (argument(arguments, "limit") || argument(arguments, "offset")))
        return fail_usage("--limit and --offset are not for --group-by or --pivot");
    if (!is_for_cases)
        ret->limit = 0;
    int code = read_count(arguments, "limit", &ret->limit);
    return code == EXIT_FINE ? read_count(arguments, "offset", &ret->offset) : code;
}

/* most: cases, unless --limit says otherwise; 0: all */
static int read_view(const struct arguments *arguments, uint64_t most, struct view_options *ret)
{
    const char *rows = argument(arguments, "rows");
    *ret = (struct view_options){.where = argument(arguments, "where"),
                                 .pivot = argument(arguments, "pivot"),
                                 .group_by = argument(arguments, "group-by"),
                                 .columns = argument(arguments, "columns"),
                                 .relative_to = argument(arguments, "relative-to"),
                                 .roofs = argument(arguments, "roofs"),
                                 .limit = most,
                                 .sort = argument(arguments, "sort"),
                                 .transpose = argument(arguments, "transpose") != NULL,
                                 .notes = argument(arguments, "notes") ? NOTES_ALL : NOTES_FEW,
                                 .breakdown = argument(arguments, "breakdown") != NULL,
                                 .verbose = argument(arguments, "verbose") != NULL};
    if (ret->transpose && !ret->group_by && !ret->pivot)
        return fail_usage("--transpose: expected --group-by or --pivot with it");
    if (read_page(arguments, ret) != EXIT_FINE)
        return EXIT_USAGE;
    if (rows && rows_named(rows) < 0)
        return fail_usage("--rows %s: expected case, sample or combined", rows);
    ret->rows = rows ? rows_named(rows) : ROWS_CASE;
    return EXIT_FINE;
}

/* --strict */
static int judge(struct store *store, const struct view_options *view)
{
    struct view_counts counts;
    struct gb_error error;
    struct view_options all = *view;
    all.limit = all.offset = 0;
    if (view_count(store, &all, &counts, &error) != GB_OK)
        return fail_with(&error, EXIT_USAGE);
    say_if_strict(&counts);
    return code_if_strict(&counts);
}

static int show_file(const struct arguments *arguments, const char *path, struct view_options *view)
{
    CLEANUP(store_leave) struct store *store = NULL;
    struct gb_error error;
    const int code = open_results(arguments, path, &store, &view->run);
    if (code != EXIT_FINE)
        return code;
    if (print_view(store, view, &error) != GB_OK)
        return fail_with(&error, EXIT_USAGE);
    return argument(arguments, "strict") ? judge(store, view) : EXIT_FINE;
}

static void print_path(const char *path, bool is_first, int format)
{
    CLEANUP(text_free) struct text line = {0};
    text_add_line(&line, path);
    printf(format == FORMAT_MARKDOWN ? "%s## %s\n\n" : "%s%s\n", is_first ? "" : "\n",
           text_get(&line));
}

static int run_show(const struct arguments *arguments)
{
    struct view_options view;
    const struct words files = results_files(arguments);
    int code = read_view(arguments, SHOW_CASES, &view);
    if (code == EXIT_FINE)
        code = read_format(arguments, FORMAT_TABLE, &view.format);
    if (code == EXIT_FINE)
        code = read_color(arguments, &view.has_colours);
    bool is_for_people = view.format == FORMAT_TABLE || view.format == FORMAT_MARKDOWN;
    if (code == EXIT_FINE && !is_for_people && !argument(arguments, "limit"))
        view.limit = 0;
    if (code == EXIT_FINE && files.n > 1 && !is_for_people)
        code = fail_usage("--format %s: '%s': expected one results file; gbrun merge makes one of "
                          "several",
                          argument(arguments, "format"), files.items[1]);
    for (size_t i = 0; i < files.n && (code == EXIT_FINE || code == EXIT_NOT_AS_WANTED); i++) {
        if (files.n > 1)
            print_path(files.items[i], i == 0, view.format);
        view.path = files.items[i];
        int shown = show_file(arguments, files.items[i], &view);
        code = shown == EXIT_FINE ? code : shown;
    }
    return code;
}

const struct verb verb_show = {
    .name = "show",
    .operands = "[FILE...]",
    .summary = "Show a results file as tables",
    .help =
        "FILE is results.gbr if it is not given. Shows the newest run of each, with the machine "
        "and the devices it was made on, one row for each case in the order of the "
        "configuration, then failures, messages and notes.",
    VERB_OPTIONS(show_options),
    .run = run_show,
};

static int run_export(const struct arguments *arguments)
{
    const struct words files = results_files(arguments);
    CLEANUP(store_leave) struct store *store = NULL;
    struct view_options view;
    struct gb_error error;
    const char *format = argument(arguments, "format");
    int exchange = format ? exchange_named(format) : -1;
    int code = read_view(arguments, 0, &view);
    if (code == EXIT_FINE && exchange < 0)
        code = read_format(arguments, FORMAT_CSV, &view.format);
    if (code == EXIT_FINE && exchange < 0 && view.format == FORMAT_TABLE)
        code = fail_usage("--format table: expected csv, json, jsonl or md");
    if (code == EXIT_FINE && files.n > 1)
        code = fail_usage("'%s': expected one results file", files.items[1]);
    if (code == EXIT_FINE)
        code = open_results(arguments, files.items[0], &store, &view.run);
    if (code != EXIT_FINE)
        return code;
    const char *path = argument(arguments, "output");
    struct output_file output = {.stream = stdout};
    int32_t status = path ? output_begin(&output, path, &error) : GB_OK;
    if (status == GB_OK) {
        status = exchange >= 0
                     ? exchange_export(store, &view, exchange, path, output.stream, &error)
                     : view_export(store, &view, output.stream, &error);
        if (path)
            status = output_end(&output, status, &error);
    }
    if (status == GB_OK && view.where && view_is_empty(store, &view))
        say("gbrun: no case matches --where %s", view.where);
    return status == GB_OK ? EXIT_FINE
                           : fail_with(&error, status == GB_IO ? EXIT_INTERNAL : EXIT_USAGE);
}

const struct verb verb_export = {
    .name = "export",
    .operands = "[FILE]",
    .summary = "Write a results file in a format that other programs read",
    .help = "FILE is results.gbr if it is not given. Full precision, every parameter a column. "
            "With --pivot and csv: one row for each sample, times in milliseconds.",
    VERB_OPTIONS(export_options),
    .run = run_export,
};
