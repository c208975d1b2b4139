/* settings_plugins.c - names of plugins, policies, searches and devices get their meaning. */
#include "core/config/settings_internal.h"

#include "core/base/text.h"

#include <string.h>

struct plugin_section *plugin_section_of(const struct settings *settings, uint32_t kind,
                                         const char *name)
{
    for (size_t i = 0; i < settings->n_plugin_sections; i++)
        if (settings->plugin_sections[i].kind == kind &&
            text_equal(settings->plugin_sections[i].name, name))
            return &settings->plugin_sections[i];
    return NULL;
}

bool settings_auto_is_all(const struct settings *settings)
{
    const struct gb_list *devices = &settings->run.devices;
    return settings->devices_entry && devices->n == 1 &&
           text_equal(((const char *const *)devices->items)[0], DEVICE_ALL);
}

int32_t settings_device_split(const char *text, struct origin origin, struct arena *arena,
                              const char **ret_name, struct device_choice *ret,
                              struct gb_error *error)
{
    static const struct gb_option index_option = {
        .size = sizeof index_option, .type = GB_TYPE_INT, .name = "index", .range = "0:65535"};
    struct value index = {.integer = DEVICE_INDEX_ANY};
    const char *colon = strchr(text, ':'), *which = colon ? colon + 1 : NULL;
    struct device_choice choice = {.index = DEVICE_INDEX_ANY};
    struct origin at = which ? origin_at(origin, text, (size_t)(which - text)) : origin;
    int32_t status = GB_OK;
    *ret_name = which ? arena_text_n(arena, text, (size_t)(colon - text)) : text;
    if (which && text_equal(which, DEVICE_ALL))
        choice.is_all = true;
    else if (which && strchr(which, '-') > which) /* no number has a dash behind its first digit */
        choice.uuid = arena_text(arena, which);
    else if (which && strspn(which, "+-0123456789") == 0)
        status = error_set_at(error, GB_INVALID, at,
                              "'%s' chooses no device: \1expected an index, a UUID or 'all'",
                              which);
    else if (which)
        status = value_read(&index_option, which, at, arena, &index, error);
    choice.index = (int32_t)index.integer;
    if (status == GB_OK)
        *ret = choice;
    return status;
}

/* "a, b" */
static const char *joined(const struct words *names, struct arena *arena)
{
    CLEANUP(text_free) struct text text = {0};
    text_add_joined(&text, WORDS_OF(names->items, names->n));
    return arena_text(arena, text_get(&text));
}

static struct words plugins_in(const struct resolver *resolver, uint32_t kind, const char *path)
{
    const struct catalogue *catalogue = resolver->catalogue;
    struct words names = {ARENA_ARRAY(resolver->arena, const char *, catalogue->n_plugins), 0};
    for (size_t i = 0; i < catalogue->n_plugins; i++)
        if (catalogue->plugins[i].plugin.kind == kind &&
            (!path || text_equal(catalogue->plugins[i].path, path)))
            names.items[names.n++] = catalogue->plugins[i].plugin.id;
    return names;
}

const char *plugin_nearest(const struct resolver *resolver, uint32_t kind, const char *id)
{
    const struct words ids = plugins_in(resolver, kind, NULL);
    return text_nearest(WORDS_OF(ids.items, ids.n), id);
}

static int32_t no_plugin_in_module(const struct resolver *resolver,
                                   const struct plugin_request *request, struct gb_error *error)
{
    const char *kind = plugin_kind_words(request->kind);
    struct words ids = plugins_in(resolver, request->kind, request->path);
    if (ids.n > 0 && request->id)
        return error_set_at(error, GB_INVALID, request->origin,
                            "%s holds no %s plugin '%s': \1expected one of %s", request->path, kind,
                            request->id, joined(&ids, resolver->arena));
    if (ids.n > 0)
        return error_set_at(error, GB_INVALID, request->origin,
                            "%s holds several %s plugins: name one of them after a colon: %s",
                            request->path, kind, joined(&ids, resolver->arena));
    return error_set_at(error, GB_INVALID, request->origin, "%s holds no %s plugin", request->path,
                        kind);
}

