/* verb_compare.c - gbrun compare: is it slower, by how much, how certain; gbrun log: what each case
 * took, run by run, and where that changed. */
#include "core/base/table.h"
#include "core/cli/verbs.h"
#include "core/compare/fleet.h"
#include "core/compare/history.h"
#include "core/config/value.h"
#include "core/store/foreign.h"
#include "core/view/views.h"

#include <math.h>
#include <stdio.h>

static const struct verb_option compare_options[] = {
    {"base", 0, "RUN|VALUE",
     "the run that others are compared with: its number, newest, previous, or NAME=VALUE of a "
     "label; with --by the value"},
    {"new", 0, "RUN", "the run that is compared with it; the newest if not given"},
    {"baseline", 0, "NAME", "the base is the newest run of --save-baseline NAME: of gbrun run"},
    {"by", 0, "NAME",
     "with --base: compare the values of an option or setting in one run, or of a fact or label of "
     "runs. Without: host, device, or another fact or label of the runs of all FILEs: which of its "
     "values are unlike the others"},
    {"run", 'r', "RUN", "with --by and --base: the run; the newest if not given"},
    {"margin", 0, "RATIO",
     "differences up to this do not make a case slower or faster; default 1%"},
    {"alpha", 0, "RATIO", "probability that any unchanged case is called different; default 5%"},
    {"sequential", 0, NULL,
     "with --by: judge the rounds one after the other and stop when a case is decided, as gbrun ab "
     "does (always done for runs of ab)"},
    {"metric", 0, "NAME",
     "compare this instead of the time: a metric of the plugin, or min_ns, p99_ns, flops, "
     "bytes_read, registers ..."},
    {"where", 'w', "EXPR",
     "only cases for which the SQL expression is true, on either side; with --by and --base only "
     "those of the run"},
    {"history", 0, "FILE", "of two runs: estimate the variation between runs from this file too"},
    {"force", 0, NULL, "compare even if device model, driver, clock or cache state differ"},
    {"strict", 0, NULL, "exit code 3 also for cases that are unclear, skipped or not certified"},
    {"format", 'f', "FORMAT",
     "table, md, csv, json, junit or github; of --by host also hostlist: the hosts that are "
     "flagged, as node[01-03,07]"},
    COLOR_OPTION,
};

/* What the command line asks for. */
struct request {
    struct compare_options options;
    const char *base, *new, *by, *run, *history;
    struct words files;
    int format;
    bool is_strict, has_colours;
    bool is_fleet; /* --by without --base */
};

/* Of --margin, --alpha, within the ranges that they have in [ab]; NaN: not given. */
static int read_ratio(const struct arguments *arguments, const char *name, double *ret)
{
    struct value value = {.number = NAN};
    const struct gb_option *option = option_find(ab_options(), name, NULL);
    const int code = argument(arguments, name) ? read_number(arguments, name, option, &value)
                                               : EXIT_FINE;
    *ret = value.number;
    return code;
}

int read_rule(const struct arguments *arguments, struct compare_options *ret)
{
    double alpha = NAN;
    int code = read_ratio(arguments, "margin", &ret->margin);
    if (code == EXIT_FINE)
        code = read_ratio(arguments, "alpha", &alpha);
    ret->confidence = 1 - alpha;
    return code;
}

static bool have_results(struct words files)
{
    for (size_t i = 0; i < files.n; i++)
        if (!foreign_is(files.items[i]))
            return true;
    return false;
}

/* What goes together. */
static int check_request(const struct request *request, const char *format)
{
    if (request->format < 0)
        return fail_usage("--format %s: expected table, md, csv, json, junit or github, and with "
                          "--by host hostlist",
                          format);
    if (request->format == FLEET_HOSTLIST && !request->is_fleet)
        return fail_usage("--format hostlist: goes with --by host, without --base");
    if (request->by && request->new)
        return fail_usage("--by %s: expected --base VALUE, without --new", request->by);
    if (request->by && request->base && request->files.n > 1)
        return fail_usage("--by %s --base %s: expected one results file", request->by,
                          request->base);
    if (request->run && (!request->by || request->is_fleet))
        return fail_usage("--run %s: goes with --by and --base; runs are chosen by --base and "
                          "--new",
                          request->run);
    if (request->options.is_sequential && (!request->by || request->is_fleet))
        return fail_usage(
            "--sequential: goes with --by and --base: rounds of two runs are not pairs");
    if (request->history && request->is_fleet)
        return fail_usage("--history: goes with two runs, or with --by and --base");
    if (request->options.where && !have_results(request->files))
        return fail_usage("--where: goes with a results file: none of the files is one");
    if (request->options.is_forced && request->is_fleet)
        return fail_usage("--force: goes with --base: nodes are compared with those of the same "
                          "device model and clock");
    return EXIT_FINE;
}

