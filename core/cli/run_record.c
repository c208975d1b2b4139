/* run_record.c - see run_record.h. */
#include "core/cli/run_record.h"

#include "core/base/host_clock.h"
#include "core/base/plain_text.h"
#include "core/base/sha256.h"
#include "core/compare/compare.h"
#include "core/run/machine.h"
#include "core/run/provenance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- a run that begins ---- */

/* The command line as a shell would take it. */
static char *command_line(struct arena *arena)
{
    CLEANUP(text_free) struct text text = {0};
    text_add_file(&text, "/proc/self/cmdline", SIZE_MAX);
    for (size_t i = 0; i + 1 < text.length; i++)
        if (!text.data[i])
            text.data[i] = ' ';
    return arena_text(arena, text_get(&text));
}

/* Facts by their names; a later one takes the place of an earlier one. */
struct fact_list {
    struct arena *arena;
    struct fact *items;
    size_t n;
};

static void set_fact(struct fact_list *facts, const char *name, const char *value)
{
    struct fact fact = {make_plain_line(arena_text(facts->arena, name)),
                        make_plain_line(arena_text(facts->arena, value))};
    struct fact *known = ITEM_NAMED(facts->items, facts->n, name, fact.name);
    *(known ? known : ARENA_ADD(facts->arena, facts->items, facts->n)) = fact;
}

static void set_all(struct fact_list *facts, const struct fact *items, size_t n)
{
    for (size_t i = 0; i < n; i++)
        set_fact(facts, items[i].name, items[i].value);
}

/* The commit of the configuration's folder; of plugins' files where they are of another one. */
static void add_commits(const struct configuration *configuration, struct fact_list *facts)
{
    struct arena *arena = facts->arena;
    struct commits commits = {0};
    const struct commit of_folder = *provenance_commit(configuration->folder, &commits, arena);
    if (*of_folder.id) {
        set_fact(facts, "commit", of_folder.id);
        set_fact(facts, "commit_dirty", of_folder.is_dirty ? "yes" : "no");
    }
    for (size_t i = 0; i < sweep_parts(configuration->sweep); i++) {
        const struct plugin_info *info = sweep_part(configuration->sweep, i).info;
        const char *name = arena_printf(arena, "commit.%s", info->plugin.id);
        if (*fact_of(facts->items, facts->n, name) || !info->path)
            continue;
        const struct commit *commit = provenance_commit(folder_of(info->path, arena), &commits,
                                                        arena);
        if (!*commit->id ||
            (text_equal(commit->id, of_folder.id) && commit->is_dirty == of_folder.is_dirty))
            continue;
        set_fact(facts, name, commit->id);
        set_fact(facts, arena_printf(arena, "commit_dirty.%s", info->plugin.id),
                 commit->is_dirty ? "yes" : "no");
    }
}

/* --label, over label.NAME of [gbrun]. */
static void add_labels(const struct run_job *job, struct fact_list *facts)
{
    const struct gb_map *labels = &settings_run(job->configuration.settings)->label;
    const struct words given = argument_all(job->arguments, "label");
    for (size_t i = 0; i < labels->n; i++)
        set_fact(facts, arena_printf(facts->arena, "label.%s", labels->keys[i]), labels->values[i]);
    for (size_t i = 0; i < given.n; i++) {
        const char *word = given.items[i], *equals = strchr(word, '=');
        set_fact(facts, arena_printf(facts->arena, "label.%.*s", (int)(equals - word), word),
                 equals + 1);
    }
    const char *baseline = argument(job->arguments, "save-baseline");
    if (baseline)
        set_fact(facts, BASELINE_FACT, baseline);
}

/* By which the shards of a sweep find each other. */
static void add_shard(const struct configuration *configuration, struct fact_list *facts)
{
    const char *shard = settings_run(configuration->settings)->shard;
    set_fact(facts, SHARD_FACT_PLAN, configuration->plan);
    if (!*shard)
        return;
    set_fact(facts, SHARD_FACT_SHARD, shard);
    set_fact(facts, SHARD_FACT_CASES,
             arena_printf(facts->arena, "%llu",
                          (unsigned long long)sweep_positions(configuration->sweep)));
}

