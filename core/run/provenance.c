/* provenance.c - see provenance.h. */
#include "core/run/provenance.h"

#include "core/base/command.h"
#include "core/base/plain_text.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

/* ---- the environment ---- */

/* The first variable that is set gives the fact. */
static const struct {
    const char *fact, *variable;
    const char *value; /* of the fact; NULL: the variable's */
} variables[] = {
    {"ci", "GITHUB_ACTIONS", "GitHub Actions"},
    {"ci", "GITLAB_CI", "GitLab CI"},
    {"ci", "JENKINS_URL", "Jenkins"},
    {"ci", "BUILDKITE", "Buildkite"},
    {"ci", "CIRCLECI", "CircleCI"},
    {"ci", "TF_BUILD", "Azure Pipelines"},
    {"ci_commit", "GITHUB_SHA", NULL},
    {"ci_commit", "CI_COMMIT_SHA", NULL},
    {"ci_commit", "GIT_COMMIT", NULL},
    {"ci_commit", "BUILDKITE_COMMIT", NULL},
    {"ci_commit", "CIRCLE_SHA1", NULL},
    {"ci_commit", "BUILD_SOURCEVERSION", NULL},
    {"ci_ref", "GITHUB_REF", NULL},
    {"ci_ref", "CI_COMMIT_REF_NAME", NULL},
    {"ci_ref", "GIT_BRANCH", NULL},
    {"ci_ref", "BUILDKITE_BRANCH", NULL},
    {"ci_ref", "CIRCLE_BRANCH", NULL},
    {"ci_ref", "BUILD_SOURCEBRANCH", NULL},
    {"ci_run", "GITHUB_RUN_ID", NULL},
    {"ci_run", "CI_PIPELINE_ID", NULL},
    {"ci_run", "BUILD_TAG", NULL},
    {"ci_run", "BUILDKITE_BUILD_NUMBER", NULL},
    {"ci_run", "CIRCLE_BUILD_NUM", NULL},
    {"ci_run", "BUILD_BUILDID", NULL},
    {"ci_project", "GITHUB_REPOSITORY", NULL},
    {"ci_project", "CI_PROJECT_PATH", NULL},
    {"ci_project", "JOB_NAME", NULL},
    {"ci_project", "BUILDKITE_PIPELINE_SLUG", NULL},
    {"ci_project", "CIRCLE_PROJECT_REPONAME", NULL},
    {"job_scheduler", "SLURM_JOB_ID", "Slurm"},
    {"job_scheduler", "PBS_JOBID", "PBS"},
    {"job_scheduler", "LSB_JOBID", "LSF"},
    {"job_scheduler", "FLUX_JOB_ID", "Flux"},
    {"job", "SLURM_JOB_ID", NULL},
    {"job", "PBS_JOBID", NULL},
    {"job", "LSB_JOBID", NULL},
    {"job", "FLUX_JOB_ID", NULL},
    {"job_array", "SLURM_ARRAY_JOB_ID", NULL},
    {"job_task", "SLURM_ARRAY_TASK_ID", NULL},
    {"job_task", "JOB_COMPLETION_INDEX", NULL},
    {"job_task", "PARALLEL_SEQ", NULL},
    {"job_rank", "SLURM_PROCID", NULL},
    {"job_rank", "OMPI_COMM_WORLD_RANK", NULL},
    {"job_rank", "PMI_RANK", NULL},
    {"job_rank", "FLUX_TASK_RANK", NULL},
    {"job_nodes", "SLURM_JOB_NODELIST", NULL},
    {"job_nodes", "LSB_HOSTS", NULL},
    {"job_gpus", "SLURM_STEP_GPUS", NULL},
    {"job_gpus", "SLURM_JOB_GPUS", NULL},
    {"job_restarts", "SLURM_RESTART_COUNT", NULL},
    {"job_name", "SLURM_JOB_NAME", NULL},
    {"job_name", "PBS_JOBNAME", NULL},
    {"job_name", "LSB_JOBNAME", NULL},
    {"job_partition", "SLURM_JOB_PARTITION", NULL},
    {"job_partition", "PBS_QUEUE", NULL},
    {"job_partition", "LSB_QUEUE", NULL},
};

