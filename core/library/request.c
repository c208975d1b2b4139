/* request.c - see library.h. */
#include "core/library/library.h"

#include "core/base/text.h"
#include "core/config/option_table.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

/* What messages call the text of the caller. */
#define SETTINGS "settings"
#define NAME_DEFAULT "measure"
#define POLICY_DEFAULT "steady"
#define DEVICE_DEFAULT "auto"
#define SEARCH_DEFAULT "race"

/* Keys of a [bench] section that a call in the program's own process has no use for. */
static const struct {
    const char *key; /* or its beginning, up to a dot */
    const char *why;
} refused[] = {
    {"plugin", "what is measured is the callback"},
    {"like", "there is no other section"},
    {"sweep.",
     "a call measures one case: call again with another value, and let.NAME to record it"},
    {"zip.", "a call measures one case: call again with other values, and let.NAME to record them"},
    {"only", "a call measures one case"},
    {"exclude", "a call measures one case"},
    {"isolate", "the case is measured in the calling process"},
    {"exclusive", "one case at a time is measured in a process"},
    {"env.", "the environment is the calling process's"},
    {"time_limit", "a process cannot kill itself: expected max_time"},
    {"inputs", "a callback has no sets of inputs that gbrun knows of"},
};
enum { N_REFUSED = sizeof refused / sizeof *refused };

/* Where an entry goes. */
enum { TO_RUN, TO_BENCH, TO_POLICY, TO_DEVICE, TO_AB, SECTIONS };

struct reader {
    int side;
    const struct catalogue *catalogue;
    struct arena *arena;
    struct error_list *errors;
    const struct gb_plugin *plugins[SECTIONS]; /* of the policy and the device; NULL: not known */
    bool is_found[SECTIONS];                   /* a plugin of that name, or none is needed */
    struct ini_section *sections;
};

static const char *value_of(const struct ini_section *section, const char *key,
                            const char *otherwise)
{
    const struct ini_entry *entry = ini_entry_of(section, key);
    return entry ? entry->value : otherwise;
}

static const char *why_refused(const char *key)
{
    for (size_t i = 0; i < N_REFUSED; i++)
        if (text_equal(key, refused[i].key) ||
            (text_ends_with(refused[i].key, ".") && text_starts_with(key, refused[i].key)))
            return refused[i].why;
    return NULL;
}

/* Of all that is known of: the name nearest to a misspelt one, or NULL. */
static const char *nearest(const struct reader *reader, const char *key)
{
    static const char *const others[] = {"device", "policy", "name", "results", "run"};
    const char *name = option_nearest(common_options(), key);
    for (int section = TO_POLICY; !name && section <= TO_DEVICE; section++)
        if (reader->plugins[section])
            name = option_nearest(option_table_of(reader->plugins[section]), key);
    if (!name && reader->side != SIDE_NONE)
        name = option_nearest(ab_options(), key);
    for (size_t i = 0; !name && i < sizeof others / sizeof *others; i++)
        if (text_distance(key, others[i], 2) <= 2)
            name = others[i];
    return name;
}

/* An option of a policy or a device that is not the one in use. */
static const struct gb_plugin *owner(const struct reader *reader, const char *key)
{
    for (size_t i = 0; i < reader->catalogue->n_plugins; i++) {
        const struct gb_plugin *plugin = &reader->catalogue->plugins[i].plugin;
        if (plugin->kind != GB_PLUGIN_BENCH && option_find(option_table_of(plugin), key, NULL))
            return plugin;
    }
    return NULL;
}

static void refuse(const struct reader *reader, const struct ini_entry *entry)
{
    const struct gb_plugin *other = owner(reader, entry->key);
    const char *near = nearest(reader, entry->key);
    if (other)
        error_list_add(
            reader->errors, entry->origin,
            "'%s' is an option of the %s %s, which is not in use: expected %s = %s beside "
            "it",
            entry->key, plugin_kind_words(other->kind), other->id, plugin_kind_words(other->kind),
            other->id);
    else
        error_list_add(reader->errors, entry->origin, "unknown key '%s'%s%s%s", entry->key,
                       DID_YOU_MEAN(near, ""));
}

