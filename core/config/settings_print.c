/* settings_print.c - the settings used, as an INI file. */
#include "core/config/settings_internal.h"

#include "core/base/text.h"
#include "core/config/sides.h"

#include <string.h>

enum { LINE_BYTES = 180 };

/* ---- one value ---- */

/* What the reader of INI files makes of a value: would it cut it at a comment; does a quote stay
 * open? */
struct reading {
    bool has_comment;
    bool is_open;
};

static struct reading read_back(const char *text)
{
    struct reading reading = {0};
    for (size_t i = 0; text[i]; i++) {
        bool begins_word = i == 0 || text[i - 1] == ' ' || text[i - 1] == '\t';
        if (text[i] == '"')
            reading.is_open = !reading.is_open;
        else if (reading.is_open && text[i] == '\\' && (text[i + 1] == '"' || text[i + 1] == '\\'))
            i++;
        else if (!reading.is_open && begins_word && (text[i] == ';' || text[i] == '#'))
            reading.has_comment = true;
    }
    return reading;
}

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

static void print_value(const char *key, const char *value, const char *comment, struct text *out)
{
    bool is_short = strlen(key) + strlen(" = ") + strlen(value) <= LINE_BYTES;
    if (is_short && !read_back(value).is_open) {
        text_printf(out, "%s =%s%s  ; %s\n", key, *value ? " " : "", value, comment);
        return;
    }
    text_printf(out, "; %s\n", comment);
    print_long_value(key, value, out);
}

/* A path in a comment must not end it. */
static void add_file(struct text *comment, const char *file)
{
    for (; *file; file++)
        text_add_n(comment, *file < ' ' || *file > '~' ? "?" : file, 1);
}

static void print_entry(const char *key, const struct ini_entry *entry, const char *source,
                        const struct settings *settings, struct text *out)
{
    CLEANUP(text_free) struct text comment = {0};
    bool must_quote = read_back(entry->value).has_comment;
    text_add(&comment, source);
    if (entry->origin.file)
        add_file(&comment, entry->origin.file);
    if (entry->origin.line && !entry->is_override)
        text_printf(&comment, ":%u", entry->origin.line);
    print_value(key, must_quote ? text_quote(entry->value, 0, settings->arena) : entry->value,
                text_get(&comment), out);
}

static void print_default(const char *key, const char *value, const struct settings *settings,
                          struct text *out)
{
    if (read_back(value).has_comment)
        value = text_quote(value, 0, settings->arena);
    print_value(key, value, "default", out);
}

/* ---- sections ---- */

static const struct ini_entry *find_entry(const struct ini_section *section, const char *key)
{
    for (size_t i = 0; section && i < section->n; i++)
        if (text_equal(section->entries[i].key, key))
            return &section->entries[i];
    return NULL;
}

/* Has a pattern of the command line put it into a section that does not know it? */
static bool is_refused(const struct ini_entry *entry, struct option_table table)
{
    return entry->setting && entry->setting->is_pattern && !text_equal(entry->key, "plugin") &&
           !option_find(table, entry->key, NULL);
}

/* What the table adds to the keys of a section. */
static void print_defaults(const struct settings *settings, const struct ini_section *section,
                           struct option_table table, struct text *out)
{
    for (uint32_t i = 0; i < table.n; i++) {
        const struct gb_option *option = option_at(table, i);
        if (option->type != GB_TYPE_MAP && option->default_value &&
            !find_entry(section, option->name))
            print_default(option->name, option->default_value, settings, out);
    }
}

/* The keys of a section as written, then what the table adds. */
static void print_table(const struct settings *settings, const struct ini_section *section,
                        struct option_table table, struct text *out)
{
    for (size_t i = 0; section && i < section->n; i++)
        if (!is_refused(&section->entries[i], table))
            print_entry(section->entries[i].key, &section->entries[i], "", settings, out);
    print_defaults(settings, section, table, out);
}

static void print_plugin_sections(const struct settings *settings, struct text *out)
{
    for (size_t i = 0; i < settings->n_plugin_sections; i++) {
        const struct plugin_section *section = &settings->plugin_sections[i];
        struct option_table none = {0};
        text_printf(out, "\n[%s %s]\n", section->section->kind, section->name);
        if (!find_entry(section->section, "plugin"))
            print_default("plugin", section->name, settings, out);
        print_table(settings, section->section,
                    section->settings ? option_table_of(&section->settings->info->plugin) : none,
                    out);
        if (section->kind == GB_PLUGIN_SEARCH)
            print_defaults(settings, section->section, search_options(), out);
    }
}

