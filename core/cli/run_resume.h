/*
 * run_resume.h - goes on with a run of a results file: what is done of it is not measured again.
 * Changes of gbrun, plugins, devices and hosts since are said, or refused. Errors are said, and
 * exit codes returned.
 */
#pragma once

#include "core/cli/run_job.h"

/* Opens --resume FILE and takes up the newest run, or that of --run; with --shard another shard of
 * its plan. */
int run_resume(struct run_job *job);
/* The newest run of job's plan and shard, if its file has one; else nothing is taken up. */
int run_resume_newest(struct run_job *job);
/* Says where the devices are not those that the run was measured on before. */
int32_t run_resume_compare_devices(struct run_job *job, struct gb_error *error);
