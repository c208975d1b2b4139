/* verb_run.c - gbrun run: measures what a configuration asks for. */
#include "core/cli/run_job.h"
#include "core/cli/shard.h"
#include "core/compare/compare.h"
#include "core/view/views.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static const struct verb_option options[] = {
    CONFIG_OPTIONS,
    SELECT_OPTIONS,
    SHARD_OPTIONS,
    SETTING_OPTIONS,
    {"output", 'o', "FILE", "write the results to FILE instead of [gbrun] results"},
    {"resume", 'R', "FILE",
     "finish the newest run in FILE, with the configuration stored there; with --shard: measure "
     "that shard of the run's plan"},
    {"run", 0, "RUN", "with --resume: this run instead of the newest"},
    {"continue", 0, NULL,
     "finish the newest run of the same cases and shard in the results file, or start one: for "
     "jobs that are restarted"},
    {"claim", 0, "FOLDER",
     "share the cases with other tasks that use the same configuration and this shared folder: "
     "each takes cases that no other task has, including those of a task that died"},
    {"label", 0, "NAME=TEXT...",
     "a label of the run, by which it can be found and compared; may be repeated"},
    {"note", 0, "TEXT", "a note, shown by gbrun list runs"},
    {"save-baseline", 0, "NAME", "make this run the baseline NAME (label baseline = NAME)"},
    {"baseline", 0, "NAME",
     "end with a comparison with the baseline NAME of the results file, as gbrun compare prints "
     "it, and with its exit code; --format: table, md, csv or json"},
    {"accept-changes", 0, NULL,
     "with --resume: continue although gbrun or a plugin is a different build"},
    {"format", 'f', "FORMAT", "format of the table at the end: table, csv, json, jsonl or md"},
    {"dry-run", 'n', NULL,
     "print what would be measured, in order, and how long it will take, estimated from earlier "
     "runs in the results file; measure nothing"},
    {"estimate", 0, "FILE", "with --dry-run: take the times from FILE"},
    {"breakdown", 0, NULL, "time and show each kernel, copy and fill of every case"},
    {"profile", 0, "CASE",
     "measure only CASE, a number or a label of `gbrun list cases`, in this process, so that a "
     "profiler that started it can see it; results are kept only with --output"},
    {"events", 0, "FD",
     "write events to this descriptor, one JSON object per line: run_begin, case_begin, estimate, "
     "case_end, run_end"},
    COLOR_OPTION,
    {"quiet", 'q', NULL, "print only errors and the table"},
    {"strict", 0, NULL, "exit code 3 also if a case was skipped or is not certified"},
    {"verbose", 'v', NULL, "more columns, all messages"},
};

/* ---- one case for a profiler ---- */

/* By its number in the sweep, from 1, or its label. */
static int find_case(struct run_job *job, const char *name, struct arena *arena,
                     struct bench_case *ret)
{
    struct sweep *sweep = job->configuration.sweep;
    struct gb_error error;
    char *end = NULL;
    const uint64_t n = sweep_size(sweep), number = strtoull(name, &end, 10);
    const bool is_number = *name >= '0' && *name <= '9' && !*end;
    for (uint64_t i = 0; i < n; i++) {
        CLEANUP(text_free) struct text label = {0};
        if (is_number && i + 1 != number)
            continue;
        if (sweep_case(sweep, i, arena, ret, &error) != GB_OK)
            return fail_with(&error, EXIT_INTERNAL);
        bench_case_label(ret, &label);
        job->plan.schedule.profiled = i;
        if (is_number || text_equal(text_get(&label), name))
            return EXIT_FINE;
        arena_free(arena);
    }
    return fail_usage(
        "--profile %s: no case of the %llu has this %s; gbrun list cases -c %s lists them", name,
        (unsigned long long)n, is_number ? "number" : "label", job->configuration.path);
}

