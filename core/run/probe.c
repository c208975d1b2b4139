/*
 * probe.c - see probe.h: conversations with a worker that is asked about plugins and may die of it.
 */
#include "core/run/probe.h"

#include "core/base/host_clock.h"
#include "core/config/option_table.h"
#include "core/run/messages.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROBE_SECONDS = 10, ANSWER_BYTES_MAX = 256 << 20 };
/* What one plugin may answer. */
enum {
    PLUGINS_MAX = 4096,
    DEVICES_MAX = 100000,
    FINDINGS_MAX = 1000,
    COUNTERS_MAX = 200000,
    PROBLEMS_MAX = 1000
};

struct probe {
    struct arena *arena; /* of what is found */
    /* An answer is items, each a message of a type, and the outcome. */
    uint32_t item, last; /* their types; last: WIRE_..._END */
    const struct wire_field *fields;
    size_t item_bytes, most;
    void *items; /* of the last question */
    size_t n_items;
    bool restarts; /* each item begins its time anew; else time is for the whole answer */
    /* Another answer: takes a message of it. It sets is_complete. GB_CORRUPT, or a message that it
     * found too short, ends the answer. NULL: the above. */
    int32_t (*take)(struct probe *probe, uint32_t type, struct wire_reader *message);
    void *context; /* of take */
    struct worker_process worker;
    double deadline_ns;  /* of clock_ns */
    size_t bytes_before; /* of the arena */
    bool is_complete;
    char violation[sizeof((struct gb_error){0}.text)]; /* what the worker must not send; "" */
    struct outcome outcome; /* words: the answer's own, or why it is not complete; "" */
    struct text printed;    /* the worker's last words */
};

static void note_line(void *context, const char *line)
{
    struct probe *probe = context;
    text_clear(&probe->printed);
    text_add_n(&probe->printed, line, strnlen(line, 200));
}

/* However busy the machine is, what it does to the worker is not the plugin's fault. */
static double clock_ns(const struct probe *probe)
{
    return awake_clock_ns() - worker_waited_ns(&probe->worker);
}

static void restart_clock(struct probe *probe)
{
    probe->deadline_ns = clock_ns(probe) + (double)PROBE_SECONDS * 1e9;
}

static int32_t refuse(struct probe *probe, const char *violation)
{
    snprintf(probe->violation, sizeof probe->violation, "%s", violation);
    probe->is_complete = false;
    return GB_CORRUPT;
}

static int32_t take_item(struct probe *probe, struct wire_reader *message)
{
    if (probe->n_items == probe->most)
        return GB_CORRUPT;
    probe->items = arena_grow(probe->arena, probe->items, probe->n_items, probe->item_bytes);
    void *item = (char *)probe->items + probe->n_items++ * probe->item_bytes;
    memset(item, 0, probe->item_bytes);
    wire_get_fields(message, probe->arena, probe->fields, item);
    return wire_complete(message) ? GB_OK : GB_CORRUPT;
}

static int32_t take(struct probe *probe, uint32_t type, struct wire_reader *message)
{
    int32_t status = GB_OK;
    if (type == probe->item && probe->restarts)
        restart_clock(probe);
    if (probe->take) {
        status = probe->take(probe, type, message);
    } else if (type == probe->item) {
        status = take_item(probe, message);
    } else if (type == probe->last) {
        wire_get_fields(message, probe->arena, outcome_fields, &probe->outcome);
        probe->is_complete = true;
    }
    if (status != GB_OK || message->failed)
        return refuse(probe, "sent an invalid message");
    if (probe->arena->bytes - probe->bytes_before > ANSWER_BYTES_MAX)
        return refuse(probe, "sent descriptions of more than 256 MiB");
    return GB_OK;
}

