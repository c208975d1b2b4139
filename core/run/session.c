/* session.c - see session.h. */
#include "core/run/session.h"

#include "core/base/host_clock.h"
#include "core/base/text.h"
#include "core/config/option_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct session {
    struct arena arena;
    struct host_sink sink;
    const struct gb_plugin *own; /* of the program; or NULL */
    struct module **modules;
    size_t n_modules;
    bool has_device, has_queue; /* made by the plugin, which has to be given both back */
    struct open_device open;    /* no `host`: nothing is open */
};

struct session *session_new(const struct host_sink *sink)
{
    struct session *session = memory_allocate(sizeof *session);
    session->sink = *sink;
    return session;
}

static int32_t load(struct session *session, const char *path, const struct module **ret,
                    struct gb_error *error)
{
    for (size_t i = 0; i < session->n_modules; i++)
        if (text_equal(session->modules[i]->path, path)) {
            *ret = session->modules[i];
            return GB_OK;
        }
    struct module *module = ARENA_NEW(&session->arena, struct module);
    if (module_load(path, true, &session->arena, module, error) != GB_OK)
        return error_prefix(error, "%s: ", path);
    ARENA_APPEND(&session->arena, session->modules, session->n_modules, module);
    *ret = module;
    return GB_OK;
}

void session_lend(struct session *session, const struct gb_plugin *own)
{
    session->own = own;
}

const char *session_build(const struct session *session, const struct plugin_info *info)
{
    for (size_t i = 0; i < session->n_modules; i++)
        if (text_equal(session->modules[i]->path, info->path))
            return session->modules[i]->sha256;
    return "";
}

static int32_t find_plugin(struct session *session, const struct plugin_info *info,
                           const struct gb_plugin **ret, struct gb_error *error)
{
    const struct module *module = NULL;
    if (!*info->path && session->own) {
        *ret = session->own;
        return GB_OK;
    }
    if (load(session, info->path, &module, error) != GB_OK)
        return error->status;
    *ret = module_find(module, info->plugin.kind, info->plugin.id);
    if (!*ret)
        return error_set(error, GB_NOT_FOUND, "%s: holds no %s '%s' any more", info->path,
                         plugin_kind_words(info->plugin.kind), info->plugin.id);
    return GB_OK;
}

int32_t session_prepare(struct session *session, const struct plugin_settings *settings,
                        struct arena *arena, const struct gb_plugin **ret_plugin, void **ret_params,
                        struct gb_error *error)
{
    const struct gb_plugin *plugin = NULL;
    if (find_plugin(session, settings->info, &plugin, error) != GB_OK)
        return error->status;
    void *params = arena_allocate(arena, plugin->params_size);
    if (option_fill(option_table_of(plugin), settings->settings, settings->n_settings, params,
                    plugin->params_size, arena, error) != GB_OK)
        return error_prefix(error, "%s: ", plugin->id);
    *ret_plugin = plugin;
    *ret_params = params;
    return GB_OK;
}

/* ---- questions to a device plugin, of whose devices none is opened ---- */

struct asked_plugin {
    const struct plugin_settings *settings;
    const struct gb_plugin *plugin;
    const struct gb_device_ops *ops;
    void *params; /* in the session's memory */
    struct host *host;
};

/* The caller frees the host, unless this fails. */
static int32_t ask(struct session *session, const struct plugin_settings *settings,
                   struct asked_plugin *ret, struct gb_error *error)
{
    *ret = (struct asked_plugin){.settings = settings};
    int32_t status = session_prepare(session, settings, &session->arena, &ret->plugin, &ret->params,
                                     error);
    if (status != GB_OK)
        return status;
    ret->ops = ret->plugin->ops;
    ret->host = host_new(0, &session->sink, NULL, NULL);
    return GB_OK;
}

static int32_t device_failure(const struct asked_plugin *asked, const char *what, int32_t status,
                              struct gb_error *error)
{
    return error_set(error, status, "device %s: %s: %s", asked->settings->name, what,
                     host_words(asked->host, status));
}

