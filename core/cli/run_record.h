/*
 * run_record.h - a run in its results file: command line, configuration and facts, when it begins;
 * what is done of it, when it is resumed. Of the latter, changes of gbrun, plugins, devices and
 * hosts since are said, or refused.
 */
#pragma once

#include "core/cli/run_job.h"

/* The configuration used, in `config`, and its hash (SHA256_TEXT); of a run that is resumed,
 * the hash that it began with: defaults are written out in its own configuration. */
const char *run_record_hash(const struct run_job *job, struct text *config, char *ret_text);
/* Begins the run in job->store and sets job->run_id. */
int32_t run_record_begin(struct run_job *job, struct gb_error *error);

/* Opens --resume FILE and takes up the newest run, or that of --run; with --shard another shard of
 * its plan. Says its errors and returns an exit code, as the next. */
int run_resume(struct run_job *job);
/* The newest run of job's plan and shard, if its file has one; else nothing is taken up. */
int run_resume_newest(struct run_job *job);
/* Says where the devices are not those that the run was measured on before. */
int32_t run_resume_compare_devices(struct run_job *job, struct gb_error *error);
