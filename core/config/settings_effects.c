/* settings_effects.c - whether settings of the command line change anything. */
#include "core/config/settings_internal.h"

#include "core/base/text.h"

#include <string.h>

/* ---- patterns ---- */

void settings_refuse_pattern(const struct ini_entry *entry, const char *kind, const char *name,
                             const struct plugin_info *info, const char *nearest)
{
    struct gb_error *refusal = &entry->setting->refusal;
    if (refusal->status != GB_OK)
        return;
    if (nearest)
        error_set_at(refusal, GB_INVALID, entry->origin,
                     "'%s' has no effect: unknown key '%s' in [%s %s]; did you mean '%s'?",
                     entry->setting->text, entry->key, kind, name, nearest);
    else
        error_set_at(refusal, GB_INVALID, entry->origin,
                     "'%s' has no effect: unknown key '%s' in [%s %s]: see 'gbrun help %s' for its "
                     "options",
                     entry->setting->text, entry->key, kind, name, info->plugin.id);
}

/* Whatever can have a value in a section without being a variable of another key. */
static bool is_known(const struct bench_resolver *at, const char *target)
{
    return option_find(at->table, target, NULL) || option_find(common_options(), target, NULL) ||
           text_equal(target, "device") || text_equal(target, "policy") ||
           text_starts_with(target, "env.") || settings_is_tolerance(target) ||
           settings_is_paper(target);
}

/* A variable of a formula or an axis of the section. */
static bool is_other_target(const struct key_list *keys, const char *target)
{
    for (size_t i = 0; i < keys->n; i++)
        for (size_t j = 0; j < key_targets(&keys->items[i]); j++) {
            const struct ini_setting *setting = keys->items[i].entry->setting;
            if (!(setting && setting->is_pattern) &&
                text_equal(key_target(&keys->items[i], j), target))
                return true;
        }
    return false;
}

void bench_drop_unknown_patterns(const struct bench_resolver *at)
{
    struct bench_section *bench = at->bench;
    size_t n = 0;
    if (!bench->info)
        return;
    for (size_t i = 0; i < bench->keys.n; i++) {
        const struct key *key = &bench->keys.items[i];
        const struct ini_setting *setting = key->entry->setting;
        bool is_kept = !(setting && setting->is_pattern) || key_targets(key) != 1 ||
                       is_known(at, key->target) || is_other_target(&bench->keys, key->target);
        if (is_kept)
            bench->keys.items[n++] = *key;
        else
            settings_refuse_pattern(key->entry, "bench", bench->name, bench->info,
                                    option_nearest(at->table, key->target));
    }
    bench->keys.n = n;
}

/* ---- what has an effect ---- */

static void note_entry(const struct ini_entry *entry)
{
    if (entry->setting)
        entry->setting->has_effect = true;
}

static bool uses_auto(const struct settings *settings)
{
    for (size_t i = 0; i < settings->n_benches; i++) {
        const struct bench_section *bench = &settings->benches[i];
        for (size_t j = 0; j < bench->n_slots; j++)
            if (bench->slots[j].kind == SLOT_DEVICE &&
                (bench->slots[j].is_axis || !bench->slots[j].device.settings))
                return true;
    }
    return false;
}

static void note_plugin_section(const struct plugin_section *section)
{
    const struct ini_section *ini = section->section;
    for (size_t i = 0; i < ini->n; i++)
        if (text_equal(ini->entries[i].key, "plugin") ||
            (section->settings && option_find(option_table_of(&section->settings->info->plugin),
                                              ini->entries[i].key, NULL)) ||
            (section->kind == GB_PLUGIN_SEARCH &&
             option_find(search_options(), ini->entries[i].key, NULL)))
            note_entry(&ini->entries[i]);
}

