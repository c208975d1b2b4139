/* run_record.c - see run_record.h. */
#include "core/cli/run_record.h"

#include "core/base/host_clock.h"
#include "core/base/plain_text.h"
#include "core/base/sha256.h"
#include "core/run/machine.h"
#include "core/run/provenance.h"

#include <stdio.h>
#include <string.h>

/* The command line as a shell would take it. */
static char *command_line(struct arena *arena)
{
    CLEANUP(text_free) struct text text = {0};
    FILE *file = fopen("/proc/self/cmdline", "re");
    int letter;
    bool fresh = true;
    while (file && (letter = fgetc(file)) != EOF) {
        if (!fresh || text.length == 0) {
            char one[2] = {(char)letter, 0};
            if (letter)
                text_add(&text, one);
        } else {
            text_printf(&text, " %c", letter);
        }
        fresh = letter == 0;
    }
    if (file)
        fclose(file);
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
    for (size_t i = 0; i < facts->n; i++)
        if (text_equal(facts->items[i].name, fact.name)) {
            facts->items[i] = fact;
            return;
        }
    ARENA_APPEND(facts->arena, facts->items, facts->n, fact);
}

/* The commit of the configuration's folder; of plugins' files where they are of another one. */
static void add_commits(const struct configuration *configuration, struct fact_list *facts)
{
    struct arena *arena = facts->arena;
    bool is_dirty;
    const char *commit = provenance_commit(configuration->folder, arena, &is_dirty);
    const char *of_folder = arena_printf(arena, "%s%d", commit, is_dirty);
    if (*commit) {
        set_fact(facts, "commit", commit);
        set_fact(facts, "commit_dirty", is_dirty ? "yes" : "no");
    }
    for (size_t i = 0; i < sweep_parts(configuration->sweep); i++) {
        const struct plugin_info *info = sweep_part(configuration->sweep, i).info;
        const char *name = arena_printf(arena, "commit.%s", info->plugin.id);
        if (*fact_of(facts->items, facts->n, name) || !info->path)
            continue;
        commit = provenance_commit(folder_of(info->path, arena), arena, &is_dirty);
        if (!*commit || text_equal(of_folder, arena_printf(arena, "%s%d", commit, is_dirty)))
            continue;
        set_fact(facts, name, commit);
        set_fact(facts, arena_printf(arena, "commit_dirty.%s", info->plugin.id),
                 is_dirty ? "yes" : "no");
    }
}

/* --label, over label.NAME of [gbrun]. */
static void add_labels(const struct run_job *job, struct fact_list *facts)
{
    const struct gb_map *labels = &settings_run(job->configuration.settings)->label;
    const char *const *given;
    size_t n = argument_all(job->arguments, "label", &given);
    for (size_t i = 0; i < labels->n; i++)
        set_fact(facts, arena_printf(facts->arena, "label.%s", labels->keys[i]), labels->values[i]);
    for (size_t i = 0; i < n; i++) {
        const char *equals = strchr(given[i], '=');
        set_fact(facts,
                 arena_printf(facts->arena, "label.%.*s", (int)(equals - given[i]), given[i]),
                 equals + 1);
    }
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
    for (size_t i = 0; i < n; i++)
        set_fact(&facts, of_machine[i].name, of_machine[i].value);
    n = provenance_of_environment(&configuration->arena, found);
    for (size_t i = 0; i < n; i++)
        set_fact(&facts, found[i].name, found[i].value);
    add_commits(configuration, &facts);
    if (job->busy)
        set_fact(&facts, BUSY_FACT, job->busy);
    if (note)
        set_fact(&facts, "note", note);
    add_labels(job, &facts);
    add_shard(configuration, &facts);
    for (size_t i = 0; i < job->n_facts; i++)
        set_fact(&facts, job->facts[i].name, job->facts[i].value);
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
