/* devices.c - see library.h. */
#include "core/library/library.h"
#include "core/run/messages.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The devices of one plugin with one set of settings. */
struct device_group {
    struct arena arena;
    char *key;
    struct known_device *items; /* without settings */
    size_t n;
    const char *reason; /* why there is none; "" */
};

static struct {
    struct arena arena; /* of the catalogue */
    bool is_loaded;
    struct catalogue catalogue;
    struct device_group **groups;
    size_t n_groups;
    struct open_session **sessions;
    size_t n_sessions;
} library;

/* ---- plugins ---- */

static bool is_wanted(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    return text_starts_with(name, "device_") || text_starts_with(name, "policy_") ||
           text_starts_with(name, "search_");
}

static void add_plugin(struct catalogue *catalogue, const char *path,
                       const struct gb_plugin *plugin)
{
    const uint32_t flags = describe_plugin(plugin, NULL, &library.arena).flags;
    ARENA_APPEND(&library.arena, catalogue->plugins, catalogue->n_plugins,
                 (struct plugin_info){.path = path, .plugin = *plugin, .flags = flags});
}

static void add_module(struct catalogue *catalogue, const char *path)
{
    struct module module;
    struct gb_error error;
    if (module_load(path, false, &library.arena, &module, &error) != GB_OK) {
        ARENA_APPEND(&library.arena, catalogue->failures, catalogue->n_failures,
                     (struct module_failure){path, arena_text(&library.arena, error.text)});
        return;
    }
    for (uint32_t i = 0; i < module.n_plugins; i++)
        add_plugin(catalogue, module.path, &module.plugins[i]);
}

/* A later call looks again. */
static int32_t no_plugins(const char *file, struct gb_error *error)
{
    const struct catalogue *catalogue = &library.catalogue;
    error_set(error, GB_NOT_FOUND,
              "no devices and policies: expected them in gbrun/ beside %s, or in a folder of "
              "GBRUN_PLUGIN_PATH%s%s",
              file, catalogue->n_failures ? ": " : "",
              catalogue->n_failures ? catalogue->failures[0].reason : "");
    arena_free(&library.arena);
    library.catalogue = (struct catalogue){0};
    return error->status;
}

int32_t library_catalogue(const struct catalogue **ret, struct gb_error *error)
{
    struct catalogue *catalogue = &library.catalogue;
    struct words folders = {0}, files;
    Dl_info info;
    char file[PATH_MAX];
    *ret = catalogue;
    if (library.is_loaded)
        return GB_OK;
    if (!dladdr((void *)(uintptr_t)library_catalogue, &info) || !realpath(info.dli_fname, file))
        return error_set(error, GB_NOT_FOUND, "the file of libgbrun is not known");
    module_folders_beside(file, &library.arena, &folders);
    module_files(&folders, &library.arena, &files);
    for (size_t i = 0; i < files.n; i++)
        if (is_wanted(files.items[i]))
            add_module(catalogue, files.items[i]);
    if (catalogue->n_plugins == 0)
        return no_plugins(file, error);
    add_plugin(catalogue, "", &callback_description);
    catalogue->plugins[catalogue->n_plugins - 1].flags = PLUGIN_RENEWS; /* if the subject does */
    catalogue->folders = folders;
    library.is_loaded = true;
    return GB_OK;
}

/* ---- the devices of a plugin ---- */

static char *key_of(const struct plugin_settings *settings, const char *more)
{
    struct text key = {0};
    text_printf(&key, "%s\n%s\n", settings->info->path, more);
    for (size_t i = 0; i < settings->n_settings; i++)
        text_printf(&key, "%s=%s\n", settings->settings[i].key, settings->settings[i].text);
    return key.data;
}

static void take_device(void *context, const struct described_device *described)
{
    struct device_group *group = context;
    struct arena *arena = &group->arena;
    struct known_device *device = ARENA_ADD(arena, group->items, group->n);
    struct fact *facts = ARENA_ARRAY(arena, struct fact, described->n_facts);
    for (size_t i = 0; i < described->n_facts; i++)
        facts[i] = (struct fact){arena_text(arena, described->facts[i].name),
                                 arena_text(arena, described->facts[i].value)};
    *device = (struct known_device){
        .info = described->info, .facts = facts, .n_facts = described->n_facts};
}

static void ignore(void *context, uint32_t type, const void *record)
{
    (void)context, (void)type, (void)record;
}

static void group_free(struct device_group *group)
{
    arena_free(&group->arena);
    free(group->key);
    free(group);
}

