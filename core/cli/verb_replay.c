/* verb_replay.c - gbrun replay: stopping policies on samples that were recorded. */
#include "core/cli/verbs.h"
#include "core/replay/replay.h"
#include "core/report/plot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct verb_option options[] = {
    {"policy", 'P', "TEXT...",
     "a policy: the name of a plugin, of a [policy NAME] of -c, or a path, then key=value for its "
     "options, with blanks between; may be repeated; all there are if not given"},
    CONFIG_OPTIONS,
    {"run", 'r', "N|all", "of results files: the run, counted from 1; the newest if not given"},
    {"where", 'w', "EXPR", "of results files: only cases for which the SQL expression is true"},
    {"min-samples", 0, "N", "samples that a policy gets at least, as min_samples of a benchmark"},
    {"max-samples", 0, "N", "samples after which it ends, as max_samples"},
    {"max-time", 0, "DURATION", "recorded time after which it ends, as max_time"},
    {"max-time-undecided", 0, "DURATION",
     "the same while the policy is undecided, as max_time_undecided"},
    {"time-limit", 0, "DURATION", "time after which a policy that still computes is killed"},
    {"input", 'i', "csv|f32|f64", "what files of samples hold, whatever their names"},
    {"column", 0, "NAME|N", "of CSV: the column with the times, by its head or its number from 1"},
    {"unit", 'u', "ns|us|ms|s",
     "of files of samples; if not given: that of the head (time_ns, Time (sec)) or of a column "
     "time_unit; s for f32 and f64"},
    {"tick", 0, "DURATION",
     "of files of samples: the resolution of the timer they were taken with"},
    {"overhead", 0, "DURATION", "for files of samples: the untimed overhead of each sample"},
    {"plot", 0, "FILE",
     "draw the samples, their running relative standard deviation, entropy and median, and where "
     "each policy stops; FILE is .svg, .png or .pdf; of several cases FILE-1, FILE-2, ..."},
    {"format", 'f', "FORMAT", "table, csv, json, jsonl or md"},
};

/* One operand, open. */
struct source {
    const char *path;
    bool is_results;
    struct store *store;
    struct view_options options;
    struct view view;
    bool has_view;
};

struct job {
    const struct arguments *arguments;
    struct arena arena;
    struct error_list errors;
    struct source *sources;
    size_t n_sources;
    uint64_t n_expected; /* cases and files */
    struct replay_limits limits;
    struct trace_file_options file_options;
    struct trace_times times;
    struct replay_policies policies;
    struct replay_printer printer;
    size_t n_failed;
};

/* ---- the command line ---- */

/* "min_samples" for --min-samples, as benchmarks have it. */
static struct value read_guard(struct job *job, const char *name, const char *key)
{
    struct value value = {0};
    read_option(job->arguments, name, option_find(common_options(), key, NULL), &job->arena, &value,
                &job->errors);
    return value;
}

static double read_duration(struct job *job, const char *name)
{
    static const struct gb_option option = {.size = sizeof option,
                                            .type = GB_TYPE_DURATION,
                                            .name = "duration",
                                            .default_value = "0",
                                            .range = "0:1000 h"};
    struct value value = {0};
    read_option(job->arguments, name, &option, &job->arena, &value, &job->errors);
    return value.number;
}

static int read_file_options(struct job *job)
{
    const char *input = argument(job->arguments, "input"), *unit = argument(job->arguments, "unit");
    job->file_options.column = argument(job->arguments, "column");
    if (input) {
        int format = trace_format_named(input);
        if (format < 0)
            return fail_usage("--input %s: expected csv, f32 or f64", input);
        job->file_options.format = format;
    }
    if (unit) {
        job->file_options.unit_ns = trace_unit_ns(unit);
        if (!(job->file_options.unit_ns > 0))
            return fail_usage("--unit %s: expected ns, us, ms or s", unit);
    }
    job->times.tick_ns = read_duration(job, "tick");
    job->times.overhead_ns = read_duration(job, "overhead");
    return EXIT_FINE;
}

static void read_limits(struct job *job)
{
    struct guards *guards = &job->limits.guards;
    guards->min_samples = (uint64_t)read_guard(job, "min-samples", "min_samples").integer;
    guards->max_samples = (uint64_t)read_guard(job, "max-samples", "max_samples").integer;
    guards->max_time_ns = read_guard(job, "max-time", "max_time").number;
    guards->max_undecided_ns = read_guard(job, "max-time-undecided", "max_time_undecided").number;
    job->limits.time_limit_ns = read_guard(job, "time-limit", "time_limit").number;
}

