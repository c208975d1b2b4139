/* verb_search.c - gbrun search: what the searches of a run found. */
#include "core/cli/search_space.h"
#include "core/cli/verbs.h"
#include "core/view/search_text.h"

#include <stdio.h>

static const struct verb_option options[] = {
    {"run", 'r', "RUN",
     "the run: its number, newest (if not given), previous, or NAME=VALUE of a label"},
    SEARCH_SPACE_OPTIONS,
};

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
    const char *const *files;
    struct gb_error error;
    struct store *store;
    int64_t number;
    int code = search_space_check(arguments);
    if (code != EXIT_FINE || argument(arguments, "space"))
        return code == EXIT_FINE ? search_space_run(arguments) : code;
    if (results_files(arguments, &files) > 1)
        return fail_usage("search: expected one results file");
    if (store_open(files[0], STORE_READ, &store, &error) != GB_OK)
        return fail_with(&error, EXIT_USAGE);
    code = read_run(arguments, store, files[0], &number);
    if (code == EXIT_FINE && number == RUN_ALL)
        code = fail_usage("--run all: expected one run");
    if (code == EXIT_FINE && write_searches(store, files[0], number, &text, &error) != GB_OK)
        code = fail_with(&error, EXIT_USAGE);
    store_close(store, NULL);
    fputs(text_get(&text), stdout);
    return code;
}

const struct verb verb_search = {
    .name = "search",
    .operands = "[FILE]",
    .summary = "Show what the searches of a run found",
    .help =
        "Prints for each search of the run in FILE (results.gbr if none is given): the best "
        "case and what is claimed of it, the cases that are not ruled out, the best so far "
        "against the time of measuring, the front where it has several goals, and how much of the "
        "variation among the cases each "
        "axis explains alone. A search is a [search NAME] section, or the id of a search "
        "plugin, that benchmarks name: `search = NAME`, or gbrun run --search NAME.\nWith --space "
        "a search plugin runs on a recorded space instead: in simulated time, with what was "
        "recorded of compiling and of each run. It prints after what time the best so far was "
        "within the tolerance of the optimum, as a share of measuring all cases with all their "
        "runs, and how many of its claims are false.",
    VERB_OPTIONS(options),
    .run = run,
};
