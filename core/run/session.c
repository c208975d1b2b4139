/* session.c - see session.h. */
#include "core/run/session.h"

#include "core/base/text.h"
#include "core/config/option_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct loaded_module {
    struct loaded_module *next;
    struct module module;
};

struct session {
    struct arena arena;
    struct host_sink sink;
    struct loaded_module *modules;
    bool is_open;
    struct open_device open;
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
    for (struct loaded_module *loaded = session->modules; loaded; loaded = loaded->next)
        if (text_equal(loaded->module.path, path)) {
            *ret = &loaded->module;
            return GB_OK;
        }
    struct loaded_module *loaded = ARENA_NEW(&session->arena, struct loaded_module);
    if (module_load(path, &session->arena, &loaded->module, error) != GB_OK)
        return error_prefix(error, "%s: ", path);
    loaded->next = session->modules;
    session->modules = loaded;
    *ret = &loaded->module;
    return GB_OK;
}

int32_t session_plugin(struct session *session, const struct plugin_info *info,
                       const struct gb_plugin **ret, struct gb_error *error)
{
    const struct module *module = NULL;
    int32_t status = load(session, info->path, &module, error);
    if (status != GB_OK)
        return status;
    *ret = module_find(module, info->plugin.kind, info->plugin.id);
    if (!*ret)
        return error_set(error, GB_NOT_FOUND, "%s: holds no %s '%s' any more", info->path,
                         plugin_kind_words(info->plugin.kind), info->plugin.id);
    return GB_OK;
}

/* A device plugin's ops and params, the latter in the session's memory for as long as it lives. */
static int32_t prepare(struct session *session, const struct plugin_settings *settings,
                       const struct gb_device_ops **ret_ops, void **ret_params,
                       struct gb_error *error)
{
    const struct gb_plugin *plugin = NULL;
    int32_t status = session_plugin(session, settings->info, &plugin, error);
    if (status != GB_OK)
        return status;
    *ret_ops = plugin->ops;
    *ret_params = arena_allocate(&session->arena, plugin->params_size);
    status = option_fill(option_table_of(plugin), settings->settings, settings->n_settings,
                         *ret_params, plugin->params_size, &session->arena, error);
    return status == GB_OK ? GB_OK : error_prefix(error, "device %s: ", settings->name);
}

static int32_t device_failure(const struct plugin_settings *settings, const char *what,
                              const struct host *host, int32_t status, struct gb_error *error)
{
    const char *reason = host_reason(host);
    return error_set(error, status, "device %s: %s: %s", settings->name, what,
                     *reason ? reason : status_words(status));
}

/* *ret_reason: why there is none, in the session's memory; "" if there are some. */
static int32_t count_devices(struct session *session, const struct plugin_settings *settings,
                             const struct gb_device_ops *ops, const void *params, struct host *host,
                             uint32_t *ret_n, const char **ret_reason, struct gb_error *error)
{
    int32_t status = ops->count(host_interface(host), params, ret_n);
    if (status != GB_OK && status != GB_SKIPPED)
        device_failure(settings, "counting devices", host, status, error);
    else
        status = GB_OK;
    const char *reason = host_reason(host);
    *ret_reason = *ret_n > 0 ? ""
                             : arena_text(&session->arena, *reason ? reason : "none was found");
    return status;
}

static int32_t describe(const struct plugin_settings *settings, const struct gb_device_ops *ops,
                        const void *params, const struct host *host, uint32_t index,
                        gb_fact_fn *fact, void *context, struct gb_device_info *ret,
                        struct gb_error *error)
{
    *ret = (struct gb_device_info){.size = sizeof *ret, .index = index};
    int32_t status = ops->describe(host_interface(host), params, index, ret, fact, context);
    if (status != GB_OK)
        return device_failure(settings, "describing a device", host, status, error);
    ret->index = index;
    ret->backend[sizeof ret->backend - 1] = 0;
    ret->model[sizeof ret->model - 1] = 0;
    ret->uuid[sizeof ret->uuid - 1] = 0;
    return GB_OK;
}

