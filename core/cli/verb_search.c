/* verb_search.c - gbrun search: what the searches of a run found; and searches on a recorded space,
 * in the time that they would have taken. */
#include "core/base/input_file.h"
#include "core/base/statistics.h"
#include "core/cli/verbs.h"
#include "core/config/value.h"
#include "core/run/search_process.h"
#include "core/search/simulation.h"
#include "core/view/search_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct verb_option options[] = {
    {"run", 'r', "RUN",
     "the run: its number, newest (if not given), previous, or NAME=VALUE of a label"},
    {"space", 0, "FILE",
     "a recorded space, T4 or a cache of Kernel Tuner, also compressed (.gz): search it in "
     "simulated time"},
    {"plugin", 0, "NAME", "with --space: the search; exhaustive if not given"},
    {"option", 0, "KEY=VALUE...",
     "with --space: an option of the search, such as tolerance=2%; may be repeated"},
    {"plugin-path", 'p', "FOLDER...", "look for plugins in FOLDER first; may be repeated"},
    {"repeat", 0, "N", "with --space: number of searches, each with another seed; 1"},
    {"lanes", 0, "N", "with --space: number of cases prepared at a time; 1"},
    {"run-overhead", 0, "DURATION",
     "with --space: overhead of each run, in addition to its time; 1 ms if not given"},
    {"until-found", 0, NULL,
     "with --space: a search ends when its best is within the tolerance of the optimum"}};

/* ---- a recorded space ---- */

struct job {
    const struct arguments *arguments;
    struct configuration configuration;
    const struct search_settings *settings;
    struct recording recording;
    struct simulation simulation;
    size_t n_repeats;
    struct simulated *results;
    /* of the search that runs */
    struct search_process process;
    bool is_open; /* with one lane: a visit is */
};

/* ---- what is given ---- */

static int read_numbers(struct job *job)
{
    enum { REPEAT, LANES, OVERHEAD, NUMBERS };
    static const struct gb_option options_of[NUMBERS] = {{.size = sizeof(struct gb_option),
                                                          .type = GB_TYPE_INT,
                                                          .name = "repeat",
                                                          .default_value = "1",
                                                          .range = "1:100000"},
                                                         {.size = sizeof(struct gb_option),
                                                          .type = GB_TYPE_INT,
                                                          .name = "lanes",
                                                          .default_value = "1",
                                                          .range = "1:256"},
                                                         {.size = sizeof(struct gb_option),
                                                          .type = GB_TYPE_DURATION,
                                                          .name = "run-overhead",
                                                          .default_value = "1ms",
                                                          .range = "0:1000 h"}};
    CLEANUP(error_list_free) struct error_list errors = {0};
    struct value values[NUMBERS];
    for (size_t i = 0; i < NUMBERS && error_list_empty(&errors); i++)
        read_option(job->arguments, options_of[i].name, &options_of[i], &job->configuration.arena,
                    &values[i], &errors);
    say_errors(&errors);
    if (!error_list_empty(&errors))
        return EXIT_USAGE;
    job->n_repeats = (size_t)values[REPEAT].integer;
    job->simulation = (struct simulation){
        .recording = &job->recording,
        .limits = search_limits(&job->settings->params, (uint32_t)values[LANES].integer),
        .overhead_ns = values[OVERHEAD].number,
        .is_until_found = argument(job->arguments, "until-found") != NULL};
    return EXIT_FINE;
}

static void set_options(const struct arguments *arguments, struct ini *ini, struct arena *arena,
                        struct error_list *errors)
{
    const struct words given = argument_all(arguments, "option");
    for (size_t i = 0; i < given.n; i++) {
        const char *word = given.items[i], *equals = strchr(word, '=');
        if (equals)
            ini_set(ini, "search space", arena_text_n(arena, word, (size_t)(equals - word)),
                    equals + 1, "--option", arena, errors);
        else
            error_list_add(errors, (struct origin){.file = "--option"},
                           "'%s' has no '=': \1expected KEY=VALUE, such as tolerance=2%%", word);
    }
}