static void set_facts(struct run_job *job, struct run_record *ret)
{
    struct configuration *configuration = &job->configuration;
    struct fact_list facts = {.arena = &configuration->arena};
    struct fact found[PROVENANCE_FACTS];
    struct fact *of_machine;
    size_t n = 0;
    const char *note = argument(job->arguments, "note");
    machine_facts(&configuration->arena, &of_machine, &n);
    set_all(&facts, of_machine, n);
    set_all(&facts, found, provenance_of_environment(&configuration->arena, found));
    add_commits(configuration, &facts);
    if (job->busy)
        set_fact(&facts, BUSY_FACT, job->busy);
    if (note)
        set_fact(&facts, "note", note);
    add_labels(job, &facts);
    add_shard(configuration, &facts);
    set_all(&facts, job->facts, job->n_facts);
    ret->facts = facts.items;
    ret->n_facts = facts.n;
}

const char *run_record_hash(const struct run_job *job, struct text *config, char *ret_text)
{
    struct sha256 hash;
    uint8_t digest[SHA256_BYTES];
    settings_print(job->configuration.settings, config);
    sha256_begin(&hash);
    sha256_add(&hash, config->data, config->length);
    sha256_end(&hash, digest);
    sha256_text(digest, ret_text);
    if (*job->config_sha256)
        memcpy(ret_text, job->config_sha256, sizeof job->config_sha256);
    return text_get(config);
}

int32_t run_record_begin(struct run_job *job, struct gb_error *error)
{
    struct configuration *configuration = &job->configuration;
    CLEANUP(text_free) struct text config = {0};
    char started[UTC_TEXT];
    utc_text(started);
    struct run_record run = {.started = started,
                             .version = GBRUN_VERSION,
                             .command_line = command_line(&configuration->arena),
                             .config_path = configuration->path,
                             .config_folder = configuration->folder,
                             .seed = settings_run(configuration->settings)->seed,
                             .n_cases = job->n_visits};
    memcpy(run.uuid, job->run_uuid, sizeof run.uuid);
    run.config = run_record_hash(job, &config, run.config_sha256);
    set_facts(job, &run);
    return store_run_begin(job->store, &run, &job->run_id, error);
}

/* ---- a run that is resumed ---- */

static void note_done(void *context, uint64_t position, uint32_t round, const char *device_name,
                      int32_t device_index)
{
    struct run_job *job = context;
    MEMORY_APPEND(
        job->done, job->n_done,
        (struct visit_key){.position = position,
                           .round = round,
                           .device_index = device_index,
                           .device_name = arena_text(&job->configuration.arena, device_name)});
}

static const struct known_device *find_device(const struct device_list *devices,
                                              const struct device_record *record)
{
    for (size_t i = 0; i < devices->n; i++)
        if (text_equal(devices->items[i].settings->name, record->name) &&
            devices->items[i].info.index == record->index)
            return &devices->items[i];
    return NULL;
}

int32_t run_resume_compare_devices(struct run_job *job, struct gb_error *error)
{
    struct stored_devices before;
    int32_t status = store_devices(job->store, job->run_id, &job->configuration.arena, &before,
                                   error);
    for (size_t i = 0; status == GB_OK && i < before.n; i++) {
        const struct device_record *record = &before.items[i].record;
        const struct known_device *now = find_device(&job->devices, record);
        if (!now)
            say("gbrun: device %s:%u (%s), used before, is not available: continuing without it",
                record->name, record->index, record->model);
        else if (!text_equal(now->info.uuid, record->uuid) ||
                 !text_equal(now->info.model, record->model))
            say("gbrun: device %s:%u was %s (%s) before and is %s (%s) now: continuing with it",
                record->name, record->index, record->model, record->uuid, now->info.model,
                now->info.uuid);
    }
    return status;
}

static bool is_among(const struct module_record *modules, size_t n, const char *kind,
                     const struct plugin_info *info)
{
    for (size_t i = 0; i < n; i++)
        if (text_equal(modules[i].kind, kind) && text_equal(modules[i].id, info->plugin.id) &&
            text_equal(modules[i].sha256, info->sha256))
            return true;
    return false;
}

/* Is the code that which the run was measured with? Where it is not and that is accepted, cases say
 * so, as they do when it changes during a run. */