int32_t session_devices(struct session *session, const struct plugin_settings *settings,
                        session_device_fn *device, gb_fact_fn *fact, void *context,
                        const char **ret_reason, struct gb_error *error)
{
    const struct gb_device_ops *ops = NULL;
    void *params = NULL;
    int32_t status = prepare(session, settings, &ops, &params, error);
    if (status != GB_OK)
        return status;
    struct host *host = host_new(0, &session->sink, NULL, NULL);
    uint32_t n = 0;
    status = count_devices(session, settings, ops, params, host, &n, ret_reason, error);
    for (uint32_t i = 0; i < n && status == GB_OK; i++) {
        struct gb_device_info info;
        status = describe(settings, ops, params, host, i, fact, context, &info, error);
        if (status == GB_OK)
            device(context, &info);
    }
    host_free(host);
    return status;
}

/* What a plugin's function is given to report findings with. */
struct finder {
    const char *device;
    session_finding_fn *finding;
    void *context;
};

static void take_finding(void *context, const struct gb_finding *finding)
{
    const struct finder *finder = context;
    if (finding && GB_HAS(finding, cure) && finding->subject)
        finder->finding(finder->context, finder->device, finding);
}

static int32_t examine_one(const struct plugin_settings *settings, const struct gb_device_ops *ops,
                           const void *params, struct host *host, uint32_t index,
                           struct finder *finder, struct gb_error *error)
{
    struct gb_device_info info;
    int32_t status = describe(settings, ops, params, host, index, NULL, NULL, &info, error);
    if (status != GB_OK)
        return status;
    CLEANUP(text_free) struct text name = {0};
    text_printf(&name, "%s:%u %s", settings->name, index, info.model);
    finder->device = text_get(&name);
    status = ops->examine(host_interface(host), params, index, take_finding, finder);
    return status == GB_OK ? GB_OK
                           : device_failure(settings, "examining a device", host, status, error);
}

int32_t session_examine(struct session *session, const struct plugin_settings *settings,
                        session_finding_fn *finding, void *context, const char **ret_reason,
                        struct gb_error *error)
{
    const struct gb_device_ops *ops = NULL;
    void *params = NULL;
    struct finder finder = {.finding = finding, .context = context};
    *ret_reason = "";
    int32_t status = prepare(session, settings, &ops, &params, error);
    if (status != GB_OK || !GB_HAS(ops, examine) || !ops->examine)
        return status;
    struct host *host = host_new(0, &session->sink, NULL, NULL);
    uint32_t n = 0;
    status = count_devices(session, settings, ops, params, host, &n, ret_reason, error);
    if (status != GB_OK)
        n = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct gb_error failure;
        int32_t one = examine_one(settings, ops, params, host, i, &finder, &failure);
        host_clear_reason(host);
        if (one != GB_OK && status == GB_OK) {
            status = one;
            *error = failure;
        }
    }
    host_free(host);
    return status;
}

int32_t session_validate(struct session *session, const struct plugin_settings *settings,
                         const char *folder, gb_problem_fn *problem, void *context,
                         struct gb_error *error)
{
    CLEANUP(arena_free) struct arena arena = {0};
    const struct gb_plugin *plugin = NULL;
    int32_t status = session_plugin(session, settings->info, &plugin, error);
    if (status != GB_OK)
        return status;
    const struct gb_validation *validation = plugin->extension ? plugin->extension(GB_VALIDATION)
                                                               : NULL;
    if (!validation || !GB_HAS(validation, validate) || !validation->validate)
        return GB_OK;
    void *params = arena_allocate(&arena, plugin->params_size);
    status = option_fill(option_table_of(plugin), settings->settings, settings->n_settings, params,
                         plugin->params_size, &arena, error);
    if (status != GB_OK)
        return status;
    struct host *host = host_new(0, &session->sink, NULL, NULL);
    host_set_folder(host, folder);
    status = validation->validate(host_interface(host), params, problem, context);
    const char *reason = host_reason(host);
    if (status != GB_OK)
        error_set(error, status, "%s", *reason ? reason : status_words(status));
    host_free(host);
    return status;
}

/* NULL: the plugin has no counters. */
static const struct gb_counters *counters_of(const struct gb_plugin *plugin)
{
    const struct gb_counters *counters = GB_HAS(plugin, extension) && plugin->extension
                                             ? plugin->extension(GB_COUNTERS)
                                             : NULL;
    return counters && GB_HAS(counters, count) && counters->list && counters->count ? counters
                                                                                    : NULL;
}

