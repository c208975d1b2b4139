/* probe.c - see probe.h. */
#include "core/run/probe.h"

#include "core/base/host_clock.h"
#include "core/run/messages.h"
#include "core/run/worker_process.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PROBE_SECONDS = 10,
    PLUGINS_MAX = 4096,
    FINDINGS_MAX = 1000,
    PROBLEMS_MAX = 1000,
    COUNTERS_MAX = 200000
};

/* A conversation with one worker: what is asked, and where the answers go. */
struct probe {
    struct arena *arena;
    struct worker_process worker;
    double deadline_ns;
    bool is_complete;
    struct text printed; /* the worker's last words */
    int32_t (*answer)(struct probe *probe, uint32_t type, struct wire_reader *message);
    /* modules */
    struct catalogue *catalogue;
    size_t capacity;
    const struct path_list *paths;
    uint32_t current; /* index of the module being loaded */
    bool is_loading;
    /* devices */
    struct device_list *devices;
    size_t device_capacity;
    const struct plugin_settings *settings;
    bool is_auto;
    struct fact *facts;
    size_t n_facts;
    const char *reason;
    /* examination */
    struct examination *examination;
    size_t n_findings; /* of this plugin */
    int32_t status;
    /* validation */
    struct error_list *errors;
    const struct bench_case *bench_case;
    struct origin origin;  /* of its section */
    const char **reported; /* options of the section that something was said about */
    size_t n_reported;
    /* counters */
    struct gb_counter *counters;
    size_t n_counters;
    uint32_t index; /* of the device */
    const char *model, *whole;
};

static void note_line(void *context, const char *line)
{
    struct probe *probe = context;
    text_clear(&probe->printed);
    text_add_n(&probe->printed, line, strnlen(line, 200));
}

static void restart_clock(struct probe *probe)
{
    probe->deadline_ns = host_clock_ns() + PROBE_SECONDS * 1e9;
}

/* The message that ends an answer: how it went. */
static void take_outcome(struct probe *probe, struct wire_reader *message)
{
    probe->status = (int32_t)wire_get_u32(message);
    probe->reason = wire_get_word(message, probe->arena);
    probe->is_complete = true;
}

/* Listens until the answer is complete, the worker is gone or takes too long. */
static void listen(struct probe *probe)
{
    bool is_open = true;
    restart_clock(probe);
    while (is_open && !probe->is_complete && host_clock_ns() < probe->deadline_ns) {
        struct pollfd files[2] = {{.fd = probe->worker.socket, .events = POLLIN},
                                  {.fd = probe->worker.output, .events = POLLIN}};
        double left_ms = (probe->deadline_ns - host_clock_ns()) / 1e6;
        poll(files, 2, left_ms < 1 ? 1 : (int)left_ms);
        worker_read_output(&probe->worker, note_line, probe);
        is_open = worker_read(&probe->worker);
        uint32_t type;
        struct wire_reader message;
        struct gb_error error;
        int32_t status;
        while ((status = wire_input_next(&probe->worker.input, &type, &message, &error)) > 0)
            if (probe->answer(probe, type, &message) != GB_OK)
                return;
        if (status < 0)
            return;
    }
}

