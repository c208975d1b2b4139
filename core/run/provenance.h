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

/* Of a repository: texts are of an arena. */
struct commit {
    const char *repository, *id; /* as git says it; "" */
    bool is_dirty;               /* tracked files are other than the commit's */
};
struct commits { /* that were asked for */
    struct commit *items;
    size_t n;
};

/* The commit that is checked out where the folder lies: id "" if it is in no repository, there is
 * no git, or it takes more than a few seconds. Git is asked once a repository; the result is valid
 * until the next call. */
const struct commit *provenance_commit(const char *folder, struct commits *commits,
                                       struct arena *arena);