static int32_t no_plugin_of_id(const struct resolver *resolver,
                               const struct plugin_request *request, struct gb_error *error)
{
    const struct catalogue *catalogue = resolver->catalogue;
    const char *kind = plugin_kind_words(request->kind);
    const char *nearest = plugin_nearest(resolver, request->kind, request->id);
    const struct plugin_info *other = NULL;
    for (uint32_t i = GB_PLUGIN_BENCH; i < PLUGIN_KINDS && !other; i++)
        other = catalogue_find(catalogue, i, request->id);
    /* Of the names of modules' files. */
    const char *prefix = request->kind == GB_PLUGIN_BENCH
                             ? "bench_"
                             : arena_printf(resolver->arena, "%s_", kind);
    if (!nearest && text_starts_with(request->id, prefix) &&
        catalogue_find(catalogue, request->kind, request->id + strlen(prefix)))
        nearest = request->id + strlen(prefix);
    if (other)
        return error_set_at(error, GB_INVALID, request->origin,
                            "'%s' is not a %s but a %s, as in %s = %s", request->id, kind,
                            plugin_kind_words(other->plugin.kind),
                            plugin_kind_words(other->plugin.kind), request->id);
    if (nearest)
        return error_set_at(error, GB_INVALID, request->origin,
                            "unknown %s plugin '%s'; \1did you mean '%s'?", kind, request->id,
                            nearest);
    enum { FOLDERS_NAMED = 3 };
    if (catalogue->folders.n > FOLDERS_NAMED)
        return error_set_at(
            error, GB_INVALID, request->origin,
            "unknown %s plugin '%s': there is none in the %zu plugin folders; \1see "
            "`gbrun list plugins`",
            kind, request->id, catalogue->folders.n);
    return error_set_at(error, GB_INVALID, request->origin,
                        "unknown %s plugin '%s': there is none in %s", kind, request->id,
                        catalogue->folders.n ? joined(&catalogue->folders, resolver->arena)
                                             : "any plugin folder");
}

/* The reason comes from the process that tried. */
static int32_t cannot_be_used(const struct module_failure *failure, struct origin origin,
                              struct gb_error *error)
{
    error_set_at(error, GB_INVALID, origin, "%s cannot be used: %s", failure->path,
                 failure->reason);
    if (error)
        error_seek_hint(error);
    return GB_INVALID;
}

/* Has no words for a request that settings_parse has already reported. */
int32_t resolve_plugin(const struct resolver *resolver, const struct plugin_request *request,
                       const struct plugin_info **ret, struct gb_error *error)
{
    const struct catalogue *catalogue = resolver->catalogue;
    *ret = request->path ? catalogue_find_in(catalogue, request->kind, request->path, request->id)
                         : catalogue_find(catalogue, request->kind, request->id);
    if (*ret)
        return GB_OK;
    const struct module_failure *failure = catalogue_failure(
        catalogue, request->path ? request->path : request->id);
    if (failure)
        return cannot_be_used(failure, request->origin, error);
    return request->path ? no_plugin_in_module(resolver, request, error)
                         : no_plugin_of_id(resolver, request, error);
}

/* ---- policies and devices ---- */

static const struct plugin_settings *find_settings(const struct plugin_settings_list *list,
                                                   const char *name)
{
    return ITEM_NAMED(list->items, list->n, name, name);
}

/* Was there a section of that name whose kind is unknown? That it is missing is no further error.
 */
static bool is_strange(const struct settings *settings, const char *name)
{
    const size_t n = settings->n_strange_names;
    return text_is_among(settings->strange_names, n, name);
}