/* Why a worker gave no complete answer: "crashed (SIGSEGV) while loading a module". */
static const char *why_incomplete(struct probe *probe)
{
    char death[32], how[96];
    uint32_t phase = probe->worker.page->phase;
    bool too_slow = host_clock_ns() >= probe->deadline_ns;
    worker_read_output(&probe->worker, note_line, probe);
    worker_flush_output(&probe->worker, note_line, probe);
    if (!too_slow)
        for (int i = 0; i < 100 && !worker_reap(&probe->worker); i++)
            poll(NULL, 0, 1);
    worker_death(&probe->worker, death, sizeof death);
    if (too_slow)
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

static void add_failure(struct probe *probe, const char *path, const char *reason)
{
    struct catalogue *catalogue = probe->catalogue;
    struct module_failure *failures = ARENA_ARRAY(probe->arena, struct module_failure,
                                                  catalogue->n_failures + 1);
    if (catalogue->n_failures)
        memcpy(failures, catalogue->failures, catalogue->n_failures * sizeof *failures);
    failures[catalogue->n_failures++] = (struct module_failure){path, reason};
    catalogue->failures = failures;
}

static void add_plugin(struct probe *probe, struct wire_reader *message)
{
    struct catalogue *catalogue = probe->catalogue;
    if (catalogue->n_plugins == probe->capacity) {
        size_t capacity = probe->capacity ? 2 * probe->capacity : 32;
        struct plugin_info *plugins = ARENA_ARRAY(probe->arena, struct plugin_info, capacity);
        if (catalogue->n_plugins)
            memcpy(plugins, catalogue->plugins, catalogue->n_plugins * sizeof *plugins);
        catalogue->plugins = plugins;
        probe->capacity = capacity;
    }
    struct plugin_info *info = &catalogue->plugins[catalogue->n_plugins];
    get_plugin(message, probe->arena, &info->plugin, &info->flags);
    info->path = probe->paths->items[probe->current];
    if (wire_complete(message) && catalogue->n_plugins < PLUGINS_MAX)
        catalogue->n_plugins++;
}

static int32_t answer_modules(struct probe *probe, uint32_t type, struct wire_reader *message)
{
    restart_clock(probe);
    if (type == WIRE_PLUGIN) {
        add_plugin(probe, message);
        return GB_OK;
    }
    if (type != WIRE_MODULE_BEGIN && type != WIRE_MODULE_END)
        return GB_OK;
    uint32_t index = wire_get_u32(message);
    if (index >= probe->paths->n)
        return GB_CORRUPT;
    probe->current = index;
    probe->is_loading = type == WIRE_MODULE_BEGIN;
    if (type == WIRE_MODULE_END) {
        int32_t status = (int32_t)wire_get_u32(message);
        const char *reason = wire_get_word(message, probe->arena);
        if (status != GB_OK)
            add_failure(probe, probe->paths->items[index], reason);
        probe->is_complete = index + 1 == probe->paths->n;
    }
    return GB_OK;
}

static int32_t ask_modules(struct probe *probe, uint32_t first, struct gb_error *error)
{
    struct wire_writer writer = {0};
    wire_begin(&writer, WIRE_PROBE);
    wire_put_u32(&writer, first);
    wire_put_u32(&writer, (uint32_t)probe->paths->n - first);
    for (size_t i = first; i < probe->paths->n; i++)
        wire_put_text(&writer, probe->paths->items[i]);
    wire_end(&writer);
    int32_t status = worker_send(&probe->worker, &writer, error);
    wire_writer_free(&writer);
    return status;
}

/* One worker describes all modules, unless one of them ends it: then the next worker goes on behind
 * that one. */
static int32_t describe(const struct path_list *paths, struct arena *arena,
                        struct catalogue *catalogue, struct gb_error *error)
{
    struct probe probe = {.arena = arena,
                          .catalogue = catalogue,
                          .paths = paths,
                          .answer = answer_modules,
                          .capacity = catalogue->n_plugins};
    uint32_t first = 0;
    while (first < paths->n) {
        size_t n_before = catalogue->n_plugins;
        probe.is_complete = probe.is_loading = false;
        probe.current = first;
        if (worker_start(&probe.worker, NULL, 0, error) != GB_OK)
            break;
        if (ask_modules(&probe, first, error) == GB_OK)
            listen(&probe);
        if (!probe.is_complete) {
            /* What a module had told before it failed does not count. */
            while (catalogue->n_plugins > n_before &&
                   text_equal(catalogue->plugins[catalogue->n_plugins - 1].path,
                              paths->items[probe.current]))
                catalogue->n_plugins--;
            add_failure(&probe, paths->items[probe.current], why_incomplete(&probe));
        }
        first = probe.is_complete ? (uint32_t)paths->n : probe.current + 1;
        worker_end(&probe.worker);
        text_clear(&probe.printed);
    }
    text_free(&probe.printed);
    return first < paths->n ? error->status : GB_OK;
}

static bool is_listed(const struct path_list *list, const char *path)
{
    for (size_t i = 0; i < list->n; i++)
        if (text_equal(list->items[i], path))
            return true;
    return false;
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

static void new_catalogue(const struct path_list *folders, struct catalogue *ret)
{
    *ret = (struct catalogue){.folders = folders->items, .n_folders = folders->n};
}

int32_t catalogue_load(const struct path_list *folders, const struct plugin_request *requests,
                       size_t n_requests, struct arena *arena, struct catalogue *ret,
                       struct gb_error *error)
{
    struct path_list files, wanted = {0}, others = {0};
    module_files(folders, arena, &files);
    new_catalogue(folders, ret);
    wanted.items = ARENA_ARRAY(arena, const char *, files.n + n_requests);
    others.items = ARENA_ARRAY(arena, const char *, files.n);
    for (size_t i = 0; i < n_requests; i++)
        if (requests[i].path && !is_listed(&wanted, requests[i].path))
            wanted.items[wanted.n++] = requests[i].path;
    for (size_t i = 0; i < files.n; i++) {
        struct path_list *list = is_wanted(files.items[i], requests, n_requests) ? &wanted
                                                                                 : &others;
        if (!is_listed(&wanted, files.items[i]))
            list->items[list->n++] = files.items[i];
    }
    int32_t status = describe(&wanted, arena, ret, error);
    bool is_missing = false;
    for (size_t i = 0; i < n_requests; i++)
        is_missing = is_missing ||
                     (requests[i].id && !catalogue_find(ret, requests[i].kind, requests[i].id));
    if (status == GB_OK && is_missing)
        status = describe(&others, arena, ret, error);
    return status;
}

int32_t catalogue_load_all(const struct path_list *folders, struct arena *arena,
                           struct catalogue *ret, struct gb_error *error)
{
    struct path_list files;
    module_files(folders, arena, &files);
    new_catalogue(folders, ret);
    return describe(&files, arena, ret, error);
}

static void add_device(struct probe *probe, struct wire_reader *message)
{
    struct device_list *list = probe->devices;
    if (list->n == probe->device_capacity) {
        size_t capacity = probe->device_capacity ? 2 * probe->device_capacity : 8;
        struct known_device *items = ARENA_ARRAY(probe->arena, struct known_device, capacity);
        if (list->n)
            memcpy(items, list->items, list->n * sizeof *items);
        list->items = items;
        probe->device_capacity = capacity;
    }
    struct known_device *device = &list->items[list->n];
    *device = (struct known_device){.settings = probe->settings,
                                    .is_auto = probe->is_auto,
                                    .facts = probe->facts,
                                    .n_facts = probe->n_facts};
    get_device_info(message, &device->info);
    if (wire_complete(message))
        list->n++;
    probe->facts = NULL;
    probe->n_facts = 0;
}

static void add_fact(struct probe *probe, struct wire_reader *message)
{
    enum { FACTS_MAX = 200 };
    if (!probe->facts)
        probe->facts = ARENA_ARRAY(probe->arena, struct fact, FACTS_MAX);
    struct fact fact = {wire_get_word(message, probe->arena), NULL};
    fact.value = wire_get_word(message, probe->arena);
    if (wire_complete(message) && probe->n_facts < FACTS_MAX && *fact.name)
        probe->facts[probe->n_facts++] = fact;
}

static int32_t answer_devices(struct probe *probe, uint32_t type, struct wire_reader *message)
{
    if (type == WIRE_FACT) {
        add_fact(probe, message);
    } else if (type == WIRE_DEVICE) {
        add_device(probe, message);
    } else if (type == WIRE_DEVICES_END) {
        wire_get_u32(message);
        probe->reason = wire_get_word(message, probe->arena);
        probe->is_complete = true;
    }
    return GB_OK;
}

/* A question about a device plugin, to a worker of its own. */
static int32_t ask_plugin(struct probe *probe, uint32_t question, struct gb_error *error)
{
    struct wire_writer writer = {0};
    if (worker_start(&probe->worker, NULL, 0, error) != GB_OK)
        return error->status;
    wire_begin(&writer, question);
    put_plugin_settings(&writer, probe->settings);
    if (question == WIRE_COUNTERS) {
        wire_put_u32(&writer, probe->index);
        wire_put_text(&writer, probe->model);
        wire_put_text(&writer, probe->whole);
    }
    wire_end(&writer);
    if (worker_send(&probe->worker, &writer, error) == GB_OK)
        listen(probe);
    wire_writer_free(&writer);
    if (!probe->is_complete)
        probe->reason = why_incomplete(probe);
    worker_end(&probe->worker);
    text_clear(&probe->printed);
    return GB_OK;
}

int32_t devices_find(const struct plugin_settings *settings, size_t n, size_t n_auto,
                     struct arena *arena, struct device_list *ret, struct gb_error *error)
{
    struct probe probe = {.arena = arena, .devices = ret, .answer = answer_devices};
    *ret = (struct device_list){.absent = ARENA_ARRAY(arena, struct absent_device, n)};
    int32_t status = GB_OK;
    for (size_t i = 0; i < n && status == GB_OK; i++) {
        probe.settings = &settings[i];
        probe.is_auto = i < n_auto;
        probe.is_complete = false;
        probe.reason = "";
        status = ask_plugin(&probe, WIRE_DEVICES, error);
        if (*probe.reason)
            ret->absent[ret->n_absent++] = (struct absent_device){&settings[i], i < n_auto,
                                                                  probe.reason};
    }
    text_free(&probe.printed);
    return status;
}

/* Findings of one device come one after the other. */
static void add_finding(struct probe *probe, struct wire_reader *message)
{
    struct examination *examination = probe->examination;
    struct finding finding;
    const char *name;
    get_finding(message, probe->arena, &name, &finding);
    if (!wire_complete(message))
        return;
    struct examined_device *last = examination->n ? &examination->devices[examination->n - 1]
                                                  : NULL;
    if (!last || !text_equal(last->name, name)) {
        examination->devices = arena_grow(probe->arena, examination->devices, examination->n,
                                          sizeof *examination->devices);
        last = &examination->devices[examination->n++];
        *last = (struct examined_device){.name = name};
    }
    last->findings = arena_grow(probe->arena, last->findings, last->n, sizeof *last->findings);
    last->findings[last->n++] = finding;
}

static int32_t answer_examine(struct probe *probe, uint32_t type, struct wire_reader *message)
{
    restart_clock(probe);
    if (type == WIRE_FINDING) {
        if (probe->n_findings++ == FINDINGS_MAX)
            return GB_CORRUPT;
        add_finding(probe, message);
    } else if (type == WIRE_EXAMINE_END) {
        take_outcome(probe, message);
    }
    return GB_OK;
}

int32_t devices_examine(const struct plugin_settings *settings, size_t n, struct arena *arena,
                        struct examination *ret, struct gb_error *error)
{
    struct probe probe = {.arena = arena, .examination = ret, .answer = answer_examine};
    *ret = (struct examination){.unexamined = ARENA_ARRAY(arena, struct unexamined, n)};
    int32_t status = GB_OK;
    for (size_t i = 0; i < n && status == GB_OK; i++) {
        probe.settings = &settings[i];
        probe.is_complete = false;
        probe.reason = "";
        probe.n_findings = 0;
        status = ask_plugin(&probe, WIRE_EXAMINE, error);
        if (*probe.reason)
            ret->unexamined[ret->n_unexamined++] = (struct unexamined){
                &settings[i], probe.is_complete && probe.status == GB_OK, probe.reason};
    }
    text_free(&probe.printed);
    return status;
}

/* ---- validation ---- */

static bool is_reported(struct probe *probe, const char *option)
{
    for (size_t i = 0; i < probe->n_reported; i++)
        if (text_equal(probe->reported[i], option))
            return true;
    probe->reported = arena_grow(probe->arena, probe->reported, probe->n_reported,
                                 sizeof *probe->reported);
    probe->reported[probe->n_reported++] = option;
    return false;
}

static struct origin place_of(const struct probe *probe, const char *option, uint64_t offset)
{
    const struct bench_case *bench_case = probe->bench_case;
    const struct gb_option *known = option_find(option_table_of(&bench_case->info->plugin), option,
                                                NULL);
    for (size_t i = 0; known && i < bench_case->n_settings; i++)
        if (text_equal(bench_case->settings[i].key, option))
            return setting_place(&bench_case->settings[i], &bench_case->sources[i], known,
                                 offset < INT32_MAX ? (size_t)offset : 0);
    return probe->origin;
}

static void add_problem(struct probe *probe, struct wire_reader *message)
{
    const char *option = wire_get_word(message, probe->arena);
    uint64_t offset = wire_get_u64(message);
    const char *text = wire_get_word(message, probe->arena);
    if (wire_complete(message) && !is_reported(probe, option))
        error_list_add(probe->errors, place_of(probe, option, offset), "%s: %s", option, text);
}

static int32_t answer_validate(struct probe *probe, uint32_t type, struct wire_reader *message)
{
    restart_clock(probe);
    if (type == WIRE_PROBLEM) {
        if (probe->n_findings++ == PROBLEMS_MAX)
            return GB_CORRUPT;
        add_problem(probe, message);
    } else if (type == WIRE_VALIDATE_END) {
        take_outcome(probe, message);
    }
    return GB_OK;
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
    struct wire_writer writer = {0};
    struct plugin_settings settings = {.name = bench_case->bench,
                                       .info = bench_case->info,
                                       .settings = bench_case->settings,
                                       .n_settings = bench_case->n_settings};
    if (probe->bench_case && !same_environment(probe->bench_case, bench_case))
        worker_end(&probe->worker);
    probe->bench_case = bench_case;
    probe->is_complete = false;
    probe->reason = "";
    probe->n_findings = 0;
    if (!probe->worker.pid && worker_start(&probe->worker, bench_case->environment,
                                           bench_case->n_environment, error) != GB_OK)
        return error->status;
    wire_begin(&writer, WIRE_VALIDATE);
    put_plugin_settings(&writer, &settings);
    wire_put_text(&writer, bench_case->folder);
    wire_end(&writer);
    if (worker_send(&probe->worker, &writer, error) == GB_OK)
        listen(probe);
    wire_writer_free(&writer);
    if (!probe->is_complete) {
        probe->reason = why_incomplete(probe);
        worker_end(&probe->worker);
    }
    text_clear(&probe->printed);
    if (*probe->reason && !is_reported(probe, "")) {
        CLEANUP(text_free) struct text label = {0};
        bench_case_label(bench_case, &label);
        error_list_add(probe->errors, probe->origin, "in case '%.300s': plugin '%s' %s",
                       text_get(&label), bench_case->info->plugin.id, probe->reason);
    }
    return GB_OK;
}

static int32_t validate_part(struct probe *probe, struct sweep *sweep, struct sweep_part part,
                             struct gb_error *error)
{
    uint64_t n = part.n < VALIDATED_MAX ? part.n : VALIDATED_MAX;
    int32_t status = GB_OK;
    probe->origin = part.origin;
    probe->n_reported = 0;
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
    struct probe probe = {.arena = &arena, .errors = errors, .answer = answer_validate};
    struct gb_error error;
    size_t n_before = errors->n + errors->n_left_out;
    int32_t status = GB_OK;
    for (size_t i = 0; i < sweep_parts(sweep) && status == GB_OK; i++) {
        struct sweep_part part = sweep_part(sweep, i);
        if (part.info->flags & PLUGIN_VALIDATES)
            status = validate_part(&probe, sweep, part, &error);
    }
    if (probe.worker.pid)
        worker_end(&probe.worker);
    text_free(&probe.printed);
    if (status != GB_OK)
        error_list_take(errors, &error);
    return errors->n + errors->n_left_out == n_before ? GB_OK : GB_INVALID;
}

static int32_t answer_counters(struct probe *probe, uint32_t type, struct wire_reader *message)
{
    restart_clock(probe);
    if (type == WIRE_COUNTER) {
        struct gb_counter counter;
        get_counter(message, probe->arena, &counter);
        if (!wire_complete(message) || probe->n_counters == COUNTERS_MAX)
            return GB_CORRUPT;
        probe->counters = arena_grow(probe->arena, probe->counters, probe->n_counters,
                                     sizeof *probe->counters);
        probe->counters[probe->n_counters++] = counter;
    } else if (type == WIRE_COUNTERS_END) {
        take_outcome(probe, message);
    }
    return GB_OK;
}

int32_t counters_find(const struct plugin_settings *settings, uint32_t index, const char *model,
                      const char *whole, struct arena *arena, struct counter_list *ret,
                      struct gb_error *error)
{
    struct probe probe = {.arena = arena,
                          .answer = answer_counters,
                          .settings = settings,
                          .index = index,
                          .model = model,
                          .whole = whole,
                          .reason = ""};
    const int32_t status = ask_plugin(&probe, WIRE_COUNTERS, error);
    *ret = (struct counter_list){probe.counters, probe.n_counters, probe.reason};
    text_free(&probe.printed);
    return status;
}