int32_t session_counters(struct session *session, const struct plugin_settings *settings,
                         uint32_t index, const char *model, const char *whole,
                         gb_counter_fn *counter, void *context, const char **ret_reason,
                         struct gb_error *error)
{
    const struct gb_device_ops *ops = NULL;
    const struct gb_plugin *plugin = NULL;
    void *params = NULL;
    *ret_reason = "";
    int32_t status = session_plugin(session, settings->info, &plugin, error);
    if (status == GB_OK)
        status = prepare(session, settings, &ops, &params, error);
    if (status != GB_OK)
        return status;
    const struct gb_counters *counters = counters_of(plugin);
    if (!counters) {
        *ret_reason = "it has no counters";
        return GB_OK;
    }
    struct host *host = host_new(0, &session->sink, NULL, NULL);
    status = counters->list(host_interface(host), params, index, model, whole, counter, context);
    const char *reason = host_reason(host);
    if (status == GB_SKIPPED || status == GB_NOT_FOUND)
        *ret_reason = arena_text(&session->arena, *reason ? reason : "there is no such device");
    else if (status != GB_OK)
        device_failure(settings, "listing counters", host, status, error);
    host_free(host);
    return status == GB_SKIPPED || status == GB_NOT_FOUND ? GB_OK : status;
}

static int32_t read_clocks(struct open_device *open, const struct plugin_settings *settings,
                           struct gb_error *error)
{
    for (uint32_t i = 0; i < GB_CLOCKS_MAX; i++) {
        struct gb_clock *clock = &open->clocks[i];
        *clock = (struct gb_clock){.size = sizeof *clock};
        int32_t status = open->ops->clock(open->device, i, clock);
        if (status == GB_NOT_FOUND)
            break;
        if (status != GB_OK)
            return device_failure(settings, "reading its clocks", open->host, status, error);
        clock->name[sizeof clock->name - 1] = 0;
        open->n_clocks = i + 1;
    }
    if (open->n_clocks == 0)
        return error_set(error, GB_INVALID, "device %s: offers no clock", settings->name);
    return GB_OK;
}

static int32_t open_it(struct session *session, const struct device_choice *choice,
                       struct gb_error *error)
{
    struct open_device *open = &session->open;
    const struct plugin_settings *settings = choice->settings;
    void *params = NULL;
    *open = (struct open_device){.name = arena_text(&session->arena, settings->name)};
    const struct gb_plugin *plugin = NULL;
    int32_t status = session_plugin(session, settings->info, &plugin, error);
    if (status == GB_OK)
        status = prepare(session, settings, &open->ops, &params, error);
    if (status != GB_OK)
        return status;
    open->counters = counters_of(plugin);
    uint32_t index = choice->index == DEVICE_INDEX_ANY ? 0 : (uint32_t)choice->index;
    open->host = host_new(0, &session->sink, NULL, NULL);
    const struct gb_host *host = host_interface(open->host);
    open->info = (struct gb_device_info){.size = sizeof open->info, .index = index};
    status = open->ops->describe(host, params, index, &open->info, NULL, NULL);
    if (status != GB_OK)
        return device_failure(settings, "describing it", open->host, status, error);
    status = open->ops->open(host, params, index, &open->device);
    if (status != GB_OK)
        return device_failure(settings, "opening it", open->host, status, error);
    status = open->ops->queue_create(open->device, &open->queue);
    if (status != GB_OK)
        return device_failure(settings, "making a queue", open->host, status, error);
    return read_clocks(open, settings, error);
}

int32_t session_open(struct session *session, const struct device_choice *choice,
                     const struct open_device **ret, bool *ret_fresh, struct gb_error *error)
{
    *ret_fresh = !session->is_open;
    if (!session->is_open) {
        int32_t status = open_it(session, choice, error);
        if (status != GB_OK)
            return status;
        session->is_open = true;
    }
    *ret = &session->open;
    return GB_OK;
}

void session_free(struct session *session)
{
    if (!session)
        return;
    if (session->is_open) {
        session->open.ops->queue_destroy(session->open.device, session->open.queue);
        session->open.ops->close(session->open.device);
    }
    host_free(session->open.host);
    arena_free(&session->arena);
    free(session);
}
