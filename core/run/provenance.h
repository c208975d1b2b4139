/*
 * provenance.h - where a run comes from: the commit of its sources, the CI job or the scheduler
 * that started it. Facts of the run, beside those of machine.h.
 */
#pragma once

#include "core/base/memory.h"
#include "core/store/record.h"

/*
 * What CI systems and schedulers say in the environment: ci, ci_commit, ci_ref, ci_run, ci_project,
 * job, job_name, job_scheduler, job_partition, job_array,
 * job_task, job_rank, job_nodes, job_gpus, job_restarts. Returns how many were appended at facts,
 * which has room for PROVENANCE_FACTS.
 */
enum { PROVENANCE_FACTS = 24 };
size_t provenance_of_environment(struct arena *arena, struct fact *facts);

/*
 * The commit that is checked out where the folder lies, as git says it, "" if it is in no
 * repository, there is no git, or it takes more than a few seconds. *ret_is_dirty: tracked files
 * are other than the commit's. The text is the arena's.
 */
const char *provenance_commit(const char *folder, struct arena *arena, bool *ret_is_dirty);
