/* settings_resolve.c - the second step of settings.h: what sections mean, once the plugins are
 * known. */
#include "core/config/settings_internal.h"

#include "core/base/text.h"
#include "core/config/expression_tokens.h"

#include <string.h>
#include <strings.h>

/* ---- a benchmark ---- */

static void find_bench_plugin(struct bench_resolver *at)
{
    struct bench_section *bench = at->bench;
    const struct plugin_request *request = &bench->request;
    struct gb_error error;
    if (!request->id && !request->path)
        return;
    if (resolve_plugin(at->resolver, request, &bench->info, &error) == GB_OK) {
        at->table = option_table_of(&bench->info->plugin);
        return;
    }
    bool is_implicit = request->id == bench->title && !request->path &&
                       !catalogue_failure(at->resolver->catalogue, request->id);
    const char *nearest = plugin_nearest(at->resolver, GB_PLUGIN_BENCH, bench->title);
    if (is_implicit)
        bench_fail(at, error.origin,
                   "[bench %s] lacks 'plugin', and '%s' is not a benchmark plugin either%s%s%s",
                   bench->name, bench->title, DID_YOU_MEAN(nearest, ""));
    else
        bench_fail_with(at, &error);
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

/* Takes out what a pattern of the command line has put into the section and it does not know. */
static void drop_unknown_patterns(const struct bench_resolver *at)
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
            settings_refuse_pattern(at->resolver, key->entry, bench->section, bench->info,
                                    key->target);
    }
    bench->keys.n = n;
}

static void fill_common(const struct bench_resolver *at)
{
    struct bench_section *bench = at->bench;
    struct setting *settings = ARENA_ARRAY(at->arena, struct setting, bench->n_slots);
    struct gb_error error;
    size_t n = 0;
    if (bench->is_broken)
        return;
    for (size_t i = 0; i < bench->n_slots; i++) {
        const struct slot *slot = &bench->slots[i];
        if (slot->kind == SLOT_COMMON && slot->key)
            settings[n++] = (struct setting){slot->name, text_quote(slot->value.text, 0, at->arena),
                                             slot->key->entry->value_origin};
    }
    if (option_fill(common_options(), settings, n, &bench->common, sizeof bench->common, at->arena,
                    &error) != GB_OK)
        bench_fail_with(at, &error);
    const struct slot *least = bench_slot(bench, "min_samples");
    const struct slot *most = bench_slot(bench, "max_samples");
    bool is_fixed = !least->is_axis && !least->is_computed && !most->is_axis &&
                    !most->is_computed && bench->common.max_samples > 0;
    const struct key *key = most->key ? most->key : least->key;
    if (is_fixed && bench->common.min_samples > bench->common.max_samples)
        bench_fail(at, key ? key->entry->value_origin : bench->origin,
                   "min_samples = %lld is above max_samples = %lld",
                   (long long)bench->common.min_samples, (long long)bench->common.max_samples);
}

static bool is_of_samples(const struct key *key)
{
    static const char *const names[] = {"policy",     "min_samples",        "max_samples",
                                        "max_time",   "max_time_undecided", "pace_limit",
                                        "cool_below", "clock_at_least"};
    const size_t n = sizeof names / sizeof *names;
    for (size_t i = 0; i < key_targets(key); i++)
        if (text_index(WORDS_OF(names, n), key_target(key, i)) < n)
            return true;
    return false;
}

static bool is_own(const struct key *key)
{
    const struct ini_setting *setting = key->entry->setting;
    return key->source == SOURCE_OWN && !(setting && setting->is_pattern);
}

/* What is about times and samples has no use where instructions are counted. A section that says
 * both itself is refused; a key for all benchmarks may be for others. */