/* base and new of [ab NAME] are the two callbacks here. */
static bool is_of_comparison(const char *key)
{
    return option_find(ab_options(), key, NULL) && !text_equal(key, side_words[SIDE_BASE]) &&
           !text_equal(key, side_words[SIDE_NEW]);
}

/* The section that a key belongs to; SECTIONS: it is in error, or that of a plugin that is not
 * there, which is reported as such. */
static int section_of(const struct reader *reader, const struct ini_entry *entry)
{
    const char *why = why_refused(entry->key);
    if (!why && reader->side != SIDE_NONE && text_equal(entry->key, "rounds"))
        why = "a comparison chooses their number: expected max_rounds";
    if (why) {
        error_list_add(reader->errors, entry->origin, "'%s': %s", entry->key, why);
        return SECTIONS;
    }
    if (text_equal(entry->key, "results") || text_starts_with(entry->key, "label."))
        return TO_RUN;
    if (reader->side != SIDE_NONE && is_of_comparison(entry->key))
        return TO_AB;
    if (text_equal(entry->key, "device") || text_equal(entry->key, "policy") ||
        text_starts_with(entry->key, "let.") || text_starts_with(entry->key, "check.") ||
        option_find(common_options(), entry->key, NULL))
        return TO_BENCH;
    for (int section = TO_POLICY; section <= TO_DEVICE; section++)
        if (reader->plugins[section] &&
            option_find(option_table_of(reader->plugins[section]), entry->key, NULL))
            return section;
    if (reader->is_found[TO_POLICY] && reader->is_found[TO_DEVICE])
        refuse(reader, entry);
    return SECTIONS;
}

static const struct gb_plugin *find_plugin(const struct reader *reader, uint32_t kind,
                                           const char *id)
{
    const struct plugin_info *info = catalogue_find(reader->catalogue, kind, id);
    return info ? &info->plugin : NULL;
}

static void find_plugins(struct reader *reader, const struct ini_section *given)
{
    const char *policy = value_of(given, "policy", POLICY_DEFAULT);
    const char *device = value_of(given, "device", DEVICE_DEFAULT);
    const char *id = arena_text_n(reader->arena, device, strcspn(device, ":"));
    reader->plugins[TO_POLICY] = find_plugin(reader, GB_PLUGIN_POLICY, policy);
    reader->plugins[TO_DEVICE] = find_plugin(reader, GB_PLUGIN_DEVICE, id);
    reader->is_found[TO_POLICY] = reader->plugins[TO_POLICY];
    reader->is_found[TO_DEVICE] = reader->plugins[TO_DEVICE] || text_equal(id, DEVICE_DEFAULT);
}

static void put(struct reader *reader, int section, const struct ini_entry *entry)
{
    ini_put(&reader->sections[section], entry, reader->arena);
}

static void put_text(struct reader *reader, int section, const char *key, const char *value)
{
    const struct ini_entry entry = {.key = key,
                                    .value = value,
                                    .origin = {.file = SETTINGS},
                                    .value_origin = {.file = SETTINGS}};
    put(reader, section, &entry);
}

/* As options that are strings: in quotes where it has blanks at its ends, or what begins a comment.
 */
static void put_label(struct reader *reader, const struct ini_entry *entry)
{
    struct ini_entry label = *entry;
    struct value value;
    struct gb_error error;
    if (value_read_type(GB_TYPE_STRING, entry->value, entry->value_origin, reader->arena, &value,
                        &error) != GB_OK) {
        error_list_take(reader->errors, &error);
        return;
    }
    label.value = value.text;
    put(reader, TO_RUN, &label);
}

/* The lines that the caller gave, without the one that was put before them. */
static int32_t read_lines(const char *text, struct arena *arena, struct ini_section *ret,
                          struct error_list *errors)
{
    struct ini ini;
    const char *whole = arena_printf(arena, "[settings]\n%s", text);
    ini_read_text(SETTINGS, whole, strlen(whole), arena, &ini, errors);
    if (ini.n > 1)
        error_list_add(errors, ini.sections[1].origin,
                       "sections are for bench.ini: expected lines KEY = VALUE");
    for (size_t i = 0; i < errors->n; i++)
        errors->items[i].origin.line -= errors->items[i].origin.line > 0;
    if (!error_list_empty(errors) || ini.n == 0)
        return GB_INVALID;
    *ret = ini.sections[0];
    for (size_t i = 0; i < ret->n; i++) {
        ret->entries[i].origin.line--;
        ret->entries[i].value_origin.line -= ret->entries[i].value_origin.line > 0;
    }
    return GB_OK;
}

