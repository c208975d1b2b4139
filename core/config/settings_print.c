/* settings_print.c - the settings used, as an INI file. */
#include "core/config/settings_internal.h"

#include "core/base/text.h"
#include "core/config/sides.h"

#include <string.h>

enum { LINE_BYTES = 180 };

/* Of a plan there is a canonical encoding in place of the lines: each name and value behind its
 * length, so that no two plans have the same one. */
struct printer {
    const struct settings *settings;
    struct text *out;
    bool is_plan;
    bool is_run_section; /* in [gbrun] */
};

/* ---- one value ---- */

/* Can the value go on in another line from text[i] on? The lines are joined with one blank. */
static bool can_break(const char *text, size_t i, bool in_quotes)
{
    if (text[i] == ' ')
        return text[i - 1] != ' ' && text[i + 1] != ' ' && text[i + 1] != 0;
    return text[i - 1] == ',' && !in_quotes && text[i] != ';' && text[i] != '#';
}

/* The number of bytes of text that the next line takes, at least one. */
static size_t line_length(const char *text, size_t room)
{
    size_t best = 0;
    bool in_double = false, in_single = false;
    for (size_t i = 0; text[i]; i++) {
        if (i > 0 && can_break(text, i, in_double || in_single))
            best = i;
        if (i >= room && best > 0)
            return best;
        in_double = in_double != (text[i] == '"' && !in_single);
        in_single = in_single != (text[i] == '\'' && !in_double);
    }
    return strlen(text);
}

/* A value in several lines; a piece that cannot be broken has the room that it had in the file. */
static void print_long_value(const char *key, const char *value, struct text *out)
{
    static const char indent[] = "    ";
    size_t used = strlen(key) + strlen(" = ");
    text_printf(out, "%s =", key);
    for (bool is_first = true; *value; is_first = false) {
        size_t n = line_length(value, LINE_BYTES > used ? LINE_BYTES - used : 1);
        if (is_first && used + n <= LINE_BYTES)
            text_add(out, " ");
        else
            text_printf(out, "\n%s", strlen(indent) + n <= LINE_BYTES ? indent : " ");
        text_add_n(out, value, n);
        value += n;
        value += *value == ' ';
        used = strlen(indent);
    }
    text_add(out, "\n");
}

/* Keys of [gbrun] that do not change what a case is. */
static bool is_of_place(const char *key)
{
    return text_starts_with(key, "label.") ||
           IS_AMONG(key, "results", "roofs", "shard", "costs", "devices", "durability",
                    "plugin_path", "jobs", "lock", "lock_limit", "claim_limit");
}

static void encode(struct printer *printer, const char *text)
{
    text_printf(printer->out, "%zu:%s", strlen(text), text);
}

static void print_section(struct printer *printer, const char *kind, const char *name)
{
    printer->is_run_section = text_equal(kind, "gbrun");
    if (printer->is_plan) {
        text_add(printer->out, "\n");
        encode(printer, kind);
        encode(printer, name);
    } else {
        text_printf(printer->out, "%s[%s%s%s]\n", printer->out->length ? "\n" : "", kind,
                    *name ? " " : "", name);
    }
}

static void print_value(struct printer *printer, const char *key, const char *value,
                        const char *comment)
{
    struct text *out = printer->out;
    if (printer->is_plan && printer->is_run_section && is_of_place(key))
        return;
    if (printer->is_plan) {
        encode(printer, key);
        encode(printer, value);
        return;
    }
    bool is_open;
    const size_t n = ini_value_length(value, &is_open);
    if (value[n + strspn(value + n, " \t")]) { /* a comment to the reader */
        value = text_quote(value, 0, printer->settings->arena);
        is_open = false;
    }
    bool is_short = strlen(key) + strlen(" = ") + strlen(value) <= LINE_BYTES;
    if (is_short && !is_open) {
        text_printf(out, "%s =%s%s  ; %s\n", key, *value ? " " : "", value, comment);
        return;
    }
    text_printf(out, "; %s\n", comment);
    print_long_value(key, value, out);
}

static void print_entry(struct printer *printer, const struct ini_entry *entry, const char *source)
{
    CLEANUP(text_free) struct text comment = {0};
    text_add(&comment, source);
    for (const char *c = entry->origin.file; c && *c; c++) /* a path must not end the comment */
        text_add_n(&comment, *c < ' ' || *c > '~' ? "?" : c, 1);
    if (entry->origin.line && !entry->is_override)
        text_printf(&comment, ":%u", entry->origin.line);
    print_value(printer, entry->key, entry->value, text_get(&comment));
}

/* ---- sections ---- */

