/* replay_policies.c - see replay.h: which policies are replayed, from words to settings.
 */
#include "core/replay/replay.h"
#include "core/run/probe.h"

#include <stdlib.h>
#include <string.h>

static const char OPTION_NAME[] = "--policy";

/* The sections that are to be read: those of a configuration, then one for each text. */
struct sections {
    struct arena *arena;
    struct ini ini;
    const struct ini *given; /* or NULL */
    const char **names;      /* by text: of its section */
    struct error_list *errors;
};

static const struct ini_section *given_policy(const struct sections *sections, const char *name)
{
    for (size_t i = 0; sections->given && i < sections->given->n; i++) {
        const struct ini_section *section = &sections->given->sections[i];
        if (text_equal(section->kind, "policy") && text_equal(section->name, name))
            return section;
    }
    return NULL;
}

/* The end of a word: a blank outside double quotes. NULL: a quote is not closed. */
static const char *word_end(const char *word)
{
    bool is_quoted = false;
    for (; *word && (is_quoted || *word != ' '); word++) {
        if (*word == '\\' && is_quoted && word[1])
            word++;
        else if (*word == '"')
            is_quoted = !is_quoted;
    }
    return is_quoted ? NULL : word;
}

/* Sets key to value; a key that the text has given before is an error, one of the configuration's
 * section is replaced. */
static void set_entry(struct sections *sections, struct ini_section *section, size_t n_given,
                      const struct ini_entry *entry)
{
    for (size_t i = 0; i < section->n; i++) {
        if (!text_equal(section->entries[i].key, entry->key))
            continue;
        if (i >= n_given || section->entries[i].is_override)
            error_list_add(sections->errors, entry->origin, "'%s' is given twice", entry->key);
        section->entries[i] = *entry;
        return;
    }
    section->entries[section->n++] = *entry;
}

/* The options that follow the name in a text. */
static void read_options(struct sections *sections, struct ini_section *section, const char *text,
                         const char *at, struct origin origin)
{
    size_t n_given = section->n;
    struct ini_entry entry = {.is_override = true};
    for (const char *end; *(at += strspn(at, " ")); at = end) {
        struct origin here = origin;
        here.column = (uint32_t)(at - text) + 1;
        end = word_end(at);
        const char *equals = strchr(at, '=');
        if (!end) {
            error_list_add(sections->errors, here, "a quote is not closed");
            return;
        }
        if (equals && equals < end) {
            if (entry.key)
                set_entry(sections, section, n_given, &entry);
            entry.key = arena_text_n(sections->arena, at, (size_t)(equals - at));
            entry.value = arena_text_n(sections->arena, equals + 1, (size_t)(end - equals) - 1);
            entry.origin = entry.value_origin = here;
            entry.value_origin.column += (uint32_t)(equals - at) + 1;
        } else if (entry.key) { /* time=500 ms */
            entry.value = arena_printf(sections->arena, "%s %.*s", entry.value, (int)(end - at),
                                       at);
        } else {
            error_list_add(sections->errors, here, "'%.*s' is not an option: expected key=value",
                           (int)(end - at), at);
            return;
        }
    }
    if (entry.key)
        set_entry(sections, section, n_given, &entry);
}

/* A name for the section of a text: as it was written where that is possible, and unique. */
static const char *section_name(const struct sections *sections, const char *name)
{
    char *plain = arena_text(sections->arena, name);
    for (char *at = plain; *at; at++)
        if ((unsigned char)*at <= ' ' || strchr(",:=\"'", *at))
            *at = '_';
    const char *unique = plain;
    for (size_t count = 2, i = 0; i < sections->ini.n; i++)
        if (text_equal(sections->ini.sections[i].name, unique)) {
            unique = arena_printf(sections->arena, "%s#%zu", plain, count++);
            i = (size_t)-1;
        }
    return unique;
}

static size_t count_words(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += *text == '=';
    return n;
}

/* One text: as a section of its own, or the configuration's where no option follows. */
static void add_text(struct sections *sections, size_t number, const char *text)
{
    struct origin origin = {OPTION_NAME, (uint32_t)number + 1, 1};
    const char *begin = text + strspn(text, " ");
    const char *end = word_end(begin);
    if (!end) {
        error_list_add(sections->errors, origin, "a quote is not closed");
        return;
    }
    size_t quotes = *begin == '"' && end[-1] == '"'; /* of a path with blanks */
    const char *name = arena_text_n(sections->arena, begin + quotes,
                                    (size_t)(end - begin) - 2 * quotes);
    const struct ini_section *given = given_policy(sections, name);
    if (!*name || (strchr(name, '=') && !quotes)) {
        error_list_add(sections->errors, origin,
                       "'%s' names no policy: expected its name, then key=value for its options",
                       text);
        return;
    }
    if (given && !end[strspn(end, " ")]) {
        sections->names[number] = name;
        return;
    }
    size_t n_given = given ? given->n : 1;
    struct ini_section section = {
        .kind = "policy",
        .name = section_name(sections, name),
        .origin = origin,
        .n = n_given,
        .entries = ARENA_ARRAY(sections->arena, struct ini_entry, n_given + count_words(text))};
    const char *plugin = strchr(name, '/') ? path_from(".", name, sections->arena) : name;
    if (given)
        memcpy(section.entries, given->entries, given->n * sizeof *section.entries);
    else
        section.entries[0] = (struct ini_entry){
            .key = "plugin", .value = plugin, .origin = origin, .value_origin = origin};
    read_options(sections, &section, text, end, origin);
    sections->names[number] = section.name;
    sections->ini.sections[sections->ini.n++] = section;
}

