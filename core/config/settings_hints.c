/* settings_hints.c - what a slip that everyone makes was meant to be. */
#include "core/config/settings_internal.h"

#include "core/base/text.h"

#include <ctype.h>
#include <string.h>

/* ---- values ---- */

/* "1,000,000" */
static bool has_grouped_digits(const char *text)
{
    enum { GROUP = 3 };
    size_t n = strspn(text, "0123456789");
    bool is_grouped = false;
    if (n == 0 || n > GROUP)
        return false;
    for (text += n; *text == ','; text += GROUP + 1) {
        if (strspn(text + 1, "0123456789") != GROUP)
            return false;
        is_grouped = true;
    }
    return is_grouped && !*text;
}

/* Every `from` becomes `to`, blanks around it left out. */
static char *replaced(const char *text, const char *from, const char *to, struct arena *arena)
{
    CLEANUP(text_free) struct text out = {0};
    const size_t n = strlen(from);
    for (const char *at = strstr(text, from); at; at = strstr(text, from)) {
        text_add_n(&out, text, (size_t)(at - text));
        text_add(&out, to);
        text = at + n;
    }
    text_add(&out, text);
    return arena_text(arena, text_get(&out));
}

static char *without_brackets(const char *text, struct arena *arena)
{
    size_t n = strlen(text);
    bool has_them = n > 2 && strchr("[{(", text[0]) && strchr("]})", text[n - 1]);
    return has_them ? arena_text_n(arena, text + 1, n - 2) : arena_text(arena, text);
}

const char *hint_of_values(const struct slot *slot, const char *text, struct arena *arena)
{
    static const char *const slips[][2] = {{"", ""},   {"...", ":"}, {"..", ":"}, {":*", ":x"},
                                           {"-", ":"}, {";", ","},   {" ", ", "}};
    const char *inner = without_brackets(text, arena);
    if (slot->kind == SLOT_DEVICE || slot->kind == SLOT_POLICY || slot->map_key ||
        has_grouped_digits(text))
        return NULL;
    for (size_t i = 0; i < sizeof slips / sizeof *slips; i++) {
        struct value_list values = {0};
        const char *meant = *slips[i][0] ? replaced(inner, slips[i][0], slips[i][1], arena) : inner;
        if (slot_read_list(slot, meant, (struct origin){0}, arena, &values, NULL) == GB_OK &&
            values.n > 1)
            return meant;
    }
    return NULL;
}

/* ---- names ---- */

const char *hint_of_owner(const struct catalogue *catalogue, const char *key, struct arena *arena)
{
    for (size_t i = 0; i < catalogue->n_plugins; i++) {
        const struct gb_plugin *plugin = &catalogue->plugins[i].plugin;
        const char *kind = plugin_kind_words(plugin->kind);
        if (!option_find(option_table_of(plugin), key, NULL))
            continue;
        if (plugin->kind == GB_PLUGIN_BENCH)
            return "it is an option of a benchmark: write it in [bench NAME]";
        return arena_printf(arena, "it is an option of %s '%s': write it in [%s %s]", kind,
                            plugin->id, kind, plugin->id);
    }
    return NULL;
}

const char *hint_of_name(uint32_t kind, const char *word)
{
    static const char *const devices[][2] = {
        {"gpu", "cuda"},  {"GPU", "cuda"}, {"nvidia", "cuda"}, {"NVIDIA", "cuda"},
        {"CUDA", "cuda"}, {"CPU", "cpu"},  {"host", "cpu"}};
    for (size_t i = 0; kind == GB_PLUGIN_DEVICE && i < sizeof devices / sizeof *devices; i++)
        if (text_equal(word, devices[i][0]))
            return devices[i][1];
    return NULL;
}

const char *hint_of_prefix(const char *key, struct arena *arena)
{
    static const char *const prefixes[] = {"sweep", "zip", "let", "env", "check", "paper"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        const size_t n = strlen(prefixes[i]);
        if (text_starts_with(key, prefixes[i]) && key[n] && strchr("_-:/", key[n]) && key[n + 1])
            return arena_printf(arena, "%s.%s", prefixes[i], key + n + 1);
    }
    return NULL;
}