/* The search as a section of a configuration, so that its options are checked as there. */
static int read_search(struct job *job)
{
    static const char path[] = "gbrun search --space";
    CLEANUP(arena_free) struct arena arena = {0};
    CLEANUP(error_list_free) struct error_list errors = {0};
    CLEANUP(text_free) struct text text = {0};
    const char *plugin = argument(job->arguments, "plugin");
    struct ini ini;
    text_printf(&text,
                "[search space]\nplugin = %s\n[bench recorded]\nplugin = nop\nsearch = space\n",
                plugin ? plugin : "exhaustive");
    ini_read_text(path, text_get(&text), text.length, &arena, &ini, &errors);
    set_options(job->arguments, &ini, &arena, &errors);
    say_errors(&errors);
    if (!error_list_empty(&errors))
        return EXIT_USAGE;
    const int code = configuration_read(job->arguments, (struct configuration_source){.made = &ini},
                                        &job->configuration);
    arena_adopt(&job->configuration.arena, &arena);
    if (code == EXIT_FINE)
        job->settings = sweep_part(job->configuration.sweep, 0).search;
    return code;
}

/* ---- the space ---- */

static const size_t SPACE_MOST = (size_t)4 << 30; /* bytes */

static int read_space(struct job *job)
{
    CLEANUP(text_free) struct text text = {0};
    const char *path = argument(job->arguments, "space");
    struct gb_error error;
    int32_t status = input_read(path, SPACE_MOST, &text, &error);
    if (status == GB_OK)
        status = recorded_read(path, text_get(&text), text.length, &job->recording, &error);
    return status == GB_OK ? EXIT_FINE : fail_with(&error, EXIT_USAGE);
}

/* ---- searches ---- */

static void say_line(void *context, const char *line)
{
    const struct job *job = context;
    say("search %s: %s", job->settings->plugin->info->plugin.id, line);
}

/* A search that asks for what does not exist has ended, as has one whose process has. */
static bool next(void *context, struct engine_step *ret_step, struct engine_report *ret_report)
{
    struct job *job = context;
    if (job->simulation.limits.lanes == 1 && job->is_open) {
        *ret_step = (struct engine_step){.action = ENGINE_WAIT};
        return true;
    }
    if (search_process_next(&job->process, ret_step, ret_report) != SEARCH_STEP)
        return false;
    job->is_open = true;
    return true;
}

static void observe(void *context, const struct gb_observation *observation)
{
    struct job *job = context;
    job->is_open = false;
    search_process_observe(&job->process, observation);
}

static int search_all(struct job *job)
{
    const struct simulated_search search = {.context = job, .next = next, .observe = observe};
    job->results = memory_allocate(job->n_repeats * sizeof *job->results);
    for (size_t i = 0; i < job->n_repeats; i++) {
        struct gb_error error;
        job->process = (struct search_process){.line = say_line, .context = job};
        job->is_open = false;
        if (search_process_start(&job->process, job->settings, i + 1, job->simulation.limits.lanes,
                                 job->recording.space, &error) != GB_OK)
            return fail_with(&error, EXIT_INTERNAL);
        simulation_run(&job->simulation, &search, i + 1, &job->results[i]);
        search_process_free(&job->process);
        if (job->results[i].is_broken)
            return fail_usage("--plugin: the search with seed %zu: %s", i + 1,
                              job->results[i].reason);
    }
    return EXIT_FINE;
}

/* ---- the summary ---- */

enum figure { FOUND_NS, END_NS, CASES, RUNS_A_CASE, FIGURES };