static int read_request(const struct arguments *arguments, struct arena *arena, struct request *ret)
{
    const char *format = argument(arguments, "format");
    const char *metric = argument(arguments, "metric");
    *ret = (struct request){.options = {.metric = metric ? metric : "",
                                        .is_forced = argument(arguments, "force") != NULL,
                                        .where = argument(arguments, "where"),
                                        .choose = view_choose,
                                        .is_sequential = argument(arguments, "sequential") != NULL},
                            .base = argument(arguments, "base"),
                            .new = argument(arguments, "new"),
                            .by = argument(arguments, "by"),
                            .run = argument(arguments, "run"),
                            .history = argument(arguments, "history"),
                            .format = format ? fleet_format_named(format) : COMPARE_TABLE,
                            .is_strict = argument(arguments, "strict") != NULL,
                            .files = results_files(arguments)};
    const char *baseline = argument(arguments, "baseline");
    if (baseline && (ret->base || ret->by))
        return fail_usage("--baseline %s: names the base: leave out --base and --by", baseline);
    if (baseline)
        ret->base = arena_printf(arena, BASELINE_LABEL "=%s", baseline);
    ret->is_fleet = ret->by && !ret->base;
    int code = check_request(ret, format);
    if (code == EXIT_FINE)
        code = read_color(arguments, &ret->has_colours);
    return code == EXIT_FINE ? read_rule(arguments, &ret->options) : code;
}

/* A run of the file, which is opened for that. */
static int32_t add_run(struct compare *compare, const char *path, const char *run, const char *name,
                       struct gb_error *error)
{
    CLEANUP(store_leave) struct store *store = NULL;
    if (foreign_is(path))
        return compare_add_foreign(compare, path, error);
    const int32_t status = store_open(path, STORE_READ, &store, error);
    return status == GB_OK ? compare_add_run(compare, store, path, run, name, error) : status;
}

static int32_t add_by(struct compare *compare, const struct request *request,
                      struct gb_error *error)
{
    CLEANUP(store_leave) struct store *store = NULL;
    const char *path = request->files.items[0], *run = request->run ? request->run : "newest";
    const int32_t status = store_open(path, STORE_READ, &store, error);
    return status == GB_OK
               ? compare_add_by(compare, store, path, run, request->by, request->base, error)
               : status;
}

/* Runs that are not compared: those beside the ones that are, and of the history. */
static int32_t add_earlier(struct compare *compare, const char *path, struct gb_error *error)
{
    CLEANUP(store_leave) struct store *store = NULL;
    if (foreign_is(path))
        return GB_OK;
    const int32_t status = store_open(path, STORE_READ, &store, error);
    return status == GB_OK ? compare_add_earlier(compare, store, path, error) : status;
}

int compare_stored(struct store *store, const char *path, const char *base, const char *new,
                   int format, bool is_strict, bool has_colours)
{
    const struct compare_options options = {.margin = NAN, .confidence = NAN, .metric = ""};
    CLEANUP(text_free) struct text text = {0};
    CLEANUP(compare_leave) struct compare *compare = compare_new(&options);
    struct gb_error error;
    int32_t status = compare_add_run(compare, store, path, base, NULL, &error);
    if (status == GB_OK)
        status = compare_add_run(compare, store, path, new, NULL, &error);
    if (status == GB_OK)
        status = compare_add_earlier(compare, store, path, &error);
    if (status == GB_OK)
        status = compare_finish(compare, &error);
    if (status != GB_OK)
        return fail_with(&error, EXIT_USAGE);
    compare_write(compare_result(compare), format, is_strict, output_width(0), has_colours, &text);
    fputs(text_get(&text), stdout);
    fflush(stdout); /* before messages about it */
    return compare_exit_code(compare_result(compare), is_strict);
}

static int32_t add_history(struct compare *compare, const struct request *request,
                           struct gb_error *error)
{
    int32_t status = GB_OK;
    for (size_t i = 0; i < request->files.n && status == GB_OK; i++)
        status = add_earlier(compare, request->files.items[i], error);
    if (status == GB_OK && request->history)
        status = add_earlier(compare, request->history, error);
    return status;
}

static int32_t add_sides(struct compare *compare, const struct request *request,
                         struct gb_error *error)
{
    const struct words files = request->files;
    const bool is_one = files.n == 1;
    const char *new = request->new ? request->new : "newest";
    const char *base = request->base ? request->base : is_one ? "previous" : "newest";
    if (request->by)
        return add_by(compare, request, error);
    int32_t status = add_run(compare, files.items[0], base, is_one ? NULL : files.items[0], error);
    if (status == GB_OK && is_one)
        return add_run(compare, files.items[0], new, NULL, error);
    for (size_t i = 1; status == GB_OK && i < files.n; i++)
        status = add_run(compare, files.items[i], new, files.items[i], error);
    return status;
}

