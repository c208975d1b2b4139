/* run_job.c - see run_job.h. */
#include "core/cli/run_job.h"

#include "core/cli/plan.h"
#include "core/cli/run_record.h"
#include "core/cli/run_search.h"

#include "core/base/output_file.h"
#include "core/base/plain_text.h"
#include "core/compare/compare_text.h"
#include "core/run/device_groups.h"
#include "core/run/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- events ---- */

/* No process that is started from now on has the descriptor: it is closed when this one ends. */
static int open_events(struct run_job *job)
{
    const char *given = argument(job->arguments, "events");
    char *end = NULL;
    if (!given)
        return EXIT_FINE;
    const long fd = strtol(given, &end, 10);
    if (*given < '0' || *given > '9' || *end || fd <= STDERR_FILENO || fd > INT_MAX)
        return fail_usage("--events %s: expected the number of a descriptor from 3 on, such as in "
                          "`gbrun run --events 3 3>events.jsonl`",
                          given);
    const int flags = fcntl((int)fd, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
        return fail_usage("--events %s: descriptor %ld is %s: expected one open for writing, such "
                          "as in `gbrun run --events 3 3>events.jsonl`",
                          given, fd, flags < 0 ? "not open" : "only open for reading");
    fcntl((int)fd, F_SETFD, FD_CLOEXEC);
    line_output_open(&job->events.output, (int)fd);
    job->has_events = true;
    return EXIT_FINE;
}

static struct events *events_of(struct run_job *job)
{
    return job->has_events ? &job->events : NULL;
}

static void begin_events(struct run_job *job, uint64_t n_done)
{
    const struct events_run run = {
        .uuid = job->run_uuid,
        .results = path_from(".", job->store_path, &job->configuration.arena),
        .n_visits = job->n_visits,
        .n_done = n_done,
        .is_of_ab = job->ab != NULL};
    events_run_begin(events_of(job), &run);
    job->has_begun = true;
}

static void end_events(struct run_job *job, int code)
{
    const char *reason;
    if (!job->has_events)
        return;
    if (job->has_begun)
        events_run_end(&job->events, code, job->counts.n_bad, job->counts.n_left);
    const uint64_t n_lost = events_close(&job->events, &reason);
    if (n_lost > 0)
        say("gbrun: --events: %llu lines could not be written: %s", (unsigned long long)n_lost,
            reason);
}

/* ---- opening ---- */

static int check_labels(const struct arguments *arguments)
{
    const struct words given = argument_all(arguments, "label");
    for (size_t i = 0; i < given.n; i++)
        if (*given.items[i] == '=' || !strchr(given.items[i], '='))
            return fail_usage("--label %s: expected NAME=TEXT, such as commit=1a2b3c4",
                              given.items[i]);
    const char *baseline = argument(arguments, "save-baseline");
    return baseline && !*baseline ? fail_usage("--save-baseline '': expected a name") : EXIT_FINE;
}

int run_job_open_scratch(struct run_job *job)
{
    struct gb_error error;
    snprintf(job->scratch, sizeof job->scratch, "%.200s/gbrun-run-XXXXXX", temporary_folder());
    if (!mkdtemp(job->scratch)) {
        error_set(&error, GB_IO, "%s: cannot be made: %s", job->scratch, reason_of(errno));
        *job->scratch = 0;
        return fail_with(&error, EXIT_INTERNAL);
    }
    job->store_path = arena_printf(&job->configuration.arena, "%s/results.gbr", job->scratch);
    return open_to_write(job->store_path, &job->store, &error) == GB_OK
               ? EXIT_FINE
               : fail_with(&error, EXIT_INTERNAL);
}

int run_job_open(struct run_job *job)
{
    struct gb_error error;
    int code = open_events(job);
    if (code == EXIT_FINE && argument(job->arguments, "resume"))
        return run_resume(job);
    if (code == EXIT_FINE)
        code = check_labels(job->arguments);
    if (code == EXIT_FINE)
        code = configuration_read(job->arguments,
                                  (struct configuration_source){.ab = job->ab, .made = job->made},
                                  &job->configuration);
    if (code != EXIT_FINE)
        return code;
    job->store_path = argument(job->arguments, "output");
    if (!job->store_path && job->made)
        return run_job_open_scratch(job);
    if (!job->store_path)
        job->store_path = settings_run(job->configuration.settings)->results;
    if (open_to_write(job->store_path, &job->store, &error) != GB_OK)
        return fail_with(&error, EXIT_INTERNAL);
    return argument(job->arguments, "continue") ? run_resume_newest(job) : EXIT_FINE;
}

/* ---- measuring ---- */

static int32_t count_visits(struct run_job *job, uint64_t *ret_n_done, struct gb_error *error)
{
    CLEANUP(text_free) struct text notes = {0};
    int32_t status = schedule_count(&job->plan.schedule, &job->n_visits, ret_n_done, &notes, error);
    if (notes.length)
        fputs(make_plain(notes.data), stderr);
    return status;
}

/* A run's table says it again: on a terminal it goes with what is erased before that. */
static void begin_progress(struct run_job *job, uint64_t n_done)
{
    struct progress *progress = &job->progress;
    CLEANUP(text_free) struct text busy = {0};
    const bool is_quiet = argument(job->arguments, "quiet") != NULL;
    if (job->busy)
        text_printf(
            &busy,
            "gbrun: the machine is busy: %s: ps -eo pcpu,pid,args --sort=-pcpu shows the cause",
            job->busy);
    progress_begin(progress, is_quiet, argument(job->arguments, "color"), job->n_visits, n_done);
    progress->is_brief = job->ab && !argument(job->arguments, "verbose");
    progress->has_warnings = job->ab != NULL;
    const bool is_shown = !job->ab && progress_use_block(progress, text_get(&busy));
    if (busy.length && !is_quiet && !is_shown)
        progress_line(progress, "%s", text_get(&busy));
}

static int32_t find_verdict(struct run_job *job, struct gb_error *error)
{
    const struct view_options view = {.run = job->run_number, .is_fresh = true};
    job->is_strict = !job->ab && argument(job->arguments, "strict");
    int32_t status = store_case_counts(job->store, job->run_id, &job->all, error);
    job->is_empty = !job->counts.is_cancelled && !job->plan.claims && job->n_visits > 0 &&
                    job->all.done == job->all.skipped;
    return status == GB_OK && job->is_strict ? view_count(job->store, &view, &job->strict, error)
                                             : status;
}

static int code_of(const struct run_job *job)
{
    if (job->counts.n_bad > 0 || job->counts.is_cancelled ||
        (job->is_empty && (job->ab || job->all.skipped == 0)))
        return EXIT_CASE_FAILED;
    return job->is_strict ? code_if_strict(&job->strict) : EXIT_FINE;
}

static void fill_schedule(struct run_job *job)
{
    struct schedule *schedule = &job->plan.schedule;
    schedule->sweep = job->configuration.sweep;
    schedule->devices = &job->devices;
    schedule->is_searched = job->searches ? run_search_cases(job->searches) : NULL;
    schedule->distribute = settings_run(job->configuration.settings)->distribute;
    schedule->breakdown = argument(job->arguments, "breakdown") != NULL;
    schedule->done = job->done;
    schedule->n_done = job->n_done;
}

static int32_t find_devices(struct run_job *job, struct gb_error *error)
{
    struct configuration *configuration = &job->configuration;
    const struct plugin_settings *devices;
    size_t n_auto, n = settings_devices(configuration->settings, &devices, &n_auto);
    const uint32_t n_each = (uint32_t)settings_run(configuration->settings)->gpus_per_case;
    const bool profiles = job->plan.schedule.profiles;
    if (n_each > 0 && profiles)
        return error_set(error, GB_INVALID,
                         "gpus_per_case = %u: is not for --profile, whose worker sees all GPUs",
                         n_each);
    const int32_t status = devices_find(devices, n, n_auto, true, &configuration->arena,
                                        &job->devices, profiles ? NULL : &job->spare, error);
    if (status != GB_OK || n_each == 0)
        return status;
    CLEANUP(text_free) struct text notes = {0};
    const struct node_task task = node_task_of_environment();
    device_groups_make(&job->devices, n_each, &task, &configuration->arena, &notes);
    if (notes.length)
        fputs(text_get(&notes), stderr);
    return GB_OK;
}

/* "cuda:0", or "cuda:0, cuda:1" of a case that is spread over both; they are noted in *used. */
static const char *devices_of(const struct run_job *job, struct visit *visit, bool *used)
{
    CLEANUP(text_free) struct text names = {0};
    for (size_t i = 0; i < visit->devices.n; i++) {
        const struct known_device *device = visit->devices.items[i];
        used[device - job->devices.items] = true;
        text_printf(&names, "%s%s:%u", i ? ", " : "", device->settings->name, device->info.index);
    }
    return arena_text(&visit->arena, text_get(&names));
}

/* Workers that measure at the same time. */
static size_t count_at_once(const struct run_job *job, const bool *used)
{
    const int64_t jobs = settings_run(job->configuration.settings)->jobs;
    size_t n = 0;
    for (size_t i = 0; i < job->devices.n; i++)
        n += used[i];
    if (jobs > 0 && (size_t)jobs < n)
        n = (size_t)jobs;
    return n ? n : 1;
}

/* All visits of the first round stand for their cases. */
static int32_t add_visits(struct run_job *job, struct plan *plan, bool *used,
                          struct gb_error *error)
{
    struct schedule *schedule = &job->plan.schedule;
    struct visit *visit;
    int32_t status = schedule_next(schedule, &visit, error);
    while (status == GB_OK && visit && visit->round == 0) {
        const struct device_set *devices = &visit->devices;
        plan_add(plan, &visit->bench_case, text_get(&visit->label), devices_of(job, visit, used),
                 devices->n ? devices->items[0]->info.model : "", visit->refusal);
        visit_free(visit);
        status = schedule_next(schedule, &visit, error);
    }
    visit_free(status == GB_OK ? visit : NULL);
    return status;
}

/* Times of the results file, if it is there. */
static int32_t read_past(const struct run_job *job, struct plan *plan, struct gb_error *error)
{
    const char *given = argument(job->arguments, "estimate");
    const char *path = given ? given : argument(job->arguments, "output");
    if (!path)
        path = settings_run(job->configuration.settings)->results;
    return given || access(path, F_OK) == 0 ? plan_read(plan, path, error) : GB_OK;
}

int run_job_plan(struct run_job *job, int format)
{
    CLEANUP(plan_free) struct plan plan = {0};
    CLEANUP(text_free) struct text text = {0}, summary = {0};
    struct gb_error error;
    uint64_t n_done;
    int code = configuration_read(job->arguments, (struct configuration_source){0},
                                  &job->configuration);
    if (code != EXIT_FINE)
        return code;
    if (read_past(job, &plan, &error) != GB_OK)
        return fail_with(&error, EXIT_USAGE);
    if (find_devices(job, &error) != GB_OK)
        return fail_with(&error, EXIT_INTERNAL);
    fill_schedule(job);
    bool *used = ARENA_ARRAY(&plan.arena, bool, job->devices.n + 1);
    if (count_visits(job, &n_done, &error) != GB_OK ||
        add_visits(job, &plan, used, &error) != GB_OK)
        return fail_with(&error, EXIT_INTERNAL);
    plan_write(&plan, format, &text);
    plan_summary(&plan, count_at_once(job, used), &summary);
    fputs(make_plain(text.data), stdout);
    fprintf(stderr, "nothing is measured: %s", make_plain(summary.data));
    return EXIT_FINE;
}

/* Searches decide after all that others measure. `gbrun ab` and profilers measure what they are
 * given. */
static int32_t find_searches(struct run_job *job, struct gb_error *error)
{
    if (job->plan.on_round || job->plan.schedule.profiles)
        return GB_OK;
    int32_t status = run_search_new(job, &job->searches, error);
    if (job->searches) {
        job->plan.on_round = run_search_round;
        job->plan.context = job->searches;
    }
    return status;
}

/* Before anything is stored of the run, which has its UUID from here. */
static int32_t open_claims(struct run_job *job, struct gb_error *error)
{
    const char *folder = argument(job->arguments, "claim");
    CLEANUP(text_free) struct text config = {0};
    char plan[SHA256_TEXT];
    if (job->run_id == 0)
        uuid_new(job->run_uuid);
    if (!folder)
        return GB_OK;
    if (job->searches)
        return error_set(error, GB_INVALID, "--claim: is not for benchmarks with a search");
    run_record_hash(job, &config, plan);
    return claims_open(folder, plan, sweep_size(job->configuration.sweep), job->run_uuid,
                       settings_run(job->configuration.settings)->claim_limit_ns, &job->plan.claims,
                       error);
}

/* What a shell has opened for appending; it has the head of a results file once that is open. */
static int check_descriptors(const struct run_job *job)
{
    const int files[] = {STDOUT_FILENO, job->events.output.fd};
    const size_t n = job->has_events ? 2 : 1;
    char path[32];
    for (size_t i = 0; i < n; i++) {
        snprintf(path, sizeof path, "/proc/self/fd/%d", files[i]);
        if (output_is_database(path))
            return fail_usage("%s: an SQLite file, such as a results file, which "
                              "would be overwritten: choose another file",
                              i == 0 ? "standard output" : "--events");
    }
    return EXIT_FINE;
}

int run_job_measure(struct run_job *job)
{
    struct run_plan *plan = &job->plan;
    struct run_counts *counts = &job->counts;
    struct gb_error error;
    uint64_t n_done;
    if (check_descriptors(job) != EXIT_FINE)
        return EXIT_USAGE;
    if (find_searches(job, &error) != GB_OK)
        return fail_with(&error, EXIT_USAGE);
    fill_schedule(job);
    job->busy = machine_load_is_ignored() ? NULL : machine_load(&job->configuration.arena);
    if (find_devices(job, &error) != GB_OK || count_visits(job, &n_done, &error) != GB_OK ||
        open_claims(job, &error) != GB_OK ||
        (job->run_id == 0 ? run_record_begin(job, &error)
                          : run_resume_compare_devices(job, &error)) != GB_OK)
        return fail_with(&error, error.status == GB_INVALID ? EXIT_USAGE : EXIT_INTERNAL);
    begin_progress(job, n_done);
    begin_events(job, n_done);
    plan->schedule.claims = plan->claims;
    plan->params = settings_run(job->configuration.settings);
    plan->store = job->store;
    plan->run_id = job->run_id;
    plan->progress = &job->progress;
    plan->events = events_of(job);
    plan->worker = plan->schedule.profiles ? &job->worker : NULL;
    plan->spare = &job->spare;
    int32_t status = supervise(plan, counts, &error);
    const bool has_more = job->progress.n_total > job->n_visits; /* with rounds = auto */
    job->n_visits = job->progress.n_total;
    progress_end(&job->progress, !counts->is_cancelled);
    if (status != GB_OK) {
        say_error(&error);
        say("gbrun: earlier results are in %s; to continue: gbrun %s --resume %s", job->store_path,
            job->ab ? "ab" : "run", job->store_path);
        return EXIT_INTERNAL;
    }
    char finished[UTC_TEXT];
    utc_text(finished);
    status = find_verdict(job, &error);
    /* Without other tasks' cases. */
    if (status == GB_OK && (plan->claims || has_more) && !counts->is_cancelled)
        status = store_run_count(job->store, job->run_id, (uint64_t)job->all.done, &error);
    if (status == GB_OK && !counts->is_cancelled)
        status = store_run_end(job->store, job->run_id, finished, code_of(job), &error);
    return status == GB_OK ? code_of(job) : fail_with(&error, EXIT_INTERNAL);
}

static void remove_scratch(const char *scratch)
{
    char path[SCRATCH_TEXT + 16];
    if (!*scratch)
        return;
    snprintf(path, sizeof path, "%s/results.gbr", scratch);
    unlink(path);
    rmdir(scratch);
}

int run_job_close(struct run_job *job, int code)
{
    struct gb_error error;
    spare_worker_end(&job->spare);
    claims_close(job->plan.claims);
    if (store_close(job->store, &error) != GB_OK)
        code = fail_with(&error, EXIT_INTERNAL);
    end_events(job, code);
    run_search_free(job->searches);
    free(job->done);
    free(job->done_in_order);
    configuration_free(&job->configuration);
    remove_scratch(job->scratch);
    return code;
}

/* ---- the end: table, verdict ---- */

static void say_verdict(const struct run_job *job)
{
    if (job->counts.is_cancelled && !*job->scratch && !job->plan.schedule.profiles)
        say("gbrun: stopped with %llu of %llu cases left; to finish them: gbrun run "
            "--resume %s",
            (unsigned long long)job->counts.n_left, (unsigned long long)job->n_visits,
            job->store_path);
    else if (job->is_empty)
        say("gbrun: nothing was measured: %lld of %lld visits were skipped",
            (long long)job->all.skipped, (long long)job->all.done);
    else if (job->is_strict)
        say_if_strict(&job->strict);
}

static int report_beside_baseline(const struct run_job *job)
{
    const struct arguments *arguments = job->arguments;
    const char *format = argument(arguments, "format");
    char number[NUMBER_TEXT_MAX];
    snprintf(number, sizeof number, "%lld", (long long)job->run_number);
    const int code = compare_stored(job->store, job->store_path, job->baseline,
                                    job->run_number == RUN_NEWEST ? "newest" : number,
                                    compare_format_named(format ? format : "table"),
                                    argument(arguments, "strict"), job->has_colours);
    say_verdict(job);
    return code;
}

static int report(struct run_job *job, int format, const char *relative_to)
{
    struct gb_error error;
    struct view_options view = {.format = format,
                                .run = job->run_number,
                                .relative_to = relative_to,
                                .is_fresh = true,
                                .path = *job->scratch ? NULL : job->store_path,
                                .limit = SHOW_CASES,
                                .has_colours = job->has_colours,
                                .breakdown = argument(job->arguments, "breakdown") != NULL,
                                .verbose = argument(job->arguments, "verbose") != NULL};
    if (job->baseline && !job->counts.is_cancelled)
        return report_beside_baseline(job);
    if (print_view(job->store, &view, &error) != GB_OK)
        return fail_with(&error, EXIT_INTERNAL);
    say_verdict(job);
    return EXIT_FINE;
}

int run_job_finish(struct run_job *job, int code, int format, const char *relative_to)
{
    if (code == EXIT_FINE)
        code = run_job_measure(job);
    if (code == EXIT_FINE || code == EXIT_CASE_FAILED || code == EXIT_NOT_AS_WANTED) {
        int reported = job->run_id ? report(job, format, relative_to) : EXIT_FINE;
        code = reported == EXIT_FINE ? code : reported;
    }
    return run_job_close(job, code);
}