/* The median and the 90th percentile by nearest rank. */
static void summarize(const struct job *job, enum figure figure, double ret[2])
{
    CLEANUP(free_pointer)
    double *values = memory_allocate(job->n_repeats * sizeof *values);
    for (size_t i = 0; i < job->n_repeats; i++) {
        const struct simulated *result = &job->results[i];
        const double n = (double)result->n_cases;
        const double figures[FIGURES] = {[FOUND_NS] = isnan(result->found_ns) ? INFINITY
                                                                              : result->found_ns,
                                         [END_NS] = result->end_ns,
                                         [CASES] = n,
                                         [RUNS_A_CASE] = n > 0 ? (double)result->n_runs / n : 0};
        values[i] = figures[figure];
    }
    ret[0] = sort_to_median(values, job->n_repeats);
    ret[1] = values[(9 * job->n_repeats + 9) / 10 - 1];
}

static void add_time(const struct job *job, const char *what, const double ns[2], struct text *out)
{
    char number[NUMBER_TEXT_MAX];
    text_printf(out, "%-22s", what);
    for (int i = 0; i < 2; i++) {
        text_add(out, i ? ", 90th percentile " : " median ");
        if (isinf(ns[i]))
            text_add(out, "never");
        else
            text_printf(out, "%s (%.2f %% of brute force)", format_time(ns[i], 3, number),
                        100 * ns[i] / job->simulation.brute_ns);
    }
    text_add(out, "\n");
}

static void add_space(const struct job *job, struct text *out)
{
    const struct simulation *simulation = &job->simulation;
    char number[NUMBER_TEXT_MAX], other[NUMBER_TEXT_MAX];
    text_printf(out, "%-22s %llu, optimum %s, brute force %s", "cases",
                (unsigned long long)job->recording.n_cases,
                format_time(simulation->optimum, 4, number),
                format_time(simulation->serial_ns, 4, other));
    if (simulation->limits.lanes > 1)
        text_printf(out, ", %s with %u lanes", format_time(simulation->brute_ns, 4, number),
                    simulation->limits.lanes);
    text_add(out, "\n");
}

static void add_counts(const struct job *job, struct text *out)
{
    double pair[2];
    size_t n_claims = 0, n_false = 0;
    for (size_t i = 0; i < job->n_repeats; i++) {
        n_claims += job->results[i].scope == GB_SCOPE_ALL;
        n_false += job->results[i].is_false;
    }
    summarize(job, CASES, pair);
    text_printf(out, "%-22s median %.0f, 90th percentile %.0f\n", "cases measured", pair[0],
                pair[1]);
    summarize(job, RUNS_A_CASE, pair);
    text_printf(out, "%-22s median %.2f, 90th percentile %.2f\n", "runs a case", pair[0], pair[1]);
    text_printf(out, "%-22s %zu, of them false %zu\n", "claims of all cases", n_claims, n_false);
}

static void print_all(const struct job *job)
{
    CLEANUP(text_free) struct text out = {0};
    double pair[2];
    size_t n_found = 0;
    for (size_t i = 0; i < job->n_repeats; i++)
        n_found += isfinite(job->results[i].found_ns) ? 1 : 0;
    add_space(job, &out);
    text_printf(&out, "%-22s %s, %zu time%s; within %.3g %% of the optimum in %zu\n", "search",
                job->settings->plugin->info->plugin.id, job->n_repeats,
                job->n_repeats == 1 ? "" : "s", 100 * job->simulation.limits.tolerance, n_found);
    summarize(job, FOUND_NS, pair);
    add_time(job, "found after", pair, &out);
    summarize(job, END_NS, pair);
    add_time(job, "ended after", pair, &out);
    add_counts(job, &out);
    fputs(text_get(&out), stdout);
}

/* Refuses options that would not be looked at. */
static int check_space_options(const struct arguments *arguments)
{
    const char *special = ARGUMENT_AMONG(arguments, "plugin", "option", "repeat", "lanes",
                                         "run-overhead", "until-found");
    const bool has_space = argument(arguments, "space");
    if (has_space && (argument(arguments, "run") || arguments->operands.n > 0))
        return fail_usage("--space: expected no results file and no --run with it");
    if (!has_space && special)
        return fail_usage("--%s is for recorded spaces: expected --space FILE with it", special);
    return EXIT_FINE;
}