static int compare_builds(struct run_job *job, const struct run_record *run)
{
    struct catalogue *catalogue = &job->configuration.catalogue;
    struct module_record *before;
    struct gb_error error;
    size_t n = 0;
    bool is_changed = !text_equal(run->version, GBRUN_VERSION);
    if (store_modules(job->store, job->run_id, &job->configuration.arena, &before, &n, &error) !=
        GB_OK)
        return fail_with(&error, EXIT_INTERNAL);
    if (is_changed)
        say("gbrun: gbrun was version %s and is %s", run->version, GBRUN_VERSION);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < catalogue->n_plugins; j++) {
            struct plugin_info *info = &catalogue->plugins[j];
            const char *kind = plugin_kind_words(info->plugin.kind);
            bool is_used = text_equal(info->path, before[i].path) ||
                           info == catalogue_find(catalogue, info->plugin.kind, before[i].id);
            if (!is_used || !text_equal(kind, before[i].kind) ||
                !text_equal(info->plugin.id, before[i].id) || is_among(before, n, kind, info))
                continue;
            say("gbrun: %s %s: %s was %.12s (version %s) and is %.12s (version %s)", kind,
                before[i].id, before[i].path, before[i].sha256, before[i].version, info->sha256,
                info->plugin.version);
            info->sha256 = before[i].sha256;
            is_changed = true;
        }
    if (!is_changed || argument(job->arguments, "accept-changes"))
        return EXIT_FINE;
    return fail_usage("--resume %s: the run was measured with other builds: restore them, or "
                      "accept both with --accept-changes",
                      job->store_path);
}

/* The configuration in a results file decides which code is run. */
static int refuse_others_file(const char *path)
{
    struct stat facts;
    if (stat(path, &facts) != 0 || facts.st_uid == geteuid())
        return EXIT_FINE;
    return fail_usage(
        "--resume %s: belongs to another user, and its configuration determines which code runs; "
        "inspect it with `gbrun export --format json`, then resume your own copy",
        path);
}

/* --shard beside --resume; NULL: not given */
static const char *asked_shard(const struct run_job *job)
{
    return job->ab ? NULL : argument(job->arguments, "shard");
}

/* Shards by costs: are those of the file still what they were? And is the shard that is asked for
 * one of that plan?
 */
static int compare_plans(const struct run_job *job, const struct run_record *run)
{
    const char *plan = FACT(run, SHARD_FACT_PLAN);
    const char *shard = FACT(run, SHARD_FACT_SHARD);
    const char *costs = settings_run(job->configuration.settings)->costs;
    const char *asked = asked_shard(job);
    const char *of = strchr(shard, '/');
    const char *wanted = strchr(settings_run(job->configuration.settings)->shard, '/');
    if ((!*costs && !asked) || text_equal(plan, job->configuration.plan))
        return EXIT_FINE;
    if (asked && !of)
        return fail_usage("--resume %s --shard %s: the run was not dealt into shards",
                          job->store_path, asked);
    if (asked && (!wanted || !text_equal(wanted, of)))
        return fail_usage("--resume %s --shard %s: the run is shard %s of its plan: expected I%s",
                          job->store_path, asked, shard, of);
    return fail_usage("--resume %s: shards are dealt by %s, which has changed since: restore it",
                      job->store_path, costs);
}

/* A run's facts are of the machine on which it began. */
static void compare_hosts(struct run_job *job, const struct run_record *run)
{
    const char *before = FACT(run, "host");
    struct fact *facts;
    size_t n = 0;
    machine_facts(&job->configuration.arena, &facts, &n);
    const char *now = fact_of(facts, n, "host");
    if (!*before || !*now || text_equal(before, now))
        return;
    job->plan.elsewhere = arena_printf(&job->configuration.arena,
                                       "measured on %s, in a run that started on %s", now, before);
    say("gbrun: warning: the run started on %s and continues on %s: its facts describe %s, and "
        "further cases get a warning",
        before, now, before);
}

static int take_up(struct run_job *job, const struct run_record *run)
{
    struct gb_error error;
    memcpy(job->run_uuid, run->uuid, sizeof run->uuid);
    int code = compare_builds(job, run);
    if (code == EXIT_FINE)
        compare_hosts(job, run);
    if (code == EXIT_FINE && store_resume(job->store, job->run_id, note_done, job,
                                          &job->plan.first_sequence, &error) != GB_OK)
        code = fail_with(&error, EXIT_INTERNAL);
    if (job->n_done == 0)
        return code;
    job->done_in_order = memory_allocate(job->n_done * sizeof *job->done);
    memcpy(job->done_in_order, job->done, job->n_done * sizeof *job->done);
    qsort(job->done, job->n_done, sizeof *job->done, visit_key_compare);
    return code;
}