const char *unknown_key_text(const char *key, const struct ini_section *section,
                             const struct plugin_info *info, const char *nearest,
                             struct arena *arena)
{
    return arena_printf(arena,
                        nearest
                            ? "unknown key %s in [%s %s]; \1did you mean '%s'?"
                            : "unknown key %s in [%s %s]: \1see 'gbrun help %s' for its options",
                        key, section->kind, section->name, nearest ? nearest : info->plugin.id);
}

void settings_refuse_pattern(const struct resolver *resolver, const struct ini_entry *entry,
                             const struct ini_section *section, const struct plugin_info *info,
                             const char *option)
{
    struct gb_error *refusal = &entry->setting->refusal;
    const char *key = arena_printf(resolver->arena, "'%s'", entry->key);
    const char *nearest = option_nearest(option_table_of(&info->plugin), option);
    if (refusal->status == GB_OK)
        error_set_at(refusal, GB_INVALID, entry->origin, "'%s' has no effect: %s",
                     entry->setting->text,
                     unknown_key_text(key, section, info, nearest, resolver->arena));
}

static void unknown_plugin_key(const struct resolver *resolver, const struct ini_section *section,
                               const struct plugin_info *info, const struct ini_entry *entry)
{
    const char *key = arena_printf(resolver->arena, "'%s'", entry->key);
    const char *nearest = option_nearest(option_table_of(&info->plugin), entry->key);
    if (option_find(common_options(), entry->key, NULL))
        error_list_add(resolver->errors, entry->origin,
                       "unknown key %s in [%s %s]: it belongs to [defaults] or [bench NAME]", key,
                       section->kind, section->name);
    else
        error_list_add(resolver->errors, entry->origin, "%s",
                       unknown_key_text(key, section, info, nearest, resolver->arena));
}

/* The settings of a section, each checked; false if one is wrong. */
static bool read_settings(const struct resolver *resolver, const struct plugin_section *section,
                          struct plugin_settings *settings)
{
    const struct ini_section *ini = section->section;
    struct option_table table = option_table_of(&settings->info->plugin);
    struct setting *list = ARENA_ARRAY(resolver->arena, struct setting, ini->n);
    size_t n_before = error_list_count(resolver->errors);
    struct gb_error error;
    const char *text;
    settings->settings = list;
    for (size_t i = 0; i < ini->n; i++) {
        const struct ini_entry *entry = &ini->entries[i];
        struct setting setting = {entry->key, entry->value, entry->value_origin};
        const struct gb_option *option = option_find(table, entry->key, NULL);
        if (text_equal(entry->key, "plugin") ||
            (section->kind == GB_PLUGIN_SEARCH && option_find(search_options(), entry->key, NULL)))
            continue; /* every section of the kind has it */
        if (!option && entry->setting && entry->setting->is_pattern)
            settings_refuse_pattern(resolver, entry, ini, settings->info, entry->key);
        else if (!option)
            unknown_plugin_key(resolver, ini, settings->info, entry);
        else if (option_read(option, &setting, resolver->arena, &text, &error) != GB_OK)
            error_list_take(resolver->errors, &error);
        else
            list[settings->n_settings++] = setting;
    }
    for (uint32_t i = 0; i < table.n; i++) {
        const struct gb_option *option = option_at(table, i);
        if (!option->default_value && option->type != GB_TYPE_MAP &&
            !ini_entry_of(ini, option->name))
            error_list_add(resolver->errors, ini->origin,
                           "[%s %s] lacks '%s', which plugin '%s' requires", ini->kind,
                           section->name, option->name, settings->info->plugin.id);
    }
    return error_list_count(resolver->errors) == n_before;
}