/* *ret_reason: why there is none, in the session's memory; "" if there are some. */
static int32_t count_devices(struct session *session, const struct asked_plugin *asked,
                             uint32_t *ret_n, const char **ret_reason, struct gb_error *error)
{
    int32_t status = asked->ops->count(&asked->host->interface, asked->params, ret_n);
    if (status != GB_OK && status != GB_SKIPPED) {
        *ret_n = 0;
        return device_failure(asked, "counting devices", status, error);
    }
    if (status == GB_SKIPPED)
        *ret_n = 0;
    const char *reason = asked->host->reason;
    *ret_reason = *ret_n > 0 ? ""
                             : arena_text(&session->arena, *reason ? reason : "none was found");
    return GB_OK;
}

static int32_t describe(const struct asked_plugin *asked, uint32_t index, gb_fact_fn *fact,
                        void *context, struct gb_device_info *ret, struct gb_error *error)
{
    *ret = (struct gb_device_info){.size = sizeof *ret, .index = index};
    int32_t status = asked->ops->describe(&asked->host->interface, asked->params, index, ret, fact,
                                          context);
    if (status != GB_OK)
        return device_failure(asked, "describing a device", status, error);
    ret->index = index;
    ret->backend[sizeof ret->backend - 1] = 0;
    ret->model[sizeof ret->model - 1] = 0;
    ret->uuid[sizeof ret->uuid - 1] = 0;
    return GB_OK;
}

enum { FACTS_MAX = 200 }; /* of a device */

struct fact_list {
    struct arena arena;
    struct fact *items;
    size_t n;
};

static void keep_fact(void *context, const char *name, const char *value)
{
    struct fact_list *facts = context;
    if (name && *name && facts->n <= FACTS_MAX)
        ARENA_APPEND(&facts->arena, facts->items, facts->n,
                     (struct fact){arena_text(&facts->arena, name),
                                   arena_text(&facts->arena, value ? value : "")});
}

int32_t session_devices(struct session *session, const struct plugin_settings *settings,
                        session_device_fn *device, void *context, const char **ret_reason,
                        struct gb_error *error)
{
    struct asked_plugin asked;
    uint32_t n = 0;
    if (ask(session, settings, &asked, error) != GB_OK)
        return error->status;
    int32_t status = count_devices(session, &asked, &n, ret_reason, error);
    for (uint32_t i = 0; i < n && status == GB_OK; i++) {
        struct described_device described;
        struct fact_list facts = {0};
        status = describe(&asked, i, keep_fact, &facts, &described.info, error);
        described.facts = facts.items;
        described.n_facts = facts.n;
        if (status == GB_OK && facts.n > FACTS_MAX)
            status = error_set(error, GB_INVALID,
                               "device %s: describes itself by more than %d facts", settings->name,
                               FACTS_MAX);
        if (status == GB_OK)
            device(context, &described);
        arena_free(&facts.arena);
    }
    host_free(asked.host);
    return status;
}

/* What a plugin's function is given to report findings with. */
struct finder {
    const char *device;
    session_finding_fn *finding;
    void *context;
};

static void pass_finding(void *context, const struct gb_finding *finding)
{
    const struct finder *finder = context;
    if (finding && GB_HAS(finding, cure) && finding->subject)
        finder->finding(finder->context, finder->device, finding);
}

static int32_t examine_one(const struct asked_plugin *asked, uint32_t index, struct finder *finder,
                           struct gb_error *error)
{
    struct gb_device_info info;
    int32_t status = describe(asked, index, NULL, NULL, &info, error);
    if (status != GB_OK)
        return status;
    CLEANUP(text_free) struct text name = {0};
    text_printf(&name, "%s:%u %s", asked->settings->name, index, info.model);
    finder->device = text_get(&name);
    status = asked->ops->examine(&asked->host->interface, asked->params, index, pass_finding,
                                 finder);
    return status == GB_OK ? GB_OK : device_failure(asked, "examining a device", status, error);
}

int32_t session_examine(struct session *session, const struct plugin_settings *settings,
                        session_finding_fn *finding, void *context, const char **ret_reason,
                        struct gb_error *error)
{
    struct asked_plugin asked;
    struct finder finder = {.finding = finding, .context = context};
    uint32_t n = 0;
    int32_t status = GB_OK;
    *ret_reason = "";
    if (ask(session, settings, &asked, error) != GB_OK)
        return error->status;
    bool examines = GB_HAS(asked.ops, examine) && asked.ops->examine;
    if (examines)
        status = count_devices(session, &asked, &n, ret_reason, error);
    for (uint32_t i = 0; i < n && examines; i++) {
        struct gb_error failure;
        int32_t one = examine_one(&asked, i, &finder, &failure);
        *asked.host->reason = 0;
        if (one != GB_OK && status == GB_OK) {
            status = one;
            *error = failure;
        }
    }
    host_free(asked.host);
    return status;
}

