/* run_report.c - how a run ends: measuring, its table, what is left to say; results that nobody
 * keeps. See run_job.h. */
#include "core/cli/run_job.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int run_job_open_scratch(struct run_job *job)
{
    const char *base = getenv("TMPDIR");
    struct gb_error error;
    snprintf(job->scratch, sizeof job->scratch, "%.200s/gbrun-run-XXXXXX",
             base && *base ? base : "/tmp");
    if (!mkdtemp(job->scratch)) {
        error_set(&error, GB_IO, "%s: cannot be made: %s", job->scratch, reason_of(errno));
        *job->scratch = 0;
        return fail_with(&error, EXIT_INTERNAL);
    }
    job->store_path = arena_printf(&job->configuration.arena, "%s/results.gbr", job->scratch);
    return store_open(job->store_path, STORE_WRITE, &job->store, &error) == GB_OK
               ? EXIT_FINE
               : fail_with(&error, EXIT_INTERNAL);
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

static void say_verdict(const struct run_job *job)
{
    const struct run_verdict *verdict = &job->verdict;
    if (job->counts.is_cancelled && !*job->scratch && !job->profiles)
        say("gbrun: stopped with %llu of %llu cases left; to finish them: gbrun run "
            "--resume %s",
            (unsigned long long)job->counts.n_left, (unsigned long long)job->n_visits,
            job->store_path);
    else if (verdict->is_empty)
        say("gbrun: nothing was measured: skipped %lld of %lld (each round counts)",
            (long long)verdict->all.skipped, (long long)verdict->all.done);
    else if (verdict->is_strict)
        say_if_strict(&verdict->strict);
}

static int report(struct run_job *job, int format, const char *relative_to)
{
    struct gb_error error;
    struct view_options view = {.format = format,
                                .run = job->run_number,
                                .relative_to = relative_to,
                                .is_fresh = true,
                                .limit = SHOW_CASES,
                                .has_colours = job->has_colours,
                                .breakdown = argument(job->arguments, "breakdown") != NULL,
                                .verbose = argument(job->arguments, "verbose") != NULL};
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
    code = run_job_close(job, code);
    remove_scratch(job->scratch);
    return code;
}
