/* verb_merge.c - gbrun merge: results files into one, by the thousands. */
#include "core/base/host_clock.h"
#include "core/cli/verbs.h"
#include "core/view/views.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    NAMED_MOST = 16,   /* files that get a line each */
    COMMITS_SHARE = 10 /* commits take one part in so many */
};
static const double batch_ns = 1e9, news_ns = 10e9;

static const struct verb_option options[] = {
    {"output", 'o', "FILE", "the file to merge into; created if it does not exist"},
    {"files-from", 'T', "LIST...",
     "merge also the files that LIST names, one a line, or with NUL between as by find -print0; "
     "- is standard input"},
    {"plan", 0, NULL,
     "only shards of one plan: others are refused, those that are missing are named; exit code 3 "
     "if there are any"},
    {"keep-going", 'k', NULL,
     "leave out files that cannot be merged, name them and continue; exit code 3 if there are any"},
};

struct names {
    struct arena arena;
    const char **items;
    size_t n;
};

static void names_add(struct names *names, const char *folder, const char *name)
{
    const char *slash = *folder && !text_ends_with(folder, "/") ? "/" : "";
    ARENA_APPEND(&names->arena, names->items, names->n,
                 arena_printf(&names->arena, "%s%s%s", folder, slash, name));
}

static int is_results_file(const struct dirent *entry)
{
    return *entry->d_name != '.' && text_ends_with(entry->d_name, ".gbr");
}

