/* verb_report.c - gbrun report: rooflines and bar charts of results files. */
#include "core/cli/verbs.h"
#include "core/report/report.h"
#include "core/view/view_cases.h"

#include <stdio.h>

static const struct verb_option options[] = {
    {"roofline", 0, NULL,
     "operations a second over operations a byte, with the device's roofs and one mark for each "
     "case; what is drawn if --pivot is not given"},
    {"pivot", 0, "NAME", "bars of the medians, with their intervals, by the values of NAME"},
    {"run", 'r', "N|all", "the run, counted from 1 by start; the newest if not given"},
    {"where", 'w', "EXPR", "only cases for which the SQL expression is true"},
    {"roofs", 0, "FILE",
     "a results file with cases of the benchmark ceilings: the device's roofs; if not given, those "
     "of each file, then those that are configured, then the user's"},
    {"output", 'o', "FILE",
     "draw: FILE is .svg, .png, .pdf, or .gp for the script; text on standard output if not given"},
};

static int read_options(const struct arguments *arguments, struct view_options *ret)
{
    const char *path = argument(arguments, "output");
    struct gb_error error;
    *ret = (struct view_options){.where = argument(arguments, "where"),
                                 .pivot = argument(arguments, "pivot"),
                                 .roofs = argument(arguments, "roofs"),
                                 .rows = ROWS_COMBINED};
    if (path && plot_check(path, &error) != GB_OK)
        return fail_with(&error, EXIT_USAGE);
    return EXIT_FINE;
}

static int32_t add_view(const struct arguments *arguments, struct report *report, struct view *view,
                        const char *path, struct gb_error *error)
{
    const char *pivot = argument(arguments, "pivot");
    int32_t status = GB_OK;
    if (!pivot || argument(arguments, "roofline"))
        status = report_add_rooflines(report, view, path, error);
    return status == GB_OK && pivot ? report_add_bars(report, view, pivot, path, error) : status;
}

/* path: for labels as well, where there are several. */
static int add_file(const struct arguments *arguments, struct view_options *view_options,
                    struct report *report, const char *path, bool is_only)
{
    struct store *store = NULL;
    struct view view;
    struct gb_error error;
    view_options->path = is_only ? NULL : path;
    if (store_open(path, STORE_READ, &store, &error) != GB_OK)
        return fail_with(&error, EXIT_USAGE);
    int code = read_run(arguments, store, path, &view_options->run);
    if (code != EXIT_FINE) {
        store_close(store, NULL);
        return code;
    }
    int32_t status = view_open(store, view_options, view_options->run, &view, &error);
    if (status == GB_OK) {
        status = add_view(arguments, report, &view, view_options->path, &error);
        if (view.roofs_problem)
            say("gbrun: roofs that cannot be used: %s", view.roofs_problem);
        view_close(&view);
    }
    store_close(store, NULL);
    return status == GB_OK ? EXIT_FINE : fail_with(&error, EXIT_USAGE);
}

static int write_report(const struct arguments *arguments, const struct report *report)
{
    const char *path = argument(arguments, "output");
    CLEANUP(arena_free) struct arena arena = {0};
    CLEANUP(text_free) struct text text = {0};
    struct plot_page page;
    struct gb_error error;
    if (report->n_charts + report->n_bars == 0)
        return fail_usage("there is nothing to report: no case that is ok%s",
                          report->pivot ? " and has the parameter" : " and has declared work");
    if (!path) {
        report_text(report, &text);
        fputs(text_get(&text), stdout);
        return EXIT_FINE;
    }
    report_page(report, &arena, &page);
    int32_t status = plot_write(&page, path, &error);
    return status == GB_OK ? EXIT_FINE
                           : fail_with(&error, status == GB_INVALID ? EXIT_USAGE : EXIT_INTERNAL);
}

static int run_report(const struct arguments *arguments)
{
    const char *const *operands;
    struct view_options view_options;
    struct report report = {0};
    size_t n = results_files(arguments, &operands);
    int code = read_options(arguments, &view_options);
    for (size_t i = 0; i < n && code == EXIT_FINE; i++)
        code = add_file(arguments, &view_options, &report, operands[i], n == 1);
    if (code == EXIT_FINE)
        code = write_report(arguments, &report);
    report_free(&report);
    return code;
}

const struct verb verb_report = {
    .name = "report",
    .operands = "[FILE...]",
    .summary = "Draw rooflines and bar charts of results files",
    .help = "FILE is results.gbr if it is not given. A roofline shows how close each case is to "
            "what the device can do: roofs are measured by the benchmark ceilings, and found by "
            "the device's model. Only .png and .pdf need gnuplot.",
    VERB_OPTIONS(options),
    .run = run_report,
};
