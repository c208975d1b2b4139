/* verb_report.c - gbrun report: pages, rooflines and charts of results files. */
#include "core/cli/verbs.h"
#include "core/report/fleet_chart.h"
#include "core/report/html_report.h"
#include "core/report/report.h"
#include "core/view/view_cases.h"

#include <stdio.h>
#include <stdlib.h>

static const struct verb_option options[] = {
    {"roofline", 0, NULL,
     "operations per second over operations per byte, with the device's roofs and one mark for "
     "each "
     "case; the default"},
    {"pivot", 0, "NAME", "the same as --chart bars --x NAME"},
    {"chart", 0, "KIND",
     "bars, lines, heat, box, ecdf or forest; auto is lines over five or more numbers, or "
     "geometric ones, else bars"},
    {"x", 0, "NAME", "the parameter, or other column, that a chart goes over"},
    {"y", 0, "NAME",
     "the column that a chart shows; medians with their intervals if not given; for ecdf and box a "
     "series of samples that benchmarks report themselves, instead of the times"},
    {"by", 0, "NAME",
     "a line, a colour or a row of the chart for each value of NAME: a parameter or other column, "
     "such as run; file: for each FILE"},
    {"ideal", 0, "EXPR",
     "a line of this shape through the first point: SQL over parameters, 'ceil(16.0/streams)'"},
    {"nodes", 0, "NAME",
     "compare the nodes of all runs of all FILEs, like --by of compare: a strip for each case with "
     "a point for each node, by host, device, or another fact or label of runs"},
    {"margin", 0, "RATIO", "with --nodes: as in compare"},
    {"alpha", 0, "RATIO", "with --nodes: as in compare"},
    {"run", 'r', "RUN|all",
     "the run: its number, from 1 by start, newest, previous, or NAME=VALUE of a label or fact; or "
     "all; the newest if not given"},
    {"where", 'w', "EXPR", "only cases for which the SQL expression is true"},
    {"relative-to", 0, "BASE",
     "the ratio of each case's time to that of BASE, and its interval: a value of an option, "
     "NAME=VALUE, or a run as for --run; --y ratio draws it"},
    {"roofs", 0, "FILE",
     "a results file with cases of the benchmark ceilings: the device's roofs; if not given, those "
     "of each file, then those that are configured, then the user's"},
    {"baseline", 0, "FILE", "of a page: the cases are compared with the newest run of FILE"},
    {"output", 'o', "FILE",
     "a whole page: FILE is .html; or draw: .svg, .png or .pdf; text on standard output if not "
     "given"},
};

static int read_request(const struct arguments *arguments, struct chart_request *ret)
{
    const char *kind = argument(arguments, "chart"), *pivot = argument(arguments, "pivot");
    *ret = (struct chart_request){.kind = pivot ? CHART_BARS : CHART_AUTO,
                                  .x = pivot ? pivot : argument(arguments, "x"),
                                  .y = argument(arguments, "y"),
                                  .by = argument(arguments, "by"),
                                  .ideal = argument(arguments, "ideal")};
    bool is_asked = kind || ret->x || ret->y || ret->by || ret->ideal;
    if (kind && (ret->kind = chart_kind_named(kind)) < 0)
        return fail_usage("--chart %s: expected auto, bars, lines, heat, box, ecdf or forest",
                          kind);
    bool is_of_cases = ret->kind == CHART_ECDF || ret->kind == CHART_FOREST;
    if (ret->kind == CHART_ECDF || ret->kind == CHART_BOX) {
        ret->series = ret->y;
        ret->y = NULL;
    }
    if (pivot && (kind || argument(arguments, "x")))
        return fail_usage("--pivot %s is --chart bars --x %s: give one of them", pivot, pivot);
    if (is_asked && !ret->x && !is_of_cases)
        return fail_usage("the chart has no x axis: expected --x NAME");
    if (is_of_cases && (ret->x || ret->y || ret->ideal))
        return fail_usage("--chart %s shows times of cases: it takes --by, but no --%s", kind,
                          ret->x   ? "x"
                          : ret->y ? "y"
                                   : "ideal");
    if (ret->kind == CHART_HEAT && !ret->by)
        return fail_usage("--chart heat has no rows: expected --by NAME");
    return EXIT_FINE;
}