/* A file, or all FOLDER/NAME.gbr in the order of their names. */
static int add_input(struct names *names, const char *path)
{
    struct stat facts;
    struct dirent **entries = NULL;
    if (stat(path, &facts) != 0 || !S_ISDIR(facts.st_mode)) {
        names_add(names, "", path);
        return EXIT_FINE;
    }
    const int n = scandir(path, &entries, is_results_file, alphasort);
    if (n < 0)
        return fail_usage("%s: cannot be read: %s", path, reason_of(errno));
    for (int i = 0; i < n; i++) {
        names_add(names, path, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return n ? EXIT_FINE : fail_usage("%s: holds no file NAME.gbr", path);
}

static int add_list(struct names *names, const char *path)
{
    CLEANUP(text_free) struct text list = {0};
    const enum file_end outcome = text_add_file(&list, path, SIZE_MAX);
    if (outcome != FILE_READ)
        return fail_usage("--files-from %s: %s%s", path,
                          outcome == FILE_NOT_READ ? "cannot be read: " : "", reason_of(errno));
    int code = EXIT_FINE;
    const char separator = list.length && memchr(list.data, 0, list.length) ? 0 : '\n';
    for (size_t i = 0; i < list.length && code == EXIT_FINE;) {
        char *name = list.data + i;
        char *end = memchr(name, separator, list.length - i);
        const size_t n = end ? (size_t)(end - name) : list.length - i;
        name[n] = 0;
        if (n)
            code = add_input(names, name);
        i += n + 1;
    }
    return code;
}

static int find_inputs(const struct arguments *arguments, struct names *ret)
{
    const struct words lists = argument_all(arguments, "files-from");
    int code = EXIT_FINE;
    for (size_t i = 0; i < arguments->operands.n && code == EXIT_FINE; i++)
        code = add_input(ret, arguments->operands.items[i]);
    for (size_t i = 0; i < lists.n && code == EXIT_FINE; i++)
        code = add_list(ret, lists.items[i]);
    return code;
}

/* A merge of many files on its way. */
struct merging {
    struct store *store;
    struct merge_rules rules;
    bool keeps_going, is_in_batch;
    double batch_began_ns, commit_ns, news_ns;
    struct merge_counts counts; /* of all files */
    size_t n_left_out;
};

static void say_counts(const char *what, const struct merge_counts *counts)
{
    say("%s: %llu run%s and %llu case%s added, %llu %s there already", what,
        (unsigned long long)counts->runs_added, counts->runs_added == 1 ? "" : "s",
        (unsigned long long)counts->cases_added, counts->cases_added == 1 ? "" : "s",
        (unsigned long long)counts->cases_known, counts->cases_known == 1 ? "was" : "were");
}

static int end_batch(struct merging *merging)
{
    struct gb_error error;
    const double began_ns = host_clock_ns();
    if (!merging->is_in_batch)
        return EXIT_FINE;
    merging->is_in_batch = false;
    if (store_batch_end(merging->store, &error) != GB_OK)
        return fail_with(&error, EXIT_INTERNAL);
    merging->commit_ns = host_clock_ns() - began_ns;
    return EXIT_FINE;
}

static int begin_batch(struct merging *merging)
{
    struct gb_error error;
    if (merging->is_in_batch)
        return EXIT_FINE;
    if (store_batch_begin(merging->store, &error) != GB_OK)
        return fail_with(&error, EXIT_INTERNAL);
    merging->is_in_batch = true;
    merging->batch_began_ns = host_clock_ns();
    return EXIT_FINE;
}

static int merge_one(struct merging *merging, const char *path, bool is_named)
{
    struct merge_counts counts = {0};
    struct gb_error error;
    int code = begin_batch(merging);
    if (code != EXIT_FINE)
        return code;
    if (store_merge(merging->store, path, &merging->rules, &counts, &error) != GB_OK) {
        const bool is_internal = !counts.is_input_bad && error.status != GB_INVALID;
        code = fail_with(&error, is_internal ? EXIT_INTERNAL : EXIT_USAGE);
        merging->n_left_out += counts.is_input_bad;
        return counts.is_input_bad && merging->keeps_going ? EXIT_FINE : code;
    }
    if (is_named)
        say_counts(path, &counts);
    merging->counts.runs_added += counts.runs_added;
    merging->counts.cases_added += counts.cases_added;
    merging->counts.cases_known += counts.cases_known;
    /* UUIDs are random: a batch changes most pages of a large file's index, however small it is. */
    const double batch_most_ns = fmax(batch_ns, COMMITS_SHARE * merging->commit_ns);
    const bool is_long = host_clock_ns() - merging->batch_began_ns > batch_most_ns;
    return is_long ? end_batch(merging) : EXIT_FINE;
}

static int merge_all(struct merging *merging, const struct names *names)
{
    CLEANUP(text_free) struct text all = {0};
    const bool are_named = names->n <= NAMED_MOST;
    int code = EXIT_FINE;
    merging->news_ns = host_clock_ns();
    for (size_t i = 0; i < names->n && code == EXIT_FINE; i++) {
        code = merge_one(merging, names->items[i], are_named);
        if (are_named || host_clock_ns() - merging->news_ns < news_ns)
            continue;
        say("merged %zu of %zu files", i + 1, names->n);
        merging->news_ns = host_clock_ns();
    }
    const int ended = end_batch(merging);
    code = code == EXIT_FINE ? ended : code;
    text_printf(&all, "%zu files", names->n - merging->n_left_out);
    if (code == EXIT_FINE && !are_named)
        say_counts(text_get(&all), &merging->counts);
    if (code != EXIT_FINE || !merging->n_left_out)
        return code;
    say("gbrun: %zu of %zu files left out", merging->n_left_out, names->n);
    return EXIT_NOT_AS_WANTED;
}

/* --plan: what of it is not there yet */
static int judge_plan(struct store *store, const char *path)
{
    CLEANUP(text_free) struct text words = {0};
    struct gb_error error;
    bool is_complete;
    if (view_plan(store, path, &words, &is_complete, &error) != GB_OK)
        return fail_with(&error, EXIT_USAGE);
    fputs(text_get(&words), stderr);
    return is_complete ? EXIT_FINE : EXIT_NOT_AS_WANTED;
}

static int merge_into(const struct arguments *arguments, const char *into,
                      const struct names *names)
{
    struct merging merging = {.rules = {.one_plan = argument(arguments, "plan") != NULL},
                              .keeps_going = argument(arguments, "keep-going") != NULL};
    struct gb_error error;
    if (open_to_write(into, &merging.store, &error) != GB_OK)
        return fail_with(&error, EXIT_USAGE);
    int code = merge_all(&merging, names);
    if (merging.rules.one_plan && (code == EXIT_FINE || code == EXIT_NOT_AS_WANTED)) {
        const int judged = judge_plan(merging.store, into);
        code = judged == EXIT_FINE ? code : judged;
    }
    if (store_close(merging.store, &error) != GB_OK)
        code = fail_with(&error, EXIT_INTERNAL);
    return code;
}

static int run(const struct arguments *arguments)
{
    struct names names = {.n = 0};
    const char *into = argument(arguments, "output");
    if (!into)
        return fail_usage("merge needs -o FILE: the file to merge into");
    int code = find_inputs(arguments, &names);
    if (code == EXIT_FINE)
        code = names.n ? merge_into(arguments, into, &names)
                       : fail_usage("merge needs the files to merge into %s", into);
    arena_free(&names.arena);
    return code;
}

const struct verb verb_merge = {
    .name = "merge",
    .operands = "-o FILE FILE|FOLDER...",
    .summary = "Merge results files",
    .help = "Adds every run and case that FILE does not hold yet; of a FOLDER, those of all files "
            "NAME.gbr in it. Nothing is lost; merging again changes nothing, so that a merge that "
            "was interrupted is simply repeated, and the order of the files does not matter.",
    VERB_OPTIONS(options),
    .run = run,
};
