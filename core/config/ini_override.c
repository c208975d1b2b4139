/* ini_override.c - sections and entries by their names, and settings of the command line over those
 * of the file: see ini.h. */
#include "core/base/text.h"
#include "core/config/settings_internal.h"

#include <fnmatch.h>
#include <string.h>

/* Sections that a setting may name although the file does not have them. */
static const char *const always_there[] = {"gbrun", "defaults"};
enum { N_ALWAYS_THERE = sizeof always_there / sizeof always_there[0] };

struct ini_section *ini_section_of(const struct ini *ini, const char *kind, const char *name)
{
    for (size_t i = 0; i < ini->n; i++)
        if (text_equal(ini->sections[i].kind, kind) && text_equal(ini->sections[i].name, name))
            return &ini->sections[i];
    return NULL;
}

struct ini_entry *ini_entry_of(const struct ini_section *section, const char *key)
{
    return section ? ITEM_NAMED(section->entries, section->n, key, key) : NULL;
}

struct ini_section *ini_insert(struct ini *ini, const struct ini_section *section, size_t at,
                               struct arena *arena)
{
    struct ini_section *sections = ARENA_ARRAY(arena, struct ini_section, ini->n + 1);
    sections[at] = *section;
    for (size_t i = 0; i < ini->n; i++)
        sections[i + (i >= at)] = ini->sections[i];
    ini->sections = sections;
    ini->n++;
    return &sections[at];
}

static struct ini_section *add_section(struct ini *ini, const char *kind, const char *name,
                                       struct origin origin, struct arena *arena)
{
    const struct ini_section section = {
        .kind = arena_text(arena, kind), .name = arena_text(arena, name), .origin = origin};
    return ini_insert(ini, &section, ini->n, arena);
}

/* The section that n bytes mean: "gbrun", "defaults", a NAME of [bench NAME], or "KIND NAME". */
static struct ini_section *resolve(struct ini *ini, const char *text, size_t n,
                                   struct origin origin, struct arena *arena)
{
    text_trim(&text, &n);
    char *kind = arena_text_n(arena, text, n);
    char *name = kind + strcspn(kind, " \t");
    struct ini_section *section = ini_section_of(ini, kind, "");
    if (!section && text_is_among(always_there, N_ALWAYS_THERE, kind))
        section = add_section(ini, kind, "", origin, arena);
    if (!section)
        section = ini_section_of(ini, "bench", kind);
    if (section || !*name)
        return section;
    *name++ = 0;
    name += strspn(name, " \t");
    return ini_section_of(ini, kind, name);
}

const char *ini_option_of(const char *key)
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
        bool is_same = text_equal(ini_option_of(section->entries[i].key),
                                  ini_option_of(entry->key));
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

void ini_put_text(struct ini_section *section, const char *key, const char *value,
                  struct origin origin, struct arena *arena)
{
    ini_put(section,
            &(struct ini_entry){.key = key,
                                .value = value,
                                .origin = origin,
                                .value_origin = origin,
                                .is_override = true},
            arena);
}

/* Of the sections that are always there, then those of the file. */
static const char *nearest_section(const struct ini *ini, const char *word, struct arena *arena)
{
    struct words names = {ARENA_ARRAY(arena, const char *, ini->n + N_ALWAYS_THERE), 0};
    for (size_t i = 0; i < N_ALWAYS_THERE; i++)
        names.items[names.n++] = always_there[i];
    for (size_t i = 0; i < ini->n; i++) {
        const char *kind = ini->sections[i].kind, *name = ini->sections[i].name;
        names.items[names.n++] = !*name ? kind
                                 : text_equal(kind, "bench")
                                     ? name
                                     : arena_printf(arena, "%s %s", kind, name);
    }
    return text_nearest(WORDS_OF(names.items, names.n), word);
}

