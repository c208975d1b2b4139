/* run_record.h - what a results file says of a whole run: command line, configuration, facts. */
#pragma once

#include "core/cli/run_job.h"

/* The configuration in force, in `config`, and its hash (SHA256_TEXT); of a run that is resumed,
 * the hash that it began with: defaults are written out in its own configuration. */
const char *run_record_hash(const struct run_job *job, struct text *config, char *ret_text);
/* Begins the run in job->store and sets job->run_id. */
int32_t run_record_begin(struct run_job *job, struct gb_error *error);