static void say_exit(const struct compare_result *result, bool is_strict)
{
    for (size_t i = 0; is_strict && i < result->n_against; i++)
        if (result->against[i].n_uncertified)
            say("gbrun: --strict: %zu of %zu compared cases of %s are not certified by their "
                "policy",
                result->against[i].n_uncertified, result->against[i].mean.n,
                result->against[i].side->name);
    for (size_t i = 0; i < result->n_against; i++)
        if (result->against[i].n == 0 && result->options->where)
            say("gbrun: no case matches --where %s", result->options->where);
        else if (result->against[i].mean.n + result->against[i].n_apart == 0)
            say("gbrun: no case of %s could be compared", result->against[i].side->name);
}

int32_t read_fleet(const struct compare_options *rule, const char *option, const char *by,
                   struct words files, struct fleet **ret, struct gb_error *error)
{
    int32_t status = GB_OK;
    *ret = fleet_new(rule, by);
    for (size_t i = 0; i < files.n; i++) {
        status = fleet_add_file(*ret, files.items[i], RUN_ALL, error);
        if (status != GB_OK)
            return status;
    }
    status = fleet_finish(*ret, error);
    if (status != GB_OK)
        error_prefix(error, "--%s %s: ", option, by);
    return status;
}

static int run_fleet(const struct request *request)
{
    CLEANUP(text_free) struct text text = {0};
    struct gb_error error;
    struct fleet *fleet;
    int code;
    if (read_fleet(&request->options, "by", request->by, request->files, &fleet, &error) == GB_OK) {
        const struct fleet_result *result = fleet_result(fleet);
        fleet_write(result, request->format, request->is_strict, output_width(0),
                    request->has_colours, &text);
        fputs(text_get(&text), stdout);
        if (request->is_strict && result->n_uncertified)
            say("gbrun: --strict: %zu ratios are not certified by their policy",
                result->n_uncertified);
        if (result->n_judged == 0)
            say("gbrun: no case could be compared: at least %d values of %s are needed; --base "
                "VALUE compares "
                "two",
                FLEET_LEAST, request->by);
        code = fleet_exit_code(result, request->is_strict);
    } else {
        code = fail_with(&error, EXIT_USAGE);
    }
    fleet_free(fleet);
    return code;
}

static int run_compare(const struct arguments *arguments)
{
    CLEANUP(text_free) struct text text = {0};
    CLEANUP(arena_free) struct arena arena = {0};
    struct request request;
    struct gb_error error;
    int code = read_request(arguments, &arena, &request);
    if (code != EXIT_FINE)
        return code;
    if (request.is_fleet)
        return run_fleet(&request);
    CLEANUP(compare_leave) struct compare *compare = compare_new(&request.options);
    int32_t status = add_sides(compare, &request, &error);
    if (status == GB_OK)
        status = add_history(compare, &request, &error);
    if (status == GB_OK)
        status = compare_finish(compare, &error);
    if (status == GB_OK) {
        const struct compare_result *result = compare_result(compare);
        compare_write(result, request.format, request.is_strict, output_width(0),
                      request.has_colours, &text);
        fputs(text_get(&text), stdout);
        say_exit(result, request.is_strict);
        code = compare_exit_code(result, request.is_strict);
    } else {
        code = fail_with(&error, EXIT_USAGE);
    }
    return code;
}

const struct verb verb_compare = {
    .name = "compare",
    .operands = "[FILE] | BASE NEW...",
    .summary = "Compare runs, files, values of an option, or nodes: what is slower, and how "
               "certain that is",
    .help =
        "Compares the newest runs of files with that of BASE; two runs of one FILE (the newest "
        "with the one before if not given; results.gbr if FILE is not given); or with --by the "
        "values of an option in one run. The unit is the round: with `rounds = 5` or more in "
        "the configuration it can tell differences from noise. A file may also be JSON of Google "
        "Benchmark, NVBench, hyperfine or pyperf, whose cases are matched by their labels.\n\n"
        "Verdicts: slower, faster (beyond the margin, at 5 % over all cases together), changed "
        "(certain, but within the margin), same (certainly within the margin), unclear, "
        "broken, fixed, failed (on both sides), missing, new, skipped.\n\n"
        "--by host without --base compares all nodes that measured the same, in any number of "
        "FILEs: each with the median of all of them, case by case. A node is flagged that is "
        "beyond the margin in the same direction in several cases, at 5 % over all nodes "
        "together, or on which cases fail that others pass; --by device does it for devices.\n\n"
        "Exit code 0: nothing is slower, broken or missing, no node is flagged; 3: something is; "
        "1: cases fail on both sides, or nothing could be compared.",
    VERB_OPTIONS(compare_options),
    .run = run_compare,
};