static const struct plugin_settings *settings_named(const struct settings *settings,
                                                    const char *name)
{
    const struct plugin_settings *items;
    size_t n = settings_policies(settings, &items);
    for (size_t i = 0; i < n; i++)
        if (text_equal(items[i].name, name))
            return &items[i];
    return NULL;
}

static void add_policy(struct replay_policies *policies, struct arena *arena, const char *label,
                       const struct plugin_settings *settings)
{
    ARENA_APPEND(arena, policies->items, policies->n,
                 (struct replay_policy){.label = label, .settings = settings});
}

/* --plugin-path first, from the current folder; then plugin_path of [gbrun], from that of the
 * configuration. */
static void find_folders(const struct replay_request *request, const struct settings *settings,
                         struct arena *arena, struct path_list *ret)
{
    const struct gb_list *own = &settings_run(settings)->plugin_path;
    const char **all = ARENA_ARRAY(arena, const char *, request->n_plugin_path + own->n + 1);
    size_t n = 0;
    for (size_t i = 0; i < request->n_plugin_path; i++)
        all[n++] = path_from(".", request->plugin_path[i], arena);
    for (size_t i = 0; i < own->n; i++)
        all[n++] = ((const char *const *)own->items)[i];
    module_folders(request->ini_folder, all, n, arena, ret);
}

/* Policies by their sections. */
static int32_t resolve(struct sections *sections, const struct replay_request *request,
                       const struct path_list *folders, struct settings *settings,
                       struct replay_policies *ret)
{
    struct arena *arena = sections->arena;
    struct gb_error error;
    const struct plugin_request *requests;
    size_t n = settings_requests(settings, &requests);
    if (catalogue_load(folders, requests, n, arena, &ret->catalogue, &error) != GB_OK) {
        error_list_take(sections->errors, &error);
        return error.status;
    }
    settings_resolve(settings, &ret->catalogue, sections->errors);
    if (!error_list_empty(sections->errors))
        return GB_INVALID;
    for (size_t i = 0; i < request->n_texts; i++)
        add_policy(ret, arena, request->texts[i], settings_named(settings, sections->names[i]));
    for (size_t i = 0; request->n_texts == 0 && i < sections->ini.n; i++)
        if (text_equal(sections->ini.sections[i].kind, "policy"))
            add_policy(ret, arena, sections->ini.sections[i].name,
                       settings_named(settings, sections->ini.sections[i].name));
    return GB_OK;
}

static bool needs_options(const struct gb_plugin *plugin)
{
    struct option_table table = option_table_of(plugin);
    for (uint32_t i = 0; i < table.n; i++) {
        struct gb_option option = option_entry(table, i);
        if (!option.default_value && option.type != GB_TYPE_MAP)
            return true;
    }
    return false;
}

static int compare_ids(const void *a, const void *b)
{
    const struct replay_policy *first = a, *second = b;
    return strcmp(first->label, second->label);
}

/* Every policy there is, with its defaults. */
static int32_t take_all(const struct path_list *folders, struct arena *arena,
                        struct replay_policies *ret, struct error_list *errors)
{
    struct gb_error error;
    if (catalogue_load_all(folders, arena, &ret->catalogue, &error) != GB_OK) {
        error_list_take(errors, &error);
        return error.status;
    }
    for (size_t i = 0; i < ret->catalogue.n_plugins; i++) {
        const struct plugin_info *info = &ret->catalogue.plugins[i];
        const char *id = info->plugin.id;
        if (info->plugin.kind != GB_PLUGIN_POLICY || needs_options(&info->plugin) ||
            catalogue_find(&ret->catalogue, GB_PLUGIN_POLICY, id) != info)
            continue;
        struct plugin_settings *settings = ARENA_NEW(arena, struct plugin_settings);
        *settings = (struct plugin_settings){.name = id, .info = info};
        add_policy(ret, arena, id, settings);
    }
    if (ret->n > 1)
        qsort(ret->items, ret->n, sizeof *ret->items, compare_ids);
    if (ret->n == 0)
        error_list_add(errors, (struct origin){0},
                       "there is no policy: no policy plugin was found; see `gbrun list plugins`");
    return ret->n ? GB_OK : GB_NOT_FOUND;
}

int32_t replay_policies_read(const struct replay_request *request, struct arena *arena,
                             struct replay_policies *ret, struct error_list *errors)
{
    *ret = (struct replay_policies){0};
    size_t n_texts = request->n_texts, n_given = request->ini ? request->ini->n : 0;
    struct settings *settings;
    struct path_list folders;
    struct sections sections = {
        .arena = arena,
        .given = request->ini,
        .errors = errors,
        .ini = {.path = request->ini ? request->ini->path : OPTION_NAME,
                .n = n_given,
                .sections = ARENA_ARRAY(arena, struct ini_section, n_given + n_texts + 1)},
        .names = ARENA_ARRAY(arena, const char *, n_texts + 1)};
    if (n_given)
        memcpy(sections.ini.sections, request->ini->sections,
               n_given * sizeof *sections.ini.sections);
    for (size_t i = 0; i < n_texts; i++)
        add_text(&sections, i, request->texts[i]);
    settings_parse_policies(&sections.ini, request->ini_folder, arena, &settings, errors);
    find_folders(request, settings, arena, &folders);
    const struct plugin_request *requests;
    if (n_texts == 0 && settings_requests(settings, &requests) == 0 && error_list_empty(errors))
        return take_all(&folders, arena, ret, errors);
    return resolve(&sections, request, &folders, settings, ret);
}