/* Sections that hold nothing but their plugin are left out: the plugin's id is enough. */
static void make_ini(struct reader *reader, const struct ini_section *given, struct ini *ret)
{
    static const char *const kinds[SECTIONS] = {"gbrun", "bench", "policy", "device", "ab"};
    const char *name = value_of(given, "name", NAME_DEFAULT);
    const struct origin nowhere = {.file = SETTINGS};
    reader->sections = ARENA_ARRAY(reader->arena, struct ini_section, SECTIONS);
    for (int section = 0; section < SECTIONS; section++)
        reader->sections[section] = (struct ini_section){
            .kind = kinds[section],
            .name = section == TO_BENCH                             ? name
                    : section != TO_RUN && reader->plugins[section] ? reader->plugins[section]->id
                                                                    : "",
            .origin = nowhere};
    put_text(reader, TO_BENCH, "plugin", CALLBACK_ID);
    if (reader->side != SIDE_NONE)
        put_text(reader, TO_BENCH, "let." SIDE_AXIS,
                 arena_printf(reader->arena, "'%s'", side_words[reader->side]));
    for (size_t i = 0; i < given->n; i++) {
        const struct ini_entry *entry = &given->entries[i];
        const bool is_read = text_equal(entry->key, "name") || text_equal(entry->key, "run");
        int section = is_read ? SECTIONS : section_of(reader, entry);
        if (section == TO_RUN && text_starts_with(entry->key, "label."))
            put_label(reader, entry);
        else if (section != SECTIONS)
            put(reader, section, entry);
    }
    *ret = (struct ini){.path = SETTINGS, .n = 2, .sections = reader->sections};
    for (int section = TO_POLICY; section <= TO_DEVICE; section++)
        if (reader->sections[section].n > 0) {
            put_text(reader, section, "plugin", reader->plugins[section]->id);
            ret->sections[ret->n++] = reader->sections[section];
        }
}

/* What a comparison is decided by; a visit is a case's max_time. */
static void read_comparison(struct reader *reader, struct ab_params *ret)
{
    const struct ini_entry *max_time = ini_entry_of(&reader->sections[TO_BENCH], "max_time");
    if (reader->side == SIDE_NONE)
        return;
    ab_section_read(&reader->sections[TO_AB], reader->arena, ret, reader->errors);
    if (max_time)
        error_list_add(reader->errors, max_time->origin,
                       "'max_time': of a comparison each visit has a time: expected visit = ...");
    put_text(reader, TO_BENCH, "max_time", arena_printf(reader->arena, "%.0f ns", ret->visit_ns));
}

/* Which run of the results file. */
static const char *read_run(const struct ini_section *given, struct error_list *errors)
{
    static const char form[] = "01234567-89ab-cdef-0123-456789abcdef";
    const struct ini_entry *entry = ini_entry_of(given, "run");
    if (!entry)
        return NULL;
    bool is_uuid = strlen(entry->value) == sizeof form - 1;
    for (size_t i = 0; is_uuid && i < sizeof form - 1; i++)
        is_uuid = form[i] == '-' ? entry->value[i] == '-'
                                 : strchr("0123456789abcdef", entry->value[i]) != NULL;
    if (!is_uuid)
        error_list_add(errors, entry->value_origin, "'run': expected a UUID, such as %s", form);
    else if (!ini_entry_of(given, "results"))
        error_list_add(errors, entry->origin, "'run': nothing is stored: expected results = FILE");
    return entry->value;
}

static const char *absolute(const char *path, struct arena *arena)
{
    char here[PATH_MAX];
    return path[0] == '/' || !getcwd(here, sizeof here) ? path
                                                        : arena_printf(arena, "%s/%s", here, path);
}

