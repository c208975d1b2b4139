/* settings_requests.c - which plugins a configuration names. */
#include "core/config/settings_internal.h"

#include "core/base/text.h"

#include <string.h>

static bool same_text(const char *a, const char *b)
{
    return a && b ? text_equal(a, b) : a == b;
}

static void add_request(const struct parser *parser, struct plugin_request request)
{
    struct settings *settings = parser->settings;
    if (!request.id && !request.path)
        return;
    for (size_t i = 0; i < settings->n_requests; i++) {
        const struct plugin_request *known = &settings->requests[i];
        if (known->kind == request.kind && same_text(known->id, request.id) &&
            same_text(known->path, request.path))
            return;
    }
    ARENA_APPEND(parser->arena, settings->requests, settings->n_requests, request);
}

bool settings_auto_is_all(const struct settings *settings)
{
    const struct gb_list *devices = &settings->run.devices;
    return settings->devices_entry && devices->n == 1 &&
           text_equal(((const char *const *)devices->items)[0], DEVICE_ALL);
}

/* A UUID has a dash behind its first character, and no number has one there. */
static bool is_uuid(const char *text)
{
    const char *dash = strchr(text, '-');
    return dash && dash != text;
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
    else if (which && is_uuid(which))
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

/* A device or policy without a section is asked for by its plugin's id. Errors in the text are
 * reported when it is resolved. */
static void request_named(const struct parser *parser, uint32_t kind, const char *text,
                          struct origin origin)
{
    struct settings *settings = parser->settings;
    struct device_choice choice;
    if (kind == GB_PLUGIN_DEVICE &&
        (settings_device_split(text, origin, parser->arena, &text, &choice, NULL) != GB_OK ||
         text_equal(text, DEVICE_AUTO)))
        return;
    for (size_t i = 0; i < settings->n_plugin_sections; i++)
        if (settings->plugin_sections[i].kind == kind &&
            text_equal(settings->plugin_sections[i].name, text)) {
            settings->plugin_sections[i].is_named = true;
            return;
        }
    add_request(parser, (struct plugin_request){.kind = kind, .id = text, .origin = origin});
}

static void request_list(const struct parser *parser, uint32_t kind, const char *text,
                         struct origin origin, size_t first, size_t step)
{
    struct text_list list = {0};
    if (text_split(text, ',', origin, parser->arena, &list, NULL) == GB_OK)
        for (size_t i = first; i < list.n; i += step)
            request_named(parser, kind, list.items[i], list.origins[i]);
}

static void request_key(const struct parser *parser, const struct key *key, const char *target,
                        uint32_t kind)
{
    const struct ini_entry *entry = key->entry;
    struct text_list rows = {0};
    const char *text;
    switch (key->role) {
    case KEY_SEARCH:
    case KEY_SET:
        if (text_equal(key->target, target) &&
            settings_entry_text(entry, parser->arena, &text, NULL) == GB_OK)
            request_named(parser, kind, text, entry->value_origin);
        break;
    case KEY_SWEEP:
        if (text_equal(key->target, target))
            request_list(parser, kind, entry->value, entry->value_origin, 0, 1);
        break;
    case KEY_ZIP:
        for (size_t i = 0; i < key->names.n; i++)
            if (text_equal(key->names.items[i], target) &&
                text_split(key->rows, '|', key->rows_origin, parser->arena, &rows, NULL) == GB_OK)
                for (size_t j = 0; j < rows.n; j++)
                    request_list(parser, kind, rows.items[j], rows.origins[j], i, key->names.n);
        break;
    default:
        break;
    }
}

void settings_collect_requests(const struct parser *parser)
{
    struct settings *settings = parser->settings;
    for (size_t i = 0; i < settings->n_plugin_sections; i++)
        add_request(parser, settings->plugin_sections[i].request);
    /* Names in [defaults] are looked up even if every benchmark overrides them. */
    for (size_t i = 0; i < settings->defaults.n; i++) {
        request_key(parser, &settings->defaults.items[i], "device", GB_PLUGIN_DEVICE);
        request_key(parser, &settings->defaults.items[i], "policy", GB_PLUGIN_POLICY);
        request_key(parser, &settings->defaults.items[i], "search", GB_PLUGIN_SEARCH);
    }
    for (size_t i = 0; i < settings->n_plugin_sections; i++)
        settings->plugin_sections[i].is_named = false; /* not so far by what is run */
    if (settings->devices_entry && !settings_auto_is_all(settings))
        request_list(parser, GB_PLUGIN_DEVICE, settings->devices_entry->value,
                     settings->devices_entry->value_origin, 0, 1);
    for (size_t i = 0; i < settings->n_benches; i++) {
        const struct bench_section *bench = &settings->benches[i];
        bool has_policy = false;
        if (bench->is_left_out)
            continue;
        add_request(parser, bench->request);
        for (size_t j = 0; j < bench->keys.n; j++) {
            const struct key *key = &bench->keys.items[j];
            request_key(parser, key, "device", GB_PLUGIN_DEVICE);
            request_key(parser, key, "policy", GB_PLUGIN_POLICY);
            request_key(parser, key, "search", GB_PLUGIN_SEARCH);
            for (size_t k = 0; k < key_targets(key); k++)
                has_policy = has_policy || text_equal(key_target(key, k), "policy");
        }
        if (!has_policy)
            request_named(parser, GB_PLUGIN_POLICY, DEFAULT_POLICY, bench->origin);
    }
}
