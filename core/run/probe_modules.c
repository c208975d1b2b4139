/* probe_modules.c - see probe.h: modules are loaded and described by a worker. */
#include "core/run/probe.h"
#include "core/run/probe_worker.h"

#include <string.h>

enum { PLUGINS_MAX = 4096 };

struct description {
    struct catalogue *catalogue;
    const struct path_list *paths;
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
    struct plugin_info info = {.path = description->paths->items[description->current],
                               .sha256 = wire_get_word(message, probe->arena)};
    get_plugin(message, probe->arena, &info.plugin, &info.flags);
    if (!wire_complete(message) || catalogue->n_plugins == PLUGINS_MAX)
        return GB_CORRUPT;
    ARENA_APPEND(probe->arena, catalogue->plugins, catalogue->n_plugins, info);
    return GB_OK;
}

static int32_t take(struct probe *probe, uint32_t type, struct wire_reader *message)
{
    struct description *description = probe->context;
    const struct path_list *paths = description->paths;
    if (type == WIRE_PLUGIN)
        return take_plugin(probe, message);
    if (type != WIRE_MODULE_BEGIN && type != WIRE_MODULE_END)
        return GB_OK;
    /* Modules come in order: one that could begin an earlier one again would be probed for ever. */
    uint32_t index = wire_get_u32(message);
    uint32_t expected = description->n_begun - (type == WIRE_MODULE_END);
    if (index != expected || index >= paths->n)
        return GB_CORRUPT;
    description->current = index;
    description->n_begun = index + 1;
    if (type == WIRE_MODULE_END) {
        wire_get_fields(message, probe->arena, outcome_fields, &probe->outcome);
        if (probe->outcome.status != GB_OK)
            add_failure(probe, paths->items[index], probe->outcome.words);
        probe->is_complete = index + 1 == paths->n;
    }
    return GB_OK;
}

static void ask(struct probe *probe, const struct path_list *paths, uint32_t first, bool hashes)
{
    struct wire_writer *writer = worker_begin(&probe->worker, WIRE_PROBE);
    wire_put_u32(writer, hashes);
    wire_put_u32(writer, first);
    wire_put_u32(writer, (uint32_t)paths->n - first);
    for (size_t i = first; i < paths->n; i++)
        wire_put_text(writer, paths->items[i]);
    probe_listen(probe);
}

/* What a module had sent before it failed does not count. */
static void forget_plugins_of(struct catalogue *catalogue, const char *path, size_t n_before)
{
    while (catalogue->n_plugins > n_before &&
           text_equal(catalogue->plugins[catalogue->n_plugins - 1].path, path))
        catalogue->n_plugins--;
}

/* One worker describes all modules, unless one of them ends it: then the next worker goes on after
 * that one. */
static int32_t describe(const struct path_list *paths, bool hashes, struct arena *arena,
                        struct catalogue *catalogue, struct gb_error *error)
{
    struct description description = {.catalogue = catalogue, .paths = paths};
    struct probe probe = {
        .arena = arena, .take = take, .context = &description, .restarts = WIRE_MODULE_BEGIN};
    for (uint32_t first = 0; first < paths->n; first = description.current + 1) {
        size_t n_before = catalogue->n_plugins;
        description.current = description.n_begun = first;
        if (worker_start(&probe.worker, NULL, 0, error) != GB_OK)
            return error->status;
        ask(&probe, paths, first, hashes);
        const char *path = paths->items[description.current];
        if (!probe.is_complete) {
            forget_plugins_of(catalogue, path, n_before);
            add_failure(&probe, path, probe.outcome.words);
        }
        probe_end(&probe);
    }
    return GB_OK;
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
    int32_t status = describe(&wanted, true, arena, ret, error);
    bool is_missing = false;
    for (size_t i = 0; i < n_requests; i++)
        is_missing = is_missing ||
                     (requests[i].id && !catalogue_find(ret, requests[i].kind, requests[i].id));
    if (status == GB_OK && is_missing)
        status = describe(&others, true, arena, ret, error);
    return status;
}

int32_t catalogue_load_all(const struct path_list *folders, struct arena *arena,
                           struct catalogue *ret, struct gb_error *error)
{
    struct path_list files;
    module_files(folders, arena, &files);
    new_catalogue(folders, ret);
    return describe(&files, false, arena, ret, error);
}