/* NULL: the plugin has no such extension. */
static const void *extension_of(const struct gb_plugin *plugin, const char *id)
{
    return plugin->extension ? plugin->extension(id) : NULL;
}

/* NULL: the plugin has no counters. */
static const struct gb_counters *counters_of(const struct gb_plugin *plugin)
{
    const struct gb_counters *counters = extension_of(plugin, GB_COUNTERS);
    bool is_whole = counters && GB_HAS(counters, count) && counters->list && counters->count;
    return is_whole ? counters : NULL;
}

int32_t session_counters(struct session *session, const struct plugin_settings *settings,
                         uint32_t index, const char *model, const char *whole,
                         gb_counter_fn *counter, void *context, const char **ret_reason,
                         struct gb_error *error)
{
    struct asked_plugin asked;
    if (ask(session, settings, &asked, error) != GB_OK)
        return error->status;
    const struct gb_counters *counters = counters_of(asked.plugin);
    int32_t status = GB_OK;
    *ret_reason = counters ? "" : "it has no counters";
    if (counters)
        status = counters->list(&asked.host->interface, asked.params, index, model, whole, counter,
                                context);
    const char *reason = asked.host->reason;
    if (status == GB_SKIPPED || status == GB_NOT_FOUND) {
        *ret_reason = arena_text(&session->arena, *reason ? reason : "there is no such device");
        status = GB_OK;
    } else if (status != GB_OK) {
        device_failure(&asked, "listing counters", status, error);
    }
    host_free(asked.host);
    return status;
}

/* ---- a question to a benchmark ---- */

struct question {
    const struct gb_validation *validation;
    const struct gb_host *host;
    const void *params;
    gb_problem_fn *problem; /* of the context */
    void *context;
    bool is_answered; /* a problem was reported */
};

static void pass_on(void *context, const char *option, uint64_t offset, const char *text)
{
    struct question *question = context;
    question->is_answered = true;
    question->problem(question->context, option, offset, text);
}

static int32_t ask_of_sums(struct question *question, uint32_t bound_kind)
{
    const struct gb_validation *validation = question->validation;
    struct gb_sums sums = {.size = sizeof sums};
    if (!GB_HAS(validation, sums) || !validation->sums)
        return GB_OK;
    int32_t status = validation->sums(question->host, question->params, &sums);
    const char *why = verify_bound_refusal(bound_kind, sums.summation, sums.has_one_sign);
    if (status == GB_OK && why)
        pass_on(question, "check.bound_kind", 0, why);
    return status;
}

int32_t session_validate(struct session *session, const struct plugin_settings *settings,
                         const char *folder, uint32_t bound_kind, bool is_judged,
                         gb_problem_fn *problem, void *context, struct gb_error *error)
{
    static const struct gb_judging judging = {.size = sizeof judging, .is_judge = 1};
    CLEANUP(arena_free) struct arena arena = {0};
    const struct gb_plugin *plugin = NULL;
    void *params = NULL;
    if (session_prepare(session, settings, &arena, &plugin, &params, error) != GB_OK)
        return error->status;
    const struct gb_validation *validation = extension_of(plugin, GB_VALIDATION);
    if (!validation)
        return GB_OK;
    struct host *host = host_new(0, &session->sink, NULL, NULL);
    host->interface.folder = folder;
    host->judging = is_judged ? &judging : NULL;
    struct question question = {validation, &host->interface, params, problem, context, false};
    int32_t status = GB_OK;
    if (GB_HAS(validation, validate) && validation->validate)
        status = validation->validate(&host->interface, params, pass_on, &question);
    if (status == GB_OK && !question.is_answered)
        status = ask_of_sums(&question, bound_kind);
    if (status != GB_OK)
        error_set(error, status, "%s", host_words(host, status));
    host_free(host);
    return status;
}

/* ---- the open device ---- */

