/* append.c - see library.h. */
#include "core/library/library.h"

#include "core/base/sha256.h"
#include "core/compare/compare.h"
#include "core/run/machine.h"
#include "core/run/module.h"
#include "core/run/provenance.h"
#include "core/store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COMPARISON_FACTS = 3 };

/* A case of a run, and how often it was measured. */
struct appended_case {
    char uid[CASE_UID_TEXT];
    char *label;
    uint64_t position;
    uint32_t n_rounds;
};

struct appended_run {
    char *key; /* file and labels */
    char uuid[UUID_TEXT];
    struct appended_case *cases;
    size_t n_cases;
};

static struct {
    struct appended_run *items;
    size_t n;
    pid_t process; /* whose they are: a forked child begins its own */
} runs;

static char *key_of(const struct request *request)
{
    const struct gb_map *labels = &settings_run(request->settings)->label;
    struct text key = {0};
    text_printf(&key, "%s\n%s", request->results, request->run ? request->run : "");
    for (size_t i = 0; i < labels->n; i++)
        text_printf(&key, "\n%s=%s", labels->keys[i], labels->values[i]);
    if (request->side != SIDE_NONE)
        text_printf(&key, "\n\n%.17g %.17g %lld", request->ab.margin, request->ab.alpha,
                    (long long)request->ab.max_rounds);
    return key.data;
}

static struct appended_run *find_run(const struct request *request)
{
    char *key = key_of(request);
    for (size_t i = 0; i < runs.n; i++)
        if (text_equal(runs.items[i].key, key)) {
            free(key);
            return &runs.items[i];
        }
    MEMORY_APPEND(runs.items, runs.n, (struct appended_run){.key = key});
    return &runs.items[runs.n - 1];
}

static void forget_cases(struct appended_run *run)
{
    for (size_t i = 0; i < run->n_cases; i++)
        free(run->cases[i].label);
    free(run->cases);
    run->cases = NULL;
    run->n_cases = 0;
}

/* By which compare finds again how it was decided. Returns how many were put at facts. */
static size_t add_comparison(const struct request *request, struct arena *arena, struct fact *facts)
{
    if (request->side == SIDE_NONE)
        return 0;
    facts[0] = (struct fact){AB_FACT_MARGIN, arena_printf(arena, "%.17g", request->ab.margin)};
    facts[1] = (struct fact){AB_FACT_ALPHA, arena_printf(arena, "%.17g", request->ab.alpha)};
    facts[2] = (struct fact){AB_FACT_ROUNDS,
                             arena_printf(arena, "%lld", (long long)request->ab.max_rounds)};
    return COMPARISON_FACTS;
}

static void set_facts(const struct request *request, struct arena *arena, struct run_record *ret)
{
    const struct gb_map *labels = &settings_run(request->settings)->label;
    struct fact found[PROVENANCE_FACTS];
    const size_t n_found = provenance_of_environment(arena, found);
    machine_facts(arena, &ret->facts, &ret->n_facts);
    struct fact *facts = ARENA_ARRAY(arena, struct fact,
                                     ret->n_facts + n_found + labels->n + COMPARISON_FACTS);
    size_t n = ret->n_facts + n_found;
    memcpy(facts, ret->facts, ret->n_facts * sizeof *facts);
    memcpy(facts + ret->n_facts, found, n_found * sizeof *facts);
    for (size_t i = 0; i < labels->n; i++)
        facts[n++] = (struct fact){arena_printf(arena, "label.%s", labels->keys[i]),
                                   labels->values[i]};
    n += add_comparison(request, arena, &facts[n]);
    ret->facts = facts;
    ret->n_facts = n;
}

static int32_t begin_run(struct store *store, const struct request *request,
                         struct appended_run *run, int64_t *ret_id, struct gb_error *error)
{
    CLEANUP(arena_free) struct arena arena = {0};
    CLEANUP(text_free) struct text config = {0};
    char started[UTC_TEXT];
    struct sha256 hash;
    uint8_t digest[SHA256_BYTES];
    settings_print(request->settings, &config);
    utc_text(started);
    struct run_record record = {.started = started,
                                .version = GBRUN_VERSION,
                                .command_line = "",
                                .config_path = "libgbrun",
                                .config_folder = path_from(NULL, ".", &arena),
                                .config = text_get(&config),
                                .seed = settings_run(request->settings)->seed};
    sha256_begin(&hash);
    sha256_add(&hash, config.data, config.length);
    sha256_end(&hash, digest);
    sha256_text(digest, record.config_sha256);
    set_facts(request, &arena, &record);
    if (request->run)
        snprintf(record.uuid, sizeof record.uuid, "%s", request->run);
    else
        uuid_new(record.uuid);
    int32_t status = store_run_begin(store, &record, ret_id, error);
    forget_cases(run);
    if (status == GB_OK)
        memcpy(run->uuid, record.uuid, sizeof run->uuid);
    return status;
}