static void refuse_counting(const struct bench_resolver *at)
{
    const struct bench_section *bench = at->bench;
    const struct slot *clock = bench_slot(bench, "clock");
    if (bench->is_broken || !clock->key || clock->is_axis || clock->is_computed ||
        !text_equal(bench->common.clock, CLOCK_INSTRUCTIONS))
        return;
    const char *expected = counts_expected(&bench->common);
    if (expected)
        bench_fail(at, clock->key->entry->value_origin,
                   "clock = " CLOCK_INSTRUCTIONS ": expected %s", expected);
    for (size_t i = 0; is_own(clock->key) && i < bench->keys.n; i++) {
        const struct key *key = &bench->keys.items[i];
        if (is_own(key) && is_of_samples(key))
            bench_fail(at, key->entry->origin,
                       "'%s' has no use with clock = " CLOCK_INSTRUCTIONS
                       ": a fixed number of counts, and no samples, are taken",
                       key->entry->key);
    }
}

static void refuse_renewal_by(const struct bench_resolver *at, const struct slot *slot,
                              const struct value *value, struct origin origin)
{
    struct common_params asked = {0};
    struct gb_error error;
    CLEANUP(text_free) struct text why = {0};
    if (slot->kind != SLOT_COMMON || !value->text)
        return;
    if (text_equal(slot->name, "verify"))
        asked.verify = text_equal(value->text, verify_word(VERIFY_STRICT)) ? VERIFY_STRICT
                                                                           : VERIFY_END;
    else if (text_equal(slot->name, "inputs"))
        asked.inputs = (int64_t)value->number;
    if (!renewal_refused(&asked, at->bench->info->plugin.id, &why))
        return;
    error_set_at(&error, GB_INVALID, origin, "%s", text_get(&why));
    error_seek_hint(&error); /* workers say the same, as plain words */
    bench_fail_with(at, &error);
}

/* What a formula gives is refused when the case is measured. */
static void refuse_renewal(const struct bench_resolver *at)
{
    const struct bench_section *bench = at->bench;
    if (!bench->info || bench->info->flags & PLUGIN_RENEWS)
        return;
    for (size_t i = 0; i < bench->n_slots; i++)
        if (bench->slots[i].key)
            refuse_renewal_by(at, &bench->slots[i], &bench->slots[i].value,
                              bench->slots[i].key->entry->value_origin);
    for (size_t i = 0; i < bench->n_axes; i++)
        for (size_t j = 0; j < bench->axes[i].n_columns; j++) {
            const struct axis_column *column = &bench->axes[i].columns[j];
            for (size_t k = 0; column->values && k < bench->axes[i].n; k++)
                refuse_renewal_by(at, &bench->slots[column->slot], &column->values[k],
                                  column->origins ? column->origins[k] : bench->origin);
        }
}

/* `search = NAME`; an empty one takes back that of [defaults]. */
static void find_search(const struct bench_resolver *at)
{
    for (size_t i = 0; i < at->bench->keys.n; i++) {
        const struct key *key = &at->bench->keys.items[i];
        struct gb_error error;
        const char *name;
        if (key->role != KEY_SEARCH)
            continue;
        int32_t status = settings_entry_text(key->entry, at->arena, &name, &error);
        if (status == GB_OK && *name)
            status = resolve_search(at->resolver, name, key->entry->value_origin,
                                    &at->bench->search, &error);
        if (status != GB_OK)
            bench_fail_with(at, &error);
    }
}

static void resolve_bench(const struct resolver *resolver, struct bench_section *bench)
{
    struct bench_resolver at = {resolver, bench, resolver->arena, {0}, NULL};
    find_bench_plugin(&at);
    drop_unknown_patterns(&at);
    bench_make_slots(&at);
    bench_read_set_keys(&at);
    bench_make_axes(&at);
    bench_make_expressions(&at);
    bench_read_defaults(&at);
    fill_common(&at);
    refuse_counting(&at);
    refuse_renewal(&at);
    find_search(&at);
}

/* ---- [defaults] ---- */