static void unknown_section(const struct ini *ini, const char *text, size_t equals,
                            struct origin origin, struct arena *arena, struct error_list *errors)
{
    const char *dot = memchr(text, '.', equals);
    const char *section = arena_text_n(arena, text, dot ? (size_t)(dot - text) : equals);
    if (strpbrk(section, "*?[")) {
        error_list_add(errors, origin, "'%s': no section matches '%s'", text, section);
        return;
    }
    const char *near = nearest_section(ini, section, arena);
    error_list_add(errors, origin,
                   near ? "'%s': unknown section '%s'; \1did you mean '%s'?"
                        : "'%s': unknown section '%s': \1expected gbrun, defaults, the NAME of a "
                          "[bench NAME] or 'KIND NAME'",
                   text, section, near);
}

/* ---- sections that the file does not have ---- */

/* A section for each of a kind, such as policies, that [defaults] or a benchmark names by the key
 * of that word, without one, and that is like the pattern. Does [defaults] name any? */
static bool add_named(struct ini *ini, const char *kind, const char *pattern, struct origin origin,
                      struct arena *arena)
{
    bool has_default = false;
    for (size_t i = 0; i < ini->n; i++) {
        bool is_defaults = text_equal(ini->sections[i].kind, "defaults");
        if (!is_defaults && !text_equal(ini->sections[i].kind, "bench"))
            continue;
        for (size_t j = 0; j < ini->sections[i].n; j++) {
            const struct ini_entry *entry = &ini->sections[i].entries[j];
            struct text_list names = {0};
            if (!text_equal(ini_option_of(entry->key), kind) ||
                text_split(entry->value, ',', entry->value_origin, arena, &names, NULL) != GB_OK)
                continue;
            has_default |= is_defaults;
            for (size_t k = 0; k < names.n; k++)
                if (fnmatch(pattern, names.items[k], 0) == 0 &&
                    !ini_section_of(ini, kind, names.items[k]))
                    add_section(ini, kind, names.items[k], origin, arena);
        }
    }
    return has_default;
}

/* ---- patterns ---- */

static void put_setting(struct ini_section *section, const struct ini_entry *entry,
                        struct arena *arena)
{
    struct ini_setting *setting = entry->setting;
    if (!*entry->key) /* an error of the caller's */
        return;
    if (!setting->key) {
        setting->kind = section->kind;
        setting->name = section->name;
        setting->key = entry->key;
    }
    ini_put(section, entry, arena);
}

/* Of words such as "gemm*" and "policy *"; false: no section matches, or they are no pattern. */
static bool put_matching(struct ini *ini, const char *words, const struct ini_entry *entry,
                         struct arena *arena)
{
    const char *blank = strpbrk(words, " \t");
    const char *kind = blank ? arena_text_n(arena, words, (size_t)(blank - words)) : "bench";
    const char *pattern = blank ? blank + strspn(blank, " \t") : words;
    bool is_put = false;
    if (!strpbrk(pattern, "*?["))
        return false;
    /* Of policies also the default one, where [defaults] names none. */
    if (text_equal(kind, "policy") && !add_named(ini, "policy", "*", entry->origin, arena) &&
        !ini_section_of(ini, "policy", DEFAULT_POLICY))
        add_section(ini, "policy", DEFAULT_POLICY, entry->origin, arena);
    entry->setting->is_pattern = true;
    for (size_t i = 0; i < ini->n; i++) {
        struct ini_section *section = &ini->sections[i];
        if (!*section->name || !text_equal(section->kind, kind) ||
            fnmatch(pattern, section->name, 0) != 0)
            continue;
        put_setting(section, entry, arena);
        is_put = true;
    }
    return is_put;
}

/* ---- settings ---- */

static struct ini_setting *add_setting(struct ini *ini, const char *text, struct origin origin,
                                       struct arena *arena)
{
    struct ini_setting *setting = ARENA_NEW(arena, struct ini_setting);
    *setting = (struct ini_setting){.text = arena_text(arena, text), .origin = origin};
    ARENA_APPEND(arena, ini->settings, ini->n_settings, setting);
    return setting;
}