/* Returns in a child of this process, which has become the worker. */
static int open_profiled(struct run_job *job)
{
    CLEANUP(arena_free) struct arena arena = {0};
    struct bench_case profiled;
    struct gb_error error;
    if (ARGUMENT_AMONG(job->arguments, "resume", "breakdown", "events", "claim"))
        return fail_usage("--profile is not for --resume, --breakdown, --events or --claim");
    int code = configuration_read(job->arguments, (struct configuration_source){0},
                                  &job->configuration);
    if (code == EXIT_FINE)
        code = find_case(job, argument(job->arguments, "profile"), &arena, &profiled);
    if (code != EXIT_FINE)
        return code;
    if (worker_become(&job->worker, profiled.environment, profiled.n_environment, &error) != GB_OK)
        return fail_with(&error, EXIT_INTERNAL);
    job->plan.schedule.profiles = true;
    job->store_path = argument(job->arguments, "output");
    if (!job->store_path)
        return run_job_open_scratch(job);
    return open_to_write(job->store_path, &job->store, &error) == GB_OK
               ? EXIT_FINE
               : fail_with(&error, EXIT_INTERNAL);
}

/* ---- the verb ---- */

static int plan(struct run_job *job)
{
    const char *format_text = argument(job->arguments, "format");
    const int format = format_text ? format_named(format_text) : FORMAT_TABLE;
    if (ARGUMENT_AMONG(job->arguments, "resume", "profile", "events", "claim"))
        return fail_usage("--dry-run is not for --resume, --profile, --events or --claim");
    if (format != FORMAT_TABLE && format != FORMAT_CSV && format != FORMAT_MARKDOWN)
        return fail_usage("--format %s: expected table, csv or md with --dry-run", format_text);
    return run_job_plan(job, format);
}

/* --baseline: the number of its run, before this one may take its name. */
static int find_baseline(struct run_job *job)
{
    const char *name = argument(job->arguments, "baseline");
    struct arena *arena = &job->configuration.arena;
    struct gb_error error;
    int64_t number;
    if (!name)
        return EXIT_FINE;
    if (store_run_named(job->store, job->store_path,
                        arena_printf(arena, BASELINE_LABEL "=%s", name), &number,
                        &error) != GB_OK) {
        error_prefix(&error, "--baseline %s: ", name);
        return fail_with(&error, EXIT_USAGE);
    }
    job->baseline = arena_printf(arena, "%lld", (long long)number);
    return EXIT_FINE;
}

/* Several tasks that all measure everything are mostly a mistake. */
static void say_beside(const struct arguments *arguments)
{
    struct shard task;
    const char *variable;
    if (ARGUMENT_AMONG(arguments, "shard", "resume") || !shard_of_environment(&task, &variable))
        return;
    say("gbrun: warning: by %s this is task %u of %u, and each measures all cases: --shard auto "
        "deals them, --shard each says that it is meant so",
        variable, task.number, task.n);
}

static int run(const struct arguments *arguments)
{
    struct run_job job = {.arguments = arguments, .run_number = RUN_NEWEST};
    signal(SIGPIPE, SIG_IGN); /* a reader that went away must not end the measuring */
    int format, code = read_format(arguments, FORMAT_TABLE, &format);
    if (code == EXIT_FINE)
        code = read_color(arguments, &job.has_colours);
    if (code != EXIT_FINE)
        return code;
    if (argument(arguments, "dry-run"))
        return run_job_close(&job, plan(&job));
    if (argument(arguments, "estimate"))
        return fail_usage("--estimate is for --dry-run, which prints how long a run will take");
    if (argument(arguments, "continue") && ARGUMENT_AMONG(arguments, "resume", "profile"))
        return fail_usage("--continue is not for --resume or --profile");
    if (argument(arguments, "baseline") &&
        (argument(arguments, "profile") || format == FORMAT_JSONL))
        return fail_usage("--baseline is not for --profile or --format jsonl");
    say_beside(arguments);
    code = argument(arguments, "profile") ? open_profiled(&job) : run_job_open(&job);
    if (code == EXIT_FINE)
        code = find_baseline(&job);
    return run_job_finish(&job, code, format, NULL);
}

const struct verb verb_run = {
    .name = "run",
    .operands = "[NAME...]",
    .summary = "Measure every case of a configuration",
    .help =
        "Expands the sweeps of the configuration, measures each case in a worker process until its "
        "stopping policy is satisfied, checks its result, and stores it before the next one. Ends "
        "with a table of the run. Each NAME selects a benchmark, or several by a pattern such as "
        "'gemm*'; --where and --sample select cases. A NAME that ends in .ini is a configuration, "
        "as after --config: `gbrun bench.ini` means `gbrun run -c bench.ini`. A setting that "
        "changes nothing is an error. `gbrun help exit-codes` lists the exit codes.",
    VERB_OPTIONS(options),
    .run = run,
};