/* Until the answer is complete, the worker is gone or takes too long. */
static void listen(struct probe *probe)
{
    struct worker_process *worker = &probe->worker;
    bool is_open = true;
    while (is_open && !probe->is_complete && clock_ns(probe) < probe->deadline_ns) {
        is_open = worker_listen(worker, note_line, probe);
        uint32_t type;
        struct wire_reader message;
        struct gb_error error;
        int32_t status;
        while ((status = wire_input_next(&worker->input, &type, &message, &error)) > 0)
            if (take(probe, type, &message) != GB_OK)
                return;
        if (status < 0) {
            refuse(probe, error.text);
            return;
        }
    }
}

/* Why a worker gave no complete answer: "crashed (SIGSEGV) while loading a module". */
static const char *why_incomplete(struct probe *probe)
{
    char death[32], how[sizeof probe->violation];
    uint32_t phase = probe->worker.page->phase;
    bool is_wrong = *probe->violation != 0;
    bool too_slow = !is_wrong && clock_ns(probe) >= probe->deadline_ns;
    worker_read_output(&probe->worker, note_line, probe);
    worker_flush_output(&probe->worker, note_line, probe);
    if (!is_wrong && !too_slow)
        for (int i = 0; i < 100 && !worker_reap(&probe->worker);
             i += !worker_waits_for_processor(&probe->worker))
            poll(NULL, 0, 1);
    worker_death(&probe->worker, death, sizeof death);
    if (is_wrong)
        snprintf(how, sizeof how, "%s", probe->violation);
    else if (too_slow)
        snprintf(how, sizeof how, "took more than %d s", PROBE_SECONDS);
    else if (!probe->worker.has_exited)
        snprintf(how, sizeof how, "closed its connection");
    else
        snprintf(how, sizeof how, "crashed (%s)", death);
    const char *words = phase == PHASE_IDLE ? "" : phase_words(phase);
    return arena_printf(probe->arena, "%s%s%s%s%s%s", how, *words ? " " : "", words,
                        probe->printed.length ? "; it printed '" : "", text_get(&probe->printed),
                        probe->printed.length ? "'" : "");
}

/* Sends a question, and listens until the answer is complete or cannot be any more. */
static void probe_ask(struct probe *probe, uint32_t type, const struct wire_field *fields,
                      const void *asked)
{
    struct gb_error error;
    probe->is_complete = false;
    probe->outcome = (struct outcome){.words = ""};
    probe->bytes_before = probe->arena->bytes;
    probe->items = NULL;
    probe->n_items = 0;
    *probe->violation = 0;
    restart_clock(probe);
    if (worker_send_fields(&probe->worker, type, fields, asked, &error) == GB_OK)
        listen(probe);
    if (!probe->is_complete)
        probe->outcome = (struct outcome){GB_FAILED, why_incomplete(probe)};
    text_clear(&probe->printed);
}

/* Ends the worker, if there is one; probe may ask again. */
static void probe_end(struct probe *probe)
{
    if (probe->worker.pid)
        worker_end(&probe->worker, false);
    text_free(&probe->printed);
}

/* ---- modules are loaded and described ---- */

struct description {
    struct catalogue *catalogue;
    const struct words *paths;
    uint32_t current; /* index of the module being loaded */
    uint32_t n_begun; /* of the paths, those before the first that this worker was given included */
};

static void add_failure(struct probe *probe, const char *path, const char *reason)
{
    struct catalogue *catalogue = ((struct description *)probe->context)->catalogue;
    ARENA_APPEND(probe->arena, catalogue->failures, catalogue->n_failures,
                 (struct module_failure){path, reason});
}

static int32_t take_plugin(struct probe *probe, struct wire_reader *message)
{
    const struct description *description = probe->context;
    struct catalogue *catalogue = description->catalogue;
    struct plugin_info info = {.path = description->paths->items[description->current]};
    wire_get_fields(message, probe->arena, description_fields, &info);
    if (!wire_complete(message) || catalogue->n_plugins == PLUGINS_MAX)
        return GB_CORRUPT;
    ARENA_APPEND(probe->arena, catalogue->plugins, catalogue->n_plugins, info);
    return GB_OK;
}