/* Puts it where n bytes say; false: they mean no section. */
static bool put(struct ini *ini, const char *words, size_t n, const struct ini_entry *entry,
                struct arena *arena)
{
    text_trim(&words, &n);
    const char *text = arena_text_n(arena, words, n), *pattern = text + strcspn(text, " \t");
    /* "search race" or "search *": of searches that are named by their id, with `search = race` or
     * --search. */
    if (text_starts_with(text, "search") && pattern == text + strlen("search"))
        add_named(ini, "search", pattern + strspn(pattern, " \t"), entry->origin, arena);
    struct ini_section *section = resolve(ini, words, n, entry->origin, arena);
    if (section)
        put_setting(section, entry, arena);
    return section || put_matching(ini, text, entry, arena);
}

static struct ini_entry make_entry(const char *key, size_t n_key, const char *value,
                                   struct ini_setting *setting, struct arena *arena)
{
    size_t n_value = strlen(value);
    text_trim(&key, &n_key);
    text_trim(&value, &n_value);
    return (struct ini_entry){.key = arena_text_n(arena, key, n_key),
                              .value = arena_text_n(arena, value, n_value),
                              .origin = setting->origin,
                              .value_origin = setting->origin,
                              .is_override = true,
                              .setting = setting};
}

static void apply(struct ini *ini, const char *text, struct origin origin, struct arena *arena,
                  struct error_list *errors)
{
    static const char form[] = "\1expected SECTION.KEY=VALUE";
    const char *equals = strchr(text, '=');
    const char *dot = equals ? memchr(text, '.', (size_t)(equals - text)) : NULL;
    if (!dot) {
        error_list_add(errors, origin, "'%s' is not an override: %s%s%s%s", text, form,
                       equals ? "; in every benchmark: '*." : "", equals ? text : "",
                       equals ? "'" : "");
        return;
    }
    struct ini_setting *setting = add_setting(ini, text, origin, arena);
    for (; dot; dot = memchr(dot + 1, '.', (size_t)(equals - dot - 1))) {
        struct ini_entry entry = make_entry(dot + 1, (size_t)(equals - dot - 1), equals + 1,
                                            setting, arena);
        if (!put(ini, text, (size_t)(dot - text), &entry, arena))
            continue;
        if (!*entry.key)
            error_list_add(errors, origin, "'%s': the key is empty: %s", text, form);
        return;
    }
    unknown_section(ini, text, (size_t)(equals - text), origin, arena, errors);
}

int32_t ini_override(struct ini *ini, const char *const *overrides, size_t n, struct arena *arena,
                     struct error_list *errors)
{
    size_t before = error_list_count(errors);
    for (size_t i = 0; i < n; i++) {
        struct origin origin = {"-s", (uint32_t)i + 1, 0};
        if (ini_check_bytes(overrides[i], strlen(overrides[i]), origin, errors))
            apply(ini, overrides[i], origin, arena, errors);
    }
    return error_list_count(errors) == before ? GB_OK : GB_INVALID;
}

int32_t ini_set(struct ini *ini, const char *section, const char *key, const char *value,
                const char *option, struct arena *arena, struct error_list *errors)
{
    struct origin origin = {option, 0, 0};
    if (!ini_check_bytes(value, strlen(value), origin, errors))
        return GB_INVALID;
    const char *text = arena_printf(arena, "%s.%s=%s", section, key, value);
    struct ini_entry entry = make_entry(key, strlen(key), value,
                                        add_setting(ini, text, origin, arena), arena);
    put(ini, section, strlen(section), &entry, arena);
    return GB_OK;
}

void ini_merge(struct ini *ini, const struct ini *later, struct arena *arena)
{
    for (size_t i = 0; i < later->n; i++) {
        const struct ini_section *from = &later->sections[i];
        struct ini_section *to = ini_section_of(ini, from->kind, from->name);
        if (!to)
            to = add_section(ini, from->kind, from->name, from->origin, arena);
        for (size_t j = 0; j < from->n; j++)
            ini_put(to, &from->entries[j], arena);
    }
}