/* What is measured has no options of its own: variables tell its cases apart. */
static void take_variables(struct bench_case *bench_case)
{
    for (size_t i = 0; i < bench_case->n_parameters; i++) {
        struct parameter *parameter = &bench_case->parameters[i];
        if (!parameter->is_variable || text_starts_with(parameter->name, PAPER_PREFIX))
            continue;
        parameter->is_axis = true;
        parameter->is_identity = !text_equal(parameter->name, SIDE_AXIS);
    }
}

/* Of a configuration with one benchmark; its first case, and the search that it names. */
static int32_t make_case(struct request *request, struct arena *arena, struct error_list *errors)
{
    struct sweep *sweep = NULL;
    struct gb_error error;
    int32_t status = sweep_new(request->settings, SWEEP_CASES_MAX, &sweep, errors);
    if (status == GB_OK) {
        request->search = sweep_part(sweep, 0).search;
        status = sweep_case(sweep, 0, arena, &request->bench_case, &error);
        if (status != GB_OK)
            error_list_take(errors, &error);
        take_variables(&request->bench_case);
    }
    sweep_free(sweep);
    return status;
}

int32_t request_read(const char *text, int side, const struct catalogue *catalogue,
                     struct arena *arena, struct request *ret, struct error_list *errors)
{
    struct reader reader = {.side = side, .catalogue = catalogue, .arena = arena, .errors = errors};
    struct ini_section given;
    struct ini *ini = ARENA_NEW(arena, struct ini);
    *ret = (struct request){.side = side};
    int32_t status = read_lines(text, arena, &given, errors);
    if (status != GB_OK)
        return status;
    find_plugins(&reader, &given);
    make_ini(&reader, &given, ini);
    read_comparison(&reader, &ret->ab);
    ret->run = read_run(&given, errors);
    settings_parse(ini, ".", arena, &ret->settings, errors);
    settings_resolve(ret->settings, catalogue, errors);
    if (!error_list_empty(errors))
        return GB_INVALID;
    ret->n_devices = settings_devices(ret->settings, &ret->devices, &ret->n_auto);
    if (ini_entry_of(&given, "results"))
        ret->results = absolute(settings_run(ret->settings)->results, arena);
    return make_case(ret, arena, errors);
}

/* Keys about columns of results: the program has those. */
static void refuse_of_results(const struct ini_section *given, struct error_list *errors)
{
    static const char *const keys[] = {"goal", "where", "time_limit"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const struct ini_entry *entry = ini_entry_of(given, keys[i]);
        if (entry)
            error_list_add(errors, entry->origin,
                           "'%s': the program says what it has observed: the least is best",
                           keys[i]);
    }
}

int32_t request_read_search(const char *text, const struct catalogue *catalogue,
                            struct arena *arena, struct request *ret, struct error_list *errors)
{
    enum { BENCH, SEARCH, RUN, N };
    static const char *const kinds[N] = {"bench", "search", "gbrun"};
    struct reader reader = {.side = SIDE_NONE, .catalogue = catalogue, .arena = arena};
    struct ini_section given;
    struct ini *ini = ARENA_NEW(arena, struct ini);
    *ret = (struct request){.side = SIDE_NONE};
    int32_t status = read_lines(text, arena, &given, errors);
    if (status != GB_OK)
        return status;
    refuse_of_results(&given, errors);
    reader.sections = ARENA_ARRAY(arena, struct ini_section, N);
    for (int i = 0; i < N; i++)
        reader.sections[i] = (struct ini_section){
            .kind = kinds[i], .name = i == RUN ? "" : "search", .origin = {.file = SETTINGS}};
    put_text(&reader, BENCH, "plugin", CALLBACK_ID);
    put_text(&reader, BENCH, "search", "search");
    put_text(&reader, SEARCH, "plugin", value_of(&given, "search", SEARCH_DEFAULT));
    for (size_t i = 0; i < given.n; i++)
        if (!text_equal(given.entries[i].key, "search"))
            put(&reader, text_equal(given.entries[i].key, "seed") ? RUN : SEARCH,
                &given.entries[i]);
    *ini = (struct ini){.path = SETTINGS, .n = N, .sections = reader.sections};
    settings_parse(ini, ".", arena, &ret->settings, errors);
    settings_resolve(ret->settings, catalogue, errors);
    return error_list_empty(errors) ? make_case(ret, arena, errors) : GB_INVALID;
}