static int32_t read_clocks(struct open_device *open, const struct asked_plugin *asked,
                           struct gb_error *error)
{
    for (uint32_t i = 0; i < GB_CLOCKS_MAX; i++) {
        struct gb_clock *clock = &open->clocks[i];
        *clock = (struct gb_clock){.size = sizeof *clock};
        int32_t status = open->ops->clock(open->device, i, clock);
        if (status == GB_NOT_FOUND)
            break;
        if (status != GB_OK)
            return device_failure(asked, "reading its clocks", status, error);
        clock->name[sizeof clock->name - 1] = 0;
        open->counts = clock->flags & GB_CLOCK_COUNTS && open->counters &&
                       text_equal(clock->name, CLOCK_INSTRUCTIONS);
        if (clock->flags & GB_CLOCK_COUNTS)
            break;
        open->n_clocks = i + 1;
    }
    if (open->n_clocks == 0)
        return error_set(error, GB_INVALID, "device %s: offers no clock", open->name);
    return GB_OK;
}

static void close_device(struct session *session)
{
    struct open_device *open = &session->open;
    if (session->has_queue)
        open->ops->queue_destroy(open->device, open->queue);
    if (session->has_device)
        open->ops->close(open->device);
    host_free(open->host);
    session->has_device = session->has_queue = false;
    *open = (struct open_device){0};
}

/* Whatever it returns: what it has made is the session's. */
static int32_t open_device(struct session *session, const struct device_choice *choice,
                           struct gb_error *error)
{
    struct open_device *open = &session->open;
    struct asked_plugin asked;
    uint32_t index = choice->index == DEVICE_INDEX_ANY ? 0 : (uint32_t)choice->index;
    if (ask(session, choice->settings, &asked, error) != GB_OK)
        return error->status;
    const struct gb_activities *activities = extension_of(asked.plugin, GB_ACTIVITIES);
    const struct gb_profile *profile = extension_of(asked.plugin, GB_PROFILE);
    if (activities && (!GB_HAS(activities, list) || !activities->list))
        activities = NULL;
    const struct gb_judging_device *judging = extension_of(asked.plugin, GB_JUDGING_DEVICE);
    if (judging && !GB_HAS(judging, launch))
        judging = NULL;
    if (profile && (!GB_HAS(profile, end) || !profile->begin || !profile->end))
        profile = NULL;
    *open = (struct open_device){.name = arena_text(&session->arena, choice->settings->name),
                                 .ops = asked.ops,
                                 .counters = counters_of(asked.plugin),
                                 .activities = activities,
                                 .profile = profile,
                                 .judging = judging,
                                 .host = asked.host};
    if (describe(&asked, index, NULL, NULL, &open->info, error) != GB_OK)
        return error->status;
    if (choice->uuid && *choice->uuid && !text_equal(choice->uuid, open->info.uuid))
        return error_set(error, GB_DEVICE_ERROR,
                         "device %s: %s was found in place of %s, the first of the case's GPUs",
                         open->name, open->info.uuid, choice->uuid);
    int32_t status = open->ops->open(&open->host->interface, asked.params, index, &open->device);
    if (status != GB_OK)
        return device_failure(&asked, "opening it", status, error);
    session->has_device = true;
    status = open->ops->queue_create(open->device, &open->queue);
    if (status != GB_OK)
        return device_failure(&asked, "making a queue", status, error);
    session->has_queue = true;
    open->load = ARENA_NEW(&session->arena, struct device_load);
    open->sentinel = ARENA_NEW(&session->arena, struct sentinel);
    *open->sentinel = (struct sentinel){.begin_ns = session_clock_ns(open)};
    return read_clocks(open, &asked, error);
}

bool session_is_open(const struct session *session)
{
    return session->open.host != NULL;
}

int32_t session_open(struct session *session, const struct device_choice *choice,
                     const struct open_device **ret, struct gb_error *error)
{
    if (!session_is_open(session) && open_device(session, choice, error) != GB_OK) {
        close_device(session);
        return error->status;
    }
    *ret = &session->open;
    return GB_OK;
}

double session_clock_ns(const struct open_device *device)
{
    return GB_HAS(device->ops, now_ns) && device->ops->now_ns ? device->ops->now_ns(device->device)
                                                              : host_clock_ns();
}

void session_free(struct session *session)
{
    if (!session)
        return;
    close_device(session);
    arena_free(&session->arena);
    free(session);
}