static int read_policies(struct job *job)
{
    const char *path = argument(job->arguments, "config");
    const struct words overrides = argument_all(job->arguments, "set");
    const struct words texts = argument_all(job->arguments, "policy");
    const struct words folders = argument_all(job->arguments, "plugin-path");
    struct replay_request request = {.ini_folder = folder_of(path ? path : "", &job->arena),
                                     .texts = texts.items,
                                     .n_texts = texts.n,
                                     .plugin_path = folders.items,
                                     .n_plugin_path = folders.n};
    struct ini ini;
    if (overrides.n && !path)
        return fail_usage("--set %s: expected a configuration to override: -c FILE",
                          overrides.items[0]);
    if (path) {
        ini_read_file(path, &job->arena, &ini, &job->errors);
        ini_override(&ini, overrides.items, overrides.n, &job->arena, &job->errors);
        request.ini = &ini;
    }
    replay_policies_read(&request, &job->arena, &job->policies, &job->errors);
    return EXIT_FINE;
}

/* What is only of use for one kind of files, without a file of that kind. */
static int refuse_useless(const struct job *job, bool has_results, bool has_files)
{
    const char *of_results = ARGUMENT_AMONG(job->arguments, "run", "where");
    const char *of_files = ARGUMENT_AMONG(job->arguments, "input", "column", "unit", "tick",
                                          "overhead");
    if (of_results && !has_results)
        return fail_usage("--%s is for results files, and there is none among the files",
                          of_results);
    if (of_files && !has_files)
        return fail_usage("--%s is for files of samples, and there is none among the files",
                          of_files);
    return EXIT_FINE;
}

/* ---- files ---- */

static bool is_results_file(const char *path)
{
    static const char magic[] = "SQLite format 3";
    char head[sizeof magic] = "";
    FILE *file = text_equal(path, "-") ? NULL : fopen(path, "re");
    bool found = file && fread(head, 1, sizeof head, file) == sizeof head &&
                 memcmp(head, magic, sizeof magic) == 0;
    if (file)
        fclose(file);
    return found || text_ends_with(path, ".gbr");
}

static int open_source(struct job *job, struct source *source)
{
    struct gb_error error;
    source->options = (struct view_options){.where = argument(job->arguments, "where")};
    int code = open_results(job->arguments, source->path, &source->store, &source->options.run);
    if (code != EXIT_FINE)
        return code;
    if (view_open(source->store, &source->options, source->options.run, &source->view, &error) !=
        GB_OK)
        return fail_with(&error, EXIT_USAGE);
    source->has_view = true;
    return EXIT_FINE;
}

static int open_sources(struct job *job)
{
    const struct words files = results_files(job->arguments);
    bool has_results = false, has_files = false;
    job->n_sources = files.n;
    job->sources = ARENA_ARRAY(&job->arena, struct source, files.n);
    for (size_t i = 0; i < files.n; i++) {
        struct source *source = &job->sources[i];
        source->path = files.items[i];
        source->is_results = job->file_options.format == TRACE_AUTO &&
                             is_results_file(source->path);
        has_results = has_results || source->is_results;
        has_files = has_files || !source->is_results;
        int code = source->is_results ? open_source(job, source) : EXIT_FINE;
        if (code != EXIT_FINE)
            return code;
        job->n_expected += source->is_results ? source->view.n_entries : 1;
    }
    return refuse_useless(job, has_results, has_files);
}

static void close_sources(struct job *job)
{
    for (size_t i = 0; i < job->n_sources; i++) {
        if (job->sources[i].has_view)
            view_close(&job->sources[i].view);
        store_close(job->sources[i].store, NULL);
    }
}

/* ---- replaying ---- */

static void say_messages(const struct trace *trace, const struct replay_policy *policy,
                         const struct replay_result *result)
{
    for (const char *line = result->messages; *line;) {
        size_t n = strcspn(line, "\n");
        say("%s: %s: %.*s", trace->label, policy->label, (int)n, line);
        line += n + (line[n] == '\n');
    }
}

/* "out.svg", or of several cases "out-3.svg". */
static const char *plot_path(const struct job *job, struct arena *arena)
{
    const char *path = argument(job->arguments, "plot");
    const char *dot = strrchr(path, '.');
    if (job->n_expected == 1)
        return path;
    return arena_printf(arena, "%.*s-%zu%s", (int)(dot - path), path, job->printer.n_printed, dot);
}