static int32_t take_module(struct probe *probe, uint32_t type, struct wire_reader *message)
{
    struct description *description = probe->context;
    const struct words *paths = description->paths;
    if (type == WIRE_PLUGIN)
        return take_plugin(probe, message);
    if (type != WIRE_MODULE_BEGIN && type != WIRE_MODULE_END)
        return GB_OK;
    /* Modules come in order: one that could begin an earlier one again would be probed for ever. */
    struct module_end end = {0};
    if (type == WIRE_MODULE_END)
        wire_get_fields(message, probe->arena, module_end_fields, &end);
    else
        end.index = wire_get_u32(message);
    uint32_t expected = description->n_begun - (type == WIRE_MODULE_END);
    if (end.index != expected || end.index >= paths->n)
        return GB_CORRUPT;
    description->current = end.index;
    description->n_begun = end.index + 1;
    if (type == WIRE_MODULE_END) {
        probe->outcome = end.outcome;
        if (end.outcome.status != GB_OK)
            add_failure(probe, paths->items[end.index], end.outcome.words);
        probe->is_complete = end.index + 1 == paths->n;
    }
    return GB_OK;
}

/* What a module had sent before it failed does not count. */
static void forget_plugins_of(struct catalogue *catalogue, const char *path, size_t n_before)
{
    while (catalogue->n_plugins > n_before &&
           text_equal(catalogue->plugins[catalogue->n_plugins - 1].path, path))
        catalogue->n_plugins--;
}

/* One worker describes all modules, unless one of them ends it: then the next worker continues
 * after that one. */
static int32_t describe_modules(const struct words *paths, bool hashes, struct arena *arena,
                                struct catalogue *catalogue, struct gb_error *error)
{
    struct description description = {.catalogue = catalogue, .paths = paths};
    struct probe probe = {.arena = arena,
                          .take = take_module,
                          .context = &description,
                          .item = WIRE_MODULE_BEGIN,
                          .restarts = true};
    for (uint32_t first = 0; first < paths->n; first = description.current + 1) {
        size_t n_before = catalogue->n_plugins;
        description.current = description.n_begun = first;
        if (worker_start(&probe.worker, NULL, 0, error) != GB_OK)
            return error->status;
        const struct modules_order order = {hashes, first, paths->items + first, paths->n - first};
        probe_ask(&probe, WIRE_PROBE, modules_order_fields, &order);
        const char *path = paths->items[description.current];
        if (!probe.is_complete) {
            forget_plugins_of(catalogue, path, n_before);
            add_failure(&probe, path, probe.outcome.words);
        }
        probe_end(&probe);
    }
    return GB_OK;
}

static bool is_wanted(const char *path, const struct plugin_request *requests, size_t n)
{
    const char *base = strrchr(path, '/');
    if (base && text_starts_with(base, "/device_"))
        return true;
    for (size_t i = 0; i < n; i++)
        if (!requests[i].path && module_file_names(path, requests[i].kind, requests[i].id))
            return true;
    return false;
}

static void new_catalogue(const struct words *folders, struct catalogue *ret)
{
    *ret = (struct catalogue){.folders = *folders};
}

int32_t catalogue_load(const struct words *folders, const struct plugin_request *requests,
                       size_t n_requests, struct arena *arena, struct catalogue *ret,
                       struct gb_error *error)
{
    struct words files, wanted = {0}, others = {0};
    module_files(folders, arena, &files);
    new_catalogue(folders, ret);
    wanted.items = ARENA_ARRAY(arena, const char *, files.n + n_requests);
    others.items = ARENA_ARRAY(arena, const char *, files.n);
    for (size_t i = 0; i < n_requests; i++)
        if (requests[i].path && !text_is_among(wanted.items, wanted.n, requests[i].path))
            wanted.items[wanted.n++] = requests[i].path;
    for (size_t i = 0; i < files.n; i++) {
        struct words *list = is_wanted(files.items[i], requests, n_requests) ? &wanted : &others;
        if (!text_is_among(wanted.items, wanted.n, files.items[i]))
            list->items[list->n++] = files.items[i];
    }
    int32_t status = describe_modules(&wanted, true, arena, ret, error);
    bool is_missing = false;
    for (size_t i = 0; i < n_requests; i++)
        is_missing = is_missing ||
                     (requests[i].id && !catalogue_find(ret, requests[i].kind, requests[i].id));
    if (status == GB_OK && is_missing)
        status = describe_modules(&others, true, arena, ret, error);
    return status;
}