/* ---- gbrun log ---- */

static const struct verb_option log_options[] = {
    {"by", 0, "NAME",
     "runs in order of this fact or label (label.version), numbers in it as numbers; in order of "
     "time if not given"},
    {"changes", 0, NULL, "only the runs at which a case changed"},
    {"gate", 0, NULL,
     "exit code 3 where the newest run is worse: a case fails, drifts to slower times, or became "
     "slower at it, at an earlier run, as it makes certain, or at another run of its commit"},
    {"strict", 0, NULL, "with --gate: exit code 3 also where that has to be confirmed by a rerun"},
    {"margin", 0, "RATIO", "smaller changes are ignored; 1% if not given"},
    {"alpha", 0, "RATIO", "probability that any unchanged case is reported as changed; default 5%"},
    {"where", 'w', "EXPR", "only cases for which the SQL expression is true, of each run"},
    {"metric", 0, "NAME",
     "instead of the time: a metric of the plugin, or min_ns, p99_ns, flops, bytes_read, registers "
     "..."},
    {"format", 'f', "FORMAT", "table, md, csv or json"},
};

static const struct {
    const char *name;
    int style;
} log_formats[] = {
    {"table", TABLE_PLAIN}, {"md", TABLE_MARKDOWN}, {"csv", TABLE_CSV}, {"json", -1}};
enum { LOG_FORMATS = sizeof log_formats / sizeof *log_formats };

static int32_t add_files(struct compare *compare, struct words files, struct gb_error *error)
{
    int32_t status = GB_OK;
    for (size_t i = 0; i < files.n && status == GB_OK; i++) {
        CLEANUP(store_leave) struct store *store = NULL;
        status = store_open(files.items[i], STORE_READ, &store, error);
        if (status == GB_OK)
            status = compare_add_newest_runs(compare, store, files.items[i], SIZE_MAX, error);
    }
    return status;
}

/* Says what makes the exit code 3. */
static int gate(const struct history *history, bool is_strict)
{
    CLEANUP(text_free) struct text lines = {0};
    const size_t n = history_gate(history, is_strict, &lines);
    if (n)
        say("gbrun: --gate: %zu case%s worse by the newest run\n%.*s", n, n == 1 ? " is" : "s are",
            (int)lines.length - 1, lines.data);
    return n ? EXIT_NOT_AS_WANTED : EXIT_FINE;
}

static int run_log(const struct arguments *arguments)
{
    const bool is_gate = argument(arguments, "gate") != NULL;
    const bool is_strict = argument(arguments, "strict") != NULL;
    const char *by = argument(arguments, "by");
    const char *format = argument(arguments, "format"), *metric = argument(arguments, "metric");
    bool are_changes = argument(arguments, "changes") != NULL;
    CLEANUP(text_free) struct text text = {0};
    struct compare_options compared = {.metric = metric ? metric : "",
                                       .where = argument(arguments, "where"),
                                       .choose = view_choose};
    struct history history;
    struct gb_error error;
    const size_t style = text_index(TEXTS_OF(log_formats, LOG_FORMATS, name),
                                    format ? format : "table");
    if (style == LOG_FORMATS)
        return fail_usage("--format %s: expected table, md, csv or json", format);
    if (is_strict && !is_gate)
        return fail_usage("--strict: goes with --gate");
    int code = read_rule(arguments, &compared);
    if (code != EXIT_FINE)
        return code;
    CLEANUP(compare_leave) struct compare *compare = compare_new(&compared);
    int32_t status = add_files(compare, results_files(arguments), &error);
    if (status == GB_OK)
        status = compare_history(compare, by, &history, &error);
    if (status != GB_OK)
        code = fail_with(&error, EXIT_USAGE);
    else if (log_formats[style].style < 0)
        history_write_json(&history, are_changes, &text);
    else
        history_write(&history, log_formats[style].style, are_changes, &text);
    fputs(text_get(&text), stdout);
    return code == EXIT_FINE && is_gate ? gate(&history, is_strict) : code;
}

const struct verb verb_log = {
    .name = "log",
    .operands = "[FILE...]",
    .summary = "Show the history of each case over runs, with the points where it changed",
    .help = "Prints what each case took in all runs of the files (results.gbr if none is given), "
            "in order of time or of --by. A change point lies between two runs whose neighbouring "
            "segments of runs differ by more than the margin, certainly, with the run as the unit: "
            "ordinary differences between runs are not changes, nor are single disturbed runs. A "
            "change in the newest run must be confirmed by a rerun. Slow growth or decline is a "
            "drift. With only two runs the unit is the round. Shards of one sweep in one file are "
            "one run, by the number of the first.",
    VERB_OPTIONS(log_options),
    .run = run_log,
};