static void refuse_default(const struct resolver *resolver, const struct key *key)
{
    const struct ini_entry *entry = key->entry;
    const char *nearest = option_nearest(common_options(), entry->key);
    const char *owner = bench_hint_of_owner(resolver->catalogue, entry->key, resolver->arena);
    if (key->role == KEY_SET && nearest && !owner)
        error_list_add(resolver->errors, entry->origin,
                       "unknown key '%s' in [defaults]; \1did you mean '%s'?", entry->key, nearest);
    else
        error_list_add(resolver->errors, entry->origin, "'%s' is not allowed in [defaults]: %s",
                       entry->key,
                       owner ? owner
                             : "\1expected a setting that all benchmarks have, check.METRIC or "
                               "env.NAME");
}

/* The keys of [defaults], also those that no benchmark uses. */
static void resolve_defaults(const struct resolver *resolver)
{
    struct bench_section defaults = {.name = "", .keys = resolver->settings->defaults};
    struct bench_resolver at = {resolver, &defaults, resolver->arena, {0}, NULL};
    bench_make_slots(&at);
    bench_read_set_keys(&at);
    for (size_t i = 0; i < resolver->settings->strange_defaults.n; i++)
        refuse_default(resolver, &resolver->settings->strange_defaults.items[i]);
}

/* ---- `where` of [gbrun] ---- */

static bool has_name(const struct bench_section *bench, const char *name)
{
    for (size_t i = 0; i < bench->n_slots; i++)
        if (strcasecmp(bench->slots[i].name, name) == 0)
            return true;
    return false;
}

static bool is_run(const struct bench_section *bench)
{
    return !bench->is_left_out && bench->info;
}

/* Names of the expression that some other benchmark has are there, without a value. */
static void add_absent(const struct resolver *resolver, struct bench_section *bench,
                       const struct expression_tokens *tokens)
{
    const struct settings *settings = resolver->settings;
    struct slot *slots = ARENA_ARRAY(resolver->arena, struct slot, bench->n_slots + tokens->n);
    memcpy(slots, bench->slots, bench->n_slots * sizeof *slots);
    bench->slots = slots;
    for (size_t i = 0; i < tokens->n; i++) {
        const char *name = tokens->items[i].name;
        bool is_elsewhere = false;
        for (size_t j = 0; name && j < settings->n_benches && !is_elsewhere; j++)
            is_elsewhere = is_run(&settings->benches[j]) && has_name(&settings->benches[j], name);
        if (is_elsewhere && !has_name(bench, name))
            slots[bench->n_slots++] = (struct slot){.kind = SLOT_ABSENT, .name = name};
    }
}

static bool add_where(const struct resolver *resolver, struct bench_section *bench,
                      const struct expression_tokens *tokens)
{
    const struct key *key = resolver->settings->where;
    struct expression *expression;
    struct gb_error error;
    add_absent(resolver, bench, tokens);
    const struct expression_column *columns = bench_columns(bench, resolver->arena);
    if (expression_compile(resolver->engine, key->entry->value, key->entry->value_origin, columns,
                           bench->n_slots, &expression, &error) != GB_OK) {
        if (!key->entry->setting) /* else the place says so */
            error_prefix(&error, "where: ");
        settings_report(resolver->errors, &error);
        return false;
    }
    bench_add_filter(bench, key, expression);
    expression_free(expression);
    return true;
}

/* Makes it a filter of every benchmark; they are resolved. */
static void resolve_where(const struct resolver *resolver)
{
    const struct settings *settings = resolver->settings;
    struct expression_tokens tokens = {0};
    size_t at;
    if (!settings->where)
        return;
    /* What is wrong with the tokens is found again when they are compiled. */
    expression_tokens_read(settings->where->entry->value, resolver->arena, &tokens, &at);
    for (size_t i = 0; i < settings->n_benches; i++)
        if (is_run(&settings->benches[i]) && !add_where(resolver, &settings->benches[i], &tokens))
            return; /* others would say the same */
}

/* ---- which settings of the command line have an effect ---- */

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
                (bench->slots[j].is_axis || !bench->slots[j].named.device.settings))
                return true;
    }
    return false;
}