static int32_t group_new(const struct plugin_settings *settings, struct device_group **ret,
                         struct gb_error *error)
{
    const struct host_sink sink = {.take = ignore};
    struct device_group *group = memory_allocate(sizeof *group);
    struct session *session = session_new(&sink);
    const char *reason = "";
    int32_t status = session_devices(session, settings, take_device, group, &reason, error);
    group->reason = arena_text(&group->arena, reason);
    session_free(session);
    if (status == GB_OK)
        *ret = group;
    else
        group_free(group);
    return status;
}

static int32_t group_of(const struct plugin_settings *settings, struct device_group **ret,
                        struct gb_error *error)
{
    char *key = key_of(settings, "");
    for (size_t i = 0; i < library.n_groups; i++)
        if (text_equal(library.groups[i]->key, key)) {
            free(key);
            *ret = library.groups[i];
            return GB_OK;
        }
    int32_t status = group_new(settings, ret, error);
    if (status != GB_OK) {
        free(key);
        return status;
    }
    (*ret)->key = key;
    MEMORY_APPEND(library.groups, library.n_groups, *ret);
    return GB_OK;
}

int32_t devices_known(const struct plugin_settings *settings, size_t n, size_t n_auto,
                      const struct bench_case *bench_case, struct arena *arena,
                      struct device_list *ret, struct gb_error *error)
{
    const struct plugin_settings *wanted = bench_case->device.settings;
    *ret = (struct device_list){0};
    for (size_t i = 0; i < n && ret->n == 0; i++) {
        struct device_group *group = NULL;
        if (wanted ? &settings[i] != wanted : i >= n_auto)
            continue;
        if (group_of(&settings[i], &group, error) != GB_OK)
            return error->status;
        for (size_t j = 0; j < group->n; j++) {
            struct known_device device = group->items[j];
            device.settings = &settings[i];
            device.is_auto = i < n_auto;
            device.label = arena_printf(arena, "%s:%u", settings[i].name, device.info.index);
            ARENA_APPEND(arena, ret->items, ret->n, device);
        }
        if (group->n == 0)
            ARENA_APPEND(arena, ret->absent, ret->n_absent,
                         (struct absent_device){&settings[i], i < n_auto, false,
                                                arena_text(arena, group->reason)});
    }
    return GB_OK;
}

/* ---- open devices ---- */

const struct gb_guest *guest_of(const struct plugin_info *info)
{
    const struct gb_guest *guest = info->plugin.extension ? info->plugin.extension(GB_GUEST) : NULL;
    return guest && GB_HAS(guest, leave) && guest->enter && guest->leave ? guest : NULL;
}

struct gb_guest_state guest_enter(const struct gb_guest *guest)
{
    struct gb_guest_state state = {.size = sizeof state, .index = -1};
    if (guest)
        guest->enter(&state);
    return state;
}

void guest_leave(const struct gb_guest *guest, const struct gb_guest_state *state)
{
    if (guest)
        guest->leave(state);
}

struct open_session *device_session(const struct known_device *device, uint64_t guest_key,
                                    link_receiver_fn *receiver)
{
    char place[64];
    snprintf(place, sizeof place, "%u %llx", device->info.index, (unsigned long long)guest_key);
    char *key = key_of(device->settings, place);
    for (size_t i = 0; i < library.n_sessions; i++)
        if (text_equal(library.sessions[i]->key, key)) {
            free(key);
            return library.sessions[i];
        }
    struct open_session *session = memory_allocate(sizeof *session);
    session->key = key;
    session->guest = guest_of(device->settings->info);
    link_open_within(&session->link, receiver);
    session->session = session_new(&session->link.sink);
    MEMORY_APPEND(library.sessions, library.n_sessions, session);
    return session;
}

static void session_end(struct open_session *session)
{
    const struct gb_guest_state state = guest_enter(session->guest);
    session_free(session->session);
    guest_leave(session->guest, &state);
    link_free(&session->link);
    free(session->key);
    free(session);
}

void device_close(struct open_session *session)
{
    for (size_t i = 0; i < library.n_sessions; i++)
        if (library.sessions[i] == session)
            library.sessions[i] = library.sessions[--library.n_sessions];
    session_end(session);
}

void devices_release(void)
{
    while (library.n_sessions > 0)
        session_end(library.sessions[--library.n_sessions]);
    while (library.n_groups > 0)
        group_free(library.groups[--library.n_groups]);
    free(library.sessions);
    free(library.groups);
    library.sessions = NULL;
    library.groups = NULL;
}
