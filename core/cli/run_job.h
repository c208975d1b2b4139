/*
 * run_job.h - one run, from a configuration to the end of its measuring: what `gbrun run` and
 * `gbrun ab` have in common.
 */
#pragma once

#include "core/cli/verbs.h"
#include "core/run/supervisor.h"
#include "core/store/store_read.h"
#include "core/view/views.h"

enum { SCRATCH_TEXT = 256 };

/* Zero-initialize; set what is asked for, then run_job_open, run_job_measure, and run_job_close in
 * any case. The functions say their errors and return exit codes. */
struct run_job {
    const struct arguments *arguments; /* of the verb: --config, --output, --resume, --label ... */
    const struct ab_given *ab;         /* NULL: not for ab */
    const struct fact *facts;          /* of the run, over all others */
    size_t n_facts;
    const struct ini *made; /* a configuration from words instead of a file; NULL: there is none */

    bool has_colours;           /* the table at the end */
    const char *baseline;       /* number of the run that it compares with; NULL: with none */
    char scratch[SCRATCH_TEXT]; /* a folder for temporary results; "": there is none */
    struct configuration configuration;
    struct store *store;
    const char *store_path;
    int64_t run_id, run_number; /* run_number: RUN_NEWEST of a fresh one */
    char run_uuid[UUID_TEXT];
    char config_sha256[SHA256_TEXT]; /* of a run that is resumed; "": not known yet */
    struct device_list devices;
    const char *busy; /* what other programs did when it began, if that was much; NULL */
    struct visit_key *done, *done_in_order; /* ascending; as they were measured */
    size_t n_done;
    uint64_t n_visits;
    struct run_plan plan; /* what is not of this run alone is filled in when it is measured */
    struct worker_process worker; /* this and spare: see struct run_plan */
    struct spare_worker spare;
    struct run_search *searches; /* of benchmarks with `search`; NULL: there are none */

    struct progress progress;
    struct events events;
    bool has_events;          /* somebody listens: --events */
    bool has_begun;           /* they have heard of the run */
    struct run_counts counts; /* of what was measured */
    /* What the exit code follows from beside that. */
    struct case_counts all; /* of the whole run, if it was resumed */
    bool is_empty;          /* nothing at all was measured */
    bool is_strict;         /* --strict, which looks at: */
    struct view_counts strict;
};

/* A fresh run: the configuration is read, the file opened; or the newest run of --resume FILE, or
 * that of --run. */
int run_job_open(struct run_job *job);
/* Instead: prints what would be measured, in order, and for how long; opens no file for
 * writing. format: as of plan_write. */
int run_job_plan(struct run_job *job, int format);
/* Instead of the file that --output names: one that run_job_close removes. */
int run_job_open_scratch(struct run_job *job);
/* Measures. EXIT_FINE, EXIT_CASE_FAILED or EXIT_NOT_AS_WANTED: there are results, in counts. */
int run_job_measure(struct run_job *job);
/* The code, or that of a failure to close the file. */
int run_job_close(struct run_job *job, int code);
/* Measures if the code is EXIT_FINE, prints the table (FORMAT_... of views.h; relative_to: as in
 * view_options) and closes. */
int run_job_finish(struct run_job *job, int code, int format, const char *relative_to);