static int plot_trace(const struct job *job, const struct trace *trace,
                      const struct replay_result *results, struct arena *arena)
{
    const char *path = plot_path(job, arena);
    struct gb_error error;
    int32_t status = replay_page_write(path, trace, &job->policies, results, &error);
    if (status == GB_OK)
        say("%s: %s", path, trace->label);
    return status == GB_OK ? EXIT_FINE : fail_with(&error, EXIT_INTERNAL);
}

static int replay_trace(struct job *job, struct trace *trace, struct arena *arena)
{
    struct replay_policies *policies = &job->policies;
    struct replay_result *results = ARENA_ARRAY(arena, struct replay_result, policies->n);
    struct gb_error error;
    for (size_t i = 0; i < policies->n; i++) {
        if (replay_run(&policies->items[i], trace, &job->limits, arena, &results[i], &error) !=
            GB_OK)
            return fail_with(&error, EXIT_INTERNAL);
        say_messages(trace, &policies->items[i], &results[i]);
        job->n_failed += results[i].has_failed;
    }
    replay_print(&job->printer, trace, policies, results);
    fwrite(text_get(&job->printer.out), 1, job->printer.out.length, stdout);
    text_clear(&job->printer.out);
    return argument(job->arguments, "plot") ? plot_trace(job, trace, results, arena) : EXIT_FINE;
}

static int replay_source(struct job *job, struct source *source)
{
    size_t n = source->is_results ? source->view.n_entries : 1;
    int code = EXIT_FINE;
    for (size_t i = 0; i < n && code == EXIT_FINE; i++) {
        CLEANUP(arena_free) struct arena arena = {0};
        struct gb_error error;
        struct trace trace;
        int32_t status = source->is_results ? trace_of_case(&source->view, &source->view.entries[i],
                                                            source->path, &arena, &trace, &error)
                                            : trace_of_file(source->path, &job->file_options,
                                                            &job->times, &arena, &trace, &error);
        if (status == GB_NOT_FOUND) {
            say("left out: %s", error.text);
            continue;
        }
        if (status != GB_OK)
            return fail_with(&error, EXIT_USAGE);
        code = replay_trace(job, &trace, &arena);
        trace_free(&trace);
    }
    return code;
}

static int replay_all(struct job *job)
{
    int code = EXIT_FINE;
    for (size_t i = 0; i < job->n_sources && code == EXIT_FINE; i++)
        code = replay_source(job, &job->sources[i]);
    if (code == EXIT_FINE && job->printer.n_printed == 0)
        return fail_usage("there is nothing to replay: no case with samples");
    replay_print_end(&job->printer);
    fwrite(text_get(&job->printer.out), 1, job->printer.out.length, stdout);
    if (code == EXIT_FINE && job->n_failed > 0)
        code = EXIT_CASE_FAILED;
    return code;
}

static int run_replay(const struct arguments *arguments)
{
    struct job job = {.arguments = arguments};
    struct gb_error error;
    const char *plot = argument(arguments, "plot");
    int code = read_format(arguments, FORMAT_TABLE, &job.printer.format);
    if (code == EXIT_FINE && plot && plot_check(plot, &error) != GB_OK)
        code = fail_with(&error, EXIT_USAGE);
    if (code == EXIT_FINE)
        code = read_file_options(&job);
    if (code == EXIT_FINE) {
        read_limits(&job);
        code = open_sources(&job);
    }
    if (code == EXIT_FINE)
        code = read_policies(&job);
    error_list_sort(&job.errors);
    say_errors(&job.errors);
    if (code == EXIT_FINE && !error_list_empty(&job.errors))
        code = EXIT_USAGE;
    if (code == EXIT_FINE)
        code = replay_all(&job);
    replay_policies_free(&job.policies);
    close_sources(&job);
    error_list_free(&job.errors);
    text_free(&job.printer.out);
    arena_free(&job.arena);
    return code;
}

const struct verb verb_replay = {
    .name = "replay",
    .operands = "[FILE...]",
    .summary = "Show where stopping policies would have stopped on recorded samples",
    .help =
        "FILE is a results file, a CSV file with one sample a line, or a file of little-endian "
        "numbers (.f32, or .bin as nvbench --jsonbin writes them, .f64); - is CSV on standard "
        "input, and results.gbr is read if there is none.\nFor each policy: after how many "
        "samples it stops and why, its estimate and interval, and how these compare with the "
        "median of all samples (between the ticks, if the timer was dithered). \"not yet\": the "
        "samples ended first. Policies run in processes of their own; one that crashes loses its "
        "line.",
    VERB_OPTIONS(options),
    .run = run_replay,
};