/* The keys of [search NAME] that are not its plugin's; false if one is wrong. */
static bool read_search(const struct resolver *resolver, const struct plugin_section *section,
                        struct search_settings *ret)
{
    const struct ini_section *ini = section->section;
    struct setting *list = ARENA_ARRAY(resolver->arena, struct setting, ini->n + 1);
    struct search_goals goals;
    struct gb_error error;
    uint32_t lanes;
    size_t n = 0;
    const char *text;
    const size_t n_before = error_list_count(resolver->errors);
    for (size_t i = 0; i < ini->n; i++) {
        const struct ini_entry *entry = &ini->entries[i];
        const struct gb_option *option = option_find(search_options(), entry->key, NULL);
        list[n] = (struct setting){entry->key, entry->value, entry->value_origin};
        if (option && option_read(option, &list[n], resolver->arena, &text, &error) != GB_OK)
            error_list_take(resolver->errors, &error);
        n += option != NULL;
    }
    if (error_list_count(resolver->errors) != n_before)
        return false;
    if (option_fill(search_options(), list, n, &ret->params, sizeof ret->params, resolver->arena,
                    &error) != GB_OK) {
        error_list_take(resolver->errors, &error);
        return false;
    }
    const struct ini_entry *goal = ini_entry_of(ini, "goal"),
                           *of_lanes = ini_entry_of(ini, "lanes");
    if (goal)
        ret->goal_origin = goal->value_origin;
    const bool is_goal = search_goals_read(ret->params.goal, resolver->arena, &goals, &error) ==
                         GB_OK;
    if (is_goal && search_lanes_read(ret->params.lanes, &lanes, &error) == GB_OK)
        return true;
    const struct ini_entry *wrong = is_goal ? of_lanes : goal;
    error.origin = wrong ? wrong->value_origin : ini->origin;
    error_list_take(resolver->errors, &error);
    return false;
}

static void add_section(const struct resolver *resolver, struct plugin_section *section)
{
    struct plugin_settings_list *list = &resolver->settings->lists[section->kind];
    struct plugin_settings settings = {.name = section->name, .origin = section->section->origin};
    struct gb_error error;
    if (section->is_resolved || (!section->request.id && !section->request.path))
        return;
    section->is_resolved = true;
    if (resolve_plugin(resolver, &section->request, &settings.info, &error) != GB_OK) {
        settings_report(resolver->errors, &error);
        return;
    }
    if (!read_settings(resolver, section, &settings) ||
        (section->kind == GB_PLUGIN_SEARCH &&
         !read_search(resolver, section, &resolver->settings->search_settings[list->n])))
        return;
    list->items[list->n] = settings;
    section->settings = &list->items[list->n++];
}

/* The device that a word such as "gpu" stands for; or NULL. */
static const char *hint_of_name(uint32_t kind, const char *word)
{
    const bool is_device = kind == GB_PLUGIN_DEVICE;
    if (is_device && IS_AMONG(word, "gpu", "GPU", "nvidia", "NVIDIA", "CUDA"))
        return "cuda";
    return is_device && IS_AMONG(word, "CPU", "host") ? "cpu" : NULL;
}

static int32_t unknown_named(const struct resolver *resolver, uint32_t kind, const char *name,
                             struct origin origin, struct gb_error *error)
{
    struct settings *settings = resolver->settings;
    const char *words = plugin_kind_words(kind);
    const struct module_failure *failure = catalogue_failure(resolver->catalogue, name);
    if (failure)
        return cannot_be_used(failure, origin, error);
    struct words ids = plugins_in(resolver, kind, NULL);
    struct words names = {
        ARENA_ARRAY(resolver->arena, const char *, ids.n + settings->n_plugin_sections + 1), 0};
    for (size_t i = 0; i < settings->n_plugin_sections; i++)
        if (settings->plugin_sections[i].kind == kind)
            names.items[names.n++] = settings->plugin_sections[i].name;
    for (size_t i = 0; i < ids.n; i++)
        names.items[names.n++] = ids.items[i];
    if (kind == GB_PLUGIN_DEVICE)
        names.items[names.n++] = DEVICE_AUTO;
    const char *nearest = hint_of_name(kind, name);
    if (!nearest)
        nearest = text_nearest(WORDS_OF(names.items, names.n), name);
    for (size_t i = 0; i < names.n && !nearest; i++) /* "median" of "median_ci" */
        nearest = text_starts_with(names.items[i], name) ? names.items[i] : NULL;
    if (nearest)
        return error_set_at(error, GB_INVALID, origin, "unknown %s '%s'; \1did you mean '%s'?",
                            words, name, nearest);
    return error_set_at(error, GB_INVALID, origin,
                        "unknown %s '%s': there is neither a [%s %s] nor a plugin of that id",
                        words, name, words, name);
}

