/* run_job.c - see run_job.h. */
#include "core/cli/run_job.h"

#include "core/cli/plan.h"
#include "core/cli/run_search.h"
#include "core/cli/shard.h"

#include "core/base/host_clock.h"
#include "core/base/plain_text.h"
#include "core/base/sha256.h"
#include "core/compare/compare.h"
#include "core/run/device_groups.h"
#include "core/run/machine.h"
#include "core/run/provenance.h"
#include "core/store/store_read.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the record of the run ---- */

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

/* Of the configuration in force; of a run that is resumed, the hash that it began with: defaults
 * are written out in its own configuration. */
static const char *hash_config(const struct run_job *job, struct text *config, char *ret_text)
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

static int32_t begin_run(struct run_job *job, struct gb_error *error)
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
    run.config = hash_config(job, &config, run.config_sha256);
    set_facts(job, &run);
    return store_run_begin(job->store, &run, &job->run_id, error);
}

/* ---- events ---- */

/* No process that is started from now on has the descriptor: it is closed when this one ends. */
static int open_events(struct run_job *job)
{
    const char *given = argument(job->arguments, "events");
    char *end = NULL;
    if (!given)
        return EXIT_FINE;
    const long fd = strtol(given, &end, 10);
    if (*given < '0' || *given > '9' || *end || fd <= STDERR_FILENO || fd > INT_MAX)
        return fail_usage("--events %s: expected the number of a descriptor from 3 on, such as in "
                          "`gbrun run --events 3 3>events.jsonl`",
                          given);
    const int flags = fcntl((int)fd, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
        return fail_usage("--events %s: descriptor %ld is %s: expected one open for writing, such "
                          "as in `gbrun run --events 3 3>events.jsonl`",
                          given, fd, flags < 0 ? "not open" : "only open for reading");
    fcntl((int)fd, F_SETFD, FD_CLOEXEC);
    line_output_open(&job->events.output, (int)fd);
    job->has_events = true;
    return EXIT_FINE;
}

static struct events *events_of(struct run_job *job)
{
    return job->has_events ? &job->events : NULL;
}

static void begin_events(struct run_job *job, uint64_t n_done)
{
    const struct events_run run = {
        .uuid = job->run_uuid,
        .results = path_from(".", job->store_path, &job->configuration.arena),
        .n_visits = job->n_visits,
        .n_done = n_done,
        .is_of_ab = job->ab != NULL};
    events_run_begin(events_of(job), &run);
    job->has_begun = true;
}

static void end_events(struct run_job *job, int code)
{
    const char *reason;
    if (!job->has_events)
        return;
    if (job->has_begun)
        events_run_end(&job->events, code, job->counts.n_bad, job->counts.n_left);
    const uint64_t n_lost = events_close(&job->events, &reason);
    if (n_lost > 0)
        say("gbrun: --events: lines that could not be written: %llu: %s",
            (unsigned long long)n_lost, reason);
}

/* ---- resuming ---- */

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

/* Says where the devices are not those that the run was measured on before. */
static int32_t compare_devices(struct run_job *job, struct gb_error *error)
{
    struct stored_device *before;
    size_t n = 0;
    int32_t status = store_devices(job->store, job->run_id, &job->configuration.arena, &before, &n,
                                   error);
    for (size_t i = 0; status == GB_OK && i < n; i++) {
        const struct device_record *record = &before[i].record;
        const struct known_device *now = find_device(&job->devices, record);
        if (!now)
            say("gbrun: device %s:%u (%s), used before, is not there: going on without it",
                record->name, record->index, record->model);
        else if (!text_equal(now->info.uuid, record->uuid) ||
                 !text_equal(now->info.model, record->model))
            say("gbrun: device %s:%u was %s (%s) before and is %s (%s) now: going on with it",
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
    return fail_usage("--resume %s: the run was measured with other builds: bring them back, or "
                      "mix them with --accept-changes",
                      job->store_path);
}

/* The configuration in a results file decides which code is run. */
static int refuse_others_file(const char *path)
{
    struct stat facts;
    if (stat(path, &facts) != 0 || facts.st_uid == geteuid())
        return EXIT_FINE;
    return fail_usage(
        "--resume %s: belongs to another user, and its configuration decides which code is run; "
        "look at that with `gbrun export --format json`, then resume a copy of your own",
        path);
}

/* --shard beside --resume; NULL: not given */
static const char *asked_shard(const struct run_job *job)
{
    return job->ab ? NULL : argument(job->arguments, "shard");
}

/* Shards by costs: are those of the file still what they were? And is it a shard of that plan which
 * is to be measured? */
static int compare_plans(const struct run_job *job, const struct run_record *run)
{
    const char *plan = fact_of(run->facts, run->n_facts, SHARD_FACT_PLAN);
    const char *shard = fact_of(run->facts, run->n_facts, SHARD_FACT_SHARD);
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
    return fail_usage("--resume %s: shards are dealt by %s, which has changed since: bring it back",
                      job->store_path, costs);
}

/* Goes on with a run of the file: what is done of it is not measured again. */
/* A run's facts are of the machine on which it began. */
static void compare_hosts(struct run_job *job, const struct run_record *run)
{
    const char *before = fact_of(run->facts, run->n_facts, "host");
    struct fact *facts;
    size_t n = 0;
    machine_facts(&job->configuration.arena, &facts, &n);
    const char *now = fact_of(facts, n, "host");
    if (!*before || !*now || text_equal(before, now))
        return;
    job->elsewhere = arena_printf(&job->configuration.arena,
                                  "measured on %s, in a run that began on %s", now, before);
    say("gbrun: warning: the run began on %s and goes on on %s: its facts are those of %s, and "
        "cases from now on have a warning",
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
                                          &job->first_sequence, &error) != GB_OK)
        code = fail_with(&error, EXIT_INTERNAL);
    if (job->n_done == 0)
        return code;
    job->done_in_order = memory_allocate(job->n_done * sizeof *job->done);
    memcpy(job->done_in_order, job->done, job->n_done * sizeof *job->done);
    qsort(job->done, job->n_done, sizeof *job->done, visit_key_compare);
    return code;
}

/* The newest run of this plan and shard, if the file has one; else a fresh one. */
static int continue_run(struct run_job *job)
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
        if (!text_equal(fact_of(record->facts, record->n_facts, SHARD_FACT_PLAN),
                        job->configuration.plan) ||
            !text_equal(fact_of(record->facts, record->n_facts, SHARD_FACT_SHARD), shard))
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
    return continue_run(job);
}

int run_job_resume(struct run_job *job)
{
    struct gb_error error;
    struct run_record run = {0};
    struct arena arena = {0};
    int code = open_events(job);
    if (code != EXIT_FINE)
        return code;
    job->store_path = argument(job->arguments, "resume");
    if (argument(job->arguments, "config") || argument(job->arguments, "set") ||
        argument(job->arguments, "output"))
        return fail_usage(
            "--resume %s: goes on with the configuration and the file it names: leave "
            "out --config, --set and --output",
            job->store_path);
    const char *other = job->ab ? NULL : configuration_argument(job->arguments, "shard");
    if (other)
        return fail_usage("--resume %s: goes on with the cases and settings of the run: leave out "
                          "'%s'",
                          job->store_path, other);
    if (argument(job->arguments, "label") || argument(job->arguments, "note"))
        return fail_usage("--resume %s: the run has its labels and its note already: leave out "
                          "--label and --note",
                          job->store_path);
    if (access(job->store_path, F_OK) != 0)
        return fail_usage("%s: there is no such results file to resume", job->store_path);
    code = refuse_others_file(job->store_path);
    if (code != EXIT_FINE)
        return code;
    if (store_open(job->store_path, STORE_WRITE, &job->store, &error) != GB_OK)
        return fail_with(&error, EXIT_USAGE);
    code = read_run(job->arguments, job->store, job->store_path, &job->run_number);
    if (code != EXIT_FINE)
        return code;
    if (store_run_read(job->store, job->run_number, &arena, &job->run_id, &run, &error) != GB_OK) {
        arena_free(&arena);
        return fail_with(&error, EXIT_USAGE);
    }
    memcpy(job->config_sha256, run.config_sha256, sizeof run.config_sha256);
    const char *folder = arena_text(&arena, run.config_folder);
    bool is_of_ab = *fact_of(run.facts, run.n_facts, AB_FACT_ROUNDS);
    if (is_of_ab != (job->ab != NULL))
        code = fail_usage("--resume %s: the run is %s `gbrun ab`: expected gbrun %s --resume",
                          job->store_path, is_of_ab ? "one of" : "not of", is_of_ab ? "ab" : "run");
    if (code == EXIT_FINE)
        code = configuration_read_text(
            arena_printf(&arena, "%s (configuration of the run)", job->store_path), folder,
            run.config, job->arguments, job->ab, &job->configuration);
    if (code == EXIT_FINE)
        code = compare_plans(job, &run);
    if (code == EXIT_FINE)
        code = asked_shard(job) ? take_up_shard(job, &run) : take_up(job, &run);
    /* The texts are used until the end: they become the configuration's. */
    arena_adopt(&job->configuration.arena, &arena);
    return code;
}

static int check_labels(const struct arguments *arguments)
{
    const char *const *given;
    size_t n = argument_all(arguments, "label", &given);
    for (size_t i = 0; i < n; i++)
        if (*given[i] == '=' || !strchr(given[i], '='))
            return fail_usage("--label %s: expected NAME=TEXT, such as commit=1a2b3c4", given[i]);
    return EXIT_FINE;
}

int run_job_open(struct run_job *job)
{
    struct gb_error error;
    int code = open_events(job);
    if (code == EXIT_FINE)
        code = check_labels(job->arguments);
    if (code == EXIT_FINE)
        code = job->ab     ? configuration_read_ab(job->arguments, job->ab, &job->configuration)
               : job->made ? configuration_make(job->arguments, job->made, &job->configuration)
                           : configuration_select(job->arguments, 0, &job->configuration);
    if (code != EXIT_FINE)
        return code;
    job->store_path = argument(job->arguments, "output");
    if (!job->store_path && job->made)
        return run_job_open_scratch(job);
    if (!job->store_path)
        job->store_path = settings_run(job->configuration.settings)->results;
    if (store_open(job->store_path, STORE_WRITE, &job->store, &error) != GB_OK)
        return fail_with(&error, EXIT_INTERNAL);
    return argument(job->arguments, "continue") ? continue_run(job) : EXIT_FINE;
}

/* ---- measuring ---- */

static int32_t count_visits(struct run_job *job, struct schedule *schedule, uint64_t *ret_n_done,
                            struct gb_error *error)
{
    CLEANUP(text_free) struct text notes = {0};
    int32_t status = schedule_count(schedule, &job->n_visits, ret_n_done, &notes, error);
    if (notes.length)
        fputs(make_plain(notes.data), stderr);
    return status;
}

/* A run's table says it again: on a terminal it goes with what is erased before that. */
static void begin_progress(struct run_job *job, uint64_t n_done)
{
    struct progress *progress = &job->progress;
    CLEANUP(text_free) struct text busy = {0};
    const bool is_quiet = argument(job->arguments, "quiet") != NULL;
    if (job->busy)
        text_printf(&busy,
                    "gbrun: the machine is busy: %s: ps -eo pcpu,pid,args --sort=-pcpu shows with "
                    "what",
                    job->busy);
    progress_begin(progress, is_quiet, argument(job->arguments, "color"), job->n_visits, n_done);
    progress->is_brief = job->ab && !argument(job->arguments, "verbose");
    const bool is_shown = !job->ab && progress_use_block(progress, text_get(&busy));
    if (busy.length && !is_quiet && !is_shown)
        progress_line(progress, "%s", text_get(&busy));
}

static int32_t find_verdict(struct run_job *job, struct gb_error *error)
{
    struct run_verdict *verdict = &job->verdict;
    const struct view_options view = {.run = job->run_number, .is_fresh = true};
    verdict->is_strict = !job->ab && argument(job->arguments, "strict");
    int32_t status = store_case_counts(job->store, job->run_id, &verdict->all, error);
    verdict->is_empty = !job->counts.is_cancelled && !job->claims && job->n_visits > 0 &&
                        verdict->all.done == verdict->all.skipped;
    return status == GB_OK && verdict->is_strict
               ? view_count(job->store, &view, &verdict->strict, error)
               : status;
}

static int code_of(const struct run_job *job)
{
    if (job->counts.n_bad > 0 || job->counts.is_cancelled || job->verdict.is_empty)
        return EXIT_CASE_FAILED;
    return job->verdict.is_strict ? code_if_strict(&job->verdict.strict) : EXIT_FINE;
}

static struct schedule make_schedule(struct run_job *job)
{
    struct configuration *configuration = &job->configuration;
    return (struct schedule){.sweep = configuration->sweep,
                             .pairs = job->pairs,
                             .is_decided = job->is_decided,
                             .n_pairs = job->n_pairs,
                             .devices = &job->devices,
                             .is_searched = job->searches ? run_search_cases(job->searches) : NULL,
                             .distribute = settings_run(configuration->settings)->distribute,
                             .breakdown = argument(job->arguments, "breakdown") != NULL,
                             .profiles = job->profiles,
                             .profiled = job->profiled,
                             .done = job->done,
                             .n_done = job->n_done};
}

static int32_t find_devices(struct run_job *job, struct gb_error *error)
{
    struct configuration *configuration = &job->configuration;
    const struct plugin_settings *devices;
    size_t n_auto, n = settings_devices(configuration->settings, &devices, &n_auto);
    const uint32_t n_each = (uint32_t)settings_run(configuration->settings)->gpus_per_case;
    if (n_each > 0 && job->profiles)
        return error_set(error, GB_INVALID,
                         "gpus_per_case = %u: is not for --profile, whose worker sees all GPUs",
                         n_each);
    const int32_t status = devices_find(devices, n, n_auto, &configuration->arena, &job->devices,
                                        job->profiles ? NULL : &job->spare, error);
    if (status != GB_OK || n_each == 0)
        return status;
    CLEANUP(text_free) struct text notes = {0};
    const struct node_task task = node_task_of_environment();
    device_groups_make(&job->devices, n_each, &task, &configuration->arena, &notes);
    if (notes.length)
        fputs(text_get(&notes), stderr);
    return GB_OK;
}

/* "cuda:0", or "cuda:0, cuda:1" of a case that is spread over both; they are noted in *used. */
static const char *devices_of(const struct run_job *job, struct visit *visit, bool *used)
{
    CLEANUP(text_free) struct text names = {0};
    for (size_t i = 0; i < visit->devices.n; i++) {
        const struct known_device *device = visit->devices.items[i];
        used[device - job->devices.items] = true;
        text_printf(&names, "%s%s:%u", i ? ", " : "", device->settings->name, device->info.index);
    }
    return arena_text(&visit->arena, text_get(&names));
}

/* Workers that measure at the same time. */
static size_t count_at_once(const struct run_job *job, const bool *used)
{
    const int64_t jobs = settings_run(job->configuration.settings)->jobs;
    size_t n = 0;
    for (size_t i = 0; i < job->devices.n; i++)
        n += used[i];
    if (jobs > 0 && (size_t)jobs < n)
        n = (size_t)jobs;
    return n ? n : 1;
}

/* All visits of the first round stand for their cases. */
static int32_t add_visits(struct run_job *job, struct schedule *schedule, struct plan *plan,
                          bool *used, struct gb_error *error)
{
    struct visit *visit;
    int32_t status = schedule_next(schedule, &visit, error);
    while (status == GB_OK && visit && visit->round == 0) {
        const struct device_set *devices = &visit->devices;
        plan_add(plan, &visit->bench_case, text_get(&visit->label), devices_of(job, visit, used),
                 devices->n ? devices->items[0]->info.model : "", visit->refusal);
        visit_free(visit);
        status = schedule_next(schedule, &visit, error);
    }
    visit_free(status == GB_OK ? visit : NULL);
    return status;
}

/* Times of the results file, if it is there. */
static int32_t read_past(const struct run_job *job, struct plan *plan, struct gb_error *error)
{
    const char *given = argument(job->arguments, "estimate");
    const char *path = given ? given : argument(job->arguments, "output");
    if (!path)
        path = settings_run(job->configuration.settings)->results;
    return given || access(path, F_OK) == 0 ? plan_read(plan, path, error) : GB_OK;
}

int run_job_plan(struct run_job *job, int format)
{
    CLEANUP(plan_free) struct plan plan = {0};
    CLEANUP(text_free) struct text text = {0}, summary = {0};
    struct gb_error error;
    uint64_t n_done;
    int code = configuration_select(job->arguments, 0, &job->configuration);
    if (code != EXIT_FINE)
        return code;
    if (read_past(job, &plan, &error) != GB_OK)
        return fail_with(&error, EXIT_USAGE);
    if (find_devices(job, &error) != GB_OK)
        return fail_with(&error, EXIT_INTERNAL);
    struct schedule schedule = make_schedule(job);
    bool *used = ARENA_ARRAY(&plan.arena, bool, job->devices.n + 1);
    if (count_visits(job, &schedule, &n_done, &error) != GB_OK ||
        add_visits(job, &schedule, &plan, used, &error) != GB_OK)
        return fail_with(&error, EXIT_INTERNAL);
    plan_write(&plan, format, &text);
    plan_summary(&plan, count_at_once(job, used), &summary);
    fputs(make_plain(text.data), stdout);
    fprintf(stderr, "nothing is measured: %s", make_plain(summary.data));
    return EXIT_FINE;
}

/* Searches decide after all that others measure. `gbrun ab` and profilers measure what they are
 * given. */
static int32_t find_searches(struct run_job *job, struct gb_error *error)
{
    if (job->on_round || job->profiles)
        return GB_OK;
    int32_t status = run_search_new(job, &job->searches, error);
    if (job->searches) {
        job->on_round = run_search_round;
        job->context = job->searches;
    }
    return status;
}

/* The other tasks' cases are not counted for this run. */
static int32_t count_claimed(struct run_job *job, struct gb_error *error)
{
    return job->claims && !job->counts.is_cancelled
               ? store_run_count(job->store, job->run_id, (uint64_t)job->verdict.all.done, error)
               : GB_OK;
}

/* Before anything is stored of the run, which has its UUID from here. */
static int32_t open_claims(struct run_job *job, struct gb_error *error)
{
    const char *folder = argument(job->arguments, "claim");
    CLEANUP(text_free) struct text config = {0};
    char plan[SHA256_TEXT];
    if (job->run_id == 0)
        uuid_new(job->run_uuid);
    if (!folder)
        return GB_OK;
    if (job->searches)
        return error_set(error, GB_INVALID, "--claim: is not for benchmarks with a search");
    hash_config(job, &config, plan);
    return claims_open(folder, plan, sweep_size(job->configuration.sweep), job->run_uuid,
                       settings_run(job->configuration.settings)->claim_limit_ns, &job->claims,
                       error);
}

int run_job_measure(struct run_job *job)
{
    struct configuration *configuration = &job->configuration;
    struct gb_error error;
    if (find_searches(job, &error) != GB_OK)
        return fail_with(&error, EXIT_USAGE);
    struct schedule schedule = make_schedule(job);
    uint64_t n_done;
    job->busy = machine_load_is_ignored() ? NULL : machine_load(&configuration->arena);
    if (find_devices(job, &error) != GB_OK ||
        count_visits(job, &schedule, &n_done, &error) != GB_OK ||
        open_claims(job, &error) != GB_OK ||
        (job->run_id == 0 ? begin_run(job, &error) : compare_devices(job, &error)) != GB_OK)
        return fail_with(&error, error.status == GB_INVALID ? EXIT_USAGE : EXIT_INTERNAL);
    schedule.claims = job->claims;
    begin_progress(job, n_done);
    struct progress *progress = &job->progress;
    struct run_counts *counts = &job->counts;
    begin_events(job, n_done);
    struct run_plan plan = {.params = settings_run(configuration->settings),
                            .schedule = schedule,
                            .on_round = job->on_round,
                            .context = job->context,
                            .claims = job->claims,
                            .elsewhere = job->elsewhere,
                            .store = job->store,
                            .run_id = job->run_id,
                            .first_sequence = job->first_sequence,
                            .progress = progress,
                            .events = events_of(job),
                            .worker = job->profiles ? &job->worker : NULL,
                            .spare = &job->spare};
    int32_t status = supervise(&plan, counts, &error);
    progress_end(progress, !counts->is_cancelled);
    if (status != GB_OK) {
        say_error(&error);
        say("gbrun: what was measured before is in %s; to go on: gbrun %s --resume %s",
            job->store_path, job->ab ? "ab" : "run", job->store_path);
        return EXIT_INTERNAL;
    }
    char finished[UTC_TEXT];
    utc_text(finished);
    if (find_verdict(job, &error) != GB_OK || count_claimed(job, &error) != GB_OK ||
        (!counts->is_cancelled &&
         store_run_end(job->store, job->run_id, finished, code_of(job), &error) != GB_OK))
        return fail_with(&error, EXIT_INTERNAL);
    return code_of(job);
}

int run_job_close(struct run_job *job, int code)
{
    struct gb_error error;
    if (job->spare.process.pid)
        worker_end(&job->spare.process, false);
    claims_close(job->claims);
    if (store_close(job->store, &error) != GB_OK)
        code = fail_with(&error, EXIT_INTERNAL);
    end_events(job, code);
    run_search_free(job->searches);
    free(job->done);
    free(job->done_in_order);
    configuration_free(&job->configuration);
    return code;
}