/* As devices_choose (visit.h) may choose it for a case of the benchmark. */
static bool may_choose(const struct settings *settings, const struct bench_section *bench,
                       const struct device_choice *choice, size_t device)
{
    const struct plugin_settings *known = &settings->lists[GB_PLUGIN_DEVICE].items[device];
    if (choice->settings)
        return choice->settings == known;
    return device < settings->n_auto_devices && plugin_runs_on(bench->info, known->info->plugin.id);
}

static bool may_run_on(const struct settings *settings, const struct bench_section *bench,
                       size_t device)
{
    for (size_t i = 0; i < bench->n_slots; i++)
        if (bench->slots[i].kind == SLOT_DEVICE && !bench->slots[i].is_axis &&
            may_choose(settings, bench, &bench->slots[i].named.device, device))
            return true;
    for (size_t i = 0; i < bench->n_axes; i++)
        for (size_t j = 0; j < bench->axes[i].n_columns; j++) {
            const struct axis_column *column = &bench->axes[i].columns[j];
            for (size_t k = 0; column->named && k < bench->axes[i].n; k++)
                if (bench->slots[column->slot].kind == SLOT_DEVICE &&
                    may_choose(settings, bench, &column->named[k].device, device))
                    return true;
        }
    return false;
}

bool settings_need_device(const struct settings *settings, size_t device)
{
    for (size_t i = 0; i < settings->n_benches; i++)
        if (may_run_on(settings, &settings->benches[i], device))
            return true;
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

/* The first benchmark's own key that overrides a setting of all. */
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

static void report_ineffective(const struct resolver *resolver, size_t i)
{
    const struct ini_setting *setting = resolver->settings->given[i];
    const struct ini_setting *later = successor(resolver->settings, i);
    const struct bench_section *bench = bench_named(resolver->settings, setting->name);
    const char *name = setting->name, *key = setting->key, *owner = "";
    const struct ini_entry *own = own_key(resolver->settings, key, &owner);
    CLEANUP(text_free) struct text why = {0};
    if (later)
        text_printf(&why, "'%s' takes its place", later->text);
    else if (text_equal(setting->kind, "bench") && !(bench && bench->is_left_out))
        text_printf(&why, "another setting of [bench %s] takes its place", name);
    else if (text_equal(setting->kind, "bench"))
        text_printf(&why, "[bench %s] is not among the benchmarks that are run", name);
    else if (*name)
        text_printf(&why, "no benchmark that is run uses [%s %s]", setting->kind, name);
    else
        text_printf(&why,
                    "every benchmark that is run has its own %s, such as [bench %s] by '%s'; -s "
                    "'*.%s=...' sets that of all",
                    key, owner, own ? own->key : key, key);
    error_list_add(resolver->errors, setting->origin, "'%s' has no effect: %s", setting->text,
                   text_get(&why));
}

/* Adds an error for each setting of the command line that changes nothing; none of those that have
 * a part in another error. */
static void check_effects(const struct resolver *resolver, bool is_sound)
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

/* ---- all of it ---- */

int32_t settings_resolve(struct settings *settings, const struct catalogue *catalogue,
                         struct error_list *errors)
{
    struct resolver resolver = {settings, catalogue, errors, settings->arena, NULL};
    struct gb_error error;
    size_t n_before = error_list_count(errors);
    if (expression_engine_new(&resolver.engine, &error) != GB_OK) {
        error_list_take(errors, &error);
        return error.status;
    }
    resolve_plugin_sections(&resolver);
    resolve_defaults(&resolver);
    for (size_t i = 0; i < settings->n_benches; i++)
        if (!settings->benches[i].is_left_out)
            resolve_bench(&resolver, &settings->benches[i]);
    resolve_where(&resolver);
    check_effects(&resolver, error_list_empty(errors));
    expression_engine_free(resolver.engine);
    return error_list_count(errors) == n_before ? GB_OK : GB_INVALID;
}