int32_t resolve_named(const struct resolver *resolver, uint32_t kind, const char *name,
                      struct origin origin, const struct plugin_settings **ret,
                      struct gb_error *error)
{
    struct plugin_settings_list *list = &resolver->settings->lists[kind];
    const struct plugin_section *section = plugin_section_of(resolver->settings, kind, name);
    const struct plugin_settings *known = find_settings(list, name);
    *ret = section ? section->settings : known;
    if (section || known || is_strange(resolver->settings, name))
        return GB_OK;
    const struct plugin_info *info = catalogue_find(resolver->catalogue, kind, name);
    if (!info)
        return unknown_named(resolver, kind, name, origin, error);
    const struct gb_option *required = option_required(option_table_of(&info->plugin));
    if (required)
        return error_set_at(error, GB_INVALID, origin,
                            "%s '%s' requires '%s': give it in a section [%s NAME]",
                            plugin_kind_words(kind), name, required->name, plugin_kind_words(kind));
    list->items[list->n] = (struct plugin_settings){.name = info->plugin.id, .info = info};
    *ret = &list->items[list->n++];
    return GB_OK;
}

/* n: sections and plugins; each may enter a list once. */
static void prepare_lists(const struct resolver *resolver, size_t n)
{
    struct settings *settings = resolver->settings;
    for (uint32_t kind = 0; kind < PLUGIN_KINDS; kind++)
        settings->lists[kind].items = ARENA_ARRAY(resolver->arena, struct plugin_settings, n);
    settings->search_settings = ARENA_ARRAY(resolver->arena, struct search_settings, n + 1);
    for (size_t i = 0; i < n; i++) {
        struct search_settings *search = &settings->search_settings[i];
        search->plugin = &settings->lists[GB_PLUGIN_SEARCH].items[i];
        option_fill(search_options(), NULL, 0, &search->params, sizeof search->params,
                    resolver->arena, NULL);
    }
}

int32_t resolve_search(const struct resolver *resolver, const char *name, struct origin origin,
                       const struct search_settings **ret, struct gb_error *error)
{
    const struct settings *settings = resolver->settings;
    const struct plugin_settings *found = NULL;
    int32_t status = resolve_named(resolver, GB_PLUGIN_SEARCH, name, origin, &found, error);
    *ret = found ? &settings->search_settings[found - settings->lists[GB_PLUGIN_SEARCH].items]
                 : NULL;
    return status;
}

/* A benchmark whose plugin is not known runs anywhere. */
static bool runs_on(const struct plugin_info *bench, const struct plugin_settings *device)
{
    return !bench || plugin_runs_on(bench, device->info->plugin.id);
}

static bool has_devices(const struct settings *settings)
{
    for (size_t i = 0; i < settings->n_plugin_sections; i++)
        if (settings->plugin_sections[i].kind == GB_PLUGIN_DEVICE)
            return true;
    return settings->devices_entry;
}