static bool is_asked(const struct chart_request *request)
{
    return request->x || request->kind == CHART_ECDF || request->kind == CHART_FOREST;
}

static int read_options(const struct arguments *arguments, struct report *report,
                        struct view_options *ret)
{
    const char *path = argument(arguments, "output");
    struct gb_error error;
    *ret = (struct view_options){.where = argument(arguments, "where"),
                                 .roofs = argument(arguments, "roofs"),
                                 .relative_to = argument(arguments, "relative-to"),
                                 .rows = ROWS_COMBINED,
                                 .has_names = true};
    if (path && !plot_is_named(path))
        return fail_usage("%s: unknown kind of report: expected a name in .html, .svg, .png or "
                          ".pdf",
                          path);
    if (path && plot_check(path, &error) != GB_OK)
        return fail_with(&error, EXIT_USAGE);
    if (argument(arguments, "baseline"))
        return fail_usage("--baseline is for a page: expected -o FILE.html");
    return read_request(arguments, &report->chart.request);
}

static int32_t add_view(const struct arguments *arguments, struct report *report, struct view *view,
                        const char *path, struct gb_error *error)
{
    bool has_chart = is_asked(&report->chart.request);
    int32_t status = GB_OK;
    report_explain_ratios(report, view);
    if (!has_chart || argument(arguments, "roofline"))
        status = report_add_rooflines(report, view, path, error);
    return status == GB_OK && has_chart ? chart_add(&report->chart, view, path, error) : status;
}

/* path: for labels as well, where there are several. */
static int add_file(const struct arguments *arguments, struct view_options *view_options,
                    struct report *report, const char *path, bool is_only)
{
    CLEANUP(store_leave) struct store *store = NULL;
    struct view view;
    struct gb_error error;
    view_options->path = is_only ? NULL : path;
    int code = open_results(arguments, path, &store, &view_options->run);
    if (code != EXIT_FINE)
        return code;
    int32_t status = view_open(store, view_options, view_options->run, &view, &error);
    if (status == GB_OK) {
        status = add_view(arguments, report, &view, view_options->path, &error);
        if (view.roofs_problem)
            say("gbrun: roofs that cannot be used: %s", view.roofs_problem);
        view_close(&view);
    }
    return status == GB_OK ? EXIT_FINE : fail_with(&error, EXIT_USAGE);
}