/* Which of the cases of the run it is; added, at this position, if it is not there. */
static struct appended_case *case_of(struct appended_run *run, const struct case_record *record,
                                     uint64_t position)
{
    CLEANUP(text_free) struct text label = {0};
    bench_case_label(record->bench_case, &label);
    for (size_t i = 0; i < run->n_cases; i++)
        if (text_equal(run->cases[i].uid, record->uid) &&
            text_equal(run->cases[i].label, text_get(&label)))
            return &run->cases[i];
    struct appended_case added = {.label = memory_copy_text(text_get(&label)),
                                  .position = position};
    memcpy(added.uid, record->uid, sizeof added.uid);
    MEMORY_APPEND(run->cases, run->n_cases, added);
    return &run->cases[run->n_cases - 1];
}

static int32_t append_parts(struct store *store, int64_t run_id, const struct known_device *device,
                            struct collector *collector, struct gb_error *error)
{
    CLEANUP(arena_free) struct arena arena = {0};
    struct case_record *record = &collector->record;
    int32_t status = GB_OK;
    if (collector->n_clocks > 0) {
        const struct device_record opened = device_record_of(device, collector, &arena);
        status = store_device(store, run_id, &opened, &record->device_id, error);
    }
    for (uint32_t kind = GB_PLUGIN_BENCH; kind <= GB_PLUGIN_DEVICE && status == GB_OK; kind++) {
        const char *sha256 = record->builds[kind - 1];
        if (!sha256 || !*sha256)
            continue;
        const struct module_record module = module_record_of(case_plugin(record->bench_case, kind),
                                                             sha256);
        status = store_module(store, run_id, &module, error);
    }
    return status;
}

static int32_t append_case(struct store *store, int64_t run_id, struct appended_run *run,
                           struct collector *collector, struct gb_error *error)
{
    struct case_record *record = &collector->record;
    struct bench_case numbered = *record->bench_case;
    char finished[UTC_TEXT];
    uint64_t position = 0;
    int32_t status = store_run_next(store, run_id, &position, &record->sequence, error);
    if (status != GB_OK)
        return status;
    struct appended_case *appended = case_of(run, record, position);
    numbered.position = appended->position;
    record->bench_case = &numbered;
    record->round = appended->n_rounds;
    status = store_case(store, run_id, record, error);
    utc_text(finished);
    if (status == GB_OK)
        status = store_run_count(store, run_id, record->sequence + 1, error);
    if (status == GB_OK)
        status = store_run_end(store, run_id, finished, case_status_is_bad(record->status), error);
    appended->n_rounds += status == GB_OK;
    return status;
}

int32_t results_append(const struct request *request, const struct known_device *device,
                       struct collector *collector, struct gb_error *error)
{
    const struct bench_case *bench_case = collector->record.bench_case;
    struct store *store = NULL;
    int64_t run_id = 0;
    if (!request->results)
        return GB_OK;
    if (runs.process != getpid())
        results_release();
    runs.process = getpid();
    int32_t status = store_open(request->results, STORE_WRITE, &store, error);
    if (status != GB_OK)
        return status;
    struct appended_run *run = find_run(request);
    const char *uuid = request->run ? request->run : run->uuid;
    status = *uuid ? store_run_find(store, uuid, &run_id, error) : GB_NOT_FOUND;
    if (status == GB_NOT_FOUND) /* or the file was replaced meanwhile */
        status = begin_run(store, request, run, &run_id, error);
    if (status == GB_OK)
        status = append_parts(store, run_id, device, collector, error);
    if (status == GB_OK)
        status = append_case(store, run_id, run, collector, error);
    collector->record.bench_case = bench_case;
    struct gb_error of_close;
    if (store_close(store, &of_close) != GB_OK && status == GB_OK) {
        *error = of_close;
        status = of_close.status;
    }
    return status;
}

void results_release(void)
{
    for (size_t i = 0; i < runs.n; i++) {
        forget_cases(&runs.items[i]);
        free(runs.items[i].key);
    }
    free(runs.items);
    runs.items = NULL;
    runs.n = 0;
}