static bool is_section(const struct settings *settings, const struct plugin_settings *policy)
{
    for (size_t i = 0; i < settings->n_plugin_sections; i++)
        if (settings->plugin_sections[i].settings == policy)
            return true;
    return false;
}

/* Policies or searches that were named by their plugin's id. */
static void print_plain(const struct settings *settings, const struct plugin_settings_list *list,
                        const char *kind, struct text *out)
{
    for (size_t i = 0; i < list->n; i++) {
        const struct plugin_settings *plain = &list->items[i];
        if (is_section(settings, plain))
            continue;
        text_printf(out, "\n[%s %s]\n", kind, plain->name);
        print_default("plugin", plain->name, settings, out);
        print_table(settings, NULL, option_table_of(&plain->info->plugin), out);
        if (list == &settings->searches)
            print_defaults(settings, NULL, search_options(), out);
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

static void print_bench(const struct settings *settings, const struct bench_section *bench,
                        struct text *out)
{
    bool has_plugin = false;
    text_printf(out, "\n[bench %s]\n", bench->name);
    for (size_t i = 0; i < bench->keys.n; i++)
        has_plugin = has_plugin || bench->keys.items[i].role == KEY_PLUGIN;
    if (!has_plugin && bench->request.id)
        print_default("plugin", bench->request.id, settings, out);
    for (size_t i = 0; i < bench->keys.n; i++) {
        const struct key *key = &bench->keys.items[i];
        print_entry(key->entry->key, key->entry, source_words(key), settings, out);
    }
    for (size_t i = 0; i < bench->n_slots; i++) {
        const struct slot *slot = &bench->slots[i];
        const char *text = slot->option ? slot->option->default_value : NULL;
        if (slot->kind == SLOT_DEVICE || slot->kind == SLOT_POLICY)
            text = slot->value.text;
        if (text && !slot->map_key && !slot->key && !slot->is_axis && !slot->is_computed)
            print_default(slot->name, text, settings, out);
    }
}

static void print_ab_sections(const struct settings *settings, struct text *out)
{
    for (size_t i = 0; i < settings->n_ab_sections; i++) {
        text_printf(out, "\n[ab %s]\n", settings->ab_sections[i]->name);
        print_table(settings, settings->ab_sections[i], ab_options(), out);
    }
}

void settings_print(const struct settings *settings, struct text *out)
{
    text_add(out, "[gbrun]\n");
    print_table(settings, settings->run_section, run_options(), out);
    print_plugin_sections(settings, out);
    print_plain(settings, &settings->policies, "policy", out);
    print_plain(settings, &settings->searches, "search", out);
    print_ab_sections(settings, out);
    for (size_t i = 0; i < settings->n_benches; i++)
        print_bench(settings, &settings->benches[i], out);
}

/* Keys of [gbrun] that do not change what a case is. */
static bool is_of_place(const char *line, size_t length)
{
    static const char *const keys[] = {"results", "roofs",      "shard",       "costs",
                                       "devices", "durability", "plugin_path", "jobs",
                                       "lock",    "lock_limit", "claim_limit", "label."};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const size_t n = strlen(keys[i]);
        if (length > n && strncmp(line, keys[i], n) == 0 &&
            (line[n] == ' ' || keys[i][n - 1] == '.'))
            return true;
    }
    return false;
}

void settings_print_plan(const struct settings *settings, struct text *out)
{
    CLEANUP(text_free) struct text whole = {0};
    settings_print(settings, &whole);
    bool is_run_section = false;
    for (const char *line = text_get(&whole), *end; *line; line = end + (*end != 0)) {
        end = line + strcspn(line, "\n");
        const char *comment = strstr(line, "  ; ");
        if (*line == '[')
            is_run_section = strncmp(line, "[gbrun]", 7) == 0;
        if (!is_run_section || !is_of_place(line, (size_t)(end - line))) {
            text_add_n(out, line, (size_t)((comment && comment < end ? comment : end) - line));
            text_add(out, "\n");
        }
    }
}