int32_t catalogue_load_all(const struct words *folders, struct arena *arena, struct catalogue *ret,
                           struct gb_error *error)
{
    struct words files;
    module_files(folders, arena, &files);
    new_catalogue(folders, ret);
    return describe_modules(&files, false, arena, ret, error);
}

/* ---- device plugins ---- */

/* In a worker of its own unless one is there. */
static int32_t ask(struct probe *probe, uint32_t type, const struct question *question,
                   struct gb_error *error)
{
    if (!probe->worker.pid && worker_start(&probe->worker, NULL, 0, error) != GB_OK)
        return error->status;
    probe_ask(probe, type, question_fields, question);
    return GB_OK;
}

#define ITEMS(type_, fields_, item_, most_)                                                        \
    .item = type_, .fields = fields_, .item_bytes = sizeof(item_), .most = most_

void spare_worker_end(struct spare_worker *spare)
{
    if (spare->process.pid)
        worker_end(&spare->process, false);
    free(spare->device);
    free(spare->opened);
    spare->process = (struct worker_process){0};
    spare->device = spare->opened = NULL;
}

/* The one that knows these devices, if it still lives. */
static bool take_spare(struct spare_worker *spare, const char *device, struct worker_process *ret)
{
    if (!spare || !spare->process.pid || !text_equal(spare->device, device))
        return false;
    *ret = spare->process;
    spare->process = (struct worker_process){0};
    if (!worker_reap(ret))
        return true;
    worker_end(ret, false);
    return false;
}

/* With nothing left of what it printed. */
static void keep_spare(struct probe *probe, const char *device, bool is_reused,
                       struct spare_worker *spare)
{
    worker_read_output(&probe->worker, note_line, probe);
    worker_flush_output(&probe->worker, note_line, probe);
    if (!is_reused) {
        spare_worker_end(spare);
        spare->device = memory_copy_text(device);
    }
    spare->process = probe->worker;
    probe->worker = (struct worker_process){0};
}

int32_t devices_find(const struct plugin_settings *settings, size_t n, size_t n_auto,
                     bool only_chosen, struct arena *arena, struct device_list *ret,
                     struct spare_worker *spare, struct gb_error *error)
{
    struct probe probe = {.arena = arena,
                          ITEMS(WIRE_DEVICE, device_fields, struct described_device, DEVICES_MAX),
                          .last = WIRE_DEVICES_END};
    *ret = (struct device_list){.absent = ARENA_ARRAY(arena, struct absent_device, n)};
    for (size_t i = 0; i < n; i++) {
        if (only_chosen && !settings[i].is_chosen)
            continue;
        const bool is_reused = take_spare(spare, settings[i].name, &probe.worker);
        int32_t status = ask(&probe, WIRE_DEVICES, &(struct question){.plugin = settings[i]},
                             error);
        for (size_t j = 0; j < probe.n_items; j++) {
            const struct described_device *found = (struct described_device *)probe.items + j;
            ARENA_APPEND(
                arena, ret->items, ret->n,
                (struct known_device){
                    .settings = &settings[i],
                    .label = arena_printf(arena, "%s:%u", settings[i].name, found->info.index),
                    .is_auto = i < n_auto,
                    .info = found->info,
                    .facts = found->facts,
                    .n_facts = found->n_facts});
        }
        if (spare && !spare->process.pid && probe.is_complete && ret->n > 0)
            keep_spare(&probe, settings[i].name, is_reused, spare);
        probe_end(&probe);
        if (status != GB_OK)
            return error->status;
        if (*probe.outcome.words)
            ret->absent[ret->n_absent++] = (struct absent_device){
                &settings[i], i < n_auto, probe.outcome.status != GB_OK, probe.outcome.words};
    }
    return GB_OK;
}