/* What the table adds to the keys of a section. */
static void print_defaults(struct printer *printer, const struct ini_section *section,
                           struct option_table table)
{
    for (uint32_t i = 0; i < table.n; i++) {
        const struct gb_option *option = option_at(table, i);
        if (option->type != GB_TYPE_MAP && option->default_value &&
            !ini_entry_of(section, option->name))
            print_value(printer, option->name, option->default_value, "default");
    }
}

/* The keys of a section as written, then what the table adds. */
static void print_table(struct printer *printer, const struct ini_section *section,
                        struct option_table table)
{
    for (size_t i = 0; section && i < section->n; i++) {
        const struct ini_entry *entry = &section->entries[i];
        bool is_pattern = entry->setting && entry->setting->is_pattern;
        /* Else a pattern of the command line has put it into a section that does not know it. */
        if (!is_pattern || text_equal(entry->key, "plugin") || option_find(table, entry->key, NULL))
            print_entry(printer, entry, "");
    }
    print_defaults(printer, section, table);
}

static void print_plugin_sections(struct printer *printer)
{
    const struct settings *settings = printer->settings;
    for (size_t i = 0; i < settings->n_plugin_sections; i++) {
        const struct plugin_section *section = &settings->plugin_sections[i];
        struct option_table none = {0};
        print_section(printer, section->section->kind, section->name);
        if (!ini_entry_of(section->section, "plugin"))
            print_value(printer, "plugin", section->name, "default");
        print_table(printer, section->section,
                    section->settings ? option_table_of(&section->settings->info->plugin) : none);
        if (section->kind == GB_PLUGIN_SEARCH)
            print_defaults(printer, section->section, search_options());
    }
}

/* Policies or searches that were named by their plugin's id. */
static void print_plain(struct printer *printer, uint32_t kind)
{
    const struct plugin_settings_list *list = &printer->settings->lists[kind];
    for (size_t i = 0; i < list->n; i++) {
        const struct plugin_settings *plain = &list->items[i];
        if (plugin_section_of(printer->settings, kind, plain->name))
            continue;
        print_section(printer, plugin_kind_words(kind), plain->name);
        print_value(printer, "plugin", plain->name, "default");
        print_table(printer, NULL, option_table_of(&plain->info->plugin));
        if (kind == GB_PLUGIN_SEARCH)
            print_defaults(printer, NULL, search_options());
    }
}

static const char *source_words(const struct key *key)
{
    static const char *const words[] = {[SOURCE_OWN] = "",
                                        [SOURCE_LIKE] = "",
                                        [SOURCE_DEFAULTS] = "[defaults], ",
                                        [SOURCE_RUN] = "[gbrun], "};
    return words[key->source];
}

static void print_bench(struct printer *printer, const struct bench_section *bench)
{
    bool has_plugin = false;
    print_section(printer, "bench", bench->name);
    for (size_t i = 0; i < bench->keys.n; i++)
        has_plugin = has_plugin || bench->keys.items[i].role == KEY_PLUGIN;
    if (!has_plugin && bench->request.id)
        print_value(printer, "plugin", bench->request.id, "default");
    for (size_t i = 0; i < bench->keys.n; i++) {
        const struct key *key = &bench->keys.items[i];
        print_entry(printer, key->entry, source_words(key));
    }
    for (size_t i = 0; i < bench->n_slots; i++) {
        const struct slot *slot = &bench->slots[i];
        const char *text = slot->option ? slot->option->default_value : NULL;
        if (slot->kind == SLOT_DEVICE || slot->kind == SLOT_POLICY)
            text = slot->value.text;
        if (text && !slot->map_key && !slot->key && !slot->is_axis && !slot->is_computed)
            print_value(printer, slot->name, text, "default");
    }
}

static void print_ab_sections(struct printer *printer)
{
    const struct settings *settings = printer->settings;
    for (size_t i = 0; i < settings->n_ab_sections; i++) {
        print_section(printer, "ab", settings->ab_sections[i]->name);
        print_table(printer, settings->ab_sections[i], ab_options());
    }
}

static void print_all(struct printer *printer)
{
    const struct settings *settings = printer->settings;
    print_section(printer, "gbrun", "");
    print_table(printer, settings->run_section, run_options());
    print_plugin_sections(printer);
    print_plain(printer, GB_PLUGIN_POLICY);
    print_plain(printer, GB_PLUGIN_SEARCH);
    print_ab_sections(printer);
    for (size_t i = 0; i < settings->n_benches; i++)
        print_bench(printer, &settings->benches[i]);
}

void settings_print(const struct settings *settings, struct text *out)
{
    print_all(&(struct printer){settings, out, .is_plan = false});
}

void settings_encode_plan(const struct settings *settings, struct text *out)
{
    print_all(&(struct printer){settings, out, .is_plan = true});
}