static int32_t check_auto(const struct resolver *resolver, const struct plugin_info *bench,
                          struct origin origin, struct gb_error *error)
{
    const struct settings *settings = resolver->settings;
    bool is_any = false;
    struct words names = {ARENA_ARRAY(resolver->arena, const char *, settings->n_auto_devices), 0};
    for (size_t i = 0; i < settings->n_auto_devices; i++) {
        struct plugin_settings *device = &settings->lists[GB_PLUGIN_DEVICE].items[i];
        const bool runs = runs_on(bench, device);
        device->is_chosen |= runs;
        is_any = is_any || runs;
        names.items[names.n++] = device->name;
    }
    if (is_any)
        return GB_OK;
    if (names.n == 0 && has_devices(settings)) /* with errors, which are reported */
        return GB_OK;
    if (names.n == 0)
        return error_set_at(error, GB_INVALID, origin,
                            "device = auto: there is no device plugin to choose from");
    return error_set_at(
        error, GB_INVALID, origin,
        "device = auto: benchmark '%s' runs on %s only, and the available plugins are %s",
        bench->plugin.id, bench->plugin.devices, joined(&names, resolver->arena));
}

int32_t resolve_device(const struct resolver *resolver, const struct plugin_info *bench,
                       const char *text, struct origin origin, struct device_choice *ret,
                       struct gb_error *error)
{
    const char *name;
    *ret = (struct device_choice){.index = DEVICE_INDEX_ANY,
                                  .is_all = text_equal(text, DEVICE_AUTO) &&
                                            settings_auto_is_all(resolver->settings)};
    if (text_equal(text, DEVICE_AUTO))
        return check_auto(resolver, bench, origin, error);
    int32_t status = settings_device_split(text, origin, resolver->arena, &name, ret, error);
    if (status == GB_OK && text_equal(name, DEVICE_AUTO))
        return error_set_at(error, GB_INVALID, origin,
                            "'%s': what follows the colon needs the name of a device", text);
    if (status == GB_OK)
        status = resolve_named(resolver, GB_PLUGIN_DEVICE, name, origin, &ret->settings, error);
    if (status == GB_OK && ret->settings && !runs_on(bench, ret->settings))
        return error_set_at(error, GB_INVALID, origin,
                            "device '%s': benchmark '%s' runs on %s only", name, bench->plugin.id,
                            bench->plugin.devices);
    struct plugin_settings *devices = resolver->settings->lists[GB_PLUGIN_DEVICE].items;
    if (status == GB_OK && ret->settings)
        devices[ret->settings - devices].is_chosen = true;
    return status;
}

static void add_listed_devices(const struct resolver *resolver)
{
    const struct ini_entry *entry = resolver->settings->devices_entry;
    struct plugin_settings_list *list = &resolver->settings->lists[GB_PLUGIN_DEVICE];
    struct text_list names = {0};
    struct gb_error error;
    const struct plugin_settings *device;
    if (text_split(entry->value, ',', entry->value_origin, resolver->arena, &names, &error) !=
        GB_OK)
        return;
    for (size_t i = 0; i < names.n; i++) {
        const char *name = names.items[i];
        struct plugin_section *section = plugin_section_of(resolver->settings, GB_PLUGIN_DEVICE,
                                                           name);
        int32_t status = GB_OK;
        if (find_settings(list, name))
            status = error_set_at(&error, GB_INVALID, names.origins[i],
                                  "device '%s' is listed twice", name);
        else if (text_equal(name, DEVICE_ALL))
            status = error_set_at(&error, GB_INVALID, names.origins[i],
                                  "'all' cannot be combined with others in 'devices'");
        else if (strchr(name, ':'))
            status = error_set_at(&error, GB_INVALID, names.origins[i],
                                  "device '%s': 'devices' takes names only; \1write "
                                  "device = %s in [defaults] or in a [bench NAME]",
                                  name, name);
        else if (section)
            add_section(resolver, section);
        else
            status = resolve_named(resolver, GB_PLUGIN_DEVICE, name, names.origins[i], &device,
                                   &error);
        if (status != GB_OK)
            settings_report(resolver->errors, &error);
    }
}