static void note_effects(const struct settings *settings)
{
    bool is_auto = uses_auto(settings);
    for (size_t i = 0; settings->run_section && i < settings->run_section->n; i++)
        if (!text_equal(settings->run_section->entries[i].key, "rounds"))
            note_entry(&settings->run_section->entries[i]);
    for (size_t i = 0; i < settings->n_ab_sections; i++)
        for (size_t j = 0; j < settings->ab_sections[i]->n; j++)
            note_entry(&settings->ab_sections[i]->entries[j]);
    for (size_t i = 0; i < settings->n_plugin_sections; i++) {
        const struct plugin_section *section = &settings->plugin_sections[i];
        bool is_candidate = section->kind == GB_PLUGIN_DEVICE && is_auto;
        if (section->is_named || is_candidate)
            note_plugin_section(section);
    }
    for (size_t i = 0; i < settings->n_benches; i++)
        for (size_t j = 0; !settings->benches[i].is_left_out && j < settings->benches[i].keys.n;
             j++)
            note_entry(settings->benches[i].keys.items[j].entry);
}

/* ---- why one has none ---- */

/* The first benchmark's key that stands in the way of one for all. */
static const struct ini_entry *own_key(const struct settings *settings, const char *target,
                                       const char **ret_bench)
{
    for (size_t i = 0; i < settings->n_benches; i++) {
        const struct bench_section *bench = &settings->benches[i];
        *ret_bench = bench->name;
        for (size_t j = 0; !bench->is_left_out && j < bench->keys.n; j++)
            for (size_t k = 0; k < key_targets(&bench->keys.items[j]); k++)
                if (text_equal(key_target(&bench->keys.items[j], k), target))
                    return bench->keys.items[j].entry;
    }
    return NULL;
}

static void report_default(const struct resolver *resolver, const struct ini_setting *setting)
{
    const char *bench = "";
    const struct ini_entry *own = own_key(resolver->settings, setting->key, &bench);
    error_list_add(resolver->errors, setting->origin,
                   "'%s' has no effect: every benchmark that is run has its own %s, such as [bench "
                   "%s] by '%s'; -s '*.%s=...' sets that of all",
                   setting->text, setting->key, bench, own ? own->key : setting->key, setting->key);
}

/* A later one of the same key, or of all sections. */
static const struct ini_setting *successor(const struct settings *settings, size_t i)
{
    const struct ini_setting *setting = settings->given[i];
    for (size_t j = i + 1; j < settings->n_given; j++) {
        const struct ini_setting *later = settings->given[j];
        bool is_there = later->key && text_equal(later->kind, setting->kind) &&
                        (later->is_pattern || text_equal(later->name, setting->name));
        if (is_there && text_equal(ini_option_of(later->key), ini_option_of(setting->key)))
            return later;
    }
    return NULL;
}

static bool is_left_out(const struct settings *settings, const char *name)
{
    for (size_t i = 0; i < settings->n_benches; i++)
        if (text_equal(settings->benches[i].name, name))
            return settings->benches[i].is_left_out;
    return false;
}

static void report_ineffective(const struct resolver *resolver, size_t i)
{
    const struct ini_setting *setting = resolver->settings->given[i];
    const struct ini_setting *later = successor(resolver->settings, i);
    if (later)
        error_list_add(resolver->errors, setting->origin,
                       "'%s' has no effect: '%s' takes its place", setting->text, later->text);
    else if (text_equal(setting->kind, "bench") && !is_left_out(resolver->settings, setting->name))
        error_list_add(resolver->errors, setting->origin,
                       "'%s' has no effect: another setting of [bench %s] takes its place",
                       setting->text, setting->name);
    else if (text_equal(setting->kind, "bench"))
        error_list_add(resolver->errors, setting->origin,
                       "'%s' has no effect: [bench %s] is not among the benchmarks that are run",
                       setting->text, setting->name);
    else if (*setting->name)
        error_list_add(resolver->errors, setting->origin,
                       "'%s' has no effect: no benchmark that is run uses [%s %s]", setting->text,
                       setting->kind, setting->name);
    else
        report_default(resolver, setting);
}

void settings_check_effects(const struct resolver *resolver, bool is_sound)
{
    const struct settings *settings = resolver->settings;
    note_effects(settings);
    for (size_t i = 0; i < settings->n_given; i++) {
        const struct ini_setting *setting = settings->given[i];
        if (setting->has_effect || !setting->key)
            continue;
        if (setting->refusal.status != GB_OK)
            error_list_take(resolver->errors, &setting->refusal);
        else if (is_sound)
            report_ineffective(resolver, i);
    }
}