static int write_report(const struct arguments *arguments, const struct report *report)
{
    const char *path = argument(arguments, "output");
    CLEANUP(arena_free) struct arena arena = {0};
    CLEANUP(text_free) struct text text = {0};
    struct plot_page page;
    struct gb_error error;
    if (report->chart.n_panels == 0 && report->chart.request.series)
        return fail_usage("--y %s: no case that is ok has a series of this name",
                          report->chart.request.series);
    if (report->n_charts + report->chart.n_panels == 0)
        return fail_usage("there is nothing to report: no case that is ok%s",
                          !is_asked(&report->chart.request) ? " and has declared work"
                          : report->chart.request.x         ? " and has the parameter"
                                                            : "");
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

/* ---- pages ---- */

/* The runs of the files that a page shows. */
struct inputs {
    struct arena arena;
    struct html_input *items;
    size_t n;
};

/* One input for each run that is asked for. */
static int add_inputs(const struct arguments *arguments, const char *path, struct inputs *inputs)
{
    CLEANUP(arena_free) struct arena arena = {0};
    CLEANUP(store_leave) struct store *store = NULL;
    struct stored_run *runs = NULL;
    struct gb_error error;
    int64_t run;
    size_t n = 0;
    int code = open_results(arguments, path, &store, &run);
    if (code == EXIT_FINE && store_runs(store, run, &arena, &runs, &n, &error) != GB_OK)
        code = fail_with(&error, EXIT_USAGE);
    for (size_t i = 0; i < n; i++)
        ARENA_APPEND(
            &inputs->arena, inputs->items, inputs->n,
            (struct html_input){.path = path, .run = run == RUN_NEWEST ? run : runs[i].number});
    return code;
}

static int write_page(const struct arguments *arguments, const char *path)
{
    const char *of_pictures = ARGUMENT_AMONG(arguments, "roofline", "pivot", "chart", "x", "y",
                                             "by", "ideal");
    struct inputs inputs = {.n = 0};
    const struct html_input baseline = {.path = argument(arguments, "baseline")};
    const struct html_options what = {.where = argument(arguments, "where"),
                                      .roofs = argument(arguments, "roofs"),
                                      .baseline = baseline.path ? &baseline : NULL};
    const struct words files = results_files(arguments);
    struct gb_error error;
    if (of_pictures)
        return fail_usage("--%s is for pictures and text: a page in .html has charts of all sweeps",
                          of_pictures);
    int code = EXIT_FINE;
    for (size_t i = 0; i < files.n && code == EXIT_FINE; i++)
        code = add_inputs(arguments, files.items[i], &inputs);
    if (code == EXIT_FINE &&
        html_report_write(inputs.items, inputs.n, &what, path, &error) != GB_OK)
        code = fail_with(&error, error.status == GB_IO ? EXIT_INTERNAL : EXIT_USAGE);
    arena_free(&inputs.arena);
    return code;
}

/* ---- nodes ---- */

static int write_fleet(const struct fleet_result *result, const char *path)
{
    CLEANUP(arena_free) struct arena arena = {0};
    CLEANUP(text_free) struct text text = {0};
    struct plot_page page;
    struct gb_error error;
    int32_t status;
    if (!path) {
        fleet_strips(result, &text);
        fputs(text_get(&text), stdout);
        return EXIT_FINE;
    }
    if (text_ends_with(path, ".html")) {
        status = html_nodes_write(result, path, &error);
    } else if (!fleet_page(result, &arena, &page)) {
        return fail_usage("there is nothing to draw: no case has values of %d of %s", FLEET_LEAST,
                          result->by);
    } else {
        status = plot_write(&page, path, &error);
    }
    return status == GB_OK ? EXIT_FINE
                           : fail_with(&error, status == GB_INVALID ? EXIT_USAGE : EXIT_INTERNAL);
}

static int report_nodes(const struct arguments *arguments, const char *by)
{
    const char *other = ARGUMENT_AMONG(arguments, "roofline", "pivot", "chart", "x", "y", "by",
                                       "ideal", "run", "relative-to", "where", "baseline");
    const char *path = argument(arguments, "output");
    struct compare_options rule = {.metric = ""};
    struct fleet *fleet;
    struct gb_error error;
    if (other)
        return fail_usage("--nodes %s uses all runs of all files: it cannot be combined with --%s",
                          by, other);
    if (path && !text_ends_with(path, ".html") && plot_check(path, &error) != GB_OK)
        return fail_with(&error, EXIT_USAGE);
    int code = read_rule(arguments, &rule);
    if (code != EXIT_FINE)
        return code;
    if (read_fleet(&rule, "nodes", by, results_files(arguments), &fleet, &error) == GB_OK)
        code = write_fleet(fleet_result(fleet), path);
    else
        code = fail_with(&error, EXIT_USAGE);
    fleet_free(fleet);
    return code;
}

static int run_report(const struct arguments *arguments)
{
    const char *path = argument(arguments, "output"), *by = argument(arguments, "nodes");
    const char *rule = ARGUMENT_AMONG(arguments, "margin", "alpha");
    const struct words files = results_files(arguments);
    if (by)
        return report_nodes(arguments, by);
    if (rule)
        return fail_usage("--%s: goes with --nodes", rule);
    if (path && text_ends_with(path, ".html"))
        return write_page(arguments, path);
    struct view_options view_options;
    struct report report = {0};
    int code = read_options(arguments, &report, &view_options);
    for (size_t i = 0; i < files.n && code == EXIT_FINE; i++)
        code = add_file(arguments, &view_options, &report, files.items[i], files.n == 1);
    if (code == EXIT_FINE)
        code = write_report(arguments, &report);
    report_free(&report);
    return code;
}

const struct verb verb_report = {
    .name = "report",
    .operands = "[FILE...]",
    .summary = "Make a page of results, or draw rooflines and charts",
    .help =
        "FILE is results.gbr if it is not given. A roofline shows how close each case is to what "
        "the device can do: roofs are measured by the benchmark ceilings, and found by the "
        "device's model. A page in .html holds everything that is known of its runs, and can be "
        "mailed: it needs no other file and no network. Only .png and .pdf need rsvg-convert.",
    VERB_OPTIONS(options),
    .run = run_report,
};
