/* verb_log.c - gbrun log: what each case took, run by run, and where that changed. */
#include "core/base/table.h"
#include "core/cli/verbs.h"
#include "core/compare/history.h"

#include <stdio.h>

static const struct verb_option options[] = {
    {"by", 0, "NAME",
     "runs in order of this fact or label (label.version), numbers in it as numbers; in order of "
     "time if not given"},
    {"changes", 0, NULL, "only the runs at which a case changed"},
    {"margin", 0, "RATIO", "smaller changes are none; 1% if not given"},
    {"alpha", 0, "RATIO",
     "how often a case that has not changed may be given a change, all cases together; 5% if not "
     "given"},
    {"metric", 0, "NAME",
     "in place of the time: a metric of the plugin, or min_ns, p99_ns, flops, bytes_read, "
     "registers ..."},
    {"format", 'f', "FORMAT", "table, md, csv or json"},
};

static const struct {
    const char *name;
    int style;
} formats[] = {{"table", TABLE_PLAIN}, {"md", TABLE_MARKDOWN}, {"csv", TABLE_CSV}, {"json", -1}};
enum { FORMATS = sizeof formats / sizeof *formats };

static int32_t add_files(struct compare *compare, struct words files, struct gb_error *error)
{
    int32_t status = GB_OK;
    for (size_t i = 0; i < files.n && status == GB_OK; i++) {
        struct store *store;
        status = store_open(files.items[i], STORE_READ, &store, error);
        if (status != GB_OK)
            break;
        status = compare_add_all_runs(compare, store, files.items[i], error);
        store_close(store, NULL);
    }
    return status;
}

static int run(const struct arguments *arguments)
{
    const char *by = argument(arguments, "by");
    const char *format = argument(arguments, "format"), *metric = argument(arguments, "metric");
    bool are_changes = argument(arguments, "changes") != NULL;
    CLEANUP(text_free) struct text text = {0};
    struct compare_options compared = {.metric = metric ? metric : ""};
    struct history history;
    struct gb_error error;
    size_t style = 0;
    while (format && style < FORMATS && !text_equal(formats[style].name, format))
        style++;
    if (style == FORMATS)
        return fail_usage("--format %s: expected table, md, csv or json", format);
    int code = read_rule(arguments, &compared);
    if (code != EXIT_FINE)
        return code;
    struct compare *compare = compare_new(&compared);
    int32_t status = add_files(compare, results_files(arguments), &error);
    if (status == GB_OK)
        status = compare_history(compare, by, &history, &error);
    if (status != GB_OK)
        code = fail_with(&error, EXIT_USAGE);
    else if (formats[style].style < 0)
        history_write_json(&history, are_changes, &text);
    else
        history_write(&history, formats[style].style, are_changes, &text);
    fputs(text_get(&text), stdout);
    compare_free(compare);
    return code;
}

const struct verb verb_log = {
    .name = "log",
    .operands = "[FILE...]",
    .summary = "Show the history of each case over runs, with the points where it changed",
    .help = "Prints what each case took in all runs of the files (results.gbr if none is given), "
            "in order of time or of --by. A change point lies between two runs whose neighbouring "
            "segments of runs differ by more than the margin, certainly: by the statistics of "
            "gbrun compare, with the run as the unit, so that what differs from run to run "
            "anyway is no change. Of two runs alone the unit is the round. Shards of one sweep in "
            "one file are one run, by the number of the first.",
    VERB_OPTIONS(options),
    .run = run,
};