static int run_on_space(const struct arguments *arguments)
{
    struct job job = {.arguments = arguments};
    struct gb_error error;
    int code = read_search(&job);
    if (code == EXIT_FINE)
        code = read_numbers(&job);
    if (code == EXIT_FINE)
        code = read_space(&job);
    if (code == EXIT_FINE &&
        simulation_prepare(&job.simulation, argument(arguments, "space"), &error) != GB_OK)
        code = fail_with(&error, EXIT_USAGE);
    if (code == EXIT_FINE)
        code = search_all(&job);
    if (code == EXIT_FINE)
        print_all(&job);
    simulation_free(&job.simulation);
    recorded_free(&job.recording);
    free(job.results);
    configuration_free(&job.configuration);
    return code;
}

/* ---- searches of a run ---- */

static int32_t write_searches(struct store *store, const char *path, int64_t number,
                              struct text *out, struct gb_error *error)
{
    CLEANUP(arena_free) struct arena arena = {0};
    struct stored_run *runs;
    const char **names;
    size_t n_runs;
    int32_t status = store_runs(store, number, &arena, &runs, &n_runs, error);
    if (status != GB_OK)
        return status;
    const size_t n = search_names(&runs[0], &arena, &names);
    if (n == 0)
        return error_set(error, GB_NOT_FOUND,
                         "%s: run %lld has no search: \1expected a run of benchmarks with "
                         "search = NAME",
                         path, (long long)runs[0].number);
    for (size_t i = 0; i < n; i++) {
        CLEANUP(search_found_free)
        struct search_found *found = search_read(store, &runs[0], names[i], error);
        if (!found)
            return error->status;
        text_add(out, i ? "\n" : "");
        search_write_facts(found, out);
        search_write_curve(found, out);
        search_write_front(found, out);
        search_write_axes(found, out);
    }
    return GB_OK;
}

static int run(const struct arguments *arguments)
{
    CLEANUP(text_free) struct text text = {0};
    const struct words files = results_files(arguments);
    CLEANUP(store_leave) struct store *store = NULL;
    struct gb_error error;
    int64_t number;
    int code = check_space_options(arguments);
    if (code != EXIT_FINE || argument(arguments, "space"))
        return code == EXIT_FINE ? run_on_space(arguments) : code;
    if (files.n > 1)
        return fail_usage("search: expected one results file");
    code = open_results(arguments, files.items[0], &store, &number);
    if (code != EXIT_FINE)
        return code;
    if (number == RUN_ALL)
        code = fail_usage("--run all: expected one run");
    else if (write_searches(store, files.items[0], number, &text, &error) != GB_OK)
        code = fail_with(&error, EXIT_USAGE);
    fputs(text_get(&text), stdout);
    return code;
}

const struct verb verb_search = {
    .name = "search",
    .operands = "[FILE]",
    .summary = "Show what the searches of a run found",
    .help =
        "Prints for each search of the run in FILE (results.gbr if none is given): the best case "
        "and what is claimed of it, the cases that are not ruled out, the best so far against the "
        "time of measuring, the front where it has several goals, and how much of the variation "
        "among the cases each axis explains alone. A search is a [search NAME] section, or the id "
        "of a search plugin, that benchmarks name: `search = NAME`, or gbrun run --search "
        "NAME.\nWith --space a search plugin runs on a recorded space instead: in simulated time, "
        "with what was recorded of compiling and of each run. It prints when the best case so far "
        "came within the tolerance of the optimum, as a share of the time for all cases with all "
        "their runs, and how many of the search's claims are false.",
    VERB_OPTIONS(options),
    .run = run,
};