/* Findings of one device come one after the other. */
static void add_finding(struct arena *arena, struct examination *examination,
                        const struct device_finding *found)
{
    struct examined_device *last = examination->n ? &examination->devices[examination->n - 1]
                                                  : NULL;
    if (!last || !text_equal(last->name, found->device)) {
        last = ARENA_ADD(arena, examination->devices, examination->n);
        *last = (struct examined_device){.name = found->device};
    }
    ARENA_APPEND(arena, last->findings, last->n, found->finding);
}

int32_t devices_examine(const struct plugin_settings *settings, size_t n, struct arena *arena,
                        struct examination *ret, struct gb_error *error)
{
    struct probe probe = {.arena = arena,
                          ITEMS(WIRE_FINDING, finding_fields, struct device_finding, FINDINGS_MAX),
                          .last = WIRE_EXAMINE_END,
                          .restarts = true};
    *ret = (struct examination){.unexamined = ARENA_ARRAY(arena, struct unexamined, n)};
    for (size_t i = 0; i < n; i++) {
        int32_t status = ask(&probe, WIRE_EXAMINE, &(struct question){.plugin = settings[i]},
                             error);
        probe_end(&probe);
        if (status != GB_OK)
            return error->status;
        for (size_t j = 0; j < probe.n_items; j++)
            add_finding(arena, ret, (struct device_finding *)probe.items + j);
        if (*probe.outcome.words)
            ret->unexamined[ret->n_unexamined++] = (struct unexamined){
                &settings[i], probe.outcome.status == GB_OK, probe.outcome.words};
    }
    return GB_OK;
}

int32_t counters_find(const struct plugin_settings *settings, uint32_t index, const char *model,
                      const char *whole, struct arena *arena, struct counter_list *ret,
                      struct gb_error *error)
{
    struct probe probe = {.arena = arena,
                          ITEMS(WIRE_COUNTER, counter_fields, struct gb_counter, COUNTERS_MAX),
                          .last = WIRE_COUNTERS_END,
                          .restarts = true,
                          .outcome.words = ""};
    const struct question question = {
        .plugin = *settings, .index = index, .model = model, .whole = whole};
    int32_t status = ask(&probe, WIRE_COUNTERS, &question, error);
    probe_end(&probe);
    *ret = (struct counter_list){probe.items, probe.n_items, probe.outcome.words};
    return status;
}

/* ---- benchmarks check the settings of their cases ---- */

struct validation {
    struct error_list *errors;
    const struct bench_case *bench_case; /* that is looked at; NULL: none yet */
    struct origin origin;                /* of its section */
    struct words reported;               /* options of the section with an error of theirs */
};

static struct origin place_of(const struct validation *validation, const char *option,
                              uint64_t offset)
{
    const struct bench_case *bench_case = validation->bench_case;
    const struct gb_option *known = option_find(option_table_of(&bench_case->info->plugin), option,
                                                NULL);
    for (size_t i = 0; known && i < bench_case->n_settings; i++)
        if (text_equal(bench_case->settings[i].key, option))
            return setting_place(&bench_case->settings[i], &bench_case->sources[i], known,
                                 offset < INT32_MAX ? (size_t)offset : 0);
    return validation->origin;
}