size_t provenance_of_environment(struct arena *arena, struct fact *facts)
{
    size_t n = 0;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *text = getenv(variables[i].variable);
        if (!text || !*text || *fact_of(facts, n, variables[i].fact) || n == PROVENANCE_FACTS)
            continue;
        char *value = arena_text(arena, variables[i].value ? variables[i].value : text);
        facts[n++] = (struct fact){variables[i].fact, make_plain_line(value)};
    }
    return n;
}

/* ---- git ---- */

enum { ANSWER_MOST = 200 };
static const double GIT_PATIENCE_NS = 5e9;

/* Does git end its search for a repository below it? */
static bool is_ceiling(const char *folder)
{
    const size_t length = strlen(folder);
    const char *end, *at = getenv("GIT_CEILING_DIRECTORIES");
    for (; at && length > 0; at = *end ? end + 1 : NULL) {
        end = strchrnul(at, ':');
        if ((size_t)(end - at) == length && memcmp(at, folder, length) == 0)
            return true;
    }
    return false;
}

/* The folder itself or one above that has .git; NULL: git need not be started. */
static char *repository_of(const char *folder, struct arena *arena)
{
    char *path = arena_text(arena, folder), *slash;
    while (access(arena_printf(arena, "%s/.git", path), F_OK) != 0) {
        slash = strrchr(path, '/');
        if (!slash)
            return NULL;
        *slash = 0;
        if (is_ceiling(path))
            return NULL;
    }
    return path;
}

/* Without what points git to another repository, as in a hook of one. Where the user ends its
 * search for one is kept. */
static char **environment_without_git(struct arena *arena)
{
    size_t n = 0, kept = 0;
    while (environ[n])
        n++;
    char **kept_variables = ARENA_ARRAY(arena, char *, n + 2);
    for (size_t i = 0; i < n; i++)
        if (!text_starts_with(environ[i], "GIT_") ||
            text_starts_with(environ[i], "GIT_CEILING_DIRECTORIES="))
            kept_variables[kept++] = environ[i];
    kept_variables[kept++] = arena_text(arena, "GIT_OPTIONAL_LOCKS=0");
    return kept_variables;
}

/* The first line of its answer; "": there is none. */
static char *git_ask(const char *folder, struct arena *arena)
{
    /* clang-format off */
    const char *const words[] = {"git", "-C", folder, "-c", "core.fsmonitor=false", "describe",
                                 "--always", "--dirty", "--abbrev=40", "--exclude=*", NULL};
    /* clang-format on */
    CLEANUP(text_free) struct text answer = {0};
    const struct command command = {.arguments = words,
                                    .output = &answer,
                                    .environment = environment_without_git(arena),
                                    .is_silent = true,
                                    .output_most = ANSWER_MOST,
                                    .patience_ns = GIT_PATIENCE_NS};
    struct gb_error error;
    int code = 0;
    if (command_run(&command, &code, &error) != GB_OK || code != 0)
        return arena_text(arena, "");
    return arena_text_n(arena, text_get(&answer), strcspn(text_get(&answer), "\n"));
}

const struct commit *provenance_commit(const char *folder, struct commits *commits,
                                       struct arena *arena)
{
    static const struct commit none = {"", "", false};
    static const char dirty[] = "-dirty";
    const char *repository = repository_of(folder, arena);
    if (!repository)
        return &none;
    for (size_t i = 0; i < commits->n; i++)
        if (text_equal(commits->items[i].repository, repository))
            return &commits->items[i];
    char *answer = git_ask(folder, arena);
    const bool is_dirty = text_ends_with(answer, dirty);
    if (is_dirty)
        answer[strlen(answer) - (sizeof dirty - 1)] = 0;
    ARENA_APPEND(arena, commits->items, commits->n,
                 (struct commit){repository, make_plain_line(answer), is_dirty});
    return &commits->items[commits->n - 1];
}