static bool is_used_by_section(const struct settings *settings, const struct plugin_info *info)
{
    for (size_t i = 0; i < settings->n_plugin_sections; i++) {
        const struct plugin_section *section = &settings->plugin_sections[i];
        if (section->kind == info->plugin.kind &&
            (text_equal(section->name, info->plugin.id) ||
             (section->settings && section->settings->info == info)))
            return true;
    }
    return false;
}

static void add_unlisted_devices(const struct resolver *resolver)
{
    const struct catalogue *catalogue = resolver->catalogue;
    const struct plugin_settings *device;
    for (size_t i = 0; i < catalogue->n_plugins; i++) {
        const struct plugin_info *info = &catalogue->plugins[i];
        if (info->plugin.kind == GB_PLUGIN_DEVICE && !is_used_by_section(resolver->settings, info))
            resolve_named(resolver, GB_PLUGIN_DEVICE, info->plugin.id, (struct origin){0}, &device,
                          NULL);
    }
}

/* Puts the CPU after all others, and corrects pointers to the devices. */
static void prefer_accelerators(const struct resolver *resolver)
{
    struct settings *settings = resolver->settings;
    struct plugin_settings_list *list = &settings->lists[GB_PLUGIN_DEVICE];
    CLEANUP(free_pointer)
    struct plugin_settings *sorted = memory_allocate(list->n * sizeof *sorted);
    size_t n = 0;
    for (int cpus = 0; cpus < 2; cpus++)
        for (size_t i = 0; i < list->n; i++)
            if (text_equal(list->items[i].info->plugin.id, "cpu") == (cpus == 1))
                sorted[n++] = list->items[i];
    for (size_t i = 0; i < n; i++)
        list->items[i] = sorted[i];
    for (size_t i = 0; i < settings->n_plugin_sections; i++)
        if (settings->plugin_sections[i].kind == GB_PLUGIN_DEVICE)
            settings->plugin_sections[i].settings = find_settings(
                list, settings->plugin_sections[i].name);
}

static void resolve_sections(const struct resolver *resolver, uint32_t kind)
{
    struct settings *settings = resolver->settings;
    for (size_t i = 0; i < settings->n_plugin_sections; i++)
        if (settings->plugin_sections[i].kind == kind)
            add_section(resolver, &settings->plugin_sections[i]);
}

static void resolve_devices(const struct resolver *resolver)
{
    struct settings *settings = resolver->settings;
    const struct plugin_settings_list *devices = &settings->lists[GB_PLUGIN_DEVICE];
    if (settings->devices_entry && settings->run.devices.n > 0 && !settings_auto_is_all(settings)) {
        add_listed_devices(resolver);
        settings->n_auto_devices = devices->n;
        resolve_sections(resolver, GB_PLUGIN_DEVICE);
        return;
    }
    resolve_sections(resolver, GB_PLUGIN_DEVICE);
    add_unlisted_devices(resolver);
    prefer_accelerators(resolver);
    settings->n_auto_devices = devices->n;
}

void resolve_plugin_sections(const struct resolver *resolver)
{
    prepare_lists(resolver, resolver->settings->n_plugin_sections + resolver->catalogue->n_plugins);
    resolve_devices(resolver);
    resolve_sections(resolver, GB_PLUGIN_POLICY);
    resolve_sections(resolver, GB_PLUGIN_SEARCH);
}

size_t settings_devices(const struct settings *settings, const struct plugin_settings **ret,
                        size_t *ret_n_auto)
{
    *ret = settings->lists[GB_PLUGIN_DEVICE].items;
    *ret_n_auto = settings->n_auto_devices;
    return settings->lists[GB_PLUGIN_DEVICE].n;
}

size_t settings_policies(const struct settings *settings, const struct plugin_settings **ret)
{
    *ret = settings->lists[GB_PLUGIN_POLICY].items;
    return settings->lists[GB_PLUGIN_POLICY].n;
}