static void report(struct probe *probe, const struct problem *problem)
{
    struct validation *validation = probe->context;
    struct gb_error error;
    if (!words_add_new(&validation->reported, probe->arena, problem->option))
        return;
    error_set_at(&error, GB_INVALID, place_of(validation, problem->option, problem->offset),
                 "%s: %s", problem->option, problem->text);
    error_seek_hint(&error);
    error_list_take(validation->errors, &error);
}

static bool same_environment(const struct bench_case *a, const struct bench_case *b)
{
    bool is_same = a->n_environment == b->n_environment;
    for (size_t i = 0; is_same && i < a->n_environment; i++)
        is_same = text_equal(a->environment[i].name, b->environment[i].name) &&
                  text_equal(a->environment[i].value, b->environment[i].value);
    return is_same;
}

/* A case is looked at by the worker of the case before it, unless that has another environment. */
static int32_t validate_case(struct probe *probe, const struct bench_case *bench_case,
                             struct gb_error *error)
{
    struct validation *validation = probe->context;
    const struct question question = {.plugin = bench_case_plugin(bench_case),
                                      .folder = bench_case->folder,
                                      .bound_kind = (uint32_t)bench_case->common.check_bound_kind,
                                      .is_judged = bench_case->common.verify == VERIFY_JUDGE};
    if (validation->bench_case && !same_environment(validation->bench_case, bench_case))
        probe_end(probe);
    validation->bench_case = bench_case;
    if (!probe->worker.pid && worker_start(&probe->worker, bench_case->environment,
                                           bench_case->n_environment, error) != GB_OK)
        return error->status;
    probe_ask(probe, WIRE_VALIDATE, question_fields, &question);
    for (size_t i = 0; i < probe->n_items; i++)
        report(probe, (struct problem *)probe->items + i);
    if (!probe->is_complete)
        probe_end(probe);
    if (*probe->outcome.words && words_add_new(&validation->reported, probe->arena, "")) {
        CLEANUP(text_free) struct text label = {0};
        bench_case_label(bench_case, &label);
        error_list_add(validation->errors, validation->origin, "in case '%.300s': plugin '%s' %s",
                       text_get(&label), bench_case->info->plugin.id, probe->outcome.words);
    }
    return GB_OK;
}

static int32_t validate_part(struct probe *probe, struct sweep *sweep, struct sweep_part part,
                             struct gb_error *error)
{
    struct validation *validation = probe->context;
    uint64_t n = part.n < VALIDATED_MAX ? part.n : VALIDATED_MAX;
    int32_t status = GB_OK;
    validation->origin = part.origin;
    validation->reported.n = 0;
    for (uint64_t i = 0; i < n && status == GB_OK; i++) {
        struct bench_case *bench_case = ARENA_NEW(probe->arena, struct bench_case);
        uint64_t step = n > 1 ? i * (part.n - 1) / (n - 1) : 0;
        status = sweep_case_at(sweep, part.first + step, probe->arena, bench_case, error);
        if (status == GB_OK)
            status = validate_case(probe, bench_case, error);
    }
    return status;
}

int32_t cases_validate(struct sweep *sweep, struct error_list *errors)
{
    CLEANUP(arena_free) struct arena arena = {0};
    struct validation validation = {.errors = errors};
    struct probe probe = {.arena = &arena,
                          .context = &validation,
                          ITEMS(WIRE_PROBLEM, problem_fields, struct problem, PROBLEMS_MAX),
                          .last = WIRE_VALIDATE_END,
                          .restarts = true};
    struct gb_error error;
    size_t n_before = error_list_count(errors);
    int32_t status = GB_OK;
    for (size_t i = 0; i < sweep_parts(sweep) && status == GB_OK; i++) {
        struct sweep_part part = sweep_part(sweep, i);
        if (part.info->flags & PLUGIN_VALIDATES)
            status = validate_part(&probe, sweep, part, &error);
    }
    probe_end(&probe);
    if (status != GB_OK)
        error_list_take(errors, &error);
    return error_list_count(errors) == n_before ? GB_OK : GB_INVALID;
}
