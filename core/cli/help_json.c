/* help_json.c - see help.h: topics as JSON, for programs. */
#include "core/cli/help.h"

#include "core/base/json_writer.h"

static const struct json_member entry_members[] = {
    JSON_MEMBERS(struct help_entry, name, unit, help)};
static const struct json_member plugin_members[] = {
    JSON_MEMBER_AS("id", struct gb_plugin, id), JSON_MEMBERS(struct gb_plugin, version, summary),
    JSON_MEMBER_AS("devices", struct gb_plugin, devices)};

#define N_OF(members) (sizeof(members) / sizeof *(members))

static void add_plugin(const struct plugin_info *info, struct json_writer *json)
{
    json_text(json, "kind", plugin_kind_words(info->plugin.kind));
    json_members(json, plugin_members, N_OF(plugin_members), &info->plugin);
    json_text(json, "module", info->path);
}

/* default null: the user has to give it. */
static void add_option(const struct gb_option *option, struct json_writer *json)
{
    json_text(json, "name", option->name);
    json_text(json, "type", option_type_word(option->type));
    json_bool(json, "is_list", option->type & GB_TYPE_LIST);
    json_text(json, "default", option->default_value);
    json_text(json, "range", option->range);
    json_text(json, "unit", option->unit);
    json_open(json, "choices", JSON_ARRAY);
    for (uint32_t i = 0; option->choices && i < option->n_choices; i++)
        json_text(json, NULL, option->choices[i]);
    json_close(json, JSON_ARRAY);
    json_bool(json, "is_identity", !(option->flags & GB_OPTION_NOT_IDENTITY));
    json_text(json, "help", option->help);
}

static void add_switch(const struct verb_option *option, struct json_writer *json)
{
    const char letter[] = {option->letter, 0};
    json_text(json, "name", option->name);
    json_text(json, "letter", option->letter ? letter : NULL);
    json_text(json, "argument", option->argument);
    json_text(json, "help", option->help);
}

static void add_entry(const struct help_topic *topic, size_t i, struct json_writer *json)
{
    json_line(json);
    json_open(json, NULL, JSON_OBJECT);
    if (topic->verb) {
        add_switch(&topic->verb->options[i], json);
    } else if (topic->options.n) {
        struct gb_option option = option_entry(topic->options, (uint32_t)i);
        add_option(&option, json);
    } else {
        json_members(json, entry_members, N_OF(entry_members), &topic->entries[i]);
    }
    json_close(json, JSON_OBJECT);
}

void help_topic_json(const struct help_topic *topic, help_chooses_fn *chooses, const void *context,
                     struct json_writer *json)
{
    const struct verb *verb = topic->verb;
    json_line(json);
    json_open(json, NULL, JSON_OBJECT);
    json_text(json, "topic", topic->name);
    json_text(json, "title", topic->title);
    json_text(json, "help", verb ? verb->help : topic->words);
    if (verb) {
        json_text(json, "operands", verb->operands);
        json_text(json, "summary", verb->summary);
    }
    if (topic->plugin)
        add_plugin(topic->plugin, json);
    json_open(json, "entries", JSON_ARRAY);
    for (size_t i = 0; i < topic->n; i++)
        if (chooses(topic, i, context))
            add_entry(topic, i, json);
    json_close(json, JSON_ARRAY);
    json_close(json, JSON_OBJECT);
}
