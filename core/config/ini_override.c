/* ini_override.c - settings of the command line over those of the file: see ini.h. */
#include "core/base/text.h"
#include "core/config/ini.h"
#include "core/config/value.h"

#include <string.h>

/* Sections that a file need not have to be spoken of. */
static const char *const always_there[] = {"gbrun", "defaults"};
enum { N_ALWAYS_THERE = sizeof always_there / sizeof always_there[0] };

static bool is_always_there(const char *words)
{
    for (size_t i = 0; i < N_ALWAYS_THERE; i++)
        if (text_equal(always_there[i], words))
            return true;
    return false;
}

static struct ini_section *find_section(const struct ini *ini, const char *kind, const char *name)
{
    for (size_t i = 0; i < ini->n; i++)
        if (text_equal(ini->sections[i].kind, kind) && text_equal(ini->sections[i].name, name))
            return &ini->sections[i];
    return NULL;
}

static struct ini_section *add_section(struct ini *ini, const char *kind, struct origin origin,
                                       struct arena *arena)
{
    struct ini_section *sections = ARENA_ARRAY(arena, struct ini_section, ini->n + 1);
    if (ini->n)
        memcpy(sections, ini->sections, ini->n * sizeof *sections);
    sections[ini->n] = (struct ini_section){
        .kind = arena_text(arena, kind), .name = "", .origin = origin};
    ini->sections = sections;
    return &sections[ini->n++];
}

/* The section that n bytes mean: "gbrun", "defaults", a NAME of [bench NAME], or "KIND NAME". */
static struct ini_section *resolve(struct ini *ini, const char *text, size_t n,
                                   struct origin origin, struct arena *arena)
{
    text_trim(&text, &n);
    char *kind = arena_text_n(arena, text, n);
    char *name = kind + strcspn(kind, " \t");
    struct ini_section *section = find_section(ini, kind, "");
    if (!section && is_always_there(kind))
        section = add_section(ini, kind, origin, arena);
    if (!section)
        section = find_section(ini, "bench", kind);
    if (section || !*name)
        return section;
    *name++ = 0;
    name += strspn(name, " \t");
    return find_section(ini, kind, name);
}

/* What an option is called without the words that make an axis of it. */
static const char *option_of(const char *key)
{
    static const char axis[] = "sweep.";
    return text_starts_with(key, axis) ? key + sizeof axis - 1 : key;
}

void ini_put(struct ini_section *section, const struct ini_entry *entry, struct arena *arena)
{
    struct ini_entry *entries = ARENA_ARRAY(arena, struct ini_entry, section->n + 1);
    size_t n = 0;
    bool is_put = false;
    for (size_t i = 0; i < section->n; i++) {
        bool is_same = text_equal(option_of(section->entries[i].key), option_of(entry->key));
        if (!is_same)
            entries[n++] = section->entries[i];
        else if (!is_put)
            entries[n++] = *entry;
        is_put |= is_same;
    }
    if (!is_put)
        entries[n++] = *entry;
    section->entries = entries;
    section->n = n;
}

/* Names that a user may have meant: those always there, then those of the file's sections. */
struct section_names {
    const struct ini *ini;
    struct arena *arena;
};

static const char *section_name(const void *table, size_t i)
{
    const struct section_names *names = table;
    if (i < N_ALWAYS_THERE)
        return always_there[i];
    const struct ini_section *section = &names->ini->sections[i - N_ALWAYS_THERE];
    if (text_equal(section->kind, "bench") || !*section->name)
        return *section->name ? section->name : section->kind;
    return arena_printf(names->arena, "%s %s", section->kind, section->name);
}

static void unknown_section(const struct ini *ini, const char *text, size_t equals,
                            struct origin origin, struct arena *arena, struct error_list *errors)
{
    struct section_names names = {ini, arena};
    const char *dot = memchr(text, '.', equals);
    const char *section = arena_text_n(arena, text, dot ? (size_t)(dot - text) : equals);
    const char *near = text_nearest(section, ini->n + N_ALWAYS_THERE, section_name, &names);
    error_list_add(errors, origin,
                   near ? "'%s': unknown section '%s'; did you mean '%s'?"
                        : "'%s': unknown section '%s': expected gbrun, defaults, the NAME of a "
                          "[bench NAME] or 'KIND NAME'",
                   text, section, near);
}

static void apply(struct ini *ini, const char *text, struct origin origin, struct arena *arena,
                  struct error_list *errors)
{
    static const char form[] = "expected SECTION.KEY=VALUE";
    const char *equals = strchr(text, '=');
    const char *dot = equals ? memchr(text, '.', (size_t)(equals - text)) : NULL;
    if (!dot) {
        error_list_add(errors, origin, "'%s' is not an override: %s", text, form);
        return;
    }
    struct ini_section *section = NULL;
    for (; dot; dot = memchr(dot + 1, '.', (size_t)(equals - dot - 1))) {
        section = resolve(ini, text, (size_t)(dot - text), origin, arena);
        if (section)
            break;
    }
    if (!section) {
        unknown_section(ini, text, (size_t)(equals - text), origin, arena, errors);
        return;
    }
    const char *key = dot + 1, *value = equals + 1;
    size_t n_key = (size_t)(equals - key), n_value = strlen(value);
    text_trim(&key, &n_key);
    text_trim(&value, &n_value);
    if (n_key == 0) {
        error_list_add(errors, origin, "'%s': the key is empty: %s", text, form);
        return;
    }
    struct ini_entry entry = {.key = arena_text_n(arena, key, n_key),
                              .value = arena_text_n(arena, value, n_value),
                              .origin = origin,
                              .value_origin = origin,
                              .is_override = true};
    ini_put(section, &entry, arena);
}

int32_t ini_override(struct ini *ini, const char *const *overrides, size_t n, struct arena *arena,
                     struct error_list *errors)
{
    size_t before = errors->n + errors->n_left_out;
    for (size_t i = 0; i < n; i++) {
        struct origin origin = {"-s", (uint32_t)i + 1, 0};
        if (ini_check_bytes(overrides[i], strlen(overrides[i]), origin, errors))
            apply(ini, overrides[i], origin, arena, errors);
    }
    return errors->n + errors->n_left_out == before ? GB_OK : GB_INVALID;
}