int run_resume_newest(struct run_job *job)
{
    struct arena *arena = &job->configuration.arena;
    const char *shard = settings_run(job->configuration.settings)->shard;
    struct stored_run *runs;
    struct run_record run;
    struct gb_error error;
    size_t n = 0;
    const int32_t status = store_runs(job->store, RUN_ALL, arena, &runs, &n, &error);
    if (status != GB_OK && status != GB_NOT_FOUND)
        return fail_with(&error, EXIT_INTERNAL);
    while (n > 0) {
        const struct run_record *record = &runs[--n].record;
        if (!text_equal(FACT(record, SHARD_FACT_PLAN), job->configuration.plan) ||
            !text_equal(FACT(record, SHARD_FACT_SHARD), shard))
            continue;
        job->run_number = runs[n].number;
        return store_run_read(job->store, job->run_number, arena, &job->run_id, &run, &error) ==
                       GB_OK
                   ? take_up(job, &run)
                   : fail_with(&error, EXIT_INTERNAL);
    }
    return EXIT_FINE;
}

/* --resume --shard: another shard of the run's plan, of the same builds. */
static int take_up_shard(struct run_job *job, const struct run_record *run)
{
    const int code = compare_builds(job, run);
    if (code != EXIT_FINE)
        return code;
    job->configuration.path = run->config_path;
    job->run_id = 0;
    job->run_number = RUN_NEWEST;
    *job->config_sha256 = 0;
    return run_resume_newest(job);
}

int run_resume(struct run_job *job)
{
    struct gb_error error;
    struct run_record run = {0};
    struct arena arena = {0};
    job->store_path = argument(job->arguments, "resume");
    if (ARGUMENT_AMONG(job->arguments, "config", "set", "output"))
        return fail_usage(
            "--resume %s: continues with the configuration and the file it names: leave "
            "out --config, --set and --output",
            job->store_path);
    const char *other = job->ab ? NULL : configuration_argument(job->arguments, "shard");
    if (other)
        return fail_usage(
            "--resume %s: continues with the cases and settings of the run: leave out "
            "'%s'",
            job->store_path, other);
    if (ARGUMENT_AMONG(job->arguments, "label", "note", "save-baseline"))
        return fail_usage("--resume %s: the run has its labels and its note already: leave out "
                          "--label, --note and --save-baseline",
                          job->store_path);
    if (access(job->store_path, F_OK) != 0)
        return fail_usage("%s: no such results file to resume", job->store_path);
    int code = refuse_others_file(job->store_path);
    if (code != EXIT_FINE)
        return code;
    if (open_to_write(job->store_path, &job->store, &error) != GB_OK)
        return fail_with(&error, EXIT_USAGE);
    code = read_run(job->arguments, job->store, job->store_path, &job->run_number);
    if (code != EXIT_FINE)
        return code;
    if (store_run_read(job->store, job->run_number, &arena, &job->run_id, &run, &error) != GB_OK) {
        arena_free(&arena);
        return fail_with(&error, EXIT_USAGE);
    }
    memcpy(job->config_sha256, run.config_sha256, sizeof run.config_sha256);
    bool is_of_ab = *FACT(&run, AB_FACT_ROUNDS);
    if (is_of_ab != (job->ab != NULL))
        code = fail_usage("--resume %s: the run is %s `gbrun ab`: expected gbrun %s --resume",
                          job->store_path, is_of_ab ? "one of" : "not of", is_of_ab ? "ab" : "run");
    if (code == EXIT_FINE)
        code = configuration_read(
            job->arguments,
            (struct configuration_source){
                .ab = job->ab,
                .text = run.config,
                .path = arena_printf(&arena, "%s (configuration of the run)", job->store_path),
                .folder = arena_text(&arena, run.config_folder)},
            &job->configuration);
    if (code == EXIT_FINE)
        code = compare_plans(job, &run);
    if (code == EXIT_FINE)
        code = asked_shard(job) ? take_up_shard(job, &run) : take_up(job, &run);
    /* The texts are used until the end: they become the configuration's. */
    arena_adopt(&job->configuration.arena, &arena);
    return code;
}
